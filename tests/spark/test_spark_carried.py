"""Releases that are made elsewhere and become Spark's, and Spark's that become a database's."""

import datetime as dt
import decimal
import json
import math
import os
import random
import subprocess
import sys
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from points import at_points
from spark_tables import QUICK

import hedgerow
import hedgerow.release.publication
from hedgerow.base.errors import TargetError
from hedgerow.engines import table_place
from hedgerow.engines.base import Written
from hedgerow.engines.spark import arrival
from hedgerow.engines.transfer import carried
from hedgerow.ledger import Amounts, Ledger

COLUMNS = {"zip": "quasi-identifier", "age": "quasi-identifier", "disease": "sensitive"}
COLUMNS |= {"note": "insensitive", "day": "insensitive", "name": "identifier"}
PLAN = {"columns": COLUMNS, "protect": [{"k-anonymity": 3}], "report": False}


def people(rows=60, seed=1):
    pick = random.Random(seed)
    notes = [0.5, -0.0, 0.0, float("nan"), float("-inf"), None]
    return pa.table(
        {
            "name": [f"n{i}" for i in range(rows)],
            "zip": [f"10{i % 4}" for i in range(rows)],
            "age": pa.array([20 + i % 3 for i in range(rows)], pa.int32()),
            "disease": [pick.choice(["flu", "cold", "", None]) for _ in range(rows)],
            "note": pa.array([pick.choice(notes) for _ in range(rows)]),
            "day": [dt.date(2024, 1, 1 + i % 28) for i in range(rows)],
        }
    )


def placed(tmp_path, name="released"):
    return f"spark://::{tmp_path}/{name}"


@pytest.fixture
def catalogue(spark):
    """The name of a table that is not there yet."""
    name = f"t{uuid.uuid4().hex}"
    yield name
    for each in (name, f"{name}_certificate"):
        spark.sql(f"DROP TABLE IF EXISTS {each}")


def test_a_file_becomes_a_table_with_the_same_certificate(spark, tmp_path, catalogue):
    pq.write_table(people(), tmp_path / "people.parquet")
    there = hedgerow.publish(
        f"spark://::{tmp_path}/people.parquet", to=placed(tmp_path, "a"), **PLAN
    )
    assert hedgerow.publish(people(), to=placed(tmp_path, "b"), **PLAN).certificate == (
        there.certificate
    )
    table = hedgerow.publish(people(), to=f"spark://::{catalogue}", **PLAN)
    assert table.certificate == there.certificate
    for place in (placed(tmp_path, "b"), f"spark://::{catalogue}"):
        assert not hedgerow.verify(place).refuted
    kinds = dict(spark.table(catalogue).dtypes)
    assert kinds == {
        "zip": "string", "age": "int", "disease": "string", "note": "double", "day": "date",
    }  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "people.parquet"]
    with pytest.raises(TargetError, match="there already"):
        hedgerow.publish(people(), to=placed(tmp_path, "b"), **PLAN)
    more = hedgerow.publish(people(90), to=placed(tmp_path, "b"), replace=True, **PLAN)
    assert more.to_arrow().num_rows == 90
    (tmp_path / "b" / "notes.txt").write_text("mine")
    with pytest.raises(TargetError, match=r"holds 'notes.txt' besides a release"):
        hedgerow.publish(people(), to=placed(tmp_path, "b"), replace=True, **PLAN)
    (tmp_path / "b" / "notes.txt").unlink()
    inside = tmp_path / "b" / "data.parquet" / "*.parquet"
    with pytest.raises(TargetError, match="made from would be replaced"):
        hedgerow.publish(
            str(inside), to=placed(tmp_path, "b"), replace=True,
            columns={"zip": "quasi-identifier", "age": "quasi-identifier", "disease": "sensitive",
                     "note": "insensitive", "day": "insensitive"}, protect=[{"k-anonymity": 2}],
        )  # fmt: skip


def test_between_spark_and_a_database(spark, tmp_path, postgresql_tables):
    source = postgresql_tables(people(), "patients")
    there = hedgerow.publish(source, to=placed(tmp_path), **PLAN)
    beside = hedgerow.publish(source, to=postgresql_tables.place("released"), **PLAN)
    pq.write_table(people(), tmp_path / "people.parquet")
    back = hedgerow.publish(
        f"spark://::{tmp_path}/people.parquet", to=postgresql_tables.place("back"), **PLAN
    )
    assert there.certificate == beside.certificate == back.certificate
    for place in (placed(tmp_path), postgresql_tables.place("back")):
        assert not hedgerow.verify(place).refuted


def sent(table, place, tmp_path):
    """Carry a table there."""
    file = tmp_path / f"{uuid.uuid4().hex}.parquet"
    with duckdb.connect() as local:
        local.execute("SET TimeZone = 'UTC'")
        local.register("given", table)
        local.execute(f"COPY given TO '{file}' (FORMAT parquet)")
    with carried(table_place(place)) as there:
        there.check(replace=False)
        rows = table.num_rows
        there.arrived(Written(path=file, rows=rows, people=rows, sha256=""))
        there.deliver("{}", replace=False)


@pytest.mark.parametrize("at_once", [arrival.AT_ONCE, 12])
def test_every_type_arrives_exactly(spark, tmp_path, catalogue, monkeypatch, at_once):
    monkeypatch.setattr(arrival, "AT_ONCE", at_once)
    utc = dt.UTC
    zoned = [dt.datetime(2024, 3, 31, 1, 30, 0, 5, utc), dt.datetime(1900, 1, 1, tzinfo=utc), None]
    columns = {
        "bool": pa.array([True, False, None]),
        "int8": pa.array([-128, 127, None], pa.int8()),
        "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
        "int64": pa.array([-(2**63), 2**63 - 1, None], pa.int64()),
        "double": pa.array([5e-324, -0.0, None], pa.float64()),
        "cents": pa.array([decimal.Decimal("-0.05"), decimal.Decimal("1234567.10"), None]),
        "day": pa.array([dt.date(1900, 1, 1), dt.date(9999, 12, 31), None]),
        "at": pa.array([dt.datetime(2024, 2, 29, 23, 59, 59, 999_999), None, None]),
        "zoned": pa.array(zoned, pa.timestamp("us", "Europe/Berlin")),
        "text": ['a "b",\r\n\\.\n', "", None],
        "odd, it's": ["ä\x1f\x1b", " null ", None],
        "last": ["1", "2", "3"],
    }
    place = placed(tmp_path) if at_once == 12 else f"spark://::{catalogue}"
    sent(pa.table(columns), place, tmp_path)
    frame = spark.read.parquet(f"{tmp_path}/released/data.parquet") if at_once == 12 else (
        spark.table(catalogue)
    )  # fmt: skip
    found = sorted(frame.toArrow().to_pylist(), key=lambda row: row["last"])
    wanted = pa.table(columns).to_pylist()
    for got, want in zip(found, wanted, strict=True):
        got["zoned"] = got["zoned"] and got["zoned"].astimezone(utc)
        want["zoned"] = want["zoned"] and want["zoned"].astimezone(utc)
    assert found == wanted
    assert math.copysign(1, found[1]["double"]) == -1
    assert dict(frame.dtypes)["at"] == "timestamp_ntz"
    assert dict(frame.dtypes)["zoned"] == "timestamp"


def test_days_of_long_ago_and_to_come(spark, tmp_path):
    with duckdb.connect() as local:
        local.execute("SET TimeZone = 'UTC'")
        table = local.sql(
            "SELECT x::DATE AS day, x::TIMESTAMP AS moment, x::TIMESTAMPTZ AS zoned "
            "FROM (VALUES ('0044-03-15 (BC) 12:00:00.5'), ('0001-12-31 (BC)'), ('1500-02-28'), "
            "('12024-02-29')) AS t(x)"
        ).to_arrow_table()
        sent(table, placed(tmp_path), tmp_path)
        local.register("given", table)
        files = tmp_path / "released" / "data.parquet" / "*.parquet"
        read = f"SELECT day, moment, zoned::TIMESTAMPTZ FROM read_parquet('{files}')"
        assert local.sql(f"{read} EXCEPT FROM given").fetchall() == []
        assert local.sql(f"FROM given EXCEPT {read}").fetchall() == []
    endless = pa.table({"a": [1], "day": [None]}).set_column(
        1, "day", pa.array([2**31 - 1], pa.date32())
    )
    with pytest.raises(TargetError, match="does not hold 'day'"):
        sent(endless, placed(tmp_path, "endless"), tmp_path)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (pa.array([b"\x00", b"a"]), "'odd' cannot be stored.* no type for BLOB"),
        (pa.array([1, 2], pa.timestamp("ns")), "does not hold 'odd' as it was written"),
        (pa.array([dt.time(1), None]), "'odd' cannot be stored.* no type for TIME"),
    ],
)
def test_what_cannot_be_stored_is_named(spark, tmp_path, catalogue, values, why):
    for place in (placed(tmp_path), f"spark://::{catalogue}"):
        with pytest.raises(TargetError, match=why):
            sent(pa.table({"fine": [1, 2], "odd": values}), place, tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]
    assert not [t.name for t in spark.catalog.listTables() if t.name.startswith("hedgerow_")]


@pytest.mark.parametrize("when", ["chosen", "written", "measured"])
def test_whatever_fails_nothing_is_left(spark, tmp_path, monkeypatch, when):
    def fail(name):
        if name == when:
            raise TargetError("the disk is full")

    at_points(monkeypatch, fail)
    ledger = tmp_path / "ledger.db"
    with pytest.raises(TargetError, match="full"):
        hedgerow.publish(people(), to=placed(tmp_path), ledger=ledger, population="ward", **PLAN)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]
    with Ledger.open(str(ledger)) as book:
        assert [str(entry.kind) for entry in book.entries()][-2:] == ["RESERVE", "FAILED"]


def test_questions_samples_and_attacks(spark, tmp_path):
    """A price, a sample and an attack, with Spark as source and as target."""
    town = pa.table(
        {"age": [i % 100 for i in range(1000)], "sex": ["FM"[i % 2] for i in range(1000)]}
    )
    pq.write_table(town, tmp_path / "town.parquet")
    ledger = tmp_path / "ledger.db"
    with Ledger.open(str(ledger)) as book:
        book.set_budget("town", Amounts.of(epsilon=100, delta="1e-3"))
    age = {"bounds": [0, 99], "step": 1, "hierarchy": {"ranges": [100]}, "levels": [1, 1]}
    sex = {"role": "quasi-identifier", "domain": ["F", "M"], "levels": [0, 0]}
    said = {
        "source": f"spark://::{tmp_path}/town.parquet", "population": "town",
        "ledger": str(ledger), "privacy": {"neighbours": "add-remove"},
        "columns": {"age": {"role": "quasi-identifier", **age}, "sex": sex},
    }  # fmt: skip
    with hedgerow.session(hedgerow.Plan.of(**said)) as session:
        assert abs(session.count(epsilon=50).value - 1000) < 5
    method = {"search": "safe", "beta": 0.8, "epsilon": 1, "delta": 1e-6}
    safe = hedgerow.publish(
        hedgerow.Plan.of(**said, method=method), to=placed(tmp_path), report=False
    )
    assert safe.rows > 0
    found = hedgerow.verify(placed(tmp_path))
    assert not found.refuted
    assert {check.what for check in found.checks} >= {"file", "groups", "words"}
    recoded = {
        "columns": {"age": "quasi-identifier", "sex": "sensitive"}, "protect": [{"k-anonymity": 5}],
    }  # fmt: skip
    hedgerow.publish(said["source"], to=placed(tmp_path, "r"), **recoded)
    hedgerow.publish(said["source"], to=tmp_path / "folder", report=False, **recoded)
    there = hedgerow.attack([placed(tmp_path, "r")], truth=said["source"])
    here = hedgerow.attack([tmp_path / "folder"], truth=tmp_path / "town.parquet")
    assert [(one.attack, one.found, one.gain) for one in there] == [
        (one.attack, one.found, one.gain) for one in here
    ]
    foreign = hedgerow.attack([said["source"]], sensitive=["sex"], know={"age": "3"})
    assert foreign


def test_nothing_of_javas_is_seen(tmp_path):
    """A process of its own: there Spark is started by us."""
    pq.write_table(people(), tmp_path / "people.parquet")
    plan = tmp_path / "plan.yaml"
    said = {"columns": COLUMNS, "protect": [{"k-anonymity": 3}]}
    plan.write_text(json.dumps(said | {"source": f"spark://::{tmp_path}/people.parquet"}))
    loud = {"JDK_JAVA_OPTIONS": QUICK, "PYTHONWARNINGS": "default"}  # Java notes that, too
    done = subprocess.run(
        [sys.executable, "-m", "hedgerow", "check", plan, "--quiet"],
        capture_output=True, text=True, env={**os.environ, **loud},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
