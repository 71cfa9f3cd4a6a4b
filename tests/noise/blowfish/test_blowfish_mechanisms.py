"""Whole mechanisms on tiny domains: what is drawn, with what noise, and nothing else of the data.

Two ways. The noise's source is replaced, so that every table's true numbers and scales are seen:
the loss between two tables follows exactly, and with the same noisy numbers two tables must give
the same output to the last bit. And with the oracle's exact distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from noise import oracle
from noise.blowfish import everything
from noise.blowfish.test_blowfish_graphs import Case, cases
from numpy.typing import NDArray
from work import growth

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise import samplers
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold, line
from hedgerow.noise.blowfish.hierarchical_mechanism import OrderedHierarchical, ranges_for
from hedgerow.noise.blowfish.listed_graphs import Explicit
from hedgerow.noise.blowfish.ordered_mechanism import CumulativeCounts, Ordered
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.noise.blowfish.sensitivity import count, histogram, partition_histogram
from hedgerow.noise.blowfish.transform import TreeTransform
from hedgerow.noise.measures import Pure, ZeroConcentrated

Draw = tuple[str, float, tuple[int, ...]]
ONE = Pure(epsilon=1)


@contextmanager
def seen(answer: Callable[[Any], Any]) -> Iterator[list[Draw]]:
    """Writes down what noise is added to; what comes out is up to the test."""
    draws: list[Draw] = []

    def add(kind: str, values: Any, scale: float) -> Any:
        draws.append((kind, scale, tuple(values.tolist())))
        return np.asarray(answer(values), np.int64)

    with patch.object(samplers, "_add", add):
        yield draws


def loss_between(a: list[Draw], b: list[Draw]) -> Fraction:
    """Epsilon of all Laplace draws together, or rho of all Gaussian ones: exact."""
    total = Fraction(0)
    assert len(a) == len(b)
    for (kind, scale, x), (other, same, y) in zip(a, b, strict=True):
        assert (kind, scale, len(x)) == (other, same, len(y))
        s = Fraction(scale)
        for p, q in zip(x, y, strict=True):
            total += abs(p - q) / s if kind == "laplace" else (p - q) ** 2 / (2 * s * s)
    return total


def output(released: Any) -> bytes:
    if isinstance(released, CumulativeCounts):
        return released.noisy.tobytes() + released.prefixes.tobytes()
    return bytes(released.noisy.tobytes() + released.totals.tobytes())


def run(mechanism: Any, counts: list[int]) -> tuple[list[Draw], bytes]:
    """The draws of a table, and its output given noisy numbers that are always the same."""
    with seen(lambda values: np.arange(len(values)) * 7 % 5) as draws:
        return draws, output(mechanism.release(counts))


def keeps_its_loss(mechanism: Any, graph: Graph, edge: everything.Edge, *, reached: bool) -> None:
    """On every pair of tables with two rows, at every distance."""
    values = range(graph.size)
    spent = mechanism.spent
    assert (spent.epsilon if isinstance(spent, Pure) else spent.rho) <= (
        mechanism.loss.epsilon if isinstance(spent, Pure) else mechanism.loss.rho
    )
    paths = everything.paths(graph.size, edge)
    worst = Fraction(0)
    for other in values:
        tables = [run(mechanism, everything.histogram((other, x), values)) for x in values]
        for x, y in product(values, repeat=2):
            if x == y or paths[x][y] < 0:
                continue
            assert tables[x][1] == tables[y][1], "equal noisy numbers, different outputs"
            found = loss_between(tables[x][0], tables[y][0])
            claim = spent.group(paths[x][y])
            assert found <= (claim.epsilon if isinstance(claim, Pure) else claim.rho)
            if paths[x][y] == 1:
                worst = max(worst, found)
    if reached:
        assert worst == (spent.epsilon if isinstance(spent, Pure) else spent.rho)


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from([ONE, Pure(epsilon="0.3"), ZeroConcentrated(rho="0.1")]))
def test_ordered(case: Case, loss: Pure | ZeroConcentrated) -> None:
    graph, edge = case
    assume(len(graph.edges()))
    # A root that is not rational was rounded up: then the claim is not reached.
    keeps_its_loss(Ordered(graph, loss), graph, edge, reached=isinstance(loss, Pure))


@settings(max_examples=60, deadline=None)
@given(cases(), st.integers(2, 4))
def test_ordered_hierarchical(case: Case, fanout: int) -> None:
    graph, edge = case
    assume(len(graph.edges()))
    mechanism = OrderedHierarchical(graph, ONE, fanout=fanout)
    keeps_its_loss(mechanism, graph, edge, reached=False)


@pytest.mark.parametrize(
    ("size", "theta", "fanout"), [(9, 2, 2), (12, 4, 2), (12, 3, 3), (10, 5, 3)]
)
def test_ordered_hierarchical_reaches_its_loss(size: int, theta: int, fanout: int) -> None:
    graph = Threshold(range(size), theta)
    keeps_its_loss(
        OrderedHierarchical(graph, ONE, fanout=fanout),
        graph,
        lambda x, y: 0 < abs(x - y) <= theta,
        reached=True,
    )


@st.composite
def forests(draw: st.DrawFn) -> Case:
    size = draw(st.integers(2, 7))
    parents = [draw(st.integers(-1, k - 1)) for k in range(1, size)]
    order = draw(st.permutations(range(size)))
    pairs = [tuple(sorted((order[k], order[p]))) for k, p in enumerate(parents, start=1) if p >= 0]
    return Explicit(size, tuple(pairs)), lambda x, y: (min(x, y), max(x, y)) in pairs  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(forests(), st.data())
def test_trees(case: Case, data: st.DataObject) -> None:
    graph, edge = case
    assume(len(graph.edges()))
    transform = TreeTransform(graph, ONE)
    keeps_its_loss(transform, graph, edge, reached=True)
    n = graph.size
    counts = data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    w = data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=1))
    with seen(lambda values: values):
        released = transform.release(counts)
    assert released.histogram().tolist() == counts
    assert released.answer(w).tolist() == (np.array(w) @ counts).tolist()
    far = data.draw(
        st.lists(st.integers(-3, 3), min_size=len(graph.edges()), max_size=len(graph.edges()))
    )
    with seen(lambda values: values + far):
        released = transform.release(counts)
    assert released.answer(np.eye(n, dtype=int)).tolist() == released.histogram().tolist()
    assert released.histogram().sum() == sum(counts)


@settings(max_examples=40, deadline=None)
@given(cases())
def test_a_spanning_tree_costs_its_stretch(case: Case) -> None:
    graph, edge = case
    assume(len(graph.edges()))
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_tree

    a, b = graph.edges().T
    sparse = csr_array((np.ones(len(a)), (a, b)), shape=(graph.size,) * 2)
    pairs = set()
    for root in np.unique(graph.components, return_index=True)[1]:
        tree = breadth_first_tree(sparse, root, directed=False).tocoo()
        pairs |= {tuple(sorted(map(int, p))) for p in zip(*tree.coords, strict=True)}
    transform = TreeTransform(Explicit(graph.size, tuple(pairs)), ONE, graph)  # type: ignore[arg-type]
    keeps_its_loss(transform, graph, edge, reached=True)


def test_across_components_nothing_is_promised() -> None:
    """Two trees: a row in one or in the other gives different totals whatever the noise."""
    transform = TreeTransform(Explicit(4, ((0, 1), (2, 3))), ONE)
    assert run(transform, [1, 0, 0, 0])[1] != run(transform, [0, 0, 1, 0])[1]
    blocks = Partition((0, 0, 1, 1))
    exact = partition_histogram(blocks, [0, 0, 1, 1]).mechanism(ONE)
    outputs = [{tuple(exact.release(h)): Fraction(1)} for h in ((1, 0), (0, 1))]
    assert oracle.worst_ratio(outputs[0], outputs[1]) == math.inf  # type: ignore[arg-type]


WINDOW = range(-2, 5)


@pytest.mark.parametrize(
    "graph",
    [line(3), Full(3), Partition((0, 0, 1)), Partition((0, 1, 0)), Explicit(3, ((0, 2),))],
    ids=str,
)
@pytest.mark.parametrize("kind", ["histogram", "cumulative", "count"])
def test_exact_distributions(graph: Graph, kind: str) -> None:
    """Over all tables of two rows: at most e^epsilon for each edge, and that is reached."""
    epsilon = Fraction(1, 2)
    if kind == "histogram":
        mechanism: Any = histogram(graph).mechanism(Pure(epsilon=epsilon))
        answer = lambda h: h  # noqa: E731
    elif kind == "count":
        mechanism = count(graph, [True, True, False]).mechanism(Pure(epsilon=epsilon))
        answer = lambda h: (h[0] + h[1],)  # noqa: E731
    else:
        mechanism = Ordered(graph, Pure(epsilon=epsilon)).noise
        answer = lambda h: (h[0], h[0] + h[1])  # noqa: E731

    def distribution(h: tuple[int, ...]) -> oracle.Distribution:
        if not mechanism.scale:
            return {tuple(answer(h)): Fraction(1)}
        return oracle.together(*(oracle.laplace(v, mechanism.scale, WINDOW) for v in answer(h)))

    tables = [(x, y) for x in range(3) for y in range(3)]
    known = {t: distribution(tuple(everything.histogram(t, range(3)))) for t in tables}
    worst: Fraction | float = Fraction(1)
    for (x, other), y in product(tables, range(3)):
        d = int(graph.distance(x, y))
        if d < 0:
            continue
        ratio = oracle.worst_ratio(known[x, other], known[y, other])
        assert ratio <= oracle.exp(d * epsilon) * (1 + oracle.EXACT)
        if d == 1:
            worst = max(worst, ratio)
    if mechanism.scale:
        assert worst >= oracle.exp(epsilon) * (1 - oracle.EXACT)
    else:
        assert oracle.worst_ratio(known[0, 0], known[2, 0]) == math.inf, "not protected, and told"


@settings(max_examples=60, deadline=None)
@given(cases(), st.data())
def test_without_noise_ranges_are_exact(case: Case, data: st.DataObject) -> None:
    graph, _ = case
    assume(len(graph.edges()))
    n = graph.size
    counts = data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    fanout = data.draw(st.integers(2, 5))
    for mechanism in (Ordered(graph, ONE), OrderedHierarchical(graph, ONE, fanout=fanout)):
        with seen(lambda values: values):
            released = mechanism.release(counts)
        assert released.noisy.tolist() == [0, *np.cumsum(counts).tolist()]
        assert released.prefixes.tolist() == released.noisy.tolist()
        assert released.histogram().tolist() == counts
        low = data.draw(st.integers(0, n - 1))
        high = data.draw(st.integers(low, n - 1))
        for smooth in (True, False):
            assert released.count(low, high, smooth=smooth).item() == sum(counts[low : high + 1])
        for q in (0.0, 0.25, 0.5, 1.0):
            at = released.quantiles(q).item()
            assert sum(counts[: at + 1]) >= q * sum(counts)
            assert at == 0 or sum(counts[:at]) < q * sum(counts)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), st.integers(0, 12))
def test_smoothed_counts_rise_and_are_nearest(noisy: list[int], rows: int) -> None:
    """Against the formula of isotonic regression: the largest of the smallest means."""
    found = CumulativeCounts.smoothed(np.array([0, *noisy, rows]), rows=rows).prefixes
    means = [
        max(
            min(sum(noisy[a : b + 1]) / (b + 1 - a) for b in range(k, len(noisy)))
            for a in range(k + 1)
        )
        for k in range(len(noisy))
    ]
    assert np.allclose(found, [0, *np.clip(means, 0, rows), rows])
    assert (np.diff(found) >= 0).all()


def fitted(theta: int, fanout: int) -> NDArray[np.float64]:
    """Variances of the counts under each value of a block, by dense least squares in its tree."""
    rows, width = [], 1
    while not rows or width < theta:
        for start in range(0, theta, width):
            row = np.zeros(theta)
            row[start : start + width] = 1
            rows.append(row)
        width *= fanout
    design = np.array(rows)
    under = np.tri(theta, theta, -1)
    return np.diag(under @ np.linalg.inv(design.T @ design) @ under.T)


def test_the_best_split() -> None:
    """No other split of epsilon errs less, and the formula is the error there."""
    mechanism = OrderedHierarchical(Threshold(range(1000), 100), Pure(epsilon="0.5"), fanout=10)
    first, second = map(float, mechanism.epsilons)
    # Two ends, noise of variance 2 (2 h / epsilon)^2, h = 2 levels.
    c1, c2 = 4 * 900 / 1001, 2 * 2 * 4**2 * fitted(100, 10).mean() * 1000 / 1001
    best = c1 / first**2 + c2 / second**2
    assert math.isclose(best, mechanism.expected_error, rel_tol=1e-6)
    assert math.isclose(best, (c1 ** (1 / 3) + c2 ** (1 / 3)) ** 3 / 0.25, rel_tol=1e-6)
    for part in np.linspace(0.01, 0.49, 49):
        assert c1 / part**2 + c2 / (0.5 - part) ** 2 >= best * (1 - 1e-9)
    assert sum(mechanism.epsilons) == Fraction(1, 2)


def test_the_two_ends_of_theta() -> None:
    """Theta 1 is the ordered mechanism, theta all values the hierarchical one."""
    assert OrderedHierarchical(line(50), ONE).noises[1] is None
    assert OrderedHierarchical(line(50), ONE).epsilons == (1, 0)
    assert OrderedHierarchical(line(50), ONE).expected_error <= 4
    full = OrderedHierarchical(Full(50), ONE)
    assert full.noises[0] is None
    assert full.epsilons == (0, 1)
    assert isinstance(ranges_for(Threshold(range(4357), 3), ONE), Ordered)
    assert isinstance(ranges_for(Threshold(range(4357), 500), ONE), OrderedHierarchical)


def test_a_million_ranges_are_counted_as_arrays() -> None:
    released = Ordered(line(100_000), ONE).release(np.ones(100_000, int))

    def counted(ranges: int) -> np.ndarray:
        low, high = np.sort(np.random.default_rng(5).integers(0, 100_000, (2, ranges)), axis=0)
        released.quantiles(np.linspace(0, 1, ranges))
        return released.count(low, high)

    assert growth(counted, 1_000, 1_000_000) < 1.5
    assert len(counted(1_000_000)) == 1_000_000


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Ordered(Partition.known(3), ONE),
        lambda: OrderedHierarchical(Partition.known(3), ONE),
        lambda: OrderedHierarchical(line(3), Pure(epsilon=0)),
        lambda: OrderedHierarchical(line(3), ONE, fanout=1),
        lambda: OrderedHierarchical(line(3), ZeroConcentrated(rho=1)),  # type: ignore[arg-type]
        lambda: Ordered(line(3), ONE).release([1, 2]),
        lambda: Ordered(line(3), ONE).release([1.5, 2, 3]),
        lambda: Ordered(line(3), ONE).release([1, 2, 3]).count(0, 3),
        lambda: Ordered(line(3), ONE).release([1, 2, 3]).count(-1, 1),
        lambda: Ordered(line(3), ONE).release([1, 2, 3]).count(2, 1),
        lambda: Ordered(line(3), ONE).release([1, 2, 3]).count(0.5, 1),
        lambda: Ordered(line(3), ONE).release([1, 2, 3]).quantiles(1.5),
        lambda: Ordered(line(3), ONE).release([1, 2, 3]).quantiles(math.nan),
        lambda: TreeTransform(Full(3), ONE),
        lambda: TreeTransform(Partition.known(3), ONE),
        lambda: TreeTransform(Explicit(3, ((0, 1),)), ONE, line(3)),
        lambda: TreeTransform(line(3), ONE, line(4)),
        lambda: TreeTransform(line(3), ONE).release([1, 2]),
        lambda: TreeTransform(line(3), ONE).release([1, 2, 3]).answer([[1, 2]]),
    ],
)
def test_wrong_mechanisms_are_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises((PlanError, DataError)):
        wrong()


def test_a_line_is_the_ordered_mechanism() -> None:
    counts = [3, 1, 4, 1, 5]
    transform = TreeTransform(line(5), ONE)
    # From the root, the first value, far sides are what is above.
    assert transform.counts(counts).tolist() == [11, 10, 6, 5]
    assert transform.spent == Ordered(line(5), ONE).spent
