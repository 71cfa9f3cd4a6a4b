"""Kullback-Leibler divergence: how likely the table is under what is published."""

from __future__ import annotations

import numpy as np

from hedgerow.recode.metrics.base import METRICS, GroupMetric
from hedgerow.recode.outcome import Original, Outcome
from hedgerow.table.groups import Floats


class KLDivergence(GroupMetric):
    """Kullback-Leibler divergence in nats from the original distribution over tuples to the
    one a recipient would assume: each group spread evenly over the leaf combinations it
    covers, those suppressed over all combinations. People whom the plan bars do not count.
    """  # noqa: D205

    name = "kl-divergence"
    measures = "How far what a recipient would assume of the table is from the table, in nats."
    monotone = True
    suppression_costs = False

    def each(self, outcome: Outcome) -> Floats:
        n, there = outcome.n.astype(np.float64), outcome.n > 0
        volume = np.log(outcome.spans.width[there].astype(np.float64)).sum(axis=1)
        likelihood = np.zeros(len(n))
        likelihood[there] = n[there] * (np.log(n[there]) - volume)
        return likelihood

    def from_sum(
        self, total: Floats, failed: Floats, original: Original, *, keep_suppressed: bool
    ) -> Floats:
        # About those who can be in a release: whoever is barred from it is the same everywhere.
        space = np.log(np.array(original.leaves, np.float64)).sum()
        likelihood = total + failed * (np.log(np.maximum(failed, 1.0)) - space)
        known = max(1.0, float(original.people - original.absent))
        divergence: Floats = (original.tuple_information - likelihood) / known
        return divergence

    def cost(self, outcome: Outcome) -> float:
        # Where somebody is suppressed, releases in Python have always shown a NumPy double here.
        cost = super().cost(outcome)
        return np.float64(cost) if outcome.suppressed > outcome.original.absent else cost

    def bounded(self, outcome: Outcome, room: int) -> tuple[float, float]:
        """A group gains by joining those suppressed where it is sparser than they are.

        With s people suppressed the likelihood has s ln s of them. That is convex, so between
        s and s + room it lies under its chord, and each group gains at most what the chord
        says of its people.
        """
        original, out = outcome.original, float(outcome.suppressed - outcome.original.absent)
        cost, most = self.cost(outcome), out + room
        if room <= 0 or not len(outcome.n):
            return cost, cost
        n = outcome.n.astype(np.float64)
        chord = (_n_log_n(most) - _n_log_n(out)) / room
        space = np.log(np.array(original.leaves, np.float64)).sum()
        volume = np.log(outcome.spans.width.astype(np.float64)).sum(axis=1)
        gain = chord - space - np.log(np.maximum(n, 1.0)) + volume
        best = np.argsort(-gain)
        before = np.cumsum(n[best]) - n[best]
        taken = np.clip(room - before, 0.0, n[best])
        gained = float((taken * np.maximum(gain[best], 0.0)).sum())
        return cost, cost - gained / max(1.0, float(original.people - original.absent))


def _n_log_n(n: float) -> float:
    return n * float(np.log(n)) if n > 0 else 0.0


METRICS.register(KLDivergence())
