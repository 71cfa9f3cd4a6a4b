"""The most even distribution with given tables, held as a tree of overlapping smaller ones.

Columns that no table counts together are independent given those between them. So the joint
distribution of all columns is never written down: only that of cliques of columns, arranged in a
tree such that a column's cliques are connected (a junction tree).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Columns = tuple[str, ...]

SWEEPS = 100
"""Rounds over all tables, at most."""
NEAR = 1e-5
"""Rounds end when no table is off by more than this share of people, added up over its cells."""
EVEN = 1e-6
"""The share of an even table that is mixed in: a cell once at zero could never rise again."""
TRIES = 300
"""Tables beyond the first connected ones that are tried whether they still fit."""


@dataclass(frozen=True)
class Clique:
    """The joint shares of some columns, given those that the clique before also has."""

    columns: Columns
    shares: Floats
    """One axis for each column."""
    given: Columns
    """Those of the columns that an earlier clique has."""


def fitted(tables: Mapping[Columns, Floats], sizes: Mapping[str, int]) -> tuple[Clique, ...]:
    """The most even distribution that has these tables, or nearly, if there is one.

    By iterative proportional fitting: each table in turn is set right by scaling its clique, and
    what changed is passed on along the tree. A walk there and back passes all that is needed.
    Tables must be shares: not negative, adding up to 1.

    Of tables that no distribution has together, the last ones fitted are right, the others near.

    Args:
        tables: For each tuple of columns an array with one axis for each.
        sizes: How many values each column has; every column, with or without tables.

    Reference: Jirousek and Preucil, On the effective implementation of the iterative
    proportional fitting procedure (1995).

    >>> chain = {("a", "b"): np.array([[0.5, 0.0], [0.0, 0.5]]), ("b", "c"): np.eye(2) / 2}
    >>> [clique.columns for clique in fitted(chain, {"a": 2, "b": 2, "c": 2})]
    [('a', 'b'), ('b', 'c')]
    """
    cliques = cliques_of(tables, sizes)
    walk, joins = _walk(cliques)
    beliefs = [np.full([sizes[c] for c in clique], 1 / prod(sizes[c] for c in clique))
               for clique in cliques]  # fmt: skip
    between = {join: beliefs[join[0]].sum(axis=_away(cliques[join[0]], joins[join]))
               for join in joins}  # fmt: skip
    targets = _targets(tables, cliques)
    for _ in range(SWEEPS):
        worst = 0.0
        for came, here in walk:
            if came is not None:
                join = (min(came, here), max(came, here))
                new = beliefs[came].sum(axis=_away(cliques[came], joins[join]))
                _scale(beliefs[here], cliques[here], joins[join], new, between[join])
                between[join] = new
            for columns, target in targets[here]:
                now = beliefs[here].sum(axis=_away(cliques[here], columns))
                worst = max(worst, float(np.abs(now - target).sum()))
                _scale(beliefs[here], cliques[here], columns, target, now)
        if worst < NEAR:
            break
    found, seen = [], set[int]()
    for came, here in walk:
        if here not in seen:
            seen.add(here)
            given = () if came is None else joins[(min(came, here), max(came, here))]
            found.append(Clique(cliques[here], beliefs[here], given))
    return tuple(found)


def telling(
    tables: Mapping[Columns, Floats], sizes: Mapping[str, int], *, most: int
) -> list[Columns]:
    """Tables whose cliques are small enough, those first that say most about their columns.

    How much a table says is how far it is from what its columns would be independently. First
    come tables that connect columns, as those of a spanning tree, then others as they fit.
    """
    said = {columns: _dependence(table) for columns, table in tables.items()}
    ranked = sorted(tables, key=lambda columns: (-said[columns], columns))
    if _largest(ranked, sizes) <= most:
        return ranked
    chosen: list[Columns] = []
    parts = {column: {column} for column in sizes}
    later = []
    for columns in ranked:
        groups = {id(parts[c]): parts[c] for c in columns}
        pair = len(columns) == 2
        if len(groups) == 1 or not (pair or _largest([*chosen, columns], sizes) <= most):
            later.append(columns)
            continue
        merged = set[str]().union(*groups.values())
        parts.update(dict.fromkeys(merged, merged))
        chosen.append(columns)
    for columns in later[:TRIES]:
        if _largest([*chosen, columns], sizes) <= most:
            chosen.append(columns)
    return chosen


def cliques_of(tables: Iterable[Columns], sizes: Mapping[str, int]) -> list[Columns]:
    """Sets of columns such that each table is within one, and they can be arranged in a tree.

    Columns are taken away one by one, always the one that with its neighbours has the fewest
    cells; its neighbours then become neighbours of each other.

    >>> ring = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    >>> cliques_of(ring, dict.fromkeys("abcd", 2))
    [('a', 'b', 'd'), ('b', 'c', 'd')]
    """
    near: dict[str, set[str]] = {column: set() for column in sizes}
    for columns in tables:
        for a, b in combinations(columns, 2):
            near[a].add(b)
            near[b].add(a)
    found: list[frozenset[str]] = []
    cells = {c: sizes[c] * prod(sizes[n] for n in near[c]) for c in near}
    while near:
        column = min(near, key=lambda c: (cells[c], c))
        around = near.pop(column)
        clique = frozenset(around | {column})
        if not any(clique <= other for other in found):
            found.append(clique)
        for a in around:
            near[a] |= around
            near[a] -= {a, column}
        for a in around:
            cells[a] = sizes[a] * prod(sizes[n] for n in near[a])
    place = {column: i for i, column in enumerate(sizes)}
    return [tuple(sorted(clique, key=place.__getitem__)) for clique in found]


def _largest(tables: Sequence[Columns], sizes: Mapping[str, int]) -> int:
    return max(prod(sizes[c] for c in clique) for clique in cliques_of(tables, sizes))


def _dependence(table: Floats) -> float:
    """The L1 distance of a table of shares from the product of its columns' shares."""
    alone = np.ones(())
    for axis in range(table.ndim):
        others = tuple(a for a in range(table.ndim) if a != axis)
        alone = np.multiply.outer(alone, table.sum(axis=others))
    return float(np.abs(table - alone).sum())


def _walk(
    cliques: Sequence[Columns],
) -> tuple[list[tuple[int | None, int]], dict[tuple[int, int], Columns]]:
    """A tour there and back over a tree of cliques, and what those side by side share.

    The tree is one with the largest overlaps: then a column's cliques are connected.
    """
    nearby: dict[int, list[int]] = {i: [] for i in range(len(cliques))}
    joins: dict[tuple[int, int], Columns] = {}
    # Prim's algorithm: the overlap with the tree so far, and with which clique of it.
    overlap = dict.fromkeys(range(1, len(cliques)), (0, 0))
    newest = 0
    while overlap:
        inside = set(cliques[newest])
        for i, (size, _) in overlap.items():
            shared = len(inside.intersection(cliques[i]))
            if shared > size:
                overlap[i] = (shared, newest)
        nxt = max(overlap, key=lambda i: (overlap[i][0], -i))
        known = overlap.pop(nxt)[1]
        nearby[known].append(nxt)
        join = (min(known, nxt), max(known, nxt))
        joins[join] = tuple(c for c in cliques[known] if c in set(cliques[nxt]))
        newest = nxt
    walk: list[tuple[int | None, int]] = [(None, 0)]
    path = [(0, iter(nearby[0]))]
    while path:
        here, following = path[-1]
        ahead = next(following, None)
        if ahead is not None:
            walk.append((here, ahead))
            path.append((ahead, iter(nearby[ahead])))
        else:
            path.pop()
            if path:
                walk.append((here, path[-1][0]))
    return walk, joins


def _targets(
    tables: Mapping[Columns, Floats], cliques: Sequence[Columns]
) -> list[list[tuple[Columns, Floats]]]:
    """For each clique the tables within it, with columns in the clique's order."""
    found: list[list[tuple[Columns, Floats]]] = [[] for _ in cliques]
    for columns, table in tables.items():
        if not columns:
            continue
        place = next(i for i, clique in enumerate(cliques) if set(columns) <= set(clique))
        ordered = tuple(c for c in cliques[place] if c in columns)
        turned = table.transpose([columns.index(c) for c in ordered])
        found[place].append((ordered, (1 - EVEN) * turned + EVEN / turned.size))
    return found


def _away(clique: Columns, kept: Columns) -> tuple[int, ...]:
    return tuple(axis for axis, column in enumerate(clique) if column not in kept)


def _scale(belief: Floats, clique: Columns, columns: Columns, new: Floats, old: Floats) -> None:
    """Multiply a clique so that its sums over some columns become the new ones."""
    factor = np.divide(new, old, out=np.zeros_like(new), where=old > 0)
    belief *= factor.reshape(
        [belief.shape[axis] if c in columns else 1 for axis, c in enumerate(clique)]
    )
