"""Bounds by linear programming contain every world, whatever the solver says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from puzzle_knowledge import crowded, knowledge
from record_worlds import Puzzle, drawn, worlds

from hedgerow.claims.worlds import transport
from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.bounds import CountBounds, bounds
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.claims.worlds.polytope import UNIT, Polytope, RecordTotals
from hedgerow.claims.worlds.transport import tightened
from hedgerow.table.groups import Ints

SEEDS = range(120)


def puzzles(seed: int) -> list[Puzzle]:
    return [drawn(seed, releases=3), crowded(seed, people=6)]


def whole(held: Knowledge) -> Polytope:
    """Of all kinds."""
    found = bounds(held)
    totals = [RecordTotals.of(one, found) for one in held.shown]
    return Polytope.of(held, found, totals, np.arange(held.kinds))


def counts(puzzle: Puzzle, held: Knowledge, kind: list[int]) -> tuple[Ints, Ints] | None:
    """The fewest and the most of each kind who have each value, in all worlds."""
    fewest, most = None, None
    for values, _ in worlds(puzzle):
        table = np.zeros((held.kinds, held.values), np.int64)
        np.add.at(table, (kind, list(values)), 1)
        fewest = table if fewest is None else np.minimum(fewest, table)
        most = table if most is None else np.maximum(most, table)
    return None if fewest is None or most is None else (fewest, most)


def wrong(seed: int) -> bool:
    """Whether a bound of some puzzle leaves out a world."""
    for puzzle in puzzles(seed):
        held, kind = knowledge(puzzle)
        truth = counts(puzzle, held, kind)
        found = tightened(held, bounds(held), range(held.kinds))
        if truth and ((found.least > truth[0]).any() or (found.most < truth[1]).any()):
            return True
    return False


def loose(seed: int) -> int:
    """How many bounds are not the fewest or the most of all worlds."""
    total = 0
    for puzzle in puzzles(seed):
        held, kind = knowledge(puzzle)
        truth = counts(puzzle, held, kind)
        found = tightened(held, bounds(held), range(held.kinds))
        if truth:
            total += int((found.least < truth[0]).sum() + (found.most > truth[1]).sum())
    return total


@pytest.mark.parametrize("seed", SEEDS)
def test_tighter_bounds_contain_every_world(seed: int) -> None:
    assert not wrong(seed)


def test_they_are_tighter_and_nearly_always_exact() -> None:
    """Where going round leaves a bound loose, a program closes it."""
    before = after = 0
    for seed in SEEDS[:50]:
        for puzzle in puzzles(seed):
            held, kind = knowledge(puzzle)
            wide, truth = bounds(held), counts(puzzle, held, kind)
            found = tightened(held, wide, range(held.kinds))
            assert (found.least >= wide.least).all()
            assert (found.most <= wide.most).all()
            if truth:
                before += int((wide.least < truth[0]).sum() + (wide.most > truth[1]).sum())
                after += int((found.least < truth[0]).sum() + (found.most > truth[1]).sum())
    assert before > 20
    assert after <= 2


def test_any_multipliers_prove_something_true() -> None:
    """The proof does not rest on the solver: nonsense gives loose bounds, not wrong ones."""
    random, tried = np.random.default_rng(7), 0
    for seed in range(20):
        for puzzle in puzzles(seed):
            held, kind = knowledge(puzzle)
            truth, found = counts(puzzle, held, kind), bounds(held)
            if truth is None:
                continue
            polytope = whole(held)
            for k, v in np.argwhere(found.most > 0).tolist():
                for scale in (0.02, 1.0):
                    units = random.normal(size=len(polytope.right)) * scale * UNIT
                    multipliers = np.rint(units).astype(np.int64)
                    most = polytope.proven(k, v, 1, multipliers)
                    least = polytope.proven(k, v, -1, multipliers)
                    assert most is not None
                    assert least is not None
                    assert -least <= truth[0][k, v] <= truth[1][k, v] <= most
                    tried += 1
    assert tried > 200


def test_a_flipped_sign_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes bounds loose, and never wrong."""
    solved = Polytope.solved

    def flipped(self: Any, kind: int, value: int, sign: int) -> Any:
        found = solved(self, kind, value, sign)
        return None if found is None else (found[0], -found[1])

    seeds = [seed for seed in range(16) if wide_before(seed)]
    assert sum(map(loose, seeds)) == 0
    monkeypatch.setattr(Polytope, "solved", flipped)
    assert not any(map(wrong, seeds))
    assert sum(map(loose, seeds)) > 3


def wide_before(seed: int) -> bool:
    for puzzle in puzzles(seed):
        held, _ = knowledge(puzzle)
        wide = bounds(held)
        found = tightened(held, wide, range(held.kinds))
        if (found.most < wide.most).any() or (found.least > wide.least).any():
            return True
    return False


def test_rounding_towards_us_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor may a row that is at most something have a multiplier below 0."""
    proven = Polytope.proven

    def rounded(self: Any, *asked: Any) -> int | None:
        found = proven(self, *asked)
        return None if found is None else found - 1

    monkeypatch.setattr(Polytope, "proven", rounded)
    monkeypatch.setattr(transport._Reached, "idle", lambda *_: False)
    assert any(map(wrong, range(10)))


def test_sums_that_are_too_large_prove_nothing() -> None:
    held = Knowledge.of_groups([[[3, 7]]], [[[0], [0]]], people=[4, 6])
    polytope = whole(held)
    huge = np.full(len(polytope.right), 2**60, np.int64)
    assert polytope.proven(0, 0, 1, huge) is None


def flus() -> Knowledge:
    """The second flu is Bob's, as nobody else fits it."""
    groups = [[[1, 0], [1, 0], [0, 2]]]
    return Knowledge.of_groups(groups, [[[2], [1, 2], [0, 2]]], people=[1, 1, 2])


def test_only_what_may_be_above_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    held, asked = flus(), []
    solved = Polytope.solved

    def noted(self: Any, kind: int, value: int, sign: int) -> Any:
        asked.append((kind, value, sign))
        return solved(self, kind, value, sign)

    monkeypatch.setattr(Polytope, "solved", noted)
    tightened(held, bounds(held), [0, 1, 2], above=Fraction(1, 2))
    assert asked
    assert {sign for _, _, sign in asked} == {1}
    assert {kind for kind, _, _ in asked} == {1}, "of the third kind half may have flu at most"
    asked.clear()
    tightened(held, bounds(held), [])
    assert not asked


@pytest.mark.parametrize("variables", [0, 3, 8, 15, 30])
def test_the_nearest_are_enough_to_be_right(
    variables: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large component only a part is looked at, and the rest is what bounds say of it."""
    monkeypatch.setattr(transport, "MOST_VARIABLES", 0)
    monkeypatch.setattr(transport, "MOST_NEAR", variables)
    assert not any(map(wrong, SEEDS[:40]))


def test_more_neighbours_prove_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MOST_VARIABLES", 0)
    left = []
    for variables in (0, 15, 1000):
        monkeypatch.setattr(transport, "MOST_NEAR", variables)
        left.append(sum(map(loose, SEEDS[:30])))
    assert left[0] > left[1] > left[2] == 0


@pytest.mark.parametrize("limit", ["MOST_PROGRAMS", "MOST_WORK"])
def test_beyond_the_limits_bounds_stay(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held = flus()
    wide = bounds(held)
    monkeypatch.setattr(transport, limit, 0)
    found = tightened(held, wide, [1])
    assert np.array_equal(found.most, wide.most)


def test_contradictions_are_left_as_they_are() -> None:
    """Two people have one flu, and one gout that fits nobody of them."""
    held = Knowledge.of_groups([[[1, 0], [0, 1]]], [[[0], [0]]], people=[1, 1])
    found = tightened(held, bounds(held), [0, 1])
    assert isinstance(found, CountBounds)


def test_who_is_asked_about_gets_them() -> None:
    held = flus()
    assert believed(held, moves=0).between(1, 1) == (0, 1)
    assert believed(held, moves=0, asked=[1]).between(1, 1) == (0, 0)
    assert believed(held, moves=0, asked=[1]).between(1, 0) == (1, 1)
    assert believed(held, asked=[1]).exact.all()


def test_bounds_that_cross_contradict() -> None:
    crossed = CountBounds(np.array([[1, 1]]), np.array([[1, 0]]), np.array([1]))
    assert crossed.contradicted
