"""Query error: how wrong counts are that a recipient works out from the release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hedgerow.recode.metrics.base import METRICS, Metric
from hedgerow.recode.outcome import Original, Outcome, Workload, expected_inside
from hedgerow.table.groups import Floats


@dataclass(frozen=True)
class QueryError(Metric):
    """Mean relative error of random range-count queries answered from the release.

    Each query asks for the people in a run of leaves in some columns; the recipient spreads a
    group evenly over what its published value covers. Errors are relative to the true count,
    or to one percent of the table where that is larger. The workload is fixed by `seed`. Weights
    are the chances of columns to be asked about.
    """

    queries: int = 200
    columns: int = 2
    seed: int = 20090824
    takes = frozenset({"weights"})
    name = "query-error"
    measures = "How wrong counts of random ranges are that a recipient works out, on average."
    monotone = False
    suppression_costs = False

    def cost(self, outcome: Outcome) -> float:
        return self.bounded(outcome, 0)[0]

    def bounded(self, outcome: Outcome, room: int) -> tuple[float, float]:
        """Whoever is suppressed too lowers an answer by at most 1."""
        original, spans = outcome.original, outcome.spans
        asked = self.workload(original.leaves)
        truth = self.truth(original)
        answer = expected_inside(spans.low, spans.high, outcome.n, asked)
        scale = np.maximum(truth, max(0.01 * original.people, 1.0))
        # Fewer people bring an answer that is too high nearer to the truth, and no other.
        least = np.maximum(truth - answer, np.maximum(answer - room - truth, 0.0))
        return float((np.abs(answer - truth) / scale).mean()), float((least / scale).mean())

    def truth(self, original: Original) -> Floats:
        """The true answers."""
        return original.within(self.workload(original.leaves))

    def workload(self, leaves: tuple[int, ...]) -> Workload:
        """The queries. Not private data, so any generator will do."""
        shares = None
        if self.weighting.weights:
            shares = tuple(self.weighting.shares(len(leaves)).tolist())
        return _drawn(
            leaves, seed=self.seed, queries=self.queries, columns=self.columns, shares=shares
        )


@lru_cache(maxsize=32)
def _drawn(
    leaves: tuple[int, ...],
    *,
    seed: int,
    queries: int,
    columns: int,
    shares: tuple[float, ...] | None,
) -> Workload:
    """Drawn once for all nodes of a search.

    Args:
        leaves: Leaves in each column's hierarchy.
        seed: What is drawn from.
        queries: How many queries.
        columns: About so many columns each, where there are so many.
        shares: The chance of each column to be asked about; all the same if None.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    width = min(columns, len(leaves))
    if shares is not None:
        draws = [random.choice(len(leaves), width, replace=False, p=shares)
                 for _ in range(queries)]  # fmt: skip
        chosen = np.array(draws)
    else:
        chosen = np.array([random.permutation(len(leaves))[:width] for _ in range(queries)])
    size = np.array(leaves)[chosen]
    ends = np.sort((random.random((2, *chosen.shape)) * size).astype(np.int64), axis=0)
    drawn = Workload(chosen, ends[0], ends[1])
    for array in drawn:
        array.flags.writeable = False
    return drawn


METRICS.register(QueryError())
