"""Subtracting groups of one release from groups of another, and people who are known from both.

Takes and narrows a table of people by values: who may have which. Used are only groups all of
whose records belong to somebody on the list.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Groups, Histogram, Ints, merge_histogram, sort_members
from hedgerow.table.location import Located

Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]

ABSENT, UNSURE = -1, -2
"""Where a person is, other than in a group: in none, or in one of several."""


@dataclass(frozen=True, eq=False)
class LocatedRelease:
    """A release of which one knows who is in which group."""

    group: Ints
    """Of each person; ABSENT where they are in none, UNSURE where that is not known."""
    histogram: Histogram

    @classmethod
    def of(cls, groups: Groups, located: Located, histogram: Histogram) -> LocatedRelease:
        """Sure are people of groups that have as many records as people who fit nowhere else."""
        where = whereabouts(located)
        fit = np.bincount(located.groups, minlength=len(groups))
        only = np.bincount(where[where >= 0], minlength=len(groups))
        complete = (fit == groups.n) & (only == fit)
        sure = where == ABSENT
        sure[where >= 0] = complete[where[where >= 0]]
        return cls(np.where(sure, where, UNSURE), histogram)

    def __len__(self) -> int:
        return len(self.histogram.indptr) - 1

    @cached_property
    def members(self) -> tuple[Ints, Ints]:
        """People by group: group g has people[start[g] : start[g + 1]]."""
        inside = np.flatnonzero(self.group >= 0)
        start, order = sort_members(self.group[inside], len(self))
        return start, inside[order]

    def merged(self, into: Ints, size: int, width: int) -> LocatedRelease:
        """Group g becomes part of the union into[g]."""
        h = self.histogram
        histogram = Histogram(*merge_histogram(into, size, h.indptr, h.codes, h.counts, width))
        inside = self.group >= 0
        return LocatedRelease(
            np.where(inside, into[np.where(inside, self.group, 0)], self.group), histogram
        )


def whereabouts(located: Located) -> Ints:
    """The one group each person fits, ABSENT where they fit none, UNSURE where several."""
    count = located.count
    where = np.where(count == 0, ABSENT, UNSURE)
    one = count == 1
    where[one] = located.groups[located.start[:-1][one]]
    return where


def subtract(possible: Flags, one: LocatedRelease, other: LocatedRelease) -> tuple[Flags, Flags]:
    """Narrow what people may have who are in a group of one release and not in one of the other.

    If groups A and B share as many values (counted with their multiplicity) as people, the shared
    people have exactly the shared values: who is in A only has a value of A that is left over,
    and likewise for B. Compared are all A and B that share people, and the smallest unions of
    groups that have the same people but for those who came and left.

    Returns:
        For each release, the groups that share more people than values with another: they
        contradict each other, and nothing was taken from them.
    """
    width = possible.shape[1]
    wrong = np.zeros(len(one), np.bool_), np.zeros(len(other), np.bool_)
    first, second, shared = _pairs(one, other)
    bad = _leave(possible, one, other, first, second, shared)
    wrong[0][first[bad]], wrong[1][second[bad]] = True, True
    _leave(possible, other, one, second, first, shared)
    union, size = _unions(first, len(one) + second, len(one) + len(other))
    left = one.merged(union[: len(one)], size, width)
    right = other.merged(union[len(one) :], size, width)
    first, second, shared = _pairs(left, right)
    _leave(possible, left, right, first, second, shared)
    _leave(possible, right, left, second, first, shared)
    return wrong


def _leave(
    possible: Flags, a: LocatedRelease, b: LocatedRelease, first: Ints, second: Ints, shared: Ints
) -> Flags:
    """Narrow what people of groups of `a` may have who are not in the paired groups of `b`."""
    return _leavers(
        possible, first, second, shared, *a.members, b.group,
        a.histogram.indptr, a.histogram.codes, a.histogram.counts,
        b.histogram.indptr, b.histogram.codes, b.histogram.counts,
    )  # fmt: skip


def _pairs(one: LocatedRelease, other: LocatedRelease) -> tuple[Ints, Ints, Ints]:
    """Groups of both that share people, and how many."""
    both = (one.group >= 0) & (other.group >= 0)
    pairs, shared = np.unique(
        one.group[both] * max(1, len(other)) + other.group[both], return_counts=True
    )
    first, second = np.divmod(pairs, max(1, len(other)))
    return first, second, shared


@kernel
def intersect(possible: Flags, start: Ints, groups: Ints, indptr: Ints, codes: Codes) -> Ints:
    """Leave people only values of the groups they may be in; return how many these have.

    Whoever is in no group keeps every value, and 0 is returned of them.

    Args:
        possible: People by values: whether a person may have it. Changed in place.
        start: Person t may be in groups[start[t]:start[t + 1]].
        groups: Groups of the release.
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
    """
    people, width = possible.shape
    count = np.zeros(people, np.int64)
    held = np.zeros(width, np.bool_)
    for t in range(people):
        if start[t] == start[t + 1]:
            continue
        held[:] = False
        for i in range(start[t], start[t + 1]):
            for e in range(indptr[groups[i]], indptr[groups[i] + 1]):
                held[codes[e]] = True
        for s in range(width):
            count[t] += held[s]
            possible[t, s] &= held[s]
    return count


@kernel
def _unions(first: Ints, second: Ints, size: int) -> tuple[Ints, int]:
    """The smallest union each of `size` groups is in, pairs being in the same; and how many."""
    parent = np.arange(size)
    for p in range(len(first)):
        a, b = first[p], second[p]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        parent[max(a, b)] = min(a, b)
    count = 0
    for g in range(size):
        # The smallest group of a union is its parent, and has its number already.
        if parent[g] == g:
            parent[g] = count
            count += 1
        else:
            parent[g] = parent[parent[g]]
    return parent, count


@kernel
def _leavers(
    possible: Flags, first: Ints, second: Ints, shared: Ints,
    start: Ints, members: Ints, elsewhere: Ints,
    indptr: Ints, codes: Codes, counts: Ints,
    other_indptr: Ints, other_codes: Codes, other_counts: Ints,
) -> Flags:  # fmt: skip
    """Those of the first group who are not in the second have what it has more of.

    Args:
        possible: People by values: whether a person may have it. Changed in place.
        first: Groups of one release,
        second: each with a group of the other that shares people with it,
        shared: and how many people.
        start: Group g of the one release has members[start[g]:start[g + 1]],
        members: who are people.
        elsewhere: The group of each person in the other release.
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]],
        codes: each of them
        counts: so often.
        other_indptr: The same of the other release.
        other_codes: Its values.
        other_counts: How often.

    Returns:
        The pairs that share more people than values.
    """
    wrong = np.zeros(len(first), np.bool_)
    there = np.zeros(possible.shape[1], np.int64)
    for p in range(len(first)):
        a, b = first[p], second[p]
        for e in range(other_indptr[b], other_indptr[b + 1]):
            there[other_codes[e]] = other_counts[e]
        common = 0
        for e in range(indptr[a], indptr[a + 1]):
            common += min(counts[e], there[codes[e]])
        wrong[p] = common < shared[p]
        if common == shared[p]:
            for e in range(indptr[a], indptr[a + 1]):
                if counts[e] <= there[codes[e]]:
                    for i in range(start[a], start[a + 1]):
                        if elsewhere[members[i]] != b:
                            possible[members[i], codes[e]] = False
        for e in range(other_indptr[b], other_indptr[b + 1]):
            there[other_codes[e]] = 0
    return wrong


@kernel
def settle(
    possible: Flags, trusted: Flags, start: Ints, members: Ints,
    indptr: Ints, codes: Codes, counts: Ints,
) -> bool:  # fmt: skip
    """Take out of each group the people whose value is known, and the value with them.

    A value that as many members surely have as there are records with it is nobody else's; one
    that only as many members may have as there are records is theirs. Groups for which neither
    can be are not trusted any longer.

    Args:
        possible: People by values: whether a person may have it. Changed in place.
        trusted: The groups that do not contradict what is known. Changed in place.
        start: Group g has members[start[g]:start[g + 1]],
        members: who are people.
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]],
        codes: each of them
        counts: so often.

    Returns:
        Whether anything changed.
    """
    left = np.zeros(len(possible), np.int64)
    for t in members:
        left[t] = possible[t].sum()
    changed = False
    for g in range(len(start) - 1):
        if not trusted[g]:
            continue
        for e in range(indptr[g], indptr[g + 1]):
            s = codes[e]
            may, must = 0, 0
            for t in members[start[g] : start[g + 1]]:
                may += possible[t, s]
                must += possible[t, s] and left[t] == 1
            if may < counts[e] or must > counts[e]:
                trusted[g] = False
                break
            if may == must or (must < counts[e] and may > counts[e]):
                continue
            for t in members[start[g] : start[g + 1]]:
                if possible[t, s] and left[t] > 1:
                    changed = True
                    if must == counts[e]:
                        possible[t, s] = False
                        left[t] -= 1
                    else:
                        possible[t] = False
                        possible[t, s] = True
                        left[t] = 1
    return changed
