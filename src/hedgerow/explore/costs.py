"""Metrics as sums over groups, so that leaving groups out is a subtraction.

Every metric but the query error is a function of the levels, of how many people are left out, and
of one or more sums over the groups that are published.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.recode.lattice import CellCosts, Frequency, Lattice
from hedgerow.recode.utility import (
    AverageClassSize,
    CellMetric,
    Discernibility,
    KLDivergence,
    Metric,
)
from hedgerow.table.groups import Floats, Ints


@dataclass(frozen=True, eq=False)
class Worth(ABC):
    """A metric laid out on the groups of a lattice."""

    lattice: Lattice
    metric: Metric
    keep_suppressed: bool = False
    """Whether those who fail are published as one group in which every value is `*`."""

    measured = True
    """Whether the costs are known at all."""

    @abstractmethod
    def weigh(self, frequency: Frequency, entry: Ints, size: int) -> tuple[Floats, Floats]:
        """What the groups add up to by entry (entries by parts), and what is known of all."""

    @abstractmethod
    def costs(self, whole: Floats, failing: Floats, left_out: Ints) -> Floats:
        """The cost of nodes.

        Args:
            whole: What `weigh` said of all groups of each node, nodes by parts.
            failing: The sum over the entries that are left out, nodes by parts.
            left_out: People left out, those included who are in no group.
        """


class CellWorth(Worth):
    """A cost per person and column: each column's total grows by those who are left out."""

    @cached_property
    def _costs(self) -> CellCosts:
        assert isinstance(self.metric, CellMetric), "chosen by `worth_of`"
        return CellCosts(self.lattice, self.metric)

    def weigh(self, frequency: Frequency, entry: Ints, size: int) -> tuple[Floats, Floats]:
        extra = self._costs.left_out(frequency, frequency.groups.n, entry, size)[1]
        return extra, self._costs.published(frequency.node)

    def costs(self, whole: Floats, failing: Floats, left_out: Ints) -> Floats:
        return self._costs.metric.combine(whole + failing, self.lattice.original)


class GroupWorth(Worth):
    """A sum over the published groups."""

    def weigh(self, frequency: Frequency, entry: Ints, size: int) -> tuple[Floats, Floats]:
        found = np.bincount(entry, weights=self.each(frequency), minlength=size)
        weight: Floats = found.astype(np.float64)[:, None]
        return weight, weight.sum(axis=0)

    @abstractmethod
    def each(self, frequency: Frequency) -> Floats:
        """What each group adds."""

    def costs(self, whole: Floats, failing: Floats, left_out: Ints) -> Floats:
        failed = (left_out - self.lattice.original.absent).astype(np.float64)
        return self.cost((whole - failing)[:, 0], failed, self.lattice.original.absent)

    @abstractmethod
    def cost(self, kept: Floats, failed: Floats, absent: int) -> Floats:
        """From the sum over published groups, and the people in others or in none."""


class Squares(GroupWorth):
    """Discernibility: squared sizes."""

    def each(self, frequency: Frequency) -> Floats:
        squares: Floats = frequency.groups.n.astype(np.float64) ** 2
        return squares

    def cost(self, kept: Floats, failed: Floats, absent: int) -> Floats:
        people = self.lattice.original.people
        total: Floats = kept + failed * (failed if self.keep_suppressed else people)
        return total + float(absent) * people


class Sizes(GroupWorth):
    """Average class size: how many groups there are."""

    def each(self, frequency: Frequency) -> Floats:
        return (frequency.groups.n > 0).astype(np.float64)

    def cost(self, kept: Floats, failed: Floats, absent: int) -> Floats:
        if self.keep_suppressed:
            more = (failed > 0).astype(np.float64) + (absent > 0)
        else:
            more = (failed + absent > 0).astype(np.float64)
        average: Floats = self.lattice.original.people / np.maximum(1.0, kept + more)
        return average


class Likelihood(GroupWorth):
    """Kullback-Leibler divergence: how likely the table is under what is published."""

    def each(self, frequency: Frequency) -> Floats:
        n = frequency.groups.n.astype(np.float64)
        there = n > 0
        width = self.lattice.outcome(frequency).spans.width.astype(np.float64)
        found = np.zeros(len(n))
        found[there] = n[there] * (np.log(n[there]) - np.log(width).sum(axis=1))
        return found

    def cost(self, kept: Floats, failed: Floats, absent: int) -> Floats:
        original = self.lattice.original
        space = float(np.log(np.array(original.leaves, np.float64)).sum())
        likelihood = kept + failed * (np.log(np.maximum(failed, 1.0)) - space)
        known = max(1.0, float(original.people - original.absent))
        divergence: Floats = (original.tuple_information - likelihood) / known
        return divergence


class NoWorth(Worth):
    """A metric that has to be measured on each node, and here is not."""

    measured = False

    def weigh(self, frequency: Frequency, entry: Ints, size: int) -> tuple[Floats, Floats]:
        return np.zeros((size, 0)), np.zeros(0)

    def costs(self, whole: Floats, failing: Floats, left_out: Ints) -> Floats:
        return np.full(len(whole), np.nan)


def worth_of(lattice: Lattice, metric: Metric, *, keep_suppressed: bool = False) -> Worth:
    """The metric as sums over groups."""
    made: type[CellWorth | Squares | Sizes | Likelihood | NoWorth] = NoWorth
    match metric:
        case CellMetric():
            made = CellWorth
        case Discernibility():
            made = Squares
        case AverageClassSize():
            made = Sizes
        case KLDivergence():
            made = Likelihood
    return made(lattice, metric, keep_suppressed)
