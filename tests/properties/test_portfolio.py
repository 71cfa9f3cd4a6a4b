"""The searches of wide lattices, on small tables: no bound is above what a release can cost.

The oracle tries every node and every set of groups; it is that of `test_optimality`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.test_optimality import ALONE, USUAL, WHOLE, Group, Oracle, columns
from tables import cells_of

from hedgerow.claims import KAnonymity
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode import climb, projection
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.portfolio import Portfolio
from hedgerow.recode.projection import ColumnProjection, ColumnProjections
from hedgerow.recode.search import Search
from hedgerow.table.hierarchy import Hierarchy

BY_CELL = sorted(name for name, metric in METRICS.items() if metric.by_cell is not None)
Table = tuple[list[Hierarchy], list[Group], list[Group]]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    hierarchies = [draw(columns(f"q{j}")) for j in range(draw(st.integers(2, 3)))]
    tuples = st.tuples(*(st.sampled_from(h.values) for h in hierarchies))
    rows = draw(st.lists(st.tuples(tuples, st.sampled_from("xyz")), min_size=2, max_size=7))
    outside = [q for q, _ in rows] + draw(st.lists(tuples, max_size=3))
    return hierarchies, [(*q, s) for q, s in rows], outside


def searching(
    table: Table, models: list[PrivacyModel], metric: str, limit: int, keep: bool
) -> Search:
    hierarchies, rows, outside = table
    cells = cells_of(rows, hierarchies, sensitive=["s"], population=outside,
                     order={"s": sorted({row[-1] for row in rows})})  # fmt: skip
    return Search(Lattice.of(cells), SearchConstraints(tuple(models), limit, keep), METRICS[metric])


def releases(
    table: Table, lattice: Lattice, models: list[PrivacyModel], limit: int, keep: bool
) -> Iterator[tuple[Oracle, set[Group]]]:
    """Every release there is, over all nodes and all sets of groups."""
    for node in lattice.nodes():
        oracle = Oracle(*table, node)
        for kept in oracle.releases(models, limit, keep=keep):
            yield oracle, kept


@settings(max_examples=40, deadline=None)
@given(tables(), st.lists(st.sampled_from(USUAL), min_size=1, max_size=2, unique=True),
       st.sampled_from(sorted(METRICS)), st.sampled_from([0.0, 0.2, 0.5]), st.booleans(),
       st.integers(0, 12))  # fmt: skip
def test_whatever_it_has_found_no_release_is_below_the_bound(
    table, models, metric, share, keep, turns
):
    limit = int(share * len(table[1]))
    search = searching(table, models, metric, limit, keep)
    found = Portfolio(search).run(turns=turns)
    costs = [
        oracle.cost(metric, kept, keep=keep)
        for oracle, kept in releases(table, search.lattice, models, limit, keep)
    ]
    least = min(costs, default=np.inf)
    assert search.bound[0] <= least + 1e-9
    if found is not None:
        assert found.bound <= least + 1e-9
        assert found.bound <= found.cost
        assert found.cost >= least - 1e-9
        if found.optimal:
            assert found.cost == pytest.approx(least, rel=1e-9, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(tables(), st.lists(st.sampled_from([*ALONE, *WHOLE]), min_size=1, max_size=2, unique=True),
       st.sampled_from(BY_CELL), st.sampled_from([0.0, 0.2, 0.5]), st.booleans(),
       st.integers(0, 30))  # fmt: skip
def test_what_some_columns_lose_no_release_loses_less(table, models, metric, share, keep, steps):
    """At every step, for every set of columns, and for all divisions together."""
    limit = int(share * len(table[1]))
    search = searching(table, models, metric, limit, keep)
    every = list(releases(table, search.lattice, models, limit, keep))
    least = min((o.cost(metric, kept, keep=keep) for o, kept in every), default=np.inf)
    projections = ColumnProjections(search, seed=(0,))
    for _ in range(6):
        projections.advance()
        assert projections.bound <= least + 1e-9
    wide = len(table[0])
    for some in (s for many in range(1, wide + 1) for s in combinations(range(wide), many)):
        one = ColumnProjection(search, some)
        for _ in range(steps):
            if not one.finished:
                one.advance()
        assert one.lost <= lost_in(search, some, every, keep) + 1e-9


def lost_in(search: Search, some: tuple[int, ...], every, keep: bool) -> float:
    """What the best release for these columns loses in them, from the groups it publishes."""
    least = np.inf
    for oracle, kept in every:
        frequency = search.lattice.roll_up(search.lattice.base, oracle.node)
        codes = search.lattice.layout.unpack(frequency.words)
        names = [
            tuple(
                str(h.labels[level][code])
                for h, level, code in zip(oracle.hierarchies, oracle.node, row, strict=True)
            )
            for row in codes.tolist()
        ]
        published = np.array([name in kept for name in names])
        outcome = search.lattice.outcome(frequency, published, rest=keep)
        metric, original = search.costs.metric, search.lattice.original
        cell = metric.cell(
            share=outcome.share, under=outcome.under.astype(float), rung=outcome.spans.rung
        )
        totals = (outcome.n[:, None] * cell).sum(axis=0)
        totals += outcome.suppressed * metric.worst(original)
        least = min(least, float(metric.parts(totals, original)[list(some)].sum()))
    return least


def wide_table(columns: int, people: int = 400) -> Search:
    """People of three kinds, in columns of four levels."""
    random = np.random.default_rng(17)
    hierarchies = [
        Hierarchy.of(f"q{j}", [(f"{i}", f"{i // 2}a", f"{i // 4}b", "*") for i in range(8)])
        for j in range(columns)
    ]
    middle = random.integers(0, 8, (3, columns))
    drawn = (middle[random.integers(0, 3, people)] + random.geometric(0.6, (people, columns))) % 8
    cells = cells_of([tuple(str(v) for v in row) for row in drawn], hierarchies)
    limits = SearchConstraints((KAnonymity(k=3),), people // 10)
    return Search(Lattice.of(cells), limits, METRICS["loss"])


def test_a_portfolio_finds_the_optimum_and_proves_it_in_the_end() -> None:
    (exact,) = wide_table(5).run()
    found = Portfolio(wide_table(5)).run(turns=10_000)
    assert exact is not None
    assert found is not None
    assert found.cost == pytest.approx(exact.cost, rel=1e-12)
    assert found.optimal


def test_the_same_turns_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(climb, "PATIENCE", 2)
    monkeypatch.setattr(climb, "LARGEST", 500)
    monkeypatch.setattr(projection, "CHUNK", 20_000)
    one, two, other = (Portfolio(wide_table(9), seed=seed) for seed in (1, 1, 2))
    assert one.run(turns=60) == two.run(turns=60)
    assert one.evaluated == two.evaluated
    other.run(turns=60)
    assert other.evaluated != one.evaluated


def test_more_turns_are_never_worse_and_better_than_boxes_alone() -> None:
    """The bound of the boxes alone hardly moves in a lattice of a million nodes."""
    few, more = (Portfolio(wide_table(10)).run(turns=turns) for turns in (10, 80))
    boxes = wide_table(10)
    boxes.start()
    for _ in range(80):
        boxes.advance()
    assert few is not None
    assert more is not None
    assert more.cost <= few.cost
    assert more.bound >= few.bound
    assert more.bound > 2 * boxes.boxes.least
    assert more.bound > more.cost / 2


@pytest.mark.parametrize("metric", BY_CELL)
@pytest.mark.parametrize("lowest", [0, 1])
def test_columns_that_have_nothing_to_do_with_each_other_have_an_exact_bound(
    metric: str, lowest: int
) -> None:
    """In each column one person is alone, and another one in each: nobody may be suppressed."""
    values = [(v, f"{v}'", "low" if v in "ab" else "high", "*") for v in "abcd"]
    hierarchies = [Hierarchy.of(f"q{j}", values) for j in range(4)]
    rows = [("a", "a", "a", "a")] * 40
    for j in range(4):
        rows += [tuple("b" if i == j else "a" for i in range(4))]
    rows += [("c", "c", "c", "c")] * 5
    lattice = Lattice.of(cells_of(rows, hierarchies), {f"q{j}": (lowest, 3) for j in range(4)})
    search = Search(lattice, SearchConstraints((KAnonymity(k=2),), 0), METRICS[metric])
    (found,) = search.run()
    assert found is not None
    assert found.optimal
    assert found.node == (2, 2, 2, 2)
    projections = ColumnProjections(search, seed=(0,))
    for _ in range(20):
        projections.advance()
        assert projections.bound <= found.cost
    assert projections.bound == pytest.approx(found.cost, rel=1e-9)
