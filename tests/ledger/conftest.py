"""Both stores, the real ones: an SQLite file, and a PostgreSQL server in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hedgerow.ledger import Ledger

WITHOUT = "HEDGEROW_WITHOUT_POSTGRESQL"
TABLES = ("hedgerow_ledger", "hedgerow_entries", "hedgerow_contents")
PASSWORD = "correct horse battery"


def _binary(name: str) -> str:
    """A program of the newest PostgreSQL there is."""
    installed = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
    newest = sorted(installed, key=lambda path: float(path.parts[-3]))
    found = str(newest[-1]) if newest else shutil.which(name)
    if found is None:
        pytest.fail(
            f"PostgreSQL's {name} is not there: install Debian's package `postgresql` "
            f"(apt-get install postgresql), or set {WITHOUT}=1 to leave these tests out.",
            pytrace=False,
        )
    return found


class Server:
    """A PostgreSQL server of our own."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hedgerow-pg-"))
        # The server refuses to run as root.
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run(
            _binary("initdb"), "--pgdata", self.folder / "data", "--username", "steward",
            "--pwfile", secret, "--auth", "scram-sha-256", "--encoding", "UTF8",
            "--locale", "C.UTF-8", "--no-sync",
        )  # fmt: skip
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def _run(self, *command: str | Path) -> None:
        done = subprocess.run(
            list(map(str, command)), cwd=self.folder, capture_output=True, text=True, **self._as
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [_binary("postgres"), "-D", self.folder / "data", "-p", str(self.port),
                 "-k", self.folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off",
                 "-c", "max_connections=60"],
                cwd=self.folder, stdout=log, stderr=log, **self._as,
            )  # fmt: skip
        for _ in range(300):
            with contextlib.suppress(psycopg.OperationalError):
                self.sql("SELECT 1")
                return
            assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.1)
        pytest.fail((self.folder / "log").read_text())

    def sql(self, *statements: str, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def database(self, options: str = "") -> str:
        """The address of a new, empty database."""
        name = f"d{uuid.uuid4().hex}"
        self.sql(f"CREATE DATABASE {name} {options}")
        return self.url(name)

    def schema(self) -> str:
        """The address of a new, empty schema: as good as a database, and much quicker."""
        name = f"s{uuid.uuid4().hex}"
        self.sql(f"CREATE SCHEMA {name}")
        return f"{self.url('postgres')}?options=-csearch_path%3D{name}"

    def url(self, database: str, password: str = PASSWORD) -> str:
        secret = password.replace(" ", "%20")
        return f"postgresql://steward:{secret}@127.0.0.1:{self.port}/{database}"

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)  # at once, as if the power went
            self.process.wait(30)

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if os.environ.get(WITHOUT):
        pytest.skip(f"{WITHOUT} is set")
    running = Server()
    yield running
    running.remove()


@pytest.fixture
def own_server(server: Server) -> Iterator[Server]:
    """A server that a test may stop."""
    running = Server()
    yield running
    running.remove()


class Place:
    """Where a ledger is, and how to get behind its back."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.store = "postgresql" if "://" in where else "sqlite"

    def open(self, *, create: bool = True) -> Ledger:
        return Ledger.open(self.where, create=create)

    def sql(self, *statements: str) -> list[Any]:
        """Run SQL past the ledger; the rows of the last statement."""
        if self.store == "sqlite":
            with contextlib.closing(sqlite3.connect(self.where)) as file, file:
                found = [file.execute(statement).fetchall() for statement in statements]
            return found[-1]
        with psycopg.connect(self.where) as connection:
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def tamper(self, *statements: str) -> None:
        """The same with the triggers out of the way, and back in place afterwards."""
        if self.store == "postgresql":
            off = [f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in TABLES]
            on = [f"ALTER TABLE {table} ENABLE TRIGGER ALL" for table in TABLES]
        else:
            triggers = self.sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            off = [f"DROP TRIGGER {name}" for name, _ in triggers]
            on = [made for _, made in triggers]
        self.sql(*off, *statements, *on)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return Place(str(tmp_path / "ledger.db"))
    server: Server = request.getfixturevalue("server")
    return Place(server.schema())


@pytest.fixture
def ledger(place: Place) -> Iterator[Ledger]:
    with place.open() as opened:
        yield opened
