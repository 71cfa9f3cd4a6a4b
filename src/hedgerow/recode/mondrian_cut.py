"""The cut Mondrian makes: of those that keep every claim on both sides, the preferred one.

The widest axis comes first; on it cuts between the highest branches, and of these the one nearest
to the median (of two that are equally near, the one that has the median on its left).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import PrivacyModel
from hedgerow.table.groups import Groups, Histogram, Ints, Sensitive

BATCH = 64
"""Cuts measured together, after a first one alone: usually that one is allowable."""


@dataclass(frozen=True, eq=False)
class MondrianCuts:
    """Cuts of one node, those with enough people on each side."""

    order: Ints
    """The axes, widest first."""
    place: Ints
    """For each cut, where its axis stands in that order."""
    behind: Ints
    """The rank it is behind."""
    level: Ints
    """How high the branches are that it parts."""
    side: Ints
    """People on its smaller side."""

    def without(self, axes: Collection[int]) -> MondrianCuts:
        """The cuts on other axes."""
        if not axes:
            return self
        kept = ~np.isin(self.order[self.place], list(axes))
        return replace(
            self, place=self.place[kept], behind=self.behind[kept], level=self.level[kept],
            side=self.side[kept],
        )  # fmt: skip

    def preferred(self) -> Iterator[tuple[Ints, Ints]]:
        """Axis and rank of the cuts, the preferred ones first, in batches."""
        best = np.lexsort((-self.behind, -self.side, -self.level, self.place))
        axis, behind = self.order[self.place[best]], self.behind[best]
        if len(best):
            yield axis[:1], behind[:1]
        for begin in range(1, len(best), BATCH):
            yield axis[begin : begin + BATCH], behind[begin : begin + BATCH]

    def first(
        self, left: Callable[[Ints, Ints], Ints], total: Ints, reading: Reading
    ) -> tuple[int, int] | None:
        """Axis and rank of the preferred cut that keeps every claim on both sides.

        Args:
            left: Gives the tallies left of cuts: of axes, ascending, and ranks, ascending
                within an axis.
            total: The tally of the node.
            reading: What tallies mean.
        """
        for axis, behind in self.preferred():
            if not reading.models:
                return int(axis[0]), int(behind[0])
            ascending = np.lexsort((behind, axis))
            allowable = np.empty(len(axis), np.bool_)
            tallies = left(axis[ascending], behind[ascending])
            allowable[ascending] = reading.allowable(tallies, total)
            if allowable.any():
                chosen = int(np.argmax(allowable))
                return int(axis[chosen]), int(behind[chosen])
        return None


@dataclass(frozen=True, eq=False)
class Reading:
    """What tallies mean: column 0 people, column 1 people outside, then people by `values`."""

    models: Sequence[PrivacyModel]
    sensitive: Sequence[Sensitive]
    values: Ints
    """Sensitive values, ascending, all attributes numbered through."""
    outside: bool
    """Whether there is an outside population."""

    def allowable(self, left: Ints, total: Ints) -> NDArray[np.bool_]:
        """For each cut, whether every model holds on both of its sides."""
        groups = self.groups(np.concatenate((left, total - left)))
        holds = np.ones(len(groups), np.bool_)
        for model in self.models:
            holds &= model.holds(groups)
        return holds[: len(left)] & holds[len(left) :]

    def groups(self, tallies: Ints) -> Groups:
        """One group for each tally."""
        histograms, domains, base = {}, {}, 0
        for domain in self.sensitive:
            first, last = np.searchsorted(self.values, (base, base + len(domain.values)))
            counts = tallies[:, 2 + first : 2 + last]
            group, place = np.nonzero(counts)
            indptr = np.searchsorted(group, np.arange(len(tallies) + 1)).astype(np.int64)
            codes = (self.values[first + place] - base).astype(np.int32)
            histograms[domain.name] = Histogram(indptr, codes, counts[group, place])
            domains[domain.name] = domain
            base += len(domain.values)
        return Groups(tallies[:, 0], histograms, domains, tallies[:, 1] if self.outside else None)
