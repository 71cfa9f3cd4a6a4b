"""Graphs whose edges are listed: any pairs, points near each other; and boxes of whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, floor, isqrt, pi, prod, sin
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.secret_graph import (
    APART,
    MOST_EDGES,
    Flags,
    Graph,
    Ints,
    array,
    relabelled,
    sized,
    small,
)
from hedgerow.noise.rounding import Number, positive, whole

Distance = Literal["L1", "L2", "great-circle"]
EARTH = 6371.0088
"""The mean radius in kilometres; the Earth is taken as a ball."""
SLACK = 1e-9
"""More than doubles lose in distances on the ball; pairs that near to theta are joined."""
FAR = 2**30
"""Coordinates beyond are refused: their squares would not fit."""
MOST_SOURCES = 2000
"""Above so many values a diameter is bounded by twice the distances from one value."""


class ListedGraph(Graph):
    """A graph that is the list of its edges; everything takes as long as the list."""

    def joined(self, x: ArrayLike, y: ArrayLike) -> Flags:
        a, b = np.broadcast_arrays(self.codes(x), self.codes(y))
        keys = self.edges() @ np.array([self.size, 1], np.int64)
        return np.isin(np.minimum(a, b) * self.size + np.maximum(a, b), keys)

    @cached_property
    def _sparse(self) -> Any:
        from scipy.sparse import csr_array

        a, b = self.edges().T
        return csr_array((np.ones(len(a), np.int8), (a, b)), shape=(self.size, self.size))

    def _from(self, sources: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Some sources at a time, with the distances from each to all values."""
        from scipy.sparse.csgraph import dijkstra

        some = max(1, 4_000_000 // self.size)
        for start in range(0, len(sources), some):
            part = sources[start : start + some]
            found = dijkstra(self._sparse, directed=False, unweighted=True, indices=part)
            yield part, np.where(np.isfinite(found), found, APART).astype(np.int64)

    def distance(self, x: ArrayLike, y: ArrayLike) -> Ints:
        a, b = np.broadcast_arrays(self.codes(x), self.codes(y))
        sources, which = np.unique(a.ravel(), return_inverse=True)
        found, start = np.empty(a.size, np.int64), 0
        for part, distances in self._from(sources):
            here = (which >= start) & (which < start + len(part))
            found[here] = distances[which[here] - start, b.ravel()[here]]
            start += len(part)
        return found.reshape(a.shape)

    @cached_property
    def components(self) -> Ints:
        from scipy.sparse.csgraph import connected_components

        return relabelled(connected_components(self._sparse, directed=False)[1].astype(np.int64))

    @cached_property
    def diameter(self) -> int:
        if self.size <= MOST_SOURCES:
            every = np.arange(self.size)
            return max(int(distances.max()) for _, distances in self._from(every))
        first = np.unique(self.components, return_index=True)[1]
        return 2 * max(int(distances.max()) for _, distances in self._from(first))

    def spread(self, values: ArrayLike) -> int:
        v, (a, b) = self.numbers(values), self.edges().T
        return int(np.abs(v[a] - v[b]).max(initial=0))

    def crossing(self, cells: ArrayLike) -> tuple[bool, bool]:
        a, b = self.numbers(cells, "cells")[self.edges().T]
        between = (a >= 0) & (b >= 0) & (a != b)
        return bool(between.any()), bool(((a >= 0) != (b >= 0)).any())

    def differences(self, matrix: ArrayLike) -> tuple[int, int, bool]:
        w = np.atleast_2d(small(self.numbers(matrix, "a matrix")))
        one = two = 0
        every = self.edges()
        some = max(1, MOST_EDGES // (4 * max(len(w), 1)))
        for start in range(0, len(every), some):
            a, b = every[start : start + some].T
            change = np.abs(w[:, a] - w[:, b])
            one = max(one, int(change.sum(axis=0).max()))
            two = max(two, int((change * change).sum(axis=0).max()))
        return one, two, True


@dataclass(frozen=True)
class Explicit(ListedGraph):
    """Any graph, edge by edge.

    >>> star = Explicit(4, ((0, 1), (0, 2), (0, 3)))
    >>> star.distance(1, [0, 2]).tolist(), star.connected, star.diameter
    ([1, 2], True, 2)
    """

    size: int
    pairs: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        sized(self.size)
        if isinstance(self.pairs, tuple) and len(self.pairs) > MOST_EDGES:
            raise PlanError(f"{len(self.pairs):,} edges are too many")
        found = array(self.pairs or np.empty((0, 2)), "edges")
        if found.size and (found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu"):
            raise PlanError("edges are pairs of codes", fix="Say something like ((0, 1), (1, 2)).")
        self.codes(found.astype(np.int64))
        if (found[:, 0] == found[:, 1]).any():
            raise PlanError("an edge joins two different values")

    @cached_property
    def _edges(self) -> Ints:
        pairs = np.array(self.pairs, np.int64).reshape(-1, 2)
        return np.unique(np.sort(pairs, axis=1), axis=0)

    def edges(self) -> Ints:
        return self._edges


@dataclass(frozen=True)
class Near(ListedGraph):
    """Points are joined where they lie within theta of each other; exactly theta is an edge.

    L1 and L2 are exact. On the ball distances are doubles, and a pair that may be within theta
    is joined: that protects more and not less. As with `Threshold`, distance is along the points
    there are: far points may be more than ceil(d / theta) steps apart, or have no path at all.

    >>> corners = Near(((0, 0), (3, 4), (6, 8)), within=5, metric="L2")
    >>> corners.edges().tolist(), corners.distance(0, 2).item()
    ([[0, 1], [1, 2]], 2)
    """

    points: tuple[tuple[float, ...], ...]
    """Whole numbers in any unit; for great-circle, latitude and longitude in degrees."""
    within: Fraction
    """Theta, in the same unit; for great-circle, kilometres."""
    metric: Distance

    def __init__(
        self, points: tuple[tuple[float, ...], ...], *, within: Number, metric: Distance
    ) -> None:
        if not isinstance(points, tuple | list) or not all(
            isinstance(point, tuple | list) for point in points
        ):
            raise PlanError(
                "points are tuples of coordinates", fix="Say ((0, 0), (3, 4)), and so on."
            )
        object.__setattr__(self, "points", tuple(map(tuple, points)))
        object.__setattr__(self, "within", positive("within", within))
        object.__setattr__(self, "metric", metric)
        sized(len(self.points))
        if metric not in ("L1", "L2", "great-circle"):
            raise PlanError(f"there is no distance {metric!r}", fix="Say L1, L2 or great-circle.")
        if len({len(point) for point in self.points}) != 1 or not self.points[0]:
            raise PlanError("points must all have the same coordinates")
        found = np.array(self.points)
        if metric != "great-circle":
            if found.dtype.kind not in "iu" or np.abs(found).max() > FAR:
                raise PlanError(
                    "coordinates are whole numbers up to 2^30", fix="Count in other units."
                )
        elif found.shape[1] != 2 or found.dtype.kind not in "iuf":
            raise PlanError("places on the Earth have a latitude and a longitude")
        elif not (np.abs(found) <= [90, 360]).all():
            raise PlanError("latitudes are -90 to 90 degrees, longitudes -360 to 360")

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.points)

    @property
    def coordinates(self) -> NDArray[Any]:
        """Points as columns, for sums of coordinates."""
        return np.array(self.points).T

    def edges(self) -> Ints:
        return self._edges

    @cached_property
    def _edges(self) -> Ints:
        from scipy.spatial import cKDTree

        places, radius = self._placed()
        tree = cKDTree(places)
        power = 1 if self.metric == "L1" else 2
        total = (int(tree.count_neighbors(tree, radius, p=power)) - self.size) // 2
        if total > MOST_EDGES:
            raise PlanError(
                f"{total:,} pairs of points are too near each other to list",
                fix="Use a coarser grid, or a smaller threshold.",
            )
        pairs = tree.query_pairs(radius, p=power, output_type="ndarray").astype(np.int64)
        pairs = np.sort(pairs.reshape(-1, 2), axis=1)
        if self.metric != "great-circle":
            # The tree found candidates with doubles; whole numbers decide.
            points = np.array(self.points, np.int64)
            change = np.abs(points[pairs[:, 0]] - points[pairs[:, 1]])
            length = (change**power).sum(axis=1)
            pairs = pairs[length <= floor(self.within**power)]
        return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])

    def _placed(self) -> tuple[NDArray[np.float64], float]:
        """Points for a search tree, and a radius that misses nothing."""
        points = np.array(self.points, np.float64)
        if self.metric != "great-circle":
            return points, float(self.within) * (1 + SLACK)
        angle = min(float(self.within) / EARTH * (1 + SLACK) + SLACK, pi)
        latitude, longitude = np.radians(points).T
        ball = (
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        )
        return np.stack(ball, axis=1), 2 * sin(angle / 2) + SLACK


@dataclass(frozen=True)
class Grid(ListedGraph):
    """All points of a box of whole numbers, joined within theta: several columns at once.

    Its edges are listed only where they are few; sums of coordinates need no list.

    >>> colours = Grid((256, 256, 256), within=64, metric="L1")
    >>> colours.sums(), colours.distance(0, colours.size - 1).item()
    ((64, 4096, True), 12)
    """

    shape: tuple[int, ...]
    within: int
    metric: Literal["L1", "L2"] = "L1"

    def __post_init__(self) -> None:
        if not isinstance(self.shape, tuple):
            raise PlanError(
                f"a box has a tuple of sides, not {self.shape!r}", fix="Say Grid((256, 256), 64)."
            )
        for length in self.shape:
            whole("a side", length)
        if not self.shape or prod(self.shape) >= 2**62 or max(self.shape) > FAR:
            raise PlanError("a box has one to a few sides, and under 2^62 points")
        if whole("within", self.within) > FAR or self.metric not in ("L1", "L2"):
            raise PlanError("a box has L1 or L2 distances of at most 2^30")

    @property
    def size(self) -> int:  # type: ignore[override]
        return prod(self.shape)

    def points(self, x: ArrayLike) -> Ints:
        """Coordinates of codes, along a new first axis."""
        return np.array(np.unravel_index(self.codes(x), self.shape), np.int64)

    def _length(self, x: ArrayLike, y: ArrayLike) -> Ints:
        a, b = np.broadcast_arrays(self.codes(x), self.codes(y))
        change = np.abs(self.points(a) - self.points(b))
        return np.asarray((change if self.metric == "L1" else change**2).sum(axis=0))

    def joined(self, x: ArrayLike, y: ArrayLike) -> Flags:
        length = self._length(x, y)
        return np.asarray((length > 0) & (length <= self._limit))

    @property
    def _limit(self) -> int:
        return self.within if self.metric == "L1" else self.within**2

    def distance(self, x: ArrayLike, y: ArrayLike) -> Ints:
        """For L1 the quotient, rounded up: whole numbers leave no gaps. For L2 by search."""
        if self.metric == "L1":
            return np.asarray(-(-self._length(x, y) // self.within))
        return super().distance(x, y)

    @property
    def components(self) -> Ints:
        return np.zeros(sized(self.size), np.int64)

    @property
    def connected(self) -> bool:
        return True

    @cached_property
    def diameter(self) -> int:
        """From corner to corner; for L2 a bound, by steps along the axes."""
        return -(-sum(side - 1 for side in self.shape) // self.within)

    def edges(self) -> Ints:
        return self._edges

    @cached_property
    def _edges(self) -> Ints:
        if self.size > 2**16 or comb(self.size, 2) > MOST_EDGES:
            raise PlanError(
                f"a box of {self.size:,} points has too many pairs to look at",
                fix="Ask for sums of coordinates, or use a coarser box.",
            )
        low, high = np.triu_indices(self.size, 1)
        near = self.joined(low, high)
        return np.stack([low[near], high[near]], axis=1)

    def sums(self, box: tuple[tuple[int, int], ...] | None = None) -> tuple[int, int, bool]:
        """How far an edge moves a point, its coordinates held within a box.

        Returns:
            The L1 distance, the squared L2 distance, and whether both are exact.
        """
        sides = [
            max(0, min(high, side - 1) - max(low, 0))
            for (low, high), side in zip(
                box or [(0, side - 1) for side in self.shape], self.shape, strict=True
            )
        ]
        if self.metric == "L2":
            # By Cauchy and Schwarz: the root of the number of sides that can change.
            open_sides = sum(1 for side in sides if side)
            one = min(sum(sides), isqrt(open_sides * self._limit))
            two = min(sum(side * side for side in sides), self._limit)
            return one, two, open_sides <= 1
        # Squares are largest with the longest side moved first, as far as it goes.
        left, two = min(sum(sides), self.within), 0
        one = left
        for side in sorted(sides, reverse=True):
            two += min(side, left) ** 2
            left -= min(side, left)
        return one, two, True
