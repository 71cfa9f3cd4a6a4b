"""Hierarchy: how the values of one column become coarser, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import HierarchyError, some

Codes = NDArray[np.int32]

ANY = "*"
"""What a fully generalised value is published as."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The levels of one column, bound to the values it may hold.

    Level 0 is the value itself; each level is a function of the one below. Leaves are kept
    in an order in which every level's groups are runs, so that a code range is a subtree.

    >>> h = Hierarchy.of("sex", [("F", "*"), ("M", "*")])
    >>> h.height, h.labels[1], h.share(1).tolist()
    (1, ('*',), [1.0])
    """

    name: str
    values: tuple[str | None, ...]
    """The leaves. Those the data lack count too: they are what a published value may hide."""
    codes: tuple[Codes, ...]
    """codes[level][leaf] is the leaf's generalised value at that level."""
    labels: tuple[tuple[str | None, ...], ...]
    """labels[level][code] is what is published."""
    numbers: NDArray[np.float64] | None = None
    """The leaves as numbers, ascending, where the column is numeric (missing: NaN, last)."""

    @classmethod
    def of(
        cls,
        name: str,
        rows: Sequence[Sequence[str | None]],
        *,
        numbers: Sequence[float] | None = None,
        where: str | None = None,
    ) -> Hierarchy:
        """Build from one row per leaf, leaf first; every row equally long.

        Args:
            name: Column name.
            rows: For each leaf, its label at every level.
            numbers: The leaves as numbers, where order matters.
            where: File or plan line, for messages.

        Raises:
            HierarchyError: A leaf stands twice, or a level splits what the one below joins.
        """
        where = where or f"hierarchy of {name!r}"
        if not rows:
            raise HierarchyError("the hierarchy has no values", where=where)
        leaves = [row[0] for row in rows]
        if len(set(leaves)) != len(leaves):
            twice = sorted({str(v) for v in leaves if leaves.count(v) > 1})
            raise HierarchyError(
                f"{some(twice)} stand(s) in it more than once", where=where,
                fix="Give every value one line.",
            )  # fmt: skip
        height = len(rows[0]) - 1
        for level in range(1, height + 1):
            parent: dict[str | None, str | None] = {}
            torn = [
                row[level - 1]
                for row in rows
                if parent.setdefault(row[level - 1], row[level]) != row[level]
            ]
            if torn:
                raise HierarchyError(
                    f"level {level} does not coarsen level {level - 1}: "
                    f"{some(sorted({str(v) for v in torn}))} would go to more than one value",
                    where=where,
                    fix="Each value of a level must have exactly one parent in the next.",
                )
        order = _taxonomy_order(rows, numbers)
        rows = [rows[i] for i in order]
        codes, labels = [], []
        for level in range(height + 1):
            place: dict[str | None, int] = {}
            column = [place.setdefault(row[level], len(place)) for row in rows]
            codes.append(np.array(column, np.int32))
            labels.append(tuple(place))
        ascending = None if numbers is None else np.asarray(numbers, np.float64)[order]
        return cls(name, tuple(r[0] for r in rows), tuple(codes), tuple(labels), ascending)

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.codes) - 1

    @cached_property
    def place(self) -> dict[str | None, int]:
        """Value -> leaf code."""
        return {value: code for code, value in enumerate(self.values)}

    def size(self, level: int) -> int:
        """How many values the level has."""
        return len(self.labels[level])

    def leaves(self, level: int) -> NDArray[np.int64]:
        """How many leaves each value of the level stands for."""
        return np.bincount(self.codes[level], minlength=self.size(level)).astype(np.int64)

    def share(self, level: int) -> NDArray[np.float64]:
        """Leaves under each value of the level as a share of all leaves."""
        return self.leaves(level) / len(self.values)

    def step(self, low: int, high: int) -> Codes:
        """From codes at level `low` to codes at level `high`, low <= high."""
        table = np.empty(self.size(low), np.int32)
        table[self.codes[low]] = self.codes[high]
        return table

    def encode(self, values: Sequence[str | None]) -> Codes:
        """Leaf codes of data values.

        Raises:
            HierarchyError: Some values are not covered; names at most ten.
        """
        missing = [value for value in values if value not in self.place]
        if missing:
            raise HierarchyError(
                f"does not cover {some(missing)}",
                where=f"hierarchy of {self.name!r}",
                fix="Add a line for each of these values, or correct them in the data.",
            )
        return np.array([self.place[value] for value in values], np.int32)


def _taxonomy_order(
    rows: Sequence[Sequence[str | None]], numbers: Sequence[float] | None
) -> list[int]:
    """Leaf order in which every level is made of runs.

    Numeric columns keep ascending order where the levels allow it. Otherwise subtrees are
    kept together, in order of first appearance.
    """
    height = len(rows[0]) - 1
    if numbers is not None:
        ascending = sorted(range(len(rows)), key=lambda i: (np.isnan(numbers[i]), numbers[i]))
        if all(_runs([rows[i][level] for i in ascending]) for level in range(height + 1)):
            return ascending
        raise HierarchyError(
            "a level joins numbers that are not neighbours", fix="Join only neighbouring numbers."
        )
    first: list[dict[str | None, int]] = [{} for _ in range(height + 1)]
    for i, row in enumerate(rows):
        for level in range(height + 1):
            first[level].setdefault(row[level], i)
    return sorted(
        range(len(rows)),
        key=lambda i: tuple(first[level][rows[i][level]] for level in range(height, -1, -1)),
    )


def _runs(labels: Sequence[str | None]) -> bool:
    """Whether equal labels stand together."""
    runs = 1 + sum(a != b for a, b in zip(labels, labels[1:], strict=False))
    return runs == len(set(labels))
