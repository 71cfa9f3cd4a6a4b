"""DIS-SUDA: against a published table, plain counting, and samples of a known population."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import prod

import numpy as np
import pyarrow as pa
import pytest

import hedgerow
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.claims.population.dis_suda import dis_suda, intrusion_risk
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.pair_counts import NOBODY, People
from hedgerow.table.profile.special_uniques import SpecialUniques, special_uniques

PUBLISHED = """Urban Female SecondaryIncomplete Employed
Urban Female SecondaryIncomplete Employed
Urban Female PrimaryIncomplete Non-LF
Urban Male SecondaryComplete Employed
Rural Female SecondaryComplete Unemployed
Urban Male SecondaryComplete Employed
Urban Female PrimaryComplete Non-LF
Urban Male Post-secondary Unemployed
Urban Female SecondaryIncomplete Non-LF
Urban Female SecondaryIncomplete Non-LF"""
"""Benschop, Machingauta, Welch, "Statistical Disclosure Control: A Practice Guide", the table that
illustrates SUDA and DIS-SUDA scores."""

Rows = list[tuple[str, ...]]


def looked_at(rows: Rows, largest: int = 3) -> SpecialUniques:
    columns = [
        EncodedColumn.of(f"c{j}", pa.array([row[j] for row in rows], pa.string()))
        for j in range(len(rows[0]))
    ]
    return special_uniques(columns, People(NOBODY, len(rows), len(rows)), largest=largest)


def test_the_scores_are_those_of_the_practice_guide() -> None:
    found = looked_at([tuple(line.split()) for line in PUBLISHED.splitlines()])
    assert found.scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    risk = intrusion_risk(found, fraction=0.01)
    assert risk is not None
    # The guide's DIS-SUDA scores go by sdcMicro's other scores: (2^n - 1) k! n! / c!, n = c - k.
    one, two = 7 * 6 / 24, 3 * 2 * 2 / 24
    other = np.array([one, one + 3 * two, one, one + 2 * two])
    assert dis_suda(other, columns=4, right=risk.right).round(4).tolist() == [
        0.0051, 0.0107, 0.0051, 0.0088,
    ]  # fmt: skip


def oracle(rows: Rows, largest: int, fraction: float) -> list[float]:
    """By the definition, in plain Python."""
    width, scores = len(rows[0]), []
    for row in rows:

        def alone(chosen: tuple[int, ...], row: tuple[str, ...] = row) -> bool:
            return sum(all(other[c] == row[c] for c in chosen) for other in rows) == 1

        score = 0
        for size in range(1, largest + 1):
            for chosen in combinations(range(width), size):
                smaller = [c for n in range(1, size) for c in combinations(chosen, n)]
                if alone(chosen) and not any(map(alone, smaller)):
                    score += prod(width - i for i in range(size, min(largest, width - 1) + 1))
        scores.append(score)
    sizes = Counter(Counter(rows).values())
    ones, twos = sizes[1], sizes[2]
    ratio = 2 * twos * (1 - fraction) / (ones * fraction) if ones else 0.0
    power = 1 + (8 - width) / 20
    scored = [s**power for s in scores if s]
    odds_sum = sum(1 / w for w in scored)
    found = []
    for row, score in zip(rows, scores, strict=True):
        if score:
            found.append(1 / (1 + len(scored) * ratio / (score**power * odds_sum)))
        else:
            found.append(float("nan") if Counter(rows)[row] == 1 else 0.0)
    return found


@pytest.mark.parametrize("largest", [1, 2, 3, 5])
def test_the_risk_of_each_row_is_that_of_the_definition(largest: int) -> None:
    generator = np.random.default_rng(41)
    for fraction in (0.01, 0.3):
        drawn = generator.integers(0, [2, 3, 4, 2, 5], (60, 5))
        rows = [tuple(map(str, row)) for row in drawn.tolist()]
        risk = intrusion_risk(looked_at(rows, largest), fraction=fraction)
        assert risk is not None
        assert risk.scores.tolist() == pytest.approx(oracle(rows, largest, fraction), nan_ok=True)
        assert risk.unscored == int(np.isnan(risk.scores).sum())


def test_samples_of_a_known_population_match_as_often_as_is_said() -> None:
    """On average over samples; the tolerance is over four times the standard error measured."""
    generator = np.random.default_rng(7)
    sizes = (2, 5, 8, 12, 6)
    population = np.stack(
        [np.minimum(generator.geometric(0.35, 30_000) - 1, size - 1) for size in sizes], axis=1
    )
    _, kind, people = np.unique(population, axis=0, return_inverse=True, return_counts=True)
    kind = kind.reshape(-1)
    right, said, high, low = [], [], [], []
    for _ in range(20):
        sample = generator.choice(len(population), 3_000, replace=False)
        rows = [tuple(map(str, row)) for row in population[sample].tolist()]
        special = looked_at(rows)
        risk = intrusion_risk(special, fraction=0.1)
        assert risk is not None
        among = people[kind[sample[special.alone]]]
        right.append(len(among) / among.sum())  # of all who match one record, those who are it
        said.append(risk.right)
        scored = np.flatnonzero(special.scores > 0)
        order = scored[np.argsort(-risk.scores[scored], kind="stable")]
        truth = 1 / people[kind[sample[order]]]
        half = len(order) // 2
        high.append(truth[:half].mean())
        low.append(truth[half:].mean())
    assert np.mean(said) == pytest.approx(np.mean(right), rel=0.06)
    assert np.mean(high) > 1.2 * np.mean(low)


def people_table(weights: list[str]) -> pa.Table:
    generator = np.random.default_rng(5)
    ages = generator.integers(20, 60, len(weights)).astype(str)
    sexes = generator.integers(0, 2, len(weights)).astype(str)
    return pa.table({"age": ages.tolist(), "sex": sexes.tolist(), "weight": weights})


def test_a_look_has_the_risk_of_rows_by_a_fraction_or_by_weights() -> None:
    table = people_table(["10"] * 30 + ["30"] * 30)
    found = hedgerow.look(table, weights="weight")
    assert found.special is not None
    risk = found.special.intrusion
    assert risk is not None
    assert risk.fraction == pytest.approx(1 / 20)
    assert [one.dis_suda for one in found.special.worst] == [
        risk.scores[one.row] for one in found.special.worst
    ]
    assert found.summary()["special"]["intrusion"]["fraction"] == pytest.approx(0.05)
    same = hedgerow.look(table, fraction="5%")
    assert same.special is not None
    assert same.special.intrusion is not None
    np.testing.assert_allclose(same.special.intrusion.scores, risk.scores)
    plain = hedgerow.look(table).special
    assert plain is not None
    assert plain.intrusion is None


def test_wrong_weights_are_refused() -> None:
    for weights in (["1"] * 20, ["0.5"] * 20, ["much"] * 20):
        with pytest.raises(DataError):
            hedgerow.look(people_table(weights), weights="weight")
    for how in ({"weights": "nothing"}, {"weights": "weight", "fraction": 0.1}):
        with pytest.raises(HedgerowError):
            hedgerow.look(people_table(["2"] * 20), **how)
