"""What is drawn has the distribution that is claimed: true scales pass, others do not.

Every test is a chi-square test of counts against exact probabilities. Each draws DRAWS times,
and compares with the true parameters and with wrong ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from noise import oracle
from scipy.stats import chi2, ncx2

from hedgerow.noise import samplers
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace, DyadicLaplace
from hedgerow.noise.randomised_response import RandomisedResponse
from hedgerow.noise.selection import Exponential, NoisyMax, PermuteAndFlip

FALSE_ALARM = 1e-7
"""The chance that one test of the right distribution fails: once in ten million runs."""
MISS = 1e-7
"""The chance that one test of a wrong distribution passes, at most."""
REST = "all other outcomes"
DRAWS = 20_000
BITS = 400_000
CHOICES = 4_000
"""Choices are drawn one by one, which is slower."""
OFF = (Fraction(7, 10), Fraction(13, 10))
"""Scales that must be told from the true one."""


def cells(claimed: dict[Hashable, float], total: int) -> dict[Hashable, float]:
    """Outcomes that are likely enough to be tested by themselves; the rest is one cell."""
    listed = {y: p for y, p in claimed.items() if p * total >= 10}
    rest = 1 - sum(listed.values())
    if rest * total >= 10:
        return {**listed, REST: rest}
    # Too few to be tested: with the rarest of the others.
    rarest = min(listed, key=listed.__getitem__)
    return {**listed, rarest: listed[rarest] + max(rest, 0.0)}


def fits(drawn: Iterable[Hashable], claimed: dict[Hashable, float]) -> bool:
    """Whether counts go with probabilities; an outcome that cannot be settles it."""
    counts = Counter(drawn)
    total = sum(counts.values())
    expected = cells(claimed, total)
    if abs(sum(claimed.values()) - 1) < 1e-9 and not counts.keys() <= claimed.keys():
        return False
    seen = {y: counts.get(y, 0) for y in expected}
    seen[REST if REST in expected else min(expected, key=expected.__getitem__)] += total - sum(
        seen.values()
    )
    statistic = sum((seen[y] - p * total) ** 2 / (p * total) for y, p in expected.items())
    return float(chi2.sf(statistic, max(len(expected) - 1, 1))) >= FALSE_ALARM


def rejected(
    drawn: Sequence[Hashable], true: dict[Hashable, float], wrong: dict[Hashable, float]
) -> bool:
    """Whether a wrong law is told from the true one, by a test that hardly ever misses it."""
    total = len(drawn)
    expected = cells(wrong, total)
    truth = {y: true.get(y, 0.0) for y in expected}
    truth[REST if REST in expected else min(expected, key=expected.__getitem__)] += 1 - sum(
        truth.values()
    )
    apart = total * sum((truth[y] - p) ** 2 / p for y, p in expected.items())
    freedom = max(len(expected) - 1, 1)
    missed = float(ncx2.cdf(chi2.isf(FALSE_ALARM, freedom), freedom, apart))
    assert missed < MISS, f"too few draws to tell these apart: missed with probability {missed}"
    return not fits(drawn, wrong)


def floats(distribution: oracle.Distribution) -> dict[Hashable, float]:
    return {y: float(p) for y, p in distribution.items()}


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


@pytest.mark.parametrize("categories", [2, 3, 10])
@pytest.mark.parametrize("truth", ["0.51", "0.8"])
def test_randomised_response(categories: int, truth: str) -> None:
    mechanism = RandomisedResponse(categories=categories, truth=truth)
    drawn = mechanism.release(np.full(DRAWS, 1)).tolist()  # type: ignore[union-attr]
    true = floats(oracle.response(1, categories, mechanism.truth))
    assert fits(drawn, true)
    for factor in (Fraction(7, 10), Fraction(12, 10)):
        wrong = oracle.response(1, categories, mechanism.truth * factor)
        assert rejected(drawn, true, floats(wrong))


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
        within = np.abs(mechanism.release(np.zeros(DRAWS, np.int64))) <= a
        # As many standard deviations under the mean as FALSE_ALARM leaves.
        assert within.mean() >= 0.95 - 5.2 * np.sqrt(0.95 * 0.05 / DRAWS)


def test_the_test_has_power() -> None:
    """Without the library: draws of numpy's generator with the true and with a wrong law."""
    rng = np.random.default_rng(5)
    right = {y: 0.5 ** (y + 1) for y in range(40)}
    drawn = (rng.geometric(0.5, DRAWS) - 1).tolist()
    assert fits(drawn, right)
    assert not fits(drawn, {y: 0.6 * 0.4**y for y in range(40)})
    assert not fits([0, 1] * DRAWS + [7], {0: 0.5, 1: 0.5}), "an outcome that cannot be"
