"""Losses put together, against exact distributions of what is put together."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import pytest
from noise import oracle

from hedgerow.base.errors import PlanError
from hedgerow.noise.composition import (
    adaptive,
    amplified,
    group,
    mixture,
    sequential,
)
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbouring, Neighbours

ADD = Neighbours(kind=Neighbouring.ADD_REMOVE)
CHANGE = Neighbours(kind=Neighbouring.CHANGE_ONE)
WINDOW = range(-6, 9)


def counted(counts: tuple[int, ...], scale: Fraction) -> oracle.Distribution:
    return oracle.together(*(oracle.laplace(n, scale, WINDOW) for n in counts))


def test_sequential_is_exact_and_reached() -> None:
    total = sequential([Pure(epsilon="0.5"), Pure(epsilon="0.5")])
    p, q = (counted((n, n), Fraction(2)) for n in (0, 1))
    assert oracle.keeps_pure(p, q, total.epsilon)  # type: ignore[union-attr]
    assert not oracle.keeps_pure(p, q, total.epsilon * Fraction(999, 1000))  # type: ignore[union-attr]
    assert adaptive is sequential


def test_an_adaptive_question_costs_its_loss() -> None:
    """The second answer's question, and only that, depends on the first answer."""
    truth = oracle.exp(Fraction(1, 2)) / (1 + oracle.exp(Fraction(1, 2)))

    def both(bits: tuple[int, int]) -> oracle.Distribution:
        found: oracle.Distribution = {}
        for first, p in oracle.response(bits[0], 2, truth).items():
            asked = bits[1] if first else 1 - bits[0]
            for second, q in oracle.response(asked, 2, truth).items():
                found[first, second] = p * q
        return found

    loss = adaptive([Pure(epsilon="0.5")] * 2)
    for a, b in product(product((0, 1), repeat=2), repeat=2):
        assert oracle.keeps_pure(both(a), both(b), loss.epsilon)  # type: ignore[union-attr]


def test_pure_and_approximate_go_together_and_zcdp_does_not() -> None:
    total = sequential([Pure(epsilon=1), Approximate(epsilon=2, delta="1e-6")])
    assert total == Approximate(epsilon=3, delta="1e-6")
    rhos = sequential([ZeroConcentrated(rho="0.1")] * 3)
    assert rhos == ZeroConcentrated(rho="0.3")
    for losses in ([], [Pure(epsilon=1), ZeroConcentrated(rho=1)], ["1"]):
        with pytest.raises(PlanError):
            sequential(losses)  # type: ignore[arg-type]


def test_mixture() -> None:
    strong, weak = Fraction(1, 4), Fraction(2)
    weights = (Fraction(1, 3), Fraction(2, 3))
    claimed = mixture([Pure(epsilon=weak), Pure(epsilon=strong)], weights=weights)

    def drawn(value: int) -> oracle.Distribution:
        found: oracle.Distribution = {}
        for epsilon, weight in zip((weak, strong), weights, strict=True):
            truth = oracle.exp(epsilon) / (1 + oracle.exp(epsilon))
            for y, p in oracle.response(value, 2, truth).items():
                found[epsilon, y] = weight * p
        return found

    assert oracle.keeps_pure(drawn(0), drawn(1), claimed.epsilon)  # type: ignore[union-attr]
    assert not oracle.keeps_pure(drawn(0), drawn(1), claimed.epsilon * Fraction(99, 100))  # type: ignore[union-attr]
    rhos = [ZeroConcentrated(rho=1), ZeroConcentrated(rho=2)]
    assert mixture(rhos, weights=["0.5", "0.5"]) == ZeroConcentrated(rho=2)
    assert mixture(rhos, weights=[1, 0]) == ZeroConcentrated(rho=1), "never drawn"
    for weights_ in ([1], ["0.5", "0.6"], [2, -1], ["0.5", "0.5", 0]):
        with pytest.raises(PlanError):
            mixture(rhos, weights=weights_)  # type: ignore[arg-type]


def test_a_mixture_of_publishing_everything() -> None:
    """Publish all with probability delta: the mean delta, and at least that."""
    everything = Approximate(epsilon=0, delta=Fraction(999, 1000))
    nothing = Approximate(epsilon=0, delta=0)
    loss = mixture([everything, nothing], weights=["0.01", "0.99"])
    assert loss == Approximate(epsilon=0, delta=Fraction(999, 100_000))


def test_group() -> None:
    assert group(Pure(epsilon="0.1"), 10) == Pure(epsilon=1)
    p, q = (oracle.laplace(v, Fraction(3), WINDOW) for v in (0, 3))
    assert oracle.keeps_pure(p, q, group(Pure(epsilon=Fraction(1, 3)), 3).epsilon)  # type: ignore[union-attr]


# Sampling: exact, over all samples of a tiny population.


def response_of_sample(sample: tuple[int, ...], truth: Fraction) -> oracle.Distribution:
    """Whether there is a one in the sample, by randomised response."""
    return oracle.response(int(1 in sample), 2, truth)


def poisson(table: tuple[int, ...], rate: Fraction, truth: Fraction) -> oracle.Distribution:
    found: oracle.Distribution = {0: Fraction(0), 1: Fraction(0)}
    for drawn in product((0, 1), repeat=len(table)):
        chance = math.prod(rate if d else 1 - rate for d in drawn)
        sample = tuple(v for v, d in zip(table, drawn, strict=True) if d)
        for y, p in response_of_sample(sample, truth).items():
            found[y] += chance * p
    return found


def fixed(table: tuple[int, ...], size: int, truth: Fraction) -> oracle.Distribution:
    samples = list(combinations(table, size))
    found: oracle.Distribution = {0: Fraction(0), 1: Fraction(0)}
    for sample in samples:
        for y, p in response_of_sample(sample, truth).items():
            found[y] += p / len(samples)
    return found


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
@pytest.mark.parametrize("rate", [Fraction(1, 100), Fraction(1, 2), Fraction(1)])
def test_poisson_sampling(epsilon: Fraction, rate: Fraction) -> None:
    truth = oracle.exp(epsilon) / (1 + oracle.exp(epsilon))
    claimed = amplified(Pure(epsilon=epsilon), rate=rate, sampling="poisson", neighbours=ADD)
    assert claimed.epsilon <= epsilon
    worst: Fraction | float = Fraction(1)
    for table in product((0, 1), repeat=3):
        p, q = poisson(table, rate, truth), poisson(table[1:], rate, truth)
        worst = max(worst, oracle.worst_ratio(p, q))
    assert worst <= oracle.exp(claimed.epsilon) * (1 + oracle.EXACT)
    assert worst >= oracle.exp(claimed.epsilon * Fraction(999, 1000)), "tight"


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_sampling_without_replacement(epsilon: Fraction, size: int) -> None:
    truth = oracle.exp(epsilon) / (1 + oracle.exp(epsilon))
    claimed = amplified(
        Pure(epsilon=epsilon),
        rate=Fraction(size, 4),
        sampling="without-replacement",
        neighbours=CHANGE,
    )
    worst: Fraction | float = Fraction(1)
    for table in product((0, 1), repeat=4):
        other = (1 - table[0], *table[1:])
        p, q = fixed(table, size, truth), fixed(other, size, truth)
        worst = max(worst, oracle.worst_ratio(p, q))
    assert worst <= oracle.exp(claimed.epsilon) * (1 + oracle.EXACT)
    assert worst >= oracle.exp(claimed.epsilon * Fraction(999, 1000)), "tight"


def test_table_1_of_the_sampling_paper() -> None:
    start = Approximate(epsilon="2.397895272798370544", delta="1e-5")  # ln 11, rounded up
    for rate, e_epsilon, delta in (("0.1", 2, "1e-6"), ("0.01", "1.1", "1e-7")):
        loss = amplified(start, rate=rate, sampling="poisson", neighbours=ADD)
        assert isinstance(loss, Approximate)
        assert float(loss.epsilon) == pytest.approx(math.log(float(e_epsilon)), rel=1e-12)
        assert loss.delta == Fraction(delta)


def test_sampling_that_is_not_sound_is_refused() -> None:
    loss = Pure(epsilon=1)
    with pytest.raises(PlanError, match="under add-remove"):
        amplified(loss, rate="0.1", sampling="poisson", neighbours=CHANGE)
    with pytest.raises(PlanError, match="under change-one"):
        amplified(loss, rate="0.1", sampling="without-replacement", neighbours=ADD)
    with pytest.raises(PlanError):
        amplified(loss, rate="0.1", sampling="systematic", neighbours=ADD)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="zCDP"):
        amplified(ZeroConcentrated(rho=1), rate="0.1", sampling="poisson", neighbours=ADD)  # type: ignore[arg-type]
    for rate in (0, -1, "1.1", math.nan):
        with pytest.raises(PlanError):
            amplified(loss, rate=rate, sampling="poisson", neighbours=ADD)
    huge = Pure(epsilon=10**6)
    assert amplified(huge, rate="0.1", sampling="poisson", neighbours=ADD) == huge
