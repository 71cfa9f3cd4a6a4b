"""Average class size: people per group."""

from __future__ import annotations

import numpy as np

from hedgerow.recode.metrics.base import METRICS, GroupMetric
from hedgerow.recode.outcome import Original, Outcome
from hedgerow.table.groups import Floats


class AverageClassSize(GroupMetric):
    """People per group; those suppressed are one more group.

    Where suppressing and generalising do not count alike, a person suppressed and a person
    published count so much each.
    """

    name = "average-class-size"
    measures = "People per group."
    takes = frozenset({"suppression"})
    monotone = True

    @property
    def suppression_costs(self) -> bool:
        return not self.weighting.favours_suppression

    @property
    def by_size(self) -> bool:  # type: ignore[override]
        return self.suppression_costs

    def each(self, outcome: Outcome) -> Floats:
        return (outcome.n > 0).astype(np.float64)

    def from_sum(
        self, total: Floats, failed: Floats, original: Original, *, keep_suppressed: bool
    ) -> Floats:
        if keep_suppressed:
            more = (failed > 0).astype(np.float64) + (original.absent > 0)
        else:
            more = (failed + original.absent > 0).astype(np.float64)
        people = np.full_like(more, original.people)
        if not self.weighting.even:
            out = original.absent + (0.0 if keep_suppressed else failed)
            weighting = self.weighting
            people = weighting.generalised * (people - out) + weighting.suppressed * out
        average: Floats = people / np.maximum(1.0, total + more)
        return average

    def floor(self, outcome: Outcome, room: int) -> float:
        """There are no more groups than these and that of those suppressed, who count less."""
        if self.suppression_costs or room <= 0:
            return self.cost(outcome)
        people = outcome.original.people
        out = min(people, outcome.suppressed + room)
        weighting = self.weighting
        counted = weighting.generalised * (people - out) + weighting.suppressed * out
        return min(self.cost(outcome), counted / (np.count_nonzero(outcome.n) + 1.0))

    def bounded(self, outcome: Outcome, room: int) -> tuple[float, float]:
        """Nothing but the sizes of groups counts, so the bound is the same."""
        return self.cost(outcome), self.floor(outcome, room)


METRICS.register(AverageClassSize())
