"""The published bound: Theorem 5 of Li, Qardaji and Su, for comparison with the exact value."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, floor

from hedgerow.base.errors import PlanError
from hedgerow.noise.rounding import (
    Number,
    exp_down,
    exp_up,
    log_down,
    log_up,
    positive,
    share,
    whole,
)
from hedgerow.noise.sampling.suppression import MOST_PEOPLE

LONGEST = 20_000
"""Group sizes that are looked at, at most."""


def paper_delta(*, k: int, beta: Number, epsilon: Number) -> Fraction:
    """d(k, beta, epsilon): the largest chance, over group sizes, to draw a telling share of one.

    With g = 1 - (1 - beta) e^-epsilon it is the maximum over n >= ceil(k / g - 1) of
    P[Bin(n, beta) > g n]. Chances fall exponentially: P <= e^(-n r) for
    r = g ln(g / beta) - epsilon (1 - g), so only finitely many n are looked at.

    Guarantee: at or above the number in the paper, which is at or above `suppression.delta`.
    Assumes: as `suppression.delta`, and epsilon >= -ln(1 - beta), without which the theorem is
    silent.
    Reference: Li, Qardaji and Su (2012), Thm 5.

    Raises:
        PlanError: The theorem is silent, or too many group sizes would have to be looked at.

    >>> float(paper_delta(k=5, beta="0.1", epsilon=1))
    0.0001765
    """
    people, b, e = whole("k", k), share("beta", beta), positive("epsilon", epsilon)
    if exp_up(-e) > 1 - b and exp_down(-e) > 1 - b:
        raise PlanError(
            f"the theorem is silent at a sampling rate of {float(b):.4g} and epsilon "
            f"{float(e):.4g}: it needs a rate of at most 1 - e^-epsilon",
            fix="Take the exact delta, which has no such limit.",
        )
    # Sizes start early and shares low, so that rounding only adds to the maximum.
    g = 1 - (1 - b) * exp_up(-e)
    first = max(1, ceil(Fraction(people) / (1 - (1 - b) * exp_down(-e)) - 1))
    r = g * log_down(g / b) - e * (1 - g)
    if r <= 0:
        raise PlanError("such an epsilon is too small for the theorem", fix="Take the exact delta.")
    if first > LONGEST:
        raise PlanError(
            f"groups of {first:,} are too large to compute the theorem's delta",
            fix="Take the exact delta.",
        )
    best = Fraction(0)
    n = first
    while True:
        best = max(best, _tail(floor(g * n) + 1, n, b))
        n += 1
        if best and n * r >= log_up(1 / best):
            return best
        if n - first > LONGEST:
            raise PlanError(
                "the theorem's maximum lies over too many group sizes",
                fix="Take the exact delta.",
            )


def paper_smallest_k(*, beta: Number, epsilon: Number, delta: Number) -> int:
    """The smallest k for which the theorem gives an (epsilon, delta).

    >>> paper_smallest_k(beta="0.632", epsilon=1, delta="1e-6")
    74
    """
    b, e, d = share("beta", beta), positive("epsilon", epsilon), share("delta", delta)
    high = 1
    while paper_delta(k=high, beta=b, epsilon=e) > d:
        high *= 2
        if high > MOST_PEOPLE:
            raise PlanError("no k that is of use keeps this", fix="Draw fewer people.")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        kept = paper_delta(k=middle, beta=b, epsilon=e) <= d
        low, high = (low, middle) if kept else (middle, high)
    return high


def _tail(least: int, n: int, beta: Fraction) -> Fraction:
    """P[Bin(n, beta) >= least], exactly."""
    drawn, out = beta.numerator, beta.denominator - beta.numerator
    term = comb(n, least) * drawn**least * out ** (n - least) if least <= n else 0
    total = 0
    for j in range(least, n + 1):
        total += term
        term = term * (n - j) * drawn // ((j + 1) * out)
    return Fraction(total, beta.denominator**n)
