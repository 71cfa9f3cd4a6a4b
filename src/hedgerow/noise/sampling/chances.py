"""The chance that j of n people are drawn: a number at or just above it, however large they are.

Exact binomial coefficients of large numbers have tens of thousands of digits, of which forty are
used. Where both parts are large, Stirling's series takes their place:

    ln n! = (n + 1/2) ln n - n + ln(2 pi) / 2 + 1/(12 n) - 1/(360 n^3) + ...

whose remainder has the sign of the first term that is left out, and is smaller (Whittaker and
Watson, A course of modern analysis, 12.33). So stopping after a positive term is a bound from
above, after a negative one a bound from below.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import comb

UP = Context(prec=40, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX)
DOWN = Context(prec=40, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)
ONE = Decimal(1)
BITS = 160
"""Of an exact binomial coefficient that are used."""
LARGE = 1000
"""From here on seven terms of the series differ from it by less than 1e-46."""
DIGITS = 70
"""With which logarithms are computed, besides those of n."""
PI = Decimal("3.1415926535897932384626433832795028841971693993751058209749445923078164")
"""Cut off, so just under it."""
BERNOULLI = (
    (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510),
)  # fmt: skip
"""B2, B4, ..., B16."""


def probability(j: int, n: int, beta: Fraction) -> Decimal:
    """At or above the probability that j of n are drawn, everybody with chance beta.

    >>> probability(1, 2, Fraction(1, 2)), f"{probability(50_000, 100_000, Fraction(1, 2)):.6g}"
    (Decimal('0.50'), '0.00252313')
    """
    drawn = UP.multiply(power(ratio(beta, UP), j, UP), power(ratio(1 - beta, UP), n - j, UP))
    return UP.multiply(drawn, ways(n, j))


def ways(n: int, j: int) -> Decimal:
    """At or above the number of ways to choose j of n, within 1e-30 of it.

    >>> ways(4, 2), f"{ways(100_000, 50_000):.6e}"
    (Decimal('6'), '2.520608e+30100')
    """
    if min(j, n - j) >= LARGE:
        return _stirling(n, j)
    exactly = comb(n, j)
    cut = max(0, exactly.bit_length() - BITS)
    leading = Decimal((exactly >> cut) + (cut > 0))
    return UP.multiply(leading, power(Decimal(2), cut, UP))


def power(base: Decimal, times: int, context: Context) -> Decimal:
    """By squaring: the decimal module's own powers are not rounded in a known direction."""
    result = ONE
    while times:
        if times & 1:
            result = context.multiply(result, base)
        base, times = context.multiply(base, base), times >> 1
    return result


def ratio(x: Fraction, context: Context) -> Decimal:
    """A rational, rounded as the context says."""
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))


def _stirling(n: int, j: int) -> Decimal:
    """As n! / (j! (n - j)!), the first from above and the others from below.

    The logarithms are of the order of n ln n, with so many digits more that their errors, and
    those of adding them up, stay under 1e-55.
    """
    fine = Context(prec=DIGITS + len(str(n)), Emin=MIN_EMIN, Emax=MAX_EMAX)
    log = fine.subtract(_log_factorial(n, fine, above=True), _log_factorial(j, fine, above=False))
    log = fine.subtract(log, _log_factorial(n - j, fine, above=False))
    # Of the three parts ln(2 pi) / 2 one is left, with a minus.
    circle = fine.ln(fine.multiply(Decimal(2), PI))
    log = fine.subtract(log, fine.divide(circle, Decimal(2)))
    # One step of 40 digits is far more than the 1e-55 that rounding may have taken away.
    return UP.plus(fine.exp(log)).next_plus(UP)


def _log_factorial(n: int, fine: Context, *, above: bool) -> Decimal:
    """The logarithm of n! without ln(2 pi) / 2: a little above, or a little under."""
    x = Decimal(n)
    log = fine.subtract(fine.multiply(fine.add(x, Decimal("0.5")), fine.ln(x)), x)
    terms = BERNOULLI[: len(BERNOULLI) - above]
    for i, (top, bottom) in enumerate(terms, 1):
        below = bottom * 2 * i * (2 * i - 1) * n ** (2 * i - 1)
        log = fine.add(log, fine.divide(Decimal(top), Decimal(below)))
    return log
