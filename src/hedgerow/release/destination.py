"""Where a release goes: into memory, a folder or a table. It appears there whole, or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol, cast

from hedgerow.base.delivery import DATA, TABLE, check_target, deliver, staging
from hedgerow.base.errors import TargetError
from hedgerow.base.faults import point
from hedgerow.engines.base import TablePlace
from hedgerow.release.delivery_state import DeliveryState, certified, moved

if TYPE_CHECKING:
    from hedgerow.engines.base import Engine, TableEngine, Written


@dataclass(frozen=True, kw_only=True)
class Destination:
    """The place of a release, and the form it has there."""

    place: Path | TablePlace | None
    """A folder, a table of a database or a cluster, or None: it stays in memory."""
    stated_format: str | None = None
    """Of the data file, where the plan says it."""
    escaped: bool = False
    """Whether texts that a spreadsheet would take for formulas are escaped."""
    replace: bool = False
    """Whether an existing release may be replaced."""
    memory: str | None = None
    """How much memory may be used, such as "4GB"."""

    @property
    def folder(self) -> Path | None:
        """The folder, if it is one."""
        return self.place if isinstance(self.place, Path) else None

    @property
    def table(self) -> TablePlace | None:
        """The table, if it is one."""
        return self.place if isinstance(self.place, TablePlace) else None

    @property
    def name(self) -> str:
        """What the ledger calls the release."""
        return "in memory" if self.place is None else self.place.name

    @property
    def form(self) -> str:
        """Of the data file that is written, also where it is carried into a table."""
        if self.table is not None:
            return "parquet"
        return self.stated_format or ("csv" if self.folder else "parquet")

    @property
    def format(self) -> str:
        """Of the data: csv, parquet or table."""
        return TABLE if self.table is not None else self.form

    def check(self, *, engine: Engine | None = None, inputs: Iterable[Path] = ()) -> None:
        """Refuse early what would fail late.

        Args:
            engine: Holds the source, where it is known.
            inputs: Files that the release is made from.

        Raises:
            TargetError: The release cannot or must not be put there.
        """
        if self.folder is not None:
            check_target(self.folder, replace=self.replace, inputs=inputs)
        if self.table is not None:
            with self._opened_table(self.table, engine, inputs):
                pass

    @contextlib.contextmanager
    def staged(
        self,
        delivery: DeliveryState,
        *,
        engine: Engine | None = None,
        inputs: Iterable[Path] = (),
    ) -> Iterator[Staged]:
        """A place that nobody sees, in which the release is written.

        Args:
            delivery: Told when the release appears.
            engine: Holds the source, where the release is made from it.
            inputs: Files that the release is made from.

        Raises:
            TargetError: The release cannot or must not be put there.
        """
        with contextlib.ExitStack() as stack:
            table = beside = None
            if self.table is not None:
                table = stack.enter_context(self._opened_table(self.table, engine, inputs))
            if self.folder is not None:
                beside = check_target(self.folder, replace=self.replace, inputs=inputs)
            hidden = stack.enter_context(staging(beside))
            yield Staged(destination=self, folder=hidden, table=table, delivery=delivery)

    @contextlib.contextmanager
    def _opened_table(
        self, place: TablePlace, engine: Engine | None, inputs: Iterable[Path]
    ) -> Iterator[StagedTable]:
        if self.escaped:
            refuse_escaped(place)
        if hasattr(engine, "reaches"):
            tables = cast("TableEngine", engine)
            if tables.reaches(place):
                tables.check_table(place, replace=self.replace)
                yield _MadeThere(tables, place)
                return
        from hedgerow.engines.transfer import carried

        with carried(place, inputs=inputs, memory=self.memory) as there:
            there.check(replace=self.replace)
            yield there


@dataclass(frozen=True, kw_only=True)
class Staged:
    """A release that is being written; nobody sees it before it is delivered."""

    destination: Destination
    folder: Path
    """A hidden folder."""
    delivery: DeliveryState
    table: StagedTable | None = None
    """What becomes of the data file, where the release is a table."""

    @property
    def data(self) -> Path | TablePlace:
        """What the engine of the source is to write."""
        if self.table is not None:
            return self.table.written_to(self.folder)
        return self.folder / DATA[self.destination.form]

    @property
    def files(self) -> Path | None:
        """The folder whose files a certificate lists; None where the release is a table."""
        return None if self.destination.table is not None else self.folder

    @property
    def reader(self) -> Engine | None:
        """Reads the table that nobody sees yet; None for a file."""
        return None if self.table is None else self.table.staged

    @property
    def home(self) -> Path | TablePlace:
        """Where the release is when all is done; one in memory is gone with its hidden folder."""
        return self.folder if self.destination.place is None else self.destination.place

    @property
    def in_memory(self) -> bool:
        """Whether the release has no place."""
        return self.destination.place is None

    def arrived(self, written: Written) -> Written:
        """What was written, where it is to be."""
        return written if self.table is None else self.table.arrived(written)

    def deliver(self, certificate: str) -> None:
        """Let the release appear with its certificate."""
        destination = self.destination
        if self.table is not None and destination.table is not None:
            place = destination.table
            with self.delivery.appearing(str(place), certified(place, certificate)):
                self.table.deliver(certificate, replace=destination.replace)
        elif destination.folder is not None:
            target = destination.folder
            with self.delivery.appearing(str(target), moved(self.folder, target)):
                deliver(self.folder, target, certificate, replace=destination.replace)
        else:
            return
        point("delivered")


class StagedTable(Protocol):
    """A table that is going to be published; nobody sees it before it is delivered."""

    def written_to(self, folder: Path) -> Path | TablePlace:
        """What the engine of the source is to write, which may be a file of a hidden folder."""
        ...

    def arrived(self, written: Written) -> Written:
        """The table that was made of what the engine wrote."""
        ...

    @property
    def staged(self) -> Engine:
        """Reads the table."""
        ...

    def deliver(self, certificate: str, *, replace: bool) -> None:
        """Let the table and its certificate appear, together."""
        ...


@dataclass(frozen=True)
class _MadeThere:
    """A table that the source's own engine makes: no rows leave it."""

    engine: TableEngine
    place: TablePlace

    def written_to(self, folder: Path) -> TablePlace:
        return self.place

    def arrived(self, written: Written) -> Written:
        return written

    @property
    def staged(self) -> Engine:
        return self.engine.staged

    def deliver(self, certificate: str, *, replace: bool) -> None:
        self.engine.deliver(certificate, replace=replace)


def refuse_escaped(place: TablePlace) -> NoReturn:
    """Refuse to escape formulas in a table.

    Raises:
        TargetError: Always.
    """
    raise TargetError(
        "escape_formulas is for files that a spreadsheet opens, and this is a table",
        where=str(place),
        fix="Leave it out, or publish to a folder.",
    )
