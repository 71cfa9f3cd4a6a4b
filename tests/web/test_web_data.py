"""The steps Data and Adversaries: what pages show, and what a form changes in the plan."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from contracts.engine_homes import workbook
from webbing import Visitor, hospital, visiting

from hedgerow.table.schema import Role
from hedgerow.web.hierarchies import fields_of, outline, tree


def main_of(answer: Any) -> str:
    """The text of a page, without its navigation."""
    text = re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2])
    return re.sub(r"\s+", " ", html.unescape(text))


def test_the_page_shows_roles_in_text_and_who_stands_out(visitor: Visitor) -> None:
    answer = visitor.settled("/data")
    shown = main_of(answer)
    assert "1,500 people, 7 columns" in shown
    assert re.search(r"Whoever knows zip, birth_date and \w+ of a person .* 100 %", shown)
    assert 'its name says "zip"' in shown
    for number, role in enumerate(
        ["identifier", *["quasi-identifier"] * 4, "sensitive", "sensitive"]
    ):
        form = re.search(rf"columns/{number}/role\?.*?</form>", answer.text, re.S)
        assert form is not None
        assert f'<option value="{role}" selected>' in form.group()
        assert f'class="role {role}"' in form.group()


def test_the_share_that_is_singled_out_is_right(tmp_path: Path) -> None:
    """By hand: of ten people, a alone tells six apart."""
    table = tmp_path / "people.csv"
    table.write_text("age,town\n" + "\n".join(f"{a},x" for a in [1, 2, 3, 4, 5, 6, 7, 7, 8, 8]))
    with visiting(tmp_path / "w", table) as visitor:
        shown = main_of(visitor.settled("/data"))
        assert "60 % of the people" in shown


def test_a_hierarchy_of_codes_is_shown_beside_the_role(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("plz,sex\n" + "".join(f"{10115 + i % 9},f\n{1067},m\n" for i in range(40)))
    with visiting(tmp_path / "w", table) as visitor:
        shown = main_of(visitor.settled("/data"))
        assert "{codes: plz}" in shown
        assert "published as it is Look" not in shown.partition("About the table")[0]


def test_another_role_takes_along_what_it_cannot_have(visitor: Visitor) -> None:
    draft = visitor.web.draft
    for role in [*Role, Role.SENSITIVE, Role.IDENTIFIER, Role.QUASI_IDENTIFIER]:
        assert visitor.post("/data/columns/1/role", {"role": str(role)}).status_code == 200
        assert draft.plan().columns["zip"].role is role
    assert draft.column("zip")["hierarchy"] == {"prefix": 5}, "proposed anew"
    assert visitor.post("/data/columns/1/role", {"role": "king"}).status_code == 422
    assert visitor.post("/data/columns/99/role", {"role": "sensitive"}).status_code == 422
    assert visitor.post("/data/columns/-1/role", {"role": "sensitive"}).status_code == 422


HIERARCHIES: list[tuple[dict[str, Any], Any]] = [
    ({"kind": "ranges", "widths": "5000, 10000"}, {"ranges": [5000, 10000]}),
    ({"kind": "ranges", "widths": "5000", "origin": "1000"},
     {"ranges": {"widths": [5000], "origin": 1000}}),
    ({"kind": "bins", "bins": "10000, 50000\n50000"}, {"bins": [[10000, 50000], [50000]]}),
    ({"kind": "suppression"}, "suppression"),
    ({"kind": "text", "text": "{ranges: [5000], from: data}"}, {"ranges": [5000], "from": "data"}),
    ({"kind": "text", "text": "{prefix: {keep: [2, 1]}}"}, {"prefix": {"keep": [2, 1]}}),
    ({"kind": "text", "text": "{codes: {system: countries, other: 'no'}}"},
     {"codes": {"system": "countries", "other": "no"}}),
]  # fmt: skip


@pytest.mark.parametrize(("form", "said"), HIERARCHIES)
def test_a_hierarchy_is_previewed_then_kept(
    visitor: Visitor, form: dict[str, Any], said: Any
) -> None:
    before = visitor.web.draft.text
    shown = visitor.post("/data/columns/6/hierarchy/preview", form)
    assert shown.status_code == 200
    assert "<caption>" in shown.text
    assert visitor.web.draft.text == before, "a preview keeps nothing"
    assert visitor.post("/data/columns/6/hierarchy", form).status_code == 200
    assert visitor.web.draft.column("bill")["hierarchy"] == said
    assert visitor.web.draft.problem() is None
    assert fields_of(said).said(visitor.web.draft) == said


def test_the_preview_has_the_labels_publish_would_write(visitor: Visitor) -> None:
    shown = visitor.post("/data/columns/1/hierarchy/preview", {"kind": "prefix", "length": "5"})
    assert "<td>13***</td>" in shown.text
    shown = visitor.post(
        "/data/columns/2/hierarchy/preview", {"kind": "dates", "dates": ["year", "decade"]}
    )
    assert re.search(r"<td>(19|20)\d0s</td>", shown.text)


@pytest.mark.parametrize(
    ("form", "what"),
    [
        ({"kind": "ranges", "widths": "5, x"}, "is not a number"),
        ({"kind": "ranges", "widths": ""}, "are missing"),
        ({"kind": "prefix", "length": "3"}, "character"),
        ({"kind": "dates", "dates": ["year"]}, "date"),
        ({"kind": "taxonomy", "tree": ""}, "the tree is empty"),
        ({"kind": "taxonomy", "tree": "A\n  1"}, "not in"),
        ({"kind": "csv", "file": "/etc/passwd"}, "neither uploaded nor named"),
        ({"kind": "csv", "file": "../patients.csv"}, "neither uploaded nor named"),
        ({"kind": "magic"}, "there is no hierarchy"),
        ({"kind": "text", "text": ""}, "the hierarchy is empty"),
        ({"kind": "text", "text": "{codes: ["}, "no hierarchy as a plan writes it"),
        ({"kind": "text", "text": "{codes: nothing}"}, "there is no code system"),
        ({"kind": "text", "text": "{codes: icd-10}"}, "no codes of icd-10"),
        ({"kind": "text", "text": "{csv: /etc/passwd}"}, "neither uploaded nor named"),
    ],
)
def test_a_hierarchy_that_does_not_fit_is_told_and_not_kept(
    visitor: Visitor, form: dict[str, Any], what: str
) -> None:
    before = visitor.web.draft.text
    shown = visitor.post("/data/columns/6/hierarchy/preview", form)
    assert shown.status_code == 200
    assert "errors" in shown.text
    answer = visitor.post("/data/columns/6/hierarchy", form)
    assert answer.status_code == 422
    assert what in main_of(answer) or what == "not in"
    assert visitor.web.draft.text == before


def test_an_uploaded_hierarchy_is_offered_and_used(visitor: Visitor) -> None:
    draft = visitor.web.draft
    content = (draft.base / "nationality.csv").read_bytes()
    answer = visitor.post("/data/columns/4/upload", files={"file": ("mine.csv", content)})
    assert answer.status_code == 200
    assert '<option value="mine.csv" selected>' in answer.text
    visitor.post("/data/columns/4/hierarchy", {"kind": "csv", "file": "mine.csv"})
    assert draft.plan().hierarchy_files[0] == draft.files / "mine.csv"
    assert (draft.files / "mine.csv").read_bytes() == content
    assert visitor.post("/data/columns/4/upload", files={}).status_code == 422


@pytest.mark.parametrize(
    "said", [["a", "b"], {"x": ["a", "b"], "y": ["c"]}, {"x": {"u": ["a"], "v": []}, "y": ["c"]}]
)
def test_a_tree_is_the_same_after_a_form(said: Any) -> None:
    assert tree(outline(said)) == said


def test_public_values_are_kept_and_checked(visitor: Visitor) -> None:
    draft = visitor.web.draft
    listed = {"public": "list", "values": "13053\n013\n", "or_missing": "1"}
    visitor.post("/data/columns/1/public", listed)
    assert draft.column("zip")["domain"] == ["13053", "013", None]
    assert draft.plan().domain("zip") is not None
    bounds = {"public": "bounds", "low": "0", "high": "10", "step": "0.5"}
    visitor.post("/data/columns/6/public", bounds)
    assert draft.column("bill") == {"role": "sensitive", "bounds": ["0", "10"], "step": "0.5"}
    assert str(draft.plan().columns["bill"].step) == "1/2"
    visitor.post("/data/columns/6/public", {"public": "none"})
    assert draft.column("bill") == {"role": "sensitive"}
    wrong = {"public": "bounds", "low": "a", "high": "1"}
    assert visitor.post("/data/columns/6/public", wrong).status_code == 422


def test_the_table_itself(visitor: Visitor) -> None:
    draft = visitor.web.draft
    visitor.post("/data/about", {"population": "others", "person": "", "null": "?, NA"})
    assert draft.plan().null == ("?", "NA")
    assert draft.plan().population == "others"
    visitor.post("/data/about", {"population": "others", "person": "name", "null": ""})
    assert draft.data()["person"] == "name"
    assert "null" not in draft.data()


def test_a_table_that_is_gone_is_told(visitor: Visitor) -> None:
    (visitor.web.draft.base / "patients.csv").unlink()
    answer = visitor.settled("/data")
    assert answer.status_code == 200
    assert "Try again" in answer.text
    assert "patients.csv" in main_of(answer)


def test_an_uploaded_table_gets_a_plan(tmp_path: Path) -> None:
    content = (hospital(tmp_path / "demo", patients=300).parent / "patients.csv").read_bytes()
    with visiting(tmp_path / "w") as visitor:
        assert visitor.get("/data").url.path == "/start", "nothing is open yet"
        answer = visitor.post("/start/upload", files={"file": ("patients.csv", content)})
        assert answer.url.path == "/data"
        assert "300 people" in main_of(visitor.settled("/data"))
        assert visitor.web.draft.problem() is None
        for name, what in (
            ("x.exe", b"MZ"),
            ("x.csv", b""),
            ("x.parquet", b"no"),
            ("", b"a,b\n1,2"),
        ):
            wrong = visitor.post("/start/upload", files={"file": (name, what)})
            assert wrong.status_code == 422, name
        assert len(visitor.web.workspace.drafts()) == 1
        name = visitor.web.draft.name
    with visiting(tmp_path / "w") as visitor:
        assert "patients.csv" in visitor.get("/start").text
        assert visitor.post("/start/open", {"name": name}).url.path == "/data"


CLAIMS: list[tuple[dict[str, str], Any, str]] = [
    ({"claim": "k-anonymity", "first": "12"}, {"k-anonymity": 12}, "at least 11 others"),
    ({"claim": "k-anonymity", "first": "3", "k-anonymity.over": "all"},
     {"k-anonymity": {"k": 3, "over": "all"}}, "published columns"),
    ({"claim": "l-diversity", "first": "2", "l-diversity.kind": "entropy", "of": "diagnosis"},
     {"l-diversity": {"l": 2, "kind": "entropy", "of": "diagnosis"}}, "equally likely"),
    ({"claim": "l-diversity", "first": "2", "l-diversity.kind": "recursive",
      "l-diversity.c": "4", "of": "bill"},
     {"l-diversity": {"l": 2, "kind": "recursive", "c": 4, "of": "bill"}}, "4 times"),
    ({"claim": "t-closeness", "first": "0.3", "t-closeness.distance": "ordered", "of": "bill"},
     {"t-closeness": {"t": 0.3, "distance": "ordered", "of": "bill"}}, "distance of 0.3"),
    ({"claim": "alpha-k-anonymity", "first": "0.5", "second": "4", "of": "diagnosis"},
     {"alpha-k-anonymity": {"alpha": 0.5, "k": 4, "of": "diagnosis"}}, "at least 4 people"),
    ({"claim": "beta-likeness", "first": "2", "beta-likeness.kind": "enhanced", "of": "diagnosis"},
     {"beta-likeness": {"beta": 2, "kind": "enhanced", "of": "diagnosis"}}, "200 %"),
    ({"claim": "delta-disclosure", "first": "1", "of": "bill"},
     {"delta-disclosure": {"delta": 1, "of": "bill"}}, "2.72 times"),
    ({"claim": "composition", "first": "0.34", "of": "diagnosis"},
     {"composition": {"confidence": 0.34, "of": "diagnosis"}}, "at least 3 possible values"),
    ({"claim": "prosecutor-risk", "first": "9%"}, {"prosecutor-risk": "9%"}, "chance of 9%"),
    ({"claim": "marketer-risk", "first": "0.05"}, {"marketer-risk": 0.05}, "0.05 at most"),
    ({"claim": "unique-share", "first": "0"}, {"unique-share": 0}, "alone"),
]  # fmt: skip


def test_each_claim_is_a_sentence_and_a_line_of_the_plan(visitor: Visitor) -> None:
    draft = visitor.web.draft
    for form, said, words in CLAIMS:
        told = visitor.post("/adversaries/claims/sentence", form)
        assert words in html.unescape(told.text), form
        assert visitor.post("/adversaries/claims", form).status_code == 200
        assert draft.data()["protect"][-1] == said
        assert words in main_of(visitor.get("/adversaries"))
    assert draft.problem() is None
    count = len(draft.data()["protect"])
    assert count == 4 + len(CLAIMS)
    visitor.post("/adversaries/claims/0/remove")
    assert len(draft.data()["protect"]) == count - 1
    assert visitor.post(f"/adversaries/claims/{count}/remove").status_code == 422


def test_a_claim_is_changed_in_its_place(visitor: Visitor) -> None:
    form = visitor.get("/adversaries?edit=1").text
    assert '<option value="entropy" selected>' in form
    change = {
        "claim": "l-diversity",
        "first": "4",
        "l-diversity.kind": "entropy",
        "of": "diagnosis",
    }
    visitor.post("/adversaries/claims", change | {"place": "1"})
    claims = visitor.web.draft.data()["protect"]
    assert claims[1] == {"l-diversity": {"l": 4, "kind": "entropy", "of": "diagnosis"}}
    assert len(claims) == 4


@pytest.mark.parametrize(
    "form",
    [
        {"claim": "k-anonymity", "first": "1"},
        {"claim": "k-anonymity", "first": "five"},
        {"claim": "t-closeness", "first": "2"},
        {"claim": "k-map", "first": "5"},
        {"claim": "k-map", "first": "5", "population": "/etc/passwd"},
        {"claim": "l-diversity", "first": "2", "of": "zip"},
        {"claim": "nonsense", "first": "2"},
    ],
)
def test_a_wrong_claim_is_told_and_not_kept(visitor: Visitor, form: dict[str, str]) -> None:
    before = visitor.web.draft.text
    assert visitor.post("/adversaries/claims", form).status_code == 422
    assert visitor.web.draft.text == before


def test_attackers_of_every_kind(visitor: Visitor) -> None:
    draft = visitor.web.draft
    content = (draft.base / "metropolis.csv").read_bytes()
    visitor.post("/adversaries/upload", files={"file": ("elsewhere.csv", content)})
    visitor.post("/adversaries/upload", files={"file": ("staff.csv", b"name\nAda Byron\n")})
    forms: list[tuple[dict[str, str], str]] = [
        ({"who": "I", "prior": "file", "file": "elsewhere.csv", "knows": "3"},
         "holds the records of any 3 people"),
        ({"who": "at-most", "prior": "table", "stubbornness": "30000"}, "30,000 people"),
        ({"who": "II", "stubbornness": "1000"}, "at most 1,000 people"),
        ({"who": "III", "prior": "uniform", "negative": "1"}, "or of the opposite"),
        ({"who": "I", "prior": "table", "stubbornness": "500", "known": "staff.csv", "by": "name",
          "secrets": "Neoplasms\nStroke, Angina"}, "listed in staff.csv"),
    ]  # fmt: skip
    for form, words in forms:
        form = {"of": "diagnosis", "epsilon": "4"} | form
        told = html.unescape(visitor.post("/adversaries/attackers/sentence", form).text)
        assert words in told, told
        assert "4 times as sure of a person's diagnosis" in told
        assert visitor.post("/adversaries/attackers", form).status_code == 200
    assert draft.problem() is None
    said = draft.data()["protect"][-1]["epsilon-privacy"]
    assert said["predicates"] == ["Neoplasms", ["Stroke", "Angina"]]
    assert said["adversary"]["knows"] == {"file": draft.reference("staff.csv"), "by": "name"}
    shown = visitor.get("/adversaries?edit=8")
    assert "Stroke, Angina" in shown.text
    assert 'value="500"' in shown.text


def test_the_raw_table_is_measured(visitor: Visitor) -> None:
    visitor.post("/adversaries/check")
    job = visitor.web.jobs.wait(visitor.web.jobs.last("check").id)
    assert job.state == "done", job
    shown = main_of(visitor.get("/adversaries"))
    assert re.search(r"5-anonymity fails 1 5", shown)


def test_a_number_of_people_that_repeats_is_asked_about(tmp_path: Path) -> None:
    """Three patients in four rows: the page asks instead of failing, and takes the answer."""
    table = tmp_path / "visits.csv"
    table.write_text("patient_id,age\n1,30\n1,30\n2,31\n3,31\n")
    asks = "'patient_id' looks like a person ID. It has 3 different values in 4 rows"
    for answer, key, said in [
        ("person", "person", "patient_id"),
        ("rows", "one_row_per_person", True),
    ]:
        with visiting(tmp_path / answer, table) as visitor:
            assert asks in main_of(visitor.settled("/data"))
            form = {"answer": answer, "column": "patient_id"}
            assert visitor.post("/data/people", form).status_code == 200
            assert visitor.web.draft.data()[key] == said
            assert asks not in main_of(visitor.settled("/data"))
    with visiting(tmp_path / "no-key", table) as visitor:
        visitor.settled("/data")
        visitor.post("/data/people", {"answer": "no key", "column": "patient_id"})
        assert visitor.web.draft.column("patient_id")["key"] is False
        assert asks not in main_of(visitor.settled("/data"))
        bad = visitor.post("/data/people", {"answer": "person", "column": "nobody"})
        assert bad.status_code >= 400


def test_a_workbook_is_uploaded_and_what_is_unclear_is_asked(tmp_path: Path) -> None:
    born = [f"0{i % 9 + 1}/0{i % 8 + 1}/19{i % 30 + 60}" for i in range(40)]
    people = [(f"Köln {i % 3}", day, f"{i},5") for i, day in enumerate(born)]
    file = workbook(tmp_path / "people.xlsx", {"People": [("city", "born", "income"), *people]})
    with visiting(tmp_path / "web") as visitor:
        sent = {"file": ("people.xlsx", file.read_bytes())}
        assert visitor.post("/start/upload", files=sent).url.path == "/data"
        page = main_of(visitor.settled("/data"))
        assert "How the file is written" in page
        assert "format: Excel ;" in page
        assert "decimal sign: income: comma" in page
        assert "and no value decides" in page
        said = {"key": "dates", "column": "born", "answer": "ymd"}
        assert visitor.post("/data/read", data=said).status_code == 422
        visitor.post("/data/read", data=said | {"answer": "mdy"})
        page = main_of(visitor.settled("/data"))
        assert "and no value decides" not in page
        assert "dates: born: mdy" in page
        assert f"{born[0][6:]}-{born[0][:5].replace('/', '-')}" in page
        assert visitor.web.draft.problem() is None
        sent = {"file": ("people.xlsx", b"PK no workbook")}
        wrong = visitor.post("/start/upload", files=sent)
        assert wrong.status_code == 422
        assert "is no workbook" in wrong.text
