"""Tables that agree: against dense least squares over signed joint tables, and nnls."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import nnls

from hedgerow.base.errors import HedgerowError
from hedgerow.noise.consistency import Columns, Consistent, consistent

Array = NDArray[np.float64]
SIZES = {"a": 2, "b": 3, "c": 2, "d": 2}


def marginal(columns: Columns, sizes: dict[str, int]) -> Array:
    """The matrix that takes a joint table, laid flat, to the table of some columns, laid flat."""
    shape = tuple(sizes.values())
    codes = np.unravel_index(np.arange(prod(shape)), shape)
    names = list(sizes)
    kept = tuple(codes[names.index(c)] for c in columns)
    cell = (
        np.ravel_multi_index(kept, tuple(sizes[c] for c in columns))
        if columns
        else np.zeros(prod(shape), np.int64)
    )
    return np.asarray(cell == np.arange(prod(sizes[c] for c in columns))[:, None], float)


@st.composite
def families(draw: st.DrawFn) -> tuple[dict[Columns, Array], dict[Columns, float]]:
    """Noisy tables over any columns in any order, with variances."""
    subsets = [s for k in range(4) for s in combinations(SIZES, k)]
    chosen = draw(st.lists(st.sampled_from(subsets), min_size=1, max_size=6, unique=True))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables, variances = {}, {}
    for subset in chosen:
        columns = tuple(random.permutation(subset).tolist())
        tables[columns] = random.normal(3, 6, [SIZES[c] for c in columns])
        variances[columns] = float(random.uniform(0.2, 5))
    return tables, variances


def stacked(tables: dict[Columns, Array]) -> tuple[Array, Array]:
    return (
        np.vstack([marginal(columns, SIZES) for columns in tables]),
        np.concatenate([np.ravel(table) for table in tables.values()]),
    )


def weights(tables: dict[Columns, Array], variances: dict[Columns, float]) -> Array:
    return np.concatenate(
        [np.full(np.size(table), 1 / variances[columns]) for columns, table in tables.items()]
    )


def flat(made: Consistent) -> Array:
    return np.concatenate([np.ravel(table) for table in made.tables.values()])


@given(families())
def test_agreeing_tables_are_the_nearest_ones(family: Any) -> None:
    """Tables that agree are the tables of one joint table, whose cells may be negative."""
    tables, variances = family
    matrix, noisy = stacked(tables)
    root = np.sqrt(weights(tables, variances))
    joint = np.linalg.lstsq(matrix * root[:, None], noisy * root, rcond=None)[0]
    made = consistent(tables, variances=variances, nonnegative=False)
    assert np.allclose(flat(made), matrix @ joint, atol=1e-8)
    assert made.disagreement < 1e-9
    assert made.mixed == 0
    assert made.negative == pytest.approx(max(0, -(matrix @ joint).min()), abs=1e-8)


@given(families(), st.booleans())
def test_variances_are_those_of_dense_least_squares(family: Any, public: bool) -> None:
    tables, variances = family
    matrix, _ = stacked(tables)
    weight = weights(tables, variances)
    free = np.eye(matrix.shape[1])
    if public:
        free = free[:, 1:] - free[:, :1]  # joint tables that add up to zero
    inside = matrix @ free
    covariance = inside @ np.linalg.pinv(inside.T @ (inside * weight[:, None])) @ inside.T
    made = consistent(tables, variances=variances, nonnegative=False, total=100 if public else None)
    assert made.variances is not None
    expected = np.concatenate(
        [np.full(np.size(table), made.variances[c]) for c, table in tables.items()]
    )
    assert np.allclose(np.diag(covariance), expected, atol=1e-9)


@settings(deadline=None)
@given(families())
def test_without_negative_cells_they_are_nearly_the_nearest(family: Any) -> None:
    """By nnls, which is told to agree and to keep the total by a heavy weight."""
    tables, variances = family
    matrix, noisy = stacked(tables)
    made = consistent(tables, variances=variances)
    found = flat(made)
    assert found.min() >= 0
    assert made.disagreement < 1e-9 * (1 + made.total)
    for table in made.tables.values():
        assert table.sum() == pytest.approx(made.total, abs=1e-9)
    heavy = 1e4
    agreeing = np.eye(len(noisy)) - matrix @ np.linalg.pinv(matrix)
    some = np.zeros(len(noisy))
    some[: next(iter(tables.values())).size] = 1
    root = np.sqrt(weights(tables, variances))
    nearest, _ = nnls(
        np.vstack([np.diag(root), heavy * agreeing, heavy * some[None, :]]),
        np.concatenate([root * noisy, np.zeros(len(noisy)), [heavy * made.total]]),
    )
    assert np.sum((root * (found - noisy)) ** 2) == pytest.approx(
        np.sum((root * (nearest - noisy)) ** 2), rel=1e-3, abs=1e-3
    )
    assert np.allclose(found, nearest, atol=0.02 * (1 + made.total))


@settings(deadline=None)
@given(families(), st.booleans())
def test_once_is_enough(family: Any, nonnegative: bool) -> None:
    tables, variances = family
    once = consistent(tables, variances=variances, nonnegative=nonnegative, whole_total=True)
    again = consistent(once.tables, variances=variances, nonnegative=nonnegative, whole_total=True)
    assert once.total == round(once.total)
    assert again.total == once.total
    assert np.allclose(flat(once), flat(again), atol=1e-9 * (1 + abs(once.total)))


@given(families())
def test_the_order_of_columns_does_not_matter(family: Any) -> None:
    tables, variances = family
    turned = {c[::-1]: np.transpose(t) for c, t in reversed(tables.items())}
    spread = {c[::-1]: v for c, v in variances.items()}
    made = consistent(tables, variances=variances, nonnegative=False)
    other = consistent(turned, variances=spread, nonnegative=False)
    for columns, table in made.tables.items():
        assert np.allclose(table, np.transpose(other.tables[columns[::-1]]), atol=1e-9)


def test_totals() -> None:
    tables = {("a",): np.array([3.0, 4.2]), ("b",): np.array([1, 2, 3])}
    assert consistent(tables, whole_total=True).total == 7
    made = consistent(tables, total=12)
    assert made.total == 12
    assert made.tables[("b",)].tolist() == pytest.approx([3, 4, 5])
    nobody = consistent({c: -t for c, t in tables.items()})
    assert nobody.total == 0
    assert flat(nobody).tolist() == [0] * 5
    assert nobody.variances is None
    assert consistent({c: -t for c, t in tables.items()}, nonnegative=False).total < 0


def test_agreeing_tables_that_nobody_can_have_stay() -> None:
    """Each two of three columns differ in everybody, which cannot be; no two tables disagree."""
    ring = {pair: np.array([[0.0, 5.0], [5.0, 0.0]]) for pair in combinations("abc", 2)}
    made = consistent(ring)
    assert made.disagreement == pytest.approx(0)
    assert all(np.allclose(made.tables[pair], ring[pair]) for pair in ring)


def test_nearer_to_the_truth_than_before() -> None:
    """What this is for: all pairs of five columns. The seed is fixed, and the gain is large."""
    random = np.random.default_rng(7)
    sizes = dict(zip("abcde", (4, 6, 3, 5, 8), strict=True))
    joint = random.dirichlet(np.full(prod(sizes.values()), 0.05)) * 5000
    true = {
        pair: (marginal(pair, sizes) @ joint).reshape([sizes[c] for c in pair])
        for pair in combinations(sizes, 2)
    }
    noisy = {pair: table + random.laplace(0, 200, table.shape) for pair, table in true.items()}

    def error(tables: dict[Columns, Array]) -> float:
        return sum(float(((tables[pair] - true[pair]) ** 2).sum()) for pair in true)

    linear = consistent(noisy, nonnegative=False)
    assert error(linear.tables) < 0.9 * error(noisy)
    assert error(consistent(noisy).tables) < 0.9 * error(linear.tables)


def test_large_tables_agree() -> None:
    random = np.random.default_rng(3)
    tables = {
        ("a", "b"): random.laplace(3, 10, (400, 250)),
        ("b", "c"): random.laplace(3, 10, (250, 40)),
        ("c", "a", "d"): random.laplace(3, 10, (40, 400, 3)),
    }
    made = consistent(tables)
    assert made.disagreement < 1e-6
    assert made.negative == 0
    assert made.mixed <= 1e-4, "it got there, and was not only stopped"


FINE = np.ones((2, 3))


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({}, "no tables"),
        ({("a", "b"): np.ones(2)}, "axis"),
        ({("a", "a"): np.ones((2, 2))}, "different names"),
        ({"ab": FINE}, "different names"),
        ({("a", "b"): FINE, ("b", "a"): FINE.T}, "twice"),
        ({("a", "b"): FINE, ("b",): np.ones(4)}, "'b'"),
        ({("a", "b"): FINE * np.nan}, "finite"),
        ({("a",): np.array(["x", "y"])}, "axis"),
        ({("a",): np.ones(0)}, "axis"),
    ],
)
def test_tables_that_do_not_fit_are_refused(tables: Any, words: str) -> None:
    with pytest.raises(HedgerowError, match=words):
        consistent(tables)


@pytest.mark.parametrize(
    "options",
    [
        {"variances": {}},
        {"variances": {("a", "b"): 0}},
        {"variances": {("a", "b"): np.inf}},
        {"total": -1},
        {"total": 2.5},
    ],
)
def test_wrong_options_are_refused(options: Any) -> None:
    with pytest.raises(HedgerowError):
        consistent({("a", "b"): FINE}, **options)
