"""One transaction on a PostgreSQL server, which speaks our errors and can be interrupted."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg import conninfo

from hedgerow.base.errors import DataError, HedgerowError, TargetError

T = TypeVar("T")

CHUNK = 1 << 20
"""Bytes handed over at a time."""
SETTINGS = (
    "SET extra_float_digits = 1",  # a float's text is then the shortest that reads as it
    "SET TimeZone = 'UTC'",
    "SET DateStyle = 'ISO, YMD'",
    "SET client_encoding = 'UTF8'",
    "SET standard_conforming_strings = on",
    "SET lock_timeout = '60s'",
    # The transaction waits while a recoding is searched for.
    "SET idle_in_transaction_session_timeout = 0",
)
FULL = ("53100", "53200", "53400")
"""No room: disk, memory, or a limit that was set."""
FORBIDDEN = ("42501", "25006")
"""No permission, or a server that only reads."""


class Connection:
    """A connection, in one transaction from the first statement to the last.

    All of it sees the data as they were when the first query began: what is counted is what is
    written, whoever changes the source meanwhile.

    Args:
        address: `postgresql://...`, without a password.
        where: As messages name it.
    """

    def __init__(self, address: str, where: str) -> None:
        self.address, self.where = address, where
        self.target: str | None = None
        """What is being written, as messages name it; None while only reading."""
        try:
            self._connection: Any = psycopg.connect(
                address, autocommit=False, connect_timeout=30, application_name="hedgerow"
            )
        except (psycopg.Error, UnicodeError) as error:
            told = " ".join(str(error).split())
            raise DataError(
                f"the database cannot be reached: {told}",
                where=where,
                fix="Check host, port, database and user; the password comes from the environment "
                "variable PGPASSWORD or the file ~/.pgpass.",
            ) from None
        try:
            self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            for setting in SETTINGS:
                self.do(setting)
            self.commit()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Undo what was not committed, and let go."""
        with contextlib.suppress(psycopg.Error):
            self._connection.close()

    def do(self, statement: str) -> int:
        """Run a statement; how many rows it was about."""
        return self._run(lambda: int(self._connection.execute(statement.encode()).rowcount))

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query, of which there are few."""
        bound = tuple(values) or None
        return self._run(
            lambda: list(self._connection.execute(statement.encode(), bound).fetchall())
        )

    def copy_out(self, query: str, file: Path) -> int:
        """Write the result of a query to a CSV file: a missing value is empty, others quoted.

        Returns:
            How many rows it has.
        """
        statement = f"COPY ({query}) TO STDOUT (FORMAT csv, FORCE_QUOTE *)"

        def work() -> int:
            with file.open("wb") as into, self._connection.cursor() as cursor:
                with cursor.copy(statement.encode()) as lines:
                    for chunk in lines:
                        into.write(chunk)
                return int(cursor.rowcount)

        return self._run(work)

    def copy_in(self, table: str, columns: Sequence[str], file: Path) -> None:
        """Add the lines of a CSV file to a table."""
        statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT csv)"

        def work() -> None:
            with (
                file.open("rb") as lines,
                self._connection.cursor() as cursor,
                cursor.copy(statement.encode()) as into,
            ):
                while chunk := lines.read(CHUNK):
                    into.write(chunk)

        self._run(work)

    def commit(self) -> None:
        try:
            self._run(self._connection.commit)
        except HedgerowError as error:
            if self._connection.closed:  # it may have been heard before the line went dead
                error.what = "the connection to the database was lost in the last step"
                error.fix = "It is not known whether the release has appeared: look at the table."
            raise

    def reaches(self, address: str) -> bool:
        """Whether an address is that of the same database, as the same user."""
        return address == self.address or _reached(address) == _reached(self.address)

    @contextlib.contextmanager
    def writing(self, target: str) -> Iterator[None]:
        """Let errors be about what is written, not about the source."""
        before, self.target = self.target, target
        try:
            yield
        finally:
            self.target = before

    def _run(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except psycopg.Error as error:
            raise self._translated(error) from None
        except (KeyboardInterrupt, SystemExit):
            # The server would go on with the query until it has an answer for nobody.
            with contextlib.suppress(psycopg.Error):
                self._connection.cancel()
            raise

    def _translated(self, error: psycopg.Error) -> HedgerowError:
        kind = DataError if self.target is None else TargetError
        where = self.target or self.where
        state = error.sqlstate or ""
        told = error.diag.message_primary or " ".join(str(error).split())
        if self._connection.closed or state.startswith(("57P", "08")):
            return kind(
                "the connection to the database was lost, and with it all that was begun",
                where=where,
                fix="Nothing was published. Run it again when the database can be reached.",
            )
        if state in FULL:
            return kind(
                f"the database has no room: {told}",
                where=where,
                fix="Nothing was published. Make room on the server, or ask who runs it.",
            )
        if state in FORBIDDEN:
            return kind(
                f"the database does not allow it: {told}",
                where=where,
                fix="Reading takes SELECT on the table and TEMPORARY on the database; publishing "
                "there takes CREATE on the schema.",
            )
        if state == "42P07":
            return kind(
                "somebody else has made it meanwhile",
                where=where,
                fix="Choose another place, or say --replace (in Python replace=True).",
            )
        if state.startswith("22") and self.target is not None:
            # What the server says quotes the value, which is about somebody.
            column = re.search(r"\bcolumn (.+?)(?::|$)", error.diag.context or "")
            named = f" in the column {column[1]!r}" if column else ""
            return kind(
                f"the release has a value{named} that the database cannot hold",
                where=where,
                fix="Nothing was published. Publish to a folder, or change such values in the "
                "source: dates out of the database's range, texts with the character NUL.",
            )
        if state == "57014":
            return kind(f"the database gave up: {told}", where=where, fix="Nothing was published.")
        return kind(f"the database says: {told}", where=where)


def _reached(address: str) -> dict[str, object]:
    """What an address and the environment say of where a database is."""
    try:
        said = conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        return {"address": address}
    names = {"host": "PGHOST", "hostaddr": "PGHOSTADDR", "dbname": "PGDATABASE", "user": "PGUSER"}
    found = {key: said.get(key, os.environ.get(name)) for key, name in names.items()}
    return {**found, "port": str(said.get("port", os.environ.get("PGPORT", "5432")))}
