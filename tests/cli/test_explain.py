"""`explain adversary` and `explain definitions` as a steward meets them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hedgerow.cli import app
from hedgerow.explain.definitions import DEFINITIONS

CLAIM = "  - epsilon-privacy: {epsilon: 4, adversary: {class: I, prior: metropolis.csv}}\n"
PLAN = f"""\
source: gotham.csv
columns:
  name: identifier
  age: {{role: quasi-identifier, hierarchy: {{ranges: [20]}}}}
  sex: quasi-identifier
  disease: sensitive
protect:
{CLAIM}"""
GROUPS = {(30, "M"): (2, 3), (50, "M"): (18, 27), (50, "F"): (180, 20)}
DATA = "name,age,sex,disease\n" + "".join(
    f"x,{age},{sex},{disease}\n"
    for (age, sex), counts in GROUPS.items()
    for disease, n in zip(("flu", "cancer"), counts, strict=True)
    for _ in range(n)
)
METROPOLIS = "disease,count\nflu,119\ncancer,179\n"
FILES = {"gotham.csv": DATA, "metropolis.csv": METROPOLIS, "plan.yaml": PLAN}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        (folder / name).write_text(content)


def run(*command: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, ["explain", *command])
    assert done.exit_code == code, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    return done


def test_adversary(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    told = run("adversary", "plan.yaml").stdout
    assert max(map(len, told.splitlines())) <= 80
    assert told.startswith("4-privacy of disease against a class I attacker")
    flat = " ".join(told.split())
    assert "The prior comes from metropolis.csv (298 people, 2 values). It expects" in flat
    assert "has a stubbornness of 300, people plus values. So have the plan's attackers." in flat
    # The smallest epsilon at each node and stubbornness; the plan's own is marked.
    assert re.search(r"^ +release +coarsest +as it is +$", told, re.M)
    assert re.search(r"^ +300\*( +[\d.]+){6} *$", told, re.M)
    assert re.search(r"^ +infinite( +[\d.]+ +infinite){3} *$", told, re.M)
    assert re.search(r"^as it is +3 +0 +4\.0\d+ +fails +age 0, sex 0 *$", told, re.M)
    assert re.search(r"^release +\d +0 +[\d.]+ +holds +age \d, sex \d *$", told, re.M)
    assert "The claim asks for at most 4." in told
    assert "The worst groups (release)" in told
    assert "No data set with the prior's shares breaks the claim, however large." in flat
    assert "Whatever its shares, a data set of more than" in flat
    assert "keep it where the table is" in told
    assert sorted(folder.rglob("*")) == before


def test_the_same_as_json(folder: Path) -> None:
    told = json.loads(run("adversary", "plan.yaml", "--json").stdout)
    assert set(told) == {"claims", "notes", "plots"}
    (claim,) = told["claims"]
    assert set(claim) == {
        "claim", "of", "epsilon", "prior", "nodes", "worst", "like_prior", "any_prior",
    }  # fmt: skip
    assert [node["name"] for node in claim["nodes"]] == ["release", "coarsest", "as it is"]
    assert [row["stubbornness"] for row in claim["nodes"][0]["rows"]] == [
        100, 300, *(10**power for power in range(3, 10)), "infinite",
    ]  # fmt: skip
    assert claim["nodes"][0]["rows"][-1]["class_ii"] is None
    assert claim["nodes"][0]["holds"]
    assert not claim["nodes"][2]["holds"]
    documented = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
    part = documented.partition("## `hedgerow explain adversary PLAN`")[2]
    for key in [*claim, *claim["nodes"][0], *claim["worst"][0], *claim["like_prior"],
                *claim["prior"]]:  # fmt: skip
        assert f'"{key}"' in part, key


def test_nodes(folder: Path) -> None:
    told = run("adversary", "plan.yaml", "--node", "sex=1", "--node", "age=2,sex=1").stdout
    assert re.search(r"^node 1 +2 +0 +[\d.]+ +holds +age 0, sex 1 *$", told, re.M)
    assert re.search(r"^node 2 +1 +0 +[\d.]+ +holds +age 2, sex 1 *$", told, re.M)
    assert "The worst groups (node 1)" in told
    many = [part for i in range(4) for part in ("--node", f"age={i % 3}")]
    told = run("adversary", "plan.yaml", *many).stdout
    assert max(map(len, told.splitlines())) <= 80
    assert len(re.findall(r"^ +300\*", told, re.M)) == 2


@pytest.mark.slow
def test_plot(folder: Path) -> None:
    told = run("adversary", "plan.yaml", "--plot", "plot.svg").stdout
    assert told.endswith("plot: plot.svg\n")
    assert (folder / "plot.svg").read_text("utf-8").startswith("<svg ")
    told = json.loads(run("adversary", "plan.yaml", "--plot", "plot.html", "--json").stdout)
    assert told["plots"] == ["plot.html"]
    page = (folder / "plot.html").read_text("utf-8")
    assert "<svg " in page
    assert "<script" not in page
    assert run("adversary", "plan.yaml", "--plot", "q.png", "-q").stdout == ""
    assert (folder / "q.png").read_bytes().startswith(b"\x89PNG")


def test_a_plan_nothing_keeps(folder: Path) -> None:
    write(folder, {"plan.yaml": PLAN + "  - k-anonymity: 999\n"})
    told = run("adversary", "plan.yaml").stdout
    assert told.startswith("Nothing can be published under this plan: ")
    assert "\\n" not in told
    assert "The worst groups (coarsest)" in told
    notes = json.loads(run("adversary", "plan.yaml", "--json").stdout)["notes"]
    assert "999-anonymity" in notes[0]


def test_control_characters_do_not_reach_the_terminal(folder: Path) -> None:
    write(folder, {"gotham.csv": DATA.replace("flu", "f\x1b[31mlu"),
                   "metropolis.csv": METROPOLIS.replace("flu", "f\x1b[31mlu")})  # fmt: skip
    assert "\\x1b[31m" in run("adversary", "plan.yaml").stdout


BAD: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "no plan": ({"plan.yaml": ""}, (), "plan.yaml:1: the plan is empty"),
    "no such claim": ({"plan.yaml": PLAN.replace(CLAIM, "  - k-anonymity: 2\n")}, (),
                      "plan.yaml:7: the plan has no epsilon-privacy claim to explain"),
    "no prior": ({"plan.yaml": PLAN.replace("metropolis", "smallville")}, (),
                 "smallville.csv: there is no such file"),
    "how stubborn": ({"plan.yaml": PLAN.replace("metropolis.csv", "table")}, (),
                     "plan.yaml:8: the prior of the table's own shape does not say how stubborn"),
    "a value without a chance": (
        {"plan.yaml": PLAN.replace("I, prior: metropolis.csv", "III, prior: {shape: {flu: 1}}")},
        (), "the prior gives no chance to 'cancer'"),
    "spelled otherwise": ({"metropolis.csv": METROPOLIS.replace("flu", "Flu")}, (),
                          "the prior spells values otherwise than the table"),
    "no such column": ({}, ("--node", "agee=1"), "node 'agee=1': there is no quasi-identifier "
                       "'agee'\n  Did you mean 'age'?"),
    "no such level": ({}, ("--node", "age=1,sex=2"), "there is no level 2 of 'sex'\n  Its "
                      "hierarchy has levels 0 to 1."),
    "no node": ({}, ("--node", "age"), "node 'age': this is not a node\n  Write age=2,zip=1"),
    "another kind of plot": ({}, ("--plot", "plot.pdf"), "plot.pdf: a plot cannot be saved as"),
    "a plot over the plan": ({}, ("--plot", "plan.yaml"), "plan.yaml: a plot cannot be saved as"),
    "a plot nowhere": ({}, ("--plot", "no/plot.svg"), "no: there is no such folder"),
    "memory": ({}, ("--memory", "much"), "much"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input(folder: Path, case: str) -> None:
    files, options, says = BAD[case]
    write(folder, files)
    before = {file: file.read_bytes() for file in folder.rglob("*")}
    done = run("adversary", "plan.yaml", *options, code=2)
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    again = run("adversary", "plan.yaml", *options, "--json", code=2)
    assert set(json.loads(again.stdout)) == {"error"}
    assert {file: file.read_bytes() for file in folder.rglob("*")} == before


def test_definitions() -> None:
    told = run("definitions").stdout
    assert max(map(len, told.splitlines())) <= 80
    places = [re.search(rf"^{re.escape(name)}$", told, re.M) for name in DEFINITIONS]
    assert all(places)
    assert json.loads(run("definitions", "--json").stdout)["definitions"][0]["name"] == (
        next(iter(DEFINITIONS))
    )
    one = run("definitions", "t-closeness").stdout
    assert one.startswith("t-closeness\n")
    assert "(c,2)-diversity\n" not in one
    assert len(json.loads(run("definitions", "t-closeness", "--json").stdout)["definitions"]) == 1
    assert "Did you mean 't-closeness'?" in run("definitions", "t-closenes", code=2).stderr
