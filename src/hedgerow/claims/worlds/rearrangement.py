"""Rearrangement: other worlds for people whom no exchange of two values helps.

Ann alone has flu in her group of one release. Bob of that group could have it instead, and Cem of
Bob's other group, who has flu, could give it to Dora of Ann's other group. Ann and Cem then get the
values of Bob and Dora. Where that puts them into the wrong groups, others exchange these two values
until all groups are as they were. What is found is a world that fits, so it proves what is
possible. That none is found proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.base.jit import kernel
from hedgerow.claims.worlds.exchanges import Flags, Side, Whereabouts, exchangeable
from hedgerow.table.groups import Ints, sort_members

MOST_TRIED = 20_000
"""Ways to pass on the value that are tried for a person."""


@dataclass(frozen=True, eq=False)
class World:
    """What each person has in a world that fits, and where they are."""

    where: Whereabouts
    value: Ints
    secret: Ints
    """Of each value, the secret it is."""

    @cached_property
    def _members(self) -> tuple[tuple[Side, tuple[Ints, Ints], tuple[Ints, Ints]], ...]:
        """Each side with the people at its vertices, on the left and on the right."""
        releases = self.where.place.shape[1]
        return tuple(
            (one, sort_members(one.left, one.vertices), sort_members(one.right, one.vertices))
            for one in self.where.sides[: releases if releases > 2 else 1]
        )

    def possible(self, one: int, wanted: Flags) -> Flags:
        """The secrets that a person has in another world, and in those an exchange away.

        Args:
            one: The person.
            wanted: Of each secret, whether the other world may be one in which they have it.

        Returns:
            Of each secret, whether it was found; none where no other world was found.

        >>> where = Whereabouts(np.array([[0, 0], [0, 1], [1, 1], [1, 0], [0, 2], [1, 2]]))
        >>> flu, gout, acne = range(3)
        >>> world = World(where, np.array([flu, gout, flu, acne, acne, gout]), np.arange(3))
        >>> world.possible(0, np.array([False, True, True])).tolist()
        [False, False, True]
        """
        for side, at_left, at_right in self._members:
            after = self.value.copy()
            done = _passed_on(
                side.left, side.right, *at_left, *at_right,
                after, one, self.secret, wanted, MOST_TRIED,
            )  # fmt: skip
            if done and _fits(self.where.place, self.value, after):
                found = exchangeable(self.where, after, self.secret, only=int(after[one]))
                return np.asarray(found[one])
        return np.zeros(len(wanted), np.bool_)


def _fits(place: Ints, before: Ints, after: Ints) -> bool:
    """Whether every group has the same values in both worlds."""
    for group in place.T:
        inside = group >= 0
        was, now = (np.sort(group[inside] * (before.max() + 1) + v[inside])
                    for v in (before, after))  # fmt: skip
        if not np.array_equal(was, now):
            return False
    return True


@kernel
def _passed_on(
    left: Ints, right: Ints,
    left_start: Ints, at_left: Ints, right_start: Ints, at_right: Ints,
    value: Ints, one: int, secret: Ints, wanted: Flags, most: int,
) -> bool:  # fmt: skip
    """Let a person pass their value on: whether they got a wanted one, and all groups are right.

    Args:
        left: The vertex of each person on the one side,
        right: and on the other.
        left_start: At vertex v of the one side are at_left[left_start[v]:left_start[v + 1]],
        at_left: who are people.
        right_start: The same of the other side.
        at_right: As above.
        value: What everybody has. Changed in place if it works.
        one: The person.
        secret: Of each value, the secret it is.
        wanted: Of each secret, whether it would do.
        most: How many ways are tried.
    """
    came = np.full(len(left_start), -1, np.int64)
    queue = np.empty(len(left_start), np.int64)
    mine, tried = value[one], 0
    for third in range(len(value)):
        if value[third] != mine or third == one:
            continue
        for i in range(right_start[right[one]], right_start[right[one] + 1]):
            second = at_right[i]
            if left[second] != left[third] or value[second] == mine:
                continue
            for j in range(left_start[left[one]], left_start[left[one] + 1]):
                fourth = at_left[j]
                if right[fourth] != right[third] or value[fourth] == mine:
                    continue
                u, w = value[second], value[fourth]
                for swapped in range(2):
                    tried += 1
                    if tried > most:
                        return False
                    gets, gives = (w, u) if swapped else (u, w)
                    if not wanted[secret[gets]]:
                        continue
                    value[second] = value[fourth] = mine
                    value[one], value[third] = gets, gives
                    if swapped:  # the other side has the wrong values
                        done = _moved(
                            right,
                            left,
                            right_start,
                            at_right,
                            left_start,
                            at_left,
                            value,
                            right[one],
                            right[third],
                            w,
                            u,
                            came,
                            queue,
                        )
                    else:
                        done = _moved(
                            left,
                            right,
                            left_start,
                            at_left,
                            right_start,
                            at_right,
                            value,
                            left[one],
                            left[third],
                            u,
                            w,
                            came,
                            queue,
                        )
                    if done and wanted[secret[value[one]]]:
                        return True
                    value[second], value[fourth] = u, w
                    value[one] = value[third] = mine
                    if done:
                        return False
    return False


@kernel
def _moved(
    near: Ints, far: Ints,
    near_start: Ints, at_near: Ints, far_start: Ints, at_far: Ints,
    value: Ints, begin: int, end: int, many: int, few: int, came: Ints, queue: Ints,
) -> bool:  # fmt: skip
    """Move one of two values from one vertex to another of the same side, by exchanges.

    Args:
        near: The vertex of each person on that side,
        far: and on the other.
        near_start: At vertex v of that side are at_near[near_start[v]:near_start[v + 1]],
        at_near: who are people.
        far_start: The same of the other side.
        at_far: As above.
        value: What everybody has. Changed in place if it works.
        begin: The vertex that has one of the value too many,
        end: and the one that has one too few; of the other value it is the other way around.
        many: The value.
        few: The other one.
        came: For each vertex -1, and left so.
        queue: As long.
    """
    if begin == end or many == few:
        return True
    queue[0], first, last = begin, 0, 1
    came[begin] = 0
    while first < last and came[end] < 0:
        vertex = queue[first]
        first += 1
        for i in range(near_start[vertex], near_start[vertex + 1]):
            p = at_near[i]
            if near[p] == vertex and value[p] == many and came[far[p]] < 0:
                came[far[p]] = p
                queue[last] = far[p]
                last += 1
        for i in range(far_start[vertex], far_start[vertex + 1]):
            p = at_far[i]
            if far[p] == vertex and value[p] == few and came[near[p]] < 0:
                came[near[p]] = p
                queue[last] = near[p]
                last += 1
    found = came[end] >= 0
    if found:
        vertex = end
        while vertex != begin:
            p = came[vertex]
            if value[p] == few:
                vertex = far[p]
                value[p] = many
            else:
                vertex = near[p]
                value[p] = few
    for i in range(last):
        came[queue[i]] = -1
    return bool(found)
