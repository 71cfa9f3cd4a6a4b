"""Both stores, the real ones: an SQLite file, and a PostgreSQL server in a temporary folder."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres_server import Server

from hedgerow.ledger import Ledger

TABLES = ("hedgerow_ledger", "hedgerow_entries", "hedgerow_contents")


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
