"""Charts of answers: each number with its interval, or cells of numbers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hedgerow.base.decimals import parse
from hedgerow.charts.figures import COLOURS, SYMBOLS, dressed

if TYPE_CHECKING:
    import altair as alt

    from hedgerow.answers.design import AnswerTable

MOST_LINES = 48
"""Lines of a table that a chart has room for."""
MOST_CELLS = 2000
"""Cells of numbers, drawn side by side."""
STEP = 26
"""Pixels from one line to the next."""
PLAIN = ",.9~g"
"""Numbers as people write them."""
FROM_ZERO = ("count", "sum")
"""Numbers whose axis begins at zero."""


def answer_chart(
    shown: AnswerTable, *, title: str, subtitle: str = "", width: int = 560
) -> alt.LayerChart | None:
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
) -> alt.LayerChart:
    """A dot for each line, and a bar from low to high; two short keys get colours."""
    import altair as alt

    colours: list[str] = []
    if len(keys) == 2 and len(set(keys[1])) <= len(COLOURS) and len(set(keys[0])) > 1:
        colours = list(dict.fromkeys(keys[1]))
        labels = keys[0]
    else:
        labels = [", ".join(parts) for parts in zip(*keys, strict=True)] if keys else [value]
    for i, row in enumerate(rows):
        row["line"] = labels[i]
        if colours:
            row["colour"] = keys[1][i]
    order = list(dict.fromkeys(labels))
    y = alt.Y("line:N", sort=order, title=names[0] if names else None,
              axis=alt.Axis(labelLimit=240, ticks=False, labelPadding=8))  # fmt: skip
    zero = value in FROM_ZERO
    x = alt.X("value:Q", title=value, scale=alt.Scale(zero=zero, nice=True),
              axis=alt.Axis(gridColor="#e6e9ed", format=PLAIN))  # fmt: skip
    base = alt.Chart(alt.Data(values=rows))
    encoded: dict[str, Any] = {"y": y}
    tips = [alt.Tooltip("line:N", title=names[0] if names else "of")]
    if colours:
        scale = alt.Scale(domain=colours, range=list(COLOURS[: len(colours)]))
        shapes = alt.Scale(domain=colours, range=list(SYMBOLS[: len(colours)]))
        legend = alt.Legend(orient="top", title=names[1])
        encoded |= {
            "yOffset": alt.YOffset("colour:N", sort=colours),
            "color": alt.Color("colour:N", sort=colours, scale=scale, legend=legend),
        }
        tips.append(alt.Tooltip("colour:N", title=names[1]))
    tips.append(alt.Tooltip("value:Q", title=value, format=PLAIN))
    spans = rows[0]["low"] is not None
    layers: list[Any] = []
    if spans:
        tips += [alt.Tooltip("low:Q", format=PLAIN), alt.Tooltip("high:Q", format=PLAIN)]
        plain = {} if colours else {"color": COLOURS[0]}
        layers.append(
            base.mark_rule(strokeWidth=5, opacity=0.4, **plain).encode(
                x=alt.X("low:Q", title=value), x2="high:Q", **encoded
            )
        )
    plain = {} if colours else {"color": COLOURS[0]}
    if colours:
        encoded["shape"] = alt.Shape("colour:N", sort=colours, scale=shapes, legend=legend)
    dots = base.mark_point(filled=True, size=70, opacity=1, **plain)
    layers.append(dots.encode(x=x, tooltip=tips, **encoded))
    height = STEP * len(order) * (1 + 0.5 * (len(colours) > 1)) + 10
    plot = alt.layer(*layers).properties(width=width, height=height)
    said = "; ".join(
        f"{row['line']}{' ' + row['colour'] if colours else ''}: {row['value']:,.6g}"
        for row in rows
    )
    chart: alt.LayerChart = dressed(alt, plot, title, subtitle, said)
    return chart


def _side_by_side(
    rows: list[dict[str, Any]],
    name: str,
    labels: list[str],
    value: str,
    *,
    title: str,
    subtitle: str,
    width: int,
) -> alt.LayerChart:
    """A bar for each cell of a column of numbers."""
    import altair as alt

    for row, label in zip(rows, labels, strict=True):
        row["at"] = float(label)
    ends = [row["at"] for row in rows]
    apart = min(b - a for a, b in pairwise(ends))
    for row in rows:
        row["end"] = row["at"] + apart
    tips = [alt.Tooltip("at:Q", title=name, format=PLAIN),
            alt.Tooltip("value:Q", title=value, format=PLAIN)]  # fmt: skip
    bars = alt.Chart(alt.Data(values=rows)).mark_rect(color=COLOURS[0]).encode(
        x=alt.X("at:Q", title=name, axis=alt.Axis(grid=False, format=PLAIN),
                scale=alt.Scale(zero=False)),
        x2="end:Q",
        y=alt.Y("value:Q", title=value, axis=alt.Axis(gridColor="#e6e9ed", format=PLAIN)),
        y2=alt.datum(0),
        tooltip=tips,
    )  # fmt: skip
    plot = alt.layer(bars).properties(width=width, height=260)
    peak = max(rows, key=lambda row: row["value"])
    said = f"{len(rows):,} cells; the largest is {peak['value']:,.6g} at {peak['at']:,.6g}"
    chart: alt.LayerChart = dressed(alt, plot, title, subtitle, said)
    return chart


def _text(value: Any) -> str:
    if value is None:
        return "missing"
    return value if isinstance(value, str) else f"{value:.12g}"
