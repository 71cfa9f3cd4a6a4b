"""Held: the frequency set of a table, coded, that stays where the table is.

For methods that work part by part, on tables whose distinct tuples are too many for the machine
that publishes. Which parts there are is decided elsewhere, from how many people have each code;
here a part is what a tree of cuts makes of the codes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from hedgerow.engines.base import Table
from hedgerow.engines.splits import Tree

Work = Callable[[Table], Table]
"""From the lines of a part to the lines of the mapping; see `FrequencySet.solve`."""
Codes = Mapping[str | None, int]
"""The code of each value, by its text; None is missing."""
Box = Mapping[int, tuple[int, int]]
"""Axis -> its first and its last code; other axes are not looked at."""


class FrequencySet(Protocol):
    """The distinct tuples of codes with their people: a line each."""

    @property
    def lines(self) -> int: ...

    @property
    def people(self) -> int: ...

    def sizes(self, tree: Tree, parts: Sequence[int]) -> list[int]:
        """How many lines each of these parts has."""
        ...

    def margins(self, tree: Tree, parts: Sequence[int], *, values: bool = True) -> Table:
        """How many people of these parts have each code, alone and with each sensitive value.

        Args:
            tree: The cuts.
            parts: Those whose people are counted.
            values: Whether sensitive values are looked at; else people are counted alone.

        Returns:
            int32 `part`, `axis`, `of` (-1: people alone; i: with values of sensitive attribute
            i), `code`, `value` (-1 for people alone), and int64 `n`; no line where n is 0.
        """
        ...

    def solve(
        self,
        tree: Tree,
        parts: Sequence[int],
        work: Work,
        *,
        separated: bool,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Let a method work on each part by itself, and keep what becomes of whom.

        A solution takes the place of an earlier one.

        Args:
            tree: The cuts.
            parts: Those to work on; people of other parts are left out.
            work: Called once for each part that has lines. It gets int32 c0, c1, ... and v0,
                v1, ..., int64 `n`, in no order. It gives a line for each tuple of codes that is
                published: c0, c1, ..., `n` (its people), p0, p1, ... (published text, missing
                where null), l0, ..., h0, ... (the first and last code the text stands for) and
                r0, ... (rungs). Where it separates people of one tuple, a line is for those with
                the values v0, v1, ... whose rank among them is in [`lo`, `hi`), and there are
                n of these. People in no line are left out. On a cluster it is pickled, runs
                where the parts are, and may run again if an executor is lost.
            separated: Whether it does.
            progress: Told the share of the lines that were worked on.

        Raises:
            HedgerowError: As `work` raised it.
            DataError: The lines would publish somebody twice, or somebody who is not there.
        """
        ...

    def condensed(self) -> Table:
        """What was solved, as those see it who get the release.

        Returns:
            For each published tuple with its sensitive values p0, ..., v0, ...: the least l0, ...,
            the greatest h0, ... and r0, ..., and the people `n`. In no order.
        """
        ...

    def tuple_sizes(self) -> Table:
        """How many distinct tuples of quasi-identifiers have so many people: `size`, `tuples`."""
        ...

    def within(self, boxes: Sequence[Box]) -> list[int]:
        """How many people have all their codes in a box, for each of the boxes."""
        ...

    def close(self) -> None:
        """Let go of all of it; closing the engine does so too."""
        ...
