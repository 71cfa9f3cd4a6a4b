"""Bounds lie on the right side, and near."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from noise import oracle

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.noise import rounding

NEAR = Fraction(1, 10**44)
small = st.fractions(min_value=-50, max_value=50, max_denominator=10**9)
above = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9, max_denominator=10**9)


@given(small)
def test_exponentials_are_bounded_from_both_sides(x: Fraction) -> None:
    true = oracle.exp(x)
    assert true * (1 - NEAR) <= rounding.exp_down(x) < true < rounding.exp_up(x)
    assert rounding.exp_up(x) <= true * (1 + NEAR)


@given(above)
def test_logarithms_are_bounded_from_both_sides(x: Fraction) -> None:
    low, high = rounding.log_down(x), rounding.log_up(x)
    assert low <= high <= low + NEAR
    assert oracle.exp(low) <= x * (1 + oracle.EXACT)
    assert oracle.exp(high) >= x * (1 - oracle.EXACT)


@pytest.mark.parametrize("x", [1 + Fraction(1, 10**60), 1 - Fraction(1, 10**60), Fraction(1)])
def test_logarithms_next_to_one(x: Fraction) -> None:
    # 50 digits cannot tell these from one.
    low, high = rounding.log_down(x), rounding.log_up(x)
    assert low <= 0 <= high
    assert high - low <= Fraction(1, 10**45)
    assert (high >= x - 1) if x > 1 else (low <= x - 1)


@given(above)
def test_roots_are_bounded(x: Fraction) -> None:
    root = rounding.sqrt_up(x)
    assert x <= root**2 <= x * (1 + NEAR)


@given(st.fractions(min_value=0, max_value=10**300))
def test_doubles_are_the_next_ones(x: Fraction) -> None:
    up, down = rounding.double_up(x), rounding.double_down(x)
    assert Fraction(down) <= x <= Fraction(up)
    assert up == down or math.nextafter(down, math.inf) == up


def test_extremes() -> None:
    assert rounding.double_up(Fraction(1, 10**400)) == 5e-324
    with pytest.raises(PlanError):
        rounding.double_up(Fraction(10**400))
    with pytest.raises(PlanError):
        rounding.exp_up(Fraction(10**9))
    assert 0 < rounding.exp_up(Fraction(-(10**9))) < Fraction(1, 10**800)
    assert rounding.exp_down(Fraction(-(10**9))) == 0


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int8(3), Fraction(3)),
        (Fraction(1, 3), Fraction(1, 3)),
        (-0.0, Fraction(0)),
    ],
)
def test_numbers_are_taken_as_written(value: rounding.Number, meant: Fraction) -> None:
    assert rounding.exact("epsilon", value) == meant


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, "nan", "inf", "", "1/0", "1e9999", None, True, 1j, -1, "-1e-9",
     Decimal("NaN"), Decimal("-1"), np.float64("nan"), [1], Fraction(-1, 3)],
)  # fmt: skip
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(HedgerowError):
        rounding.exact("epsilon", value)  # type: ignore[arg-type]
