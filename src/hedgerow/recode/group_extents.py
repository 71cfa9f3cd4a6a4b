"""What groups are published as, and what that costs: levels of the hierarchies, column by column.

Kernels share two tuples of arrays. `Ladders` says what each leaf is at each level; `Extents` says
of each group at which level its members are one, by the leaf of one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import CellMetric
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import Codes

Leaves = NDArray[np.int64]
"""Tuples or groups by columns."""
MOST_PAIRS = 100_000_000
"""Of groups that are looked at together: of more groups, those far apart by number are not."""


class Ladders(NamedTuple):
    """Each column's levels, from the lowest that is allowed to *."""

    code: Ints
    """By column, level and leaf: the value."""
    price: Floats
    """By column, level and leaf: what it costs a person; infinite above the highest level."""
    offset: Ints
    """Where each column begins."""
    width: Ints
    """The leaves of each column."""


class Extents(NamedTuple):
    """Groups, and room for more: those without people are not there."""

    leaf: Leaves
    level: Leaves
    people: Ints
    cost: Floats
    """Of one person."""


def ladders_of(lattice: Lattice, metric: CellMetric, totals: Floats) -> Ladders:
    """The levels of a lattice, priced by how much a metric grows with each column's total.

    Args:
        lattice: The lowest and the highest level of each column.
        metric: What is to be small.
        totals: Each column's total, of what is already found.
    """
    original = lattice.original
    slopes = metric.parts(totals + 1.0, original) - metric.parts(totals, original)
    codes, prices, offset, end = [], [], [], 0
    for j, h in enumerate(lattice.cells.hierarchies):
        levels = [*h.codes[lattice.bottom[j] :], np.zeros(len(h.values), np.int32)]
        offset.append(end)
        for level, code in enumerate(levels, lattice.bottom[j]):
            size = int(code.max()) + 1
            under = np.bincount(code, weights=original.leaf_counts[j], minlength=size)
            cell = metric.cell(
                share=np.bincount(code, minlength=size) / len(h.values),
                under=under.astype(np.float64),
                rung=np.full(size, min(level, h.height) / max(1, h.height)),
            )
            highest = lattice.top[j] if lattice.top[j] < h.height else h.height + 1
            price = cell[code] * max(float(slopes[j]), 0.0)
            prices.append(price if level <= highest else np.full(len(code), inf))
            codes.append(code.astype(np.int64))
            end += len(code)
    width = np.array([len(h.values) for h in lattice.cells.hierarchies], np.int64)
    return Ladders(np.concatenate(codes), np.concatenate(prices), np.array(offset), width)


def dearest_first(ladders: Ladders) -> Ints:
    """The columns, first those whose first step upwards costs most on average."""
    steps = []
    for begin, width in zip(ladders.offset.tolist(), ladders.width.tolist(), strict=True):
        price = ladders.price[begin + width : begin + 2 * width]
        steps.append(float(np.where(np.isfinite(price), price, 1e9).mean()))
    order: Ints = np.argsort(-np.array(steps), kind="stable")
    return order


def extents_of(ladders: Ladders, leaves: Leaves, people: Ints, group: Ints, room: int) -> Extents:
    """The extents of groups of tuples.

    Args:
        ladders: The levels.
        leaves: Of each tuple.
        people: Of each tuple.
        group: The group of each tuple.
        room: How many groups there may be.
    """
    shape = room, leaves.shape[1]
    found = Extents(
        np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(room, np.int64),
        np.zeros(room),
    )  # fmt: skip
    _fill(ladders, leaves, people, group, found)
    return found


@kernel
def _fill(ladders: Ladders, leaves: Leaves, people: Ints, group: Ints, extents: Extents) -> None:
    """Fill in the extents of groups.

    Args:
        ladders: The levels.
        leaves: Of each tuple.
        people: Of each tuple.
        group: The group of each tuple.
        extents: Of groups nobody is in.
    """
    for x in range(len(group)):
        g = group[x]
        if extents.people[g] == 0:
            for j in range(leaves.shape[1]):
                extents.leaf[g, j] = leaves[x, j]
        cost = joined(ladders, extents.leaf[g], extents.level[g], leaves[x], extents.level[g], inf)
        extents.cost[g] = cost
        extents.people[g] += people[x]


@kernel
def joined(
    ladders: Ladders, leaf: Ints, level: Ints, other: Ints, into: Ints, limit: float
) -> float:
    """What it costs a person if a group takes in a leaf, or another group.

    Args:
        ladders: The levels.
        leaf: A leaf of the group, by column.
        level: At which level it is published; at least that of the other group.
        other: The leaf that is taken in.
        into: Where the new levels are written to.
        limit: Above which nobody asks.
    """
    cost = 0.0
    for j in range(len(leaf)):
        rung, base, width = level[j], ladders.offset[j], ladders.width[j]
        while (
            ladders.code[base + rung * width + leaf[j]]
            != ladders.code[base + rung * width + other[j]]
        ):
            rung += 1
        into[j] = rung
        cost += ladders.price[base + rung * width + leaf[j]]
        if cost >= limit:
            return inf
    return cost


@kernel
def nearest(
    ladders: Ladders, extents: Extents, group: int, window: int, found: Ints, more: Floats
) -> int:
    """The groups that cost least to join with a group, the nearest first; how many there are.

    Args:
        ladders: The levels.
        extents: All groups.
        group: The group.
        window: How far by number the others may be.
        found: Where they are written to; how many are asked for.
        more: What joining each costs more than having both.
    """
    kept, columns = 0, extents.leaf.shape[1]
    for g in range(max(0, group - window), min(len(extents.people), group + window + 1)):
        if g == group or extents.people[g] == 0:
            continue
        both = extents.people[group] + extents.people[g]
        now = extents.cost[group] * extents.people[group] + extents.cost[g] * extents.people[g]
        limit = more[kept - 1] if kept == len(found) else inf
        cost, near = 0.0, True
        for j in range(columns):
            rung = max(extents.level[group, j], extents.level[g, j])
            base, width = ladders.offset[j], ladders.width[j]
            while (
                ladders.code[base + rung * width + extents.leaf[group, j]]
                != ladders.code[base + rung * width + extents.leaf[g, j]]
            ):
                rung += 1
            cost += ladders.price[base + rung * width + extents.leaf[g, j]]
            if not cost * both - now < limit:
                near = False
                break
        if not near:
            continue
        place = min(kept, len(found) - 1)
        while place > 0 and more[place - 1] > cost * both - now:
            more[place], found[place] = more[place - 1], found[place - 1]
            place -= 1
        more[place], found[place] = cost * both - now, g
        kept = min(kept + 1, len(found))
    return kept


def window_of(groups: int) -> int:
    """How far apart by number groups may be, so that time grows with their number alone.

    >>> window_of(5_000), window_of(1_000_000)
    (10000, 50)
    """
    return MOST_PAIRS // (2 * max(1, groups))


def in_order(leaves: Leaves | Codes) -> Ints:
    """Tuples in lexical order, so that nothing depends on how they were counted."""
    order: Ints = np.lexsort(leaves.T[::-1]) if leaves.shape[1] else np.arange(len(leaves))
    return order


def numbered(group: Sequence[int] | Ints) -> Ints:
    """Groups numbered in the order in which they are met.

    >>> numbered(np.array([7, 2, 7, 4])).tolist()
    [0, 1, 0, 2]
    """
    _, first, into = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[into.reshape(-1)]
