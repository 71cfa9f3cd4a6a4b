"""The margins of cells in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.engines.splits import Tree
from hedgerow.recode.first_cuts import ALONE, Margin
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Ints

DENSE = 4
"""Keys are counted, not sorted, where there are at most so many times more of them than lines."""


class CellMargins:
    """Counts the people of cells along a tree of cuts that only grows."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self._followed = 0
        # Each part's cells, in the order in which they are in the table.
        self._cells_of: dict[int, Ints] = {0: np.flatnonzero(cells.n)}

    def cells_of(self, tree: Tree, part: int) -> Ints:
        """The cells of a part: those with people in it, in the table's order."""
        for split in tree[self._followed :]:
            here = self._cells_of.pop(split.part)
            below = self.cells.q[here, split.axis] <= split.behind
            self._cells_of[split.left], self._cells_of[split.right] = here[below], here[~below]
        self._followed = len(tree)
        return self._cells_of[part]

    def sizes(self, tree: Tree, parts: Sequence[int]) -> list[int]:
        """How many cells each of the parts has."""
        return [len(self.cells_of(tree, part)) for part in parts]

    def margins(self, tree: Tree, parts: Sequence[int], *, values: bool) -> Margin:
        """The margins of the parts; by sensitive values too if `values`."""
        cells = self.cells
        mine = [self.cells_of(tree, part) for part in parts]
        cell = np.concatenate([np.empty(0, np.int64), *mine])
        place = np.repeat(np.arange(len(parts)), [len(each) for each in mine])
        people = cells.n[cell]
        taken = [histogram.take(cell) for histogram in cells.values] if values else []
        columns: list[tuple[Ints, ...]] = []
        for j, hierarchy in enumerate(cells.hierarchies):
            code, width = cells.q[cell, j].astype(np.int64), len(hierarchy.values)
            key, n = _sums(place * width + code, people, len(parts) * width)
            columns.append(_lines(key // width, j, ALONE, key % width, None, n))
            for i, histogram in enumerate(taken):
                owner, size = histogram.owner(), len(cells.sensitive[i].values)
                pair = (place[owner] * width + code[owner]) * size + histogram.codes
                key, n = _sums(pair, people[owner], len(parts) * width * size)
                node = key // size
                columns.append(_lines(node // width, j, i, node % width, key % size, n))
        found = [np.concatenate(each) for each in zip(*columns, strict=True)]
        return Margin(np.asarray(parts, np.int64)[found[0]], *found[1:])


def _lines(
    part: Ints, axis: int, of: int, code: Ints, value: Ints | None, n: Ints
) -> tuple[Ints, ...]:
    if value is None:
        value = np.full(len(n), ALONE)
    return part, np.full(len(n), axis), np.full(len(n), of), code, value, n


def _sums(key: Ints, n: Ints, size: int) -> tuple[Ints, Ints]:
    """The keys that occur, ascending, and the sum of n at each.

    >>> [each.tolist() for each in _sums(np.array([2, 0, 2]), np.array([1, 5, 3]), 9)]
    [[0, 2], [5, 4]]
    """
    if size <= DENSE * len(key):
        sums = np.bincount(key, weights=n, minlength=size).astype(np.int64)
        found = np.flatnonzero(sums)
        return found, sums[found]
    order = np.argsort(key, kind="stable")
    start = np.flatnonzero(np.diff(key[order], prepend=-1))
    if not len(start):
        return key, n
    return key[order][start], np.add.reduceat(n[order], start)
