"""Graphs without lists of edges, against their definitions on small domains."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noise.blowfish import everything

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold, line
from hedgerow.noise.blowfish.listed_graphs import EARTH, Explicit, Grid, Near
from hedgerow.noise.blowfish.ordered_mechanism import Ordered
from hedgerow.noise.blowfish.policy import Policy
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.noise.blowfish.sensitivity import count, linear
from hedgerow.noise.measures import Pure
from hedgerow.table.domain import Bounds

Case = tuple[Graph, everything.Edge]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A graph, and its edges by definition."""
    size = draw(st.integers(1, 7))
    kind = draw(
        st.sampled_from(["full", "partition", "even", "uneven", "explicit", "near", "grid"])
    )
    if kind == "full":
        return Full(size), lambda x, y: x != y
    if kind == "partition":
        blocks = tuple(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
        return Partition(blocks), lambda x, y: x != y and blocks[x] == blocks[y]
    theta = draw(st.integers(1, 6))
    if kind == "even":
        return Threshold(range(3, 3 + 2 * size, 2), theta), lambda x, y: 0 < 2 * abs(x - y) <= theta
    if kind == "uneven":
        at = tuple(sorted(draw(st.sets(st.integers(-9, 9), min_size=size, max_size=size))))
        return Threshold(at, theta), lambda x, y: 0 < abs(at[x] - at[y]) <= theta
    if kind == "explicit":
        pairs = list(combinations(range(size), 2))
        chosen = tuple(draw(st.lists(st.sampled_from(pairs), max_size=9))) if pairs else ()
        return Explicit(size, chosen), lambda x, y: (min(x, y), max(x, y)) in chosen
    power = draw(st.sampled_from([1, 2]))
    metric = "L1" if power == 1 else "L2"

    def near(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return (
            a != b and sum(abs(p - q) ** power for p, q in zip(a, b, strict=True)) <= theta**power
        )

    if kind == "grid":
        shape = draw(st.sampled_from([(2, 3), (7,), (2, 2, 2), (1, 4)]))
        every = list(product(*map(range, shape)))
        return Grid(shape, theta, metric), lambda x, y: near(every[x], every[y])
    some = st.tuples(st.integers(-4, 4), st.integers(-4, 4))
    points = tuple(draw(st.lists(some, min_size=size, max_size=size, unique=True)))
    return Near(points, within=theta, metric=metric), lambda x, y: near(points[x], points[y])


@settings(max_examples=200, deadline=None)
@given(cases())
def test_edges_paths_and_components_are_those_of_the_definition(case: Case) -> None:
    graph, edge = case
    x, y = np.meshgrid(np.arange(graph.size), np.arange(graph.size), indexing="ij")
    paths = everything.paths(graph.size, edge)
    listed = [[a, b] for a, b in combinations(range(graph.size), 2) if edge(a, b)]
    assert sorted(graph.edges().tolist()) == listed
    assert graph.joined(x, y).tolist() == [
        [edge(a, b) for b in range(graph.size)] for a in range(graph.size)
    ]
    assert graph.distance(x, y).tolist() == paths
    labels = graph.components
    assert ((labels[x] == labels[y]) == (np.array(paths) >= 0)).all()
    assert set(labels.tolist()) == set(range(len(set(labels.tolist()))))
    assert graph.connected == (min(map(min, paths)) >= 0)
    far = max(map(max, paths))
    bound_only = isinstance(graph, Grid) and graph.metric == "L2"
    assert graph.diameter >= far if bound_only else graph.diameter == far


@settings(max_examples=200, deadline=None)
@given(cases(), st.data())
def test_changes_along_edges_are_those_of_the_list(case: Case, data: st.DataObject) -> None:
    graph, edge = case
    n = graph.size
    edges = [(a, b) for a, b in combinations(range(n), 2) if edge(a, b)]
    numbers = st.lists(st.integers(-50, 50), min_size=n, max_size=n)
    v = data.draw(numbers)
    assert graph.spread(v) == max((abs(v[a] - v[b]) for a, b in edges), default=0)
    cells = data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    inside = [cell >= 0 for cell in cells]
    assert graph.crossing(cells) == (
        any(inside[a] and inside[b] and cells[a] != cells[b] for a, b in edges),
        any(inside[a] != inside[b] for a, b in edges),
    )
    w = data.draw(st.lists(numbers, min_size=1, max_size=3))
    one = max((sum(abs(r[a] - r[b]) for r in w) for a, b in edges), default=0)
    two = max((sum((r[a] - r[b]) ** 2 for r in w) for a, b in edges), default=0)
    assert graph.differences(w) == (one, two, True)


@settings(max_examples=100, deadline=None)
@given(cases(), st.data())
def test_where_edges_are_too_many_the_bound_is_above(case: Case, data: st.DataObject) -> None:
    graph, _ = case
    if not hasattr(graph, "reach"):
        return
    numbers = st.lists(st.integers(-50, 50), min_size=graph.size, max_size=graph.size)
    w = data.draw(st.lists(numbers, min_size=1, max_size=3))
    exact = graph.differences(w)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hedgerow.noise.blowfish.secret_graph.MOST_EDGES", -1)
        one, two, certain = graph.differences(w)
    assert one >= exact[0]
    assert two >= exact[1]
    assert not certain or (one, two) == exact[:2]
    assert certain == (len(w) == 1)


def test_the_papers_thresholds() -> None:
    """Theta itself is an edge, and steps are rounded up, not down."""
    ages = Threshold(range(101), 10)
    x = np.arange(101)
    assert ages.distance(0, x).tolist() == [math.ceil(d / 10) for d in range(101)]
    assert ages.distance(3, 4).item() == 1, "rounded down it would be 0: not told apart at all"
    assert ages.spread(x) == 10, "with edges under theta it would be 9"


def test_steps_are_along_the_values_there_are() -> None:
    sparse = Threshold(tuple(range(0, 21, 4)), 5)
    assert sparse.distance(0, 5).item() == 5 > math.ceil(20 / 5)
    gap = Threshold((0, 1, 9, 10), 5)
    assert gap.distance(1, 2).item() == -1
    assert gap.components.tolist() == [0, 0, 1, 1]


def test_thresholds_of_a_domain_are_in_steps() -> None:
    half = Bounds(Fraction(0), Fraction(10), Fraction(1, 2))
    assert Threshold.on(half, "1.3") == Threshold(range(21), 2)
    assert Threshold.among(("-0.5", 0, "1e-1"), "0.2") == Threshold((-5, 0, 1), 2)
    with pytest.raises(PlanError, match="there is no other"):
        Threshold.on(half, "0.4")


def _kilometres(a: tuple[float, float], b: tuple[float, float]) -> float:
    """The haversine formula."""
    p, q = (list(map(math.radians, place)) for place in (a, b))
    h = (
        math.sin((q[0] - p[0]) / 2) ** 2
        + math.cos(p[0]) * math.cos(q[0]) * math.sin((q[1] - p[1]) / 2) ** 2
    )
    return 2 * EARTH * math.asin(math.sqrt(h))


places = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


@settings(max_examples=50, deadline=None)
@given(st.lists(places, min_size=2, max_size=8), st.floats(1, 25000))
def test_great_circles(points: list[tuple[float, float]], theta: float) -> None:
    graph = Near(tuple(points), within=theta, metric="great-circle")
    found = set(map(tuple, graph.edges().tolist()))
    for a, b in combinations(range(len(points)), 2):
        d = _kilometres(points[a], points[b])
        if d <= theta:
            assert (a, b) in found
        # Near the far side of the ball chords hardly grow any more: more may be joined.
        elif d > theta * 1.0001 + 3:
            assert (a, b) not in found


def test_across_the_date_line_and_ten_kilometres() -> None:
    line_ = Near(((0, 179.99), (0, -179.99), (0, 170)), within=10, metric="great-circle")
    assert line_.edges().tolist() == [[0, 1]]
    exact = Near(((0, 0), (3, 4), (30, 40)), within=Fraction(5), metric="L2")
    assert exact.edges().tolist() == [[0, 1]], "a distance of exactly theta is an edge"


@given(st.sampled_from(["L1", "L2"]), st.integers(1, 9), st.data())
@settings(max_examples=60, deadline=None)
def test_sums_of_coordinates_of_a_box(metric: str, theta: int, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(3, 4), (6,), (2, 3, 2)]))
    box = tuple(
        tuple(sorted(data.draw(st.tuples(st.integers(-1, 6), st.integers(-1, 6))))) for _ in shape
    )
    grid = Grid(shape, theta, metric)  # type: ignore[arg-type]
    held = np.stack(
        [np.clip(row, *b) for row, b in zip(grid.points(np.arange(grid.size)), box, strict=True)]
    )
    one, two, _ = grid.differences(held)
    claimed = grid.sums(box)  # type: ignore[arg-type]
    assert claimed[0] >= one
    assert claimed[1] >= two
    assert not claimed[2] or claimed[:2] == (one, two)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Full(0),
        lambda: Partition((0, -1)),
        lambda: Partition(()),
        lambda: Threshold((1, 1), 1),
        lambda: Threshold(range(5, 0, -1), 1),
        lambda: Threshold(range(3), 0),
        lambda: Threshold.among((1, "x"), 1),
        lambda: Explicit(2, ((0, 2),)),
        lambda: Explicit(2, ((1, 1),)),
        lambda: Explicit(3, ((0, 1, 2),)),  # type: ignore[arg-type]
        lambda: Near(((0, 0), (1,)), within=1, metric="L1"),
        lambda: Near(((0.5, 0),), within=1, metric="L2"),
        lambda: Near(((91, 0),), within=1, metric="great-circle"),
        lambda: Near(((float("nan"), 0),), within=1, metric="great-circle"),
        lambda: Near(((0, 0),), within=1, metric="L3"),  # type: ignore[arg-type]
        lambda: Grid((), 1),
        lambda: Grid((256, 256, 256), 1).edges(),
        lambda: Full(100_000).edges(),
        lambda: Full(3).distance(0, 3),
        lambda: Full(3).distance(-1, 0),
        lambda: Full(3).spread([1, 2]),
        lambda: Full(3).spread([1.5, 2, 3]),
        lambda: Full(2).spread([2**62, -(2**62)]),
        lambda: Full(2).differences([[2**40, -(2**40)]]),
    ],
)
def test_wrong_graphs_are_refused(wrong) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(PlanError):
        wrong()


def test_long_lines() -> None:
    far = line(1_000_000)
    assert far.distance(0, [999_999, 17]).tolist() == [999_999, 17]
    assert far.diameter == 999_999
    assert all(a <= b for a, b in pairwise(far.reach[:1000].tolist()))


THREE = Policy({"a": Full(3)})
WRONG: dict[str, Callable[[], Any]] = {
    "names of blocks": lambda: Partition(("a", "b")),  # type: ignore[arg-type]
    "no blocks": lambda: Partition(()),
    "half a block": lambda: Partition((0.5, 1)),  # type: ignore[arg-type]
    "ragged blocks": lambda: Partition(((0, 1), (2,))),  # type: ignore[arg-type]
    "a side alone": lambda: Grid(5, 1),  # type: ignore[arg-type]
    "texts within": lambda: Threshold("abc", 1),  # type: ignore[arg-type]
    "halves within": lambda: Threshold((0.5, 1.5), 1),  # type: ignore[arg-type]
    "a number of pairs": lambda: Explicit(3, 5),  # type: ignore[arg-type]
    "half a pair": lambda: Explicit(3, ((0, 1), (1,))),  # type: ignore[arg-type]
    "no points": lambda: Near(5, within=1, metric="L1"),  # type: ignore[arg-type]
    "no graph": lambda: Policy({"a": 3}),  # type: ignore[dict-item]
    "no mapping": lambda: Policy(3),  # type: ignore[arg-type]
    "no name": lambda: Policy({3: Full(2)}),  # type: ignore[dict-item]
    "one bound": lambda: THREE.sum_sensitivity({"a": 3}),  # type: ignore[dict-item]
    "no bounds": lambda: THREE.sum_sensitivity({"a": ("x", 2)}),  # type: ignore[dict-item]
    "bounds of nothing": lambda: THREE.sum_sensitivity(5),  # type: ignore[arg-type]
    "a ragged matrix": lambda: linear(Full(3), [[1, 2, 3], [1, 2]]),
    "a ragged condition": lambda: count(Full(3), [[True], [True, False]]),
    "ragged codes": lambda: Full(3).joined([[0], [1, 2]], 1),
    "less than nobody": lambda: Ordered(line(3), Pure(epsilon=1)).release([-1, 2, 3]),
    "ragged counts": lambda: Ordered(line(3), Pure(epsilon=1)).release([[1], [2, 3]]),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_calls_are_told_clearly(what: str) -> None:
    with pytest.raises(HedgerowError):
        WRONG[what]()
