"""The charts of the reports: plain data in, an Altair chart out.

Altair is imported when a chart is made, not before: it takes longer than most commands.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import HedgerowError
from hedgerow.charts.files import save

if TYPE_CHECKING:
    import altair as alt

__all__ = ["COLOURS", "Line", "Mark", "dressed", "lattice_chart", "save", "stubbornness_chart"]

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
INK, QUIET, EMPTY, FAINT = "#24292f", "#6e7781", "#afb8c1", "#d8dee4"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#AA3377", "#56B4E9", "#B8860B", "#444444")
"""Told apart by the colour-blind too; every line also has its own symbol."""
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [1, 3])


@dataclass(frozen=True)
class Stamp:
    """What the mark of one definition looks like."""

    symbol: str
    size: int
    """In square pixels."""
    dash: tuple[float, ...]
    colour: str
    filled: bool = False


NESTED = (
    Stamp("square", 1050, (1, 0), "#0072B2"),
    Stamp("square", 1750, (4, 3), "#3399DD"),
    Stamp("circle", 300, (1, 0), "#D55E00"),
    Stamp("circle", 640, (3, 2.5), "#AA3377"),
    Stamp("circle", 75, (1, 0), "#009E73", filled=True),
)
"""The marks of a node of the lattice, each visible inside or around the others."""

Node = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Line:
    """How one number moves with the stubbornness of one adversary, at one node."""

    who: str
    """The adversary: a colour and a symbol."""
    node: str = ""
    """The node: a kind of line. Leave it out where all lines are about the same one."""
    points: Mapping[float, float]
    """Stubbornness (`math.inf` too) -> value; an infinite value is drawn as an arrow."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Which nodes of a lattice one definition of privacy admits."""

    name: str
    nodes: frozenset[Node]


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
) -> alt.LayerChart:
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
    import altair as alt

    every = list(_points(lines))
    rows = [row for row in every if "value" in row]
    if not rows:
        raise HedgerowError("none of the lines has a finite value to draw")
    finite = [row["x"] for row in every if row["stubbornness"] != "∞"]
    first = math.floor(min(finite, default=0.0) + 1e-9)
    last = math.ceil(max(finite, default=0.0) - 1e-9)
    infinity = last + 1.5
    for row in every:
        row.setdefault("x", infinity)
    endless = any(row["stubbornness"] == "∞" for row in every)
    who = list(dict.fromkeys(line.who for line in lines))
    nodes = list(dict.fromkeys(line.node for line in lines))
    if len(who) > len(COLOURS) or len(nodes) > len(DASHES):
        raise HedgerowError(
            f"{len(who)} adversaries at {len(nodes)} nodes are too many for one chart",
            fix=f"Draw at most {len(COLOURS)} adversaries and {len(DASHES)} nodes.",
        )
    ticks = [*range(first, last + 1), *([infinity] if endless else [])]
    digits = json.dumps(list("⁰¹²³⁴⁵⁶⁷⁸⁹"), ensure_ascii=False)
    power = f"datum.value < 10 ? '10' + {digits}[datum.value] : '10^' + datum.value"
    end = (infinity if endless else last) + 0.3
    x = alt.X(
        "x:Q",
        title="stubbornness σ" + (" (∞: never changes their mind)" if endless else ""),
        scale=alt.Scale(domain=[first - 0.15, end], nice=False, zero=False),
        axis=alt.Axis(
            values=ticks, labelExpr=f"datum.value == {infinity} ? '∞' : ({power})", grid=False
        ),
    )
    y = _log_axis(alt, value, [row["value"] for row in rows] + [required] * (required is not None))
    colour = alt.Color(
        "who:N", sort=who, title=None,
        scale=alt.Scale(domain=who, range=list(COLOURS[: len(who)])),
        legend=alt.Legend(orient="top", columns=3, symbolStrokeWidth=2, symbolSize=70),
    )  # fmt: skip
    shape = alt.Shape(
        "who:N", sort=who, title=None, legend=alt.Legend(orient="top", columns=3),
        scale=alt.Scale(domain=who, range=list(SYMBOLS[: len(who)])),
    )  # fmt: skip
    dash = alt.StrokeDash(
        "node:N", sort=nodes, title="node",
        scale=alt.Scale(domain=nodes, range=[list(d) for d in DASHES[: len(nodes)]]),
        legend=alt.Legend(orient="right", symbolType="stroke", symbolSize=400,
                          symbolStrokeColor=INK) if len(nodes) > 1 else None,
    )  # fmt: skip
    tooltip = [alt.Tooltip("who:N", title="adversary")]
    tooltip += [alt.Tooltip("node:N")] if any(nodes) else []
    tooltip += [alt.Tooltip("stubbornness:N"), alt.Tooltip("value:Q", title=value, format=".6~g")]
    base = alt.Chart(alt.Data(values=rows))
    solid = base.transform_filter("datum.stubbornness != '∞'")
    layers: list[Any] = []
    if endless and finite:
        broken = alt.Chart(alt.Data(values=[{"x": last + 0.75}]))
        layers.append(broken.mark_rule(color=FAINT, strokeDash=[5, 4]).encode(x=x))
    if required is not None:
        layers += _required(alt, required, required_label, first, x, y)
    bridges = list(_bridges(rows))
    if bridges:
        leap = alt.Chart(alt.Data(values=bridges)).mark_line(
            strokeWidth=1.2, strokeDash=[1.5, 3], opacity=0.8
        )
        layers.append(leap.encode(x=x, y=y, color=colour, detail="node:N"))
    layers.append(solid.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash))
    points = base.mark_point(filled=True, size=52, opacity=1)
    layers.append(points.encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip))
    layers += [
        alt.Chart(alt.Data(values=arrows))
        .mark_text(text="↑ ∞", dy=9 + 15 * i, fontSize=13, fontWeight="bold", font=FONT)
        .encode(x=x, y=alt.value(0), color=colour, tooltip=tooltip[:-1])
        for i, arrows in enumerate(_arrows(every))
    ]
    chart = alt.layer(*layers).properties(width=width, height=height)
    return dressed(alt, chart, title, subtitle, f"{value} against stubbornness, {', '.join(who)}")


def lattice_chart(
    nodes: Iterable[Node],
    edges: Iterable[tuple[Node, Node]],
    marks: Sequence[Mark],
    *,
    title: str,
    subtitle: str = "",
    width: int = 980,
) -> alt.LayerChart:
    """The generalisation lattice by level, with the definitions that admit each node.

    Args:
        nodes: The nodes to draw; the most general stands on top.
        edges: (finer, coarser) pairs of nodes that differ by one step.
        marks: At most five definitions: square, dashed square, circle, dashed circle, dot.
        title: What is shown.
        subtitle: Of which table, under which parameters.
        width: In pixels.

    Raises:
        HedgerowError: There are no nodes, or too many marks to tell apart.
    """
    import altair as alt

    if len(marks) > len(NESTED):
        raise HedgerowError(
            f"{len(marks)} definitions cannot be told apart", fix=f"Mark at most {len(NESTED)}."
        )
    edges = list(edges)
    place = _places(list(nodes), edges)
    if not place:
        raise HedgerowError("there are no nodes to draw")
    levels = sorted({sum(node) for node in place}, reverse=True)
    spots, stamps = [], []
    for node, across in place.items():
        spot = {"x": across, "level": sum(node), "node": _label(node)}
        on = [i for i, mark in enumerate(marks) if node in mark.nodes]
        widest = max((NESTED[i].size for i in on), default=0)
        words = ", ".join(marks[i].name for i in on)
        spots.append(spot | {"admitted": words, "size": max(1.2 * widest, 150)})
        stamps += [spot | {"definition": marks[i].name, "size": NESTED[i].size} for i in on]
    wires = [
        {"x": place[a], "level": sum(a), "x2": place[b], "level2": sum(b)}
        for a, b in edges
        if a in place and b in place
    ]
    reach = max(abs(x) for x in place.values()) + 0.6
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-reach, reach]))
    y = alt.Y(
        "level:Q",
        title="level (sum of the generalisation heights)",
        scale=alt.Scale(domain=[levels[-1] - 0.55, levels[0] + 0.4], nice=False, zero=False),
        axis=alt.Axis(values=levels, grid=False, format="d", ticks=False, domain=False),
    )
    lines = alt.Chart(alt.Data(values=wires)).mark_rule(color=FAINT, strokeWidth=1)
    layers: list[Any] = [lines.encode(x=x, y=y, x2="x2:Q", y2="level2:Q")] if wires else []
    dots = alt.Chart(alt.Data(values=spots))
    size = alt.Size("size:Q", scale=None, legend=None)
    layers.append(
        # A white disc keeps the lines out of the marks.
        dots.mark_point(shape="circle", filled=True, color="white", opacity=1)
        .encode(x=x, y=y, size=size)
    )  # fmt: skip
    layers.append(
        dots.transform_filter("datum.admitted == ''")
        .mark_point(shape="circle", size=36, filled=True, color=EMPTY, opacity=1)
        .encode(x=x, y=y)
    )
    if stamps:
        layers.append(
            alt.Chart(alt.Data(values=stamps))
            .mark_point(strokeWidth=1.8, opacity=1)
            .encode(x=x, y=y, size=size, **_nested(alt, [mark.name for mark in marks]))
        )
    # Twice: a white edge keeps the lines out of the letters.
    for edge in ({"stroke": "white", "strokeWidth": 5, "strokeJoin": "round"}, {}):
        text = dots.mark_text(dy=33, fontSize=11.5, font=FONT, **edge)
        colour = alt.condition("datum.admitted == ''", alt.value(QUIET), alt.value(INK))
        tips = [alt.Tooltip("node:N"), alt.Tooltip("admitted:N", title="admitted by")]
        layers.append(text.encode(x=x, y=y, text="node:N", color=colour, tooltip=tips))
    chart = alt.layer(*layers).properties(width=width, height=96 * len(levels))
    told = f"generalisation lattice, {len(place)} nodes on {len(levels)} levels"
    return dressed(alt, chart, title, subtitle, told)


def _points(lines: Sequence[Line]) -> Iterator[dict[str, Any]]:
    for line in lines:
        for sigma, value in sorted(line.points.items()):
            if not sigma > 0 or math.isnan(value) or value <= 0:
                raise HedgerowError(
                    f"{line.who}: stubbornness {sigma} with value {value} has no logarithm",
                    fix="Give positive numbers.",
                )
            row: dict[str, Any] = {"who": line.who, "node": line.node}
            if math.isfinite(value):
                row["value"] = float(value)
            if math.isinf(sigma):
                yield row | {"stubbornness": "∞"}
            else:
                yield row | {"stubbornness": f"{sigma:,.12g}", "x": math.log10(sigma)}


def _arrows(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Infinite values, those at the same stubbornness in rows below each other."""
    below: list[list[Mapping[str, Any]]] = []
    met: dict[float, int] = {}
    for row in rows:
        if "value" not in row:
            place = met.get(row["x"], 0)
            met[row["x"]] = place + 1
            below += [[]] * (place == len(below))
            below[place] = [*below[place], row]
    return below


def _bridges(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """From the last finite stubbornness of each line to infinity."""
    by_line: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        by_line.setdefault((row["who"], row["node"]), []).append(row)
    for points in by_line.values():
        if len(points) > 1 and points[-1]["stubbornness"] == "∞":
            yield from (dict(point) for point in points[-2:])


def _log_axis(alt: Any, title: str, values: Sequence[float]) -> Any:
    """Ticks at 1, 2, 5 times powers of ten where they are few, at powers of ten elsewhere."""
    low, high = min(values), max(values)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [float(f"{m}e{d}") for d in decades for m in (1, 2, 5)]
    start = max((tick for tick in fine if tick <= low), default=low)
    end = min((tick for tick in fine if tick >= high and tick > start), default=2 * high)
    ticks = fine if end / start < 2e3 else [float(f"1e{d}") for d in decades]
    return alt.Y(
        "value:Q", title=title, scale=alt.Scale(type="log", domain=[start, end], nice=False),
        axis=alt.Axis(values=[t for t in ticks if start <= t <= end], gridColor="#eaeef2",
                      format=",~g" if high < 1e6 else ".1~s"),
    )  # fmt: skip


def _required(
    alt: Any, required: float, label: str | None, first: int, x: Any, y: Any
) -> list[Any]:
    """A horizontal rule with its name on it."""
    name = label or f"required: ε = {required:.6g}"
    rule = alt.Chart(alt.Data(values=[{"value": required, "x": first, "name": name}]))
    return [
        rule.mark_rule(color=INK, strokeDash=[6, 3], strokeWidth=1.2).encode(y=y),
        rule.mark_text(align="left", dy=-7, color=INK, font=FONT, fontSize=11).encode(
            x=x, y=y, text="name:N"
        ),
    ]


def _nested(alt: Any, names: list[str]) -> dict[str, Any]:
    """Encodings that give each definition its mark, with one legend for all of them."""
    legend = alt.Legend(
        orient="bottom", direction="horizontal", columns=len(names), symbolSize=190,
        symbolStrokeWidth=1.8, columnPadding=24,
    )  # fmt: skip
    stamps = NESTED[: len(names)]

    def by(channel: Any, values: Iterable[Any]) -> Any:
        scale = alt.Scale(domain=names, range=list(values))
        return channel("definition:N", sort=names, title=None, legend=legend, scale=scale)

    return {
        "shape": by(alt.Shape, (s.symbol for s in stamps)),
        "strokeDash": by(alt.StrokeDash, (list(s.dash) for s in stamps)),
        "stroke": by(alt.Stroke, (s.colour for s in stamps)),
        "fill": by(alt.Fill, (s.colour if s.filled else "transparent" for s in stamps)),
    }


def _label(node: Node) -> str:
    return f"[{','.join(map(str, node))}]"


def _places(nodes: Sequence[Node], edges: Sequence[tuple[Node, Node]]) -> dict[Node, float]:
    """A horizontal place for each node: levels centred, neighbours drawn towards each other."""
    levels: dict[int, list[Node]] = {}
    for node in sorted(nodes, reverse=True):
        levels.setdefault(sum(node), []).append(node)
    above: dict[Node, list[Node]] = {}
    for fine, coarse in edges:
        above.setdefault(fine, []).append(coarse)
    widest = max((len(level) for level in levels.values()), default=1)
    place: dict[Node, float] = {}
    for level in sorted(levels, reverse=True):
        row = levels[level]

        def pull(node: Node) -> float:
            met = [place[b] for b in above.get(node, ()) if b in place]
            return sum(met) / len(met) if met else 0.0

        row = sorted(row, key=pull)
        gap = min(widest / len(row), 1.6)
        for i, node in enumerate(row):
            place[node] = (i - (len(row) - 1) / 2) * gap
    return place


def dressed(alt: Any, chart: Any, title: str, subtitle: str, told: str) -> Any:
    """Title, accessible name and the house's looks."""
    head = alt.TitleParams(
        title, subtitle=subtitle.split("\n") if subtitle else [], anchor="start", frame="group",
        fontSize=16, fontWeight=600, color=INK, subtitleColor=QUIET, subtitleFontSize=12,
        subtitlePadding=5, offset=14,
    )  # fmt: skip
    return (
        chart.properties(title=head, description=f"{title}: {told}", background="white", padding=16)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=QUIET, labelFontSize=12, titleFontSize=12,
            titleFontWeight="normal", domainColor=QUIET, tickColor=QUIET, titlePadding=10,
        )
        .configure_legend(labelFontSize=12, labelColor=INK, titleColor=QUIET, titleFontSize=12,
                          titleFontWeight="normal", labelLimit=320)
    )  # fmt: skip
