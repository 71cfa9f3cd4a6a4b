"""Counted beliefs are those of plain enumeration, in rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from puzzle_knowledge import knowledge
from record_worlds import believed, drawn, worlds

from hedgerow.claims.worlds.belief import believed as everybody
from hedgerow.claims.worlds.bounds import bounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge

DRAWS = 400


@pytest.mark.parametrize("seed", range(DRAWS))
def test_beliefs_are_those_of_all_worlds(seed: int) -> None:
    puzzle = drawn(seed)
    held, kind = knowledge(puzzle)
    total, wanted = believed(puzzle)
    found = beliefs(held)
    assert found is not None
    assert found.worlds == total
    for person, k in enumerate(kind):
        assert list(found.shares[k]) == wanted[person]


def test_one_person_and_one_group() -> None:
    """Whoever knows one person believes in flu as often as it is in the group."""
    one = Knowledge.of_groups([[[3, 7]]], [[[0]]], listed=False)
    found = beliefs(one)
    assert found is not None
    assert found.shares == ((Fraction(3, 10), Fraction(7, 10)),)


def test_large_components_are_given_up() -> None:
    many = Knowledge.of_groups([[[9] * 9]], [[[0]] * 9], people=[9] * 9)
    assert beliefs(many, moves=1000) is None


def test_large_kinds_are_no_obstacle() -> None:
    found = beliefs(Knowledge.of_groups([[[4000, 1000]]], [[[0], [0]]], people=[4999, 1]))
    assert found is not None
    assert found.shares[1] == (Fraction(4, 5), Fraction(1, 5))


@pytest.mark.parametrize("seed", range(DRAWS))
def test_bounds_contain_every_world(seed: int) -> None:
    puzzle = drawn(seed, releases=3)
    held, kind = knowledge(puzzle)
    found = bounds(held)
    for values, _ in worlds(puzzle):
        for k in range(held.kinds):
            mine = [value for value, mine in zip(values, kind, strict=True) if mine == k]
            for value in range(held.values):
                assert found.least[k, value] <= mine.count(value) <= found.most[k, value]


def test_bounds_are_often_exact() -> None:
    """Else they would be of no use: of values that are impossible, most are found to be so."""
    impossible, found = 0, 0
    for seed in range(DRAWS):
        puzzle = drawn(seed)
        held, kind = knowledge(puzzle)
        total, wanted = believed(puzzle)
        most = bounds(held).most
        for person, k in enumerate(kind):
            for value in range(held.values):
                if total and wanted[person][value] == 0 and puzzle.weights is None:
                    impossible += 1
                    found += most[k, value] == 0
    assert found > 0.9 * impossible > 100


@pytest.mark.parametrize("seed", range(0, DRAWS, 10))
def test_a_component_alone_says_the_same(seed: int) -> None:
    held, _ = knowledge(drawn(seed))
    whole, part = beliefs(held), held.components()
    assert whole is not None
    for component in range(int(part.max()) + 1):
        kinds = np.flatnonzero(part == component)
        alone = beliefs(held.take(kinds))
        assert alone is not None
        if whole.worlds:
            assert alone.shares == tuple(whole.shares[k] for k in kinds.tolist())


@pytest.mark.parametrize("moves", [0, 30, 100_000])
@pytest.mark.parametrize("seed", range(0, DRAWS, 10))
def test_what_is_believed_is_counted_or_bounded(seed: int, moves: int) -> None:
    held, kind = knowledge(puzzle := drawn(seed))
    total, wanted = believed(puzzle)
    found = everybody(held, moves=moves)
    assert found.exact.all() or moves < 100_000
    for person, k in enumerate(kind):
        assert total or found.exact[k] <= found.contradicted.any()
        for value in range(held.values):
            least, most = found.between(k, value)
            assert least <= wanted[person][value] <= most or not total
            assert least == most or not found.exact[k]
