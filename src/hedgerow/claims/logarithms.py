"""Signs of sums of logarithms of rationals, never decided by rounding."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import gcd

FIRST_DIGITS = 40


def sign_of_logarithms(
    terms: Sequence[tuple[int, Fraction | int]], minus: Fraction | int = 0
) -> int:
    """The sign of the sum of weight * ln(base), less a rational number: -1, 0 or 1.

    The sum of logarithms is ln B with B rational. By Lindemann e^r is transcendental for a
    rational r other than 0, so the difference is 0 only where r = 0 and B = 1, and that is
    found out in whole numbers. Everywhere else enough digits tell the sign.

    >>> sign_of_logarithms([(2, 3), (-1, 9)]), sign_of_logarithms([(1, 2)], Fraction(7, 10))
    (0, -1)
    """
    fractions = [(weight, Fraction(base)) for weight, base in terms]
    digits = FIRST_DIGITS
    while True:
        context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
        value, size = Decimal(0), Decimal(1)
        summands = [
            context.multiply(Decimal(sign * weight), Decimal(number).ln(context))
            for weight, base in fractions
            for sign, number in ((1, base.numerator), (-1, base.denominator))
        ]
        r = Fraction(minus)
        summands.append(context.divide(Decimal(-r.numerator), Decimal(r.denominator)))
        for summand in summands:
            value = context.add(value, summand)
            size = context.add(size, summand.copy_abs())
        # Each logarithm, product and sum is off by less than one unit of its last digit, and
        # no intermediate result is larger than `size`.
        error = context.multiply(size, Decimal(4 * len(summands)).scaleb(2 - digits, context))
        if value.copy_abs() > error:
            return 1 if value > 0 else -1
        if r == 0 and digits == FIRST_DIGITS and _product_is_one(fractions):
            return 0
        digits *= 2


def _product_is_one(powers: Sequence[tuple[int, Fraction]]) -> bool:
    """Whether the product of base ** weight is 1.

    Rewrites it over pairwise coprime bases, which no non-zero exponents can make 1: common
    factors are split off until there are none. Nothing needs to be factorised.
    """
    work = [(base.numerator, weight) for weight, base in powers]
    work += [(base.denominator, -weight) for weight, base in powers]
    coprime: list[tuple[int, int]] = []
    while work:
        a, e = work.pop()
        if a == 1 or e == 0:
            continue
        for place, (b, f) in enumerate(coprime):
            common = gcd(a, b)
            if common > 1:
                del coprime[place]
                work += [(a // common, e), (b // common, f), (common, e + f)]
                break
        else:
            coprime.append((a, e))
    return not coprime
