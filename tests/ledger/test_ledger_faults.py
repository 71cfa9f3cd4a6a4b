"""Whatever goes wrong with a ledger gets a clear message, and nothing is lost."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hedgerow.ledger import Amounts, BudgetError, Ledger, LedgerError, tables
from hedgerow.ledger.pool import Pool
from hedgerow.ledger.postgresql import CREATING, PostgreSQLDatabase, _found
from hedgerow.ledger.sqlite import SQLiteDatabase
from hedgerow.ledger.store import Store

TENTH = Amounts.of(epsilon="0.1")
PASSWORD = "correct horse battery"


def fails(match: str, job: Callable[[], object]) -> str:
    """The job is refused with a message that says what to do and holds no secret."""
    with pytest.raises(LedgerError, match=match) as error:
        job()
    assert error.value.exit_code == 2
    told = str(error.value) + "".join(traceback.format_exception(error.value))
    for secret in (PASSWORD, "correct%20horse", "hunter2"):
        assert secret not in told
    return str(error.value)


def listing(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize("kind", ["csv", "empty", "sqlite", "sqlite-wal", "folder", "pipe"])
def test_what_is_no_ledger_is_left_alone(tmp_path: Path, kind: str, create: bool) -> None:
    path = tmp_path / "thing"
    if kind == "csv":
        path.write_text("age,zip\n28,02139\n")
    elif kind == "empty":
        path.touch()
    elif kind == "folder":
        (path / "inside").mkdir(parents=True)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        database = sqlite3.connect(path)
        if kind == "sqlite-wal":
            database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE hedgerow_ledger (id, version, created)")
        database.close()
    before = listing(tmp_path)
    fails("no ledger but|a ledger is a file", lambda: Ledger.open(path, create=create))
    assert listing(tmp_path) == before


def test_a_ledger_that_is_not_there(place: Any, tmp_path: Path) -> None:
    assert "hedgerow ledger budget" in fails("there is no ledger", lambda: place.open(create=False))
    fails("there is no ledger", lambda: place.open(create=False))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["absent/ledger.db", "a\0b", "file/ledger.db", "x" * 300, ""])
def test_places_where_no_ledger_can_be(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    before = listing(tmp_path)
    for where in (path, "circle"):
        with pytest.raises(LedgerError):
            Ledger.open(where)
    assert listing(tmp_path) == before


def test_a_newer_version(place: Any) -> None:
    place.open().close()
    place.tamper("UPDATE hedgerow_ledger SET version = 'hedgerow-ledger/2'")
    assert "Update Hedgerow" in fails("newer version", place.open)
    place.tamper("UPDATE hedgerow_ledger SET version = 'something'")
    fails("unknown version", place.open)
    place.tamper("DELETE FROM hedgerow_ledger")
    fails("lacks the row", place.open)


def test_what_somebody_has_changed_is_told(place: Any) -> None:
    with place.open() as ledger:
        ledger.set_budget("gotham", TENTH)
        ledger.reserve("gotham", key="x", what={})
        assert [ledger.look_up(odd) for odd in ("\ud800abc", "ab\0cd", "%%%%", "____")] == [[]] * 4
        assert len(list(ledger.entries(limit=2**63))) == 2
        if place.store == "postgresql":
            place.tamper("ALTER TABLE hedgerow_entries DROP CONSTRAINT hedgerow_entries_kind_check",
                         "UPDATE hedgerow_entries SET kind = 'BRIBE' WHERE seq = 2")  # fmt: skip
        else:
            place.tamper("PRAGMA ignore_check_constraints = 1",
                         "UPDATE hedgerow_entries SET kind = 'BRIBE' WHERE seq = 2")  # fmt: skip
        fails("entry 2 of the ledger was changed", lambda: ledger.budget("gotham"))
        assert any("entry 2 was changed" in told for told in ledger.verify().problems)
        if place.store == "sqlite":
            place.tamper("UPDATE hedgerow_entries SET population = x'00ff' WHERE seq = 2")
            fails("population of the ledger has no name", ledger.populations)
    place.tamper("ALTER TABLE hedgerow_entries DROP COLUMN previous")
    with place.open() as ledger:
        for look in (ledger.tip, ledger.verify, lambda: list(ledger.entries())):
            fails("cannot be used|refuses", look)
    if place.store == "sqlite":
        place.tamper("UPDATE hedgerow_ledger SET version = x'00ff'")
        fails("unknown version", place.open)


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        for i in range(20):
            ledger.reserve("gotham", key=f"k{i}", what={"x": "y" * 1000})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])

    def read() -> None:
        with Ledger.open(path) as ledger:
            ledger.verify()

    fails("damaged", read)


def test_a_new_ledger_is_private_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.reserve("gotham", key="x", what={})
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.db"]
    assert (tmp_path / "ledger.db").stat().st_mode & 0o077 == 0


def test_a_ledger_that_was_moved_away(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        reservation = ledger.reserve("gotham", key="x", what={})
        path.rename(tmp_path / "moved.db")
        fails("moved or replaced", lambda: ledger.released(reservation, body={}))
        Ledger.open(path).close()
        fails("moved or replaced", lambda: ledger.released(reservation, body={}))


def test_a_ledger_that_was_moved_away_and_is_opened_anew(tmp_path: Path) -> None:
    """Nothing is left in its place, and whatever is there by then is not taken for it."""
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        ledger.set_budget("gotham", TENTH)
        ledger._store._pool.rest()
        path.rename(tmp_path / "moved.db")
        fails("cannot be opened", ledger.tip)
        fails("cannot be opened", lambda: ledger.set_budget("gotham", TENTH))
        assert not path.exists()
        Ledger.open(path).close()
        fails("moved or replaced", ledger.tip)
        fails("moved or replaced", lambda: ledger.set_budget("gotham", TENTH))


LOOKING = """
import sys
from hedgerow.ledger import Amounts, BudgetError, Ledger

with Ledger.open(sys.argv[1]) as ledger:
    seen = ledger.tip().seq
    if len(sys.argv) > 2:
        try:
            ledger.reserve("gotham", key="theirs", what={}, spend=Amounts.of(epsilon=sys.argv[2]))
        except BudgetError:
            seen = -seen
    print(seen)
"""


def _other_process(path: Path, *given: str) -> int:
    """The last entry that another process sees; negative if there was no budget left for it."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKING, str(path), *given],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(done.stdout)


def test_a_ledger_opened_twice_keeps_its_locks(tmp_path: Path) -> None:
    """To close a file drops every lock that the process has on it, however it was opened."""
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(path)
    ledger.set_budget("gotham", Amounts.of(epsilon=1))
    with Ledger.open(path):
        pass
    assert _other_process(path) == 1
    assert ledger.reserve("gotham", key="x", what={}, spend=Amounts.of(epsilon="0.9")).seq == 2
    assert _other_process(path, "0.9") == -2, "it sees what was spent"
    ledger.close()
    with Ledger.open(path) as after:
        assert [entry.key for entry in after.entries()] == [None, "x"]
        assert after.verify().problems == ()


def test_whoever_reads_the_file_undoes_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    inside, done = threading.Event(), threading.Event()

    def read() -> None:
        with ledger._store.reading() as connection:
            connection.rows("SELECT seq FROM hedgerow_entries")
            inside.set()
            done.wait()

    with Ledger.open(path) as ledger, ThreadPoolExecutor(1) as thread:
        ledger.set_budget("gotham", Amounts.of(epsilon=1))
        reader = thread.submit(read)
        inside.wait()
        path.read_bytes()  # such as who makes a copy
        assert _other_process(path, "0.1") == 1
        assert [entry.key for entry in ledger.entries()] == [None, "theirs"]
        with ledger.at_once():
            ledger.reserve("gotham", key="x", what={}, spend=Amounts.of(epsilon="0.8"))
            path.read_bytes()
            assert _other_process(path) == 2
        assert _other_process(path, "0.2") == -3
        done.set()
        reader.result()
    assert [left.name for left in tmp_path.iterdir()] == ["ledger.db"]
    with Ledger.open(path) as after:
        assert [entry.key for entry in after.entries()] == [None, "theirs", "x"]
        assert after.verify().problems == ()


COMING = """
import sys
from hedgerow.ledger import Ledger

for number in range(int(sys.argv[3])):
    with Ledger.open(sys.argv[1]) as ledger:
        if sys.argv[2] == "writes":
            ledger.reserve("gotham", key=f"their {number + 1}", what={})
"""


def test_nothing_is_lost_while_others_come_and_go(tmp_path: Path) -> None:
    """Each that goes looks whether it is the last one, and this process reads the file."""
    path, theirs = tmp_path / "ledger.db", 60
    with Ledger.open(path) as ledger:
        others = [
            subprocess.Popen([sys.executable, "-c", COMING, str(path), what, str(times)])
            for what, times in (("writes", theirs), ("looks", 2 * theirs))
        ]
        mine = 0
        while any(other.poll() is None for other in others):
            path.read_bytes()
            mine += 1
            ledger.reserve("gotham", key=f"my {mine}", what={})
        assert [other.wait() for other in others] == [0, 0]
        keys = Counter(entry.key for entry in ledger.entries())
        assert ledger.verify().problems == ()
    wanted = [f"my {i + 1}" for i in range(mine)] + [f"their {i + 1}" for i in range(theirs)]
    assert keys == Counter(wanted)


@pytest.mark.parametrize("how", ["forgotten", "at the end"])
def test_a_ledger_that_nobody_closes_closes_itself(tmp_path: Path, how: str) -> None:
    forgotten = "del ledger; import gc; gc.collect(); print(os.listdir(sys.argv[1]))"
    code = (
        "import os, sys; from hedgerow.ledger import Ledger; "
        "ledger = Ledger.open(sys.argv[1] + '/ledger.db'); "
        "ledger.reserve('gotham', key='x', what={}); "
    ) + (forgotten if how == "forgotten" else "")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == ("['ledger.db']\n" if how == "forgotten" else "")
    assert [left.name for left in tmp_path.iterdir()] == ["ledger.db"]


def test_a_copy_that_has_lost_its_log_has_one_again(tmp_path: Path) -> None:
    """As VACUUM INTO makes it: without a log its locks could not be held."""
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("gotham", TENTH)
    path = tmp_path / "copy.db"
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger.db")) as file:
        file.execute(f"VACUUM INTO '{path}'")
    with contextlib.closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    with Ledger.open(path) as one, Ledger.open(path) as other:
        assert path.read_bytes()[18] == 2
        assert _other_process(path) == 1
        assert (tmp_path / "copy.db-wal").exists(), "nobody took himself for the last one"
        one.reserve("gotham", key="x", what={}, spend=TENTH)
        assert other.verify().entries == 2
    assert path.read_bytes()[18] == 2
    assert not (tmp_path / "copy.db-wal").exists()


def test_a_reader_who_may_not_write_sees_what_others_have_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        ledger.set_budget("gotham", TENTH)
    monkeypatch.setattr(os, "access", lambda *given: False)
    with Ledger.open(path) as reader:
        assert reader.tip().seq == 1
        assert _other_process(path, "0.1") == 1
        assert reader.tip().seq == 2
        fails("may not be written", lambda: reader.reserve("gotham", key="x", what={}))


SIGNALLED = """
import signal, sys
from hedgerow.ledger import Ledger

looks = 0

def soon():
    # Once: an alarm that comes again and again is never set again if one of them is ignored.
    signal.setitimer(signal.ITIMER_REAL, 0.0007)

def look(*given):
    global looks
    ledger.tip()
    looks += 1
    soon()


with Ledger.open(sys.argv[1]) as ledger:
    signal.signal(signal.SIGALRM, look)
    soon()
    while looks < 1_000:
        assert ledger.tip().seq == 0
    signal.setitimer(signal.ITIMER_REAL, 0)
print("looked")
"""


def test_a_signal_handler_may_look_at_any_moment(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED, str(tmp_path / "ledger.db")],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("looked\n", 0), done.stderr


def test_somebody_else_writes_for_too_long(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for store in ("sqlite", "postgresql"):
        monkeypatch.setattr(f"hedgerow.ledger.{store}.PATIENCE", 0.2)
    with place.open() as ledger:
        if place.store == "sqlite":
            other: Any = sqlite3.connect(place.where, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
        else:
            other = psycopg.connect(place.where)
            other.execute("SELECT * FROM hedgerow_ledger FOR UPDATE")
        fails("writing for|lock timeout", lambda: ledger.reserve("gotham", key="x", what={}))
        assert ledger.tip().seq == 0, "readers do not wait"
        other.close()
        assert ledger.reserve("gotham", key="x", what={}).seq == 1


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own limit on pages, which it reports as a full disk."""
    connect = SQLiteDatabase.connect

    def small(database: SQLiteDatabase) -> sqlite3.Connection:
        connection = connect(database)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("gotham", Amounts.of(epsilon=1000))
    with monkeypatch.context() as patched, Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger._store._pool.rest()
        patched.setattr(SQLiteDatabase, "connect", small)
        granted = []

        def spend() -> None:
            for i in range(1000):
                what = {"x": "y" * 1000}
                granted.append(ledger.reserve("gotham", key=f"k{i}", what=what, spend=TENTH))

        assert "Nothing is lost" in fails("the disk is full", spend)
    _as_granted(tmp_path / "ledger.db", len(granted))


def _as_granted(path: Path, granted: int) -> None:
    with Ledger.open(path, create=False) as ledger:
        assert granted > 0
        assert ledger.verify().problems == ()
        assert ledger.budget("gotham").spent.epsilon == granted * TENTH.epsilon
        ledger.reserve("gotham", key="next", what={}, spend=TENTH)


SPENDING = """
import resource, sys
from hedgerow.ledger import Amounts, BudgetError, Ledger, LedgerError

ledger = Ledger.open(sys.argv[1])
if len(sys.argv) > 2:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
for i in range(5_000):
    try:
        ledger.reserve("gotham", key=str(i), what={"x": "y" * 500},
                       spend=Amounts.of(epsilon="0.1"))
    except LedgerError as error:
        print(error, flush=True)
        break
    print("granted", flush=True)
"""


def test_a_disk_that_refuses_to_write(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger:
        ledger.set_budget("gotham", Amounts.of(epsilon=1000))
        done = subprocess.run(
            [sys.executable, "-c", SPENDING, str(path), "200000"], capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr
    *granted, what, fix = done.stdout.splitlines()
    assert set(granted) == {"granted"}
    assert "the disk" in what
    assert "Nothing is lost" in fix
    _as_granted(path, len(granted))


@pytest.mark.parametrize("lines", [1, 7, 30])
def test_kill_while_writing(place: Any, lines: int) -> None:
    with place.open() as ledger:
        ledger.set_budget("gotham", Amounts.of(epsilon=1000))
    with subprocess.Popen(
        [sys.executable, "-c", SPENDING, place.where], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline() == "granted\n"
        process.send_signal(signal.SIGKILL)
        told = lines + len(process.stdout.readlines())
    with place.open(create=False) as ledger:
        assert ledger.verify([ledger.tip()]).problems == ()
        spent = ledger.budget("gotham").spent.epsilon // TENTH.epsilon
        assert told <= spent <= told + 1, "what was granted is spent; at most one was not told"
        assert ledger.budget("gotham").reserved_open == spent
        ledger.reserve("gotham", key="next", what={}, spend=TENTH)


def _as_nobody(job: Callable[[], object]) -> None:
    """Run it as somebody who is not root, to whom permissions apply."""

    def dropped() -> None:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.setgroups([])
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)
        job()

    _as_child(dropped)


def _as_child(job: Callable[[], object]) -> None:
    """Run it in a forked process, which must not fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there may be threads; we use none
        child = os.fork()
    if not child:
        status = 1
        try:
            job()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("folder_mode", [0o555, 0o777])
def test_a_read_only_ledger_can_be_read_and_not_written(folder_mode: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="hedgerow-ro-"))
    path = folder / "ledger.db"
    try:
        with Ledger.open(path) as ledger:
            reservation = ledger.reserve("gotham", key="x", what={})
            assert ledger.verify().problems == ()
        path.chmod(0o444)
        folder.chmod(folder_mode)

        def job() -> None:
            with Ledger.open(path) as ledger:
                assert ledger.find("gotham", "x") is None
                assert ledger.verify().entries == 1
                fails("may not be written", lambda: ledger.reserve("gotham", key="y", what={}))
                fails("may not be written", lambda: ledger.released(reservation, body={}))

        _as_nobody(job)
        folder.chmod(0o555)
        _as_nobody(lambda: fails("cannot be used", lambda: Ledger.open(folder / "new.db")))
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_the_database_goes_away_in_the_middle(own_server: Any) -> None:
    with Ledger.open(own_server.database()) as ledger:
        ledger.set_budget("gotham", Amounts.of(epsilon=1))
        reservation = ledger.reserve("gotham", key="x", what={}, spend=TENTH)
        own_server.stop()
        told = fails("cannot be reached", lambda: ledger.released(reservation, body={}))
        assert "database server runs" in told
        fails("cannot be reached", lambda: ledger.failed(reservation, why="gone"))
        fails("cannot be reached", ledger.tip)
        own_server.start()
        assert ledger.budget("gotham").spent == TENTH, "spent, whatever happens"
        assert ledger.budget("gotham").reserved_open == 1
        ledger.released(reservation, body={})
        assert ledger.verify().problems == ()


def test_the_database_goes_away_while_it_commits(server: Any) -> None:
    """Nobody can know whether it was recorded, and the message says so."""
    with Ledger.open(server.database()) as ledger:

        def write() -> None:
            with ledger._store.writing() as connection:
                pid = connection.driver.info.backend_pid
                server.sql(f"SELECT pg_terminate_backend({pid})")

        assert "not known" in fails("the database went away", write)
        assert ledger.reserve("gotham", key="x", what={}).seq == 1


def test_addresses_that_lead_nowhere(server: Any) -> None:
    port = server.port
    wrong = server.url("postgres", password="hunter2")
    assert "user and the password" in fails("password", lambda: Ledger.open(wrong))
    query = f"postgresql://steward@127.0.0.1:{port}/postgres?password=hunter2"
    fails("password", lambda: Ledger.open(query))
    fails("does not exist", lambda: Ledger.open(server.url("absent")))
    closed = server.url("postgres", password="hunter2").replace(f":{port}", ":1")
    assert "database server runs" in fails("cannot be reached", lambda: Ledger.open(closed))


@pytest.mark.parametrize(
    "address",
    ["mysql://root:hunter2@host/db", "sqlite:///ledger.db?hunter2", "postgresql://u:hunter2@h:x/d",
     "http://hunter2", "postgresql://u:hunter2@h:99999999/d", "postgresql://u:a@hunter2@h/d",
     "postgresql://u:hunter2@a..b/d", "postgresql://u:hunter2@h/d?nonsense=1",
     "postgresql://u:hunter2%00x@h/d", "postgresql://u:hunter2@h/d?autocommit=1",
     "postgresql://u:hunter2@h/d?row_factory=x"],
)  # fmt: skip
def test_addresses_that_are_none(address: str) -> None:
    fails("address|cannot be reached|no name of a host", lambda: Ledger.open(address))


@pytest.mark.parametrize(
    ("address", "means"),
    [
        ("u:a/b@h/d", {"user": "u", "password": "a/b", "host": "h", "dbname": "d"}),
        ("u:a%2Fb@h:1", {"user": "u", "password": "a/b", "host": "h", "port": "1"}),
        ("u:100% ?#:x@h/d", {"user": "u", "password": "100% ?#:x", "host": "h", "dbname": "d"}),
        ("u@[::1]:5/d%20e", {"user": "u", "host": "::1", "port": "5", "dbname": "d e"}),
        ("u@a:1,b:2/d", {"user": "u", "host": "a,b", "port": "1,2", "dbname": "d"}),
        ("/d?host=/tmp", {"dbname": "d", "host": "/tmp"}),
        ("%2Ftmp/d", {"host": "/tmp", "dbname": "d"}),
        ("h?options=-csearch_path=x", {"host": "h", "options": "-csearch_path=x"}),
        ("h/d?options=-c+a", {"host": "h", "dbname": "d", "options": "-c a"}),
        ("", {}),
    ],
)  # fmt: skip
def test_what_an_address_means(address: str, means: dict[str, str]) -> None:
    for scheme in ("postgresql", "postgres", "PostgreSQL+psycopg"):
        assert _found(f"{scheme}://{address}") == means


def test_a_password_of_odd_letters(server: Any) -> None:
    url = server.database()
    name = url.rpartition("/")[2]
    server.sql(f"CREATE ROLE \"odd {name[:8]}\" LOGIN PASSWORD 'hunter2/100% ?'", database=name)
    there = f"@127.0.0.1:{server.port}/{name}"
    right, wrong = (
        f"postgresql://odd {name[:8]}:{one}{there}" for one in ("hunter2/100% ?", "hunter2/100% !")
    )
    fails("permission denied", lambda: Ledger.open(right))
    assert "100%" not in fails("password", lambda: Ledger.open(wrong))


def test_postgresql_without_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    address = "postgresql://u:hunter2@host/d"
    told = fails("psycopg", lambda: Ledger.open(address))
    assert "pip install" in told


def test_a_password_is_never_shown(server: Any) -> None:
    with Ledger.open(server.database()) as ledger:
        assert PASSWORD not in repr(ledger) + ledger.name + repr(vars(ledger))
        assert ledger.name.startswith("postgresql://steward@127.0.0.1:")


def test_a_password_in_the_text_of_an_error_is_struck_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def connect(given: str, **more: object) -> None:
        raise psycopg.OperationalError(f"cannot connect with {given}")

    monkeypatch.setattr(psycopg, "connect", connect)
    store = Store(PostgreSQLDatabase({"password": "hunter2"}))
    with pytest.raises(LedgerError, match=r"connect with .*=\*\*\*") as error, store.writing():
        pass
    assert "hunter2" not in str(error.value)
    assert error.value.__suppress_context__
    store.close()


def test_those_who_wait_for_a_creator_find_what_was_created(server: Any) -> None:
    """Two that saw no ledger, and then waited: the second must look again."""
    url = server.schema()
    with psycopg.connect(url, autocommit=True) as creator:
        creator.execute("SELECT pg_advisory_lock(%s)", [CREATING])
        with ThreadPoolExecutor(2) as pool:
            both = [pool.submit(Ledger.open, url) for _ in range(2)]
            waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            for _ in range(200):
                if creator.execute(waiting).fetchone() == (2,):
                    break
                time.sleep(0.05)
            else:
                pytest.fail("they do not wait")
            creator.execute("SELECT pg_advisory_unlock(%s)", [CREATING])
            opened = [one.result(30) for one in both]
    assert opened[0].id == opened[1].id
    for ledger in opened:
        ledger.close()


def test_a_forked_process_has_a_connection_of_its_own(server: Any) -> None:
    def backend() -> int:
        with ledger._store.reading() as connection:
            return int(connection.rows("SELECT pg_backend_pid() AS pid")[0]["pid"])

    with Ledger.open(server.schema()) as ledger:
        before = backend()
        read, write = os.pipe()
        _as_child(lambda: os.write(write, str(backend()).encode()))
        assert int(os.read(read, 20)) != before
        assert backend() == before
        os.close(read)
        os.close(write)


def test_a_database_that_only_allows_reading(server: Any) -> None:
    url = server.database()
    name = url.rpartition("/")[2]
    Ledger.open(url).close()
    server.sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with Ledger.open(url) as ledger:
        assert ledger.verify().entries == 0
        told = fails("read-only", lambda: ledger.reserve("gotham", key="x", what={}))
        assert "primary" in told


def test_a_database_in_another_encoding(server: Any) -> None:
    latin = "ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    fails("LATIN1", lambda: Ledger.open(server.database(latin)))


def test_a_clerk_who_may_append_and_nothing_else(server: Any) -> None:
    """The rights that docs/ledger.md recommends are enough, and a lack of them is told."""
    url = server.database()
    name = url.rpartition("/")[2]
    Ledger.open(url).close()
    clerk = f"clerk_{name[:8]}"
    server.sql(
        f"CREATE ROLE {clerk} LOGIN PASSWORD 'hunter2'",
        f"GRANT SELECT ON hedgerow_ledger, hedgerow_entries, hedgerow_contents TO {clerk}",
        database=name,
    )
    address = url.replace("steward:correct%20horse%20battery", f"{clerk}:hunter2")
    with Ledger.open(address) as ledger:
        told = fails("permission denied", lambda: ledger.reserve("gotham", key="x", what={}))
        assert "lock the ledger's row" in told
        server.sql(
            f"GRANT INSERT ON hedgerow_entries, hedgerow_contents TO {clerk}",
            f"GRANT UPDATE (one) ON hedgerow_ledger TO {clerk}",
            database=name,
        )
        reservation = ledger.reserve("gotham", key="x", what={})
        ledger.released(reservation, body={}, content=b"x")
        assert ledger.verify().problems == ()
    with psycopg.connect(address) as connection, pytest.raises(psycopg.Error, match="owner"):
        connection.execute("ALTER TABLE hedgerow_entries DISABLE TRIGGER ALL")


def test_a_server_that_would_forget(server: Any) -> None:
    """With synchronous_commit off, a crash could lose a reservation whose data went out."""
    url = server.database()
    server.sql(f"ALTER DATABASE {url.rpartition('/')[2]} SET synchronous_commit = off")
    with Ledger.open(url) as ledger, ledger._store.writing() as connection:
        found = connection.rows("SHOW synchronous_commit")
        assert found == [{"synchronous_commit": "on"}]


def test_a_ledger_put_in_place_of_another_is_the_one_that_is_opened(tmp_path: Path) -> None:
    """Though somebody still has the other one open."""
    path, other = tmp_path / "ledger.db", tmp_path / "other.db"
    with Ledger.open(other) as new:
        new.set_budget("gotham", TENTH)
    with Ledger.open(path) as first:
        first.set_budget("gotham", Amounts.of(epsilon=100))
        for part in ("", "-wal", "-shm"):
            (tmp_path / f"ledger.db{part}").rename(tmp_path / f"away.db{part}")
        other.rename(path)
        with Ledger.open(path) as second:
            assert second.id == new.id != first.id
            with pytest.raises(BudgetError, match=r"epsilon 0\.1 is left"):
                second.reserve("gotham", key="x", what={}, spend=Amounts.of(epsilon=1))


def test_to_close_a_ledger_closes_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    one, other = Ledger.open(path), Ledger.open(path)
    other.set_budget("gotham", TENTH)
    with other.at_once():
        first = other.reserve("gotham", key="x", what={}, spend=TENTH)
        one.close()
        other.reserve("gotham", key="y", what={})
    assert [entry.key for entry in other.entries()] == [None, "x", "y"]
    other.released(first, body={})
    other.close()
    assert [left.name for left in tmp_path.iterdir()] == ["ledger.db"], "all of it is in the file"
    fails("was closed", one.tip)
    one.close()
    with Ledger.open(path) as again:
        assert again.verify().problems == ()
        fails("was closed", other.tip)


def test_more_readers_than_a_pool_has_connections(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("gotham", TENTH)
    opened = [Ledger.open(tmp_path / "ledger.db") for _ in range(20)]
    with contextlib.ExitStack() as held:
        for one in opened:
            held.callback(one.close)
            held.enter_context(one._store.reading())


def test_a_fork_with_a_ledger_open_loses_nothing(tmp_path: Path) -> None:
    """SQLite would forget what the child writes once the parent has closed what both have open."""
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(path)
    ledger.set_budget("gotham", TENTH)
    read, write = os.pipe()
    opened, tell = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there may be threads; we use none
        child = os.fork()
    if not child:
        with Ledger.open(path) as own:
            os.write(tell, b"!")
            os.read(read, 1)
            own.released(own.reserve("gotham", key="x", what={}, spend=TENTH), body={})
            os._exit(0)  # in a hurry, without closing
    os.read(opened, 1)
    ledger.close()
    os.write(write, b"!")
    assert os.waitpid(child, 0)[1] == 0
    for end in (read, write, opened, tell):
        os.close(end)
    with Ledger.open(path) as after:
        assert [entry.kind.value for entry in after.entries()] == ["BUDGET", "RESERVE", "RELEASED"]
        assert after.verify().problems == ()


def test_blocks_inside_blocks_are_one(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("gotham", Amounts.of(epsilon=1))
        with ledger.at_once():
            with ledger.at_once():
                ledger.reserve("gotham", key="x", what={}, spend=TENTH)
            ledger.reserve("gotham", key="y", what={}, spend=TENTH)
            assert ledger.budget("gotham").spent.texts() == {"epsilon": "0.2"}
            with Ledger.open(tmp_path / "ledger.db") as other:
                assert not other.budget("gotham").spent
        assert ledger.budget("gotham").spent.texts() == {"epsilon": "0.2"}


@pytest.mark.parametrize("how", ["a thread reads", "within a block"])
def test_a_child_forked_in_the_middle_of_something_is_refused(tmp_path: Path, how: str) -> None:
    """What it would write might be lost, and nobody would know."""
    path = tmp_path / "ledger.db"

    def refused() -> None:
        with pytest.raises(LedgerError, match="was forked while the ledger was in use"):
            ledger.reserve("gotham", key="child", what={})
        with pytest.raises(LedgerError, match="was forked while the ledger was in use"):
            Ledger.open(path)

    with Ledger.open(path) as ledger, ThreadPoolExecutor(1) as thread:
        ledger.set_budget("gotham", TENTH)
        inside = contextlib.ExitStack()
        block = ledger._store.reading if how == "a thread reads" else ledger.at_once
        if how == "a thread reads":
            thread.submit(inside.enter_context, block()).result()
        else:
            inside.enter_context(block())
        _as_child(refused)
        if how == "a thread reads":
            thread.submit(inside.close).result()
        else:
            ledger.reserve("gotham", key="parent", what={}, spend=TENTH)
            inside.close()
        _as_child(lambda: ledger.reserve("gotham", key="later", what={}))
        assert "child" not in {entry.key for entry in ledger.entries()}
        assert "later" in {entry.key for entry in ledger.entries()}
        assert ledger.verify().problems == ()


def test_a_child_that_falls_out_of_its_parents_block_records_nothing(place: Any) -> None:
    """Nor does it take back what the parent goes on to record."""
    with place.open() as ledger:
        ledger.set_budget("gotham", Amounts.of(epsilon=1))
        read, write = os.pipe()
        with contextlib.ExitStack() as inside:
            inside.enter_context(ledger.at_once())
            ledger.reserve("gotham", key="first", what={}, spend=TENTH)

            def fall_out() -> None:
                fails("forked in the middle of a write", inside.close)
                os.write(write, b"!")

            _as_child(fall_out)
            assert os.read(read, 1) == b"!"
            with place.open() as other:
                assert other.tip().seq == 1, "not yet recorded"
            ledger.reserve("gotham", key="second", what={}, spend=TENTH)
        os.close(read)
        os.close(write)
        assert [entry.key for entry in ledger.entries()] == [None, "first", "second"]
        assert ledger.verify().problems == ()


@pytest.mark.parametrize("fault", [KeyboardInterrupt, ValueError])
def test_what_was_not_recorded_is_gone_when_its_connection_is_used_again(
    place: Any, fault: type[BaseException]
) -> None:
    def interrupted() -> None:
        with ledger.at_once():
            ledger.reserve("gotham", key="x", what={}, spend=TENTH)
            raise fault

    with place.open() as ledger:
        ledger.set_budget("gotham", Amounts.of(epsilon=1))
        for _ in range(10):
            with pytest.raises(fault):
                interrupted()
        assert [entry.key for entry in ledger.entries()] == [None]
        ledger.reserve("gotham", key="y", what={}, spend=TENTH)
        assert [entry.key for entry in ledger.entries()] == [None, "y"]


@pytest.mark.parametrize("when", ["it is made", "it is closed"])
def test_no_child_has_a_file_open_and_does_not_know(
    tmp_path: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's idea of its locks, copied with the process, would be wrong."""
    path = tmp_path / "ledger.db"
    owner: Any = tables if when == "it is made" else Pool
    step = "create" if when == "it is made" else "_end"
    reached, done = threading.Event(), getattr(owner, step)

    def slowly(*given: Any) -> None:
        reached.set()
        time.sleep(0.3)
        done(*given)

    def closed_or_refused() -> None:
        links = []
        for one in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # what listed them
                links.append(str(one.readlink()))
        if any(link.startswith(f"{tmp_path}/") for link in links):
            # By now the other thread reads what it made.
            fails("forked while the ledger was in use", lambda: Ledger.open(path))

    if when == "it is closed":
        ledger = Ledger.open(path)
        monkeypatch.setattr(owner, step, slowly)
        other = threading.Thread(target=ledger.close)
    else:
        monkeypatch.setattr(owner, step, slowly)
        other = threading.Thread(target=lambda: Ledger.open(path).close())
    other.start()
    assert reached.wait(10)
    _as_child(closed_or_refused)
    other.join()


def test_threads_wait_for_a_connection(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.ledger.pool.MOST", 2)
    most, inside, guard = 0, 0, threading.Lock()

    def spend(number: int) -> int:
        nonlocal most, inside
        with ledger._store.reading() as connection:
            with guard:
                inside += 1
                most = max(most, inside)
            time.sleep(0.01)
            connection.rows("SELECT seq FROM hedgerow_entries")
            with guard:
                inside -= 1
        return ledger.reserve("gotham", key=str(number), what={}, spend=TENTH).seq

    with place.open() as ledger:
        ledger.set_budget("gotham", Amounts.of(epsilon=10))
        with ThreadPoolExecutor(12) as pool:
            assert sorted(pool.map(spend, range(24))) == list(range(2, 26))
    assert most == 2


def test_an_error_that_was_passed_over_records_nothing(server: Any) -> None:
    """PostgreSQL takes the commit that follows one for a rollback, and says nothing."""

    def passed_over() -> None:
        with ledger._store.writing() as connection, contextlib.suppress(psycopg.Error):
            connection.rows("SELECT 1 / 0")

    with Ledger.open(server.schema()) as ledger:
        fails("ended by an error", passed_over)
        assert ledger.reserve("gotham", key="x", what={}).seq == 1


@pytest.mark.parametrize("when", ["close", "fork"])
def test_what_is_in_use_when_others_close_is_closed_by_itself(tmp_path: Path, when: str) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(path)
    ledger.set_budget("gotham", TENTH)
    with ledger._store.reading():
        if when == "close":
            ledger.close()
        else:
            _as_child(lambda: None)
    ledger.close()
    assert [left.name for left in tmp_path.iterdir()] == ["ledger.db"]
