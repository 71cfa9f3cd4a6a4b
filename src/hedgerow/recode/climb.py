"""Climb: from good nodes of a wide lattice to better ones, a few columns at a time.

A move frees some columns, keeps the others at their levels, and searches that part of the lattice
exactly for anything better. Where no part has helped for long, the climb begins again: from one of
the best nodes with some columns at their coarsest, or between two of them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import prod

import numpy as np

from hedgerow.recode.lattice import Node
from hedgerow.recode.search import Search

SMALLEST, LARGEST = 500, 20_000
"""Nodes of the parts that are searched: few at first, more where nothing better is found."""
MOST_LOOKED_AT = 200
"""Nodes of a part that are evaluated at most."""
MOST_HELD = 6_000_000
"""Bytes that the snapshots of a part may take in memory."""
PATIENCE = 12
"""Moves without success before a climb begins again."""
KEPT = 8
"""How many of the best nodes are remembered."""


class Elite:
    """The best nodes so far; several climbs share them."""

    def __init__(self) -> None:
        """None yet."""
        self._lock = threading.Lock()
        self._nodes: dict[Node, float] = {}

    def add(self, node: Node, cost: float) -> None:
        """Remember a node, if it is among the best."""
        with self._lock:
            self._nodes[node] = cost
            if len(self._nodes) > KEPT:
                del self._nodes[max(self._nodes, key=lambda one: (self._nodes[one], one))]

    def ranked(self) -> list[tuple[float, Node]]:
        """All of them, the best first."""
        with self._lock:
            return sorted((cost, node) for node, cost in self._nodes.items())


class Climb:
    """One line of nodes, each better than the one before."""

    def __init__(self, whole: Search, elite: Elite, *, seed: Sequence[int]) -> None:
        """At the coarsest node.

        Args:
            whole: The search of the whole lattice, under one requirement.
            elite: The best nodes so far.
            seed: Of its choices.
        """
        self.whole, self.elite = whole, elite
        self.random = np.random.Generator(np.random.PCG64(list(seed)))
        self.node, self.cost = whole.lattice.top, np.inf
        self.evaluated = self.work = 0
        self._failed = 0

    def move(self) -> None:
        """Look for a better node around this one; begin again where that has failed often."""
        if self._failed >= PATIENCE:
            self._begin_again()
            return
        room = SMALLEST * (LARGEST / SMALLEST) ** (self._failed / PATIENCE)
        low, high = self._around(room)
        found = self._searched(low, high, below=self.cost)
        self._failed += 1
        if found is not None:
            self.node, self.cost = found
            self._failed = 0
            self.elite.add(self.node, self.cost)

    def _around(self, room: float) -> tuple[Node, Node]:
        """A part with some columns free, of at most so many nodes."""
        lattice = self.whole.lattice
        low, high = list(self.node), list(self.node)
        nodes = 1
        for j in self.random.permutation(len(low)):
            levels = lattice.top[j] - lattice.bottom[j] + 1
            if levels > 1 and nodes * levels <= room:
                nodes *= levels
                low[j], high[j] = lattice.bottom[j], lattice.top[j]
        return tuple(low), tuple(high)

    def _searched(self, low: Node, high: Node, *, below: float) -> tuple[Node, float] | None:
        """The best node of a part that costs less."""
        if low == high:
            return None
        whole, part = self.whole, self.whole.lattice.between(low, high)
        search = Search(part, whole.constraints, whole.metric, most_held=MOST_HELD)
        if whole.costs is not None:
            search.costs = whole.costs.within(part)
        search.start(below=below)
        while search.settle() and search.evaluated < MOST_LOOKED_AT:
            search.advance()
        self.evaluated += search.evaluated
        self.work += search.work + len(whole.lattice.base)
        (found,) = search.solutions()
        return None if found is None else (found.node, found.cost)

    def _begin_again(self) -> None:
        self._failed = 0
        best = self.elite.ranked()
        if not best:
            self.node, self.cost = self.whole.lattice.top, np.inf
            return
        cost, node = best[int(self.random.integers(len(best)))]
        if len(best) > 1 and self.random.random() < 0.5:
            other = best[int(self.random.integers(len(best)))][1]
            found = self._searched(*self._spanned(node, other), below=cost)
            if found is not None:
                self.node, self.cost = found
                self.elite.add(*found)
                return
        lattice = self.whole.lattice
        raised = list(node)
        many = int(self.random.integers(2, 2 + max(1, len(node) // 3)))
        for j in self.random.permutation(len(node))[:many]:
            raised[j] = int(self.random.integers(node[j], lattice.top[j] + 1))
        # What it costs says the first part that is searched.
        self.node, self.cost = tuple(raised), np.inf

    def _spanned(self, one: Node, other: Node) -> tuple[Node, Node]:
        """What is between two nodes; of too many columns that differ, some."""
        low, high = list(one), list(one)
        for j in self.random.permutation(len(one)):
            low[j], high[j] = min(one[j], other[j]), max(one[j], other[j])
            if _size(low, high) > LARGEST:
                low[j] = high[j] = one[j]
        return tuple(low), tuple(high)


def _size(low: Sequence[int], high: Sequence[int]) -> int:
    return prod(b - a + 1 for a, b in zip(low, high, strict=True))
