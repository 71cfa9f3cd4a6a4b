"""Ranges and prefixes: errors are as large as they say, intervals hold as often as they say."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from noise import oracle
from noise.blowfish.test_blowfish_mechanisms import fitted
from statistical.chance import OFF, covers, fits, louder, rejected

from hedgerow.noise.blowfish.graphs import Threshold, line
from hedgerow.noise.blowfish.hierarchical_mechanism import OrderedHierarchical
from hedgerow.noise.blowfish.ordered_mechanism import Ordered
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace
from hedgerow.noise.range_queries import RangeAnswers, RangeTree

ONE = Pure(epsilon=1)


RUNS = 1500
LEAST, MOST = 0.65, 1.45
"""Between these is the mean of RUNS squared errors over what is expected, but for false alarms.

Each error is a sum of two or more Laplace draws. A mean of 1,500 squares has a relative deviation
of 0.048, of more draws a smaller one: 7 deviations below, 9 above, each rarer than FALSE_ALARM. A
scale that is 30 % off has 0.49 and 1.69.
"""


NOISY_NODES = [(DiscreteLaplace(scale=3), 2 * 3**2), (DiscreteGaussian(scale=3), 3**2)]


@pytest.mark.parametrize(("mechanism", "variance"), NOISY_NODES, ids=["laplace", "gaussian"])
def test_intervals_of_ranges_cover(
    mechanism: DiscreteLaplace | DiscreteGaussian, variance: float
) -> None:
    """They allow for more noise than there is, so that errors say whether it is the right one."""
    tree, confidence = RangeTree(cells=50, branching=4), 0.8
    counts = np.random.default_rng(5).integers(0, 30, tree.cells)
    low, high = np.array(list(combinations(range(0, 51, 7), 2))).T
    true = np.append(0, np.cumsum(counts))
    expected = [variance * tree.variance(*ends) for ends in zip(low, high, strict=True)]

    def drawn() -> tuple[np.ndarray, np.ndarray]:
        """For each range, whether its intervals held, and its mean squared error."""
        noisy = mechanism.release(np.tile(tree.levels(counts), RUNS)).reshape(RUNS, -1)
        made = [RangeAnswers.of(tree=tree, noisy=row, mechanism=mechanism) for row in noisy]
        errors = np.array([one.count(low, high) - (true[high] - true[low]) for one in made])
        reach = np.array([one.interval(low, high, confidence=confidence) for one in made])
        return (np.abs(errors) <= reach).T, (errors**2).mean(axis=0) / expected

    held, squares = drawn()
    assert all(covers(one, at_least=confidence, among=len(low)) for one in held)
    assert LEAST < squares.min() <= squares.max() < MOST
    with louder():
        assert drawn()[1].mean() > MOST
    exact = RangeAnswers.of(
        tree=RangeTree(cells=3, branching=3), noisy=[1, 2, 3], mechanism=mechanism
    ).interval([0, 0], [1, 2], confidence=0.95)
    assert exact[0] == mechanism.accuracy(confidence=0.95) < exact[1]


def mean_square(mechanism: Ordered | OrderedHierarchical) -> float:
    """Of the error of one range, over many releases."""
    counts = np.full(64, 10)
    found = [int(mechanism.release(counts).count(16, 29, smooth=False)) - 140 for _ in range(RUNS)]
    return float(np.mean(np.square(found)))


def mechanisms() -> list[tuple[Ordered | OrderedHierarchical, float]]:
    """Each with the variance of the range, which exact tests elsewhere know."""
    ordered = Ordered(Threshold(range(64), 4), ONE)
    # Prefix 16 is a multiple of theta. Prefix 30 is 16, and 14 in a tree of two levels.
    tree = OrderedHierarchical(Threshold(range(64), 16), ONE, fanout=4)
    assert tree.noises[1] is not None
    assert fitted(16, 4)[14] < 5, "three nodes of four and two of one, as they are"
    return [
        (ordered, 2 * 2 * 4**2),
        (tree, 2 * float(tree.noises[1].scale) ** 2 * fitted(16, 4)[14]),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "variance"), mechanisms(), ids=["ordered", "tree"])
def test_errors_are_as_expected(mechanism: Ordered | OrderedHierarchical, variance: float) -> None:
    assert LEAST < mean_square(mechanism) / variance < MOST
    with louder():
        assert mean_square(mechanism) / variance > MOST


def difference(scale: Fraction) -> dict[Hashable, float]:
    """The law of the difference of two draws."""
    reach = 60
    one = oracle.laplace(0, scale, range(-reach, reach + 1))
    law = np.array([float(one[z]) for z in range(-reach, reach + 1)])
    return dict(zip(range(-2 * reach, 2 * reach + 1), np.convolve(law, law), strict=True))


def test_a_range_has_the_noise_of_two_prefixes_and_half_widths_cover() -> None:
    mechanism = Ordered(line(10), ONE)
    drawn = [
        int(mechanism.release(np.full(10, 5)).count(2, 6, smooth=False)) - 25
        for _ in range(2 * RUNS)
    ]
    true = difference(Fraction(1))
    assert fits(drawn, true)
    for factor in OFF:
        assert rejected(drawn, true, difference(factor)), factor
    reach = mechanism.accuracy(confidence=0.9)
    assert sum(p for z, p in true.items() if abs(z) <= reach) >= 0.9  # type: ignore[arg-type]
    assert covers(np.abs(drawn) <= reach, at_least=0.9)
