"""Markov chains by enumeration, exactly; knows nothing of hedgerow.

A chain is (rows, start) of fractions; a world is a tuple of states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product

Rows = Sequence[Sequence[Fraction]]
World = tuple[int, ...]
Worlds = dict[World, Fraction]


def worlds(rows: Rows, start: Sequence[Fraction], length: int) -> Worlds:
    found = {}
    for w in product(range(len(rows)), repeat=length):
        p = start[w[0]]
        for x, y in pairwise(w):
            p *= rows[x][y]
        if p:
            found[w] = p
    return found


def given(all_worlds: Worlds, i: int, x: int) -> Worlds:
    """Once the state at place i (from 0) is known; empty where it cannot be."""
    total = sum((p for w, p in all_worlds.items() if w[i] == x), Fraction(0))
    return {w: p / total for w, p in all_worlds.items() if w[i] == x} if total else {}


def pairs(all_worlds: Worlds, states: int, length: int) -> Iterator[tuple[int, Worlds, Worlds]]:
    for i in range(length):
        for x, y in product(range(states), repeat=2):
            left, right = given(all_worlds, i, x), given(all_worlds, i, y)
            if x != y and left and right:
                yield i, left, right


def marginal(distribution: Worlds, places: Iterable[int]) -> Worlds:
    chosen = list(places)
    found: Worlds = {}
    for w, p in distribution.items():
        key = tuple(w[n] for n in chosen)
        found[key] = found.get(key, Fraction(0)) + p
    return found


def ratio(p: Mapping[World, Fraction], q: Mapping[World, Fraction]) -> Fraction | float:
    """The largest p / q; infinite where q is 0 and p is not."""
    return max(math.inf if not q.get(w) else p[w] / q[w] for w in p if p[w])


def quilts(i: int, length: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """(places of the quilt, how many states are within) for place i from 0."""
    yield (), length
    for a in range(1, i + 1):
        yield (i - a,), length - i + a - 1
    for b in range(1, length - i):
        yield (i + b,), i + b
    for a in range(1, i + 1):
        for b in range(1, length - i):
            yield (i - a, i + b), a + b - 1


def influence(all_worlds: Worlds, states: int, i: int, quilt: tuple[int, ...]) -> float:
    """Max log-ratio of the quilt's distributions under two states at place i."""
    worst = 0.0
    for x, y in product(range(states), repeat=2):
        left, right = given(all_worlds, i, x), given(all_worlds, i, y)
        if x != y and left and right:
            found = ratio(marginal(left, quilt), marginal(right, quilt))
            worst = max(worst, math.log(found) if found != math.inf else math.inf)
    return worst


def sigma(all_worlds: Worlds, states: int, length: int, epsilon: float) -> float:
    """The paper's sigma_max: the worst position's best score."""
    return max(
        min(
            near / (epsilon - e) if e < epsilon else math.inf
            for quilt, near in quilts(i, length)
            for e in [influence(all_worlds, states, i, quilt)]
        )
        for i in range(length)
        if sum(1 for x in range(states) if given(all_worlds, i, x)) > 1
    )


def loss(
    all_worlds: Worlds, states: int, length: int, row: Callable[[World], Sequence[Fraction]]
) -> Fraction | float:
    """The largest ratio of output probabilities under two states at one place, exactly."""
    rows = {w: row(w) for w in all_worlds}
    worst: Fraction | float = Fraction(1)

    def outputs(distribution: Worlds) -> list[Fraction]:
        return [
            sum(terms, Fraction(0))
            for terms in zip(
                *([p * q for q in rows[w]] for w, p in distribution.items()), strict=True
            )
        ]

    for _, left, right in pairs(all_worlds, states, length):
        for a, b in zip(outputs(left), outputs(right), strict=True):
            if a:
                worst = max(worst, a / b if b else math.inf)
    return worst


def held_geometric(value: int, ratio: Fraction, low: int, high: int) -> list[Fraction]:
    """Two-sided geometric noise added, then held at the ends; the tails summed up."""
    a = ratio
    mass = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(low - value, high - value + 1)}
    inner = [mass[o - value] for o in range(low + 1, high)]
    below = a ** (value - low) / (1 + a)
    return [below, *inner, 1 - below - sum(inner, Fraction(0))]


def strassen(p: Mapping[int, Fraction], q: Mapping[int, Fraction]) -> int:
    """The infinity-Wasserstein distance by Strassen: P(A) <= Q(A widened by d) for all sets A."""
    points = [x for x in p if p[x]]
    sets = [s for n in range(1, len(points) + 1) for s in combinations(points, n)]
    d = 0
    while not all(
        sum(p[x] for x in s)
        <= sum(mass for y, mass in q.items() if any(abs(x - y) <= d for x in s))
        for s in sets
    ):
        d += 1
    return d
