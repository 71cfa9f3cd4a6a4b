"""A bound on what any recoding by groups costs: everybody shares a group with enough others.

If groups have at least k people, a person's group has somebody of the k nearest to them or
somebody farther. So the values that the person is published with cover the person and the k-th
nearest one, or cost as much. These costs add up over people. The bound holds for every recoding in
which each group is published at values of the hierarchies or at *, whatever the groups are.

A metric that is concave in the columns' totals lies above its chords, so that chords price cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import CellMetric, Metric
from hedgerow.recode.optimality import gap_of
from hedgerow.recode.outcome import Original
from hedgerow.recode.recoding import Recoding
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import Codes

CHUNK = 32
"""Tuples that stand together and are skipped together where all are far."""
MOST_PAIRS = 10_000_000_000
"""Of tuples and others, counted in columns; of more tuples, some count only what is sure."""
HALVINGS = 60
HAIR = 1e-9
"""Bounds are lowered by this, relatively: rounding must not raise one."""


def with_bound(
    recoding: Recoding,
    lattice: Lattice,
    models: Sequence[PrivacyModel],
    metric: Metric,
    limit: int,
) -> Recoding:
    """The recoding, with its cost and what no other one costs less, where a bound is known.

    Args:
        recoding: What was found.
        lattice: The lowest levels.
        models: The claims.
        metric: What is to be small.
        limit: People who may be suppressed, those barred included.
    """
    cost = metric.cost(recoding.outcome(lattice.original))
    bound = neighbour_bound(lattice, models, metric, limit=limit, cost=cost)
    if bound is None:
        return recoding
    found = {"metric": metric.name, "cost": cost, "lower_bound": bound, "gap": gap_of(cost, bound)}
    return replace(recoding, detail={**recoding.detail, "optimal": False, **found})


def neighbour_bound(
    lattice: Lattice,
    models: Sequence[PrivacyModel],
    metric: Metric,
    *,
    limit: int,
    cost: float,
) -> float | None:
    """What no recoding by groups that keep the claims costs less; None where nothing is known.

    Args:
        lattice: The lowest levels. The highest are not looked at.
        models: The claims.
        metric: What is to be small.
        limit: People who may be suppressed, those barred included.
        cost: Of a recoding that was found; the bound is not above it.
    """
    least = max((model.least_people or 1 for model in models), default=1)
    cells, original, by_cell = lattice.cells, lattice.original, metric.by_cell
    if least < 2 or by_cell is None or not cells.hierarchies or original.people == 0:
        return None
    columns = [_Column.of(lattice, by_cell, j) for j in range(len(cells.hierarchies))]
    people = original.n.astype(np.float64)
    gone, room = by_cell.gone(original), max(0, limit - original.absent)
    start = original.absent * gone
    start += [(people * c.price[0][original.q[:, j]]).sum() for j, c in enumerate(columns)]
    # Suppressing people may take a total below what the values cost as they are.
    saved = np.array([float(c.price[0].max()) for c in columns]) - gone
    cheapest = np.minimum(gone, [float(c.price[0].min()) for c in columns])
    low = np.maximum(original.people * cheapest, start - room * np.maximum(0.0, saved))
    low = np.minimum(low, start)
    dearest = np.array([float(c.price[-1].max()) for c in columns])
    high = np.maximum(start, original.people * np.maximum(gone, dearest))
    slopes = _chords(by_cell, original, low, high, cost)
    own, shared = _own_and_shared(lattice, columns, slopes, least)
    dear = np.maximum(shared - float((slopes * gone).sum()), 0.0)
    order = np.argsort(-dear, kind="stable")
    taken = np.clip(room - (np.cumsum(people[order]) - people[order]), 0.0, people[order])
    more = float((people * (shared - own)).sum()) - float((taken * dear[order]).sum())
    score = float(by_cell.parts(low, original).sum() + (slopes * (start - low)).sum()) + more
    bound = float(by_cell.from_score(np.array(score - HAIR * max(1.0, abs(score)))))
    return min(cost, bound)


@dataclass(frozen=True, eq=False)
class _Column:
    """The values of a column from its lowest level upwards, and at last *."""

    codes: tuple[Codes, ...]
    price: tuple[Floats, ...]
    """By level and leaf: what a person pays at that level or any higher one, at least."""

    @classmethod
    def of(cls, lattice: Lattice, metric: CellMetric, j: int) -> _Column:
        h, original = lattice.cells.hierarchies[j], lattice.original
        weighed = 0.0 if metric.weighting.even else float(metric.as_it_is(original)[j])
        codes = [*h.codes[lattice.bottom[j] :], np.zeros(len(h.values), np.int32)]
        rungs = [*range(lattice.bottom[j], h.height + 1), max(1, h.height)]
        price = []
        for code, rung in zip(codes, rungs, strict=True):
            size = int(code.max()) + 1
            under = np.bincount(code, weights=original.leaf_counts[j], minlength=size)
            cell = metric.cell(
                share=np.bincount(code, minlength=size) / len(h.values),
                under=under.astype(np.float64),
                rung=np.full(size, rung / max(1, h.height)),
            )
            price.append(metric.generalised(np.asarray(cell, np.float64), weighed)[code])
        price = list(np.minimum.accumulate(np.array(price)[::-1], axis=0)[::-1])
        return cls(tuple(codes), tuple(price))


def _chords(
    metric: CellMetric, original: Original, low: Floats, high: Floats, cost: float
) -> Floats:
    """For each column a slope: the score grows at least so much with its total.

    Args:
        metric: The metric.
        original: The table.
        low: The least totals.
        high: The largest. Those of which the column alone costs more than `cost` are not needed.
        cost: Of a recoding that was found.
    """
    top = high.copy()
    for j in range(len(low)):

        def costs(total: float, column: int = j) -> float:
            totals = low.copy()
            totals[column] = total
            return float(metric.combine(totals, original))

        below, above = float(low[j]), float(high[j])
        if costs(above) <= cost:
            continue
        for _ in range(HALVINGS):
            middle = (below + above) / 2
            below, above = (middle, above) if costs(middle) <= cost else (below, middle)
        top[j] = above
    rise = metric.parts(top, original) - metric.parts(low, original)
    wide = top - low
    slopes: Floats = np.divide(rise, wide, out=np.zeros_like(wide), where=wide > 0)
    return np.maximum(slopes, 0.0)


def _own_and_shared(
    lattice: Lattice, columns: Sequence[_Column], slopes: Floats, least: int
) -> tuple[Floats, Floats]:
    """For each tuple what a person pays at least, alone and in a group of so many people."""
    original = lattice.original
    # Columns that differ most come first, so that those who are far are given up early.
    weigh = [
        float((slopes[j] * c.price[1 if len(c.price) > 2 else -1]).mean())
        for j, c in enumerate(columns)
    ]
    by_price = sorted(range(len(columns)), key=lambda j: -weigh[j])
    q = original.q[:, by_price].astype(np.int64)
    order = np.lexsort(q.T[::-1])
    q, n = np.ascontiguousarray(q[order]), original.n[order]
    width = np.array([len(columns[j].price[0]) for j in by_price], np.int64)
    heights = np.array([len(columns[j].price) for j in by_price], np.int64)
    offset = np.concatenate(([0], np.cumsum(width * heights)))[:-1].astype(np.int64)
    codes = np.concatenate([np.concatenate(columns[j].codes) for j in by_price]).astype(np.int64)
    price = np.concatenate([np.concatenate(columns[j].price) * slopes[j] for j in by_price])
    own = np.zeros(len(q))
    for j in range(q.shape[1]):
        own += price[offset[j] + q[:, j]]
    small = np.flatnonzero(n < least)
    work = len(small) * len(q) * q.shape[1]
    asked = small[:: max(1, -(-work // MOST_PAIRS))]
    found = own.copy()
    found[asked] = _reach(asked, q, n, least, codes, price, offset, width, heights)
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return own[back], np.maximum(found, own)[back]


@kernel
def _reach(
    asked: Ints,
    q: NDArray[np.int64],
    n: Ints,
    least: int,
    codes: NDArray[np.int64],
    price: Floats,
    offset: Ints,
    width: Ints,
    heights: Ints,
) -> Floats:
    """For some tuples, what it costs to be published with the `least`-th nearest person.

    Args:
        asked: The tuples.
        q: All tuples, in lexical order.
        n: People of each.
        least: People of a group.
        codes: By column, level and leaf: the value.
        price: By column, level and leaf: what it costs.
        offset: Where each column begins.
        width: Leaves of each column.
        heights: Levels of each column.
    """
    size, columns = q.shape
    chunks = (size + CHUNK - 1) // CHUNK
    level = np.zeros((chunks, columns), np.int64)
    for c in range(chunks):
        first = c * CHUNK
        for j in range(columns):
            rung = 0
            for y in range(first, min(size, first + CHUNK)):
                while (
                    codes[offset[j] + rung * width[j] + q[first, j]]
                    != codes[offset[j] + rung * width[j] + q[y, j]]
                ):
                    rung += 1
            level[c, j] = rung
    result = np.empty(len(asked))
    far = np.empty(least)
    many = np.empty(least, np.int64)
    for i in range(len(asked)):
        x = asked[i]
        kept, limit = 0, inf
        home = x // CHUNK
        for step in range(chunks):
            # The own chunk first: who is near there makes the others short.
            c = home if step == 0 else (step - 1 if step <= home else step)
            first = c * CHUNK
            if step > 0:
                total = 0.0
                for j in range(columns):
                    rung, base = level[c, j], offset[j]
                    same = (
                        codes[base + rung * width[j] + q[x, j]]
                        == codes[base + rung * width[j] + q[first, j]]
                    )
                    if same:
                        total += price[base + q[x, j]]
                        continue
                    while (
                        codes[base + rung * width[j] + q[x, j]]
                        != codes[base + rung * width[j] + q[first, j]]
                    ):
                        rung += 1
                    total += price[base + rung * width[j] + q[x, j]]
                if total >= limit:
                    continue
            for y in range(first, min(size, first + CHUNK)):
                total = 0.0
                for j in range(columns):
                    rung, base = 0, offset[j]
                    while (
                        codes[base + rung * width[j] + q[x, j]]
                        != codes[base + rung * width[j] + q[y, j]]
                    ):
                        rung += 1
                    total += price[base + rung * width[j] + q[x, j]]
                    if total >= limit:
                        break
                if total >= limit:
                    continue
                place = min(kept, least - 1)
                while place > 0 and far[place - 1] > total:
                    far[place], many[place] = far[place - 1], many[place - 1]
                    place -= 1
                far[place], many[place] = total, n[y]
                kept = min(kept + 1, least)
                people = 0
                for p in range(kept):
                    people += many[p]
                    if people >= least:
                        kept, limit = p + 1, far[p]
                        break
        result[i] = limit
    return result
