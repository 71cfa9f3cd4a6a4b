"""Columns in which texts mean missing that are values in others, in the view `source`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hedgerow.engines.column_sql import FLOATING
from hedgerow.engines.formats.base import SourceView
from hedgerow.engines.session import DuckDBSession, literal
from hedgerow.engines.source_values import require_columns


def without_marks(
    session: DuckDBSession, view: SourceView, marks: Mapping[str, Sequence[str]]
) -> SourceView:
    """The view in which these texts are missing values of their columns.

    Args:
        session: Where.
        view: The source.
        marks: By column, the texts as they are written; of numbers, any text of the number.

    Raises:
        DataError: There is no such column.
    """
    require_columns(marks, view.names, session.where)
    session.do("ALTER VIEW source RENAME TO as_marked")
    values = (
        f"{_value(f'c{i}', kind, marks.get(name, ()))} AS c{i}"
        for i, (name, kind) in enumerate(zip(view.names, view.types, strict=True))
    )
    session.do(f"CREATE TEMP VIEW source AS SELECT {', '.join(values)} FROM as_marked")
    return replace(view, arrow=None)


def _value(place: str, kind: str, texts: Sequence[str]) -> str:
    """SQL of a value, or of none where it is one of the texts."""
    if not texts:
        return place
    return f"(CASE WHEN {means_missing(place, kind, texts)} THEN NULL ELSE {place} END)"


def means_missing(place: str, kind: str, texts: Sequence[str]) -> str:
    """SQL of the session of whether a value is one of the texts; of numbers, of any writing.

    Args:
        place: SQL of the value.
        kind: Its type.
        texts: The texts, at least one.
    """
    listed = list(dict.fromkeys(texts))
    if is_number(kind):
        number = kind if kind in FLOATING else "DOUBLE"
        numbers = ", ".join(f"TRY_CAST({literal(text)} AS {number})" for text in listed)
        return f"{place}::{number} IN ({numbers})"
    return f"{place}::VARCHAR IN ({', '.join(map(literal, listed))})"


def is_number(kind: str) -> bool:
    """Whether values of a type have several texts, so that they are compared as numbers.

    >>> is_number("DECIMAL(9,2)"), is_number("BIGINT")
    (True, False)
    """
    return kind in FLOATING or kind.startswith("DECIMAL")
