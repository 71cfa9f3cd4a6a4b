"""Counts that no two neighbours differ in are told exactly, for nothing, and no others are.

The oracle goes over all tables of a few rows, with neighbours by the definition to the letter
(`brute`), and works out by itself which rows each question counts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow
from hedgerow.answers.counts import CountQuestion
from hedgerow.answers.marginals import Marginals
from hedgerow.answers.public_knowledge import Public
from hedgerow.answers.ranges import RangeCounts
from hedgerow.answers.sums import Aggregate
from hedgerow.base.errors import PlanError
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise.blowfish.constraints import Constraints, brute
from hedgerow.noise.calibration import price
from hedgerow.noise.measures import Pure
from hedgerow.plan.plan import Plan

COLUMNS: dict[str, Any] = {
    "g": {"role": "sensitive", "domain": ["a", "b"]},
    "h": {"role": "quasi-identifier", "domain": ["u", "v"]},
}
G, H = range(3), range(3)
"""Codes: two values each, and anything else."""
ROWS = list(product(G, H))
Counts = Callable[[int, int], bool]

KNOWN: dict[str, tuple[dict[str, Any], dict[str, Any], list[Counts]]] = {
    # what the policy says, what it declares known, and the same counts by hand
    "a marginal": ({"g": "full"}, {"marginals": [["g"]]}, [lambda g, h, i=i: g == i for i in G]),
    "the table": (
        {"g": "full"},
        {"marginals": [["g", "h"]]},
        [lambda g, h, i=i, j=j: (g, h) == (i, j) for i in G for j in H],
    ),
    "both marginals": (
        {"g": "full"},
        {"marginals": [["g"], ["h"]]},
        [*(lambda g, h, i=i: g == i for i in G), *(lambda g, h, j=j: h == j for j in H)],
    ),
    "a count": ({"g": "full"}, {"counts": ["g = 'a'"]}, [lambda g, h: g == 0]),
    "a count within a count": (
        {"g": "full"},
        {"counts": ["g = 'a'", "g = 'a' and h = 'u'"]},
        [lambda g, h: g == 0, lambda g, h: (g, h) == (0, 0)],
    ),
    "nothing": ({"g": "full", "h": "known"}, {}, []),
}
ASKED: dict[str, tuple[Any, list[Counts]]] = {
    "all": (CountQuestion(), [lambda g, h: True]),
    "a": (CountQuestion(where="g = 'a'"), [lambda g, h: g == 0]),
    "not a": (CountQuestion(where="not g = 'a'"), [lambda g, h: g != 0]),
    "a or b": (CountQuestion(where="g in ('a', 'b')"), [lambda g, h: g < 2]),
    "u": (CountQuestion(where="h = 'u'"), [lambda g, h: h == 0]),
    "a and u": (CountQuestion(where="g = 'a' and h = 'u'"), [lambda g, h: (g, h) == (0, 0)]),
    "a, not u": (CountQuestion(where="g = 'a' and not h = 'u'"), [lambda g, h: g == 0 and h != 0]),
    "a or u": (CountQuestion(where="g = 'a' or h = 'u'"), [lambda g, h: g == 0 or h == 0]),
    "by g": (CountQuestion(by=("g",)), [lambda g, h, i=i: g == i for i in (0, 1)]),
    "by h": (CountQuestion(by=("h",), of="rows"), [lambda g, h, j=j: h == j for j in (0, 1)]),
    "by h of a": (
        CountQuestion(by=("h",), where="g = 'a'"),
        [lambda g, h, j=j: (g, h) == (0, j) for j in (0, 1)],
    ),
    "by both": (
        CountQuestion(by=("g", "h")),
        [lambda g, h, i=i, j=j: (g, h) == (i, j) for i in (0, 1) for j in (0, 1)],
    ),
}
EXACT = {
    "a marginal": {"all", "a", "not a", "a or b", "by g"},
    "the table": set(ASKED),
    "both marginals": {"all", "a", "not a", "a or b", "u", "by g", "by h"},
    "a count": {"all", "a", "not a"},
    "a count within a count": {"all", "a", "not a", "a and u", "a, not u"},
    "nothing": {"all", "u", "by h"},
}
"""What follows from what is known, by hand."""


def public(policy: dict[str, Any], known: dict[str, Any]) -> Public:
    said = {**policy, **({"known": known} if known else {})}
    plan = Plan.of(columns=COLUMNS, privacy="change-one", policy=said)
    domains = {name: domain for name in COLUMNS if (domain := plan.domain(name)) is not None}
    return Public(tuple(COLUMNS), domains, plan.neighbours(), {}, stated=plan.stated())


def matrix(counts: list[Counts]) -> Any:
    return np.array([[count(g, h) for g, h in ROWS] for count in counts], int)


@pytest.mark.parametrize("name", KNOWN)
def test_exactly_what_no_neighbours_differ_in_is_exact(name: str) -> None:
    policy, known, by_hand = KNOWN[name]
    found = public(policy, known)
    stated = found.stated
    assert stated is not None
    graph = stated.policy.joint()
    assert [c for (c,), _ in stated.policy.parts] == ["g", "h"]
    flags = tuple(tuple(bool(count(g, h)) for g, h in ROWS) for count in by_hand)
    constraints = Constraints(graph, flags)
    exact = set()
    for words, (question, counts) in ASKED.items():
        design: Any = question.design(found, price(epsilon=1))
        change = brute(constraints, matrix(counts), rows=2).l1
        assert change <= design.part.l1, words
        if design.part.l1 == 0:
            exact.add(words)
            assert change == 0, words
            assert design.loss == Pure(epsilon=0)
            assert [told.scale for told in design.noise] == [0]
        else:
            assert change > 0, f"{words} could be told exactly"
            assert design.noise[0].scale > 0
    assert exact == EXACT[name]


def test_three_rows_do_not_differ_either() -> None:
    """Two marginals tie up to three rows together."""
    policy, known, by_hand = KNOWN["both marginals"]
    stated = public(policy, known).stated
    assert stated is not None
    flags = tuple(tuple(bool(count(g, h)) for g, h in ROWS) for count in by_hand)
    told = [count for words in EXACT["both marginals"] for count in ASKED[words][1]]
    assert brute(Constraints(stated.policy.joint(), flags), matrix(told), rows=3).l1 == 0


def test_tables_that_are_known_are_exact_and_leave_the_price_to_the_others() -> None:
    found = public({"g": "full"}, {"marginals": [["g"]]})
    both: Any = Marginals(tables=(("g",), ("g", "h"))).design(found, price(epsilon=1))
    alone: Any = Marginals(tables=(("g", "h"),)).design(found, price(epsilon=1))
    assert both.known == (True, False)
    assert both.part == alone.part
    assert [told.scale for told in both.noise] == [0, alone.noise[0].scale]
    assert [told.of for told in both.noise] == ["each count of g", "each count of g × h"]
    exact = (np.array([5, 7]), np.array([1, 4, 3, 4]))
    for _ in range(20):
        assert both.noisy(exact)[0].tolist() == [5, 7]
    assert any(both.noisy(exact)[1].tolist() != [1, 4, 3, 4] for _ in range(50))
    first, second = both.shown(exact)
    assert first.columns["low"] == first.columns["high"] == [5, 7]
    assert second.columns["low"] != second.columns["high"]
    whole: Any = Marginals(tables=(("g",),)).design(found, price(epsilon=1))
    assert whole.loss == Pure(epsilon=0)


def test_sums_are_no_counts() -> None:
    """Within a step, numbers differ that have one code: a sum follows from no table."""
    columns = {"x": {"role": "sensitive", "bounds": [0, 4], "step": 1}}
    plan = Plan.of(
        columns=columns,
        privacy="change-one",
        policy={"x": "full", "known": {"marginals": [["x"]]}},
    )
    domain = plan.domain("x")
    assert domain is not None
    found = Public(("x",), {"x": domain}, plan.neighbours(), {}, stated=plan.stated())
    mean: Any = Aggregate(kind="mean", column="x").design(found, price(epsilon=1))
    assert mean.noise[0].scale > 0
    assert mean.noise[1].scale == 0, "how many have a number follows"
    assert CountQuestion(where="x >= 2").design(found, price(epsilon=1)).loss == Pure(epsilon=0)
    # 2.5 is within a step: its code does not say on which side a row is.
    assert CountQuestion(where="x >= 2.5").design(found, price(epsilon=1)).noise[0].scale > 0
    ranges = RangeCounts(column="x").design(found, price(epsilon=1))
    assert ranges.loss == Pure(epsilon=0)
    (shown,) = ranges.shown(np.array([1, 2, 0, 0, 4]))
    assert shown.columns["low"] == shown.columns["high"] == [1, 2, 0, 0, 4]


# The whole way: an answer, its words, and the ledger

TABLE = pa.table({"g": list("aabbbz"), "h": list("uvuvvu")})
POLICY = {"g": "full", "known": {"marginals": [["g"]]}}


def asking(folder: Path, data: Any = TABLE, **given: Any) -> Any:
    said: dict[str, Any] = {"columns": COLUMNS, "privacy": "change-one", "population": "p"}
    where = folder / "ledger.db"
    with Ledger.open(where) as ledger:
        if ledger.budget("p").budget is None:
            ledger.set_budget("p", Amounts.of(epsilon=5))
    return hedgerow.session(data, ledger=where, name="t", **(said | given))


def test_a_known_count_is_told_exactly_and_says_why(tmp_path: Path) -> None:
    with asking(tmp_path, policy=POLICY) as session:
        answer = session.histogram("g", epsilon=1)
        assert answer.table.columns["count"] == [2, 3]
        assert answer.spent == {}
        assert "they follow from what the policy declares known" in answer.loss
        assert answer.notes[0].startswith("EXACT, without any noise: each count.")
        assert "the steward's statement" in answer.notes[0]
        assert "this answer is the same for either" not in " ".join(answer.notes)
        preview = session.preview(people=20, runs=2).histogram("g", epsilon=1)
        assert preview.spends == {}
        spent = session.histogram("h", epsilon=1).spent
        assert spent == {"epsilon": "1"}
        assert session.budget.spent.texts() == {"epsilon": "1"}
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        first = ledger.releases("p")[0]
        assert first.body["exact"] == ["each count"]


def test_the_number_of_rows_under_change_one(tmp_path: Path) -> None:
    with asking(tmp_path) as session:
        answer = session.count(epsilon=1)
        assert (answer.value, answer.interval, answer.spent) == (6, (6, 6), {})
        assert answer.notes[0].startswith("EXACT, without any noise: the count.")
        assert "the number of rows is public" in answer.loss
        assert session.count(of="rows", epsilon=1).value == 6
        for noisy in (
            session.count(where="g = 'a'", epsilon=1),
            session.histogram("g", epsilon=1),
            session.count(where="g = 'a' or not g = 'a'", epsilon=1),
        ):
            assert noisy.spent == {"epsilon": "1"}
    with (
        asking(tmp_path, privacy="add-remove") as session,
        pytest.raises(PlanError, match="told the count exactly"),
    ):
        session.count(epsilon=1)


@pytest.mark.parametrize(
    ("privacy", "person"),
    [("add-remove", None), ({"neighbours": "change-one", "rows": 1}, "who")],
)
def test_the_number_of_rows_is_not_always_public(
    tmp_path: Path, privacy: Any, person: str | None
) -> None:
    data = TABLE.append_column("who", pa.array(list("112345")))
    columns = {**COLUMNS, "who": {"role": "identifier", "key": person is not None}}
    with asking(tmp_path, data, privacy=privacy, columns=columns, person=person) as session:
        for of in ("people", "rows"):
            answer = session.count(of=of, epsilon=1)
            assert answer.spent == {"epsilon": "1"}
            assert float(answer.noise[0]["scale"]) > 0
