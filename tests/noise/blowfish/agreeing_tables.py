"""Tables that agree with a release without noise, and which of them are neighbours.

Knows nothing of hedgerow: it goes over all tables, finds out by trying whether rows can be put into
the published cells, and takes neighbours from the definition, to the letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np

Row = Any
Table = tuple[Row, ...]


def agrees(table: Table, fits: Callable[[Row, Any], bool], counted: Sequence[Any]) -> bool:
    """Whether each counted row of the release may be a row of the table, each another one."""
    return any(
        all(fits(row, cell) for row, cell in zip(some, counted, strict=True))
        for some in set(permutations(table, len(counted)))
    )


def neighbours(
    values: Sequence[Row],
    edge: Callable[[Row, Row], bool],
    fits: Callable[[Row, Any], bool],
    counted: Sequence[Any],
    rows: int,
) -> Iterator[tuple[Table, Table]]:
    """All pairs of neighbours with so many rows that agree with a release (Def. 4.1).

    They have secrets (rows that changed along an edge, with their new values), and no other table
    that agrees is nearer: with fewer of these secrets, or all of them and fewer of these changes.

    Args:
        values: All a row can be, in order.
        edge: Which pairs of them must not be told apart.
        fits: Whether a row may have been counted in a cell.
        counted: The cell of each row of the release.
        rows: How many rows the tables have; those beyond the release were left out of it.
    """
    place = {value: i for i, value in enumerate(values)}
    tables = [t for t in product(values, repeat=rows) if agrees(t, fits, counted)]

    def bits(first: Table, other: Table, wanted: Callable[[Row, Row], bool]) -> int:
        return sum(
            1 << (i * len(values) + place[b])
            for i, (a, b) in enumerate(zip(first, other, strict=True))
            if wanted(a, b)
        )

    for first in tables:
        if list(first) != sorted(first, key=place.__getitem__):
            continue  # the order of the rows does not matter
        secrets = [bits(first, other, edge) for other in tables]
        some = [j for j, mask in enumerate(secrets) if mask]
        if not some:
            continue
        moved = [bits(first, tables[j], lambda a, b: a != b) for j in some]
        t, d = np.array([secrets[j] for j in some]), np.array(moved)
        inside = ((t[:, None] & ~t[None, :]) == 0) & (t[:, None] != t[None, :])
        less = ((d[:, None] & ~d[None, :]) == 0) & (d[:, None] != d[None, :])
        nearer = inside | ((t[:, None] == t[None, :]) & less)
        for k, j in enumerate(some):
            if not nearer[:, k].any():
                yield first, tables[j]
