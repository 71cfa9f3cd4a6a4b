"""PostgreSQL's types: the DuckDB type with the same values, and SQL of the exact text."""

from __future__ import annotations

import re

from hedgerow.engines.remote import RemoteColumn
from hedgerow.engines.session import identifier

KINDS = {
    "boolean": "BOOLEAN",
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "date": "DATE",
    "time without time zone": "TIME",
    "timestamp without time zone": "TIMESTAMP",
    "timestamp with time zone": "TIMESTAMP WITH TIME ZONE",
    "uuid": "UUID",
    "text": "VARCHAR",
    "character varying": "VARCHAR",
    "character": "VARCHAR",
    "name": "VARCHAR",
}
"""By the name without lengths and digits. Numbers of any length, and enumerations, are text."""
FAITHFUL = {"BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "UUID", "VARCHAR"}
MOST_DIGITS = 38
"""That a decimal of DuckDB has."""


def column_of(name: str, declared: str, *, enumeration: bool) -> RemoteColumn:
    """A column of a table.

    Args:
        name: Its name.
        declared: Its type as `format_type` writes it; of a domain, the type behind it.
        enumeration: Whether it is one of the user's own lists of words.

    >>> column_of("a", "numeric(9,2)", enumeration=False).kind
    'DECIMAL(9,2)'
    >>> column_of("a", "numeric", enumeration=False).kind, column_of("a", "json",
    ...     enumeration=False).kind
    ('VARCHAR', '')
    """
    value = f"source.{identifier(name)}"
    kind = "VARCHAR" if enumeration else _kind(declared)
    text = f"CAST({value} AS text)"
    if kind == "BOOLEAN":
        text = f"CASE {value} WHEN true THEN 'true' WHEN false THEN 'false' END"
    elif kind == "DATE" or kind.startswith("TIMESTAMP"):
        # Years before Christ, which DuckDB marks behind the date.
        text = rf"regexp_replace({text}, '^(\S+)(.*) BC$', '\1 (BC)\2')"
    return RemoteColumn(
        name=name,
        kind=kind,
        text=f'({text} COLLATE "C")' if kind else "",
        value=value,
        faithful=kind in FAITHFUL,
        own=declared,
    )


def _kind(declared: str) -> str:
    if numeric := re.fullmatch(r"numeric(?:\((\d+),(-?\d+)\))?", declared):
        digits, places = int(numeric[1] or 0), int(numeric[2] or 0)
        decimal = 0 < digits <= MOST_DIGITS and 0 <= places <= digits
        # Others may have any number of digits, and are compared as they are written.
        return f"DECIMAL({digits},{places})" if decimal else "VARCHAR"
    return KINDS.get(re.sub(r"\(\d+\)", "", declared), "")
