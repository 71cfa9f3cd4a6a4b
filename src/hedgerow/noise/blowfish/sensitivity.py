"""How much an answer can change along an edge of one graph: what its noise must cover.

Neighbours are two tables with the same number of rows, which is public, and one row changed along
one edge. All answers here add up one contribution for each row, so that the change is that of one
contribution: it does not depend on the other rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.secret_graph import Flags, Graph, array
from hedgerow.noise.measures import Loss, Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import L1, DiscreteGaussian, DiscreteLaplace
from hedgerow.noise.rounding import Number, exact, sqrt_up, whole
from hedgerow.table.domain import MOST_CELLS


@dataclass(frozen=True)
class Sensitivity:
    """The most by which neighbours' answers differ.

    >>> two = Sensitivity(2, 2)
    >>> two.mechanism(Pure(epsilon=0.5)).scale, two.times(3)
    (Fraction(4, 1), Sensitivity(l1=6, l2_squared=18, exact=True))
    """

    l1: int
    """The sum of the absolute changes: for Laplace noise."""
    l2_squared: int
    """The sum of the squared changes: for Gaussian noise."""
    exact: bool = True
    """Whether some neighbours differ that much; if not, these are bounds from above."""

    def times(self, rows: int) -> Sensitivity:
        """Where neighbours differ in several rows of a person, each along an edge."""
        n = whole("rows", rows)
        return Sensitivity(n * self.l1, n * n * self.l2_squared, self.exact)

    @overload
    def mechanism(self, loss: Pure) -> DiscreteLaplace | Exact: ...
    @overload
    def mechanism(self, loss: ZeroConcentrated) -> DiscreteGaussian | Exact: ...
    def mechanism(self, loss: Loss) -> DiscreteLaplace | DiscreteGaussian | Exact:
        """The least noise that keeps a loss; none at all where no edge changes the answer.

        Raises:
            PlanError: The loss is neither pure nor zero-concentrated.
        """
        if not isinstance(loss, Pure | ZeroConcentrated):
            raise PlanError(
                "noise is chosen for a pure or a zero-concentrated loss",
                fix="Turn epsilon and delta into rho first.",
            )
        if not self.l1:
            return Exact()
        if isinstance(loss, Pure):
            return DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=self.l1))
        root = sqrt_up(exact("a sensitivity", self.l2_squared))
        return DiscreteGaussian(scale=DiscreteGaussian.scale_for(loss, d_in=root))

    def loss(self, mechanism: DiscreteLaplace | DiscreteGaussian | Exact) -> Loss:
        """What an answer costs with this noise."""
        if isinstance(mechanism, DiscreteGaussian):
            return mechanism.privacy_map(sqrt_up(exact("a sensitivity", self.l2_squared)))
        return mechanism.privacy_map(self.l1)


@dataclass(frozen=True)
class Exact:
    """No noise: the true answer, where no edge of the policy changes it.

    Guarantee: a loss of 0 under the policy, as all neighbours have the same answer.
    Assumes: a sensitivity of 0. **Tables that are not neighbours are told apart for certain.**
    """

    metric = L1
    measure = Pure
    scale = 0

    def privacy_map(self, d_in: Number) -> Pure:
        """Nothing at distance 0; there is no loss for any other.

        Raises:
            PlanError: The distance is not 0.
        """
        if exact("d_in", d_in):
            raise PlanError("an answer without noise costs more than any budget")
        return Pure(epsilon=0)

    def release(self, value: Any) -> Any:
        return value


def count(graph: Graph, where: ArrayLike) -> Sensitivity:
    """Of how many rows have one of some values: 1 if an edge leaves them, and 0 if none does.

    >>> from hedgerow.noise.blowfish.graphs import Partition
    >>> count(Partition((0, 0, 1)), [True, True, False])
    Sensitivity(l1=0, l2_squared=0, exact=True)
    """
    return partition_histogram(graph, np.where(mask(graph, where), 0, -1))


def histogram(graph: Graph) -> Sensitivity:
    """Of the counts of all values: 2 if there is any edge."""
    return partition_histogram(graph, np.arange(graph.size))


def partition_histogram(graph: Graph, cells: ArrayLike) -> Sensitivity:
    """Of the counts of cells; rows with a value in cell -1 are not counted.

    2 if an edge joins two cells, else 1 if an edge leaves all cells. It is 0 for cells as coarse
    as the components of the graph: these counts are published without noise.

    >>> from hedgerow.noise.blowfish.graphs import line
    >>> partition_histogram(line(4), [0, 0, 1, 1]).l1
    2
    """
    between, leaving = graph.crossing(cells)
    changed = 2 if between else int(leaving)
    return Sensitivity(changed, changed)


def cumulative(graph: Graph) -> Sensitivity:
    """Of the counts of values up to the first, the second, ...: the longest edge.

    The last of them is the number of rows, which does not change.

    >>> from hedgerow.noise.blowfish.graphs import Full, Threshold
    >>> cumulative(Full(5)).l1, cumulative(Threshold(range(100_000), 7)).l1
    (4, 7)
    """
    longest = graph.spread(np.arange(graph.size))
    return Sensitivity(longest, longest)


def total(graph: Graph, values: ArrayLike, cells: ArrayLike | None = None) -> Sensitivity:
    """Of the sum of a whole number for each row; or of such sums by cell, -1 being none.

    An edge that stays in a cell changes its sum by the difference of two numbers. One that
    crosses a border changes two sums, each by a whole number: |a| + |b|, not |a - b|.

    Reference: Machanavajjhala and Kifer (2015), k-means, whose figure does not cover the latter.

    >>> from hedgerow.noise.blowfish.graphs import Threshold
    >>> ages, near = np.arange(101), Threshold(range(101), 5)
    >>> total(near, ages).l1, total(near, ages, np.where(ages > 50, 1, 0)).l1
    (5, 105)
    """
    if cells is None:
        widest = graph.spread(values)
        return Sensitivity(widest, widest * widest)
    v, labels = graph.numbers(values), graph.numbers(cells, "cells")
    kinds, which = np.unique(labels[labels >= 0], return_inverse=True)
    if len(kinds) * graph.size > MOST_CELLS:
        raise PlanError(f"{len(kinds):,} sums over {graph.size:,} values are too many")
    matrix = np.zeros((len(kinds), graph.size), np.int64)
    matrix[which, np.flatnonzero(labels >= 0)] = v[labels >= 0]
    return linear(graph, matrix)


def linear(graph: Graph, matrix: ArrayLike) -> Sensitivity:
    """Of a matrix times the histogram, a row for each answer and a column for each value.

    Exact where edges times answers are few enough to look at; else a bound.

    >>> from hedgerow.noise.blowfish.graphs import line
    >>> linear(line(3), [[1, 0, 0], [1, 1, 0], [0, 5, 5]])
    Sensitivity(l1=6, l2_squared=26, exact=True)
    """
    one, two, certain = graph.differences(matrix)
    return Sensitivity(one, two, certain)


def mask(graph: Graph, where: ArrayLike) -> Flags:
    """Whether each value meets a condition.

    Raises:
        PlanError: It does not say so for each.
    """
    found = array(where, "a condition")
    if found.dtype.kind != "b" or found.shape != (graph.size,):
        raise PlanError(f"a condition says true or false for each of {graph.size} values")
    return found
