"""The public box that holds all points, in whole steps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.learning.spaces import as_numbers
from hedgerow.noise import samplers
from hedgerow.table.domain import Bounds

Ints = NDArray[np.int64]

FINE = 2**20
"""Steps of the widest side."""
TRIES = 50
"""Points drawn for each of the first centres to take it from."""
COARSE = 2**10
"""Places on each side where first centres may be."""


@dataclass(frozen=True)
class Box:
    """Bounds of every column, with steps of one length for all of them.

    The same length, so that noise is the same on every side, as distances take them alike.

    >>> box = Box((Bounds(0, 10), Bounds(0, 5)))
    >>> box.steps.tolist(), box.placed([np.array([10.0, 99, np.nan]), np.zeros(3)])[:, 0].tolist()
    ([1048576, 524288], [1048576, 1048576, 524288])
    """

    bounds: tuple[Bounds, ...]

    @property
    def step(self) -> Fraction:
        return max(Fraction(side.high) - Fraction(side.low) for side in self.bounds) / FINE

    @property
    def steps(self) -> Ints:
        """How many each side has."""
        widths = [(Fraction(side.high) - Fraction(side.low)) / self.step for side in self.bounds]
        return np.array([max(round(width), 1) for width in widths], np.int64)

    def placed(self, columns: list[NDArray[Any]]) -> Ints:
        """Points in steps from the lower corner; each number by itself, none beyond the box."""
        found = []
        for side, steps, column in zip(self.bounds, self.steps, columns, strict=True):
            numbers = as_numbers(column)
            middle = (float(side.low) + float(side.high)) / 2
            held = np.where(np.isfinite(numbers), numbers, middle)
            held = np.clip(held, float(side.low), float(side.high)) - float(side.low)
            found.append(np.clip(np.rint(held / float(self.step)), 0, steps).astype(np.int64))
        return np.column_stack(found)

    def numbers(self, points: Ints) -> NDArray[np.float64]:
        """Points as numbers of the columns."""
        low = np.array([float(side.low) for side in self.bounds])
        return np.asarray(low + points * float(self.step))

    def spread(self, count: int) -> Ints:
        """So many random points as far from each other, and half as far from the sides, as can be.

        Taken one after the other from points drawn anywhere; if none fits any more, all begin
        anew with less distance. No data are looked at, so nothing depends on how they are drawn.

        Reference: Su, Cao, Li, Bertino and Jin (2016), section 3.2.
        """
        sides = len(self.bounds)
        drawn = samplers.uniform(count * TRIES * sides, below=COARSE).reshape(-1, sides)
        # More than so far apart there is no room for them, in a box of equal sides.
        apart = float(self.steps.max()) * min(2 * count ** (-1 / sides), 1.0)
        while True:
            inside = np.maximum(self.steps - int(apart), 0)
            free = (self.steps - inside) // 2 + drawn * inside // (COARSE - 1)
            kept: list[Ints] = []
            while len(free) and len(kept) < count:
                kept.append(free[0])
                free = free[((free - free[0]) ** 2).sum(axis=1) >= apart**2]
            if len(kept) == count:
                return np.stack(kept)
            apart = 0.9 * apart if apart > 1 else 0.0
