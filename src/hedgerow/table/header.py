"""Whether the names of columns are names: a file without a header shows somebody's record as one.

The first line of a CSV file names its columns. Where a file has no such line, its first person
would be published as the header, whole, and counted nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hedgerow.base.decimals import parse
from hedgerow.base.errors import DataError, some
from hedgerow.engines.base import Engine

LOOKED_AT = 1000
"""Rows whose values say what a column holds."""
_YEAR = re.compile(r"(19|20)\d\d")


def first_values(engine: Engine, columns: Sequence[str]) -> dict[str, list[str]]:
    """What stands in the first rows of these columns, where something does."""
    if not columns:
        return {}
    rows = engine.rows(columns, LOOKED_AT)
    return {name: [v for v in rows[name].to_pylist() if v is not None] for name in columns}


def require_header(engine: Engine, *, where: str | None = None) -> dict[str, list[str]]:
    """Stop where the names of columns look like a record.

    Args:
        engine: The table.
        where: What it is called.

    Returns:
        The first values of each column, for who else wants to look at them.

    Raises:
        DataError: At least half of the names, and two of them, look like values of their columns.
    """
    values = first_values(engine, engine.columns())
    found = record_like(values)
    if found:
        raise DataError(
            f"the first line of the table looks like somebody's record, not like the names of its "
            f"columns: {some(found)}",
            where=where,
            fix="Add a first line with a name for every column. If these are names, rename the "
            "columns, or remove rows that repeat the header.",
        )
    return values


def record_like(values: Mapping[str, Sequence[str]]) -> list[str]:
    """Names that look like values of their own columns; none where they are too few to tell.

    A name is like a value if it is one, or if both are numbers. Years and positions are names of
    columns, too.

    >>> record_like({"39": ["50", "38"], "State-gov": ["Private", "State-gov"]})
    ['39', 'State-gov']
    >>> record_like({"name": ["Ann"], "2019": ["7"], "2020": ["2020"]})
    []
    """
    found = [
        name
        for place, (name, column) in enumerate(values.items())
        if name != str(place) and _is_value(name, column)
    ]
    return found if len(found) >= min(2, len(values)) and 2 * len(found) >= len(values) else []


def _is_value(name: str, column: Sequence[str]) -> bool:
    bare = name.strip().casefold()
    if bare and any(value.strip().casefold() == bare for value in set(column)):
        return True
    if _YEAR.fullmatch(bare) or parse(bare) is None or not column:
        return False
    return 2 * sum(parse(value.strip()) is not None for value in column) > len(column)
