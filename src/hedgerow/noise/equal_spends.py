"""Equal spends, so many that are fixed beforehand: the exact composition of pure losses."""

from __future__ import annotations

import math
from fractions import Fraction

from hedgerow.noise.rounding import double_up

MOST = 1_000_000
"""Equal spends that are composed; of more nothing is said here."""
_UNIT = 1e-15
"""By how much a double's logarithm or factorial is off at most, as a share of it."""


def delta_of_equal(count: int, *, epsilon: Fraction, at: float) -> Fraction:
    """The delta with which so many pure losses keep an epsilon together; rounded up.

    Every mechanism with a pure loss can be computed from randomised response with that loss, so
    this is exact where each is as bad as that (counts with discrete Laplace noise are), and a
    bound elsewhere. Of `count` such answers l are against the hypothesis with a binomial chance:
    delta = sum over l of C(n, l) (e^((n - l) eps) - e^(at + l eps))+ / (1 + e^eps)^n.

    Reference: Kairouz, Oh and Viswanath, The composition theorem (2015), Thm 3.3.

    Args:
        count: How many.
        epsilon: Of each.
        at: The epsilon of all together.

    >>> round(float(delta_of_equal(100, epsilon=Fraction(1, 10), at=4.77457)) * 1e6, 3)
    1.0
    """
    if count * epsilon <= Fraction(at):
        return Fraction(0)
    eps = double_up(epsilon)
    if count > MOST or count * eps > 1e7:
        return Fraction(1)
    import numpy as np
    from scipy.special import gammaln

    # The loss is (n - 2 l) eps, and counts where it is above `at`.
    against = np.arange(math.floor((count - at / eps) / 2) + 1, dtype=np.float64)
    losses = (count - 2 * against) * eps
    # Of a loss of eps, an answer is for the hypothesis with probability 1 / (1 + e^-eps).
    chances = (
        gammaln(count + 1)
        - gammaln(against + 1)
        - gammaln(count - against + 1)
        - (count - against) * math.log1p(math.exp(-eps))
        - against * (eps + math.log1p(math.exp(-eps)))
    )
    tail = np.exp(chances)
    delta = float(np.sum(tail * -np.expm1(np.minimum(at - losses, 0.0))))
    # Five terms are added up, none of them larger than this, in the tail and in the difference.
    lost = 10 * _UNIT * (float(gammaln(count + 1)) + count * (eps + 1) + at)
    return min(Fraction(delta + lost * float(np.sum(tail))), Fraction(1))


def epsilon_of_equal(count: int, *, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The epsilon that so many pure losses keep with a delta; rounded up, to nine digits.

    >>> half = Fraction(1, 2_000_000)
    >>> round(float(epsilon_of_equal(100, epsilon=Fraction(1, 10), delta=half)), 3)
    4.921
    """
    low, high = 0.0, float(count * epsilon) * (1 + 1e-9)
    if count > MOST:
        return count * epsilon
    while high - low > 1e-9 * max(high, 1e-9):
        middle = (low + high) / 2
        if delta_of_equal(count, epsilon=epsilon, at=middle) <= delta:
            high = middle
        else:
            low = middle
    return min(Fraction(high), count * epsilon)
