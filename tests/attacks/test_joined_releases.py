"""Releases are attacked together: records are joined on what they show, or a doubt says not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.gain_bounds import doubts
from hedgerow.attacks.suite import attack
from hedgerow.claims import joins
from hedgerow.cli import app

PEOPLE = """name,sex,old,ill,bill
Ann,F,y,flu,1
Bea,F,n,gout,2
Cat,F,n,acne,3
Dan,M,y,gout,3
Eli,M,n,flu,2
Fin,M,n,acne,1
"""
"""By sex everybody has flu, gout or acne; by age Ann has flu or gout. With the bill, flu: the gout
of the old has another bill than that of women. Dan has gout, likewise; the others keep two."""
QI = "quasi-identifier"
SUPPRESSED = {"role": QI, "levels": [1, 1]}
KEPT = {"role": QI, "levels": [0, 0]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(PEOPLE, "utf-8")
    return tmp_path


def publish(folder: Path, to: str, by: str, **roles: Any) -> Path:
    """A release of the table in groups by one column, the other is suppressed."""
    columns = {"name": "identifier", "sex": SUPPRESSED, "old": SUPPRESSED, "ill": "sensitive"}
    columns |= {by: KEPT, "bill": "insensitive", **roles}
    plan = hedgerow.Plan.of(
        columns=columns, protect=[{"k-anonymity": 2}], source=folder / "t.csv",
        one_row_per_person=True, publish={"to": str(folder / to)},
    )  # fmt: skip
    hedgerow.publish(plan)
    return folder / to


def tried(releases: list[Path], folder: Path, *methods: str, **more: Any) -> AttackResult:
    register = [str(folder / "t.csv")] * 2
    (result,) = attack(releases, register=register, methods=list(methods), of="ill", **more)
    return result


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_records_are_joined_on_what_both_show(folder: Path, role: str) -> None:
    both = [publish(folder, "one", "sex", bill=role), publish(folder, "two", "old", bill=role)]
    found = tried(both, folder, "sequential")
    assert found.found.successes == 2
    assert found.gains is not None
    assert found.gains.certain == 2
    told = [s for s in found.sentences if s.startswith("The person with name")]
    assert told == ["The person with name Ann: flu.", "The person with name Dan: gout."]
    assert "Records were joined on 'bill', which several releases show as it is." in found.sentences
    assert found.detail["joined_on"] == ["bill"]
    assert doubts([found]) == []


def test_releases_that_share_no_other_column(folder: Path) -> None:
    both = [publish(folder, "one", "sex"), publish(folder, "two", "old", bill="identifier")]
    found = tried(both, folder, "sequential")
    assert (found.found.successes, found.detail["joined_on"]) == (0, [])
    assert doubts([found]) == []
    assert doubts([tried(both, folder, "intersection")]) == []


def test_files_of_other_tools_are_joined_too(folder: Path) -> None:
    one, two = (folder / f"{name}.csv" for name in ("one", "two"))
    rows = [line.split(",") for line in PEOPLE.splitlines()]
    one.write_text("\n".join(f"{sex},{ill},{bill}" for _, sex, _, ill, bill in rows), "utf-8")
    two.write_text("\n".join(f"{old},{ill},{bill}" for _, _, old, ill, bill in rows), "utf-8")
    found = tried([one, two], folder, "sequential", sensitive=["ill"], quasi=["sex", "old"])
    assert found.found.successes == 2


def test_what_is_too_large_to_join_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = [publish(folder, "one", "sex"), publish(folder, "two", "old")]
    monkeypatch.setattr(joins, "MOST", 20)
    found = tried(both, folder, "sequential")
    assert found.found.successes == 0
    (why,) = doubts([found])
    assert why.startswith("not tried: joining records on 'bill', which several releases show: 6 pe")


def test_a_bill_that_changed_hides_nobody(folder: Path) -> None:
    """All bills are others a year later: nothing is joined, and that is a doubt."""
    first = publish(folder, "one", "sex")
    changed = PEOPLE
    for bill in "123":
        changed = changed.replace(f",{bill}\n", f",{bill}0\n")
    (folder / "t.csv").write_text(changed, "utf-8")
    found = tried([first, publish(folder, "two", "old")], folder, "sequential")
    assert (found.found.guesses, found.detail["contradictions"]) == (6, 0)
    assert found.detail["not_joined"] == 6
    assert doubts([found]) == [
        "sequential: the records of 6 of 6 people cannot be joined on 'bill'"
    ]


def test_the_intersection_says_that_it_does_not_join(folder: Path) -> None:
    both = [publish(folder, "one", "sex"), publish(folder, "two", "old")]
    found = tried(both, folder, "intersection")
    assert found.sentences[-1] == (
        "Not tried: joining records on 'bill', which several releases show."
    )
    assert doubts([found]) == ["not tried: joining records on 'bill', which several releases show"]
    results = attack(both, truth=str(folder / "t.csv"), methods=["intersection", "sequential"],
                     of="ill")  # fmt: skip
    assert doubts(results) == [], "the other attack joins"
    assert [r.found.successes for r in results if r.attack == "sequential"] == [2]


@pytest.mark.parametrize("method", ["intersection", "sequential"])
def test_a_quasi_identifier_that_another_release_shows(folder: Path, method: str) -> None:
    """Nothing here joins what is generalised in one release with what is not in another."""
    both = [publish(folder, "one", "sex", old="insensitive"), publish(folder, "two", "old")]
    (why,) = doubts([tried(both, folder, method)])
    assert why.startswith("not tried: joining records on ")
    assert "'old'" in why
    hidden = publish(folder, "three", "sex", bill="identifier")
    assert doubts([tried([both[0], hidden], folder, method)]) == [], "it is suppressed there"


def run(*arguments: str) -> tuple[int, str, Any]:
    done = CliRunner().invoke(app, ["attack", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    said = CliRunner().invoke(app, ["attack", *arguments, "--json"])
    return done.exit_code, " ".join(done.output.split()), json.loads(said.stdout)


def test_the_command(folder: Path) -> None:
    both = [str(publish(folder, "one", "sex")), str(publish(folder, "two", "old"))]
    table = str(folder / "t.csv")
    lists = ["--register", table, "--register", table]
    code, text, _ = run(*both, *lists, "--method", "sequential")
    assert code == 1
    assert "leave 2 of 6 people one possible ill" in text
    code, text, told = run(*both, *lists, "--method", "intersection")
    assert code == 2
    assert "not tried: joining records on 'bill', which several releases show." in text
    assert told["doubts"] == ["not tried: joining records on 'bill', which several releases show"]


def test_the_plan_says_whom_to_follow(folder: Path) -> None:
    both = [str(publish(folder, "one", "sex")), str(publish(folder, "two", "old"))]
    plan = folder / "plan.yaml"
    plan.write_text(
        "source: t.csv\ncolumns: {name: identifier, sex: quasi-identifier, old: quasi-identifier, "
        "ill: sensitive, bill: insensitive}\nprotect: [{k-anonymity: 2}]\n",
        "utf-8",
    )
    code, _, told = run(*both, "--plan", str(plan))
    assert code == 1
    assert [one["certain"]["people"] for one in told["attacks"] if one["attack"] == "sequential"] \
        == [2]  # fmt: skip
    assert told["doubts"] == []
    _, _, told = run(both[0], "--plan", str(plan))
    assert "sequential" not in {one["attack"] for one in told["attacks"]}


def test_several_releases_and_nobody_to_look_for(folder: Path) -> None:
    both = [str(publish(folder, "one", "sex")), str(publish(folder, "two", "old"))]
    anything = ("--certain-at-most", "1")  # groups of two give somebody away by themselves
    code, text, told = run(*both, *anything)
    assert code == 2
    assert "Several were given, and nobody to look for in them: say --truth or --register." in text
    assert len(told["doubts"]) == 1
    assert run(both[0], *anything)[0] == 0
