"""Where a box of people can be cut in two, in compiled code.

A node is a list of entries: a tuple of ranks (`who`) with a number of people (`weight`). An axis
is cut behind a rank. Cuts that part the highest branches of the taxonomy are preferred, and
among those the one nearest to the median, that is, the one with the larger smaller side (where
two are equally near, the one that has the median on its left). So where any cut of an axis
leaves enough people on both sides, one is found.

Kernels that call each other are in one file: the compiler's cache looks at no other.
"""

from __future__ import annotations

import numpy as np

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.hierarchy import Codes

Lots = tuple[Ints, Ints, Ints]
"""Tuple, people and group: how many people with the tuple go to the group."""

SPARSE = 8
"""Ranks are sorted, not counted, where a node has this many times more ranks than entries."""
EVERYBODY = -1
"""Ties: all people at the cut stay together, to its left."""


@kernel
def extent(ranks: Codes, who: Ints, low: Ints, high: Ints) -> None:
    """The smallest and the largest rank of the entries on every axis.

    Args:
        ranks: Tuples by axes.
        who: The tuple of each entry; there is at least one.
        low: The smallest of each axis. Filled in place.
        high: The largest. Filled in place.
    """
    for j in range(ranks.shape[1]):
        low[j] = high[j] = ranks[who[0], j]
    for e in who:
        for j in range(ranks.shape[1]):
            rank = ranks[e, j]
            low[j] = min(low[j], rank)
            high[j] = max(high[j], rank)


@kernel
def by_width(
    measure: Floats, offset: Ints, weights: Floats, low: Ints, high: Ints, order: Ints
) -> None:
    """Order the axes, widest first; the earlier column where two are equally wide.

    Args:
        measure: Of each rank of each axis, end to end, its place on the axis.
        offset: Axis j owns the places from offset[j] to offset[j + 1].
        weights: How many times the width of each axis counts.
        low: The smallest rank of each axis,
        high: and the largest.
        order: The axes. Filled in place.
    """
    width = np.empty(len(low))
    for j in range(len(low)):
        width[j] = min(1.0, measure[offset[j] + high[j]] - measure[offset[j] + low[j]])
        width[j] *= weights[j]
        place = j
        while place > 0 and width[order[place - 1]] < width[j]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = j


@kernel
def _sort(keys: Ints) -> None:
    """Sort in place by Shell's method: NumPy's takes a second and more to compile."""
    gap = len(keys) // 2
    while gap > 0:
        for i in range(gap, len(keys)):
            key, at = keys[i], i
            while at >= gap and keys[at - gap] > key:
                keys[at] = keys[at - gap]
                at -= gap
            keys[at] = key
        gap = 1 if gap == 2 else gap * 5 // 11  # shrinking by 2.2 does well in practice


@kernel
def profile(
    ranks: Codes, who: Ints, weight: Ints, axis: int, low: int, high: int, scratch: Ints
) -> tuple[Ints, Ints]:
    """The ranks that occur on an axis, ascending, and the people at each.

    Args:
        ranks: Tuples by axes.
        who: The tuple of each entry,
        weight: and how many people.
        axis: The axis.
        low: The smallest rank of the entries on it,
        high: and the largest.
        scratch: At least as long as the longest axis, all zero, and left so.
    """
    entries = len(who)
    if high - low >= SPARSE * entries:
        along = np.empty(entries, np.int64)
        for e in range(entries):
            along[e] = ranks[who[e], axis] * entries + e
        _sort(along)
        at, people = np.empty(entries, np.int64), np.zeros(entries, np.int64)
        met = 0
        for key in along:
            if met == 0 or at[met - 1] != key // entries:
                at[met] = key // entries
                met += 1
            people[met - 1] += weight[key % entries]
        return at[:met], people[:met]
    for e in range(entries):
        scratch[ranks[who[e], axis]] += weight[e]
    met = 0
    for rank in range(low, high + 1):
        met += scratch[rank] > 0
    at, people = np.empty(met, np.int64), np.empty(met, np.int64)
    met = 0
    for rank in range(low, high + 1):
        if scratch[rank] > 0:
            at[met], people[met] = rank, scratch[rank]
            scratch[rank] = 0
            met += 1
    return at, people


@kernel
def parting(ladder: Codes, rung: int, size: int, height: int, low: int, high: int) -> int:
    """The highest level at which two ranks of an axis are on different branches.

    Args:
        ladder: The branch of each rank at each level of each axis, end to end.
        rung: Where the axis's ladder begins.
        size: Ranks of the axis, so how long each level is.
        height: Levels of the ladder.
        low: The one rank.
        high: The other.
    """
    for level in range(height - 1, 0, -1):
        if ladder[rung + level * size + low] != ladder[rung + level * size + high]:
            return level
    return 0


@kernel
def divide(
    ranks: Codes, who: Ints, weight: Ints, axis: int, cut: int, ties: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Both sides of a cut: below `cut` to the left, and of those at `cut` the first `ties` people.

    Args:
        ranks: Tuples by axes.
        who: The tuple of each entry,
        weight: and how many people.
        axis: The axis that is cut.
        cut: A rank of it.
        ties: How many people at `cut` go to the left; EVERYBODY keeps them together.

    Returns:
        Entries and people on the left, then on the right. Unless `ties` is EVERYBODY, one entry
        may be on both sides.
    """
    entries = len(who)
    left, left_weight = np.empty(entries, np.int64), np.empty(entries, np.int64)
    right, right_weight = np.empty(entries, np.int64), np.empty(entries, np.int64)
    a = b = 0
    for e in range(entries):
        rank = ranks[who[e], axis]
        to_left, to_right = 0, weight[e]
        whole_left = rank < cut or (rank == cut and ties == EVERYBODY)
        if whole_left:
            to_left, to_right = weight[e], 0
        elif rank == cut:
            to_left = min(ties, weight[e])
            to_right -= to_left
            ties -= to_left
        if whole_left or to_left > 0:
            left[a], left_weight[a] = who[e], to_left
            a += 1
        if not whole_left and (to_right > 0 or to_left == 0):
            right[b], right_weight[b] = who[e], to_right
            b += 1
    return left[:a], left_weight[:a], right[:b], right_weight[:b]


@kernel
def best_cut(
    at: Ints, people: Ints, floor: int, ladder: Codes, rung: int, size: int, height: int
) -> int:
    """The preferred rank to cut behind so that `floor` people are on each side; -1: none.

    Args:
        at: The ranks that occur on the axis, ascending,
        people: and the people at each.
        floor: People each side must have.
        ladder: The branch of each rank at each level of each axis, end to end.
        rung: Where the axis's ladder begins.
        size: Ranks of the axis, so how long each level is.
        height: Levels of the ladder.
    """
    total = people.sum()
    left, best, best_level, best_side = 0, -1, -1, -1
    for i in range(len(at) - 1):
        left += people[i]
        side = min(left, total - left)
        if side >= floor:
            level = parting(ladder, rung, size, height, at[i], at[i + 1])
            if level > best_level or (level == best_level and side >= best_side):
                best, best_level, best_side = at[i], level, side
    return best


@kernel
def median(at: Ints, people: Ints) -> tuple[int, int]:
    """The rank of the median, and how many of the people there belong to the lower half."""
    half = people.sum() // 2
    i = 0
    while people[i] < half:
        half -= people[i]
        i += 1
    return at[i], half


@kernel
def divide_all(
    ranks: Codes,
    people: Ints,
    measure: Floats,
    offset: Ints,
    ladder: Codes,
    rung: Ints,
    heights: Ints,
    weights: Floats,
    floor: int,
    relaxed: bool,
) -> Lots:
    """Cut until nothing can be cut; a node gives way to its two sides on top of the stack.

    Args:
        ranks: Tuples by axes.
        people: People of each tuple.
        measure: Of each rank of each axis, end to end, its place on the axis.
        offset: Axis j owns the places from offset[j] to offset[j + 1].
        ladder: The branch of each rank at each level of each axis, end to end.
        rung: Axis j's ladder begins at rung[j], level by level.
        heights: Levels of each axis's ladder.
        weights: How many times the width of each axis counts.
        floor: People each side must have.
        relaxed: Whether people with one tuple may go to both sides.

    Returns:
        The tuple, the people and the group of each lot.
    """
    tuples, d = ranks.shape
    # A cut shares out at most one tuple, and there are fewer cuts than groups.
    room = tuples + people.sum() // floor + 1
    who, weight = np.empty(room, np.int64), np.empty(room, np.int64)
    for i in range(tuples):
        who[i], weight[i] = i, people[i]
    out_who, out_weight = np.empty(room, np.int64), np.empty(room, np.int64)
    out_group = np.empty(room, np.int64)
    starts = np.empty(room, np.int64)
    starts[0], nodes, end = 0, min(tuples, 1), tuples
    low, high, order = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64)
    scratch = np.zeros(len(measure), np.int64)
    out, groups = 0, 0
    while nodes > 0:
        nodes -= 1
        start = starts[nodes]
        here, count = who[start:end], weight[start:end]
        axis, cut, ties = -1, -1, EVERYBODY
        if d > 0 and count.sum() >= 2 * floor:
            extent(ranks, here, low, high)
            by_width(measure, offset, weights, low, high, order)
            for o in range(d):
                j = int(order[o])
                if high[j] > low[j]:
                    at, mass = profile(ranks, here, count, j, low[j], high[j], scratch)
                    size = offset[j + 1] - offset[j]
                    cut = best_cut(at, mass, floor, ladder, rung[j], size, heights[j])
                    if cut >= 0:
                        axis = j
                        break
            widest = int(order[0])
            if axis < 0 and relaxed and high[widest] > low[widest]:
                axis = widest
                at, mass = profile(ranks, here, count, axis, low[axis], high[axis], scratch)
                cut, ties = median(at, mass)
        if axis < 0:
            for e in range(start, end):
                out_who[out], out_weight[out], out_group[out] = who[e], weight[e], groups
                out += 1
            groups += 1
            end = start
        else:
            left, left_count, right, right_count = divide(ranks, here, count, axis, cut, ties)
            middle = start + len(right)
            end = middle + len(left)
            for e in range(len(right)):
                who[start + e], weight[start + e] = right[e], right_count[e]
            for e in range(len(left)):
                who[middle + e], weight[middle + e] = left[e], left_count[e]
            starts[nodes], starts[nodes + 1] = start, middle
            nodes += 2
    return out_who[:out], out_weight[:out], out_group[:out]


@kernel
def all_cuts(
    ranks: Codes,
    who: Ints,
    weight: Ints,
    measure: Floats,
    offset: Ints,
    ladder: Codes,
    rung: Ints,
    heights: Ints,
    weights: Floats,
    floor: int,
    scratch: Ints,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Every cut of every axis with `floor` people on each side.

    Args:
        ranks: Tuples by axes.
        who: The tuples that are to be cut,
        weight: and how many people of each.
        measure: Of each rank of each axis, end to end, its place on the axis.
        offset: Axis j owns the places from offset[j] to offset[j + 1].
        ladder: The branch of each rank at each level of each axis, end to end.
        rung: Axis j's ladder begins at rung[j], level by level.
        heights: Levels of each axis's ladder.
        weights: How many times the width of each axis counts.
        floor: People each side must have.
        scratch: Zeros, a place for each rank; zeros again afterwards.

    Returns:
        The axes, widest first, and for each cut: where its axis stands in that order, the rank
        it is behind, the level of the branches it parts, and the people on its smaller side.
    """
    d = ranks.shape[1]
    low, high, order = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64)
    extent(ranks, who, low, high)
    by_width(measure, offset, weights, low, high, order)
    most = 0
    for j in range(d):
        most += min(high[j] - low[j], len(who))
    place, behind = np.empty(most, np.int64), np.empty(most, np.int64)
    level, side = np.empty(most, np.int64), np.empty(most, np.int64)
    total, met = weight.sum(), 0
    for o in range(d):
        j = order[o]
        if high[j] <= low[j] or total < 2 * floor:
            continue
        at, people = profile(ranks, who, weight, j, low[j], high[j], scratch)
        left = 0
        for i in range(len(at) - 1):
            left += people[i]
            if min(left, total - left) >= floor:
                size = offset[j + 1] - offset[j]
                place[met], behind[met], side[met] = o, at[i], min(left, total - left)
                level[met] = parting(ladder, rung[j], size, heights[j], at[i], at[i + 1])
                met += 1
    return order, place[:met], behind[:met], level[:met], side[:met]


@kernel
def tally(
    ranks: Codes,
    people: Ints,
    outside: Ints,
    indptr: Ints,
    codes: Ints,
    width: int,
    axis: Ints,
    behind: Ints,
) -> Ints:
    """What is left of each cut: people, people outside, and people by sensitive value.

    Args:
        ranks: Ranks of the entries.
        people: People of each.
        outside: People of the outside population in each.
        indptr: Entry e has the values codes[indptr[e]:indptr[e + 1]].
        codes: Sensitive values, below `width`.
        width: Values in all.
        axis: Axis of each cut, ascending.
        behind: The rank it is behind, ascending within an axis.

    Returns:
        A row for each cut: column 0 people, column 1 people outside, then the values.
    """
    cuts = len(axis)
    left = np.zeros((cuts, width + 2), np.int64)
    begin = 0
    while begin < cuts:
        end = begin + 1
        while end < cuts and axis[end] == axis[begin]:
            end += 1
        for e in range(len(people)):
            slot = begin + np.searchsorted(behind[begin:end], ranks[e, axis[begin]])
            if slot < end:
                left[slot, 0] += people[e]
                left[slot, 1] += outside[e]
                for i in range(indptr[e], indptr[e + 1]):
                    left[slot, 2 + codes[i]] += people[e]
        for slot in range(begin + 1, end):
            left[slot] += left[slot - 1]
        begin = end
    return left
