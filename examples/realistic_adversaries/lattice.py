"""The chart of a generalisation lattice: which definitions of privacy admit which node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hedgerow.base.errors import HedgerowError
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.elements import rule
from hedgerow.charts.figure import Figure
from hedgerow.charts.looks import Pen
from hedgerow.charts.marks import Frame, Layer, Points, Words
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear
from hedgerow.charts.series import Key, Legend

Node = tuple[int, ...]


@dataclass(frozen=True)
class Stamp:
    """What the mark of one definition looks like."""

    symbol: str
    size: int
    """In square pixels."""
    dash: str
    tint: str
    filled: bool = False


NESTED = (
    Stamp("square", 1050, "", "s0"),
    Stamp("square", 1750, "4 3", "s4"),
    Stamp("circle", 300, "", "s1"),
    Stamp("circle", 640, "3 2.5", "s3"),
    Stamp("circle", 75, "", "s2", filled=True),
)
"""The marks of a node, each visible inside or around the others."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Which nodes of a lattice one definition of privacy admits."""

    name: str
    nodes: frozenset[Node]


@dataclass(frozen=True, kw_only=True)
class Wires(Layer):
    """A thin line for each row, from one place to another."""

    x2: str
    y2: str

    def draw(self, frame: Frame, pen: Pen) -> list[str]:
        looks = pen.paint(stroke=self.tint) | {"stroke-width": "1"}
        return [
            rule(*self.spot(frame, row), frame.across(row[self.x2]), frame.up(row[self.y2]), looks)
            for row in self.rows
        ]


def lattice_chart(
    nodes: Iterable[Node],
    edges: Iterable[tuple[Node, Node]],
    marks: Sequence[Mark],
    *,
    title: str,
    subtitle: str = "",
    width: int = 980,
) -> Figure:
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
    if len(marks) > len(NESTED):
        raise HedgerowError(
            f"{len(marks)} definitions cannot be told apart", fix=f"Mark at most {len(NESTED)}."
        )
    edges = list(edges)
    place = _places(list(nodes), edges)
    if not place:
        raise HedgerowError("there are no nodes to draw")
    levels = sorted({sum(node) for node in place}, reverse=True)
    reach = max(abs(x) for x in place.values()) + 0.6
    panel = Panel(
        marks=_layers(place, edges, marks),
        x=ChartAxis(scale=Linear(-reach, reach), drawn=False),
        y=ChartAxis(
            scale=Linear(levels[-1] - 0.55, levels[0] + 0.4), ticks=levels, line=False,
            title="level (sum of the generalisation heights)", label=lambda level: f"{level:.0f}",
        ),
        width=width,
        height=96 * len(levels),
    )  # fmt: skip
    keys = tuple(
        Key(label=mark.name, tint=stamp.tint, symbol=stamp.symbol, filled=stamp.filled,
            dash=stamp.dash, size=90 if stamp.filled else 170)
        for mark, stamp in zip(marks, NESTED, strict=False)
    )  # fmt: skip
    told = f"generalisation lattice, {len(place)} nodes on {len(levels)} levels"
    legends = [Legend(keys=keys)] if keys else []
    return Figure(title=title, subtitle=subtitle, told=told, panels=[panel], legends=legends)


def _layers(
    place: dict[Node, float], edges: Sequence[tuple[Node, Node]], marks: Sequence[Mark]
) -> list[Layer]:
    spots = []
    stamps: list[list[dict[str, object]]] = [[] for _ in marks]
    for node, across in place.items():
        spot = {"_x": across, "level": sum(node), "node": _label(node)}
        on = [i for i, mark in enumerate(marks) if node in mark.nodes]
        for i in on:
            stamps[i].append(spot | {"definition": marks[i].name})
        widest = max((NESTED[i].size for i in on), default=0)
        admitted = ", ".join(marks[i].name for i in on)
        spots.append(spot | {"admitted": admitted, "_size": max(1.2 * widest, 150), "_out": not on})
    wires = [
        {"_x": place[a], "_y": sum(a), "_x2": place[b], "_y2": sum(b)}
        for a, b in edges
        if a in place and b in place
    ]
    bare = [{"_x": spot["_x"], "_y": spot["level"]} for spot in spots if spot["_out"]]
    return [
        Wires(rows=wires, x="_x", y="_y", x2="_x2", y2="_y2", tint="faint"),
        # A disc of the paper's colour keeps the lines out of the marks.
        Points(rows=spots, x="_x", y="level", tint="paper"),
        Points(rows=bare, x="_x", y="_y", tint="empty", size=36),
        *(
            Points(rows=rows, x="_x", y="level", symbol=stamp.symbol, size=stamp.size,
                   dash=stamp.dash, tint=stamp.tint, filled=stamp.filled,
                   hover=lambda row: f"{row['node']}: {row['definition']}")
            for rows, stamp in zip(stamps, NESTED, strict=False)
        ),
        Words(rows=spots, x="_x", y="level", text="node", dy=37, size=11.5, tint="ink",
              faint="_out",
              hover=lambda row: f"{row['node']}: {row['admitted'] or 'admitted by none'}"),
    ]  # fmt: skip


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
