"""Which estimator: by name, or the rule of Dankar et al."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hedgerow.claims.population import moment_bound as bound
from hedgerow.claims.population import negative_binomial, pitman, zayatz
from hedgerow.claims.population.estimate import Estimate, UndefinedEstimateError
from hedgerow.claims.population.size_counts import SizeCounts

FEW = 0.1
"""The sampling fraction up to which the rule asks Pitman's model."""


def dankar(sample: SizeCounts) -> Estimate:
    """Estimate by the rule that did best on clinical data.

    Up to a sampling fraction of 10 % Pitman's model, or Zayatz's where that has no estimate; above,
    the smaller of the slide negative binomial's and Zayatz's, or Zayatz's where only that has one.
    This is the rule as ARX reads it (`RiskModelPopulationUniqueness`).

    Reference: Dankar, El Emam, Neisa, Roffey 2012, BMC Medical Informatics and Decision Making 12.
    """
    usual = zayatz.zayatz(sample)
    few = sample.fraction <= FEW
    try:
        other = (pitman.pitman if few else negative_binomial.slide_negative_binomial)(sample)
    except UndefinedEstimateError:
        return usual
    return other if few or other.uniques <= usual.uniques else usual


ESTIMATORS: Mapping[str, Callable[[SizeCounts], Estimate]] = {
    bound.NAME: bound.moment_bound,
    "dankar": dankar,
    pitman.NAME: pitman.pitman,
    zayatz.NAME: zayatz.zayatz,
    negative_binomial.NAME: negative_binomial.slide_negative_binomial,
}
"""By the names that plans have for them; the first asks for no model of the population."""
