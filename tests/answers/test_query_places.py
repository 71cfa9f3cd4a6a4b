"""Questions about columns that share a graph: exact enumeration through the real engine.

The oracle says by itself which rows are neighbours, from the words of the policy: both have numbers
in the same columns, the steps under these are equal or joined, and in L1 and L2 the numbers are
near each other themselves; numbers that are missing may be any.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from answers.drawn import Worlds, added, lost, public, untouched

from hedgerow.answers.counts import CountQuestion
from hedgerow.answers.marginals import Marginals
from hedgerow.answers.ranges import RangeCounts
from hedgerow.answers.sensitivity import plain_notes
from hedgerow.answers.sums import Aggregate
from hedgerow.noise.blowfish.graphs import Partition, Threshold
from hedgerow.noise.calibration import price
from hedgerow.noise.neighbours import Neighbouring
from hedgerow.plan.plan import Plan

BOX: dict[str, Any] = {
    "a": {"role": "quasi-identifier", "bounds": [0, 4], "step": 1},
    "b": {"role": "quasi-identifier", "bounds": [0, 2], "step": 1},
}
EARTH: dict[str, Any] = {
    "a": {"role": "quasi-identifier", "bounds": [46, 47], "step": "0.5"},
    "b": {"role": "quasi-identifier", "bounds": [7, 8], "step": "0.5"},
}
POLICIES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "L1": (BOX, {"of": ["a", "b"], "within": 2, "distance": "L1"}),
    "L2": (BOX, {"of": ["a", "b"], "within": 2, "distance": "L2"}),
    # Half a degree is 56 km to the north and 38 km to the east.
    "east": (EARTH, {"of": ["a", "b"], "within": "50 km"}),
    "around": (EARTH, {"of": ["a", "b"], "within": "60 km"}),
}
RAW: dict[str, tuple[list[str | None], list[str | None]]] = {
    "box": (["0", "0.6", "1", "1.5", "2", "3", "4", "9", "abc", None],
            ["0", "0.9", "1", "2", None]),
    "earth": (
        ["45", "46", "46.3", "46.5", "46.9", "47", None],
        ["7", "7.4", "7.5", "8", "8.2", "x", None],
    ),
}  # fmt: skip
QUESTIONS: list[Any] = [
    CountQuestion(),
    CountQuestion(where="a >= {middle_a}"),
    CountQuestion(where="b < {middle_b}"),
    CountQuestion(where="a >= {middle_a} and b >= {middle_b}"),
    CountQuestion(where="a is missing"),
    CountQuestion(by=("a",)),
    CountQuestion(by=("b",)),
    CountQuestion(by=("a", "b")),
    CountQuestion(by=("a:{wide}", "b:{wide}")),
    CountQuestion(by=("a:{odd}",)),
    Aggregate(kind="sum", column="a"),
    Aggregate(kind="sum", column="b"),
    Aggregate(kind="sum", column="a", by=("b",)),
    Aggregate(kind="sum", column="a", where="b >= {middle_b}"),
    Aggregate(kind="mean", column="b"),
    Aggregate(kind="variance", column="a"),
    Marginals(tables=(("a",), ("b",))),
    RangeCounts(column="a"),
    RangeCounts(column="b"),
]


def columns_of(name: str) -> dict[str, Any]:
    return POLICIES[name][0]


def everybody(name: str) -> Any:
    columns, policy = POLICIES[name]
    plan = Plan.of(columns=columns, privacy="change-one", policy={"place": policy})
    domains: dict[str, Any] = {column: plan.domain(column) for column in columns}
    return replace(public(Neighbouring.CHANGE_ONE, 1, domains), stated=plan.stated())


def questions(name: str) -> list[Any]:
    earth = columns_of(name) is EARTH
    texts = (
        {"middle_a": "46.5", "middle_b": "7.5", "wide": "1", "odd": "0.7"}
        if earth
        else {"middle_a": "2", "middle_b": "1", "wide": "2", "odd": "1.5"}
    )
    found = []
    for question in QUESTIONS:
        by = (
            {"by": tuple(c.format(**texts) for c in question.by)} if hasattr(question, "by") else {}
        )
        where = None if question.where is None else question.where.format(**texts)
        found.append(replace(question, where=where, **by))
    return found


# The oracle


def read(name: str, column: str, raw: str | None) -> tuple[Fraction, Fraction] | None:
    """A number held within the bounds, and the step under it."""
    try:
        number = Fraction(str(raw))
    except ValueError:
        return None
    told = columns_of(name)[column]
    low, high, step = (Fraction(str(v)) for v in (*told["bounds"], told["step"]))
    held = min(max(number, low), high)
    return held, low + (held - low) // step * step


def way(kind: str, x: list[Fraction], y: list[Fraction]) -> float:
    if kind == "L1":
        return float(sum(abs(p - q) for p, q in zip(x, y, strict=True)))
    if kind == "L2":
        return math.sqrt(sum((p - q) ** 2 for p, q in zip(x, y, strict=True)))
    (f, g), (h, i) = ([math.radians(v) for v in point] for point in (x, y))
    half = math.sin((h - f) / 2) ** 2 + math.cos(f) * math.cos(h) * math.sin((i - g) / 2) ** 2
    return 2 * 6371.0088 * math.asin(math.sqrt(half))


def near(name: str, one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    """Whether two rows are neighbours."""
    pair = [
        [read(name, column, raw) for column, raw in zip("ab", row, strict=True)]
        for row in (one, other)
    ]
    if [v is None for v in pair[0]] != [v is None for v in pair[1]]:
        return False
    policy = POLICIES[name][1]
    theta, kind = float(str(policy["within"]).split()[0]), str(policy.get("distance", "km"))
    there = [k for k in range(2) if pair[0][k] is not None]
    steps = [[row[k][1] for k in there] for row in pair]
    if kind != "km":
        numbers = [[row[k][0] for k in there] for row in pair]
        return way(kind, *steps) <= theta and way(kind, *numbers) <= theta
    if steps[0] == steps[1]:
        return True
    grids = [
        [
            [Fraction(46), Fraction(93, 2), Fraction(47)] if k == 0
            else [Fraction(7), Fraction(15, 2), Fraction(8)]
        ] if k not in there else None
        for k in range(2)
    ]  # fmt: skip
    points = [
        list(product(*([row[k][1]] if grid is None else grid[0] for k, grid in enumerate(grids))))
        for row in pair
    ]
    return any(way(kind, list(x), list(y)) <= theta for x, y in product(*points))


@cache
def rows_of(name: str) -> list[tuple[Any, Any]]:
    return list(product(*RAW["earth" if columns_of(name) is EARTH else "box"]))


@cache
def neighbours(name: str) -> list[tuple[int, int]]:
    rows = rows_of(name)
    return [
        (i, j)
        for i, one in enumerate(rows)
        for j, other in enumerate(rows[:i])
        if near(name, one, other)
    ]


@cache
def worst(name: str, rho: bool) -> list[tuple[Any, Fraction, Any]]:
    known, loss = everybody(name), price(rho=1) if rho else price(epsilon=1)
    asked = questions(name)
    designs = [question.design(known, loss) for question in asked]
    rows = [[{"a": a, "b": b}] for a, b in rows_of(name)]
    exact = Worlds.of(rows, person=False).exact(designs)
    found = []
    for question, design, numbers in zip(asked, designs, exact, strict=True):
        drawn = [added(design, one) for one in numbers]
        rest = [untouched(design, one) for one in numbers]
        most = Fraction(0)
        for i, j in neighbours(name):
            assert rest[i] == rest[j], (name, question, rows[i], rows[j])
            most = max(most, lost(drawn[i], drawn[j]))
        found.append((question, most, design))
    return found


@pytest.mark.parametrize("rho", [False, True], ids=["epsilon", "rho"])
@pytest.mark.parametrize("name", POLICIES)
def test_no_neighbours_are_told_apart_by_more_than_the_price(name: str, rho: bool) -> None:
    assert len(neighbours(name)) > 100
    for question, most, _ in worst(name, rho):
        assert most <= 1, (name, question, float(most))


@pytest.mark.parametrize("name", ["L1", "L2"])
def test_the_price_is_reached(name: str) -> None:
    for question, most, _ in worst(name, False):
        if isinstance(question, CountQuestion) and (question.by or question.where == "a >= 2"):
            assert most > Fraction(99, 100), (name, question)
        if question == Aggregate(kind="sum", column="a"):
            assert most > Fraction(99, 100), (name, question)


def scale(question: Any, known: Any) -> float:
    return float(question.design(known, price(epsilon=1)).noise[0].scale)


def test_what_the_policy_buys() -> None:
    """Sums move by a step of the policy; in the east, where somebody is to the north is public."""
    wide = {"role": "quasi-identifier", "bounds": [0, 99], "step": 1}
    plan = Plan.of(
        columns={"a": wide, "b": wide},
        privacy="change-one",
        policy={"place": {"of": ["a", "b"], "within": 3, "distance": "L1"}},
    )
    domains: dict[str, Any] = {c: plan.domain(c) for c in "ab"}
    plain = public(Neighbouring.CHANGE_ONE, 1, domains)
    known = replace(plain, stated=plan.stated())
    total = Aggregate(kind="sum", column="a")
    assert (scale(total, known), scale(total, plain)) == (3, 99)
    assert scale(CountQuestion(where="a is missing"), plain) == 1
    ranged: Any = RangeCounts(column="a").design(known, price(epsilon=1))
    assert type(ranged).__name__ == "Ordering"
    east = everybody("east")
    assert scale(CountQuestion(by=("a",)), east) == 0
    assert scale(CountQuestion(where="a >= 46.5"), east) == 0
    assert scale(CountQuestion(by=("b",)), east) == 2
    assert scale(Aggregate(kind="sum", column="a"), east) < scale(
        Aggregate(kind="sum", column="a"), replace(east, stated=None)
    )
    assert isinstance(east.stated.graph("a"), Partition)
    assert east.stated.graph("b") == Threshold((0, 1, 2, 4), 1)
    assert everybody("around").stated.graph("a") == Threshold((0, 1, 2, 4), 1)


def test_why_there_is_plain_noise() -> None:
    known = everybody("L1")
    for question, said in (
        (CountQuestion(by=("a:1.5",)), "in which of these cells somebody's a is"),
        (CountQuestion(where="a < 1.5"), "whether a < 1.5"),
        (CountQuestion(where="a = 'x'"), "whether a = 'x'"),
    ):
        design = question.design(known, price(epsilon=1))
        (note,) = plain_notes(known.stated, design.tallies)
        assert said in note
        assert "that of change-one differential privacy" in note
    for question in (CountQuestion(by=("a", "b:2")), Aggregate(kind="sum", column="b")):
        assert plain_notes(known.stated, question.design(known, price(epsilon=1)).tallies) == ()
