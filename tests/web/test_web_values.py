"""Spellings and orders on the page of a sensitive column."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from webbing import Visitor, visiting

import hedgerow
from hedgerow.web.spelling_form import mark_of

ILLS = ["Flu", "flu", "FLU ", "gout", "grade A", "grade a", "1", "1.0", "cold"]
PAIN = ["low", "high", "medium", ""]


def main_of(answer: Any) -> str:
    """The text of a page, without its navigation."""
    text = re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2])
    return re.sub(r"\s+", " ", html.unescape(text))


@pytest.fixture
def steward(tmp_path: Path) -> Iterator[Visitor]:
    table = tmp_path / "people.csv"
    rows = [f"{'FM'[i % 2]},{ILLS[i % 9]},{PAIN[i % 4]},{i % 7}" for i in range(72)]
    table.write_text("sex,ill,pain,score\n" + "\n".join(rows) + "\n")
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "source: people.csv\ncolumns:\n  sex: quasi-identifier\n"
        "  # what they came with\n  ill: {role: sensitive}  # as the doctor wrote it\n"
        "  pain: {role: sensitive}\n  score: sensitive\nprotect:\n  - k-anonymity: 2\n"
    )
    with visiting(tmp_path / "w", plan) as visitor:
        visitor.settled("/data")
        yield visitor


FLUS, GRADES, ONES = ("FLU ", "Flu", "flu"), ("grade A", "grade a"), ("1", "1.0")


def test_the_pages_show_what_a_reader_may_take_for_one(steward: Visitor) -> None:
    assert "3 in several spellings" in main_of(steward.get("/data"))
    answer = steward.get("/data/columns/1")
    assert "'FLU ' Flu flu" in main_of(answer), "in quotes, as the blank would not be seen"
    box = re.search(rf'<input type="checkbox"[^>]*value="{mark_of(ONES)}"[^>]*>', answer.text)
    assert box is not None
    assert "disabled" in box.group(), "programs read one number"
    assert "Spellings of one value" not in main_of(steward.get("/data/columns/2"))
    assert "Spellings of one value" not in main_of(steward.get("/data/columns/0"))


def test_one_spelling_and_values_that_differ_go_into_the_plan(
    steward: Visitor, tmp_path: Path
) -> None:
    draft = steward.web.draft
    done = steward.post(
        "/data/columns/1/spelling", {"spelling": "one", "differ": [mark_of(GRADES)]}
    )
    assert done.status_code == 200
    column = draft.plan().columns["ill"]
    assert (column.spelling, column.distinct) == ("one", GRADES)
    assert "# what they came with" in draft.text
    again = steward.get("/data/columns/1")
    assert (
        f'value="{mark_of(GRADES)}" aria-label="grade A, grade a are different values" checked'
        in (again.text)
    )
    assert "in several spellings" not in main_of(steward.settled("/data"))
    table = hedgerow.publish(draft.plan(), to=tmp_path / "release").to_arrow()
    assert set(table["ill"].to_pylist()) == {"FLU ", "gout", "grade A", "grade a", "1", "cold"}
    steward.post("/data/columns/1/spelling", {"spelling": ""})
    assert draft.column("ill") == {"role": "sensitive"}


def test_spellings_that_cannot_differ_stay_in_the_form(steward: Visitor) -> None:
    before = steward.web.draft.text
    marks = [mark_of(ONES), mark_of(GRADES)]
    refused = steward.post("/data/columns/1/spelling", {"spelling": "one", "differ": marks})
    assert refused.status_code == 422
    assert "take '1' and '1.0' for one value" in main_of(refused)
    assert re.search(rf'value="{mark_of(GRADES)}"[^>]* checked', refused.text)
    assert re.search(r'name="spelling" value="one" checked', refused.text)
    for form in ({"spelling": "two"}, {"differ": ["nonsense"]}):
        assert steward.post("/data/columns/1/spelling", form).status_code == 422
    assert steward.post("/data/columns/0/spelling", {"spelling": "one"}).status_code == 422
    assert steward.web.draft.text == before


def test_values_that_nobody_has_stay_listed_if_wanted(steward: Visitor) -> None:
    draft = steward.web.draft
    draft.edit_column("ill", {"role": "sensitive", "distinct": [["mild", "MILD"]]})
    assert "Go on listing as different: mild, MILD" in main_of(steward.get("/data/columns/1"))
    steward.post("/data/columns/1/spelling", {"unused": "yes", "differ": [mark_of(FLUS)]})
    assert draft.column("ill")["distinct"] == ["mild", "MILD", *FLUS]
    steward.post("/data/columns/1/spelling", {"differ": [mark_of(FLUS)]})
    assert draft.column("ill")["distinct"] == list(FLUS)


def test_an_order_goes_into_the_plan_and_its_claim_is_judged(
    steward: Visitor, tmp_path: Path
) -> None:
    draft = steward.web.draft
    claim = {"claim": "t-closeness", "first": "1", "t-closeness.distance": "ordered", "of": "pain"}
    steward.post("/adversaries/claims", claim)
    asked = steward.get("/adversaries")
    assert "A promise uses the order of pain, and nothing says what it is" in main_of(asked)
    assert 'href="/data/columns/2#order"' in asked.text
    page = steward.get("/data/columns/2")
    assert "nothing says in which order these values stand" in main_of(page)
    assert re.search(r"<textarea name=\"listed\"[^>]*>\n[^<]*\(missing\)", page.text)
    kept = steward.post(
        "/data/columns/2/order", {"order": "list", "listed": "(missing)\r\nlow\r\nmedium\r\nhigh"}
    )
    assert kept.status_code == 200
    assert draft.column("pain")["order"] == [None, "low", "medium", "high"]
    assert "\n(missing)\nlow\nmedium\nhigh</textarea>" in kept.text
    assert "nothing says" not in main_of(steward.get("/adversaries"))
    hedgerow.publish(draft.plan(), to=tmp_path / "release")
    steward.post("/data/columns/2/order", {"order": "none"})
    assert draft.column("pain") == {"role": "sensitive"}


@pytest.mark.parametrize(
    ("number", "form", "sentence"),
    [
        (2, {"order": "list", "listed": "low\nhigh\n(missing)"}, "'medium' of 'pain' has no place"),
        (2, {"order": "list", "listed": "low\nmedium\nhigh"}, "missing of 'pain' has no place"),
        (2, {"order": "list", "listed": "low\nlow\nhigh"}, "stands in the list more than once"),
        (2, {"order": "list", "listed": "low"}, "fewer than two values"),
        (2, {"order": "dates", "missing": "last"}, "are not dates"),
        (2, {"order": "numbers"}, "some people have no value in 'pain'"),
        (1, {"order": "numbers", "missing": "last"}, "are not numbers"),
        (2, {"order": "sideways"}, "there is no such order"),
        (0, {"order": "dates"}, "'sex' is no sensitive column"),
    ],
)  # fmt: skip
def test_an_order_that_does_not_fit_stays_in_the_form(
    steward: Visitor, number: int, form: dict[str, str], sentence: str
) -> None:
    before = steward.web.draft.text
    refused = steward.post(f"/data/columns/{number}/order", form)
    assert refused.status_code == 422
    if number:
        assert sentence in main_of(refused)
        assert form.get("listed", "") in html.unescape(refused.text)
    assert steward.web.draft.text == before


def test_numbers_need_no_order(steward: Visitor) -> None:
    claim = {"claim": "t-closeness", "first": "1", "t-closeness.distance": "ordered", "of": "score"}
    steward.post("/adversaries/claims", claim)
    assert "nothing says" not in main_of(steward.get("/adversaries"))
    assert steward.post("/data/columns/3/order", {"order": "numbers"}).status_code == 200
    assert steward.web.draft.column("score") == {"role": "sensitive", "order": "numbers"}
    done = steward.post("/data/columns/3/order", {"order": "numbers", "missing": "last"})
    assert done.status_code == 200
    assert steward.web.draft.column("score")["order"] == {"by": "numbers", "missing": "last"}


def test_a_coding_is_shown_and_kept(steward: Visitor) -> None:
    draft = steward.web.draft
    coding = {"swap": {"rate": "5%", "within": ["sex"]}}
    draft.edit(("columns", "ill", "coding"), coding)
    assert 'Coding: {swap: {rate: "5%", within: [sex]}}' in main_of(steward.get("/data/columns/1"))
    steward.post("/data/columns/1/role", {"role": "quasi-identifier"})
    steward.post("/data/columns/1/hierarchy", {"kind": "suppression"})
    assert draft.column("ill")["coding"] == coding
    assert draft.plan().codings["ill"]["rate"] == "1/20"
    draft.edit(("columns", "pain", "coding"), {"microaggregate": "mode"})
    steward.post("/data/columns/2/role", {"role": "quasi-identifier"})
    assert "coding" not in draft.column("pain"), "that role cannot have it"


def test_another_role_takes_them_along(steward: Visitor) -> None:
    draft = steward.web.draft
    steward.post("/data/columns/1/spelling", {"spelling": "one", "differ": [mark_of(GRADES)]})
    steward.post("/data/columns/1/role", {"role": "quasi-identifier"})
    assert not {"spelling", "distinct", "order"} & set(draft.column("ill"))
    assert draft.problem() is None
