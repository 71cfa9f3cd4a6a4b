"""Every search equals brute force over rows, for every model and every metric.

Here exactly the groups that fail are suppressed; `test_optimality` tries every other choice, and
claims about the table.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count, product
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from contracts.metric_oracles import ORACLES, Published
from contracts.oracles import models as models_of_claims
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tables import cells_of

from hedgerow.claims import (
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    TCloseness,
)
from hedgerow.claims.base import Needs, PrivacyModel
from hedgerow.recode import search
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import at_node
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS, QueryError
from hedgerow.recode.search import Search
from hedgerow.table.groups import ALL, Groups
from hedgerow.table.hierarchy import Hierarchy

OF_CLAIM = models_of_claims()
MODELS = [model for found in OF_CLAIM.values() for model in found]


@dataclass(frozen=True)
class OddSizes(PrivacyModel):
    """No model anybody wants, but one without any monotonicity: the search must not assume it."""

    needs: ClassVar[Needs] = Needs.SIZES
    higher_is_safer: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = False
    monotone_in_suppression: ClassVar[bool] = True
    required: ClassVar[Fraction] = Fraction(1)

    def level(self, groups):
        return (groups.n % 2).astype(float)

    def exactly(self, groups, group):
        return bool(groups.n[group] % 2)


MODELS.append(OddSizes())
ALONE = [m for m in MODELS if m.per_group]
INSIDE = [m for m in ALONE if Needs.POPULATION not in m.needs]
FRAGILE = [m for m in MODELS if m.per_group and not m.monotone_in_union]
"""Models a group can lose when it is joined with one that fails."""


@st.composite
def hierarchies(draw: st.DrawFn, name: str) -> Hierarchy:
    leaves = draw(st.integers(1, 4))
    rows: list[list[str | None]] = [[f"{name}{i}"] for i in range(leaves)]
    for level in range(draw(st.integers(0, 2))):
        parents = {row[-1]: f"{name}.{level}.{draw(st.integers(0, 1))}" for row in rows}
        for row in rows:
            row.append(parents[row[-1]])
    return Hierarchy.of(name, rows)


@st.composite
def tables(draw: st.DrawFn, most: int = 14):
    columns = [draw(hierarchies(f"q{j}")) for j in range(draw(st.integers(1, 3)))]
    row = st.tuples(*(st.sampled_from(h.values) for h in columns), st.sampled_from("xyz"))
    rows = draw(st.lists(row, min_size=1, max_size=most))
    outsiders = draw(st.lists(st.tuples(*(st.sampled_from(h.values) for h in columns)), max_size=8))
    return columns, rows, [r[:-1] for r in rows] + outsiders


def label(h: Hierarchy, value: str | None, level: int) -> str | None:
    return h.labels[level][h.codes[level][h.values.index(value)]]


def brute_groups(columns, rows, population, node) -> tuple[list[tuple], Groups]:
    """Group rows by their labels with a dict; models see the result, nothing else is shared."""
    members: dict[tuple, Counter] = defaultdict(Counter)
    outside: Counter = Counter()
    for person in population:
        outside[tuple(label(h, v, n) for h, v, n in zip(columns, person, node, strict=True))] += 1
    for row in rows:
        key = tuple(label(h, v, n) for h, v, n in zip(columns, row[:-1], node, strict=True))
        members[key][row[-1]] += 1
    keys = list(dict.fromkeys([*members, *outside]))
    groups = Groups.of(
        {"s": [dict(members.get(key, {})) for key in keys]},
        population=[outside[key] for key in keys],
        order={"s": sorted({row[-1] for row in rows})},
    )
    return keys, groups


def brute_evaluate(columns, rows, population, node, models, limit, keep=False):
    """Who stays in a group of their own, or None if the node is no solution."""
    keys, groups = brute_groups(columns, rows, population, node)
    by_group = [m for m in models if m.per_group]
    kept = {
        key
        for g, key in enumerate(keys)
        if groups.n[g] > 0 and all(m.holds(groups)[g] for m in by_group)
    }
    if sum(groups.n[g] for g, key in enumerate(keys) if key not in kept) > limit:
        return None
    out = [g for g, key in enumerate(keys) if key not in kept and groups.n[g] > 0]
    if not kept and not keep:
        return None
    sizes = [int(n) if key in kept else 0 for n, key in zip(groups.n, keys, strict=True)]
    outside = groups.population.tolist()
    if keep and out:
        rest = groups.take(np.array(out)).merge(np.zeros(len(out), np.int64), 1)
        if not all(m.holds(rest)[0] for m in by_group):
            return None
        for g in out:
            outside[g] = 0
        sizes.append(int(rest.n[0]))
        outside.append(int(rest.population[0]))
    for model in models:
        if model.per_group and model.monotone_in_suppression:
            continue
        if isinstance(model, DeltaPresence):
            alive = [g for g in range(len(sizes)) if outside[g] or sizes[g]]
            seen = Groups.of([sizes[g] for g in alive], population=[outside[g] for g in alive])
        else:
            seen = Groups.of([n for n in sizes if n])
        if not model.holds(seen).all():
            return None
    return kept


def brute_cost(metric, columns, rows, node, kept, keep=False) -> float:
    """A metric from its definition, row by row; those suppressed may stay as one group."""
    return ORACLES[metric](Published(columns, rows, node, kept, keep))


@settings(max_examples=400, deadline=None)
@given(
    tables(),
    st.lists(st.sampled_from(ALONE), min_size=1, max_size=2, unique=True),
    st.sampled_from(sorted(METRICS)),
    st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]),
)
def test_optimum_equals_brute_force(table, models, metric, share):
    compare(table, models, metric, share)


@pytest.mark.parametrize("claim", [name for name, found in OF_CLAIM.items() if found])
@settings(max_examples=15, deadline=None)
@given(
    tables(), st.sampled_from(["loss", "discernibility"]), st.sampled_from([0.0, 0.3]), st.data()
)
def test_optimum_of_every_claim_equals_brute_force(claim, table, metric, share, data):
    model = data.draw(st.sampled_from(OF_CLAIM[claim]))
    compare(table, [model], metric, share, keep=not model.per_group)


@settings(max_examples=400, deadline=None)
@given(
    tables(most=24),
    st.sampled_from(FRAGILE),
    st.sampled_from(["loss", "discernibility"]),
    st.sampled_from([0.1, 0.2, 0.3, 0.5]),
)
def test_optimum_where_joining_a_failing_group_makes_a_good_one_fail(table, model, metric, share):
    compare(table, [model], metric, share)


@settings(max_examples=300, deadline=None)
@given(
    tables(),
    st.lists(st.sampled_from(MODELS), min_size=1, max_size=2, unique=True),
    st.sampled_from(sorted(METRICS)),
    st.sampled_from([0.3, 0.6, 1.0]),
)
def test_optimum_where_those_left_out_stay_as_one_group(table, models, metric, share):
    compare(table, models, metric, share, keep=True)


@settings(max_examples=200, deadline=None)
@given(
    tables(), st.sampled_from(INSIDE), st.sampled_from(sorted(METRICS)), st.integers(1, 9),
    st.booleans(),
)  # fmt: skip
def test_optimum_where_people_are_barred(table, model, metric, barred, keep):
    """Whoever is barred counts as left out at every node, and against the limit."""
    columns, rows, _ = table
    cells = replace(cells_of(rows, columns, sensitive=["s"]), absent=barred)
    limit = barred + len(rows) // 2
    lattice = Lattice.of(cells)
    constraints = SearchConstraints((model,), limit, keep_suppressed=keep)
    (found,) = Search(lattice, constraints, METRICS[metric]).run()
    every = Search(lattice, constraints, METRICS[metric])
    evaluations = [every.evaluate(frequency) for frequency in lattice.frequencies()]
    assert all(e.left_out[0] >= barred for e in evaluations)
    costs = [float(e.cost[0]) for e in evaluations if e.feasible[0]]
    assert (found is None) == (not costs)
    if found is not None:
        assert found.cost == pytest.approx(min(costs), rel=1e-9, abs=1e-9)
        recoding = at_node(lattice, found.node, constraints, {})
        measured = METRICS[metric].cost(recoding.outcome(lattice.original))
        assert measured == pytest.approx(found.cost, rel=1e-9, abs=1e-9)
        assert measured >= -1e-12


def compare(table, models, metric, share, keep=False):
    """The search and the list of minimal nodes against every node, evaluated from rows."""
    columns, rows, population = table
    cells = cells_of(rows, columns, sensitive=["s"], order={"s": sorted({r[-1] for r in rows})},
                     population=population)  # fmt: skip
    limit = int(share * len(rows))
    lattice = Lattice.of(cells)
    search = Search(lattice, SearchConstraints(tuple(models), limit, keep), METRICS[metric])
    (solution,) = search.run()
    best = math.inf
    solutions = set()
    for node in product(*(range(h.height + 1) for h in columns)):
        kept = brute_evaluate(columns, rows, population, node, models, limit, keep)
        if kept is None:
            continue
        solutions.add(node)
        best = min(best, brute_cost(metric, columns, rows, node, kept, keep))
    if not solutions:
        assert solution is None
        return
    assert solution is not None
    assert solution.node in solutions
    assert solution.bound <= best + 1e-9
    if METRICS[metric].suppression_costs and not keep:
        assert solution.optimal
    assert solution.cost == pytest.approx(best, rel=1e-9, abs=1e-9)
    minimal = {
        node
        for node in solutions
        if not any(
            o != node and all(a <= b for a, b in zip(o, node, strict=True)) for o in solutions
        )
    }
    assert set(search.minimal()) == minimal


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from(["loss", "discernibility"]), st.sampled_from([0.0, 0.3]))
def test_frontier_equals_one_search_for_each_requirement(table, metric, share):
    columns, rows, _ = table
    cells = cells_of(rows, columns, sensitive=["s"])
    limit = int(share * len(rows))
    others = (DistinctLDiversity(l=2, of="s"),)
    for ladder in (
        tuple(KAnonymity(k=k) for k in (1, 2, 3, 5)),
        tuple(TCloseness(t=t, of="s") for t in (0.9, 0.5, 0.2, 0.0)),
    ):
        lattice = Lattice.of(cells)
        several = Search(
            lattice, SearchConstraints(others, limit, ladder=ladder), METRICS[metric]
        ).run()
        for model, found in zip(ladder, several, strict=True):
            (alone,) = Search(
                lattice, SearchConstraints((*others, model), limit), METRICS[metric]
            ).run()
            assert (found is None) == (alone is None)
            if found is not None and alone is not None:
                assert found.cost == pytest.approx(alone.cost, rel=1e-9, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([0.3, 0.6, 1.0]))
def test_those_left_out_keep_every_claim_when_they_stay_as_one_group(table, share):
    columns, rows, _ = table
    cells = cells_of(rows, columns, sensitive=["s"])
    models = (KAnonymity(k=2), EntropyLDiversity(l=1.5, of="s"))
    limits = SearchConstraints(models, int(share * len(rows)), keep_suppressed=True)
    lattice = Lattice.of(cells)
    (found,) = Search(lattice, limits, METRICS["loss"]).run()
    assume(found is not None)
    recoding = at_node(lattice, found.node, limits, {})
    assert recoding.suppressed == 0
    groups = recoding.groups(cells)
    assert groups.people == len(rows)
    assert all(model.check(groups).holds for model in models)


@settings(max_examples=200, deadline=None)
@given(tables(), st.sampled_from([0.0, 0.3]))
def test_recoding_of_a_node_agrees_with_the_rows(table, share):
    columns, rows, _ = table
    cells = cells_of(rows, columns, sensitive=["s"])
    limits = SearchConstraints((KAnonymity(k=2),), int(share * len(rows)))
    lattice = Lattice.of(cells)
    (found,) = Search(lattice, limits, METRICS["loss"]).run()
    assume(found is not None)
    recoding = at_node(lattice, found.node, limits, {})
    kept = brute_evaluate(columns, rows, [], found.node, limits.models, limits.limit)
    published = Counter()
    for part, group in enumerate(recoding.group):
        if group >= 0:
            published[tuple(column[group] for column in recoding.labels)] += recoding.people[part]
    keys, groups = brute_groups(columns, rows, [], found.node)
    assert published == Counter(
        {k: int(n) for k, n in zip(keys, groups.n, strict=True) if k in kept}
    )
    for name, metric in METRICS.items():
        cost = metric.cost(recoding.outcome(lattice.original))
        oracle = brute_cost(name, columns, rows, found.node, kept)
        assert cost == pytest.approx(oracle, rel=1e-9, abs=1e-9)


def test_query_error_counts_what_a_recipient_would():
    columns = [Hierarchy.of("q", [("a", "*"), ("b", "*")])]
    cells = cells_of([("a",)] * 3 + [("b",)], columns)
    lattice = Lattice.of(cells)
    exact, blurred = (
        METRICS["query-error"].cost(lattice.outcome(lattice.roll_up(lattice.base, (level,))))
        for level in (0, 1)
    )
    # Spread evenly, a and b have 2 each: off by 1 of 3 and by 1 of 1; both together are right.
    first, last = METRICS["query-error"].workload((2,))[1:]
    kinds = Counter(zip(first[:, 0].tolist(), last[:, 0].tolist(), strict=True))
    expected = (kinds[0, 0] * 1 / 3 + kinds[1, 1] * 1.0) / 200
    assert exact == 0
    assert blurred == pytest.approx(expected)


def test_k_anonymity_over_all_columns_is_searched_too():
    columns = [Hierarchy.of("q", [("a", "*"), ("b", "*")])]
    cells = cells_of([("a", "x"), ("a", "x"), ("b", "x"), ("b", "y"), ("b", "y")], columns,
                     sensitive=[ALL])  # fmt: skip
    model = KAnonymity(k=2, over="all")
    (found,) = Search(Lattice.of(cells), SearchConstraints((model,), 0), METRICS["loss"]).run()
    assert found is not None
    assert found.node == (1,)


def test_a_search_out_of_time_says_how_far_it_may_be_from_the_best(monkeypatch):
    """A second passes each time somebody looks at the clock."""
    clock = SimpleNamespace(monotonic=map(float, count()).__next__)
    monkeypatch.setattr(search, "time", clock)
    random = np.random.default_rng(7)
    columns = [
        Hierarchy.of(f"q{j}", [(f"{i}", f"{i // 2}a", f"{i // 4}b", "*") for i in range(8)])
        for j in range(7)
    ]
    rows = [tuple(str(v) for v in row) for row in random.integers(0, 8, (300, 7))]
    lattice = Lattice.of(cells_of(rows, columns))
    limits = SearchConstraints((KAnonymity(k=3),), 30)
    (rushed,) = Search(lattice, limits, METRICS["loss"]).run(seconds=0.0)
    assert rushed is None or not rushed.optimal
    (short,) = Search(lattice, limits, METRICS["loss"]).run(seconds=30)
    (whole,) = Search(lattice, limits, METRICS["loss"]).run()
    assert short is not None
    assert not short.optimal
    assert whole is not None
    assert whole.optimal
    assert short.bound <= whole.cost + 1e-12
    assert short.cost >= whole.cost - 1e-12


def test_boxes_too_large_to_keep_are_rolled_up_again(monkeypatch):
    random = np.random.default_rng(11)
    columns = [
        Hierarchy.of(f"q{j}", [(f"{i}", f"{i // 2}a", "*") for i in range(6)]) for j in range(4)
    ]
    rows = [tuple(str(v) for v in row) for row in random.integers(0, 6, (120, 4))]
    lattice = Lattice.of(cells_of(rows, columns))
    for metric in ("loss", "discernibility"):
        limits = SearchConstraints((KAnonymity(k=3),), 12)
        whole = Search(lattice, limits, METRICS[metric]).run()
        monkeypatch.setattr("hedgerow.recode.search.MOST_HELD", 3)
        assert Search(lattice, limits, METRICS[metric]).run() == whole
        monkeypatch.undo()


@settings(max_examples=50, deadline=None)
@given(tables())
def test_query_truth_is_the_count_of_rows(table):
    columns, rows, _ = table
    metric = QueryError(queries=20)
    original = Lattice.of(cells_of(rows, columns, sensitive=["s"])).original
    chosen, low, high = metric.workload(original.leaves)
    for i, truth in enumerate(metric.truth(original)):
        assert truth == sum(
            all(a <= columns[j].values.index(row[j]) <= b for j, a, b in zip(*query, strict=True))
            for query in [(chosen[i], low[i], high[i])]
            for row in rows
        )
