"""A session charges first and remembers: whatever happens, nothing is spent twice or for less."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import forked
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.base.errors import HedgerowError, PlanError, TargetError
from hedgerow.cli import app
from hedgerow.engines.duckdb import DuckDBEngine
from hedgerow.engines.instance import Shared
from hedgerow.ledger import Amounts, BudgetError, Ledger
from hedgerow.ledger.entry import EntryKind

PLAN = """\
population: town
ledger: ledger.db
source: people.csv
privacy: {neighbours: add-remove}
columns:
  age: {role: quasi-identifier, bounds: [0, 100], step: 1, hierarchy: {ranges: [5, 10, 20]}}
  ill: {role: sensitive, domain: [flu, gout, acne]}
  job: {role: insensitive}
protect:
  - k-anonymity: 2
publish: {to: out/}
"""
NO_KEY = ("job: {role: insensitive}", "job: {role: insensitive, key: false}")
"""Then nothing is left that may number people, and nothing is looked at before the charge."""
PROCESSES = 8
GRANTS = 5
"""Answers that fit into the budget; fewer than are asked."""


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)
    people(tmp_path, 60)
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    budget(tmp_path, epsilon=3, delta="1e-3", rho=3)
    return tmp_path


def people(folder: Path, many: int) -> None:
    rows = [f"{i % 40},{('flu', 'gout', 'acne')[i % 3]},clerk" for i in range(many)]
    (folder / "people.csv").write_text("age,ill,job\n" + "\n".join(rows) + "\n", "utf-8")


def budget(folder: Path, **amounts: Any) -> None:
    with Ledger.open(folder / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(**amounts, rounding="down"))


def entries(folder: Path) -> list[tuple[str, str]]:
    with Ledger.open(folder / "ledger.db") as ledger:
        assert ledger.verify().problems == ()
        return [(str(e.kind), str(e.spend)) for e in ledger.entries() if e.kind != EntryKind.BUDGET]


def spent(folder: Path) -> str:
    with Ledger.open(folder / "ledger.db") as ledger:
        return str(ledger.budget("town").spent)


def test_nobody_pays_where_sql_cannot_begin(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted in arrays needs none; and what needs it, needs it before it is charged."""
    table = pa.table({"age": [1, 2, 3], "ill": ["flu", "flu", "gout"], "job": ["a", "a", "b"]})
    pq.write_table(table, town / "people.parquet")
    plan = PLAN.replace("people.csv", "people.parquet").replace(*NO_KEY)
    (town / "plan.yaml").write_text(plan, "utf-8")
    monkeypatch.setattr("hedgerow.engines.session.SHARED", Shared())
    monkeypatch.setattr("tempfile.tempdir", str(town / "nowhere"))
    with hedgerow.session("plan.yaml") as session:
        session.sum("age", epsilon="0.5")
        assert spent(town) == "epsilon 0.5"
        with pytest.raises(TargetError, match="no temporary folder"):
            session.count(by="ill", epsilon="0.5")
        assert entries(town) == [("RESERVE", "epsilon 0.5"), ("RELEASED", "nothing")]
        monkeypatch.setattr("tempfile.tempdir", None)
        session.count(by="ill", epsilon="0.5")
    assert spent(town) == "epsilon 1"


def test_what_does_not_fit_is_not_looked_at(town: Path) -> None:
    budget(town, epsilon=3, delta="1e-6", rho=3)
    with (
        patch.object(DuckDBEngine, "tally", side_effect=AssertionError("touched")),
        hedgerow.session("plan.yaml") as session,
    ):
        for price in ({"epsilon": "3.1"}, {"rho": 4}, {"epsilon": 1, "delta": "2e-6"}):
            with pytest.raises(BudgetError) as error:
                session.count(by="job" if "delta" in price else None, **price)
            assert error.value.exit_code == 1
    assert entries(town) == []


def test_the_ledger_is_charged_before_the_data_are_touched(town: Path) -> None:
    seen = []
    real = DuckDBEngine.tally

    def tally(self: Any, asked: Any) -> Any:
        seen.append(entries(town))
        return real(self, asked)

    with patch.object(DuckDBEngine, "tally", tally), hedgerow.session("plan.yaml") as session:
        session.marginals(["age:10", "ill"], ways=1, epsilon=1)
    assert seen == [[("RESERVE", "epsilon 1")]] * 2
    assert entries(town) == [("RESERVE", "epsilon 1"), ("RELEASED", "nothing")]


def test_the_same_question_gets_the_same_bytes_for_nothing(town: Path) -> None:
    with hedgerow.session("plan.yaml") as session:
        first = session.count(by="ill", where="age >= 10 and age<20", epsilon="0.5")
        again = session.count(
            by=["ill"], where="AGE >= 10".lower() + " AND age < 20.0", epsilon=0.5
        )
    assert not first.again
    assert again.again
    people(town, 7)  # other data: to look would tell
    with hedgerow.session(town / "plan.yaml") as session:
        later = session.count(by="ill", where="age >= 10 and age < 20", epsilon=0.5)
        assert session.budget.spent == Amounts.of(epsilon="0.5")
    assert first.to_bytes() == again.to_bytes() == later.to_bytes()
    (town / "people.csv").unlink()
    with hedgerow.session("plan.yaml") as session:
        without = session.count(by="ill", where="age >= 10 and age < 20", epsilon=0.5)
    assert without.to_bytes() == first.to_bytes(), "nothing is opened for it"
    with Ledger.open(town / "ledger.db") as ledger:
        (entry,) = ledger.releases("town")
        assert ledger.content(entry) == first.to_bytes()
        assert entry.body["loss"] == "0.5-differential privacy"
        assert first.ledger["seq"] == entry.seq - 1, "the reservation"


DIFFERENT: list[dict[str, Any]] = [
    {"epsilon": "0.2"},
    {"rho": "0.1"},
    {"epsilon": "0.1", "of": "rows"},
    {"epsilon": "0.1", "where": "age > 1"},
    {"epsilon": "0.1", "by": "ill"},
    {"epsilon": "0.1", "by": "age:10"},
    {"epsilon": "0.1", "by": "age:20"},
]


def test_other_questions_are_other_answers(town: Path) -> None:
    keys = set()
    with hedgerow.session("plan.yaml") as session:
        for asked in [{"epsilon": "0.1"}, *DIFFERENT]:
            assert not session.count(**asked).again
    other = PLAN.replace("domain: [flu, gout, acne]", "domain: [flu, gout]")
    for plan in (
        other,
        PLAN.replace("bounds: [0, 100]", "bounds: [0, 50]"),
        PLAN.replace("source: people.csv", "source: more.csv"),
        PLAN + "null: ['?']\n",
    ):
        (town / "more.csv").write_bytes((town / "people.csv").read_bytes())
        (town / "plan.yaml").write_text(plan, "utf-8")
        with hedgerow.session("plan.yaml") as session:
            assert not session.table(["ill", "age:50"], epsilon="0.1").again
    with Ledger.open(town / "ledger.db") as ledger:
        keys = {entry.key for entry in ledger.releases("town")}
    assert len(keys) == 1 + len(DIFFERENT) + 4


def test_anew_is_charged_again_and_then_remembered(town: Path) -> None:
    with hedgerow.session("plan.yaml", anew=True) as session:
        answers = [session.count(epsilon="0.001") for _ in range(3)]
    assert len({answer.to_bytes() for answer in answers}) == 3
    with hedgerow.session("plan.yaml") as session:
        assert session.count(epsilon="0.001").to_bytes() == answers[-1].to_bytes()
    assert spent(town) == "epsilon 0.003"


@pytest.mark.parametrize("error", [RuntimeError("secret"), HedgerowError("out of memory")])
def test_a_failure_stays_spent(town: Path, error: Exception) -> None:
    with hedgerow.session("plan.yaml") as session:
        with patch.object(DuckDBEngine, "tally", side_effect=error), pytest.raises(type(error)):
            session.count(epsilon=1)
        assert entries(town) == [("RESERVE", "epsilon 1"), ("FAILED", "nothing")]
        with Ledger.open(town / "ledger.db") as ledger:
            failed = list(ledger.entries())[-1]
        assert failed.body["why"] == (
            "out of memory" if isinstance(error, HedgerowError) else "RuntimeError"
        )
        assert not session.count(epsilon=1).again, "what failed is no answer"
    assert spent(town) == "epsilon 2"


def test_a_failure_says_what_it_cost(town: Path) -> None:
    """Whoever repairs the file and asks again must know that it costs again."""
    (town / "plan.yaml").write_text(PLAN.replace(*NO_KEY), "utf-8")
    (town / "people.csv").write_text('age,ill,job\n1,"flu,clerk\n', "utf-8")
    command = ["query", "plan.yaml", "--count", "--epsilon", "0.1"]
    failed = CliRunner().invoke(app, command)
    assert failed.exit_code == 2
    said = " ".join(failed.output.split())
    assert "line 2" in said, "what is wrong, and where, as ever"
    assert "Close it" in said
    assert "epsilon 0.1 stays charged (entry 2)." in said
    assert "hedgerow init" in said
    looked = CliRunner().invoke(app, ["init", "people.csv", "--to", "new.yaml"])
    assert "line 2" in looked.output, "the advice is true"
    assert spent(town) == "epsilon 0.1"
    with hedgerow.session("plan.yaml") as session:
        for error in (RuntimeError("secret"), HedgerowError("odd"), KeyboardInterrupt()):
            with (
                patch.object(DuckDBEngine, "tally", side_effect=error),
                pytest.raises(type(error)) as raised,
            ):
                session.count(epsilon="0.5", delta="1e-6", by="job")
            told = [str(raised.value), *getattr(raised.value, "__notes__", [])]
            seq = [
                entry.seq for entry in session.ledger.entries() if entry.kind == EntryKind.RESERVE
            ][-1]
            assert f"delta 1e-6 stays charged (entry {seq})" in " ".join(told)
            assert "hedgerow init" not in " ".join(told), "nothing is wrong with the file"
    budget(town, epsilon="0.1")
    with hedgerow.session("plan.yaml") as session, pytest.raises(BudgetError) as refused:
        session.count(epsilon=1)
    assert "stays charged" not in str(refused.value), "nothing was charged"


@pytest.mark.parametrize("fault", ["reserved", "counted", "released"])
def test_kill(town: Path, fault: str) -> None:
    command = ["query", "plan.yaml", "--sum", "age", "--epsilon", "1", "--json"]
    died = forked.run_forked(*command, env={"HEDGEROW_FAULT": fault})
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert died.stdout == ""
    released = fault == "released"
    assert entries(town) == [("RESERVE", "epsilon 1")] + [("RELEASED", "nothing")] * released
    assert spent(town) == "epsilon 1"
    done = CliRunner().invoke(app, command)
    assert json.loads(done.stdout)["again"] == released
    assert spent(town) == ("epsilon 1" if released else "epsilon 2")


def _ask(folder: str, barrier: Any, results: Any) -> None:
    """A process: the same question, anew, until there is nothing left."""
    granted = 0
    try:
        with hedgerow.session(Path(folder) / "plan.yaml", anew=True) as session:
            _ = session.budget
            barrier.wait(60)
            for _ in range(2):
                try:
                    session.count(epsilon="0.1")
                except BudgetError:
                    continue
                granted += 1
    except BaseException as error:
        barrier.abort()
        results.put(repr(error))
        raise
    results.put(granted)


def test_eight_processes_never_overspend(town: Path) -> None:
    budget(town, epsilon="0.55")
    context = forked.context()
    barrier, results = context.Barrier(PROCESSES), context.Queue()
    processes = [
        context.Process(target=_ask, args=(str(town), barrier, results), daemon=True)
        for _ in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    granted = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert sum(granted) == GRANTS
    assert spent(town) == "epsilon 0.5"
    assert (
        sorted(entries(town))
        == [("RELEASED", "nothing")] * GRANTS + [("RESERVE", "epsilon 0.1")] * GRANTS
    )


BAD: list[dict[str, Any]] = [
    {name: value}
    for name in ("epsilon", "rho")
    for value in (
        0, -1, "-0.1", float("nan"), float("inf"), "-inf", "NaN", 1e30, "1e-30", "1e999", True, "x",
        "", None, [1], 1 + 2j, 10**400,
    )
]  # fmt: skip
BAD += [{"epsilon": 1, "delta": v} for v in (0, -1, 1, 2, "nan", "1e-30", float("inf"), "0.1.2")]
BAD += [{"epsilon": 1, "rho": 1}, {"rho": 1, "delta": "1e-6"}, {"delta": "1e-6"}, {}]


@pytest.mark.parametrize("given", BAD, ids=str)
def test_prices_that_are_none(town: Path, given: dict[str, Any]) -> None:
    before = entries(town)
    with hedgerow.session("plan.yaml") as session:
        for asking in (session, session.preview(people=5, runs=1)):
            with pytest.raises(HedgerowError) as error:
                asking.count(by="ill", **given)
            assert error.value.exit_code == 2
            assert (
                error.value.fix or "counts to" in error.value.what or "negative" in str(error.value)
            )
    assert entries(town) == before == []


WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("count", (), {"of": "horses"}, "'horses' cannot be counted"),
    ("marginals", (["ill"],), {"of": "horses", "ways": 1}, "'horses' cannot be counted"),
    ("count", (), {"by": "job"}, "no domain for 'job'"),
    ("count", (), {"by": ["ill", "ill"]}, "named twice"),
    ("count", (), {"where": "age >> 1"}, "the filter"),
    ("count", (), {"where": "agee > 1"}, "Did you mean age?"),
    ("mean", ("job",), {}, "no bounds for 'job'"),
    ("mean", ("ill",), {}, "no bounds for 'ill'"),
    ("median", ("ill",), {}, "no bounds for 'ill'"),
    ("ranges", ("ill",), {}, "no bounds for 'ill'"),
    ("quantiles", ("age", [0.5, 1]), {}, "under 1"),
    ("quantiles", ("age", []), {}, "1 to 100"),
    ("most_frequent", ("ill",), {"top": 4}, "only 3"),
    ("marginals", (["ill"],), {"ways": 2}, "only 1"),
    ("histogram", ("age:0.000001",), {}, "cells"),
]


@pytest.mark.parametrize(("name", "arguments", "keywords", "message"), WRONG)
def test_questions_that_are_none(
    town: Path, name: str, arguments: Any, keywords: Any, message: str
) -> None:
    with hedgerow.session("plan.yaml") as session, pytest.raises(PlanError) as error:
        getattr(session, name)(*arguments, **keywords, epsilon=1)
    assert message in str(error.value)
    assert entries(town) == []


def test_a_column_named_like_a_part_of_the_answer(town: Path) -> None:
    """Its labels are not overwritten by the counts: those get another name."""
    table = pa.table({"count": ["a", "b", "b"], "low": [1, 2, 2]})
    said: Any = {
        "population": "town", "privacy": {"neighbours": "add-remove"}, "ledger": town / "ledger.db",
        "columns": {"count": {"role": "sensitive", "domain": ["a", "b"]},
                    "low": {"role": "insensitive", "bounds": [0, 9], "step": 1}},
    }  # fmt: skip
    budget(town, epsilon=4000)
    with hedgerow.session(table, **said) as session:
        counted = session.count(by="count", epsilon=1000).to_dicts()
        assert [(line["count"], line["count_"]) for line in counted] == [("a", 1), ("b", 2)]
        summed = session.sum("low", by="count", epsilon=1000).to_dicts()
        assert [(line["count"], line["sum"]) for line in summed] == [("a", 1), ("b", 4)]
        cells = session.table(["low"], epsilon=1000).to_dicts()
        assert [line["low"] for line in cells] == [str(number) for number in range(10)]
        assert all(line["low_"] <= line["count"] <= line["high"] for line in cells)
        assert session.ranges("low", epsilon=1000).between(1, 3).count == pytest.approx(3)


def test_answers_and_releases_in_one_ledger(town: Path) -> None:
    with hedgerow.session("plan.yaml") as session:
        session.count(by="ill", epsilon=1)
        session.ranges("age:10", rho=1)
    release = hedgerow.publish(hedgerow.Plan.read(town / "plan.yaml"))
    assert release is not None
    with hedgerow.session("plan.yaml") as session:
        session.count(epsilon=1)
        assert session.budget.releases == 4
    runner = CliRunner()

    def ledger(*command: str) -> Any:
        done = runner.invoke(app, ["ledger", *command, "--ledger", "ledger.db"])
        assert done.exit_code == 0, done.output
        assert "Traceback" not in done.output
        return done.stdout

    assert "how many people" in ledger("list")
    assert "how many rows are in any range of age:10" in " ".join(ledger("list").split())
    shown = json.loads(ledger("show", "3", "--json"))
    assert "0.001" not in json.dumps(shown)
    assert "1-differential privacy" in ledger("show", "3")
    assert json.loads(ledger("verify", "--json"))["problems"] == []
    again = CliRunner().invoke(app, ["publish", "plan.yaml", "--replace", "--json"])
    assert again.exit_code == 0, again.output


def test_who_does_not_say_what_is_needed(town: Path) -> None:
    for gone, wanted in (
        ("population: town\n", "population"),
        ("privacy: {neighbours: add-remove}\n", "privacy"),
        ("ledger: ledger.db\n", "ledger"),
    ):
        (town / "plan.yaml").write_text(PLAN.replace(gone, ""), "utf-8")
        with (
            pytest.raises(PlanError, match=wanted) as error,
            hedgerow.session("plan.yaml") as session,
        ):
            session.count(epsilon=1)
        assert error.value.fix
        assert wanted in error.value.fix
    assert entries(town) == []


def test_the_ledger_is_told_the_event_and_not_only_its_cost(town: Path) -> None:
    """A reservation says how the answer is made random, also where nothing comes of it."""
    with hedgerow.session("plan.yaml") as session:
        answer = session.count(by="ill", epsilon="0.5")
        with (
            patch.object(DuckDBEngine, "tally", side_effect=OSError("gone")),
            pytest.raises(OSError, match="gone"),
        ):
            session.sum("age", epsilon="0.25")
    with Ledger.open(town / "ledger.db") as ledger:
        counted, summed = [e.body for e in ledger.entries() if e.kind == EntryKind.RESERVE]
    assert counted["noise"] == list(answer.noise)
    assert counted["noise"][0]["scale"] == "2"
    assert counted["neighbours"] == answer.neighbours
    assert "changes it by at most" in summed["noise"][0]["sensitivity"]
