"""Rows of a person on the Data page: what the form writes, and what it says where it cannot."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from webbing import Visitor, visiting

import hedgerow
from hedgerow.web.rows_form import RowsFields, rows_fields


def main_of(answer: Any) -> str:
    """The text of a page, without its navigation."""
    text = re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2])
    return re.sub(r"\s+", " ", html.unescape(text))


def visits(path: Path, people: int = 40) -> Path:
    """Everybody has two or three rows; ages, wards and illnesses of some people differ."""
    lines = ["patient_id,sex,age,illness"]
    for i in range(people):
        sex, ill = "FM"[i % 2], ("flu", "gout", "cold")[i % 3]
        lines += [f"P{1000 + i},{sex},{30 + i % 4},{ill}"] * 2
        if i % 4 == 0:
            lines.append(f"P{1000 + i},{sex},{31 + i % 4},{'flu' if i % 8 else ''}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def steward(tmp_path: Path) -> Iterator[Visitor]:
    """Somebody who has said that patient_id tells people apart."""
    with visiting(tmp_path / "w", visits(tmp_path / "visits.csv")) as visitor:
        visitor.settled("/data")
        visitor.post("/data/people", {"answer": "person", "column": "patient_id"})
        visitor.settled("/data")
        visitor.post("/data/columns/3/role", {"role": "sensitive"})
        visitor.post("/data/columns/2/role", {"role": "quasi-identifier"})
        visitor.settled("/data")
        yield visitor


def columns_of(answer: Any) -> list[str]:
    return re.findall(r'name="column" value="(\w+)"><select name="within"', answer.text)


def test_the_page_says_who_has_several_rows_and_what_differs(steward: Visitor) -> None:
    answer = steward.settled("/data")
    shown = main_of(answer)
    assert "40 people have 90 rows. 40 of them have more than one, at most 3." in shown
    assert "Choose what is published of people with several rows." in shown
    assert columns_of(answer) == ["age", "illness"]
    assert 'name="most" inputmode="numeric" size="6" value="3"' in answer.text
    assert "10 choose…" in shown, "as many people differ in age"


def test_one_row_per_person_needs_a_choice_and_loses_none(steward: Visitor) -> None:
    draft = steward.web.draft
    before = draft.text
    said = {"rows": "one", "column": ["age", "illness"], "within": ["largest", ""]}
    refused = steward.post("/data/rows", said)
    assert refused.status_code == 422
    assert "people have rows with different values of 'illness'" in main_of(refused)
    assert 'value="one" checked' in refused.text
    assert '<option value="largest" selected>' in refused.text, "what was chosen stands"
    assert draft.text == before
    kept = steward.post("/data/rows", said | {"within": ["largest", "most-frequent"]})
    assert kept.status_code == 200
    assert draft.said("rows") == "one"
    assert draft.column("age")["within_person"] == "largest"
    assert draft.column("illness")["within_person"] == "most-frequent"
    assert draft.problem() is None
    assert "rows with different values" not in main_of(steward.settled("/data"))


def test_the_plan_of_the_form_publishes(steward: Visitor, tmp_path: Path) -> None:
    steward.post("/data/rows", {
        "rows": "one", "column": ["age", "illness"], "within": ["smallest", "most-frequent"],
    })  # fmt: skip
    draft = steward.web.draft
    draft.edit(("protect",), [{"k-anonymity": 2}])
    release = hedgerow.publish(draft.plan(), to=tmp_path / "release")
    assert release.people == 40
    assert release.certificate["plan"]["within_person"] == {
        "age": "smallest",
        "illness": "most-frequent",
    }
    assert "Nobody" not in main_of(steward.settled("/data"))
    page = steward.settled("/explore")
    assert page.status_code == 200
    assert "cannot" not in main_of(page).lower()


@pytest.mark.parametrize(
    ("most", "sentence"),
    [
        ("", "no number is given"),
        ("many", "'many' is not a number of rows"),
        ("2", "somebody has 3 rows, and at most 2 are allowed"),
        ("-3", "is not a number of rows"),
        ("9" * 50, "is not a number of rows"),
    ],
)
def test_a_number_that_does_not_fit_stays_in_the_form(
    steward: Visitor, most: str, sentence: str
) -> None:
    before = steward.web.draft.text
    refused = steward.post("/data/rows", {"rows": "at most", "most": most})
    assert refused.status_code == 422
    assert sentence in main_of(refused)
    assert f'value="{most or 3}"' in refused.text
    assert 'value="at most" checked' in refused.text
    assert steward.web.draft.text == before


def test_all_rows_take_choices_among_values_out_of_the_plan(
    steward: Visitor, tmp_path: Path
) -> None:
    within = {"column": ["age", "illness"], "within": ["smallest", "largest"]}
    steward.post("/data/rows", {"rows": "one"} | within)
    steward.post("/data/rows", {"rows": "at most", "most": "3"} | within)
    draft = steward.web.draft
    assert draft.said("rows") == "at most 3"
    assert "within_person" not in draft.text
    assert draft.problem() is None
    draft.edit(("protect",), [{"k-anonymity": 2}, {"l-diversity": 2}])
    shown = main_of(steward.settled("/data"))
    assert "Not proved where people have several rows, so publishing refuses: distinct" in shown
    draft.edit(("protect",), [{"k-anonymity": 2}])
    assert "Not proved" not in main_of(steward.settled("/data"))
    assert hedgerow.publish(draft.plan(), to=tmp_path / "release").certificate["plan"]["rows"] == 3


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/data/people", {"answer": "rows", "column": "patient_id"}),
        ("/data/about", {"population": "", "person": "", "null": ""}),
    ],
)
def test_without_a_person_nothing_of_it_stays(
    steward: Visitor, path: str, form: dict[str, str]
) -> None:
    within = {"column": ["age", "illness"], "within": ["smallest", "largest"]}
    steward.post("/data/rows", {"rows": "one"} | within)
    steward.post(path, form)
    draft = steward.web.draft
    assert draft.said("rows") is None
    assert draft.problem() is None
    assert "Rows of a person" not in main_of(steward.settled("/data"))
    refused = steward.post("/data/rows", {"rows": "one"})
    assert refused.status_code == 422


def test_what_would_stop_publishing_is_said(tmp_path: Path) -> None:
    """Rows of nobody; IDs in two spellings; a plan that allows too few."""
    table = tmp_path / "visits.csv"
    table.write_text("pid,sex\n7,F\n07,F\n8,M\n8,M\n8,M\n,M\n")
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "source: visits.csv\nperson: pid\nrows: at most 2\ncolumns:\n  sex: quasi-identifier\n"
        "protect:\n  - k-anonymity: 2\n"
    )
    with visiting(tmp_path / "w", plan) as visitor:
        shown = main_of(visitor.settled("/data"))
        assert "1 row has no value in pid" in shown
        assert "'pid' has 3 different IDs, but 2 if case, leading zeros" in shown
        assert "The plan allows at most 2 rows of a person; choose again." in shown


def test_rows_that_differ_in_spelling_only_need_no_choice(tmp_path: Path) -> None:
    table = tmp_path / "visits.csv"
    table.write_text("pid,sex,ill\n1,F,flu\n1,F,Flu\n2,M,gout\n2,M,gout\n")
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "source: visits.csv\nperson: pid\nrows: one\ncolumns:\n  sex: quasi-identifier\n"
        "  ill: {role: sensitive}\nprotect:\n  - k-anonymity: 1\n"
    )
    with visiting(tmp_path / "w", plan) as visitor:
        assert "1 person has rows with different values of 'ill'" in main_of(
            visitor.settled("/data")
        )
        visitor.post("/data/columns/2/spelling", {"spelling": "one"})
        answer = visitor.settled("/data")
        assert columns_of(answer) == []
        assert "rows with different values" not in main_of(answer)
        assert visitor.post("/data/rows", {"rows": "one"}).status_code == 200


def test_what_the_plan_says_is_what_the_form_shows(steward: Visitor) -> None:
    draft = steward.web.draft
    for said, fields in [
        ("one", RowsFields(rows="one")),
        (1, RowsFields(rows="one")),
        ("at most 7", RowsFields(rows="at most", most="7")),
        (7, RowsFields(rows="at most", most="7")),
        ("some", RowsFields()),
    ]:
        draft.edit(("rows",), said)
        assert rows_fields(draft) == fields
        assert steward.settled("/data").status_code == 200
    assert steward.post("/data/rows", {}).status_code == 422
    bad = {"rows": "one", "column": ["age"], "within": ["first"]}
    assert "there is no choice 'first'" in main_of(steward.post("/data/rows", bad))
