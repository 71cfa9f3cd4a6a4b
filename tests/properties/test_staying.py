"""What the search believes about groups that fail: bounds on who could stay at finer levels."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from contracts.oracles import Case, cases
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.claims import (
    EntropyLDiversity,
    EpsilonPrivacy,
    JournalistRisk,
    KMap,
)
from hedgerow.claims.adversary import AtMost, ClassI, ClassII, ClassIII
from hedgerow.claims.base import Needs
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.table.groups import ALL, Groups, Histogram, Sensitive

PARAMETERS = st.sampled_from([0.05, 0.1, 0.25, 0.3, 0.5, 0.75, 1.0, 1.5])
PRIORS = st.sampled_from([
    Prior.uniform(), Prior.of_table(), Prior.counts({"x": 1, "y": 6, "z": 0, "elsewhere": 3}),
    Prior.shape({"x": 0.02, "y": 0.58, "z": 0.4}),
])  # fmt: skip
KNOWS = st.integers(0, 2)
ADVERSARIES = st.one_of(
    st.builds(ClassI, prior=PRIORS, stubbornness=st.sampled_from([1, 2.5, 7, 40]), knows=KNOWS),
    st.builds(
        AtMost,
        prior=PRIORS,
        stubbornness=st.sampled_from([3, 40]),
        at_least=st.sampled_from([1, 2.5]),
        knows=KNOWS,
    ),
    st.builds(ClassII, stubbornness=st.sampled_from([3, 10]), knows=KNOWS),
    st.builds(ClassIII, prior=PRIORS, knows=KNOWS),
)
PREDICATES = st.sampled_from(
    [Predicates(), Predicates(negative=True), Predicates(sets=["x", ["x", "y"]])]
)
BELIEFS = st.builds(
    EpsilonPrivacy, epsilon=st.sampled_from([1, 1.05, 1.2, 1.5, 2, 3, 8]), of=st.just("s"),
    adversary=ADVERSARIES, predicates=PREDICATES, by=st.sampled_from(["exact", "theorem"]),
)  # fmt: skip
"""More attackers than the cases of the claim have."""


def alone(case: Case) -> bool:
    """Whether it is a claim about each group, and only about people in the table."""
    model = case.build(1 if case.whole else Fraction(1))
    return model.per_group and Needs.POPULATION not in model.needs


FREE = {name: case for name, case in cases().items() if alone(case)}
every_case = pytest.mark.parametrize("name", FREE)
COUNTS = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)
RESTS = st.lists(st.integers(1, 9), min_size=3, max_size=3)


LEVELS = (np.arange(3), np.array([0, 0, 1]), np.zeros(3, np.int64))


def groups_of(
    rows: list[list[int]], reference: list[int], values: str = "xyz", levels: tuple = ()
) -> Groups:
    """Groups in a table whose distribution is given, as the model sees them in a search."""
    matrix = np.array(rows)
    owner, codes = np.nonzero(matrix)
    indptr = np.searchsorted(owner, np.arange(len(rows) + 1)).astype(np.int64)
    histogram = Histogram(indptr, codes.astype(np.int32), matrix[owner, codes])
    domain = Sensitive("s", tuple(values), np.array(reference), sum(reference), levels)
    return Groups(matrix.sum(axis=1), {"s": histogram, ALL: histogram}, {"s": domain, ALL: domain})


@settings(max_examples=600, deadline=None)
@given(BELIEFS, COUNTS, st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_nobody_else_could_stay_whoever_attacks(model, counts, rest):
    assert_nobody_else_could_stay(model, counts, rest)


def near(case, counts, rest, data):
    """The claim with a parameter that the group itself just misses, or attains."""
    reference = [a + b for a, b in zip(counts, rest, strict=True)]
    probe = case.build(1 if case.whole else Fraction(1))
    level = probe.level(groups_of([counts], reference, "012", LEVELS))[0]
    level = Fraction(float(level)).limit_denominator(10**6) if level < 10**6 else Fraction(2)
    step = Fraction(1) if case.whole else Fraction(1, 7)
    strength = level + data.draw(st.sampled_from([-1, 0, 1])) * step
    strength = max(case.least, min(case.most, strength))
    return case.build(int(strength) if case.whole else Fraction(strength))


@every_case
@settings(max_examples=60, deadline=None)
@given(counts=COUNTS, rest=RESTS, data=st.data())
def test_nobody_else_could_stay_by_any_claim(name, counts, rest, data):
    model = near(FREE[name], counts, rest, data)
    assert_nobody_else_could_stay(model, counts, rest, "012", LEVELS)


@every_case
@settings(max_examples=60, deadline=None)
@given(counts=COUNTS, more=COUNTS, rest=RESTS, data=st.data())
def test_every_claim_declares_whether_people_may_be_added(name, counts, more, rest, data):
    union = [a + b for a, b in zip(counts, more, strict=True)]
    model = near(FREE[name], counts, [a + b for a, b in zip(more, rest, strict=True)], data)
    reference = [a + b for a, b in zip(union, rest, strict=True)]
    before, after = model.holds(groups_of([counts, union], reference, "012", LEVELS))
    assert after or not before or not model.monotone_in_union


def assert_nobody_else_could_stay(model, counts, rest, values="xyz", levels=()):
    """All sub-multisets of a failing group are tried: none that passes is larger."""
    reference = [a + b for a, b in zip(counts, rest, strict=True)]
    group = groups_of([counts], reference, values, levels)
    if model.holds(group)[0]:
        return
    parts = [list(part) for part in product(*(range(c + 1) for c in counts)) if any(part)]
    tried = groups_of(parts, reference, values, levels)
    passing = tried.n[model.holds(tried)]
    assert passing.max(initial=0) <= model.could_stay(group)[0]
    assert model.could_stay(group)[0] < group.n[0]


@settings(max_examples=600, deadline=None)
@given(BELIEFS, COUNTS, COUNTS, st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_whether_people_may_be_added_whoever_attacks(model, counts, more, rest):
    union = [a + b for a, b in zip(counts, more, strict=True)]
    reference = [a + b for a, b in zip(union, rest, strict=True)]
    before, after = model.holds(groups_of([counts, union], reference))
    if model.monotone_in_union and before:
        assert after


@pytest.mark.parametrize("model", [KMap(k=3), JournalistRisk(risk=0.3)])
def test_populations_only_grow(model):
    assert model.monotone_in_union
    assert Needs.POPULATION in model.needs
    assert model.could_stay(Groups.of([2], population=[2])).tolist() == [0]


def test_entropy_can_be_lost_by_adding_people():
    """Why a search may not treat entropy diversity like k-anonymity."""
    model = EntropyLDiversity(l=2, of="s")
    assert not model.monotone_in_union
    assert model.holds(groups_of([[1, 1, 0], [9, 1, 0]], [9, 1, 1])).tolist() == [True, False]
