"""Zayatz: population groups are taken to be as large as sample groups, and Bayes' rule does it."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from hedgerow.claims.population.estimate import Estimate, bounded, nobody_alone
from hedgerow.claims.population.size_counts import SizeCounts
from hedgerow.table.groups import Floats

NAME = "zayatz"


def zayatz(sample: SizeCounts) -> Estimate:
    """Estimate by the equivalence class model.

    A group of j people in the population has one person in a sample of n of N with a
    hypergeometric chance. With the sample's own distribution of sizes in place of the
    population's, Bayes' rule gives the chance that a sample unique is unique in the population.

    Reference: Zayatz 1991, "Estimation of the number of unique population elements using a sample".
    """
    if not sample.uniques:
        return nobody_alone(NAME)
    once = seen_once(sample)
    whole = float(once @ sample.counts)
    share = once[0] * sample.uniques / whole
    # uniques * share = once[0] * f1**2 / (sum over j of once[j] * f_j)
    influence = -sample.uniques * share * once / whole
    influence[0] += 2 * share
    return bounded(NAME, sample, sample.uniques * share, influence, share=share)


def seen_once(sample: SizeCounts) -> Floats:
    """For each size, the chance that a population group of that size is seen exactly once."""
    people, population, j = sample.people, sample.population, sample.sizes
    fits = population - j >= people - 1
    inside = np.where(fits, j, 1.0)
    rest = population - inside
    ways = gammaln(rest + 1) - gammaln(people) - gammaln(rest - people + 2)
    every = gammaln(population + 1) - gammaln(people + 1) - gammaln(population - people + 1)
    found: Floats = np.where(fits, inside * np.exp(ways - every), 0.0)
    return found
