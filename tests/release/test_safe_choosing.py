"""Scores of recodings: no person moves one by more than is claimed, and none the wrong way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import adult, cells_of, flat

from hedgerow.base.errors import HedgerowError
from hedgerow.noise.sampling.pipeline import SafeAnonymisation
from hedgerow.noise.sampling.private_choice import WORTH, Ramp, RecodingScores, choose, walk
from hedgerow.recode.lattice import Lattice
from hedgerow.release.safe.lattice_candidates import NodeScores, worths
from hedgerow.table.hierarchy import Hierarchy

LETTERS = Hierarchy.of(
    "letter", [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]
)
SEX = flat("sex", ["F", "M"])
people = st.tuples(st.sampled_from("abcd"), st.sampled_from("FM"))


def scores(
    table: Sequence[tuple[str, str]], scoring: RecodingScores, row: str
) -> dict[object, int]:
    cells = cells_of(list(table), [LETTERS, SEX])
    found = NodeScores(Lattice.of(cells), scoring, row=row)
    return dict(zip(*found.all, strict=True))


@given(st.lists(people, min_size=1, max_size=25), people, st.integers(0, 6), st.integers(2, 5),
       st.sampled_from(["0", "0.25", "1"]))  # fmt: skip
def test_one_person_more_moves_every_score_a_little_and_up(
    table: list[tuple[str, str]], one: tuple[str, str], start: int, steep: int, row: str
) -> None:
    scoring = RecodingScores(ramp=Ramp(start=start, steep=steep))
    before, after = (scores(t, scoring, row) for t in (table, [*table, one]))
    assert before.keys() == after.keys()
    assert len(before) == 6
    assert all(0 <= after[node] - before[node] <= scoring.sensitivity for node in before)


def test_the_sensitivity_is_met() -> None:
    scoring = RecodingScores(ramp=Ramp(start=3))
    before, after = scoring.score([4], [WORTH]), scoring.score([5], [WORTH])
    assert (before, after) == (4 * WORTH, 5 * WORTH)
    assert scoring.score([4], [WORTH]) - scoring.score([3], [WORTH]) == scoring.sensitivity


def test_the_mechanism_has_the_claimed_loss() -> None:
    scoring = RecodingScores(ramp=Ramp(start=3))
    mechanism = scoring.mechanism("0.1")
    assert mechanism.monotone
    assert mechanism.scale == WORTH * 40
    assert mechanism.privacy_map(scoring.sensitivity).epsilon <= 0.1


def test_worths_are_granularities() -> None:
    """Letters: 1, (1 - 1/2) / (1 - 1/4) = 2/3, 0; sex: 1, 0; half of WORTH for each column."""
    found = worths([LETTERS, SEX])
    assert [level.tolist() for level in found[0]] == [[500] * 4, [333] * 2, [0]]
    assert [level.tolist() for level in found[1]] == [[500] * 2, [0]]
    assert worths([SEX], row="0.5")[0][1].tolist() == [500]
    nine = worths([LETTERS] * 9, row="0.3")
    assert sum(max(int(level.max()) for level in column) for column in nine) <= WORTH
    with pytest.raises(HedgerowError, match="at most 1"):
        worths([SEX], row=2)


def test_a_ramp_rises_around_the_threshold() -> None:
    ramp = Ramp.around(k=100, beta="0.8")
    n = np.arange(400)
    shown = ramp(n)
    assert (np.diff(shown) >= 0).all()
    assert (np.diff(shown) <= ramp.steep).all()
    assert shown[90] == 0
    assert shown[200] == 200
    assert 40 < shown[125] < 90


@pytest.mark.parametrize(
    ("sizes", "worth"),
    [([1.5], [1]), ([1], [WORTH + 1]), ([-1], [1]), ([1], [-1]), ([1, 2], [1]), ([2**60], [1])],
)
def test_wrong_groups_are_refused(sizes: list[float], worth: list[int]) -> None:
    with pytest.raises(HedgerowError):
        RecodingScores(ramp=Ramp(start=3)).score(sizes, worth)


def test_candidates_of_a_walk_do_not_depend_on_scores() -> None:
    """Given the same choices, other data show the same candidates in the same order."""
    cells = cells_of([("a", "F")] * 5, [LETTERS, SEX])
    lattice = Lattice.of(cells)
    scoring = RecodingScores(ramp=Ramp(start=3))
    nodes = NodeScores(lattice, scoring)
    seen: list[list[object]] = []
    for sign in (1, -1):
        asked: list[object] = []

        def score(node: object, sign: int = sign, asked: list[object] = asked) -> int:
            asked.append(node)
            return 1000 * sign * len(asked)

        class First:
            def release(self, scores: np.ndarray) -> int:
                return 0

        scoring_first = RecodingScores(ramp=Ramp(start=3))
        object.__setattr__(scoring_first, "mechanism", lambda choice: First())
        found = walk(
            lattice.top, beside=nodes.beside, score=score, scoring=scoring_first, choice=1, steps=3
        )
        assert found == lattice.top
        seen.append(asked)
    assert seen[0] == seen[1]
    assert len(seen[0]) == len(set(seen[0])) == 6


def test_a_walk_makes_no_more_choices_than_are_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Counting:
        def release(self, scores: np.ndarray) -> int:
            made.append(len(scores))
            return len(scores) - 1

    monkeypatch.setattr(RecodingScores, "mechanism", lambda self, choice: Counting())
    walk(0, beside=lambda n: [n - 1, n + 1], score=lambda n: n,
         scoring=RecodingScores(ramp=Ramp(start=1)), choice="0.1", steps=7)  # fmt: skip
    assert len(made) == 8


def test_the_best_node_is_chosen_with_much_to_spend() -> None:
    table = [(letter, sex) for letter in "ab" for sex in "FM"] * 20
    scoring = RecodingScores(ramp=Ramp(start=10))
    cells = cells_of(table, [LETTERS, SEX])
    nodes = NodeScores(Lattice.of(cells), scoring)
    chosen = nodes.all[0][choose(nodes.all[1], scoring=scoring, choice=100)]
    assert chosen == (0, 0)
    walked = walk(nodes.lattice.top, beside=nodes.beside, score=nodes.score, scoring=scoring,
                  choice=100, steps=4)  # fmt: skip
    assert walked == (0, 0)


def test_adult_loses_under_ten_thousand_rows() -> None:
    """30,162 rows, nine quasi-identifiers, epsilon 1, delta 1e-6 for the choice and all else."""
    nine = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
            "occupation", "salary-class"]  # fmt: skip
    cells = adult(nine)
    safe = SafeAnonymisation.keeping(beta="0.9", epsilon=1, delta="1e-6", choice="0.1")
    scoring = RecodingScores(ramp=Ramp.around(k=safe.k, beta=safe.beta))
    nodes = NodeScores(Lattice.of(cells), scoring, row="0.2")
    chosen = nodes.all[0][choose(nodes.all[1], scoring=scoring, choice=safe.choice)]
    frequency = nodes.lattice.roll_up(nodes.lattice.base, chosen)
    kept = safe.release(frequency.groups.n)
    assert 30_162 - kept.sum() < 10_000
    worth = worths(cells.hierarchies)
    codes = nodes.lattice.layout.unpack(frequency.words)
    told = sum(worth[j][level][codes[:, j]] for j, level in enumerate(chosen))
    assert kept @ told / 30_162 / WORTH > 0.40, "not by publishing nothing about everybody"
