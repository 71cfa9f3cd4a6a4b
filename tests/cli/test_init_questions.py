"""`hedgerow init` on a terminal: questions, and answers that people type."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from guess_facts import AGES, LETTERS
from typer.testing import CliRunner

from hedgerow.api import PlanQuestion
from hedgerow.cli import app, first_plan
from hedgerow.cli.first_plan import answered, choice
from hedgerow.plan.guesses.purposes import PURPOSES
from hedgerow.plan.plan import Plan

ASKED = PlanQuestion(
    about="purpose", text="What is the release for?", options=tuple(PURPOSES), default="research",
    why="It decides how large groups are.",
)  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    columns = {"age": AGES, "sex": ["m", "f"] * 100, "v1": LETTERS}
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([tuple(columns), *zip(*columns.values(), strict=True)])
    return path


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("", "research"), ("  ", "research"), ("1", "public"), ("5", "survey"), ("6", None),
        ("hospital", "hospital"), ("HOSP", "hospital"), ("in", "internal"), ("x", None),
    ],
)  # fmt: skip
def test_what_an_answer_means(text: str, option: str | None) -> None:
    assert choice(text, ASKED) == option


def test_an_answer_that_means_nothing_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed: Iterator[str] = iter(["maybe", "4"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    assert answered(ASKED) == "hospital"
    assert "a number from 1 to 5" in capsys.readouterr().out


def test_the_end_of_input_takes_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    assert answered(ASKED) == "research"


def test_questions_are_asked_on_a_terminal_only(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "plan.yaml"
    init = ["init", str(table), "--to", str(to), "--replace"]
    done = CliRunner().invoke(app, init, input="hospital\n")
    assert done.exit_code == 0
    assert "What is the release for?" not in done.stdout
    assert "What is the release for? Assumed: research." in to.read_text("utf-8")

    monkeypatch.setattr(first_plan, "at_terminal", lambda: True)
    done = CliRunner().invoke(app, init, input="hospital\n\n")
    assert done.exit_code == 0
    assert "1  public    anybody may read it: groups of 11 or more" in done.stdout
    assert "\\n" not in done.stdout
    assert "The release is for hospital" in to.read_text("utf-8")
    assert "Please answer first" not in to.read_text("utf-8")
    assert Plan.read(to).protect[0].parameters.model_dump()["k"] == 12

    for more in (["--no-questions"], ["--json"], ["--quiet"]):
        done = CliRunner().invoke(app, [*init, *more], input="hospital\n")
        assert done.exit_code == 0
        assert "What is the release for?" not in done.stdout
        assert "Please answer first" in to.read_text("utf-8")


def test_a_purpose_is_not_asked_for_if_it_is_said(table: Path, tmp_path: Path) -> None:
    to = tmp_path / "plan.yaml"
    done = CliRunner().invoke(app, ["init", str(table), "--to", str(to), "--for", "public"])
    assert done.exit_code == 0
    assert "What is the release for?" not in to.read_text("utf-8")
    done = CliRunner().invoke(app, ["init", str(table), "--to", str(to), "--for", "publik"])
    assert done.exit_code == 2
    to.unlink()
    done = CliRunner().invoke(app, ["init", str(table), "--to", str(to), "--for", "publik"])
    assert done.exit_code == 2
    assert "'publik' is no purpose" in done.stderr
    assert "Did you mean 'public'?" in done.stderr
