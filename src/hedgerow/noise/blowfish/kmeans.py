"""k-means under a policy: what an edge changes, also where it crosses a border between clusters.

The published figure for sums in clusters is the length of an edge, theta. It holds for an edge
whose ends are in one cluster. An edge that crosses a border takes somebody out of one sum and
puts them into another: both change, each by a whole row. With numbers 0 to 100, centres 25 and 75
and theta = 5, moving from 50 to 55 changes the sums by 105 (in one cluster: 5). Two ways are sound.

**Sums** (`AlongEdges`). Take sums of x - centre. An edge (x, y) of length up to L that stays in a
cluster changes them by |x - y| <= L, in L1. One that leaves cluster i for j changes them by
|x - c_i| + |y - c_j|. As x is no nearer to c_j and y no nearer to c_i, some point z between them
is as near to the one as to the other, and |x - z| + |z - y| = |x - y|. So the change is at most
L + |z - c_i| + |z - c_j|, for a z on the plane between the two centres and in the box. That is
convex in z, so it is largest at a corner of where plane and box meet, and there all coordinates
but one are at an end of their side: these corners are all looked at. It is also at most
far(c_i) + far(c_j), far being the distance to the farthest corner of the box. The smaller of the
two is taken, for the worst i and j. It is well above theta, and paid in each iteration.

**Counts first** (`Smoothed`). Cut the box into boxes and count rows in them, once; k-means runs on
the noisy counts, for as many iterations and from as many first centres as one likes. That is
post-processing and costs nothing more. An edge changes two counts, by 1 each: 2 under any policy.
But borders can be made soft, and then short edges change less. On each side a row at place p, in
boxes, belongs to the two boxes whose middles it lies between, by 1 - f and f, f being how far it
is on the way from the one to the other. In several columns weights are multiplied.

Proof of the sensitivity. On one side a move by t changes the weights by at most 2 t in L1: between
two middles one weight falls and the other rises by the distance, and moves beyond add up; before
the first and after the last middle nothing changes. Weights on each side are not negative and add
up to 1, so if one coordinate of a row moves, the products change in L1 by as much as the weights
of that side do, and if several move one after the other, by at most the sum. So an edge whose
coordinates move by t_1, t_2, ... boxes changes the counts by at most 2 (t_1 + t_2 + ...), and by no
more than 2, as all weights of a row are 1 together. An edge of theta = 32 in boxes of 64 costs 1
and not 2; where edges are longer than a box, soft borders gain nothing and borders are hard.
All numbers are whole: places are in 2^b steps of a box, weights in 2^(b d).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import ceil, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise.blowfish.listed_graphs import Grid, Near
from hedgerow.noise.blowfish.policy import Policy
from hedgerow.noise.blowfish.secret_graph import Ints
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.nonnegative_counts import nonnegative
from hedgerow.noise.rounding import whole

Floats = NDArray[np.float64]

FINE_BITS = 36
"""Of a row's weight: a box is cut into 2^(36 / columns) steps, so that 2^26 rows fit 64 bits."""
MOST_COLUMNS = 8
"""A row has a part in 2^columns boxes."""
MOST_BOXES = 20_000
"""Each needs a draw of noise, and k-means looks at each in each iteration."""
ROWS_TO_NOISE = 10
"""Larger makes boxes larger; see `Smoothed.fitting`."""
FEWEST, FEW = 5, 128
"""Boxes on the widest side at least, if they are not more than so many together."""


class Sided(Protocol):
    """A box that knows how many steps each side has."""

    @property
    def steps(self) -> Ints: ...


@dataclass(frozen=True)
class AlongEdges:
    """The sensitivity of sizes of clusters and of sums of x - centre in them, as derived above.

    >>> from hedgerow.noise.blowfish.graphs import Threshold
    >>> near = Policy({"age": Threshold(range(101), 5)})
    >>> edge = AlongEdges(longest(near, {"age": (101, Fraction(1))}))
    >>> edge.between(np.array([[25], [75]]), np.array([100]))
    55
    """

    longest: int
    """The longest edge in L1, in the steps in which centres are given."""

    def sizes(self) -> int:
        """Somebody leaves one cluster for another."""
        return 2

    def sums(self, centres: Ints, box: Sided) -> int:
        """Of the sums, given public centres in a box."""
        return self.between(centres, box.steps)

    def between(self, centres: Ints, steps: Ints) -> int:
        """Of the sums, given public centres in a box of so many steps a side."""
        far = np.maximum(centres, steps - centres).sum(axis=1)
        widest = self.longest
        for i, j in combinations(range(len(centres)), 2):
            both = int(far[i] + far[j])
            if both > widest:
                between = border(centres[i], centres[j], steps)
                crossing = 0 if between is None else min(between + self.longest, both)
                widest = max(widest, crossing)
        return widest


def border(one: Ints, other: Ints, steps: Ints) -> int | None:
    """The most that |z - one| + |z - other| is in a box, for a z as near to one as to the other.

    Rounded up. With many columns a bound, over the whole box. None where there is no such z, or
    where both are the same point: then no row moves from the cluster of one to that of the other.

    >>> border(np.array([2, 5]), np.array([8, 5]), np.array([10, 10]))
    16
    """
    slopes = 2 * (other - one)
    if not slopes.any():
        return None
    ends = np.stack([one + other, 2 * steps - one - other])
    if len(steps) > MOST_COLUMNS:
        return int(ends.max(axis=0).sum())
    level = int(other @ other - one @ one)
    corners = np.array(list(product((0, 1), repeat=len(steps) - 1)), np.int64)
    largest = None
    for free in np.flatnonzero(slopes):
        fixed = np.delete(np.arange(len(steps)), free)
        # The free coordinate is place / slope; whole numbers decide whether it is in the box.
        slope = abs(int(slopes[free]))
        place = level - (corners * steps[fixed]) @ slopes[fixed]
        place = place if slopes[free] > 0 else -place
        inside = (place >= 0) & (place <= slope * steps[free])
        if inside.any():
            place = place[inside]
            here = np.abs(place - slope * one[free]) + np.abs(place - slope * other[free])
            rest = ends[corners[inside], fixed].sum(axis=1)
            largest = max(largest or 0, int((-(-here // slope) + rest).max()))
    return largest


@dataclass(frozen=True)
class Smoothed:
    """Noisy counts of the boxes of a grid, with soft borders where edges are shorter than a box.

    Guarantee: the loss, for tables that differ in one row along one edge of the policy.
    Assumes: the number of rows is public. Rows are given as codes of the policy's values. Columns
    that are not named here have no part in the counts.
    Reference: the proof above; grids for k-means are those of Su, Cao, Li, Bertino and Jin,
    Differentially private k-means clustering (2016), Sec. 3.

    >>> from hedgerow.noise.blowfish.listed_graphs import Grid
    >>> colours = Policy({("r", "g", "b"): Grid((256, 256, 256), within=32)})
    >>> grid = Smoothed(colours, ("r", "g", "b"), (256,) * 3, (4, 4, 4), Pure(epsilon=1))
    >>> grid.soft, float(grid.sensitivity) / grid.row
    (True, 1.0)
    """

    policy: Policy
    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    """How many values each column has."""
    boxes: tuple[int, ...]
    """Into how many boxes each is cut."""
    loss: Pure

    def __post_init__(self) -> None:
        if len(self.columns) > MOST_COLUMNS:
            raise PlanError(
                f"boxes of {len(self.columns)} columns are too many",
                fix=f"Take at most {MOST_COLUMNS} columns, or sums instead of counts.",
            )
        for size, boxes in zip(self.sizes, self.boxes, strict=True):
            if whole("boxes", boxes) > whole("the number of values", size):
                raise PlanError(f"{size} values are not cut into {boxes} boxes")
        if not self.reach:
            raise PlanError("this policy has no edge: it protects nothing about these columns")

    @classmethod
    def fitting(
        cls,
        policy: Policy,
        *,
        columns: Sequence[str],
        sizes: Sequence[int],
        widths: Sequence[Fraction],
        rows: int,
        loss: Pure,
    ) -> Smoothed:
        """As many boxes as noise allows, of about equal sides; depends on public numbers only.

        Su and others balance the error that boxes make with that of noise and find (n epsilon /
        10)^(2 d / (d + 2)) boxes for counts with noise of scale 1 / epsilon. Here epsilon is
        divided by the sensitivity. A few boxes are taken in any case: with less no clusters are
        seen at all, and noise in empty boxes is cut off afterwards.

        Args:
            policy: The policy.
            columns: Names of the columns that are counted by.
            sizes: How many values each has.
            widths: How wide each is, in a unit for all.
            rows: How many there are, which is public.
            loss: What may be spent.
        """
        d, widest = len(columns), max(widths)

        def cut(most: int) -> Smoothed:
            boxes = (
                min(max(ceil(most * width / widest), 1), size)
                for width, size in zip(widths, sizes, strict=True)
            )
            return cls(policy, tuple(columns), tuple(sizes), tuple(boxes), loss)

        def fits(grid: Smoothed) -> bool:
            noise = Fraction(grid.sensitivity, grid.row) / loss.epsilon
            return bool(
                prod(grid.boxes)
                <= min(MOST_BOXES, float(rows / (ROWS_TO_NOISE * noise)) ** (2 * d / (d + 2)))
            )

        low = max(t for t in range(2, FEWEST + 1) if t == 2 or t**d <= FEW)
        high = 2 * low
        while high <= 2 * max(sizes) and fits(cut(high)):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(cut(middle)) else (low, middle)
        return cut(low)

    @property
    def _bits(self) -> int:
        return min(16, FINE_BITS // len(self.columns))

    @cached_property
    def reach(self) -> int:
        """The longest edge in L1, in steps of which a box has 2^b."""
        return longest(self.policy, dict(zip(self.columns, self._scales, strict=True)))

    @property
    def _scales(self) -> list[tuple[int, Fraction]]:
        return [
            (size, Fraction(boxes << self._bits, size))
            for size, boxes in zip(self.sizes, self.boxes, strict=True)
        ]

    @property
    def soft(self) -> bool:
        """Whether borders are soft: where the longest edge is shorter than a box."""
        return self.reach < 1 << self._bits

    @property
    def row(self) -> int:
        """What a row counts, in whole numbers."""
        return 1 << self._bits * len(self.columns) if self.soft else 1

    @property
    def sensitivity(self) -> int:
        """In L1, as proved above."""
        return 2 * self.reach * (self.row >> self._bits) if self.soft else 2

    @property
    def noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(scale=DiscreteLaplace.scale_for(self.loss, d_in=self.sensitivity))

    @property
    def spent(self) -> Pure:
        """What a release costs: the loss, or a little less, as scales are rounded up."""
        return self.noise.privacy_map(self.sensitivity)

    def counts(self, codes: Ints) -> Ints:
        """The true counts, in whole numbers of which a row has `row`.

        Args:
            codes: A row for each person, a column for each column.

        Raises:
            DataError: These are no codes.
        """
        rows = np.asarray(codes)
        if rows.ndim != 2 or rows.shape[1] != len(self.sizes) or rows.dtype.kind not in "iu":
            raise DataError(f"codes are whole numbers in {len(self.sizes)} columns")
        if len(rows) and not ((rows >= 0) & (rows < self.sizes)).all():
            raise DataError("codes go from 0 up to the number of values")
        found = np.zeros(self.boxes, np.int64)
        box = 1 << self._bits
        sides = []
        for (_, scale), boxes, column in zip(
            self._scales, self.boxes, rows.astype(np.int64).T, strict=True
        ):
            place = placed(column, scale)
            if not self.soft:
                sides.append([(place // box, np.ones(len(place), np.int64))])
                continue
            # From the middle of the first box to that of the last.
            way = np.clip(place - box // 2, 0, (boxes - 1) * box)
            first, part = way // box, way % box
            sides.append([(first, box - part), (np.minimum(first + 1, boxes - 1), part)])
        for corner in product(*sides):
            weight = np.ones(len(rows), np.int64)
            for _, share in corner:
                weight = weight * share
            np.add.at(found, tuple(at for at, _ in corner), weight)
        return found

    def release(self, codes: Ints) -> tuple[Floats, Floats]:
        """The middle of each box, as parts of each side from 0 to 1, and how many rows it has.

        Counts are the nearest ones that are not negative and add up to the number of rows.
        """
        noisy = self.noise.release(self.counts(codes)).ravel() / self.row
        sides = [(np.arange(boxes) + 0.5) / boxes for boxes in self.boxes]
        middles = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1)
        return middles.reshape(-1, len(sides)), nonnegative(noisy, total=float(len(codes)))


def longest(policy: Policy, scales: Mapping[str, tuple[int, Fraction]]) -> int:
    """A bound on the L1 length of edges between rows that are put in whole steps (`placed`).

    Exact for columns with graphs of their own. In a box of whole numbers an edge of length t
    becomes ceil(scale t_1) + ceil(scale t_2) + ... steps at most, so less than scale t + columns.

    Args:
        policy: The policy.
        scales: For each column how many values it has, and how many steps a value is wide.

    Raises:
        PlanError: A column is not in the policy, or has other values there, or no numbers.
    """
    lengths, left = [], dict(scales)
    for columns, graph in policy.parts:
        given = [left.pop(column) for column in columns if column in left]
        if not given:
            continue
        name = ", ".join(columns)
        if len(given) < len(columns):
            raise PlanError(f"{name} share a graph: take all of them or none")
        if isinstance(graph, Near):
            raise PlanError(
                f"the policy on {name} lists places, not all points of a box",
                fix="Use a grid with a distance threshold.",
            )
        shape = graph.shape if isinstance(graph, Grid) else (graph.size,)
        if shape != tuple(size for size, _ in given):
            raise PlanError(
                f"the policy on {name} has other values than the domain",
                fix="Give a graph with a value for each step of the bounds.",
            )
        if isinstance(graph, Grid):
            scale = max(scale for _, scale in given)
            rounded = any(scale.denominator > 1 for _, scale in given)
            lengths.append(ceil(scale * graph.sums()[0]) + rounded * (len(given) - 1))
        else:
            size, scale = given[0]
            lengths.append(graph.spread(placed(np.arange(size), scale)))
    for column in left:
        policy.part(column)
    return sum(sorted(lengths, reverse=True)[: policy.at_once])


def placed(codes: Ints, scale: Fraction) -> Ints:
    """The middle of each value, in steps of which a value is so many wide; rounded down.

    >>> placed(np.arange(4), Fraction(5, 2)).tolist()
    [1, 3, 6, 8]
    """
    return (2 * codes + 1) * scale.numerator // (2 * scale.denominator)
