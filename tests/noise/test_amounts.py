"""Amounts are exact, and what is no amount is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.ledger import NOTHING, AmountError, Amounts

MOST = 2**63 - 1


@pytest.mark.parametrize(
    ("given", "units"),
    [
        ("0.1", 10**8), (0.1, 10**8), (Decimal("0.1"), 10**8), (Fraction(1, 10), 10**8),
        (3, 3 * 10**9), (np.int64(3), 3 * 10**9), (np.float64(0.1), 10**8), ("1e-9", 1),
        (" 2.5E0 ", 25 * 10**8), ("1e-10", 1), (Fraction(1, 3), 333333334), (5e-324, 1),
        ("0.1000000001", 10**8 + 1), ("9223372036.854775807", MOST),
    ],
)  # fmt: skip
def test_spends_are_taken_as_written_and_rounded_up(given: Any, units: int) -> None:
    assert Amounts.of(epsilon=given) == Amounts(epsilon=units)
    assert Amounts.of(rho=given) == Amounts(rho=units)


def test_budgets_are_rounded_down() -> None:
    assert Amounts.of(epsilon=Fraction(1, 3), rounding="down") == Amounts(epsilon=333333333)
    assert Amounts.of(delta="1e-6", rounding="down") == Amounts(delta=10**12)
    with pytest.raises(AmountError, match="less than the ledger counts"):
        Amounts.of(epsilon="1e-10", rounding="down")


@pytest.mark.parametrize(
    "bad",
    [-1, "-0.1", -0.1, Fraction(-1, 3), Decimal(-1), float("nan"), float("inf"), "-inf", "nan",
     "NaN", Decimal("sNaN"), Decimal("Infinity"), True, False, None, "", "x", "1_000", "0x10", b"1",
     [1], 1j, "1e400", "1e99999999999", "1/3", "9" * 500, "٣", "9223372036.854775808", 10**11,
     Decimal("1e9999999"), np.float64("nan")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["epsilon", "delta", "rho"])
def test_no_amounts(bad: Any, name: str) -> None:
    for rounding in ("up", "down"):
        with pytest.raises(AmountError):
            Amounts.of(**{"epsilon": 1, name: bad}, rounding=rounding)


@pytest.mark.parametrize("zero", [0, "0", 0.0, "-0.0", "0e5", Decimal(0), Fraction(0)])
def test_nothing_is_no_amount(zero: Any) -> None:
    with pytest.raises(AmountError, match="nothing"):
        Amounts.of(epsilon=zero, delta=zero, rho=zero)
    assert not NOTHING
    assert str(NOTHING) == "nothing"


@pytest.mark.parametrize("delta", [1, "1.5", 9])
def test_delta_is_a_probability(delta: Any) -> None:
    with pytest.raises(AmountError, match="probability"):
        Amounts.of(delta=delta)


@pytest.mark.parametrize("units", [-1, MOST + 1, 1.0, True, "1", None])
def test_units_are_whole_and_in_range(units: Any) -> None:
    for name in ("epsilon", "delta", "rho"):
        with pytest.raises(AmountError):
            Amounts(**{name: units})


def test_sums_that_overflow_are_refused() -> None:
    with pytest.raises(AmountError, match=r"counts to 9223372036\.854775807"):
        Amounts(epsilon=MOST) + Amounts(epsilon=1)


def test_every_currency_must_fit() -> None:
    budget = Amounts(5, 6, 7)
    assert budget.fits(budget)
    assert NOTHING.fits(NOTHING)
    for over in (Amounts(6, 6, 7), Amounts(5, 7, 7), Amounts(5, 6, 8)):
        assert not over.fits(budget)
    assert Amounts(1, 9, 7).left_of(budget) == Amounts(4, 0, 0)


@pytest.mark.parametrize(
    ("amounts", "text"),
    [
        (Amounts.of(epsilon="0.1", delta="1e-6"), "epsilon 0.1, delta 1e-6"),
        (Amounts(MOST, MOST, MOST),
         "epsilon 9223372036.854775807, delta 9.223372036854775807, rho 9223372036.854775807"),
        (Amounts.of(rho="1200"), "rho 1200"),
        (Amounts(delta=1), "delta 1e-18"),
        (Amounts.of(delta="1.25e-5"), "delta 1.25e-5"),
        (Amounts.of(delta="0.00012"), "delta 0.00012"),
    ],
)  # fmt: skip
def test_amounts_read_exactly(amounts: Amounts, text: str) -> None:
    assert str(amounts) == text


amounts = st.builds(Amounts, *[st.integers(0, MOST)] * 3)


@given(amounts.filter(lambda a: a and a.delta < 10**18))
def test_what_is_printed_reads_back_as_the_same(original: Amounts) -> None:
    line = str(original).replace(" ", "=").replace(",=", ", ")
    for rounding in ("up", "down"):
        assert Amounts.read(line, rounding=rounding) == original
    assert {n: Fraction(t) for n, t in original.texts().items()} == {
        name: Fraction(units, 10 ** {"epsilon": 9, "delta": 18, "rho": 9}[name])
        for name, units in original.units.items()
        if units
    }


@given(st.decimals(0, 10**9, allow_nan=False), st.decimals(0, 10**9, allow_nan=False))
def test_rounding_never_gives_anything_away(spend: Decimal, budget: Decimal) -> None:
    if not (spend and budget >= Decimal("1e-9")):
        return
    up, down = Amounts.of(epsilon=spend), Amounts.of(epsilon=budget, rounding="down")
    assert Fraction(up.epsilon, 10**9) >= Fraction(spend) > Fraction(up.epsilon - 1, 10**9)
    assert Fraction(down.epsilon, 10**9) <= Fraction(budget) < Fraction(down.epsilon + 1, 10**9)
    if up.fits(down):
        assert spend <= budget


@pytest.mark.parametrize(
    "line", ["", "epsilon", "epsilon=", "epsilon=1,", "epsilon 1", "epsilon=1, epsilon=2",
             "epsilom=1", "epsilon=-1", "epsilon=1; delta=2", "epsilon=0"]
)  # fmt: skip
def test_lines_that_are_no_amounts(line: str) -> None:
    with pytest.raises(AmountError):
        Amounts.read(line)


def test_a_misspelt_currency_is_named() -> None:
    with pytest.raises(AmountError, match="did you mean epsilon"):
        Amounts.read("epsilom=1")
