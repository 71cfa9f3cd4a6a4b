"""MDAV, maximum distance to average vector, in compiled code.

People with equal tuples are at distance 0, so it works on tuples with counts and takes from
the last one only as many people as a cluster still lacks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.base.jit import kernel
from hedgerow.recode.cuts import Lots
from hedgerow.recode.distance import DistanceAxes, Distances
from hedgerow.recode.parts import Progress
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import Codes

GRID = 2.0**36
"""Squared distances are multiples of 1 / GRID."""
ROUND = 2e8
"""Distances computed between two reports of progress."""


class Clustering(NamedTuple):
    """Who is not in a cluster yet, and the clusters made; compiled code changes it in place."""

    place: Codes
    """Tuples by axes: where the tuple's rank stands among all ranks, laid end to end."""
    left: Ints
    """Of each tuple, the people who are in no cluster."""
    alive: Ints
    """The tuples that have some, as many as the state says."""
    mass: Ints
    """Of each rank, the people who have it and are in no cluster."""
    lots: Ints
    """Made so far, as many as the state says: tuple, people and cluster (three rows)."""
    state: Ints
    """Tuples left, people left, clusters made, lots made."""


def mdav(
    distances: Distances, ranks: Codes, people: Ints, k: int, progress: Progress | None = None
) -> Lots:
    """Clusters of k to 2k - 1 people, `people` of each tuple of `ranks`.

    Ties go to the tuple that stands first.
    """
    space = distances.space
    total = int(people.sum())
    place = (ranks + space.offset[:-1]).astype(np.int32)
    left, alive = people.copy(), np.arange(len(people))
    mass = np.zeros(len(space.measure), np.int64)
    for j in range(ranks.shape[1]):
        np.add.at(mass, place[:, j], people)
    room = len(people) + total // k + 2
    lots = np.empty((3, room), np.int64)
    state = np.array([len(people), total, 0, 0], np.int64)
    work, axes = Clustering(place, left, alive, mass, lots, state), distances.arrays
    most = max(1, int(ROUND / max(1, 3 * place.size)))
    while state[1] > 0:
        _rounds(work, axes, k, most)
        if progress is not None:
            progress(1 - int(state[1]) / total)
    made = lots[:, : state[3]]
    return made[0], made[1], made[2]


@kernel
def category(ladder: Codes, rung: int, size: int, height: int, a: int, b: int) -> float:
    """The squared height, from 0 to 1, of the lowest node above two categories.

    Args:
        ladder: The branch of each rank at each level of each axis, end to end.
        rung: Where the axis's ladder begins.
        size: Ranks of the axis, so how long each level is.
        height: Levels of the ladder.
        a: The rank of the one category.
        b: The rank of the other.
    """
    for level in range(height):
        if ladder[rung + level * size + a] == ladder[rung + level * size + b]:
            return (level / max(height - 1, 1)) ** 2
    return 1.0


@kernel
def distances_from(centre: Floats, mode: Ints, axes: DistanceAxes, row: Floats) -> None:
    """Fill `row`: of each rank of each axis, the squared distance from one point.

    Args:
        centre: The point's number on each axis that has numbers; NaN: missing.
        mode: The rank of its category on each of the others.
        axes: What the ranks are.
        row: As long as all axes, end to end. Filled in place.
    """
    numeric, number, offset = axes.numeric, axes.number, axes.offset
    for j in range(len(numeric)):
        size = offset[j + 1] - offset[j]
        for rank in range(size):
            place = offset[j] + rank
            if not numeric[j]:
                apart = category(axes.ladder, axes.rung[j], size, axes.heights[j], mode[j], rank)
                apart *= axes.weight[j]
            elif np.isnan(number[place]) != np.isnan(centre[j]):
                apart = axes.far[j]
            elif np.isnan(centre[j]):
                apart = 0.0
            else:
                apart = (number[place] - centre[j]) ** 2
            row[place] = np.rint(apart * GRID) / GRID


@kernel
def _rounds(work: Clustering, axes: DistanceAxes, k: int, most: int) -> None:
    """At most `most` rounds of two clusters each; the last ones where fewer than 3k are left.

    Args:
        work: Who is left, and the clusters made. Changed in place.
        axes: What the ranks are.
        k: People each cluster has at least.
        most: How many rounds.
    """
    place, alive, state = work.place, work.alive, work.state
    d = place.shape[1]
    row = np.zeros(len(axes.number))
    apart = np.empty(len(work.left))
    centre, mode = np.empty(d), np.zeros(d, np.int64)
    for _ in range(most):
        if state[1] < 2 * k:
            _gather(work, np.zeros(len(work.left)), state[1])
            return
        before = state[1]
        _average(work.mass, axes, centre, mode)
        for which in range(2):
            if which == 1 and before < 3 * k:
                break
            # The first cluster is around the tuple farthest from the average, the second
            # around the one farthest from that: `apart` still holds those distances.
            if which == 0:
                distances_from(centre, mode, axes, row)
                _apart(place, alive, state[0], row, apart)
            chosen = alive[np.argmax(apart[: state[0]])]
            for j in range(d):
                centre[j] = axes.number[place[chosen, j]]
                mode[j] = place[chosen, j] - axes.offset[j]
            distances_from(centre, mode, axes, row)
            _apart(place, alive, state[0], row, apart)
            _gather(work, apart, k)


@kernel
def _average(mass: Ints, axes: DistanceAxes, centre: Floats, mode: Ints) -> None:
    """The average vector of the people left: means of numbers, most frequent categories.

    Args:
        mass: Of each rank of each axis, end to end, the people left.
        axes: What the ranks are.
        centre: The mean of each axis; NaN where nobody left has a number. Filled in place.
        mode: The most frequent rank of each axis. Filled in place.
    """
    numeric, number, offset = axes.numeric, axes.number, axes.offset
    for j in range(len(numeric)):
        total, weight, best = 0.0, 0, offset[j]
        for place in range(offset[j], offset[j + 1]):
            if mass[place] > mass[best]:
                best = place
            if numeric[j] and not np.isnan(number[place]):
                total += mass[place] * number[place]
                weight += mass[place]
        centre[j] = total / weight if weight else np.nan
        mode[j] = best - offset[j]


@kernel
def _apart(place: Codes, alive: Ints, count: int, row: Floats, apart: Floats) -> None:
    """The squared distance of each tuple left.

    Args:
        place: Tuples by axes: where the rank stands among those of all axes, end to end.
        alive: The tuples left come first in it,
        count: so many.
        row: The squared distance of each rank of each axis; see `distances_from`.
        apart: For each place in `alive`, the sum over the axes. Filled in place.
    """
    for i in range(count):
        total = 0.0
        for j in range(place.shape[1]):
            total += row[place[alive[i], j]]
        apart[i] = total


@kernel
def _gather(work: Clustering, apart: Floats, wanted: int) -> None:
    """Make a cluster of the `wanted` nearest people; `alive` and `apart` lose who is used up."""
    place, left, alive, mass, lots, state = work
    near = np.empty(min(wanted, state[0]) + 1, np.int64)
    count, reached = 0, 0
    for i in range(state[0]):
        if reached >= wanted and apart[i] >= apart[near[count - 1]]:
            continue
        at = count
        while at > 0 and apart[near[at - 1]] > apart[i]:
            near[at] = near[at - 1]
            at -= 1
        near[at] = i
        count += 1
        reached += left[alive[i]]
        while reached - left[alive[near[count - 1]]] >= wanted:
            count -= 1
            reached -= left[alive[near[count]]]
    missing = wanted
    for i in near[:count]:
        tuple_ = alive[i]
        taken = min(left[tuple_], missing)
        missing -= taken
        left[tuple_] -= taken
        for j in range(place.shape[1]):
            mass[place[tuple_, j]] -= taken
        lots[0, state[3]], lots[1, state[3]], lots[2, state[3]] = tuple_, taken, state[2]
        state[3] += 1
    kept = 0
    for i in range(state[0]):
        if left[alive[i]] > 0:
            alive[kept], apart[kept] = alive[i], apart[i]
            kept += 1
    state[0] = kept
    state[1] -= wanted
    state[2] += 1
