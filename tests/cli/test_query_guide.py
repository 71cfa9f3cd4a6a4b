"""The commands of the guide to answers with noise, on the demo hospital."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hedgerow.api.demo import BUDGET, write_hospital
from hedgerow.cli import app
from hedgerow.ledger import Amounts, Ledger
from hedgerow.plan.plan import Plan

GUIDE = Path(__file__).parents[2] / "docs" / "differential_privacy.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
COMMANDS = [
    line.removeprefix("$ hedgerow ")
    for kind, block in BLOCKS
    if kind == "console"
    for line in block.splitlines()
    if line.startswith("$ hedgerow ") and "explain" not in line
]


def test_every_command_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_hospital(tmp_path / "demo", patients=2_000).parent)
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("gotham-inpatients", Amounts.read(BUDGET))
    assert len(COMMANDS) >= 6
    for command in COMMANDS:
        done = CliRunner().invoke(app, shlex.split(command))
        assert done.exit_code == 0, f"{command}: {done.output}"


def test_the_python_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_hospital(tmp_path / "demo", patients=2_000).parent)
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("gotham-inpatients", Amounts.of(epsilon=1))
    (code,) = [block for kind, block in BLOCKS if kind == "python"]
    exec(code, {})  # the guide is ours


def test_the_questions_of_the_guide_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_hospital(tmp_path / "demo", patients=500).parent)
    table = GUIDE.read_text("utf-8").partition("| question | |")[2].partition("With `--by`")[0]
    questions = [q for q in re.findall(r"`(--[^`]+)`", table) if not q.startswith("--rows")]
    assert len(questions) >= 10
    for question in questions:
        # --between tells of a published answer, which a preview is not.
        asked = re.sub(r" --between \S+", "", question)
        command = ["query", "plan.yaml", *shlex.split(asked), "--epsilon", "1", "--preview"]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, f"{question}: {done.output}"


def test_the_policy_of_the_guide_hides_diagnoses_of_one_chapter(tmp_path: Path) -> None:
    (block,) = [b for kind, b in BLOCKS if kind == "yaml" and "policy:" in b]
    plan = write_hospital(tmp_path, patients=100)
    text = plan.read_text("utf-8").replace("privacy: {neighbours: add-remove}\n", block)
    plan.write_text(text, "utf-8")
    stated = Plan.read(plan).stated()
    assert stated is not None
    graph = stated.policy.graph("diagnosis")
    values = stated.domains["diagnosis"].values
    with (tmp_path / "diagnosis.csv").open(encoding="utf-8", newline="") as file:
        chapter = {row[0]: row[2] for row in csv.reader(file, delimiter=";")}
    groups: dict[int, set[str]] = {}
    for code, value in enumerate(values):
        groups.setdefault(int(graph.components[code]), set()).add(chapter[value])
    assert len(groups) > 5
    assert all(len(chapters) == 1 for chapters in groups.values())
