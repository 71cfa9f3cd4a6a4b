"""Whole questions against exact distributions: all neighbours among small tables.

One person has any of some rows, or others, or is not there; besides there are some other people.
What is claimed is never less than the loss of any two such tables, and no larger than it has to
be where the sensitivity is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from answers.drawn import (
    KINDS,
    Added,
    Worlds,
    added,
    blind,
    bounds,
    law,
    public,
    untouched,
    values,
)
from noise import oracle

from hedgerow.answers.counts import CountQuestion
from hedgerow.answers.marginals import Marginals
from hedgerow.answers.ranges import RangeCounts
from hedgerow.answers.selections import MostFrequent, Quantiles
from hedgerow.answers.stability_histogram import KeysFound
from hedgerow.answers.sums import Aggregate
from hedgerow.noise import samplers
from hedgerow.noise.calibration import price
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import DiscreteGaussian
from hedgerow.noise.neighbours import Neighbouring

PRICES = [price(epsilon=1), price(rho="0.5"), price(epsilon="0.2", delta="1e-3")]
DOMAINS = {"g": values("a", None), "x": bounds(-3, 5, 1)}
QUESTIONS = {
    "people": CountQuestion(),
    "rows": CountQuestion(of="rows"),
    "filtered": CountQuestion(where="x >= 0", of="rows"),
    "people by": CountQuestion(by=("g",)),
    "rows by": CountQuestion(by=("g",), of="rows"),
    "people by two": CountQuestion(by=("x:4", "g")),
    "rows by two": CountQuestion(by=("x:4", "g"), of="rows"),
    "sum": Aggregate(kind="sum", column="x"),
    "sum by": Aggregate(kind="sum", column="x", by=("g",)),
    "mean": Aggregate(kind="mean", column="x"),
    "mean by": Aggregate(kind="mean", column="x", by=("g",)),
    "variance": Aggregate(kind="variance", column="x"),
    "variance by": Aggregate(kind="variance", column="x", by=("g",)),
    "marginals": Marginals(tables=(("g",), ("x:4",), ("g", "x:4"))),
    "marginals of rows": Marginals(tables=(("g",), ("x", "g")), of="rows"),
    "ranges": RangeCounts(column="x"),
}
ALL_OF_THEM = {"people", "rows"}
"""With change-one nobody learns anything from these, but a filter would change that."""
IN_PARTS = {"mean", "mean by", "variance", "variance by", "marginals"}
"""Where nobody need be the worst for all parts at once: each part by itself is exact."""


def contributions(rows: int, types: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Everything one person may have; one row more than counts where there is a person column."""
    most = 1 if rows == 1 else rows + 1
    return [
        [{"p": "somebody", **row} for row in some]
        for many in range(most + 1)
        for some in combinations_with_replacement(types, many)
    ]


@cache
def neighbours(rows: int) -> tuple[Worlds, list[list[int]]]:
    """Tables, and for each set of other people the places of the tables that differ in one.

    The first of each is the table without that person.
    """
    groups = ("a", None, "?") if rows == 1 else ("a", None)
    types = [{"g": g, "x": x} for g, x in product(groups, ("-100", "1", "5", "nan"))]
    own = contributions(rows, types)
    one = {"g": "a", "x": "5"}
    others: list[list[dict[str, Any]]] = [
        [],
        [{"p": "else", **one}],
        [{"p": "else", **one}, {"p": "third", **one, "x": "0"}, {"p": None, **one}],
    ]
    tables = [[*person, *rest] for rest in others for person in own]
    places = np.arange(len(tables)).reshape(len(others), len(own)).tolist()
    return Worlds.of(tables, person=rows > 1), places


def pairs(kind: Neighbouring, group: list[int]) -> Iterable[tuple[int, int]]:
    """Places of neighbours: with and without the person, or with any two values of theirs."""
    if kind is Neighbouring.ADD_REMOVE:
        return ((group[0], place) for place in group[1:])
    return ((a, b) for i, a in enumerate(group[1:], 1) for b in group[i + 1 :])


def apart(draws: list[list[Added]], group: list[int], kind: Neighbouring) -> list[Any]:
    """The different ways in which neighbours differ: (L1, squared L2) of each draw."""
    found = []
    for place in range(len(draws[0])):
        numbers = np.array([draws[i][place].values for i in group], np.int64)
        if kind is Neighbouring.ADD_REMOVE:
            off = np.abs(numbers[1:] - numbers[0])
        else:
            first, second = np.triu_indices(len(numbers) - 1, 1)
            off = np.abs(numbers[1:][first] - numbers[1:][second])
        found += [off.sum(axis=1), (off**2).sum(axis=1)]
    return np.unique(np.stack(found, axis=1), axis=0).tolist()


def measured(draws: list[Added], ways: list[int]) -> tuple[Fraction, Fraction]:
    """The exact loss of one such pair: epsilon of all Laplace noise, rho of all Gaussian noise."""
    epsilon = rho = Fraction(0)
    for draw, l1, squared in zip(draws, ways[::2], ways[1::2], strict=True):
        if draw.kind == "laplace":
            epsilon += l1 / draw.scale
        else:
            rho += squared / (2 * draw.scale**2)
    return epsilon, rho


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_with_noise(kind: Neighbouring, rows: int) -> None:
    """CountQuestion, sum, mean, variance, marginals and ranges, at every kind of price."""
    everybody = public(kind, rows, DOMAINS)
    asked = [(name, question, loss) for name, question in QUESTIONS.items() for loss in PRICES]
    designs = [question.design(everybody, loss) for _, question, loss in asked]
    worlds, groups = neighbours(rows)
    for (name, _, loss), design, exact in zip(asked, designs, worlds.exact(designs), strict=True):
        if design.loss == Pure(epsilon=0):
            assert (kind, rows) == (Neighbouring.CHANGE_ONE, 1)
            assert name in ("people", "rows"), "all rows, without a filter"
            for group in groups:
                told = {untouched(design, exact[place]) for place in group[1:]}
                assert len(told) == 1, "neighbours are told the same"
                assert untouched(design, exact[group[0]]) not in told, "one person less is seen"
            continue
        draws = [added(design, numbers) for numbers in exact]
        some = [group[place] for group in groups for place in (0, 1, -1)]
        assert len({blind(design, exact[i]) for i in some}) == 1, name
        ways = [way for group in groups for way in apart(draws, group, kind)]
        found = [measured(draws[0], way) for way in ways]
        claimed = design.loss
        worst = max(e for e, _ in found), max(r for _, r in found)
        if isinstance(claimed, Pure):
            assert isinstance(loss, Pure | Approximate), name
            assert claimed.epsilon <= loss.epsilon
            assert worst[0] <= claimed.epsilon, name
            assert worst[1] == 0, name
            share = worst[0] / claimed.epsilon
        else:
            assert claimed == loss, name
            rho = claimed.rho if isinstance(claimed, ZeroConcentrated) else concentrated(claimed)
            assert worst[1] <= rho, name
            assert worst[0] == 0, name
            share = worst[1] / rho
        if kind is Neighbouring.CHANGE_ONE and name in ALL_OF_THEM:
            continue
        # Nothing is claimed that nobody loses, but for the last digits of scales and of roots.
        assert share > (Fraction(1, 4) if name in IN_PARTS else Fraction(999_999, 1_000_000)), name
        for place, part in enumerate(parts(design)):
            l1, l2 = (max(way[2 * place + i] for way in ways) for i in (0, 1))
            assert (l1, l2) == part, (name, place)


def concentrated(claimed: Any) -> Fraction:
    """The rho that Gaussian noise may cost to keep an (epsilon, delta): found by bisection."""
    kept = ZeroConcentrated.keeping(claimed)
    assert kept.approximate(delta=claimed.delta).epsilon <= claimed.epsilon
    return kept.rho


def parts(design: Any) -> list[tuple[int, int]]:
    """What a design says one person changes; nothing where it does not say it by parts."""
    found = getattr(design, "parts", None) or [p for p in [getattr(design, "part", None)] if p]
    if len(found) == 1 and hasattr(design, "tables"):
        return []  # the parts of several tables come in one
    return [(part.l1, part.l2_squared) for part in found]


@pytest.mark.parametrize("epsilon", ["0.2", "2"])
def test_gaussian_noise_keeps_epsilon_and_delta(epsilon: str) -> None:
    """The exact delta of one number, by the definition, without a detour over rho."""
    everybody = public(Neighbouring.ADD_REMOVE, 1, DOMAINS)
    claimed = price(epsilon=epsilon, delta="0.05")
    design: Any = Marginals(tables=(("x",),) * 12).design(everybody, claimed)
    assert isinstance(design.mechanism, DiscreteGaussian)
    assert design.loss == claimed
    assert isinstance(claimed, Approximate)
    scale = design.mechanism.scale
    # A person is in one cell of each of 12 tables: not one number, so this is a bound from below.
    window = range(-int(12 * scale) - 10, int(12 * scale) + 11)
    one, other = (oracle.gaussian(v, scale, window) for v in (0, 3))
    found = oracle.hockey_stick(one, other, claimed.epsilon)
    assert Fraction(0) < found <= claimed.delta
    nearer = oracle.gaussian(0, scale / 3, window), oracle.gaussian(3, scale / 3, window)
    assert oracle.hockey_stick(*nearer, claimed.epsilon) > claimed.delta, "it can fail"


CHOICES = {
    "median": Quantiles(column="x"),
    "two quantiles": Quantiles(column="x", at=(Fraction(1, 10), Fraction(2, 3))),
    "median by": Quantiles(column="x", by=("g",)),
    "most frequent": MostFrequent(column="x"),
    "two most frequent": MostFrequent(column="x", top=2),
    "most frequent by": MostFrequent(column="x", by=("g",)),
}


def test_a_choice_spends_no_delta() -> None:
    everybody = public(Neighbouring.ADD_REMOVE, 1, {"g": values("a", None), "x": bounds(0, 2, 1)})
    for question in CHOICES.values():
        with_delta = question.design(everybody, price(epsilon=2, delta="1e-3"))
        without: Any = question.design(everybody, price(epsilon=2))
        assert with_delta.loss == without.loss == price(epsilon=2)
        assert with_delta.noise == without.noise


@pytest.mark.parametrize("rows", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_choices(kind: Neighbouring, rows: int) -> None:
    """Quantiles and most frequent values: every probability of every outcome, exactly."""
    everybody = public(kind, rows, {"g": values("a", None), "x": bounds(0, 2, 1)})
    types = [{"g": g, "x": x} for g in ("a", None) for x in ("0", "1", "9")]
    own = contributions(rows, types if rows == 1 else [types[i] for i in (0, 1, 2, 5)])
    one = {"p": "else", "g": "a", "x": "1"}
    others = [[], [one], [one, one | {"p": "third", "x": "2"}]]
    tables = [[*person, *rest] for rest in others for person in own]
    worlds = Worlds.of(tables, person=rows > 1)
    groups = np.arange(len(tables)).reshape(len(others), len(own)).tolist()
    prices = [price(epsilon=2), price(rho=1)]
    asked = [(name, loss) for name in CHOICES for loss in prices]
    designs = [CHOICES[name].design(everybody, loss) for name, loss in asked]
    for (name, loss), design, exact in zip(asked, designs, worlds.exact(designs), strict=True):
        laws: dict[bytes, oracle.Distribution] = {}
        for numbers in exact:
            if numbers.tobytes() not in laws:
                laws[numbers.tobytes()] = law(design, numbers)
        met = {
            frozenset((exact[a].tobytes(), exact[b].tobytes()))
            for group in groups
            for a, b in pairs(kind, group)
        }
        claimed, worst = design.loss, 0.0
        for pair in met:
            if len(pair) == 1:
                continue
            p, q = (laws[each] for each in pair)
            if isinstance(claimed, Pure):
                assert claimed == loss
                assert oracle.keeps_pure(p, q, claimed.epsilon), name
                worst = max(worst, float(np.log(float(oracle.worst_ratio(p, q)))))
            else:
                assert isinstance(claimed, ZeroConcentrated)
                assert claimed == loss
                for order in (2, 30):
                    lost = max(oracle.renyi(p, q, order), oracle.renyi(q, p, order))
                    assert lost <= order * float(claimed.rho) * (1 + 1e-9), (name, order)
                    worst = max(worst, lost / order)
        most = float(claimed.epsilon if isinstance(claimed, Pure) else claimed.rho)
        # Choices among three values of few people: a good part of what is claimed is lost.
        assert worst > most / 20, (name, worst)


def told(count: int, scale: Fraction, threshold: int, top: int) -> oracle.Distribution:
    """The law of one key: not told, told with a count up to `top`, or with a larger one."""
    window = list(range(threshold, top + 1))
    found = oracle.laplace(count, scale, window) if count else dict.fromkeys(window, Fraction(0))
    a = oracle.exp(-1 / scale)
    beyond = oracle.exp(-Fraction(top + 1 - count) / scale) / (1 + a) if count else Fraction(0)
    # Beyond `top` the ratio of two laws is the same for every count, so one outcome stands for all.
    found["more"] = oracle.short(beyond)
    found["not told"] = 1 - sum(found.values())
    return found


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-3"), ("4", "0.2"), ("0.5", "0.05")])
@pytest.mark.parametrize("rows", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_keys_that_are_found(kind: Neighbouring, rows: int, epsilon: str, delta: str) -> None:
    """Both directions, keys told and not told: the exact delta is never above the claimed one."""
    everybody = public(kind, rows, {"h": values("y", "n")}, "job")
    claimed = price(epsilon=epsilon, delta=delta)
    assert isinstance(claimed, Approximate)
    design = CountQuestion(by=("job", "h")).design(everybody, claimed)
    assert isinstance(design, KeysFound)
    assert design.loss == claimed
    types = [{"job": job, "h": "y"} for job in ("a", "b", None, "d")]
    own = contributions(rows, [*types, {"job": "a", "h": "?"}])
    one = {"p": "else", "job": "a", "h": "y"}
    others = [[], [one], [one, one | {"p": "third", "job": "b"}, one | {"p": "fourth"}]]
    tables = [[*person, *rest] for rest in others for person in own]
    worlds = Worlds.of(tables, person=rows > 1)
    (exact,) = worlds.exact([design])
    assert len({blind(design, found) for found in exact}) == 1
    counts = [dict(zip(keys, numbers.tolist(), strict=True)) for keys, numbers in exact]
    draws = {(draw.kind, draw.scale) for found in exact for draw in added(design, found)}
    ((kind_of_noise, scale),) = draws
    assert kind_of_noise == "laplace"
    groups = np.arange(len(tables)).reshape(len(others), len(own)).tolist()
    differences = {
        tuple(sorted(pair))
        for group in groups
        for a, b in pairs(kind, group)
        for pair in ([(counts[a].get(k, 0), counts[b].get(k, 0)) for k in counts[a] | counts[b]],)
    }
    worst = Fraction(0)
    for pair in {tuple(p for p in found if p[0] != p[1]) for found in differences} - {()}:
        top = design.threshold + 4
        p, q = (
            oracle.together(*(told(c[side], scale, design.threshold, top) for c in pair))
            for side in (0, 1)
        )
        found = max(
            oracle.hockey_stick(p, q, claimed.epsilon), oracle.hockey_stick(q, p, claimed.epsilon)
        )
        assert found <= claimed.delta + oracle.EXACT, pair
        worst = max(worst, found)
        lower = told(1, scale, design.threshold - 2, top), told(0, scale, design.threshold - 2, top)
        if pair == ((0, 1),):
            without = oracle.hockey_stick(*lower, claimed.epsilon)
            assert without > found, "a lower threshold tells more"
    # The threshold is a whole number: delta may be used up to a factor of e^(-1 / scale) only.
    covered = 1 - oracle.exp(-1 / scale)
    if claimed.delta / design.changed <= covered:
        assert worst >= claimed.delta * oracle.exp(-1 / scale) / 3


def test_a_key_is_told_from_the_threshold_on() -> None:
    """What the oracle above takes for granted."""
    everybody = public(Neighbouring.ADD_REMOVE, 1, {}, "job")
    design: Any = CountQuestion(by=("job",)).design(everybody, price(epsilon=1, delta="1e-3"))
    t = design.threshold
    keys = [("under",), (None,), ("at",), ("above",)]
    with patch.object(samplers, "_add", lambda kind, given, scale: np.array([t - 1, t, t, t + 5])):
        told_keys, numbers = design.noisy((keys, np.array([1, 1, 1, 1])))
    assert told_keys == [(None,), ("above",), ("at",)]
    assert numbers.tolist() == [t, t + 5, t]
    shown = design.shown((told_keys, numbers))[0].columns
    assert shown["job"] == [None, "above", "at"]


def test_the_oracle_can_fail() -> None:
    """Less noise than claimed is seen, in numbers and in choices."""
    everybody = public(Neighbouring.CHANGE_ONE, 1, DOMAINS)
    design = QUESTIONS["mean by"].design(everybody, price(rho=1))
    worlds, groups = neighbours(1)
    ((*exact,),) = worlds.exact([design])
    draws = [added(design, numbers) for numbers in exact]
    ways = [w for group in groups for w in apart(draws, group, Neighbouring.CHANGE_ONE)]
    weaker = [Added(d.kind, d.values, d.scale * Fraction(9, 10)) for d in draws[0]]
    assert max(measured(weaker, way)[1] for way in ways) > 1 or max(
        measured([weaker[0]], way[:2])[1] for way in ways
    ) > Fraction(1, 2)
    median = QUESTIONS | {"median": Quantiles(column="x:4")}
    chosen = median["median"].design(everybody, price(epsilon=1))
    few, more = np.array([[1, 0, 0]]), np.array([[0, 0, 1]])
    p, q = law(chosen, few), law(chosen, more)
    assert oracle.keeps_pure(p, q, Fraction(1))
    assert not oracle.keeps_pure(p, q, Fraction(1, 4))
