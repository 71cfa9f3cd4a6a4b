"""Hypothesis tries to refute what each model says about merging and leaving out groups."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from contracts.oracles import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.claims import (
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    MarketerRisk,
    RecursiveLDiversity,
    UniqueShare,
)
from hedgerow.claims.base import PrivacyModel
from hedgerow.table.groups import ALL, Groups, Histogram

WIDTH = 4
Random = np.random.Generator

CASES = cases()
"""Each builds a model as demanding as a level that some group of the table attains."""
every_name = pytest.mark.parametrize("name", CASES)


ROUNDS = 6
"""Tables tried for each seed. Only the seed is drawn: tables drawn person by person are nearly
all too small to refute anything (see `test_the_search_refutes_a_wrong_declaration`)."""

seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def people_in_groups(random: Random, *, one_each: bool = False) -> Groups:
    """Two to six groups; people with one or with several values; two attributes; a population."""
    several = random.random() < 0.5 and not one_each
    groups = []
    for _ in range(random.integers(2, 7)):
        weights = random.dirichlet([random.choice([0.7, 10.0])] * WIDTH)
        group = []
        for _ in range(random.choice([0, 1, 2, 3, 4, 5, 8, 12, 20])):
            most = 1 + random.integers(WIDTH) if several else 1
            chosen = random.choice(WIDTH, size=most, p=weights)
            group.append((sorted({int(v) for v in chosen}), int(random.integers(2))))
        groups.append(group)
    if one_each:
        groups.append([([v], 0) for v in range(WIDTH)])  # what is true of everybody is refused
    counts: dict[str, list[dict[str | None, int]]] = {"s": [], "other": [], ALL: []}
    for group in groups:
        counts["s"].append(dict(Counter(str(v) for values, _ in group for v in values)))
        counts["other"].append(dict(Counter(str(other) for _, other in group)))
        counts[ALL].append(dict(Counter(f"{v}{other}" for v, other in group)))
    return Groups.of(
        counts,
        n=[len(group) for group in groups],
        population=[len(group) + int(random.integers(5)) for group in groups],
        order={"s": [str(v) for v in range(WIDTH)]},
        levels={"s": [[0, 0, 1, int(random.integers(3))], [0] * WIDTH]},
    )


def attained(name: str, groups: Groups, random: Random) -> PrivacyModel:
    """The model with a parameter that some group attains, exactly or almost."""
    case = CASES[name]
    probe = case.build(1 if case.whole else Fraction(1))
    choices = sorted({float(x) for x in probe.level(groups) if 0 < x < 10**6})
    # The weaker half, which most groups pass: merging groups that fail refutes nothing.
    half = (len(choices) + 1) // 2
    weaker = choices[:half] if probe.higher_is_safer else choices[-half:]
    chosen = float(random.choice(weaker)) if choices else 1.0
    if case.whole:
        return case.build(max(1, int(chosen)))
    # Levels are ratios of small numbers: the nearest such ratio is the level itself. Those of
    # entropy and of logarithms are not; a thousandth beyond them is nearly attained.
    nearest = Fraction(chosen).limit_denominator(5000)
    if abs(float(nearest) - chosen) > 1e-12 * max(1, chosen):
        safer = Fraction(-1, 1000) if probe.higher_is_safer else Fraction(1, 1000)
        nearest = Fraction(chosen).limit_denominator(10**6) + safer
    nearest = Fraction(max(case.least, min(case.most, nearest)))
    if probe.strict:
        nearest += Fraction(1, int(random.choice([10, 1000, 10**12])))
    return case.build(nearest)


def merged(groups: Groups, random: Random) -> tuple[Groups, Any]:
    into = random.integers(3, size=len(groups))
    return groups.merge(into, 3), into


def without(groups: Groups, left_out: int) -> list[Groups]:
    """The release without a group: nobody there, or (where no population shows it) no group."""
    n = groups.n.copy()
    n[left_out] = 0
    histograms = {}
    for name, h in groups.histograms.items():
        keep = h.owner() != left_out
        lengths = np.diff(h.indptr).copy()
        lengths[left_out] = 0
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        histograms[name] = Histogram(indptr, h.codes[keep], h.counts[keep])
    nobody_there = Groups(n, histograms, groups.domains, groups.population)
    return [nobody_there, groups.take(np.arange(len(groups)) != left_out)]


def assert_union_passes(model: PrivacyModel, groups: Groups, random: Random) -> None:
    passed = model.holds(groups)
    union, into = merged(groups, random)
    after = model.holds(union)
    for g in range(3):
        members = into == g if model.per_group else np.ones(len(groups), bool)
        if passed[members].all():
            assert after[g], f"{model}: {groups.take(members)} passed, their union does not"


@every_name
@settings(max_examples=60, deadline=None)
@given(random=seeds)
def test_merging_groups_that_pass_gives_a_group_that_passes(name: str, random: Random) -> None:
    for _ in range(ROUNDS):
        groups = people_in_groups(random, one_each=CASES[name].one_each)
        model = attained(name, groups, random)
        assert model.monotone_in_generalisation, "declared otherwise: add a counterexample below"
        assert_union_passes(model, groups, random)


@every_name
@settings(max_examples=20, deadline=None)
@given(random=seeds)
def test_leaving_out_a_group_keeps_what_held(name: str, random: Random) -> None:
    for _ in range(ROUNDS):
        groups = people_in_groups(random, one_each=CASES[name].one_each)
        model = attained(name, groups, random)
        if not model.monotone_in_suppression:
            return
        passed = model.holds(groups)
        left_out = int(random.integers(len(groups)))
        nobody_there, no_group = without(groups, left_out)
        rest = np.arange(len(groups)) != left_out
        assert (model.holds(nobody_there)[rest] >= passed[rest]).all()
        if passed.all():
            assert model.holds(nobody_there).all()
        assert (model.holds(no_group) >= passed[rest]).all()


@dataclass(frozen=True, kw_only=True)
class Upended(EntropyLDiversity):
    """Not monotone: asks that groups are not too diverse."""

    def holds(self, groups: Groups) -> Any:
        return (self.level(groups) <= self.l) | (groups.n == 0)


def test_the_search_refutes_a_wrong_declaration() -> None:
    @settings(max_examples=60, deadline=None, database=None)
    @given(random=seeds)
    def attempt(random: Random) -> None:
        for _ in range(ROUNDS):
            assert_union_passes(Upended(l=2, of="s"), people_in_groups(random), random)

    with pytest.raises(AssertionError, match="their union does not"):
        attempt()


COUNTEREXAMPLES: dict[str, tuple[PrivacyModel, Groups, int]] = {
    "delta-presence from a third": (
        DeltaPresence(minimum=Fraction(1, 3), maximum=0.5), Groups.of([1, 1], population=[2, 2]), 0
    ),
    "delta-presence from a tenth": (
        DeltaPresence(minimum=0.25, maximum=0.5), Groups.of([1, 1], population=[2, 2]), 0
    ),
    "marketer-risk": (MarketerRisk(risk=0.5), Groups.of([1, 3]), 1),
    "unique-share": (UniqueShare(share=0.25), Groups.of([1, 3]), 1),
}  # fmt: skip


@every_name
def test_what_is_declared_not_monotone_is_not(name: str) -> None:
    case = CASES[name]
    declared = case.build(1 if case.whole else Fraction(1, 2) if case.most == 1 else Fraction(1))
    assert declared.monotone_in_suppression == (name not in COUNTEREXAMPLES)
    if name in COUNTEREXAMPLES:
        model, groups, left_out = COUNTEREXAMPLES[name]
        assert type(model) is type(declared)
        assert not model.monotone_in_suppression
        assert model.holds(groups).all()
        assert not model.holds(without(groups, left_out)[0]).all()


def test_presence_without_a_minimum_is_monotone_in_suppression() -> None:
    assert DeltaPresence(minimum=0, maximum=0.5).monotone_in_suppression
    assert not DeltaPresence(minimum=0.1, maximum=0.5).monotone_in_suppression


def test_an_average_of_pairs_alone_would_break_the_claim() -> None:
    """Why people are counted: three people with a, b and c each look 3-diverse in pairs."""
    groups = Groups.of({"s": [{"a": 3, "b": 3, "c": 3}, {"a": 1}]}, n=[3, 1])
    for model in (DistinctLDiversity(l=2, of="s"), EntropyLDiversity(l=2, of="s")):
        assert model.level(groups).tolist() == [1, 1]
        assert not model.holds(groups)[0]
    assert RecursiveLDiversity(c=100, l=2, of="s").level(groups)[0] == np.inf
