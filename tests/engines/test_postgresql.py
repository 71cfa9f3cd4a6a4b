"""PostgreSQL: what only a database has, and what must not go wrong there."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
import uuid
from types import SimpleNamespace

import psycopg
import pyarrow as pa
import pytest
from points import at_points
from typer.testing import CliRunner

import hedgerow
import hedgerow.release.publication
from hedgerow.base.errors import DataError, HedgerowError, TargetError
from hedgerow.cli import app
from hedgerow.engines import TablePlace, open_engine, open_table, table_place
from hedgerow.engines.postgresql.connection import Connection
from hedgerow.engines.postgresql.table import PostgreSQLTable
from hedgerow.engines.postgresql.targets import PostgreSQLTarget
from hedgerow.engines.remote_engine import RemoteEngine
from hedgerow.engines.remote_table import RemoteTable
from hedgerow.engines.tally import AsFound, Tally
from hedgerow.ledger import Ledger
from hedgerow.release.certificate_text import as_text

SECRET = "canary-7f3b"
COLUMNS = {"zip": "quasi-identifier", "age": "quasi-identifier", "disease": "sensitive"}
COLUMNS |= {"note": "insensitive", "name": "identifier"}


def people(rows=120, seed=1):
    """Made so that 3-anonymity takes some recoding, in an order that would tell."""
    pick = random.Random(seed)
    return pa.table(
        {
            "name": [f"n{i}" for i in range(rows)],
            "zip": [f"10{i % 4}" for i in range(rows)],
            "age": pa.array([20 + i % 3 for i in range(rows)], pa.int32()),
            "disease": [pick.choice(["flu", "cold", None]) for _ in range(rows)],
            "note": pa.array([pick.choice([0.5, -0.0, float("nan"), None]) for _ in range(rows)]),
        }
    )


def publish(source, to, **more):
    said = {"columns": COLUMNS, "protect": [{"k-anonymity": 3}], "report": False}
    return hedgerow.publish(source, to=to, **(said | more))


@pytest.fixture
def tables(postgresql_tables):
    return postgresql_tables


def there(tables):
    found = tables.sql(
        f"SELECT relname FROM pg_class WHERE relnamespace = '{tables.schema}'::regnamespace "
        "AND relkind = 'r' ORDER BY 1"
    )
    return [row[0] for row in found]


# Columns


def test_types_a_database_has(tables):
    tables.sql(
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN cents AS numeric(9,2) CHECK (VALUE >= 0)",
        "CREATE DOMAIN more_cents AS cents",
        "CREATE COLLATION loose "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE odd (mood mood, cents more_cents, free numeric, fixed char(5), day time, "
        "id uuid, loose text COLLATE loose, doc json, list integer[], gone integer)",
        "ALTER TABLE odd DROP COLUMN gone",
        "INSERT INTO odd VALUES ('ok', 1.5, 1.50, 'ab', '12:30', "
        "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a', '{}', '{1}'), "
        "('sad', 2, 1.5, 'ab   ', '12:30:00.5', NULL, 'A', NULL, NULL), "
        "(NULL, NULL, 'NaN', NULL, NULL, NULL, 'ä', NULL, NULL)",
    )
    with open_engine(tables.place("odd")) as engine:
        assert engine.columns()[-2:] == ("doc", "list")
        found = {name: engine.distinct(name) for name in engine.columns()[:-2]}
        for name in ("doc", "list"):
            with pytest.raises(DataError, match=f"'{name}' is of the type .*cannot be read"):
                engine.counts([name])
            with pytest.raises(DataError, match="cannot be read"):
                engine.profile()
    assert found == {
        "mood": [None, "ok", "sad"],
        "cents": [None, "1.50", "2.00"],
        "free": ["1.5", "1.50", "NaN"],
        "fixed": [None, "ab"],
        "day": [None, "12:30:00", "12:30:00.5"],
        "id": [None, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
        "loose": ["A", "a", "ä"],
    }


def test_values_that_duckdb_cannot_hold_are_named(tables):
    tables.sql(
        "CREATE TABLE old (day date, at timestamptz, cents numeric(9,2))",
        "INSERT INTO old VALUES ('0044-03-15 BC', '0044-03-15 12:00:00.5+00 BC', 1), "
        "('infinity', 'infinity', 'NaN')",
    )
    with open_engine(tables.place("old")) as engine:
        assert engine.distinct("day") == ["0044-03-15 (BC)", "infinity"]
        assert engine.distinct("at") == ["0044-03-15 (BC) 12:00:00.5+00", "infinity"]
        with pytest.raises(DataError, match=r"'cents' has values that cannot be read .*'NaN'"):
            engine.counts(["cents"])
        # An error would tell whoever asks that somebody has it.
        tally = Tally(by=(AsFound("cents"),))
        assert engine.tally(tally).to_pylist() == [{"k0": None, "n": 1}, {"k0": "1", "n": 1}]


def test_long_texts(tables, tmp_path):
    address = tables(pa.table({"a": ["x" * 5_000_000, None, "y\r\n" * 1_000_000], "b": ["1"] * 3}))
    with open_engine(address) as engine:
        assert [len(text or "") for text in engine.distinct("a")] == [0, 5_000_000, 3_000_000]
        mapping = pa.table({"q0": ["1"], "p0": ["*"]})
        written = engine.write(
            mapping, tmp_path / "o.parquet", columns="ab", quasi_identifiers="b", expect_rows=3
        )
    assert written.rows == 3


def test_names_that_clash_and_tables_that_are_not_there(tables):
    tables.sql('CREATE TABLE clash ("Age" text, age text)', "CREATE VIEW seen AS SELECT 1 AS one")
    with pytest.raises(DataError, match="'Age' and 'age'"):
        open_engine(tables.place("clash"))
    with pytest.raises(DataError, match="no table"):
        open_engine(tables.place("Clash"))
    with open_engine(tables.place("seen")) as engine:
        assert engine.distinct("one") == ["1"]
    with pytest.raises(DataError, match="not the name of a table"):
        open_engine(f"{tables.address}::a.b.c.d")


def test_what_keeps_a_table_from_opening_is_told_as_it_is():
    """To close what did not open must not try to open it again."""
    closed = []
    remote = SimpleNamespace(
        where="somewhere",
        dialect=None,
        columns=(SimpleNamespace(name="a", kind="NONSENSE"),),
        close=lambda: closed.append(True),
    )
    with pytest.raises(DataError, match="NONSENSE"):
        RemoteTable(remote)
    assert closed == [True]


# Addresses and secrets


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://steward:{SECRET}@127.0.0.1/postgres::t",
        f"postgres://steward:{SECRET}@127.0.0.1/postgres::t",
        f"postgresql://127.0.0.1/postgres?password={SECRET}::t",
        f"postgresql://127.0.0.1/postgres?user=a&PASSWORD={SECRET}::t",
        f"postgresql://a:b@{SECRET}@127.0.0.1/postgres",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(address, tmp_path):
    plan = tmp_path / "plan.yaml"
    rest = "columns: {a: quasi-identifier}\nprotect: [{k-anonymity: 2}]\n"
    said = []
    for text in (
        f"source: {address}\n{rest}",
        f"source: a.csv\npublish: {{to: '{address}'}}\n{rest}",
    ):
        plan.write_text(text)
        for command in (
            ["publish", str(plan)],
            ["check", str(plan)],
            ["publish", str(plan), "--json"],
        ):
            done = CliRunner().invoke(app, command)
            assert done.exit_code == 2
            said.append(done.output + repr(done.exception))
    for call in (
        lambda: open_engine(address),
        lambda: hedgerow.verify(address),
        lambda: publish(address, tmp_path / "out"),
        lambda: publish(people(), address),
        lambda: hedgerow.Plan.read(plan),
    ):
        with pytest.raises(HedgerowError) as caught:
            call()
        said.append(str(caught.value) + repr(caught.value))
    assert any("password" in text for text in said)
    assert not any(SECRET in text for text in said)


def test_a_server_that_is_not_there_or_lets_nobody_in(tables, monkeypatch):
    with pytest.raises(DataError, match="cannot be reached"):
        open_engine("postgresql://127.0.0.1:1/postgres::t")
    monkeypatch.setenv("PGPASSWORD", SECRET)
    with pytest.raises(DataError, match="cannot be reached") as caught:
        open_engine(tables.place("t"))
    assert SECRET not in str(caught.value)


def test_the_password_is_in_nothing_that_is_kept(tables, tmp_path, server):
    from postgres_server import PASSWORD

    address = tables(people(), "patients")
    ledger = tmp_path / "ledger.db"
    target = tables.place("released")
    release = publish(address, target, ledger=ledger, population="ward")
    kept = json.dumps(release.certificate) + repr(release) + str(release.summary())
    with Ledger.open(str(ledger)) as book:
        kept += "".join(str(entry.body) for entry in book.entries())
    kept += str(tables.sql("SELECT * FROM released_certificate"))
    assert "5-anonymity" in kept or "3-anonymity" in kept
    for secret in (PASSWORD, PASSWORD.replace(" ", "%20")):
        assert secret not in kept
    assert tables.address not in json.dumps(release.certificate), "nor where it was made"


def test_the_environment_says_where_the_database_is(tables, monkeypatch):
    tables(people(), "patients")
    for name, value in {"HOST": "127.0.0.1", "PORT": tables.server.port, "USER": "steward"}.items():
        monkeypatch.setenv(f"PG{name}", str(value))
    monkeypatch.setenv("PGDATABASE", "postgres")
    plan = hedgerow.Plan.of(
        columns=COLUMNS, protect=[{"k-anonymity": 3}], engine="postgresql",
        source=f"{tables.schema}.patients",
    )  # fmt: skip
    assert hedgerow.check(plan)[0].level == 10
    release = hedgerow.publish(plan, to=tables.place("released"))
    assert release.rows == 120


def test_a_first_plan_for_a_table_works(tables, tmp_path):
    tables(people(), "patients")
    plan = tmp_path / "plan.yaml"
    done = CliRunner().invoke(app, ["init", tables.place("patients"), "--to", str(plan)])
    assert done.exit_code == 0, done.output
    assert hedgerow.Plan.read(plan).source == tables.place("patients")
    assert CliRunner().invoke(app, ["check", str(plan)]).exit_code in (0, 1)


def test_answers_with_noise_are_counted_there(tables, tmp_path):
    address = tables(people(), "patients")
    said = {
        "columns": {"zip": {"role": "sensitive", "domain": ["100", "101", "102", "103"]},
                    "age": {"role": "sensitive", "bounds": [20, 22], "step": 1},
                    "disease": "sensitive", "note": "sensitive", "name": "identifier"},
        "privacy": {"neighbours": "add-remove"}, "population": "ward",
    }  # fmt: skip
    plan = hedgerow.Plan.of(**said, source=address)
    budget = ["ledger", "budget", "ward", "--set", "epsilon=200", "--ledger"]
    done = CliRunner().invoke(app, [*budget, str(tmp_path / "ledger.db")])
    assert done.exit_code == 0, done.output
    with hedgerow.session(plan, ledger=tmp_path / "ledger.db") as session:
        answer = session.count(epsilon=50)
        tables.sql("DELETE FROM patients WHERE zip = '100'")
        again = session.count(epsilon=50)
    assert again.again, "nobody looks at the data again"
    assert again.tables == answer.tables
    noisy = {**said, "method": {"search": "marginals", "epsilon": 50, "tables": [["zip"]]}}
    release = hedgerow.publish(
        hedgerow.Plan.of(**noisy, source=address), to=tmp_path / "noisy", report=False,
        ledger=tmp_path / "ledger.db",
    )  # fmt: skip
    assert release.folder == tmp_path / "noisy"
    with pytest.raises(HedgerowError, match="table"):
        hedgerow.publish(
            hedgerow.Plan.of(**noisy, source=address), to=tables.place("noisy"),
            ledger=tmp_path / "ledger.db",
        )  # fmt: skip


# Releases that are tables


def released_rows(tables, name="released"):
    return tables.sql(f"SELECT zip, age, disease, note FROM {name}")


def test_a_table_is_published_whole_with_its_certificate(tables):
    address = tables(people(), "patients")
    release = publish(address, tables.place("released"))
    assert release.data == table_place(tables.place("released"))
    assert release.place == tables.place("released")
    assert there(tables) == ["patients", "released", "released_certificate"]
    rows = released_rows(tables)
    assert len(rows) == release.rows == 120
    assert rows == sorted(rows, key=lambda r: [(v is None, str(v) == "nan", v or 0) for v in r]), (
        "the order tells nothing"
    )
    kinds = tables.sql(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = 'released'::regclass AND attnum > 0 ORDER BY attnum"
    )
    assert kinds == [
        ("zip", "text"), ("age", "integer"), ("disease", "text"), ("note", "double precision"),
    ]  # fmt: skip
    assert json.loads(tables.sql("SELECT certificate FROM released_certificate")[0][0]) == (
        release.certificate
    )
    assert release.to_arrow().num_rows == 120


def packed(row):
    """A row as the hash takes it, written out once more."""

    def element(value):
        if value is None:
            return "n"
        return "v" + value.replace("\x1b", "\x1b0").replace("\x1f", "\x1b1")

    return "\x1f".join(map(element, row)).encode()


@pytest.mark.parametrize("rows", [0, 1, 7, 70_000])
def test_the_hash_of_a_table_is_what_its_description_says(tables, rows):
    texts = ["", None, "a", "\x1f", "\x1b1", "ä", "n", "v"]
    pick = random.Random(rows)
    held = [(pick.choice(texts), str(i % 9), pick.choice(texts)) for i in range(rows)]
    columns = list(zip(*held, strict=True)) if held else [[], [], []]
    table = pa.table([pa.array(list(c), pa.string()) for c in columns], names=["a", "b", "c"])
    hashes = sorted(hashlib.sha256(packed(row)).hexdigest() for row in held)
    digits = 1 if rows > 65_536 else 0
    buckets = {}
    for one in hashes:
        buckets.setdefault(one[:digits], []).append(one)
    lines = (f"{b}:{hashlib.sha256(''.join(h).encode()).hexdigest()}\n" for b, h in buckets.items())
    wanted = hashlib.sha256("".join(lines).encode()).hexdigest()
    with open_table(table_place(tables(table))) as engine:
        assert engine.content_sha256() == wanted
    if rows == 7:
        tables.sql('UPDATE "a ""table"".x" SET b = b || \'.\' WHERE b = \'3\'')
        with open_table(table_place(tables.place('a "table".x'))) as engine:
            assert engine.content_sha256() != wanted


def test_nobody_sees_it_before_it_is_delivered(tables, monkeypatch):
    address = tables(people(), "patients")
    seen = []
    at_points(monkeypatch, lambda name: seen.append((name, there(tables))))
    publish(address, tables.place("released"))
    assert dict(seen)["measured"] == ["patients"]
    assert dict(seen)["delivered"] == ["patients", "released", "released_certificate"]


def test_a_table_written_twice_leaves_one(tables):
    address, place = tables(people(), "patients"), table_place(tables.place("released"))
    mapping = pa.table({"q0": [f"10{i}" for i in range(4)], "p0": ["*"] * 4})
    with open_table(table_place(address)) as engine:
        for expected in (120, 120):
            engine.write(
                mapping, place, columns=["zip", "note"], quasi_identifiers=["zip"],
                expect_rows=expected,
            )  # fmt: skip
        with pytest.raises(DataError, match="120 rows were written where 7"):
            engine.write(mapping, place, columns=["zip"], quasi_identifiers=["zip"], expect_rows=7)
        engine.write(mapping, place, columns=["zip"], quasi_identifiers=["zip"], expect_rows=120)
        engine.deliver("{}", replace=False)
    assert there(tables) == ["patients", "released", "released_certificate"]


def test_what_is_there_is_replaced_only_if_it_is_a_release(tables):
    address, place = tables(people(), "patients"), tables.place("released")
    first = publish(address, place)
    with pytest.raises(TargetError, match="exists already"):
        publish(address, place)
    tables(people(150), "patients")
    second = publish(address, place, replace=True)
    assert (first.rows, second.rows) == (120, 150)
    assert len(released_rows(tables)) == 150
    tables.sql("CREATE TABLE other (a text)")
    for replace, why in ((False, "exists already"), (True, "is not a release")):
        with pytest.raises(TargetError, match=why):
            publish(address, tables.place("other"), replace=replace)
    with pytest.raises(TargetError, match="the source itself"):
        publish(address, address, replace=True)
    with pytest.raises(TargetError, match="no schema"):
        publish(address, f"{tables.address}::nowhere.x")
    with pytest.raises(TargetError, match="too long"):
        publish(address, tables.place("x" * 60))
    with pytest.raises(TargetError, match="escape_formulas"):
        publish(address, place, replace=True, publish={"to": "x", "escape_formulas": True})
    assert there(tables) == ["other", "patients", "released", "released_certificate"]


def test_verify_finds_what_was_changed(tables, tmp_path):
    address, place = tables(people(), "patients"), tables.place("released")
    publish(address, place)
    assert not hedgerow.verify(place).refuted
    assert CliRunner().invoke(app, ["verify", place]).exit_code == 0
    tables.sql("UPDATE released SET disease = 'plague' WHERE disease IS NULL")
    assert any("rows are not those" in why for why in hedgerow.verify(place).refuted)
    done = CliRunner().invoke(app, ["verify", place, "--json"])
    assert done.exit_code == 1
    tables.sql("UPDATE released_certificate SET certificate = '{}'")
    with pytest.raises(DataError, match="not the certificate"):
        hedgerow.verify(place)
    with pytest.raises(DataError, match="no certificate beside"):
        hedgerow.verify(address)
    folder = tmp_path / "out"
    file = publish(address, folder)
    tables.sql(
        "DELETE FROM released_certificate",
        f"INSERT INTO released_certificate VALUES ($x${as_text(file.certificate)}$x$)",
    )
    assert any("this is a table" in why for why in hedgerow.verify(place).refuted)


def test_people_with_several_rows_and_texts_that_mean_missing(tables, tmp_path):
    base = people()
    twice = pa.concat_tables([base, base.slice(0, 40)])
    address = tables(twice, "patients")
    more = {"person": "name", "rows": "at most 2", "null": ["flu", "0.5"]}
    table = publish(address, tables.place("released"), **more)
    file = publish(address, tmp_path / "out", **more)
    assert table.rows == file.rows == 160
    rows = released_rows(tables)
    assert {row[2] for row in rows} == {"cold", None}
    assert not any(row[3] == 0.5 for row in rows)
    assert table.certificate["measured_on"] == "the written table"
    assert table.certificate["claims"] == file.certificate["claims"]
    assert not hedgerow.verify(tables.place("released")).refuted


# Faults


def entries(ledger):
    with Ledger.open(str(ledger)) as book:
        return [str(entry.kind) for entry in book.entries()]


def end_connections(tables):
    """What an administrator, or a failing network, does to those who are in the middle."""
    tables.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hedgerow'"
    )


def test_a_table_that_is_there_costs_no_reservation(tables, tmp_path):
    address, ledger = tables(people(), "patients"), tmp_path / "ledger.db"
    publish(address, tables.place("released"), ledger=ledger, population="ward")
    before = entries(ledger)
    with pytest.raises(TargetError, match="exists already"):
        publish(address, tables.place("released"), ledger=ledger, population="ward")
    assert entries(ledger) == before


@pytest.mark.parametrize("when", ["counted", "chosen", "written"])
@pytest.mark.parametrize("to", ["table", "folder"])
def test_a_lost_connection_leaves_nothing_and_the_ledger_says_so(
    tables, tmp_path, monkeypatch, when, to
):
    if (to, when) == ("folder", "written"):
        return  # all that is needed is here by then
    address, ledger = tables(people(), "patients"), tmp_path / "ledger.db"
    at_points(monkeypatch, lambda name: end_connections(tables) if name == when else None)
    target = tables.place("released") if to == "table" else tmp_path / "out"
    with pytest.raises(HedgerowError, match="connection to the database was lost"):
        publish(address, target, ledger=ledger, population="ward")
    assert there(tables) == ["patients"]
    assert not (tmp_path / "out").exists()
    assert entries(ledger)[-2:] == ["RESERVE", "FAILED"]


def test_a_connection_lost_at_the_last_moment_leaves_no_half_release(tables, tmp_path, monkeypatch):
    address, ledger = tables(people(), "patients"), tmp_path / "ledger.db"
    real = hedgerow.release.publication.as_text

    def cut(certificate):
        end_connections(tables)
        return real(certificate)

    monkeypatch.setattr(hedgerow.release.publication, "as_text", cut)
    with pytest.raises(TargetError, match="connection to the database was lost"):
        publish(address, tables.place("released"), ledger=ledger, population="ward")
    assert there(tables) == ["patients"]
    assert entries(ledger)[-2:] == ["RESERVE", "RELEASED"], "it counts as published, to be safe"


def test_what_changes_meanwhile_is_not_published(tables, tmp_path, monkeypatch):
    address = tables(people(), "patients")
    before = publish(address, tmp_path / "before")

    def change(name):
        if name == "counted":
            tables.sql("DELETE FROM patients WHERE zip = '100'", "UPDATE patients SET age = 99")

    at_points(monkeypatch, change)
    during = publish(address, tmp_path / "during")
    again = tables(people(), "patients")
    table = publish(again, tables.place("released"))
    for name in ("data.csv", "certificate.json"):
        assert (tmp_path / "before" / name).read_bytes() == (
            tmp_path / "during" / name
        ).read_bytes()
    assert before.rows == during.rows == table.rows == 120


@pytest.fixture
def clerk(tables, monkeypatch):
    """Somebody who may read the table and little else."""
    name = f"clerk_{tables.schema}"
    tables.sql(
        f"CREATE ROLE {name} LOGIN PASSWORD '{SECRET}'",
        f"GRANT USAGE ON SCHEMA {tables.schema} TO {name}",
    )
    monkeypatch.setenv("PGPASSWORD", SECRET)
    yield name
    tables.sql(f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def test_no_permission(tables, clerk, tmp_path):
    address = tables(people(), "patients").replace("steward@", f"{clerk}@")
    place = tables.place("released").replace("steward@", f"{clerk}@")
    with pytest.raises(DataError, match="does not allow it: permission denied") as caught:
        publish(address, tmp_path / "out")
    assert SECRET not in str(caught.value)
    tables.sql(f"GRANT SELECT ON patients TO {clerk}")
    assert publish(address, tmp_path / "out").rows == 120
    with pytest.raises(TargetError, match="may not make tables"):
        publish(address, place)
    tables.sql(f"GRANT CREATE ON SCHEMA {tables.schema} TO {clerk}")
    assert publish(address, place).rows == 120
    tables.sql(f"ALTER ROLE {clerk} SET default_transaction_read_only = on")
    with pytest.raises(HedgerowError, match="does not allow it: cannot execute"):
        publish(address, place, replace=True)
    assert there(tables) == ["patients", "released", "released_certificate"]


def test_no_room(tables, clerk, tmp_path):
    """The limit a server sets to temporary files: as a full disk, it says there is no room."""
    wide = people(30_000).append_column("pad", pa.array([f"{i:0200}" for i in range(30_000)]))
    address = tables(wide, "patients").replace("steward@", f"{clerk}@")
    place = tables.place("released").replace("steward@", f"{clerk}@")
    tables.sql(
        f"GRANT SELECT ON patients TO {clerk}",
        f"GRANT CREATE ON SCHEMA {tables.schema} TO {clerk}",
        f"ALTER ROLE {clerk} SET temp_file_limit = '100kB'",
        f"ALTER ROLE {clerk} SET work_mem = '64kB'",
    )
    ledger = tmp_path / "ledger.db"
    columns = COLUMNS | {"pad": "insensitive"}
    with pytest.raises(HedgerowError, match="no room: temporary file size exceeds"):
        publish(
            address, place, columns=columns, ledger=ledger, population="ward",
            one_row_per_person=True,
        )  # fmt: skip
    assert there(tables) == ["patients"]
    assert entries(ledger)[-2:] == ["RESERVE", "FAILED"]


@pytest.fixture
def small_disk(server):
    """A tablespace on a disk of one megabyte."""
    name = f"small_{uuid.uuid4().hex}"
    folder = server.folder / name
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m,mode=777", "none", folder], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only who runs the machine can make a disk that is full soon")
    try:
        place = folder / "tablespace"
        place.mkdir()
        shutil.chown(place, server.folder.stat().st_uid)
        server.sql(f"CREATE TABLESPACE {name} LOCATION '{place}'")
        yield name
        server.sql(f"DROP TABLESPACE {name}")
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("which", ["default_tablespace", "temp_tablespaces"])
def test_a_full_disk(tables, clerk, small_disk, tmp_path, which):
    wide = people(30_000).append_column("pad", pa.array([f"{i:0200}" for i in range(30_000)]))
    address = tables(wide, "patients").replace("steward@", f"{clerk}@")
    place = tables.place("released").replace("steward@", f"{clerk}@")
    tables.sql(
        f"GRANT SELECT ON patients TO {clerk}",
        f"GRANT CREATE ON SCHEMA {tables.schema} TO {clerk}",
        f"GRANT CREATE ON TABLESPACE {small_disk} TO {clerk}",
        f"ALTER ROLE {clerk} SET {which} = '{small_disk}'",
        f"ALTER ROLE {clerk} SET work_mem = '64kB'",
    )
    ledger = tmp_path / "ledger.db"
    columns = COLUMNS | {"pad": "insensitive"}
    with pytest.raises(HedgerowError, match=r"the database has no room: could not (extend|write)"):
        publish(
            address, place, columns=columns, ledger=ledger, population="ward",
            one_row_per_person=True,
        )  # fmt: skip
    assert there(tables) == ["patients"]
    assert entries(ledger)[-2:] == ["RESERVE", "FAILED"]


def test_a_database_in_another_encoding_is_refused(server, tables):
    address = server.database("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    name = address.rpartition("/")[2]
    with pytest.raises(DataError, match="encoding is LATIN1"):
        open_engine(f"{tables.address.replace('/postgres', f'/{name}')}::t")


def test_a_place_is_spelled_back():
    place = TablePlace(address="postgresql://[::1]:5433/d", table='"a.b"."c d"')
    assert table_place(str(place)) == place
    with pytest.raises(DataError, match="names no table"):
        table_place("postgresql://[::1]/db")


def test_closing_leaves_no_connection(tables):
    address = tables(people(), "patients")
    with open_engine(address) as engine:
        engine.counts(["zip"])
        asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hedgerow'"
        assert tables.sql(asked)[0][0] >= 1
        mine = engine._remote._connection._connection.info.backend_pid
    with psycopg.connect(tables.server.url("postgres"), autocommit=True) as connection:
        for _ in range(100):
            left = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = %s", [mine]
            ).fetchone()
            if left == (0,):
                return
            connection.execute("SELECT pg_sleep(0.05)")
    raise AssertionError("the connection is still there")


@pytest.mark.parametrize("how", ["fetch", "copy"])
def test_an_interrupt_stops_the_database_too(tables, tmp_path, how):
    connection = Connection(tables.address, "here")
    rows = 1 if how == "fetch" else 6000
    # A sequence counts the rows that are through, whatever becomes of the statement.
    sequence = f"{tables.schema}.ended"
    tables.sql(f"CREATE SEQUENCE {sequence}")
    ended = f"nextval('{sequence}')"
    running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%nap%'"
    running += " AND pid <> pg_backend_pid()"
    calls = {
        "fetch": lambda: connection.fetch(f"SELECT pg_sleep(60) AS nap, {ended}"),
        "copy": lambda: connection.copy_out(
            f"SELECT pg_sleep(0.01) AS nap, {ended} FROM generate_series(1, {rows})",
            tmp_path / "out.csv",
        ),
    }
    # A job in the background has Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            calls[how]()
        for _ in range(100):
            if tables.sql(running)[0][0] == 0:
                break
            time.sleep(0.1)
        assert tables.sql(running)[0][0] == 0
        assert tables.sql(f"SELECT {ended}")[0][0] <= rows, "it did not go on to the end"
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
        connection.close()


def once(work, *, before):
    """The same, and somebody presses Ctrl-C just before or just after it; once."""
    pressed = []

    def both(*given, **named):
        found = None if before and not pressed else work(*given, **named)
        if not pressed:
            pressed.append(1)
            raise KeyboardInterrupt
        return found

    return both


@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize(
    ("owner", "name", "before"),
    [
        (PostgreSQLTarget, "deliver", True),
        (PostgreSQLTarget, "deliver", False),
        (Connection, "commit", True),
        (Connection, "commit", False),
        (Connection, "close", False),
        (PostgreSQLTable, "close", False),
        (RemoteEngine, "close", False),
    ],
)
def test_an_interrupt_says_whether_the_table_has_appeared(
    tables, monkeypatch, owner, name, before, carried
):
    source = people() if carried else tables(people(), "patients")
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, once(getattr(owner, name), before=before))
        with pytest.raises(KeyboardInterrupt) as found:
            publish(source, tables.place("released"))
    appeared = "released" in there(tables)
    said = str(found.value)
    if appeared:
        assert said == "interrupted after the release was published: it is at its place"
    else:  # nothing, which the command line takes for nothing published; or that nobody can tell
        assert said in ("", "interrupted in the last step; a release may be at its place")
    if name == "deliver":
        assert appeared != before
