"""Intervals of random worlds hold as often as they say, by kind of puzzle; narrower ones do not.

Beliefs are counted one world at a time, by plain Python that shares nothing with the estimates.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest
from minimal_tables import LEVELS, drawn_people, enumerated, searching, table
from sampled_puzzles import KINDS, OPEN, puzzles
from statistical.chance import covers

from hedgerow.attacks import minimal_worlds
from hedgerow.attacks.minimal_worlds import MinimalWorlds
from hedgerow.attacks.world_sample import RATE, sample
from hedgerow.claims.worlds.bounds import CountBounds
from hedgerow.claims.worlds.knowledge import Knowledge

PUZZLES, RUNS, STEPS = 60, 6, 100_000
AMONG = len(KINDS) + 3
"""Tests that share one false alarm."""
NARROW = 0.7
"""Intervals that are 30 % too narrow must be told from right ones."""

Interval = tuple[float, float, float]
"""Its ends, and what it should hold."""


def unproven(known: Knowledge) -> CountBounds:
    """Bounds that prove nothing, so that intervals are not cut by what is proven."""
    people = np.repeat(known.people[:, None], known.values, axis=1)
    return CountBounds(np.zeros_like(people), people, known.people)


@cache
def estimated(kind: str) -> tuple[Interval, ...]:
    """Where there is an estimate, for beliefs that were chosen before."""
    found = []
    for place, one in enumerate(islice(puzzles(kind), PUZZLES)):
        for run in range(RUNS):
            drawn = sample(
                one.known, unproven(one.known), [one.kind], seed=1_000 * run + place, steps=STEPS
            )
            belief = drawn.belief(0, [one.value])
            if belief is not None:
                found.append((belief.low, belief.high, float(one.belief)))
    return tuple(found)


def held(found: tuple[Interval, ...], scale: float = 1.0) -> list[bool]:
    """Whether each interval holds; a scale makes them narrower around their middle."""
    return [
        abs(belief - (low + high) / 2) <= scale * (high - low) / 2 + 1e-12
        for low, high, belief in found
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_estimates_of_a_person_hold_at_their_rate(kind: str) -> None:
    found = estimated(kind)
    assert len(found) > PUZZLES * RUNS / 3, "often there is an estimate"
    assert covers(held(found), at_least=RATE, among=AMONG)


@pytest.mark.slow
def test_narrower_estimates_are_noticed() -> None:
    found = tuple(one for kind in KINDS for one in estimated(kind))
    assert not covers(held(found, NARROW), at_least=RATE, among=AMONG)


class RememberedWorlds(MinimalWorlds):
    """The same, where no world is searched twice."""

    def _published(self, world: Any) -> Any:
        known: dict[bytes, Any] = self.__dict__.setdefault("known", {})
        key = world.tobytes()
        if key not in known:
            known[key] = super()._published(world)
        return known[key]


@cache
def minimised() -> tuple[Interval, ...]:
    """What is believed of somebody who lives alone in a place, by 400 random worlds."""
    levels = [dict(zip("abcd", one, strict=True)) for one in (
        "abcd", ("ab", "ab", "cd", "cd"), "****"
    )]  # fmt: skip
    found, seed = list[Interval](), 0
    before = minimal_worlds.MOST_WORLDS
    minimal_worlds.MOST_WORLDS = 0
    try:
        while len(found) < PUZZLES * 20:
            seed += 1
            people = drawn_people(seed, places="abcd", most=7)
            wanted = enumerated(people, levels, 0) or {}
            single = [
                place
                for place, belief in sorted(wanted.items())
                if OPEN <= belief <= 1 - OPEN and [p for p, _ in people].count(place) == 1
            ]
            if not single:
                continue
            place = Random(seed).choice(single)
            worlds = RememberedWorlds(table(people, LEVELS), searching())
            of = [str(LEVELS.values[code]) for code in worlds.combinations[:, 0]].index(place)
            hiv = worlds.cells.sensitive[0].values.index("HIV")
            having = np.flatnonzero(worlds.records[:, 0] == hiv).tolist()
            for run in range(20):
                one = worlds.believed(seed=1_000 * run + seed).belief(of, having)
                if one is not None:
                    found.append((*one, float(Fraction(wanted[place]))))
    finally:
        minimal_worlds.MOST_WORLDS = before
    return tuple(found)


@pytest.mark.slow
def test_estimates_of_who_knows_how_it_was_made_hold_at_their_rate() -> None:
    assert covers(held(minimised()), at_least=RATE, among=AMONG)


@pytest.mark.slow
def test_narrower_ones_of_these_are_noticed() -> None:
    assert not covers(held(minimised(), NARROW), at_least=RATE, among=AMONG)
