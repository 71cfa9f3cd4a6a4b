"""The recode join: from raw tuples to published ones, missing matching missing, nobody twice."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from hedgerow.base.errors import DataError
from hedgerow.engines.base import Table
from hedgerow.engines.frequency_lines import HeldLines
from hedgerow.engines.frequency_set import FrequencySet
from hedgerow.engines.session import DuckDBSession

INTO = "mapping"
"""Name under which the session knows the mapping."""


@contextmanager
def given(
    session: DuckDBSession,
    mapping: Table | FrequencySet,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    keep: Collection[str],
) -> Iterator[bool]:
    """Let SQL see a mapping as INTO; whether it separates people of one cell by rank.

    Args:
        session: Where it is used.
        mapping: As for `Engine.write`; the keys of one that is held are codes.
        quasi_identifiers: As for `Engine.write`.
        sensitive: As for `Engine.write`.
        keep: As for `Engine.write`.
    """
    if isinstance(mapping, HeldLines):
        mapping.refuse_misfit(session, quasi_identifiers, sensitive, keep)
        session.do(f"CREATE OR REPLACE TEMP VIEW {INTO} AS FROM {mapping.mapping}")
        try:
            yield mapping.separated
        finally:
            session.do(f"DROP VIEW {INTO}")
        return
    count = len(quasi_identifiers)
    keys = [*(f"q{j}" for j in range(count)), *(f"s{i}" for i in range(len(sensitive)))]
    kept = [j for j, name in enumerate(quasi_identifiers) if name in keep]
    with session.holding(INTO, mapping):
        yield checked(session, mapping, keys=keys, recoded=count, kept=kept)


def checked(
    session: DuckDBSession,
    mapping: Table,
    *,
    keys: Sequence[str],
    recoded: int,
    kept: Sequence[int],
) -> bool:
    """Make sure that nobody can be published twice.

    Args:
        session: Where it is used, holding it as INTO.
        mapping: As for `Engine.write`.
        keys: Its key columns: q0, q1, ..., s0, s1, ....
        recoded: How many quasi-identifiers it recodes.
        kept: Which of them it must leave as they are.

    Returns:
        Whether it separates people of one cell by rank.
    """
    ranked = "lo" in mapping.column_names
    wanted = [*keys, *(f"p{j}" for j in range(recoded)), *(("lo", "hi") if ranked else ())]
    if sorted(mapping.column_names) != sorted(wanted):
        raise DataError(f"the mapping has columns {mapping.column_names}, it needs {wanted}")
    if ranked and session.number(f"SELECT count(*) FROM {INTO} WHERE NOT (0 <= lo AND lo < hi)"):
        raise DataError("the mapping has ranks that are not 0 <= lo < hi")
    if ranked:
        twice = session.number(
            f"SELECT count(*) FROM (SELECT lo < lag(hi) OVER (PARTITION BY {', '.join(keys)} "
            f"ORDER BY lo) AS twice FROM {INTO}) WHERE twice"
        )
    else:
        twice = session.number(
            f"SELECT count(*) FROM (SELECT 1 FROM {INTO} GROUP BY {', '.join(keys)} "
            "HAVING count(*) > 1)"
        )
    if twice:
        raise DataError(
            f"the mapping sends {twice:,} of its tuples to more than one group",
            fix="Give each tuple, or each rank within it, one line.",
        )
    for j in kept:
        if changed := session.number(
            f"SELECT count(*) FROM {INTO} WHERE p{j} IS DISTINCT FROM q{j}"
        ):
            raise DataError(f"p{j} should keep q{j} and changes {changed:,} tuples")
    return ranked


def assigned(
    units: str, keys: Sequence[str], carried: Sequence[str], *, ranked: bool, ties: Sequence[str]
) -> str:
    """SQL that gives each unit, a row or a person, its line of the mapping, if it has one.

    Args:
        units: A table or subquery with the keys.
        keys: Columns both sides share.
        carried: Columns wanted of the units and the mapping.
        ranked: Whether the mapping tells units of one cell apart by rank.
        ties: What orders the units of a cell. It has to come from their contents, so that the
            order of the source decides nothing.
    """
    wanted = ", ".join(carried)
    if not ranked:
        return f"SELECT {wanted} FROM {units} AS u JOIN {INTO} AS m ON {_same(keys, 'm')}"
    order = f"ORDER BY {', '.join(ties)}" if ties else ""
    lines = ", ".join(f"m.{key}" for key in keys)
    # Cells are numbered first: ranks are then found by a sorted merge on two integers, where
    # comparing each unit with each line of its cell would be quadratic.
    return (
        f"WITH lines AS (SELECT *, dense_rank() OVER (ORDER BY {lines}) AS cell FROM {INTO} AS m), "
        f"cells AS (SELECT DISTINCT {', '.join(keys)}, cell FROM lines), "
        f"ranked AS (SELECT u.*, cell, row_number() OVER (PARTITION BY cell {order}) - 1 AS place "
        f"FROM {units} AS u JOIN cells ON {_same(keys, 'cells')}) "
        f"SELECT {wanted} FROM ranked ASOF JOIN lines "
        "ON ranked.cell = lines.cell AND ranked.place >= lines.lo WHERE ranked.place < lines.hi"
    )


def _same(keys: Sequence[str], other: str) -> str:
    return " AND ".join(f"u.{key} IS NOT DISTINCT FROM {other}.{key}" for key in keys)
