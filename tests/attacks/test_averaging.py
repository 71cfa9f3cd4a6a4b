"""Averaging breaks noisy counts next to exact sums, and nothing else."""

from __future__ import annotations

import itertools
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.attacks.averaging import averaging, neighbouring_sums, projection, redrawn
from hedgerow.base.errors import DataError

FALSE_ALARM = 1e-5
"""Of the test of the noise's scale."""
DEVIATIONS = NormalDist().inv_cdf(1 - FALSE_ALARM / 2)
RUNS = 4_000


def counts(k: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 500, k).astype(float)


def variance(k: int, epsilon: float, *, off: float = 1.0) -> float:
    """Of the first count's estimate, simulated."""
    rng = np.random.default_rng(20150301)
    truth, matrix = counts(k, rng), neighbouring_sums(k)
    noisy = truth + rng.laplace(scale=off / epsilon, size=(RUNS, k))
    found = projection(noisy, matrix=matrix, sums=matrix @ truth)
    return float(((found.counts[:, 0] - truth[0]) ** 2).mean())


def agrees(measured: float, expected: float, k: int) -> bool:
    # The fourth moment of a mean of k Laplace variables is (3 + 3/k) variance².
    deviation = expected * np.sqrt((2 + 3 / k) / RUNS)
    return abs(measured - expected) < DEVIATIONS * deviation


def test_the_variance_of_paper_002() -> None:
    """FACTS C.12: k = 50 and epsilon 1 give 2/(k epsilon²) = .0400, simulated .0405."""
    measured = variance(50, 1.0)
    assert agrees(measured, 0.04, 50)
    assert measured == pytest.approx(0.0405, abs=0.004)


@pytest.mark.parametrize("off", [0.7, 1.3])
def test_a_wrong_scale_is_noticed(off: float) -> None:
    assert not agrees(variance(50, 1.0, off=off), 0.04, 50)


@pytest.mark.parametrize("k", [2, 3, 17, 50])
def test_the_share_of_variance_left_is_one_in_k(k: int) -> None:
    found = projection(np.zeros(k), matrix=neighbouring_sums(k), sums=np.zeros(k - 1))
    assert found.free == 1
    assert found.variance_left == pytest.approx(np.full(k, 1 / k))


def test_the_estimate_is_the_average_of_the_papers_k_estimates() -> None:
    """x1 from each noisy count alone, through the sums between: their mean, in fractions."""
    truth, noise = [7, 3, 9, 4], [Fraction(3, 2), Fraction(-1, 4), Fraction(5, 8), Fraction(-2)]
    noisy = [Fraction(x) + e for x, e in zip(truth, noise, strict=True)]
    sums = [a + b for a, b in itertools.pairwise(truth)]
    through = []
    for i, value in enumerate(noisy):
        for total in reversed(sums[:i]):
            value = total - value
        through.append(value)
    found = projection([float(v) for v in noisy], matrix=neighbouring_sums(4), sums=sums)
    assert found.counts[0] == pytest.approx(float(sum(through) / 4))


@given(st.data())
def test_no_other_point_that_agrees_is_nearer(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    k = data.draw(st.integers(1, 7))
    rows = data.draw(st.integers(0, 6))
    matrix = rng.integers(-1, 3, (rows, k)).astype(float)
    truth, weight = counts(k, rng), rng.uniform(0.5, 3, k)
    noisy = truth + rng.laplace(scale=weight)
    found = projection(noisy, matrix=matrix, sums=matrix @ truth, scale=weight)
    assert matrix @ found.counts == pytest.approx(matrix @ truth, abs=1e-6)
    # The truth is another point that agrees; so is every point on the line through it.
    direction = truth - found.counts
    moved = ((found.counts - noisy) / weight) @ (direction / weight)
    assert moved == pytest.approx(0, abs=1e-6 * (1 + np.abs(direction).max() ** 2))
    assert found.free == k - np.linalg.matrix_rank(matrix)


def test_many_releases_with_exact_sums_are_broken() -> None:
    rng = np.random.default_rng(1)
    truth, matrix = counts(50, rng), neighbouring_sums(50)
    noisy = truth + rng.laplace(scale=1.0, size=(200, 50))
    found = averaging(noisy, matrix=matrix, sums=matrix @ truth, truth=truth)
    assert found.succeeded
    assert found.found.guesses == 200, "a release's counts are right or wrong together"
    # A normal error of variance .04 rounds to 0 in 98.8 % of cases, one of scale 1 in 39.3 %.
    assert found.found.value > 0.95
    assert found.baseline.value == pytest.approx(1 - np.exp(-0.5), abs=0.03)


def test_redrawing_noise_is_the_same_mistake() -> None:
    rng = np.random.default_rng(2)
    truth, draws = counts(12, rng), 40
    asked = np.tile(truth, draws)
    noisy = asked + rng.laplace(scale=2.0, size=asked.size)
    matrix = redrawn(12, draws=draws)
    estimate = projection(noisy, matrix=matrix, sums=np.zeros(len(matrix)))
    assert estimate.counts[:12] == pytest.approx(noisy.reshape(draws, 12).mean(axis=0))
    found = averaging(noisy, matrix=matrix, sums=np.zeros(len(matrix)), truth=asked)
    assert found.detail["free_directions"] == 12
    assert found.succeeded


def test_without_sums_nothing_is_gained() -> None:
    rng = np.random.default_rng(3)
    truth = counts(60, rng)
    noisy = truth + rng.laplace(scale=1.0, size=(30, 60))
    found = averaging(noisy, matrix=np.zeros((0, 60)), sums=[], truth=truth)
    assert found.found == found.baseline
    assert not found.succeeded


def test_sums_as_noisy_as_the_counts_give_nothing() -> None:
    rng = np.random.default_rng(4)
    truth, matrix = counts(50, rng), neighbouring_sums(50)
    noisy = truth + rng.laplace(scale=1.0, size=(100, 50))
    sums = matrix @ truth + rng.laplace(scale=1.0, size=49)
    assert not averaging(noisy, matrix=matrix, sums=sums, truth=truth).succeeded


def test_noise_far_above_the_square_root_of_k_withstands() -> None:
    rng = np.random.default_rng(5)
    truth, matrix = counts(50, rng), neighbouring_sums(50)
    noisy = truth + rng.laplace(scale=1_000.0, size=(300, 50))
    assert not averaging(noisy, matrix=matrix, sums=matrix @ truth, truth=truth).succeeded


def test_sums_that_say_everything() -> None:
    found = averaging([90.0, -70.0], matrix=[[1, 1], [1, -1]], sums=[5, 1], truth=[3, 2])
    assert found.found.value == 1
    assert found.detail["free_directions"] == 0
    assert "the sums alone say every count" in found.sentences[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"matrix": [[1, 1, 1]]}, "do not fit"),
        ({"sums": [3, 4]}, "do not fit"),
        ({"noisy": [[[1.0]]]}, "do not fit"),
        ({"noisy": [1.0, np.nan]}, "not all finite"),
        ({"noisy": ["a", "b"]}, "not numbers"),
        ({"matrix": [[1, 1], [1, 1]], "sums": [5, 6]}, "contradict"),
        ({"truth": [2.5, 2.5]}, "whole numbers"),
        ({"truth": [5]}, "whole numbers"),
        ({"scale": 0.0}, "scale"),
        ({"scale": [1.0, 1.0, 1.0]}, "scale"),
    ],
)
def test_bad_input_is_explained(arguments: dict, message: str) -> None:
    good = {"noisy": [2.0, 3.0], "matrix": [[1, 1]], "sums": [5], "truth": [2, 3]}
    given_ = good | arguments
    with pytest.raises(DataError, match=message):
        averaging(given_.pop("noisy"), **given_)


def test_no_counts() -> None:
    for nothing in (lambda: neighbouring_sums(0), lambda: redrawn(3, draws=0)):
        with pytest.raises(DataError, match="no noisy counts"):
            nothing()
    assert neighbouring_sums(1).shape == (0, 1)
