"""Recoding: a function from cells to groups, and what each group is published as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.recode.outcome import Original, Outcome, Spans
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Groups, Histogram, Ints
from hedgerow.table.hierarchy import ANY, Codes, Hierarchy
from hedgerow.table.pack import Layout, distinct
from hedgerow.table.shown_columns import ShownColumns

Labels = tuple[NDArray[np.object_], ...]
SUPPRESSED = -1
"""The group of people who are left out."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """Which people go into which group, and the group's published quasi-identifiers.

    People of one cell may be spread over several groups (relaxed Mondrian, MDAV): part p
    sends people[p] people of cell cell[p] to group group[p]. Parts of a cell stand together.
    """

    kind: str
    """full-domain, mondrian, microaggregation or local."""
    cell: Ints
    people: Ints
    group: Ints
    """Group of each part; SUPPRESSED where the people are left out."""
    labels: Labels
    """For each quasi-identifier, the published value of each group (str or None)."""
    spans: Spans
    """What the labels cover: runs of leaf codes, groups by quasi-identifiers (`utility.Spans`:
    low, high inclusive, and rung = how high in the hierarchy, 0 to 1)."""
    levels: dict[str, int] | None = None
    """Full-domain: the level of each quasi-identifier."""
    detail: dict[str, object] = field(default_factory=dict)
    """What else the certificate should say about how it was found."""

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.spans.low)

    @property
    def separates(self) -> bool:
        """Whether people of one cell are spread over several groups."""
        return len(np.unique(self.cell)) != len(self.cell)

    @property
    def suppressed(self) -> int:
        """People left out."""
        return int(self.people[self.group == SUPPRESSED].sum())

    @property
    def rank(self) -> Ints:
        """Where in its cell each part begins; the parts of a cell stand together."""
        before = np.cumsum(self.people) - self.people
        new = np.concatenate(([True], self.cell[1:] != self.cell[:-1]))
        return before - np.repeat(before[new], np.diff([*np.flatnonzero(new), len(new)]))

    @cached_property
    def seen(self) -> tuple[Ints, Ints]:
        """A representative of each group a recipient can tell apart, and which each group is."""
        codes = np.empty((self.size, len(self.labels)), np.int32)
        sizes = []
        for j, labels in enumerate(self.labels):
            place: dict[str | None, int] = {}
            codes[:, j] = [place.setdefault(label, len(place)) for label in labels]
            sizes.append(len(place))
        return distinct(codes, sizes)

    @cached_property
    def seen_group(self) -> Ints:
        """Of each part of a cell, the group as a recipient sees it; SUPPRESSED where in none."""
        _, into = self.seen
        return np.append(into, SUPPRESSED)[self.group]

    def groups(self, cells: Cells) -> Groups:
        """The groups as the recipient sees them: those with equal labels are one."""
        kept = self.group != SUPPRESSED
        parts = people_of(cells, self.cell[kept], self.people[kept])
        if cells.population is not None and not self.separates:
            outside = cells.population[self.cell]
            if outside.sum() == cells.population.sum():  # nobody outside is left uncounted
                parts = replace(parts, population=outside[kept])
        first, into = self.seen
        names = [h.name for h in cells.hierarchies]
        shown = ShownColumns.of_labels(names, lambda: [column[first] for column in self.labels])
        return replace(parts.merge(into[self.group[kept]], len(first)), shown=shown)

    def outcome(self, original: Original) -> Outcome:
        """The partition, for the utility metrics."""
        kept = self.group != SUPPRESSED
        first, into = self.seen
        n = np.zeros(len(first), np.int64)
        np.add.at(n, into[self.group[kept]], self.people[kept])
        s = self.spans
        # Sums of floats depend on the order, which must not depend on how groups were found.
        ends = np.concatenate((s.low[first], s.high[first]), axis=1)
        words = Layout.of([int(column.max(initial=0)) + 1 for column in ends.T]).pack(ends)
        order = np.lexsort((*s.rung[first].T, n, *words.T))
        groups = first[order]
        spans = Spans(s.low[groups], s.high[groups], s.rung[groups])
        return Outcome(original, n[order], self.suppressed + original.absent, lambda: spans)


def people_of(cells: Cells, cell: Ints, people: Ints) -> Groups:
    """Each part, people[p] people of cell cell[p], as a group of its own."""
    histograms = {}
    for domain, h in zip(cells.sensitive, cells.values, strict=True):
        part = h.take(cell)
        lengths = np.diff(part.indptr)
        histograms[domain.name] = Histogram(part.indptr, part.codes, np.repeat(people, lengths))
    return Groups(people, histograms, {d.name: d for d in cells.sensitive})


def common_node(
    hierarchy: Hierarchy, low: Codes, high: Codes, *, lowest: int = 0
) -> tuple[NDArray[np.object_], Spans]:
    """The lowest value of the hierarchy that covers each run of leaves, and what it covers.

    No level below `lowest` is used. Where not even the top level joins the run, the value is
    `*` and covers everything.
    """
    size = len(low)
    labels = np.full(size, ANY, object)
    first = np.zeros(size, np.int32)
    last = np.full(size, len(hierarchy.values) - 1, np.int32)
    rung = np.ones(size)
    open_ = np.ones(size, np.bool_)
    for level in range(lowest, hierarchy.height + 1):
        codes = hierarchy.codes[level]
        joined = open_ & (codes[low] == codes[high])
        if joined.any():
            code = codes[low[joined]]
            labels[joined] = np.array(hierarchy.labels[level], object)[code]
            begin, end = hierarchy.runs(level)
            first[joined], last[joined] = begin[code], end[code]
            rung[joined] = level / max(1, hierarchy.height)
            open_ &= ~joined
    return labels, Spans(first[:, None], last[:, None], rung[:, None])


def united(recoding: Recoding, hierarchies: Sequence[Hierarchy]) -> Recoding:
    """The recoding with equal spans for groups that have equal labels.

    They are one group to the recipient, which covers what any of them covers.
    """
    first, into = recoding.seen
    if len(first) == recoding.size:
        return recoding
    spans = recoding.spans
    low, high, rung = spans.low[first], spans.high[first], spans.rung[first]
    np.minimum.at(low, into, spans.low)
    np.maximum.at(high, into, spans.high)
    np.maximum.at(rung, into, spans.rung)
    joined = widened(hierarchies, Spans(low, high, rung))
    return replace(recoding, spans=Spans(joined.low[into], joined.high[into], joined.rung[into]))


def widened(hierarchies: Sequence[Hierarchy], spans: Spans) -> Spans:
    """Spans with rungs no lower than where the hierarchies join both ends."""
    rung = spans.rung.copy()
    for j, hierarchy in enumerate(hierarchies):
        _, covering = common_node(hierarchy, spans.low[:, j], spans.high[:, j])
        rung[:, j] = np.maximum(rung[:, j], covering.rung[:, 0])
    return Spans(spans.low, spans.high, rung)


def beside(columns: Sequence[Spans], size: int) -> Spans:
    """One-column spans put next to each other."""
    return Spans(
        np.concatenate([np.zeros((size, 0), np.int32), *(c.low for c in columns)], axis=1),
        np.concatenate([np.zeros((size, 0), np.int32), *(c.high for c in columns)], axis=1),
        np.concatenate([np.zeros((size, 0)), *(c.rung for c in columns)], axis=1),
    )
