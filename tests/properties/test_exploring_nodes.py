"""Every node of a lattice at once: the same as publishing each of them, and as counting by hand."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from contracts.oracles import models as models_of_claims
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tables import cells_of

from hedgerow import ClaimError, Exploration, Plan, PlanError, publish
from hedgerow.claims import (
    DistinctLDiversity,
    IndividualRisk,
    KAnonymity,
    MarginalAnonymity,
    UniqueShare,
)
from hedgerow.explore import kinds
from hedgerow.explore.kinds import Collector
from hedgerow.explore.preview import preview
from hedgerow.explore.survey import NO, OPEN, YES, needs_node, passing, survey
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS, CellMetric, GroupMetric
from hedgerow.recode.search import Search
from hedgerow.table.hierarchy import Hierarchy

MODELS = [model for found in models_of_claims().values() for model in found]

SUMMED = [name for name, metric in METRICS.items() if isinstance(metric, CellMetric | GroupMetric)]
"""Metrics whose costs are known without measuring node by node."""


@st.composite
def columns(draw: st.DrawFn, name: str) -> Hierarchy:
    rows: list[list[str | None]] = [[f"{name}{i}"] for i in range(draw(st.integers(1, 4)))]
    for level in range(draw(st.integers(0, 2))):
        parents = {row[-1]: f"{name}.{level}.{draw(st.integers(0, 1))}" for row in rows}
        for row in rows:
            row.append(parents[row[-1]])
    return Hierarchy.of(name, rows)


@st.composite
def tables(draw: st.DrawFn):
    hierarchies = [draw(columns(f"q{j}")) for j in range(draw(st.integers(1, 3)))]
    tuples = st.tuples(*(st.sampled_from(h.values) for h in hierarchies))
    rows = draw(st.lists(st.tuples(tuples, st.sampled_from("xyz")), min_size=1, max_size=14))
    outside = draw(st.lists(tuples, max_size=6))
    return hierarchies, [(*q, s) for q, s in rows], [q for q, _ in rows] + outside


def surveyed(lattice: Lattice, constraints: SearchConstraints, metric: str):
    worth = METRICS[metric].sums(lattice, keep_suppressed=constraints.keep_suppressed)
    collector = Collector(worth)
    for frequency in lattice.frequencies():
        collector.add(frequency)
    profile = collector.profile()
    kept = [
        passing(profile, m) if m in constraints.by_group and not needs_node(m) else None
        for m in constraints.models
    ]
    return profile, survey(profile, constraints, worth, kept, absent=lattice.cells.absent)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    tables(),
    st.lists(st.sampled_from(MODELS), min_size=1, max_size=3, unique_by=str),
    st.integers(0, 14),
    st.booleans(),
    st.sampled_from(SUMMED),
    st.integers(0, 3),
)
def test_each_node_is_what_the_search_finds(table, models, limit, keep, metric, absent) -> None:
    hierarchies, rows, population = table
    cells = replace(
        cells_of(rows, hierarchies, sensitive=["s"], population=population), absent=absent
    )
    assume(all(m.of == "s" for m in models if hasattr(m, "of")))
    constraints = SearchConstraints(tuple(models), limit, keep)
    lattice = Lattice.of(cells)
    profile, found = surveyed(lattice, constraints, metric)
    assert [tuple(node) for node in found.nodes] == sorted(lattice.nodes())
    search = Search(lattice, constraints, METRICS[metric])
    for place, node in enumerate(found.nodes):
        frequency = lattice.roll_up(lattice.base, tuple(map(int, node)))
        expected = search.evaluate(frequency)
        assert found.left_out[place] == expected.left_out[0]
        assert found.feasible[place] == (YES if expected.feasible[0] else NO)
        if expected.feasible[0]:
            assert found.cost[place] == pytest.approx(expected.cost[0], rel=1e-9, abs=1e-9)
        assert found.floor[place] <= expected.bound[0] + 1e-9, "no more is said than is proven"
        if search.metric.suppression_costs and not keep:
            assert found.floor[place] == pytest.approx(expected.bound[0], rel=1e-9, abs=1e-9)
        groups, _ = profile.groups_of(place)
        assert sorted(groups.n) == sorted(frequency.groups.n)
        for m, model in enumerate(models):
            if model in constraints.by_group:
                out = frequency.groups.n[~model.holds(frequency.groups)].sum() + absent
                assert found.alone[place, m] == out
    costs = [c for c, ok in zip(found.cost, found.feasible, strict=True) if ok == YES]
    if costs:
        assert found.cost[found.best[0]] == pytest.approx(min(costs), abs=1e-12)
    else:
        assert found.best == ()


@settings(max_examples=60, deadline=None)
@given(
    tables(),
    st.sampled_from([
        MarginalAnonymity(k=2, knows=1), MarginalAnonymity(k=3, knows=2),
        IndividualRisk(at_most=0.5, fraction=0.3),
        IndividualRisk(at_most=0.3, fraction=0.1, estimator="benedetti-franconi"),
    ]),
    st.sampled_from([(), (KAnonymity(k=2),), (UniqueShare(share=0.3),)]),
    st.integers(0, 8),
    st.sampled_from(["loss", "discernibility"]),
)  # fmt: skip
def test_claims_that_need_the_node_are_what_the_search_finds(
    table, model, others, limit, metric
) -> None:
    hierarchies, rows, _ = table
    constraints = SearchConstraints((model, *others), limit)
    lattice = Lattice.of(cells_of(rows, hierarchies, sensitive=["s"]))
    _, found = surveyed(lattice, constraints, metric)
    search = Search(lattice, constraints, METRICS[metric])
    alone = Search(lattice, SearchConstraints((model,), limit), METRICS[metric])
    assert found.decided
    for place, node in enumerate(found.nodes):
        frequency = lattice.roll_up(lattice.base, tuple(map(int, node)))
        expected = search.evaluate(frequency)
        assert found.feasible[place] == (YES if expected.feasible[0] else NO)
        if found.feasible[place] == YES:
            published = frequency.groups.take(search.kept(frequency))
            assert all(one.keeps(published) for one in constraints.models if one.across_groups)
            assert found.left_out[place] == expected.left_out[0]
            assert found.cost[place] == pytest.approx(expected.cost[0], rel=1e-9, abs=1e-9)
            assert found.holds[place, 0] == (YES if alone.evaluate(frequency).feasible[0] else NO)
        failing = [
            frequency.groups.n[~one.holds(frequency.groups)].sum()
            for one in others
            if one.per_group
        ]
        ruled_out = any(people > limit or people == len(rows) for people in failing)
        assert ruled_out or found.floor[place] <= expected.bound[0] + 1e-9


def loss_by_hand(hierarchies, rows, node, kept_labels) -> float:
    product_ = 1.0
    for j, h in enumerate(hierarchies):
        total, size = 0.0, len(h.values)
        for row in rows:
            code = h.codes[node[j]][h.values.index(row[j])]
            hidden = int((h.codes[node[j]] == code).sum()) / size
            total += hidden if label_of(hierarchies, row, node) in kept_labels else 1.0
        least = len(rows) / size
        product_ *= 1 + ((total - least) / (len(rows) - least) if size > 1 else 0)
    return product_ ** (1 / len(hierarchies)) - 1


def label_of(hierarchies, row, node):
    return tuple(
        h.labels[level][h.codes[level][h.values.index(value)]]
        for h, value, level in zip(hierarchies, row, node, strict=False)
    )


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 4), st.integers(1, 3), st.integers(0, 6))
def test_each_node_is_what_one_counts_by_hand(table, k, least, limit) -> None:
    hierarchies, rows, _ = table
    constraints = SearchConstraints((KAnonymity(k=k), DistinctLDiversity(l=least, of="s")), limit)
    lattice = Lattice.of(cells_of(rows, hierarchies, sensitive=["s"]))
    _, found = surveyed(lattice, constraints, "loss")
    nodes = list(product(*(range(h.height + 1) for h in hierarchies)))
    for place, node in enumerate(nodes):
        groups = defaultdict(list)
        for row in rows:
            groups[label_of(hierarchies, row, node)].append(row[-1])
        small = {g for g, values in groups.items() if len(values) < k}
        alike = {g for g, values in groups.items() if len(set(values)) < least}
        out = sum(len(groups[g]) for g in small | alike)
        assert found.left_out[place] == out
        assert found.alone[place].tolist() == [
            sum(len(groups[g]) for g in small),
            sum(len(groups[g]) for g in alike),
        ]
        assert found.feasible[place] == (out <= limit and out < len(rows))
        expected = loss_by_hand(hierarchies, rows, node, groups.keys() - small - alike)
        assert found.cost[place] == pytest.approx(expected, abs=1e-9)


AGES = [str(age) for age in (21, 22, 25, 34, 36, 38, 41, 47)]


def said(protect, *, suppress: float, utility: str = "loss", levels=None) -> dict:
    """What a plan says of the table, all columns at certain levels where these are given."""
    fixed = (lambda name: {"levels": [levels[name]] * 2}) if levels else (lambda name: {})
    return {
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 50]}, **fixed("age")},
            "sex": {"role": "quasi-identifier", **fixed("sex")},
            "ill": "sensitive",
        },
        "protect": protect,
        "method": {"search": "lattice", "suppress": suppress},
        "utility": utility,
    }


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(AGES), st.sampled_from("fm"), st.sampled_from("xyz")),
        min_size=2,
        max_size=20,
    ),
    st.sampled_from(
        [
            [{"k-anonymity": 2}, {"l-diversity": 2}],
            [{"t-closeness": 0.4}],
            [{"k-anonymity": 3}, {"unique-share": 0.1}],
            [{"epsilon-privacy": {"epsilon": 2, "adversary": {
                "class": "I", "prior": "table", "stubbornness": 9}}}],
        ]
    ),
    st.sampled_from([0.0, 0.1, 0.4]),
    st.sampled_from(["loss", "discernibility"]),
)  # fmt: skip
def test_each_node_is_what_publish_makes_of_it(rows, protect, suppress, utility) -> None:
    table = pa.table(
        {name: [row[j] for row in rows] for j, name in enumerate(("age", "sex", "ill"))}
    )
    free = said(protect, suppress=suppress, utility=utility)
    exploration = Exploration.open(Plan.of(**free), data=table)
    found = exploration.survey()
    assert exploration.complete
    assert found.decided
    for place in range(len(found.nodes)):
        levels = exploration.levels(place)
        plan = said(protect, suppress=suppress, utility=utility, levels=levels)
        shown = preview(exploration, levels)
        assert shown.keeps == (found.feasible[place] == YES)
        assert shown.left_out == found.left_out[place]
        try:
            release = publish(table, **plan)
        except ClaimError:
            assert found.feasible[place] == NO
            continue
        assert found.feasible[place] == YES
        assert release.recoding["levels"] == levels
        assert release.suppressed == found.left_out[place]
        assert release.utility[utility] == pytest.approx(shown.cost, abs=1e-9)
        assert shown.cost == pytest.approx(exploration.metric.reported(found.cost[place]), abs=1e-9)
        assert all(v.holds for v in shown.claims)
    try:
        chosen = publish(table, **free).recoding["levels"]
    except ClaimError:
        assert found.best == ()
    else:
        assert chosen in [exploration.levels(place) for place in found.best]


ROWS = pa.table(
    {
        "age": AGES * 4,
        "sex": list("ffmm") * 8,
        "ill": list("xyzxxyzyxxyz") * 2 + list("yzxyxzyx"),
    }
)


def opened(protect, **more) -> Exploration:
    return Exploration.open(Plan.of(**said(protect, suppress=0.1)), data=ROWS, **more)


def test_other_parameters_are_those_of_another_plan() -> None:
    exploration = opened([{"k-anonymity": 2}, {"l-diversity": 2}])
    for k, least, suppress in ((4, 3, 0.0), (2, 3, 0.3), (20, 2, 0.5)):
        moved = [KAnonymity(k=k), DistinctLDiversity(l=least, of="ill")]
        other = Exploration.open(
            Plan.of(**said([{"k-anonymity": k}, {"l-diversity": least}], suppress=suppress)),
            data=ROWS,
        )
        one, two = exploration.survey(moved, suppress=suppress), other.survey()
        assert one.feasible.tolist() == two.feasible.tolist()
        assert one.left_out.tolist() == two.left_out.tolist()
        assert one.cost == pytest.approx(two.cost)


def test_a_claim_about_what_was_not_counted_is_refused() -> None:
    exploration = opened([{"k-anonymity": 2}])
    with pytest.raises(PlanError, match="was not counted"):
        exploration.survey([DistinctLDiversity(l=2, of="ill")])


def test_claims_about_the_whole_may_stay_open_and_come_first_where_asked() -> None:
    exploration = opened([{"unique-share": 0.2}])
    everything = exploration.survey()
    assert everything.decided
    asked = int(np.flatnonzero(everything.feasible == YES)[-1])
    partly = exploration.survey(first=[asked], seconds=-1.0)
    assert (partly.feasible[everything.feasible == YES] == OPEN).all()
    assert not partly.decided
    slowly = exploration.survey(first=[asked], seconds=60)
    assert slowly.feasible.tolist() == everything.feasible.tolist()


def test_levels_the_plan_fixes_for_all_columns_are_a_choice_not_a_bound() -> None:
    given = said([{"k-anonymity": 2}], suppress=0.1, levels={"age": 1, "sex": 0})
    exploration = Exploration.open(Plan.of(**given), data=ROWS)
    assert len(exploration.survey().nodes) == 4 * 2
    del given["columns"]["sex"]["levels"]
    assert len(Exploration.open(Plan.of(**given), data=ROWS).survey().nodes) == 2


def test_a_large_lattice_is_looked_at_around_a_node() -> None:
    whole = opened([{"k-anonymity": 2}])
    near = opened([{"k-anonymity": 2}], most_nodes=1, around={"age": 2, "sex": 0})
    assert not near.complete
    everything, some = whole.survey(), near.survey()
    nodes = [tuple(node) for node in everything.nodes]
    apart = [abs(age - 2) + sex for age, sex in nodes]
    inside = [i for i, far in enumerate(apart) if far <= 2 or nodes[i] in ((0, 0), (3, 1))]
    assert [tuple(node) for node in some.nodes] == [nodes[i] for i in inside]
    assert some.left_out.tolist() == everything.left_out[inside].tolist()
    assert some.cost == pytest.approx(everything.cost[inside])
    moved = near.around({"age": 0, "sex": 1})
    assert moved.place({"age": 0, "sex": 1}) is not None
    assert moved.place({"age": 3, "sex": 0}) is None
    best = opened([{"k-anonymity": 2}], most_nodes=1)
    assert best.levels(best.survey().best[0]) in [whole.levels(place) for place in everything.best]


def test_too_many_kinds_leave_the_neighbourhood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "MOST_NUMBERS", 100)
    assert not opened([{"k-anonymity": 2}, {"t-closeness": 0.4}]).complete


def test_nodes_and_places() -> None:
    exploration = opened([{"k-anonymity": 2}])
    place = exploration.place({"sex": 1, "age": 2})
    assert exploration.levels(place) == {"age": 2, "sex": 1}
    assert [exploration.levels(i) for i in exploration.neighbours(place)] == [
        {"age": 1, "sex": 1}, {"age": 2, "sex": 0}, {"age": 3, "sex": 1},
    ]  # fmt: skip
    for wrong in ({"age": 9, "sex": 0}, {"age": 1}, {"age": True, "sex": 0}):
        with pytest.raises(PlanError):
            exploration.place(wrong)
    with pytest.raises(PlanError, match="share"):
        exploration.survey(suppress=1.5)


def test_other_searches_have_no_lattice() -> None:
    given = said([{"k-anonymity": 2}], suppress=0.0) | {"method": "mondrian"}
    with pytest.raises(PlanError, match="only the lattice"):
        Exploration.open(Plan.of(**given), data=ROWS)


def test_the_preview_shows_the_table_before_and_after() -> None:
    exploration = opened([{"k-anonymity": 3}])
    shown = preview(exploration, {"age": 0, "sex": 1})
    ages = Counter(ROWS["age"].to_pylist())
    assert shown.groups == len(ages)
    assert sum(bar.people for bar in shown.sizes) == len(ROWS)
    assert [bar.groups for bar in shown.before if bar.people] == [len(ages)]
    assert {pair.after for pair in shown.pairs} <= {(age, "*") for age in AGES}
    pair = shown.pairs[0]
    found = [
        row
        for row in zip(*(ROWS[name].to_pylist() for name in ("age", "sex", "ill")), strict=True)
        if row == (*pair.before, pair.sensitive[0][0])
    ]
    assert len(found) == pair.people
    strict = preview(exploration, {"age": 0, "sex": 1}, [KAnonymity(k=5)])
    assert not strict.keeps
    assert strict.left_out == len(ROWS)
    assert all(pair.after is None for pair in strict.pairs)
    assert [worst.people for worst in shown.worst] == [4] * 5
    assert math.isclose(shown.cost, exploration.survey().cost[exploration.place(shown.levels)])


def test_costs_of_nodes_that_cannot_be_chosen_are_shown_all_the_same() -> None:
    for metric in ("discernibility", "kl-divergence", "precision", "query-error"):
        plan = Plan.of(**said([{"k-anonymity": 5}], suppress=0.0, utility=metric))
        exploration = Exploration.open(plan, data=ROWS)
        found = exploration.survey()
        levels = {"age": 0, "sex": 1}
        place = exploration.place(levels)
        shown = preview(exploration, levels)
        assert not shown.keeps
        assert math.isfinite(shown.cost)
        if metric not in SUMMED:
            assert np.isnan(found.cost).all()
            assert found.best == ()
        else:
            assert shown.cost == pytest.approx(exploration.metric.reported(found.cost[place]))


def test_a_hopeless_claim_holds_nowhere() -> None:
    hopeless = {"epsilon-privacy": {"epsilon": 9, "adversary": {"class": "IV"}}}
    exploration = opened([hopeless])
    found = exploration.survey()
    assert (found.feasible == NO).all()
    assert (found.left_out == len(ROWS)).all()
    assert not preview(exploration, {"age": 3, "sex": 1}).keeps


def test_levels_that_do_not_exist_are_refused() -> None:
    given = said([{"k-anonymity": 2}], suppress=0.1, levels={"age": 7, "sex": 0})
    with pytest.raises(PlanError, match="do not exist"):
        Exploration.open(Plan.of(**given), data=ROWS)


def test_work_can_be_stopped() -> None:
    class StoppedError(Exception):
        pass

    def stop(what: str, share: float | None) -> None:
        if share is not None:
            raise StoppedError

    with pytest.raises(StoppedError):
        opened([{"k-anonymity": 2}], progress=stop)


@pytest.mark.parametrize("metric", SUMMED)
@pytest.mark.parametrize("absent", [0, 2])
def test_those_left_out_may_be_a_group_of_their_own(metric: str, absent: int) -> None:
    hierarchy = Hierarchy.of("q0", [("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd")])
    rows = [(value, "x") for value in "aaaabbccd"]
    cells = replace(cells_of(rows, [hierarchy], sensitive=["s"]), absent=absent)
    lattice = Lattice.of(cells)
    constraints = SearchConstraints((KAnonymity(k=3),), 9, keep_suppressed=True)
    _, found = surveyed(lattice, constraints, metric)
    assert found.feasible.tolist() == [YES, YES]
    assert found.left_out.tolist() == [5 + absent, absent]
    search = Search(lattice, constraints, METRICS[metric])
    for place, node in enumerate([(0,), (1,)]):
        expected = search.evaluate(lattice.roll_up(lattice.base, node)).cost[0]
        assert found.cost[place] == pytest.approx(expected, abs=1e-9)
