"""A release that is a table: made where the source is, or made here and carried there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol, cast

from hedgerow.base.errors import TargetError

if TYPE_CHECKING:
    from hedgerow.engines.base import Engine, TableEngine, TablePlace, Written


class Tabled(Protocol):
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


@contextlib.contextmanager
def tabled(
    place: TablePlace,
    *,
    replace: bool,
    escaped: bool,
    engine: Engine | None = None,
    inputs: Iterable[Path] = (),
    memory: str | None = None,
) -> Iterator[Tabled]:
    """Open the place of a table, and refuse early what would fail late.

    Args:
        place: The table that the release is to be.
        replace: Whether a release that is there may be replaced.
        escaped: Whether formulas are to be escaped, which only files have.
        engine: Holds the source; None where the release is not made from it.
        inputs: Files the release is made from, which must not disappear with what it replaces.
        memory: How much memory may be used, such as "4GB".

    Raises:
        TargetError: The release cannot or must not be put there.
    """
    if escaped:
        refuse_escaped(place)
    if hasattr(engine, "reaches"):
        tables = cast("TableEngine", engine)
        if tables.reaches(place):
            tables.check_table(place, replace=replace)
            yield _MadeThere(tables, place)
            return
    from hedgerow.engines.transfer import carried

    with carried(place, inputs=inputs, memory=memory) as there:
        there.check(replace=replace)
        yield there


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
