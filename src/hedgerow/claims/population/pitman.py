"""Pitman: the population is a random partition with two parameters, fitted to the sample."""

from __future__ import annotations

from math import exp

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import digamma, gammaln, polygamma

from hedgerow.claims.population.estimate import (
    Estimate,
    bounded,
    fitted_or_none,
    no_estimate,
    nobody_alone,
)
from hedgerow.claims.population.size_counts import SizeCounts
from hedgerow.table.groups import Floats

NAME = "pitman"
LEAST = 1e-6
"""How near to 0 and 1 the index may come, and the concentration to less its index."""
LARGEST = 1e5
"""The largest concentration, in people of the sample: beyond, everybody is alone."""
STEPS = 60


def pitman(sample: SizeCounts) -> Estimate:
    """Estimate by Pitman's sampling formula, fitted by maximum likelihood.

    A partition of n people into groups of sizes n_1 to n_u has the probability
    prod_{i<u} (theta + i alpha) * prod_g (1 - alpha)...(n_g - 1 - alpha) / prod_{i<n} (theta + i).
    Of N people, N (theta + alpha)^(N-1) / (theta + 1)^(N-1) are expected to be alone, with rising
    powers. A share of them, the sampling fraction, is in the sample.

    Reference: Hoshino 2001, "Applying Pitman's sampling formula to microdata disclosure risk
    assessment", Journal of Official Statistics 17.

    Raises:
        UndefinedEstimateError: The likelihood has no maximum inside.
    """
    if not sample.uniques:
        return nobody_alone(NAME)
    if sample.uniques == sample.people:
        raise no_estimate(NAME, "everybody is alone, so that no size is likelier than another")
    with fitted_or_none(NAME):
        theta, alpha = fitted(sample)
        alone = expected_alone(theta, alpha, sample.population) * sample.fraction
        hessian = _hessian(sample, theta, alpha)
        step = np.linalg.solve(-hessian, _scores(sample, theta, alpha))
        influence: Floats = _slope(theta, alpha, sample) @ step
    return bounded(NAME, sample, alone, influence, theta=theta, alpha=alpha)


def fitted(sample: SizeCounts) -> tuple[float, float]:
    """Concentration and index at which the sample is likeliest."""

    def loss(alpha: float) -> float:
        return -log_likelihood(sample, _concentration(sample, alpha), alpha)

    # The profile is not always unimodal, so a grid finds the place and a search refines it.
    grid = np.concatenate(([LEAST], np.linspace(0.02, 0.98, 25), [1 - LEAST]))
    losses = [loss(alpha) for alpha in grid]
    best = int(np.argmin(losses))
    if best in (0, len(grid) - 1):
        raise no_estimate(NAME, "the likelihood has its maximum at the edge")
    found = minimize_scalar(
        loss, bounds=(grid[best - 1], grid[best + 1]), method="bounded", options={"xatol": 1e-10}
    )
    alpha = float(found.x)
    return _polished(sample, _concentration(sample, alpha), alpha)


def _polished(sample: SizeCounts, theta: float, alpha: float) -> tuple[float, float]:
    """The same to full precision, by Newton's method."""
    for _ in range(STEPS):
        score = gradient(sample, theta, alpha)
        step = np.linalg.solve(_hessian(sample, theta, alpha), score)
        new = theta - float(step[0]), alpha - float(step[1])
        if not (LEAST / 2 < new[1] < 1 - LEAST / 2 and new[0] > -new[1]):
            break
        moved = max(abs(new[0] - theta) / (1 + abs(theta)), abs(new[1] - alpha))
        theta, alpha = new
        if moved < 1e-13:
            break
    if np.any(np.linalg.eigvalsh(_hessian(sample, theta, alpha)) >= 0):
        raise no_estimate(NAME, "the likelihood has no maximum that could be found")
    return theta, alpha


def log_likelihood(sample: SizeCounts, theta: float, alpha: float) -> float:
    """Of the partition, up to what does not depend on the parameters."""
    u, n, j = sample.groups, sample.people, sample.sizes
    first = theta / alpha
    seen = (u - 1) * np.log(alpha) + gammaln(first + u) - gammaln(first + 1)
    drawn = gammaln(theta + n) - gammaln(theta + 1)
    grown = sample.counts @ (gammaln(j - alpha) - gammaln(1 - alpha))
    return float(seen - drawn + grown)


def gradient(sample: SizeCounts, theta: float, alpha: float) -> Floats:
    """The slope of the log-likelihood in both parameters."""
    u, n, j = sample.groups, sample.people, sample.sizes
    first = theta / alpha
    steps = digamma(first + u) - digamma(first + 1)
    by_theta = steps / alpha - (digamma(theta + n) - digamma(theta + 1))
    by_alpha = (
        (u - 1) / alpha
        - first / alpha * steps
        - sample.counts @ (digamma(j - alpha) - digamma(1 - alpha))
    )
    return np.array([by_theta, by_alpha])


def expected_alone(theta: float, alpha: float, people: float) -> float:
    """How many of so many people are expected to be alone in their group."""
    rising = gammaln(theta + alpha + people - 1) - gammaln(theta + alpha)
    below = gammaln(theta + people) - gammaln(theta + 1)
    return people * exp(rising - below)


def _concentration(sample: SizeCounts, alpha: float) -> float:
    """The concentration at which the sample is likeliest, given the index."""

    def slope(theta: float) -> float:
        return float(gradient(sample, theta, alpha)[0])

    low, high = -alpha * (1 - LEAST), sample.people * LARGEST
    if slope(low) <= 0:
        return low
    if slope(high) >= 0:
        return high
    # On a scale on which small and large ones are equally far apart.
    found: float = brentq(lambda x: slope(np.exp(x) - alpha), np.log(low + alpha), np.log(high))
    return float(np.exp(found) - alpha)


def _hessian(sample: SizeCounts, theta: float, alpha: float) -> Floats:
    u, n, j = sample.groups, sample.people, sample.sizes
    first = theta / alpha
    steps = digamma(first + u) - digamma(first + 1)
    bend = polygamma(1, first + u) - polygamma(1, first + 1)
    twice = bend / alpha**2 - (polygamma(1, theta + n) - polygamma(1, theta + 1))
    both = -steps / alpha**2 - first / alpha**2 * bend
    last = (
        -(u - 1) / alpha**2
        + 2 * first / alpha**2 * steps
        + first**2 / alpha**2 * bend
        + sample.counts @ (polygamma(1, j - alpha) - polygamma(1, 1 - alpha))
    )
    return np.array([[twice, both], [both, last]], np.float64)


def _scores(sample: SizeCounts, theta: float, alpha: float) -> Floats:
    """What one more group of each size adds to the gradient."""
    u, n, j = sample.groups, sample.people, sample.sizes
    drawn = digamma(theta + n + j) - digamma(theta + n)
    grown = digamma(j - alpha) - digamma(1 - alpha)
    return np.array([1 / (theta + u * alpha) - drawn, u / (theta + u * alpha) - grown])


def _slope(theta: float, alpha: float, sample: SizeCounts) -> Floats:
    """How the estimate moves with the parameters."""
    people = sample.population
    alone = expected_alone(theta, alpha, people) * sample.fraction
    both = digamma(theta + alpha + people - 1) - digamma(theta + alpha)
    one = digamma(theta + people) - digamma(theta + 1)
    return np.array([alone * (both - one), alone * both])
