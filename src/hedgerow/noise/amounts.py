"""Amounts of privacy loss, in whole units: what is added up is exact."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from numbers import Integral
from typing import Any, Literal

from hedgerow.base.decimals import parse
from hedgerow.base.errors import AmountError, nearest

MOST = 2**63 - 1
"""Units of one kind that a ledger can count: what both databases hold in a column."""
PLACES = {"epsilon": 9, "delta": 18, "rho": 9}
"""Decimal places that are kept: epsilon and rho in units of 1e-9, delta in units of 1e-18."""

Given = str | Decimal | Fraction | int | float


@dataclass(frozen=True)
class Amounts:
    """Loss in the three currencies of differential privacy, each counted by itself.

    >>> str(Amounts.of(epsilon="0.1", delta="1e-6"))
    'epsilon 0.1, delta 1e-6'
    >>> Amounts.of(epsilon=0.1) + Amounts.of(epsilon=0.2) == Amounts.of(epsilon=0.3)
    True
    """

    epsilon: int = 0
    """In units of 1e-9."""
    delta: int = 0
    """In units of 1e-18."""
    rho: int = 0
    """Zero-concentrated differential privacy, in units of 1e-9."""

    def __post_init__(self) -> None:
        for name in PLACES:
            units = getattr(self, name)
            if type(units) is not int:
                raise AmountError(f"{name} must be a whole number of units, not {units!r}")
            if units < 0:
                raise AmountError(f"{name} must not be negative, and is {_text(name, units)}")
            if units > MOST:
                raise AmountError(
                    f"{name} is {_text(name, units)}, and a ledger counts to {_text(name, MOST)}"
                )

    @classmethod
    def of(
        cls,
        *,
        epsilon: Given = 0,
        delta: Given = 0,
        rho: Given = 0,
        rounding: Literal["up", "down"] = "up",
    ) -> Amounts:
        """Amounts as people write them; a float counts as it is written, 0.1 as one tenth.

        Args:
            epsilon: Pure or approximate differential privacy.
            delta: A probability.
            rho: Zero-concentrated differential privacy.
            rounding: Where there are more digits than the ledger keeps: spends go up, budgets
                go down, so that rounding never gives anything away.

        Raises:
            AmountError: Negative, not finite, too large, no number, or nothing at all.
        """
        given = {"epsilon": epsilon, "delta": delta, "rho": rho}
        exact = {name: _exact(name, value) for name, value in given.items()}
        if not any(exact.values()):
            raise AmountError("an amount of nothing is no amount", fix="Say epsilon=0.1.")
        if exact["delta"] >= 1:
            raise AmountError(
                f"delta must be under 1, not {delta}: it is a probability",
                fix="Say something like delta=1e-6.",
            )
        units = {name: _units(value, PLACES[name], rounding) for name, value in exact.items()}
        if not any(units.values()):
            raise AmountError(
                "this is less than the ledger counts",
                fix="The smallest amounts are epsilon 1e-9, delta 1e-18 and rho 1e-9.",
            )
        return cls(**units)

    @classmethod
    def read(cls, text: str, *, rounding: Literal["up", "down"] = "up") -> Amounts:
        """Amounts from one line.

        >>> Amounts.read("epsilon=3, delta=1e-6") == Amounts.of(epsilon=3, delta="1e-6")
        True
        """
        given: dict[str, Any] = {}
        for part in text.split(","):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or name not in PLACES or name in given:
                meant = nearest(name, PLACES) if name not in given else None
                raise AmountError(
                    f"{part.strip()!r} is no amount"
                    + (f"; did you mean {meant}?" if meant else ""),
                    fix="Write for instance: epsilon=3, delta=1e-6",
                )
            given[name] = value
        return cls.of(**given, rounding=rounding)

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(self.epsilon + other.epsilon, self.delta + other.delta, self.rho + other.rho)

    def fits(self, budget: Amounts) -> bool:
        """Whether each currency is within the budget; one the budget lacks is not.

        >>> Amounts.of(epsilon=1).fits(Amounts.of(epsilon=1))
        True
        >>> Amounts.of(epsilon=1, delta="1e-9").fits(Amounts.of(epsilon=2))
        False
        """
        return all(getattr(self, name) <= getattr(budget, name) for name in PLACES)

    def left_of(self, budget: Amounts) -> Amounts:
        """What remains of a budget once this is spent: nothing where more than it is."""
        return Amounts(
            **{name: max(0, getattr(budget, name) - getattr(self, name)) for name in PLACES}
        )

    @property
    def units(self) -> dict[str, int]:
        """The whole numbers, by name."""
        return {name: getattr(self, name) for name in PLACES}

    def texts(self) -> dict[str, str]:
        """The currencies that are not zero, written out exactly.

        >>> Amounts.of(epsilon=3, delta="1e-6").texts()
        {'epsilon': '3', 'delta': '1e-6'}
        """
        return {name: _text(name, units) for name, units in self.units.items() if units}

    def __bool__(self) -> bool:
        return any(self.units.values())

    def __str__(self) -> str:
        return ", ".join(f"{name} {text}" for name, text in self.texts().items()) or "nothing"


NOTHING = Amounts()
"""What a release spends that is not randomised. Its protection is not counted in these units."""


def _exact(name: str, value: Any) -> Fraction:
    """The number that was meant, exactly."""
    number: Fraction | None = None
    if isinstance(value, Fraction):
        number = value
    elif isinstance(value, bool):
        pass
    elif isinstance(value, Integral):
        number = Fraction(int(value))
    elif isinstance(value, str | Decimal | float):
        text = float.__repr__(value) if isinstance(value, float) else str(value)
        spelt = parse(text)
        number = None if spelt is None else spelt[0] * Fraction(10) ** spelt[1]
    if number is None:
        raise AmountError(
            f"{name} must be a finite number, not {value!r}", fix=f"Say something like {name}=0.1."
        )
    if number < 0:
        raise AmountError(f"{name} must not be negative, and is {value}")
    return number


def _units(number: Fraction, places: int, rounding: str) -> int:
    scaled: Fraction = number * 10**places
    return ceil(scaled) if rounding == "up" else floor(scaled)


def _text(name: str, units: int) -> str:
    """Units as a decimal number, every digit of it; small ones with an exponent.

    >>> _text("delta", 1_500_000_000_000), _text("epsilon", 2_500_000_000), _text("rho", 0)
    ('1.5e-6', '2.5', '0')
    >>> _text("epsilon", -1), _text("epsilon", 100_000)
    ('-1e-9', '0.0001')
    """
    if not units:
        return "0"
    sign, digits, exponent = "-" * (units < 0), str(abs(units)), -PLACES[name]
    exponent += len(digits) - len(digits.rstrip("0"))
    digits = digits.rstrip("0")
    size = exponent + len(digits) - 1
    if size < -4:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{tail}e{size}"
    if exponent >= 0:
        return f"{sign}{digits}{'0' * exponent}"
    whole, part = digits[:exponent].rjust(1, "0"), digits[exponent:].rjust(-exponent, "0")
    return f"{sign}{whole}.{part}"
