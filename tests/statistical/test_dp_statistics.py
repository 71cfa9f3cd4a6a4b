"""What is drawn has the distribution that is claimed: true scales pass, others do not.

Every test is a chi-square test of counts against exact probabilities. Each draws DRAWS times,
and compares with the true parameters and with wrong ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction

import numpy as np
import pytest
from noise import oracle
from statistical.chance import OFF, covers, fits, floats, louder, rejected

from hedgerow.noise import samplers
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace, DyadicLaplace
from hedgerow.noise.selection import Exponential, NoisyMax, PermuteAndFlip

DRAWS = 20_000
BITS = 400_000
CHOICES = 4_000
"""Choices are drawn one by one, which is slower."""


Additive = Callable[[int, Fraction, Iterable[int]], oracle.Distribution]


@pytest.mark.parametrize("scale", ["0.4", "1", "3.3", "20"])
@pytest.mark.parametrize(
    ("make", "claimed"),
    [(DiscreteLaplace, oracle.laplace), (DiscreteGaussian, oracle.gaussian)],
)
def test_noise_on_whole_numbers(make: type, claimed: Additive, scale: str) -> None:
    mechanism = make(scale=scale)
    drawn = mechanism.release(np.full(DRAWS, 7)).tolist()
    window = range(7 - 150, 7 + 151)
    true = floats(claimed(7, mechanism.scale, window))
    assert fits(drawn, true)
    for factor in OFF:
        assert rejected(drawn, true, floats(claimed(7, mechanism.scale * factor, window))), factor
    if mechanism.scale < 4:
        assert rejected(drawn, true, floats(claimed(6, mechanism.scale, window))), "another value"


def test_noise_on_a_lattice() -> None:
    mechanism = DyadicLaplace(scale="1.5", bits=3, changed=1)
    drawn = (mechanism.release(np.full(DRAWS, 0.3)) * 8).tolist()
    window, scale = range(-200, 201), mechanism.steps.scale
    true = floats(oracle.laplace(2, scale, window))
    assert fits(drawn, true)
    for factor in OFF:
        assert rejected(drawn, true, floats(oracle.laplace(2, scale * factor, window)))


@pytest.mark.parametrize("large", [10**6, 2**40, 2**58])
def test_large_scales_by_quantiles(large: int) -> None:
    """Cells of equal probability under the continuous law, which is near for such scales."""
    edges = np.linspace(0, 1, 21)[1:-1]
    laplace = np.where(edges < 0.5, np.log(2 * edges), -np.log(2 - 2 * edges))
    from scipy.special import ndtri

    for make, quantiles in ((DiscreteLaplace, laplace), (DiscreteGaussian, ndtri(edges))):
        drawn = make(scale=large).release(np.zeros(DRAWS, np.int64)) / large
        for factor in (1, *map(float, OFF)):
            places = np.searchsorted(quantiles * factor, drawn).tolist()
            assert fits(places, dict.fromkeys(range(20), 0.05)) == (factor == 1), factor


@pytest.mark.slow
@pytest.mark.parametrize("scores", [[0, 1, 4], [0.0, 0.25, 0.25, 4.0], [5, 5]])
def test_choices(scores: list[float]) -> None:
    scale = Fraction(3, 2)
    given = {i: Fraction(q) for i, q in enumerate(scores)}
    for mechanism, claimed in (
        (Exponential(scale=scale), lambda s: oracle.exponential(list(given.values()), s)),
        (PermuteAndFlip(scale=scale), lambda s: oracle.permute_and_flip(given, s)),
        (NoisyMax(scale=scale, top=2), lambda s: oracle.noisy_top(given, s, 2)),
    ):
        drawn = [mechanism.release(scores) for _ in range(CHOICES)]
        true = floats(claimed(scale))
        assert fits(drawn, true)
        for factor in OFF if len(set(scores)) > 1 else ():
            assert rejected(drawn, true, floats(claimed(scale * factor))), (mechanism, factor)


@pytest.mark.parametrize("probability", [0.5, 0.3, 0.01])
def test_bits(probability: float) -> None:
    drawn = samplers.bernoulli(BITS, probability=probability).tolist()
    true: dict[Hashable, float] = {True: probability, False: 1 - probability}
    assert fits(drawn, true)
    for factor in map(float, OFF):
        wrong = probability * factor
        assert rejected(drawn, true, {True: wrong, False: 1 - wrong})


@pytest.mark.parametrize("below", [1, 2, 3, 7, 100])
def test_uniform_numbers(below: int) -> None:
    drawn = samplers.uniform(DRAWS, below=below).tolist()
    assert set(drawn) <= set(range(below))
    assert fits(drawn, dict.fromkeys(range(below), 1 / below))
    if below > 1:
        assert not fits(drawn, dict.fromkeys(range(below + 1), 1 / (below + 1)))


def test_draws_are_independent_and_differ() -> None:
    drawn = DiscreteLaplace(scale=50).release(np.zeros(DRAWS, np.int64))
    again = DiscreteLaplace(scale=50).release(np.zeros(DRAWS, np.int64))
    assert not np.array_equal(drawn, again)
    # Signs of neighbours in a vector: all four pairs alike, zeros left out.
    signs = np.sign(drawn)
    pairs = [(int(a), int(b)) for a, b in zip(signs[::2], signs[1::2], strict=True) if a and b]
    assert fits(pairs, {(a, b): 0.25 for a in (-1, 1) for b in (-1, 1)})


def test_intervals_cover_as_often_as_they_say() -> None:
    for mechanism in (DiscreteLaplace(scale=4), DiscreteGaussian(scale=4)):
        a = mechanism.accuracy(confidence="0.95")
        assert covers(np.abs(mechanism.release(np.zeros(DRAWS, np.int64))) <= a)
        with louder():
            assert not covers(np.abs(mechanism.release(np.zeros(DRAWS, np.int64))) <= a)


def test_the_test_has_power() -> None:
    """Without the library: draws of numpy's generator with the true and with a wrong law."""
    rng = np.random.default_rng(5)
    right = {y: 0.5 ** (y + 1) for y in range(40)}
    drawn = (rng.geometric(0.5, DRAWS) - 1).tolist()
    assert fits(drawn, right)
    assert not fits(drawn, {y: 0.6 * 0.4**y for y in range(40)})
    assert not fits([0, 1] * DRAWS + [7], {0: 0.5, 1: 0.5}), "an outcome that cannot be"
