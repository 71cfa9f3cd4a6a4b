"""Precision: how low in their hierarchies the published values stand."""

from __future__ import annotations

from hedgerow.recode.metrics.base import METRICS, CellMetric
from hedgerow.recode.outcome import Original
from hedgerow.table.groups import Floats


class Precision(CellMetric):
    """1 - average height of the published values in their hierarchies (Sweeney 2002)."""

    name = "precision"
    measures = "How low in their hierarchies the published values stand."
    best_is_one = True
    linear = True

    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        return rung

    def worst(self, original: Original) -> float:
        return 1.0

    def parts(self, totals: Floats, original: Original) -> Floats:
        return self.weighting.mean(totals, float(max(1, original.people)))


METRICS.register(Precision())
