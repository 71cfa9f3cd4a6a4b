"""The ordered mechanism: noisy counts of values up to each, from which ranges and quantiles come.

A row that moves along an edge changes the counts between its old and its new value only. So noise
depends on the longest edge and not on how many values there are, and a range, long or short, is
the difference of two noisy numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise.blowfish.secret_graph import Graph, Ints, array
from hedgerow.noise.blowfish.sensitivity import Exact, Sensitivity, cumulative
from hedgerow.noise.measures import Loss, Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace
from hedgerow.noise.rounding import Number, share

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CumulativeCounts:
    """Released counts of values under each: everything here is post-processing and costs nothing.

    >>> counts = CumulativeCounts.smoothed(np.array([0, 3, 2, 9]), rows=9)
    >>> counts.prefixes.tolist(), counts.count([0, 1], [0, 2]).tolist()
    ([0.0, 2.5, 2.5, 9.0], [2.5, 6.5])
    """

    noisy: Ints
    """How many rows are under each value, and under none beyond: as released, without bias."""
    prefixes: Floats
    """The nearest numbers that rise from 0 to the number of rows."""

    @classmethod
    def smoothed(cls, noisy: Ints, *, rows: int) -> CumulativeCounts:
        """From noisy counts whose first is 0 and whose last is the number of rows.

        Isotonic regression, then held between 0 and the number of rows.
        """
        from scipy.optimize import isotonic_regression

        prefixes = np.zeros(len(noisy))
        prefixes[-1] = rows
        if len(noisy) > 2:
            inner = isotonic_regression(noisy[1:-1].astype(np.float64)).x
            prefixes[1:-1] = np.clip(inner, 0, rows)
        return cls(noisy, prefixes)

    def count(self, low: ArrayLike, high: ArrayLike, *, smooth: bool = True) -> Floats | Ints:
        """How many rows have values from low up to high, both included.

        Args:
            low: Codes.
            high: Codes, not under low.
            smooth: Whether from the rising counts, which err less as a rule, or without bias.

        Raises:
            PlanError: There are no such ranges.
        """
        a, b = np.asarray(low), np.asarray(high)
        if a.dtype.kind not in "iu" or b.dtype.kind not in "iu":
            raise PlanError("ranges are from one code to another")
        if a.size and b.size and (a.min() < 0 or b.max() >= len(self.noisy) - 1 or (a > b).any()):
            raise PlanError(
                f"ranges go from one code up to another, between 0 and {len(self.noisy) - 2}"
            )
        if smooth:
            return np.asarray(self.prefixes[b + 1] - self.prefixes[a])
        return np.asarray(self.noisy[b + 1] - self.noisy[a])

    def quantiles(self, shares: ArrayLike) -> Ints:
        """For each share the first value up to which so many of the rows lie.

        Raises:
            PlanError: A share is not between 0 and 1.

        >>> counts = CumulativeCounts.smoothed(np.array([0, 3, 2, 9]), rows=9)
        >>> counts.quantiles([0, 0.25, 0.5, 1]).tolist()
        [0, 0, 2, 2]
        """
        wanted = np.asarray(shares, np.float64)
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise PlanError("quantiles are between 0 and 1")
        found = np.searchsorted(self.prefixes[1:], wanted * self.prefixes[-1], side="left")
        return np.asarray(np.minimum(found, len(self.prefixes) - 2), np.int64)

    def histogram(self) -> Floats:
        """The counts of all values, none below 0."""
        return np.diff(self.prefixes)


@dataclass(frozen=True)
class Ordered:
    """Noise on each count of values up to some value, for the longest edge of a graph.

    Guarantee: the loss, for tables that differ in one row along one edge.
    Assumes: the number of rows is public; it is published as it is. So the histogram is of all
    rows: of those that meet a condition, their number would be given away, unless no edge of the
    policy changes whether a row meets it. Codes are in the order in which ranges are asked for.
    **For values in different components nothing is promised.**
    Reference: He, Machanavajjhala and Ding (2014), Sec. 7.1.

    >>> from hedgerow.noise.blowfish.graphs import Threshold, line
    >>> Ordered(line(100), Pure(epsilon=0.5)).noise.scale
    Fraction(2, 1)
    >>> Ordered(Threshold(range(100), 5), Pure(epsilon=0.5)).expected_error
    400.0
    """

    graph: Graph
    loss: Pure | ZeroConcentrated

    def __post_init__(self) -> None:
        if not self.sensitivity.l1:
            raise PlanError(
                "this policy has no edge: it protects nothing about this column",
                fix="Publish the column as it is, or choose another policy.",
            )

    @property
    def sensitivity(self) -> Sensitivity:
        return cumulative(self.graph)

    @property
    def noise(self) -> DiscreteLaplace | DiscreteGaussian:
        found = self.sensitivity.mechanism(self.loss)
        assert not isinstance(found, Exact), "there is an edge"
        return found

    @property
    def spent(self) -> Loss:
        """What a release costs: the loss, or a little less, as scales are rounded up."""
        return self.sensitivity.loss(self.noise)

    @property
    def expected_error(self) -> float:
        """The expected squared error of a range, about: two numbers' noise."""
        scale = float(self.noise.scale)
        return (4 if isinstance(self.loss, Pure) else 2) * scale**2

    def release(self, histogram: ArrayLike) -> CumulativeCounts:
        """Noisy counts, from the true counts of all values."""
        exact = counted(self.graph, histogram)
        noisy = self.noise.release(exact[1:-1]) if len(exact) > 2 else exact[1:-1]
        return CumulativeCounts.smoothed(
            np.concatenate([[0], noisy, exact[-1:]]), rows=int(exact[-1])
        )

    def accuracy(self, *, confidence: Number) -> int:
        """A range's count without bias is this near to the true one, this often or more often.

        Each of its two numbers is half as near in all but half of the remaining cases.
        """
        miss = 1 - share("confidence", confidence)
        return 2 * self.noise.accuracy(confidence=1 - miss / Fraction(2))


def counted(graph: Graph, histogram: ArrayLike) -> Ints:
    """How many rows are under each value, from 0 to all of them.

    Raises:
        DataError: These are no counts of this graph's values.
    """
    found = array(histogram, "a histogram")
    if found.shape != (graph.size,) or found.dtype.kind not in "iu":
        raise DataError(f"a histogram has a whole number for each of {graph.size} values")
    if found.min() < 0:
        raise DataError("a histogram counts rows, and some of these counts are negative")
    return np.concatenate([[0], np.cumsum(found.astype(np.int64))])
