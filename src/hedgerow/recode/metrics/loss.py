"""Loss: how much of each column's hierarchy the published values hide."""

from __future__ import annotations

import numpy as np

from hedgerow.recode.metrics.base import METRICS, CellMetric
from hedgerow.recode.outcome import Original
from hedgerow.table.groups import Floats


class GeneralisationLoss(CellMetric):
    """Geometric mean over the columns of the share of leaves a value hides.

    For each column L = (sum of shares - N/size) / (N - N/size), where a person who is suppressed
    has share 1; the score is the m-th root of the product of (L + 1), minus 1. The same
    definition as ARX's `loss` with default weights. Weights make it a weighted geometric mean.
    """

    name = "loss"
    measures = "The share of a column's values that a published value hides: geometric mean."

    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        return share

    def worst(self, original: Original) -> float:
        return 1.0

    def by_column(self, totals: Floats, original: Original) -> Floats:
        """L of each column, 0 (nothing hidden) to 1 (everything)."""
        least, scale = original.loss_range
        lost: Floats = (totals - least) * scale
        return lost

    def parts(self, totals: Floats, original: Original) -> Floats:
        # Through logarithms: the product itself overflows where there are a thousand columns.
        return self.weighting.mean(np.log1p(self.by_column(totals, original)))

    def from_score(self, score: Floats) -> Floats:
        cost: Floats = np.expm1(score)
        return cost


METRICS.register(GeneralisationLoss())
