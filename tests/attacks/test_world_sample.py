"""Beliefs estimated by random worlds: intervals hold as often as they say, or there is none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from puzzle_knowledge import crowded, knowledge
from record_worlds import Puzzle, believed, drawn
from statistical.chance import covers

from hedgerow.attacks import world_sample
from hedgerow.attacks.world_chain import WorldChain, board_of
from hedgerow.attacks.world_sample import CHAINS, SampledBelief, interval, sample
from hedgerow.claims.worlds.bounds import CountBounds, bounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge

STEPS = 400_000
PUZZLES = 120
AMONG = 6
"""Tests of intervals that share one false alarm."""


def one_each(
    puzzle: Puzzle, seed: int, *, known: Knowledge | None = None
) -> tuple[SampledBelief | None, float] | None:
    """The interval of one person and value, chosen without looking at it, and the belief."""
    total, wanted = believed(puzzle)
    given, kind = knowledge(puzzle)
    known = given if known is None else known
    if not total:
        return None
    random = Random(seed)
    person, value = random.randrange(puzzle.people), random.randrange(puzzle.values)
    found = sample(known, bounds(known), [kind[person]], seed=seed, steps=STEPS)
    return found.belief(0, [value]), float(wanted[person][value])


def hits(made: list[tuple[SampledBelief | None, float] | None]) -> list[bool]:
    return [
        one.low - 1e-9 <= true <= one.high + 1e-9
        for one, true in filter(None, made)
        if one is not None
    ]


@pytest.mark.parametrize("make", [pytest.param(drawn, marks=pytest.mark.slow), crowded])
def test_intervals_cover_what_is_counted_by_enumeration(make: object) -> None:
    puzzles = [drawn(seed) if make is drawn else crowded(seed, people=5) for seed in range(PUZZLES)]
    made = [one_each(puzzle, seed) for seed, puzzle in enumerate(puzzles)]
    held = hits(made)
    assert len(held) > PUZZLES / 2, "mostly there is an estimate"
    assert covers(held, at_least=world_sample.RATE, among=AMONG)
    narrow = [one.high - one.low for one, true in filter(None, made) if one and 0.1 < true < 0.9]
    assert np.median(narrow) < 0.1, "they say something"


def test_a_join_that_is_ignored_is_noticed() -> None:
    """Without the second release intervals are wrong more often than one in twenty."""
    made = []
    for seed in range(PUZZLES):
        puzzle = crowded(seed, people=5)
        given, _ = knowledge(puzzle)
        if len(given.shown) > 1:
            made.append(one_each(puzzle, seed, known=replace(given, shown=given.shown[:1])))
    assert not covers(hits(made), at_least=world_sample.RATE, among=AMONG)


@pytest.mark.slow
def test_a_count_that_is_ignored_is_noticed() -> None:
    """As if every record were there twice."""
    made = []
    for seed in range(PUZZLES):
        puzzle = crowded(seed, people=5)
        given, _ = knowledge(puzzle)
        doubled = tuple(
            replace(
                one, listed=False, histogram=replace(one.histogram, counts=2 * one.histogram.counts)
            )
            for one in given.shown
        )
        made.append(one_each(puzzle, seed, known=replace(given, shown=doubled)))
    assert not covers(hits(made), at_least=world_sample.RATE, among=AMONG)


@pytest.mark.slow
def test_weights_that_are_ignored_are_noticed() -> None:
    made = []
    for seed in range(1000):
        puzzle = drawn(seed)
        if puzzle.weights is not None and len(made) < PUZZLES:
            given, _ = knowledge(puzzle)
            made.append(one_each(puzzle, seed, known=replace(given, weights=None)))
    assert not covers(hits(made), at_least=world_sample.RATE, among=AMONG)


def test_records_that_are_alike_count_as_often() -> None:
    """One person, three records with flu and one with gout: not one half each."""
    known = Knowledge.of_groups([[[3, 1]]], [[[0]]], listed=False)
    found = sample(known, _nothing(known), [0], steps=400_000).belief(0, [0])
    assert found is not None
    assert 0.5 < found.low < 0.75 < found.high


def _nothing(known: Knowledge) -> CountBounds:
    """Bounds that prove nothing, so that the chain has to find out."""
    people = np.repeat(known.people[:, None], known.values, axis=1)
    return CountBounds(np.zeros_like(people), people, known.people)


def ring(people: int = 6) -> Knowledge:
    """Each shares one group of flu and gout with the next by age, and one with the last by place.

    There are two worlds: every other person has flu. No exchange of two people, and none of two
    pairs, leads from one to the other.
    """
    half = people // 2
    by_age = [[i // 2] for i in range(people)]
    by_place = [[(i + 1) % people // 2] for i in range(people)]
    return Knowledge.of_groups([[[1, 1]] * half, [[1, 1]] * half], [by_age, by_place])


@pytest.mark.parametrize("people", [6, 8, 10])
def test_worlds_that_no_exchange_connects_are_both_visited(people: int) -> None:
    known = ring(people)
    exact = beliefs(known)
    assert exact is not None
    assert exact.worlds == 2
    found = sample(known, bounds(known), [0], steps=800_000)
    belief = found.belief(0, [0])
    assert belief is not None
    assert 0.35 < belief.low < 0.5 < belief.high < 0.65
    assert found.visits > 100


def test_a_chain_that_stays_among_worlds_that_fit_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half of the chains see one world, half the other: no estimate, or a wide one."""
    warm = WorldChain.warm

    def stuck(self: WorldChain, steps: int) -> bool:
        found = warm(self, steps)
        self.weight[:] = -1e9 * np.arange(len(self.weight))
        while self.state.misfit[0]:
            self.run(1_000, np.zeros(0, np.int64))
        return found

    monkeypatch.setattr(WorldChain, "warm", stuck)
    known = ring(6)
    for seed in range(5):
        found = sample(known, bounds(known), [0], seed=seed, steps=80_000)
        assert found.visits == 0
        belief = found.belief(0, [0])
        assert belief is None or belief.high - belief.low > 0.35


def test_every_state_is_reached_from_every_other() -> None:
    """By changes of one person at a time, on all states of a small component."""
    known = Knowledge.of_groups(
        [[[1, 1], [1, 0]]], [[[0], [0, 1], [1]]], people=[1, 1, 1], sure=False
    )
    board = board_of(known, np.ones((3, 2), np.bool_))
    chain = WorldChain.begin(board, np.random.default_rng(1))
    chain.weight[:] = 0
    chain.slope = 0.0
    seen = set()
    for _ in range(4_000):
        chain.run(3, np.zeros(0, np.int64))
        seen.add((*chain.state.value.tolist(), *chain.state.group.ravel().tolist()))
    # Two values each; the first and the last may be in one group or none, the second in two.
    assert len(seen) == 2**3 * 2 * 3 * 2
    # How often each record is used is kept right on the way.
    used = np.zeros_like(chain.state.used)
    for person in range(3):
        group = chain.state.group[person, 0]
        if group >= 0:
            used[group * board.width[0] + chain.state.value[person]] += 1
    assert used.tolist() == chain.state.used.tolist()
    misfit = np.maximum(used - board.records, 0) + board.listed * np.maximum(
        board.records - used, 0
    )
    assert int(misfit.sum()) == int(chain.state.misfit[0])


def test_an_urn_is_drawn_from() -> None:
    known = replace(
        Knowledge.of_groups([[[4, 4]]], [[[0], [0]]], people=[1, 2], listed=False),
        urn=(Fraction(3), Fraction(1)),
    )
    exact = beliefs(known)
    assert exact is not None
    found = sample(known, bounds(known), [0, 1], steps=800_000)
    for kind in (0, 1):
        belief = found.belief(kind, [0])
        assert belief is not None
        assert belief.low < float(exact.shares[kind][0]) < belief.high
        assert belief.high - belief.low < 0.1


def test_where_no_world_fits_nothing_is_said() -> None:
    known = Knowledge.of_groups([[[1, 1]], [[2, 0]]], [[[0]], [[0]]], people=[2])
    found = sample(known, bounds(known), [0], steps=STEPS)
    assert found.failure == "no world fits"
    assert found.belief(0, [0]) is None
    found = sample(known, _nothing(known), [0], steps=STEPS)
    assert found.failure is not None
    assert f"{CHAINS} of {CHAINS} chains" in found.failure


def test_the_seed_says_it_all() -> None:
    known = ring(6)
    first, again, other = (
        sample(known, bounds(known), [0], seed=seed, steps=80_000).share for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)


def test_an_interval_holds_as_often_as_it_says() -> None:
    """Chains of independent draws, rare values too."""
    rng = np.random.default_rng(1)
    held = []
    for share in (0.01, 0.2, 0.5):
        draws = rng.binomial(50, share, (2_000, CHAINS)) / 50
        for chain in draws:
            each = np.stack((chain, 1 - chain), axis=1)
            low, high = interval(chain, fewest=world_sample._independent(each))
            held.append(low <= share <= high)
    assert covers(held, at_least=world_sample.RATE, among=AMONG)
