"""The commands as a stranger meets them: what they print, say and return."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import recipients
import typer
from typer.testing import CliRunner

import hedgerow
from hedgerow.claims import CLAIMS
from hedgerow.cli import app
from hedgerow.plan.plan import Plan

ROOT = Path(__file__).parents[2]
PLAN = """\
source: patients.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {ranges: [10, 20]}}
  zip: {role: quasi-identifier, hierarchy: {prefix: 3}}
  sex: quasi-identifier
  disease: sensitive
  salary: insensitive
protect:
  - k-anonymity: 5
  - delta-disclosure: 30
method: {suppress: 10%}
publish: {to: release}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    recipients.write_csv(tmp_path / "patients.csv", recipients.hospital(150))
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*command: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, list(command))
    assert done.exit_code == code, done.stderr
    assert "\x1b" not in done.stdout + done.stderr, "no colours where nobody sees them"
    return done


def test_init_check_publish(folder: Path) -> None:
    """The three commands of the first day, one after the other."""
    (folder / "plan.yaml").unlink()
    assert "hedgerow publish plan.yaml" in run("init", "patients.csv").stdout
    assert Plan.read("plan.yaml").source == "patients.csv"
    told = run("check", "plan.yaml", code=1).stdout
    assert re.search(r"^5-anonymity +fails +1 +5$", told, re.M)
    told = run("publish", "plan.yaml").stdout
    assert re.search(r"^5-anonymity +holds +\d+ +5$", told, re.M)
    assert re.search(r"^\d+ of 150 people left out \(\d\.\d%\); \d+ rows published$", told, re.M)
    assert re.search(r"^sex +level \d of 1 \(.+\)$", told, re.M)
    assert re.search(r"^loss +[\d.e-]+  lower is better$", told, re.M)
    assert re.search(r"^precision +[\d.e-]+  1 is best *$", told, re.M)
    assert "\nrelease: release\ninternal report, not to be handed out: " in told
    assert max(map(len, told.splitlines())) <= 80
    order = [told.index(word) for word in ("claim", "left out", "column", "utility", "release:")]
    assert order == sorted(order)


def test_init_writes_a_source_the_plan_can_find(folder: Path) -> None:
    (folder / "plans").mkdir()
    told = json.loads(run("init", "patients.csv", "--to", "plans/first.yaml", "--json").stdout)
    assert told == {"plan": "plans/first.yaml"}
    assert hedgerow.check(folder / "plans" / "first.yaml")
    (folder / "plans" / "first.yaml").write_text("mine")
    run("init", "patients.csv", "--to", "plans/first.yaml", code=2)
    assert (folder / "plans" / "first.yaml").read_text() == "mine"
    run("init", "patients.csv", "--to", "plans/first.yaml", "--replace")
    assert hedgerow.check(folder / "plans" / "first.yaml")
    assert [file.name for file in (folder / "plans").iterdir()] == ["first.yaml"]


def test_json_of_publish(folder: Path) -> None:
    told = json.loads(run("publish", "plan.yaml", "--json").stdout)
    assert list(told) == [
        "release", "rows", "suppressed", "recoding", "optimal", "utility", "claims",
        "with_earlier_releases", "notes", "again",
    ]  # fmt: skip
    assert told["release"] == "release"
    assert told["rows"] + told["suppressed"] == 150
    assert told["recoding"]["kind"] == "full-domain"
    assert set(told["recoding"]["levels"]) == {"age", "zip", "sex"}
    assert told["optimal"] is True
    assert all(isinstance(value, float) for value in told["utility"].values())
    assert [set(claim) for claim in told["claims"]] == [{"claim", "holds", "level", "required"}] * 2
    certificate = recipients.certificate(folder / "release")
    keys = list(told["claims"][0])
    assert [{key: claim[key] for key in keys} for claim in certificate["claims"]] == told["claims"]
    assert certificate["data"]["rows"] == told["rows"]


def test_json_of_check(folder: Path) -> None:
    """Raw groups lack some diseases: no factor bounds that, and JSON has no infinity."""
    told = json.loads(run("check", "plan.yaml", "--json", code=1).stdout)
    assert told["claims"][0] == {
        "claim": "5-anonymity", "holds": False, "level": 1.0, "required": 5.0,
    }  # fmt: skip
    assert told["claims"][1]["level"] is None
    assert "infinite" in run("check", "plan.yaml", code=1).stdout


def test_check_writes_nothing(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    run("check", "plan.yaml", code=1)
    assert sorted(folder.rglob("*")) == before


def test_quiet(folder: Path) -> None:
    done = run("publish", "plan.yaml", "--quiet")
    assert done.stdout == done.stderr == ""
    assert (folder / "release" / "data.csv").exists()
    assert run("check", "plan.yaml", "-q", code=1).stdout == ""
    done = run("publish", "plan.yaml", "-q", code=2)
    assert "exists already" in done.stderr
    assert json.loads(run("publish", "plan.yaml", "-q", "--json", "--replace").stdout)


def test_a_release_is_replaced_only_when_told_to(folder: Path) -> None:
    run("publish", "plan.yaml")
    first = (folder / "release" / "certificate.json").read_bytes()
    (folder / "plan.yaml").write_text(PLAN.replace("k-anonymity: 5", "k-anonymity: 9"))
    run("publish", "plan.yaml", code=2)
    assert (folder / "release" / "certificate.json").read_bytes() == first
    run("publish", "plan.yaml", "--replace")
    assert (folder / "release" / "certificate.json").read_bytes() != first
    (folder / "plan.yaml").write_text(PLAN.replace("k-anonymity: 5", "k-anonymity: 999"))
    second = (folder / "release" / "certificate.json").read_bytes()
    run("publish", "plan.yaml", "--replace", code=1)
    assert (folder / "release" / "certificate.json").read_bytes() == second
    assert not list(folder.glob(".*"))


def test_to_overrules_the_plan(folder: Path) -> None:
    told = json.loads(run("publish", "plan.yaml", "--to", "a/b/c", "--json").stdout)
    assert told["release"] == "a/b/c"
    assert not (folder / "release").exists()
    files = sorted(p.name for p in (folder / "a/b/c").iterdir())
    assert files == ["certificate.json", "data.csv", "report.html"]
    # A failed run leaves no empty folders on the way.
    (folder / "plan.yaml").write_text(PLAN.replace("k-anonymity: 5", "k-anonymity: 999"))
    run("publish", "plan.yaml", "--to", "d/e/f", code=1)
    assert not (folder / "d").exists()


@pytest.mark.slow
def test_demo_runs_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = run("demo")
    assert "before (not published)" in first.stdout
    assert "hedgerow publish demo/plan.yaml --replace" in first.stdout
    assert max(map(len, first.stdout.splitlines())) <= 80
    assert "stopped by the ledger: no generalisation keeps every claim" in first.stdout
    second = run("demo").stdout
    before = "Published before, with this plan and these data; nothing was done anew.\n\n"
    # Whoever asks the ledger again is told of the release that went out meanwhile, too.
    parts = [text.partition("stopped by") for text in (first.stdout, second.replace(before, ""))]
    assert parts[0][0] == parts[1][0]
    attacked, again = (p[2].partition("attacked:")[2].partition("cost: ")[0] for p in parts)
    assert "A question, answered with noise" in attacked
    # The same question gets the same answer, for nothing.
    assert again.startswith(attacked)
    assert "This was answered before" in again
    with hedgerow.Ledger.open(tmp_path / "demo" / "ledger.db") as ledger:
        assert ledger.budget("gotham-inpatients").releases == 3
        assert str(ledger.budget("gotham-inpatients").spent) == "epsilon 0.1"
        assert ledger.verify().holds
    told = json.loads(run("demo", "--json").stdout)
    rows = recipients.read_csv(tmp_path / "demo" / "release" / "data.csv")
    assert len(rows) == told["rows"]
    quasi = ("zip", "birth_date", "sex", "nationality")
    assert recipients.k(rows, quasi) == told["claims"][0]["level"] >= 5


@pytest.mark.parametrize("name", list(CLAIMS))
def test_explain_every_model(name: str) -> None:
    told = run("explain", "model", name).stdout
    assert told.startswith(f"{name}\n")
    assert "What it does not protect" in told
    assert max(map(len, told.splitlines())) <= 80
    assert json.loads(run("explain", "model", name, "--json").stdout)["name"] == name


@pytest.mark.parametrize(
    "command",
    [["--bogus"], ["publish"], ["publish", "--bogus"], ["nonsense"], ["explain", "model"],
     ["publish", "a.yaml", "b.yaml"], ["init"]],
)  # fmt: skip
def test_usage_errors(command: list[str]) -> None:
    done = run(*command, code=2)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    told = run(*command, "--json", code=2)
    assert set(json.loads(told.stdout)) == {"error"}
    assert told.stderr


def test_version() -> None:
    assert run("--version").stdout == f"hedgerow {hedgerow.__version__}\n"


def test_control_characters_do_not_reach_the_terminal(folder: Path) -> None:
    recipients.write_csv(folder / "patients.csv", [{"\x1b[31mq": "\x1b[2Jx", "\as": "y"}] * 4)
    (folder / "plan.yaml").write_text(
        'source: patients.csv\ncolumns: {"\\e[31mq": quasi-identifier, "\\as": sensitive}\n'
        "protect: [k-anonymity: 2, unique-share: 0, l-diversity: {l: 2}]\npublish: {to: release}\n"
    )
    done = run("publish", "plan.yaml", code=1)
    assert "distinct 2-diversity of \\x07s" in done.stderr
    text = (folder / "plan.yaml").read_text().replace(", l-diversity: {l: 2}", "")
    (folder / "plan.yaml").write_text(text)
    told = run("publish", "plan.yaml").stdout
    assert "\\x1b[31mq" in told


# Documentation


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_every_command_and_option_is_documented() -> None:
    text = (ROOT / "docs" / "commands.md").read_text("utf-8")
    parts = dict(re.findall(r"^## `hedgerow ([a-z ]+?)(?: [A-Z]+)?`\n(.*?)(?=^## |\Z)", text,
                            re.M | re.S))  # fmt: skip
    found = dict(commands(typer.main.get_command(app)))
    assert set(parts) == set(found)
    for name, command in found.items():
        for parameter in command.params:
            if "--help" in parameter.opts:
                continue
            names = parameter.opts if parameter.opts[0][0] == "-" else [parameter.name.upper()]
            for option in names:
                assert re.search(rf"`{option}\b", parts[name]), f"{name} {option}"
        for option in re.findall(r"`(--[a-z-]+)", parts[name]):
            known = {opt for parameter in command.params for opt in parameter.opts}
            assert option in known, f"{name} has no {option}"
    root = typer.main.get_command(app).params
    assert all(f"`hedgerow {opt}`" in text or f"`{opt}`" in text for p in root for opt in p.opts)


# The real thing, in a process of its own


def hedgerow_process(*command: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hedgerow", *command],
        capture_output=True, text=True, check=False, timeout=60, **more,
    )  # fmt: skip


def test_help_is_quick() -> None:
    """It loads none of the libraries that take long."""
    assert hedgerow_process("--help").returncode == 0
    loaded = (
        "import sys, hedgerow.cli; print({'numba', 'duckdb', 'numpy', 'rich'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_a_command_does_without_pandas(tmp_path: Path) -> None:
    """Arrow would load it, where there is one, for nothing."""
    (tmp_path / "data.csv").write_text("q\n" + "x\n" * 4)
    (tmp_path / "plan.yaml").write_text(
        "source: data.csv\ncolumns: {q: quasi-identifier}\nprotect: [k-anonymity: 2]\n"
        "publish: {to: release}\n"
    )
    publish = (
        "import atexit, importlib.util, sys; assert importlib.util.find_spec('pandas'); "
        "atexit.register(lambda: print({'pandas', 'pyarrow'} & {*sys.modules}, file=sys.stderr)); "
        "from hedgerow.cli import main; sys.argv[1:] = ['publish', 'plan.yaml', '-q']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", publish], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "{'pyarrow'}\n")
    assert (tmp_path / "release" / "data.csv").read_text() == "q\n" + "x\n" * 4


def test_a_terminal_that_knows_only_ascii(folder: Path) -> None:
    name = "Krankheit–ÄÖ"
    recipients.write_csv(folder / "patients.csv", [{"q": "x", name: "é"}] * 4)
    (folder / "plan.yaml").write_text(
        f"source: patients.csv\ncolumns: {{q: quasi-identifier, {name}: sensitive}}\n"
        "protect: [k-anonymity: 2, alpha-k-anonymity: {alpha: 0.5, k: 2}]\npublish: {to: r}\n",
        "utf-8",
    )
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = hedgerow_process("check", "plan.yaml", env=environment)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Krankheit" in done.stdout
    done = hedgerow_process("check", "plan.yaml", "--json", env=environment)
    assert name in json.loads(done.stdout)["claims"][1]["claim"]


def test_a_pipe_that_closes_early(folder: Path) -> None:
    command = f"{sys.executable} -m hedgerow explain model k-map | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
