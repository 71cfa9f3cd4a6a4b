"""Numbers that never err in our favour: exact rationals, and bounds where a number has none.

Exponentials and logarithms are computed with 50 digits by the decimal module, which rounds them
correctly; one step up or down from there is a bound. An error of a bound is under 1e-48 of it.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real

from hedgerow.base.decimals import parse
from hedgerow.base.errors import PlanError

Number = str | Decimal | Fraction | int | float
"""A number as people write it; 0.1 is one tenth, not the nearest double."""

FARTHEST = 2000
"""Exponents beyond this are not computed: e^-2000 stands for all that is smaller."""

_UP = Context(prec=50, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX)
_DOWN = Context(prec=50, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)


def exact(name: str, value: Number) -> Fraction:
    """The number that was meant, exactly; never negative.

    Raises:
        PlanError: Negative, not finite, or no number.

    >>> exact("epsilon", 0.1), exact("epsilon", "1e-3")
    (Fraction(1, 10), Fraction(1, 1000))
    """
    number: Fraction | None = None
    if isinstance(value, bool):
        pass
    elif isinstance(value, Integral):
        number = Fraction(int(value))
    elif isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, str | Decimal | Real):
        # numpy's doubles are floats with another repr.
        text = float.__repr__(value) if isinstance(value, float) else str(value)
        spelt = parse(text)
        number = None if spelt is None else spelt[0] * Fraction(10) ** spelt[1]
    if number is None:
        raise PlanError(f"{name} must be a finite number, not {value!r}", fix=_example(name))
    if number < 0:
        raise PlanError(f"{name} must not be negative, and is {value}")
    return number


def positive(name: str, value: Number) -> Fraction:
    """The number that was meant, which must not be zero.

    Raises:
        PlanError: Zero, negative, not finite, or no number.
    """
    number = exact(name, value)
    if not number:
        raise PlanError(f"{name} must be above 0", fix=_example(name))
    return number


def share(name: str, value: Number) -> Fraction:
    """A number strictly between 0 and 1.

    Raises:
        PlanError: Anything else.
    """
    number = positive(name, value)
    if number >= 1:
        raise PlanError(f"{name} must be under 1, not {value}")
    return number


def whole(name: str, value: object, *, least: int = 1) -> int:
    """A whole number of at least so much.

    Raises:
        PlanError: Anything else.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise PlanError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def exp_up(x: Fraction) -> Fraction:
    """A number at or above e^x.

    Raises:
        PlanError: Too large to hold.

    >>> exp_up(Fraction(0)) >= 1, float(exp_up(Fraction(1)))
    (True, 2.718281828459045)
    """
    if x > FARTHEST:
        raise PlanError(f"e to the power of {float(x):.3g} is too large to hold")
    power = _UP.divide(*_parts(max(x, Fraction(-FARTHEST))))
    return Fraction(power.exp(_UP).next_plus(_UP))


def exp_down(x: Fraction) -> Fraction:
    """A number at or under e^x.

    >>> exp_down(Fraction(1)) < exp_up(Fraction(1)), exp_down(Fraction(-3000))
    (True, Fraction(0, 1))
    """
    if x < -FARTHEST:
        return Fraction(0)
    power = _DOWN.divide(*_parts(min(x, Fraction(FARTHEST))))
    return Fraction(power.exp(_DOWN).next_minus(_DOWN))


def log_up(x: Fraction) -> Fraction:
    """A number at or above the natural logarithm of x.

    >>> log_up(Fraction(1)), float(log_up(Fraction(11)))
    (Fraction(0, 1), 2.3978952727983707)
    """
    # One has the logarithm 0, which has no next number of 50 digits.
    if x == 1:
        return Fraction(0)
    power = _UP.divide(*_parts(x)).ln(_UP)
    return Fraction(power.next_plus(_UP)) if power else Fraction(1, 10**48)


def log_down(x: Fraction) -> Fraction:
    """A number at or under the natural logarithm of x."""
    if x == 1:
        return Fraction(0)
    power = _DOWN.divide(*_parts(x)).ln(_DOWN)
    return Fraction(power.next_minus(_DOWN)) if power else Fraction(-1, 10**48)


def sqrt_up(x: Fraction) -> Fraction:
    """A number at or above the square root of x; the root itself where that is rational.

    >>> sqrt_up(Fraction(9, 4)), sqrt_up(Fraction(2)) ** 2 >= 2
    (Fraction(3, 2), True)
    """
    n, d = x.numerator, x.denominator
    if math.isqrt(n) ** 2 == n and math.isqrt(d) ** 2 == d:
        return Fraction(math.isqrt(n), math.isqrt(d))
    # As many further bits as leave an error under 2^-160 of the root.
    bits = max(0, d.bit_length() - n.bit_length()) + 160
    return Fraction(math.isqrt((n << 2 * bits) // d) + 1, 1 << bits)


def double_up(x: Fraction) -> float:
    """The smallest double at or above x, for what a sampler takes as a double.

    Raises:
        PlanError: There is none.

    >>> double_up(Fraction(1, 10)), double_up(Fraction(1, 3)) > 1 / 3
    (0.1, True)
    """
    try:
        near = x.numerator / x.denominator
    except OverflowError:
        near = math.inf
    if math.isfinite(near) and Fraction(near) < x:
        near = math.nextafter(near, math.inf)
    if not math.isfinite(near):
        raise PlanError("a number is too large for a double", fix="Ask for less noise.")
    return near


def double_down(x: Fraction) -> float:
    """The largest double at or under x, where x is not negative."""
    try:
        near = x.numerator / x.denominator
    except OverflowError:
        return math.nextafter(math.inf, 0)
    return math.nextafter(near, 0) if Fraction(near) > x else near


def _example(name: str) -> str:
    """What would be right: a delta of 0.1 never is."""
    return f"Say something like {name}={'1e-6' if name == 'delta' else '0.1'}."


def _parts(x: Fraction) -> tuple[Decimal, Decimal]:
    return Decimal(x.numerator), Decimal(x.denominator)
