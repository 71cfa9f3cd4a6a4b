"""A policy: graphs over several columns, and how many of them one edge may change at once.

How several columns are read together is a choice, and it is this. Each column, or group of columns
that share a graph, is a part. Two rows are joined if they differ in at least one part and in at
most `at_once` of them, in each along an edge of its graph. If left out, all may change at once:
whoever reads "age within 5, disease within its chapter" takes both to be hidden together, at the
price of one edge. With full graphs this is change-one differential privacy of the whole row;
with full graphs and c at once it is the paper's attribute policy G^(attr, c).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.base.errors import PlanError, nearest
from hedgerow.noise.blowfish.listed_graphs import Explicit, Grid, Near
from hedgerow.noise.blowfish.secret_graph import APART, Graph, Ints
from hedgerow.noise.blowfish.sensitivity import Sensitivity, mask
from hedgerow.noise.measures import Loss
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import whole

Columns = tuple[str, ...]
Part = str | Columns
"""A column, or all columns that share a graph."""
NOTHING = Sensitivity(0, 0)
MOST_ROWS = 3000
"""Different rows whose joint graph is listed."""


@dataclass(frozen=True, init=False)
class Policy:
    """Which rows must not be told apart, over the columns that questions may touch.

    Guarantee: none by itself. A mechanism with loss L under a policy has, for every two tables
    that differ in one row by d edges, the loss L.group(d): for pure losses e^(d epsilon).
    Nothing is promised for rows in different components: **in which component somebody is may be
    published exactly**.
    Assumes: the number of rows is public. A person has one row, or sensitivities are multiplied
    (`Sensitivity.times`). Columns that are not named are refused; for one that nobody need
    protect, say `Partition.known`, for one to protect altogether, `Full`.
    Reference: Machanavajjhala and Kifer (2015), Def. 5 and 6, where the factor on neighbours is
    e^epsilon and neighbours are change-one; He, Machanavajjhala and Ding (2014), Sec. 3.

    >>> from hedgerow.noise.blowfish.graphs import Partition, Threshold
    >>> policy = Policy({"age": Threshold(range(121), 5), "disease": Partition((0, 0, 1))})
    >>> policy.count({"disease": [True, True, False]}).l1, policy.cumulative("age").l1
    (0, 5)
    """

    parts: tuple[tuple[Columns, Graph], ...]
    at_once: int

    def __init__(self, parts: Mapping[Part, Graph], *, at_once: int | None = None) -> None:
        if not isinstance(parts, Mapping) or not all(
            isinstance(part, str | tuple) for part in parts
        ):
            raise PlanError(
                "a policy is a mapping from columns to graphs", fix="Say {'age': Full(121)}."
            )
        named = tuple(
            ((columns,) if isinstance(columns, str) else tuple(columns), graph)
            for columns, graph in parts.items()
        )
        every = [column for columns, _ in named for column in columns]
        if not named or len(set(every)) < len(every) or not all(columns for columns, _ in named):
            raise PlanError("a policy has one graph for each column it names")
        for columns, graph in named:
            if not isinstance(graph, Graph):
                raise PlanError(
                    f"{', '.join(map(str, columns))} needs a graph, not {graph!r}",
                    fix="Say Full, Partition, Threshold, Grid, Near or Explicit.",
                )
            # Places that are spelled by name, and not by coordinates, are one column.
            if len(columns) > 1 and len(columns) != _sides(graph):
                raise PlanError(
                    f"a graph over {', '.join(columns)} has as many coordinates as columns"
                )
        most = len(named) if at_once is None else whole("at_once", at_once)
        object.__setattr__(self, "parts", named)
        object.__setattr__(self, "at_once", min(most, len(named)))

    @property
    def neighbours(self) -> Neighbours:
        """One row is changed; their number is public."""
        return Neighbours(kind=Neighbouring.CHANGE_ONE)

    def part(self, column: str) -> tuple[Columns, Graph]:
        """The columns and the graph a column belongs to.

        Raises:
            PlanError: The policy does not name the column.
        """
        for columns, graph in self.parts:
            if column in columns:
                return columns, graph
        meant = nearest(column, [name for columns, _ in self.parts for name in columns])
        raise PlanError(
            f"the policy does not say what is protected about {column!r}"
            + (f"; did you mean {meant!r}?" if meant else ""),
            fix="Add it to the policy: full to protect it altogether.",
        )

    def graph(self, part: Part) -> Graph:
        """The graph of a column, or of columns that share one.

        Raises:
            PlanError: There is none.
        """
        columns, graph = self.part(part if isinstance(part, str) else part[0])
        if columns != ((part,) if isinstance(part, str) else part):
            raise PlanError(
                f"{columns[0]!r} shares its graph with other columns",
                fix=f"Ask about {', '.join(columns)} together.",
            )
        return graph

    def distance(self, x: Mapping[str, ArrayLike], y: Mapping[str, ArrayLike]) -> Ints:
        """The fewest edges between rows, given as codes by the first column of each part.

        Parts need d1, d2, ... steps, of which c go at once: the longest of them, or all
        together divided by c, whichever is more.
        """
        steps = []
        for columns, graph in self.parts:
            try:
                steps.append(graph.distance(x[columns[0]], y[columns[0]]))
            except KeyError:
                raise PlanError(f"a row has no {columns[0]!r}") from None
        every = np.stack(np.broadcast_arrays(*steps))
        found = np.maximum(every.max(axis=0), -(-every.sum(axis=0) // self.at_once))
        return np.where((every == APART).any(axis=0), APART, found)

    @property
    def connected(self) -> bool:
        return all(graph.connected for _, graph in self.parts)

    @property
    def diameter(self) -> int:
        """No two rows of one component are farther apart."""
        every = [graph.diameter for _, graph in self.parts]
        return max(max(every), -(-sum(every) // self.at_once))

    def change_one(self, loss: Loss) -> Loss:
        """What a loss under this policy is under change-one differential privacy.

        Raises:
            PlanError: There are rows without a path between them.

        >>> from hedgerow.noise.blowfish.graphs import line
        >>> from hedgerow.noise.measures import Pure
        >>> print(Policy({"age": line(11)}).change_one(Pure(epsilon=0.1)))
        1-differential privacy
        """
        if not self.connected:
            raise PlanError(
                "this policy leaves open in which component somebody is: no differential "
                "privacy follows from it"
            )
        return loss.group(self.diameter) if self.diameter else loss

    def count(self, where: Mapping[Part, ArrayLike]) -> Sensitivity:
        """Of how many rows meet a condition on each of some columns; 1, or 0 if no edge does it."""
        return self.histogram({}, where)

    def histogram(
        self, by: Mapping[Part, ArrayLike], where: Mapping[Part, ArrayLike] | None = None
    ) -> Sensitivity:
        """Of the counts by cells of some columns, of rows that meet conditions.

        An edge that changes the cell changes it in some part, and to change that part alone is an
        edge as well: so each part is looked at by itself.

        Args:
            by: For each column the cell of each value, -1 being none.
            where: For each column whether each value counts.
        """
        empty, between, leaving = self._crossing(by, where or {})
        changed = 0 if empty else 2 if between else int(leaving)
        return Sensitivity(changed, changed)

    def cumulative(self, column: str, where: Mapping[Part, ArrayLike] | None = None) -> Sensitivity:
        """Of the counts of rows with values up to each; with conditions on other columns."""
        graph = self.graph(column)
        if column in (where or {}):
            raise PlanError(f"a condition on {column!r} itself is a choice of ranges instead")
        empty, _, leaving = self._crossing({}, where or {})
        # Somebody with the first value who meets the condition no more is missing everywhere.
        longest = 0 if empty else max(graph.spread(np.arange(graph.size)), leaving * graph.size)
        return Sensitivity(longest, longest)

    def total(
        self,
        values: Mapping[Part, ArrayLike],
        *,
        by: Mapping[Part, ArrayLike] | None = None,
        where: Mapping[Part, ArrayLike] | None = None,
    ) -> Sensitivity:
        """Of sums of whole numbers for each value of some columns, all of them together.

        Rows that stay in their cell change at most `at_once` columns. One that changes its cell
        takes all its numbers with it, out of one and into another.
        """
        every = [(self.graph(column), column, values[column]) for column in values]
        empty, between, leaving = self._crossing(by or {}, where or {})
        if empty or not every:
            return NOTHING
        spreads = sorted((g.spread(v) for g, _, v in every), reverse=True)[: self.at_once]
        one, two = sum(spreads), sum(s * s for s in spreads)
        moved = 2 if between else int(leaving)
        if moved:
            sizes = [int(np.abs(graph.numbers(v)).max()) for graph, _, v in every]
            one = max(one, moved * sum(sizes))
            two = max(two, moved * sum(s * s for s in sizes))
        shared = values.keys() & ((by or {}).keys() | (where or {}).keys())
        return Sensitivity(one, two, not shared)

    def sum_sensitivity(self, box: Mapping[str, tuple[int, int]]) -> Sensitivity:
        """Of the sums of some columns' numbers, held within public bounds, as in k-means.

        Args:
            box: For each column the bounds, in the unit of its graph's positions; all columns
                of a box of whole numbers together.

        >>> from hedgerow.noise.blowfish.listed_graphs import Grid
        >>> colours = Policy({("r", "g", "b"): Grid((256, 256, 256), within=64)})
        >>> colours.sum_sensitivity({c: (0, 255) for c in "rgb"}).l1
        64
        """
        if not isinstance(box, Mapping):
            raise PlanError("bounds are given by column", fix="Say {'age': (0, 120)}.")
        found: list[tuple[int, int]] = []
        certain, left = True, dict(box)
        for columns, graph in self.parts:
            bounds = [left.pop(column) for column in columns if column in left]
            if not bounds:
                continue
            for pair in bounds:
                if not isinstance(pair, tuple | list) or len(pair) != 2:
                    raise PlanError(
                        f"bounds of {', '.join(columns)} are a pair, low and high, not {pair!r}",
                        fix="Say {'age': (0, 120)}.",
                    )
                for end in pair:
                    if isinstance(end, bool) or not isinstance(end, int | np.integer):
                        raise PlanError(f"bounds are whole numbers, and {end!r} is none")
            if any(low > high for low, high in bounds):
                raise PlanError(f"bounds of {', '.join(columns)} rise from low to high")
            if len(bounds) < len(columns):
                raise PlanError(f"{', '.join(columns)} share a graph: give bounds for all")
            if len(columns) != _sides(graph):
                raise PlanError(f"{', '.join(columns)} have no numbers of their own")
            if isinstance(graph, Grid):
                one, two, whether = graph.sums(tuple(bounds))
                certain &= whether
                found.append((one, two))
            elif isinstance(graph, Near) and graph.metric != "great-circle":
                pairs = zip(graph.coordinates, bounds, strict=True)
                one, two, _ = graph.differences([np.clip(row, *b) for row, b in pairs])
                found.append((one, two))
            elif not isinstance(graph, Near):
                widest = graph.spread(np.clip(graph.positions, *bounds[0]))
                found.append((widest, widest * widest))
            else:
                raise PlanError(f"{', '.join(columns)} have no numbers of their own")
        for column in left:
            self.part(column)
        ones = sorted((one for one, _ in found), reverse=True)[: self.at_once]
        twos = sorted((two for _, two in found), reverse=True)[: self.at_once]
        return Sensitivity(sum(ones), sum(twos), certain)

    def _crossing(
        self, by: Mapping[Part, ArrayLike], where: Mapping[Part, ArrayLike]
    ) -> tuple[bool, bool, bool]:
        """Whether no row counts at all, and whether edges join two cells, or leave them."""
        empty = between = leaving = False
        for column in by.keys() | where.keys():
            graph = self.graph(column)
            cells = graph.numbers(by.get(column, np.zeros(graph.size, np.int64)), "cells")
            if column in where:
                cells = np.where(mask(graph, where[column]), cells, -1)
            empty |= bool((cells < 0).all())
            two, one = graph.crossing(cells)
            between |= two
            leaving |= one
        return empty, between, leaving

    @property
    def size(self) -> int:
        """How many different rows there can be."""
        return prod(graph.size for _, graph in self.parts)

    def joint(self) -> Explicit:
        """One graph over whole rows, the last part's codes running fastest; for few rows only.

        Raises:
            PlanError: There are too many different rows.

        >>> from hedgerow.noise.blowfish.graphs import Full
        >>> Policy({"a": Full(2), "b": Full(2)}, at_once=1).joint().edges().tolist()
        [[0, 1], [0, 2], [1, 3], [2, 3]]
        """
        if self.size > MOST_ROWS:
            raise PlanError(f"{self.size:,} different rows are more than {MOST_ROWS:,}")
        low, high = np.triu_indices(self.size, 1)
        shape = tuple(graph.size for _, graph in self.parts)
        moved, fits = np.zeros(len(low), np.int64), np.ones(len(low), np.bool_)
        ends = zip(np.unravel_index(low, shape), np.unravel_index(high, shape), strict=True)
        for (x, y), (_, graph) in zip(ends, self.parts, strict=True):
            moved += x != y
            fits &= (x == y) | graph.joined(x, y)
        kept = fits & (moved <= self.at_once)
        pairs = zip(low[kept].tolist(), high[kept].tolist(), strict=True)
        return Explicit(self.size, tuple(pairs))


def _sides(graph: Graph) -> int:
    """How many coordinates a graph's values have."""
    if isinstance(graph, Grid):
        return len(graph.shape)
    return len(graph.points[0]) if isinstance(graph, Near) else 1
