"""Whom columns single out, dependencies and special uniques: against plain counting."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.table.profile.dependencies import dependencies
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.pair_counts import NOBODY, People, pair_count
from hedgerow.table.profile.special_uniques import special_uniques
from hedgerow.table.profile.uniqueness import combination, single

Rows = list[tuple[str | None, ...]]
VALUES = st.sampled_from(["a", "b", "c", "d", None])


@st.composite
def tables(draw: st.DrawFn, columns: int = 4) -> tuple[Rows, list[int]]:
    """Rows, and whose each is; people in order."""
    rows = draw(st.lists(st.tuples(*[VALUES] * columns), min_size=1, max_size=25))
    steps = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    whose, last = [], 0
    for i, step in enumerate(steps):
        last += 1 if step and i else 0
        whose.append(last)
    return rows, whose


def coded(rows: Rows) -> list[EncodedColumn]:
    return [
        EncodedColumn.of(f"c{i}", pa.array([row[i] for row in rows], pa.string()))
        for i in range(len(rows[0]))
    ]


def people_of(whose: Sequence[int] | None, rows: int) -> People:
    if whose is None:
        return People(NOBODY, rows, rows)
    return People(np.array(whose, np.int32), max(whose) + 1, rows)


def oracle_alone(rows: Rows, whose: Sequence[int], chosen: Sequence[int]) -> set[int]:
    owners: dict[tuple[str | None, ...], set[int]] = defaultdict(set)
    for row, who in zip(rows, whose, strict=True):
        owners[tuple(row[i] for i in chosen)].add(who)
    return {next(iter(who)) for who in owners.values() if len(who) == 1}


def oracle_separation(rows: Rows, whose: Sequence[int], chosen: Sequence[int]) -> Fraction:
    apart = pairs = 0
    for i, j in combinations(range(len(rows)), 2):
        if whose[i] != whose[j]:
            pairs += 1
            apart += any(rows[i][c] != rows[j][c] for c in chosen)
    return Fraction(apart, pairs) if pairs else Fraction(0)


@given(tables(), st.booleans())
def test_combinations_single_out_whom_counting_finds(
    table: tuple[Rows, list[int]], several: bool
) -> None:
    rows, whose = table
    who = whose if several else list(range(len(rows)))
    people = people_of(whose if several else None, len(rows))
    columns = coded(rows)
    assert [single(column, people) for column in columns] == [
        combination([column], people) for column in columns
    ]
    for size in (1, 2, 3, 4):
        for chosen in combinations(range(4), size):
            found = combination([columns[i] for i in chosen], people)
            assert found.people == len(oracle_alone(rows, who, chosen))
            assert found.distinction == found.people / people.number
            assert found.separation == pytest.approx(float(oracle_separation(rows, who, chosen)))


@given(tables(2), st.booleans())
def test_pairs_are_counted_as_one_by_one(table: tuple[Rows, list[int]], several: bool) -> None:
    rows, whose = table
    who = whose if several else list(range(len(rows)))
    people = people_of(whose if several else None, len(rows))
    for i, j in ((0, 1), (1, 0)):
        columns = coded(rows)
        found = pair_count(columns[i], columns[j], people)
        assert found.alone == len(oracle_alone(rows, who, (i, j)))
        apart = oracle_separation(rows, who, (i, j))
        if people.pairs:
            assert 1 - Fraction(found.together, people.pairs) == apart
        both = [(row[i], row[j]) for row in rows if None not in (row[i], row[j])]
        assert found.rows == len(both)
        assert found.groups == len(set(both))
        for place, (a, b) in enumerate(((0, 1), (1, 0))):
            classes: dict[str, Counter[str]] = defaultdict(Counter)
            for pair in both:
                classes[str(pair[a])][str(pair[b])] += 1
            kept = sum(max(counts.values()) for counts in classes.values())
            assert found.breaks[place] == len(both) - kept
            assert found.repeats[place] == len(both) - len(classes)


def oracle_suda(rows: Rows, largest: int) -> tuple[list[int], Counter[int], dict[int, Fraction]]:
    """Scores, minimal uniques by size, and contributions, from the definition."""
    width = len(rows[0])
    scores, sizes = [0] * len(rows), Counter[int]()
    by_column: dict[int, int] = defaultdict(int)
    for at, row in enumerate(rows):

        def unique(chosen: Sequence[int], row: tuple[str | None, ...] = row) -> bool:
            return sum(all(other[c] == row[c] for c in chosen) for other in rows) == 1

        for size in range(1, largest + 1):
            for chosen in combinations(range(width), size):
                smaller = [c for n in range(1, size) for c in combinations(chosen, n)]
                if not unique(chosen) or any(map(unique, smaller)):
                    continue
                score = prod(width - i for i in range(size, min(largest, width - 1) + 1))
                scores[at] += score
                sizes[size] += 1
                for column in chosen:
                    by_column[column] += score
    total = max(1, sum(scores))
    return scores, sizes, {c: Fraction(by_column[c], total) for c in range(width)}


@given(tables(), st.integers(1, 4))
def test_special_uniques_are_those_of_the_definition(
    table: tuple[Rows, list[int]], largest: int
) -> None:
    rows = table[0] if len(table[0]) > 1 else table[0] * 2
    found = special_uniques(coded(rows), people_of(None, len(rows)), largest=largest)
    scores, sizes, shares = oracle_suda(rows, largest)
    assert found.scores.tolist() == scores
    assert list(found.by_size) == [sizes[n] for n in range(1, largest + 1)]
    assert found.rows == sum(score > 0 for score in scores)
    for name, share in found.contributions:
        assert share == pytest.approx(float(shares[int(name[1:])]))
    assert [one.score for one in found.worst] == sorted(filter(None, scores), reverse=True)[:10]
    groups = Counter(rows)
    assert found.alone.tolist() == [groups[row] == 1 for row in rows]
    assert found.twos == sum(n == 2 for n in groups.values())
    for one in found.worst:
        at = [int(name[1:]) for name in one.columns]
        assert len(at) == one.smallest
        assert one.values == tuple(rows[one.row][c] for c in at)
        assert sum(all(row[c] == rows[one.row][c] for c in at) for row in rows) == 1


def test_the_scores_are_those_of_sdcmicro() -> None:
    """The example of sdcMicro's own tests (tests/testthat/test_suda2.R): 50, 37.5 and 37.5 %."""
    rows: Rows = [("2", "0", "0"), ("1", "3", "6"), ("1", "0", "0")]
    found = special_uniques(coded(rows), people_of(None, 3), largest=2)
    assert dict(found.contributions) == {"c0": 0.5, "c1": 0.375, "c2": 0.375}
    assert found.scores.tolist() == [2, 4, 2]


def test_dependencies_with_a_few_errors_are_found_and_chance_is_not() -> None:
    generator = np.random.default_rng(3)
    zips = generator.integers(0, 200, 5000)
    cities = zips // 10
    cities[:7] = 19 - cities[:7]
    noise = generator.integers(0, 20, 5000)
    rare = (generator.random(5000) < 0.001).astype(int)
    rows = np.arange(5000)
    columns = {
        name: EncodedColumn.of(name, pa.array(values).cast(pa.string()))
        for name, values in {
            "zip": zips, "city": cities, "noise": noise, "rare": rare, "row": rows,
        }.items()
    }  # fmt: skip
    people = people_of(None, 5000)
    counted = {
        (a, b): pair_count(columns[a], columns[b], people) for a, b in combinations(columns, 2)
    }
    broken = sum(int(c) != int(z) // 10 for z, c in zip(zips, cities, strict=True))
    found = list(dependencies(columns, counted))
    assert [(d.determinant, d.dependent, d.breaks, d.rows) for d in found] == [
        ("zip", "city", broken, 5000)
    ]
    assert not found[0].exact


def test_what_agrees_because_rows_are_of_one_person_is_no_dependency() -> None:
    who = np.repeat(np.arange(300), 6)
    height = 150 + np.arange(300) / 7  # different for everybody
    sex = np.arange(300) % 2
    columns = {
        "id": EncodedColumn.of("id", pa.array(who).cast(pa.string())),
        "height": EncodedColumn.of("height", pa.array(height[who]).cast(pa.string())),
        "sex": EncodedColumn.of("sex", pa.array(sex[who]).cast(pa.string())),
    }
    people = people_of(None, len(who))
    counted = {
        (a, b): pair_count(columns[a], columns[b], people) for a, b in combinations(columns, 2)
    }
    pairs = {(d.determinant, d.dependent) for d in dependencies(columns, counted)}
    assert ("height", "sex") in pairs
    told = {(d.determinant, d.dependent) for d in dependencies(columns, counted, key="id")}
    assert told == {("id", "height"), ("id", "sex")}
