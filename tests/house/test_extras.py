"""The core does its work without the libraries of the extras, and says which one is missing."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = {
    "accounting": ("dp_accounting",),
    "charts": ("resvg_py",),
    "files": ("pyreadstat", "python_calamine"),
    "learning": ("sklearn",),
    "postgresql": ("psycopg", "psycopg_binary"),
    "spark": ("pyspark",),
    "web": ("fastapi", "starlette", "uvicorn", "python_multipart"),
}
"""The libraries of each extra, as they are imported."""
GONE = ("altair", "vl_convert", "pandas", "polars", "httpx", "jsonschema")
"""What nothing in the core may need either."""
HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""
PATIENTS = """\
age,sex,ill
23,f,flu
25,f,flu
24,m,gout
27,m,flu
43,f,gout
45,f,gout
44,m,flu
47,m,gout
"""
PLAN = """\
population: people
source: patients.csv
one_row_per_person: true
ledger: ledger.db
columns:
  age: {role: quasi-identifier, hierarchy: {ranges: [10, 100]}, bounds: [0, 100]}
  sex: {role: quasi-identifier, domain: [f, m]}
  ill: {role: sensitive, domain: [flu, gout]}
protect:
  - k-anonymity: 2
privacy: {neighbours: change-one}
"""


def hidden(*commands: tuple[str, ...] | str, folder: Path) -> list[dict[str, Any]]:
    """Run commands one after the other in a process that has none of these libraries."""
    names = {library for libraries in HIDDEN.values() for library in libraries} | set(GONE)
    script = HIDE.format(names=names) + (
        "import importlib, json\n"
        "from typer.testing import CliRunner\n"
        "from hedgerow.cli import app\n"
        f"for words in json.loads({json.dumps(json.dumps(commands))}):\n"
        "    if isinstance(words, str):\n"
        "        try:\n"
        "            importlib.import_module(words)\n"
        "        except Exception as error:\n"
        "            print(json.dumps({'error': f'{type(error).__name__}: {error}'}))\n"
        "    else:\n"
        "        done = CliRunner().invoke(app, words)\n"
        "        told = {'code': done.exit_code, 'out': done.stdout, 'err': done.stderr}\n"
        "        print(json.dumps(told | {'fault': repr(done.exception)}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text(PATIENTS, "utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    return tmp_path


def test_the_core_does_its_work(folder: Path) -> None:
    commands = (
        ("init", "patients.csv", "--to", "first.yaml"),
        ("check", "plan.yaml"),
        ("publish", "plan.yaml", "--to", "release"),
        ("verify", "release"),
        ("attack", "release", "--truth", "patients.csv", "--plot", "attacks.svg"),
        ("report", "release", "--external", "external.html"),
        ("ledger", "budget", "people", "--ledger", "ledger.db", "--set", "epsilon=5"),
        ("query", "plan.yaml", "--count", "--epsilon", "1"),
        ("explain", "epsilon", "1", "--plot", "epsilon.html"),
        ("explain", "model", "k-anonymity"),
        ("ledger", "list", "--ledger", "ledger.db"),
    )
    for words, done in zip(commands, hidden(*commands, folder=folder), strict=True):
        # The table as it is does not keep the claim, and half of these people are found out.
        assert done["code"] == (words[0] in ("check", "attack")), f"{' '.join(words)}: {done}"
    assert (folder / "attacks.svg").read_text("utf-8").startswith("<svg ")
    assert "<svg " in (folder / "epsilon.html").read_text("utf-8")


def test_what_is_missing_is_named_with_its_extra(folder: Path) -> None:
    commands = {
        "charts": ("explain", "epsilon", "1", "--plot", "epsilon.png"),
        "postgresql": ("init", "postgresql://nowhere/x::t", "--to", "p.yaml"),
        "files": ("init", "people.xlsx", "--to", "f.yaml"),
        "spark": ("init", "spark://nowhere/x::t", "--to", "s.yaml"),
        "web": ("explore", "--no-browser"),
    }
    (folder / "people.xlsx").write_bytes(b"")
    found = hidden(*commands.values(), folder=folder)
    for name, done in zip(commands, found, strict=True):
        assert done["code"] == 2, (name, done)
        assert f"pip install 'hedgerow[{name}]'" in done["err"], done["err"]
        assert "which is not installed" in done["err"]
        assert "Traceback" not in done["err"]
    assert not (folder / "epsilon.png").exists()


def test_a_ledger_and_an_estimator_say_it_too(folder: Path) -> None:
    plan = PLAN.replace("ledger.db", "postgresql://nowhere/x")
    (folder / "plan.yaml").write_text(plan, "utf-8")
    ledger, learning = hidden(("publish", "plan.yaml", "--to", "r"), "hedgerow.learning",
                              folder=folder)  # fmt: skip
    assert ledger["code"] == 2
    assert "pip install 'hedgerow[postgresql]'" in ledger["err"]
    assert learning["error"].startswith("HedgerowError: learning needs sklearn, which is not")
    assert "pip install 'hedgerow[learning]'" in learning["error"]


def test_the_accountant_is_missed_in_a_sentence(folder: Path) -> None:
    (done,) = hidden(("explain", "epsilon", "0.1", "--answers", "3"), folder=folder)
    assert done["code"] == 0
    told = " ".join(done["out"].split())
    assert "pip install 'hedgerow[accounting]'" in told


def test_every_extra_is_tried_here_and_all_has_each() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert set(extras) - {"all", "bench", "test"} == set(HIDDEN)
    assert extras["all"] == [f"hedgerow[{','.join(sorted(HIDDEN))}]"]
    assert "hedgerow[all]" in extras["test"]
    pinned = (ROOT / "constraints.txt").read_text().lower().replace("_", "-").split()
    for line in [line for some in extras.values() for line in some]:
        name = line.partition(">")[0].partition("[")[0].lower()
        if name != "hedgerow":
            assert any(pin.startswith(f"{name}==") for pin in pinned), f"{name} is not pinned"
    core = {name.partition(">")[0].partition("[")[0].lower() for name in project["dependencies"]}
    optional = {
        part.partition(">")[0].partition("[")[0].lower() for name in HIDDEN for part in extras[name]
    }
    assert not core & optional
