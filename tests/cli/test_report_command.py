"""`hedgerow report`, and what publish says of reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hedgerow.cli import app

PLAN = """\
source: people.csv
columns: {age: quasi-identifier, ill: sensitive}
protect: [{k-anonymity: 12}]
publish: {to: out}
"""


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    rows = [f"{i % 2},{'abc'[i % 3]}" for i in range(48)]
    Path("people.csv").write_text("\n".join(["age,ill", *rows, ""]), "utf-8")
    Path("plan.yaml").write_text(PLAN, "utf-8")
    return tmp_path


def test_publish_says_where_they_are(town: Path) -> None:
    done = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert done.exit_code == 0, done.output
    assert "internal report, not to be handed out: out.internal.html" in done.stdout
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--replace", "--no-report"])
    assert "internal report" not in done.stdout
    assert not Path("out.internal.html").exists()
    assert Path("out/report.html").exists()


def test_afterwards(town: Path) -> None:
    CliRunner().invoke(app, ["publish", "plan.yaml", "--no-report"])
    Path("out/report.html").unlink()
    done = CliRunner().invoke(app, ["report", "out"])
    assert (done.exit_code, done.stdout) == (0, "external report: out/report.html\n")
    done = CliRunner().invoke(app, ["report", "out", "--plan", "plan.yaml", "--json"])
    told = json.loads(done.stdout)
    assert set(told) == {"release", "external", "internal", "profiles", "not_met"}
    assert told["internal"].endswith("out.internal.html")
    assert Path("out.internal.html").exists()


def test_exit_codes(town: Path) -> None:
    CliRunner().invoke(app, ["publish", "plan.yaml", "-q"])
    done = CliRunner().invoke(app, ["report", "out", "--profile", "ema-0070"])
    assert done.exit_code == 0, done.output
    assert "0.0417 = 1/24" in done.stdout
    done = CliRunner().invoke(app, ["report", "out", "--profile", "cms-cell-size", "--json"])
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["not_met"] == 1
    found = told["profiles"][0]["requirements"][1]
    assert (found["verdict"], found["evidence"]) == ("not met", "6 of 6 different rows")
    for wrong in (["nowhere"], ["out", "--profile", "gdpr"], ["out", "--internal", "i.html"],
                  ["people.csv"]):  # fmt: skip
        done = CliRunner().invoke(app, ["report", *wrong])
        assert done.exit_code == 2, wrong
        assert done.stderr.startswith("hedgerow report: "), done.stderr
