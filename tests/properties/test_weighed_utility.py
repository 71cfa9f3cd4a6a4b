"""What the steward weighs: a search agrees with brute force, and its bound is one.

The oracle goes row by row from the definitions in docs/plan.md and tries every node and every set
of groups within the limit; it shares no code with metrics or search.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import cells_of

from hedgerow.claims import KAnonymity, UniqueShare
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import at_node
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS, Weighting
from hedgerow.recode.portfolio import Portfolio
from hedgerow.recode.search import Search
from hedgerow.table.hierarchy import Hierarchy

WEIGHED = ["loss", "granularity", "precision", "non-uniform-entropy"]
BY_SIZE = ["discernibility", "average-class-size"]


@st.composite
def columns(draw: st.DrawFn, name: str) -> Hierarchy:
    rows: list[list[str | None]] = [[f"{name}{i}"] for i in range(draw(st.integers(2, 5)))]
    for level in range(draw(st.integers(1, 2))):
        parents = {row[-1]: f"{name}.{level}.{draw(st.integers(0, 2))}" for row in rows}
        for row in rows:
            row.append(parents[row[-1]])
    return Hierarchy.of(name, rows)


@st.composite
def tables(draw: st.DrawFn):
    hierarchies = [draw(columns(f"q{j}")) for j in range(draw(st.integers(1, 2)))]
    tuples = st.tuples(*(st.sampled_from(h.values) for h in hierarchies))
    return hierarchies, draw(st.lists(tuples, min_size=2, max_size=9))


factors = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
weights = st.lists(st.sampled_from([0.25, 1.0, 3.0]), min_size=2, max_size=2)


def label(hierarchies, node, row):
    return tuple(
        h.codes[level][h.values.index(value)]
        for h, level, value in zip(hierarchies, node, row, strict=True)
    )


def weighed_cost(name, hierarchies, rows, node, kept, weights, factor) -> float:
    """The cost of publishing the groups in `kept`, by definition."""
    g = 1.0 if factor <= 0.5 else 2 - 2 * factor
    s = 1.0 if factor >= 0.5 else 2 * factor
    people = len(rows)
    keys = [label(hierarchies, node, row) for row in rows]
    sizes = Counter(key for key in keys if key in kept)
    out = people - sum(sizes.values())
    if name == "discernibility":
        return g * sum(n * n for n in sizes.values()) + s * out * people
    if name == "average-class-size":
        return (g * (people - out) + s * out) / max(1, len(sizes) + (out > 0))
    each, most = [], []
    for j, h in enumerate(hierarchies):
        times = Counter(row[j] for row in rows)
        known = sum(n * math.log(n) for n in times.values())
        total = 0.0
        for key in keys:
            alike = [v for v, c in zip(h.values, h.codes[node[j]], strict=True) if c == key[j]]
            if name == "precision":
                total += g * node[j] / max(1, h.height) if key in kept else s
            elif name == "non-uniform-entropy":
                usual = known / people
                seen = math.log(sum(times[v] for v in alike))
                hidden = g * (seen - usual) if key in kept else s * (math.log(people) - usual)
                total += hidden
            else:
                share = (len(alike) - 1) / (len(h.values) - 1) if len(h.values) > 1 else 0.0
                gone = s if len(h.values) > 1 else 0.0
                total += g * share if key in kept else gone
        each.append(total if name == "non-uniform-entropy" else total / people)
        most.append(people * math.log(people) - known)
    whole = sum(weights)
    if name == "loss":
        logs = sum(w * math.log1p(x) for w, x in zip(weights, each, strict=True))
        return math.exp(logs / whole) - 1
    if name == "non-uniform-entropy":
        hidden = sum(w * x for w, x in zip(weights, each, strict=True))
        possible = sum(w * x for w, x in zip(weights, most, strict=True))
        return max(0.0, hidden / possible) if possible > 1e-12 else 0.0
    return sum(w * x for w, x in zip(weights, each, strict=True)) / whole


def compare(table, model, name, weights, factor, limit) -> tuple[bool, float, float]:
    """Whether it is called optimal, its cost, and the least of all releases."""
    hierarchies, rows = table
    weights = weights[: len(hierarchies)]
    releases: dict[tuple[tuple[int, ...], frozenset], float] = {}
    for node in product(*(range(h.height + 1) for h in hierarchies)):
        sizes = Counter(label(hierarchies, node, row) for row in rows)
        for many in range(len(sizes)):
            for out in combinations(sizes, many):
                kept = [n for key, n in sizes.items() if key not in out]
                if sum(sizes[key] for key in out) > limit:
                    continue
                fits = (
                    min(kept) >= model.k
                    if isinstance(model, KAnonymity)
                    else kept.count(1) <= model.share * sum(kept)
                )
                if fits:
                    chosen = frozenset(set(sizes) - set(out))
                    releases[node, chosen] = weighed_cost(
                        name, hierarchies, rows, node, chosen, weights, factor
                    )
    plain = len(set(weights)) == 1 or name in BY_SIZE
    weighting = Weighting(weights=() if plain else tuple(weights), suppression=factor)
    metric = METRICS[name].weighed(weighting)
    lattice = Lattice.of(cells_of(rows, hierarchies))
    limits = SearchConstraints((model,), limit)
    search = Search(lattice, limits, metric)
    (found,) = search.run()
    portfolio = Search(lattice, limits, metric)
    wide = Portfolio(portfolio).run(turns=6)
    assert portfolio.bound[0] <= min(releases.values(), default=np.inf) + 1e-9
    assert wide is None or wide.bound <= min(releases.values()) + 1e-9
    if found is None:
        assert not releases or not np.isinf(search.bound[0])
        return False, math.inf, math.inf
    least = min(releases.values())
    assert found.bound <= least + 1e-9, "the bound is one"
    assert found.cost >= least - 1e-9
    if found.optimal:
        assert found.cost == pytest.approx(least, rel=1e-9, abs=1e-9)
    made = at_node(lattice, found.node, limits, {}, metric=metric)
    told = metric.cost(made.outcome(lattice.original))
    assert told == pytest.approx(found.cost, rel=1e-9, abs=1e-9)
    return found.optimal, found.cost, least


@pytest.mark.parametrize("name", [*WEIGHED, *BY_SIZE])
@settings(max_examples=60, deadline=None)
@given(table=tables(), weights=weights, factor=factors, share=st.sampled_from([0.0, 0.3, 0.6]),
       k=st.integers(2, 3))  # fmt: skip
def test_k_anonymity(name, table, weights, factor, share, k) -> None:
    limit = int(share * len(table[1]))
    optimal, cost, least = compare(table, KAnonymity(k=k), name, weights, factor, limit)
    if cost < math.inf and (factor >= 0.5 or limit == 0):
        assert optimal
        assert cost == pytest.approx(least, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", [*WEIGHED, *BY_SIZE])
@settings(max_examples=40, deadline=None)
@given(table=tables(), weights=weights, factor=factors, share=st.sampled_from([0.2, 0.5]),
       most=st.sampled_from([0, 0.2]))  # fmt: skip
def test_a_claim_about_the_table(name, table, weights, factor, share, most) -> None:
    limit = int(share * len(table[1]))
    compare(table, UniqueShare(share=most), name, weights, factor, limit)


@pytest.mark.parametrize("factor", [0.0, 0.2])
def test_a_group_that_need_not_go_may_be_cheaper_to_suppress(factor) -> None:
    """Then the cheapest set of groups that will do is not the cheapest of all."""
    values = [["q00", "a"], ["q01", "a"], ["q02", "b"], ["q03", "a"]]
    rows = [("q02",), ("q01",), ("q03",), ("q00",), ("q03",), ("q03",), ("q01",)]
    table = [Hierarchy.of("q0", values)], rows
    for limit in range(len(rows)):
        compare(table, UniqueShare(share=0.0), "non-uniform-entropy", [1.0, 1.0], factor, limit)


@pytest.mark.parametrize("name", [*WEIGHED, *BY_SIZE])
@settings(max_examples=40, deadline=None)
@given(table=tables(), weights=weights, factor=factors, data=st.data())
def test_costs_are_what_the_definitions_say(name, table, weights, factor, data) -> None:
    hierarchies, rows = table
    weights = weights[: len(hierarchies)]
    node = tuple(data.draw(st.integers(0, h.height)) for h in hierarchies)
    lattice = Lattice.of(cells_of(rows, hierarchies))
    frequency = lattice.roll_up(lattice.base, node)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(frequency),
                                       max_size=len(frequency))), bool)  # fmt: skip
    chosen = {tuple(map(int, row)) for row in lattice.layout.unpack(frequency.words)[kept]}
    metric = METRICS[name].weighed(
        Weighting(weights=tuple(weights) if name in WEIGHED else (), suppression=factor)
    )
    expected = weighed_cost(name, hierarchies, rows, node, chosen, weights, factor)
    found = metric.cost(lattice.outcome(frequency, kept))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    # As sums over groups, for the sliders of the app.
    sums = metric.sums(lattice)
    weight, whole = sums.weigh(frequency, np.where(kept, 0, 1), 2)
    out = int(frequency.groups.n[~kept].sum())
    (moved,) = sums.costs(whole[None, :], weight[[1]], np.array([out]))
    assert moved == pytest.approx(expected, rel=1e-9, abs=1e-9)
    # No release at this node or a coarser one, with so many more suppressed, costs less.
    room = data.draw(st.integers(0, len(rows)))
    floor = metric.floor(lattice.outcome(frequency), room)
    for coarser in product(*(range(level, h.height + 1) for level, h in
                             zip(node, hierarchies, strict=True))):  # fmt: skip
        sizes = Counter(label(hierarchies, coarser, row) for row in rows)
        for many in range(len(sizes)):
            for gone in combinations(list(sizes)[:6], min(many, 6)):
                if sum(sizes[key] for key in gone) <= room and name in BY_SIZE:
                    left = set(sizes) - set(gone)
                    cost = weighed_cost(name, hierarchies, rows, coarser, left, weights, factor)
                    assert cost >= floor - 1e-9


def test_weights_are_relative_and_half_is_even() -> None:
    assert Weighting(weights=(2, 4)).shares(2) == pytest.approx(Weighting(weights=(1, 2)).shares(2))
    assert Weighting().even
    assert METRICS["loss"].weighed(Weighting()) is METRICS["loss"]
    assert METRICS["loss"].weighting == Weighting(), "the registered one stays as it is"


def test_queries_ask_about_what_matters() -> None:
    """Of one column, a weight of 9 against 1 is asked about nine times as often."""
    metric = METRICS["query-error"].weighed(Weighting(weights=(9, 1, 1e-9, 1e-9)))
    asked = metric.workload((5, 5, 5, 5))
    first, second = (np.count_nonzero(asked.columns == j) for j in (0, 1))
    assert first > 190
    assert second > 190, "each asks about two, and nothing else matters"
    narrow = METRICS["query-error"].weighed(Weighting(weights=(1, 1, 1, 6)))
    counts = np.bincount(narrow.workload((5, 5, 5, 5)).columns.ravel(), minlength=4)
    assert counts[3] > 1.5 * max(counts[:3])
