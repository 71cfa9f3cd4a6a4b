"""The demo's plan gives the same release wherever Spark runs, and a lost Spark is one sentence."""

import os
import subprocess
import sys
import time
from pathlib import Path

import held_release
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cluster import children, cluster, configured
from demo_release import release
from spark_tables import connect_port
from wire import wire

from hedgerow.api.demo import write_hospital

PATIENTS = 1000
MINUTES = 10 * 60
PROGRAM = Path(__file__).with_name("demo_release.py")


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    """The demo's folder, and the release DuckDB makes of it; without a ledger, which draws."""
    folder = tmp_path_factory.mktemp("hospital")
    plan = write_hospital(folder / "gotham", patients=PATIENTS)
    text = plan.read_text("utf-8")
    assert "ledger: ledger.db" in text
    plan.write_text(text.replace("ledger: ledger.db", ""), "utf-8")
    release(folder / "gotham", "patients.csv", folder / "duckdb")
    return folder


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    with cluster(folder) as (address, workers):
        yield address, workers, configured(folder)


def same(hospital, made):
    """The release and what goes with it, byte for byte."""
    wanted = sorted(file.name for file in (hospital / "duckdb").iterdir())
    assert sorted(file.name for file in made.iterdir()) == wanted
    assert "data.csv" in wanted
    assert "certificate.json" in wanted
    for name in wanted:
        assert (made / name).read_bytes() == (hospital / "duckdb" / name).read_bytes(), name


def elsewhere(hospital, address, to, **environment):
    """Start publishing in a process of its own."""
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), str(hospital / "gotham"),
         f"{address}::{hospital}/gotham/patients.csv", str(to)],
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        cwd=to.parent,
    )  # fmt: skip


def kill(executor):
    """Whether it was there to be killed: one that Spark itself has ended is not."""
    try:
        os.kill(executor, 9)
    except ProcessLookupError:
        return False
    return True


def finished(process):
    _, said = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, said.decode()[-3000:]


def test_on_this_machine(spark, hospital, tmp_path):
    release(hospital / "gotham", f"spark://::{hospital}/gotham/patients.csv", tmp_path / "made")
    same(hospital, tmp_path / "made")


def test_on_a_cluster_of_two_workers(running, hospital, tmp_path):
    address, _, quick = running
    finished(elsewhere(hospital, address, tmp_path / "made", **quick))
    same(hospital, tmp_path / "made")


def test_an_executor_killed_in_the_middle_changes_nothing(running, hospital, tmp_path):
    address, workers, quick = running
    publishing = elsewhere(hospital, address, tmp_path / "made", **quick)
    killed = 0
    while publishing.poll() is None and killed < 2:
        for executor in children(workers[0]):
            time.sleep(2)  # in the middle of something
            killed += kill(executor)
        time.sleep(0.2)
    assert killed, "it was over before anything could be killed"
    finished(publishing)
    same(hospital, tmp_path / "made")


def test_a_part_whose_executor_is_killed_is_worked_on_again(running, tmp_path):
    """On a table of which nothing but the release comes out."""
    address, workers, quick = running
    table = pa.table({"a": pa.array([i % 8 for i in range(400)]), "number": range(400)})
    there, notes, others = (tmp_path / name for name in ("table", "notes", "others"))
    for folder in (there, notes, others):
        folder.mkdir()
    pq.write_table(table, there / "rows.parquet")
    program = Path(held_release.__file__)
    working = subprocess.Popen(
        [sys.executable, program, f"{address}::{there}", tmp_path / "there.csv", notes],
        stderr=subprocess.PIPE,
        env={**os.environ, **quick, "PYSPARK_PYTHON": sys.executable},
    )
    while working.poll() is None and not list(notes.iterdir()):
        time.sleep(0.1)
    executors = [executor for worker in workers for executor in children(worker)]
    for executor in executors:
        kill(executor)
    finished(working)
    assert len(list(notes.iterdir())) > len(held_release.PARTS), "what was lost was done again"
    held_release.release(table, tmp_path / "here.csv", others, 0)
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


def test_by_spark_connect(spark, hospital, tmp_path):
    address = f"sc://127.0.0.1:{connect_port(spark)}"
    finished(elsewhere(hospital, "spark://", tmp_path / "made", SPARK_REMOTE=address))
    same(hospital, tmp_path / "made")


LOST = """
import sys
from hedgerow.engines import TablePlace, open_table
from hedgerow.engines.spark import connection
from hedgerow.base.errors import HedgerowError

connection.RETRIES = 2
with open_table(TablePlace(address="spark://", table=sys.argv[1])) as engine:
    engine.distinct("sex")
    print("ready", flush=True)
    input()
    try:
        engine.distinct("zip")
    except HedgerowError as error:
        print(error)
"""


def test_a_connection_lost_in_the_middle_is_said(spark, hospital):
    with wire(connect_port(spark)) as between:
        asking = subprocess.Popen(
            [sys.executable, "-c", LOST, str(hospital / "gotham" / "patients.csv")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "SPARK_REMOTE": f"sc://127.0.0.1:{between.port}"},
        )
        assert asking.stdout.readline() == "ready\n"
        between.cut()
        said, trace = asking.communicate("\n", timeout=MINUTES)
    assert asking.returncode == 0, trace[-3000:]
    assert "the connection to Spark is lost" in said
    assert not trace
