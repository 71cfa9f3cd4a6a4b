"""Pictures of a policy: which values it joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, cos, pi, sin
from typing import Any

import numpy as np

from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.looks import SERIES
from hedgerow.charts.marks import Area, Curve, Points, Rectangles, Words
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear
from hedgerow.charts.series import Legend, Series
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold
from hedgerow.noise.blowfish.listed_graphs import Grid, Near
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.noise.blowfish.window_graphs import Windows
from hedgerow.table.domain import Bounds, decimal

FEW_VALUES, FEW_EDGES = 40, 300
"""Up to so many, values and edges are drawn one by one."""
MOST_DRAWN = 400
"""Points of a band, and places of a map."""
WIDTH, SQUARE = 620, 260
"""Of a panel, and of one that is as high as it is wide, in pixels."""
ARC = 16
"""Points of an arc, less one."""
ROW = 9.0
"""How wide a row of circles is, in units of which a dot and its name need about one."""
MARGIN = 0.6
"""Room beside and above a picture, in the same units."""
LETTER = 6
"""About how many pixels a letter of a name is wide."""
MOST_NAMED = 8
"""Groups of a large partition whose values are named."""


def policy_chart(stated: Stated) -> Figure:
    """One panel for each part of a policy."""
    panels, told = [], []
    for columns, graph in stated.policy.parts:
        panel, said = _panel(stated, columns, graph)
        panels.append(panel)
        told.append(said)
    return Figure(
        title=f"What the policy {stated.name} joins",
        subtitle="Joined values must not be told apart. Between values without a path nothing is "
        "protected:\nin which group of joined values somebody is may be published exactly.",
        told=" ".join(told),
        panels=panels,
    )


def _panel(stated: Stated, columns: tuple[str, ...], graph: Graph) -> tuple[Panel, str]:
    name = " and ".join(columns)
    groups = 1 if graph.connected else int(graph.components.max()) + 1
    several = f"{groups:,} groups without a path between them" if groups > 1 else "one group"
    words = f"{_values(stated, columns, graph)}, {several}."
    panel, more = _drawn(stated, columns, graph)
    said = f"{name}: {words} {more}".rstrip()
    return replace(panel, title=name, subtitle=words), said


def _drawn(stated: Stated, columns: tuple[str, ...], graph: Graph) -> tuple[Panel, str]:
    """The picture, and what is to be said of it."""
    if isinstance(graph, Full):
        note = "Every value is joined to every other."
        return Panel(notes=[note]), note
    if not graph.diameter:
        note = "No value is joined to another: nothing is protected."
        return Panel(notes=[note]), note
    if isinstance(graph, Near | Grid) and len(columns) == 2:
        return _map(columns, graph), ""
    if graph.size <= FEW_VALUES and len(edges := graph.edges()) <= FEW_EDGES:
        pairs = "1 pair is" if len(edges) == 1 else f"{len(edges):,} pairs are"
        return _dots(graph, edges, stated.labels.get(columns[0])), f"{pairs} joined."
    if isinstance(graph, Partition):
        lines = _named_groups(stated, columns[0], graph)
        return _blocks(columns[0], graph, lines), " ".join(lines)
    if isinstance(graph, Threshold):
        return _band(stated, columns[0], graph), _widest(graph)
    return Panel(notes=[f"Too large to draw: {graph.size:,} values."]), ""


def _values(stated: Stated, columns: tuple[str, ...], graph: Graph) -> str:
    """How many values there are; the code of whatever is none of them is not counted as one.

    A part of several columns has no such code.
    """
    domain = stated.domains.get(columns[0]) if len(columns) == 1 else None
    number = graph.size - (domain is not None)
    told = "1 value" if number == 1 else f"{number:,} values"
    if domain is None:
        return told
    return f"{told} and {'no number' if isinstance(domain, Bounds) else 'none of them'}"


def _widest(graph: Windows) -> str:
    most = int((graph.reach - np.arange(graph.size)).max())
    return f"A value is joined to up to {most:,} of those that follow it."


def _dots(graph: Graph, edges: Any, labels: Any) -> Panel:
    """Values as dots: on a line with arcs where they are in order, else in circles by group."""
    on_line = isinstance(graph, Threshold)
    parts = graph.components.tolist()
    values = [str(i) for i in range(graph.size)]
    if labels is not None and len(labels) == graph.size:
        values = ["missing" if label is None else str(label) for label in labels]
    names = [_cut(value) for value in values]
    spots, above = (_on_line(names), ()) if on_line else _in_circles(graph, names)
    if on_line:
        names = _thinned(names)
    nodes = [
        {"_x": x, "_y": y, "value": values[i], "group": parts[i] + 1, "_name": names[i],
         "_up": i in above, "_tint": str(parts[i] % SERIES)}
        for i, (x, y) in enumerate(spots)
    ]  # fmt: skip
    lines = [
        {"value": values[a], "joined to": values[b], "_x": x, "_y": y, "_edge": number}
        for number, (a, b) in enumerate(edges.tolist())
        for x, y in _way(spots[a], spots[b], arc=on_line)
    ]
    xs, ys = [n["_x"] for n in [*nodes, *lines]], [n["_y"] for n in [*nodes, *lines]]
    wide, tall = max(xs) - min(xs), max(ys) - min(ys)
    if on_line:
        side, room = 0.04 * wide + 0.3, 0.2 * tall + 0.8 * (tall == 0)
        right, height = max(xs), int(min(max(64, WIDTH * 1.3 * tall / (wide + 2 * side)), 260))
    else:
        # Circles are round: a unit is as high as it is wide.
        side, room = MARGIN, 0.5
        right = max(max(xs), min(xs) + ROW)
        height = int(WIDTH * (tall + 2 * room) / (right - min(xs) + 2 * side))
    by = Series(field="_tint", names=tuple(map(str, range(SERIES))), symbols=("circle",) * SERIES)
    # The name stands on the side where no edge comes from.
    sides = [(16, [n for n in nodes if not n["_up"]]), (-9, [n for n in nodes if n["_up"]])]
    return Panel(
        marks=[
            Curve(rows=lines, x="_x", y="_y", split="_edge", tint="empty", width=1, opacity=0.7),
            Points(rows=nodes, x="_x", y="_y", by=by, size=80, edge="paper",
                   hover=lambda row: row["value"]),
            *(
                Words(rows=[{key: row[key] for key in ("_x", "_y", "_name")} for row in rows],
                      x="_x", y="_y", text="_name", dy=dy, size=10, tint="ink")
                for dy, rows in sides
            ),
        ],
        x=ChartAxis(scale=Linear(min(xs) - side, right + side), drawn=False),
        y=ChartAxis(scale=Linear(min(ys) - room, max(ys) + room), drawn=False),
        width=WIDTH,
        height=height,
    )  # fmt: skip


def _on_line(names: Sequence[str]) -> list[tuple[float, float]]:
    """The last, which is none of the others, stands so far off that its name has room."""
    size = len(names)
    needed = LETTER * (len(names[-1]) + len(names[-2])) / 2 + 8
    off = max(1.0, 1.2 * size * needed / (WIDTH - 1.2 * needed))
    return [*((float(i), 0.0) for i in range(size - 1)), (round(size - 2 + off, 6), 0.0)]


def _thinned(names: Sequence[str]) -> list[str]:
    """Only every so many of the names on a line, where they would run into each other."""
    room = 0.9 * WIDTH / _on_line(names)[-1][0]
    every = ceil((LETTER * max(map(len, names[:-1])) + 4) / room)
    return [*(name if i % every == 0 else "" for i, name in enumerate(names[:-1])), names[-1]]


def _in_circles(
    graph: Graph, names: Sequence[str]
) -> tuple[list[tuple[float, float]], frozenset[int]]:
    """Each group round a circle of its own, row by row; and whose names stand above their dots."""
    parts = graph.components
    spots: list[tuple[float, float]] = [(0.0, 0.0)] * graph.size
    above: set[int] = set()
    widths = np.array([len(name) * LETTER * (ROW + 2 * MARGIN) / WIDTH for name in names])
    left, top, tallest = 0.0, 0.0, 0.0
    for part in range(int(parts.max()) + 1):
        members = np.flatnonzero(parts == part).tolist()
        widest = float(widths[members].max())
        radius = 0.0 if len(members) == 1 else max(0.5, len(members) / 6)
        if len(members) == 2:
            radius = max(radius, widest / 2 + 0.05)
        half = max(radius + widest / 2, 0.4)
        if left and left + 2 * half > ROW + MARGIN:
            left, top, tallest = 0.0, top - tallest - radius - 2 * MARGIN, 0.0
        tallest = max(tallest, radius if len(members) > 2 else 0.0)
        for place, value in enumerate(members):
            # Two lie side by side, so that their names do not meet.
            angle = pi + 2 * pi * place / len(members)
            across, up = round(radius * cos(angle), 6), round(radius * sin(angle), 6)
            spots[value] = (round(left + half + across, 6), round(top + up, 6))
            if up > 0:
                above.add(value)
        left += 2 * half + 0.45
    return spots, frozenset(above)


def _way(a: tuple[float, float], b: tuple[float, float], *, arc: bool) -> list[tuple[float, float]]:
    if not arc or abs(b[0] - a[0]) <= 1:
        return [a, b]
    middle, half = (a[0] + b[0]) / 2, (b[0] - a[0]) / 2
    steps = [pi * i / ARC for i in range(ARC + 1)]
    return [(middle - half * cos(t), 0.45 * half * sin(t)) for t in steps]


def _named_groups(stated: Stated, column: str, graph: Partition) -> list[str]:
    """Which values are where in the picture of a large partition, for the first groups."""
    groups = _groups(graph)
    lines = []
    for first, last in groups[:MOST_NAMED]:
        where = f"place {first + 1:,}" if first == last else f"places {first + 1:,} to {last + 1:,}"
        codes = graph.order[first : last + 1].tolist()
        lines.append(f"{where}: {_listed(stated, column, codes)}")
    if len(groups) > MOST_NAMED:
        more = len(groups) - MOST_NAMED
        lines.append(f"and {more:,} more group{'s' * (more > 1)}.")
    if len(groups) > MOST_DRAWN:
        lines.append(f"The {MOST_DRAWN:,} largest groups are drawn.")
    return lines


def _listed(stated: Stated, column: str, codes: Sequence[int]) -> str:
    domain = stated.domains[column]

    def spelt(code: int) -> str:
        if isinstance(domain, Bounds):
            assert domain.step is not None, "else it had no codes"
            return "no number" if code == domain.cells else decimal(domain.low + code * domain.step)
        if code == len(domain.values):
            return "anything else"
        value = domain.values[code]
        return "missing" if value is None else _cut(value)

    if isinstance(domain, Bounds) and len(codes) > 2 and codes[-1] - codes[0] + 1 == len(codes):
        return f"{spelt(codes[0])} to {spelt(codes[-1])}"
    more = len(codes) - 3
    return ", ".join(map(spelt, codes[:3])) + (f" and {more:,} more" if more > 0 else "")


def _groups(graph: Partition) -> list[tuple[int, int]]:
    """The first and the last place of each group, in the order of the picture."""
    last = np.unique(graph.reach).tolist()
    return list(zip([0, *(end + 1 for end in last[:-1])], last, strict=True))


def _blocks(column: str, graph: Partition, lines: Sequence[str]) -> Panel:
    """A square for each group; one of a single value is at least as large as its border."""
    drawn = sorted(_groups(graph), key=lambda ends: ends[0] - ends[1])[:MOST_DRAWN]
    rows = [{"from": first + 1, "to": last + 1, "_from": first + 0.5, "_to": last + 1.5}
            for first, last in sorted(drawn)]  # fmt: skip
    flat = ChartAxis(scale=Linear(0.5, graph.size + 0.5), grid=True, many=6)
    return Panel(
        marks=[Rectangles(rows=rows, x="_from", x2="_to", y="_from", y2="_to", opacity=0.55,
                          rim=2, hover=lambda row: f"places {row['from']:,} to {row['to']:,}")],
        x=replace(flat, title=f"{column}: values, group by group"),
        y=replace(flat, title="joined to"),
        width=SQUARE,
        height=SQUARE,
        notes=lines,
    )  # fmt: skip


def _band(stated: Stated, column: str, graph: Threshold) -> Panel:
    """Each value on one axis, and on the other the values it is joined to."""
    # The last code is none of the values. It is said, as nothing of it would be seen.
    size = graph.size - 1
    assert graph.reach[size - 1] < size, "it is joined to no value"
    low = np.searchsorted(graph.reach, np.arange(size))
    at = np.unique(np.linspace(0, size - 1, MOST_DRAWN).astype(np.int64))
    domain = stated.domains.get(column)
    numbers = isinstance(domain, Bounds)
    first, step = 1.0, 1.0
    if isinstance(domain, Bounds):
        first, step = float(domain.low), float(domain.step or 1)
    rows = [
        {"value": first + step * i, "from": first + step * int(low[i]),
         "to": first + step * int(graph.reach[i])}
        for i in at.tolist()
    ]  # fmt: skip
    flat = ChartAxis(scale=Linear(first, first + step * (size - 1)), grid=True, many=5)
    none = "No number" if numbers else "Anything else"
    return Panel(
        marks=[Area(rows=rows, x="value", y="from", to="to", opacity=0.55)],
        x=replace(flat, title=column if numbers else f"{column}: values in their order"),
        y=replace(flat, title="joined to"),
        width=SQUARE,
        height=SQUARE,
        notes=[f"{none} is not in the picture: it is joined to none of these, and a group by "
               "itself."],
    )  # fmt: skip


def _map(columns: tuple[str, ...], graph: Near | Grid) -> Panel:
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
    rows: list[dict[str, Any]] = [
        {
            "across": float(places[i, across]),
            "up": float(places[i, up]),
            "kind": "one place" if i == centre else kinds[bool(near[i])],
        }
        for i in sorted({*shown.tolist(), centre})
    ]
    by = Series(field="kind", names=("one place", "joined to it", "not joined"),
                tints=("s1", "s0", "empty"), symbols=("diamond", "circle", "cross"))  # fmt: skip

    def axis(field: str, title: str) -> ChartAxis:
        values = [row[field] for row in rows]
        edge = 0.04 * (max(values) - min(values)) or 1
        scale = Linear(min(values) - edge, max(values) + edge)
        return ChartAxis(scale=scale, title=title, grid=True, many=5)

    return Panel(
        marks=[Points(rows=rows, x="across", y="up", by=by, size=45,
                      hover=lambda row: f"{row['up']:.6g}, {row['across']:.6g}: {row['kind']}")],
        x=axis("across", columns[across]),
        y=axis("up", columns[up]),
        width=SQUARE,
        height=SQUARE,
        legends=[Legend(keys=by.keys())],
    )  # fmt: skip


def _cut(text: str) -> str:
    return text if len(text) <= 16 else f"{text[:15]}…"
