"""Exchanges: other worlds, made from one that fits, that show what else people may have.

Take people with flu and people with gout, and let all of them have the other value. If every group
has as many of the ones as of the others, its records stay as they are, and the new world fits as
well. So whatever somebody can have by an exchange is proven to be possible for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Ints
from hedgerow.table.pack import distinct

Flags = NDArray[np.bool_]

MOST_STEPS = 400_000_000
"""Edges that are followed; beyond that only people of the same groups exchange values."""
ANY = -1
"""Not one value, but all of them."""
ANYWHERE = 0
"""The vertex of people who are in none of the releases on one side."""


@dataclass(frozen=True, eq=False)
class Side:
    """The releases divided into two: people are edges between groups of the one and the other."""

    left: Ints
    """Of each kind of people, the vertex on the one side,"""
    right: Ints
    """and on the other; ANYWHERE on either for people who are in none of its releases."""
    vertices: int


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """Where people are in several releases."""

    place: Ints
    """Kinds of people by releases: the group they are in; -1 where they are in none."""

    @cached_property
    def together(self) -> Ints:
        """A number for each combination of groups."""
        return self._numbers(range(self.place.shape[1]))

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """Every way to divide the releases into two sides."""
        releases = self.place.shape[1]
        return tuple(
            self._divided(one)
            for size in range(1, releases // 2 + 1)
            for one in combinations(range(releases), size)
            if 2 * size < releases or 0 in one
        )

    def _divided(self, one: Sequence[int]) -> Side:
        other = [r for r in range(self.place.shape[1]) if r not in one]
        left, right = self._vertices(one), self._vertices(other)
        begin = int(left.max(initial=0))
        right[right != ANYWHERE] += begin
        return Side(left, right, max(begin, int(right.max(initial=0))) + 1)

    def _vertices(self, releases: Sequence[int]) -> Ints:
        vertex = self._numbers(releases) + 1
        vertex[(self.place[:, list(releases)] < 0).all(axis=1)] = ANYWHERE
        return vertex

    def _numbers(self, releases: Sequence[int]) -> Ints:
        codes = (self.place[:, list(releases)] + 1).astype(np.int32)
        return distinct(codes, [int(column.max(initial=0)) + 1 for column in codes.T])[1]


def exchangeable(
    where: Whereabouts,
    value: Ints,
    secret: Ints,
    certain: Flags | None = None,
    *,
    only: int = ANY,
) -> Flags:
    """The secrets people may have, by exchanging values with others.

    Releases are divided into two sides in every way. Somebody who is in group a by the one side's
    releases and in b by the other's is an edge from a to b if they have the first value, from b to
    a if they have the second. An exchange that leaves all groups as they are is a circle.

    Args:
        where: Where people of each kind are.
        value: Of each kind, the value in this world.
        secret: Of each value, the secret it is: values may say more, such as a bill.
        certain: Of each kind, whether it is certain that its people are there; all if left out.
            With the others nobody else exchanges, and what they may have goes for them if they are.
        only: Exchange this value alone with others; ANY: all of them.

    Returns:
        Kinds by secrets: those that are possible; the one they have is among them.

    Ann and Bob are in one group of the first release, Bob and Cem in one of the second. Were Ann's
    and Bob's values exchanged, the second release would be another.

    >>> where = Whereabouts(np.array([[0, 0], [0, 1], [1, 1], [1, 0]]))
    >>> exchangeable(where, np.array([0, 1, 1, 0]), np.array([0, 1])).sum(axis=1).tolist()
    [1, 1, 1, 1]

    With flu and gout crosswise, all four may exchange them at once.

    >>> exchangeable(where, np.array([0, 1, 0, 1]), np.array([0, 1])).sum(axis=1).tolist()
    [2, 2, 2, 2]
    """
    kinds, values = len(value), len(secret)
    certain = np.ones(kinds, np.bool_) if certain is None else certain
    found = np.zeros((kinds, int(secret.max(initial=-1)) + 1), np.bool_)
    same = np.zeros((int(where.together.max(initial=-1)) + 1, found.shape[1]), np.bool_)
    same[where.together[certain], secret[value[certain]]] = True
    found |= same[where.together]
    found[np.arange(kinds), secret[value]] = True
    if kinds * values * len(where.sides) > MOST_STEPS:
        return found
    order = np.argsort(value, kind="stable")
    start = np.searchsorted(value[order], np.arange(values + 1))
    for side in where.sides:
        _circles(
            found, side.left, side.right, order, start, secret, certain, side.vertices, only
        )  # fmt: skip
    return found


@kernel
def _circles(
    found: Flags,
    left: Ints,
    right: Ints,
    order: Ints,
    start: Ints,
    secret: Ints,
    certain: Flags,
    vertices: int,
    only: int,
) -> None:
    """Mark what people may have who are on a circle, for every two values.

    Circles are looked for by strongly connected components (Tarjan 1972): an edge is on a circle
    exactly if both its ends are in the same one.

    Args:
        found: Kinds by secrets: whether it is possible. Changed in place.
        left: Of each kind, where its edge begins if they have the first value,
        right: and where it ends.
        order: Kinds by value: those with value v are order[start[v]:start[v + 1]].
        start: As above.
        secret: Of each value, the secret it is.
        certain: Of each kind, whether others can exchange with it.
        vertices: How many there are.
        only: The value that is exchanged; ANY: all of them.
    """
    values = len(start) - 1
    first = np.full(vertices, -1, np.int64)  # of each vertex, the first edge that leaves it,
    number = np.full(vertices, -1, np.int64)  # when it was met,
    low = np.zeros(vertices, np.int64)  # the earliest that is reached from it,
    component = np.full(vertices, -1, np.int64)  # and its component
    following = np.full(vertices, -1, np.int64)  # the edge that it is left by next
    after = np.full(len(order), -1, np.int64)  # of each edge, the next that leaves the same vertex
    stack, path = np.empty(vertices, np.int64), np.empty(vertices, np.int64)
    for s in range(values):
        for t in range(s + 1, values):
            if secret[s] == secret[t] or start[s] == start[s + 1] or start[t] == start[t + 1]:
                continue
            if only != ANY and only not in (s, t):
                continue
            for v in (s, t):
                for i in range(start[v], start[v + 1]):
                    begin = left[order[i]] if v == s else right[order[i]]
                    if certain[order[i]]:
                        after[i] = first[begin]
                        first[begin] = i
            met, height, components = 0, 0, 0
            for v in (s, t):
                for i in range(start[v], start[v + 1]):
                    root = left[order[i]] if v == s else right[order[i]]
                    if number[root] >= 0:
                        continue
                    depth = 0
                    path[0] = root
                    number[root] = low[root] = met
                    met += 1
                    following[root] = first[root]
                    stack[height] = root
                    height += 1
                    while depth >= 0:
                        vertex = path[depth]
                        edge = following[vertex]
                        if edge >= 0:
                            following[vertex] = after[edge]
                            one = order[edge]
                            end = (
                                right[one]
                                if edge < start[s + 1] and edge >= start[s]
                                else left[one]
                            )
                            if number[end] < 0:
                                number[end] = low[end] = met
                                met += 1
                                following[end] = first[end]
                                stack[height] = end
                                height += 1
                                depth += 1
                                path[depth] = end
                            elif component[end] < 0:
                                low[vertex] = min(low[vertex], number[end])
                            continue
                        if low[vertex] == number[vertex]:
                            while True:
                                height -= 1
                                component[stack[height]] = components
                                if stack[height] == vertex:
                                    break
                            components += 1
                        depth -= 1
                        if depth >= 0:
                            low[path[depth]] = min(low[path[depth]], low[vertex])
            for v in (s, t):
                for i in range(start[v], start[v + 1]):
                    one = order[i]
                    # A vertex that only uncertain people have was not met, or is a component.
                    a, b = component[left[one]], component[right[one]]
                    if a == b and a >= 0:
                        found[one, secret[t] if v == s else secret[s]] = True
            for v in (s, t):
                for i in range(start[v], start[v + 1]):
                    for vertex in (left[order[i]], right[order[i]]):
                        first[vertex] = number[vertex] = component[vertex] = -1
