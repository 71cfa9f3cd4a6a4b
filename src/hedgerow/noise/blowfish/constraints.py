"""What everyone knows already about the table: its number of rows, and counts published exactly.

If a count is known, no table differs from another in one row that the count would notice: another
row must make up for it. So neighbours differ in several rows, and noise must cover all of them.

How many. Let a row's move from x to y have the vector (q(y) - q(x)) over all known counts q. The
moves between two neighbours add up to 0, as both tables agree with what is known. If a proper part
of the moves added up to 0 by itself, it or the rest would contain a move along an edge, and making
only that part of the moves would give a table nearer to the first: these were no neighbours (Def.
4.1). So the moves are a shortest sum of 0.

- If no row is in two counts, a move goes from one count (or none) to another, and a shortest sum is
  a cycle that visits each at most once: at most as many moves as there are counts, and one more
  where some values are in none. Along an edge that no count notices it is one move.
- If counts overlap, the longest of the shortest sums is searched for (`longest_sum`). Where there
  are too many: vectors can be put in an order in which no partial sum has a coordinate beyond r,
  the rank of the vectors (Steinitz; Grinberg and Sevastyanov 1980). No partial sum comes twice, or
  the moves between would add up to 0. So there are at most (2 r + 1)^r moves.

The published bound 2 max(alpha, xi) is not used: it lets rows make up for each other along edges
only, which the definition does not ask, and brute force refutes it. Nor is 2 (|Q| + 1) used where
counts overlap: two overlapping counts can take 4 moves, not 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.graphs import Full
from hedgerow.noise.blowfish.moves import longest_sum
from hedgerow.noise.blowfish.secret_graph import Flags, Graph, Ints, array
from hedgerow.noise.blowfish.sensitivity import Sensitivity, cumulative, linear, total
from hedgerow.noise.rounding import whole

MOST_TABLES = 1500
"""Tables that are looked at, pair by pair, for an exact sensitivity."""
MOST_KINDS = 64
"""Kinds of values, by the known counts they are in, whose moves are looked at one by one."""


@dataclass(frozen=True)
class Constraints:
    """A graph, and counts of rows that are known exactly; the number of rows always is.

    Guarantee: the sensitivities hold for all neighbours of Def. 4.1, whatever the known counts
    are. They are bounds; `brute` is exact, for tiny tables.
    Assumes: everything that is known is listed. A count that is known and not listed can break
    the promise: sums with little noise give a row away (Machanavajjhala and Kifer 2015).
    Reference: He, Machanavajjhala and Ding (2014), Def. 4.1 and Sec. 8.

    A marginal of two cells over four values is known:

    >>> known = Constraints.marginal(Full(4), [0, 0, 1, 1])
    >>> known.changed, known.histogram().l1
    (2, 4)
    """

    graph: Graph
    counts: tuple[tuple[bool, ...], ...] = ()
    """For each known count, whether each value is counted."""

    def __post_init__(self) -> None:
        if any(len(count) != self.graph.size for count in self.counts):
            raise PlanError(f"a known count says for each of {self.graph.size} values whether")
        if any(type(flag) is not bool for count in self.counts for flag in count):
            raise PlanError("a known count says true or false for each value")

    @classmethod
    def marginal(cls, graph: Graph, cells: ArrayLike) -> Constraints:
        """The counts of all cells are known."""
        labels = graph.numbers(cells, "cells")
        kinds = np.unique(labels[labels >= 0])
        return cls(graph, tuple(tuple((labels == kind).tolist()) for kind in kinds))

    @cached_property
    def _matrix(self) -> Ints:
        matrix = np.array(self.counts, np.int64).reshape(-1, self.graph.size)
        return np.unique(matrix, axis=0) if len(matrix) else matrix

    @property
    def disjoint(self) -> bool:
        """Whether no value is in two known counts."""
        return bool((self._matrix.sum(axis=0) <= 1).all())

    @cached_property
    def noticed(self) -> bool:
        """Whether some edge changes a known count."""
        return any(self.graph.spread(count) for count in self._matrix)

    @cached_property
    def changed(self) -> int:
        """At most so many rows differ between neighbours."""
        if not self.noticed:
            return 1
        kinds = np.unique(self._matrix, axis=1)
        if self.disjoint:
            return int(kinds.shape[1])
        longest = longest_sum(_differences(kinds)) if kinds.shape[1] <= MOST_KINDS else None
        if longest is None:
            rank = min(len(kinds), kinds.shape[1] - 1)
            return int((2 * rank + 1) ** rank)
        return longest

    def within(self, rows: int) -> int:
        """At most so many rows differ, in a table of so many rows."""
        return min(self.changed, whole("rows", rows, least=0))

    def histogram(self) -> Sensitivity:
        """Of the counts of all values: each changed row is missing here and more there."""
        if not edge_exists(self.graph):
            return Sensitivity(0, 0)
        n = self.changed
        # In a cycle no two rows leave one value, or come to one. Else all of them may.
        return Sensitivity(2 * n, 2 * n if n == 1 or self.disjoint else 2 * n * n, n == 1)

    def cumulative(self) -> Sensitivity:
        """Of the counts of values up to each."""
        return self._with(cumulative(self.graph), cumulative(Full(self.graph.size)))

    def total(self, values: ArrayLike) -> Sensitivity:
        """Of the sum of a whole number for each row."""
        return self._with(total(self.graph, values), total(Full(self.graph.size), values))

    def linear(self, matrix: ArrayLike) -> Sensitivity:
        """Of a matrix times the histogram."""
        return self._with(linear(self.graph, matrix), linear(Full(self.graph.size), matrix))

    def _with(self, edge: Sensitivity, anything: Sensitivity) -> Sensitivity:
        """One row moves along an edge, the others anywhere."""
        n = self.changed
        if n == 1 or not edge_exists(self.graph):
            return edge
        one = edge.l1 + (n - 1) * anything.l1
        # Norms add up: (a + (n - 1) b)^2 is at most n (a^2 + (n - 1) b^2).
        two = n * (edge.l2_squared + (n - 1) * anything.l2_squared)
        return Sensitivity(one, min(two, n * n * anything.l2_squared), False)


def edge_exists(graph: Graph) -> bool:
    """Whether anything at all is protected."""
    return graph.spread(np.arange(graph.size)) > 0


def brute(constraints: Constraints, matrix: ArrayLike, *, rows: int) -> Sensitivity:
    """The exact sensitivity of a matrix times the histogram, over all tables of so many rows.

    Every known count may have any value. Neighbours are those of Def. 4.1, to the letter.

    Raises:
        PlanError: There are too many tables.

    >>> from hedgerow.noise.blowfish.graphs import line
    >>> known = Constraints.marginal(line(4), [0, 0, 1, 1])
    >>> brute(known, np.eye(4, dtype=int), rows=2).l1
    4
    """
    size, n = constraints.graph.size, whole("rows", rows)
    if size**n > MOST_TABLES:
        raise PlanError(f"{size}^{n} tables are more than {MOST_TABLES}")
    tables = np.array(list(product(range(size), repeat=n)), np.int64)
    known = constraints._matrix[:, tables].sum(axis=2).T
    answers = (
        constraints.graph.numbers(np.atleast_2d(array(matrix, "a matrix")))[:, tables].sum(axis=2).T
    )
    edge = constraints.graph.joined(np.arange(size)[:, None], np.arange(size)[None, :])
    one = two = 0
    for first in range(len(tables)):
        if (np.diff(tables[first]) < 0).any():
            continue  # the order of the rows does not matter
        same = np.flatnonzero((known == known[first]).all(axis=1))
        for other in same[_nearest(tables[first], tables[same], edge)]:
            change = np.abs(answers[first] - answers[other])
            one, two = max(one, int(change.sum())), max(two, int((change * change).sum()))
    return Sensitivity(one, two)


def _differences(kinds: Ints) -> Ints:
    """All vectors of moves that some count notices, a row each."""
    every = (kinds[:, :, None] - kinds[:, None, :]).reshape(len(kinds), -1).T
    return np.unique(every[np.any(every, axis=1)], axis=0)


def _nearest(first: Ints, others: Ints, edge: Flags) -> Flags:
    """Which tables are neighbours of the first, of all that agree with what is known.

    A table's secrets are the rows that changed along an edge, each with its new value; its changes
    are all rows that changed, each with its new value. Those are neighbours that have secrets and
    to which no other table is nearer: with fewer of the same secrets, or the same secrets and
    fewer of the same changes.
    """
    moved = others != first
    secret = moved & edge[first, others]
    some: Flags = np.any(secret, axis=1)
    found = some.copy()
    for j in np.flatnonzero(some):
        agree = others == others[j]
        inside = some & ~(secret & ~(secret[j] & agree)).any(axis=1)
        fewer = inside & (secret.sum(axis=1) < secret[j].sum())
        equal = inside & (secret.sum(axis=1) == secret[j].sum())
        nearer = equal & ~(moved & ~(moved[j] & agree)).any(axis=1)
        found[j] = not (fewer | (nearer & (moved.sum(axis=1) < moved[j].sum()))).any()
    return found
