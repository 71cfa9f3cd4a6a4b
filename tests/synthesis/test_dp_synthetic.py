"""Synthetic records: against dense fitting of the whole joint table, and by brute force."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hedgerow.base.errors import HedgerowError
from hedgerow.noise.consistency import consistent
from hedgerow.synthesis.maximum_entropy import Clique, Columns, cliques_of, fitted, telling
from hedgerow.synthesis.record_fit import settled
from hedgerow.synthesis.synthetic_records import distances, fingerprint, marginals, synthetic

Array = NDArray[np.float64]
SIZES = {"a": 2, "b": 3, "c": 2, "d": 4, "e": 2}
EIGHT = dict.fromkeys("abcdefgh", 2)
SUBSETS = [s for k in (1, 2, 3) for s in combinations(SIZES, k)]
CHOICES = st.lists(st.sampled_from(SUBSETS), max_size=7, unique=True)


def people(n: int, sizes: dict[str, int], seed: int) -> NDArray[np.int32]:
    """Codes of people in a few classes, so that columns depend on each other."""
    random = np.random.default_rng(seed)
    classes = random.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    columns = []
    for size in sizes.values():
        shares = random.dirichlet(np.full(size, 0.4), 4).cumsum(axis=1)
        columns.append((shares[classes] < random.random(n)[:, None]).sum(axis=1))
    return np.minimum(np.stack(columns, axis=1), np.array(list(sizes.values())) - 1).astype(
        np.int32
    )


def by_hand(codes: NDArray[np.int32], sizes: dict[str, int], columns: Columns) -> Array:
    table = np.zeros([sizes[c] for c in columns])
    for row in codes.tolist():
        table[tuple(row[list(sizes).index(c)] for c in columns)] += 1
    return table


def joint_of(model: tuple[Clique, ...], sizes: dict[str, int]) -> Array:
    """The whole joint table of a tree of cliques, columns in order."""
    names = list(sizes)
    joint = np.ones(tuple(sizes.values()))
    for clique in model:
        known = tuple(i for i, c in enumerate(clique.columns) if c not in clique.given)
        given = clique.shares.sum(axis=known, keepdims=True)
        part = clique.shares / given
        shape = [sizes[c] if c in clique.columns else 1 for c in names]
        joint = joint * part.reshape(shape)
    return np.asarray(joint)


def over(joint: Array, sizes: dict[str, int], columns: Columns) -> Array:
    """A joint table's sums over other columns, in the order of the columns."""
    names = list(sizes)
    kept = [c for c in names if c in columns]
    summed = joint.sum(axis=tuple(i for i, c in enumerate(names) if c not in columns))
    return np.asarray(summed.transpose([kept.index(c) for c in columns]))


@settings(deadline=None)
@given(st.lists(st.sampled_from([*combinations(EIGHT, 2), *combinations(EIGHT, 3)]), max_size=14))
def test_cliques_hold_all_tables_and_form_a_tree(tables: list[Columns]) -> None:
    cliques = cliques_of(tables, EIGHT)
    assert all(any(set(t) <= set(clique) for clique in cliques) for t in tables)
    assert not any(set(a) < set(b) for a in cliques for b in cliques)
    model = fitted({t: np.full([EIGHT[c] for c in t], 1 / prod(EIGHT[c] for c in t))
                    for t in tables}, EIGHT)  # fmt: skip
    assert sorted(clique.columns for clique in model) == sorted(cliques)
    seen: set[str] = set()
    for place, clique in enumerate(model):
        # What a clique shares with all before it, it shares with one of them.
        assert set(clique.given) == seen & set(clique.columns)
        before = [set(other.columns) for other in model[:place]]
        assert not place or any(set(clique.given) <= other for other in before)
        seen |= set(clique.columns)
    assert seen == set(EIGHT)


@settings(deadline=None, max_examples=50)
@given(CHOICES, st.integers(0, 2**32))
def test_fitted_is_the_most_even_joint_table(tables: list[Columns], seed: int) -> None:
    """The dense joint table is scaled to each table in turn, many times over."""
    random = np.random.default_rng(seed)
    true = random.dirichlet(np.ones(prod(SIZES.values()))).reshape(tuple(SIZES.values()))
    wanted = {}
    for columns in tables:
        turned = tuple(random.permutation(columns).tolist())
        wanted[turned] = over(true, SIZES, turned)
    dense = np.full(true.shape, 1 / true.size)
    for _ in range(400):
        for columns, table in wanted.items():
            factor = table / over(dense, SIZES, columns)
            shape = [SIZES[c] if c in columns else 1 for c in SIZES]
            order = [columns.index(c) for c in SIZES if c in columns]
            dense *= factor.transpose(order).reshape(shape)
    found = joint_of(fitted(wanted, SIZES), SIZES)
    assert found.sum() == pytest.approx(1)
    assert np.abs(found - dense).sum() < 1e-3
    for columns, table in wanted.items():
        assert np.abs(over(found, SIZES, columns) - table).sum() < 1e-4


def test_telling_tables_are_chosen_first_and_stay_small() -> None:
    sizes = dict.fromkeys("abcdefgh", 10)
    shares = {}
    for a, b in combinations(sizes, 2):
        near = ord(b) - ord(a) == 1
        shares[(a, b)] = np.eye(10) / 10 if near else np.full((10, 10), 0.01)
    chosen = telling(shares, sizes, most=1000)
    assert {(a, b) for a, b in shares if ord(b) - ord(a) == 1} <= set(chosen)
    assert max(prod(sizes[c] for c in q) for q in cliques_of(chosen, sizes)) <= 1000
    assert set(telling(shares, sizes, most=10**8)) == set(shares)


@settings(deadline=None)
@given(st.integers(1, 400), st.integers(0, 2**32))
def test_one_table_is_met_within_one(records: int, seed: int) -> None:
    table = np.random.default_rng(seed).dirichlet(np.full(24, 0.3)).reshape(2, 3, 4) * 77
    codes = synthetic({("a", "b", "d"): table}, SIZES, records=records)
    assert codes.dtype == np.int32
    assert codes.shape == (records, 5)
    made = by_hand(codes[:, [0, 1, 3]], {"a": 2, "b": 3, "d": 4}, ("a", "b", "d"))
    assert np.abs(made - table / 77 * records).max() < 1 + 1e-3
    # The other columns have no table: spread evenly.
    for column in (2, 4):
        assert abs(int(codes[:, column].sum()) - records / 2) <= 1


def test_tables_of_real_people_are_met() -> None:
    """True pairs of 2,000 people, whose whole joint table is small: nearly every cell is met."""
    codes = people(2000, SIZES, 1)
    tables = {pair: by_hand(codes, SIZES, pair) for pair in combinations(SIZES, 2)}
    made = synthetic(tables, SIZES, records=2000)
    far = distances(made, SIZES, tables)
    assert max(far.values()) < 0.005
    for pair in tables:
        table = by_hand(made, SIZES, pair)
        assert far[pair] == pytest.approx(np.abs(table - tables[pair]).sum() / 2000)
        assert (marginals(made, SIZES, [pair])[pair] == table).all()


def test_a_long_chain_is_met() -> None:
    """20 columns of 8 values: a joint table of 10^18 cells, which nobody writes down."""
    sizes = {f"c{i}": 8 for i in range(20)}
    random = np.random.default_rng(4)
    codes = np.zeros((5000, 20), np.int32)
    codes[:, 0] = random.integers(0, 8, 5000)
    for i in range(1, 20):
        stays = random.random(5000) < 0.8
        codes[:, i] = np.where(stays, codes[:, i - 1], random.integers(0, 8, 5000))
    pairs = [(f"c{i}", f"c{i + 1}") for i in range(19)]
    tables = {pair: by_hand(codes, sizes, pair) for pair in pairs}
    made = synthetic(tables, sizes, records=5000)
    assert max(distances(made, sizes, tables).values()) < 0.02
    # What the chain implies for columns farther apart holds as well: they are not independent.
    apart = [("c3", "c6")]
    truth = {pair: by_hand(codes, sizes, pair) for pair in apart}
    assert distances(made, sizes, truth)[("c3", "c6")] < 0.15
    even = {pair: np.full((8, 8), 1.0) for pair in apart}
    assert distances(codes, sizes, even)[("c3", "c6")] > 0.5


def test_noisy_pairs_of_many_columns() -> None:
    """All pairs, too dense for a tree: records are nearer to the truth than the noisy tables."""
    sizes = dict(zip("abcdefghijkl", (12, 9, 20, 5, 2, 2, 7, 15, 30, 4, 3, 10), strict=True))
    codes = people(4000, sizes, 8)
    random = np.random.default_rng(9)
    true = marginals(codes, sizes, combinations(sizes, 2))
    noisy = {pair: t + np.rint(random.laplace(0, 8, t.shape)) for pair, t in true.items()}
    agreed = consistent(noisy, whole_total=True)
    made = synthetic(agreed.tables, sizes, records=4000)
    to_truth = np.mean(list(distances(made, sizes, true).values()))
    of_noise = np.mean([np.abs(noisy[pair] - true[pair]).sum() / 4000 for pair in true])
    assert to_truth < 0.7 * of_noise
    assert np.mean(list(distances(made, sizes, agreed.tables).values())) < 0.1


def objective(
    codes: NDArray[np.int32], sizes: dict[str, int], tables: dict[Columns, Array]
) -> float:
    return sum(float(((by_hand(codes, sizes, c) - t) ** 2).sum()) for c, t in tables.items())


@settings(deadline=None, max_examples=40)
@given(CHOICES.filter(bool), st.integers(0, 2**32))
def test_settled_records_cannot_be_bettered_by_one_value(chosen: list[Columns], seed: int) -> None:
    random = np.random.default_rng(seed)
    tables = {}
    for columns in chosen:
        turned = tuple(random.permutation(columns).tolist())
        cells = prod(SIZES[c] for c in turned)
        tables[turned] = (random.dirichlet(np.ones(cells)) * 12).reshape([SIZES[c] for c in turned])
    codes = np.stack([random.integers(0, n, 12) for n in SIZES.values()], axis=1).astype(np.int32)
    before = objective(codes, SIZES, tables)
    rounds = settled(codes, tables, list(SIZES))
    after = objective(codes, SIZES, tables)
    assert after <= before
    assert rounds < 20, "it came to an end, so:"
    for record in range(12):
        for column, size in enumerate(SIZES.values()):
            for value in range(size):
                other = codes.copy()
                other[record, column] = value
                assert objective(other, SIZES, tables) >= after - 1e-6


def test_the_same_tables_give_the_same_records() -> None:
    tables: dict[Columns, Any] = {
        ("a", "b"): np.array([[30.5, 20.0, 1.0], [5.0, 6.0, 7.0]]),
        ("d", "b"): np.arange(12.0).reshape(4, 3),
    }
    first = synthetic(tables, SIZES, records=500)
    assert (first == synthetic(tables, SIZES, records=500)).all()
    turned = dict(reversed(tables.items()))
    assert (first == synthetic(turned, SIZES, records=500)).all()
    assert (first != synthetic(tables, SIZES, records=500, seed=b"another")).any()
    assert fingerprint(tables, SIZES, 500) != fingerprint(tables, SIZES, 501)
    other = {**tables, ("a", "b"): tables[("a", "b")] + 1e-9}
    assert fingerprint(tables, SIZES, 500) != fingerprint(other, SIZES, 500)
    assert (first != first[np.lexsort(first.T)]).any(), "they are shuffled"


def test_tables_that_nobody_can_have_are_told() -> None:
    """Each two of three columns differ: in each record at least one pair is alike."""
    ring = {pair: np.array([[0.0, 50.0], [50.0, 0.0]]) for pair in combinations("abc", 2)}
    sizes = dict.fromkeys("abc", 2)
    far = distances(synthetic(ring, sizes, records=100), sizes, ring)
    assert sum(far.values()) >= 2 - 1e-9
    assert sum(far.values()) < 2.1


def test_empty_things() -> None:
    assert synthetic({}, {"a": 2}, records=0).shape == (0, 1)
    assert synthetic({}, {"a": 2, "b": 1}, records=3).shape == (3, 2)
    assert synthetic({("a",): np.zeros(2)}, {"a": 2}, records=4).sum() == 2
    assert synthetic({(): np.array(4.0)}, {"a": 2}, records=4).sum() == 2
    assert synthetic({}, {}, records=2).shape == (2, 0)
    assert distances(np.zeros((0, 1), np.int32), {"a": 2}, {("a",): np.ones(2)}) == {("a",): 0.0}


@pytest.mark.parametrize(
    ("tables", "sizes", "records"),
    [
        ({("a",): np.array([1.0, -1.0])}, {"a": 2}, 5),
        ({("a",): np.array([1.0, 1.0])}, {"a": 3}, 5),
        ({("a",): np.array([1.0, 1.0])}, {"b": 2}, 5),
        ({("a",): np.array([1.0, np.nan])}, {"a": 2}, 5),
        ({("a",): np.array([1.0, 1.0])}, {"a": 2}, -1),
        ({("a",): np.array([1.0, 1.0])}, {"a": 2}, 10**9),
        ({("a",): np.array([1.0, 1.0])}, {"a": 2.0}, 5),
    ],
)
def test_wrong_input_is_refused(tables: Any, sizes: Any, records: int) -> None:
    with pytest.raises(HedgerowError):
        synthetic(tables, sizes, records=records)
