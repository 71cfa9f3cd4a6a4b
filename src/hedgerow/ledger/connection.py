"""A connection to the database under a ledger, and what the two kinds of database have in common.

They are used through their own drivers, sqlite3 and psycopg. SQL is the same for both.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from hedgerow.base.errors import LedgerError

PATIENCE = 30
"""Seconds to wait for other writers."""
UNKNOWN = "It is not known whether the last step was recorded: `hedgerow ledger list` shows it."

Row = Mapping[str, Any]


class Database(Protocol):
    """SQLite or PostgreSQL: how to reach it, and what its errors mean."""

    kind: Literal["sqlite", "postgresql"]
    name: str
    """For messages; without a password."""
    file: str | None
    """What is open while a connection is, if it is a file."""
    error: type[Exception]
    """What its driver raises."""

    def connect(self) -> Any:
        """A connection of the driver, outside a transaction; its rows are known by their names."""
        ...

    def is_alive(self, driver: Any) -> bool:
        """Whether a connection that was not used for a while can be used again."""
        ...

    def close(self, driver: Any) -> None:
        """Let go of a connection, without what was not recorded."""
        ...

    def begin(self, driver: Any, *, write: bool) -> None:
        """Begin a transaction: one consistent view, or one that will write."""
        ...

    def lock(self, connection: Transaction) -> None:
        """At the beginning of every write: keep other writers out."""
        ...

    def execute(self, driver: Any, sql: str, given: Mapping[str, Any]) -> Any:
        """Run a statement whose parameters are written as :name; its cursor."""
        ...

    def commit(self, driver: Any) -> None:
        """Have it recorded for good."""
        ...

    def told(self, error: Exception) -> LedgerError:
        """What its driver raised as a sentence with what to do, and without secrets."""
        ...


@dataclass(frozen=True, eq=False)
class Transaction:
    """A transaction."""

    database: Database
    driver: Any

    def do(self, sql: str, given: Mapping[str, Any] | None = None) -> None:
        """Run a statement."""
        self.database.execute(self.driver, sql, given or {})

    def rows(self, sql: str, given: Mapping[str, Any] | None = None) -> list[Row]:
        """What a query finds."""
        found: list[Row] = self.database.execute(self.driver, sql, given or {}).fetchall()
        return found

    def column(self, name: str, sql: str, given: Mapping[str, Any] | None = None) -> list[Any]:
        """The values of one column of what a query finds."""
        return [row[name] for row in self.rows(sql, given)]


@contextlib.contextmanager
def telling(database: Database) -> Iterator[None]:
    """A block whose errors are told as a ledger's."""
    try:
        yield
    except LedgerError as error:
        where = error.where or database.name
        raise LedgerError(error.what, where=where, fix=error.fix) from None
    except database.error as error:
        raise database.told(error) from None
    except OSError as error:
        what = f"cannot be used: {error.strerror or error}"
        raise LedgerError(what, where=database.name) from None


def scrubbed(text: str, secrets: Iterable[str]) -> str:
    """The beginning of a driver's message, without what must not be shown."""
    for secret in secrets:
        text = text.replace(secret, "***")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "; ".join(lines[:2]) or "no reason given"
