"""A release on its way to be a table of a PostgreSQL database.

It is made under a hidden name in one transaction; what takes the name in the end is complete, and
its certificate comes with it. Whatever happens before that, the transaction is lost and nothing is
left.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Sequence

from hedgerow.base.errors import HedgerowError, TargetError
from hedgerow.engines.base import TablePlace
from hedgerow.engines.postgresql.catalogue import (
    Name,
    is_release,
    is_there,
    split_table,
    sql_of,
)
from hedgerow.engines.postgresql.connection import Connection
from hedgerow.engines.postgresql.dialect import PostgreSQL
from hedgerow.engines.session import identifier

LONGEST = 63
"""Bytes of a name; the server would cut a longer one off without a word."""
CERTIFICATE = "_certificate"
"""Added to a table's name for the table with its certificate."""


class PostgreSQLTarget:
    """Makes one table of a database at a time.

    Args:
        connection: To the database.
        source: The table it is made from, where that is in the same database.
    """

    def __init__(self, connection: Connection, *, source: Name | None = None) -> None:
        self._connection, self._source = connection, source
        self._staged: tuple[TablePlace, Name, str] | None = None
        """Where it will be, as schema and name too; and its hidden name."""

    def may_write(self, place: TablePlace, *, replace: bool) -> Name:
        """Refuse what cannot or must not be written; else the name it will have.

        Raises:
            TargetError: The release cannot or must not be put there.
        """
        with self._connection.writing(str(place)):
            return self._may_write(place, replace=replace)

    def _may_write(self, place: TablePlace, *, replace: bool) -> Name:
        where = str(place)
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
        if (schema, name) == self._source:
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
        there = [t for t in (table, beside) if is_there(self._connection, t)]
        if there and not replace:
            raise TargetError(
                f"{there[0][1]!r} exists already",
                where=where,
                fix="Choose another place, or say --replace (in Python replace=True).",
            )
        if there and (len(there) != 2 or not is_release(self._connection, table, beside)):
            raise TargetError(
                f"{there[0][1]!r} exists and is not a release, so it is not replaced",
                where=where,
                fix="Choose another place.",
            )
        return table

    def begin(self, place: TablePlace) -> Name:
        """A hidden name beside the place, for a table that is going to be made."""
        self.discard()
        # Whether it may be replaced is asked when it is delivered.
        schema, name = self.may_write(place, replace=True)
        hidden = f"hedgerow_{secrets.token_hex(8)}"
        self._staged = (place, (schema, name), hidden)
        return schema, hidden

    def made_of(self, place: TablePlace, sql: str, columns: Sequence[str]) -> Name:
        """Make the table of a query with columns o0, o1, ...; its hidden name."""
        hidden = self.begin(place)
        names = ", ".join(f"o{i} AS {identifier(n)}" for i, n in enumerate(columns))
        # Rows come back in the order they were written in: it must not be the source's.
        order = ", ".join(f"o{i}" for i in range(len(columns)))
        with self._connection.writing(str(place)):
            self._connection.do(
                f"CREATE TABLE {sql_of(hidden)} AS SELECT {names} FROM ({sql}) AS released "
                f"ORDER BY {order}"
            )
        return hidden

    def discard(self) -> None:
        """Leave nothing of a table that was not delivered."""
        if self._staged is not None:
            _, (schema, _), hidden = self._staged
            self._staged = None
            # Where the transaction is lost, so is the table.
            with contextlib.suppress(HedgerowError):
                self._connection.do(f"DROP TABLE IF EXISTS {sql_of((schema, hidden))}")

    def deliver(self, certificate: str, *, replace: bool) -> None:
        """Let the table and its certificate appear together, instead of an old release."""
        assert self._staged is not None, "write it first"
        place, (schema, name), hidden = self._staged
        with self._connection.writing(str(place)):
            table, beside = sql_of((schema, name)), sql_of((schema, name + CERTIFICATE))
            self._may_write(place, replace=replace)
            if replace:  # what somebody has put there since must not be lost
                self._connection.do(f"DROP TABLE IF EXISTS {table}, {beside}")
            self._connection.do(
                f"ALTER TABLE {sql_of((schema, hidden))} RENAME TO {identifier(name)}"
            )
            self._connection.do(f"CREATE TABLE {beside} (certificate text NOT NULL)")
            self._connection.do(
                f"INSERT INTO {beside} VALUES ({PostgreSQL().literal(certificate)})"
            )
            self._connection.commit()
        self._staged = None
