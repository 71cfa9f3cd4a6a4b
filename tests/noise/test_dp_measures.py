"""Losses: exact, added up, converted upwards; and what they must refuse."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noise import oracle

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.noise.amounts import NOTHING, Amounts
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbouring, Neighbours

losses = st.fractions(min_value=0, max_value=100, max_denominator=10**12)


@given(losses, losses)
def test_sums_are_exact_and_the_ledger_rounds_up(a: Fraction, b: Fraction) -> None:
    total = Pure(epsilon=a) + Pure(epsilon=b)
    assert total.epsilon == a + b
    units = total.amounts().epsilon
    assert units == math.ceil((a + b) * 10**9)
    both = Approximate(epsilon=a, delta="1e-7") + Approximate(epsilon=b, delta="2e-7")
    assert (both.epsilon, both.delta) == (a + b, Fraction(3, 10**7))
    assert (ZeroConcentrated(rho=a) + ZeroConcentrated(rho=b)).rho == a + b


def test_the_smallest_loss_costs_a_unit_and_none_costs_none() -> None:
    assert Pure(epsilon="1e-30").amounts() == Amounts(epsilon=1)
    assert Approximate(epsilon=0, delta="1e-30").amounts() == Amounts(delta=1)
    assert ZeroConcentrated(rho="1e-30").amounts() == Amounts(rho=1)
    assert Pure(epsilon=0).amounts() == NOTHING == ZeroConcentrated(rho=0).amounts()
    assert Approximate(epsilon=0, delta=0).amounts() == NOTHING
    with pytest.raises(HedgerowError):
        Pure(epsilon="1e30").amounts()


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "nan", None, True])
def test_losses_that_are_none(bad: object) -> None:
    for make in (
        lambda: Pure(epsilon=bad),  # type: ignore[arg-type]
        lambda: Approximate(epsilon=bad, delta=0),  # type: ignore[arg-type]
        lambda: Approximate(epsilon=1, delta=bad),  # type: ignore[arg-type]
        lambda: ZeroConcentrated(rho=bad),  # type: ignore[arg-type]
    ):
        with pytest.raises(PlanError):
            make()


def test_a_delta_of_one_promises_nothing() -> None:
    for delta in (1, "1.0", 2):
        with pytest.raises(PlanError):
            Approximate(epsilon=1, delta=delta)
    half = Approximate(epsilon=0, delta="0.5")
    with pytest.raises(PlanError):
        half + half
    with pytest.raises(PlanError):
        half.group(3)


def test_different_kinds_are_not_added() -> None:
    with pytest.raises(TypeError):
        Pure(epsilon=1) + ZeroConcentrated(rho=1)  # type: ignore[operator]


@given(
    st.fractions(min_value=0, max_value=3, max_denominator=10**6),
    st.integers(min_value=1, max_value=12),
)
def test_groups(epsilon: Fraction, size: int) -> None:
    loss = Approximate(epsilon=epsilon, delta="1e-20").group(size)
    sums = sum((oracle.exp(epsilon * i) for i in range(size)), Fraction(0)) / 10**20
    assert loss.epsilon == epsilon * size
    assert sums * (1 - oracle.EXACT) <= loss.delta <= sums * (1 + Fraction(1, 10**25))
    assert Pure(epsilon=epsilon).group(size).epsilon == epsilon * size
    assert ZeroConcentrated(rho=epsilon).group(size).rho == epsilon * size**2


@pytest.mark.parametrize("size", [0, -1, 1.0, True, None])
def test_groups_of_nobody(size: object) -> None:
    for loss in (Pure(epsilon=1), Approximate(epsilon=1, delta=0), ZeroConcentrated(rho=1)):
        with pytest.raises(PlanError):
            loss.group(size)  # type: ignore[arg-type]


@settings(max_examples=40, deadline=None)
@given(
    st.floats(min_value=1e-6, max_value=50),
    st.floats(min_value=1e-18, max_value=0.1),
)
def test_conversion_is_sound_and_as_tight_as_the_peers(rho: float, delta: float) -> None:
    """OpenDP searches the same infimum; ours may be at most a billionth above, never under."""
    from opendp.combinators import make_zCDP_to_approxDP
    from opendp.domains import atom_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import absolute_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    scale = math.sqrt(1 / (2 * rho))
    inner = make_gaussian(atom_domain(T="i64"), absolute_distance(T="f64"), scale=scale)
    theirs = make_zCDP_to_approxDP(inner).map(1.0).epsilon(delta=delta)
    ours = float(ZeroConcentrated(rho=rho).approximate(delta=delta).epsilon)
    assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-6)
    classic = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert ours <= classic * (1 + 1e-12)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(5, 2), Fraction(6)])
@pytest.mark.parametrize("delta", ["0.01", "1e-6"])
def test_conversion_against_the_exact_gaussian(scale: Fraction, delta: str) -> None:
    window = range(-60, 62)
    p, q = oracle.gaussian(0, scale, window), oracle.gaussian(1, scale, window)
    loss = ZeroConcentrated(rho=1 / (2 * scale**2)).approximate(delta=delta)
    assert oracle.hockey_stick(p, q, loss.epsilon) <= loss.delta


def test_conversion_at_the_edges() -> None:
    assert ZeroConcentrated(rho=0).approximate(delta="1e-6").epsilon == 0
    tiny = ZeroConcentrated(rho="1e-200").approximate(delta="1e-6")
    assert 0 <= tiny.epsilon < Fraction(1, 10**90)
    huge = ZeroConcentrated(rho="1e300").approximate(delta="1e-6")
    assert 10**300 < huge.epsilon < 2 * 10**300
    for delta in (0, 1, -1, math.nan):
        with pytest.raises(PlanError):
            ZeroConcentrated(rho=1).approximate(delta=delta)


@pytest.mark.parametrize("epsilon", ["1e-9", "0.1", "1", "20"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-3"])
def test_the_rho_that_keeps_a_loss(epsilon: str, delta: str) -> None:
    wanted = Approximate(epsilon=epsilon, delta=delta)
    kept = ZeroConcentrated.keeping(wanted)
    assert kept.rho > 0
    assert kept.approximate(delta=delta).epsilon <= wanted.epsilon
    more = ZeroConcentrated(rho=kept.rho * Fraction(1001, 1000))
    assert more.approximate(delta=delta).epsilon > wanted.epsilon
    for loss in (Approximate(epsilon=0, delta=delta), Approximate(epsilon=1, delta=0)):
        with pytest.raises(PlanError):
            ZeroConcentrated.keeping(loss)


@given(st.fractions(min_value=0, max_value=4, max_denominator=1000))
@settings(max_examples=20, deadline=None)
def test_pure_to_concentrated_on_the_worst_mechanism(epsilon: Fraction) -> None:
    truth = oracle.exp(epsilon) / (1 + oracle.exp(epsilon))
    p, q = oracle.response(0, 2, truth), oracle.response(1, 2, truth)
    rho = float(Pure(epsilon=epsilon).concentrated().rho)
    for order in (2, 3, 10, 40):
        assert oracle.renyi(p, q, order) <= rho * order * (1 + 1e-9) + 1e-15


def test_publishing_a_random_record_is_rejected() -> None:
    """(0, 1/n)-differentially private by the letter, and somebody is published for sure."""
    people = 10
    rows = list(range(people))
    p = {y: Fraction(1, people) for y in rows}
    q = {y: Fraction(1, people) for y in [*rows[:-1], 99]}
    for epsilon in (Fraction(0), Fraction(1), Fraction(50)):
        assert not oracle.keeps_pure(p, q, epsilon), "no pure loss covers it"
        assert not oracle.keeps(p, q, epsilon, Fraction(1, people) - Fraction(1, 10**9))
        assert oracle.keeps(p, q, epsilon, Fraction(1, people)), "only this delta does"
        with pytest.raises(PlanError, match="publish one of 10 people"):
            Approximate(epsilon=epsilon, delta=Fraction(1, people)).require_small_delta(
                people=people
            )
    Approximate(epsilon=1, delta="0.09").require_small_delta(people=people)


def test_publishing_everything_now_and_then_is_rejected() -> None:
    delta = Fraction(1, 50)
    p = {"nothing": 1 - delta, "the table of D": delta}
    q = {"nothing": 1 - delta, "the table of D'": delta}
    for epsilon in (Fraction(0), Fraction(50)):
        assert not oracle.keeps_pure(p, q, epsilon)
        assert not oracle.keeps(p, q, epsilon, delta * Fraction(99, 100))
        assert oracle.keeps(p, q, epsilon, delta)
    with pytest.raises(PlanError):
        Approximate(epsilon=0, delta=delta).require_small_delta(people=50)
    # No rho covers it either: every finite one implies a smaller delta at some epsilon.
    loss = ZeroConcentrated(rho=1).approximate(delta=delta / 2)
    assert not oracle.keeps(p, q, loss.epsilon, loss.delta)


def test_words() -> None:
    assert str(Pure(epsilon=Fraction(1, 3))) == "0.333333334-differential privacy"
    assert str(Approximate(epsilon=0, delta="1e-18")) == "(0, 1e-18)-differential privacy"
    assert str(ZeroConcentrated(rho=0)) == "0-zCDP"
    many = Neighbours(kind=Neighbouring.CHANGE_ONE, rows=3)
    assert "at most 3 rows" in str(many)
    assert "public" in str(many)


def test_neighbours_refuse_what_they_do_not_know() -> None:
    assert Neighbours(kind="change-one").kind is Neighbouring.CHANGE_ONE  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="did you mean add-remove"):
        Neighbours(kind="add_remove")  # type: ignore[arg-type]
    for rows in (0, -1, 1.5, True):
        with pytest.raises(PlanError):
            Neighbours(kind=Neighbouring.ADD_REMOVE, rows=rows)  # type: ignore[arg-type]


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=2),
    st.lists(st.integers(0, 3), min_size=2, max_size=2),
)
def test_distances_of_counts(first: list[int], second: list[int]) -> None:
    """One person's rows in two cells, as they are and as they might be."""
    rows = max(sum(first), sum(second), 1)
    other = Neighbours(kind=Neighbouring.CHANGE_ONE, rows=rows)
    gone = Neighbours(kind=Neighbouring.ADD_REMOVE, rows=rows)
    moved = [a - b for a, b in zip(first, second, strict=True)]
    for neighbours, change in ((other, moved), (gone, first)):
        assert max(map(abs, change)) <= neighbours.count
        assert sum(map(abs, change)) <= neighbours.histogram <= neighbours.d_in
        assert sum(x * x for x in change) <= neighbours.histogram_squared
