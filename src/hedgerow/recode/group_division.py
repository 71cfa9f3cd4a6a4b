"""Division of groups: groups of k people or more that are divided anew where that costs less.

Two things are tried in turn until neither helps. Two groups near each other are divided anew: from
one person after the other as the first, those who cost least are added until there are k, then the
farthest begins the next group. And a group is dissolved, each of its tuples going where it costs
least. People with the same quasi-identifiers stay together.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.recode.group_extents import (
    Extents,
    Ladders,
    Leaves,
    extents_of,
    joined,
    nearest,
    numbered,
    window_of,
)
from hedgerow.table.groups import Ints

NEAR = 8
"""Groups with which each is divided anew."""
MOST_TUPLES = 40
"""Of two groups that are divided anew."""
ROUNDS = 2
HAIR = 1e-12
"""What has to be saved, so that rounding does not decide."""


class Members(NamedTuple):
    """The tuples of groups, as lists."""

    leaves: Leaves
    """Of each tuple."""
    people: Ints
    """Of each tuple."""
    first: Ints
    """Of each group; -1: none."""
    next: Ints
    """Of each tuple, the one after it in its group; -1: none."""


def regrouped(ladders: Ladders, leaves: Leaves, people: Ints, group: Ints, least: int) -> Ints:
    """The group of each tuple, such that the groups cost less.

    Args:
        ladders: The levels, and what they cost.
        leaves: Of each tuple, in lexical order.
        people: Of each tuple.
        group: The group of each tuple, each of `least` people or more.
        least: People of a group.
    """
    changed = np.ones(len(group), np.bool_)
    for _ in range(ROUNDS):
        group = numbered(group)
        size = int(group.max(initial=-1)) + 1
        room = len(group) + 1
        extents = extents_of(ladders, leaves, people, group, room)
        first, following = np.full(room, -1, np.int64), np.full(len(group), -1, np.int64)
        for x in range(len(group) - 1, -1, -1):
            following[x], first[group[x]] = first[group[x]], x
        members = Members(leaves, people, first, following)
        window, before = window_of(size), group
        fresh = np.zeros(room, np.bool_)
        fresh[group[changed]] = True
        _divide_pairs(
            ladders, extents, members, _dearest_first(extents, fresh), least, window, fresh
        )
        _dissolve(ladders, extents, members, _dearest_first(extents, fresh), window)
        found = np.full(len(group), -1, np.int64)
        for g in range(room):
            x = first[g]
            while x >= 0:
                found[x], x = g, following[x]
        # Who was in a group that has changed is asked again.
        other = (found != before) | np.isin(found, found[found != before])
        other |= np.isin(before, before[found != before])
        group, changed = found, other
        if not changed.any():
            break
    return numbered(group)


def _dearest_first(extents: Extents, asked: NDArray[np.bool_]) -> Ints:
    """Of some groups those that cost something, the one whose people pay most first."""
    total = np.where((extents.people > 0) & asked, extents.cost * extents.people, 0.0)
    order = np.argsort(-total, kind="stable")
    return order[total[order] > HAIR]


@kernel
def _divide_pairs(
    ladders: Ladders,
    extents: Extents,
    members: Members,
    order: Ints,
    least: int,
    window: int,
    fresh: NDArray[np.bool_],
) -> None:
    """Divide groups anew, each with some near it.

    Args:
        ladders: The levels.
        extents: The groups, which change.
        members: Their tuples, which change, too.
        order: The groups in question.
        least: People of a group.
        window: How far apart by number groups may be.
        fresh: Groups in which something has changed; marked.
    """
    columns = members.leaves.shape[1]
    near, more = np.empty(NEAR, np.int64), np.empty(NEAR)
    mine, label = np.empty(MOST_TUPLES, np.int64), np.empty(MOST_TUPLES, np.int64)
    best = np.empty(MOST_TUPLES, np.int64)
    leaf = np.empty((MOST_TUPLES, columns), np.int64)
    level = np.empty((MOST_TUPLES, columns), np.int64)
    many, cost = np.empty(MOST_TUPLES, np.int64), np.empty(MOST_TUPLES)
    parts = Extents(leaf, level, many, cost)
    into = np.empty(columns, np.int64)
    numbers = np.empty(MOST_TUPLES, np.int64)
    free = 0
    for a in order:
        if extents.people[a] == 0 or extents.cost[a] <= HAIR:
            continue
        there = nearest(ladders, extents, a, window, near, more)
        for place in range(there):
            b = near[place]
            if extents.people[a] == 0 or extents.people[b] == 0 or b == a:
                continue
            size = 0
            for g in (a, b):
                x = members.first[g]
                while x >= 0:
                    if size < MOST_TUPLES:
                        mine[size] = x
                    size += 1
                    x = members.next[x]
            if size > MOST_TUPLES:
                continue
            now = extents.cost[a] * extents.people[a] + extents.cost[b] * extents.people[b]
            least_cost, count = now - HAIR, 0
            for start in range(size):
                found, groups = _divided(
                    ladders, members, mine[:size], start, least, least_cost, label, parts, into
                )
                if found < least_cost:
                    least_cost, count = found, groups
                    best[:size] = label[:size]
            if not count:
                continue
            numbers[0], numbers[1] = a, b
            for g in range(2, count):
                while extents.people[free] > 0:
                    free = (free + 1) % len(extents.people)
                numbers[g] = free
                extents.people[free] = 1  # taken
            for g in (a, b):
                extents.people[g] = 0
                members.first[g] = -1
            for g in range(count):
                extents.people[numbers[g]] = 0
                members.first[numbers[g]] = -1
            for i in range(size):
                _put(ladders, extents, members, mine[i], numbers[best[i]])
            for g in range(count):
                fresh[numbers[g]] = True


@kernel
def _put(ladders: Ladders, extents: Extents, members: Members, tuple_: int, group: int) -> None:
    """Put a tuple into a group.

    Args:
        ladders: The levels.
        extents: The groups.
        members: Their tuples.
        tuple_: The tuple.
        group: The group.
    """
    if extents.people[group] == 0:
        for j in range(members.leaves.shape[1]):
            extents.leaf[group, j] = members.leaves[tuple_, j]
            extents.level[group, j] = 0
    level = extents.level[group]
    extents.cost[group] = joined(
        ladders, extents.leaf[group], level, members.leaves[tuple_], level, inf
    )
    extents.people[group] += members.people[tuple_]
    members.next[tuple_] = members.first[group]
    members.first[group] = tuple_


@kernel
def _divided(
    ladders: Ladders,
    members: Members,
    mine: Ints,
    start: int,
    least: int,
    limit: float,
    label: Ints,
    parts: Extents,
    into: Ints,
) -> tuple[float, int]:
    """What some tuples cost in groups that are made greedily, and how many groups these are.

    Args:
        ladders: The levels.
        members: All tuples.
        mine: Those in question.
        start: With which the first group begins.
        least: People of a group.
        limit: A cost from which on nobody asks.
        label: Where the group of each is written to.
        parts: Room for the groups.
        into: Room for a group's levels.
    """
    size, columns, left, seed, total, count = len(mine), len(into), 0, start, 0.0, 0
    for i in range(size):
        label[i] = -1
        left += members.people[mine[i]]
    while left >= least:
        for j in range(columns):
            parts.leaf[count, j] = members.leaves[mine[seed], j]
            parts.level[count, j] = 0
        leaf, level = parts.leaf[count], parts.level[count]
        label[seed] = count
        people = members.people[mine[seed]]
        cost = joined(ladders, leaf, level, leaf, into, inf)
        while people < least:
            next_, lowest = -1, inf
            for i in range(size):
                if label[i] < 0:
                    wide = joined(ladders, leaf, level, members.leaves[mine[i]], into, lowest)
                    if wide < lowest:
                        next_, lowest = i, wide
            if next_ < 0:
                return inf, 0
            label[next_] = count
            people += members.people[mine[next_]]
            cost = joined(ladders, leaf, level, members.leaves[mine[next_]], level, inf)
        parts.people[count], parts.cost[count] = people, cost
        total += cost * people
        left -= people
        count += 1
        if total >= limit:
            return inf, 0
        if left >= least:
            farthest = -1.0
            for i in range(size):
                if label[i] < 0:
                    wide = joined(ladders, leaf, level, members.leaves[mine[i]], into, inf)
                    if wide > farthest:
                        seed, farthest = i, wide
    for i in range(size):
        if label[i] >= 0:
            continue
        where, lowest = -1, inf
        for g in range(count):
            people = parts.people[g] + members.people[mine[i]]
            wide = joined(
                ladders, parts.leaf[g], parts.level[g], members.leaves[mine[i]], into, inf
            )
            more = wide * people - parts.cost[g] * parts.people[g]
            if more < lowest:
                where, lowest = g, more
        if where < 0 or total + lowest >= limit:
            return inf, 0
        level = parts.level[where]
        parts.cost[where] = joined(
            ladders, parts.leaf[where], level, members.leaves[mine[i]], level, inf
        )
        parts.people[where] += members.people[mine[i]]
        label[i] = where
        total += lowest
    return total, count


@kernel
def _dissolve(
    ladders: Ladders, extents: Extents, members: Members, order: Ints, window: int
) -> None:
    """Dissolve groups whose tuples cost less elsewhere.

    Args:
        ladders: The levels.
        extents: The groups, which change.
        members: Their tuples, which change, too.
        order: The groups in question.
        window: How far apart by number groups may be.
    """
    columns = members.leaves.shape[1]
    mine, target = np.empty(MOST_TUPLES, np.int64), np.empty(MOST_TUPLES, np.int64)
    level, cost = np.empty((MOST_TUPLES, columns), np.int64), np.empty(MOST_TUPLES)
    into = np.empty(columns, np.int64)
    for a in order:
        budget = extents.cost[a] * extents.people[a] - HAIR
        if extents.people[a] == 0 or budget <= 0:
            continue
        size = 0
        x = members.first[a]
        while x >= 0:
            if size < MOST_TUPLES:
                mine[size] = x
            size += 1
            x = members.next[x]
        if size > MOST_TUPLES:
            continue
        before, extents.people[a] = extents.people[a], 0
        placed = 0
        for i in range(size):
            leaves, people = members.leaves[mine[i]], members.people[mine[i]]
            where, lowest = -1, budget
            low, high = max(0, a - window), min(len(extents.people), a + window + 1)
            for g in range(low, high):
                both = extents.people[g] + people
                if both == people:
                    continue
                now = extents.cost[g] * extents.people[g]
                wide = joined(
                    ladders, extents.leaf[g], extents.level[g], leaves, into,
                    (lowest + now) / both,
                )  # fmt: skip
                if wide * both - now < lowest:
                    where, lowest = g, wide * both - now
            if where < 0:
                break
            target[i], cost[i] = where, extents.cost[where]
            level[i] = extents.level[where]
            extents.cost[where] = joined(
                ladders, extents.leaf[where], extents.level[where], leaves, extents.level[where],
                inf,
            )  # fmt: skip
            extents.people[where] += people
            budget -= lowest
            placed += 1
        if placed == size:
            members.first[a] = -1
            for i in range(size):
                members.next[mine[i]] = members.first[target[i]]
                members.first[target[i]] = mine[i]
            continue
        for i in range(placed - 1, -1, -1):
            g = target[i]
            extents.people[g] -= members.people[mine[i]]
            extents.cost[g], extents.level[g] = cost[i], level[i]
        extents.people[a] = before
