"""Every privacy model keeps the same contract, measured against oracles in exact arithmetic."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contracts.oracles import (
    INF,
    ONE,
    ORACLES,
    OTHER_CLASSES,
    OTHER_ORACLES,
    Case,
    Level,
    Table,
    cases,
    tables,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError, PlanError
from hedgerow.claims import (
    CLAIMS,
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    Needs,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
    describe,
)
from hedgerow.claims.base import PrivacyModel
from hedgerow.table.groups import ALL, Groups

ROOT = Path(__file__).resolve().parents[2]
CASES = cases()
WITH_LEVEL = {name: case for name, case in CASES.items() if case.level is not None}
by_name = pytest.mark.parametrize("case", WITH_LEVEL.values(), ids=WITH_LEVEL)
EVERY = [
    case.build(case.most if case.whole is False and case.most < INF else 2)
    for case in WITH_LEVEL.values()
]
every_model = pytest.mark.parametrize("model", EVERY, ids=WITH_LEVEL)


def test_every_claim_has_an_oracle() -> None:
    without = [name for name in CLAIMS if name not in {**ORACLES, **OTHER_ORACLES}]
    assert not without, "add cases to tests/contracts/oracles.py"
    tried = {type(case.build(2 if case.whole else ONE)) for case in WITH_LEVEL.values()}
    for name, declaration in CLAIMS.items():
        if name in OTHER_ORACLES:
            assert (ROOT / OTHER_ORACLES[name]).is_file()
        else:
            others = {model for model in declaration.classes if model.__name__ in OTHER_CLASSES}
            assert all((ROOT / OTHER_CLASSES[model.__name__]).is_file() for model in others)
            assert set(declaration.classes) - others <= tried, f"a class of {name} has no oracle"
        for model in declaration.classes:
            for said in ("monotone_in_generalisation", "monotone_in_suppression"):
                assert said in vars(model), f"{model.__name__} does not say {said}"


def counted(case: Case, t: Table, g: int) -> bool:
    """Whether the model says anything about the group."""
    return bool(t.people[g]) or (case.counts_empty and t.population[g] > 0)


def clamped(case: Case, strength: Level) -> Fraction:
    inside = max(case.least, min(case.most, strength if strength < INF else Fraction(10**6)))
    return Fraction(math.ceil(inside)) if case.whole else Fraction(inside)


def passes(model: PrivacyModel, level: Level) -> bool:
    required = model.required
    if level == required:
        return not model.strict
    return (level > required) == model.higher_is_safer


@by_name
@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_level_is_what_the_definition_says(case: Case, table: Table) -> None:
    assert case.level is not None
    if case.one_each and table.several:
        with pytest.raises(DataError, match="one value a person"):
            case.build(2).level(table.groups())
        return
    level = case.build(clamped(case, ONE) if not case.whole else 1).level(table.groups())
    for g in range(len(table.people)):
        if counted(case, table, g):
            assert level[g] == pytest.approx(float(case.level(table, g)), rel=1e-12, abs=1e-15)


@by_name
@settings(max_examples=100, deadline=None)
@given(table=tables(), data=st.data())
def test_decisions_at_and_around_attained_levels(case: Case, table: Table, data: Any) -> None:
    """The level is the strictest parameter: it holds there, and a hair beyond it does not."""
    assume(not (case.one_each and table.several))
    assert case.level is not None
    levels = [case.level(table, g) for g in range(len(table.people)) if counted(case, table, g)]
    attained = data.draw(st.sampled_from(levels)) if levels else ONE
    attained = attained if attained == INF else Fraction(attained)
    hair = data.draw(st.sampled_from([0, 1, -1])) * (ONE if case.whole else Fraction(1, 10**15))
    strength = clamped(case, attained + hair)
    model = case.build(int(strength) if case.whole else strength)
    groups = table.groups()
    holds = model.holds(groups)
    for g in range(len(table.people)):
        if counted(case, table, g):
            right = case.decides or (lambda t, g, _: passes(model, case.level(t, g)))
            assert holds[g] == right(table, g, model.required), (str(model), g)
            assert model.exactly(groups, g) == holds[g]
        else:
            assert holds[g]


@every_model
def test_verdict_sums_up_the_groups(model: PrivacyModel) -> None:
    table = Table([[frozenset({0})] * 3 + [frozenset({1})], [frozenset({1})], []], [5, 2, 0], 2,
                  [0, 0])  # fmt: skip
    groups = table.groups()
    verdict, level = model.check(groups), model.level(groups)
    assert verdict.claim == str(model)
    assert verdict.holds == model.holds(groups).all()
    assert verdict.required == float(model.required)
    assert verdict.level == (level[:2].min() if model.higher_is_safer else level[:2].max())
    assert (verdict.worst is None) == (not model.per_group)
    if verdict.worst is not None:
        assert level[verdict.worst] == verdict.level
    assert np.signbit(verdict.margin) != verdict.holds or verdict.margin == 0


@every_model
def test_nobody_and_nothing(model: PrivacyModel) -> None:
    """A table without people, and one without groups, keep every claim."""
    empty = Table([[], []], [0, 0], 2, [0, 1]).groups()
    assert model.holds(empty).tolist() == [True, True]
    assert model.check(empty).worst is None
    none = empty.take(np.array([], np.int64))
    assert model.holds(none).tolist() == []
    assert model.check(none).holds


@every_model
def test_is_a_frozen_value_that_reads_as_a_claim(model: PrivacyModel) -> None:
    same = type(model)(**{f.name: getattr(model, f.name) for f in dataclasses.fields(model)})
    assert same == model
    assert hash(same) == hash(model)
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.of = "other"  # type: ignore[attr-defined]
    with pytest.raises(PlanError, match="needs its parameters by name"):
        type(model)(3)
    assert str(model) != repr(model)
    assert all(attribute == ALL or attribute in str(model) for attribute in model.attributes)


@every_model
def test_asks_for_what_it_needs(model: PrivacyModel) -> None:
    assert model.needs
    sizes = Groups.of([3, 2])
    if model.needs == Needs.SIZES:
        assert len(model.holds(sizes)) == 2
    else:
        with pytest.raises(PlanError) as caught:
            model.holds(sizes)
        assert caught.value.fix
    assert bool(model.attributes) == (Needs.HISTOGRAM in model.needs)


BAD = [math.nan, math.inf, -math.inf, -1, -0.5, True, False, "2", None, 2 + 0j]


@pytest.mark.parametrize("bad", BAD, ids=repr)
@every_model
def test_refuses_what_is_no_parameter(model: PrivacyModel, bad: object) -> None:
    given = {f.name: getattr(model, f.name) for f in dataclasses.fields(model)}
    numbers = [name for name, value in given.items() if isinstance(value, int | float | Fraction)]
    assert numbers
    for name in numbers:
        with pytest.raises(PlanError, match=f"{name} must be"):
            type(model)(**(given | {name: bad}))


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (KAnonymity, {"k": 0}),
        (KAnonymity, {"k": 2.0}),
        (KAnonymity, {"k": 2.5}),
        (KAnonymity, {"k": 3, "over": "everything"}),
        (DistinctLDiversity, {"l": 1.5, "of": "s"}),
        (DistinctLDiversity, {"l": 2, "of": ""}),
        (EntropyLDiversity, {"l": 0.99, "of": "s"}),
        (EntropyLDiversity, {"l": 2, "of": None}),
        (RecursiveLDiversity, {"c": 0, "l": 2, "of": "s"}),
        (RecursiveLDiversity, {"c": 1, "l": 0, "of": "s"}),
        (TCloseness, {"t": 1.01, "of": "s"}),
        (TCloseness, {"t": 0.1, "of": "s", "distance": "euclidean"}),
        (AlphaKAnonymity, {"alpha": 1.1, "k": 2, "of": "s"}),
        (DeltaDisclosure, {"delta": 0, "of": "s"}),
        (BetaLikeness, {"beta": 1, "of": "s", "kind": "strong"}),
        (DeltaPresence, {"minimum": 0.5, "maximum": 0.4}),
        (DeltaPresence, {"minimum": 0, "maximum": 1.5}),
        (KMap, {"k": 0}),
        (ProsecutorRisk, {"risk": 0}),
        (JournalistRisk, {"risk": 1.5}),
        (MarketerRisk, {"risk": 0}),
        (UniqueShare, {"share": 1.5}),
    ],
)
def test_refuses_parameters_out_of_range(kind: type, given: dict[str, object]) -> None:
    with pytest.raises(PlanError) as caught:
        kind(**given)
    assert caught.value.fix


def test_numpy_numbers_are_the_numbers_they_print() -> None:
    assert TCloseness(t=np.float64(0.2), of="s").required == Fraction(1, 5)
    assert KAnonymity(k=np.int64(3)).required == 3  # type: ignore[arg-type]


def test_every_model_is_explained() -> None:
    explained = [model for entry in CLAIMS.values() for model in entry.classes]
    assert len(explained) == len(set(explained))
    for name, entry in CLAIMS.items():
        assert describe(name) is entry
        assert entry.example.startswith(f"- {name}: ")
        assert [title for title, text in entry.sections() if not text] == []
    with pytest.raises(PlanError, match="there is no claim") as caught:
        describe("k-anonimity")
    assert "'k-anonymity'" in str(caught.value)
