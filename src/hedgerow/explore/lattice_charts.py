"""The charts beside the lattice: what a claim costs, and epsilon against stubbornness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Curve, Points, Row, Rule
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, Log, plain, short
from hedgerow.charts.stubbornness import Line, stubbornness_chart
from hedgerow.explore.frontier import FrontierPoint, Stubborn
from hedgerow.explore.levers import Lever

if TYPE_CHECKING:
    from hedgerow.explore.tradeoff import Frontier


def frontier_chart(
    steps: Sequence[FrontierPoint], lever: Lever, *, metric: str, now: float, chosen: float | None
) -> Figure:
    """What the best node costs at each value of a lever, and the chosen node among them.

    Args:
        steps: The best at each value.
        lever: What is moved.
        metric: What is measured.
        now: Where the lever stands.
        chosen: What the chosen node costs, if it keeps the claims.
    """
    rows = [
        {lever.words: step.value, metric: step.cost, "people left out": step.left_out,
         "combinations that would do": step.nodes}
        for step in steps
        if not math.isnan(step.cost)
    ]  # fmt: skip
    values = [*(step.value for step in steps), now]
    costs = [step.cost for step in steps if not math.isnan(step.cost)]
    costs += [] if chosen is None else [chosen]
    log = lever.wide and min(values) > 0
    ends = (min(values), max(values))
    here = [{lever.words: now, metric: chosen}]

    def hover(row: Row) -> str:
        return ", ".join(f"{key} {value:,.4g}" for key, value in row.items())

    panel = Panel(
        marks=[
            Curve(rows=rows, x=lever.words, y=metric, step=True),
            Points(rows=rows, x=lever.words, y=metric, hover=hover),
            Rule(rows=[{"_now": now}], x="_now", tint="s1", dash="4 3", width=1.5),
            *([] if chosen is None else [Points(rows=here, x=lever.words, y=metric, tint="s1",
                                                symbol="diamond", size=110, hover=hover)]),
        ],
        x=ChartAxis(scale=Log(*ends) if log else Linear(*ends), title=lever.words,
                    label=short if lever.high >= 10_000 else plain),
        y=ChartAxis(scale=Linear.over(costs or [0.0, 1.0], many=6), title=metric, many=6,
                    grid=True),
        width=560,
        height=240,
    )  # fmt: skip
    said = f"{metric} against {lever.words}"
    return Figure(title="What a claim costs", told=said, panels=[panel])


def tradeoff_chart(found: Frontier) -> Figure:
    """The best release at each value of a parameter, and what none can beat where that is open."""
    metric, words, least = found.metric, found.words, f"bound on the {found.metric}"
    kept = [point for point in found if point.levels is not None]
    rows = [{words: point.required, metric: point.cost, "claim": point.claim} for point in kept]
    open_ = [
        {words: point.required, least: point.bound}
        for point in kept
        if not point.optimal and not math.isnan(point.bound)
    ]
    values = [point.required for point in found] or [0.0, 1.0]
    ends = (min(values), max(values))
    seen = [point.cost for point in kept] + [row[least] for row in open_]
    log = ends[0] > 0 and ends[1] >= 20 * ends[0]

    def hover(row: Row) -> str:
        return ", ".join(
            f"{key} {value:,.4g}" if isinstance(value, float) else str(value)
            for key, value in row.items()
        )

    panel = Panel(
        marks=[
            Curve(rows=rows, x=words, y=metric, step=True),
            Points(rows=rows, x=words, y=metric, hover=hover),
            Points(rows=open_, x=words, y=least, tint="s1", symbol="diamond", hover=hover),
        ],
        x=ChartAxis(scale=Log(*ends) if log else Linear(*ends), title=words,
                    label=short if ends[1] >= 10_000 else plain),
        y=ChartAxis(scale=Linear.over(seen or [0.0, 1.0], many=6), title=metric, many=6, grid=True),
        width=560,
        height=240,
    )  # fmt: skip
    return Figure(title="Risk and utility", told=f"{metric} against {words}", panels=[panel])


def epsilon_chart(rows: Sequence[Stubborn], *, required: float) -> Figure:
    """The smallest epsilon that holds at a node, by stubbornness."""
    lines = []
    for who, field in (("attackers with this prior", "like_prior"), ("any prior", "any_prior")):
        points = {row.stubbornness: value for row in rows
                  if (value := getattr(row, field)) is not None}  # fmt: skip
        if any(math.isfinite(value) for value in points.values()):
            lines.append(Line(who=who, points=points))
    return stubbornness_chart(
        lines, title="Smallest epsilon by stubbornness", required=required, width=560, height=240
    )
