"""Granularity: the loss, averaged over columns and turned around."""

from __future__ import annotations

from hedgerow.recode.metrics.base import METRICS
from hedgerow.recode.metrics.loss import GeneralisationLoss
from hedgerow.recode.outcome import Original
from hedgerow.table.groups import Floats


class Granularity(GeneralisationLoss):
    """Arithmetic mean over the columns of 1 - L (see `GeneralisationLoss`)."""

    name = "granularity"
    measures = "The share of a column's values that a published value rules out: arithmetic mean."
    best_is_one = True
    linear = True

    def parts(self, totals: Floats, original: Original) -> Floats:
        return self.weighting.mean(self.by_column(totals, original))

    def from_score(self, score: Floats) -> Floats:
        return score


METRICS.register(Granularity())
