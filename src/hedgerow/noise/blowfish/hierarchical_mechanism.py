"""The ordered hierarchical mechanism: counts up to every theta-th value, and trees in between."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.ordered_mechanism import CumulativeCounts, Floats, Ordered, counted
from hedgerow.noise.blowfish.secret_graph import Graph, Ints
from hedgerow.noise.blowfish.sensitivity import cumulative
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.range_queries import RangeTree
from hedgerow.noise.rounding import whole

MOST_FANOUT = 64
"""Of fanouts, all up to it are tried, and beyond it the least for each height of the trees."""
MOST_TRIED = 4096
"""Values of a block up to which that is so; beyond, only the least for each height is tried."""
LEAST_PART = Fraction(1, 10_000)
"""Of epsilon: what is released has noise of some scale, however little it matters."""


@dataclass(frozen=True, init=False)
class OrderedHierarchical:
    """Noisy counts up to every theta-th value, and a tree of noisy counts in each block of theta.

    Theta is the longest edge. A row that moves along an edge passes at most one multiple of theta,
    so it changes one count up to such a multiple, by 1. On each of the h levels of the trees it
    leaves one node and comes to another. Noise is for 1, and for 2 h, with a part of epsilon each.
    The counts in a block are then those that fit all noisy counts of its tree best.

    Guarantee: the loss, for tables that differ in one row along one edge.
    Assumes: as `Ordered`.
    Reference: He, Machanavajjhala and Ding (2014), Sec. 7.2, with h for log_f(theta), as noise
    is for whole levels, and with least squares in the trees, which the paper lacks: it adds up
    the nodes under a value as they are.

    >>> from hedgerow.noise.blowfish.graphs import Threshold
    >>> ages = OrderedHierarchical(Threshold(range(4096), 64), Pure(epsilon=1), fanout=8)
    >>> ages.theta, ages.height, round(float(ages.epsilons[0]), 3), round(ages.expected_error)
    (64, 2, 0.191, 564)
    """

    graph: Graph
    loss: Pure
    fanout: int

    def __init__(self, graph: Graph, loss: Pure, *, fanout: int | None = None) -> None:
        if not isinstance(loss, Pure) or not loss.epsilon:
            raise PlanError("the ordered hierarchical mechanism has a pure loss above 0")
        Ordered(graph, loss)  # refuses a graph without edges
        object.__setattr__(self, "graph", graph)
        object.__setattr__(self, "loss", loss)
        chosen = (
            min(self._fanouts(), key=self._with)
            if fanout is None
            else whole("fanout", fanout, least=2)
        )
        object.__setattr__(self, "fanout", chosen)

    @cached_property
    def theta(self) -> int:
        """How many values a block has: the longest edge, or all where that is nearly all."""
        longest = cumulative(self.graph).l1
        return self.graph.size if 1 < longest >= self.graph.size - 1 else longest

    @property
    def height(self) -> int:
        """Levels of a tree under its root; 0 where a block is one value."""
        return self._height(self.fanout)

    def _height(self, fanout: int) -> int:
        height = 0
        while fanout**height < self.theta:
            height += 1
        return height

    def _fanouts(self) -> list[int]:
        """Fanouts that are tried for the best one."""
        theta = self.theta
        heights = range(1, max(theta - 1, 1).bit_length() + 1)
        least = {max(2, ceil(theta ** (1 / height))) for height in heights}
        if theta <= MOST_TRIED:
            least |= set(range(2, min(theta, MOST_FANOUT) + 1))
        return sorted(least)

    @cached_property
    def tree(self) -> RangeTree:
        """The tree of each block."""
        return RangeTree(cells=self.theta, branching=self.fanout)

    def _weights(self, fanout: int) -> tuple[float, float]:
        """c1 and c2 of the expected error c1 / epsilon_S^2 + c2 / epsilon_H^2."""
        size, height = self.graph.size, self._height(fanout)
        ordered = 4 * (size - self.theta) / (size + 1)
        if not height:
            return ordered, 0.0
        tree = RangeTree(cells=self.theta, branching=fanout)
        some = np.unique(np.linspace(0, self.theta - 1, min(self.theta, MOST_TRIED)).astype(int))
        # Two ends, each with noise of variance 2 (2 h / epsilon)^2 times that of the tree.
        trees = 16 * height**2 * float(tree.variance(0, some).mean())
        return ordered, trees * size / (size + 1)

    def _with(self, fanout: int) -> float:
        c1, c2 = self._weights(fanout)
        return float((c1 ** (1 / 3) + c2 ** (1 / 3)) ** 3)

    @property
    def expected_error(self) -> float:
        """The expected squared error of a range, about, with the best split."""
        return self._with(self.fanout) / float(self.loss.epsilon) ** 2

    @property
    def epsilons(self) -> tuple[Fraction, Fraction]:
        """The parts of epsilon: for the counts up to multiples, and for the trees.

        Any split is sound; the best has the ratio (c1 / c2)^(1/3).
        """
        c1, c2 = self._weights(self.fanout)
        part = Fraction(c1 ** (1 / 3) / (c1 ** (1 / 3) + c2 ** (1 / 3))).limit_denominator(10**6)
        if c1 and c2:
            part = min(max(part, LEAST_PART), 1 - LEAST_PART)
        return self.loss.epsilon * part, self.loss.epsilon * (1 - part)

    @property
    def changes(self) -> tuple[int, int]:
        """How much one edge changes: the counts up to multiples, and the trees, summed up."""
        return int(self.theta < self.graph.size), 2 * self.height

    @property
    def noises(self) -> tuple[DiscreteLaplace | None, DiscreteLaplace | None]:
        """For the counts up to multiples, and for the trees; None where there are none."""
        ordered, trees = (
            DiscreteLaplace(scale=DiscreteLaplace.scale_for(Pure(epsilon=epsilon), d_in=change))
            if change
            else None
            for change, epsilon in zip(self.changes, self.epsilons, strict=True)
        )
        return ordered, trees

    @property
    def spent(self) -> Pure:
        """What a release costs: the loss, or a little less, as scales are rounded up."""
        costs = (
            noise.privacy_map(change).epsilon
            for change, noise in zip(self.changes, self.noises, strict=True)
            if noise
        )
        return Pure(epsilon=sum(costs, Fraction(0)))

    def release(self, histogram: ArrayLike) -> CumulativeCounts:
        """Noisy counts, from the true counts of all values."""
        under = counted(self.graph, histogram)
        ordered, trees = self.noises
        multiples = under[0 :: self.theta][: -(-self.graph.size // self.theta)].copy()
        if ordered:
            multiples[1:] = ordered.release(multiples[1:])
        places = np.arange(1, self.graph.size)
        noisy = multiples[places // self.theta]
        if trees:
            blocks = np.zeros((len(multiples), self.theta), np.int64)
            blocks.ravel()[: self.graph.size] = np.diff(under)
            inside = self._within(blocks, trees)[1 : self.graph.size]
            noisy = noisy + np.rint(inside).astype(np.int64)
        ends = [np.zeros(1, np.int64), noisy, under[-1:]]
        return CumulativeCounts.smoothed(np.concatenate(ends), rows=int(under[-1]))

    def _within(self, blocks: Ints, noise: DiscreteLaplace) -> Floats:
        """For each value, how many rows are in its block and under it, from noisy trees."""
        leaves = self.tree.consistent(noise.release(self.tree.levels(blocks.T)))
        found = np.zeros(blocks.shape)
        found[:, 1:] = np.cumsum(leaves, axis=0)[:-1].T
        return found.ravel()


def ranges_for(graph: Graph, loss: Pure) -> Ordered | OrderedHierarchical:
    """Whichever is expected to err less; that depends on public numbers only.

    >>> from hedgerow.noise.blowfish.graphs import Full, Threshold
    >>> loss = Pure(epsilon=1)
    >>> type(ranges_for(Threshold(range(1000), 2), loss)).__name__
    'Ordered'
    >>> type(ranges_for(Full(1000), loss)).__name__
    'OrderedHierarchical'
    """
    ordered, hierarchical = Ordered(graph, loss), OrderedHierarchical(graph, loss)
    return ordered if ordered.expected_error <= hierarchical.expected_error else hierarchical
