"""The chart of a number, such as the smallest epsilon, against the stubbornness of adversaries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.base.errors import HedgerowError
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.looks import DASHES, SERIES
from hedgerow.charts.marks import Curve, Layer, Points, Row, Rule, Words
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, Log, plain, power_of_ten, short
from hedgerow.charts.series import Legend, Series


@dataclass(frozen=True, kw_only=True)
class Line:
    """How one number moves with the stubbornness of one adversary, at one node."""

    who: str
    """The adversary: a colour and a symbol."""
    node: str = ""
    """The node: a kind of line. Leave it out where all lines are about the same one."""
    points: Mapping[float, float]
    """Stubbornness (`math.inf` too) -> value; an infinite value is drawn as an arrow."""


def stubbornness_chart(
    lines: Sequence[Line],
    *,
    title: str,
    subtitle: str = "",
    value: str = "smallest ε",
    required: float | None = None,
    required_label: str | None = None,
    width: int = 620,
    height: int = 340,
) -> Figure:
    """Smallest epsilon (or any positive number) against stubbornness, both logarithmic.

    Infinite stubbornness has a place of its own, to the right of a broken line.

    Args:
        lines: One for each adversary and node.
        title: What is shown.
        subtitle: Of which table, under which parameters.
        value: What the vertical axis measures.
        required: Draws a horizontal line here: what the plan asks for.
        required_label: What that line is called; "required: ε = ..." if left out.
        width: Of the plot without its axes, in pixels.
        height: Likewise.

    Raises:
        HedgerowError: There is nothing to draw, or a number has no logarithm.
    """
    every = list(_points(lines))
    rows = [row for row in every if "value" in row]
    if not rows:
        raise HedgerowError("none of the lines has a finite value to draw")
    who = tuple(dict.fromkeys(line.who for line in lines))
    nodes = tuple(dict.fromkeys(line.node for line in lines))
    if len(who) > SERIES or len(nodes) > len(DASHES):
        raise HedgerowError(
            f"{len(who)} adversaries at {len(nodes)} nodes are too many for one chart",
            fix=f"Draw at most {SERIES} adversaries and {len(DASHES)} nodes.",
        )
    finite = [row["_x"] for row in every if "_x" in row]
    first = math.floor(min(finite, default=0.0) + 1e-9)
    last = math.ceil(max(finite, default=0.0) - 1e-9)
    infinity = last + 1.5
    for row in every:
        row.setdefault("_x", infinity)
    endless = any(row["stubbornness"] == "∞" for row in every)
    by = Series(field="who", names=who)
    kinds = Series(field="node", names=nodes, dashes=DASHES, tints=("ink",) * len(DASHES),
                   shown=("line",))  # fmt: skip
    values = [row["value"] for row in rows] + [required] * (required is not None)
    scale = Log.over(values)
    panel = Panel(
        marks=[
            *_guides(last, endless=endless and bool(finite), required=required,
                     label=required_label),
            Curve(rows=list(_bridges(rows)), x="_x", y="value", by=by, width=1.2, dash="1.5 3",
                  split="node"),
            Curve(rows=[row for row in rows if row["stubbornness"] != "∞"], x="_x", y="value",
                  by=by, dashes=kinds),
            Points(rows=rows, x="_x", y="value", by=by, hover=_hover(value)),
            *_arrows([row for row in every if "value" not in row], by, scale.high),
        ],
        x=ChartAxis(
            scale=Linear(first - 0.15, (infinity if endless else last) + 0.3),
            title="stubbornness σ" + (" (∞: never changes their mind)" if endless else ""),
            ticks=[*range(first, last + 1), *([infinity] if endless else [])],
            label=lambda power: "∞" if power == infinity else power_of_ten(power),
        ),
        y=ChartAxis(scale=scale, title=value, grid=True,
                    label=plain if max(values) < 1e6 else short),
        width=width,
        height=height,
    )  # fmt: skip
    legends = [Legend(keys=by.keys())]
    if len(nodes) > 1:
        legends.append(Legend(keys=kinds.keys(), title="node"))
    told = f"{value} against stubbornness, {', '.join(who)}"
    return Figure(title=title, subtitle=subtitle, told=told, panels=[panel], legends=legends)


def _points(lines: Sequence[Line]) -> Iterator[dict[str, Any]]:
    for line in lines:
        for sigma, value in sorted(line.points.items()):
            if not sigma > 0 or math.isnan(value) or value <= 0:
                raise HedgerowError(
                    f"{line.who}: stubbornness {sigma} with value {value} has no logarithm",
                    fix="Give positive numbers.",
                )
            row: dict[str, Any] = {"who": line.who, "node": line.node}
            if math.isinf(sigma):
                row["stubbornness"] = "∞"
            else:
                row |= {"stubbornness": f"{sigma:,.12g}", "_x": math.log10(sigma)}
            if math.isfinite(value):
                row["value"] = float(value)
            yield row


def _hover(value: str) -> Any:
    def said(row: Row) -> str:
        node = f" at {row['node']}" if row["node"] else ""
        return (
            f"{row['who']}{node}, stubbornness {row['stubbornness']}: {value} {row['value']:,.6g}"
        )

    return said


def _guides(
    last: int, *, endless: bool, required: float | None, label: str | None
) -> Iterator[Layer]:
    """What stands under the lines: where infinity begins, and what is asked for."""
    if endless:
        yield Rule(rows=[{"_x": last + 0.75}], x="_x", tint="faint", dash="5 4", width=1)
    if required is not None:
        name = label or f"required: ε = {required:.6g}"
        yield Rule(rows=[{name: required}], y=name, tint="ink", label=name)


def _bridges(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """From the last finite stubbornness of each line to infinity."""
    by_line: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        by_line.setdefault((row["who"], row["node"]), []).append(row)
    for points in by_line.values():
        if len(points) > 1 and points[-1]["stubbornness"] == "∞":
            yield from (dict(point) for point in points[-2:])


def _arrows(rows: Sequence[Mapping[str, Any]], by: Series, top: float) -> Iterator[Layer]:
    """Infinite values, at the top; those at the same stubbornness below each other."""
    met: dict[float, int] = {}
    for row in rows:
        place = met.get(row["_x"], 0)
        met[row["_x"]] = place + 1
        yield Words(
            rows=[{**row, "value": "∞", "_arrow": "↑ ∞", "_y": top}], x="_x", y="_y", by=by,
            text="_arrow", dy=9 + 15 * place, size=13, bold=True,
            hover=lambda row: f"{row['who']}, stubbornness {row['stubbornness']}: infinite",
        )  # fmt: skip
