"""Small puzzles for estimates by random worlds, by kind, with beliefs counted one world at a time.

Every belief is an exact fraction, by plain Python (`record_worlds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from math import prod
from random import Random

from puzzle_knowledge import crowded, knowledge
from record_worlds import Puzzle, drawn, worlds

from hedgerow.claims.worlds.knowledge import Knowledge

OPEN = Fraction(1, 50)
"""Beliefs nearer to 0 or 1 than this are not asked about: chance hardly enters."""


@dataclass(frozen=True)
class AskedPuzzle:
    """What somebody knows, and what they believe of one person and value."""

    known: Knowledge
    kind: int
    value: int
    belief: Fraction


def overlapping(seed: int) -> Puzzle:
    """Everybody may fit several groups."""
    return crowded(seed, people=5)


def several(seed: int) -> Puzzle:
    """Two or three releases; some people are in some of them."""
    found = drawn(seed, releases=3)
    return replace(found, weights=None) if len(found.releases) > 1 else several(seed + 10**6)


def expected(seed: int) -> Puzzle:
    """The attacker has a prior about each person."""
    random, found = Random(seed), drawn(seed)
    shares = tuple(
        tuple(Fraction(random.randint(1, 6)) for _ in range(found.values))
        for _ in range(found.people)
    )
    return replace(found, weights=shares)


def informed(seed: int) -> Puzzle:
    """The attacker knows the values of one or two people."""
    random, found = Random(seed), replace(several(seed), weights=None)
    truth = random.choice([values for values, _ in worlds(found)])
    listed = random.sample(range(found.people), min(found.people, random.randint(1, 2)))
    shares = tuple(
        tuple(Fraction(i not in listed or v == truth[i]) for v in range(found.values))
        for i in range(found.people)
    )
    return replace(found, weights=shares)


def stubborn(seed: int) -> Puzzle:
    """The attacker has a Dirichlet prior; see `URN`."""
    return replace(drawn(seed), weights=None)


URN = (Fraction(3), Fraction(1), Fraction(2))
"""Balls of each value, of the attacker with a Dirichlet prior."""
KINDS: dict[str, Callable[[int], Puzzle]] = {
    "overlaps": overlapping, "several releases": several, "priors": expected,
    "known people": informed, "stubbornness": stubborn,
}  # fmt: skip


def _from_urn(values: tuple[int, ...]) -> Fraction:
    """How likely the urn gives these values, but for what is the same for all."""
    return Fraction(
        prod(balls + before
             for v, balls in enumerate(URN) for before in range(values.count(v)))
    )  # fmt: skip


def asked(kind: str, seed: int) -> AskedPuzzle | None:
    """A puzzle of a kind, and who and what is asked about; None where nothing is open."""
    puzzle, random = KINDS[kind](seed), Random(seed)
    known, kinds = knowledge(puzzle)
    if kind == "stubbornness":
        known = replace(known, urn=URN[: puzzle.values])
    total = Fraction(0)
    belief = [[Fraction(0)] * puzzle.values for _ in range(puzzle.people)]
    for values, ways in worlds(puzzle):
        weight = ways * (_from_urn(values) if known.urn is not None else 1)
        total += weight
        for person, value in enumerate(values):
            belief[person][value] += weight
    pairs = [(i, v) for i, mine in enumerate(belief) for v, share in enumerate(mine)
             if total and OPEN <= share / total <= 1 - OPEN]  # fmt: skip
    if not pairs:
        return None
    person, value = random.choice(pairs)
    return AskedPuzzle(known, kinds[person], value, belief[person][value] / total)


def puzzles(kind: str) -> Iterator[AskedPuzzle]:
    """As many as are wanted of a kind."""
    for seed in count():
        found = asked(kind, seed)
        if found is not None:
            yield found
