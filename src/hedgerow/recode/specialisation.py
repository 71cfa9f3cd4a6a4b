"""Specialisation: groups of full-domain recoding, split further where every claim allows it.

A group is published at one value of a hierarchy in each column. It is split along one column into
all values below, where that lowers the cost most and each part keeps the claims. So groups stay
disjoint: whoever fits a group fits no other, and an outside population is divided as the table is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import CellMetric
from hedgerow.recode.outcome import Spans
from hedgerow.recode.recoding import SUPPRESSED, Recoding, beside
from hedgerow.table.groups import Floats, Groups, Ints
from hedgerow.table.hierarchy import Codes, Hierarchy
from hedgerow.table.pack import distinct

LEAST = 1e-12
"""What a split has to save, so that rounding does not decide."""


def specialised(
    whole: Recoding, lattice: Lattice, models: Sequence[PrivacyModel], metric: CellMetric
) -> Recoding:
    """Groups that differ in their levels and never overlap, and keep claims about each group.

    Args:
        whole: Full-domain; keeps the claims.
        lattice: Its lattice.
        models: Claims about each group, also about an outside population.
        metric: What splits are to lower.
    """
    cells, (tuples, of_cell) = lattice.cells, lattice.cells.tuples
    assert whole.levels is not None, "full-domain recodings have levels"
    node = [whole.levels[h.name] for h in cells.hierarchies]
    people = cells.groups(of_cell, len(tuples))
    at = [h.codes[level][tuples[:, j]] for j, (h, level) in enumerate(
        zip(cells.hierarchies, node, strict=True))]  # fmt: skip
    columns = np.stack(at, axis=1) if at else tuples
    first, group = distinct(
        columns, [h.size(b) for h, b in zip(cells.hierarchies, node, strict=True)]
    )
    gone = np.zeros(len(first), np.bool_)
    gone[group[of_cell[whole.cell[whole.group == SUPPRESSED]]]] = True
    group = np.where(gone[group], SUPPRESSED, group)
    levels = np.tile(np.array(node, np.int32), (len(first), 1))
    prices = _prices(whole, lattice, metric)
    fresh = np.ones(len(levels), np.bool_)
    while fresh.any():
        mine = np.flatnonzero((group >= 0) & fresh[np.maximum(group, 0)])
        gain, chosen = np.full(len(levels), LEAST), np.full(len(levels), -1)
        splits = []
        for j, (h, price) in enumerate(zip(cells.hierarchies, prices, strict=True)):
            split = _Split.of(
                h, price, people, tuples[:, j], mine[levels[group[mine], j] > lattice.bottom[j]],
                group, levels[:, j],
            )  # fmt: skip
            splits.append(split)
            saved = split.saved(models, len(levels))
            better = saved > gain
            gain[better], chosen[better] = saved[better], j
        size = len(levels)
        fresh = np.zeros(size, np.bool_)
        for j, split in enumerate(splits):
            taken = chosen[split.owner] == j
            if not taken.any():
                continue
            number = np.where(taken, len(levels) + np.cumsum(taken) - 1, -1)[split.into]
            below = levels[split.owner[taken]].copy()
            below[:, j] -= 1
            levels = np.concatenate((levels, below))
            group[split.member[number >= 0]] = number[number >= 0]
        fresh = np.arange(len(levels)) >= size
    return _published(whole, lattice, tuples, group, levels)


def _prices(whole: Recoding, lattice: Lattice, metric: CellMetric) -> list[list[Floats]]:
    """What each value of each level of each column costs a person, by how the metric grows."""
    outcome = whole.outcome(lattice.original)
    cell = metric.cell(
        share=outcome.share, under=outcome.under.astype(np.float64), rung=outcome.spans.rung
    )
    totals = (outcome.n[:, None] * cell).sum(axis=0)
    slopes = metric.parts(totals + 1, lattice.original) - metric.parts(totals, lattice.original)
    found = []
    for j, h in enumerate(lattice.cells.hierarchies):
        column = []
        for level in range(h.height + 1):
            under = np.bincount(
                h.codes[level], weights=lattice.original.leaf_counts[j], minlength=h.size(level)
            ).astype(np.float64)
            rung = np.full(h.size(level), level / max(1, h.height))
            column.append(metric.cell(share=h.share(level), under=under, rung=rung) * slopes[j])
        found.append(column)
    return found


@dataclass(frozen=True, eq=False)
class _Split:
    """What groups become if they are split along one column."""

    member: Ints
    """Tuples in groups that can be split,"""
    into: Ints
    """and the part that each would be in."""
    owner: Ints
    """The group of each part."""
    parts: Groups
    """The people of each."""
    less: Floats
    """What each saves."""

    @classmethod
    def of(
        cls,
        hierarchy: Hierarchy,
        price: Sequence[Floats],
        people: Groups,
        leaf: Codes,
        member: Ints,
        group: Ints,
        levels: Codes,
    ) -> _Split:
        """The parts of some groups.

        Args:
            hierarchy: Of the column.
            price: What its values cost, by level.
            people: Of each tuple.
            leaf: The value of each tuple.
            member: The tuples in question.
            group: The group of each tuple.
            levels: The level of each group.
        """
        mine, value = group[member], leaf[member]
        level = levels[mine]
        code, less = np.zeros(len(member), np.int64), np.zeros(len(member))
        for rung in np.unique(level).tolist():
            there = level == rung
            code[there] = hierarchy.codes[rung - 1][value[there]]
            less[there] = price[rung][hierarchy.codes[rung][value[there]]]
            less[there] -= price[rung - 1][code[there]]
        pair = mine * len(hierarchy.values) + code
        keys, first, into = np.unique(pair, return_index=True, return_inverse=True)
        parts = people.take(member).merge(into.reshape(-1), len(keys))
        return cls(member, into.reshape(-1), mine[first], parts, less[first] * parts.n)

    def saved(self, models: Sequence[PrivacyModel], size: int) -> Floats:
        """What each group saves; nothing where a part would fail."""
        if not len(self.owner):
            return np.zeros(size)
        passed = np.ones(len(self.owner), np.bool_)
        for model in models:
            passed &= model.holds(self.parts)
        failed = np.bincount(self.owner[~passed], minlength=size) > 0
        total = np.bincount(self.owner, weights=self.less, minlength=size)
        return np.where(failed, 0.0, total)


def _published(
    whole: Recoding, lattice: Lattice, tuples: Codes, group: Ints, levels: Codes
) -> Recoding:
    """The groups that somebody is in, as a recoding."""
    cells = lattice.cells
    of_cell = cells.tuples[1][whole.cell]
    placed = group[of_cell]
    numbers, first = np.unique(placed[placed >= 0], return_index=True)
    example = of_cell[placed >= 0][first]
    labels, spans = [], []
    for j, h in enumerate(cells.hierarchies):
        label = np.empty(len(numbers), object)
        low, high = np.empty(len(numbers), np.int32), np.empty(len(numbers), np.int32)
        level = levels[numbers, j]
        for rung in np.unique(level).tolist():
            there = np.flatnonzero(level == rung)
            code = h.codes[rung][tuples[example[there], j]]
            label[there] = np.array(h.labels[rung], object)[code]
            begin, end = h.runs(rung)
            low[there], high[there] = begin[code], end[code]
        labels.append(label)
        spans.append(Spans(low[:, None], high[:, None], (level / max(1, h.height))[:, None]))
    number = np.append(np.full(len(levels), SUPPRESSED), SUPPRESSED)
    number[numbers] = np.arange(len(numbers))
    return replace(
        whole, kind="local", group=number[placed], labels=tuple(labels),
        spans=beside(spans, len(numbers)), levels=None, detail={"disjoint": True},
    )  # fmt: skip
