"""Average class size: people per group."""

from __future__ import annotations

import numpy as np

from hedgerow.recode.metrics.base import METRICS, GroupMetric
from hedgerow.recode.outcome import Original, Outcome
from hedgerow.table.groups import Floats


class AverageClassSize(GroupMetric):
    """People per group; those suppressed are one more group."""

    name = "average-class-size"
    measures = "People per group."
    monotone = True
    suppression_costs = True
    by_size = True

    def each(self, outcome: Outcome) -> Floats:
        return (outcome.n > 0).astype(np.float64)

    def from_sum(
        self, total: Floats, failed: Floats, original: Original, *, keep_suppressed: bool
    ) -> Floats:
        if keep_suppressed:
            more = (failed > 0).astype(np.float64) + (original.absent > 0)
        else:
            more = (failed + original.absent > 0).astype(np.float64)
        average: Floats = original.people / np.maximum(1.0, total + more)
        return average


METRICS.register(AverageClassSize())
