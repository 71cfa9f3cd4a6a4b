"""Property tests look for new examples on every run, except where a run has to be repeatable.

A PostgreSQL server is started once for all tests of a process that need one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from postgres_server import Server
    from remote_tables import PostgreSQLTables

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    from postgres_server import WITHOUT, Server

    if os.environ.get(WITHOUT):
        pytest.skip(f"{WITHOUT} is set")
    running = Server()
    yield running
    running.remove()


@pytest.fixture
def postgresql_tables(server: Server, monkeypatch: pytest.MonkeyPatch) -> PostgreSQLTables:
    """Puts tables into a schema of its own, for engines to read."""
    from postgres_server import PASSWORD
    from remote_tables import PostgreSQLTables

    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return PostgreSQLTables(server)
