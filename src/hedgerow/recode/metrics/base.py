"""Metric: what a release is still worth, as a cost that a search makes small.

Every metric treats people who are suppressed as the worst case, so that suppressing is never
cheaper than generalising, unless the steward weighs it otherwise (see `Weighting`). Suppressing
one more group may still lower the cost of some (see `suppression_costs`). Three kinds matter to a
search:

- *cell metrics* add up a cost per person and column, so their cost without suppression is known
  from the levels alone;
- *group metrics* are a function of a sum over the published groups; where merging groups never
  lowers the cost, the cost of a finer partition with nobody suppressed is a lower bound;
- *others* have no such structure, and are measured node by node.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from hedgerow.base.registry import Registry
from hedgerow.recode.metrics.weights import PLAIN, Weighting
from hedgerow.recode.outcome import Original, Outcome, Workload
from hedgerow.table.groups import Floats

if TYPE_CHECKING:
    from hedgerow.recode.lattice import Lattice
    from hedgerow.recode.metrics.group_sums import GroupSums


class Metric(ABC):
    """A cost: smaller is better. What has no default must be said."""

    takes: ClassVar[frozenset[str]] = frozenset()
    """What the steward may weigh: `weights` of columns, the factor of `suppression`."""
    weighting: Weighting = PLAIN
    """What the steward weighs."""
    best_is_one = False
    """Whether it is customarily reported as 1 - cost."""
    by_size = False
    """Whether only sizes of groups count, and to suppress a smaller one never costs more."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As in the plan."""

    @property
    @abstractmethod
    def measures(self) -> str:
        """What it measures, in a sentence."""

    @property
    @abstractmethod
    def monotone(self) -> bool:
        """Whether a finer partition with nobody suppressed never costs more."""

    @property
    @abstractmethod
    def suppression_costs(self) -> bool:
        """Whether suppressing one more group never lowers the cost."""

    @abstractmethod
    def cost(self, outcome: Outcome) -> float:
        """The cost of a partition."""

    def weighed(self, weighting: Weighting) -> Self:
        """The same metric, as the steward weighs it; only what it `takes`."""
        if weighting == self.weighting:
            return self
        other = copy.copy(self)
        object.__setattr__(other, "weighting", weighting)  # some metrics are frozen dataclasses
        return other

    def floor(self, outcome: Outcome, room: int) -> float:
        """What no release costs less whose groups are these, or unions of them.

        Args:
            outcome: Groups, with nobody suppressed who can be in a release.
            room: People of these who may be suppressed.
        """
        return self.cost(outcome) if self.monotone else float("-inf")

    def bounded(self, outcome: Outcome, room: int) -> tuple[float, float]:
        """The cost, and what no release costs less that suppresses `room` more people at most.

        A metric for which suppressing may lower the cost has to say more than this.
        """
        cost = self.cost(outcome)
        return cost, cost if self.suppression_costs or room <= 0 else float("-inf")

    def reported(self, cost: float) -> float:
        """The cost as people are used to seeing it."""
        return 1.0 - cost if self.best_is_one else cost

    @property
    def by_cell(self) -> CellMetric | None:
        """Itself, where it adds up costs per person and column."""
        return None

    @property
    def best(self) -> str:
        """What a reader wants to see."""
        return "1 is best" if self.best_is_one else "lower is better"

    @property
    def bound(self) -> str:
        """How a search bounds it, in a few words."""
        return "the finest partition" if self.monotone else "none: nodes are measured one by one"

    def sums(self, lattice: Lattice, *, keep_suppressed: bool = False) -> GroupSums:
        """What the sliders of the app move: the metric as sums over the groups of a lattice.

        Args:
            lattice: The lattice.
            keep_suppressed: Whether those who fail are published as one group of `*`.
        """
        from hedgerow.recode.metrics.group_sums import Unsummed

        return Unsummed(lattice, self, keep_suppressed)

    def workload(self, leaves: tuple[int, ...]) -> Workload | None:
        """The queries whose true answers it needs, where it needs some.

        Args:
            leaves: Leaves in each column's hierarchy.
        """
        return None


class CellMetric(Metric):
    """A cost per person and column, added up by column, then combined over columns."""

    takes = frozenset({"weights", "suppression"})
    monotone = True
    bound = "the levels alone"
    linear: ClassVar[bool] = False
    """Whether the cost is a sum of what each person costs: whose parts are linear in the totals."""

    @property
    def suppression_costs(self) -> bool:
        return not self.weighting.favours_suppression

    @abstractmethod
    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        """What it costs one person to have a value published like this.

        Args:
            share: Leaves under the published value / leaves in the hierarchy.
            under: People of the whole table whose value the published one covers.
            rung: How high in the hierarchy, from 0 (as it is) to 1 (top).
        """

    @abstractmethod
    def worst(self, original: Original) -> float:
        """What it costs one person to be suppressed, in each column, where that counts in full."""

    def as_it_is(self, original: Original) -> Floats:
        """What it costs one person on average to have the value of each column as it is."""
        found = np.zeros(len(original.leaves))
        for j, (leaves, counts) in enumerate(
            zip(original.leaves, original.leaf_counts, strict=True)
        ):
            under = counts.astype(np.float64)
            cost = self.cell(
                share=np.full(leaves, 1 / max(1, leaves)), under=under, rung=np.zeros(leaves)
            )
            found[j] = (under * cost).sum() / max(1.0, float(under.sum()))
        return found

    def generalised(self, cell: Floats, least: Floats | float) -> Floats:
        """Costs of published values as the steward weighs them.

        Args:
            cell: The costs.
            least: What it costs to have a value as it is.
        """
        if self.weighting.generalised == 1:
            return cell
        weighed: Floats = least + self.weighting.generalised * (cell - least)
        return weighed

    def gone(self, original: Original) -> Floats:
        """What it costs one person to be suppressed, by column, as the steward weighs it."""
        worst = np.full(len(original.leaves), self.worst(original))
        if self.weighting.suppressed == 1:
            return worst
        least = self.as_it_is(original)
        weighed: Floats = least + self.weighting.suppressed * (worst - least)
        return weighed

    @abstractmethod
    def parts(self, totals: Floats, original: Original) -> Floats:
        """What each column's total (last axis) adds to the score: increasing and concave in it."""

    def from_score(self, score: Floats) -> Floats:
        """The cost, which grows with the score."""
        return score

    def combine(self, totals: Floats, original: Original) -> Floats:
        """From the columns' totals (last axis) to the cost; increasing in each of them."""
        return self.from_score(self.parts(totals, original).sum(axis=-1))

    def cost(self, outcome: Outcome) -> float:
        cell = self.cell(
            share=outcome.share, under=outcome.under.astype(float), rung=outcome.spans.rung
        )
        if not self.weighting.even:
            cell = self.generalised(cell, self.as_it_is(outcome.original))
        # Not n @ cell: in which order a dot product adds up depends on the processor.
        totals = (outcome.n[:, None] * cell).sum(axis=0)
        totals += outcome.suppressed * self.gone(outcome.original)
        return float(self.combine(totals, outcome.original))

    @property
    def by_cell(self) -> CellMetric:
        return self

    def sums(self, lattice: Lattice, *, keep_suppressed: bool = False) -> GroupSums:
        from hedgerow.recode.metrics.group_sums import CellSums

        return CellSums(lattice, self, keep_suppressed)


class GroupMetric(Metric):
    """A function of one sum over the published groups, and of how many people are in no group."""

    @abstractmethod
    def each(self, outcome: Outcome) -> Floats:
        """What each group adds to the sum."""

    @abstractmethod
    def from_sum(
        self, total: Floats, failed: Floats, original: Original, *, keep_suppressed: bool
    ) -> Floats:
        """The cost.

        Args:
            total: The sum over published groups.
            failed: People whose groups are not published; those who can be in no release
                (`original.absent`) are not among them.
            original: The table.
            keep_suppressed: Whether those who failed are published as one group of `*`, which is
                not in the sum.
        """

    def cost(self, outcome: Outcome) -> float:
        original = outcome.original
        failed = np.array(outcome.suppressed - original.absent, np.float64)
        total = self.each(outcome).sum()
        return float(self.from_sum(total, failed, original, keep_suppressed=False))

    def sums(self, lattice: Lattice, *, keep_suppressed: bool = False) -> GroupSums:
        from hedgerow.recode.metrics.group_sums import OneSum

        return OneSum(lattice, self, keep_suppressed)


WEIGHED = ", weighed"
"""Ends the name of a metric where a release reports it as the steward weighs it."""
METRICS: Registry[Metric] = Registry("utility metric", group="hedgerow.metrics")
"""The metrics by plan name, in the order in which releases list them."""


def measure(outcome: Outcome, weighed: Metric | None = None) -> dict[str, float]:
    """Every metric as it is reported; `weighed` too, where it is not one of them as it is."""
    told = {name: metric.reported(metric.cost(outcome)) for name, metric in METRICS.items()}
    if weighed is not None and weighed.weighting != PLAIN:
        told[weighed.name + WEIGHED] = weighed.reported(weighed.cost(outcome))
    return told


def metric_of(told: str) -> Metric | None:
    """The metric that a release reports under this name; None for one that nobody knows here.

    >>> metric_of("loss, weighed").best
    'lower is better'
    """
    return METRICS.get(told.removesuffix(WEIGHED))
