"""Profiling: what each column looks like, ten thousand columns wide."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.engines.base import ColumnProfile
from hedgerow.engines.csvlines import NUMBER
from hedgerow.engines.session import Session

MOST_CELLS = 20_000_000
"""Rows times columns looked at, at most."""
AT_ONCE = 2_000_000
"""Cells in one query: bounds its memory."""
EXAMPLES = 1000
"""Example values for a column; fewer for more than a thousand columns."""
DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"


def profiled(
    session: Session, names: Sequence[str], texts: Sequence[str], sample: int
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
    at_once = max(1, AT_ONCE // max(rows, 1))
    profiles = []
    for first in range(0, len(names), at_once):
        batch = range(first, min(first + at_once, len(names)))
        wanted = ", ".join(_looked_at(f"c{i}", examples) for i in batch)
        answers = session.fetch(f"SELECT {wanted} FROM sample")[0]
        profiles += [
            ColumnProfile(
                name=names[i], rows=rows, **{**found, "examples": tuple(found["examples"])}
            )
            for i, found in zip(batch, answers, strict=True)
        ]
    session.do("DROP TABLE sample")
    return profiles


def _looked_at(c: str, examples: int) -> str:
    values = f"list(DISTINCT {c}) FILTER ({c} IS NOT NULL)"
    number = f"regexp_full_match({c}, '{NUMBER}')"
    date = f"regexp_full_match({c}, '{DATE}') AND try_cast({c} AS DATE) IS NOT NULL"
    return (
        f"{{'distinct': count(DISTINCT {c}), 'missing': count(*) - count({c}), "
        f"'examples': coalesce(list_sort({values})[:{examples}], []), "
        f"'numbers': coalesce(bool_and({number}), false), "
        f"'dates': coalesce(bool_and({date}) FILTER ({c} IS NOT NULL), false), "
        f"'longest': coalesce(max(length({c})), 0)}}"
    )
