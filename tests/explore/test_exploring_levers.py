"""What can be moved while looking at a lattice, and what each step costs."""

from __future__ import annotations

import math
from dataclasses import replace

import pyarrow as pa
import pytest

from hedgerow import Exploration, Plan, PlanError, explain_adversary, frontier
from hedgerow import claims as models
from hedgerow.claims import EpsilonPrivacy, KAnonymity
from hedgerow.claims.base import PrivacyModel
from hedgerow.explore import frontier as frontier_steps
from hedgerow.explore.frontier import epsilon_by_stubbornness, steps, values_of
from hedgerow.explore.levers import levers

TABLE = pa.table(
    {
        "age": [str(20 + i % 17) for i in range(60)],
        "sex": ["f", "m", "m"] * 20,
        "ill": ["flu", "gout", "flu", "acne", "flu"] * 12,
    }
)


def plan(*protect, **more) -> Plan:
    return Plan.of(
        columns={
            "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 50]}},
            "sex": "quasi-identifier",
            "ill": "sensitive",
        },
        protect=list(protect),
        method={"suppress": 0.1} | more,
    )


def found(exploration: Exploration):
    domains = {domain.name: domain for domain in exploration.cells.sensitive}
    return {
        lever.name: lever
        for lever in levers(exploration.plan, domains=domains, people=exploration.cells.people)
    }


EPSILON = {
    "epsilon-privacy": {
        "epsilon": 3,
        "adversary": {"class": "I", "prior": "table", "stubbornness": 50},
    }
}


def test_every_model_can_be_moved() -> None:
    every = [getattr(models, name) for name in models.__all__]
    concrete = {m for m in every if isinstance(m, type) and issubclass(m, PrivacyModel)}
    for kind in concrete - {PrivacyModel}:
        assert kind.sliders, kind
        for slider in kind.sliders:
            assert slider.field in kind.__dataclass_fields__, (kind, slider.field)


def test_levers_say_where_they_are_in_the_plan() -> None:
    exploration = Exploration.open(
        plan({"k-anonymity": 4}, {"l-diversity": {"l": 2, "of": "ill"}}, EPSILON), data=TABLE
    )
    moved = found(exploration)
    assert {name: lever.place for name, lever in moved.items()} == {
        "0.k": ("protect", 0, "k-anonymity", "k"),
        "1.l": ("protect", 1, "l-diversity", "l"),
        "2.epsilon": ("protect", 2, "epsilon-privacy", "epsilon"),
        "2.stubbornness": ("protect", 2, "epsilon-privacy", "adversary", "stubbornness"),
    }
    assert moved["0.k"].high == 60
    assert moved["1.l"].high == 3
    models = moved["2.stubbornness"].moved(exploration.models, 200)
    assert isinstance(models[2], EpsilonPrivacy)
    assert str(models[2]) == str(
        replace(models[2], adversary=replace(models[2].adversary, stubbornness=200))
    )
    assert "stubbornness 200" in str(models[2])
    assert models[:2] == exploration.models[:2]
    for wrong in (2.5, 1000, 1, math.inf, "x"):
        with pytest.raises(PlanError):
            moved["0.k"].moved(exploration.models, wrong)


def test_one_line_of_the_plan_moves_all_its_columns() -> None:
    given = Plan.of(
        columns={"age": "quasi-identifier", "sex": "sensitive", "ill": "sensitive"},
        protect=[{"l-diversity": 2}],
    )
    exploration = Exploration.open(given, data=TABLE)
    (lever,) = found(exploration).values()
    assert [m.l for m in lever.moved(exploration.models, 2)] == [2, 2]
    assert lever.models == (0, 1)


def test_the_frontier_is_that_of_the_search() -> None:
    exploration = Exploration.open(plan({"k-anonymity": 4}, {"l-diversity": 2}), data=TABLE)
    lever = found(exploration)["0.k"]
    wanted = (2, 3, 4, 6, 10, 20, 40, 60)
    ours = steps(exploration, lever, values=wanted)
    theirs = frontier(exploration.plan, [KAnonymity(k=k) for k in wanted], data=TABLE)
    assert [step.value for step in ours] == list(wanted)
    for step, point in zip(ours, theirs, strict=True):
        if point.levels is None:
            assert step.place is None
        else:
            assert step.cost == pytest.approx(point.cost)
    assert values_of(lever)[0] == 2
    assert lever.value in values_of(lever)
    assert values_of(lever)[-1] == 60


def test_the_smallest_epsilon_by_stubbornness_is_the_one_explained() -> None:
    exploration = Exploration.open(plan(EPSILON), data=TABLE)
    levels = {"age": 2, "sex": 1}
    frequency = exploration.lattice.roll_up(exploration.lattice.base, exploration.node(levels))
    rows = epsilon_by_stubbornness(exploration.models[0], frequency.groups)
    study = explain_adversary(exploration.plan, nodes=[levels], data=TABLE)
    told = {row.stubbornness: row for row in study.claims[0].nodes[0].rows}
    for row in rows:
        if row.stubbornness in told and math.isfinite(row.stubbornness):
            assert row.like_prior == told[row.stubbornness].class_i
            assert row.any_prior == told[row.stubbornness].class_ii
    assert rows[-1].like_prior == told[math.inf].class_iii
    assert rows[0].any_prior is None, "nobody has a stubbornness of 1 where there are 3 values"


def test_a_frontier_that_would_take_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    exploration = Exploration.open(plan({"k-anonymity": 4}, {"unique-share": 0.1}), data=TABLE)
    lever = found(exploration)["0.k"]
    assert len(steps(exploration, lever, values=(2, 3))) == 2
    monkeypatch.setattr(frontier_steps, "MOST_MEASURED", 3)
    with pytest.raises(PlanError, match="node by node"):
        steps(exploration, lever, values=(2, 3))
