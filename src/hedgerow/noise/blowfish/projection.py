"""One coordinate of places that share a graph: which of its values an edge joins.

A row that has no number in one of the coordinates is no point of the graph. Such rows are joined
to rows that lack the same coordinates, where numbers in their places could be found that an edge
joins; so whoever looks at some coordinates only sees the same moves, whether the others are there
or not. Rows that lack different coordinates are not joined: that one is missing is not protected.

Hence cells, filters and sums, each of which looks at one coordinate, see no more than the edges of
the graph of that coordinate. Conversely each edge of it comes from an edge between points, so that
an answer changes along an edge of the points if and only if it does along one of some coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from hedgerow.noise.blowfish.graphs import Partition, Threshold
from hedgerow.noise.blowfish.listed_graphs import Grid
from hedgerow.noise.blowfish.secret_graph import Graph


def projected(graph: Graph, sides: Sequence[int], axis: int) -> Graph:
    """The steps of one coordinate, and one code more, joined to none, for what is no number.

    For places on the Earth it may have more edges than there are: all steps as far apart as the
    farthest that are joined. That asks for more noise, and not for less.

    Args:
        graph: Over the points of a box of steps, the last coordinate running fastest.
        sides: How many steps each coordinate has.
        axis: Which coordinate.

    >>> projected(Grid((4, 9), within=2), (4, 9), 1)
    Threshold(at=(0, 1, 2, 3, 4, 5, 6, 7, 8, 11), within=2)
    """
    assert graph.size == prod(sides), "a graph over all points of the box"
    cells = sides[axis]
    if isinstance(graph, Grid):
        steps = min(graph.within, cells - 1)
    else:
        steps = graph.spread(np.indices(sides, np.int64)[axis].ravel())
    if not steps:
        return Partition.known(cells + 1)
    return Threshold((*range(cells), cells + steps), steps)
