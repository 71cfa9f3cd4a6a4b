"""Discernibility: how many people each person cannot be told from."""

from __future__ import annotations

import numpy as np

from hedgerow.recode.metrics.base import METRICS, GroupMetric
from hedgerow.recode.outcome import Original, Outcome
from hedgerow.table.groups import Floats


class Discernibility(GroupMetric):
    """Sum of squared group sizes; a person suppressed counts N (Bayardo and Agrawal 2005).

    Where suppressing and generalising do not count alike, so much of either sum.
    """

    name = "discernibility"
    measures = "How many people each person cannot be told from, added up."
    takes = frozenset({"suppression"})
    monotone = True

    @property
    def suppression_costs(self) -> bool:
        return not self.weighting.favours_suppression

    @property
    def by_size(self) -> bool:  # type: ignore[override]
        return self.suppression_costs

    def each(self, outcome: Outcome) -> Floats:
        squares: Floats = outcome.n.astype(np.float64) ** 2
        return self.weighting.generalised * squares

    def from_sum(
        self, total: Floats, failed: Floats, original: Original, *, keep_suppressed: bool
    ) -> Floats:
        people = original.people
        if keep_suppressed:  # who is published is generalised
            cost: Floats = total + self.weighting.generalised * failed * failed
            return cost + self.weighting.suppressed * float(original.absent) * people
        price = self.weighting.suppressed * people
        cost = total + failed * price
        return cost + float(original.absent) * price

    def floor(self, outcome: Outcome, room: int) -> float:
        """Each person costs their group's size or N; in a larger group nobody costs less."""
        cost = self.cost(outcome)
        if self.suppression_costs or room <= 0 or not len(outcome.n):
            return cost
        n = np.sort(outcome.n)[::-1]
        price = self.weighting.suppressed * outcome.original.people
        gain = np.maximum(self.weighting.generalised * n - price, 0.0)
        taken = np.clip(room - (np.cumsum(n) - n), 0, n)
        return cost - float((taken * gain).sum())

    def bounded(self, outcome: Outcome, room: int) -> tuple[float, float]:
        """Nothing but the sizes of groups counts, so the bound is the same."""
        return self.cost(outcome), self.floor(outcome, room)


METRICS.register(Discernibility())
