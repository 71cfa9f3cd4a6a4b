"""Ranges and quantiles under a policy, from noisy counts of the values up to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from hedgerow.answers.counts import outside_notes
from hedgerow.answers.design import (
    CONFIDENCE,
    AnswerTable,
    NoiseDescription,
    Numbers,
    dense,
    distribution,
    key_columns,
)
from hedgerow.answers.public_knowledge import Labelled
from hedgerow.answers.selections import quantile_notes, shown_quantiles
from hedgerow.answers.sensitivity import EDGE
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Spaced, Tally
from hedgerow.noise.blowfish.hierarchical_mechanism import OrderedHierarchical, ranges_for
from hedgerow.noise.blowfish.ordered_mechanism import CumulativeCounts, Ordered, counted
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.noise.measures import Loss, Pure, ZeroConcentrated
from hedgerow.noise.noise_sums import laplace_sum_half_width
from hedgerow.table.domain import Bounds

MISS = 1 - CONFIDENCE


def ordering(cells: Labelled, *, stated: Stated, price: Loss) -> Ordering | None:
    """Counts up to each value, where the policy makes that sound; None where it does not.

    Cells must be the policy's values, all rows are counted, and neighbours differ in one row.
    """
    column, spaced = cells.cells.column, cells.cells
    graph, domain = stated.graph(column), stated.domain(column)
    if graph is None or column in stated.known or stated.changed > 1 or not graph.diameter:
        return None
    if not isinstance(spaced, Spaced) or not isinstance(domain, Bounds):
        return None
    if spaced.step != domain.step or spaced.cells != domain.cells:
        return None
    return Ordering(cells=cells, graph=graph, price=price)


@dataclass(frozen=True, kw_only=True)
class Ordering:
    """Noisy counts of the values up to each: the ordered mechanism, or the hierarchical one.

    Guarantee: the loss, for tables that differ in one row along one edge of the policy.
    Assumes: the number of rows is public. Rows without a number have a code of their own, the
    last, so that the counts are of all rows.
    """

    cells: Labelled
    graph: Graph
    price: Loss

    @cached_property
    def mechanism(self) -> Ordered | OrderedHierarchical:
        if isinstance(self.price, ZeroConcentrated):
            return Ordered(self.graph, self.price)
        return ranges_for(self.graph, Pure(epsilon=self.price.epsilon))

    @property
    def expected_error(self) -> float:
        return self.mechanism.expected_error

    @property
    def loss(self) -> Loss:
        """No delta is needed, and none is spent."""
        return self.mechanism.loss

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return Tally(by=(self.cells.cells,), count="rows"), Tally(count="rows")

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        up_to = "each count of the values up to one"
        if isinstance(self.mechanism, Ordered):
            noise, change = self.mechanism.noise, self.mechanism.sensitivity.l1
            words = f"{EDGE} changes them by at most {change} in all"
            return (NoiseDescription(up_to, distribution(noise), noise.scale, words),)
        names = (up_to.replace("one", f"every {self.mechanism.theta:,}th"), "each count in between")
        return tuple(
            NoiseDescription(
                name,
                distribution(noise),
                noise.scale,
                f"{EDGE} changes them by at most {change} in all",
            )
            for name, noise, change in zip(
                names, self.mechanism.noises, self.mechanism.changes, strict=True
            )
            if noise is not None
        )

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            "Counts are differences of noisy counts of the values up to each, so that a range's "
            "noise does not grow with its length. The interval of a range is not the sum of those "
            "of its cells; it is told with the range.",
            *outside_notes((self.cells,)),
        )

    @property
    def details(self) -> Mapping[str, Any]:
        spaced = self.cells.cells
        assert isinstance(spaced, Spaced)
        return {"low": str(spaced.low), "step": str(spaced.step), "reach": self.range_reach}

    @property
    def range_reach(self) -> int:
        """How far the count of a range is off at most, 95 times in 100."""
        if isinstance(self.mechanism, Ordered):
            return self.mechanism.accuracy(confidence=CONFIDENCE)
        return self._reach(ends=2, miss=MISS)

    def _reach(self, *, ends: int, miss: Fraction) -> int:
        """How far the sum or difference of so many counts up to values is off."""
        found = 0
        if isinstance(self.mechanism, Ordered):
            return ends * self.mechanism.noise.accuracy(confidence=1 - miss / ends)
        up_to, inside = self.mechanism.noises
        if up_to is not None:
            found += ends * up_to.accuracy(confidence=1 - miss / (2 * ends))
        if inside is not None:
            wide = laplace_sum_half_width(
                scale=inside.scale,
                squares=np.array(self._squares(self.mechanism, ends)),
                largest=1.0,
                confidence=1 - miss / 2,
            )
            # Each end was rounded to a whole number.
            found += ceil(float(wide) + ends / 2)
        return found

    @staticmethod
    def _squares(mechanism: OrderedHierarchical, ends: int) -> float:
        """The sum of the squares with which noise in trees counts, for so many ends of ranges.

        Two ends in one block are no farther off than twice the worst, and than what the nodes
        between them are together, as counts fit those best.
        """
        tree = mechanism.tree
        worst = float(tree.variance(0, np.arange(tree.cells)).max())
        nodes = float(ends * tree.height * (tree.branching - 1))
        return max(ends * worst, min(ends**2 * worst, nodes))

    def read(self, counted: Sequence[Table]) -> Numbers:
        inside = dense(counted[0], [len(self.cells.labels)])
        everybody = dense(counted[1], [])
        return np.append(inside, everybody - inside.sum())

    def noisy(self, exact: Numbers) -> Numbers:
        return self.mechanism.release(exact).noisy

    def best(self, exact: Numbers) -> Numbers:
        return counted(self.graph, exact)

    def shown(self, numbers: Numbers) -> tuple[AnswerTable, ...]:
        counts = np.diff(numbers)[:-1].astype(object)
        told = {
            "count": counts.tolist(),
            "low": np.maximum(counts - self.range_reach, 0).tolist(),
            "high": np.maximum(counts + self.range_reach, 0).tolist(),
        }
        return (AnswerTable.of(key_columns((self.cells,)), told),)


@dataclass(frozen=True, kw_only=True)
class OrderedQuantiles:
    """Quantiles read off noisy counts of the values up to each, all of them at one price.

    If no count up to a value is off by more than E, once they are made to rise, then the first
    value at which they reach the share q of all numbers is at most (1 + q) E ranks off.
    """

    at: tuple[Fraction, ...]
    ordered: Ordering

    @property
    def loss(self) -> Loss:
        return self.ordered.loss

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return self.ordered.tallies

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        return self.ordered.noise

    @property
    def notes(self) -> tuple[str, ...]:
        cells = self.ordered.cells
        return (*outside_notes((cells,)), *quantile_notes(cells))

    @property
    def details(self) -> Mapping[str, Any]:
        return {}

    @cached_property
    def reach(self) -> list[int]:
        """How many ranks each quantile may be off; all of them at once."""
        many = len(self.ordered.cells.labels) + 1
        # Rising numbers nearest to some are nowhere farther off than the farthest of these.
        off = self.ordered._reach(ends=1, miss=MISS / many)
        return [ceil((1 + q) * off) for q in self.at]

    def read(self, counted: Sequence[Table]) -> Numbers:
        return self.ordered.read(counted)

    def noisy(self, exact: Numbers) -> Numbers:
        return self.ordered.noisy(exact)

    def best(self, exact: Numbers) -> Numbers:
        return self.ordered.best(exact)

    def shown(self, numbers: Numbers) -> tuple[AnswerTable, ...]:
        rising = CumulativeCounts.smoothed(numbers, rows=int(numbers[-1])).prefixes[1:-1]
        wanted = np.array([float(q) for q in self.at]) * rising[-1]
        found = np.minimum(np.searchsorted(rising, wanted), len(rising) - 1)
        cells = self.ordered.cells
        numbers_found = [float(cells.middles[cell]) for cell in found.tolist()]
        return (shown_quantiles(self.at, {}, cells.cells.column, numbers_found, self.reach),)
