"""Charts of answers: each number with its interval, or cells of numbers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hedgerow.base.decimals import parse
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.looks import SERIES
from hedgerow.charts.marks import Intervals, Points, Rectangles, Row
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Band, Linear
from hedgerow.charts.series import Legend, Series

if TYPE_CHECKING:
    from hedgerow.answers.design import AnswerTable

MOST_LINES = 48
"""Lines of a table that a chart has room for."""
MOST_CELLS = 2000
"""Cells of numbers, drawn side by side."""
STEP = 26
"""Pixels from one line to the next."""
FROM_ZERO = ("count", "sum")
"""Numbers whose axis begins at zero."""


def answer_chart(
    shown: AnswerTable, *, title: str, subtitle: str = "", width: int = 560
) -> Figure | None:
    """The numbers of an answer, with their intervals; None where nothing can be drawn.

    Args:
        shown: The table.
        title: The question.
        subtitle: What its marks are, where that is not all to be said.
        width: Of the plot, in pixels.
    """
    value = next((name for name in shown.columns if name not in shown.keys), None)
    if value is None or not shown.columns[value]:
        return None
    numbers = shown.columns[value]
    if any(isinstance(n, str) or n is None for n in numbers):
        return None
    low, high = shown.told("low"), shown.told("high")
    rows = [
        {"value": float(n), "low": None if low is None else float(low[i]),
         "high": None if high is None else float(high[i])}
        for i, n in enumerate(numbers[:MOST_CELLS])
    ]  # fmt: skip
    keys = [[_text(v) for v in shown.columns[name]] for name in shown.keys]
    if len(numbers) <= MOST_LINES:
        dots = "dots: the noisy numbers"
        bars = "; bars: where the exact one is, with 95 %, each by itself"
        said = subtitle or (dots if low is None else dots + bars)
        return _dots(rows, shown.keys, keys, value, title=title, subtitle=said, width=width)
    if len(keys) == 1 and len(numbers) <= MOST_CELLS and None not in map(parse, keys[0]):
        said = subtitle or "a bar for each cell; intervals are in the table"
        return _side_by_side(
            rows, shown.keys[0], keys[0], value, title=title, subtitle=said, width=width
        )
    return None


def _dots(
    rows: list[dict[str, Any]],
    names: Sequence[str],
    keys: list[list[str]],
    value: str,
    *,
    title: str,
    subtitle: str,
    width: int,
) -> Figure:
    """A dot for each line, and a bar from low to high; two short keys get colours."""
    by: Series | None = None
    if len(keys) == 2 and len(set(keys[1])) <= SERIES and len(set(keys[0])) > 1:
        by = Series(field=names[1], names=tuple(dict.fromkeys(keys[1])), title=names[1])
        labels, line = keys[0], names[0]
    else:
        labels = [", ".join(parts) for parts in zip(*keys, strict=True)] if keys else [value]
        line = ", ".join(names) if keys else "of"
    found = [
        {line: label, **({} if by is None else {by.field: keys[1][i]}), **row}
        for i, (label, row) in enumerate(zip(labels, rows, strict=True))
    ]
    order = tuple(dict.fromkeys(labels))
    spans = [row for row in found if row["low"] is not None]
    ends = [row[key] for row in found for key in ("value", "low", "high") if row[key] is not None]
    panel = Panel(
        marks=[
            Intervals(rows=found if spans else [], y=line, low="low", high="high", by=by,
                      beside=by, opacity=0.4),
            Points(rows=found, x="value", y=line, by=by, beside=by, size=70, hover=_hover),
        ],
        x=ChartAxis(scale=Linear.over(ends, zero=value in FROM_ZERO), title=value, grid=True),
        y=ChartAxis(scale=Band(order), title=names[0] if names else ""),
        width=width,
        height=STEP * len(order) * (1.5 if by is not None and len(by.names) > 1 else 1) + 10,
    )  # fmt: skip
    said = "; ".join(
        f"{row[line]}{'' if by is None else ' ' + row[by.field]}: {row['value']:,.6g}"
        for row in found
    )
    legends = [] if by is None else [Legend(keys=by.keys(), title=by.title)]
    return Figure(title=title, subtitle=subtitle, told=said, panels=[panel], legends=legends)


def _side_by_side(
    rows: list[dict[str, Any]],
    name: str,
    labels: list[str],
    value: str,
    *,
    title: str,
    subtitle: str,
    width: int,
) -> Figure:
    """A bar for each cell of a column of numbers."""
    starts = [float(label) for label in labels]
    apart = min(b - a for a, b in pairwise(starts))
    found = [
        {name: start, **row, "_end": start + apart}
        for start, row in zip(starts, rows, strict=True)
    ]  # fmt: skip
    heights = [row["value"] for row in rows]
    panel = Panel(
        marks=[Rectangles(rows=found, x=name, x2="_end", y="value", hover=_hover)],
        x=ChartAxis(scale=Linear(starts[0], starts[-1] + apart), title=name, many=10),
        y=ChartAxis(scale=Linear.over(heights, zero=True, many=6), title=value, many=6, grid=True),
        width=width,
        height=260,
    )
    peak = max(found, key=lambda row: row["value"])
    said = f"{len(rows):,} cells; the largest is {peak['value']:,.6g} at {peak[name]:,.6g}"
    return Figure(title=title, subtitle=subtitle, told=said, panels=[panel])


def _hover(row: Row) -> str:
    return ", ".join(
        f"{key} {value}" if isinstance(value, str) else f"{key} {value:,.9g}"
        for key, value in row.items()
        if value is not None and not key.startswith("_")
    )


def _text(value: Any) -> str:
    if value is None:
        return "missing"
    return value if isinstance(value, str) else f"{value:.12g}"
