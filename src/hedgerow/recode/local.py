"""Local recoding: each group gets the lowest levels it can, not one set for the whole table.

Nodes of the lattice are visited from cheap to dear. At each, the groups of those still
unplaced that keep every claim are fixed; the rest go on to coarser nodes. A fixed group is
then published at the lowest hierarchy values its own members share. People who are left at
the end join the group whose widening costs least.

Groups that need only be large enough are then divided anew. Under other claims, such groups are
joined until they keep these, too; what costs less is taken.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import ClaimError
from hedgerow.claims.anonymity import KAnonymity
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.lattice import CellCosts, Frequency, Lattice, Node
from hedgerow.recode.local_refinement import refined
from hedgerow.recode.metrics import CellMetric, Granularity, Weighting
from hedgerow.recode.recoding import SUPPRESSED, Recoding, beside, common_node, united
from hedgerow.recode.repair import repaired
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Floats, Groups, Ints
from hedgerow.table.hierarchy import Codes

MOST_NODES = 100_000
"""Nodes visited in order of cost; beyond that, a straight path to the top."""


def local(
    cells: Cells,
    models: Sequence[PrivacyModel],
    *,
    lattice: Lattice | None = None,
    metric: CellMetric | None = None,
    limit: int = 0,
    progress: Callable[[float], None] | None = None,
    regroup: bool = True,
) -> Recoding:
    """Recode each group as little as the claims allow.

    Args:
        cells: What the engine counted.
        models: The claims.
        lattice: Level bounds, where the plan sets some.
        metric: Orders the nodes; by default the granularity.
        limit: People who may be left out if no group can take them, those barred included.
        progress: Called with the share of people placed.
        regroup: Whether to look for better groups than the walk through the lattice leaves.

    Raises:
        ClaimError: Those left at the end fit nowhere.
    """
    lattice = lattice or Lattice.of(cells)
    metric = metric or Granularity()
    tuples, of_cell = cells.tuples
    per_group = [m for m in models if m.per_group]
    leaf = Frequency((0,) * tuples.shape[1], lattice.layout.pack(tuples),
                     cells.groups(of_cell, len(tuples)))  # fmt: skip
    walk = _LatticeWalk(lattice, metric, leaf, tuples, limit, progress)
    group = walk.groups(per_group) if not regroup else _best(walk, cells, per_group)

    def coarser(recoding: Recoding, exposed: NDArray[np.bool_]) -> Recoding | None:
        nonlocal group
        group = _joined(lattice, metric.weighting, tuples, leaf.groups.n, group, exposed)
        fewer = int(group.max(initial=-1)) + 1
        if fewer == recoding.size:  # nothing is left to join, or not at levels that the plan allows
            return None
        return _recoding(lattice, tuples, group, of_cell, fewer)

    found = _recoding(lattice, tuples, group, of_cell, int(group.max(initial=-1)) + 1)
    return repaired(found, cells, models, coarser)


def _best(walk: _LatticeWalk, cells: Cells, models: Sequence[PrivacyModel]) -> Ints:
    """The group of each tuple: as the walk leaves them, or as groups of enough people become."""
    lattice, metric = walk.lattice, walk.metric
    of_cell, least = cells.tuples[1], max((m.least_people or 1 for m in models), default=1)

    def cost(group: Ints) -> float:
        made = _recoding(lattice, walk.tuples, group, of_cell, int(group.max(initial=-1)) + 1)
        return metric.cost(made.outcome(lattice.original))

    found: list[Ints] = []
    error: ClaimError | None = None
    try:
        found.append(walk.groups(models))
    except ClaimError as failed:
        error = failed
    only_sizes = all(m.only_size is not None for m in models)
    large = found[0] if only_sizes and found else None
    if large is None and not only_sizes:
        large = np.arange(len(walk.tuples))
        if least > 1:
            try:
                large = walk.groups([KAnonymity(k=least)])
            except ClaimError:
                large = None
    if large is not None:
        finer = refined(lattice, metric, walk.leaf.groups, walk.tuples, large, models, least)
        if finer is not None:
            found.append(finer)
    if not found:
        assert error is not None, "the walk found nothing"
        raise error
    return min(found, key=cost)


@dataclass(frozen=True, eq=False)
class _LatticeWalk:
    """The way from cheap nodes to dear ones."""

    lattice: Lattice
    metric: CellMetric
    leaf: Frequency
    tuples: Codes
    limit: int
    progress: Callable[[float], None] | None

    def groups(self, models: Sequence[PrivacyModel]) -> Ints:
        """The group of each tuple, SUPPRESSED where nobody in it can be published.

        Raises:
            ClaimError: Those left at the end fit nowhere.
        """
        lattice, leaf = self.lattice, self.leaf
        group = np.full(len(self.tuples), SUPPRESSED, np.int64)
        least = max((m.least_people or 1 for m in models), default=1)
        left = np.flatnonzero(leaf.groups.n > 0)
        people, size = leaf.groups.people, 0
        for node in cheapest_first(lattice, self.metric):
            if not len(left):
                break
            groups = leaf.groups.take(left)
            low = Frequency(leaf.node, leaf.words[left], groups)
            into, n = lattice.regroup(low, node)
            large = n >= least
            if not large.any():
                continue
            number = np.cumsum(large) - 1
            inside = large[into]
            candidates = groups.take(inside).merge(number[into[inside]], int(large.sum()))
            passed = np.ones(len(candidates), np.bool_)
            for model in models:
                passed &= model.holds(candidates)
            if not passed.any():
                continue
            placed = inside.copy()
            placed[inside] = passed[number[into[inside]]]
            group[left[placed]] = size + (np.cumsum(passed) - 1)[number[into[placed]]]
            size += int(passed.sum())
            left = left[~placed]
            if self.progress is not None:
                self.progress(1 - int(leaf.groups.n[left].sum()) / people)
        if len(left):
            weighting = self.metric.weighting
            _absorb(lattice, models, self.tuples, leaf.groups, group, left, self.limit, weighting)
        return group


def cheapest_first(lattice: Lattice, metric: CellMetric) -> Iterator[Node]:
    """Nodes by what publishing everyone there would cost; at last the top."""
    costs = CellCosts(lattice, metric)

    def cost(node: Node) -> float:
        return float(metric.combine(costs.published(node), lattice.original))

    heap = [(cost(lattice.bottom), lattice.bottom, 0)]
    for _ in range(MOST_NODES):
        if not heap:
            return
        _, node, first = heapq.heappop(heap)
        yield node
        # Each node has one parent here: the last column that is above the bottom.
        for j in range(first, len(node)):
            if node[j] < lattice.top[j]:
                above = (*node[:j], node[j] + 1, *node[j + 1 :])
                heapq.heappush(heap, (cost(above), above, j))
    node = min(heap)[1]
    while node != lattice.top:
        steps = [
            (*node[:j], node[j] + 1, *node[j + 1 :])
            for j in range(len(node))
            if node[j] < lattice.top[j]
        ]
        node = min(steps, key=cost)
        yield node


def _absorb(
    lattice: Lattice,
    models: Sequence[PrivacyModel],
    tuples: Codes,
    groups: Groups,
    group: Ints,
    left: Ints,
    limit: int,
    weighting: Weighting,
) -> None:
    """Let those left over join the group that widens most cheaply and still keeps the claims."""
    size = int(group.max(initial=-1)) + 1
    stranded = int(groups.n[left].sum())
    placed = np.flatnonzero(group >= 0)
    low, high = _extent(tuples[placed], group[placed], size)
    extra = tuples[left]
    wide_low = np.minimum(low, extra.min(axis=0))
    wide_high = np.maximum(high, extra.max(axis=0))
    n = np.bincount(group[placed], weights=groups.n[placed], minlength=size)
    added = _cost(lattice, weighting, wide_low, wide_high) * (n + stranded)
    added = weighting.generalised * (added - _cost(lattice, weighting, low, high) * n)
    order = np.argsort(added, kind="stable")
    fits = stranded + lattice.cells.absent <= limit
    if fits and not weighting.even:
        # Where the plan says what suppressing counts, widening must not count more.
        order = order[added[order] <= weighting.suppressed * stranded]
    for g in order[_within(lattice, wide_low, wide_high)[order]]:
        members = np.concatenate((np.flatnonzero(group == g), left))
        union = groups.take(members).merge(np.zeros(len(members), np.int64), 1)
        if all(model.holds(union)[0] for model in models):
            group[left] = g
            return
    if fits:
        return
    raise ClaimError(
        f"local recoding placed all but {stranded:,} people; together with no group do they "
        f"keep {', '.join(map(str, models))}, and the plan lets {limit:,} be left out",
        fix="Weaken the claim, allow more suppression, or search the lattice instead.",
    )


def _joined(
    lattice: Lattice,
    weighting: Weighting,
    tuples: Codes,
    n: Ints,
    group: Ints,
    exposed: NDArray[np.bool_],
) -> Ints:
    """Each exposed group joins the group whose widening costs least; which each tuple is in."""
    size = len(exposed)
    into = np.arange(size)
    placed = np.flatnonzero(group >= 0)
    low, high = _extent(tuples[placed], group[placed], size)
    people = np.bincount(group[placed], weights=n[placed], minlength=size)
    alone = _cost(lattice, weighting, low, high) * people
    for g in np.flatnonzero(exposed):
        if into[g] != g or (into == g).sum() > 1:
            continue  # it is with another already
        wide_low, wide_high = np.minimum(low, low[g]), np.maximum(high, high[g])
        wide = _cost(lattice, weighting, wide_low, wide_high)
        extra = wide * (people + people[g]) - alone - alone[g]
        extra[g] = np.inf
        extra[~_within(lattice, wide_low, wide_high)] = np.inf
        best = int(extra.argmin())
        if np.isfinite(extra[best]):
            into[g] = into[best]
    number = np.unique(into, return_inverse=True)[1].reshape(-1)
    return np.where(group >= 0, number[np.maximum(group, 0)], SUPPRESSED)


def _within(lattice: Lattice, low: Codes, high: Codes) -> NDArray[np.bool_]:
    """Whether each run can be published at the highest levels the plan allows."""
    within = np.ones(len(low), np.bool_)
    for j, (h, top) in enumerate(zip(lattice.cells.hierarchies, lattice.top, strict=True)):
        if top < h.height:
            within &= h.codes[top][low[:, j]] == h.codes[top][high[:, j]]
    return within


def _cost(lattice: Lattice, weighting: Weighting, low: Codes, high: Codes) -> Floats:
    """Mean over columns of the share of leaves under the covering hierarchy values."""
    if not len(low):
        return np.zeros(0)  # of nothing there is no mean
    shares = []
    for j, h in enumerate(lattice.cells.hierarchies):
        _, span = common_node(h, low[:, j], high[:, j], lowest=lattice.bottom[j])
        shares.append(span.width[:, 0] / len(h.values))
    if not shares:
        return np.zeros(len(low))
    if not weighting.weights:
        mean: Floats = np.mean(shares, axis=0)
        return mean
    cost: Floats = (weighting.shares(len(shares))[:, None] * np.array(shares)).sum(axis=0)
    return cost


def _extent(tuples: Codes, group: Ints, size: int) -> tuple[Codes, Codes]:
    """The first and last leaf of each group in each column."""
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(size))
    if not size:
        return tuples[:0], tuples[:0]
    low = np.minimum.reduceat(tuples[order], starts, axis=0)
    high = np.maximum.reduceat(tuples[order], starts, axis=0)
    return low, high


def _recoding(lattice: Lattice, tuples: Codes, group: Ints, of_cell: Ints, size: int) -> Recoding:
    """Publish each group at the lowest values its members share."""
    cells = lattice.cells
    placed = np.flatnonzero(group >= 0)
    low, high = _extent(tuples[placed], group[placed], size)
    labels, spans = [], []
    for j, h in enumerate(cells.hierarchies):
        label, span = common_node(h, low[:, j], high[:, j], lowest=lattice.bottom[j])
        labels.append(label)
        spans.append(span)
    counted = np.flatnonzero(cells.n > 0)
    recoding = Recoding(
        "local",
        counted,
        cells.n[counted],
        group[of_cell[counted]],
        tuple(labels),
        beside(spans, size),
    )
    return united(recoding, cells.hierarchies)
