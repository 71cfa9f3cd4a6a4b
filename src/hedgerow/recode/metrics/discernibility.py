"""Discernibility: how many people each person cannot be told from."""

from __future__ import annotations

import numpy as np

from hedgerow.recode.metrics.base import METRICS, GroupMetric
from hedgerow.recode.outcome import Original, Outcome
from hedgerow.table.groups import Floats


class Discernibility(GroupMetric):
    """Sum of squared group sizes; a person suppressed counts N (Bayardo and Agrawal 2005)."""

    name = "discernibility"
    measures = "How many people each person cannot be told from, added up."
    monotone = True
    suppression_costs = True
    by_size = True

    def each(self, outcome: Outcome) -> Floats:
        squares: Floats = outcome.n.astype(np.float64) ** 2
        return squares

    def from_sum(
        self, total: Floats, failed: Floats, original: Original, *, keep_suppressed: bool
    ) -> Floats:
        people = original.people
        cost: Floats = total + failed * (failed if keep_suppressed else people)
        return cost + float(original.absent) * people


METRICS.register(Discernibility())
