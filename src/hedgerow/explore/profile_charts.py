"""A chart of a table's profile: how many people stand out, by sets of columns and by attackers."""

from __future__ import annotations

from hedgerow.base.errors import HedgerowError
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Intervals, Points, Row
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Band, Linear, percent
from hedgerow.charts.series import Key, Legend
from hedgerow.table.profile.column_notes import in_percent, listed
from hedgerow.table.profile.table_profile import TableProfile

STEP = 34
"""Pixels from one line to the next."""
MOST_NAMED = 3
"""Columns that a line names."""


def singling_chart(found: TableProfile, *, width: int = 520) -> Figure:
    """A line for each set of columns and each attacker: the share of people they single out.

    Raises:
        HedgerowError: No column tells people apart.
    """
    rows: list[Row] = [
        {"who": listed(one.columns, MOST_NAMED), "columns": listed(one.columns), "from": 0.0,
         "share": one.distinction}
        for one in found.smallest
    ]  # fmt: skip
    attackers: list[Row] = [
        {"who": one.attacker, "columns": listed(one.columns), "from": 0.0,
         "share": one.distinction}
        for one in found.knowledge
    ]  # fmt: skip
    every = [*rows, *attackers]
    if not every:
        raise HedgerowError(
            "there is nothing to draw", fix="Look at a table with columns that tell people apart."
        )
    panel = Panel(
        marks=[
            Intervals(rows=every, y="who", low="from", high="share", tint="faint", width=2),
            Points(rows=rows, x="share", y="who", size=90, tint="s1", hover=_hover),
            Points(rows=attackers, x="share", y="who", size=90, tint="s2", symbol="diamond",
                   hover=_hover),
        ],
        x=ChartAxis(scale=Linear(0, 1), title="people singled out", label=percent, grid=True,
                    many=10),
        y=ChartAxis(scale=Band(tuple(dict.fromkeys(str(row["who"]) for row in every)))),
        width=width,
        height=STEP * len(every) + 10,
    )  # fmt: skip
    keys = (
        Key(label="by the set of columns that tells most", tint="s1", symbol="circle"),
        Key(label="by what an attacker is likely to know", tint="s2", symbol="diamond"),
    )
    return Figure(
        title="Who stands out", subtitle=f"{found.people:,} people", panels=[panel],
        told="; ".join(map(_hover, every)), legends=[Legend(keys=keys)],
    )  # fmt: skip


def _hover(row: Row) -> str:
    return f"{row['who']} ({row['columns']}): {in_percent(row['share'])}"
