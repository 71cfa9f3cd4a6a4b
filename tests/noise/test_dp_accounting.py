"""The accountant is never under the truth, and near it: exact compositions of small cases."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest
from noise import oracle

from hedgerow.base.errors import PlanError
from hedgerow.noise.accounting import many
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace, DyadicLaplace

TIGHT = Fraction(98, 100)
"""Of the accountant's epsilon, at which delta no longer holds: it is that near."""


def composed(p: oracle.Distribution, losses: dict[int, int], k: int) -> dict[int, Fraction]:
    """The distribution of the privacy loss of k draws, which is a whole number of some unit."""
    once: dict[int, int] = {}
    for y, a in p.items():
        loss = losses[y]  # type: ignore[index]
        once[loss] = once.get(loss, 0) + int(a * 2**400)
    total = {0: 2**400}
    for _ in range(k):
        step: dict[int, int] = {}
        for x, a in total.items():
            for y, b in once.items():
                step[x + y] = step.get(x + y, 0) + (a * b >> 400)
        total = step
    assert 1 - sum(total.values()) / 2**400 < 1e-40, "the window reaches far enough"
    return {loss: Fraction(a, 2**400) for loss, a in total.items()}


def delta_of(losses: dict[int, Fraction], unit: Fraction, epsilon: Fraction) -> Fraction:
    """The smallest delta: losses above epsilon, less what e^epsilon allows."""
    over = ((loss * unit - epsilon, a) for loss, a in losses.items())
    return sum((a * (1 - oracle.exp(-x)) for x, a in over if x > 0), Fraction(0))


@pytest.mark.parametrize("k", [1, 2, 4, 16])
@pytest.mark.parametrize("delta", ["1e-3", "1e-7"])
@pytest.mark.parametrize(("scale", "d_in"), [(Fraction(2), 1), (Fraction(5), 2)])
def test_laplace(k: int, delta: str, scale: Fraction, d_in: int) -> None:
    window = range(-600, 601)
    p = oracle.laplace(0, scale, window)
    exact = composed(p, {y: abs(y - d_in) - abs(y) for y in window}, k)
    loss = many(DiscreteLaplace(scale=scale), count=k, d_in=d_in, delta=delta)
    assert delta_of(exact, 1 / scale, loss.epsilon) <= loss.delta
    assert delta_of(exact, 1 / scale, loss.epsilon * TIGHT) > loss.delta
    assert loss.epsilon <= Pure(epsilon=Fraction(d_in) / scale).group(k).epsilon


@pytest.mark.parametrize("k", [1, 2, 5, 20])
@pytest.mark.parametrize("delta", ["1e-3", "1e-7"])
@pytest.mark.parametrize(("scale", "d_in"), [(Fraction(2), 1), (Fraction(3), 2)])
def test_gaussian(k: int, delta: str, scale: Fraction, d_in: int) -> None:
    window = range(-50, 51)
    p = oracle.gaussian(0, scale, window)
    exact = composed(p, {y: d_in * d_in - 2 * d_in * y for y in window}, k)
    unit = 1 / (2 * scale**2)
    loss = many(DiscreteGaussian(scale=scale), count=k, d_in=d_in, delta=delta)
    assert delta_of(exact, unit, loss.epsilon) <= loss.delta
    assert delta_of(exact, unit, loss.epsilon * TIGHT) > loss.delta


@pytest.mark.parametrize("make", [DiscreteLaplace, DiscreteGaussian])
def test_many_cost_less_than_their_sum(make: type) -> None:
    mechanism = make(scale=10)
    loss = many(mechanism, count=500, d_in=1, delta="1e-6")
    rho = ZeroConcentrated(rho=Fraction(500, 200)).approximate(delta="1e-6")
    assert loss.epsilon < rho.epsilon * Fraction(99, 100)
    assert loss.epsilon > rho.epsilon / 2
    more = many(mechanism, count=501, d_in=1, delta="1e-6")
    assert more.epsilon >= loss.epsilon


def test_a_lattice_counts_in_steps() -> None:
    fine = DyadicLaplace(scale=10, bits=4, changed=1)
    loss = many(fine, count=50, d_in=1, delta="1e-6")
    plain = many(DiscreteLaplace(scale=10), count=50, d_in=1, delta="1e-6")
    assert loss.epsilon == pytest.approx(plain.epsilon, rel=0.03)
    with pytest.raises(PlanError, match="one number"):
        many(DyadicLaplace(scale=10, bits=4, changed=2), count=5, d_in=1, delta="1e-6")


def test_edges() -> None:
    mechanism = DiscreteLaplace(scale=10)
    assert many(mechanism, count=5, d_in=0, delta="1e-6") == Approximate(epsilon=0, delta="1e-6")
    # A delta the doubles cannot reach: the sum, or zCDP.
    tiny = many(mechanism, count=5, d_in=1, delta="1e-30")
    assert tiny.epsilon <= Fraction(1, 2)
    assert many(DiscreteLaplace(scale="1e-300"), count=2, d_in=1, delta="1e-6").epsilon > 10**299
    assert many(DiscreteGaussian(scale="1e300"), count=2, d_in=1, delta="1e-6").epsilon < 1
    huge = many(DiscreteGaussian(scale=10**9), count=10, d_in=10**8, delta="1e-6")
    assert huge.epsilon <= ZeroConcentrated(rho="0.05").approximate(delta="1e-6").epsilon
    for count in (0, -1, 1.5, True):
        with pytest.raises(PlanError):
            many(mechanism, count=count, d_in=1, delta="1e-6")  # type: ignore[arg-type]
    for delta in (0, 1, -1):
        with pytest.raises(PlanError):
            many(mechanism, count=1, d_in=1, delta=delta)
    with pytest.raises(PlanError):
        many("laplace", count=1, d_in=1, delta="1e-6")  # type: ignore[arg-type]


def test_without_the_accountant_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(PlanError, match="not installed"):
        many(DiscreteLaplace(scale=10), count=5, d_in=1, delta="1e-6")
