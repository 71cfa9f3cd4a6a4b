"""The stubbornness at which a claim holds, against brute force over many stubbornnesses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hedgerow.claims.adversary import ClassI, ClassII, ClassIII
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.explain.breaking_point import Family, StubbornnessRange, where_it_holds
from hedgerow.table.groups import Groups

VALUES = ("a", "b", "c")
TINY = Fraction(1, 10**9)
GRID = [Fraction(n) for n in (1, 2, 3, 4, 5, 7, 10, 15, 25, 40, 100, 1000, 10**5, 10**8, 10**11)]


def worst(
    table: Sequence[Sequence[int]],
    shares: Sequence[Fraction],
    sigma: Fraction | None,
    *,
    b: int,
    by: str,
    negative: bool,
    any_shape: bool,
) -> Fraction | float:
    """The smallest epsilon by the formulas of the paper, in exact rationals.

    FACTS: class I and III by Equations 8 and 9, or R1 and R2 solved for epsilon; class II with
    sigma(s) = 1, all that somebody who never saw the value has.
    """
    level: Fraction | float = Fraction(1)
    for group in table:
        n = sum(group)
        cases = list(zip(group, shares, strict=True))
        if negative:
            cases += [(n - c, 1 - p) for c, p in cases]
        for holders, share in cases:
            if not holders:
                continue
            big_n = n - b
            if holders >= big_n:
                return math.inf
            f = Fraction(holders, big_n)
            if sigma is None:
                level = max(level, f / share, (1 - share) / (1 - f))
                continue
            weight = share * sigma
            if any_shape:
                weight = Fraction(1)
            if by == "exact":
                p_out = (holders + weight - 1) / (n + sigma - 1)
                level = max(level, f / p_out, (1 - p_out) / (1 - f))
                continue
            total = sigma + b
            a, x = (weight - 1) / total, Fraction(big_n) / total
            level = max(level, f * (1 + x) / (a + f * x))
            level = max(level, ((1 - a) / (1 - f) + x) / (1 - 1 / total + x))
    return level


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    width = draw(st.integers(2, 3))
    counts = st.lists(st.integers(0, 12), min_size=width, max_size=width).filter(any)
    table = draw(st.lists(counts, min_size=1, max_size=6))
    table[0] = [count + 1 for count in table[0]]  # every value exists
    return {
        "table": table,
        "prior": draw(st.lists(st.integers(0, 40), min_size=width, max_size=width)),
        "epsilon": draw(st.sampled_from([1.0, 1.01, 1.1, 1.3, 1.5, 2.0, 3.0, 5.0, 20.0])),
        "b": draw(st.integers(0, 2)),
        "by": draw(st.sampled_from(["exact", "theorem"])),
        "negative": draw(st.booleans()),
    }


def found(case: dict[str, Any], *, any_shape: bool) -> tuple[StubbornnessRange, Any]:
    width = len(case["table"][0])
    groups = Groups.of(
        {"s": [dict(zip(VALUES, row, strict=False)) for row in case["table"]]},
        order={"s": VALUES[:width]},
    )
    prior = Prior.counts(dict(zip(VALUES, case["prior"], strict=False)))
    model = EpsilonPrivacy(
        epsilon=case["epsilon"], of="s", by=case["by"],
        predicates=Predicates(negative=case["negative"]),
        adversary=ClassIII(prior=prior, knows=case["b"]),
    )  # fmt: skip

    def at(sigma: Fraction | None) -> EpsilonPrivacy:
        if sigma is None:
            return model
        knows: dict[str, Any] = {"stubbornness": sigma, "knows": case["b"]}
        adversary = ClassII(**knows) if any_shape else ClassI(prior=prior, **knows)
        return replace(model, adversary=adversary)

    family = Family(
        at=at, least=Fraction(width if any_shape else 1),
        most=Fraction(10**12) if any_shape else None,
    )  # fmt: skip
    total = sum(case["prior"]) + width
    shares = [Fraction(count + 1, total) for count in case["prior"]]

    def holds(sigma: Fraction | None) -> bool:
        level = worst(
            case["table"], shares, sigma, b=case["b"], by=case["by"], negative=case["negative"],
            any_shape=any_shape,
        )  # fmt: skip
        return level <= Fraction(repr(case["epsilon"]))

    return where_it_holds(family, groups), holds


@given(cases())
def test_the_interval_of_a_shape_is_where_the_claim_holds(case: dict[str, Any]) -> None:
    interval, holds = found(case, any_shape=False)
    tried = [*GRID, None]
    if interval.empty:
        assert not any(holds(sigma) for sigma in GRID)
        return
    low, high = interval.low, interval.high
    tried += [low, low + TINY] + ([] if high is None else [high, high - TINY, high + TINY])
    tried += [low - TINY] if low > 1 else []
    for sigma in tried:
        if sigma is None:
            assert holds(None) == (high is None)
        else:
            inside = low <= sigma and (high is None or sigma <= high)
            assert holds(sigma) == inside, sigma


@given(cases())
def test_the_bound_of_any_shape_is_where_the_claim_stops(case: dict[str, Any]) -> None:
    interval, holds = found(case, any_shape=True)
    least = Fraction(len(case["table"][0]))
    if interval.empty:
        assert not any(holds(sigma) for sigma in GRID if sigma >= least)
        return
    assert interval.low == least
    assert interval.high is not None
    assert interval.above is not None, "somebody is stubborn enough"
    for sigma in [*GRID, interval.high, interval.high + TINY]:
        if sigma >= least:
            assert holds(sigma) == (sigma <= interval.high)


@given(cases())
def test_whoever_ends_the_interval_fails_beyond_it(case: dict[str, Any]) -> None:
    """The group and the predicate that are named are those that break."""
    interval, _ = found(case, any_shape=False)
    if interval.empty or interval.above is None or case["negative"]:
        return
    row = case["table"][interval.above.group]
    total = sum(case["prior"]) + len(row)
    value = VALUES.index(interval.above.predicate)
    shares = [Fraction(count + 1, total) for count in case["prior"]]
    # Only this value, all others taken together.
    alone = [[row[value], sum(row) - row[value]]], [shares[value], 1 - shares[value]]
    how: dict[str, Any] = {"b": case["b"], "by": case["by"], "negative": False}
    assert interval.high is not None
    beyond = worst(*alone, interval.high * 2 + 1, any_shape=False, **how)
    both = worst(*alone, interval.high, any_shape=False, **how)
    assert beyond > Fraction(repr(case["epsilon"])) or both == math.inf


def test_a_tie_with_infinity_is_decided_exactly() -> None:
    """f = p and epsilon = 1: class III holds with equality, every finite stubbornness fails."""
    groups = Groups.of({"s": [{"a": 2, "b": 3}]})
    model = EpsilonPrivacy(
        epsilon=1, of="s", adversary=ClassIII(prior=Prior.shape({"a": 0.4, "b": 0.6}))
    )
    family = Family(
        at=lambda sigma: model if sigma is None else replace(
            model, adversary=ClassI(prior=Prior.shape({"a": 0.4, "b": 0.6}), stubbornness=sigma)
        ),
        least=Fraction(1),
    )  # fmt: skip
    assert where_it_holds(family, groups).empty


def test_a_table_with_one_value_hides_nothing() -> None:
    """p = p_in = 1: the conditions are 0 / 0, and everybody is sure."""
    groups = Groups.of({"s": [{"a": 5}]})
    model = EpsilonPrivacy(
        epsilon=9, of="s", adversary=ClassI(prior=Prior.uniform(), stubbornness=1)
    )
    family = Family(
        at=lambda sigma: replace(
            model, adversary=ClassIII(prior=Prior.uniform()) if sigma is None
            else ClassI(prior=Prior.uniform(), stubbornness=sigma)
        ),
        least=Fraction(1),
    )  # fmt: skip
    assert where_it_holds(family, groups).empty
