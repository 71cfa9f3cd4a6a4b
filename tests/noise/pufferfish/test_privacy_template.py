"""The generic template: exact checks of finite mechanisms against definitions by enumeration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain as joined
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from noise.pufferfish.finite_mechanisms import mechanisms

from hedgerow.base.errors import PlanError
from hedgerow.noise.pufferfish.finite import FiniteMechanism
from hedgerow.noise.pufferfish.template import (
    Constraint,
    Definition,
    between,
    blowfish,
    constraints,
)
from hedgerow.noise.rounding import exp_down

COIN = FiniteMechanism(rows={0: {0: "0.75", 1: "0.25"}, 1: {0: "0.25", 1: "0.75"}})


def all_sets(mechanism: FiniteMechanism) -> list[tuple[object, ...]]:
    ends = mechanism.outputs
    return list(joined.from_iterable(combinations(ends, n) for n in range(1, len(ends) + 1)))


def chance(mechanism: FiniteMechanism, given: object, outputs: Sequence[object]) -> Fraction:
    return sum((mechanism.probability(given, o) for o in outputs), Fraction(0))


@given(
    mechanisms(),
    st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(4)]),
    st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3)]),
)
def test_worst_set_is_the_worst_of_all_sets(
    mechanism: FiniteMechanism, factor: Fraction, delta: Fraction
) -> None:
    excess = {
        (a, b, s): chance(mechanism, a, s) - factor * chance(mechanism, b, s) - delta
        for a, b in ((0, 1), (1, 0), (1, 2), (2, 1))
        for s in all_sets(mechanism)
    }
    found = between([(0, 1), (1, 2)]).definition(factor=factor, delta=delta).check(mechanism)
    assert found.excess == max(excess.values())
    assert found.holds == (max(excess.values()) <= 0)
    assert chance_of(mechanism, found.constraint, found.outputs) == found.excess + delta


def chance_of(
    mechanism: FiniteMechanism, constraint: Constraint, outputs: Sequence[object]
) -> Fraction:
    return sum((w * chance(mechanism, i, outputs) for i, w in constraint.weights), Fraction(0))


@given(mechanisms(), st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3)]))
def test_smallest_factor_is_the_least_over_all_sets(
    mechanism: FiniteMechanism, delta: Fraction
) -> None:
    needed: Fraction | float = Fraction(1)
    for (a, b), s in product([(0, 1), (1, 0), (0, 2), (2, 0)], all_sets(mechanism)):
        p, q = chance(mechanism, a, s) - delta, chance(mechanism, b, s)
        if p > 0:
            needed = max(needed, p / q if q else math.inf)
    secret = between([(0, 1), (0, 2)])
    found = secret.smallest(mechanism, delta=delta)
    assert found.factor == (None if needed == math.inf else needed)
    if found.factor is not None:
        assert secret.definition(factor=found.factor, delta=delta).holds(mechanism)
        if found.factor > 1:
            less = max(found.factor - Fraction(1, 10**9), Fraction(1))
            assert not secret.definition(factor=less, delta=delta).holds(mechanism)


def test_a_claim_is_never_too_strong() -> None:
    """A coin that is just beyond e^epsilon by its rounding is refused."""
    odds = exp_down(Fraction(1)) + Fraction(1, 10**60)
    truth = odds / (1 + odds)
    coin = FiniteMechanism(rows={0: {0: truth, 1: 1 - truth}, 1: {0: 1 - truth, 1: truth}})
    assert not between([(0, 1)]).definition(epsilon=1).holds(coin)
    assert between([(0, 1)]).definition(epsilon="1.000001").holds(coin)
    smallest = between([(0, 1)]).smallest(coin)
    assert smallest.epsilon is not None
    assert exp_down(smallest.epsilon) >= odds - Fraction(1, 10**40)


def test_the_most_revealing_mechanism_of_the_paper() -> None:
    """Truth with probability e^eps / (1 + e^eps): .524979 at 0.1."""
    assert between([(0, 1)]).smallest(COIN).factor == 3
    assert math.exp(0.1) / (1 + math.exp(0.1)) == pytest.approx(0.524979, abs=1e-6)
    found = between([(0, 1)]).definition(epsilon="0.1").check(COIN)
    assert found.outputs == (0,)
    assert float(found.excess) == pytest.approx(0.75 - 0.25 * math.exp(0.1))


def test_publishing_one_record_at_random_is_approximately_private() -> None:
    """The paper's warning: (0, 1/n), and always somebody is shown."""
    tables = list(product("ab", repeat=3))
    rows = {t: {v: Fraction(t.count(v), 3) for v in "ab"} for t in tables}
    shows = FiniteMechanism(rows=rows)
    secret = blowfish("ab", edges=[("a", "b")], records=3)
    assert secret.definition(factor=1, delta=Fraction(1, 3)).holds(shows)
    assert not secret.definition(factor=1, delta=Fraction(33, 100)).holds(shows)
    assert secret.smallest(shows).factor is None


def test_blowfish_neighbours_are_one_edge_apart() -> None:
    edges = [(0, 1), (2, 3)]
    secret = blowfish(range(4), edges=edges, records=2)
    compared = {(c.left[0][0], c.right[0][0]) for c in secret.comparisons}
    expected = {
        (d, e)
        for d, e in product(product(range(4), repeat=2), repeat=2)
        if sum(x != y for x, y in zip(d, e, strict=True)) == 1
        and all(x == y or (x, y) in edges or (y, x) in edges for x, y in zip(d, e, strict=True))
    }
    assert compared == expected


def test_a_partition_may_be_published_exactly() -> None:
    """Nothing is promised across components; within them the exact value is not private."""
    tables = {(v,): v for v in range(4)}
    secret = blowfish(range(4), edges=[(0, 1), (2, 3)], records=1)
    blocks = FiniteMechanism.deterministic({t: v // 2 for t, v in tables.items()})
    values = FiniteMechanism.deterministic(dict(tables.items()))
    assert secret.smallest(blocks).factor == 1
    assert secret.smallest(values).factor is None


def test_a_threshold_costs_its_graph_distance() -> None:
    """Correction 14: e^(ceil(d / theta) epsilon), reached by a mechanism that steps by theta."""
    theta = 2
    edges = [(x, y) for x, y in combinations(range(7), 2) if y - x <= theta]
    secret = blowfish(range(7), edges=edges, records=1)
    steps = FiniteMechanism.geometric(
        {(v,): (v + 1) // 2 for v in range(7)}, ratio="0.5", low=0, high=3
    )
    assert secret.smallest(steps).factor == 2
    for x, y in product(range(7), repeat=2):
        far = between([((x,), (y,))]) if x != y else None
        if far is not None:
            found = far.smallest(steps).factor
            assert found is not None
            assert found <= 2 ** -(-abs(x - y) // theta)


def test_definition_four_takes_any_list_of_constraints() -> None:
    never_surer = constraints(
        {"0 at most half as likely as 1": {0: Fraction(1), 1: Fraction(-1, 2)}}
    )
    even = FiniteMechanism(rows={0: {"x": "0.5", "y": "0.5"}, 1: {"x": "0.5", "y": "0.5"}})
    found = never_surer.check(even)
    assert not found.holds
    assert found.excess == Fraction(1, 2)
    assert set(found.outputs) == {"x", "y"}


def test_single_outputs_and_sets_differ_where_the_bound_is_not_zero() -> None:
    weights = {0: Fraction(1), 1: Fraction(-1)}
    each = Definition((Constraint("each", weights, bound=Fraction(1, 4), over="outputs"),))
    every = Definition((Constraint("every", weights, bound=Fraction(1, 4)),))
    split = FiniteMechanism(rows={0: {"a": "0.25", "b": "0.25", "c": "0.5"}, 1: {"c": 1}})
    assert each.holds(split)
    assert not every.holds(split)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: FiniteMechanism(rows={}),
        lambda: FiniteMechanism(rows={0: {0: "0.5"}}),
        lambda: FiniteMechanism(rows={0: {0: "-1", 1: 2}}),
        lambda: FiniteMechanism.geometric({0: 5}, ratio="0.5", low=0, high=4),
        lambda: FiniteMechanism.geometric({0: 0}, ratio=1, low=0, high=4),
        lambda: COIN.after({0: {0: 1}}),
        lambda: COIN.or_else(FiniteMechanism(rows={5: {0: 1}}), probability="0.5"),
        lambda: COIN.weighed({7: Fraction(1)}),
        lambda: between([]),
        lambda: between([(0, 0)]),
        lambda: between([(0, 1)]).definition(),
        lambda: between([(0, 1)]).definition(epsilon=1, factor=3),
        lambda: between([(0, 1)]).definition(factor="0.5"),
        lambda: between([(0, 1)]).definition(epsilon=1, delta=1),
        lambda: between([(0, 1)]).definition(epsilon=1).check(FiniteMechanism(rows={0: {0: 1}})),
        lambda: blowfish("ab", edges=[("a", "z")], records=1),
        lambda: blowfish(range(100), edges=[(0, 1)], records=9),
        lambda: Constraint("no sign", {0: Fraction(1)}, bound=Fraction(-1)),
        lambda: Constraint("nothing", {}),
        lambda: Definition(()),
    ],
)
def test_wrong_input_gets_a_message(wrong: object) -> None:
    with pytest.raises(PlanError):
        wrong()  # type: ignore[operator]
