"""A table of a PostgreSQL database, and the release made beside it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Sequence
from pathlib import Path

from hedgerow.base.errors import DataError, HedgerowError, TargetError
from hedgerow.engines.base import TablePlace
from hedgerow.engines.part_task import Task
from hedgerow.engines.postgresql.catalogue import (
    Name,
    columns_of,
    is_there,
    refuse_other_encodings,
    split_table,
    sql_of,
)
from hedgerow.engines.postgresql.connection import Connection
from hedgerow.engines.postgresql.dialect import PostgreSQL
from hedgerow.engines.postgresql.targets import CERTIFICATE, PostgreSQLTarget
from hedgerow.engines.remote import LOCAL, Kinds
from hedgerow.engines.session import DuckDBSession, identifier, literal

TYPES = {"text": 'text COLLATE "C"', "double": "double precision"}
"""Of what is pushed, where PostgreSQL calls it otherwise."""
LINE = 16 * 2**20
"""Bytes of the longest row that is fetched; DuckDB sets aside sixteen times as much."""


class PostgreSQLTable:
    """A table or view, read in one transaction.

    Args:
        connection: To its database.
        table: Its schema and its name.
        owner: Whether closing it closes the connection.
    """

    def __init__(self, connection: Connection, table: Name, *, owner: bool) -> None:
        self._connection, self._table, self._owner = connection, table, owner
        self.dialect = PostgreSQL()
        self.source = sql_of(table)
        self.columns = columns_of(connection, self.source)
        self._target = PostgreSQLTarget(connection, source=table)

    @property
    def where(self) -> str:
        return self._connection.where

    def close(self) -> None:
        if self._owner:
            self._connection.close()

    def keep(self, name: str, sql: str, *, by: str | None = None) -> str:
        table = f"pg_temp.hedgerow_{name}"
        order = f" ORDER BY {by}" if by else ""
        self._connection.do(f"DROP TABLE IF EXISTS {table}")
        self._connection.do(f"CREATE TEMP TABLE hedgerow_{name} AS {sql}{order}")
        if by:
            self._connection.do(f"CREATE INDEX ON {table} ({by})")
        self._connection.do(f"ANALYZE {table}")
        return table

    def drop(self, table: str) -> None:
        # Where the transaction is lost, so is the table.
        with contextlib.suppress(HedgerowError):
            self._connection.do(f"DROP TABLE IF EXISTS {table}")

    def solve(self, name: str, sql: str, parts: int, task: Task) -> None:
        """No Python runs beside the data."""

    def push(self, name: str, session: DuckDBSession, sql: str, kinds: Kinds) -> str:
        # Two tables of one connection may have dictionaries at the same time.
        name = name if self._owner else f"staged_{name}"
        table = f"pg_temp.hedgerow_{name}"
        columns = ", ".join(f"{column} {TYPES.get(kind, kind)}" for column, kind in kinds.items())
        texts = [column for column, kind in kinds.items() if kind == "text"]
        file = session.folder / f"{secrets.token_hex(8)}.csv"
        try:
            session.do(
                f"COPY (SELECT {', '.join(kinds)} FROM ({sql})) TO {literal(str(file))} "
                f"(FORMAT csv, HEADER false, FORCE_QUOTE ({', '.join(texts)}))"
            )
            self._connection.do(f"DROP TABLE IF EXISTS {table}")
            self._connection.do(f"CREATE TEMP TABLE hedgerow_{name} ({columns})")
            self._connection.copy_in(table, list(kinds), file)
        finally:
            file.unlink(missing_ok=True)
        self._connection.do(f"ANALYZE {table}")
        return table

    def pull(self, sql: str, session: DuckDBSession, name: str, kinds: Kinds) -> None:
        file = session.folder / f"{secrets.token_hex(8)}.csv"
        try:
            # A line of one missing value would be empty, and be skipped: 1 stands in each.
            lines = f"SELECT 1 AS one, {', '.join(kinds)} FROM ({sql}) AS found"
            rows = self._connection.copy_out(lines, file)
            session.do(_read(file, name, kinds))
            if (found := session.number(f"SELECT count(*) FROM {name}")) != rows:
                raise DataError(
                    f"{rows:,} rows were fetched and {found:,} arrived", where=self.where
                )
        except OSError as error:
            raise _no_room(error, session.folder) from None
        finally:
            file.unlink(missing_ok=True)

    def certificate(self) -> str | None:
        schema, name = self._table
        beside = (schema, name + CERTIFICATE)
        if not is_there(self._connection, beside):
            return None
        rows = self._connection.fetch(f"SELECT certificate FROM {sql_of(beside)} LIMIT 2")
        return str(rows[0][0]) if len(rows) == 1 else None

    def refuse_changed(self) -> None:
        """All that a transaction reads is of one moment."""

    def reaches(self, place: TablePlace) -> bool:
        return place.scheme == "postgresql" and self._connection.reaches(place.address)

    def check_table(self, place: TablePlace, *, replace: bool) -> None:
        if not self.reaches(place):
            raise TargetError(
                "is in another database than the source",
                where=str(place),
                fix="Name a table of that database, or publish to a folder.",
            )
        self._target.may_write(place, replace=replace)

    def stage(self, place: TablePlace, sql: str, columns: Sequence[str]) -> PostgreSQLTable:
        hidden = self._target.made_of(place, sql, columns)
        with self._connection.writing(str(place)):
            return PostgreSQLTable(self._connection, hidden, owner=False)

    def discard(self) -> None:
        self._target.discard()

    def deliver(self, certificate: str, *, replace: bool) -> None:
        self._target.deliver(certificate, replace=replace)


def opened(place: TablePlace) -> PostgreSQLTable:
    """Open a table for reading; see `open_engine`."""
    connection = Connection(place.address, str(place))
    try:
        refuse_other_encodings(connection)
        schema, name = split_table(place)
        asked = identifier(name) if schema is None else f"{identifier(schema)}.{identifier(name)}"
        found = connection.fetch(
            "SELECT nspname, relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace "
            "WHERE pg_class.oid = to_regclass(%s) AND relkind IN ('r', 'p', 'v', 'm', 'f')",
            [asked],
        )
        if not found:
            raise DataError(
                f"there is no table {place.table!r} in the database",
                where=str(place),
                fix="Name one that you may read, with its schema, as it is spelled there: "
                "capitals matter.",
            )
        return PostgreSQLTable(connection, (str(found[0][0]), str(found[0][1])), owner=True)
    except BaseException:
        connection.close()
        raise


def _read(file: Path, name: str, kinds: Kinds) -> str:
    """SQL that makes a table of the session from a CSV file."""
    columns = ", ".join(f"'{column}': '{LOCAL[kind]}'" for column, kind in kinds.items())
    return (
        f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {', '.join(kinds)} FROM "
        f"read_csv({literal(str(file))}, auto_detect=false, header=false, "
        f"columns={{'one': 'VARCHAR', {columns}}}, delim=',', quote='\"', escape='\"', "
        "strict_mode=true, nullstr='', allow_quoted_nulls=false, "
        f"new_line='\\n', max_line_size={LINE}, compression='none')"
    )


def _no_room(error: OSError, folder: Path) -> DataError:
    return DataError(
        f"what came from the database cannot be kept: {error.strerror or error}",
        where=str(folder),
        fix="Name a temporary folder (TMPDIR) on a disk with more room.",
    )
