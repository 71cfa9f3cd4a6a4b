"""The same source under another population's name: stop and ask, before anything is reserved."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.base.errors import PlanError
from hedgerow.cli import app
from hedgerow.ledger import Amounts, EntryKind, Ledger

ROWS = "age,ill\n" + "".join(f"{30 + i % 2},{'ab'[i // 2 % 2]}\n" for i in range(12))
TABLES: dict[str, Any] = {
    "privacy": "add-remove",
    "columns": {
        "age": {"role": "quasi-identifier", "domain": ["30", "31"]},
        "ill": {"role": "sensitive", "domain": ["a", "b"]},
    },
    "method": {"search": "marginals", "epsilon": "0.5", "tables": 1},
}
GROUPS: dict[str, Any] = {
    "columns": {"age": "quasi-identifier", "ill": "sensitive"},
    "protect": [{"k-anonymity": 3}],
}
REFUSED = "the population 'A' has releases from this source"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(ROWS)
    with Ledger.open("ledger.db") as ledger:
        for name in "AB":
            ledger.set_budget(name, Amounts.of(epsilon=2))
    return tmp_path


def plan(kind: dict[str, Any], population: str, source: str = "people.csv", **more: Any) -> str:
    said = {"population": population, "source": source, "ledger": "ledger.db", **kind, **more}
    Path(f"{population}.yaml").write_text(json.dumps(said))
    return f"{population}.yaml"


def run(how: str, file: str, to: str) -> Any:
    if how == "query":
        with hedgerow.session(file) as session:
            return session.count(epsilon="0.5")
    return hedgerow.publish(file, to=to, report=False)


KINDS = {"query": TABLES, "marginals": TABLES, "groups": GROUPS}


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("then", KINDS)
def test_another_name_for_the_same_source_is_asked_about(first: str, then: str) -> None:
    run(first, plan(KINDS[first], "A"), "one")
    with Ledger.open("ledger.db") as ledger:
        before = len(list(ledger.entries()))
        spent = ledger.budget("A").spent
    with pytest.raises(PlanError, match=REFUSED) as error:
        run(then, plan(KINDS[then], "B"), "two")
    assert ("epsilon 0.5" in error.value.what) == (first != "groups"), error.value.what
    assert "`population: A`" in str(error.value.fix)
    assert "`other_people_than: [A]`" in str(error.value.fix)
    with Ledger.open("ledger.db") as ledger:
        assert len(list(ledger.entries())) == before, "nothing was reserved or charged"
        assert ledger.budget("B").spent == Amounts()
    assert not Path("two").exists()
    # The same name goes on, and so do others of whom it is said.
    run(then, plan(KINDS[then], "A"), "three")
    found = run(then, plan(KINDS[then], "B", other_people_than=["A"]), "two")
    with Ledger.open("ledger.db") as ledger:
        entry = next(e for e in ledger.entries(population="B") if e.kind is EntryKind.RESERVE)
        assert entry.body["other_people_than"] == ["A"]
        assert ledger.verify().holds
        assert "people.csv" not in json.dumps(entry.body["source"])
        if first != "groups":
            assert ledger.budget("A").spent.units["epsilon"] >= spent.units["epsilon"]
    tip = found.ledger if then == "query" else found.certificate["ledger"]
    (said,) = tip["stated"]
    assert said.startswith("The publisher states that these people are others than those of 'A'")
    assert said.endswith("This is not checked.")
    if then != "query":
        assert hedgerow.verify("two").refuted == ()


def test_the_first_name_is_asked_about_too() -> None:
    """Who came second and said so is no other name for whoever comes third."""
    run("query", plan(TABLES, "A"), "")
    run("query", plan(TABLES, "B", other_people_than=["A"]), "")
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("C", Amounts.of(epsilon=1))
    with pytest.raises(PlanError, match=REFUSED):
        run("query", plan(TABLES, "C"), "")
    with pytest.raises(PlanError, match="the population 'B' has releases from this source"):
        run("query", plan(TABLES, "C", other_people_than=["A"]), "")
    run("query", plan(TABLES, "C", other_people_than=["A", "B"]), "")
    run("query", plan(TABLES, "A"), "")


@pytest.mark.parametrize("how", ["copy", "link", "grown", "long"])
def test_what_is_the_same_source(how: str) -> None:
    if how == "long":
        Path("people.csv").write_text(ROWS + "30,a\n" * 100_000)
    first = "groups" if how in ("copy", "long") else "query"
    run(first, plan(KINDS[first], "A"), "one")
    source = "people.csv"
    if how in ("copy", "long"):
        source = "elsewhere.csv"
        shutil.copy("people.csv", source)
    elif how == "link":
        source = "elsewhere.csv"
        Path(source).symlink_to("people.csv")
    else:
        Path("people.csv").write_text(ROWS + "30,a\n")
    with pytest.raises(PlanError, match=REFUSED):
        run("query", plan(TABLES, "B", source), "")


def test_answers_leave_nothing_of_the_data_in_the_ledger() -> None:
    """A hash of what is in the file would tell one person more or less apart."""
    marks = []
    for rows in (ROWS, ROWS + "30,a\n"):
        Path("people.csv").write_text(rows)
        for how in ("query", "marginals"):
            run(how, plan(TABLES, "A"), "one")
        with Ledger.open("ledger.db") as ledger:
            marks += [e.body["source"] for e in ledger.entries() if e.kind is EntryKind.RESERVE]
    assert len({tuple(one) for one in marks}) == 1


def test_other_sources_are_not_asked_about() -> None:
    run("query", plan(TABLES, "A"), "")
    Path("others.csv").write_text(ROWS.replace("30,a", "31,a"))
    run("query", plan(TABLES, "B", "others.csv"), "")


def test_what_failed_for_nothing_is_no_other_name() -> None:
    """A misspelt name that came to nothing does not stand in the way."""
    impossible = {**GROUPS, "protect": [{"k-anonymity": 13}]}
    with pytest.raises(hedgerow.HedgerowError, match="no generalisation"):
        run("groups", plan(impossible, "A"), "one")
    run("groups", plan(GROUPS, "B"), "two")


def test_tables_of_one_database_are_several_sources(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect("all.duckdb") as made:
        made.execute("CREATE TABLE one AS SELECT * FROM read_csv('people.csv', all_varchar=true)")
        made.execute("CREATE TABLE two AS SELECT age, 'a' AS ill FROM one")
    run("query", plan(TABLES, "A", "all.duckdb::one"), "")
    run("query", plan(TABLES, "B", "all.duckdb::two"), "")
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("C", Amounts.of(epsilon=1))
    with pytest.raises(PlanError, match=REFUSED):
        run("query", plan(TABLES, "C", "all.duckdb::one"), "")


def test_the_command_stops_with_2() -> None:
    run("query", plan(TABLES, "A"), "")
    done = CliRunner().invoke(app, ["publish", plan(GROUPS, "B"), "--to", "two"])
    assert done.exit_code == 2
    assert "the population 'A' has releases" in " ".join(done.output.split())
    assert "other_people_than: [A]" in " ".join(done.output.split())
