"""The figures of docs/blowfish.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from examples.blowfish.clustering import COUNTS, PAPER, SUMS, Floats, policies
from examples.blowfish.experiment import Results
from examples.blowfish.ranges import HIERARCHICAL, ORDERED, THETAS, TREE
from hedgerow.charts.figures import COLOURS, FAINT, QUIET, SYMBOLS, dressed

TITLES = {
    PAPER: "as published (not sound, but for DP)",
    SUMS: "sums, with borders covered (sound)",
    COUNTS: "counts first (sound)",
}
RATIOS = (1, 1.2, 1.5, 2, 3, 5, 7, 10, 15)
POWERS = tuple(10**d for d in range(8))

Lines = Mapping[str, Mapping[float, Floats]]
"""Name of the line -> x -> what was measured, run by run."""


@dataclass(frozen=True)
class Panel:
    """One of several plots side by side, with one scale for all."""

    title: str
    lines: Lines


def figures(results: Results) -> dict[str, Any]:
    """Every figure by the name of its file."""
    return {"blowfish_kmeans": clusters(results), "blowfish_ranges": ranges(results)}


def clusters(r: Results) -> Any:
    panels = [
        Panel(title, {
            name: {float(e): r.clusters[method, name, e] for e in r.setting.epsilons}
            for name in policies()
        })
        for method, title in TITLES.items()
    ]  # fmt: skip
    return drawn(
        panels,
        x="ε",
        y="error, of that without noise",
        ticks=RATIOS,
        logarithmic=False,
        width=270,
        title="k-means under several policies",
        subtitle=f"{r.rows:,} pixels of skin segmentation, 4 clusters, 10 iterations; mean and "
        f"middle half of {r.setting.runs} runs",
    )


def ranges(r: Results) -> Any:
    panels = []
    for column, thetas in THETAS.items():
        lines = {
            mechanism: {float(t): r.ranges[mechanism, column, str(t)] for t in thetas}
            for mechanism in (ORDERED, HIERARCHICAL)
        }
        flat = r.ranges[TREE, column, str(thetas[-1])]
        panels.append(Panel(f"Adult, {column}", lines | {TREE: {float(t): flat for t in thetas}}))
    return drawn(
        panels,
        x="θ",
        y="mean squared error",
        ticks=POWERS,
        logarithmic=True,
        width=360,
        title="Range queries under a distance threshold",
        subtitle=f"ε = {r.epsilon}, 10,000 random ranges; mean and middle half of "
        f"{r.setting.releases} releases",
    )


def drawn(
    panels: Sequence[Panel],
    *,
    x: str,
    y: str,
    ticks: Sequence[float],
    logarithmic: bool,
    width: int,
    title: str,
    subtitle: str,
) -> Any:
    """Panels side by side; a line for each name, a band for the middle half of the runs."""
    import altair as alt

    values = [v for panel in panels for line in panel.lines.values() for v in line.values()]
    low = min(min(float(np.quantile(v, 0.25)), float(v.mean())) for v in values) / 1.08
    high = max(max(float(np.quantile(v, 0.75)), float(v.mean())) for v in values) * 1.08
    names = list(panels[0].lines)
    legend = alt.Legend(orient="bottom", columns=3, symbolSize=80, symbolOpacity=1,
                        columnPadding=24)  # fmt: skip

    def by(channel: Any, looks: Sequence[str]) -> Any:
        scale = alt.Scale(domain=names, range=list(looks[: len(names)]))
        return channel("line:N", sort=names, title=None, scale=scale, legend=legend)

    colour, shape = by(alt.Color, COLOURS), by(alt.Shape, SYMBOLS)
    up = alt.Scale(type="log", domain=[low, high], nice=False)
    marks = alt.Axis(values=[t for t in ticks if low <= t <= high], gridColor=FAINT, format=",~g")
    plots = []
    for panel in panels:
        rows = [
            {"line": name, "x": at, "value": float(v.mean()),
             "low": float(np.quantile(v, 0.25)), "high": float(np.quantile(v, 0.75))}
            for name, line in panel.lines.items()
            for at, v in line.items()
        ]  # fmt: skip
        xs = sorted({row["x"] for row in rows})
        across = alt.X(
            "x:Q",
            title=x,
            scale=alt.Scale(type="log", domain=[xs[0] / 1.1, xs[-1] * 1.1], nice=False)
            if logarithmic
            else alt.Scale(domain=[0, xs[-1] * 1.03], nice=False),
            axis=alt.Axis(values=xs if logarithmic else [0, 0.2, 0.4, 0.6, 0.8, 1], grid=False,
                          labelOverlap=False, format=",~g"),
        )  # fmt: skip
        base = alt.Chart(alt.Data(values=rows))
        band = base.mark_area(opacity=0.13).encode(
            x=across, y=alt.Y("low:Q", scale=up, axis=marks, title=y), y2="high:Q", color=colour
        )
        upward = alt.Y("value:Q", title=y, scale=up, axis=marks)
        line = base.mark_line(strokeWidth=2).encode(x=across, y=upward, color=colour)
        point = base.mark_point(filled=True, size=46, opacity=1).encode(
            x=across, y=upward, color=colour, shape=shape
        )
        head = alt.TitleParams(panel.title, anchor="middle", fontSize=13, fontWeight=500,
                               color=QUIET, offset=8)  # fmt: skip
        plots.append(alt.layer(band, line, point).properties(title=head, width=width, height=280))
    return dressed(alt, alt.hconcat(*plots, spacing=36), title, subtitle, f"{y} against {x}")
