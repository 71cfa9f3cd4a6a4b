"""Non-uniform entropy: how hard it is to guess the values back."""

from __future__ import annotations

import numpy as np

from hedgerow.recode.metrics.base import METRICS, CellMetric
from hedgerow.recode.outcome import Original
from hedgerow.table.groups import Floats


class NonUniformEntropy(CellMetric):
    """Bits needed to guess back the values (Gionis and Tassa 2009), 0 to 1.

    A published value hides ln(n(published) / n(original)), counted in the whole table; a
    person suppressed hides ln(N / n(original)). Divided by what suppressing everybody costs.
    Weights multiply the bits of each column. Where suppressing and generalising do not count
    alike, a person hides what either hides on average; it costs nothing at least.
    """

    name = "non-uniform-entropy"
    measures = "Bits needed to guess the values back, as a share of the most there could be."
    linear = True

    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        return np.log(np.maximum(under, 1.0))

    def worst(self, original: Original) -> float:
        return float(np.log(max(1, original.people - original.absent)))

    def parts(self, totals: Floats, original: Original) -> Floats:
        known = original.self_information
        most = original.people * self.worst(original) - known
        hidden: Floats = totals - known
        if self.weighting.weights:
            shares = self.weighting.shares(len(original.leaves))
            most, hidden = most * shares, hidden * shares
        whole = float(most.sum())
        return hidden / whole if whole > 0 else hidden * 0.0

    def from_score(self, score: Floats) -> Floats:
        # Those suppressed may hide less than the average, which is what counts for them.
        return np.maximum(score, 0.0) if self.weighting.favours_suppression else score


METRICS.register(NonUniformEntropy())
