"""Axes: every quasi-identifier as an order along which people can be divided.

Numbers stand in ascending order, categories in taxonomy order (every subtree is a run). What
is not a number in a numeric column (a missing value) stands behind the numbers, on a branch of
its own: the ladder keeps it apart from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import Codes, Hierarchy

BEYOND = 2.0
"""Where the branch of missing values stands on an axis whose numbers run from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi-identifier, as far as the table has values of it."""

    rank: Codes
    """Leaf -> its place among the values of the table; equal numbers ("1", "1.0") share one."""
    measure: Floats
    """Rank -> where it stands between 0 and 1; the width of a box is a difference of these."""
    ladder: tuple[Codes, ...]
    """ladder[level][rank]: the branch; two neighbours part at the highest level they differ."""

    @property
    def size(self) -> int:
        return len(self.measure)

    @classmethod
    def of(cls, hierarchy: Hierarchy, codes: Codes) -> Axis:
        """The axis of the values `codes` (leaf codes of the table)."""
        leaves = np.unique(codes)
        rank = np.full(len(hierarchy.values), -1, np.int32)
        if hierarchy.numbers is None:
            rank[leaves] = np.arange(len(leaves))
            measure = leaves / max(len(hierarchy.values) - 1, 1)
            return cls(rank, measure, tuple(level[leaves] for level in hierarchy.codes))
        number = hierarchy.numbers[leaves]
        # NaN differs from everything, itself included: each missing value has its own rank.
        first = np.diff(number, prepend=np.nan) != 0
        rank[leaves] = np.cumsum(first) - 1
        number = number[first]
        missing = np.isnan(number)
        measure = np.full(len(number), BEYOND)
        if not missing.all():
            inside = number[~missing]
            measure[~missing] = (inside - inside[0]) / max(inside[-1] - inside[0], 1e-300)
        branch = np.cumsum(missing).astype(np.int32)
        return cls(rank, measure, (np.arange(len(number), dtype=np.int32), branch))


@dataclass(frozen=True, eq=False)
class Space:
    """All axes laid end to end, as compiled code wants them."""

    axes: tuple[Axis, ...]
    measure: Floats
    offset: Ints
    """Axis j owns measure[offset[j]:offset[j + 1]]."""
    ladder: Codes
    rung: Ints
    """Axis j's ladder begins at rung[j], level by level, each as long as the axis."""
    heights: Ints
    """Levels of each axis's ladder."""
    weight: Floats
    """How much the axis matters, 1 if the plan does not say: its widths count so many times."""

    @classmethod
    def of(cls, hierarchies: Sequence[Hierarchy], q: Codes, weights: Sequence[float] = ()) -> Space:
        """The space the tuples `q` (leaf codes) live in."""
        return cls.over(hierarchies, list(q.T), weights)

    @classmethod
    def over(
        cls,
        hierarchies: Sequence[Hierarchy],
        leaves: Sequence[Codes],
        weights: Sequence[float] = (),
    ) -> Space:
        """The space of tables in which column j has the values leaves[j] (leaf codes).

        Args:
            hierarchies: One for each column.
            leaves: Of each column, the leaf codes there are.
            weights: How much each column matters; alike where there are none.
        """
        axes = tuple(Axis.of(h, codes) for h, codes in zip(hierarchies, leaves, strict=True))
        steps = [level for axis in axes for level in axis.ladder]
        return cls(
            axes,
            np.concatenate([np.empty(0), *(axis.measure for axis in axes)]),
            np.cumsum([0, *(axis.size for axis in axes)]),
            np.concatenate([np.empty(0, np.int32), *steps]),
            np.cumsum([0, *(axis.size * len(axis.ladder) for axis in axes)]),
            np.array([len(axis.ladder) for axis in axes], np.int64),
            np.array(weights or (1.0,) * len(axes), np.float64),
        )

    def ranks(self, q: Codes) -> Codes:
        """Tuples of leaf codes as tuples of ranks."""
        ranks = np.empty(q.shape, np.int32)
        for j, axis in enumerate(self.axes):
            ranks[:, j] = axis.rank[q[:, j]]
        return ranks
