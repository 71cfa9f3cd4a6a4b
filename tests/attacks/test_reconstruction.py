"""Reconstruction gets bits back where errors are small, and only there."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from work import steps

from hedgerow.attacks.reconstruction import (
    consistent,
    least_squares,
    linear_program,
    reconstruction,
    subset_queries,
)
from hedgerow.base.errors import DataError, PlanError

PEOPLE = 1_000


def secret(people: int, rng: np.random.Generator, ones: float = 0.5) -> np.ndarray:
    return (rng.random(people) < ones).astype(np.int64)


def every_subset(people: int) -> np.ndarray:
    return np.array(list(itertools.product((0, 1), repeat=people)))


@pytest.mark.parametrize("share", [0.5, 0.02])
def test_least_squares_breaks_a_thousand_people(share: float) -> None:
    rng = np.random.default_rng(1)
    bits = secret(PEOPLE, rng)
    queries = subset_queries(PEOPLE, 8 * PEOPLE, rng=rng, share=share)
    error = 0.25 * np.sqrt(PEOPLE * share)
    answers = queries @ bits + rng.uniform(-error, error, 8 * PEOPLE)
    found = reconstruction(queries, answers, truth=bits)
    assert steps(lambda: reconstruction(queries, answers, truth=bits)) < 50_000
    assert found.found.value > 0.99
    assert found.succeeded
    assert found.baseline.successes == max(bits.sum(), PEOPLE - bits.sum())


def test_a_linear_program_breaks_a_thousand_people_despite_wrong_answers() -> None:
    rng = np.random.default_rng(2)
    bits = secret(PEOPLE, rng)
    queries = subset_queries(PEOPLE, 4 * PEOPLE, rng=rng, share=0.02)
    answers = queries @ bits + rng.uniform(-0.5, 0.5, 4 * PEOPLE)
    wrong = rng.random(4 * PEOPLE) < 0.1
    answers[wrong] = rng.uniform(0, 200, wrong.sum())
    by_squares = reconstruction(queries, answers, truth=bits)
    found = reconstruction(queries, answers, truth=bits, method="linear program")
    assert found.found.value > 0.99
    assert by_squares.found.value < 0.9, "squares let the wrong answers rule"


def test_a_bound_on_the_error_is_kept() -> None:
    rng = np.random.default_rng(3)
    bits = secret(200, rng)
    queries = subset_queries(200, 1_200, rng=rng, share=0.1)
    answers = queries @ bits + rng.uniform(-2, 2, 1_200)
    estimate = linear_program(queries, answers, error=2)
    assert np.abs(queries @ estimate - answers).max() <= 2 + 1e-6
    found = reconstruction(queries, answers, truth=bits, method="linear program", error=2)
    assert found.succeeded
    with pytest.raises(DataError, match=r"no bits are within 0\.1"):
        linear_program(queries, answers, error=0.1)


def test_the_least_sum_of_misses_by_enumeration() -> None:
    """No corner of the cube misses the answers by less than the linear program's point."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        queries = (rng.random((9, 5)) < 0.5).astype(float)
        answers = rng.uniform(-1, 5, 9)
        missed = np.abs(queries @ linear_program(queries, answers) - answers).sum()
        corners = np.abs(every_subset(5) @ queries.T - answers).sum(axis=1)
        assert missed <= corners.min() + 1e-6


def test_least_squares_by_another_road() -> None:
    rng = np.random.default_rng(5)
    for rows in (4, 30):
        queries, answers = (rng.random((rows, 8)) < 0.5).astype(float), rng.uniform(0, 5, rows)
        expected = 0.5 + np.linalg.pinv(queries) @ (answers - queries @ np.full(8, 0.5))
        assert least_squares(queries, answers) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("method", ["least squares", "linear program"])
@pytest.mark.parametrize("ones", [0.5, 0.1])
@pytest.mark.parametrize("kind", ["errors of half the people", "pure noise"])
def test_nothing_is_gained_from_much_noise(method: Any, ones: float, kind: str) -> None:
    rng = np.random.default_rng(6)
    people = 400
    bits = secret(people, rng, ones)
    queries = subset_queries(people, 4 * people, rng=rng, share=0.1)
    answers = rng.uniform(-people / 2, people / 2, 4 * people)
    if kind != "pure noise":
        answers = queries @ bits + answers
    found = reconstruction(queries, answers, truth=bits, method=method)
    assert not found.succeeded
    assert found.found.interval()[0] <= found.baseline.interval()[1]


@pytest.mark.parametrize("error", [0.25, 0.5, 1, 1.5])
def test_whatever_agrees_differs_in_at_most_four_errors(error: float) -> None:
    """Every 0-1 vector of seven people, by plain loops; answers as misleading as allowed."""
    rng = np.random.default_rng(7)
    queries = every_subset(7)
    farthest = 0
    for _ in range(30):
        bits = secret(7, rng)
        answers = queries @ bits + rng.choice([-error, error], len(queries))
        found = consistent(queries, answers, error=error)
        slow = [
            c
            for c in itertools.product((0, 1), repeat=7)
            if all(
                abs(sum(b for b, inside in zip(c, q, strict=True) if inside) - a) <= error + 1e-9
                for q, a in zip(queries, answers, strict=True)
            )
        ]
        assert sorted(map(tuple, found.astype(int))) == slow
        assert tuple(bits) in slow
        farthest = max(farthest, int((found != bits.astype(bool)).sum(axis=1).max()))
    assert farthest <= 4 * error


def test_four_errors_are_reached() -> None:
    """Answers halfway between 0000 and 1111 on both halves: as far off as the bound allows."""
    queries = every_subset(4)
    truth, other = np.array([1, 1, 0, 0]), np.array([0, 0, 1, 1])
    answers = (queries @ truth + queries @ other) / 2
    found = consistent(queries, answers, error=1)
    differ = (found != truth.astype(bool)).sum(axis=1)
    assert differ.max() == 4


def test_exhaustive_search_over_twelve_people() -> None:
    rng = np.random.default_rng(8)
    bits = secret(12, rng)
    queries = every_subset(12)
    answers = queries @ bits + rng.uniform(-0.49, 0.49, len(queries))
    found = reconstruction(queries, answers, truth=bits, method="exhaustive", error=0.49)
    assert found.found.successes >= 12 - int(4 * 0.49)
    with pytest.raises(DataError, match=r"no bits are within 0\.1"):
        reconstruction(queries, answers + 1, truth=bits, method="exhaustive", error=0.1)


def test_somebody_nobody_asked_about_stays_unknown() -> None:
    assert least_squares([[1, 0]], [1.0]) == pytest.approx([1.0, 0.5])


def test_subsets_are_random() -> None:
    queries = subset_queries(300, 20_000, rng=np.random.default_rng(9), share=0.3)
    assert queries.shape == (20_000, 300)
    assert queries.mean() == pytest.approx(0.3, abs=0.002)
    assert len(np.unique(queries[:500].toarray(), axis=0)) == 500


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"answers": [1.0]}, DataError, "do not fit"),
        ({"queries": [[1, 0], [1]]}, DataError, "not numbers"),
        ({"queries": [[2, 0], [0, 1]]}, DataError, "in part"),
        ({"answers": [1.0, np.inf]}, DataError, "not finite"),
        ({"truth": [1, 0, 1]}, DataError, "a bit for each of 2 people"),
        ({"truth": [1, 2]}, DataError, "a bit for each of 2 people"),
        ({"method": "guessing"}, PlanError, "no method 'guessing'"),
        ({"method": "exhaustive"}, PlanError, "needs a bound"),
        ({"error": 1.0}, PlanError, "no use for a bound"),
        ({"method": "linear program", "error": -1.0}, PlanError, "bounds nothing"),
    ],
)
def test_bad_input_is_explained(arguments: dict, error: type[Exception], message: str) -> None:
    good = {"queries": [[1, 0], [0, 1]], "answers": [1.0, 0.0], "truth": [1, 0]}
    given = good | arguments
    with pytest.raises(error, match=message):
        reconstruction(given.pop("queries"), given.pop("answers"), **given)


def test_too_many_people_to_enumerate() -> None:
    with pytest.raises(DataError, match="too many combinations"):
        consistent(np.eye(17), np.zeros(17), error=1)
    with pytest.raises(PlanError, match="do not exist"):
        subset_queries(0, 5, rng=np.random.default_rng(0))
