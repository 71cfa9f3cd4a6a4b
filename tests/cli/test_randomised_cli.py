"""The commands on a randomised release: what people and programs see, and kill -9 at each step."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest
from forked import run_forked
from typer.testing import CliRunner

import hedgerow
from hedgerow.cli import app
from hedgerow.ledger import Amounts, Ledger

PLAN = """\
population: town
ledger: ledger.db
source: people.csv
columns:
  age: {role: quasi-identifier, bounds: [0, 40], step: 10}
  sex: {role: quasi-identifier, domain: [F, M]}
  ill: {role: sensitive, domain: [flu, gout, null]}
privacy: add-remove
method: {search: marginals, epsilon: 1, tables: 2, synthetic: true}
publish: {to: out}
"""


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    rows = [f"{i % 40},{'FM'[i % 2]},{['flu', 'gout', ''][i % 3]}" for i in range(300)]
    Path("people.csv").write_text("age,sex,ill\n" + "\n".join(rows) + "\n", "utf-8")
    Path("plan.yaml").write_text(PLAN, "utf-8")
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=4))
    return tmp_path


def test_what_people_see(town: Path) -> None:
    done = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    for words in (
        "1 age × sex 10", "noise on each count: discrete Laplace, scale 3; with 95 % it moves a "
        "count by at most 9", "31 in 3 tables", "made up from the counts; one may equal somebody's",
        "cost: 1-differential privacy, charged as epsilon 1", "protects: add-remove",
        "1 of 4 spent", "release: out",
    ):  # fmt: skip
        assert words in text, words
    again = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert "Published before" in again.stdout
    assert "charged" not in again.stdout
    assert "1 of 4 spent" in again.stdout
    quiet = CliRunner().invoke(app, ["publish", "plan.yaml", "-q"])
    assert (quiet.exit_code, quiet.output) == (0, "")


def test_one_object(town: Path) -> None:
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--json"])
    told = json.loads(done.stdout)
    assert set(told) == {
        "release", "tables", "cells", "claim", "noise", "spent", "left", "total", "disagreement",
        "synthetic", "notes", "again",
    }  # fmt: skip
    assert told["tables"] == 3
    assert told["cells"] == 31
    assert told["left"] == {"epsilon": "3"}
    assert told["synthetic"]["rows"] == told["total"]
    anew = ["publish", "plan.yaml", "--json", "--anew", "--to", "next"]
    other = json.loads(CliRunner().invoke(app, anew).stdout)
    assert (other["again"], other["left"]) == (False, {"epsilon": "2"})


def test_verify_and_attack(town: Path) -> None:
    assert CliRunner().invoke(app, ["publish", "plan.yaml", "-q"]).exit_code == 0
    done = CliRunner().invoke(app, ["verify", "out", "--plan", "plan.yaml"])
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert "if the noise has the scale 3" in text
    assert "nobody can see from a result" in text
    assert CliRunner().invoke(app, ["verify", "out", "--strict"]).exit_code == 1
    attacked = CliRunner().invoke(app, ["attack", "out", "--json"])
    assert attacked.exit_code == 2
    error = json.loads(attacked.stdout)["error"]
    assert "nothing says which columns of the release are sensitive" in error["what"]
    assert "Give the plan it was made with" in error["fix"]
    text = Path("out/tables.csv").read_text("utf-8")
    Path("out/tables.csv").write_text(re.sub(r",-?\d+,", ",7,", text), "utf-8")
    assert CliRunner().invoke(app, ["verify", "out"]).exit_code == 1


def test_too_dear(town: Path) -> None:
    Path("plan.yaml").write_text(PLAN.replace("epsilon: 1", "epsilon: 5"), "utf-8")
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--json"])
    assert done.exit_code != 0
    assert "would spend epsilon 5" in json.loads(done.stdout)["error"]["what"]
    assert not Path("out").exists()


@pytest.mark.parametrize(
    "fault", ["reserved", "counted", "released", "written", "measured", "certified", "delivered"]
)
def test_a_crash_leaves_a_truthful_ledger(town: Path, fault: str) -> None:
    died = run_forked("publish", "plan.yaml", "--json", env={"HEDGEROW_FAULT": fault})
    assert died.returncode == -signal.SIGKILL, died.stderr
    lost = fault in ("reserved", "counted")
    with Ledger.open("ledger.db") as ledger:
        assert ledger.verify().problems == ()
        position = ledger.budget("town")
        assert position.spent == Amounts.of(epsilon=1), "charged before the data are touched"
        assert (position.releases, position.reserved_open) == ((0, 1) if lost else (1, 0))
    assert Path("out").exists() == (fault == "delivered")
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["again"] is not lost
    assert hedgerow.verify("out").refuted == ()
    with Ledger.open("ledger.db") as ledger:
        assert ledger.budget("town").spent == Amounts.of(epsilon=2 if lost else 1)
    assert sorted(path.name for path in town.iterdir()) == sorted(
        ["ledger.db", "out", "out.internal.html", "people.csv", "plan.yaml"]
    )
