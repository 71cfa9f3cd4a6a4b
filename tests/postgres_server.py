"""A PostgreSQL server in a temporary folder, started by whoever needs one."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg
import pytest

WITHOUT = "HEDGEROW_WITHOUT_POSTGRESQL"
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
