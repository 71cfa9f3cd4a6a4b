"""Range queries: against dense least squares, all ranges enumerated, and exact noise laws."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noise import oracle
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.noise_sums import gaussian_sum_half_width, laplace_sum_half_width
from hedgerow.noise.nonnegative_counts import nonnegative
from hedgerow.noise.range_queries import RangeAnswers, RangeTree

TREES = st.builds(
    RangeTree, cells=st.integers(1, 40), branching=st.integers(2, 45)
)  # ragged ones among them


def design(tree: RangeTree) -> NDArray[np.float64]:
    """Which cells each count of the tree covers, from `levels` of one row each."""
    return np.stack([tree.levels(row) for row in np.eye(tree.cells, dtype=np.int64)], axis=1)


def covariance(tree: RangeTree) -> NDArray[np.float64]:
    dense = design(tree).astype(float)
    return np.linalg.inv(dense.T @ dense)


@given(TREES)
def test_levels_are_counts_of_stretches(tree: RangeTree) -> None:
    dense = design(tree)
    assert dense.shape == (tree.nodes, tree.cells)
    assert (dense.sum(axis=0) == tree.height).all(), "a row changes so many counts"
    at, width = 0, 1
    for size in tree.sizes:
        expected = np.arange(tree.cells) // width == np.arange(size)[:, None]
        assert (dense[at : at + size] == expected).all()
        at, width = at + size, width * tree.branching
    assert tree.sizes[-1] <= tree.branching
    assert tree.cells == 1 or tree.sizes[-1] > 1, "the total is not counted by itself"


@given(TREES, st.integers(0, 2**32))
def test_consistent_is_the_least_squares_solution(tree: RangeTree, seed: int) -> None:
    noisy = np.random.default_rng(seed).integers(-50, 50, tree.nodes)
    expected = np.linalg.lstsq(design(tree).astype(float), noisy.astype(float), rcond=None)[0]
    assert np.allclose(tree.consistent(noisy), expected, atol=1e-9)


@given(TREES)
def test_counts_without_noise_come_back(tree: RangeTree) -> None:
    counts = np.arange(tree.cells) ** 2
    assert np.allclose(tree.consistent(tree.levels(counts)), counts)


@given(TREES)
def test_variance_is_that_of_dense_least_squares(tree: RangeTree) -> None:
    dense = covariance(tree)
    low, high = np.array(list(combinations(range(tree.cells + 1), 2))).T
    expected = [dense[i:j, i:j].sum() for i, j in zip(low, high, strict=True)]
    found = tree.variance(low, high)
    assert np.allclose(found, expected, atol=1e-9)
    assert tree.mean_variance() == pytest.approx(np.mean(expected))
    assert (tree.variance(low, low) == 0).all()


@given(TREES)
def test_no_coefficient_is_above_one(tree: RangeTree) -> None:
    """Half-widths of ranges rest on it."""
    solve = covariance(tree) @ design(tree).T
    prefixes = np.append(np.zeros((1, tree.nodes)), np.cumsum(solve, axis=0), axis=0)
    for i, j in combinations(range(tree.cells + 1), 2):
        assert np.abs(prefixes[j] - prefixes[i]).max() <= 1 + 1e-9
    for q in (0.01, 0.5, 0.9):
        assert np.abs(prefixes - q * prefixes[-1]).max() <= 1 + 1e-9


def test_best_is_the_best_of_all_branchings() -> None:
    for cells in (1, 2, 9, 60, 200):
        for noise, power in (("laplace", 2), ("gaussian", 1)):
            best = RangeTree.best(cells=cells, noise=noise)  # type: ignore[arg-type]
            scores = {
                b: (t := RangeTree(cells=cells, branching=b)).height ** power * t.mean_variance()
                for b in range(2, cells + 2)
            }
            mine = best.height**power * best.mean_variance()
            assert mine <= min(scores.values()) * 1.01
    # A Gaussian's scale grows with the root of the height only: its best tree is no lower.
    assert RangeTree.best(cells=200, noise="gaussian").height >= RangeTree.best(cells=200).height
    assert RangeTree.best(cells=10).height == 1


def test_few_counts_beat_a_histogram_on_long_ranges() -> None:
    flat, tree = RangeTree(cells=4096, branching=4096), RangeTree(cells=4096, branching=16)
    assert flat.variance(0, 4000) == 4000
    assert tree.height**2 * tree.variance(0, 4000) < 400


def test_variance_of_counts_is_as_computed() -> None:
    """Simulated with a seed; each squared error over its expectation is near one."""
    tree, runs = RangeTree(cells=23, branching=3), 4000
    noise = np.random.default_rng(11).normal(size=(runs, tree.nodes))
    leaves = np.stack([tree.consistent(row) for row in noise])
    for low, high in ((0, 23), (1, 22), (5, 6), (8, 20)):
        drawn = leaves[:, low:high].sum(axis=1)
        # A chi-square of `runs` degrees over them has deviation sqrt(2 / runs).
        ratio = (drawn**2).mean() / tree.variance(low, high)
        assert abs(ratio - 1) < 6 * np.sqrt(2 / runs)


def law(kind: str, scale: Fraction) -> NDArray[np.float64]:
    """Probabilities of -reach to reach by the oracle; the tails left out weigh under 1e-12."""
    reach = int(30 * scale) + 30 if kind == "laplace" else int(8 * scale) + 8
    exact = oracle.laplace if kind == "laplace" else oracle.gaussian
    outcomes = range(-reach, reach + 1)
    distribution = exact(0, scale, outcomes)
    return np.array([float(distribution[z]) for z in outcomes])


def outside(density: NDArray[np.float64], step: float, width: float) -> float:
    z = np.arange(len(density)) - len(density) // 2
    return float(density[np.abs(z) * step > width].sum())


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(1), Fraction(10)])
@pytest.mark.parametrize("confidence", [Fraction(1, 2), Fraction(95, 100), Fraction(9999, 10000)])
def test_half_widths_cover_exact_laws_of_sums(
    kind: str, scale: Fraction, confidence: Fraction
) -> None:
    """Sums of k equal terms, and of terms 1, 1/2, 1/4, 1/4: convolved exactly."""
    one = law(kind, scale)

    def width(squares: float) -> float:
        given = np.array([squares])
        if kind == "laplace":
            return float(
                laplace_sum_half_width(
                    scale=scale, squares=given, largest=1, confidence=confidence
                )[0]
            )
        return float(gaussian_sum_half_width(scale=scale, squares=given, confidence=confidence)[0])

    risk = float(1 - confidence)
    density = one
    for k in range(1, 40):
        assert outside(density, 1, width(k)) <= risk + 1e-12
        last = outside(density, 1, width(k) / 1.6)
        density = np.convolve(density, one)
    if scale >= 1 and confidence > Fraction(1, 2):
        assert last > risk, "for many terms it is not wider than it has to be by much"
    stretched = {step: np.zeros(len(one) * step - step + 1) for step in (1, 2, 4)}
    for step, density in stretched.items():
        density[::step] = one
    mixed = np.convolve(
        np.convolve(stretched[4], stretched[2]), np.convolve(stretched[1], stretched[1])
    )
    assert outside(mixed, 0.25, width(1 + 1 / 4 + 2 / 16)) <= risk + 1e-12


def test_half_widths_of_extreme_scales_are_numbers() -> None:
    for scale in (Fraction(1, 10**4), Fraction(1, 700), Fraction(10**30)):
        squares = np.array([0.0, 1e-9, 0.5, 1.0, 1e7])
        found = laplace_sum_half_width(
            scale=scale, squares=squares, largest=1, confidence=Fraction(95, 100)
        )
        assert np.isfinite(found).all()
        assert (np.diff(found) >= 0).all()
    with pytest.raises(PlanError):
        gaussian_sum_half_width(scale=scale, squares=squares, confidence=1 - Fraction(1, 10**310))


@settings(deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=7), st.integers(0, 2**32))
def test_nonnegative_is_a_projection(values: list[int], seed: int) -> None:
    """Onto a convex set: no feasible point is on the far side (Kolmogorov's test)."""
    given = np.array(values, float)
    random = np.random.default_rng(seed)
    total = float(random.uniform(0.5, 20))
    near = nonnegative(given, total=total)
    assert near.min() >= 0
    assert near.sum() == pytest.approx(total)
    for other in random.dirichlet(np.full(len(values), 0.5), 50) * total:
        assert ((given - near) * (other - near)).sum() <= 1e-9


@pytest.mark.parametrize(
    ("low", "high"), [(-1, 2), (0, 7), (3, 2), (0.5, 1), ([0, 1], [1, 9]), ("a", "b")]
)
def test_ranges_outside_are_refused(low: object, high: object) -> None:
    tree = RangeTree(cells=6, branching=2)
    with pytest.raises(PlanError):
        tree.variance(low, high)  # type: ignore[arg-type]


def test_wrong_input_is_refused() -> None:
    tree = RangeTree(cells=6, branching=2)
    for counts in ([1, 2], [0.5] * 6, [[1] * 6], ["a"] * 6):
        with pytest.raises(DataError):
            tree.levels(counts)
    with pytest.raises(DataError):
        tree.consistent([1] * 6)
    for cells, branching in ((0, 2), (5, 1), (10**8, 2), (True, 2), (2.5, 2)):
        with pytest.raises(PlanError):
            RangeTree(cells=cells, branching=branching)  # type: ignore[arg-type]
    with pytest.raises(PlanError):
        RangeTree.best(cells=5, noise="uniform")  # type: ignore[arg-type]
    made = RangeAnswers.of(tree=tree, noisy=[1] * tree.nodes, mechanism=DiscreteLaplace(scale=1))
    with pytest.raises(PlanError):
        made.interval(0, 1, confidence=1)
