"""A place of Spark's where a table arrives that was made elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hedgerow.base.errors import TargetError
from hedgerow.engines.base import TablePlace
from hedgerow.engines.remote import Kind
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.spark.connection import connected
from hedgerow.engines.spark.driver import Driver
from hedgerow.engines.spark.remote import SparkRemote, refuse_forgetful
from hedgerow.engines.spark.sources import is_path, local_path
from hedgerow.engines.spark.targets import Target, target_of

KINDS = {
    "BOOLEAN": "BOOLEAN",
    "TINYINT": "TINYINT",
    "UTINYINT": "SMALLINT",
    "SMALLINT": "SMALLINT",
    "USMALLINT": "INT",
    "INTEGER": "INT",
    "UINTEGER": "BIGINT",
    "BIGINT": "BIGINT",
    "UBIGINT": "DECIMAL(20,0)",
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "TIMESTAMP_S": "TIMESTAMP_NTZ",
    "TIMESTAMP_MS": "TIMESTAMP_NTZ",
    "TIMESTAMP_NS": "TIMESTAMP_NTZ",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
    "UUID": "STRING",
    "VARCHAR": "STRING",
}
"""For each type of DuckDB the type that has its values; of nanoseconds, those that are whole
microseconds. A UUID is text to Spark."""
AT_ONCE = 5_000_000
"""Values sent at once: bounds the memory of whoever sends and of Spark's driver."""


class SparkArrival:
    """Implements `hedgerow.engines.remote.Arrival`.

    Args:
        place: Where the table will be.
        inputs: Files the release is made from.
        memory: For a session that is started on this machine.
    """

    def __init__(
        self, place: TablePlace, *, inputs: Sequence[Path] = (), memory: str | None = None
    ) -> None:
        self._place, self._inputs = place, inputs
        self._driver = Driver(connected(place.address, memory=memory), str(place))
        self._target: Target | None = None
        self._staged: SparkRemote | None = None

    def close(self) -> None:
        self.discard()
        self._driver.close()

    def check(self, *, replace: bool) -> None:
        table = self._place.table
        refuse_forgetful(self._driver, self._place)
        here = local_path(table.rstrip("/")) if is_path(table) else None
        if here is not None and any(
            file.resolve().is_relative_to(here.resolve()) for file in self._inputs
        ):
            raise TargetError(
                "what the release is made from would be replaced by it",
                where=str(self._place),
                fix="Choose another place.",
            )
        target_of(self._driver, table, str(self._place)).check(replace=replace)

    def kind(self, local: str) -> str | None:
        return local if re.fullmatch(r"DECIMAL\(\d+,\d+\)", local) else KINDS.get(local)

    def load(self, session: DuckDBSession, sql: str, columns: Mapping[str, str]) -> SparkRemote:
        self.discard()
        self._target = target_of(self._driver, self._place.table, str(self._place))
        try:
            frame = self._target.stage(self._pieces(session, sql, columns), list(columns))
            driver = Driver(self._driver.session, str(self._place))
            self._staged = SparkRemote(driver, frame, None)
            return self._staged
        except BaseException:
            self.discard()
            raise

    def _pieces(
        self, session: DuckDBSession, sql: str, columns: Mapping[str, str]
    ) -> Iterator[str]:
        """Spark's SQL of the rows, a piece after the other, each gone when the next is asked for.

        They are sent as text. What Spark cannot read as the type becomes missing, and is found
        when it is compared with what was sent.
        """
        kinds: dict[str, Kind] = {f"o{i}": "text" for i in range(len(columns))}
        texts = [f"{_spelled(f'o{i}', k)} AS o{i}" for i, k in enumerate(columns.values())]
        typed = [
            f"o{i}" if self.kind(k) == "STRING" else f"try_cast(o{i} AS {self.kind(k)}) AS o{i}"
            for i, k in enumerate(columns.values())
        ]
        query = f"SELECT {', '.join(texts)} FROM ({sql})"
        rows = max(1, AT_ONCE // len(columns))
        for start in range(0, max(1, session.number(f"SELECT count(*) FROM ({sql})")), rows):
            piece = f"{query} LIMIT {rows} OFFSET {start}"
            view = self._driver.push("sent", session, piece, kinds)
            yield f"SELECT {', '.join(typed)} FROM {view}"

    def deliver(self, certificate: str, *, replace: bool) -> None:
        assert self._target is not None, "only what was staged is delivered"
        self._target.deliver(certificate, replace=replace)

    def discard(self) -> None:
        if self._staged is not None:
            self._staged.close()
            self._staged = None
        if self._target is not None:
            self._target.discard()
            self._target = None


def _spelled(column: str, kind: str) -> str:
    """DuckDB's SQL of a value as text that Spark reads as the same value."""
    text = f"{column}::VARCHAR"
    if kind == "DATE" or kind.startswith("TIMESTAMP"):
        # The year before the first is 0 to Spark, and the one before that -1.
        year = f"printf('-%04d', split_part({text}, '-', 1)::INTEGER - 1)"
        early = f"{year} || replace(substr({text}, strpos({text}, '-')), ' (BC)', '')"
        text = f"CASE WHEN contains({text}, '(BC)') THEN {early} ELSE {text} END"
    return f"({text}) || ':00'" if kind == "TIMESTAMP WITH TIME ZONE" else text
