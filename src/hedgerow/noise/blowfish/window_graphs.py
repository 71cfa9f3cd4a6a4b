"""Graphs that need no list of edges: each value is joined to those that follow, up to some reach.

Full, partition, line and threshold graphs are all of this shape, in some order of their values.
Whatever is asked about them takes about as long as there are values.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish import secret_graph
from hedgerow.noise.blowfish.secret_graph import APART, Flags, Graph, Ints, relabelled, small


class Windows(Graph):
    """In some order, each value is joined to all that follow it up to some reach.

    The reach never falls from one value to the next, so the values a value is joined to are a
    window around it, and a step as far as possible is the best first step to anything farther.
    """

    @property
    @abstractmethod
    def reach(self) -> Ints:
        """For each place in the order, the last place its value is joined to."""

    @property
    def order(self) -> Ints | None:
        """The values in that order; None where it is that of the domain."""
        return None

    @cached_property
    def _places(self) -> Ints | None:
        """For each value its place in the order."""
        if self.order is None:
            return None
        places = np.empty(self.size, np.int64)
        places[self.order] = np.arange(self.size)
        return places

    def _ends(self, x: ArrayLike, y: ArrayLike) -> tuple[Ints, Ints]:
        a, b = np.broadcast_arrays(self.codes(x), self.codes(y))
        if self._places is not None:
            a, b = self._places[a], self._places[b]
        return np.minimum(a, b), np.maximum(a, b)

    def _ordered(self, values: Ints) -> Ints:
        return values if self.order is None else values[..., self.order]

    def joined(self, x: ArrayLike, y: ArrayLike) -> Flags:
        low, high = self._ends(x, y)
        return np.asarray((low < high) & (high <= self.reach[low]))

    def distance(self, x: ArrayLike, y: ArrayLike) -> Ints:
        """By doubling: jumps of 2^k steps, from the largest down, while they fall short."""
        low, high = self._ends(x, y)
        labels = self.components if self.order is None else self.components[self.order]
        jumps = [self.reach]
        while 2 ** len(jumps) < self.size and (jumps[-1] != (far := jumps[-1][jumps[-1]])).any():
            jumps.append(far)
        at, steps = low.copy(), np.zeros(low.shape, np.int64)
        for k in reversed(range(len(jumps))):
            short = jumps[k][at] < high
            # Where no jump reaches, as between components, the count is thrown away below.
            at = np.where(short, jumps[k][at], at)
            steps += np.where(short, 2**k, 0)
        steps += at < high
        return np.where(labels[low] == labels[high], steps, APART)

    @cached_property
    def components(self) -> Ints:
        cut = np.ones(self.size, np.bool_)
        cut[1:] = self.reach[:-1] == np.arange(self.size - 1)
        labels = np.cumsum(cut) - 1
        return labels if self._places is None else relabelled(labels[self._places])

    @cached_property
    def diameter(self) -> int:
        labels = self._ordered(self.components)
        first = np.flatnonzero(np.diff(labels, prepend=-1))
        last = np.append(first[1:], self.size) - 1
        values = np.arange(self.size) if self.order is None else self.order
        return int(self.distance(values[first], values[last]).max())

    def edges(self) -> Ints:
        degrees = self.reach - np.arange(self.size)
        if (total := int(degrees.sum())) > secret_graph.MOST_EDGES:
            raise PlanError(f"{total:,} edges are too many to list", fix="Ask for something else.")
        low = np.repeat(np.arange(self.size), degrees)
        high = low + 1 + np.arange(total) - np.repeat(np.cumsum(degrees) - degrees, degrees)
        pairs = np.stack([low, high], axis=1)
        return pairs if self.order is None else np.sort(self.order[pairs], axis=1)

    def spread(self, values: ArrayLike) -> int:
        """In the order, the largest and the smallest number of each window, less the first."""
        v = self._ordered(self.numbers(values))
        if (v[1:] >= v[:-1]).all():
            return int((v[self.reach] - v).max())
        return max(int((self._largest(v) - v).max()), int((self._largest(-v) + v).max()))

    def crossing(self, cells: ArrayLike) -> tuple[bool, bool]:
        """Between two ends of an edge, two neighbours in the order differ as the ends do."""
        labels = self._ordered(self.numbers(cells, "cells"))
        inside = np.flatnonzero(labels >= 0)
        a, b = inside[:-1], inside[1:]
        between = bool(((labels[a] != labels[b]) & (self.reach[a] >= b)).any())
        flips = (labels[:-1] >= 0) != (labels[1:] >= 0)
        leaving = bool((flips & (self.reach[:-1] > np.arange(self.size - 1))).any())
        return between, leaving

    def differences(self, matrix: ArrayLike) -> tuple[int, int, bool]:
        w = self._ordered(np.atleast_2d(small(self.numbers(matrix, "a matrix"))))
        places = np.arange(self.size)
        degrees = self.reach - places
        if int(degrees.sum()) * len(w) <= secret_graph.MOST_EDGES:
            one = two = 0
            for shift in range(1, int(degrees.max(initial=0)) + 1):
                low = places[degrees >= shift]
                change = np.abs(w[:, low + shift] - w[:, low])
                one = max(one, int(change.sum(axis=0).max()))
                two = max(two, int((change * change).sum(axis=0).max()))
            return one, two, True
        # Of one row this is exact: any two values in a window are joined.
        ranges = np.zeros((2, self.size), np.int64)
        for row in w:
            width = self._largest(row) + self._largest(-row)
            ranges += np.stack([width, width * width])
        return int(ranges[0].max()), int(ranges[1].max()), len(w) == 1

    def _largest(self, values: Ints) -> Ints:
        """For each place the largest number from there up to its reach.

        A window of any length is covered by two of the largest power of two that fits; maxima of
        these are made from those of half the length.
        """
        length = self.reach - np.arange(self.size) + 1
        found = values.copy()
        block, width = values, 1
        while True:
            at = np.flatnonzero((length >= width) & (length < 2 * width))
            found[at] = np.maximum(block[at], block[self.reach[at] - width + 1])
            if (length < 2 * width).all():
                return found
            block = np.maximum(block[:-width], block[width:])
            width *= 2
