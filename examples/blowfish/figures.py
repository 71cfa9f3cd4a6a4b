"""The figures of docs/blowfish.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from examples.blowfish.clustering import COUNTS, PAPER, SUMS, Floats, policies
from examples.blowfish.experiment import Results
from examples.blowfish.ranges import HIERARCHICAL, ORDERED, THETAS, TREE
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Area, Curve, Points
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, Log
from hedgerow.charts.series import Legend, Series

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
class Part:
    """One of several plots side by side, with one scale for all."""

    title: str
    lines: Lines


def figures(results: Results) -> dict[str, Figure]:
    """Every figure by the name of its file."""
    return {"blowfish_kmeans": clusters(results), "blowfish_ranges": ranges(results)}


def clusters(r: Results) -> Figure:
    panels = [
        Part(title, {
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


def ranges(r: Results) -> Figure:
    panels = []
    for column, thetas in THETAS.items():
        lines = {
            mechanism: {float(t): r.ranges[mechanism, column, str(t)] for t in thetas}
            for mechanism in (ORDERED, HIERARCHICAL)
        }
        flat = r.ranges[TREE, column, str(thetas[-1])]
        panels.append(Part(f"Adult, {column}", lines | {TREE: {float(t): flat for t in thetas}}))
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
    panels: Sequence[Part],
    *,
    x: str,
    y: str,
    ticks: Sequence[float],
    logarithmic: bool,
    width: int,
    title: str,
    subtitle: str,
) -> Figure:
    """Panels side by side; a line for each name, a band for the middle half of the runs."""
    values = [v for panel in panels for line in panel.lines.values() for v in line.values()]
    low = min(min(float(np.quantile(v, 0.25)), float(v.mean())) for v in values) / 1.08
    high = max(max(float(np.quantile(v, 0.75)), float(v.mean())) for v in values) * 1.08
    by = Series(field="line", names=tuple(panels[0].lines), shown=("line", "point"))
    upright = ChartAxis(scale=Log(low, high), title=y, grid=True,
                        ticks=[t for t in ticks if low <= t <= high])  # fmt: skip
    plots = []
    for panel in panels:
        rows = [
            {"line": name, x: at, "mean": float(v.mean()),
             "low": float(np.quantile(v, 0.25)), "high": float(np.quantile(v, 0.75))}
            for name, line in panel.lines.items()
            for at, v in line.items()
        ]  # fmt: skip
        xs = sorted({row[x] for row in rows})
        level = (
            ChartAxis(scale=Log(xs[0] / 1.1, xs[-1] * 1.1), title=x, ticks=xs)
            if logarithmic
            else ChartAxis(scale=Linear(0, xs[-1] * 1.03), title=x,
                           ticks=[0, 0.2, 0.4, 0.6, 0.8, 1])
        )  # fmt: skip
        plots.append(
            Panel(
                marks=[
                    Area(rows=rows, x=x, y="low", to="high", by=by, opacity=0.13),
                    Curve(rows=rows, x=x, y="mean", by=by),
                    Points(rows=rows, x=x, y="mean", by=by, size=46,
                           hover=lambda row: f"{row['line']}: {row['mean']:.4g}"),
                ],
                x=level, y=upright, title=panel.title, width=width, height=280,
            )
        )  # fmt: skip
    return Figure(title=title, subtitle=subtitle, told=f"{y} against {x}", panels=plots,
                  across=True, legends=[Legend(keys=by.keys())])  # fmt: skip
