"""Tables that are put into a database before an engine reads them there."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
from postgres_server import Server

POSTGRESQL = {
    "string": "text",
    "bool": "boolean",
    "int8": "smallint",
    "int16": "smallint",
    "int32": "integer",
    "int64": "bigint",
    "uint8": "smallint",
    "uint64": "numeric(20,0)",
    "float": "real",
    "double": "double precision",
    "date32[day]": "date",
    "null": "text",
}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def postgresql_type(kind: Any) -> str:
    """The type with the same values."""
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    if pa.types.is_dictionary(kind):
        return "text"
    return POSTGRESQL[str(kind).removeprefix("large_")]


class PostgreSQLTables:
    """A schema of its own on a server, to put tables into."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.schema = f"t{uuid.uuid4().hex}"
        server.sql(f"CREATE SCHEMA {self.schema}")

    @property
    def address(self) -> str:
        """Of the database, without the password."""
        return f"postgresql://steward@127.0.0.1:{self.server.port}/postgres"

    def place(self, name: str) -> str:
        return f"{self.address}::{self.schema}.{quoted(name)}"

    def sql(self, *statements: str) -> list[Any]:
        """Run statements in the schema; the rows of the last."""
        with psycopg.connect(self.server.url("postgres"), autocommit=True) as connection:
            connection.execute(f"SET search_path TO {self.schema}".encode())
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def __call__(self, table: Any, name: str = 'a "table".x') -> str:
        """Put an Arrow table there; its address."""
        named = zip(table.column_names, table.schema.types, strict=True)
        columns = ", ".join(f"{quoted(n)} {postgresql_type(kind)}" for n, kind in named)
        self.sql(f"DROP TABLE IF EXISTS {quoted(name)}", f"CREATE TABLE {quoted(name)} ({columns})")
        places = [f"c{i}" for i in range(table.num_columns)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.csv"
            with duckdb.connect() as local:
                local.execute("SET TimeZone = 'UTC'")
                local.register("given", table.rename_columns(places))
                texts = ", ".join(f"c{i}::VARCHAR" for i in range(len(places)))
                local.execute(
                    f"COPY (SELECT {texts} FROM given) TO '{file}' "
                    "(FORMAT csv, HEADER false, FORCE_QUOTE *)"
                )
            with (
                psycopg.connect(self.server.url("postgres")) as connection,
                connection.cursor() as cursor,
                cursor.copy(
                    f"COPY {self.schema}.{quoted(name)} FROM STDIN (FORMAT csv)".encode()
                ) as into,
                file.open("rb") as lines,
            ):
                while chunk := lines.read(1 << 20):
                    into.write(chunk)
        return self.place(name)
