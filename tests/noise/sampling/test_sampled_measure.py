"""Differential privacy under sampling as a measure: Theorem 1, its inverse, what composes."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.base.errors import PlanError
from hedgerow.noise.sampling.measure import Sampled, SampleOrigin, mixed

rates = st.fractions(min_value=Fraction(1, 1000), max_value=1, max_denominator=1000)
epsilons = st.fractions(min_value=0, max_value=10, max_denominator=1000)


@pytest.mark.parametrize(
    ("beta", "grown", "delta"), [("1", 11, "1e-5"), ("0.1", 2, "1e-6"), ("0.01", "1.1", "1e-7")]
)
def test_the_first_half_of_table_1(beta: str, grown: str, delta: str) -> None:
    """Paper 003, Table 1: e^epsilon is 11, 2 and 1.1; delta goes with the rate."""
    whole = Sampled(beta=1, epsilon=Fraction(math.log(11)), delta="1e-5")
    there = whole.at(beta=beta)
    assert float(there.epsilon) == pytest.approx(math.log(float(Fraction(grown))), rel=1e-12)
    assert there.delta == Fraction(delta)


@pytest.mark.parametrize(("beta", "epsilon"), [("1", 1), ("0.1", 0.159), ("0.01", 0.017)])
def test_the_second_half_of_table_1(beta: str, epsilon: float) -> None:
    assert round(float(Sampled(beta=1, epsilon=1, delta=0).at(beta=beta).epsilon), 3) == epsilon


def test_the_budget_of_a_one_percent_sample() -> None:
    """Paper 003, Sec. 2.5: epsilon 0.1 on a 1 % sample leaves 2.44 to spend, 24 times as much."""
    needed = Sampled(beta="0.01", epsilon="0.1", delta="1e-9").needed_at()
    assert round(float(needed.epsilon), 4) == 2.4438
    assert needed.delta == Fraction("1e-7")


@given(epsilons, rates, rates)
def test_there_and_back_never_gains(epsilon: Fraction, one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    target = Sampled(beta=low, epsilon=epsilon, delta=0)
    back = target.needed_at(beta=high).at(beta=low)
    assert back.epsilon <= epsilon + Fraction(1, 10**40)
    assert float(back.epsilon) == pytest.approx(float(epsilon), rel=1e-9, abs=1e-9)


@given(epsilons, rates, rates, rates)
def test_two_steps_are_one(epsilon: Fraction, a: Fraction, b: Fraction, c: Fraction) -> None:
    low, middle, high = sorted((a, b, c))
    whole = Sampled(beta=high, epsilon=epsilon, delta="1e-6")
    twice, once = whole.at(beta=middle).at(beta=low), whole.at(beta=low)
    assert float(twice.epsilon) == pytest.approx(float(once.epsilon), rel=1e-9, abs=1e-12)
    assert twice.epsilon <= epsilon
    assert twice.delta == once.delta


def test_a_larger_sample_is_another_matter() -> None:
    with pytest.raises(PlanError, match="says nothing about a larger one"):
        Sampled(beta="0.1", epsilon=1, delta=0).at(beta="0.2")
    with pytest.raises(PlanError, match="smaller rate"):
        Sampled(beta="0.2", epsilon=1, delta=0).needed_at(beta="0.1")
    with pytest.raises(PlanError, match="delta must be under 1"):
        Sampled(beta="0.001", epsilon=1, delta="0.01").needed_at()


@pytest.mark.parametrize("beta", [0, "1.01", -1, "nan"])
def test_no_such_rate(beta: object) -> None:
    with pytest.raises(PlanError):
        Sampled(beta=beta, epsilon=1, delta=0)  # type: ignore[arg-type]


def test_why_one_sample_does_not_compose() -> None:
    """A fair bit of the others, and that bit xor "drawn": each tells nothing, both tell all.

    The others are one person drawn with probability 1/2, so the bit is fair.
    """
    beta = Fraction(1, 2)
    for target in (False, True):
        seen: dict[tuple[int, int], Fraction] = {}
        for other in (0, 1):
            for mine in (0, 1):
                chance = Fraction(1, 2) * ((beta if mine else 1 - beta) if target else 1 - mine)
                key = (other, other ^ mine)
                seen[key] = seen.get(key, Fraction(0)) + chance
        for part in (0, 1):
            told = sum(chance for key, chance in seen.items() if key[part] == 1)
            assert told == Fraction(1, 2), "each by itself"
        together = sum(chance for key, chance in seen.items() if key[0] != key[1])
        assert together == (beta if target else 0), "delta is at least beta"


def test_mixtures() -> None:
    both = [Sampled(beta="0.1", epsilon=1, delta=d) for d in ("1e-6", "3e-6")]
    assert mixed(both, weights=["0.5", "0.5"]).delta == Fraction("2e-6")
    with pytest.raises(PlanError, match="one sampling rate"):
        mixed([both[0], both[1].at(beta="0.05")], weights=["0.5", "0.5"])


def test_what_the_ledger_is_charged() -> None:
    loss = Sampled(beta="0.8", epsilon=1, delta="1e-6")
    assert loss.amounts().texts() == {"epsilon": "1", "delta": "1e-6"}
    assert str(loss) == "(0.8, 1, 1e-6)-differential privacy under sampling"
    assert not Sampled(beta="0.8", epsilon=0, delta=0).amounts()


def test_what_is_assumed_is_said() -> None:
    here = Sampled(beta="0.8", epsilon=1, delta=0)
    stated = Sampled(beta="0.01", epsilon=1, delta=0, drawn=SampleOrigin.BEFORE)
    assert "coin" in here.assumption
    assert "not checked" not in here.assumption
    assert "stated, not checked" in stated.assumption
    assert "0.01" in stated.assumption
