"""Spark writes the bytes DuckDB writes, and nothing half-done is ever seen."""

import datetime
import decimal
import math
import os
import time
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.base.errors import DataError, TargetError
from hedgerow.engines import TablePlace, open_engine
from hedgerow.engines.remote_engine import RemoteEngine
from hedgerow.engines.spark import connection
from hedgerow.engines.spark.remote import open_frame, open_spark
from hedgerow.engines.spark.targets import TableTarget

ROWS = 400
PROOF = '{"format": "hedgerow-certificate/1", "it\'s": "\\u00fc ü"}'


def people():
    """Values of all kinds, many of them alike."""
    x = [(0.0, -0.0, math.nan, None, 1e22, 0.1)[i * i % 6] for i in range(ROWS)]
    note = [("a", None, "", "=1+1", 'say "ah", ü', "\x1f")[i * 7 % 6] for i in range(ROWS)]
    return pa.table(
        {
            "zip": pa.array([f"{i % 5:05}" if i % 5 else None for i in range(ROWS)]),
            "age": pa.array([i % 3 for i in range(ROWS)], pa.int32()),
            "x": pa.array(x),
            "note": pa.array(note),
            "cost": pa.array(
                [decimal.Decimal(i % 4) / 100 for i in range(ROWS)], pa.decimal128(2, 2)
            ),
            "day": pa.array([datetime.date(2024, 2, 1 + i % 28) for i in range(ROWS)]),
            "at": pa.array([i * 10**15 for i in range(ROWS)], pa.timestamp("us", tz="UTC")),
            "who": pa.array([f"p{i % 45}" for i in range(ROWS)]),
        }
    )


PUBLISHED = ("age", "zip", "x", "note", "cost", "day", "at")


def recoding(engine, *, ranked=False):
    """Ages are hidden, one zip is left out; or the people of a cell are torn apart by rank."""
    counted = engine.counts(["zip", "age"]).to_pylist()
    lines = []
    for cell in sorted(counted, key=repr):
        q0, q1, n = cell["q0"], cell["q1"], cell["n"]
        if q0 == "00003":
            continue
        halves = [(0, n // 2), (n // 2, n)] if ranked else [(0, n)]
        for lo, hi in halves:
            lines.append({"q0": q0, "q1": q1, "p0": q0, "p1": f"*{lo}", "lo": lo, "hi": hi})
    kept = sum(line["hi"] - line["lo"] for line in lines)
    table = pa.Table.from_pylist(
        lines,
        schema=pa.schema(
            [
                *((name, pa.string()) for name in ("q0", "q1", "p0", "p1")),
                ("lo", pa.int64()),
                ("hi", pa.int64()),
            ]
        ),
    )
    return (table if ranked else table.drop_columns(["lo", "hi"])), kept


def write(engine, target, **options):
    mapping, kept = recoding(engine, **options)
    return engine.write(
        mapping,
        target,
        columns=PUBLISHED,
        quasi_identifiers=("zip", "age"),
        keep=("zip",),
        expect_people=kept,
        escape_formulas=True,
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("ranked", [False, True])
@pytest.mark.parametrize("person", [None, "who"])
def test_a_file_has_the_same_bytes(framed, tmp_path, suffix, ranked, person):
    if person and ranked and suffix == "csv":
        pytest.skip("as with Parquet")
    duck, spark = tmp_path / f"duck.{suffix}", tmp_path / f"spark.{suffix}"
    with open_engine(people(), null=("0.1",), person=person) as engine:
        wanted = write(engine, duck, ranked=ranked)
    with RemoteEngine(open_frame(framed(people())), null=("0.1",), person=person) as engine:
        got = write(engine, spark, ranked=ranked)
    assert (got.rows, got.people, got.sha256) == (wanted.rows, wanted.people, wanted.sha256)
    assert spark.read_bytes() == duck.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([duck.name, spark.name])


def test_large_answers_come_in_pieces(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("hedgerow.engines.spark.driver.AT_ONCE", 1000)
    frame = spark.range(3000).selectExpr("id % 10 AS few", "id AS many", "'same' AS one")
    with RemoteEngine(open_frame(frame)) as engine:
        assert engine.counts(["few", "many"]).num_rows == 3000
        rows = engine.rows(["few", "one"], 3000)
        assert sorted(map(tuple, zip(*rows.to_pydict().values(), strict=True))) == sorted(
            (str(i % 10), "same") for i in range(3000)
        )


def target(place):
    return TablePlace(address="spark://", table=str(place))


@pytest.fixture
def source(framed):
    with RemoteEngine(open_frame(framed(people()))) as engine:
        yield engine


def released(path):
    with RemoteEngine(open_spark(target(path))) as engine:
        return engine.columns(), sorted(map(repr, engine.rows(engine.columns(), 10**6).to_pylist()))


def test_a_folder_takes_its_name_when_all_is_written(source, tmp_path):
    folder = tmp_path / "release"
    written = write(source, target(folder))
    assert not folder.exists(), "not before the certificate is there"
    source.deliver("{}", replace=False)
    assert sorted(p.name for p in folder.iterdir()) == ["certificate.json", "data.parquet"]
    assert [p.name for p in tmp_path.iterdir()] == ["release"]
    columns, rows = released(folder)
    assert columns == PUBLISHED
    assert len(rows) == written.rows == written.people
    with open_engine(people()) as engine:
        write(engine, tmp_path / "duck.parquet")
    with open_engine(tmp_path / "duck.parquet") as engine:
        assert rows == sorted(map(repr, engine.rows(PUBLISHED, 10**6).to_pylist()))
    with pytest.raises(TargetError, match="there already"):
        source.check_table(target(folder), replace=False)


def test_an_old_release_goes_when_the_new_one_is_there(source, tmp_path):
    folder = tmp_path / "release"
    write(source, target(folder))
    source.deliver("old", replace=False)
    source.check_table(target(folder), replace=True)
    write(source, target(folder), ranked=True)
    assert (folder / "certificate.json").read_text() == "old"
    with pytest.raises(TargetError, match="there already"):
        source.deliver("new", replace=False)
    source.deliver("new", replace=True)
    assert (folder / "certificate.json").read_text() == "new"
    assert "*0" in str(released(folder)[1])
    assert [p.name for p in tmp_path.iterdir()] == ["release"]


def test_rows_in_a_folder_do_not_stand_as_in_the_source(source, framed, tmp_path):
    upside_down = people().take(list(reversed(range(ROWS))))
    write(source, target(tmp_path / "one"))
    source.deliver("", replace=False)
    with RemoteEngine(open_frame(framed(upside_down))) as engine:
        write(engine, target(tmp_path / "two"))
        engine.deliver("", replace=False)
    one, two = (
        [
            line
            for file in sorted((tmp_path / name / "data.parquet").glob("*.parquet"))
            for line in map(repr, pq.read_table(file).to_pylist())
        ]
        for name in ("one", "two")
    )
    assert one == two


def lasting(spark, database):
    """Tables that are no temporary views."""
    return {table.name for table in spark.catalog.listTables(database) if not table.isTemporary}


def test_a_table_and_its_certificate_appear_together(spark, source):
    spark.sql("CREATE DATABASE IF NOT EXISTS open")
    place = target("open.`release`")
    source.check_table(place, replace=False)
    written = write(source, place)
    (hidden,) = lasting(spark, "open")
    assert "release" not in hidden
    source.deliver(PROOF, replace=False)
    assert lasting(spark, "open") == {"release", "release_certificate"}
    with RemoteEngine(open_spark(place)) as engine:
        assert engine.certificate() == PROOF
        assert engine.rows_total() == written.rows
        spark.sql("USE open")
        for spelled in ("open.`release`", "RELEASE", "spark_catalog.open.Release"):
            with pytest.raises(TargetError, match="source itself"):
                engine.check_table(target(spelled), replace=True)
        spark.sql("USE default")
    with pytest.raises(TargetError, match="there already"):
        source.check_table(place, replace=False)
    source.check_table(place, replace=True)
    write(source, place, ranked=True)
    source.deliver(f"{PROOF} ", replace=True)
    assert lasting(spark, "open") == {"release", "release_certificate"}
    with RemoteEngine(open_spark(place)) as engine:
        assert engine.certificate() == f"{PROOF} "
        assert "*0" in engine.distinct("age")
    spark.sql("DROP TABLE open.`release_certificate`")
    with pytest.raises(TargetError, match="no release"):
        source.check_table(place, replace=True)
    spark.sql("DROP DATABASE open CASCADE")


def test_a_table_of_somebody_else_is_not_taken_for_a_certificate(spark, source):
    spark.sql("CREATE DATABASE IF NOT EXISTS theirs")
    spark.sql("CREATE TABLE theirs.births_certificate AS SELECT 7 AS certificate, 'x' AS name")
    place = target("theirs.births")
    for born in (False, True):
        if born:
            spark.sql("CREATE TABLE theirs.births AS SELECT 1 AS n")
        with pytest.raises(TargetError, match="no release"):
            source.check_table(place, replace=True)
    spark.sql("DROP TABLE theirs.births_certificate")
    spark.sql("CREATE TABLE theirs.births_certificate AS SELECT 'of birth' AS certificate")
    with pytest.raises(TargetError, match="no release"):
        source.check_table(place, replace=True)
    spark.sql("DROP DATABASE theirs CASCADE")


@pytest.mark.parametrize("step", [1, 3, 4])
def test_the_old_release_is_put_back_where_a_step_fails(spark, source, monkeypatch, step):
    spark.sql("CREATE DATABASE IF NOT EXISTS again")
    place = target("again.births")
    write(source, place)
    source.deliver(PROOF, replace=False)
    write(source, place, ranked=True)
    rename, steps = TableTarget._rename, []

    def failing(self, old, new):
        steps.append(new)
        if len(steps) == step:
            raise TargetError("no leave to rename")
        rename(self, old, new)

    monkeypatch.setattr(TableTarget, "_rename", failing)
    with pytest.raises(TargetError, match="no leave"):
        source.deliver(f"{PROOF} ", replace=True)
    monkeypatch.undo()
    assert {"births", "births_certificate"} <= lasting(spark, "again")
    with RemoteEngine(open_spark(place)) as engine:
        assert engine.certificate() == PROOF
        assert set(engine.distinct("age")) == {"*0"}
    spark.sql("DROP DATABASE again CASCADE")


def test_a_second_server_is_another_session(monkeypatch):
    from pyspark.sql.connect.session import SparkSession

    def session(address):
        return SimpleNamespace(client=SimpleNamespace(_builder=SimpleNamespace(endpoint=address)))

    class Builder:
        """Spark's own: it has a session with the first server already."""

        def remote(self, address):
            self.address = address.removeprefix("sc://")
            return self

        def getOrCreate(self):
            return session("one.example:15002")

        def create(self):
            return session(self.address)

    monkeypatch.setattr(SparkSession, "builder", Builder())
    kind = SimpleNamespace(builder=Builder())
    for name in ("one.example:15002", "two.example:15002"):
        found = connection._at_server(kind, f"sc://{name}")
        assert found.client._builder.endpoint == name


def test_what_a_lost_connection_left_goes_when_somebody_writes_there(spark, source, tmp_path):
    """An hour later somebody may still be at it; two days later nobody is."""
    spark.sql("CREATE DATABASE IF NOT EXISTS swept")
    hour, days = (f"{int(time.time()) - age:010}" for age in (3600, 2 * 86400))
    kept = {f"hedgerow_{hour}_{'a' * 16}", f"hedgerow_{days}_{'a' * 16}_old", "hedgerow_notes"}
    for name in kept | {f"hedgerow_{days}_{'b' * 16}", f"hedgerow_{days}_{'b' * 16}_certificate"}:
        spark.sql(f"CREATE TABLE swept.{name} AS SELECT 1 AS a")
    folders = {f".hedgerow-{hour}-{'a' * 16}", f".hedgerow-{days}-{'a' * 16}-old", "mine"}
    for name in folders | {f".hedgerow-{days}-{'b' * 16}"}:
        (tmp_path / name / "data.parquet").mkdir(parents=True)
    write(source, target("swept.release"))
    source.deliver("{}", replace=False)
    assert lasting(spark, "swept") == kept | {"release", "release_certificate"}
    write(source, target(tmp_path / "release"))
    source.deliver("{}", replace=False)
    assert {path.name for path in tmp_path.iterdir()} == folders | {"release"}
    spark.sql("DROP DATABASE swept CASCADE")


@pytest.mark.parametrize("wrong", ["rows", "stop"])
def test_what_is_not_delivered_leaves_nothing(framed, tmp_path, wrong, spark):
    before = {table.name for table in spark.catalog.listTables()}
    with RemoteEngine(open_frame(framed(people()))) as engine:
        mapping, kept = recoding(engine)
        for place in (target(tmp_path / "release"), target("release")):
            options = {"columns": PUBLISHED, "quasi_identifiers": ("zip", "age"), "keep": ("zip",)}
            if wrong == "rows":
                with pytest.raises(DataError, match="were expected"):
                    engine.write(mapping, place, expect_rows=kept + 1, **options)
            else:
                engine.write(mapping, place, expect_rows=kept, **options)
    assert list(tmp_path.iterdir()) == []
    assert {table.name for table in spark.catalog.listTables()} == before


@pytest.mark.parametrize("to", ["folder", "file"])
def test_a_source_that_changes_but_keeps_its_number_is_refused(spark, tmp_path, to):
    (tmp_path / "source.csv").write_text("a,b\n1,x\n1,y\n")
    place = target(tmp_path / "release") if to == "folder" else tmp_path / "release.csv"
    mapping = pa.table({"q0": ["1"], "p0": ["*"]})
    options = {"columns": ["a", "b"], "quasi_identifiers": ["a"], "expect_people": 2}
    with RemoteEngine(open_spark(target(tmp_path / "source.csv"))) as engine:
        assert engine.counts(["a"]).num_rows == 1
        engine.write(mapping, tmp_path / "first.csv", **options)
        (tmp_path / "source.csv").write_text("a,b\n1,x\n1,z\n")
        with pytest.raises(DataError, match="the source changed"):
            engine.write(mapping, place, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.csv", "source.csv"]


def test_targets_that_cannot_be(source, tmp_path, framed):
    for wrong, message in {
        "spark://elsewhere:7077::t": "another address",
        "spark://::`the release`": "no name that Spark",
        "spark://::hdfs://host/x": "no folder that this machine can see",
        f"spark://::{tmp_path}/no/such/folder": "does not exist",
    }.items():
        address, _, table = wrong.partition("::")
        with pytest.raises(TargetError, match=message):
            source.check_table(TablePlace(address=address, table=table), replace=False)
    folder = tmp_path / "mine"
    folder.mkdir()
    with pytest.raises(TargetError, match="no release"):
        source.check_table(target(folder), replace=True)


def test_a_folder_is_never_its_own_source(spark, tmp_path):
    spark.range(3).write.parquet(str(tmp_path / "in" / "data.parquet"))
    (tmp_path / "in" / "certificate.json").write_text("{}")
    with RemoteEngine(open_spark(target(tmp_path / "in"))) as engine:
        assert engine.certificate() == "{}"
        with pytest.raises(TargetError, match="source itself"):
            engine.check_table(target(tmp_path / "in"), replace=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_to(source, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(TargetError, match="may not be written"):
        source.check_table(target(tmp_path / "release"), replace=False)
