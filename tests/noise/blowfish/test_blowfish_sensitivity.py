"""Sensitivities against all neighbouring tables of small domains; nothing is looked up."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noise.blowfish import everything
from noise.blowfish.test_blowfish_graphs import Case, cases
from work import growth

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold, line
from hedgerow.noise.blowfish.listed_graphs import Explicit, Grid, Near
from hedgerow.noise.blowfish.policy import Policy
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.noise.blowfish.sensitivity import (
    Exact,
    Sensitivity,
    count,
    cumulative,
    histogram,
    linear,
    partition_histogram,
    total,
)
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated


def same(found: Sensitivity, wanted: tuple[int, int]) -> None:
    assert found.exact
    assert (found.l1, found.l2_squared) == wanted


@settings(max_examples=150, deadline=None)
@given(cases(), st.data())
def test_one_column_against_all_tables(case: Case, data: st.DataObject) -> None:
    graph, edge = case
    n = graph.size
    values = range(n)

    def brute(answer: Callable[..., list[int]]) -> tuple[int, int]:
        return everything.sensitivity(values, edge, answer)

    where = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    same(count(graph, where), brute(lambda t: [sum(where[x] for x in t)]))
    same(histogram(graph), brute(lambda t: everything.histogram(t, values)))
    cells = data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    by = lambda t, k: [x for x in t if cells[x] == k]  # noqa: E731
    same(partition_histogram(graph, cells), brute(lambda t: [len(by(t, k)) for k in range(3)]))
    same(cumulative(graph), brute(lambda t: [sum(x <= y for x in t) for y in values]))
    v = data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n))
    same(total(graph, v), brute(lambda t: [sum(v[x] for x in t)]))
    same(total(graph, v, cells), brute(lambda t: [sum(v[x] for x in by(t, k)) for k in range(3)]))
    rows = st.lists(st.integers(-9, 9), min_size=n, max_size=n)
    w = data.draw(st.lists(rows, min_size=1, max_size=3))
    same(linear(graph, w), brute(lambda t: [sum(row[x] for x in t) for row in w]))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_several_columns_against_all_tables(data: st.DataObject) -> None:
    """Edges by the reading that is written down: at most so many columns, each along its graph."""
    graphs = [
        data.draw(cases().filter(lambda case: case[0].size <= 4))
        for _ in range(data.draw(st.sampled_from([1, 2, 2, 3])))
    ]
    names = ["age", "disease", "place"][: len(graphs)]
    at_once = data.draw(st.integers(1, len(graphs)))
    policy = Policy(
        {name: graph for name, (graph, _) in zip(names, graphs, strict=True)}, at_once=at_once
    )
    rows = list(product(*(range(graph.size) for graph, _ in graphs)))

    def edge(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
        moved = [(a, b, e) for a, b, (_, e) in zip(x, y, graphs, strict=True) if a != b]
        return 1 <= len(moved) <= at_once and all(e(a, b) for a, b, e in moved)

    def brute(answer: Callable[..., list[int]]) -> tuple[int, int]:
        return everything.sensitivity(rows, edge, answer, rows=1)

    def draw(values: st.SearchStrategy[int], column: int) -> list[int]:
        n = graphs[column][0].size
        return data.draw(st.lists(values, min_size=n, max_size=n))

    paths = everything.paths(len(rows), lambda i, j: edge(rows[i], rows[j]))
    i, j = np.divmod(np.arange(len(rows) ** 2), len(rows))
    codes = np.array(rows).T
    found = policy.distance(
        {name: codes[k][i] for k, name in enumerate(names)},
        {name: codes[k][j] for k, name in enumerate(names)},
    )
    assert found.tolist() == [d for row in paths for d in row]
    assert policy.diameter >= max(map(max, paths))
    assert policy.connected == (min(map(min, paths)) >= 0)

    joint = policy.joint()
    assert {tuple(pair) for pair in joint.edges().tolist()} == {
        (i, j) for j in range(len(rows)) for i in range(j) if edge(rows[i], rows[j])
    }

    used = data.draw(st.sets(st.sampled_from(range(len(names)))))
    masks = {k: [bool(b) for b in draw(st.integers(0, 1), k)] for k in used}
    cells = {
        k: draw(st.integers(-1, 1), k)
        for k in data.draw(st.sets(st.sampled_from(range(len(names)))))
    }
    where = {names[k]: mask for k, mask in masks.items()}
    by = {names[k]: labels for k, labels in cells.items()}

    def inside(row: tuple[int, ...]) -> bool:
        return all(m[row[k]] for k, m in masks.items())

    def cell(row: tuple[int, ...]) -> tuple[int, ...] | None:
        key = tuple(labels[row[k]] for k, labels in cells.items())
        return key if inside(row) and min(key, default=0) >= 0 else None

    keys = list(product(range(2), repeat=len(cells)))
    same(policy.count(where), brute(lambda t: [sum(map(inside, t))]))
    same(policy.histogram(by, where), brute(lambda t: [sum(cell(r) == k for r in t) for k in keys]))

    v = {
        k: draw(st.integers(-5, 5), k)
        for k in data.draw(st.sets(st.sampled_from(range(len(names)))))
    }
    claimed = policy.total({names[k]: numbers for k, numbers in v.items()}, by=by, where=where)
    wanted = brute(lambda t: [sum(v[c][r[c]] for r in t if cell(r) == k) for k in keys for c in v])
    assert (claimed.l1, claimed.l2_squared) >= wanted
    assert claimed.l2_squared >= wanted[1]
    if claimed.exact:
        same(claimed, wanted)
    first = {name: mask for name, mask in where.items() if name != names[0]}
    size = graphs[0][0].size
    other = [k for k in masks if k != 0]
    wanted = brute(
        lambda t: [
            sum(r[0] <= y and all(masks[k][r[k]] for k in other) for r in t) for y in range(size)
        ]
    )
    same(policy.cumulative(names[0], first), wanted)


def test_graphs_of_five_values() -> None:
    """Each formula, and brute force beside it."""
    for graph, edge, longest in (
        (Full(5), lambda x, y: x != y, 4),
        (line(5), lambda x, y: abs(x - y) == 1, 1),
        (Threshold(range(5), 3), lambda x, y: 0 < abs(x - y) <= 3, 3),
        (Partition((0, 0, 0, 1, 1)), lambda x, y: x != y and (x < 3) == (y < 3), 2),
    ):
        assert histogram(graph).l1 == 2
        assert cumulative(graph).l1 == total(graph, range(5)).l1 == longest
        prefixes = lambda t: [sum(x <= y for x in t) for y in range(5)]  # noqa: E731
        assert everything.sensitivity(range(5), edge, prefixes)[0] == longest
    assert partition_histogram(Partition((0, 0, 0, 1, 1)), [0, 0, 0, 1, 1]).l1 == 0
    assert partition_histogram(Partition((0, 0, 0, 1, 1)), [0, 0, 1, 1, 1]).l1 == 2


def test_the_papers_sums() -> None:
    """Machanavajjhala and Kifer: ages 0 to 100, within 5, and ranges 0-10, 11-20, ..., 91-100."""
    ages = np.arange(101)
    assert total(Full(101), ages).l1 == 100
    assert total(Threshold(range(101), 5), ages).l1 == 5
    assert total(Partition(tuple([0] + [(x - 1) // 10 for x in range(1, 101)])), ages).l1 == 10
    attribute = Policy({"a": Full(11), "b": Full(31)}, at_once=1)
    assert attribute.sum_sensitivity({"a": (0, 10), "b": (0, 30)}).l1 == 30
    both = Policy({"a": Full(11), "b": Full(31)})
    assert both.sum_sensitivity({"a": (0, 10), "b": (0, 30)}).l1 == 40


def test_sums_by_cluster_are_not_theta() -> None:
    """Centroids 25 and 75, theta 5; the paper says 5, or 10."""
    ages = np.arange(101)
    nearest = np.where(np.abs(ages - 25) <= np.abs(ages - 75), 0, 1)
    near = Threshold(range(101), 5)
    assert total(near, ages, nearest).l1 == 105
    recentred = np.where(nearest == 0, ages - 25, ages - 75)
    assert total(near, recentred, nearest).l1 == 49


def test_what_is_held_within_a_box_changes_less() -> None:
    policy = Policy({"age": Threshold(range(101), 50), ("x", "y"): Grid((9, 9), 4)})
    assert policy.sum_sensitivity({"age": (10, 20)}).l1 == 10
    assert policy.sum_sensitivity({"age": (0, 100), "x": (0, 8), "y": (0, 1)}).l1 == 54
    one = Policy(dict(policy.parts), at_once=1)
    assert one.sum_sensitivity({"age": (0, 100), "x": (0, 8), "y": (0, 1)}).l1 == 50
    with pytest.raises(PlanError, match="share a graph"):
        policy.sum_sensitivity({"x": (0, 8)})
    with pytest.raises(PlanError, match="does not say"):
        policy.sum_sensitivity({"ago": (0, 8)})


def test_a_person_with_two_rows() -> None:
    """Both rows may go the same way: norms double, and squares of norms go up by four."""
    worst = [0, 0]
    for before, after in product(product(range(3), repeat=2), repeat=2):
        if all(abs(x - y) == 1 for x, y in zip(before, after, strict=True)):
            a, b = (everything.histogram(t, range(3)) for t in (before, after))
            change = np.abs(np.subtract(a, b))
            worst = [max(worst[0], int(change.sum())), max(worst[1], int((change**2).sum()))]
    same(histogram(line(3)).times(2), (worst[0], worst[1]))


def test_noise_is_for_the_sensitivity_and_no_more() -> None:
    five = Sensitivity(5, 5)
    assert five.mechanism(Pure(epsilon="0.5")).scale == 10
    gauss = five.mechanism(ZeroConcentrated(rho="0.1"))
    rho = five.loss(gauss).rho  # type: ignore[union-attr]
    assert Fraction(999, 10000) < rho <= Fraction(1, 10)
    assert five.times(2).loss(five.mechanism(Pure(epsilon=1))) == Pure(epsilon=2)
    exact = Sensitivity(0, 0).mechanism(Pure(epsilon=1))
    assert isinstance(exact, Exact)
    assert Sensitivity(0, 0).loss(exact) == Pure(epsilon=0)
    assert exact.release([3]) == [3]
    with pytest.raises(PlanError, match="any budget"):
        exact.privacy_map(1)
    with pytest.raises(PlanError, match="pure or a zero-concentrated"):
        five.mechanism(Approximate(epsilon=1, delta="1e-6"))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda p: p.count({"nothing": [True]}),
        lambda p: p.count({"age": [1, 0, 1]}),
        lambda p: p.count({"age": [True]}),
        lambda p: p.histogram({"age": [0.5, 1, 2]}),
        lambda p: p.cumulative("age", {"age": [True, True, False]}),
        lambda p: p.graph("x"),
        lambda p: p.distance({"age": 0}, {"age": 1}),
        lambda p: Policy({}),
        lambda p: Policy({"a": Full(2), ("a", "b"): Grid((2, 2), 1)}),
        lambda p: Policy({("a", "b"): Grid((2,), 1)}),
        lambda p: Policy({"a": Full(2)}, at_once=0),
        lambda p: p.change_one(Pure(epsilon=1)),
    ],
)
def test_wrong_questions_are_refused(wrong: Callable[[Policy], object]) -> None:
    policy = Policy({"age": Partition((0, 0, 1)), ("x", "y"): Grid((2, 2), 1)})
    with pytest.raises(PlanError):
        wrong(policy)


@pytest.mark.parametrize(
    "made",
    [
        line,
        lambda n: Threshold(range(n), n // 100),
        lambda n: Threshold(tuple(np.cumsum(1 + np.arange(n) % 7).tolist()), n // 2),
        lambda n: Partition(tuple((np.arange(n) // 10).tolist())),
        Full,
    ],
    ids=["line", "threshold", "uneven", "partition", "full"],
)
def test_a_hundred_thousand_values_are_handled_as_arrays(made: Callable[[int], Graph]) -> None:
    # Each asks a graph of its own, as graphs remember what they were asked.
    graphs = {n: [made(n) for _ in range(2)] for n in (1_000, 100_000)}

    def asked(n: int) -> None:
        graph = graphs[n].pop()
        histogram(graph)
        cumulative(graph)

    assert growth(asked, 1_000, 100_000) < 1.5


def test_explicit_trees_and_stars() -> None:
    star = Explicit(4, ((0, 1), (0, 2), (0, 3)))
    assert linear(star, np.eye(4, dtype=int)).l1 == 2
    assert cumulative(star).l1 == 3


def test_columns_that_share_a_graph_are_asked_about_together() -> None:
    places = Near(((0, 0), (3, 4), (9, 9)), within=5, metric="L2")
    policy = Policy({("x", "y"): places, "age": Full(3)})
    assert policy.histogram({("x", "y"): [0, 1, 2]}).l1 == 2
    assert policy.count({("x", "y"): [True, True, False]}).l1 == 0
    assert policy.sum_sensitivity({"x": (0, 9), "y": (0, 9)}) == Sensitivity(7, 25)
    assert policy.sum_sensitivity({"x": (0, 9), "y": (0, 2)}) == Sensitivity(5, 13)
    with pytest.raises(PlanError, match="shares its graph"):
        policy.count({"x": [True, True, False]})
    with pytest.raises(PlanError, match="as many coordinates"):
        Policy({("x", "y", "z"): places})
    assert Policy({"town": places}).histogram({"town": [0, 0, 1]}).l1 == 0
    for graph in (places, Grid((2, 2), 1)):
        with pytest.raises(PlanError, match="no numbers of their own"):
            Policy({"town": graph}).sum_sensitivity({"town": (0, 9)})
    with pytest.raises(PlanError, match="different rows"):
        Policy({"a": Full(100), "b": Full(100)}).joint()
