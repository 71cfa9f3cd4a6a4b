"""Known counts: bounds against all tables, neighbours to the letter of the definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import PlanError
from hedgerow.base.filters import parse
from hedgerow.noise.blowfish.constrained_distance import most_changed
from hedgerow.noise.blowfish.constraints import Constraints, _nearest, brute
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold, line
from hedgerow.noise.blowfish.listed_graphs import Explicit, Grid
from hedgerow.noise.blowfish.moves import longest_sum
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.table.domain import Values

Table = tuple[int, ...]


def exactly(constraints: Constraints, rows: int) -> int:
    return brute(constraints, np.eye(constraints.graph.size, dtype=int), rows=rows).l1


def ranges(size: int, *bounds: tuple[int, int]) -> tuple[tuple[bool, ...], ...]:
    return tuple(tuple(a <= x <= b for x in range(size)) for a, b in bounds)


def literal(constraints: Constraints, rows: int) -> int:
    """Def. 4.1 with sets, word by word, and slowly: an oracle for the fast one."""
    graph, size = constraints.graph, constraints.graph.size
    edge = {(x, y) for a, b in graph.edges().tolist() for x, y in ((a, b), (b, a))}
    tables = list(product(range(size), repeat=rows))

    def known(t: Table) -> tuple[int, ...]:
        return tuple(sum(q[x] for x in t) for q in constraints.counts)

    def secrets(a: Table, b: Table) -> frozenset[tuple[int, int, int]]:
        return frozenset(
            (i, x, y) for i, (x, y) in enumerate(zip(a, b, strict=True)) if (x, y) in edge
        )

    def difference(a: Table, b: Table) -> frozenset[tuple[int, int]]:
        return frozenset(enumerate(a)) ^ frozenset(enumerate(b))

    worst = 0
    for a in tables:
        agree = [t for t in tables if known(t) == known(a)]
        for b in agree:
            pairs = secrets(a, b)
            if not pairs or any(
                secrets(a, c)
                and (
                    secrets(a, c) < pairs
                    or (secrets(a, c) == pairs and difference(c, a) < difference(b, a))
                )
                for c in agree
            ):
                continue
            worst = max(worst, sum(abs(a.count(x) - b.count(x)) for x in range(size)))
    return worst


def test_the_published_bound_is_refuted_and_not_used() -> None:
    """Alpha, xi and the components give 4 in both; brute force gives 6."""
    for size, bounds in ((7, ((1, 2), (4, 5))), (6, ((0, 1), (2, 3)))):
        known = Constraints(line(size), ranges(size, *bounds))
        assert exactly(known, 3) == 6 <= known.histogram().l1 == 6


def test_one_known_marginal() -> None:
    """One known marginal of 2 and of 3 cells under the full graph: 4 and 6."""
    assert exactly(Constraints.marginal(Full(4), [0, 0, 1, 1]), 2) == 4
    three = Constraints.marginal(Full(6), [0, 0, 1, 1, 2, 2])
    assert exactly(three, 3) == three.histogram().l1 == 6
    everything_known = Constraints.marginal(Full(4), [0, 1, 2, 3])
    assert exactly(everything_known, 3) == 0 <= everything_known.histogram().l1


def test_both_marginals_of_two_columns() -> None:
    """The attribute graph on 2x2 and 3x2: 4 in both."""
    for shape in ((2, 2), (3, 2)):
        cells = list(product(*map(range, shape)))
        pairs = tuple(
            (i, j)
            for (i, a), (j, b) in product(enumerate(cells), repeat=2)
            if i < j and sum(p != q for p, q in zip(a, b, strict=True)) == 1
        )
        counts = tuple(
            tuple(cell[axis] == value for cell in cells)
            for axis, length in enumerate(shape)
            for value in range(length)
        )
        known = Constraints(Explicit(len(cells), pairs), counts)
        assert exactly(known, 3) == 4 <= known.histogram().l1


def test_two_overlapping_counts_take_four_moves() -> None:
    """More than 2 (|Q| + 1) = 6: that is no bound where counts overlap."""
    # Eight values: two counts, in or out of each, and two values of each kind.
    counts = tuple(tuple(bool(x >> bit & 1) for x in range(8)) for bit in (0, 1))
    known = Constraints(Full(8), counts)
    assert known.changed == 4
    first = np.array([0, 3, 2, 1])  # kinds 00, 11, 01, 10, in the order of the cycle
    second = np.array([3 + 4, 2 + 4, 1 + 4, 0 + 4])
    tables = np.array(list(product(range(8), repeat=4)))
    matrix = np.array(counts, int)
    agree = (matrix[:, tables].sum(axis=2) == matrix[:, first].sum(axis=1)[:, None]).all(axis=0)
    tables = tables[agree]
    edge = ~np.eye(8, dtype=bool)
    at = int(np.flatnonzero((tables == second).all(axis=1))[0])
    assert _nearest(first, tables, edge)[at]
    change = np.abs(np.bincount(first, minlength=8) - np.bincount(second, minlength=8)).sum()
    assert change == 8 == known.histogram().l1


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_bounds_hold_on_all_tables(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 5))
    graph: Graph = data.draw(
        st.sampled_from(
            [
                Full(size),
                line(size),
                Threshold(range(size), 2),
                Partition(tuple(x % 2 for x in range(size))),
                Explicit(size, ((0, size - 1),)),
            ]
        )
    )
    flags = st.lists(st.booleans(), min_size=size, max_size=size).map(tuple)
    known = Constraints(graph, tuple(data.draw(st.lists(flags, max_size=3))))
    rows = data.draw(st.integers(1, 3 if size == 5 else 4))
    found = brute(known, np.eye(size, dtype=int), rows=rows)
    assert found.l1 <= known.histogram().l1
    assert found.l2_squared <= known.histogram().l2_squared
    assert found.l1 <= 2 * known.within(rows)
    numbers = data.draw(st.lists(st.integers(-5, 5), min_size=size, max_size=size))
    found = brute(known, [numbers], rows=rows)
    assert found.l1 <= known.total(numbers).l1
    assert found.l2_squared <= known.total(numbers).l2_squared
    prefixes = np.tril(np.ones((size, size), int))
    found = brute(known, prefixes, rows=rows)
    for claimed in (known.cumulative(), known.linear(prefixes)):
        assert found.l1 <= claimed.l1
        assert found.l2_squared <= claimed.l2_squared


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_neighbours_are_those_of_the_definition(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 4))
    graph: Graph = data.draw(st.sampled_from([Full(size), line(size)]))
    flags = st.lists(st.booleans(), min_size=size, max_size=size).map(tuple)
    known = Constraints(graph, tuple(data.draw(st.lists(flags, max_size=2))))
    rows = data.draw(st.integers(1, 3 if size < 4 else 2))
    assert exactly(known, rows) == literal(known, rows)


def test_counts_that_no_edge_changes_cost_nothing() -> None:
    """Counts at or above the blocks of a partition."""
    blocks = Partition((0, 0, 1, 1, 2, 2))
    known = Constraints.marginal(blocks, [0, 0, 1, 1, 1, 1])
    assert known.changed == 1
    assert known.histogram().l1 == 2
    assert known.histogram().exact
    assert known.cumulative().l1 == 1


def test_only_the_number_of_rows_is_known() -> None:
    assert Constraints(Full(3)).changed == 1
    assert Constraints(Full(3)).histogram().l1 == 2
    assert Constraints(Partition.known(3)).histogram().l1 == 0
    assert Constraints(Full(3), ((True, False, False),)).within(1) == 1


def longest_by_search(vectors: list[tuple[int, ...]], most: int) -> int:
    """Multisets of vectors in any order, by definition; up to a size."""
    found = 0
    for size in range(1, most + 1):
        for chosen in product(range(len(vectors)), repeat=size):
            if list(chosen) != sorted(chosen):
                continue
            subsets = range(1, 2**size)
            zero = [
                s
                for s in subsets
                if not any(
                    map(
                        sum,
                        zip(*(vectors[c] for i, c in enumerate(chosen) if s >> i & 1), strict=True),
                    )
                )
            ]
            if zero == [2**size - 1]:
                found = size
    return found


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-1, 1), st.integers(-1, 1)).filter(any),
        min_size=1, max_size=4, unique=True,
    )
)  # fmt: skip
def test_shortest_sums_against_all_multisets(vectors: list[tuple[int, int]]) -> None:
    found = longest_sum(np.array(vectors))
    assert found == longest_by_search(vectors, 5)
    assert found is not None
    assert found <= 5


def test_too_many_overlapping_counts_have_the_bound_of_steinitz() -> None:
    counts = tuple(tuple(bool(x >> bit & 1) for x in range(16)) for bit in range(4))
    assert Constraints(Full(16), counts).changed == 9**4
    assert Constraints(Full(16), counts).within(50) == 50


@pytest.mark.parametrize(
    ("tables", "counts", "changed"),
    [
        ([("a",)], [], 2),
        ([("a", "b")], [], 4),
        ([("a",), ("b", "a"), ("a", "b")], [], 4),
        ([("a",), ("b",)], [], 4),
        ([("a",)], ["b = 'y'"], 4),
        ([("a", "b")], ["b = 'y'", "a = 'x' or b = 'y'"], 4),
        ([("a",)], ["a = 'x' and b = 'y'"], 3),
        ([], ["a = 'x'", "a = 'x' and b = 'y'"], 3),
    ],
)
def test_what_follows_from_a_table_changes_nothing(
    tables: list[tuple[str, ...]], counts: list[str], changed: int
) -> None:
    """Against all that is known, with nothing left out: four rows, by value or anything else."""
    domains = {"a": Values(("x",)), "b": Values(("y",))}
    every = list(product(("x", None), ("y", None)))
    rows = []
    for table in tables:
        cells = [tuple(row["ab".index(column)] for column in table) for row in every]
        rows += [tuple(cell == kind for cell in cells) for kind in dict.fromkeys(cells)]
    truth = {
        "b = 'y'": lambda a, b: b == "y",
        "a = 'x'": lambda a, b: a == "x",
        "a = 'x' or b = 'y'": lambda a, b: a == "x" or b == "y",
        "a = 'x' and b = 'y'": lambda a, b: a == "x" and b == "y",
    }
    rows += [tuple(truth[text](*row) for row in every) for text in counts]
    found = most_changed(domains, tables, [parse(text) for text in counts])
    assert found == changed == Constraints(Full(4), tuple(rows)).changed


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Constraints(Full(3), ((True, False),)),
        lambda: Constraints(Full(2), ((1, 0),)),  # type: ignore[arg-type]
        lambda: brute(Constraints(Grid((9, 9), 1)), np.eye(81, dtype=int), rows=3),
        lambda: Constraints.marginal(Full(3), [0, 1]),
    ],
)
def test_wrong_constraints_are_refused(wrong) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(PlanError):
        wrong()


@pytest.mark.parametrize("n", range(1, 9))
def test_overlapping_tables_can_tie_exponentially_many_rows(n: int) -> None:
    """Why there is no small bound for two known tables (docs/decisions/010-policies.md)."""
    h, g = 0, 0  # the cells e1, ..., en and f1, ..., fn follow
    moves = [(h, 1, g, 1), (h, 1, 1, g)]
    for i in range(1, n):
        moves += [(i, i + 1, g, i + 1), (h, i + 1, i + 1, g)]
    moves.append((n, h, g, g))
    vectors = np.zeros((len(moves), 2 * (n + 1)), np.int64)
    for row, (e, to, f, onto) in zip(vectors, moves, strict=True):
        row[e] -= 1
        row[to] += 1
        row[n + 1 + f] -= 1
        row[n + 1 + onto] += 1
    often = np.array([*np.repeat(2 ** np.arange(n), 2), 2**n])
    assert not (often @ vectors).any(), "they make up for each other"
    # All that do are multiples of these, and the first is made once: no part of them does.
    assert np.linalg.matrix_rank(vectors) == len(moves) - 1
    assert often[0] == 1
    assert often.sum() == 3 * 2**n - 2
    if n == 1:
        known = longest_sum(np.unique(vectors[:, [0, 2]], axis=0))
        assert known is not None
        assert known >= often.sum()
