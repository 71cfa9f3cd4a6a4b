"""Reductions of n(q, s): what a histogram says about each group, as whole numbers.

All run over the compressed histogram and take a few nanoseconds an entry: a lattice search
calls them thousands of times. Distances come as numerators over a known denominator, so
that a threshold is decided without rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Floats, Ints

Codes = NDArray[np.int32]


@kernel
def extremes(indptr: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """The smallest and the largest count of each group; 0 where it has none."""
    size = len(indptr) - 1
    least, most = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for g in range(size):
        for e in range(indptr[g], indptr[g + 1]):
            if counts[e] > most[g]:
                most[g] = counts[e]
            if least[g] == 0 or counts[e] < least[g]:
                least[g] = counts[e]
    return least, most


@kernel
def effective_values(indptr: Ints, counts: Ints) -> tuple[Floats, NDArray[np.bool_]]:
    """exp(entropy) of each group, and whether all its counts are equal.

    Equal counts are the one case where the level is a whole number and thresholds are met
    exactly again and again; there it is the number of values, without rounding. The sum is
    compensated (Kahan): with a million values plain summation would lose the ninth digit.
    """
    size = len(indptr) - 1
    level, uniform = np.zeros(size, np.float64), np.ones(size, np.bool_)
    for g in range(size):
        start, stop = indptr[g], indptr[g + 1]
        total = 0
        for e in range(start, stop):
            total += counts[e]
            if counts[e] != counts[start]:
                uniform[g] = False
        if uniform[g]:
            level[g] = stop - start
            continue
        entropy, lost = 0.0, 0.0
        for e in range(start, stop):
            term = counts[e] / total * np.log(total / counts[e]) - lost
            larger = entropy + term
            lost = (larger - entropy) - term
            entropy = larger
        level[g] = np.exp(entropy)
    return level, uniform


@kernel
def first_and_tail(indptr: Ints, counts: Ints, l: int) -> tuple[Ints, Ints]:  # noqa: E741
    """r_1 and r_l + ... + r_m, with r_1 >= r_2 >= ... the counts of each group."""
    size = len(indptr) - 1
    first, tail = np.zeros(size, np.int64), np.zeros(size, np.int64)
    largest = np.zeros(l, np.int64)
    for g in range(size):
        largest[:] = 0
        for e in range(indptr[g], indptr[g + 1]):
            tail[g] += counts[e]
            place = l - 1
            while place > 0 and largest[place - 1] < counts[e]:
                largest[place] = largest[place - 1]
                place -= 1
            if largest[place] < counts[e]:
                largest[place] = counts[e]
        first[g] = largest[0]
        for place in range(l - 1):
            tail[g] -= largest[place]
    return first, tail


@kernel
def steepest(indptr: Ints, codes: Codes, counts: Ints, reference: Ints) -> tuple[Ints, Ints]:
    """The entries of each group with the largest and the smallest n(q, s) / reference(s).

    -1 where the group has no entries, or a value the reference lacks.

    Args:
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
        counts: Of each of these entries, how many people of the group have the value.
        reference: People with each value in the whole table.
    """
    size = len(indptr) - 1
    top, bottom = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    for g in range(size):
        for e in range(indptr[g], indptr[g + 1]):
            r = reference[codes[e]]
            if r == 0:
                top[g] = bottom[g] = -1
                break
            t, b = top[g], bottom[g]
            if t < 0 or counts[e] * reference[codes[t]] > counts[t] * r:
                top[g] = e
            if b < 0 or counts[e] * reference[codes[b]] < counts[b] * r:
                bottom[g] = e
    return top, bottom


@kernel
def furthest(
    indptr: Ints, codes: Codes, counts: Ints, n: Ints, reference: Ints, people: int
) -> Ints:
    """Largest over s of |n(q, s) * people - reference(s) * n(q)|.

    Args:
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
        counts: Of each of these entries, how many people of the group have the value.
        n: People of each group, whether they have one value, several or none.
        reference: People with each value in the whole table.
        people: People in the whole table.
    """
    size = len(indptr) - 1
    far = np.zeros(size, np.int64)
    row = np.zeros(len(reference), np.int64)
    for g in range(size):
        for e in range(indptr[g], indptr[g + 1]):
            row[codes[e]] = counts[e] * people
        for s in range(len(reference)):
            far[g] = max(far[g], abs(row[s] - reference[s] * n[g]))
            row[s] = 0
    return far


@kernel
def equal_distance(indptr: Ints, codes: Codes, counts: Ints, reference: Ints) -> tuple[Ints, Ints]:
    """Half the sum of |N_s * M - R_s * N|, and N, for a group's counts N_s of total N.

    R_s of total M is the reference. Only values that are more frequent than in the table
    are added up: their surplus equals the others' deficit. N is 0 where the group has a
    value the reference lacks.

    Args:
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
        counts: N_s: of each of these entries, how many people of the group have the value.
        reference: R_s: people with each value in the whole table.
    """
    size = len(indptr) - 1
    distance, total = np.zeros(size, np.int64), np.zeros(size, np.int64)
    whole = reference.sum()
    for g in range(size):
        for e in range(indptr[g], indptr[g + 1]):
            total[g] += counts[e]
        known = True
        for e in range(indptr[g], indptr[g + 1]):
            extra = counts[e] * whole - reference[codes[e]] * total[g]
            if extra > 0:
                distance[g] += extra
            known &= reference[codes[e]] > 0
        if not known:
            total[g] = 0
    return distance, total


@kernel
def ordered_distance(
    indptr: Ints, codes: Codes, counts: Ints, reference: Ints
) -> tuple[Ints, Ints]:
    """Sum over i of |sum over j <= i of (N_j * M - R_j * N)|, and N; see `equal_distance`.

    Values the table lacks have no place in the order.

    Args:
        indptr: As in `equal_distance`, and so are the other arguments.
        codes: See there; the values' order is that of their codes.
        counts: See there.
        reference: See there.
    """
    size = len(indptr) - 1
    distance, total = np.zeros(size, np.int64), np.zeros(size, np.int64)
    row = np.zeros(len(reference), np.int64)
    whole = reference.sum()
    for g in range(size):
        known = True
        for e in range(indptr[g], indptr[g + 1]):
            total[g] += counts[e]
            row[codes[e]] = counts[e]
            known &= reference[codes[e]] > 0
        carried = 0
        for s in range(len(reference)):
            if reference[s] > 0:
                carried += row[s] * whole - reference[s] * total[g]
                distance[g] += abs(carried)
            row[s] = 0
        if not known:
            total[g] = 0
    return distance, total


@kernel
def tree_distance(
    indptr: Ints, codes: Codes, counts: Ints, reference: Ints, sizes: Ints, parents: Codes
) -> tuple[Ints, Ints]:
    """Sum over nodes of height * min(surplus, deficit) of the children, and N.

    Args:
        indptr: As in `equal_distance`.
        codes: See there; each value is a node of level 0.
        counts: See there.
        reference: See there.
        sizes: Nodes of each level, from the values to the root.
        parents: Of each node below the root, level after level, its parent's place in the next.
    """
    size = len(indptr) - 1
    distance, total = np.zeros(size, np.int64), np.zeros(size, np.int64)
    extra = np.zeros(len(reference), np.int64)
    surplus, deficit = np.zeros(len(reference), np.int64), np.zeros(len(reference), np.int64)
    whole = reference.sum()
    for g in range(size):
        for e in range(indptr[g], indptr[g + 1]):
            total[g] += counts[e]
        for s in range(len(reference)):
            extra[s] = -reference[s] * total[g]
        known = True
        for e in range(indptr[g], indptr[g + 1]):
            extra[codes[e]] += counts[e] * whole
            known &= reference[codes[e]] > 0
        offset = 0
        for height in range(1, len(sizes)):
            surplus[:] = 0
            deficit[:] = 0
            for node in range(sizes[height - 1]):
                parent = parents[offset + node]
                if extra[node] > 0:
                    surplus[parent] += extra[node]
                else:
                    deficit[parent] -= extra[node]
            offset += sizes[height - 1]
            for node in range(sizes[height]):
                distance[g] += height * min(surplus[node], deficit[node])
                extra[node] = surplus[node] - deficit[node]
        if not known:
            total[g] = 0
    return distance, total
