"""Releases with a price whose source or target is a table of a database."""

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import hedgerow
import hedgerow.release.publication
from hedgerow.base.errors import HedgerowError, PlanError, TargetError
from hedgerow.cli import app
from hedgerow.engines import table_place
from hedgerow.ledger import Amounts, Ledger
from hedgerow.release.certificate_text import as_text

PLAN = {
    "population": "town",
    "columns": {
        "age": {
            "role": "quasi-identifier", "bounds": [0, 99], "step": 1,
            "hierarchy": {"ranges": [10, 50]}, "levels": [2, 2],
        },
        "sex": {"role": "quasi-identifier", "domain": ["F", "M", None], "levels": [0, 0]},
    },
    "privacy": {"neighbours": "add-remove"},
    "method": {"search": "safe", "beta": 0.8, "epsilon": 1, "delta": 1e-6},
}  # fmt: skip


def people(n=2000):
    sexes = ("F", "M", "F", "M", "F", "M", "F", "M", "F", None)
    return pa.table(
        {"age": pa.array([i % 100 for i in range(n)]), "sex": [sexes[i % 10] for i in range(n)]}
    )


@pytest.fixture
def tables(postgresql_tables):
    return postgresql_tables


@pytest.fixture
def ledger(tmp_path):
    place = tmp_path / "ledger.db"
    with Ledger.open(str(place)) as book:
        book.set_budget("town", Amounts.of(epsilon=10, delta="1e-3"))
    return place


def publish(source, to, ledger, **more):
    return hedgerow.publish(source, to=to, ledger=ledger, report=False, **(PLAN | more))


def spent(ledger):
    with Ledger.open(str(ledger)) as book:
        return book.budget("town").spent.texts().get("epsilon", "0")


def plan_file(tmp_path, **more):
    file = tmp_path / "plan.yaml"
    file.write_text(json.dumps(PLAN | more))
    return file


def test_a_safe_release_is_a_table_and_the_same_as_a_file(tables, ledger, tmp_path):
    address, place = tables(people(), "town"), tables.place("released")
    plan = plan_file(tmp_path, source=address, ledger=str(ledger), publish={"to": place})
    done = CliRunner().invoke(app, ["publish", str(plan)])
    assert done.exit_code == 0, done.output
    assert f"release: {place}" in done.stdout.replace("\n", "")
    release = hedgerow.publish(plan)
    assert release.again
    assert release.data == table_place(place)
    assert release.place == place
    rows = tables.sql("SELECT age, sex FROM released")
    assert len(rows) == release.rows == release.to_arrow().num_rows > 0
    told = json.loads(tables.sql("SELECT certificate FROM released_certificate")[0][0])
    assert told == release.certificate
    assert told["data"]["file"] == "table"
    folder = publish(address, tmp_path / "out", ledger)
    assert folder.again, "the same groups, for nothing"
    file = folder.to_arrow().to_pylist()
    key = lambda row: (row[0], row[1] or "")  # noqa: E731
    assert sorted([(r["age"], r["sex"] or None) for r in file], key=key) == sorted(rows, key=key)
    assert spent(ledger) == "1"
    for command in (["verify", place], ["verify", place, "--plan", str(plan)]):
        done = CliRunner().invoke(app, [*command, "--json"])
        assert done.exit_code == 0, done.output
        checks = json.loads(done.stdout)["checks"]
        assert {c["what"] for c in checks} >= {"file", "loss", "rows", "groups", "words"}
        assert not [c for c in checks if c["verdict"] == "refuted"]


def test_what_was_changed_is_found(tables, ledger):
    address, place = tables(people(), "town"), tables.place("released")
    publish(address, place, ledger)
    assert not hedgerow.verify(place).refuted
    tables.sql("UPDATE released SET sex = 'X' WHERE sex = 'M'")
    found = hedgerow.verify(place).refuted
    assert any("rows are not those" in why for why in found)
    assert any("not in its domain" in why for why in found)
    again = publish(address, place, ledger, replace=True)
    assert not hedgerow.verify(place).refuted, "what was changed is written again, for nothing"
    assert again.again
    assert spent(ledger) == "1"
    tables.sql("DELETE FROM released WHERE sex = 'M'", "ALTER TABLE released ADD more text")
    assert any("columns" in why for why in hedgerow.verify(place).refuted)
    tables.sql("ALTER TABLE released DROP more")
    assert any("rows, stated" in why for why in hedgerow.verify(place).refuted)


def test_what_cannot_be_there_costs_nothing(tables, ledger):
    tables.sql("CREATE TABLE other (a text)")
    with pytest.raises(TargetError, match="exists already"):
        publish(people(), tables.place("other"), ledger)
    with pytest.raises(TargetError, match="escape_formulas"):
        publish(
            people(), None, ledger,
            publish={"to": tables.place("x"), "escape_formulas": True},
        )  # fmt: skip
    with pytest.raises(HedgerowError, match="cannot be reached"):
        publish(people(), "postgresql://127.0.0.1:1/postgres::x", ledger)
    assert spent(ledger) == "0"


def test_a_source_is_not_replaced_by_its_own_release(tables, ledger, tmp_path):
    """It looks like a release: a certificate stands beside it."""
    address, place = tables(people(), "town"), tables.place("town")
    tables.sql("CREATE TABLE town_certificate (certificate text NOT NULL)")
    tables.sql("INSERT INTO town_certificate VALUES ('{}')")
    plan = plan_file(tmp_path, source=address, ledger=str(ledger))
    for to in (place, place.replace("::town", "::public.town")):
        with pytest.raises(TargetError, match="the source itself"):
            hedgerow.publish(plan, to=to, replace=True)
    assert spent(ledger) == "0"
    assert tables.sql("SELECT count(*) FROM town")[0][0] == 2000


def test_a_lost_connection_loses_nothing_that_was_paid_for(tables, ledger, monkeypatch):
    address = tables(people(), "town")
    real, first = hedgerow.release.publication.as_text, [True]

    def cut(certificate):
        if first and first.pop():
            tables.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'hedgerow'"
            )
        return real(certificate)

    monkeypatch.setattr(hedgerow.release.publication, "as_text", cut)
    with pytest.raises(TargetError, match="connection to the database was lost") as caught:
        publish(address, tables.place("released"), ledger)
    assert "costs nothing more" in str(caught.value)
    there = f"SELECT tablename FROM pg_tables WHERE schemaname = '{tables.schema}'"
    assert tables.sql(there) == [("town",)]
    assert publish(address, tables.place("released"), ledger).again
    assert spent(ledger) == "1"


def test_tables_of_counts_are_not_one_table(tables, ledger):
    method = {"search": "marginals", "epsilon": 1, "tables": [["sex"]]}
    columns = {
        "age": {"role": "sensitive", "bounds": [0, 99], "step": 1},
        "sex": {"role": "sensitive", "domain": ["F", "M"]},
    }
    with pytest.raises(PlanError, match="several tables of counts") as caught:
        publish(people(), tables.place("released"), ledger, method=method, columns=columns)
    assert "Name a folder" in str(caught.value)
    assert spent(ledger) == "0"


def test_questions_about_a_table_by_command(tables, ledger, tmp_path):
    address = tables(people(), "town")
    columns = {
        "age": {"role": "sensitive", "bounds": [0, 99], "step": 1},
        "sex": {"role": "sensitive", "domain": ["F", "M"]},
    }
    plan = tmp_path / "ask.yaml"
    plan.write_text(
        json.dumps(
            {"source": address, "population": "town", "columns": columns, "ledger": str(ledger),
             "privacy": {"neighbours": "add-remove"}}
        )
    )  # fmt: skip
    asked = ["query", str(plan), "--count", "--by", "sex", "--epsilon", "2", "--json"]
    first = CliRunner().invoke(app, asked)
    assert first.exit_code == 0, first.output
    again = CliRunner().invoke(app, asked)
    assert json.loads(again.stdout)["tables"] == json.loads(first.stdout)["tables"]
    assert spent(ledger) == "2"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda told: told["files"].update({"data.csv": "0" * 64}), "lists files"),
        (
            lambda told: told["software"]["configured"].update(format="csv"),
            "is not of the format csv",
        ),
    ],
)
def test_a_certificate_beside_a_table_that_speaks_of_files_is_refuted(tables, ledger, change, said):
    place = tables.place("released")
    publish(people(), place, ledger)
    assert hedgerow.verify(place).refuted == ()
    told = json.loads(tables.sql("SELECT certificate FROM released_certificate")[0][0])
    change(told)
    text = as_text(told).replace("'", "''")
    tables.sql(f"UPDATE released_certificate SET certificate = '{text}'")
    assert any(said in why for why in hedgerow.verify(place).refuted)
