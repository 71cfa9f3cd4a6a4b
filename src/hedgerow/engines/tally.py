"""What an engine is asked for an answer with noise: whole numbers, with a rule for every row.

Each row falls into a cell, or is left out, and adds a whole number to it, by what is in that row
alone; and of one person at most so many rows count. So what one person changes is bounded before
anybody looks at the data, and no value, however odd, can make counting fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from hedgerow.base.filters import Condition

MOST_SUMMED = 2**53
"""The largest whole number one row adds to a sum, either way."""


@dataclass(frozen=True)
class Listed:
    """The place of the value in a public list; rows with another value are left out."""

    column: str
    values: tuple[str | None, ...]
    """None: missing is a value like others."""

    @property
    def cells(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Spaced:
    """Numbers in cells of equal width, the first beginning at `low`.

    Cell i holds low + i step up to, not including, low + (i + 1) step. Numbers under the first
    are in the first, those beyond the last in the last; rows without a finite number are left
    out.
    """

    column: str
    low: Fraction
    step: Fraction
    cells: int


@dataclass(frozen=True)
class AsFound:
    """The text of the value, missing being a value: cells that are not public."""

    column: str


Cells = Listed | Spaced | AsFound


@dataclass(frozen=True)
class Summed:
    """A whole number for each row: (h - centre)^power, h being the value in whole units, held.

    h is the whole number nearest to value / unit (halves up), but not under `low` nor above
    `high`. Rows without a finite number are left out of the whole tally.
    """

    column: str
    unit: Fraction
    low: int
    high: int
    centre: int = 0
    power: Literal[1, 2] = 1

    def __post_init__(self) -> None:
        assert self.low <= self.high
        assert max(map(abs, self.range)) <= MOST_SUMMED, "whoever asks chooses a coarser unit"

    @property
    def range(self) -> tuple[int, int]:
        """The least and the most one row adds."""
        ends = (self.low - self.centre, self.high - self.centre)
        if self.power == 1:
            return ends
        squares = [end**2 for end in ends]
        return 0 if ends[0] <= 0 <= ends[1] else min(squares), max(squares)


@dataclass(frozen=True, kw_only=True)
class Tally:
    """One question to an engine.

    With a person column, rows without a person count for nobody and are left out. Counting
    people, a person counts once in a cell and in at most `most` cells; counting rows, at most
    `most` rows of a person count. Which of them it is depends on that person's rows alone.
    """

    where: Condition | None = None
    """Rows for which it is not true are left out, first of all."""
    by: tuple[Cells, ...] = ()
    sums: tuple[Summed, ...] = ()
    """Of the rows that count; with any, rows are counted."""
    count: Literal["people", "rows"] = "people"
    most: int = 1

    def __post_init__(self) -> None:
        assert self.most >= 1
        assert self.count == "rows" or not self.sums, "a person's rows may have several numbers"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is about, each once."""
        named = [cells.column for cells in self.by] + [summed.column for summed in self.sums]
        filtered = () if self.where is None else self.where.columns
        return tuple(dict.fromkeys([*named, *filtered]))


def merged(tallies: Iterable[Tally]) -> dict[Tally, tuple[Tally, tuple[int, ...]]]:
    """For each tally one that several share, and which of its sums are whose.

    Only tallies that leave out the same rows are merged: sums leave out rows without a number. And
    only where each row is a person: of a person's rows, which ones count hangs on all sums.
    """
    shared: dict[tuple[object, ...], list[Summed]] = {}

    def alike(tally: Tally) -> tuple[object, ...]:
        numbers = frozenset(summed.column for summed in tally.sums)
        return (tally.where, tally.by, tally.count, tally.most, numbers)

    tallies = list(tallies)
    for tally in tallies:
        sums = shared.setdefault(alike(tally), [])
        sums += [summed for summed in tally.sums if summed not in sums]
    found = {}
    for tally in tallies:
        sums = shared[alike(tally)]
        whole = replace(tally, sums=tuple(sums))
        found[tally] = (whole, tuple(sums.index(summed) for summed in tally.sums))
    return found
