"""Asking in the app: charged once, however often it is sent; what is shown is the ledger's."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from webbing import Visitor, hospital, visiting

import hedgerow
from hedgerow.answers import charge
from hedgerow.ledger import Amounts, Ledger

MEAN = {"kind": "mean", "column": "bill", "by": ["sex"], "epsilon": "0.1"}


@pytest.fixture
def ledger(tmp_path: Path, visitor: Visitor) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "demo" / "ledger.db") as opened:
        yield opened


def words(answer: Any) -> str:
    """What a page says, without its markup."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.text)))


def kinds(ledger: Ledger) -> list[str]:
    return [str(entry.kind) for entry in ledger.entries()]


def test_asking_is_charged_once_and_told_again(visitor: Visitor, ledger: Ledger) -> None:
    sent = visitor.post("/query/ask", MEAN, follow_redirects=False)
    assert sent.status_code == 303, "a reload of what follows asks for nothing"
    place = sent.headers["location"]
    first = visitor.get(place)
    assert "charged as epsilon 0.1" in words(first)
    assert "answered before" not in words(first)
    again = visitor.post("/query/ask", MEAN, follow_redirects=False).headers["location"]
    assert again == f"{place}?again=yes"
    assert "This was answered before: the same answer, for nothing." in words(visitor.get(again))
    for _ in range(3):
        assert visitor.get(place).text == first.text
    assert kinds(ledger) == ["BUDGET", "RESERVE", "RELEASED"]
    assert ledger.budget("gotham-inpatients").spent == Amounts.of(epsilon="0.1")


def test_two_at_once_pay_once(
    visitor: Visitor, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = charge.point

    def slow(name: str) -> None:
        real(name)
        if name == "reserved":
            time.sleep(0.3)

    monkeypatch.setattr(charge, "point", slow)
    with ThreadPoolExecutor(4) as pool:
        sent = list(
            pool.map(lambda _: visitor.post("/query/ask", MEAN, follow_redirects=False), range(4))
        )
    places = {one.headers["location"].partition("?")[0] for one in sent}
    assert len(places) == 1
    assert kinds(ledger) == ["BUDGET", "RESERVE", "RELEASED"]


def test_a_preview_is_free_and_its_chart_is_of_what_it_shows(
    visitor: Visitor, ledger: Ledger
) -> None:
    before = ledger.tip()
    query = "kind=mean&column=bill&by=sex&epsilon=0.1"
    page = visitor.get(f"/query?{query}")
    shown = words(page)
    drawn = re.findall(r"<title>sex [FM], value (-?[\d.,]+), low", page.text)
    values = [float(value.replace(",", "")) for value in drawn]
    assert len(values) == 2
    for value in values:
        assert f"{value:,.6g}" in shown or f"{int(value):,}" in shown
    assert "Nothing was spent, and the table was not looked at." in shown
    assert "epsilon : 0 of 1 spent, 1 left; 0.9 after this question" in shown
    assert ledger.tip() == before


def test_a_preview_says_what_the_loss_means_to_one_person(visitor: Visitor) -> None:
    """e^0.1 / (1 + e^0.1) = 0.52498, rounded up."""
    shown = words(visitor.get("/query?kind=count&epsilon=0.1"))
    assert "guesses right with probability 0.525 at most (is this person in the table?)" in shown
    assert "probability 0.7311 at most" in words(visitor.get("/query?kind=count&epsilon=1"))


def test_what_cannot_be_simulated_can_be_asked(visitor: Visitor, ledger: Ledger) -> None:
    """Nothing is known of zip, so nobody can be made up; noise and price are known."""
    query = {"kind": "count", "where": "zip = '13053'", "epsilon": "0.1"}
    shown = words(visitor.get("/query", params=query))
    assert "nothing is known of the values of 'zip', so nobody can be made up" in shown
    assert "noise on the count: discrete Laplace, scale 10" in shown
    assert "Ask, and spend epsilon 0.1" in shown
    assert "The answer" in words(visitor.post("/query/ask", query))
    assert kinds(ledger) == ["BUDGET", "RESERVE", "RELEASED"]


def test_the_table_is_not_even_opened_for_a_preview(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "demo" / "patients.csv").unlink()
    shown = words(visitor.get("/query?kind=mean&column=bill&epsilon=0.1"))
    assert "How far off answers are there" in shown


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("kind=count&by=zip&epsilon=0.1", "the plan has no domain for 'zip'"),
        ("kind=mean&column=zip&epsilon=0.1", "the plan has no bounds for 'zip'"),
        ("kind=count&where=sx+%3D+1&epsilon=0.1", "there is no column 'sx'"),
        ("kind=count&epsilon=much", "epsilon"),
        ("kind=average&epsilon=1", "there is no question 'average'"),
    ],
)
def test_what_is_wrong_is_said_as_on_the_command_line(
    query: str, sentence: str, visitor: Visitor
) -> None:
    answer = visitor.get(f"/query?{query}")
    assert answer.status_code == 200
    assert sentence in words(answer)
    assert 'href="/data"' in answer.text


@pytest.mark.parametrize(
    ("query", "column"),
    [
        ("kind=count&by=zip&epsilon=0.1", "zip"),
        ("kind=mean&column=sex&epsilon=0.1", "sex"),
        ("kind=count&where=zip+%3D+'13053'&epsilon=0.1", "zip"),
    ],
)
def test_what_is_lacking_of_a_column_is_one_step_away(
    query: str, column: str, visitor: Visitor
) -> None:
    shown = visitor.get(f"/query?{query}").text
    first = re.search(r"Say what everybody may know of <a href=\"([^\"]+)\">([^<]+)</a>", shown)
    assert first is not None
    assert first[2] == column, "the question's own column first"
    there = visitor.get(unescape(first[1]), follow_redirects=False)
    assert there.status_code == 303
    place, _, anchor = there.headers["location"].partition("#")
    page = visitor.get(place).text
    assert f"<h1>{column}" in page
    assert f'id="{anchor}"' in page
    assert anchor == "public"


def test_other_mistakes_are_not_blamed_on_columns(visitor: Visitor) -> None:
    shown = visitor.get("/query?kind=count&epsilon=much").text
    assert "Say what everybody may know" not in shown
    assert "Columns, domains and bounds are on the Data page" in shown


def test_where_no_column_will_do_all_are_offered(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo")
    text = re.sub(r", (bounds|domain): (\[[^\]]*\]|hierarchy)|, step: \d+", "", plan.read_text())
    plan.write_text(text, "utf-8")
    with visiting(tmp_path / "workspace", plan) as visitor:
        shown = visitor.get("/query?kind=mean").text
        assert "No column has bounds" in shown
        assert '<a href="/data/public?column=bill">bill</a>' in shown
        assert "column=name" not in shown, "it is an identifier"


def test_a_name_of_no_column_leads_nowhere(visitor: Visitor) -> None:
    for name in ("", "nobody", "//evil.example", "a\nb"):
        refused = visitor.get("/data/public", params={"column": name}, follow_redirects=False)
        assert refused.status_code == 422
        assert "location" not in refused.headers
        assert "the table has no column" in words(refused)


def test_what_does_not_fit_the_budget_is_refused(visitor: Visitor, ledger: Ledger) -> None:
    before = ledger.tip()
    shown = words(visitor.get("/query?kind=count&epsilon=2"))
    assert "this question does not fit" in shown
    refused = visitor.post("/query/ask", {"kind": "count", "epsilon": "2"})
    assert refused.status_code == 422
    plan = Path(ledger.name).parent / "plan.yaml"
    with (
        hedgerow.session(plan) as session,
        pytest.raises(hedgerow.HedgerowError) as error,
    ):
        session.count(epsilon=2)
    assert error.value.what in words(refused)
    assert ledger.tip() == before


def test_an_answer_is_the_bytes_of_the_ledger(visitor: Visitor, ledger: Ledger) -> None:
    place = visitor.post("/query/ask", MEAN, follow_redirects=False).headers["location"]
    entry = ledger.releases("gotham-inpatients")[0]
    content = ledger.content(entry)
    assert content is not None
    assert visitor.get(f"{place}/answer.json").content == content + b"\n"
    table = visitor.get(f"{place}/answer.csv").text.splitlines()
    assert table[0] == "sex,mean,low,high"
    told = dict(json.loads(content)["tables"][0]["columns"])
    assert [line.split(",")[1] for line in table[1:]] == [str(v) for v in told["mean"]]
    assert visitor.get(f"{place}/answer.exe").status_code == 422


def test_ranges_are_told_for_nothing_more(visitor: Visitor, ledger: Ledger) -> None:
    asked = {"kind": "ranges", "column": "bill", "epsilon": "0.2"}
    place = visitor.post("/query/ask", asked, follow_redirects=False).headers["location"]
    tip = ledger.tip()
    answer = hedgerow.Answer.read(ledger.content(ledger.releases("gotham-inpatients")[0]) or b"")
    shown = words(visitor.get(f"{place}?low=5000&high=20000"))
    count = answer.between(5000, 20000).count
    assert f"From 5,000 up to 20,000: {count:,.6g}".split(":")[0] in shown
    assert f"{int(count):,}" in shown
    assert "is no range" in words(visitor.get(f"{place}?low=9&high=1"))
    assert ledger.tip() == tip


def test_a_question_that_failed_is_told_with_what_it_cost(
    visitor: Visitor, ledger: Ledger, tmp_path: Path
) -> None:
    """Once charged, nothing gives the price back; the page must not hide that."""
    # Whose rows these are is said, so that nothing is read before it is charged.
    visitor.web.draft.edit(("one_row_per_person",), True)
    visitor.post("/query/ask", {"kind": "count", "epsilon": "0.1"})
    table = tmp_path / "demo" / "patients.csv"
    lines = table.read_text("utf-8").splitlines()
    table.write_text("\n".join([*lines, 'broken,"line', ""]), "utf-8")
    failed = visitor.post("/query/ask", MEAN)
    assert failed.status_code == 422
    assert "epsilon 0.1 stays charged" in words(failed)
    assert kinds(ledger)[-2:] == ["RESERVE", "FAILED"]
    page = visitor.get("/query")
    assert "the mean of bill by sex no answer:" in words(page)
    assert page.text.count("/query/answers/") == 1, "only what was answered can be opened"


def test_answers_about_other_people_are_not_shown(visitor: Visitor, ledger: Ledger) -> None:
    ledger.set_budget("others", Amounts.of(epsilon=1))
    plan = Path(ledger.name).parent / "plan.yaml"
    text = plan.read_text("utf-8").replace("gotham-inpatients", "others", 1)
    plan.with_name("others.yaml").write_text(text, "utf-8")
    with hedgerow.session(plan.with_name("others.yaml")) as session:
        place = session.count(epsilon="0.1").ledger["reservation"]
    assert visitor.get(f"/query/answers/{place}").status_code == 422
    assert "Nothing was asked about these people yet" in words(visitor.get("/query"))


def test_a_plan_without_privacy_is_asked_for_it(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo")
    text = plan.read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("privacy", "ledger"))]
    plan.write_text("\n".join(lines).replace("population:", "# population:") + "\n", "utf-8")
    with visiting(tmp_path / "workspace", plan) as visitor:
        assert "Before the first question" in words(visitor.get("/query"))
        said = {"population": "gotham", "ledger": "own.db", "neighbours": "change-one"}
        visitor.post("/query/settings", said)
        draft = visitor.web.draft
        assert draft is not None
        settled = draft.plan()
        assert settled.population == "gotham"
        assert settled.privacy is not None
        assert settled.privacy.neighbours == "change-one"
        assert "# one row is one person" in draft.text, "comments stay"
        shown = words(visitor.get("/query?kind=count&where=sex+%3D+'F'&epsilon=0.1"))
        assert "has no budget, so nothing can be spent" in shown
        visitor.post("/query/budget", {"budget": "epsilon=0.5"})
        asked = {"kind": "count", "where": "sex = 'F'", "epsilon": "0.1"}
        assert "what it cost" in words(visitor.post("/query/ask", asked)).lower()
        assert (tmp_path / "demo" / "own.db").exists()


@pytest.mark.parametrize(
    "said",
    [
        {"neighbours": "everybody"},
        {"ledger": "../elsewhere.db"},
        {"ledger": "/tmp/elsewhere.db"},
        {"population": "x\ny: [z"},
    ],
)
def test_a_setting_that_cannot_be_is_not_kept(said: dict[str, str], visitor: Visitor) -> None:
    draft = visitor.web.draft
    assert draft is not None
    before = draft.text
    answer = visitor.post("/query/settings", said)
    if answer.status_code == 422:
        assert draft.text == before
    else:
        assert draft.plan().population == said["population"].strip()


def test_a_broken_plan_says_so(visitor: Visitor) -> None:
    draft = visitor.web.draft
    assert draft is not None
    draft.write(draft.text.replace("k-anonymity: 5", "k-anonymity: none"))
    answer = visitor.get("/query")
    assert answer.status_code == 200
    assert "The plan cannot be used yet" in words(answer)
    assert visitor.post("/query/ask", {"kind": "count", "epsilon": "0.1"}).status_code == 422
