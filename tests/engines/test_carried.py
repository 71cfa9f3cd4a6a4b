"""A release that is made here and becomes a table of a database: all of it, or nothing."""

import datetime as dt
import decimal
import json
import math
import random
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from points import at_points
from typer.testing import CliRunner

import hedgerow
import hedgerow.release.publication
from hedgerow.base.errors import DataError, HedgerowError, TargetError
from hedgerow.cli import app
from hedgerow.engines import open_engine, table_place
from hedgerow.engines.base import Written
from hedgerow.engines.postgresql.arrival import PostgreSQLArrival
from hedgerow.engines.transfer import carried
from hedgerow.ledger import Ledger

COLUMNS = {"zip": "quasi-identifier", "age": "quasi-identifier", "disease": "sensitive"}
COLUMNS |= {"note": "insensitive", "day": "insensitive", "name": "identifier"}


def people(rows=120, seed=1):
    """Made so that 3-anonymity takes some recoding, in an order that would tell."""
    pick = random.Random(seed)
    notes = [0.5, -0.0, 0.0, float("nan"), float("inf"), None]
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


def publish(source, to, **more):
    said = {"columns": COLUMNS, "protect": [{"k-anonymity": 3}], "report": False}
    return hedgerow.publish(source, to=to, **(said | more))


@pytest.fixture
def tables(postgresql_tables):
    return postgresql_tables


@pytest.fixture
def elsewhere(tables):
    """Another database of the server, to the engine as far away as another machine."""
    name = f"d{uuid.uuid4().hex}"
    tables.server.sql(f"CREATE DATABASE {name}")
    yield f"{tables.address.removesuffix('/postgres')}/{name}::public.released"
    tables.server.sql(f"DROP DATABASE {name}")


def there(tables):
    found = tables.sql(
        f"SELECT relname FROM pg_class WHERE relnamespace = '{tables.schema}'::regnamespace "
        "AND relkind = 'r' ORDER BY 1"
    )
    return [row[0] for row in found]


# The same release, wherever the source is


def test_a_file_gives_the_same_certificate_as_a_table(tables, tmp_path):
    table = people()
    pq.write_table(table, tmp_path / "people.parquet")
    with duckdb.connect() as local:
        local.register("given", table)
        local.execute(f"COPY given TO '{tmp_path / 'people.csv'}' (HEADER, FORCE_QUOTE *)")
    sources = {
        "table": tables(table, "patients"),
        "parquet": tmp_path / "people.parquet",
        "csv": tmp_path / "people.csv",
        "memory": table,
    }
    found = {name: publish(source, tables.place(name)) for name, source in sources.items()}
    for name, release in found.items():
        assert release.certificate == found["table"].certificate, name
        assert release.place == tables.place(name)
        beside = tables.sql(f'SELECT certificate FROM "{name}_certificate"')
        assert json.loads(beside[0][0]) == release.certificate
        assert not hedgerow.verify(tables.place(name)).refuted
    wanted = tables.sql('SELECT zip, age, disease, note::text, day FROM "table" ORDER BY 1,2,3,4,5')
    for name in ("parquet", "memory"):
        assert wanted == tables.sql(
            f"SELECT zip, age, disease, note::text, day FROM {name} ORDER BY 1,2,3,4,5"
        )
    kinds = tables.sql(
        "SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = 'parquet'::regclass AND attnum > 0 ORDER BY attnum"
    )
    assert [k for (k,) in kinds] == ["text", "integer", "text", "double precision", "date"]


def test_from_one_database_to_another(tables, elsewhere):
    address = tables(people(), "patients")
    here, far = publish(address, tables.place("released")), publish(address, elsewhere)
    assert far.certificate == here.certificate
    assert not hedgerow.verify(elsewhere).refuted
    with pytest.raises(TargetError, match="exists already"):
        publish(address, elsewhere)
    assert publish(address, elsewhere, replace=True).rows == 120


def test_the_environment_says_which_database(tables, monkeypatch):
    for name, value in {"HOST": "127.0.0.1", "PORT": tables.server.port, "USER": "steward"}.items():
        monkeypatch.setenv(f"PG{name}", str(value))
    monkeypatch.setenv("PGDATABASE", "postgres")
    publish(people(), f"postgresql://::{tables.schema}.released")
    assert there(tables) == ["released", "released_certificate"]


def test_rows_do_not_stand_as_in_the_source(tables):
    table = pa.table({"zip": ["1"] * 50, "note": [str((i * 7) % 50).zfill(2) for i in range(50)]})
    columns = {"zip": "quasi-identifier", "note": "insensitive"}
    publish(table, tables.place("released"), columns=columns)
    found = tables.sql("SELECT note FROM released")
    assert found == sorted(found)


def test_people_with_several_rows_and_methods_that_separate_them(tables, tmp_path):
    base = people()
    twice = pa.concat_tables([base, base.slice(0, 40)])
    address = tables(twice, "patients")
    for more in (
        {"person": "name", "rows": "at most 2", "null": ["flu", "0.5"]},
        {"person": "name", "rows": "at most 2", "method": {"search": "mondrian"}},
    ):
        there, here = publish(address, tables.place("there"), replace=True, **more), None
        here = publish(twice, tables.place("here"), replace=True, **more)
        assert here.certificate == there.certificate
        assert here.rows == 160


# Values


def send(tables, table, name="released"):
    """Carry a table there."""
    place = table_place(tables.place(name))
    file = tables.server.folder.parent / f"hedgerow-{uuid.uuid4().hex}.parquet"
    try:
        with duckdb.connect() as local:
            local.execute("SET TimeZone = 'UTC'")
            local.register("given", table)
            local.execute(f"COPY given TO '{file}' (FORMAT parquet)")
        with carried(place) as there:
            there.check(replace=False)
            rows = table.num_rows
            written = there.arrived(Written(path=file, rows=rows, people=rows, sha256=""))
            there.deliver("{}", replace=False)
    finally:
        file.unlink()
    assert written.path == place


def sent(tables, table, name="released"):
    """A table as it is after it was carried, read by the database's own library."""
    send(tables, table, name)
    return tables.sql("SET TimeZone = 'UTC'", f"SELECT * FROM {name}")


def test_every_type_arrives_exactly(tables):
    utc = dt.UTC
    zoned = [dt.datetime(2024, 3, 31, 1, 30, 0, 5, utc), dt.datetime(1, 1, 1, tzinfo=utc), None]
    columns = {
        "bool": pa.array([True, False, None]),
        "int8": pa.array([-128, 127, None], pa.int8()),
        "uint32": pa.array([2**32 - 1, 0, None], pa.uint32()),
        "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
        "int64": pa.array([-(2**63), 2**63 - 1, None], pa.int64()),
        "float": pa.array([0.1, -0.0, None], pa.float32()),
        "double": pa.array([5e-324, 0.1 + 0.2, None], pa.float64()),
        "cents": pa.array([decimal.Decimal("-0.05"), decimal.Decimal("1234567.10"), None]),
        "day": pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31), None]),
        "at": pa.array([dt.datetime(2024, 2, 29, 23, 59, 59, 999_999), None, None]),
        "zoned": pa.array(zoned, pa.timestamp("us", "Europe/Berlin")),
        "nanos": pa.array([1_700_000_000_123_456_000, 0, None], pa.timestamp("ns")),
        "time": pa.array([dt.time(12, 30, 0, 5), dt.time(0), None]),
        "text": ['a "b",\r\n\\.\n', "", None],
        'Odd "name", it\'s': ["ä\x1f\x1b", " null ", None],
    }
    found = sent(tables, pa.table(columns))
    wanted = {name: values.to_pylist() if hasattr(values, "to_pylist") else values
              for name, values in columns.items() if name != "nanos"}  # fmt: skip
    got = dict(zip(columns, map(list, zip(*found, strict=True)), strict=True))
    assert got.pop("nanos") == [
        dt.datetime(2023, 11, 14, 22, 13, 20, 123_456), dt.datetime(1970, 1, 1), None,
    ]  # fmt: skip
    singles = [v and float(v) for v in pa.array(wanted.pop("float")).to_pylist()]
    floats = got.pop("float")
    assert math.copysign(1, floats[1]) == -1
    assert floats[0] == pytest.approx(singles[0], rel=1e-7)
    assert got == wanted


def test_a_column_alone_keeps_its_missing_and_its_empty_values(tables):
    rows = sent(tables, pa.table({"a": [None, "", "x", None]}))
    assert sorted(rows, key=str) == [("",), ("x",), (None,), (None,)]
    assert sent(tables, pa.table({"a": pa.array([], pa.string())}), "empty") == []


def test_years_before_christ_and_days_without_end(tables):
    with duckdb.connect() as local:
        local.execute("SET TimeZone = 'UTC'")
        table = local.sql(
            "SELECT x::DATE AS day, x::TIMESTAMP AS moment, x::TIMESTAMPTZ AS zoned "
            "FROM (VALUES ('0044-03-15 (BC) 12:00:00.5'), ('0001-12-31 (BC)'), ('12024-02-29'), "
            "('infinity'), ('-infinity')) AS t(x)"
        ).to_arrow_table()
    send(tables, table)
    found = tables.sql(
        "SET TimeZone = 'UTC'", "SELECT day::text, moment::text, zoned::text FROM released"
    )
    assert found == [
        ("0044-03-15 BC", "0044-03-15 12:00:00.5 BC", "0044-03-15 12:00:00.5+00 BC"),
        ("0001-12-31 BC", "0001-12-31 00:00:00 BC", "0001-12-31 00:00:00+00 BC"),
        ("12024-02-29", "12024-02-29 00:00:00", "12024-02-29 00:00:00+00"),
        ("infinity",) * 3,
        ("-infinity",) * 3,
    ]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (pa.array([b"\x00", b"a"]), r"'odd' cannot be stored.* no type for BLOB"),
        (pa.array([[1], [2]]), r"'odd' cannot be stored.* no type for BIGINT\[\]"),
        (pa.array([1, 2], pa.timestamp("ns")), "does not hold 'odd' as it was written"),
        (pa.array(["a\0b", "c"]), "a value .*that the database cannot hold"),
        (pa.array([-(2**31) + 10, 0], pa.date32()), "value in the column 'odd'.* cannot hold"),
    ],
)
def test_what_cannot_be_stored_is_named(tables, values, why):
    with pytest.raises(TargetError, match=why):
        sent(tables, pa.table({"fine": [1, 2], "odd": values}))
    assert there(tables) == []


def test_a_name_that_would_be_cut_off_is_refused(tables):
    with pytest.raises(TargetError, match="no column of the table can be called 'näm"):
        send(tables, pa.table({"fine": [1], "nä" + "m" * 62: [2]}))
    assert there(tables) == []


def test_a_list_of_words_is_text(tables):
    """A Parquet file would bring all its words along, also those nobody in the release has."""
    wards = pa.array([f"w{i % 3}" for i in range(120)]).dictionary_encode()
    table = people().append_column("ward", wards)
    publish(table, tables.place("released"), columns=COLUMNS | {"ward": "insensitive"})
    assert tables.sql("SELECT DISTINCT ward, pg_typeof(ward)::text FROM released ORDER BY 1") == [
        (f"w{i}", "text") for i in range(3)
    ]


# Faults


def entries(ledger):
    with Ledger.open(str(ledger)) as book:
        return [str(entry.kind) for entry in book.entries()]


def end_connections(tables):
    tables.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hedgerow'"
    )


@pytest.mark.parametrize("when", ["written", "measured"])
def test_a_lost_connection_leaves_nothing_and_the_ledger_says_so(
    tables, tmp_path, monkeypatch, when
):
    ledger = tmp_path / "ledger.db"
    at_points(monkeypatch, lambda name: end_connections(tables) if name == when else None)
    with pytest.raises(TargetError, match="connection to the database was lost"):
        publish(people(), tables.place("released"), ledger=ledger, population="ward")
    assert there(tables) == []
    wanted = "RELEASED" if when == "measured" else "FAILED"
    assert entries(ledger)[-2:] == ["RESERVE", wanted], "once written down, it counts as published"


def test_nobody_sees_it_before_it_is_delivered(tables, monkeypatch):
    seen = []
    at_points(monkeypatch, lambda name: seen.append((name, there(tables))))
    publish(people(), tables.place("released"))
    assert dict(seen)["measured"] == []
    assert dict(seen)["delivered"] == ["released", "released_certificate"]


def test_what_cannot_be_there_costs_no_reservation(tables, tmp_path):
    ledger = tmp_path / "ledger.db"
    more = {"ledger": ledger, "population": "ward"}
    tables.sql("CREATE TABLE other (a text)")
    for place, replace, why in (
        (tables.place("other"), False, "exists already"),
        (tables.place("other"), True, "is not a release"),
        (f"{tables.address}::nowhere.x", False, "no schema"),
    ):
        with pytest.raises(TargetError, match=why):
            publish(people(), place, replace=replace, **more)
    with pytest.raises(DataError, match="cannot be reached"):
        publish(people(), "postgresql://127.0.0.1:1/postgres::x", **more)
    with pytest.raises(TargetError, match="escape_formulas"):
        publish(people(), tables.place("x"), publish={"to": "x", "escape_formulas": True})
    assert "RESERVE" not in entries(ledger)
    assert there(tables) == ["other"]


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("c4 AS o4", "c4 + INTERVAL 1 DAY AS o4", "does not hold 'day' as it was written"),
        ("FROM source", "FROM source LIMIT 119", "119 rows arrived of 120"),
    ],
)
def test_a_table_that_was_altered_on_its_way_is_refused(tables, monkeypatch, before, after, why):
    real = PostgreSQLArrival.load

    def altered(self, session, sql, columns):
        assert before in sql
        return real(self, session, sql.replace(before, after), columns)

    monkeypatch.setattr(PostgreSQLArrival, "load", altered)
    with pytest.raises(TargetError, match=why):
        publish(people(), tables.place("released"))
    assert there(tables) == []


def test_the_command_line(tables, tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        json.dumps(
            {
                "source": "people.parquet",
                "columns": COLUMNS,
                "protect": [{"k-anonymity": 3}],
                "publish": {"to": tables.place("released")},
            }
        )
    )
    done = CliRunner().invoke(app, ["publish", str(plan)])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["verify", tables.place("released"), "--plan", str(plan)])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["publish", str(plan)])
    assert done.exit_code == 2
    with open_engine(tables.place("released")) as engine:
        assert engine.rows_total() == 120
    with pytest.raises(HedgerowError, match="exists already"):
        hedgerow.publish(plan)
