"""Binomial chances of large groups: against exact whole numbers, and never under them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hedgerow.explain.samples import explain_sampling
from hedgerow.noise.loss_sentences import rounded_up
from hedgerow.noise.sampling import chances, suppression
from hedgerow.noise.sampling.chances import LARGE, probability, ways


def off(found: Decimal, true: Fraction) -> Fraction:
    """How far a bound is above the truth, as a part of it."""
    return Fraction(found) / true - 1


@settings(max_examples=60, deadline=None)
@given(j=st.integers(0, 6000), rest=st.integers(0, 6000))
@example(j=LARGE, rest=LARGE)
@example(j=LARGE - 1, rest=30_000)
@example(j=LARGE, rest=30_000)
@example(j=0, rest=0)
def test_ways_to_choose_are_bounded_closely_from_above(j: int, rest: int) -> None:
    assert 0 <= off(ways(j + rest, j), Fraction(comb(j + rest, j))) < Fraction(1, 10**35)


@pytest.mark.parametrize("beta", ["0.5", "0.9", "0.001", "1/3"])
def test_chances_are_bounded_closely_from_above(beta: str) -> None:
    b, n = Fraction(beta), 3000
    for j in (0, 1, 999, 1000, 1500, 2000, 2001, 2999, 3000):
        true = comb(n, j) * b**j * (1 - b) ** (n - j)
        assert 0 <= off(probability(j, n, b), true) < Fraction(1, 10**30)


def test_a_group_of_astronomic_size() -> None:
    """The number of digits follows n: C(n, j) <= n^j / j!, and nearly so for a far larger n."""
    n, j = 10**60, 2000
    bound = Fraction(n) ** j
    for i in range(2, j + 1):
        bound /= i
    assert abs(off(ways(n, j), bound)) < Fraction(1, 10**38)


def test_large_k_takes_no_large_whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """They made `explain sampling --k 100000` take 22 seconds."""

    def small(n: int, j: int) -> int:
        assert min(j, n - j) < LARGE
        return comb(n, j)

    monkeypatch.setattr(chances, "comb", small)
    suppression._delta.cache_clear()
    given = explain_sampling(beta="0.8", epsilon=1, k=100_000).given
    assert given is not None
    # As the whole numbers had it.
    assert (given.epsilon, given.beta) == (0.018368447, 0.999659437)
    assert 0 < given.delta < 1e-300, "not nothing, however small"
    large = explain_sampling(beta="0.99", epsilon="0.05", k=100_000).given
    assert large is not None
    assert (large.delta, large.epsilon, large.beta) == (0.000813884127167, 0.119765001, 0.954647647)


@given(st.integers(1, 10**15), st.integers(290, 700))
def test_no_risk_is_rounded_to_nothing(digits: int, places: int) -> None:
    x = Fraction(digits, 10**places)
    found = rounded_up(x)
    assert Fraction(repr(found)) >= x
    assert found > 0
