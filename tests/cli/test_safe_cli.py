"""The commands on a safe release: what people and programs see, and kill -9 at each step."""

from __future__ import annotations

import json
import os
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
  age: {role: quasi-identifier, bounds: [0, 99], step: 1, hierarchy: {ranges: [10, 50]}}
  sex: {role: quasi-identifier, domain: [F, M], levels: [0, 0]}
privacy: add-remove
method: {search: safe, beta: 0.8, epsilon: 1, delta: 1e-6}
publish: {to: out}
"""


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    rows = [f"{i % 100},{'FM'[i % 2]}" for i in range(3000)]
    Path("people.csv").write_text("age,sex\n" + "\n".join(rows) + "\n", "utf-8")
    Path("plan.yaml").write_text(PLAN, "utf-8")
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=4, delta="1e-5"))
    return tmp_path


def test_what_people_see(town: Path) -> None:
    done = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    for words in (
        "each of at least 138", "Everybody in the table was drawn with probability 0.8",
        "by one choice at epsilon 0.1 among 4 combinations",
        "not published, and not to be told: how many people were drawn, or were left out",
        "cost: (1, 1e-6)-differential privacy, charged as epsilon 1, delta 1e-6",
        "protects: add-remove", "1 of 4 spent", "release: out",
    ):  # fmt: skip
        assert words in text, words
    assert "3,000" not in text
    again = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert "Published before" in again.stdout
    assert "charged" not in again.stdout
    quiet = CliRunner().invoke(app, ["publish", "plan.yaml", "-q"])
    assert (quiet.exit_code, quiet.output) == (0, "")


def test_one_object(town: Path) -> None:
    told = json.loads(CliRunner().invoke(app, ["publish", "plan.yaml", "--json"]).stdout)
    assert set(told) == {
        "release", "rows", "groups", "k", "levels", "claim", "sampling", "choice", "public",
        "spent", "left", "notes", "again",
    }  # fmt: skip
    assert (told["k"], told["left"]) == (138, {"epsilon": "3", "delta": "9e-6"})
    anew = ["publish", "plan.yaml", "--json", "--anew", "--to", "next"]
    other = json.loads(CliRunner().invoke(app, anew).stdout)
    assert (other["again"], other["left"]["epsilon"]) == (False, "2")


def test_levels_from_public_data_and_a_k_that_cannot_be(town: Path) -> None:
    rows = [f"{i % 100},{'FM'[i // 100 % 2]}" for i in range(6000)]
    Path("other.csv").write_text("age,sex\n" + "\n".join(rows) + "\n", "utf-8")
    public = PLAN.replace("delta: 1e-6}", "delta: 1e-6, levels_from: other.csv}")
    Path("public.yaml").write_text(public, "utf-8")
    done = CliRunner().invoke(app, ["publish", "public.yaml"])
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert "levels: the best for other.csv (SHA-256 " in text
    assert "which costs nothing. The publisher states that this table is public and has" in text
    assert "has none of these people; this is not checked" in text
    assert CliRunner().invoke(app, ["verify", "out", "--plan", "public.yaml"]).exit_code == 0
    small = PLAN.replace("delta: 1e-6}", "delta: 1e-6, k: 20}")
    Path("small.yaml").write_text(small, "utf-8")
    done = CliRunner().invoke(app, ["publish", "small.yaml", "--to", "small"])
    assert done.exit_code == 2
    text = " ".join(done.output.split())
    assert "small.yaml:8: with k = 20 and 0.8 of all people drawn, delta is at least" in text
    assert "beta^k = 0.0115" in text
    assert not Path("small").exists()


def empty_release(folder: Path, rows: list[str], plan: str, k: int = 100_000) -> tuple[str, ...]:
    """All that publishing shows: what is printed, as text and JSON, and every file but the ledger.

    Digests of the ledger are of the time too, and are left out.
    """
    folder.mkdir()
    (folder / "people.csv").write_text("\n".join(["age,sex", *rows, ""]), "utf-8")
    asked = plan.replace("delta: 1e-6}", f"delta: 1e-6, k: {k}}}")
    (folder / "plan.yaml").write_text(asked, "utf-8")
    with Ledger.open(folder / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=4, delta="1e-5"))
    os.chdir(folder)
    shown = [CliRunner().invoke(app, ["publish", "plan.yaml", *o]) for o in ([], ["--json"])]
    assert {one.exit_code for one in shown} == {0}, shown[0].output
    certificate = json.loads(Path("out/certificate.json").read_text("utf-8"))
    del certificate["ledger"]
    del certificate["files"]["report.html"]  # which has the ledger's digests too
    texts = [one.output for one in shown]
    return (*texts, Path("out/data.csv").read_text("utf-8"), json.dumps(certificate))


def test_an_empty_release_says_so_and_nothing_about_the_people(town: Path) -> None:
    none = empty_release(town / "none", [], PLAN)
    text = " ".join(none[0].split())
    for words in (
        "Nobody is in this release: no group had 100,000 people who were drawn",
        "with k = 100,000 and 0.8 of all people drawn, a group of 125,000 people is published at "
        "least every other time",
        "The plan asks for k = 100,000; 138 would keep (1, 1e-6)-differential privacy.",
        "Another release costs its own price; this one stays paid.",
    ):
        assert words in text, words
    assert "rows:" not in text
    assert json.loads(none[1])["notes"][0].startswith("Nobody is in this release")


def test_an_empty_release_is_the_same_whoever_is_in_the_table(town: Path) -> None:
    # Which levels are chosen is drawn by lot; here they are fixed.
    plan = PLAN.replace("[10, 50]}}", "[10, 50]}, levels: [1, 1]}")
    one = empty_release(town / "one", ["31,F"], plan)
    many = empty_release(town / "many", [f"{i % 100},M" for i in range(4000)], plan)
    assert one == many
    least = empty_release(town / "least", ["31,F"], plan, k=135)
    assert "135 is the smallest k that keeps (1, 1e-6)" in " ".join(least[0].split())


def test_verify_and_attack(town: Path) -> None:
    assert CliRunner().invoke(app, ["publish", "plan.yaml", "-q"]).exit_code == 0
    done = CliRunner().invoke(app, ["verify", "out", "--plan", "plan.yaml"])
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert "if 0.8 of the people were drawn, k = 138 keeps (1, 1e-6)" in text
    assert "nobody can see from a result that people were drawn as stated" in text
    assert CliRunner().invoke(app, ["verify", "out", "--strict"]).exit_code == 1
    attacked = CliRunner().invoke(app, ["attack", "out", "--json"])
    assert attacked.exit_code == 2
    assert "of a random sample" in json.loads(attacked.stdout)["error"]["what"]
    lines = Path("out/data.csv").read_text("utf-8").splitlines(keepends=True)
    Path("out/data.csv").write_text("".join(lines[:50]), "utf-8")
    assert CliRunner().invoke(app, ["verify", "out"]).exit_code == 1


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
        assert position.spent == Amounts.of(epsilon=1, delta="1e-6"), "charged before it is read"
        assert (position.releases, position.reserved_open) == ((0, 1) if lost else (1, 0))
    assert Path("out").exists() == (fault == "delivered")
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["again"] is not lost
    assert hedgerow.verify("out").refuted == ()
    with Ledger.open("ledger.db") as ledger:
        spent = Amounts.of(epsilon=2, delta="2e-6") if lost else Amounts.of(epsilon=1, delta="1e-6")
        assert ledger.budget("town").spent == spent
    assert sorted(path.name for path in town.iterdir()) == sorted(
        ["ledger.db", "out", "out.internal.html", "people.csv", "plan.yaml"]
    )


# explain sampling


DOCS = Path(__file__).resolve().parents[2] / "docs"


def explained(*options: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["explain", "sampling", *options])
    assert done.exit_code == code, done.output
    return done.stdout if not code else done.stderr


def test_explain_sampling_as_it_is_documented() -> None:
    documented = (DOCS / "commands.md").read_text("utf-8")
    part = documented.partition("## `hedgerow explain sampling`")[2].partition("\n## ")[0]
    told = explained("--beta", "0.85", "--epsilon", "1", "--k", "150")
    shown = part.partition("$ hedgerow explain sampling --beta 0.85 --epsilon 1 --k 150\n")[2]
    lines = [line.rstrip() for line in told.splitlines()]
    for line in shown.partition("\n```")[0].splitlines():
        assert line in (*lines, "..."), line
    given = json.loads(explained("--beta", "0.85", "--epsilon", "1", "--k", "150", "--json"))
    stated = json.loads(part.rpartition("```json\n")[2].partition("\n```")[0])
    assert set(stated) == set(given)
    for key in ("beta", "epsilon", "delta", "on_sample", "groups", "given"):
        assert stated[key] == given[key], key


def test_explain_sampling_says_what_cannot_be() -> None:
    # FACTS: Theorem 1 backwards, 2.44 on the sample for 0.1 on a 1 % sample.
    assert "may lose epsilon 2.443" in " ".join(
        explained("--beta", "0.01", "--epsilon", "0.1").split()
    )
    told = " ".join(explained("--beta", "0.1", "--epsilon", "1", "--k", "5", code=2).split())
    assert "delta is at least beta^k = 0.00001 (all 5 of a group are drawn)" in told
    assert "asked for was 1e-06" in told
    assert "Take k = 6 or more" in told
    told = " ".join(explained("--beta", "0.1", "--epsilon", "1", "--k", "6").split())
    assert "theorem it would be 9" in told
    told = " ".join(explained("--beta", "0.999", "--epsilon", "0.001").split())
    assert "No k up to 100,000" in told
    assert "theorem is silent" in told
    for wrong, words in (
        (("--beta", "1", "--epsilon", "1"), "beta"),
        (("--beta", "0.5", "--epsilon", "0"), "epsilon"),
        (("--beta", "0.5", "--epsilon", "1000"), "at most 100"),
        (("--beta", "0.5", "--epsilon", "1", "--k", "0"), "k"),
        (("--beta", "0.5", "--epsilon", "1", "--k", "200000"), "100,000"),
        (("--beta", "0.5", "--epsilon", "1", "--plot", "k.pdf"), "k.pdf"),
    ):
        assert words in explained(*wrong, code=2)


def test_explain_sampling_draws(tmp_path: Path) -> None:
    file = tmp_path / "k.svg"
    explained("--beta", "0.5", "--epsilon", "1", "--plot", str(file), "-q")
    assert "smallest k" in file.read_text("utf-8")
