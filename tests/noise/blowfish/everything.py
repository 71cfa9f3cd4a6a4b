"""All edges, all paths and all tables of tiny domains, by definition; knows nothing of hedgerow."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product

Edge = Callable[[int, int], bool]


def paths(size: int, edge: Edge) -> list[list[int]]:
    """Distances between all values, -1 without a path: Floyd and Warshall."""
    far = math.inf
    d = [[0 if x == y else 1 if edge(x, y) else far for y in range(size)] for x in range(size)]
    for k, x, y in product(range(size), repeat=3):
        d[x][y] = min(d[x][y], d[x][k] + d[k][y])
    return [[-1 if v == far else int(v) for v in row] for row in d]


def neighbours(
    values: Sequence[Hashable], edge: Callable[..., bool], rows: int
) -> Iterator[tuple[tuple[Hashable, ...], tuple[Hashable, ...]]]:
    """All tables with so many rows, and all that differ in one row along an edge."""
    for table in product(values, repeat=rows):
        for at, value in product(range(rows), values):
            if edge(table[at], value):
                yield table, (*table[:at], value, *table[at + 1 :])


def sensitivity(
    values: Sequence[Hashable],
    edge: Callable[..., bool],
    answer: Callable[..., Sequence[int]],
    rows: int = 2,
) -> tuple[int, int]:
    """The largest L1 and squared L2 distance of neighbours' answers."""
    one = two = 0
    for a, b in neighbours(values, edge, rows):
        change = [abs(p - q) for p, q in zip(answer(a), answer(b), strict=True)]
        one, two = max(one, sum(change)), max(two, sum(c * c for c in change))
    return one, two


def histogram(table: Sequence[Hashable], values: Sequence[Hashable]) -> list[int]:
    return [sum(row == value for row in table) for value in values]
