"""Range queries: the ordered and the ordered hierarchical mechanism against theta."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hedgerow.noise.blowfish import Full, Ordered, OrderedHierarchical, Threshold
from hedgerow.noise.blowfish.secret_graph import Graph, Ints
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.range_queries import RangeAnswers, RangeTree

Floats = NDArray[np.float64]

ORDERED, HIERARCHICAL, TREE = "ordered", "ordered hierarchical", "differential privacy, tree"
THETAS: Mapping[str, tuple[int, ...]] = {
    "age": (1, 2, 5, 10, 20, 50, 120),
    "capital loss": (1, 10, 50, 100, 500, 1000, 4356),
}
"""The last joins everything: change-one differential privacy."""


def graph(size: int, theta: int) -> Graph:
    return Full(size) if theta >= size - 1 else Threshold(range(size), theta)


def asked(size: int, count: int, seed: int) -> tuple[Ints, Ints]:
    """Ranges with both ends anywhere."""
    ends = np.sort(np.random.default_rng(seed).integers(0, size, (count, 2)), axis=1)
    return ends[:, 0], ends[:, 1]


def errors(
    histogram: Ints, mechanism: str, theta: int, epsilon: str, *, runs: int, queries: int = 10_000
) -> Floats:
    """For each run the mean squared error of the ranges."""
    size, loss = len(histogram), Pure(epsilon=epsilon)
    low, high = asked(size, queries, seed=1)
    under = np.append(0, np.cumsum(histogram))
    truth = under[high + 1] - under[low]
    found = []
    for _ in range(runs):
        if mechanism == TREE:
            # Rising and no more than all rows, as the answers of the others are.
            rising = np.minimum(_rising(_tree(histogram, loss)), under[-1])
            answers = rising[high + 1] - rising[low]
        elif mechanism == ORDERED:
            answers = Ordered(graph(size, theta), loss).release(histogram).count(low, high)
        else:
            several = OrderedHierarchical(graph(size, theta), loss)
            answers = several.release(histogram).count(low, high)
        found.append(float(((answers - truth) ** 2).mean()))
    return np.array(found)


def _rising(answers: RangeAnswers) -> Floats:
    """The nearest prefix counts, by weighted least squares, that fall nowhere."""
    from scipy.optimize import isotonic_regression

    weights = 1 / answers.tree.variance(0, np.arange(1, answers.tree.cells + 1))
    nearest = isotonic_regression(answers.prefixes[1:], weights=weights).x
    return np.append(0.0, np.maximum(nearest, 0.0))


def _tree(histogram: Ints, loss: Pure) -> RangeAnswers:
    """Change-one: a row leaves `height` counts and comes to as many."""
    tree = RangeTree.best(cells=len(histogram))
    noise = DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=2 * tree.height))
    noisy = noise.release(tree.levels(histogram))
    return RangeAnswers.of(tree=tree, noisy=noisy, mechanism=noise)
