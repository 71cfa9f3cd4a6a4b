"""`hedgerow query` as a steward meets it."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.cli import app
from hedgerow.ledger import Amounts, Ledger

PLAN = """\
population: town
ledger: ledger.db
source: people.csv
privacy: {neighbours: add-remove}
columns:
  age: {role: quasi-identifier, bounds: [0, 100], step: 1}
  sex: {role: quasi-identifier, domain: [F, M, null]}
  ill: {role: sensitive, domain: [flu, gout]}
  job: {role: insensitive}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    rows = [f"{i % 90},{'FM'[i % 2]},{('flu', 'gout')[i % 2]},clerk" for i in range(400)]
    (tmp_path / "people.csv").write_text("age,sex,ill,job\n" + "\n".join(rows) + "\n", "utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=100, delta="1e-3", rho=10))
    return tmp_path


def run(*command: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, ["query", "plan.yaml", *command])
    assert done.exit_code == code, done.output
    assert "\x1b" not in done.output
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done


def told(*command: str, code: int = 0) -> Any:
    done = run(*command, "--json", code=code)
    assert done.stdout.count("\n") == 1, "exactly one JSON object"
    return json.loads(done.stdout)


def spends(folder: Path) -> list[str]:
    with Ledger.open(folder / "ledger.db") as ledger:
        return [str(entry.spend) for entry in ledger.entries() if entry.spend]


def test_a_count() -> None:
    shown = run("--count", "--where", "age >= 40", "--by", "ill", "--epsilon", "1").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.startswith("how many people by ill, where age >= 40\n")
    assert re.search(r"^ill +count +low +high$", shown, re.M)
    assert re.search(r"^flu +-?[\d,]+ +[\d,]+ +[\d,]+$", shown, re.M)
    flat = " ".join(shown.split())
    assert "noise on each count: discrete Laplace, scale 1; one person changes one of them" in flat
    assert "cost: 1-differential privacy, charged as epsilon 1" in flat
    assert "protects: add-remove: one person in the table or not, with one row" in flat
    assert "budget of town: epsilon" in flat
    assert "1 of 100 spent" in flat
    again = run("--count", "--where", "age>=40.0", "--by", "ill", "--epsilon", "1.0").stdout
    assert "answered before: the same answer, for nothing" in " ".join(again.split())
    assert re.findall(r"^(?:flu|gout).*$", shown, re.M) == re.findall(
        r"^(?:flu|gout).*$", again, re.M
    )


QUESTIONS: list[tuple[list[str], int]] = [
    (["--count", "--rho", "0.1"], 1),
    (["--count", "--rows", "--by", "sex", "--by", "age:50", "--epsilon", "1"], 9),
    (["--count", "--by", "job", "--epsilon", "1", "--delta", "1e-6"], 1),
    (["--sum", "age", "--epsilon", "1"], 1),
    (["--mean", "age", "--by", "sex", "--epsilon", "1"], 3),
    (["--variance", "age", "--rho", "1"], 1),
    (["--median", "age", "--epsilon", "1"], 1),
    (["--quantiles", "age", "--at", "0.1, 0.9", "--epsilon", "1"], 2),
    (["--histogram", "age:10", "--epsilon", "1"], 11),
    (["--most-frequent", "ill", "--top", "2", "--epsilon", "1"], 2),
    (["--table", "sex, ill", "--epsilon", "1"], 6),
    (["--marginals", "3", "--epsilon", "1"], 606),
    (["--ranges", "age:10", "--epsilon", "1"], 11),
]


@pytest.mark.parametrize(("command", "lines"), QUESTIONS, ids=lambda c: str(c))
def test_every_question(folder: Path, command: list[str], lines: int) -> None:
    found = told(*command)
    (table,) = found["tables"]
    assert {len(column) for _, column in table["columns"]} == {lines}
    assert found["spent"]
    assert found["loss"]
    assert found["noise"]
    assert found["neighbours"]
    assert found["again"] is False
    assert found["ledger"]["seq"] == 2
    assert len(spends(folder)) == 1
    quiet = CliRunner().invoke(app, ["query", "plan.yaml", *command, "--quiet"])
    assert (quiet.exit_code, quiet.output) == (0, "")
    before = spends(folder)
    preview = told(*command, "--preview", "--people", "50", code=2 if "job" in command else 0)
    assert "error" in preview or preview["spends"] == found["spent"]
    assert spends(folder) == before, "a preview and a replay cost nothing"


def test_ranges_tell_what_is_between() -> None:
    found = told("--ranges", "age", "--between", "0,50", "--between", "-3, 1000", "--epsilon", "1")
    (_, _, count, low, high), (_, _, everything, *_) = found["between"]
    assert low <= max(count, 0) <= high
    assert abs(everything - 400) < 200
    shown = run("--ranges", "age", "--between", "0,50", "--epsilon", "1").stdout
    assert re.search(r"^from 0 up to 50: [\d,.]+ \([\d,.]+ to [\d,.]+\)$", shown, re.M)


def test_ranges_tell_the_ends_they_counted() -> None:
    command = ["--ranges", "age:10", "--between", "15,38.5", "--between", "20,30", "--epsilon", "1"]
    shown = run(*command).stdout
    assert re.search(r"^from 10 up to 40: ", shown, re.M)
    assert re.search(r"^from 20 up to 30: ", shown, re.M)
    assert [one[:2] for one in told(*command)["between"]] == [[10.0, 40.0], [20.0, 30.0]]


def test_answers_in_files(folder: Path) -> None:
    run("--count", "--by", "sex", "--epsilon", "1", "--to", "answer.csv")
    with (folder / "answer.csv").open(encoding="utf-8") as lines:
        read = list(csv.DictReader(lines))
    assert [line["sex"] for line in read] == ["F", "M", ""]
    run("--count", "--by", "sex", "--epsilon", "1", "--to", "answer.json")
    whole = json.loads((folder / "answer.json").read_text("utf-8"))
    assert whole["tables"][0]["columns"][1][1] == [int(line["count"]) for line in read]
    assert (folder / "answer.csv").stat().st_mode & 0o111 == 0
    assert not list(folder.glob(".hedgerow-*"))
    assert len(spends(folder)) == 1


def test_a_preview_spends_nothing_and_needs_no_ledger(folder: Path) -> None:
    Path("plan.yaml").write_text(PLAN.replace("ledger: ledger.db\n", ""), "utf-8")
    Path("people.csv").unlink()
    shown = run("--mean", "age", "--by", "sex", "--epsilon", "1", "--preview").stdout
    assert "nothing was spent or looked at" in " ".join(shown.split())
    assert "would cost: 1-differential privacy" in shown
    Path("like.csv").write_text("age,sex\n1,F\n2,M\n", "utf-8")
    shown = run("--count", "--by", "sex", "--epsilon", "1", "--preview", "--public", "like.csv")
    assert "the table you call public" in " ".join(shown.stdout.split())
    assert spends(folder) == []


def test_a_preview_shows_nothing_of_the_plans_own_source(folder: Path) -> None:
    command = ("--count", "--epsilon", "1", "--preview", "--public")
    Path("link.csv").symlink_to("people.csv")
    for same in ("people.csv", "./people.csv", str(folder / "people.csv"), "link.csv"):
        done = run(*command, same, code=2)
        assert "this is the plan's own source" in done.stderr
        assert done.stdout == ""
    table = pa.table({"age": [1, 2], "sex": ["F", "M"]})
    pq.write_table(table, "a.parquet")
    columns = {"age": {"role": "insensitive", "bounds": [0, 9]}, "sex": "insensitive"}
    given = {"columns": columns, "privacy": "add-remove", "population": "town"}
    plan = hedgerow.Plan.of(source=folder / "*.parquet", **given)
    for asked, like in (
        (hedgerow.session(plan), "a.parquet"),
        (hedgerow.session(table, **given), table),
    ):
        with asked as session, pytest.raises(hedgerow.PlanError, match="own source"):
            session.preview(public=like).count(epsilon=1)


WRONG: list[tuple[list[str], str, str]] = [
    ([], "nothing is asked", "--count, --sum age"),
    (["--count", "--sum", "age"], "are 2 questions", "one at a time"),
    (["--count", "--by", "job"], "plan.yaml:9: the plan has no domain for 'job'", "give a delta"),
    (["--sum", "job"], "plan.yaml:9: the plan has no bounds for 'job'", "bounds: [0, 120]"),
    (["--sum", "agee"], "there is no column 'agee'", "Did you mean 'age'?"),
    (["--count", "--where", "agee > 1"], "there is no column 'agee'", "Did you mean age?"),
    (["--count", "--where", "age >"], "character 6", "Write for example"),
    (["--count", "--where", "age = old"], "in quotes", "'old'"),
    (["--count", "--by", "age:x"], "'x' is no width of cells", "age:10"),
    (["--count", "--by", "sex", "--by", "sex"], "'sex' is named twice", "once"),
    (["--mean", "age", "--rows"], "--rows has no meaning for --mean", "Leave it out"),
    (["--histogram", "age", "--by", "sex"], "--by has no meaning for --histogram", "--table"),
    (["--count", "--between", "1,2"], "--between goes with --ranges", "--where"),
    (["--ranges", "age", "--between", "5"], "'5' is no range", "40,60"),
    (["--ranges", "age", "--between", "z,9"], "'z,9' is no range", "40,60"),
    (["--ranges", "age", "--between", "9,5"], "'9,5' is no range", "40,60"),
    (["--median", "age", "--at", "0.9"], "--at goes with --quantiles", "--quantiles age --at"),
    (["--count", "--by", "ill", "--top", "0"], "--top goes with --most-frequent", "Leave it out"),
    (["--count", "--columns", "age"], "--columns goes with --marginals", "Leave it out"),
    (["--count", "--people", "1000"], "--people goes with --preview", "add --preview"),
    (["--count", "--public", "there.csv"], "--public goes with --preview", "add --preview"),
    (["--count", "--delta", "0.9"], "one in a thousand people outright", "1e-6"),
    (["--count", "--delta", "0"], "delta must be above 0", "delta=1e-6"),
    (["--count", "--delta", "x"], "delta must be a finite number", "delta=1e-6"),
    (["--marginals", "2", "--to", "new.csv"], "holds one table", "--table"),
    (["--quantiles", "age", "--at", "0.5,1.5"], "must be under 1", ""),
    (["--quantiles", "age", "--at", "half"], "must be a finite number", ""),
    (["--most-frequent", "ill", "--top", "3"], "only 2", ""),
    (["--most-frequent", "ill", "--top", "0"], "at least 1", ""),
    (["--marginals", "7"], "there are no 7 columns", ""),
    (["--count", "--to", "plan.yaml"], "no kind of file for an answer", ".csv or .json"),
    (["--count", "--to", "there.csv"], "is there already", "another name"),
    (["--count", "--to", "absent/a.csv"], "folder", "Make the folder first"),
    (["--count", "--memory", "lots"], "'lots' is not an amount of memory", "4GB"),
    (["--count", "--ledger", "absent/l.db"], "no folder", "Make the folder first"),
    (["--count", "--preview", "--people", "0"], "at least 1", ""),
    (["--count", "--preview", "--public", "absent.csv"], "no such file", ""),
    (["--count", "--delta", "1"], "delta must be under 1", "1e-6"),
    (["--count", "--rho", "1"], "either epsilon or rho", "rho 0.01"),
]


@pytest.mark.parametrize(("command", "what", "fix"), WRONG, ids=lambda c: " ".join(c))
def test_what_goes_wrong(folder: Path, command: list[str], what: str, fix: str) -> None:
    (folder / "there.csv").touch()
    done = run(*command, "--epsilon", "1", code=2)
    assert done.stdout == ""
    assert done.stderr.startswith("hedgerow query: ")
    assert done.stderr.count("\n") <= 3
    assert what in done.stderr
    assert fix in done.stderr
    found = told(*command, "--epsilon", "1", code=2)["error"]
    assert set(found) == {"kind", "what", "where", "fix"}
    assert what in f"{found['where']}: {found['what']}" or what in found["what"]
    assert spends(folder) == [], "what goes wrong is not paid for"
    assert (folder / "there.csv").read_bytes() == b""


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "1e-30", "1e30", "1e400", "", "x"])
def test_prices_that_are_none(folder: Path, epsilon: str) -> None:
    for name in ("--epsilon", "--rho"):
        assert name[2:] in run("--count", name, epsilon, code=2).stderr
    assert spends(folder) == []


@pytest.mark.parametrize(
    ("gone", "wanted"),
    [
        ("population: town\n", "population: a-name"),
        ("ledger: ledger.db\n", "--ledger"),
        ("privacy: {neighbours: add-remove}\n", "privacy: {neighbours: add-remove}"),
        ("source: people.csv\n", "source"),
    ],
)
def test_a_plan_that_does_not_say_enough(folder: Path, gone: str, wanted: str) -> None:
    Path("plan.yaml").write_text(PLAN.replace(gone, ""), "utf-8")
    assert wanted in run("--count", "--epsilon", "1", code=2).stderr
    assert spends(folder) == []


def test_budgets(folder: Path) -> None:
    done = run("--count", "--epsilon", "101", code=1)
    assert "of the budget of 'town'" in done.stderr
    assert "epsilon 100" in done.stderr
    assert told("--count", "--epsilon", "101", code=1)["error"]["kind"] == "BudgetError"
    Path("plan.yaml").write_text(PLAN.replace("town", "village"), "utf-8")
    done = run("--count", "--epsilon", "1", code=2)
    assert "has no budget" in done.stderr
    assert "hedgerow ledger budget 'village' --set 'epsilon=1' --ledger ledger.db" in done.stderr
    assert spends(folder) == []


def test_an_error_of_the_budget_says_what_to_set(folder: Path) -> None:
    """A budget that is enough: what it says is set, and the question is answered."""
    with Ledger.open(folder / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=100))
    run("--count", "--epsilon", "60")
    for price, advice in [
        (["--epsilon", "41"], "--set 'epsilon=101'"),
        (["--by", "job", "--epsilon", "1", "--delta", "1e-6"], "'epsilon=100, delta=1e-5'"),
    ]:
        refused = run("--count", *price, code=1).stderr
        assert f"{advice} --ledger" in " ".join(refused.split())
    (setting,) = re.findall(r"--set '(.*?)'", refused)
    with Ledger.open(folder / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.read(setting, rounding="down"))
    run("--count", *price)


def test_a_column_the_data_lack(folder: Path) -> None:
    Path("people.csv").write_text("age,sex\n1,F\n", "utf-8")
    assert "ill" in run("--count", "--epsilon", "1", code=2).stderr
    Path("people.csv").unlink()
    assert "no such file" in run("--count", "--epsilon", "1", code=2).stderr
    assert spends(folder) == []


def test_names_that_steer_a_terminal(folder: Path) -> None:
    """Values of the data that are told are written out, not obeyed."""
    rows = "\n".join("1,F,flu,\x1b[31mred" for _ in range(300))
    Path("people.csv").write_text(f"age,sex,ill,job\n{rows}\n", "utf-8")
    shown = run("--count", "--by", "job", "--epsilon", "1", "--delta", "1e-6").stdout
    assert "x1b[31mred" in shown


def test_the_command_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "hedgerow", "query", "plan.yaml", "--mean", "age",
         "--epsilon", "1", "--json"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["words"] == "the mean of age"


@pytest.fixture
def policy(folder: Path) -> str:
    """What the policy of the plan is called."""
    plan = PLAN.replace("add-remove", "change-one").replace(
        "[0, 100], step: 1", "[0, 20000], step: 1"
    )
    rest = "policy:\n  age: {within: 5000}\n  ill: {partition: {a: [flu], b: [gout]}}\n"
    (folder / "plan.yaml").write_text(plan + rest, "utf-8")
    name: str = hedgerow.explain_policy("plan.yaml").stated.name
    return name


@pytest.mark.parametrize("preview", [False, True])
def test_what_a_policy_leaves_open_is_said_before_the_numbers(policy: str, preview: bool) -> None:
    shown = run("--sum", "age", "--epsilon", "0.5", *["--preview"] * preview).stdout
    flat = " ".join(shown.split())
    first = r"^ *typical size" if preview else r"^ *sum +low +high$"
    table = re.search(first, shown, re.M)
    assert table is not None
    above, below = shown[: table.start()], " ".join(shown[table.end() :].split())
    assert "Not protected: how many rows there are." in above
    assert "Not protected: anything about ill. It may be published exactly." in above
    assert "Not protected" not in below
    # An edge is 5,000 years of age, and 20,000 are four of them: e^0.5 and e^2, rounded up.
    assert "values of age at most 5,000" in below
    assert "by a factor of 1.65" in below
    assert "7.39 for the 4 that are always enough" in below
    assert "scale 10,000;" in flat
    if not preview:
        assert f"0.5 of 100 spent under policy {policy}" in flat


def test_an_exact_answer_says_so_first(policy: str) -> None:
    shown = run("--count", "--by", "ill", "--epsilon", "1").stdout
    lines = shown.splitlines()
    assert lines[1].startswith("EXACT, without any noise")
    found = told("--count", "--by", "ill", "--epsilon", "1")
    kept = [note for note in found["notes"] if note.startswith("Protected")]
    assert any("at most 5,000" in note for note in kept)
    assert all(note.endswith(": this answer is the same for either.") for note in kept)


def test_other_losses_have_no_factors(policy: str) -> None:
    found = told("--count", "--by", "sex", "--rho", "0.1")
    assert found["policy"].startswith(policy)
    assert len(found["policy"]) == 64
    notes = " ".join(found["notes"])
    assert "at most 5,000" in notes
    assert "apart, at the loss this answer names." in notes
    assert "factor" not in notes
    assert "e^" not in notes


def test_without_a_policy_nothing_is_said_of_one() -> None:
    found = told("--count", "--epsilon", "1")
    assert found["policy"] is None
    assert not [note for note in found["notes"] if "rotected" in note]
    assert "policy" not in run("--count", "--epsilon", "1").stdout
