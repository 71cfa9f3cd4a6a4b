"""Ordered distance goes by an order that somebody chose, and the claim names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hedgerow
from hedgerow import DataError, Plan, PlanError, TCloseness, verify
from hedgerow.release.certificate_text import as_text
from hedgerow.table.value_order import arranged, named

ORDERED = TCloseness(t=0.15, of="s", distance="ordered")
FILE = "10,x\n40,x\n20,x\n50,x\n30,y\n"
"""The lines of a file stand in no order of numbers."""


def people() -> pd.DataFrame:
    """Two groups: 10 to 50 once each in all; a has 10, 40, 20, 50 twice and 30 never."""
    return pd.DataFrame(
        {"q": ["a"] * 4 + ["b"] * 4, "s": ["10", "20", "10", "20"] + ["40", "50"] * 2}
    )


def columns(**secret: Any) -> dict[str, Any]:
    return {"q": "quasi-identifier", "s": {"role": "sensitive", **secret}}


def test_numbers_are_ordered_as_numbers_whatever_the_file(tmp_path: Path) -> None:
    """Half a step, a whole one, half a step: by number 10, 20, 40, 50 the groups are far apart.

    a has 10 and 20, the table all four: 1/4 + 2/4 + 1/4 over three steps is 1/3. In the order of
    the lines, 10, 40, 20, 50: 1/4 + 0 + 1/4 over three is 1/6.
    """
    (tmp_path / "tree.csv").write_text(FILE)
    found = hedgerow.check(
        people(), columns=columns(hierarchy=str(tmp_path / "tree.csv")), protect=[ORDERED]
    )
    assert found[0].claim == "0.15-closeness of s (ordered distance, by number)"
    assert (found[0].holds, found[0].level) == (False, pytest.approx(1 / 3))


def test_text_has_no_order_of_its_own(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": ["a", "b"] * 3, "s": ["high", "low", "medium"] * 2})
    frame.to_csv(tmp_path / "data.csv", index=False)
    for act in (hedgerow.check, hedgerow.publish):
        with pytest.raises(DataError, match="are no numbers, and nothing says") as refused:
            act(frame, columns=columns(), protect=[ORDERED])
        assert "put `order: [high, low, medium]` into the right order" in str(refused.value.fix)
    with pytest.raises(DataError, match="are no numbers, and nothing says"):
        verify(tmp_path / "data.csv", plan=Plan.of(columns=columns(), protect=[ORDERED]))
    # Another distance needs no order.
    hedgerow.check(frame, columns=columns(), protect=[TCloseness(t=1, of="s")])


def test_an_order_that_does_not_fit() -> None:
    """The plan does say in which order they stand, so it is not told that nothing does."""
    frame = pd.DataFrame({"q": ["a", "b"] * 2, "s": ["Asthma", "2", "3", "2024-01-02"]})
    for kind, strange in (
        ("numbers", "'2024-01-02' and 'Asthma'"),
        ("dates", "'2', '3' and 'Asth"),
    ):
        with pytest.raises(DataError, match=f"`order: {kind}` does not fit: {strange}") as refused:
            hedgerow.check(frame, columns=columns(order=kind), protect=[ORDERED])
        assert f"in 's' are not {kind}" in refused.value.what


def test_the_order_of_the_plan(tmp_path: Path) -> None:
    """a has low and medium, b medium and high: 1/4 and 1/4 over two steps, 1/4."""
    frame = pd.DataFrame({"q": ["a"] * 2 + ["b"] * 2, "s": ["low", "medium", "medium", "high"]})
    order = ["low", "medium", "high"]
    (found,) = hedgerow.check(frame, columns=columns(order=order), protect=[ORDERED])
    assert found.claim == "0.15-closeness of s (ordered distance, low < medium < high)"
    assert found.level == pytest.approx(0.25)
    bins = {"bins": [[["low", "medium"], ["high"]]]}
    assert hedgerow.check(frame, columns=columns(hierarchy=bins), protect=[ORDERED])[0] == found
    other = ["medium", "low", "high"]  # 1/4 and 0 ... 1/4 of high: (0 + 1/4) / 2
    (found,) = hedgerow.check(frame, columns=columns(order=other), protect=[ORDERED])
    assert found.level == pytest.approx(0.125)
    with pytest.raises(DataError, match="'high' in 's' has no place in the order"):
        hedgerow.check(frame, columns=columns(order=order[:2]), protect=[ORDERED])


def test_dates_have_an_order_where_the_plan_says_that_they_are_some() -> None:
    days = ["2024-01-02", "2024-01-10", "2024-01-03", "2024-02-01"]
    frame = pd.DataFrame({"q": list("aabb"), "s": days})
    with pytest.raises(DataError, match="are no numbers"):
        hedgerow.check(frame, columns=columns(), protect=[ORDERED])
    (found,) = hedgerow.check(frame, columns=columns(order="dates"), protect=[ORDERED])
    assert found.claim.endswith("(ordered distance, by date)")
    again = hedgerow.check(frame, columns=columns(hierarchy="dates"), protect=[ORDERED])
    assert again[0] == found


def test_missing_values_need_a_place() -> None:
    """1 and 2 in a, 2 and missing in b. Last: 1/4, 1/4 over two; first: a lacks it, too."""
    frame = pd.DataFrame({"q": ["a"] * 2 + ["b"] * 2, "s": ["1", "2", "3", None]})
    with pytest.raises(DataError, match="nothing says where missing stands") as refused:
        hedgerow.check(frame, columns=columns(), protect=[ORDERED])
    assert "missing: first" in (refused.value.fix or "")
    levels = {}
    for place in ("first", "last"):
        order = {"by": "numbers", "missing": place}
        (found,) = hedgerow.check(frame, columns=columns(order=order), protect=[ORDERED])
        assert found.claim.endswith(f"by number, missing {place})")
        levels[place] = found.level
    # First: missing, 1, 2, 3: -1/4, 0, 1/4 are 1/2 over three. Last: 1/4, 1/2, 1/4 over three.
    assert levels == pytest.approx({"first": 1 / 6, "last": 1 / 3})
    listed = [None, "1", "2", "3"]
    (found,) = hedgerow.check(frame, columns=columns(order=listed), protect=[ORDERED])
    assert found.level == pytest.approx(1 / 6)


def test_a_certificate_cannot_order_numbers_otherwise(tmp_path: Path) -> None:
    model = TCloseness(t=0.5, of="s", distance="ordered")
    hedgerow.publish(people(), columns=columns(), protect=[model], to=tmp_path / "r")
    assert verify(tmp_path / "r").refuted == ()
    file = tmp_path / "r" / "certificate.json"
    certificate = json.loads(file.read_text("utf-8"))
    certificate["sensitive"] = {"s": {"order": ["10", "40", "20", "50"], "levels": []}}
    file.write_text(as_text(certificate), "utf-8")
    assert any("stated to be in another order" in why for why in verify(tmp_path / "r").refuted)


def test_a_certificate_of_text_is_verified_by_the_order_it_names(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": ["a"] * 2 + ["b"] * 2, "s": ["low", "medium", "medium", "high"]})
    secret = columns(order=["low", "medium", "high"])
    model = TCloseness(t=0.25, of="s", distance="ordered")
    release = hedgerow.publish(frame, columns=secret, protect=[model], to=tmp_path / "r")
    assert release.certificate["claims"][0]["model"]["order"] == ["low", "medium", "high"]
    assert verify(tmp_path / "r").refuted == ()
    assert verify(tmp_path / "r", plan=Plan.of(columns=secret, protect=[model])).refuted == ()
    other = Plan.of(columns=columns(order=["high", "low", "medium"]), protect=[model])
    assert verify(tmp_path / "r", plan=other).refuted != ()
    file = tmp_path / "r" / "certificate.json"
    certificate = json.loads(file.read_text("utf-8"))
    for entry in (certificate["claims"][0], certificate["plan"]["protect"][0]):
        del entry["model"]["order"]
        entry["claim"] = "0.25-closeness of s (ordered distance)"
    file.write_text(as_text(certificate), "utf-8")
    told = verify(tmp_path / "r").refuted
    assert any("nothing says in which order" in why for why in told), "nobody chose one"


@pytest.mark.parametrize(
    "order", [["low"], "alphabet", ["a", "a"], {"by": ["a", "b"], "missing": "last"}, [["a"], "b"]]
)
def test_what_is_no_order(order: Any) -> None:
    with pytest.raises(PlanError):
        Plan.of(columns=columns(order=order), protect=[ORDERED])


def test_an_order_in_a_plan_file(tmp_path: Path) -> None:
    """Numbers in it are values all the same, and null is a missing one."""
    text = "columns:\n  q: quasi-identifier\n  s: {role: sensitive, order: [1, 2.50, null, yes]}\n"
    text += "protect:\n  - t-closeness: {t: 0.2, distance: ordered}\n"
    (tmp_path / "plan.yaml").write_text(text)
    plan = Plan.read(tmp_path / "plan.yaml")
    assert plan.columns["s"].stated_order == ("1", "2.50", None, "yes")
    assert str(plan.models()[0]).endswith("(ordered distance, 1 < 2.50 < (missing) < yes)")


def test_names_of_orders() -> None:
    assert named(tuple("abcde")) == "a < b < c < d < e"
    assert named(tuple("abcdef")) == "a < b < ... < f, 6 values"
    assert arranged("s", ["2", "10", "-1", "1e1"], "numbers") == ["-1", "2", "10", "1e1"]
    with pytest.raises(PlanError, match="goes by no order"):
        TCloseness(t=0.1, of="s", order="numbers")
    with pytest.raises(PlanError, match="there is no order 'alphabet'"):
        TCloseness(t=0.1, of="s", distance="ordered", order="alphabet")
    with pytest.raises(PlanError, match="goes by another order than the column's"):
        Plan.of(
            columns=columns(order=["a", "b"]),
            protect=[TCloseness(t=0.1, of="s", distance="ordered", order="numbers")],
        ).models()


def test_one_value_without_a_place() -> None:
    with pytest.raises(DataError, match="'c' in 's' has no place in the order"):
        arranged("s", ["a", "b", "c"], ("a", "b"))
    with pytest.raises(DataError) as refused:
        arranged("s", ["10-20", "yes", "a: b", None], "numbers")
    assert '`order: ["10-20", "a: b", "yes", null]`' in str(refused.value.fix)
