"""Beliefs of people with several rows are those of all worlds of rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from puzzle_knowledge import knowledge
from record_worlds import drawn, worlds

from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.claims.worlds.several_rows import person_belief, rows_belief

SEEDS = range(200)


@pytest.mark.parametrize("moves", [0, 100_000])
@pytest.mark.parametrize("seed", SEEDS)
def test_one_of_several_rows_has_a_value(seed: int, moves: int) -> None:
    """Rows 0, 2 and 4 are Ann's, wherever each of them fits."""
    puzzle = drawn(seed)
    held, kind = knowledge(puzzle)
    mine = [row for row in (0, 2, 4) if row < puzzle.people]
    rows = {k: sum(kind[row] == k for row in mine) for k in {kind[row] for row in mine}}
    found = rows_belief(held, rows, moves=moves)
    total, having = Fraction(0), [Fraction(0)] * puzzle.values
    for values, ways in worlds(puzzle):
        total += ways
        for value in {values[row] for row in mine}:
            having[value] += ways
    assert total, "it was drawn from a world"
    assert not found.contradicted
    for (least, most), ways in zip(found.having, having, strict=True):
        assert least <= ways / total <= most
        assert moves == 0 or least == most
    assert moves == 0 or found.exact


def test_bounds_are_of_use() -> None:
    """Where nothing is counted, one group still gives the share by drawing without replacement."""
    five = Knowledge.of_groups([[[2, 3]]], [[[0]]], people=[5])
    found = rows_belief(five, {0: 2}, moves=0)
    assert found == rows_belief(five, {0: 2})
    assert found.having[0] == (Fraction(7, 10),) * 2


def test_several_values_may_be_one_sensitive_value() -> None:
    """Values 0 and 2 are flu, with two bills. The belief in either is not their sum."""
    four = Knowledge.of_groups([[[1, 2, 1]]], [[[0]]], people=[4])
    found = rows_belief(four, {0: 2}, of=np.array([0, 1, 0]))
    assert found.having[0] == (Fraction(5, 6),) * 2
    assert [low for low, _ in rows_belief(four, {0: 2}).having[::2]] == [Fraction(1, 2)] * 2


def test_rows_in_several_components() -> None:
    """Each of two rows shows flu in one of two cases, apart from each other."""
    apart = Knowledge.of_groups([[[1, 1], [1, 1]]], [[[0], [1]]], people=[2, 2])
    assert rows_belief(apart, {0: 1, 1: 1}).having[0] == (Fraction(3, 4),) * 2


def test_contradictions() -> None:
    """Five rows, and four records; and a value that is certain elsewhere does not hide it."""
    apart = Knowledge.of_groups([[[2, 2], [0, 1]]], [[[0], [1]]], people=[5, 1])
    for moves in (0, 100_000):
        found = rows_belief(apart, {0: 1, 1: 1}, moves=moves)
        assert found.contradicted
        assert found.having == ((0, 0), (0, 0))


def drawn_rows(records: list[list[int]], fits: list[int], many: int) -> list[tuple[int, ...]]:
    """All sets of so many records of the groups that fit; a record is a group and a value."""
    mine = [v for g in fits for v, count in enumerate(records[g]) for _ in range(count)]
    return [tuple(sorted(chosen)) for chosen in combinations(mine, many)]


RELEASES = [
    ([[2, 1, 0], [1, 3, 1]], [0]),
    ([[2, 1, 0], [1, 3, 1]], [0, 1]),
    ([[4, 2, 1], [0, 0, 2]], [0, 1]),
]


@pytest.mark.parametrize("many", [1, 2, 3])
@pytest.mark.parametrize(("records", "fits"), RELEASES)
def test_one_known_person_and_one_release(
    records: list[list[int]], fits: list[int], many: int
) -> None:
    held = Knowledge.of_groups([records], [[fits]], listed=False)
    sets = drawn_rows(records, fits, many)
    for same in (False, True):
        found = person_belief(held.shown, 3, (many, many), same=same)
        for value, between in enumerate(found.having):
            having = sum(value in chosen for chosen in sets)
            assert between == (Fraction(having, len(sets)),) * 2


@pytest.mark.parametrize("many", [1, 2, 3])
@pytest.mark.parametrize(("one", "other"), [*product(RELEASES, repeat=2)])
def test_one_known_person_and_two_releases(
    one: tuple[list[list[int]], list[int]], other: tuple[list[list[int]], list[int]], many: int
) -> None:
    """Rows of their own in each: any two sets. The same rows: those that show the same values."""
    held = Knowledge.of_groups([one[0], other[0]], [[one[1]], [other[1]]], listed=False)
    pairs = list(product(drawn_rows(*one, many), drawn_rows(*other, many)))
    found = person_belief(held.shown, 3, (many, many), same=False)
    for value, between in enumerate(found.having):
        having = sum(value in a + b for a, b in pairs)
        assert between == (Fraction(having, len(pairs)),) * 2
    # A row of hers is one record in each release, so two rows with flu can be told in two ways.
    weight = {values: matched(values) for values, _ in pairs}
    alike = [(a, weight[a]) for a, b in pairs if a == b]
    total = sum(ways for _, ways in alike)
    found = person_belief(held.shown, 3, (many, many), same=True)
    assert found.contradicted == (not total)
    for value, between in enumerate(found.having):
        having = sum(ways for a, ways in alike if value in a)
        assert not total or between == (Fraction(having, total),) * 2


def matched(values: tuple[int, ...]) -> int:
    """In how many ways records of one release are those of another that show the same."""
    places = range(len(values))
    found = 0
    for order in product(places, repeat=len(values)):
        same = all(values[i] == values[j] for i, j in zip(places, order, strict=True))
        found += same and len(set(order)) == len(values)
    return found


@pytest.mark.parametrize("same", [False, True])
def test_an_unknown_number_of_rows(same: bool) -> None:
    """Between what it is for one row and for another number, whatever is likely of them."""
    records = [[[2, 1, 0], [1, 3, 1]], [[4, 2, 1], [0, 0, 2]]]
    held = Knowledge.of_groups(records, [[[0, 1]], [[0]]], listed=False)
    each = [person_belief(held.shown, 3, (n, n), same=same) for n in range(1, 4)]
    found = person_belief(held.shown, 3, (1, 3), same=same)
    for value, (least, most) in enumerate(found.having):
        assert least == min(one.having[value][0] for one in each)
        assert most == max(one.having[value][1] for one in each)
    assert not found.exact


def test_a_release_may_have_fewer_records_than_rows_at_most() -> None:
    held = Knowledge.of_groups([[[1, 1]]], [[[0]]], listed=False)
    for same in (False, True):
        found = person_belief(held.shown, 2, (1, 5), same=same)
        assert found.having == ((Fraction(1, 2), Fraction(1)),) * 2


def test_a_release_that_does_not_fit_says_nothing() -> None:
    held = Knowledge.of_groups([[[1, 1]], [[5, 0]]], [[[0]], [[]]], listed=False)
    for same in (False, True):
        found = person_belief(held.shown, 2, (1, 1), same=same)
        assert found.having == ((Fraction(1, 2),) * 2,) * 2


@pytest.mark.parametrize("same", [False, True])
def test_values_that_look_alike(same: bool) -> None:
    """Of a row that shows flu or cold, half are flu."""
    held = Knowledge.of_groups([[[3, 2]], [[1, 2]]], [[[0]], [[0]]], listed=False)
    coarse = tuple(replace(one, looks=np.array([0, 0, 1])) for one in held.shown)
    for many in (1, 2):
        found = person_belief(coarse, 3, (many, many), same=same)
        worlds = [
            (values, ways)
            for values in product(range(3), repeat=many * (1 if same else 2))
            if (ways := told(values, many, same))
        ]
        for value in range(3):
            having = sum(ways for values, ways in worlds if value in values)
            wanted = Fraction(having, sum(ways for _, ways in worlds))
            assert found.having[value] == (wanted, wanted)


def told(values: tuple[int, ...], many: int, same: bool) -> int:
    """In how many ways rows with these values have records: of 3 and 2, then of 1 and 2."""
    found = 1
    for r, records in enumerate([(3, 2), (1, 2)]):
        mine = values if same else values[r * many : (r + 1) * many]
        left = list(records)
        for value in mine:
            found *= left[value // 2]
            left[value // 2] -= 1
    return found


@pytest.mark.parametrize("seed", range(60))
def test_drawing_is_counting(seed: int) -> None:
    """One person is drawn for by a formula; the list of nobody else is counted."""
    random = Random(seed)
    groups = [[[random.randrange(4) for _ in range(4)] for _ in range(2)] for _ in range(2)]
    held = Knowledge.of_groups(groups, [[[0]], [[0, 1]]], listed=False)
    many, of = random.randint(1, 4), np.array([0, 1, 1, 2])
    counted = rows_belief(replace(held, people=np.array([many])), {0: many}, of=of)
    assert person_belief(held.shown, 4, (many, many), same=True, of=of) == counted
