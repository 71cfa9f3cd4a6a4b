"""Snapshots: frequency sets that a search keeps, so that others are rolled up from small ones.

A node's frequency set can be rolled up from that of any finer node, and that takes as long as the
finer one has groups. So a search keeps those that it has made, and begins each time with the
smallest of them that is finer. Where all of these are large, one is made on the way, just below
the node: a search looks at many nodes near each other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hedgerow.recode.lattice import Frequency, Lattice, Node

MOST_KEPT = 256
"""Frequency sets that are kept; each is looked at for each node."""
LARGE = 6
"""How many times as many groups as a node a source has before one is made on the way."""
WORTH = 2
"""One on the way is kept where it has so many times fewer groups than its own source."""


class Snapshots:
    """The frequency sets that were made last, within so many bytes."""

    def __init__(self, lattice: Lattice, *, most: int) -> None:
        """Only that of the finest node, which always stays and is not counted.

        Args:
            lattice: Where the nodes are.
            most: Bytes that the others may take.
        """
        self._lattice, self._most = lattice, most
        columns = len(lattice.bottom)
        self._levels = np.full((MOST_KEPT, columns), np.iinfo(np.int64).max, np.int64)
        self._groups = np.full(MOST_KEPT, np.iinfo(np.int64).max, np.int64)
        self._used = np.zeros(MOST_KEPT, np.int64)
        self._kept: list[Frequency | None] = [None] * MOST_KEPT
        self._turn = 0
        self.held = 0
        """Bytes that they take."""

    def __iter__(self) -> Iterator[Frequency]:
        """Those that are kept."""
        return (one for one in self._kept if one is not None)

    def of(self, node: Node, *, above: Node | None = None) -> Frequency:
        """The frequency set of a node.

        Args:
            node: The node.
            above: The search will look at other nodes above this one.
        """
        source = self._source(node)
        if source.node == node:
            return source
        found = self._lattice.roll_up(source, node)
        self._keep(found)
        if above is not None and len(source) > LARGE * len(found):
            way = tuple(max(low, level - 1) for low, level in zip(above, node, strict=True))
            if way not in (node, source.node):
                between = self._lattice.roll_up(self._source(way), way)
                if WORTH * len(between) < len(source):
                    self._keep(between)
        return found

    def _source(self, node: Node) -> Frequency:
        """The smallest that is finer, or the node's own."""
        self._turn += 1
        finer = np.flatnonzero((self._levels <= np.array(node)).all(axis=1))
        if not len(finer):
            return self._lattice.base
        place = int(finer[np.argmin(self._groups[finer])])
        self._used[place] = self._turn
        found = self._kept[place]
        assert found is not None, "a place without one has no levels"
        return found

    def _keep(self, frequency: Frequency) -> None:
        """Keep one; those that nobody began with for longest go."""
        size = frequency.nbytes
        if size > self._most:
            return
        place = int(np.argmin(self._used))
        self._drop(place)
        while self.held + size > self._most:
            taken = np.where(self._groups < np.iinfo(np.int64).max, self._used, self._turn + 1)
            self._drop(int(np.argmin(taken)))
        self._kept[place] = frequency
        self._levels[place] = frequency.node
        self._groups[place] = len(frequency)
        self._used[place] = self._turn
        self.held += size

    def _drop(self, place: int) -> None:
        old = self._kept[place]
        if old is not None:
            self.held -= old.nbytes
            self._kept[place] = None
            self._levels[place] = self._groups[place] = np.iinfo(np.int64).max
            self._used[place] = 0
