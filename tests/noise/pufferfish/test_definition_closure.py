"""Closure under post-processing and convexity: proofs hold, counterexamples are real."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from noise.pufferfish.finite_mechanisms import mechanisms

from hedgerow.base.errors import PlanError
from hedgerow.noise.pufferfish.closure import KAnonymous, convexity, post_processing
from hedgerow.noise.pufferfish.finite import FiniteMechanism
from hedgerow.noise.pufferfish.template import Constraint, Definition, between

ANYTHING = st.sampled_from([Fraction(0), Fraction(1, 8), Fraction(1, 3)])


@given(mechanisms(), mechanisms(inputs=range(5)), ANYTHING)
def test_post_processing_never_needs_more(
    mechanism: FiniteMechanism, second: FiniteMechanism, delta: Fraction
) -> None:
    """What the proof says, on random mechanisms and random post-processing."""
    process = {
        i: dict(zip(second.outputs, row, strict=True))
        for i, row in zip(second.inputs, second.rows, strict=True)
    }
    secret = between([(0, 1), (1, 2)])
    before = secret.smallest(mechanism, delta=delta).factor
    after = secret.smallest(mechanism.after(process), delta=delta).factor
    assert before is None or (after is not None and after <= before)
    assert post_processing(secret.definition(epsilon=1, delta=delta)).closed is True


@given(mechanisms(), mechanisms(), st.sampled_from(["0.5", "0.1"]), ANYTHING)
def test_a_coin_never_needs_more(
    first: FiniteMechanism, second: FiniteMechanism, p: str, delta: Fraction
) -> None:
    secret = between([(0, 1), (1, 2)])
    factors = [
        secret.smallest(m, delta=delta).factor
        for m in (first, second, first.or_else(second, probability=p))
    ]
    assert None in factors[:2] or (
        factors[2] is not None and factors[2] <= max(factors[0], factors[1])
    )
    assert convexity(secret.definition(epsilon=1, delta=delta)).closed is True


def test_a_bound_on_single_outputs_is_not_closed_under_post_processing() -> None:
    """No output may be likelier by more than 1/2: two of them, put together, can be."""
    rule = Definition(
        tuple(
            Constraint(
                f"{a} over {b}",
                {a: Fraction(1), b: Fraction(-1)},
                bound=Fraction(1, 2),
                over="outputs",
            )
            for a, b in ((0, 1), (1, 0))
        )
    )
    found = post_processing(rule)
    assert found.closed is False
    assert rule.holds(found.satisfying[0])
    assert found.failing is not None
    assert not rule.holds(found.failing)
    assert convexity(rule).closed is True


def test_a_bound_below_zero_is_not_convex() -> None:
    """Every output is certain: not so once a coin chooses between two answers."""
    rule = Definition((Constraint("at least", {0: Fraction(-1)}, bound=-1, over="outputs"),))
    found = convexity(rule)
    assert found.closed is False
    assert all(rule.holds(m) for m in found.satisfying)
    assert found.failing is not None
    assert not rule.holds(found.failing)


FINE = ((13053, 28), (13068, 29)), ((13053, 35), (13068, 36))
"""Two tables of two people: ZIP code and age."""
COARSE = ((130, 28), (130, 28)), ((130, 35), (130, 35))
TABLES = dict(zip(FINE, COARSE, strict=True))


def test_k_anonymity_is_not_closed_under_post_processing() -> None:
    """What was coarsened can be undone by who knows how it was done."""
    rule = KAnonymous(k=2, identifiers=2)
    hides = FiniteMechanism.deterministic(TABLES)
    found = post_processing(rule, mechanisms=[hides])
    assert found.closed is False
    assert rule(found.satisfying[0])
    assert found.failing is not None
    assert not rule(found.failing)
    # Undone for everybody: the output is the private table itself, and nothing had been hidden.
    undone = hides.renamed(lambda o: next(t for t, c in TABLES.items() if c == o))
    assert undone.rows == FiniteMechanism.deterministic({t: t for t in FINE}).rows
    assert not rule(undone)
    assert between([FINE]).smallest(hides).factor is None


def test_k_anonymity_of_algorithms_without_chance_is_not_convex() -> None:
    rule = KAnonymous(k=2, identifiers=2, without_chance=True)
    hides = FiniteMechanism.deterministic(TABLES)
    hides_all = FiniteMechanism.deterministic(dict.fromkeys(FINE, ((130, 0), (130, 0))))
    found = convexity(rule, mechanisms=[hides, hides_all])
    assert found.closed is False
    assert len(found.satisfying) == 2
    assert all(rule(m) for m in found.satisfying)
    assert found.failing is not None
    assert not rule(found.failing)


def test_k_anonymity_as_it_is_written_is_convex() -> None:
    """Definition 2 asks for k-anonymous outputs, and a choice adds no output."""
    rule = KAnonymous(k=2, identifiers=2)
    tables = [*COARSE, ((130, 0), (130, 0))]
    several = [
        FiniteMechanism(rows={FINE[0]: {a: "0.5", b: "0.5"}, FINE[1]: {b: 1}})
        for a, b in product(tables, repeat=2)
        if a != b
    ]
    assert all(rule(m) for m in several)
    assert convexity(rule, mechanisms=several).closed is None


def test_nothing_found_is_not_a_proof() -> None:
    found = post_processing(lambda m: True, mechanisms=[FiniteMechanism.deterministic({0: 0})])
    assert found.closed is None
    assert "tried" in found.reason


def test_a_function_needs_mechanisms() -> None:
    with pytest.raises(PlanError, match="mechanisms"):
        post_processing(lambda m: True)
    with pytest.raises(PlanError, match="no table"):
        KAnonymous(k=2, identifiers=1)(FiniteMechanism.deterministic({0: 0}))
