"""Range queries on an ordered attribute: which counts to make noisy, and what follows from them.

A histogram alone answers a range of m cells with the noise of m counts. With counts of whole
stretches as well, each row is in more counts, so each needs more noise, but a range needs few of
them. Everything here computes with public shapes and with numbers that already have noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace
from hedgerow.noise.noise_sums import gaussian_sum_half_width, laplace_sum_half_width
from hedgerow.noise.rounding import Number, share, whole
from hedgerow.table.domain import MOST_CELLS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FEW_CELLS = 4096
"""Up to so many, every branching is tried; beyond, the least for each height and some more."""


@dataclass(frozen=True, kw_only=True)
class RangeTree:
    """Counts of cells, of stretches of `branching` cells, of as many stretches, and so on.

    The highest level has more than one count (or there is one cell): the total is their sum. A
    branching of all cells or more is the plain histogram. A row is in `height` counts.

    Reference: Hay, Rastogi, Miklau and Suciu, Boosting the accuracy of differentially private
    histograms through consistency (2010); Qardaji, Yang and Li, Understanding hierarchical
    methods for differentially private histograms (2013).

    >>> tree = RangeTree(cells=6, branching=2)
    >>> tree.sizes, tree.height, tree.levels([1, 0, 2, 0, 0, 4]).tolist()
    ((6, 3, 2), 3, [1, 0, 2, 0, 0, 4, 1, 2, 4, 3, 4])
    """

    cells: int
    branching: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", whole("cells", self.cells))
        object.__setattr__(self, "branching", whole("branching", self.branching, least=2))
        if self.cells > MOST_CELLS:
            raise PlanError(f"{self.cells:,} cells are more than {MOST_CELLS:,}")

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many counts each level has, cells first."""
        sizes = [self.cells]
        while sizes[-1] > self.branching:
            sizes.append(-(-sizes[-1] // self.branching))
        return tuple(sizes)

    @property
    def height(self) -> int:
        """How many counts one row changes, each by 1."""
        return len(self.sizes)

    @property
    def nodes(self) -> int:
        """How many counts there are."""
        return sum(self.sizes)

    def levels(self, leaf_counts: ArrayLike) -> Ints:
        """All counts, level after level, from those of the cells; of several trees in columns.

        Raises:
            DataError: Not one whole number for each cell.
        """
        counts = np.asarray(leaf_counts)
        if not _columns(counts, self.cells) or counts.dtype.kind not in "iu":
            raise DataError(f"{self.cells:,} whole numbers are needed, one for each cell")
        levels = [counts.astype(np.int64)]
        for _ in self.sizes[1:]:
            levels.append(self._gathered(levels[-1]))
        return np.concatenate(levels)

    def consistent(self, noisy: ArrayLike) -> Floats:
        """The cells' counts that fit all noisy counts best, by least squares; exact.

        Up the levels, each count is averaged with the sum of those below it, by the inverse of
        their variances; down again, what is left over is shared among those below. Of several
        trees, each is a column.

        >>> RangeTree(cells=4, branching=2).consistent([1, 2, 0, 1, 6, 1]).tolist()
        [2.0, 3.0, 0.0, 1.0]
        """
        given = np.asarray(noisy)
        if not _columns(given, self.nodes) or given.dtype.kind not in "iuf":
            raise DataError(f"{self.nodes:,} numbers are needed, one for each count of the tree")
        parts = np.split(given.astype(np.float64), np.cumsum(self.sizes)[:-1])
        alike = (-1,) + (1,) * (given.ndim - 1)
        best = [parts[0]]
        for own, variance in zip(parts[1:], self._below, strict=True):
            # The variance of own is 1, that of the sum is `below`.
            below = variance.reshape(alike)
            best.append((own * below + self._gathered(best[-1])) / (1 + below))
        fitted = best[-1]
        for lower, variance, under in zip(
            best[-2::-1], self._variances[-2::-1], self._below[::-1], strict=True
        ):
            left = (fitted - self._gathered(lower)) / under.reshape(alike)
            fitted = lower + variance.reshape(alike) * self._spread(left, len(lower))
        return fitted

    def variance(self, low: ArrayLike, high: ArrayLike) -> Floats:
        """Of the estimated count of cells low up to, not including, high; exact.

        In units of one noisy count's variance. Ranges may be arrays.

        A plain histogram adds up as many counts as the range has cells:

        >>> RangeTree(cells=4, branching=4).variance([0, 1], [4, 2]).tolist()
        [4.0, 1.0]
        """
        first, end = ranges(low, high, self.cells)
        left, right = np.minimum(first, self.cells - 1), np.maximum(end - 1, first)
        right = np.minimum(right, self.cells - 1)
        # Of each level: the outermost stretches count with a weight, those between wholly.
        # Given a stretch's count, what is inside varies as if nothing outside had been seen.
        outer_left, outer_right = np.ones(left.shape), np.ones(left.shape)
        total = np.zeros(left.shape)
        for variance, below, sums in zip(
            self._variances[:-1], self._below, self._prefixes[:-1], strict=True
        ):
            above_left, above_right = left // self.branching, right // self.branching
            alone, one = left == right, above_left == above_right
            last = np.minimum((above_left + 1) * self.branching, len(variance))
            start = above_right * self.branching
            inner = np.where(alone, 0.0, sums[right] - sums[np.minimum(left + 1, right)])
            ends_left, ends_right = variance[left], variance[right]
            moments = []
            for power in (1, 2):
                at_left = outer_left**power * ends_left
                at_right = np.where(alone, 0.0, outer_right**power * ends_right)
                moments.append(
                    (
                        at_left + np.where(one, inner + at_right, sums[last] - sums[left + 1]),
                        np.where(one, 0.0, at_right + sums[right] - sums[start]),
                    )
                )
            (first_left, first_right), (second_left, second_right) = moments
            outer_left = first_left / below[above_left]
            outer_right = np.where(one, outer_left, first_right / below[above_right])
            total += second_left - outer_left * first_left
            total += second_right - np.where(one, 0.0, outer_right * first_right)
            left, right = above_left, above_right
        alone, variance, sums = left == right, self._variances[-1], self._prefixes[-1]
        total += outer_left**2 * variance[left]
        total += np.where(alone, 0.0, outer_right**2 * variance[right])
        total += np.where(alone, 0.0, sums[right] - sums[np.minimum(left + 1, right)])
        return np.where(first < end, total, 0.0)

    def mean_variance(self) -> float:
        """Over all ranges, in units of one noisy count's variance; exact, none is left out.

        With prefix sums P_0 to P_n, the squares (P_j - P_i)^2 over all i < j add up to
        (n + 1) sum P_i^2 - (sum P_i)^2.
        """
        n = self.cells
        of_prefixes = self.variance(0, np.arange(1, n + 1)).sum()
        of_sum = self._variance_of(np.arange(n, 0, -1, dtype=np.float64))
        return float(((n + 1) * of_prefixes - of_sum) / (n * (n + 1) / 2))

    @classmethod
    def best(cls, *, cells: int, noise: Literal["laplace", "gaussian"] = "laplace") -> RangeTree:
        """The tree with the least variance on average over all ranges, at the same loss.

        Each count needs a scale in proportion to the height (Laplace) or to its root (Gaussian).
        Beyond 4096 cells not every branching is tried, but every height.

        >>> RangeTree.best(cells=10).height, RangeTree.best(cells=1000)
        (1, RangeTree(cells=1000, branching=10))
        """
        if noise not in ("laplace", "gaussian"):
            raise PlanError(f"there is no noise {noise!r}", fix="Say laplace or gaussian.")
        cells = whole("cells", cells)
        power = 2 if noise == "laplace" else 1
        heights = range(1, max(cells - 1, 1).bit_length() + 1)
        tried = {max(2, _root(cells, height)) for height in heights}
        tried |= set(range(2, min(cells, 64 if cells <= FEW_CELLS else 2) + 1))
        trees = [cls(cells=cells, branching=branching) for branching in sorted(tried)]
        return min(trees, key=lambda tree: tree.height**power * tree.mean_variance())

    def _variance_of(self, weights: Floats) -> float:
        """Of a sum of the cells' estimated counts with any weights."""
        total = 0.0
        for variance, below in zip(self._variances[:-1], self._below, strict=True):
            first, second = (self._gathered(weights**k * variance) for k in (1, 2))
            weights = first / below
            total += float((second - first * weights).sum())
        return total + float((weights**2 * self._variances[-1]).sum())

    @cached_property
    def _variances(self) -> list[Floats]:
        """Of each count, as estimated from itself and what is below it."""
        found = [np.ones(self.cells)]
        for _ in self.sizes[1:]:
            below = self._gathered(found[-1])
            found.append(below / (1 + below))
        return found

    @cached_property
    def _below(self) -> list[Floats]:
        """For each count above the cells, the variance of the sum of those one level down."""
        return [self._gathered(variance) for variance in self._variances[:-1]]

    @cached_property
    def _prefixes(self) -> list[Floats]:
        return [np.append(0.0, np.cumsum(variance)) for variance in self._variances]

    def _gathered(self, level: NDArray[Any]) -> NDArray[Any]:
        """Sums of each `branching` neighbours; the last may be fewer."""
        return np.asarray(np.add.reduceat(level, np.arange(0, len(level), self.branching)))

    def _spread(self, level: Floats, size: int) -> Floats:
        return np.repeat(level, self.branching, axis=0)[:size]


@dataclass(frozen=True, kw_only=True)
class RangeAnswers:
    """Answers to every range query, from the noisy counts of a tree.

    Counts are linear in the noisy ones: any two ranges side by side add up to the whole, none is
    biased, some may be negative.

    Assumes: the noise of each count is independent, from the mechanism named.

    >>> tree = RangeTree(cells=4, branching=2)
    >>> one = DiscreteLaplace(scale=1)
    >>> ages = RangeAnswers.of(tree=tree, noisy=[1, 2, 0, 1, 6, 1], mechanism=one)
    >>> ages.count([0, 1], [4, 3]).tolist(), ages.interval(0, 4, confidence=0.95).round(1).item()
    ([6.0, 3.0], 6.2)
    """

    tree: RangeTree
    leaves: Floats
    """The consistent count of each cell."""
    mechanism: DiscreteLaplace | DiscreteGaussian
    """What made each count of the tree noisy."""

    @classmethod
    def of(
        cls, *, tree: RangeTree, noisy: ArrayLike, mechanism: DiscreteLaplace | DiscreteGaussian
    ) -> RangeAnswers:
        """From all noisy counts, in the order of `RangeTree.levels`."""
        return cls(tree=tree, leaves=tree.consistent(noisy), mechanism=mechanism)

    @cached_property
    def prefixes(self) -> Floats:
        """The counts of all cells before each, and of all."""
        return np.append(0.0, np.cumsum(self.leaves))

    def count(self, low: ArrayLike, high: ArrayLike) -> Floats:
        """The count of cells low up to, not including, high; ranges may be arrays."""
        first, end = ranges(low, high, self.tree.cells)
        return np.asarray(self.prefixes[end] - self.prefixes[first])

    def interval(self, low: ArrayLike, high: ArrayLike, *, confidence: Number) -> Floats:
        """How far a count is from the true one at most, this often or more often.

        Of each range by itself, not of all at once. For one cell of a plain histogram the
        smallest such number. Else a bound: at 95 %, about 1.4 times as wide as it would have to
        be for ranges of many counts, and up to twice as wide for few.
        """
        squares = self.tree.variance(low, high)
        found = self._half_width(squares, confidence)
        if self.tree.height == 1:
            exact = self.mechanism.accuracy(confidence=confidence)
            return np.where(squares == 1, np.minimum(found, exact), found)
        return found

    def _half_width(self, squares: Floats, confidence: Number) -> Floats:
        # A range's weights are 0 or 1; then no noise of a count has a coefficient above 1: down
        # the tree it is the weight less an average of those above.
        sure, scale = share("confidence", confidence), self.mechanism.scale
        if isinstance(self.mechanism, DiscreteGaussian):
            return gaussian_sum_half_width(scale=scale, squares=squares, confidence=sure)
        return laplace_sum_half_width(scale=scale, squares=squares, largest=1.0, confidence=sure)


def ranges(low: ArrayLike, high: ArrayLike, cells: int) -> tuple[Ints, Ints]:
    """Both ends, of one shape.

    Raises:
        PlanError: Not whole numbers with 0 <= low <= high <= cells.
    """
    first, end = np.broadcast_arrays(np.asarray(low), np.asarray(high))
    if first.dtype.kind not in "iu" or end.dtype.kind not in "iu":
        raise PlanError("ranges go from a cell to a cell: whole numbers are needed")
    first, end = first.astype(np.int64), end.astype(np.int64)
    if first.size and not (first.min() >= 0 and end.max() <= cells and (first <= end).all()):
        raise PlanError(
            f"a range lies outside the cells 0 to {cells:,}, or ends before it begins",
            fix="Give 0 <= low <= high <= cells; the cell `high` is not part of the range.",
        )
    return first, end


def _columns(given: NDArray[Any], rows: int) -> bool:
    """Whether it is a column of so many numbers, or several beside each other."""
    return given.ndim in (1, 2) and len(given) == rows


def _root(cells: int, height: int) -> int:
    """The smallest branching that needs no more levels."""
    branching = max(int(cells ** (1 / height)) - 1, 1)
    while branching**height < cells:
        branching += 1
    return branching
