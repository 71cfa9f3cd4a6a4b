"""All worlds that fit several releases, one after another: plain Python, nothing of hedgerow.

Every record has a name of its own. A world gives each person a value and, in each release, one
record or none. What is believed of a person is the share of the worlds in which it is so.
Everything is exact and slow; keep to six people or so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random


@dataclass(frozen=True)
class Release:
    """Records are pairs of a group and a look."""

    records: tuple[tuple[int, int], ...]
    looks: tuple[int, ...]
    """How each value looks."""
    fits: tuple[frozenset[int], ...]
    """Of each person."""
    sure: tuple[bool, ...]
    listed: bool


@dataclass(frozen=True)
class Puzzle:
    people: int
    values: int
    releases: tuple[Release, ...]
    weights: tuple[tuple[Fraction, ...], ...] | None = None


def owned(puzzle: Puzzle, release: Release, values: Sequence[int]) -> int:
    """In how many ways the records of one release can belong to people who have these values."""

    def ways(person: int, taken: frozenset[int]) -> int:
        if person == puzzle.people:
            return int(not release.listed or len(taken) == len(release.records))
        found = 0
        for i, (group, look) in enumerate(release.records):
            fits = group in release.fits[person] and release.looks[values[person]] == look
            if fits and i not in taken:
                found += ways(person + 1, taken | {i})
        if not release.sure[person]:
            found += ways(person + 1, taken)
        return found

    return ways(0, frozenset())


def worlds(puzzle: Puzzle) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """What everybody may have, and how likely that is (not made to sum to 1)."""
    for values in product(range(puzzle.values), repeat=puzzle.people):
        ways = Fraction(1)
        for release in puzzle.releases:
            ways *= owned(puzzle, release, values) if ways else 0
        for person, value in enumerate(values):
            ways *= 1 if puzzle.weights is None else puzzle.weights[person][value]
        if ways:
            yield values, ways


def believed(puzzle: Puzzle) -> tuple[Fraction, list[list[Fraction]]]:
    """How many worlds there are; and people by values, the belief."""
    total = Fraction(0)
    found = [[Fraction(0)] * puzzle.values for _ in range(puzzle.people)]
    for values, ways in worlds(puzzle):
        total += ways
        for person, value in enumerate(values):
            found[person][value] += ways
    if total:
        found = [[share / total for share in person] for person in found]
    return total, found


def drawn(seed: int, *, people: int = 5, releases: int = 2, values: int = 3) -> Puzzle:
    """Releases that were really made of people, so that a world fits; often with overlaps."""
    random = Random(seed)
    n, k = random.randint(1, people), random.randint(2, values)
    truth = [random.randrange(k) for _ in range(n)]
    made = []
    for _ in range(random.randint(1, releases)):
        groups = random.randint(1, 3)
        inside = [random.random() < 0.85 for _ in range(n)]
        place = [random.randrange(groups) for _ in range(n)]
        coarse = random.random() < 0.2 and k > 2
        looks = tuple(v // 2 if coarse else v for v in range(k))
        records = [(place[i], looks[truth[i]]) for i in range(n) if inside[i]]
        listed = random.random() < 0.6
        if not listed:
            records += [(random.randrange(groups), random.randrange(looks[-1] + 1))
                        for _ in range(random.randint(0, 2))]  # fmt: skip
        overlap = random.choice([0.0, 0.0, 0.4])
        fits = tuple(
            frozenset({place[i]} | {g for g in range(groups) if random.random() < overlap})
            if inside[i] or random.random() < 0.2 else frozenset()
            for i in range(n)
        )  # fmt: skip
        sure = tuple(inside[i] and random.random() < 0.8 for i in range(n))
        made.append(Release(tuple(records), looks, fits, sure, listed))
    weights = None
    if random.random() < 0.3:
        weights = tuple(tuple(Fraction(random.randint(0 if v != truth[i] else 1, 3))
                              for v in range(k)) for i in range(n))  # fmt: skip
    return Puzzle(n, k, tuple(made), weights)
