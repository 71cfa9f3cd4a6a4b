"""What one row changes in a score, by brute force and in exact arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import PlanError
from hedgerow.learning.spaces import Feature
from hedgerow.learning.tree_splits import (
    LATTICE,
    SLACK,
    Criterion,
    SplitScores,
    branches_of,
    choice,
    splits_of,
)
from hedgerow.noise.measures import Pure
from hedgerow.table.domain import Bounds, Values

PROVED = [Criterion.MAX, Criterion.GINI, Criterion.INFORMATION_GAIN]


def gini(branch: tuple[int, ...]) -> Fraction:
    n = sum(branch)
    return -(n - Fraction(sum(c * c for c in branch), n)) if n else Fraction(0)


def gain(branch: tuple[int, ...]) -> float:
    with localcontext(prec=60):

        def h(x: int) -> Decimal:
            return x * Decimal(x).ln() / Decimal(2).ln() if x else Decimal(0)

        return float(sum(map(h, branch)) - h(sum(branch)))


def tables(most: int, cells: int) -> list[tuple[int, ...]]:
    return [t for t in product(range(most + 1), repeat=cells) if sum(t) <= most]


def more(table: tuple[int, ...], cell: int) -> tuple[int, ...]:
    return tuple(n + (i == cell) for i, n in enumerate(table))


def test_no_column_is_refused_for_its_type() -> None:
    """All missing makes a column of doubles, one text does not: nobody may be told by that."""
    jobs = Feature.of(Values(("clerk", "nurse")), cells=9)
    for others in ([math.nan] * 3, [1.0, 2.0, math.nan]):
        alone = np.array(others)
        beside = np.array([*others, "clerk"], object)
        assert alone.dtype.kind == "f"
        assert jobs.codes(alone).tolist() == [2, 2, 2]
        assert jobs.codes(beside).tolist() == [2, 2, 2, 0]


@pytest.mark.parametrize("classes", [2, 3])
def test_sensitivities_of_the_paper_by_brute_force(classes: int) -> None:
    """Under add-remove, a branch of at most 12 rows; and all in one direction."""
    ginis, gains, maxes = [], [], []
    for table in tables(11, classes):
        for cell in range(classes):
            after = more(table, cell)
            ginis.append(gini(after) - gini(table))
            gains.append(gain(after) - gain(table))
            maxes.append(max(after) - max(table))
    assert (min(maxes), max(maxes)) == (0, 1)
    assert max(ginis) == 0
    assert -2 < min(ginis) == -Fraction(2 * 11, 12)
    assert max(gains) <= 1e-12
    assert -min(gains) <= math.log2(12) + 1 / math.log(2)
    assert -min(gains) > math.log2(12), "the bound is not far off"


def test_the_largest_change_of_information_gain_with_80_rows() -> None:
    found = max(gain((n, 0)) - gain((n, 1)) for n in range(80))
    assert found == pytest.approx(7.7556, abs=5e-4)
    claimed = SplitScores.of(Criterion.INFORMATION_GAIN, most=80).sensitivity
    assert found * LATTICE <= claimed <= 7.7826 * LATTICE + SLACK + 1


@pytest.mark.parametrize("criterion", PROVED)
@pytest.mark.parametrize("most", [1, 5, 1000])
def test_scores_as_computed_keep_the_claim(criterion: Criterion, most: int) -> None:
    """All tables of two attributes, two classes and up to five rows; M too small, or not."""
    scoring = SplitScores.of(criterion, most=most)
    worst = 0
    for table in tables(3, 8):
        for cell in range(8):
            one, other = (
                scoring.scores(np.array(_splits(t), np.int64)) for t in (table, more(table, cell))
            )
            moved = other - one
            apart = int(max(moved.max(), 0) - min(moved.min(), 0))
            assert apart <= scoring.sensitivity
            worst = max(worst, apart)
    if most <= 5:
        assert worst >= scoring.sensitivity / 2, "else the claim is about something else"


def _splits(table: tuple[int, ...]) -> list[list[list[int]]]:
    cube = np.array(table).reshape(2, 2, 2)
    return [cube.sum(axis=1).tolist(), cube.sum(axis=0).tolist()]


large = st.integers(0, 2**34) | st.integers(0, 20)


@given(
    branch=st.lists(large, min_size=2, max_size=5),
    cell=st.integers(0, 4),
    most=large,
    criterion=st.sampled_from(PROVED),
)
@settings(max_examples=400, deadline=None)
def test_rounding_is_counted_for_large_tables_too(
    branch: list[int], cell: int, most: int, criterion: Criterion
) -> None:
    scoring = SplitScores.of(criterion, most=most)
    after = list(more(tuple(branch), cell % len(branch)))
    one, other = (int(scoring.scores(np.array([[b]], np.int64))[0]) for b in (branch, after))
    moved = other - one
    free = 0 if criterion is Criterion.MAX else SLACK // 2
    low, high = (0, 1) if criterion is Criterion.MAX else (free - scoring.sensitivity, free)
    assert low <= moved <= high


@given(branch=st.lists(st.integers(0, 10**6), min_size=2, max_size=4))
def test_scores_are_the_papers(branch: list[int]) -> None:
    counts = np.array([[branch]], np.int64)
    assert int(SplitScores.of(Criterion.MAX).scores(counts)[0]) == max(branch)
    scored = int(SplitScores.of(Criterion.GINI).scores(counts)[0]) / LATTICE
    assert scored == pytest.approx(float(gini(tuple(branch))), abs=1 / LATTICE)
    gains = SplitScores.of(Criterion.INFORMATION_GAIN, most=10**7)
    scored = int(gains.scores(counts)[0]) / LATTICE
    assert scored == pytest.approx(gain(tuple(branch)), abs=1 / LATTICE)


def test_choices_cost_half_of_what_the_paper_pays() -> None:
    """Weights e^(eps q / S), not e^(eps q / (2 S)): no score moves against another."""
    drawn = choice(SplitScores.of(Criterion.MAX), Pure(epsilon=1), exponential=True)
    assert drawn.scale == 1
    assert drawn.privacy_map(1) == Pure(epsilon=1)


@given(
    codes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), max_size=30),
    ordered=st.booleans(),
    binary=st.booleans(),
)
def test_counts_of_branches_are_those_of_the_rows(
    codes: list[tuple[int, int]], ordered: bool, binary: bool
) -> None:
    domain = Bounds(0, 2, 1) if ordered else Values(("a", "b", "c"))
    feature = Feature.of(domain, cells=3)
    rows = np.array(codes, np.int64).reshape(-1, 2)
    table = np.zeros((4, 2), np.int64)
    np.add.at(table, (rows[:, 0], rows[:, 1]), 1)
    found = branches_of(table, feature, binary=binary)
    splits = splits_of(0, feature, binary=binary)
    assert len(found) == len(splits)
    for counts, split in zip(found, splits, strict=True):
        branch = split.branch(rows[:, :1])
        for b in range(split.branches):
            for c in range(2):
                assert counts[b, c] == ((branch == b) & (rows[:, 1] == c)).sum()


@pytest.mark.parametrize(
    ("name", "says"),
    [("gain ratio", "any amount"), ("ginni", "did you mean gini"), ("entropy", "no criterion")],
)
def test_other_criteria_are_refused(name: str, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        Criterion.read(name)
