"""How far apart two people's quasi-identifiers are, for methods that gather the nearest.

The squared distance is a sum over the columns: for numbers the squared difference in standard
deviations, for categories the squared height of the lowest common node (1 where only the top
is common, so 0 or 1 without a taxonomy), and counts as often as the column's weight says. A
missing value is as far from every number as the smallest number is from the largest, and at no
distance from another missing one.
Distances are kept on a grid fine enough not to matter, so that ties are ties on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedgerow.recode.axes import Space
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import Codes, Hierarchy


class DistanceAxes(NamedTuple):
    """What compiled code needs to know of the axes to compute distances."""

    numeric: Ints
    """Of each axis, whether it holds numbers."""
    number: Floats
    """Of each rank, its number in standard deviations; NaN: missing, or a category."""
    far: Floats
    """Of each axis, the squared distance between a number and a missing value."""
    offset: Ints
    """Axis j owns the places from offset[j] to offset[j + 1] of what is laid end to end."""
    ladder: Codes
    rung: Ints
    """Axis j's ladder begins at rung[j], level by level, each as long as the axis."""
    heights: Ints
    """Levels of each axis's ladder."""
    weight: Floats
    """Of each axis, how many times a squared distance between categories counts."""


@dataclass(frozen=True, eq=False)
class Distances:
    """The axes as distances want them, laid end to end like `Space`."""

    space: Space
    numeric: Ints
    """Of each axis, whether it holds numbers."""
    number: Floats
    """Of each rank, its number in standard deviations; NaN: missing, or a category."""
    far: Floats
    """Of each axis, the squared distance between a number and a missing value."""

    @classmethod
    def of(cls, hierarchies: Sequence[Hierarchy], space: Space, q: Codes, n: Ints) -> Distances:
        """Distances among the tuples `q` (leaf codes), each of n people."""
        number = np.full(len(space.measure), np.nan)
        far = np.ones(len(hierarchies))
        for j, (hierarchy, axis) in enumerate(zip(hierarchies, space.axes, strict=True)):
            if hierarchy.numbers is None:
                continue
            value = hierarchy.numbers[q[:, j]]
            there = ~np.isnan(value)
            if not there.any():
                continue
            mean = np.average(value[there], weights=n[there])
            deviation = np.sqrt(np.average((value[there] - mean) ** 2, weights=n[there]))
            scaled = (value - mean) / (deviation if deviation > 0 else 1.0)
            # What is so many times as long has a square that counts so many times.
            weight = float(space.weight[j])
            number[space.offset[j] + axis.rank[q[:, j]]] = scaled * np.sqrt(weight)
            far[j] = max(1.0, float(np.ptp(scaled[there])) ** 2) * weight
        numeric = np.array([h.numbers is not None for h in hierarchies], np.int64)
        return cls(space, numeric, number, far)

    @property
    def arrays(self) -> DistanceAxes:
        """As compiled code takes it."""
        space = self.space
        return DistanceAxes(
            self.numeric, self.number, self.far, space.offset, space.ladder, space.rung,
            space.heights, space.weight,
        )  # fmt: skip
