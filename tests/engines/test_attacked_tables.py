"""Releases that are tables of a database, as attackers and recipients hold them."""

import json
import random

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.base.errors import DataError, PlanError
from hedgerow.cli import app
from hedgerow.engines import table_place

COLUMNS = {"zip": "quasi-identifier", "age": "quasi-identifier", "disease": "sensitive"}
COLUMNS |= {"name": "identifier"}
PLAN = {"columns": COLUMNS, "protect": [{"k-anonymity": 3}]}


def people(rows=120, seed=1):
    pick = random.Random(seed)
    return pa.table(
        {
            "name": [f"n{i}" for i in range(rows)],
            "zip": [f"10{i % 4}" for i in range(rows)],
            "age": pa.array([20 + i % 7 for i in range(rows)], pa.int32()),
            "disease": [pick.choice(["flu", "cold", "gout"]) for _ in range(rows)],
        }
    )


@pytest.fixture
def tables(postgresql_tables):
    return postgresql_tables


def run(*command):
    done = CliRunner().invoke(app, [*map(str, command), "--json"])
    assert done.exit_code in (0, 1), done.output
    return json.loads(done.stdout)


def findings(told, name):
    """What was found, whatever the release is called."""
    return json.loads(json.dumps(told["attacks"]).replace(json.dumps(str(name))[1:-1], "it"))


def test_a_table_is_attacked_as_a_folder_is(tables, tmp_path):
    address, place, folder = tables(people(), "patients"), tables.place("released"), tmp_path / "r"
    register = tables(people().drop_columns(["disease"]), "register")
    for table, name in ((people(), "patients"), (people().drop_columns(["disease"]), "register")):
        pa.csv.write_csv(table, tmp_path / f"{name}.csv")
    for to in (place, folder):
        hedgerow.publish(address, to=to, report=False, **PLAN)
    for there, here in (
        (["--truth", address], ["--truth", tmp_path / "patients.csv"]),
        (["--register", register], ["--register", tmp_path / "register.csv"]),
        (["--know", "zip=101", "--know", "age=23"],) * 2,
        (["--method", "gdpr", "--truth", address, "--control", address],
         ["--method", "gdpr", "--truth", tmp_path / "patients.csv",
          "--control", tmp_path / "patients.csv"]),
    ):  # fmt: skip
        found = run("attack", place, *there)
        assert found["attacks"]
        assert findings(found, place) == findings(run("attack", folder, *here), folder)


def test_the_plan_says_where_the_truth_is(tables, tmp_path):
    address, place = tables(people(), "patients"), tables.place("released")
    plan = tmp_path / "plan.yaml"
    plan.write_text(json.dumps(PLAN | {"source": address, "publish": {"to": place}}))
    hedgerow.publish(plan)
    by_plan = run("attack", place, "--plan", plan)
    assert findings(by_plan, place) == findings(run("attack", place, "--truth", address), place)
    assert any(one["attack"] == "intersection" for one in by_plan["attacks"])


def test_a_table_without_certificate_is_a_table_of_any_tool(tables, tmp_path):
    address = tables(people().drop_columns(["name"]), "foreign")
    pa.csv.write_csv(people().drop_columns(["name"]), tmp_path / "foreign.csv")
    with pytest.raises(DataError, match="nothing says which columns"):
        hedgerow.attack([address])
    with pytest.raises(PlanError, match="no release has such a column"):
        hedgerow.attack([address], sensitive=["disease"], quasi=["wrong"])
    more = ["--sensitive", "disease", "--quasi", "zip", "--know", "zip=101"]
    file = tmp_path / "foreign.csv"
    found = findings(run("attack", address, *more), address)
    assert found == findings(run("attack", file, *more), file)
    assert hedgerow.attack([table_place(address)], sensitive=["disease"], quasi=["zip"])


def test_a_table_of_any_tool_is_verified_with_a_plan(tables, tmp_path):
    address = tables(people().drop_columns(["name", "age"]), "foreign")
    plan = tmp_path / "plan.yaml"
    plan.write_text(json.dumps(PLAN))
    found = run("verify", address, "--plan", plan)
    assert [c["verdict"] for c in found["claims"]] == ["verified"]
    assert found["claims"][0]["level"] == 30
    named = tables(people(), "named")
    assert any("name people" in why for why in run("verify", named, "--plan", plan)["refuted"])
    done = CliRunner().invoke(app, ["verify", address])
    assert done.exit_code == 2
    assert "no certificate beside the table" in done.output
    assert "--plan" in done.output


def test_attacks_on_files_of_their_own_kind_read_tables_too(tables):
    bits = pa.table({"output": [0.1, 0.7, 1.2], "truth": [0.0, 1.0, 1.0]})
    (found,) = hedgerow.attack([tables(bits, "outputs")], methods=["floating-point"])
    assert found.found.guesses >= 0


def test_two_tables_are_intersected(tables):
    address = tables(people(), "patients")
    places = [tables.place(name) for name in ("first", "second")]
    for place, protect in zip(places, ({"k-anonymity": 3}, {"k-anonymity": 6}), strict=True):
        hedgerow.publish(address, to=place, columns=COLUMNS, protect=[protect])
    found = hedgerow.attack(places, truth=address, methods=["intersection", "sequential"])
    assert {one.attack for one in found} == {"intersection", "sequential"}
