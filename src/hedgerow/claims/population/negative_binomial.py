"""Slide negative binomial: group sizes in the population, less one, are negative binomial."""

from __future__ import annotations

from math import exp, log, log1p

import numpy as np
from scipy.optimize import brentq

from hedgerow.claims.population.estimate import (
    Estimate,
    bounded,
    fitted_or_none,
    no_estimate,
    nobody_alone,
)
from hedgerow.claims.population.size_counts import SizeCounts
from hedgerow.table.groups import Floats

NAME = "slide-negative-binomial"
GRID = 1 / (1 + np.exp(np.linspace(18, -18, 181)))
"""Values of beta at which a solution is looked for."""
STEP = 1e-5


def slide_negative_binomial(sample: SizeCounts) -> Estimate:
    """Estimate by the slide negative binomial model.

    K groups of the population have 1 + X people, X negative binomial with shape alpha and success
    probability beta: K beta^alpha are expected to be unique. Alpha and beta make the expected
    numbers of sample groups of one and of two people those of the sample; K is Shlosser's
    estimate as modified by Haas and Stokes.

    Reference: Chen, Keller-McNulty 1998, "Estimation of identification disclosure risk in
    microdata", Journal of Official Statistics 14; Haas, Stokes 1998, JASA 93 (modified Shlosser).

    Raises:
        UndefinedEstimateError: No parameters give the numbers of the sample.
    """
    if not sample.uniques:
        return nobody_alone(NAME)
    ones, twos, fraction = sample.uniques, sample.of_size(2), sample.fraction
    if not twos:
        raise no_estimate(NAME, "no group has two people")

    def alone(k: float, f1: float, f2: float) -> float:
        alpha, beta = solved(k, f1, f2, fraction)
        return k * fraction * exp(alpha * log(beta))

    with fitted_or_none(NAME):
        groups, by_size = population_groups(sample)
        value = alone(groups, ones, twos)
        alpha, beta = solved(groups, ones, twos, fraction)
        by_k, by_one, by_two = (_slope(alone, (groups, ones, twos), place) for place in range(3))
        influence = by_k * by_size
        influence[sample.sizes == 1] += by_one
        influence[sample.sizes == 2] += by_two
    return bounded(NAME, sample, value, influence, groups=groups, alpha=alpha, beta=beta)


def population_groups(sample: SizeCounts) -> tuple[float, Floats]:
    """How many groups the population has; and what one more sample group of each size adds."""
    p, j, f = sample.fraction, sample.sizes, sample.counts
    rare = j * p**2 * (1 - p**2) ** (j - 1)
    unseen = (1 - p) ** j
    seen = (1 - p**2) ** j - unseen
    once = j * p * (1 - p) ** (j - 1)
    a, b, c, d = (float(part @ f) for part in (rare, seen, unseen, once))
    more = sample.uniques * a / b * (c / d) ** 2
    by_size = 1 + more * (rare / a - seen / b + 2 * unseen / c - 2 * once / d)
    by_size[0] += more / sample.uniques
    return sample.groups + more, by_size


def expected_counts(
    groups: float, alpha: float, beta: float, fraction: float
) -> tuple[float, float]:
    """Expected sample groups of one and of two people.

    With s = 1 - fraction, they are fraction^i / i! times the i-th derivative at s of the
    generating function s (beta / (1 - (1 - beta) s))^alpha, times the number of groups.
    """
    q = 1 - beta
    d = q * (1 - fraction)
    base = groups * exp(alpha * (log(beta) - log1p(-d)))
    one = base * fraction * (1 + alpha * d / (1 - d))
    two = base * fraction**2 / 2 * alpha * q * (2 - (1 - alpha) * d) / (1 - d) ** 2
    return one, two


def solved(groups: float, ones: float, twos: float, fraction: float) -> tuple[float, float]:
    """Shape and success probability that make both expectations the numbers of the sample."""
    target = log(ones / (groups * fraction))
    if target >= 0:
        raise no_estimate(NAME, "it has more uniques than the model allows")

    def shape(beta: float) -> float:
        d = (1 - beta) * (1 - fraction)
        drop, rise = log(beta) - log1p(-d), d / (1 - d)

        def off(alpha: float) -> float:
            return alpha * drop + log1p(alpha * rise) - target

        high = 1.0
        while off(high) > 0:
            high *= 2
        return float(brentq(off, 0.0, high, xtol=1e-14, rtol=1e-14))

    def off(beta: float) -> float:
        return expected_counts(groups, shape(beta), beta, fraction)[1] - twos

    values = [off(float(beta)) for beta in GRID]
    places = [i for i in range(len(GRID) - 1) if (values[i] < 0) != (values[i + 1] < 0)]
    if not places:
        raise no_estimate(NAME, "no parameters give its numbers of groups of one and two people")
    # Where several do, the one with most people alone is the careful choice.
    found = [float(brentq(off, GRID[i], GRID[i + 1], xtol=1e-15, rtol=1e-14)) for i in places]
    pairs = [(shape(beta), beta) for beta in found]
    return max(pairs, key=lambda pair: pair[0] * log(pair[1]))


def _slope(function, at: tuple[float, float, float], place: int) -> float:  # type: ignore[no-untyped-def]
    up, down = list(at), list(at)
    step = STEP * at[place]
    up[place] += step
    down[place] -= step
    return float((function(*up) - function(*down)) / (2 * step))
