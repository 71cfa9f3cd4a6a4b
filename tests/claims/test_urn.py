"""Beliefs with an urn are those of all worlds, each as likely as the urn makes it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from puzzle_knowledge import knowledge
from record_worlds import Puzzle, drawn
from record_worlds import worlds as fitting
from worlds import finite, worlds

from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.bounds import bounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.claims.worlds.several_rows import rows_belief

URNS = [finite(1, 1, 1), finite(5, "1/2", 2), finite("1/10", 30, 1)]
SEEDS = range(150)


def enumerated(puzzle: Puzzle, seed: int) -> tuple[tuple[Fraction, ...], list[list[Fraction]]]:
    """The balls; and people by values, the belief."""
    kind, balls = URNS[seed % 3]
    balls = balls[: puzzle.values]
    likely = worlds((kind, balls), puzzle.people)
    total, found = Fraction(0), [[Fraction(0)] * puzzle.values for _ in range(puzzle.people)]
    for values, ways in fitting(puzzle):
        total += ways * likely[values]
        for person, value in enumerate(values):
            found[person][value] += ways * likely[values]
    return balls, [[share / total for share in person] for person in found]


@pytest.mark.parametrize("seed", SEEDS)
def test_beliefs_are_those_of_all_worlds(seed: int) -> None:
    puzzle = drawn(seed)
    held, kind = knowledge(puzzle)
    balls, wanted = enumerated(puzzle, seed)
    found = beliefs(replace(held, urn=balls))
    assert found is not None
    everybody = believed(replace(held, urn=balls))
    for person, k in enumerate(kind):
        assert list(found.shares[k]) == wanted[person]
        assert [everybody.between(k, v)[0] for v in range(held.values)] == wanted[person]


@pytest.mark.parametrize("seed", SEEDS)
def test_bounds_hold_with_an_urn(seed: int) -> None:
    puzzle = drawn(seed)
    held, kind = knowledge(puzzle)
    balls, wanted = enumerated(puzzle, seed)
    found = believed(replace(held, urn=balls), moves=0, asked=range(held.kinds))
    limits = bounds(held)
    for person, k in enumerate(kind):
        for value in range(held.values):
            least, most = found.between(k, value)
            assert least <= wanted[person][value] <= most
            assert limits.belief(k, value)[0] <= least
            assert most <= limits.belief(k, value)[1]


def test_the_urn_says_something_where_people_may_be_absent() -> None:
    """Else the tests above would pass without it."""
    changed = 0
    for seed in SEEDS:
        held, _ = knowledge(drawn(seed))
        balls = URNS[1][1][: held.values]
        plain, urn = beliefs(held), beliefs(replace(held, urn=balls))
        assert plain is not None
        assert urn is not None
        changed += plain.shares != urn.shares
    assert changed > 30


def test_where_everybody_is_shown_all_worlds_are_equally_likely() -> None:
    """Two releases of the same five people, each a settled component or two."""
    groups = [[[2, 1], [1, 1]], [[1, 1], [2, 1]]]
    five = Knowledge.of_groups(groups, [[[0], [0], [1]], [[0], [1], [1]]], people=[2, 1, 2])
    plain = beliefs(five)
    for balls in ((Fraction(9), Fraction(1, 9)), (Fraction(1), Fraction(1))):
        urn = beliefs(replace(five, urn=balls))
        assert plain is not None
        assert urn is not None
        assert urn.shares == plain.shares
        assert [alone.urn for _, alone in replace(five, urn=balls).apart()] == [None]


def test_the_settled_teach_the_attacker_about_the_others() -> None:
    """Eight of ten people who are shown have flu. D(1, 1) expects it of somebody else: 9/12."""
    held = Knowledge.of_groups([[[8, 2]]], [[[0], []]], people=[10, 1])
    urn = beliefs(replace(held, urn=(Fraction(1), Fraction(1))))
    assert urn is not None
    assert urn.shares == ((Fraction(4, 5), Fraction(1, 5)), (Fraction(3, 4), Fraction(1, 4)))


def test_who_looks_alike_is_drawn() -> None:
    """Flu and cold look alike, and everybody is shown. Urn: flu three times as likely as cold."""
    two = Knowledge.of_groups([[[1, 1]]], [[[0]]], people=[2])
    coarse = replace(two, values=3, shown=(replace(two.shown[0], looks=np.array([0, 0, 1])),))
    found = beliefs(replace(coarse, urn=(Fraction(3), Fraction(1), Fraction(7))))
    assert found is not None
    assert found.shares == ((Fraction(3, 8), Fraction(1, 8), Fraction(1, 2)),)


def test_those_who_are_not_shown_are_drawn_from_one_urn() -> None:
    """Each of two apart is in a group with one record of two; who is unsure learns from both."""
    held = Knowledge.of_groups(
        [[[1, 0], [1, 0]]], [[[0], [1]]], people=[2, 2], listed=True, sure=False
    )
    balls = (Fraction(1), Fraction(3))
    assert len(list(held.apart())) == 2
    assert len(list(replace(held, urn=balls).apart())) == 1


@pytest.mark.parametrize("seed", range(60))
def test_rows_are_drawn_from_the_urn(seed: int) -> None:
    puzzle = drawn(seed)
    held, kind = knowledge(puzzle)
    mine = [row for row in (0, 1) if row < puzzle.people]
    rows = {k: sum(kind[row] == k for row in mine) for k in {kind[row] for row in mine}}
    balls = URNS[seed % 3][1][: puzzle.values]
    likely = worlds(("finite", balls), puzzle.people)
    total, having = Fraction(0), [Fraction(0)] * puzzle.values
    for values, ways in fitting(puzzle):
        total += ways * likely[values]
        for value in {values[row] for row in mine}:
            having[value] += ways * likely[values]
    found = rows_belief(replace(held, urn=balls), rows)
    bounded = rows_belief(replace(held, urn=balls), rows, moves=0)
    assert [least for least, _ in found.having] == [ways / total for ways in having]
    for (least, most), (low, high) in zip(bounded.having, found.having, strict=True):
        assert least <= low == high <= most


def test_an_empty_urn_is_refused() -> None:
    held = Knowledge.of_groups([[[1, 1]]], [[[0]]], people=[2])
    with pytest.raises(AssertionError, match="impossible to begin with"):
        replace(held, urn=(Fraction(0), Fraction(1)))
