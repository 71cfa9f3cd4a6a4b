"""What a PostgreSQL database says of its tables: their names, and what their columns hold."""

from __future__ import annotations

import re

from hedgerow.base.errors import DataError
from hedgerow.engines.base import TablePlace
from hedgerow.engines.postgresql.columns import column_of
from hedgerow.engines.postgresql.connection import Connection
from hedgerow.engines.remote import RemoteColumn
from hedgerow.engines.session import identifier

Name = tuple[str, str]
"""Of a table: its schema, and what it is called there."""


def sql_of(table: Name) -> str:
    """A table as SQL.

    >>> sql_of(("ward", "visits.2024"))
    '"ward"."visits.2024"'
    """
    return ".".join(map(identifier, table))


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


def columns_of(connection: Connection, source: str) -> tuple[RemoteColumn, ...]:
    """The columns of a table, given as SQL, in order."""
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


def is_there(connection: Connection, table: Name) -> bool:
    """Whether there is a table, a view or the like of that name."""
    asked = sql_of(table)
    return bool(connection.fetch("SELECT to_regclass(%s) IS NOT NULL", [asked])[0][0])


def is_release(connection: Connection, table: Name, beside: Name) -> bool:
    """Whether these are the tables of a release, as we make them, and nothing else."""
    kinds = connection.fetch(
        "SELECT relkind = 'r' FROM pg_class WHERE oid = ANY (%s::regclass[])",
        [[sql_of(name) for name in (table, beside)]],
    )
    columns = [column.name for column in columns_of(connection, sql_of(beside))]
    return all(kind[0] for kind in kinds) and columns == ["certificate"]


def refuse_other_encodings(connection: Connection) -> None:
    """Refuse a database whose texts have other bytes than ours.

    Raises:
        DataError: It is not in UTF8.
    """
    encoding = connection.fetch("SHOW server_encoding")[0][0]
    if encoding != "UTF8":
        raise DataError(
            f"the database's encoding is {encoding}, in which texts have other bytes",
            where=connection.where,
            fix="Only databases in UTF8 can be used.",
        )
