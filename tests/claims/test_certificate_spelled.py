"""Claims written into a certificate and made anew from it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.base.errors import PlanError
from hedgerow.claims import (
    AlphaKAnonymity,
    BeliefBound,
    BetaLikeness,
    Composition,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    IndividualRisk,
    JournalistRisk,
    KAnonymity,
    KCandidates,
    KMap,
    MarginalAnonymity,
    MarketerRisk,
    PopulationUniqueness,
    PrivacyModel,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
    WeightedRisk,
)
from hedgerow.claims.adversary import AtMost, ClassI, ClassII, ClassIII, ClassIV, Known
from hedgerow.claims.population_risk import COUNTERS, FINDERS
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.claims.serialisation import UnknownModelError, models, rebuilt, spelled

WHOLE = st.integers(1, 10**18)
NUMBERS = st.one_of(
    st.floats(1, 1e12), st.integers(1, 10**15), st.fractions(1, 10**6, max_denominator=10**9)
)
SHARES = st.one_of(st.floats(1e-9, 1), st.fractions(Fraction(1, 10**9), 1))
PARTS = st.floats(1e-9, 0.999)
NAMES = st.text(min_size=1, max_size=5)
VALUES = st.none() | st.text(max_size=5)
COUNTS = st.dictionaries(VALUES, st.integers(0, 10**15), min_size=1, max_size=5).map(Prior.counts)
SHAPES = st.dictionaries(VALUES, NUMBERS, min_size=1, max_size=5).map(Prior.shape)
PRIORS = st.one_of(COUNTS, SHAPES, st.just(Prior.uniform()), st.just(Prior.of_table()))
STUBBORN = st.none() | NUMBERS
KNOWS = st.integers(0, 10**6)
ADVERSARIES = st.one_of(
    st.builds(ClassI, prior=PRIORS, stubbornness=STUBBORN, knows=KNOWS),
    st.builds(AtMost, prior=PRIORS, stubbornness=STUBBORN | st.just(math.inf), knows=KNOWS),
    st.builds(AtMost, prior=PRIORS, stubbornness=st.just(10**15), at_least=NUMBERS),
    st.builds(ClassII, stubbornness=NUMBERS, knows=KNOWS),
    st.builds(ClassIII, prior=PRIORS, knows=KNOWS),
    st.builds(ClassIV, knows=KNOWS),
)
NAMED = st.one_of(VALUES, st.lists(VALUES, min_size=1, max_size=3).map(tuple))
PREDICATES = st.builds(
    Predicates, sets=st.none() | st.lists(NAMED, min_size=1, max_size=4), negative=st.booleans()
)
EVERY: dict[type[PrivacyModel], st.SearchStrategy[Any]] = {
    KAnonymity: st.builds(KAnonymity, k=WHOLE, over=st.sampled_from(["quasi-identifiers", "all"])),
    MarginalAnonymity: st.builds(
        MarginalAnonymity, k=WHOLE,
        knows=WHOLE | st.lists(st.lists(NAMES, min_size=1, max_size=3, unique=True).map(tuple),
                               min_size=1, max_size=3).map(tuple),
    ),
    KCandidates: st.builds(
        KCandidates, k=WHOLE, kind=st.sampled_from(["global", "both", "records", "people"])
    ),
    AlphaKAnonymity: st.builds(
        AlphaKAnonymity, alpha=SHARES, k=WHOLE, of=NAMES, value=st.none() | NAMES
    ),
    DistinctLDiversity: st.builds(DistinctLDiversity, l=WHOLE, of=NAMES),
    ProbabilisticLDiversity: st.builds(ProbabilisticLDiversity, l=NUMBERS, of=NAMES),
    EntropyLDiversity: st.builds(EntropyLDiversity, l=NUMBERS, of=NAMES),
    RecursiveLDiversity: st.builds(RecursiveLDiversity, c=NUMBERS, l=WHOLE, of=NAMES),
    TCloseness: st.builds(
        TCloseness, t=SHARES, of=NAMES,
        distance=st.sampled_from(["equal", "ordered", "hierarchical"]),
    ),
    DeltaDisclosure: st.builds(DeltaDisclosure, delta=NUMBERS, of=NAMES),
    BetaLikeness: st.builds(
        BetaLikeness, beta=NUMBERS, of=NAMES, kind=st.sampled_from(["basic", "enhanced"])
    ),
    EpsilonPrivacy: st.builds(
        EpsilonPrivacy, epsilon=NUMBERS, of=NAMES, adversary=ADVERSARIES, predicates=PREDICATES,
        by=st.sampled_from(["exact", "theorem"]),
    ),
    Composition: st.builds(Composition, confidence=st.floats(1e-9, 0.999), of=NAMES),
    BeliefBound: st.builds(
        BeliefBound, at_most=st.floats(1e-9, 0.999), of=NAMES, prior=st.none() | PRIORS,
        knows=st.sampled_from(["everybody", "person"]),
    ),
    DeltaPresence: st.builds(DeltaPresence, minimum=st.just(0), maximum=SHARES),
    KMap: st.builds(KMap, k=WHOLE),
    ProsecutorRisk: st.builds(ProsecutorRisk, risk=SHARES),
    JournalistRisk: st.builds(JournalistRisk, risk=SHARES),
    MarketerRisk: st.builds(MarketerRisk, risk=SHARES),
    UniqueShare: st.builds(UniqueShare, share=SHARES),
    PopulationUniqueness: st.builds(
        PopulationUniqueness, at_most=SHARES, fraction=PARTS, estimator=st.sampled_from(COUNTERS)
    ),
    IndividualRisk: st.builds(
        IndividualRisk, at_most=SHARES, fraction=PARTS, estimator=st.sampled_from(FINDERS)
    ),
    WeightedRisk: st.builds(
        WeightedRisk, at_most=SHARES, weights=NAMES, estimator=st.sampled_from(FINDERS)
    ),
}  # fmt: skip


def through_json(model: PrivacyModel) -> PrivacyModel:
    return rebuilt(json.loads(json.dumps(spelled(model), allow_nan=False)))


def test_every_model_is_here() -> None:
    from hedgerow import claims

    known = {
        item
        for item in vars(claims).values()
        if isinstance(item, type) and issubclass(item, PrivacyModel) and item is not PrivacyModel
    }
    assert set(EVERY) == known == set(models().values())


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_there_and_back(kind: type[PrivacyModel], data: st.DataObject) -> None:
    model = data.draw(EVERY[kind])
    again = through_json(model)
    assert again == model
    assert type(again) is type(model)
    assert str(again) == str(model)
    assert again.required == model.required
    for field in fields(model):  # type: ignore[arg-type]
        old, new = getattr(model, field.name), getattr(again, field.name)
        assert isinstance(new, type(old)), "0.2 is not one fifth"


def test_numbers_of_numpy() -> None:
    model = KAnonymity(k=np.int64(5))  # type: ignore[arg-type]
    assert spelled(model)["k"] == 5
    assert type(spelled(model)["k"]) is int
    assert through_json(TCloseness(t=np.float64(0.2), of="x")) == TCloseness(t=0.2, of="x")


def test_people_are_not_written() -> None:
    known = Known(by="name", people=("Canary",))
    with pytest.raises(UnknownModelError, match="people an attacker knows"):
        spelled(EpsilonPrivacy(epsilon=2, of="x", adversary=ClassIV(knows=known)))


def test_models_of_other_people_are_not_known() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Mine(KAnonymity):
        pass

    @dataclass(frozen=True, kw_only=True)
    class Imitation(KAnonymity):
        pass

    Imitation.__name__ = "KAnonymity"
    for kind in (Mine, Imitation):
        with pytest.raises(UnknownModelError, match="does not know"):
            spelled(kind(k=2))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({}, "does not know None"),
        ({"model": ["KAnonymity"]}, "does not know"),
        ({"model": "__class__"}, "does not know"),
        ({"model": "KAnonymity"}, "not the parameter 'k'"),
        ({"model": "KAnonymity", "k": 5, "over": "all", "x": 1}, "no parameter 'x'"),
        ({"model": "KAnonymity", "k": True, "over": "all"}, "no number"),
        ({"model": "KAnonymity", "k": "5/0", "over": "all"}, "no number"),
        ({"model": "KAnonymity", "k": {"a": 1}, "over": "all"}, "k cannot be"),
        ({"model": "KAnonymity", "k": 5, "over": 7}, "over is a text"),
        ({"model": "KAnonymity", "k": 5, "over": "some"}, "over 'quasi-identifiers' or 'all'"),
        ({"model": "KMap", "k": None}, "k must be"),
        ({"model": "KMap", "k": 2.5}, "k must be"),
        ({"model": "ProsecutorRisk", "risk": "2"}, "risk must be"),
    ],
)  # fmt: skip
def test_what_is_no_model(data: dict[str, Any], why: str) -> None:
    with pytest.raises(PlanError, match=why):
        rebuilt(data)


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (["adversary"], "ClassI", "adversary cannot be"),
        (["adversary", "class"], "Known", "does not know the adversary"),
        (["adversary", "knows"], "all", "a number of people or a list"),
        (["adversary", "knows"], {"by": "x", "people": ["y"]}, "a number of people or a list"),
        (["adversary", "stubbornness"], "infinite", "infinite stubbornness"),
        (["adversary", "stubbornness"], "many", "no number"),
        (["adversary", "prior"], {"kind": "magic"}, "there is no prior"),
        (["adversary", "prior"], {"kind": "uniform", "weights": []}, "there is no prior"),
        (["adversary", "prior", "weights"], [["a", 1], ["a", 2]], "a value twice"),
        (["adversary", "prior", "weights"], [["a"]], "no entry"),
        (["adversary", "prior", "weights"], [["a", -1]], "whole number of people"),
        (["predicates"], {"sets": None}, "predicates cannot be"),
        (["predicates", "sets"], [], "protects nothing"),
        (["predicates", "sets"], [[1]], "neither a value"),
        (["predicates", "negative"], "yes", "true or false"),
        (["by"], "guess", "'exact' or by 'theorem'"),
    ],
)
def test_what_is_no_adversary(path: list[str], value: Any, why: str) -> None:
    model = EpsilonPrivacy(epsilon=2, of="x", adversary=ClassI(prior=Prior.counts({"a": 3})))
    data = json.loads(json.dumps(spelled(model)))
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(PlanError, match=why):
        rebuilt(data)
