"""Profiling: what each column looks like, ten thousand columns wide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hedgerow.engines.base import ColumnProfile
from hedgerow.engines.csv_lines import NUMBER
from hedgerow.engines.session import DuckDBSession

MOST_CELLS = 20_000_000
"""Rows times columns looked at, at most."""
CELLS_AT_ONCE = 2_000_000
COLUMNS_AT_ONCE = 500
"""In one query: bounds its memory and the time to plan it."""
EXAMPLES = 1000
"""Example values for a column; fewer for more than a thousand columns."""
NOTHING: dict[str, Any] = {
    "distinct": 0,
    "missing": 0,
    "examples": (),
    "numbers": False,
    "dates": False,
    "longest": 0,
}
"""What a column without rows looks like."""
DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"


def profiled(
    session: DuckDBSession, names: Sequence[str], texts: Sequence[str], sample: int
) -> list[ColumnProfile]:
    """Profile the first rows of `source`.

    Args:
        session: What runs it.
        names: The columns.
        texts: SQL of each column's text.
        sample: Rows to look at, at most.
    """
    most = max(1, min(sample, MOST_CELLS // len(names)))
    examples = max(20, min(EXAMPLES, 1_000_000 // len(names)))
    columns = ", ".join(f"{text} AS c{i}" for i, text in enumerate(texts))
    session.do(f"CREATE OR REPLACE TEMP TABLE sample AS SELECT {columns} FROM source LIMIT {most}")
    rows = session.number("SELECT count(*) FROM sample")
    found: dict[int, dict[str, Any]] = {}
    at_once = min(COLUMNS_AT_ONCE, max(1, CELLS_AT_ONCE // max(rows, 1)))
    for first in range(0, len(names), at_once):
        batch = range(first, min(first + at_once, len(names)))
        found |= dict(session.fetch(_looked_at(batch, examples)))
    session.do("DROP TABLE sample")
    return [
        ColumnProfile(name=name, rows=rows, **{**look, "examples": tuple(look["examples"])})
        for name, look in ((name, found.get(i, NOTHING)) for i, name in enumerate(names))
    ]


def _looked_at(batch: range, examples: int) -> str:
    """SQL over (column, value) pairs: aggregates side by side would cost DuckDB their square."""
    values = ", ".join(f"c{i}" for i in batch)
    number = f"regexp_full_match(v, '{NUMBER}')"
    date = f"(regexp_full_match(v, '{DATE}') AND try_cast(v AS DATE) IS NOT NULL)"
    return (
        f"WITH cells AS (SELECT unnest([{values}]) AS v, "
        f"unnest(range({batch.start}, {batch.stop})) AS i FROM sample), "
        "counted AS (SELECT i, v, count(*) AS n FROM cells GROUP BY i, v) "
        "SELECT i, {'distinct': count(v), "
        "'missing': coalesce(sum(n) FILTER (v IS NULL), 0)::BIGINT, "
        f"'examples': coalesce(list_sort(list(v) FILTER (v IS NOT NULL))[:{examples}], []), "
        f"'numbers': coalesce(bool_and({number}) FILTER (v IS NOT NULL), false), "
        f"'dates': coalesce(bool_and({date}) FILTER (v IS NOT NULL), false), "
        "'longest': coalesce(max(length(v)), 0)} FROM counted GROUP BY i"
    )
