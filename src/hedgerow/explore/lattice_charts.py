"""The charts beside the lattice: what a claim costs, and epsilon against stubbornness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hedgerow.charts.figures import COLOURS, Line, dressed, stubbornness_chart
from hedgerow.explore.frontier import Step, Stubborn
from hedgerow.explore.levers import Lever

if TYPE_CHECKING:
    import altair as alt


def frontier_chart(
    steps: Sequence[Step], lever: Lever, *, metric: str, now: float, chosen: float | None
) -> alt.LayerChart:
    """What the best node costs at each value of a lever, and the chosen node among them.

    Args:
        steps: The best at each value.
        lever: What is moved.
        metric: What is measured.
        now: Where the lever stands.
        chosen: What the chosen node costs, if it keeps the claims.
    """
    import altair as alt

    rows = [
        {"value": step.value, "cost": step.cost, "nodes": step.nodes, "left_out": step.left_out}
        for step in steps
        if not math.isnan(step.cost)
    ]
    low = min((step.value for step in steps), default=1.0)
    log = lever.wide and low > 0
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=False, nice=False)
    axis = alt.Axis(format="~s" if lever.high >= 10_000 else "~g", tickCount=8, grid=False)
    x = alt.X("value:Q", title=lever.words, scale=scale, axis=axis)
    y = alt.Y("cost:Q", title=metric, scale=alt.Scale(zero=False), axis=alt.Axis(format="~g"))
    tooltip = [
        alt.Tooltip("value:Q", title=lever.words, format="~g"),
        alt.Tooltip("cost:Q", title=metric, format=".4~g"),
        alt.Tooltip("left_out:Q", title="people left out", format=","),
        alt.Tooltip("nodes:Q", title="combinations that would do", format=","),
    ]
    base = alt.Chart(alt.Data(values=rows))
    layers: list[Any] = [
        base.mark_line(interpolate="step-after", strokeWidth=2, color=COLOURS[0]).encode(x=x, y=y),
        base.mark_point(filled=True, size=60, color=COLOURS[0], opacity=1).encode(
            x=x, y=y, tooltip=tooltip
        ),
        alt.Chart(alt.Data(values=[{"value": now}]))
        .mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=COLOURS[1])
        .encode(x=x),
    ]
    if chosen is not None:
        point = alt.Chart(alt.Data(values=[{"value": now, "cost": chosen}]))
        layers.append(
            point.mark_point(shape="diamond", size=180, filled=True, opacity=1, color=COLOURS[1])
            .encode(x=x, y=y, tooltip=[alt.Tooltip("cost:Q", title="this node", format=".4~g")])
        )  # fmt: skip
    chart = alt.layer(*layers).properties(width=560, height=240)
    said = f"{metric} against {lever.words}"
    drawn: alt.LayerChart = dressed(alt, chart, "What a claim costs", "", said)
    return drawn


def epsilon_chart(rows: Sequence[Stubborn], *, required: float) -> alt.LayerChart:
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
