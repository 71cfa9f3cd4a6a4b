"""A chart of what is believed of one person: before, by who knows them, by who knows everybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Intervals, Layer, Points, Row
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Band, Linear, percent
from hedgerow.charts.series import Key, Legend

STEP = 30
"""Pixels from one value to the next."""
MOST = 12
"""Values that are drawn: the likeliest."""


def person_chart(told: Mapping[str, Any], *, width: int = 560) -> Figure:
    """A line for each value: a ring before, a dot and a diamond for the two attackers.

    Where the belief with the list is between bounds, a bar leads from the one to the other.

    Args:
        told: The summary of a `PersonBelief`.
        width: Of the plot.
    """
    possible = [one for one in told["beliefs"] if one["alone"] or (one["listed"] or (0, 0))[1]]
    rows: list[dict[str, Any]] = []
    for one in possible[:MOST]:
        listed = one["listed"]
        rows.append(
            {
                "value": _named(one["value"], told),
                "before": one["before"],
                "alone": one["alone"],
                "low": None if listed is None else listed[0],
                "high": None if listed is None else listed[1],
            }
        )
    known = [row for row in rows if row["low"] is not None]
    exact = [row for row in known if row["low"] == row["high"]]
    layers: list[Layer] = [
        Intervals(rows=rows, y="value", low="before", high="alone", tint="faint", width=2),
        Intervals(rows=known, y="value", low="low", high="high", tint="s2", width=5, opacity=0.45),
        Points(rows=rows, x="before", y="value", size=90, filled=False, hover=_hover),
        Points(rows=rows, x="alone", y="value", size=90, tint="s1", hover=_hover),
        Points(
            rows=exact,
            x="high",
            y="value",
            size=190,
            symbol="diamond",
            tint="s2",
            filled=False,
            hover=_hover,
        ),
    ]
    keys = [Key(label="before", tint="s0", symbol="circle", filled=False),
            Key(label="knowing the person", tint="s1", symbol="circle")]  # fmt: skip
    if known:
        between = "" if len(exact) == len(known) else ", or between"
        keys.append(Key(label=f"knowing everybody{between}", tint="s2", symbol="diamond",
                        filled=False))  # fmt: skip
    panel = Panel(
        marks=layers,
        x=ChartAxis(scale=Linear(0, 1.03), title="belief", label=percent, grid=True, many=10),
        y=ChartAxis(scale=Band(tuple(row["value"] for row in rows))),
        width=width,
        height=STEP * len(rows) + 10,
    )
    return Figure(
        title=f"What is believed of {told['person']}",
        subtitle=str(told["of"]),
        told="; ".join(map(_hover, rows)),
        panels=[panel],
        legends=[Legend(keys=tuple(keys))],
    )


def _named(value: str | None, told: Mapping[str, Any]) -> str:
    name = "missing" if value is None else value
    return f"{name} (true)" if value is not None and value == told["truth"] else name


def _hover(row: Row) -> str:
    said = f"{row['value']}: {row['before']:.1%} before, {row['alone']:.1%} knowing the person"
    if row["low"] is None:
        return said
    listed = f"{row['low']:.1%}"
    if row["low"] != row["high"]:
        listed += f" to {row['high']:.1%}"
    return f"{said}, {listed} knowing everybody"
