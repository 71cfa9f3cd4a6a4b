"""What a release is still worth: information-loss metrics on groups.

Every metric is a cost, smaller is better, and treats people who are suppressed as the worst
case, so that suppressing is never cheaper than generalising. Suppressing one more group may still
lower the divergence and the query error (see `suppression_costs`). Three kinds matter to a search:

- *cell metrics* add up a cost per person and column, so their cost without suppression is
  known from the levels alone;
- *group metrics* look at whole groups; merging groups never lowers their cost, so the cost of
  a finer partition with nobody left out is a lower bound;
- the *query error* has no such structure and is simply measured.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.table.groups import Floats, Ints

Codes = NDArray[np.int32]

MOST_COUNTED = 4_000_000
"""Leaf combinations of the largest contingency table that is laid out in memory."""


class Original(ABC):
    """The table before recoding, as far as metrics look at it. Counts are of people."""

    leaves: tuple[int, ...]
    """Leaves in each column's hierarchy."""
    absent: int
    """People of the table who can be in no release; they always count as left out."""

    @property
    @abstractmethod
    def people(self) -> int:
        """Everybody in the table."""

    @property
    @abstractmethod
    def leaf_counts(self) -> tuple[Ints, ...]:
        """For each column, people at each leaf."""

    @property
    @abstractmethod
    def tuple_sizes(self) -> tuple[Ints, Ints]:
        """How many people tuples have, in order, and how many tuples have so many."""

    @abstractmethod
    def within(self, asked: Workload) -> Floats:
        """How many people are in the box of each query."""

    @cached_property
    def loss_range(self) -> tuple[Floats, Floats]:
        """For each column, the least sum of shares, and 1 / (most - least), 0 if they are equal."""
        least = self.people / np.array(self.leaves, np.float64)
        room = self.people - least
        return least, np.divide(1.0, room, out=np.zeros_like(room), where=room > 0)

    @cached_property
    def self_information(self) -> Floats:
        """For each column, the sum over people of ln n(leaf)."""
        return np.array([(c[c > 0] * np.log(c[c > 0])).sum() for c in self.leaf_counts])

    @cached_property
    def tuple_information(self) -> float:
        """The sum over people of ln n(tuple)."""
        size, tuples = self.tuple_sizes
        people = (size * tuples).astype(np.float64)
        return float((people * np.log(size.astype(np.float64))).sum())


@dataclass(frozen=True, eq=False)
class Tuples(Original):
    """The table as its distinct tuples of leaf codes, counted in people."""

    q: Codes
    n: Ints
    """People with each tuple, at least 1."""
    leaves: tuple[int, ...]
    absent: int = 0

    @cached_property
    def people(self) -> int:
        return int(self.n.sum()) + self.absent

    @cached_property
    def leaf_counts(self) -> tuple[Ints, ...]:
        return tuple(
            np.bincount(self.q[:, j], weights=self.n, minlength=leaves).astype(np.int64)
            for j, leaves in enumerate(self.leaves)
        )

    @cached_property
    def tuple_sizes(self) -> tuple[Ints, Ints]:
        size, tuples = np.unique(self.n, return_counts=True)
        return size, tuples.astype(np.int64)

    def within(self, asked: Workload) -> Floats:
        """From one contingency table for each set of columns asked about."""
        answers, n = np.empty(len(asked.columns)), self.n.astype(np.float64)
        codes = [np.ascontiguousarray(column, np.int64) for column in self.q.T]
        kinds, which = np.unique(asked.columns, axis=0, return_inverse=True)
        for kind, columns in enumerate(kinds):
            queries = np.flatnonzero(which.reshape(-1) == kind)
            shape = tuple(self.leaves[j] for j in columns)
            if prod(shape) > MOST_COUNTED:
                for i in queries:
                    box = _inside(self.q, self.q, columns, asked.low[i], asked.high[i])
                    answers[i] = self.n @ box
                continue
            place = codes[columns[0]]
            for j in columns[1:]:
                place = place * self.leaves[j] + codes[j]
            counts = np.bincount(place, weights=n, minlength=prod(shape)).reshape(shape)
            for i in queries:
                ends = zip(asked.low[i], asked.high[i], strict=True)
                answers[i] = counts[tuple(slice(a, b + 1) for a, b in ends)].sum()
        return answers


@dataclass(frozen=True, eq=False, kw_only=True)
class Totals(Original):
    """The table as what was counted of it, where its tuples are not at hand."""

    leaves: tuple[int, ...]
    absent: int = 0
    counts: tuple[Ints, ...]
    """Leaf counts."""
    sizes: tuple[Ints, Ints]
    """Tuple sizes."""
    asked: Workload
    """The only queries whose answers are known."""
    answers: Floats

    @cached_property
    def people(self) -> int:
        size, tuples = self.sizes
        return int(size @ tuples) + self.absent

    @property
    def leaf_counts(self) -> tuple[Ints, ...]:
        return self.counts

    @property
    def tuple_sizes(self) -> tuple[Ints, Ints]:
        return self.sizes

    def within(self, asked: Workload) -> Floats:
        known = zip(self.asked, asked, strict=True)
        assert all(np.array_equal(a, b) for a, b in known), "other queries than were counted"
        return self.answers


class Workload(NamedTuple):
    """Range-count queries: each asks for a run of leaves in each of some columns."""

    columns: Ints
    low: Ints
    high: Ints
    """Queries by columns asked about; both ends belong to the run."""


@dataclass(frozen=True, eq=False)
class Spans:
    """What each group is published as: for each column a run of leaves, low to high."""

    low: Codes
    high: Codes
    rung: Floats
    """How high in the hierarchy, from 0 (as it is) to 1 (top)."""

    @property
    def width(self) -> Ints:
        return self.high.astype(np.int64) - self.low + 1

    def with_everything(self, leaves: Sequence[int]) -> Spans:
        """These groups, and one more that covers all leaves of every column."""
        top = np.array([leaves], np.int32) - 1
        return Spans(
            np.concatenate((self.low, np.zeros_like(top))),
            np.concatenate((self.high, top)),
            np.concatenate((self.rung, np.ones(top.shape))),
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """A partition of the table: published groups, and how many people were left out."""

    original: Original
    n: Ints
    suppressed: int
    find_spans: Callable[[], Spans]

    @cached_property
    def spans(self) -> Spans:
        return self.find_spans()

    @cached_property
    def share(self) -> Floats:
        """Groups by columns: leaves under the published value / leaves in the hierarchy."""
        share: Floats = self.spans.width / np.array(self.original.leaves, np.float64)
        return share

    @cached_property
    def under(self) -> Ints:
        """Groups by columns: people of the whole table whose value the published one covers."""
        columns = [np.zeros((len(self.n), 0), np.int64)]
        for j, counts in enumerate(self.original.leaf_counts):
            below = np.concatenate(([0], np.cumsum(counts)))
            columns.append(
                (below[self.spans.high[:, j] + 1] - below[self.spans.low[:, j]])[:, None]
            )
        return np.concatenate(columns, axis=1)


class Metric(ABC):
    """A cost: smaller is better."""

    name: str
    monotone = False
    """Whether a finer partition with nobody left out never costs more."""
    best_is_one = False
    """Whether it is customarily reported as 1 - cost."""
    suppression_costs = True
    """Whether suppressing one more group never lowers the cost."""
    by_size = False
    """Whether only sizes of groups count, and to suppress a smaller one never costs more."""

    @abstractmethod
    def cost(self, outcome: Outcome) -> float:
        """The cost of a partition."""

    def bounded(self, outcome: Outcome, room: int) -> tuple[float, float]:
        """The cost, and what no release costs less that suppresses `room` more people at most."""
        cost = self.cost(outcome)
        return cost, cost

    def reported(self, cost: float) -> float:
        """The cost as people are used to seeing it."""
        return 1.0 - cost if self.best_is_one else cost


class CellMetric(Metric):
    """A cost per person and column, added up by column, then combined over columns."""

    monotone = True

    @abstractmethod
    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        """What it costs one person to have a value published like this."""

    @abstractmethod
    def worst(self, original: Original) -> float:
        """What it costs one person to be left out, in each column."""

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
        totals = outcome.n @ cell + outcome.suppressed * self.worst(outcome.original)
        return float(self.combine(totals, outcome.original))


class Loss(CellMetric):
    """Geometric mean over the columns of the share of leaves a value hides.

    For each column L = (sum of shares - N/size) / (N - N/size), where a person who is left
    out has share 1; the score is the m-th root of the product of (L + 1), minus 1. The same
    definition as ARX's `loss` with default weights.
    """

    name = "loss"

    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        return share

    def worst(self, original: Original) -> float:
        return 1.0

    def by_column(self, totals: Floats, original: Original) -> Floats:
        """L of each column, 0 (nothing hidden) to 1 (everything)."""
        least, scale = original.loss_range
        lost: Floats = (totals - least) * scale
        return lost

    def parts(self, totals: Floats, original: Original) -> Floats:
        # Through logarithms: the product itself overflows where there are a thousand columns.
        columns: Floats = np.log1p(self.by_column(totals, original))
        return columns / max(1, len(original.leaves))

    def from_score(self, score: Floats) -> Floats:
        cost: Floats = np.expm1(score)
        return cost


class Granularity(Loss):
    """Arithmetic mean over the columns of 1 - L (see `Loss`)."""

    name = "granularity"
    best_is_one = True

    def parts(self, totals: Floats, original: Original) -> Floats:
        return self.by_column(totals, original) / max(1, len(original.leaves))

    def from_score(self, score: Floats) -> Floats:
        return score


class Precision(CellMetric):
    """1 - average height of the published values in their hierarchies (Sweeney 2002)."""

    name = "precision"
    best_is_one = True

    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        return rung

    def worst(self, original: Original) -> float:
        return 1.0

    def parts(self, totals: Floats, original: Original) -> Floats:
        return totals / (max(1, original.people) * max(1, len(original.leaves)))


class NonUniformEntropy(CellMetric):
    """Bits needed to guess back the values (Gionis and Tassa 2009), 0 to 1.

    A published value hides ln(n(published) / n(original)), counted in the whole table; a
    person left out hides ln(N / n(original)). Divided by what leaving everybody out costs.
    """

    name = "non-uniform-entropy"

    def cell(self, *, share: Floats, under: Floats, rung: Floats) -> Floats:
        return np.log(np.maximum(under, 1.0))

    def worst(self, original: Original) -> float:
        return float(np.log(max(1, original.people - original.absent)))

    def parts(self, totals: Floats, original: Original) -> Floats:
        known = original.self_information
        most = float((original.people * self.worst(original) - known).sum())
        hidden: Floats = totals - known
        return hidden / most if most > 0 else hidden * 0.0


class Discernibility(Metric):
    """Sum of squared group sizes; a person left out counts N (Bayardo and Agrawal 2005)."""

    name = "discernibility"
    monotone = True
    by_size = True

    def cost(self, outcome: Outcome) -> float:
        sizes = outcome.n.astype(np.float64)
        return float(sizes @ sizes) + float(outcome.suppressed) * outcome.original.people


class AverageClassSize(Metric):
    """People per group; those left out are one more group."""

    name = "average-class-size"
    monotone = True
    by_size = True

    def cost(self, outcome: Outcome) -> float:
        groups = np.count_nonzero(outcome.n) + (outcome.suppressed > 0)
        return outcome.original.people / max(1, int(groups))


class KLDivergence(Metric):
    """Kullback-Leibler divergence in nats from the original distribution over tuples to the
    one a recipient would assume: each group spread evenly over the leaf combinations it
    covers, those left out over all combinations. People whom the plan bars do not count.
    """  # noqa: D205

    name = "kl-divergence"
    monotone = True
    suppression_costs = False

    def cost(self, outcome: Outcome) -> float:
        # About those who can be in a release: whoever is barred from it is the same everywhere.
        original, left_out = outcome.original, outcome.suppressed - outcome.original.absent
        n = outcome.n[outcome.n > 0].astype(np.float64)
        volume = np.log(outcome.spans.width[outcome.n > 0].astype(np.float64)).sum(axis=1)
        likelihood = float((n * (np.log(n) - volume)).sum())
        if left_out:
            space = np.log(np.array(original.leaves, np.float64)).sum()
            likelihood += left_out * (np.log(left_out) - space)
        known = max(1.0, float(original.people - original.absent))
        return (original.tuple_information - likelihood) / known

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


@dataclass(frozen=True)
class QueryError(Metric):
    """Mean relative error of random range-count queries answered from the release.

    Each query asks for the people in a run of leaves in some columns; the recipient spreads a
    group evenly over what its published value covers. Errors are relative to the true count,
    or to one percent of the table where that is larger. The workload is fixed by `seed`.
    """

    queries: int = 200
    columns: int = 2
    seed: int = 20090824
    name = "query-error"
    suppression_costs = False

    def cost(self, outcome: Outcome) -> float:
        return self.bounded(outcome, 0)[0]

    def bounded(self, outcome: Outcome, room: int) -> tuple[float, float]:
        """Whoever is suppressed too lowers an answer by at most 1."""
        original, spans = outcome.original, outcome.spans
        asked = self.workload(original.leaves)
        truth = self.truth(original)
        answer, n = np.empty(self.queries), outcome.n.astype(np.float64)
        for i, (columns, low, high) in enumerate(zip(*asked, strict=True)):
            # Not n @ inside: for one dot product, starting threads costs more than it saves.
            inside = _inside(spans.low, spans.high, columns, low, high)
            answer[i] = np.einsum("i,i", n, inside)
        scale = np.maximum(truth, max(0.01 * original.people, 1.0))
        # Fewer people bring an answer that is too high nearer to the truth, and no other.
        least = np.maximum(truth - answer, np.maximum(answer - room - truth, 0.0))
        return float((np.abs(answer - truth) / scale).mean()), float((least / scale).mean())

    def truth(self, original: Original) -> Floats:
        """The true answers."""
        return original.within(self.workload(original.leaves))

    def workload(self, leaves: tuple[int, ...]) -> Workload:
        """The queries. Not private data, so any generator will do."""
        random = np.random.Generator(np.random.PCG64(self.seed))
        width = min(self.columns, len(leaves))
        chosen = np.array([random.permutation(len(leaves))[:width] for _ in range(self.queries)])
        size = np.array(leaves)[chosen]
        ends = np.sort((random.random((2, *chosen.shape)) * size).astype(np.int64), axis=0)
        return Workload(chosen, ends[0], ends[1])


def _inside(low: Codes, high: Codes, columns: Ints, first: Ints, last: Ints) -> Floats:
    """For each box, the share of it that the query's box covers."""
    inside = np.ones(len(low))
    for j, a, b in zip(columns, first, last, strict=True):
        overlap = np.minimum(high[:, j], b) - np.maximum(low[:, j], a) + 1
        inside *= np.maximum(overlap, 0) / (high[:, j] - low[:, j] + 1)
    return inside


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Loss(),
        Discernibility(),
        AverageClassSize(),
        Precision(),
        NonUniformEntropy(),
        Granularity(),
        KLDivergence(),
        QueryError(),
    )
}
"""Every metric by its name in the plan."""


def measure(outcome: Outcome) -> dict[str, float]:
    """Every metric as it is reported."""
    return {name: metric.reported(metric.cost(outcome)) for name, metric in METRICS.items()}
