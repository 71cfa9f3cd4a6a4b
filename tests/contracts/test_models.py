"""Every privacy model keeps the same contract, measured against oracles in exact arithmetic.

The oracles work on lists of people, straight from the definitions, in whole numbers and
fractions; they share no code with the models.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError, PlanError
from hedgerow.claims import (
    CLAIMS,
    AlphaKAnonymity,
    BetaLikeness,
    Composition,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    Needs,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
    describe,
)
from hedgerow.claims.adversary import ClassI, ClassII, ClassIII
from hedgerow.claims.base import PrivacyModel, exact
from hedgerow.claims.priors import Prior
from hedgerow.table.groups import ALL, Groups

INF = math.inf
Person = frozenset[int]
Level = Fraction | float


class Table(NamedTuple):
    """People by group, each with a set of sensitive values, and a population by group."""

    people: list[list[Person]]
    population: list[int]
    width: int
    parents: list[int]

    @property
    def everybody(self) -> list[Person]:
        return [person for group in self.people for person in group]

    @property
    def several(self) -> bool:
        return any(len(person) != 1 for person in self.everybody)

    def groups(self) -> Groups:
        order = [str(v) for v in range(self.width)]
        counts: dict[str, list[dict[str | None, int]]] = {"s": [], ALL: []}
        for group in self.people:
            counts["s"].append(dict(Counter(str(v) for person in group for v in person)))
            counts[ALL].append(dict(Counter(str(sorted(person)) for person in group)))
        return Groups.of(
            counts,
            n=[len(group) for group in self.people],
            population=self.population,
            order={"s": order},
            levels={"s": [self.parents, [0] * self.width]},
        )


@st.composite
def tables(draw: st.DrawFn) -> Table:
    width = draw(st.integers(1, 4))
    most = draw(st.sampled_from([1, width]))
    person = st.frozensets(st.integers(0, width - 1), min_size=1, max_size=most)
    people = draw(st.lists(st.lists(person, max_size=6), min_size=1, max_size=4))
    population = [len(group) + draw(st.integers(0, 3)) for group in people]
    parents = draw(st.lists(st.integers(0, 2), min_size=width, max_size=width))
    return Table(people, population, width, parents)


def shares(people: list[Person], width: int) -> list[Fraction]:
    """Of the people, how many have each value."""
    return [Fraction(sum(v in person for person in people), len(people)) for v in range(width)]


def pairs(people: list[Person], width: int) -> list[int]:
    return [sum(v in person for person in people) for v in range(width)]


def distribution(people: list[Person], width: int) -> list[Fraction]:
    """The distribution of pairs (person, value)."""
    counts = pairs(people, width)
    return [Fraction(count, sum(counts)) for count in counts]


def over(a: int, b: int) -> Level:
    return Fraction(a, b) if b > 0 else INF


def all_columns(t: Table, g: int) -> Level:
    return Fraction(min(Counter(t.people[g]).values()))


def distinct(t: Table, g: int) -> Level:
    values = Fraction(len(frozenset().union(*t.people[g])))
    return min(values, probabilistic(t, g)) if t.several else values


def probabilistic(t: Table, g: int) -> Level:
    return 1 / max(shares(t.people[g], t.width))


def recursive(l: int) -> Callable[[Table, int], Level]:  # noqa: E741
    def level(t: Table, g: int) -> Level:
        r = sorted((c for c in pairs(t.people[g], t.width) if c), reverse=True)
        found = over(r[0], sum(r[l - 1 :]))
        return max(found, over(r[0], len(t.people[g]) - r[0])) if t.several else found

    return level


def closeness(distance: str) -> Callable[[Table, int], Level]:
    def level(t: Table, g: int) -> Level:
        p, q = distribution(t.people[g], t.width), distribution(t.everybody, t.width)
        extra = [a - b for a, b in zip(p, q, strict=True)]
        if distance == "equal":
            found = sum(map(abs, extra), Fraction(0)) / 2
        elif distance == "ordered":
            present = [e for e, b in zip(extra, q, strict=True) if b]
            steps = [abs(sum(present[: i + 1])) for i in range(len(present))]
            found = sum(steps, Fraction(0)) / max(1, len(present) - 1)
        else:
            under: dict[int, list[Fraction]] = {}
            for value, e in enumerate(extra):
                under.setdefault(t.parents[value], []).append(e)
            middle = sum(
                (min(sum(x for x in xs if x > 0), -sum(x for x in xs if x < 0))
                 for xs in under.values()), Fraction(0)
            )  # fmt: skip
            top = sum((max(sum(xs), Fraction(0)) for xs in under.values()), Fraction(0))
            # Where all values have one parent that parent is the lower of two nodes in a row.
            found = middle / 2 + top
        if t.several:
            ours, theirs = shares(t.people[g], t.width), shares(t.everybody, t.width)
            found = max(found, *(abs(a - b) for a, b in zip(ours, theirs, strict=True)))
        return found

    return level


def alpha_k(k: int, value: int | None) -> Callable[[Table, int], Level]:
    def level(t: Table, g: int) -> Level:
        found = shares(t.people[g], t.width)
        share = max(found) if value is None else found[value]
        return share if len(t.people[g]) >= k else INF

    return level


def gain(t: Table, g: int) -> Level:
    ours, theirs = shares(t.people[g], t.width), shares(t.everybody, t.width)
    gains = [(a - b) / b for a, b in zip(ours, theirs, strict=True) if a > b]
    return max(gains, default=Fraction(0))


def enhanced(t: Table, g: int) -> Level:
    ours, theirs = shares(t.people[g], t.width), shares(t.everybody, t.width)
    for a, b in zip(ours, theirs, strict=True):
        # gain <= -ln b  <=>  e^gain * b <= 1
        if a > b and power_of_e((a - b) / b) * Fraction(b) > 1:
            return INF
    return gain(t, g)


def power_of_e(exponent: Fraction) -> Fraction:
    """e^x to sixty digits, by another road than the models' logarithms."""
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(exponent.numerator) / exponent.denominator).exp())


def present_share(minimum: Fraction) -> Callable[[Table, int], Level]:
    def level(t: Table, g: int) -> Level:
        share = over(len(t.people[g]), t.population[g])
        return share if share >= minimum else INF

    return level


def believed(
    prior: Callable[[Table], tuple[list[Fraction], Fraction | None]], b: int = 0
) -> Callable[[Table, int], Level]:
    """Epsilon from p_in and p_out, person by person; tests/worlds.py derives these."""

    def level(t: Table, g: int) -> Level:
        (sigma, total), n = prior(t), len(t.people[g])
        worst: Level = ONE
        for person in t.people[g]:
            (value,) = person
            same = sum(other == person for other in t.people[g])
            p_in = Fraction(same, n - b) if n - b > same else ONE
            p_out = sigma[value] if total is None else (same - 1 + sigma[value]) / (n - 1 + total)
            if p_in == 1 or p_out == 0:
                return INF
            worst = max(worst, p_in / p_out, (1 - p_out) / (1 - p_in))
        return worst

    return level


def counted_elsewhere(t: Table) -> tuple[list[Fraction], Fraction | None]:
    """Two people with value 0 and one with a value the table does not know."""
    sigma = [Fraction(1 + 2 * (v == 0)) for v in range(t.width)]
    return sigma, sum(sigma, Fraction(2))


class Case(NamedTuple):
    """One model: how to build it from its strength, and its level by the definition."""

    name: str
    build: Callable[[Any], PrivacyModel]
    level: Callable[[Table, int], Level]
    least: Fraction = Fraction(0)
    most: Level = INF
    whole: bool = False
    counts_empty: bool = False
    one_each: bool = False
    """Whether it refuses tables in which people have several values."""


ONE, UNIT = Fraction(1), Fraction(1, 10**6)
CASES = [
    Case("k", lambda k: KAnonymity(k=k), lambda t, g: Fraction(len(t.people[g])), ONE, whole=True),
    Case("k all", lambda k: KAnonymity(k=k, over="all"), all_columns, ONE, whole=True),
    Case("distinct", lambda x: DistinctLDiversity(l=x, of="s"), distinct, ONE, whole=True),
    Case("probabilistic", lambda x: ProbabilisticLDiversity(l=x, of="s"), probabilistic, ONE),
    Case("recursive 1", lambda c: RecursiveLDiversity(c=c, l=1, of="s"), recursive(1), UNIT),
    Case("recursive 2", lambda c: RecursiveLDiversity(c=c, l=2, of="s"), recursive(2), UNIT),
    Case("recursive 3", lambda c: RecursiveLDiversity(c=c, l=3, of="s"), recursive(3), UNIT),
    *(
        Case(
            f"t {distance}",
            lambda t, distance=distance: TCloseness(t=t, of="s", distance=distance),
            closeness(distance),
            most=ONE,
        )
        for distance in ("equal", "ordered", "hierarchical")
    ),
    Case("alpha", lambda a: AlphaKAnonymity(alpha=a, k=2, of="s"), alpha_k(2, None), most=ONE),
    Case(
        "alpha of one",
        lambda a: AlphaKAnonymity(alpha=a, k=1, of="s", value="0"),
        alpha_k(1, 0),
        most=ONE,
    ),
    *(
        Case(
            f"epsilon {name}",
            lambda e, adversary=adversary: EpsilonPrivacy(epsilon=e, of="s", adversary=adversary),
            level,
            ONE,
            one_each=True,
        )
        for name, adversary, level in (
            ("I", ClassI(prior=Prior.counts({"0": 2, "x": 1})), believed(counted_elsewhere)),
            (
                "I knowing",
                ClassI(prior=Prior.counts({"0": 2, "x": 1}), knows=2),
                believed(counted_elsewhere, 2),
            ),
            (
                "II",
                ClassII(stubbornness=7, knows=1),
                believed(lambda t: ([ONE] * t.width, ONE * 7), 1),
            ),
            (
                "III",
                ClassIII(prior=Prior.uniform()),
                believed(lambda t: ([Fraction(1, t.width)] * t.width, None)),
            ),
        )
    ),
    Case("beta", lambda b: BetaLikeness(beta=b, of="s"), gain),
    Case("beta enhanced", lambda b: BetaLikeness(beta=b, of="s", kind="enhanced"), enhanced),
    Case(
        "presence",
        lambda d: DeltaPresence(minimum=0, maximum=d),
        present_share(Fraction(0)),
        most=ONE,
        counts_empty=True,
    ),
    Case(
        "presence from",
        lambda d: DeltaPresence(minimum=Fraction(1, 3), maximum=d),
        present_share(Fraction(1, 3)),
        Fraction(1, 3),
        ONE,
        counts_empty=True,
    ),
    Case("map", lambda k: KMap(k=k), lambda t, g: Fraction(t.population[g]), ONE, whole=True),
    Case(
        "prosecutor",
        lambda r: ProsecutorRisk(risk=r),
        lambda t, g: over(1, len(t.people[g])),
        UNIT,
        ONE,
    ),
    Case(
        "journalist",
        lambda r: JournalistRisk(risk=r),
        lambda t, g: over(1, t.population[g]),
        UNIT,
        ONE,
    ),
    Case(
        "marketer",
        lambda r: MarketerRisk(risk=r),
        lambda t, g: over(sum(map(bool, t.people)), len(t.everybody)),
        UNIT,
        ONE,
    ),
    Case(
        "unique",
        lambda u: UniqueShare(share=u),
        lambda t, g: over(sum(len(p) == 1 for p in t.people), len(t.everybody)),
        most=ONE,
    ),
]
by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
EVERY = [case.build(case.most if case.whole is False and case.most < INF else 2) for case in CASES]
EVERY += [EntropyLDiversity(l=2, of="s"), DeltaDisclosure(delta=2, of="s")]
every_model = pytest.mark.parametrize("model", EVERY, ids=str)


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
    if case.one_each and table.several:
        with pytest.raises(DataError, match="one value a person"):
            case.build(2).level(table.groups())
        return
    level = case.build(clamped(case, ONE) if not case.whole else 1).level(table.groups())
    for g in range(len(table.people)):
        if counted(case, table, g):
            assert level[g] == pytest.approx(float(case.level(table, g)), rel=1e-12)


@by_name
@settings(max_examples=100, deadline=None)
@given(table=tables(), data=st.data())
def test_decisions_at_and_around_attained_levels(case: Case, table: Table, data: Any) -> None:
    """The level is the strictest parameter: it holds there, and a hair beyond it does not."""
    assume(not (case.one_each and table.several))
    levels = [case.level(table, g) for g in range(len(table.people)) if counted(case, table, g)]
    attained = data.draw(st.sampled_from(levels)) if levels else ONE
    hair = data.draw(st.sampled_from([0, 1, -1])) * (ONE if case.whole else Fraction(1, 10**15))
    strength = clamped(case, attained + hair)
    model = case.build(int(strength) if case.whole else strength)
    groups = table.groups()
    holds = model.holds(groups)
    for g in range(len(table.people)):
        if counted(case, table, g):
            assert holds[g] == passes(model, case.level(table, g)), (str(model), g)
            assert model.exactly(groups, g) == holds[g]
        else:
            assert holds[g]


@settings(max_examples=200, deadline=None)
@given(table=tables(), l=st.sampled_from([1, 1.5, 2, 2.5, 3, 4]))
def test_entropy_against_whole_numbers(table: Table, l: float) -> None:  # noqa: E741
    groups, model = table.groups(), EntropyLDiversity(l=l, of="s")
    level, holds = model.level(groups), model.holds(groups)
    for g, people in enumerate(table.people):
        if not people:
            assert holds[g]
            continue
        counts = [c for c in pairs(people, table.width) if c]
        n, required = sum(counts), exact(l)
        diverse = n**n >= required**n * math.prod(c**c for c in counts)
        effective = math.exp(math.fsum(c / n * math.log(n / c) for c in counts))
        if table.several:
            cap = probabilistic(table, g)
            diverse, effective = diverse and cap >= required, min(effective, float(cap))
        assert holds[g] == diverse == model.exactly(groups, g)
        assert level[g] == pytest.approx(effective, rel=1e-12)


@settings(max_examples=200, deadline=None)
@given(table=tables(), delta=st.sampled_from([0.1, 0.5, 0.69, 0.7, 1, 1.1, 2]))
def test_delta_disclosure_against_exponentials(table: Table, delta: float) -> None:
    groups, model = table.groups(), DeltaDisclosure(delta=delta, of="s")
    level, holds = model.level(groups), model.holds(groups)
    bound = power_of_e(exact(delta))
    for g, people in enumerate(table.people):
        if not people:
            assert holds[g]
            continue
        ours, theirs = shares(people, table.width), shares(table.everybody, table.width)
        met = [(a, b) for a, b in zip(ours, theirs, strict=True) if b]
        private = all(a > 0 and max(a / b, b / a) < bound for a, b in met)
        assert holds[g] == private == model.exactly(groups, g)
        logs = [abs(math.log(a / b)) if a else INF for a, b in met]
        assert level[g] == pytest.approx(max(logs), rel=1e-12, abs=1e-15)


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


def test_every_model_is_explained_and_every_explanation_has_models() -> None:
    explained = [model for entry in CLAIMS.values() for model in entry.models()]
    # What composition looks at comes from other releases: it has a file of its own.
    assert set(explained) == {type(model) for model in EVERY} | {Composition}
    assert len(explained) == len(set(explained)) == sum(len(e.classes) for e in CLAIMS.values())
    for name, entry in CLAIMS.items():
        assert describe(name) is entry
        assert entry.example.startswith(f"- {name}: ")
        assert [title for title, text in entry.sections() if not text] == []
    with pytest.raises(PlanError, match="there is no claim") as caught:
        describe("k-anonimity")
    assert "'k-anonymity'" in str(caught.value)
