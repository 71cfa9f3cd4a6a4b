"""Pictures of a policy: which values it joins."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.blowfish.base import Graph
from hedgerow.blowfish.graphs import Full, Threshold
from hedgerow.blowfish.points import Grid, Near
from hedgerow.blowfish.stated import Stated
from hedgerow.blowfish.windows import Windows
from hedgerow.charts import COLOURS, FAINT, INK, QUIET, dressed
from hedgerow.domain import Bounds

if TYPE_CHECKING:
    import altair as alt

FEW_VALUES, FEW_EDGES = 40, 300
"""Up to so many, values and edges are drawn one by one."""
MOST_DRAWN = 400
"""Points of a band, and places of a map."""
WIDTH = 620
ARC = 16
"""Points of an arc, less one."""


def policy_chart(stated: Stated) -> alt.VConcatChart:
    """One panel for each part of a policy."""
    import altair as alt

    panels, told = [], []
    for columns, graph in stated.policy.parts:
        labels = stated.labels.get(columns[0])
        panel, said = _panel(alt, stated, columns, graph, labels)
        panels.append(panel)
        told.append(said)
    chart = alt.vconcat(*panels, spacing=28).resolve_scale(
        x="independent", y="independent", color="independent", shape="independent"
    )
    found: alt.VConcatChart = dressed(
        alt,
        chart,
        f"What the policy {stated.name} joins",
        "Joined values must not be told apart. Between values without a path nothing is protected:"
        "\nin which group of joined values somebody is may be published exactly.",
        " ".join(told),
    )
    return found


def _panel(
    alt: Any, stated: Stated, columns: tuple[str, ...], graph: Graph, labels: Any
) -> tuple[Any, str]:
    name = " and ".join(columns)
    groups = 1 if graph.connected else int(graph.components.max()) + 1
    several = f"{groups:,} groups without a path between them" if groups > 1 else "one group"
    said = f"{name}: {graph.size:,} values, {several}."
    title = {
        "text": name, "subtitle": said.partition(": ")[2], "anchor": "start", "frame": "group",
        "fontSize": 13,
        "color": INK, "subtitleColor": QUIET, "subtitleFontSize": 11,
    }  # fmt: skip
    if isinstance(graph, Full):
        note = "Every value is joined to every other."
        return _sentence(alt, note, title), f"{said} {note}"
    if not graph.diameter:
        note = "No value is joined to another: nothing is protected."
        return _sentence(alt, note, title), f"{said} {note}"
    if isinstance(graph, Near | Grid) and len(columns) == 2:
        return _map(alt, stated, columns, graph, title), said
    if graph.size <= FEW_VALUES and len(edges := graph.edges()) <= FEW_EDGES:
        drawn = _drawn(alt, graph, edges, labels, title)
        return drawn, f"{said} {len(edges):,} pairs are joined."
    if isinstance(graph, Windows):
        return _band(alt, stated, columns[0], graph, title), f"{said} {_widest(graph)}"
    return _sentence(alt, f"Too large to draw: {graph.size:,} values.", title), said


def _widest(graph: Windows) -> str:
    most = int((graph.reach - np.arange(graph.size)).max())
    return f"A value is joined to up to {most:,} of those that follow it."


def _sentence(alt: Any, text: str, title: Any) -> Any:
    data = alt.Data(values=[{"text": text, "x": 0}])
    words = alt.Chart(data).mark_text(align="left", fontSize=12, color=INK)
    spot = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    return words.encode(x=spot, text="text:N").properties(width=WIDTH, height=24, title=title)


def _drawn(alt: Any, graph: Graph, edges: Any, labels: Any, title: Any) -> Any:
    """Values as dots: on a line with arcs where they are in order, else in circles by group."""
    on_line = isinstance(graph, Threshold)
    spots = _on_line(graph) if on_line else _in_circles(graph)
    parts = graph.components.tolist()
    names = [str(i) for i in range(graph.size)]
    if labels is not None and len(labels) == graph.size:
        names = ["missing" if label is None else str(label) for label in labels]
    nodes = [
        {"x": x, "y": y, "value": names[i], "group": parts[i], "name": _cut(names[i])}
        for i, (x, y) in enumerate(spots)
    ]
    lines = [
        {"x": x, "y": y, "edge": number, "order": place}
        for number, (a, b) in enumerate(edges.tolist())
        for place, (x, y) in enumerate(_way(spots[a], spots[b], arc=on_line))
    ]
    xs, ys = [n["x"] for n in [*nodes, *lines]], [n["y"] for n in [*nodes, *lines]]
    wide, tall = max(max(xs) - min(xs), 1.0), max(ys) - min(ys)
    room = 0.1 * tall + 0.4 * (tall == 0)
    side = 0.04 * wide + 0.3
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[min(xs) - side, max(xs) + side]))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[min(ys) - 2 * room, max(ys) + 2 * room]))
    colour = alt.Color("group:N", legend=None, scale=alt.Scale(range=list(COLOURS)))
    # Circles are round where there is room for that.
    height = int(min(max(64, WIDTH * 1.3 * tall / (1.08 * wide + 0.6)), 260))
    strokes = alt.Chart(alt.Data(values=lines)).mark_line(color=QUIET, opacity=0.45, strokeWidth=1)
    dots = alt.Chart(alt.Data(values=nodes))
    layers = [
        strokes.encode(x=x, y=y, detail="edge:N", order="order:Q"),
        dots.mark_circle(size=80, opacity=1, stroke="white", strokeWidth=1).encode(
            x=x, y=y, color=colour, tooltip=[alt.Tooltip("value:N")]
        ),
        # The name stands on the side where no edge comes from.
        *(
            dots.transform_filter(f"datum.y {which} 0.01")
            .mark_text(dy=dy, fontSize=10, color=INK)
            .encode(x=x, y=y, text="name:N")
            for which, dy in (("<=", 16), (">", -13))
        ),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=height, title=title)


def _on_line(graph: Graph) -> list[tuple[float, float]]:
    return [(float(i), 0.0) for i in range(graph.size)]


def _in_circles(graph: Graph) -> list[tuple[float, float]]:
    """Each group round a circle of its own, side by side."""
    parts = graph.components
    spots: list[tuple[float, float]] = [(0.0, 0.0)] * graph.size
    left = 0.0
    for part in range(int(parts.max()) + 1):
        members = np.flatnonzero(parts == part).tolist()
        radius = 0.0 if len(members) == 1 else max(0.5, len(members) / 6)
        centre = left + radius
        for place, value in enumerate(members):
            # Two lie side by side, so that their names do not meet.
            angle = pi + 2 * pi * place / len(members)
            spots[value] = (centre + radius * cos(angle), radius * sin(angle))
        left = centre + radius + 0.9
    return spots


def _way(a: tuple[float, float], b: tuple[float, float], *, arc: bool) -> list[tuple[float, float]]:
    if not arc or abs(b[0] - a[0]) <= 1:
        return [a, b]
    middle, half = (a[0] + b[0]) / 2, (b[0] - a[0]) / 2
    steps = [pi * i / ARC for i in range(ARC + 1)]
    return [(middle - half * cos(t), 0.45 * half * sin(t)) for t in steps]


def _band(alt: Any, stated: Stated, column: str, graph: Windows, title: Any) -> Any:
    """Each value on one axis, and on the other the values it is joined to."""
    size = graph.size
    low = np.searchsorted(graph.reach, np.arange(size))
    at = np.unique(np.linspace(0, size - 1, MOST_DRAWN).astype(np.int64))
    domain = stated.domains.get(column)
    numbers = isinstance(domain, Bounds) and graph.order is None
    if isinstance(domain, Bounds) and numbers:
        at = at[at < domain.cells]
        first, step = float(domain.low), float(domain.step or 1)
    else:
        first, step = 1.0, 1.0
    rows = [
        {"value": first + step * i, "from": first + step * int(low[i]),
         "to": first + step * int(graph.reach[i])}
        for i in at.tolist()
    ]  # fmt: skip
    what = column if numbers else f"{column}: values, group by group"
    axis = alt.Axis(gridColor=FAINT)
    chart = alt.Chart(alt.Data(values=rows)).mark_area(
        color=COLOURS[0], opacity=0.55, interpolate="linear" if numbers else "step"
    )
    return chart.encode(
        x=alt.X("value:Q", title=what, axis=axis, scale=alt.Scale(nice=False, zero=False)),
        y=alt.Y("from:Q", title="joined to", axis=axis, scale=alt.Scale(nice=False, zero=False)),
        y2="to:Q",
        tooltip=[alt.Tooltip("value:Q"), alt.Tooltip("from:Q"), alt.Tooltip("to:Q")],
    ).properties(width=260, height=260, title=title)


def _map(alt: Any, stated: Stated, columns: tuple[str, ...], graph: Near | Grid, title: Any) -> Any:
    """One place in the middle, and those it is joined to."""
    if isinstance(graph, Near):
        places = np.array(graph.points, np.float64)
    else:
        places = graph.points(np.arange(min(graph.size, 250_000))).T.astype(np.float64)
    middle = places.mean(axis=0)
    centre = int(np.argmin(((places - middle) ** 2).sum(axis=1)))
    near = graph.joined(centre, np.arange(len(places)))
    reach = np.abs(places[near] - places[centre]).max(axis=0, initial=0)
    smallest = np.array([np.diff(np.unique(places[:, i])).min(initial=1) for i in (0, 1)])
    box = np.maximum(1.6 * reach, 4 * smallest)
    shown = np.flatnonzero((np.abs(places - places[centre]) <= box + 1e-9).all(axis=1))
    shown = shown[:: max(1, len(shown) // (4 * MOST_DRAWN))]
    # On the Earth the first column is the latitude, which goes upwards.
    across, up = (1, 0) if isinstance(graph, Near) else (0, 1)
    kinds = {True: "joined to it", False: "not joined"}
    rows = [
        {
            "across": float(places[i, across]),
            "up": float(places[i, up]),
            "kind": "one place" if i == centre else kinds[bool(near[i])],
        }
        for i in {*shown.tolist(), centre}
    ]
    colour = alt.Color(
        "kind:N", title=None, sort=["one place", "joined to it", "not joined"],
        scale=alt.Scale(domain=["one place", "joined to it", "not joined"],
                        range=[COLOURS[1], COLOURS[0], "#afb8c1"]),
    )  # fmt: skip
    shape = alt.Shape(
        "kind:N", title=None, sort=["one place", "joined to it", "not joined"],
        scale=alt.Scale(domain=["one place", "joined to it", "not joined"],
                        range=["diamond", "circle", "cross"]),
    )  # fmt: skip
    flat = alt.Scale(zero=False)
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=45, opacity=1)
        .encode(
            x=alt.X("across:Q", title=columns[across], scale=flat),
            y=alt.Y("up:Q", title=columns[up], scale=flat),
            color=colour,
            shape=shape,
        )
        .properties(width=260, height=260, title=title)
    )


def _cut(text: str) -> str:
    return text if len(text) <= 16 else f"{text[:15]}…"
