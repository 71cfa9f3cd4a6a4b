"""Metrics as sums over groups, so that suppressing groups is a subtraction.

The sliders of the app move claims over a lattice that is counted once. What a node costs is then
a function of its levels, of how many people are suppressed, and of sums over its groups.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from hedgerow.recode.lattice import CellCosts, Frequency, Lattice
from hedgerow.recode.metrics.base import CellMetric, GroupMetric, Metric
from hedgerow.table.groups import Floats, Ints


@dataclass(frozen=True, eq=False)
class GroupSums(ABC):
    """A metric laid out on the groups of a lattice."""

    lattice: Lattice
    metric: Metric
    keep_suppressed: bool = False
    """Whether those who fail are published as one group in which every value is `*`."""

    measured: ClassVar[bool] = True
    """Whether the costs are known at all."""

    @abstractmethod
    def weigh(self, frequency: Frequency, entry: Ints, size: int) -> tuple[Floats, Floats]:
        """What the groups add up to by entry (entries by parts), and what is known of all."""

    @abstractmethod
    def costs(self, whole: Floats, failing: Floats, left_out: Ints) -> Floats:
        """The cost of nodes.

        Args:
            whole: What `weigh` said of all groups of each node, nodes by parts.
            failing: The sum over the entries that are suppressed, nodes by parts.
            left_out: People suppressed, those included who are in no group.
        """


@dataclass(frozen=True, eq=False)
class CellSums(GroupSums):
    """A cost per person and column: each column's total grows by those who are suppressed."""

    metric: CellMetric

    @cached_property
    def _costs(self) -> CellCosts:
        return CellCosts(self.lattice, self.metric)

    def weigh(self, frequency: Frequency, entry: Ints, size: int) -> tuple[Floats, Floats]:
        extra = self._costs.left_out(frequency, frequency.groups.n, entry, size)[1]
        return extra, self._costs.published(frequency.node)

    def costs(self, whole: Floats, failing: Floats, left_out: Ints) -> Floats:
        return self.metric.combine(whole + failing, self.lattice.original)


@dataclass(frozen=True, eq=False)
class OneSum(GroupSums):
    """One sum over the published groups."""

    metric: GroupMetric

    def weigh(self, frequency: Frequency, entry: Ints, size: int) -> tuple[Floats, Floats]:
        each = np.zeros(len(frequency))
        each[frequency.groups.n > 0] = self.metric.each(self.lattice.outcome(frequency))
        found = np.bincount(entry, weights=each, minlength=size)
        weight: Floats = found.astype(np.float64)[:, None]
        return weight, weight.sum(axis=0)

    def costs(self, whole: Floats, failing: Floats, left_out: Ints) -> Floats:
        original = self.lattice.original
        failed = (left_out - original.absent).astype(np.float64)
        return self.metric.from_sum(
            (whole - failing)[:, 0], failed, original, keep_suppressed=self.keep_suppressed
        )


class Unsummed(GroupSums):
    """A metric that has to be measured on each node, and here is not."""

    measured = False

    def weigh(self, frequency: Frequency, entry: Ints, size: int) -> tuple[Floats, Floats]:
        return np.zeros((size, 0)), np.zeros(0)

    def costs(self, whole: Floats, failing: Floats, left_out: Ints) -> Floats:
        return np.full(len(whole), np.nan)
