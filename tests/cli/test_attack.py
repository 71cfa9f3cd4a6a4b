"""`hedgerow attack`, as a stranger types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hedgerow.cli import app

# Ganta, Kasiviswanathan, Smith 2008, Table 1.
H1 = """zip,age,condition
130**,<30,AIDS
130**,<30,Heart Disease
130**,<30,Viral
130**,<30,Viral
130**,>=40,Cancer
130**,>=40,Heart Disease
130**,>=40,Viral
130**,>=40,Viral
130**,3*,Cancer
130**,3*,Cancer
130**,3*,Cancer
130**,3*,Cancer
"""
H2 = """zip,age,condition
130**,<35,AIDS
130**,<35,TB
130**,<35,Flu
130**,<35,TB
130**,<35,Cancer
130**,<35,Cancer
130**,>=35,Cancer
130**,>=35,Cancer
130**,>=35,Cancer
130**,>=35,TB
130**,>=35,Viral
130**,>=35,Viral
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h1.csv").write_text(H1)
    (tmp_path / "h2.csv").write_text(H2)
    people = "zip,age,condition\n13012,28,AIDS\n13053,36,Cancer\n13068,33,Cancer\n"
    (tmp_path / "people.csv").write_text(people)
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["attack", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, " ".join(done.output.split())


BOTH = ("h1.csv", "h2.csv", "--sensitive", "condition")


def test_alice(folder: Path) -> None:
    code, told = run(*BOTH, "--know", "zip=13012", "--know", "age=28", "--method", "intersection")
    assert code == 0
    assert "Two releases together leave one possible value: AIDS." in told
    assert "In h1.csv 4 records fit, with AIDS, Heart Disease, Viral." in told


def test_as_json(folder: Path) -> None:
    done = CliRunner().invoke(app, ["attack", *BOTH, "--truth", "people.csv", "--json"])
    told = json.loads(done.stdout)
    names = [attack["attack"] for attack in told["attacks"]]
    assert {"homogeneity", "intersection"} <= set(names)
    together = told["attacks"][names.index("intersection")]
    assert together["found"]["guesses"] == 3
    assert together["detail"]["true_value_possible"] == 3
    assert 0 <= together["gain"] <= 1


def test_as_a_gate(folder: Path) -> None:
    asked = (*BOTH, "--truth", "people.csv", "--method", "intersection")
    assert run(*asked, "--at-most", "1")[0] == 0
    code, told = run(*asked, "--at-most", "0.01")
    assert code == 1
    assert "too much" in told


@pytest.mark.parametrize("share", ["nan", "-0.1", "1.5", "inf"])
def test_a_gate_that_would_let_everything_through(folder: Path, share: str) -> None:
    code, told = run(*BOTH, "--truth", "people.csv", "--at-most", share)
    assert code == 2
    assert "--at-most must be a share from 0 to 1" in told


def test_a_gate_before_an_attack_that_found_nobody(folder: Path) -> None:
    """Labels nobody can place would otherwise count as safe."""
    (folder / "nodes.csv").write_text("zip,condition\nthe north,AIDS\nthe south,flu\n")
    asked = ("nodes.csv", "--sensitive", "condition", "--truth", "people.csv")
    code, told = run(*asked, "--method", "intersection")
    assert code == 0
    assert "no published zip covers that of 3 of them" in told
    code, told = run(*asked, "--at-most", "0.5")
    assert code == 2
    assert "nobody who was looked for fits" in told


def test_part_of_the_people_cannot_be_placed(folder: Path) -> None:
    (folder / "part.csv").write_text("zip,condition\nthe north,AIDS\n130**,flu\n130**,AIDS\n")
    (folder / "four.csv").write_text((folder / "people.csv").read_text() + "99999,5,flu\n")
    code, told = run("part.csv", "--sensitive", "condition", "--truth", "four.csv",
                     "--method", "intersection")  # fmt: skip
    assert code == 0
    assert "no published zip covers that of 1 of them" in told


def test_releases_about_different_things(folder: Path) -> None:
    (folder / "pay.csv").write_text("zip,pay\n130**,9\n")
    code, told = run("h1.csv", "pay.csv", "--sensitive", "condition")
    assert code == 2
    assert "there is no column 'condition'" in told


def test_a_target_who_is_nowhere(folder: Path) -> None:
    code, told = run(*BOTH, "--know", "zip=99999", "--method", "intersection")
    assert code == 0
    assert "Nobody fits into a group of every release." in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("h1.csv",), "nothing says which columns of the release are sensitive"),
        (("h3.csv", "--sensitive", "condition"), "h3.csv"),
        (("h1.csv", "--sensitive", "conditions"), "Did you mean 'condition'?"),
        ((*BOTH, "--know", "28"), "--know needs column=value, not '28'"),
        (
            (*BOTH, "--know", "shoe=44", "--method", "intersection"),
            "no release has such a quasi-identifier",
        ),
        ((*BOTH, "--know", "age=28", "--know", "zpi=13012"), "Did you mean 'zip'?"),
        ((*BOTH, "--know", "age=28", "--taxonomy", "zpi=none.csv"), "none.csv"),
        ((*BOTH, "--quasi", "aeg"), "Did you mean 'age'?"),
        ((*BOTH, "--located", "far"), "It is box or nearest."),
        ((*BOTH, "--method", "intersektion"), "Did you mean 'intersection'?"),
        ((*BOTH, "--method", "intersection"), "cannot be tried with what was given"),
        ((*BOTH, "--method", "minimality", "--know", "l=two"), "l must be a number, not 'two'"),
        ((*BOTH, "--fuzzy", "age=much", "--register", "people.csv"), "by a number or a typo"),
        ((*BOTH, "--know", "age=28", "--taxonomy", "age=none.csv"), "none.csv"),
        ((*BOTH, "--of", "illness", "--know", "age=28"), "illness"),
        (("torn.csv", "--sensitive", "condition", "--know", "age=28"), "nobody can read '[20, 30'"),
    ],
)
def test_bad_input(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    (folder / "torn.csv").write_text('age,condition\n"[20, 30",flu\n')
    code, told = run(*arguments)
    assert code == 2, told
    assert says in told
    assert "Traceback" not in told


def test_a_chart(folder: Path) -> None:
    code, _ = run(*BOTH, "--truth", "people.csv", "--plot", "a.svg", "--quiet")
    assert code == 0
    assert "intersection" in (folder / "a.svg").read_text()
    code, told = run(*BOTH, "--truth", "people.csv", "--plot", "a.docx")
    assert code == 2
    assert "a.docx" in told
