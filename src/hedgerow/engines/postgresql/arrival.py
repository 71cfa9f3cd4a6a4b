"""A place of a PostgreSQL database where a table arrives that was made elsewhere."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping

from hedgerow.engines.base import TablePlace
from hedgerow.engines.postgresql.catalogue import refuse_other_encodings, sql_of
from hedgerow.engines.postgresql.connection import Connection
from hedgerow.engines.postgresql.table import PostgreSQLTable
from hedgerow.engines.postgresql.targets import PostgreSQLTarget
from hedgerow.engines.session import DuckDBSession, identifier, literal

KINDS = {
    "BOOLEAN": "boolean",
    "TINYINT": "smallint",
    "UTINYINT": "smallint",
    "SMALLINT": "smallint",
    "USMALLINT": "integer",
    "INTEGER": "integer",
    "UINTEGER": "bigint",
    "BIGINT": "bigint",
    "UBIGINT": "numeric(20,0)",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "DATE": "date",
    "TIME": "time",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_S": "timestamp",
    "TIMESTAMP_MS": "timestamp",
    "TIMESTAMP_NS": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
    "UUID": "uuid",
    "VARCHAR": "text",
}
"""For each type of DuckDB the type that has its values; of nanoseconds, those that are whole
microseconds."""


class PostgreSQLArrival:
    """Implements `hedgerow.engines.remote.Arrival`.

    Args:
        place: Where the table will be.
    """

    def __init__(self, place: TablePlace) -> None:
        self._place = place
        self._connection = Connection(place.address, str(place))
        self._connection.target = str(place)
        self._target = PostgreSQLTarget(self._connection)

    def close(self) -> None:
        self._connection.close()

    def check(self, *, replace: bool) -> None:
        refuse_other_encodings(self._connection)
        self._target.may_write(self._place, replace=replace)
        # A transaction that is open for hours keeps a database from tidying up.
        self._connection.commit()

    def kind(self, local: str) -> str | None:
        if found := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", local):
            return f"numeric({found[1]},{found[2]})"
        return KINDS.get(local)

    def load(self, session: DuckDBSession, sql: str, columns: Mapping[str, str]) -> PostgreSQLTable:
        table = self._target.begin(self._place)
        file = session.folder / f"{secrets.token_hex(8)}.csv"
        # PostgreSQL reads what DuckDB writes, (BC) behind a date included.
        texts = ", ".join(f"o{i}::VARCHAR AS o{i}" for i in range(len(columns)))
        names = list(map(identifier, columns))
        kinds = [f"{n} {self.kind(k)}" for n, k in zip(names, columns.values(), strict=True)]
        try:
            session.do(
                f"COPY (SELECT {texts} FROM ({sql})) TO {literal(str(file))} "
                "(FORMAT csv, HEADER false, FORCE_QUOTE *)",
                target=file,
            )
            self._connection.do(f"CREATE TABLE {sql_of(table)} ({', '.join(kinds)})")
            self._connection.copy_in(sql_of(table), names, file)
            self._connection.do(f"ANALYZE {sql_of(table)}")
            return PostgreSQLTable(self._connection, table, owner=False)
        finally:
            file.unlink(missing_ok=True)

    def deliver(self, certificate: str, *, replace: bool) -> None:
        self._target.deliver(certificate, replace=replace)

    def discard(self) -> None:
        self._target.discard()
