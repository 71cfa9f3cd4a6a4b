"""The recode join where the data are: as `mapping` does it, in the SQL the dialects share."""

from __future__ import annotations

from collections.abc import Sequence


def assigned_there(
    units: str,
    into: str,
    *,
    keys: Sequence[str],
    carried: Sequence[str],
    labels: Sequence[str],
    ranked: bool,
    ties: Sequence[str],
) -> str:
    """SQL that gives each unit, a row or a person, its line of the mapping, if it has one.

    Args:
        units: A subquery with the keys, none NULL, and what is carried.
        into: The table of the mapping.
        keys: Columns both have.
        carried: Columns wanted of the units.
        labels: Columns wanted of the mapping.
        ranked: Whether the mapping tells units of one cell apart by rank, `lo` up to `hi`.
        ties: What orders the units of a cell.
    """
    wanted = [*(f"u.{name}" for name in carried), *(f"m.{name}" for name in labels)]
    same = " AND ".join(f"u.{key} = m.{key}" for key in keys)
    if not ranked:
        return f"SELECT {', '.join(wanted)} FROM ({units}) AS u JOIN {into} AS m ON {same}"
    cell = ", ".join(keys)
    order = ", ".join(f"{tie} NULLS LAST" for tie in ties) or keys[0]
    nothing = [f"NULL AS {name}" for name in carried]
    # Comparing each unit with each line of its cell would be quadratic. So units and lines are
    # sorted together by rank, and the last line that began before a unit is the one it is in.
    return (
        f"WITH placed AS (SELECT x.*, row_number() OVER (PARTITION BY {cell} ORDER BY {order}) - 1 "
        f"AS place FROM ({units}) AS x), "
        f"both_of_them AS (SELECT {', '.join([cell, *carried])}, place, "
        "CAST(NULL AS bigint) AS lo, 1 AS unit FROM placed UNION ALL "
        f"SELECT {', '.join([cell, *nothing])}, lo AS place, lo, 0 AS unit FROM {into} AS m), "
        f"begun AS (SELECT y.*, max(lo) OVER (PARTITION BY {cell} ORDER BY place, unit "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS began FROM both_of_them AS y) "
        f"SELECT {', '.join(wanted)} FROM begun AS u JOIN {into} AS m ON {same} "
        "AND u.began = m.lo WHERE u.unit = 1 AND u.place < m.hi"
    )
