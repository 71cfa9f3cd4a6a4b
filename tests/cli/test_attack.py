"""`hedgerow attack`, as a stranger types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
    asked = (*BOTH, "--know", "zip=13012", "--know", "age=28", "--method", "intersection")
    code, told = run(*asked)
    assert code == 1, "what she has is known for certain"
    assert "1 of 1 people are known for certain" in told
    assert run(*asked, "--certain-at-most", "1")[0] == 0
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
    asked = (*BOTH, "--truth", "people.csv", "--method", "intersection", "--certain-at-most", "1")
    assert run(*asked, "--at-most", "1")[0] == 0
    code, told = run(*asked, "--at-most", "0.01")
    assert code == 1
    assert "too much" in told


VIRUS = "age,virus\n" + "<30,positive\n" * 490 + ">=30,positive\n" * 10 + ">=30,negative\n" * 500
WARD = "age,virus\n" + "20,positive\n" * 490 + "40,positive\n" * 10 + "40,negative\n" * 500


@pytest.fixture
def virus(folder: Path) -> tuple[str, ...]:
    """490 of 1,000 people are in a group where everybody is positive."""
    (folder / "virus.csv").write_text(VIRUS)
    (folder / "ward.csv").write_text(WARD)
    return ("virus.csv", "--sensitive", "virus", "--truth", "ward.csv")


def attacks(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["attack", *arguments, "--json"])
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.parametrize("method", ["homogeneity", "background-knowledge", "intersection", "gdpr"])
def test_people_given_away_do_not_pass(virus: tuple[str, ...], method: str) -> None:
    code, told = attacks(*virus, "--method", method, "--at-most", "1")
    last = told["attacks"][-1]
    assert code == 1
    assert last["certain"] == {"people": 490, "of": 1000, "share": 0.49, "wrongly": 0}
    assert last["broken"] == [
        "490 of 1,000 people are known for certain (49.00 %), at most 0.00 % may be"
    ]
    assert last["worst_gain"] == 1
    assert attacks(*virus, "--method", method)[0] == 1, "without any option, too"


def test_three_bounds_each_by_itself(virus: tuple[str, ...]) -> None:
    asked = (*virus, "--method", "homogeneity", "--certain-at-most")
    assert attacks(*asked, "0.48")[0] == 1
    code, told = attacks(*asked, "0.49")
    assert code == 0
    assert told["bounds"] == {"at_most": None, "certain_at_most": 0.49, "worst_at_most": None}
    # 490 gain 1, 500 gain 2 * 50 / 51 - 1, ten gain nothing.
    assert told["attacks"][0]["gain"] == pytest.approx((490 + 500 * (100 / 51 - 1)) / 1000)
    assert attacks(*asked, "0.49", "--at-most", "0.97")[0] == 1
    assert attacks(*asked, "0.49", "--at-most", "0.98")[0] == 0
    code, told = attacks(*asked, "0.49", "--worst-at-most", "0.99")
    assert code == 1
    assert told["attacks"][0]["broken"] == [
        "the worst person's gain is 100.00 %, at most 99.00 % may be"
    ]
    assert attacks(*asked, "1", "--worst-at-most", "1", "--at-most", "1")[0] == 0


def test_bounds_are_printed(virus: tuple[str, ...]) -> None:
    code, told = run(*virus, "--method", "homogeneity", "--worst-at-most", "0.5")
    assert code == 1
    assert "allowed: gain without a bound, worst at most 50.0%, certain at most 0.00%" in told
    assert "homogeneity: the worst person's gain is 100.00 %, at most 50.00 % may be." in told
    assert "homogeneity: 490 of 1,000 people are known for certain" in told


def test_similarity_does_not_pass(folder: Path) -> None:
    """Lecture slide: a salary of 20 to 40 thousand, where the table has 20 to 100."""
    salaries = ["20", "30", "40", "50", "100", "70", "60", "80", "90"]
    rows = [f"{i // 3},{pay}" for i, pay in enumerate(salaries)]
    (folder / "pay.csv").write_text("age,pay\n" + "\n".join(rows) + "\n")
    code, told = attacks("pay.csv", "--sensitive", "pay", "--method", "similarity")
    assert (code, told["attacks"][0]["certain"]["people"]) == (1, 3)


def test_a_diverse_release_passes(folder: Path) -> None:
    rows = [f"{age},{ill}" for age in ("<30", ">=30") for ill in ("flu", "gout", "acne")]
    (folder / "diverse.csv").write_text("age,ill\n" + "\n".join(rows) + "\n")
    asked = ("diverse.csv", "--sensitive", "ill", "--at-most", "0", "--worst-at-most", "0")
    assert attacks(*asked)[0] == 0, "every group is like the table, whichever value is ruled out"


def test_attacks_are_named_by_their_column(folder: Path) -> None:
    (folder / "two.csv").write_text("age,ill,pay\n<30,flu,9\n<30,gout,8\n>=30,acne,9\n")
    code, told = run("two.csv", "--sensitive", "ill", "--sensitive", "pay")
    assert code == 1
    assert "homogeneity (ill): 1 of 3 people are known for certain" in told
    assert "homogeneity (pay)" in told
    assert "homogeneity (two.csv) 2" not in told
    _, told = run("two.csv", "two.csv", "--sensitive", "ill", "--method", "homogeneity")
    assert "homogeneity #2" in told


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
    assert code == 2
    assert "no published zip fits 3 of them" in told
    assert "nobody who was looked for fits" in told
    code, told = run(*asked, "--at-most", "1", "--certain-at-most", "1")
    assert code == 2
    assert "nobody who was looked for fits" in told
    code, told = run(*asked, "--method", "intersection", "--quiet")
    assert code == 2
    assert "nobody who was looked for fits" in told
    code, data = attacks(*asked, "--method", "intersection")
    assert code == 2
    assert "intersection: nobody who was looked for fits into the releases" in data["doubts"]


def test_part_of_the_people_cannot_be_placed(folder: Path) -> None:
    (folder / "part.csv").write_text("zip,condition\nthe north,AIDS\n130**,flu\n130**,AIDS\n")
    (folder / "four.csv").write_text((folder / "people.csv").read_text() + "99999,5,flu\n")
    code, told = run("part.csv", "--sensitive", "condition", "--truth", "four.csv",
                     "--method", "intersection")  # fmt: skip
    assert code == 2, "who could not be placed was not attacked"
    assert "no published zip fits 1 of them" in told


def test_releases_about_different_things(folder: Path) -> None:
    (folder / "pay.csv").write_text("zip,pay\n130**,9\n")
    code, told = run("h1.csv", "pay.csv", "--sensitive", "condition")
    assert code == 2
    assert "there is no column 'condition'" in told


def test_a_target_who_is_nowhere(folder: Path) -> None:
    code, told = run(*BOTH, "--know", "zip=99999", "--method", "intersection")
    assert code == 2
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
    assert code == 1, "four of twelve have cancer for certain"
    assert "intersection" in (folder / "a.svg").read_text()
    code, told = run(*BOTH, "--truth", "people.csv", "--plot", "a.docx")
    assert code == 2
    assert "a.docx" in told


def test_of_many_sensitive_columns_the_worst_of_each_attack_is_shown(folder: Path) -> None:
    names = [f"s{i}" for i in range(6)]
    # In s3 everybody of a group has one value; in the others nobody is known for certain.
    lines = [
        ",".join([f"{g}0-{g}9", *(f"v{g}" if name == "s3" else f"v{i % 2}" for name in names)])
        for g in (1, 2) for i in range(4)
    ]  # fmt: skip
    (folder / "six.csv").write_text("\n".join([",".join(["age", *names]), *lines]) + "\n")
    given = ["six.csv", *(part for name in names for part in ("--sensitive", name))]
    code, brief = run(*given)
    whole_code, whole = run(*given, "--all")
    assert (code, whole_code) == (1, 1)
    told = json.loads(run(*given, "--json")[1])
    one = "homogeneity"
    assert sum(result["attack"] == one for result in told["attacks"]) == 6
    assert f"{one} (s3)" in brief
    assert not any(f"{one} ({name}):" in brief for name in names if name != "s3")
    assert all(f"{one} ({name}):" in whole for name in names)
    left = len(told["attacks"]) - len({result["attack"] for result in told["attacks"]})
    assert f"{left} more results with --all or --json" in brief
    assert "more results" not in whole
    assert (
        brief.partition("too much is given away")[2] == whole.partition("too much is given away")[2]
    )
    assert "known for certain" in brief.partition("too much is given away")[2]
