"""Parts of a frequency set are worked on by the executors, and nothing of them comes out."""

import importlib
import random
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from spark_tables import connect_port

from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.engines.spark import executors
from hedgerow.engines.spark.driver import Driver
from hedgerow.engines.splits import Split

ROWS = 300
DRAW = random.Random(2)
A = [DRAW.randrange(8) for _ in range(ROWS)]
S = [DRAW.choice(["flu", "cold"]) for _ in range(ROWS)]
TABLE = pa.table({"a": pa.array(A, pa.int64()), "s": S, "number": list(range(ROWS))})
CODES = [{str(a): a for a in range(8)}, {"flu": 0, "cold": 1}]
TREE = (
    Split(part=0, axis=0, behind=3, left=1, right=2),
    Split(part=1, axis=0, behind=1, left=3, right=4),
    Split(part=2, axis=0, behind=99, left=5, right=6),
)
PARTS = [3, 4, 5, 6]
"""The last has nobody in it."""


def noting(folder):
    """Publishes each value as it is, and leaves a file for each time it is called."""

    def work(part):
        import uuid

        import pyarrow as pa

        (folder / uuid.uuid4().hex).touch()
        people = {}
        for row in part.to_pylist():
            people[row["c0"]] = people.get(row["c0"], 0) + row["n"]
        codes = sorted(people)
        return pa.table({
            "c0": codes, "n": [people[c] for c in codes], "p0": [f"<{c}>" for c in codes],
            "l0": codes, "h0": codes, "r0": [0.0] * len(codes),
        })  # fmt: skip

    return work


def held_by(engine):
    return engine.hold(["a"], sets=["s"], codes=CODES)


@pytest.fixture(scope="module")
def connected(spark):
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(f"sc://127.0.0.1:{connect_port(spark)}").create()
    yield session
    session.stop()


@pytest.fixture(params=["classic", "connect"])
def engine(request, spark_tables):
    place = spark_tables(TABLE)
    if request.param == "connect":
        session = request.getfixturevalue("connected")
        place = session.read.parquet(place.rpartition("::")[2])
    with open_engine(place) as engine:
        yield engine


def test_each_part_is_worked_on_once_and_stays_there(spark, engine, tmp_path, monkeypatch):
    notes = tmp_path / "notes"
    notes.mkdir()
    fetched = []
    table = Driver.table

    def watched(self, sql):
        found = table(self, sql)
        fetched.append(found.num_rows)
        return found

    monkeypatch.setattr(Driver, "table", watched)
    held = held_by(engine)
    held.solve(TREE, PARTS, noting(notes), separated=False)
    assert max(fetched) == 1, "counts, and errors"
    found = Counter({(r["p0"], r["v0"]): r["n"] for r in held.condensed().to_pylist()})
    assert found == Counter((f"<{a}>", CODES[1][s]) for a, s in zip(A, S, strict=True))
    written = engine.write(
        held, tmp_path / "x.csv", columns=["a", "number"], quasi_identifiers=["a"],
        expect_people=ROWS,
    )  # fmt: skip
    assert written.rows == ROWS
    lines = (tmp_path / "x.csv").read_text("utf-8").splitlines()
    assert sorted(lines[1:]) == sorted(f"<{a}>,{i}" for i, a in enumerate(A))
    assert len(list(notes.iterdir())) == 3
    engine.close()
    views = [t.name for t in engine._remote._driver.session.catalog.listTables()]
    assert not [name for name in views if name.startswith("hedgerow")]
    assert not spark.sparkContext._jsc.getPersistentRDDs()


def test_executors_that_cannot_import_it_say_so(engine, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def work(part):\n    return part\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    only_here = importlib.import_module("only_here")
    held = held_by(engine)
    with pytest.raises(DataError, match="cannot import 'only_here'") as refused:
        held.solve(TREE, PARTS, only_here.work, separated=False)
    assert "PYSPARK_PYTHON" in str(refused.value)
    assert "Traceback" not in str(refused.value)
    del sys.modules["only_here"]


def test_other_errors_are_one_sentence(spark, engine):
    def work(part):
        raise ZeroDivisionError("a bug, not an opinion")

    held = held_by(engine)
    with pytest.raises(DataError, match=r"ZeroDivisionError: a bug, not an opinion$"):
        held.solve(TREE, PARTS, work, separated=False)
    with pytest.raises(ValueError, match="solve it first"):
        held.condensed()


def test_a_worker_that_is_killed_says_so(engine):
    def work(part):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)

    held = held_by(engine)
    with pytest.raises(DataError, match="most likely for want of memory"):
        held.solve(TREE, PARTS, work, separated=False)


def test_another_version_is_refused(spark, spark_tables, monkeypatch):
    monkeypatch.setattr(executors, "__version__", "0.0.1")  # executors have the true one
    with open_engine(spark_tables(TABLE)) as engine:
        held = held_by(engine)
        with pytest.raises(DataError, match=r"have hedgerow .*, and this machine 0\.0\.1"):
            held.solve(TREE, PARTS, noting(Path("/nowhere")), separated=False)


def test_texts_spark_thinks_equal_are_two(spark):
    frame = spark.sql(
        "SELECT collate(v, 'UTF8_LCASE') AS v FROM VALUES ('a'), ('A'), ('A'), (NULL) AS t(v)"
    )
    with open_engine(frame) as engine:
        held = engine.hold(["v"], codes=[{"a": 0, "A": 1, None: 2}])
        assert (held.lines, held.people) == (3, 4)
        assert held.within([{0: (code, code)} for code in range(3)]) == [1, 2, 1]
