"""`explain epsilon` as a steward meets it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hedgerow.cli import app


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*command: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, ["explain", "epsilon", *command])
    assert done.exit_code == code, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_a_tenth() -> None:
    told = run("0.1").stdout
    assert max(map(len, told.splitlines())) <= 80
    assert told.startswith("0.1-differential privacy\n")
    flat = " ".join(told.split())
    assert "guess right with probability 0.525 at most" in flat
    assert "no probability differs by more than 0.04996 (tanh of half the epsilon)" in flat
    assert "twice as much, as it is one person less and one more: that is epsilon 0.2" in flat
    assert re.search(r"^ +0\.5 +0\.475 +0\.525 *$", told, re.M)
    assert re.search(r"^added up +1 +0 +0\.7311 *$", told, re.M)
    assert re.search(r"^by zCDP +1\.472 +1e-6 +0\.8133 *$", told, re.M)
    assert re.search(r"^Laplace +0\.9\d+ +1e-6 +0\.73\d* *$", told, re.M)
    assert "data of 10 people go together" in flat
    assert "what an epsilon of 1 allows: a guess is right with probability 0.7311" in flat
    assert "it has an epsilon of 0.01047 for everybody" in flat
    assert "What delta allows" not in told


def test_all_options() -> None:
    told = run("1", "--delta", "1e-7", "--n", "20000", "--answers", "1", "--group", "2", "--sample",
               "0.01").stdout  # fmt: skip
    assert max(map(len, told.splitlines())) <= 80
    assert told.startswith("(1, 1e-7)-differential privacy\n")
    flat = " ".join(told.split())
    assert "1 such answer epsilon" in flat
    assert "A group of 2 If" in flat
    assert "Of all 20,000 people at once it says nothing, as 2 n sqrt(delta) is 1 or more" in flat
    assert "and for any of 20,000 people with 0.04." in flat
    assert "is 6.391, which says nothing" in flat
    assert "an epsilon of 0.01704, delta 1e-9 for everybody" in flat
    assert "publish somebody with probability 0.002." in flat


def test_the_same_as_json() -> None:
    told = json.loads(run("0.1", "--json").stdout)
    assert told["epsilon"] == 0.1
    assert told["question"]["truth"] == 0.524979187479
    assert told["people"] is None
    assert told["plots"] == []
    told = json.loads(run("0.1", "--delta", "1e-9", "--n", "100", "--json", "-q").stdout)
    assert told["delta"]["delta"] == 1e-9
    assert told["record"]["shifted"][0]["fails_for_any"] == pytest.approx(0.0063245553)
    documented = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
    part = documented.partition("## `hedgerow explain epsilon EPSILON`")[2].partition("\n## ")[0]
    for key in keys(told):
        assert f'"{key}"' in part, key


def keys(told: Any) -> set[str]:
    if isinstance(told, dict):
        return set(told).union(*map(keys, told.values()))
    return set().union(*map(keys, told)) if isinstance(told, list) else set()


def test_what_the_documentation_shows_is_what_is_printed() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
    shown = documented.partition("$ hedgerow explain epsilon 0.1\n")[2].partition("```")[0]
    told = "\n".join(line.rstrip() for line in run("0.1").stdout.splitlines())
    for piece in shown.split("...\n"):
        assert piece.strip() in told


@pytest.mark.slow
def test_plot(folder: Path) -> None:
    assert run("0.1", "--plot", "plot.svg").stdout.endswith("plot: plot.svg\n")
    assert (folder / "plot.svg").read_text("utf-8").startswith("<svg ")
    assert run("0.1", "--plot", "q.png", "-q").stdout == ""
    assert (folder / "q.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads(run("0.1", "--plot", "plot.html", "--json").stdout)
    assert told["plots"] == ["plot.html"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["0"], "epsilon must be above 0"),
        (["many"], "epsilon must be a finite number"),
        (["nan"], "epsilon must be a finite number"),
        (["1e6"], "epsilon must be between 1e-09 and 1,000"),
        (["1", "--delta", "1"], "delta must be under 1"),
        (["1", "--delta", "1e-3", "--n", "1000"], "allows to publish one of 1,000 people"),
        (["1", "--n", "0"], "n must be a whole number of at least 1"),
        (["1", "--answers", "0"], "answers must be a whole number"),
        (["1", "--group", "1"], "group must be a whole number of at least 2"),
        (["1", "--sample", "1.5"], "sample must be between"),
        (["1", "--plot", "a.pdf"], "a plot cannot be saved as 'a.pdf'"),
        (["1", "--plot", "no/a.svg"], "there is no such folder"),
    ],
)
def test_wrong_input(folder: Path, command: list[str], said: str) -> None:
    done = run(*command, code=2)
    assert said in done.stderr
    assert done.stdout == ""
    assert not list(folder.iterdir())
    told = json.loads(run(*command, "--json", code=2).stdout)
    assert said in told["error"]["what"]


def test_it_needs_neither_engine_nor_ledger() -> None:
    loaded = (
        "import sys; from hedgerow import explain_epsilon; explain_epsilon(1).summary();"
        "print({'numba', 'duckdb', 'sqlite3', 'cryptography', 'resvg_py'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
