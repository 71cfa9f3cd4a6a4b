"""Outcome: a table before it is recoded, and the groups it becomes, as utility metrics see them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.table.groups import Floats, Ints

Codes = NDArray[np.int32]

MOST_COUNTED = 4_000_000
"""Leaf combinations of the largest contingency table that is laid out in memory."""
BLOCK = 1 << 16
"""Shares of boxes in queries that are worked out at once: they fit into a processor's cache."""


class Workload(NamedTuple):
    """Range-count queries: each asks for a run of leaves in each of some columns."""

    columns: Ints
    low: Ints
    high: Ints
    """Queries by columns asked about; both ends belong to the run."""


def expected_inside(low: Codes, high: Codes, n: Ints, asked: Workload) -> Floats:
    """The answer to each query, where people are spread evenly over their boxes.

    Args:
        low: The boxes' first leaves, boxes by columns of the table.
        high: Their last leaves.
        n: People in each box.
        asked: The queries.
    """
    people, answers = n.astype(np.float64), np.empty(len(asked.columns))
    low, high = np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)
    width = high - low + 1
    step = max(1, BLOCK // max(1, len(n)))
    for start in range(0, len(answers), step):
        some = slice(start, start + step)
        inside: Floats | None = None
        for columns, first, last in zip(*(part[some].T for part in asked), strict=True):
            overlap = np.minimum(high[columns], last[:, None])
            overlap -= np.maximum(low[columns], first[:, None])
            overlap += 1
            share = np.maximum(overlap, 0, out=overlap) / width[columns]
            inside = share if inside is None else np.multiply(inside, share, out=inside)
        for i, shares in enumerate([] if inside is None else inside, start):
            # Not people @ shares: for one dot product, starting threads costs more than it saves.
            answers[i] = np.einsum("i,i", people, shares)
    return answers


def _runs(counts: Floats, low: Ints, high: Ints) -> Floats:
    """Sums of whole numbers over runs of cells, queries by axes: from what lies below each end."""
    below = np.pad(counts, [(1, 0)] * counts.ndim)
    for axis in range(counts.ndim):
        below = below.cumsum(axis=axis)
    found: Floats = np.zeros(len(low))
    for upper in product((True, False), repeat=counts.ndim):
        corner = np.where(upper, high + 1, low)
        found += (-1) ** upper.count(False) * below[tuple(corner.T)]
    return found


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

    @cached_property
    def _answered(self) -> dict[tuple[int, bytes], Floats]:
        return {}

    def within(self, asked: Workload) -> Floats:
        """Counted once for each workload."""
        known = self._answered
        key = asked.columns.shape[1], b"".join(part.tobytes() for part in asked)
        if key not in known:
            known[key] = self._within(asked)
            known[key].flags.writeable = False
        return known[key]

    def _within(self, asked: Workload) -> Floats:
        """From one contingency table for each set of columns asked about."""
        answers, n = np.empty(len(asked.columns)), self.n.astype(np.float64)
        codes = [np.ascontiguousarray(column, np.int64) for column in self.q.T]
        kinds, which = np.unique(asked.columns, axis=0, return_inverse=True)
        for kind, columns in enumerate(kinds):
            queries = np.flatnonzero(which.reshape(-1) == kind)
            shape = tuple(self.leaves[j] for j in columns)
            if prod(shape) > MOST_COUNTED:
                some = Workload(*(part[queries] for part in asked))
                answers[queries] = expected_inside(self.q, self.q, self.n, some)
                continue
            place = codes[columns[0]]
            for j in columns[1:]:
                place = place * self.leaves[j] + codes[j]
            counts = np.bincount(place, weights=n, minlength=prod(shape)).reshape(shape)
            answers[queries] = _runs(counts, asked.low[queries], asked.high[queries])
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
    answers: tuple[tuple[Workload, Floats], ...]
    """The only queries whose answers are known, by workload."""

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
        for known, answers in self.answers:
            if all(np.array_equal(a, b) for a, b in zip(known, asked, strict=True)):
                return answers
        raise AssertionError("other queries than were counted")


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
