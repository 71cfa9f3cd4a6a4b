"""Rényi losses of one order: what a loss is at most, and what implies an (epsilon, delta)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from hedgerow.noise.measures import (
    Approximate,
    Loss,
    ZeroConcentrated,
    order_for,
)
from hedgerow.noise.rounding import exp_down, exp_up, log_down, log_up

DIGITS = 10**15
"""Rényi losses are rounded up to so many parts of one, so that their sums stay short."""
_LARGE = 500
"""Order times epsilon above which a pure loss is taken as its epsilon, which is larger."""


def renyi_loss(loss: Loss, order: Fraction) -> Fraction:
    """The Rényi divergence of an order that a loss allows at most, rounded up.

    Of a pure loss it is that of randomised response, which every mechanism with this loss can be
    computed from; of an approximate one that of its epsilon, and what may fail is its delta.
    Reference: Kairouz, Oh and Viswanath, The composition theorem (2015), Thm 3.1; Mironov, Rényi
    differential privacy (2017), Prop. 5.

    >>> from hedgerow.noise.measures import Pure
    >>> round(float(renyi_loss(Pure(epsilon=1), Fraction(2))), 4)
    0.7353
    """
    if isinstance(loss, ZeroConcentrated):
        return rounded_up(loss.rho * order)
    epsilon = loss.epsilon
    if not epsilon:
        return Fraction(0)
    if order * epsilon > _LARGE:
        return rounded_up(epsilon)
    least = 1 + exp_down(epsilon)
    most = exp_up(order * epsilon) + exp_up((1 - order) * epsilon)
    return rounded_up(min(epsilon, log_up(max(most / least, Fraction(1))) / (order - 1)))


def renyi_room(loss: Approximate, order: Fraction) -> Fraction:
    """The largest Rényi loss of an order that implies an (epsilon, delta), rounded down; or 0.

    Reference: Canonne, Kamath and Steinke, The discrete Gaussian (2020), Prop. 12.
    """
    a = order - 1
    rest = log_up(1 / loss.delta) + a * log_up(a / order) - log_down(order)
    return max(loss.epsilon - rest / a, Fraction(0))


def best_order(loss: Approximate) -> Fraction:
    """The order at which the most zCDP implies an (epsilon, delta), in thousandths."""
    rho = ZeroConcentrated.keeping(loss)
    return Fraction(ceil(1000 * order_for(rho, delta=loss.delta)), 1000)


def rounded_up(number: Fraction) -> Fraction:
    """To as many digits as an account keeps.

    >>> rounded_up(Fraction(1, 10**18))
    Fraction(1, 1000000000000000)
    """
    return Fraction(ceil(number * DIGITS), DIGITS)
