"""The graphs of one column: full, partition, threshold and line.

Values are codes 0, 1, 2, ... in the order of the column's public domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.secret_graph import LARGEST, Ints, array, sized
from hedgerow.noise.blowfish.window_graphs import Windows
from hedgerow.noise.rounding import Number, exact, positive, whole
from hedgerow.table.domain import Bounds


@dataclass(frozen=True)
class Full(Windows):
    """Every value is joined to every other: change-one differential privacy of the column.

    >>> Full(3).edges().tolist(), Full(3).diameter
    ([[0, 1], [0, 2], [1, 2]], 1)
    """

    size: int

    def __post_init__(self) -> None:
        sized(self.size)

    @cached_property
    def reach(self) -> Ints:
        return np.full(self.size, self.size - 1, np.int64)


@dataclass(frozen=True)
class Partition(Windows):
    """Values are joined within blocks. Which block somebody's value is in is **not protected**.

    >>> chapters = Partition((0, 1, 0, 1))
    >>> chapters.edges().tolist(), chapters.distance(0, [2, 1]).tolist()
    ([[0, 2], [1, 3]], [1, -1])
    """

    blocks: tuple[int, ...]
    """For each value its block, 0, 1, 2, ... in any order."""

    def __post_init__(self) -> None:
        found = array(self.blocks, "blocks")
        if found.ndim != 1 or found.dtype.kind not in "iu" or found.min() < 0:
            raise PlanError(
                "blocks are whole numbers of at least 0, one for each value",
                fix="Number the blocks: Partition((0, 0, 1)).",
            )
        sized(len(found))

    @classmethod
    def known(cls, size: int) -> Partition:
        """Each value in a block of its own: nothing about the column is protected."""
        return cls(tuple(range(sized(size))))

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.blocks)

    @cached_property
    def order(self) -> Ints:
        return np.argsort(np.array(self.blocks, np.int64), kind="stable")

    @cached_property
    def reach(self) -> Ints:
        blocks = np.array(self.blocks, np.int64)[self.order]
        return np.searchsorted(blocks, blocks, side="right") - 1


@dataclass(frozen=True)
class Threshold(Windows):
    """Numbers are joined where they differ by at most so much; a distance of theta is an edge.

    Along the values there are, and not as the crow flies: with values 0, 4, 8, ..., 20 and edges
    within 5, it is five steps from 0 to 20 and not ceil(20 / 5) = 4. Where a gap is wider than
    theta, there is no path across, and which side somebody is on is not protected.

    Reference: Machanavajjhala and Kifer (2015), distance threshold, mended: edges are d <= theta,
    as its sensitivity theta needs, and at distance d the factor is e^(epsilon ceil(d / theta)) on
    evenly spaced values of whose step theta is a multiple. With floor instead of ceil, as printed,
    values nearer than theta would not be told apart at all.

    >>> ages = Threshold(range(0, 121), 5)
    >>> ages.distance(30, [31, 35, 36, 61]).tolist()
    [1, 1, 2, 7]
    """

    at: range | tuple[int, ...]
    """Where the values lie, in any unit, rising."""
    within: int
    """Theta, in the same unit."""

    def __post_init__(self) -> None:
        if not isinstance(self.at, range) and (
            not isinstance(self.at, tuple) or any(not isinstance(v, int) for v in self.at)
        ):
            raise PlanError(
                "the values of a threshold policy are whole numbers, a range or a tuple",
                fix="Say Threshold(range(121), 5); other numbers: Threshold.among((0.5, 1), 1).",
            )
        sized(len(self.at))
        whole("within", self.within)
        if max(abs(self.at[0]), abs(self.at[-1]), self.within) > LARGEST:
            raise PlanError("numbers beyond 2^61 are too large", fix="Count in larger units.")
        if (np.diff(self.positions) <= 0).any():
            raise PlanError("the values of a threshold policy must rise")

    @classmethod
    def among(cls, values: tuple[Number, ...], within: Number) -> Threshold:
        """Any rational numbers: the unit is what divides them all.

        >>> Threshold.among(("0.5", 1, 2), "0.5")
        Threshold(at=(1, 2, 4), within=1)
        """
        numbers = [_signed(value) for value in values]
        theta = positive("within", within)
        unit = lcm(theta.denominator, *(v.denominator for v in numbers))
        return cls(tuple(int(v * unit) for v in numbers), int(theta * unit))

    @classmethod
    def on(cls, bounds: Bounds, within: Number) -> Threshold:
        """A column's numbers, in steps: theta is rounded down to whole steps.

        Raises:
            PlanError: Not even the next step is within theta: nothing would be protected.

        >>> Threshold.on(Bounds(Fraction(0), Fraction(120), Fraction(2)), 5)
        Threshold(at=range(0, 61), within=2)
        """
        cells = bounds.cells
        assert bounds.step is not None, "else it had no cells"
        steps = int(positive("within", within) / bounds.step)
        if not steps:
            raise PlanError(
                f"within {within} of a value there is no other: they are {bounds.step} apart",
                fix="Choose a wider threshold or a smaller step.",
            )
        return cls(range(cells), min(steps, cells))

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.at)

    @cached_property
    def positions(self) -> Ints:
        if isinstance(self.at, range):
            return np.arange(self.at.start, self.at.stop, self.at.step, dtype=np.int64)
        return np.array(self.at, np.int64)

    @cached_property
    def reach(self) -> Ints:
        return np.searchsorted(self.positions, self.positions + self.within, side="right") - 1


def line(size: int) -> Threshold:
    """Each value is joined to the next: the line graph.

    >>> line(4).edges().tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    return Threshold(range(sized(size)), 1)


def _signed(value: Number) -> Fraction:
    if isinstance(value, Fraction | int):
        return Fraction(value)
    text = str(value).strip()
    size = exact("a value", text.removeprefix("-"))
    return -size if text.startswith("-") else size
