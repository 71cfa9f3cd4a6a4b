"""One DuckDB for all sessions of a process: nobody sees what another has made."""

from __future__ import annotations

import gc
import os
import stat
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.base.errors import DataError, TargetError
from hedgerow.engines import instance, open_engine
from hedgerow.engines.file_writer import write_ordered
from hedgerow.engines.session import DuckDBSession


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> instance.Shared:
    """One that no other test uses."""
    from hedgerow.engines import session

    made = instance.Shared()
    monkeypatch.setattr(session, "SHARED", made)
    return made


def opened(**options: Any) -> DuckDBSession:
    return DuckDBSession("somewhere", memory=None, scratch=None, **options)


def test_sessions_share_an_instance_and_nothing_else(shared: instance.Shared) -> None:
    one, other = opened(), opened()
    one.do("CREATE TEMP TABLE people AS SELECT 7 AS age")
    with one.holding("list", pa.table({"who": ["ann"]})):
        for name in ("people", "list"):
            assert one.fetch(f"SELECT * FROM {name}")
            with pytest.raises(DataError, match=name):
                other.fetch(f"SELECT * FROM {name}")
    one.do("SET TimeZone = 'Asia/Tokyo'")
    assert other.fetch("SELECT current_setting('TimeZone')") == [("UTC",)]
    one.close()
    other.do("CREATE TEMP TABLE people AS SELECT 8 AS age")
    assert other.fetch("SELECT age FROM people") == [(8,)]
    other.close()


def test_nothing_is_fetched_and_python_is_not_seen(shared: instance.Shared) -> None:
    session = opened()
    secret = pa.table({"a": [1]})
    assert secret.num_rows
    with pytest.raises(DataError):
        session.fetch("SELECT * FROM secret")
    settings = "autoinstall_known_extensions", "enable_external_file_cache"
    for setting in settings:
        assert session.fetch(f"SELECT current_setting('{setting}')::VARCHAR") == [("false",)]
    session.close()


def test_whoever_limits_memory_has_an_instance_alone(
    shared: instance.Shared, tmp_path: Path
) -> None:
    asked = "SELECT current_setting('memory_limit'), current_setting('temp_directory')"
    common = opened()
    limited = DuckDBSession("somewhere", memory="100MB", scratch=tmp_path)
    assert limited.fetch(asked) == [("95.3 MiB", str(limited.folder))]
    assert limited.folder.parent == tmp_path
    assert common.fetch(asked)[0][0] != "95.3 MiB"
    common.close()
    limited.close()
    assert not list(tmp_path.iterdir())


def test_two_sessions_read_one_database(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as made:
        made.execute("CREATE TABLE t AS SELECT 1 AS a")
    with open_engine(tmp_path / "t.duckdb") as one, open_engine(tmp_path / "t.duckdb") as other:
        assert one.rows_total() == other.rows_total() == 1


def test_the_folder_is_private(shared: instance.Shared) -> None:
    session = opened()
    ask = "SELECT current_setting('temp_directory')"
    folder = Path(session.fetch(ask)[0][0])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    other = opened()
    session.close()
    assert folder.exists()
    other.close()
    assert not folder.exists()
    with closing(opened()) as again:
        assert again.fetch(ask) == [(str(folder),)]
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.mkdir(0o777)  # by somebody else
    with closing(opened()) as elsewhere:
        assert elsewhere.fetch(ask) != [(str(folder),)]


def test_what_does_not_fit_goes_to_the_folder_also_the_second_time(
    shared: instance.Shared,
) -> None:
    for _ in range(2):
        with closing(opened()) as session:
            session.do("SET memory_limit = '40MB'")
            session.do("CREATE TEMP TABLE large AS SELECT range AS a, md5(range::VARCHAR) AS b "
                       "FROM range(2_000_000)")  # fmt: skip
            folder = Path(session.fetch("SELECT current_setting('temp_directory')")[0][0])
            assert list(folder.iterdir())
            assert session.fetch("SELECT count(DISTINCT a) FROM large") == [(2_000_000,)]
        assert not folder.exists()


def test_an_instance_that_has_failed_for_good_is_not_used_again(shared: instance.Shared) -> None:
    session, first = opened(), shared._first

    def fails() -> None:
        raise duckdb.FatalException("FATAL Error: the database has been invalidated")

    with pytest.raises(DataError, match="invalidated"):
        session.run(fails)
    other = opened()
    assert other.fetch("SELECT 1") == [(1,)]
    assert shared._first is not first
    second = shared._first
    with pytest.raises(DataError, match="invalidated"):
        session.run(fails)  # of the first one, which is not the one in use
    assert shared._first is second
    session.close()
    other.close()


def test_when_one_fails_for_good_others_keep_their_folder(shared: instance.Shared) -> None:
    """DuckDB would make it again, for everybody to read."""
    failing, other = opened(), opened()
    folder = shared._folder

    def fails() -> None:
        raise duckdb.InternalException("INTERNAL Error: oh")

    with pytest.raises(DataError, match="oh"):
        failing.run(fails)
    failing.close()
    opened().close()
    gc.collect()
    assert folder.exists()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    other.close()


def test_an_instance_that_cannot_begin_leaves_nothing(
    shared: instance.Shared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Interrupted:
        def execute(self, sql: str) -> None:
            raise RuntimeError("Query interrupted")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(duckdb, "connect", lambda config: Interrupted())
    with pytest.raises(KeyboardInterrupt):
        opened()
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()


def test_no_folder_can_be_made(
    shared: instance.Shared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(TargetError, match="no temporary folder can be made"):
        opened()


FORKS = """
import os, sys, tempfile
import pyarrow as pa
from hedgerow.engines import open_engine

def count():
    with open_engine(pa.table({"a": list(range(100_000))})) as engine:
        return engine.counts(["a"]).num_rows

count()
KEEP = open_engine(pa.table({"a": [1]})) if sys.argv[1] == "open" else None
child = os.fork()
if not child:
    assert count() == 100_000
    sys.stdout.flush()
    os._exit(0) if KEEP else sys.exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert count() == 100_000
assert KEEP is None or KEEP.rows_total() == 1
print("well")
"""


@pytest.mark.parametrize("how", ["open", "closed"])
def test_a_forked_process_begins_one_of_its_own(how: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FORKS), how],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (0, "well\n"), done.stderr
    assert not list(tmp_path.iterdir()), "folders are removed, each by whoever made it"


def test_a_pattern_may_find_a_database(shared: instance.Shared, tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        with duckdb.connect(str(tmp_path / name / "t.duckdb")) as made:
            made.execute("CREATE TABLE t AS SELECT 1 AS a")
    with (
        open_engine(tmp_path / "one" / "t.*") as one,
        open_engine(tmp_path / "other" / "t.*") as other,
    ):
        assert one.rows_total() == other.rows_total() == 1


def test_sessions_that_write_do_not_show_what_is_left_out(
    shared: instance.Shared, tmp_path: Path
) -> None:
    """The setting that hides it is the instance's: nobody takes it back too early."""
    for name, last in (("all", 3), ("missing", None)):
        table = pa.table({"x": pa.array([1, 2, last], pa.int64()), "kept": [1, 1, 0]})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    levels = {}

    def write(name: str) -> None:
        with closing(opened()) as session:
            for _ in range(10):
                relation = f"SELECT x::VARCHAR AS t0, x AS o0 FROM '{tmp_path / name}.parquet'"
                target = tmp_path / f"of_{name}.parquet"
                write_ordered(
                    session, f"{relation} WHERE kept = 1", target, names=["x"], repeated=False,
                    escape_formulas=False, check=lambda rows: None,
                )  # fmt: skip
                found = pq.ParquetFile(target).schema.column(0).max_definition_level
                levels.setdefault(name, set()).add(found)

    with ThreadPoolExecutor() as threads:
        for done in [threads.submit(write, name) for name in ("all", "missing")]:
            done.result()
    assert levels == {"all": {1}, "missing": {1}}


LEAVES = """
import gc, os, sys
import pyarrow as pa
from hedgerow.engines import open_engine, session

how = sys.argv[1]
if how.startswith("interrupted"):
    class Interrupted:
        def __init__(self, *given):
            raise KeyboardInterrupt
    real, session.ThreadPoolExecutor = session.ThreadPoolExecutor, Interrupted
    try:
        session.DuckDBSession("x", memory="1GB" if how.endswith("alone") else None, scratch=None)
    except KeyboardInterrupt:
        session.ThreadPoolExecutor = real
else:
    engine = open_engine(pa.table({"x": [1]}), memory="1GB" if how.endswith("alone") else None)
    (engine._session.folder / "people").write_text("somebody")
    del engine
gc.collect()
child = os.fork()
if not child:
    with open_engine(pa.table({"x": [1]})) as engine:
        engine.rows_total()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.parametrize("how", ["interrupted", "interrupted alone", "dropped", "dropped alone"])
def test_nothing_stays_of_a_session_that_nobody_closed(how: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVES, how],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())
