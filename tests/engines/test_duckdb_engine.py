"""The DuckDB engine: files as people really have them, and what happens when things go wrong."""

import gzip
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.base.errors import DataError, HedgerowError, TargetError
from hedgerow.engines import counts_of, open_engine


@pytest.fixture
def file(tmp_path):
    def write(data: bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def leftovers(folder: Path):
    return sorted(path.name for path in folder.iterdir())


def tuples(source, columns=None, **options):
    with open_engine(source, **options) as engine:
        table = engine.rows(columns or engine.columns(), 1000)
    return [tuple(row.values()) for row in table.to_pylist()]


# CSV as people really have it


@pytest.mark.parametrize(
    ("data", "names", "rows"),
    [
        (b"a,b\n007,\n", ("a", "b"), [("007", None)]),
        (b"a,b\n1,2", ("a", "b"), [("1", "2")]),
        (b"a,b\r\n1,2\r\n", ("a", "b"), [("1", "2")]),
        (b"a;b,c\n1;2,3\n", ("a;b", "c"), [("1;2", "3")]),  # a tie is the comma's
        (b'"a;b",c\n1,2\n', ("a;b", "c"), [("1", "2")]),
        (b"a\tb\n1,5\t2\n", ("a", "b"), [("1,5", "2")]),
        (b'"x"\n"1,2"\n"3;4"\n', ("x",), [("1,2",), ("3;4",)]),
        (b'"x, y"\n"1,2"\n', ("x, y",), [("1,2",)]),
        (b'"a\nb",c\n1,2\n', ("a\nb", "c"), [("1", "2")]),
        (b'"say ""hi""",c\n1,2\n', ('say "hi"', "c"), [("1", "2")]),
        (b'\xef\xbb\xbf"a",b\n1,2\n', ("a", "b"), [("1", "2")]),
        (b"a, b\n 1 , 2\n", ("a", " b"), [(" 1 ", " 2")]),
        (b"a,b\n1,2\n\n3,4\n\n", ("a", "b"), [("1", "2"), ("3", "4")]),
        (b"a,b\n1,#x\n#2,y\n", ("a", "b"), [("1", "#x"), ("#2", "y")]),
        (b"a,b", ("a", "b"), []),
        (b"a,b\nNULL,NaN\n", ("a", "b"), [("NULL", "NaN")]),
    ],
)
def test_csv(file, data, names, rows):
    path = file(data)
    with open_engine(path) as engine:
        assert engine.columns() == names
        assert engine.rows_total() == len(rows)
    assert tuples(path) == rows


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "data.csv: the file is empty"),
        (b"\n\n", "first line is empty"),
        (b"a,,c\n1,2,3\n", "column 2 has no name"),
        (b"a,b\n1,2\n3\n", "data.csv, line 3: 1 fields where the header has 2"),
        (b"a,b\n1,2\n3,4,5\n", "line 3: 3 fields where the header has 2"),
        (b'a,b\n1,2\n"3,4\n5,6\n', "line 3: a quote is opened and never closed"),
        (b'"a,b\n1,2\n', "line 1: the header cannot be read"),
        (b"a,b\n1,2\ncaf\xe9,4\n", "line 3: this is not UTF-8"),
        (b"caf\xe9,b\n1,2\n", "line 1: this is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "line 1: this is not UTF-8"),
        (b"a,b\n1," + b"x" * 3_000_000 + b"\n", "line 2: the line is longer than 2 MB"),
        (b"a,b\r\n1,2\n3,4\r\n", "lines that end in different ways"),
    ],
)
def test_broken_csv_says_where_and_what(file, data, message):
    with pytest.raises(DataError) as caught, open_engine(file(data)) as engine:
        engine.counts(engine.columns())
    assert message in str(caught.value)
    assert "DuckDB" not in str(caught.value)
    assert "ignore_errors" not in str(caught.value)


def test_errors_far_down_name_their_line(file):
    path = file(b"a,b\n" + b"1,2\n" * 400_000 + b"1\n" + b"1,2\n" * 400_000)
    with open_engine(path) as engine, pytest.raises(DataError, match="line 400002"):
        engine.counts("ab")
    with open_engine(path) as engine, pytest.raises(DataError, match="line 400002"):
        engine.write(
            pa.table({"q0": ["1"], "p0": ["*"]}),
            path.parent / "out.csv",
            columns="ab",
            quasi_identifiers="a",
            expect_rows=1,
        )
    assert leftovers(path.parent) == ["data.csv"]


def test_broken_gzip(file):
    whole = gzip.compress(b"a,b\n" + random.Random(1).randbytes(200_000).hex().encode() + b",1\n")
    with (
        pytest.raises(DataError, match="cannot be read"),
        open_engine(file(whole[: len(whole) // 2], "a.csv.gz")) as engine,
    ):
        engine.rows_total()
    with pytest.raises(DataError, match="cannot be read"):
        open_engine(file(b"a,b\n1,2\n", "b.csv.gz"))


def test_sources_that_are_not_there_or_not_readable(file, tmp_path):
    (tmp_path / "folder").mkdir()
    file(b"a\n1\n", "one.csv")
    file(b"a\n1\n", "two.csv")
    for source, message in [
        (tmp_path / "none.csv", "no such file"),
        (tmp_path / "none-*.parquet", "no such file"),
        (tmp_path / "folder", "is a folder"),
        (tmp_path / "*.csv", "matches 2 files"),
        (file(b"x", "data.docx"), "not a kind of file"),
        (file(b"x", "data.xlsx"), "no workbook"),
        (file(b"x", "data"), "not a kind of file"),
        (file(b"hello", "bad.parquet"), "not a Parquet file"),
        (file(b"hello", "bad.duckdb"), "cannot be read"),
        ("https://example.org/data.csv", "no engine reads https://"),
        (3, "int cannot be read"),
        (pl.LazyFrame({"a": [1]}), "LazyFrame cannot be read"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"a": [1, "x", b"y"]}), "Arrow table"),
    ]:
        with pytest.raises(DataError, match=message):
            open_engine(source)


@pytest.mark.parametrize("name", ["data?", "data*", "data[X]"])
def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path, name):
    """The patterns would also match, or only match, the file beside it."""
    for stem, value in ((name, "mine"), ("dataX", "other")):
        (tmp_path / f"{stem}.csv").write_text(f"a\n{value}\n")
        pq.write_table(pa.table({"a": [value]}), tmp_path / f"{stem}.parquet")
    assert tuples(tmp_path / f"{name}.csv") == [("mine",)]
    assert tuples(tmp_path / f"{name}.parquet") == [("mine",)]


def test_parquet_files_that_do_not_fit_together(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": [1]}), tmp_path / "2.parquet")
    with pytest.raises(DataError), open_engine(str(tmp_path / "*.parquet")) as engine:
        engine.counts(["a"])


def test_duckdb_files_with_several_tables(tmp_path):
    path = tmp_path / "data.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE one AS SELECT 1 AS a")
        connection.execute("CREATE SCHEMA s; CREATE TABLE s.two AS SELECT 2 AS b")
    with pytest.raises(DataError, match="has 2 tables: 'one' and 'two'"):
        open_engine(path)
    with pytest.raises(DataError, match="no single table 'three'"):
        open_engine(f"{path}::three")
    assert tuples(f"{path}::two") == [("2",)]


def test_pandas_index_and_missing_values():
    frame = pd.DataFrame({"a": [1.5, np.nan, 1.5], 7: ["x", None, "y"]}, index=[2, 0, 2])
    assert tuples(frame) == [("1.5", "x"), (None, None), ("1.5", "y")]
    with open_engine(frame) as engine:
        assert engine.columns() == ("a", "7")


# Wide, large


@pytest.mark.slow
def test_ten_thousand_columns(file):
    names = [f"column {i}" for i in range(10_000)]
    row = ",".join(str(i % 7) for i in range(10_000))
    path = file((",".join(names) + "\n" + (row + "\n") * 20).encode())
    with open_engine(path) as engine:
        profiles = engine.profile()
        counts = engine.counts(names[:3] + names[-2:])
    assert [p.name for p in profiles] == names
    assert all(p.numbers and p.distinct == 1 and p.rows == 20 for p in profiles)
    assert counts.to_pylist() == [
        {"q0": "0", "q1": "1", "q2": "2", "q3": "2", "q4": "3", "n": 20, "rows": 20}
    ]


def test_more_data_than_memory(tmp_path):
    """A table that sorts to several times the limit is written through the disk."""
    n = 1_500_000
    path = tmp_path / "data.parquet"
    duckdb.sql(
        f"COPY (SELECT md5(i::VARCHAR) || repeat('x', 100) AS a, i % 2 AS b FROM range({n}) t(i)) "
        f"TO '{path}' (FORMAT parquet)"
    )
    target = tmp_path / "out.csv"
    with open_engine(path, memory="150MB", scratch=tmp_path) as engine:
        written = engine.write(
            pa.table({"q0": ["0", "1"], "p0": ["*", "*"]}),
            target,
            columns="ab",
            quasi_identifiers="b",
            expect_rows=n,
        )
    assert written.rows == n
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.parquet", "out.csv"]
    with target.open() as lines:
        next(lines)
        previous = ""
        for line in lines:
            assert previous <= line
            previous = line


def test_too_little_memory_is_said(tmp_path):
    table = pa.table({"a": [f"{i}{'x' * 50}" for i in range(300_000)]})
    with (
        open_engine(table, memory="2MB", scratch=tmp_path) as engine,
        pytest.raises(DataError, match="Allow more memory"),
    ):
        engine.counts("a")
    with pytest.raises(DataError, match="'lots' is not an amount of memory"):
        open_engine(table, memory="lots")


def test_no_place_for_temporary_files(tmp_path):
    with pytest.raises(TargetError, match="temporary folder"):
        open_engine(pa.table({"a": [1]}), scratch=tmp_path / "absent")


# Interruptions and full disks


@pytest.fixture
def ctrl_c():
    """Press Ctrl-C a little later; also where the test run itself ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    yield timer.start
    timer.cancel()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_ctrl_c_stops_a_write_and_leaves_nothing(tmp_path, suffix, ctrl_c):
    rows = 20_000_000
    cells = pa.table({"a": ["x" * 50, "y"], "rows": pa.array([rows, rows], pa.int64())})
    with open_engine(pa.table({"a": ["x"]}), scratch=tmp_path) as engine:
        ctrl_c()
        with pytest.raises(KeyboardInterrupt):
            engine.write_counted(
                cells, tmp_path / f"out.{suffix}", columns="a", expect_rows=2 * rows
            )
        assert not [path for path in leftovers(tmp_path) if "out" in path or "part" in path]
        assert engine.rows_total() == 1  # still usable
    assert leftovers(tmp_path) == []


def test_ctrl_c_stops_a_count(ctrl_c):
    """Left alone, the query would take hours: that the test ends says that it was stopped."""
    table = pa.table({"a": [str(i) for i in range(3000)]})
    with open_engine(table) as engine:
        ctrl_c()
        with pytest.raises(KeyboardInterrupt):
            engine._session.number(
                "SELECT count(DISTINCT md5(a.c0 || b.c0 || c.c0)) FROM source a, source b, source c"
            )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX")
def test_a_full_disk_is_a_target_error(tmp_path, suffix):
    """A limit on file sizes fails writes as a full disk does."""
    script = f"""
        import resource, pyarrow as pa
        from pathlib import Path
        from hedgerow.engines import open_engine
        from hedgerow.base.errors import TargetError
        cells = pa.table({{"a": [f"{{i}}" for i in range(400_000)], "rows": [1] * 400_000}})
        with open_engine(cells) as engine:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            try:
                target = Path({str(tmp_path)!r}) / "out.{suffix}"
                engine.write_counted(cells, target, columns="a", expect_rows=400_000)
            except TargetError as error:
                print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60
    )
    assert "cannot be written" in done.stdout, done.stderr
    assert "the disk has room" in done.stdout
    assert leftovers(tmp_path) == []


def test_errors_while_writing_leave_nothing(tmp_path, monkeypatch):
    from hedgerow.engines import csv_lines

    def broken(lines):
        raise RuntimeError("unplugged")

    monkeypatch.setattr(csv_lines, "payload", broken)
    cells = pa.table({"a": ["x"], "rows": [1]})
    with open_engine(cells) as engine, pytest.raises(RuntimeError, match="unplugged"):
        engine.write_counted(cells, tmp_path / "out.csv", columns="a", expect_rows=1)
    assert leftovers(tmp_path) == []


def test_written_files_have_ordinary_permissions(tmp_path):
    cells = pa.table({"a": ["x"], "rows": [1]})
    (tmp_path / "ordinary").touch()
    with open_engine(cells) as engine:
        for name in ("out.csv", "out.parquet"):
            engine.write_counted(cells, tmp_path / name, columns="a", expect_rows=1)
            assert (tmp_path / name).stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_names_of_every_kind_are_written(tmp_path):
    names = ['a"b', "c;d", "e\nf", "select", "ä", "p0", "rows", "t0", "source", "'", "q0"]
    table = pa.table([pa.array(["1"])] * len(names), names=names)
    for suffix in ("csv", "parquet"):
        target = tmp_path / f"out.{suffix}"
        with open_engine(table) as engine:
            engine.write(
                pa.table({"q0": ["1"], "p0": ["*"]}),
                target,
                columns=names,
                quasi_identifiers=["rows"],
                expect_rows=1,
            )
        with open_engine(target) as engine:
            assert engine.columns() == tuple(names)
        assert counts_of(target, ["rows", "q0"]).to_pylist() == [
            {"q0": "*", "q1": "1", "n": 1, "rows": 1}
        ]


def test_writing_needs_something_to_expect(tmp_path):
    with open_engine(pa.table({"a": ["x"]})) as engine, pytest.raises(ValueError, match="expect"):
        engine.write(
            pa.table({"q0": ["x"], "p0": ["x"]}),
            tmp_path / "out.csv",
            columns="a",
            quasi_identifiers="a",
        )


def test_a_source_that_changed_since_it_was_counted(file, tmp_path):
    path = file(b"a,b\n1,x\n1,y\n")
    with open_engine(path) as engine:
        people = int(engine.counts("a")["n"].to_numpy().sum())
        path.write_bytes(b"a,b\n1,x\n1,y\n1,z\n")
        with pytest.raises(HedgerowError, match="Has the source changed"):
            engine.write(
                pa.table({"q0": ["1"], "p0": ["*"]}),
                tmp_path / "out.csv",
                columns="ab",
                quasi_identifiers="a",
                expect_people=people,
            )
    assert leftovers(tmp_path) == ["data.csv"]


def test_ctrl_c_before_the_wait_still_stops_the_work(tmp_path):
    """The interrupt may come when the work is handed over but nobody waits for it yet."""
    with open_engine(pa.table({"a": ["x"]}), scratch=tmp_path) as engine:
        session = engine._session
        submit = session._worker.submit
        file = tmp_path / "late"
        begun = []

        def interrupted(work):
            future = submit(work)
            if not begun:
                begun.append(True)
                raise KeyboardInterrupt
            return future

        def late():
            time.sleep(0.3)
            file.write_text("after the fact")

        session._worker.submit = interrupted
        with pytest.raises(KeyboardInterrupt):
            session.run(late)
        assert file.exists(), "run returned only once the work had ended"
