"""Weighting: what matters more to the steward, which columns, and suppression or generalisation.

A factor f from 0 to 1 says how much it counts to suppress a person next to generalising one:
0.5, where both count in full, unless the plan says otherwise. Below, suppressing counts 2f and
generalising in full; above, generalising counts 2 (1 - f) and suppressing in full. At 0
suppressing people costs nothing; at 1 generalising does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.table.groups import Floats

EVEN = 0.5
"""The factor at which suppressing and generalising both count in full."""


@dataclass(frozen=True, kw_only=True)
class Weighting:
    """What a metric is to weigh.

    *Reference*: the factor is read as ARX reads its own, "weighting generalization and
    suppression" (class Metric, ARX 3.9). Weights are relative: doubling all changes nothing.

    >>> rather = Weighting(suppression=0.7)
    >>> round(rather.generalised, 3), rather.suppressed
    (0.6, 1.0)
    >>> Weighting(weights=(2, 1, 1)).shares(3).tolist()
    [0.5, 0.25, 0.25]
    """

    weights: tuple[float, ...] = ()
    """Of each quasi-identifier, above 0; all equal where there are none."""
    suppression: float = EVEN
    """The factor."""

    @property
    def generalised(self) -> float:
        """What generalising counts, 0 to 1."""
        return 1.0 if self.suppression <= EVEN else 2 * (1 - self.suppression)

    @property
    def suppressed(self) -> float:
        """What suppressing counts, 0 to 1."""
        return 1.0 if self.suppression >= EVEN else 2 * self.suppression

    @property
    def even(self) -> bool:
        """Whether suppressing and generalising count alike."""
        return self.suppression == EVEN

    @property
    def favours_suppression(self) -> bool:
        """Whether suppressing somebody may cost less than generalising them."""
        return self.suppression < EVEN

    def shares(self, columns: int) -> Floats:
        """The weights, so that they add up to 1."""
        weights = np.array(self.weights or (1.0,) * columns, np.float64)
        shares: Floats = weights / weights.sum() if len(weights) else weights
        return shares

    def mean(self, each: Floats, over: float = 1.0) -> Floats:
        """What each column (last axis) adds to the mean of what is `each` / `over`."""
        columns = each.shape[-1]
        if self.weights:
            weighed: Floats = each / over * self.shares(columns)
            return weighed
        plain: Floats = each / (over * max(1, columns))
        return plain


PLAIN = Weighting()
"""Columns count alike, and so do suppressing and generalising."""
