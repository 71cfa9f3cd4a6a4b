"""The question of a form is the question of the command line, and the page tells no more."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.answers.session import Session
from hedgerow.api import answer_chart
from hedgerow.api.demo import write_hospital
from hedgerow.base.errors import PlanError
from hedgerow.cli import app
from hedgerow.noise.amounts import Amounts
from hedgerow.web.query_budget import gauges, history, too_dear
from hedgerow.web.query_form import KINDS, MOST_TEXT, QuestionForm
from hedgerow.web.query_view import (
    columns_to_ask,
    columns_to_count_by,
    errors_of,
    settings,
    told,
)

FIELDS = {
    "count": [("by", "sex")],
    "histogram": [("by", "bill"), ("width:bill", "50000")],
    "table": [("by", "sex"), ("by", "bill"), ("width:bill", "50000")],
    "marginals": [("by", "sex"), ("by", "bill"), ("width:bill", "100000")],
    "sum": [("column", "bill")],
    "mean": [("column", "bill"), ("by", "sex"), ("where", "sex = 'F'")],
    "variance": [("column", "bill")],
    "median": [("column", "bill")],
    "quantiles": [("column", "bill"), ("at", "0.1, 0.9")],
    "ranges": [("column", "bill")],
    "most-frequent": [("column", "diagnosis"), ("top", "2")],
}


def asked(kind: str) -> QuestionForm:
    return QuestionForm.read([("kind", kind), *FIELDS[kind], ("epsilon", "0.2")])


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    write_hospital(folder, patients=300)
    return folder


@pytest.fixture
def session(hospital: Path, tmp_path: Path) -> Iterator[Session]:
    with hedgerow.session(hospital / "plan.yaml", ledger=tmp_path / "ledger.db") as one:
        one.ledger.set_budget(one.population, Amounts.of(epsilon=3))
        yield one


def test_every_kind_is_tried_here() -> None:
    assert set(FIELDS) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_asks_what_the_command_line_asks(
    kind: str, hospital: Path, session: Session
) -> None:
    """The command that the page shows finds the form's answer in the ledger, for nothing."""
    question = asked(kind)
    answer = question.put(session)
    spent = session.budget.spent
    command = f"query {hospital / 'plan.yaml'} {question.command} --json"
    done = CliRunner().invoke(app, [*shlex.split(command), "--ledger", str(session.ledger.name)])
    assert done.exit_code == 0, done.output
    assert '"again": true' in done.stdout
    assert session.budget.spent == spent == Amounts.of(epsilon="0.2")
    assert answer.words == history(session.ledger.entries(population=session.population))[0].words


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_survives_as_an_address(kind: str) -> None:
    from urllib.parse import parse_qsl

    question = asked(kind)
    assert QuestionForm.read(parse_qsl(question.query)) == question


@pytest.mark.parametrize("kind", KINDS)
def test_a_preview_spends_nothing_and_shows_what_an_answer_would(
    kind: str, session: Session
) -> None:
    before = session.ledger.tip()
    seen = asked(kind).put(session.preview(people=200, runs=5))
    page = told(seen)
    assert session.ledger.tip() == before
    assert page.charged == "epsilon 0.2"
    assert page.tables[0].lines
    chart = answer_chart(seen.tables[0], title=seen.words)
    assert (chart is None) == (kind == "most-frequent")
    if kind != "most-frequent":
        assert errors_of(seen)[0]["median"]


def test_fields_of_another_kind_are_dropped() -> None:
    given = [("column", "bill"), ("by", "sex"), ("at", "0.5"), ("top", "9"), ("rows", "yes")]
    ranges = QuestionForm.read([("kind", "ranges"), *given])
    assert ranges.fields == [("kind", "ranges"), ("column", "bill")]
    count = QuestionForm.read([("kind", "count"), *given])
    assert count.fields == [("kind", "count"), ("by", "sex"), ("rows", "yes")]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ([("kind", "meen")], "there is no question 'meen'"),
        ([("kind", "mean"), ("epsilon", "1")], "nothing says of which column"),
        ([("kind", "histogram"), ("epsilon", "1")], "histogram is about a column"),
        (
            [("kind", "histogram"), ("by", "sex"), ("by", "bill"), ("epsilon", "1")],
            "a histogram is of one column",
        ),
        ([("kind", "marginals"), ("by", "sex"), ("epsilon", "1")], "is about columns"),
        (
            [("kind", "most-frequent"), ("column", "diagnosis"), ("top", "x"), ("epsilon", "1")],
            "top must be a whole number",
        ),
        ([("kind", "mean"), ("column", "age"), ("epsilon", "1")], "there is no column 'age'"),
        ([("kind", "mean"), ("column", "zip"), ("epsilon", "1")], "has no bounds for 'zip'"),
        ([("kind", "count"), ("by", "zip"), ("epsilon", "1")], "has no domain for 'zip'"),
        ([("kind", "count"), ("epsilon", "-1")], "epsilon"),
        ([("kind", "count"), ("where", "x" * (MOST_TEXT + 1))], "more than 2,000 letters"),
    ],
)
def test_what_is_wrong_is_a_sentence(
    fields: list[tuple[str, str]], sentence: str, session: Session
) -> None:
    before = session.ledger.tip()
    with pytest.raises(PlanError) as error:
        QuestionForm.read(fields).put(session)
    assert sentence in str(error.value)
    assert session.ledger.tip() == before


def test_the_form_offers_what_the_plan_says_is_public(session: Session) -> None:
    mean = columns_to_ask(asked("mean"), session.public)
    assert [one.name for one in mean] == ["bill"]
    assert mean[0].known == "numbers from 0 to 200000 in steps of 1000"
    frequent = columns_to_ask(asked("most-frequent"), session.public)
    assert [one.name for one in frequent] == ["sex", "nationality", "diagnosis"]
    cells = columns_to_count_by(asked("histogram"), session.plan, session.public)
    assert [one.name for one in cells if one.known] == ["sex", "nationality", "diagnosis", "bill"]
    assert [one.name for one in cells if not one.known] == ["zip", "birth_date"], "no names"
    assert [(one.name, one.width) for one in cells if one.chosen] == [("bill", "50000")]


def test_the_settings_say_who_is_protected_and_what_is_not_known(session: Session) -> None:
    said = " ".join(settings(session.plan, session.public))
    assert "'gotham-inpatients' is protected like this: add-remove" in said
    assert "Nothing is known of the values of zip, birth_date" in said


def test_the_gauge_tells_what_would_be_left(session: Session) -> None:
    asked("count").put(session)
    one = gauges(session.budget, Amounts.of(epsilon=1))[0]
    assert (one.spent, one.left, one.after, one.fits) == ("0.2", "2.8", "1.8", True)
    over = gauges(session.budget, Amounts.of(epsilon=3))[0]
    assert (over.after, over.fits) == ("", False)
    assert not too_dear(session.budget, Amounts.of(epsilon="2.8"))
    assert "epsilon 2.8" in too_dear(session.budget, Amounts.of(epsilon="2.800000001"))
    assert too_dear(session.budget, Amounts.of(epsilon="0.1", delta="1e-9")), "no delta in it"
