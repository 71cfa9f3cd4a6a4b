"""Transition matrices: post-randomisation (PRAM), each value drawn anew from its row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.noise import samplers

Ints = NDArray[np.int64]
MOST = 2_000
"""Values of a column that can be randomised; a matrix has their square."""
AT_ONCE = 100_000
"""Values drawn in one go; bounds memory."""


@dataclass(frozen=True, eq=False)
class TransitionMatrix:
    """The chance of each published value, for each true one, in whole parts of one unit.

    *Guarantee*: for one value and whatever else an attacker knows, the published value by itself
    changes the odds between two true values by a factor of at most e^epsilon, where epsilon is the
    logarithm of the largest ratio within a column of the matrix (local differential privacy).

    *Assumes*: that the matrix does not depend on the data, and that it is drawn from once.

    *Reference*: Gouweleeuw, Kooiman, Willenborg and de Wolf: Post randomisation for statistical
    disclosure control (1998); Warner: Randomized response (1965).

    Two values, each of which stays three times in four: the odds change by a factor of 3.

    >>> matrix = TransitionMatrix.uniform(2, stay=Fraction(3, 4))
    >>> matrix.parts.tolist(), matrix.unit, round(matrix.epsilon, 6)
    ([[3, 1], [1, 3]], 4, 1.098612)
    """

    parts: Ints
    """Parts of the unit: a line for each true value, a column for each published one."""
    unit: int
    """What each line adds up to."""

    def __post_init__(self) -> None:
        size = len(self.parts)
        if self.parts.shape != (size, size) or (self.parts < 0).any():
            raise ValueError("a transition matrix is square, and chances are not negative")
        if any(sum(map(int, line)) != self.unit for line in self.parts):
            raise ValueError("the chances of a line add up to 1")

    @classmethod
    def uniform(cls, size: int, *, stay: Fraction) -> TransitionMatrix:
        """Each value stays with this chance, and the others are equally likely."""
        if size < 2:
            return cls(np.ones((size, size), np.int64), 1)
        unit = _unit(stay.denominator * (size - 1), size)
        parts = np.full((size, size), stay.denominator - stay.numerator, np.int64)
        np.fill_diagonal(parts, stay.numerator * (size - 1))
        return cls(parts, unit)

    @classmethod
    def invariant(cls, counts: Sequence[int], *, stay: Fraction) -> TransitionMatrix:
        """What does not stay is drawn in proportion to these counts, which are kept on average.

        >>> TransitionMatrix.invariant([3, 1], stay=Fraction(1, 2)).parts.tolist()
        [[7, 1], [3, 5]]
        """
        people, size = sum(counts), len(counts)
        unit = _unit(stay.denominator * people, size)
        drawn = np.array([(stay.denominator - stay.numerator) * n for n in counts], np.int64)
        parts = np.tile(drawn, (size, 1))
        parts[np.diag_indices(size)] += stay.numerator * people
        return cls(parts, unit)

    @classmethod
    def of(cls, chances: Sequence[Sequence[Fraction]]) -> TransitionMatrix:
        """From exact chances, a line for each true value.

        Raises:
            PlanError: They have too many digits to be drawn exactly.
        """
        every = [chance for line in chances for chance in line]
        unit = _unit(math.lcm(*(chance.denominator for chance in every)), len(chances))
        return cls(np.array([[int(c * unit) for c in line] for line in chances], np.int64), unit)

    @property
    def epsilon(self) -> float:
        """The loss of one draw, never rounded down; infinite where a value rules another out."""
        most, least = self.parts.max(axis=0, initial=0), self.parts.min(axis=0, initial=self.unit)
        if ((least == 0) & (most > 0)).any():
            return math.inf
        pairs = zip(most.tolist(), least.tolist(), strict=True)
        ratio = max((Fraction(high, low) for high, low in pairs if low), default=Fraction(1))
        if ratio == 1:
            return 0.0
        # math.log of two whole numbers is right to a few units in the last place.
        found = math.log(ratio.numerator) - math.log(ratio.denominator)
        return found + max(found, 1.0) * 1e-12 + 1e-12 * math.log(ratio.numerator)

    @property
    def most_changed(self) -> Fraction:
        """The largest chance of a value to be published as another one."""
        stays = [int(self.parts[i, i]) for i in range(len(self.parts))]
        return 1 - Fraction(min(stays, default=self.unit), self.unit)

    def drawn(self, codes: Ints) -> Ints:
        """A published value for each true one, with exactly these chances."""
        ends = np.cumsum(self.parts, axis=1)
        found = np.empty(len(codes), np.int64)
        for start in range(0, len(codes), AT_ONCE):
            here = codes[start : start + AT_ONCE]
            lot = samplers.uniform(len(here), below=self.unit)
            order = np.argsort(here, kind="stable")
            firsts = np.flatnonzero(np.diff(here[order], prepend=-1))
            for rows in np.split(order, firsts[1:]):
                line = ends[here[rows[0]]]
                found[start + rows] = np.searchsorted(line, lot[rows], side="right")
        return found


def _unit(unit: int, size: int) -> int:
    """The unit, if chances are exact in it.

    Raises:
        PlanError: They are not, or there are too many values.
    """
    if size > MOST:
        raise PlanError(
            f"a column of {size:,} values is too large for PRAM, which takes up to {MOST:,}",
            fix="Make its values coarser first.",
        )
    if unit >= 2**62:
        raise PlanError(
            "the chances have too many digits to be drawn exactly",
            fix="Write them with fewer digits.",
        )
    return unit
