"""How far a search is: the best so far, what nothing can beat, and how long it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, isfinite

from hedgerow.recode.metrics import Metric
from hedgerow.recode.optimality import DIGITS, gap_of, in_percent, rounded_down, rounded_up


@dataclass(frozen=True)
class SearchState:
    """A search that is going on."""

    share: float
    """How much is done: of the lattice, or of the time where that is more."""
    cost: float = inf
    """Of the best node so far; infinite where there is none."""
    bound: float = -inf
    """No release costs less."""
    seconds: float | None = None
    """That are left at most; None where the search goes on until all is settled."""

    def words(self, metric: Metric) -> str:
        """For people, rounded against the search.

        >>> from hedgerow.recode.metrics import METRICS
        >>> SearchState(0.5, 0.5, 0.3, 29.2).words(METRICS["loss"])
        'loss 0.5, bound 0.3, gap 40 %, 30 s left'
        >>> SearchState(0.5, 0.25, 0.125).words(METRICS["precision"])
        'precision 0.75, bound 0.875, gap 50 %'
        >>> SearchState(0.1, seconds=9.0).words(METRICS["loss"])
        'nothing found yet, 9 s left'
        """
        told = []
        if isfinite(self.cost):
            told.append(f"{metric.name} {metric.reported(self.cost):.{DIGITS}g}")
            if isfinite(self.bound):
                bound = min(self.bound, self.cost)
                least = metric.reported(max(bound, 0.0))
                away = rounded_up(least, DIGITS) if metric.best_is_one else rounded_down(least)
                told.append(f"bound {away:g}")
                told.append(f"gap {in_percent(gap_of(self.cost, bound))}")
        else:
            told.append("nothing found yet")
        if self.seconds is not None:
            told.append(f"{ceil(self.seconds)} s left")
        return ", ".join(told)


TellState = Callable[[SearchState], None]
"""Told now and then how far a search is."""
EndsSoon = Callable[[], bool]
"""Asked now and then whether a search is to end with the best it has."""
