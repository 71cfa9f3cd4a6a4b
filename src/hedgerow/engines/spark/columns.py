"""Columns as Spark holds them: SQL of their values and of texts from which DuckDB reads them.

Spark's SQL can spell whole numbers, decimals, dates, times and true or false as DuckDB writes
them. Doubles and bytes it cannot; their texts are exact, but Spark's own.
"""

from __future__ import annotations

import re

from hedgerow.engines.remote import RemoteColumn

KINDS = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "void": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BLOB",
}
"""DuckDB's name for each of Spark's types."""
PLAIN = 6
"""Digits after the point that Spark never writes with an exponent."""
DAY = 86_400_000_000
"""Microseconds."""
SAFE = re.compile(r"[A-Za-z0-9 _.:+-]*")
"""Text that is the same SQL under every setting of Spark's parser."""


def kind_of(declared: str) -> str:
    """DuckDB's name for a type as Spark's schema spells it; empty where it has no such values.

    >>> [kind_of(t) for t in ("bigint", "decimal(9,2)", "string collate UNICODE_CI", "map<a,b>")]
    ['BIGINT', 'DECIMAL(9,2)', 'VARCHAR', '']
    """
    if re.fullmatch(r"decimal\(\d+,\d+\)", declared):
        return declared.upper()
    if re.fullmatch(r"(string collate .*|(var)?char\(\d+\))", declared):
        return "VARCHAR"
    if re.fullmatch(r"time\([0-6]\)", declared):
        return "TIME"
    return KINDS.get(declared, "")


def identifier(name: str) -> str:
    """A name as Spark's SQL.

    >>> identifier("a `b` c")
    '`a ``b`` c`'
    """
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    r"""Text as Spark's SQL; settings decide what a backslash means, so none is written.

    >>> literal("flu"), literal("it's")
    ("'flu'", "CAST(X'69742773' AS STRING)")
    """
    return f"'{text}'" if SAFE.fullmatch(text) else f"CAST(X'{text.encode().hex()}' AS STRING)"


def column(name: str, place: str, declared: str) -> RemoteColumn:
    """A column of the source.

    Args:
        name: As the source has it.
        place: SQL of it.
        declared: Its type, as Spark's schema spells it.
    """
    kind = kind_of(declared)
    spelled = _spelled(place, kind, declared)
    return RemoteColumn(
        name=name,
        kind=kind,
        text=_own(place, kind) if spelled is None else spelled,
        value=place,
        faithful=spelled is not None,
        own=declared,
    )


def _spelled(c: str, kind: str, declared: str) -> str | None:
    """SQL of the text that DuckDB writes; None where Spark's SQL has no way to write it."""
    match kind:
        case "VARCHAR" if " collate " in declared:
            # To a collation of its own, texts that differ may be the same.
            return f"collate({c}, 'UTF8_BINARY')"
        case "VARCHAR" if declared == "void":
            return f"CAST({c} AS STRING)"
        case "VARCHAR":
            return c
        case "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" | "BOOLEAN":
            return f"CAST({c} AS STRING)"
        case "DATE":
            return _date(c)
        case "TIMESTAMP":
            day = _date(f"CAST({c} AS DATE)")
            return f"({day} || ' ' || split_part(CAST({c} AS STRING), ' ', 2))"
        case "TIMESTAMP WITH TIME ZONE":
            return _instant(c)
        case _ if kind.startswith("DECIMAL"):
            return _decimal(c, *map(int, re.findall(r"\d+", kind)))
        case _:
            return None


def _own(c: str, kind: str) -> str:
    """SQL of an exact text that DuckDB reads as the value."""
    if kind == "BLOB":
        return rf"regexp_replace(hex({c}), '(..)', concat(chr(92), chr(92), 'x$1'))"
    return f"CAST({c} AS STRING)"


def _decimal(c: str, precision: int, scale: int) -> str:
    text = f"CAST({c} AS STRING)"
    # Compared with 0, Spark would round the smallest ones.
    negative = f"startswith({text}, '-')"
    if scale > PLAIN:  # 1.2E-8 is 0.00..., as many zeros as it says but one, and its digits
        digits = f"replace(replace(split_part({text}, 'E-', 1), '.', ''), '-', '')"
        zeros = f"repeat('0', try_cast(split_part({text}, 'E-', 2) AS INT) - 1)"
        sign = f"CASE WHEN {negative} THEN '-' ELSE '' END"
        text = (
            f"CASE WHEN contains({text}, 'E-') THEN {sign} || '0.' || {zeros} || {digits} "
            f"ELSE {text} END"
        )
    if precision > scale:
        return f"({text})"
    # DuckDB writes no zero before the point where the type has no room for it.
    return f"(CASE WHEN {negative} THEN '-.' ELSE '.' END || split_part({text}, '.', 2))"


def _date(day: str) -> str:
    """SQL of a day's text: years before the first with (BC), large ones without a sign."""
    year = f"CAST(CASE WHEN year({day}) > 0 THEN year({day}) ELSE 1 - year({day}) END AS STRING)"
    return (
        f"(lpad({year}, greatest(4, length({year})), '0') || '-' || {_two(f'month({day})')} "
        f"|| '-' || {_two(f'dayofmonth({day})')} "
        f"|| CASE WHEN year({day}) > 0 THEN '' ELSE ' (BC)' END)"
    )


def _instant(c: str) -> str:
    """SQL of a time with a zone, in UTC. Spark's own parts of it hang on the session's zone."""
    since = f"pmod(unix_micros({c}), {DAY}L)"
    day = f"date_from_unix_date(CAST((unix_micros({c}) - {since}) DIV {DAY}L AS INT))"
    hour, minute = f"({since} DIV 3600000000L)", f"({since} DIV 60000000L % 60)"
    second, part = f"({since} DIV 1000000L % 60)", f"({since} % 1000000L)"
    fraction = f"'.' || rtrim('0', lpad(CAST({part} AS STRING), 6, '0'))"
    return (
        f"({_date(day)} || ' ' || {_two(hour)} || ':' || {_two(minute)} || ':' || {_two(second)} "
        f"|| CASE WHEN {part} = 0 THEN '' ELSE {fraction} END || '+00')"
    )


def _two(number: str) -> str:
    return f"lpad(CAST({number} AS STRING), 2, '0')"
