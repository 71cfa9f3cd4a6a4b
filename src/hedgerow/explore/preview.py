"""Before and after: what a node would publish, for the steward's eyes only."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import Needs, PrivacyModel, Verdict
from hedgerow.explore.nodes import Exploration
from hedgerow.recode.full_domain import at_node
from hedgerow.recode.lattice import Frequency, Lattice
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.recode.search import Search
from hedgerow.table.groups import Groups, Ints
from hedgerow.table.hierarchy import ANY

ROWS = 12
"""Combinations of values that are shown side by side."""
WORST = 5
"""Groups that are written out for each claim."""
SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Where a bar of the group sizes begins."""

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class Pair:
    """People who are alike in the table, and what would be published of them."""

    people: int
    before: Row
    after: Row | None
    """None: they would be left out."""
    sensitive: tuple[tuple[str | None, ...], ...]
    """For each sensitive column the values they have."""


@dataclass(frozen=True)
class SizeBar:
    """Groups of a size, from `low` to `high` people."""

    low: int
    high: int | None
    """None: and more."""
    groups: int
    people: int


@dataclass(frozen=True)
class WeakGroup:
    """A group that is among the worst for a claim."""

    claim: str
    labels: Row
    people: int
    level: float


@dataclass(frozen=True)
class NodePreview:
    """What publishing a node would give."""

    levels: dict[str, int]
    columns: tuple[str, ...]
    sensitive: tuple[str, ...]
    pairs: tuple[Pair, ...]
    sizes: tuple[SizeBar, ...]
    """Groups that would be published, by size."""
    before: tuple[SizeBar, ...]
    """Groups of people who are alike in the table as it is."""
    claims: tuple[Verdict, ...]
    """Each claim on what would be published."""
    worst: tuple[WeakGroup, ...]
    groups: int
    left_out: int
    people: int
    cost: float
    """The metric as it is reported."""
    keeps: bool
    """Whether `publish` could choose the node."""


def preview(
    exploration: Exploration,
    levels: Mapping[str, int],
    models: Sequence[PrivacyModel] | None = None,
    *,
    suppress: float | None = None,
    rows: int = ROWS,
) -> NodePreview:
    """The table before and after, the sizes of groups, and the worst of them.

    What is shown is the most frequent combinations, and some of those that would be left out.

    Args:
        exploration: The table.
        levels: The node, a level for each quasi-identifier.
        models: Claims instead of the plan's.
        suppress: Share of people who may be left out, instead of the plan's.
        rows: How many combinations are shown, at most.
    """
    cells = exploration.cells
    constraints = exploration.constraints(models, suppress)
    lattice = replace(exploration.lattice, cells=cells)
    node = exploration.node(levels)
    frequency = lattice.roll_up(lattice.base, node)
    search = Search(lattice, constraints, exploration.metric)
    found, kept = search.evaluate(frequency), search.kept(frequency)
    seen = _Seen(lattice, frequency, kept, constraints.keep_suppressed)
    raw = lattice.original.n
    cost = float(found.cost[0])
    if math.isinf(cost):  # a search measures some metrics only where the claims hold
        rest = constraints.keep_suppressed
        cost = exploration.metric.cost(lattice.outcome(frequency, kept, rest=rest))
    return NodePreview(
        levels=dict(levels),
        columns=exploration.names,
        sensitive=exploration.schema.sensitive,
        pairs=_pairs(
            exploration, at_node(lattice, node, constraints, {}, metric=exploration.metric), rows
        ),
        sizes=bars(seen.groups.n),
        before=bars(raw),
        claims=tuple(model.check(seen.by(model)) for model in constraints.models),
        worst=tuple(worst for model in constraints.models for worst in _worst(model, seen)),
        groups=int((seen.groups.n > 0).sum()),
        left_out=int(found.left_out[0]),
        people=cells.people,
        cost=exploration.metric.reported(cost),
        keeps=bool(found.feasible[0]),
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """The groups that would be published."""

    lattice: Lattice
    frequency: Frequency
    kept: NDArray[np.bool_]
    keep_suppressed: bool

    @cached_property
    def groups(self) -> Groups:
        """All groups; those left out are empty, or one more at the end."""
        groups, out = self.frequency.groups, ~self.kept
        if self.keep_suppressed and (out & (groups.n > 0)).any():
            return groups.merge(np.where(out, len(groups), np.arange(len(groups))), len(groups) + 1)
        return replace(groups, n=np.where(self.kept, groups.n, 0))

    def by(self, model: PrivacyModel) -> Groups:
        """As a claim sees them: to a population, a group left out is one of size 0."""
        if Needs.POPULATION in model.needs:
            return self.groups
        published = self.groups.take(self.groups.n > 0)
        gone = self.frequency.groups.people - published.people
        return replace(published, left_out=published.left_out + gone)

    def place(self, model: PrivacyModel, group: int) -> int:
        """The place of a group that a claim sees."""
        if Needs.POPULATION in model.needs:
            return group
        return int(np.flatnonzero(self.groups.n > 0)[group])

    def labels(self, place: int) -> Row:
        """What a group is published as."""
        if place >= len(self.frequency):
            return (ANY,) * len(self.frequency.node)
        codes = self.lattice.layout.unpack(self.frequency.words[place : place + 1])[0]
        return tuple(
            h.labels[level][code]
            for h, level, code in zip(
                self.lattice.cells.hierarchies, self.frequency.node, codes, strict=True
            )
        )


def bars(n: Ints) -> tuple[SizeBar, ...]:
    """Groups by size.

    >>> [(bar.low, bar.high, bar.groups, bar.people) for bar in bars(np.array([1, 3, 4, 7]))]
    [(1, 1, 1, 1), (2, 2, 0, 0), (3, 4, 2, 7), (5, 9, 1, 7)]
    """
    sizes = n[n > 0]
    if not len(sizes):
        return ()
    where = np.searchsorted(SIZES, sizes, side="right") - 1
    groups = np.bincount(where, minlength=len(SIZES))
    people = np.bincount(where, weights=sizes, minlength=len(SIZES))
    return tuple(
        SizeBar(
            SIZES[i],
            SIZES[i + 1] - 1 if i + 1 < len(SIZES) else None,
            int(groups[i]),
            int(people[i]),
        )
        for i in range(int(where.max()) + 1)
    )


def _pairs(exploration: Exploration, recoding: Recoding, rows: int) -> tuple[Pair, ...]:
    """The largest cells, with a third of the places for people who would be left out."""
    cells = exploration.cells
    out = recoding.group == SUPPRESSED
    order = np.argsort(-recoding.people, kind="stable")
    gone = order[out[order]][: rows // 3]
    kept = order[~out[order]][: rows - len(gone)]
    shown = [
        (domain, h)
        for domain, h in zip(cells.sensitive, cells.values, strict=True)
        if domain.name in exploration.schema.sensitive
    ]
    found = []
    for part in (*kept, *gone):
        cell, group = int(recoding.cell[part]), int(recoding.group[part])
        before = tuple(
            h.values[code] for h, code in zip(cells.hierarchies, cells.q[cell], strict=True)
        )
        after = None
        if group != SUPPRESSED:
            after = tuple(labels[group] for labels in recoding.labels)
        found.append(
            Pair(
                int(recoding.people[part]),
                before,
                after,
                tuple(
                    tuple(domain.values[c] for c in h.codes[h.indptr[cell] : h.indptr[cell + 1]])
                    for domain, h in shown
                ),
            )
        )
    return tuple(found)


def _worst(model: PrivacyModel, seen: _Seen) -> Iterator[WeakGroup]:
    """The groups nearest to failing a claim about groups; of equal ones the larger."""
    groups = seen.by(model)
    if not model.per_group or model.hopeless is not None or not len(groups):
        return
    level = model.level(groups)
    safer = level if model.higher_is_safer else -level
    counted = np.flatnonzero(~model.vacuous(groups))
    for group in counted[np.lexsort((-groups.n[counted], safer[counted]))][:WORST].tolist():
        labels = seen.labels(seen.place(model, group))
        yield WeakGroup(str(model), labels, int(groups.n[group]), float(level[group]))
