"""Counted beliefs are those of plain enumeration, in rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from record_worlds import Puzzle, believed, drawn, worlds

from hedgerow.claims.worlds.belief import believed as everybody
from hedgerow.claims.worlds.bounds import bounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Histogram
from hedgerow.table.location import Located

DRAWS = 400


def knowledge(puzzle: Puzzle) -> tuple[Knowledge, list[int]]:
    """The same puzzle, people who fit the same put together; and the kind of each person."""
    said = [
        (
            *((release.fits[i], release.sure[i]) for release in puzzle.releases),
            None if puzzle.weights is None else puzzle.weights[i],
        )
        for i in range(puzzle.people)
    ]
    kinds = list(dict.fromkeys(said))
    kind = [kinds.index(one) for one in said]
    first = [kind.index(k) for k in range(len(kinds))]
    shown = []
    for release in puzzle.releases:
        groups = max([g for g, _ in release.records], default=-1) + 1
        groups = max([groups, *(g + 1 for fits in release.fits for g in fits)])
        table = np.zeros((groups, max(release.looks) + 1), np.int64)
        for g, look in release.records:
            table[g, look] += 1
        owner, codes = np.nonzero(table)
        indptr = np.searchsorted(owner, np.arange(groups + 1)).astype(np.int64)
        histogram = Histogram(indptr, codes.astype(np.int32), table[owner, codes])
        fits = [sorted(release.fits[i]) for i in first]
        start = np.concatenate(([0], np.cumsum([len(one) for one in fits]))).astype(np.int64)
        located = Located(start, np.array([g for one in fits for g in one], np.int64))
        sure = np.array([release.sure[i] for i in first], np.bool_)
        shown.append(
            Shown(histogram, np.array(release.looks, np.int64), located, sure, release.listed)
        )
    weights = None if puzzle.weights is None else tuple(puzzle.weights[i] for i in first)
    many = np.bincount(kind, minlength=len(kinds)).astype(np.int64)
    return Knowledge(many, puzzle.values, tuple(shown), weights), kind


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
