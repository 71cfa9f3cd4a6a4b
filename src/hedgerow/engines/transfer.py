"""A release that is made here and becomes a table elsewhere.

It is written to a file first, which holds every value exactly; the rows are then sent to where they
are to be, and what has arrived there is compared with the file: the same number of rows, and the
same hash of their texts. So whatever the other side makes of a type, nothing else than what was
written is ever published.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hedgerow.base.errors import TargetError, some
from hedgerow.engines.base import TablePlace, Written
from hedgerow.engines.formats import SourceView
from hedgerow.engines.kinds import engine_of
from hedgerow.engines.remote import Arrival
from hedgerow.engines.remote_engine import RemoteEngine
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.sources import attach
from hedgerow.engines.table_hash import buckets, whole

FILE = "data.parquet"
"""Name of the file that is written first."""


class CarriedTable:
    """A table that is going to be made of a file.

    Args:
        arrival: Where.
        place: The same, as addresses spell it.
        memory: How much memory DuckDB may use, such as "4GB".
    """

    def __init__(self, arrival: Arrival, place: TablePlace, *, memory: str | None = None) -> None:
        self._arrival, self._place, self._memory = arrival, place, memory
        self._staged: RemoteEngine | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the place; a table that was not delivered is gone."""
        try:
            if self._staged is not None:
                self._staged.close()
                self._staged = None
            self._arrival.discard()
        finally:
            self._arrival.close()

    def check(self, *, replace: bool) -> None:
        """Refuse early what would fail late.

        Raises:
            TargetError: A release cannot or must not be put there.
        """
        self._arrival.check(replace=replace)

    def written_to(self, folder: Path) -> Path:
        """Where the release is to be written first."""
        return folder / FILE

    def arrived(self, written: Written) -> Written:
        """Send what was written; it is `staged` until it is delivered.

        Raises:
            TargetError: A column cannot be stored there as it is.
        """
        assert isinstance(written.path, Path), "it is written to a file first"
        session = DuckDBSession(str(self._place), memory=self._memory, scratch=None)
        try:
            source = attach(session, written.path, null=())
            self._refuse_unknown(source)
            named = ", ".join(f"c{i} AS o{i}" for i in range(len(source.names)))
            columns = dict(zip(source.names, source.types, strict=True))
            there = self._arrival.load(session, f"SELECT {named} FROM source", columns)
            self._staged = RemoteEngine(there, memory=self._memory)
            self._refuse_renamed(source)
            digest = self._compared(session, source, written.rows)
        finally:
            session.close()
        return Written(path=self._place, rows=written.rows, people=written.people, sha256=digest)

    def _refuse_unknown(self, source: SourceView) -> None:
        strange = {
            name: kind
            for name, kind in zip(source.names, source.types, strict=True)
            if self._arrival.kind(kind) is None
        }
        if strange:
            kinds = ", ".join(dict.fromkeys(strange.values()))
            raise TargetError(
                f"{some(strange)} cannot be stored in the table: it has no type for {kinds}",
                where=str(self._place),
                fix="Publish to a folder, leave the column out, or make it text in the source.",
            )

    def _refuse_renamed(self, source: SourceView) -> None:
        pairs = zip(source.names, self.staged.columns(), strict=True)
        if renamed := [name for name, there in pairs if name != there]:
            raise TargetError(
                f"no column of the table can be called {some(renamed)}",
                where=str(self._place),
                fix="Give the column a shorter name, or publish to a folder.",
            )

    def _compared(self, session: DuckDBSession, source: SourceView, rows: int) -> str:
        """The hash of what arrived, which is that of what was sent.

        Raises:
            TargetError: Something else arrived.
        """
        arrived = self.staged.rows_total()
        if arrived != rows:
            raise TargetError(
                f"{arrived:,} rows arrived of {rows:,} that were sent",
                where=str(self._place),
                fix="Nothing was published. Run it again.",
            )
        digest = self.staged.content_sha256()
        places = range(len(source.names))
        if digest == _hashed(session, places, rows):
            return digest
        altered = [
            source.names[i]
            for i in places
            if self.staged.content_sha256([source.names[i]]) != _hashed(session, [i], rows)
        ]
        raise TargetError(
            f"the table does not hold {some(altered or source.names)} as it was written",
            where=str(self._place),
            fix="Nothing was published. Publish to a folder, or make the column text in the "
            "source: times may have more digits, or be further away, than the table's type has.",
        )

    @property
    def staged(self) -> RemoteEngine:
        """The table that has arrived and that nobody sees yet."""
        assert self._staged is not None, "send it first"
        return self._staged

    def deliver(self, certificate: str, *, replace: bool) -> None:
        """Let the table and its certificate appear, together."""
        self._arrival.deliver(certificate, replace=replace)


class _Local:
    """How DuckDB spells what the hash of a table needs; see `Dialect`."""

    def sha256(self, sql: str) -> str:
        return f"sha256({sql})"

    def sorted_text(self, sql: str) -> str:
        return f"string_agg({sql}, '' ORDER BY {sql})"


def _hashed(session: DuckDBSession, places: Sequence[int], rows: int) -> str:
    """The hash of columns of the view `source`, as that of a table (see `table_hash`)."""
    texts = [f"c{i}::VARCHAR" for i in places]
    return whole(session.fetch(buckets("source", texts, rows, _Local())))


def content_sha256(file: Path) -> str:
    """The hash that the rows of a Parquet file have as a table (see `table_hash`)."""
    session = DuckDBSession(str(file), memory=None, scratch=None)
    try:
        source = attach(session, file, null=())
        rows = session.number("SELECT count(*) FROM source")
        return _hashed(session, range(len(source.names)), rows)
    finally:
        session.close()


def carried(
    place: TablePlace, *, inputs: Iterable[Path] = (), memory: str | None = None
) -> CarriedTable:
    """Open a place for a table that is made elsewhere. Use it in a `with` block.

    Args:
        place: Where.
        inputs: Files the release is made from, which must not disappear with what it replaces.
        memory: How much memory may be used, such as "4GB".

    Raises:
        DataError: It cannot be reached.
    """
    kind = engine_of(place)
    assert kind.remote is not None, "it has addresses"
    with kind.needing(str(place)):
        arrival = kind.remote.arrival(place, tuple(inputs), memory)
    return CarriedTable(arrival, place, memory=memory)
