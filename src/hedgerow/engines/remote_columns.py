"""Columns of a remote table as a plan reads them: texts that mean missing in some, and ages.

Only the SQL of columns changes; the table stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hedgerow.base.errors import DataError
from hedgerow.engines.derived_ages import (
    KIND,
    age,
    beginning,
    is_no_day,
    refuse_strange,
    refuse_unborn,
    require_ages,
)
from hedgerow.engines.missing_marks import is_number, means_missing
from hedgerow.engines.remote import Remote, RemoteColumn
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.source_form import SourceForm
from hedgerow.engines.source_values import missing_text, require_columns

KEYS = frozenset({"missing", "ages"})
"""What can be said under `read` of a table that stays where it is."""


def columns_as_read(
    remote: Remote, session: DuckDBSession, form: SourceForm, null: Sequence[str]
) -> tuple[RemoteColumn, ...]:
    """The columns of a remote table as the plan reads them.

    Args:
        remote: The table.
        session: Decides what a text is, as it does for files.
        form: What is said.
        null: Texts that mean missing in all columns.

    Raises:
        DataError: A column is not there, or an age cannot be counted.
    """
    columns = {column.name: column for column in remote.columns}
    marks = form.missing or {}
    require_columns(marks, list(columns), remote.where)
    for name, texts in marks.items():
        if texts:
            columns[name] = _without_marks(remote, session, columns[name], texts)
    ages = form.ages or {}
    require_ages(ages, list(columns), remote.where)
    dated = {name: _dated(columns[name], remote, null) for both in ages.values() for name in both}
    for name, (born, at) in ages.items():
        for one in (born, at):
            looked_at = beginning(dated[one])
            found = _texts(
                remote, session, looked_at, lambda t: f"{t} IS NOT NULL AND ({is_no_day(t)})"
            )
            refuse_strange(one, name, found, remote.where)
        sql = age(dated[born], dated[at])
        refuse_unborn(name, (born, at), _count(remote, session, f"{sql} < 0"), remote.where)
        columns[name] = RemoteColumn(
            name=name, kind=KIND, text=_as_text(remote, sql), value=sql, faithful=True, own="age"
        )
    return tuple(columns.values())


def _without_marks(
    remote: Remote, session: DuckDBSession, column: RemoteColumn, texts: Sequence[str]
) -> RemoteColumn:
    """The column, with texts that mean missing made NULL."""
    if not column.kind:
        raise DataError(
            f"column {column.name!r} is of the type {column.own}, which cannot be read",
            where=remote.where,
            fix="Read a view in which it is text or a number, or that leaves it out.",
        )
    marks = list(dict.fromkeys(texts))
    if not column.faithful or is_number(column.kind):
        # Which texts these are, DuckDB says: the remote may write values in its own way, and a
        # number has many texts.
        kind = column.kind
        marks = _texts(
            remote,
            session,
            column.text,
            lambda t: means_missing(f"try_cast({t} AS {kind})", kind, marks),
        )
    if not marks:
        return column
    listed = ", ".join(map(remote.dialect.literal, marks))
    missing = f"CASE WHEN {column.text} IN ({listed}) THEN NULL ELSE"
    return replace(
        column, text=f"({missing} {column.text} END)", value=f"({missing} {column.value} END)"
    )


def _dated(column: RemoteColumn, remote: Remote, null: Sequence[str]) -> str:
    """SQL of the text of a date; NULL where it means missing."""
    missing = missing_text(column.text, null, remote.dialect.literal)
    return f"(CASE WHEN {missing} THEN NULL ELSE {column.text} END)"


def _as_text(remote: Remote, sql: str) -> str:
    return remote.dialect.bytewise(f"CAST({sql} AS {remote.dialect.text})")


def _texts(
    remote: Remote, session: DuckDBSession, sql: str, wanted: Callable[[str], str]
) -> list[str]:
    """Those distinct texts of which the session says something."""
    remote.pull(
        f"SELECT DISTINCT {sql} AS t FROM {remote.source} AS source", session, "looked_at",
        {"t": "text"},
    )  # fmt: skip
    rows = session.fetch(f"SELECT t FROM looked_at WHERE {wanted('t')} ORDER BY t")
    session.do("DROP TABLE looked_at")
    return [str(row[0]) for row in rows]


def _count(remote: Remote, session: DuckDBSession, condition: str) -> int:
    """How many rows there are for which something holds."""
    remote.pull(
        f"SELECT count(*) AS n FROM {remote.source} AS source WHERE {condition}", session,
        "looked_at", {"n": "bigint"},
    )  # fmt: skip
    found = session.number("SELECT n FROM looked_at")
    session.do("DROP TABLE looked_at")
    return found
