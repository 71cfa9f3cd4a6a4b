"""A table of a PostgreSQL database, and the release made beside it."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from hedgerow.engines.base import TablePlace
from hedgerow.engines.postgresql.columns import column_of
from hedgerow.engines.postgresql.connection import Connection
from hedgerow.engines.postgresql.dialect import PostgreSQL
from hedgerow.engines.remote import LOCAL, Kinds, RemoteColumn
from hedgerow.engines.session import Session, identifier, literal
from hedgerow.errors import DataError, HedgerowError, TargetError

LONGEST = 63
"""Bytes of a name; the server would cut a longer one off without a word."""
LINE = 16 * 2**20
"""Bytes of the longest row that is fetched; DuckDB sets aside sixteen times as much."""
CERTIFICATE = "_certificate"
"""Added to a table's name for the table with its certificate."""


class PostgreSQLTable:
    """A table or view, read in one transaction.

    Args:
        connection: To its database.
        table: Its schema and its name.
        owner: Whether closing it closes the connection.
    """

    def __init__(self, connection: Connection, table: tuple[str, str], *, owner: bool) -> None:
        self._connection, self._table, self._owner = connection, table, owner
        self.dialect = PostgreSQL()
        self.source = ".".join(map(identifier, table))
        self.columns = _columns(connection, self.source)
        self._staged: tuple[TablePlace, tuple[str, str], str] | None = None
        """Where it will be, as schema and name too; and its hidden name."""

    @property
    def where(self) -> str:
        return self._connection.where

    def close(self) -> None:
        if self._owner:
            self._connection.close()

    def keep(self, name: str, sql: str) -> str:
        table = f"pg_temp.hedgerow_{name}"
        self._connection.do(f"DROP TABLE IF EXISTS {table}")
        self._connection.do(f"CREATE TEMP TABLE hedgerow_{name} AS {sql}")
        self._connection.do(f"ANALYZE {table}")
        return table

    def push(self, name: str, session: Session, sql: str, kinds: Kinds) -> str:
        # Two tables of one connection may have dictionaries at the same time.
        name = name if self._owner else f"staged_{name}"
        table = f"pg_temp.hedgerow_{name}"
        columns = ", ".join(
            f"{column} {kind}{' COLLATE ' + chr(34) + 'C' + chr(34) if kind == 'text' else ''}"
            for column, kind in kinds.items()
        )
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

    def pull(self, sql: str, session: Session, name: str, kinds: Kinds) -> None:
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
        if not _is_there(self._connection, beside):
            return None
        rows = self._connection.fetch(
            f"SELECT certificate FROM {'.'.join(map(identifier, beside))} LIMIT 2"
        )
        return str(rows[0][0]) if len(rows) == 1 else None

    def refuse_changed(self) -> None:
        """All that a transaction reads is of one moment."""

    def check_table(self, place: TablePlace, *, replace: bool) -> None:
        with self._connection.writing(str(place)):
            self._may_write(place, replace=replace)

    def _may_write(self, place: TablePlace, *, replace: bool) -> tuple[str, str]:
        where = str(place)
        if not self._connection.reaches(place.address):
            raise TargetError(
                "a release that is a table is made in the database the source is in",
                where=where,
                fix="Name a table of that database, or publish to a folder.",
            )
        schema, name = split_table(place)
        if schema is None:
            found = self._connection.fetch("SELECT current_schema()")
            schema = str(found[0][0] or "public")
        for part in (schema, name + CERTIFICATE):
            if len(part.encode()) > LONGEST or "\0" in part:
                raise TargetError(
                    f"the name {part!r} is too long for the database",
                    where=where,
                    fix=f"Choose one of at most {LONGEST - len(CERTIFICATE)} bytes.",
                )
        if (schema, name) == self._table:
            raise TargetError(
                "is the source itself", where=where, fix="Write the release somewhere else."
            )
        allowed = self._connection.fetch(
            "SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = %s",
            [schema],
        )
        if not allowed:
            raise TargetError(
                f"there is no schema {schema!r}", where=where, fix="Choose one that is there."
            )
        if not allowed[0][0]:
            raise TargetError(
                f"you may not make tables in the schema {schema!r}",
                where=where,
                fix="Ask for CREATE on it, or choose another.",
            )
        table, beside = (schema, name), (schema, name + CERTIFICATE)
        there = [t for t in (table, beside) if _is_there(self._connection, t)]
        if there and not replace:
            raise TargetError(
                f"{there[0][1]!r} exists already",
                where=where,
                fix="Choose another place, or say --replace (in Python replace=True).",
            )
        if there and (len(there) != 2 or not _is_release(self._connection, table, beside)):
            raise TargetError(
                f"{there[0][1]!r} exists and is not a release, so it is not replaced",
                where=where,
                fix="Choose another place.",
            )
        return table

    def stage(self, place: TablePlace, sql: str, columns: Sequence[str]) -> PostgreSQLTable:
        self.discard()
        hidden = f"hedgerow_{secrets.token_hex(8)}"
        with self._connection.writing(str(place)):
            # Whether it may be replaced is asked when it is delivered.
            schema, name = self._may_write(place, replace=True)
            names = ", ".join(f"o{i} AS {identifier(n)}" for i, n in enumerate(columns))
            table = f"{identifier(schema)}.{identifier(hidden)}"
            # Rows come back in the order they were written in: it must not be the source's.
            order = ", ".join(f"o{i}" for i in range(len(columns)))
            self._connection.do(
                f"CREATE TABLE {table} AS SELECT {names} FROM ({sql}) AS released ORDER BY {order}"
            )
            self._staged = (place, (schema, name), hidden)
            return PostgreSQLTable(self._connection, (schema, hidden), owner=False)

    def discard(self) -> None:
        if self._staged is not None:
            _, (schema, _), hidden = self._staged
            self._staged = None
            # Where the transaction is lost, so is the table.
            with contextlib.suppress(HedgerowError):
                self._connection.do(f"DROP TABLE {identifier(schema)}.{identifier(hidden)}")

    def deliver(self, certificate: str, *, replace: bool) -> None:
        assert self._staged is not None, "write it first"
        place, (schema, name), hidden = self._staged
        with self._connection.writing(str(place)):
            table, beside = (
                f"{identifier(schema)}.{identifier(part)}" for part in (name, name + CERTIFICATE)
            )
            self._may_write(place, replace=replace)
            self._connection.do(f"DROP TABLE IF EXISTS {table}, {beside}")
            self._connection.do(
                f"ALTER TABLE {identifier(schema)}.{identifier(hidden)} "
                f"RENAME TO {identifier(name)}"
            )
            self._connection.do(f"CREATE TABLE {beside} (certificate text NOT NULL)")
            self._connection.do(
                f"INSERT INTO {beside} VALUES ({self.dialect.literal(certificate)})"
            )
            self._connection.commit()
        self._staged = None


def opened(place: TablePlace) -> PostgreSQLTable:
    """Open a table for reading; see `open_engine`."""
    connection = Connection(place.address, str(place))
    try:
        encoding = connection.fetch("SHOW server_encoding")[0][0]
        if encoding != "UTF8":
            raise DataError(
                f"the database's encoding is {encoding}, in which texts have other bytes",
                where=str(place),
                fix="Only databases in UTF8 can be read.",
            )
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


def split_table(place: TablePlace) -> tuple[str | None, str]:
    """Schema, where one is named, and name; a part that holds a point stands in quotes.

    >>> split_table(TablePlace(address="", table='ward."visits.2024"'))
    ('ward', 'visits.2024')
    >>> split_table(TablePlace(address="", table="Patients"))
    (None, 'Patients')
    """
    part = r'(?:"((?:[^"]|"")+)"|([^".]+))'
    found = re.fullmatch(rf"(?:{part}\.)?{part}", place.table)
    if found is None:
        raise DataError(
            f"{place.table!r} is not the name of a table",
            where=place.address,
            fix='Write schema.table, each in double quotes if it holds a point: "a.b"."c".',
        )
    parts = [
        quoted.replace('""', '"') if quoted else bare
        for quoted, bare in ((found[1], found[2]), (found[3], found[4]))
    ]
    return (parts[0] or None), parts[1]


def _columns(connection: Connection, source: str) -> tuple[RemoteColumn, ...]:
    found = connection.fetch(
        "WITH RECURSIVE behind AS ("
        "SELECT attnum, attname, atttypid AS kind, atttypmod AS length FROM pg_attribute "
        "WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped "
        "UNION ALL SELECT attnum, attname, typbasetype, typtypmod FROM behind "
        "JOIN pg_type ON oid = kind WHERE typtype = 'd') "
        "SELECT attname, format_type(kind, length), typtype = 'e' FROM behind "
        "JOIN pg_type ON oid = kind WHERE typtype <> 'd' ORDER BY attnum",
        [source],
    )
    return tuple(
        column_of(str(name), str(declared), enumeration=bool(listed))
        for name, declared, listed in found
    )


def _is_there(connection: Connection, table: tuple[str, str]) -> bool:
    asked = ".".join(map(identifier, table))
    return bool(connection.fetch("SELECT to_regclass(%s) IS NOT NULL", [asked])[0][0])


def _is_release(connection: Connection, table: tuple[str, str], beside: tuple[str, str]) -> bool:
    """Whether these are tables as `deliver` makes them, and nothing else."""
    kinds = connection.fetch(
        "SELECT relkind = 'r' FROM pg_class WHERE oid = ANY (%s::regclass[])",
        [[".".join(map(identifier, name)) for name in (table, beside)]],
    )
    columns = [column.name for column in _columns(connection, ".".join(map(identifier, beside)))]
    return all(kind[0] for kind in kinds) and columns == ["certificate"]


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
