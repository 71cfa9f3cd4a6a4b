"""The curves of k against epsilon, delta and the sampling rate, as charts.

Run as `python -m hedgerow.explain.sampling_curves FOLDER`; the figures of the guide are made by it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Curve
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, Log
from hedgerow.charts.series import Legend, Series
from hedgerow.noise.sampling.suppression import smallest_k
from hedgerow.noise.sampling.theorem import paper_smallest_k

Rows = list[dict[str, Any]]

DELTA = Fraction("1e-6")
EPSILONS = tuple(Fraction(n, 20) for n in (2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 25, 30, 35, 40))
RATES = ("0.1", "0.3", "0.5", "0.8", "0.9")
DELTAS = tuple(Fraction(1, 10**p) for p in range(3, 13))
BETAS = tuple(Fraction(n, 40) for n in range(2, 39))


def against_epsilon() -> Rows:
    """The smallest k for some sampling rates; delta is 1e-6."""
    return [
        {"x": float(e), "k": smallest_k(beta=b, epsilon=e, delta=DELTA), "line": f"β = {b}"}
        for b in RATES
        for e in EPSILONS
    ]


def against_delta() -> Rows:
    """The smallest k for some epsilons; 0.8 of all people are drawn."""
    return [
        {"x": float(d), "k": smallest_k(beta="0.8", epsilon=e, delta=d), "line": f"ε = {e}"}
        for e in ("2", "1", "0.5", "0.25")
        for d in DELTAS
    ]


def against_rate() -> Rows:
    """The smallest k for two epsilons, exactly and by the theorem as far as it speaks."""
    rows: Rows = []
    for e in ("1", "0.5"):
        for name, least in (("exact", smallest_k), ("theorem", paper_smallest_k)):
            for b in BETAS:
                try:
                    k = least(beta=b, epsilon=e, delta=DELTA)
                except PlanError:
                    break
                rows.append({"x": float(b), "k": k, "line": f"ε = {e}, {name}"})
    return rows


def k_chart(
    rows: Rows,
    *,
    across: str,
    title: str,
    subtitle: str,
    logarithmic: bool = False,
    width: int = 620,
    height: int = 340,
) -> Figure:
    """Smallest k, which is logarithmic, against one parameter.

    Args:
        rows: Points: x, k and the name of their line.
        across: What x is.
        title: What is shown.
        subtitle: What is the same for all lines.
        logarithmic: Whether x is, too.
        width: Of the plot without its axes, in pixels.
        height: Likewise.
    """
    names = list(dict.fromkeys(row["line"] for row in rows))
    xs, ks = sorted({row["x"] for row in rows}), [row["k"] for row in rows]
    by = Series.dashed("line", names)
    panel = Panel(
        marks=[Curve(rows=rows, x="x", y="k", by=by, width=2.5, hover=lambda row: row["line"])],
        x=ChartAxis(scale=Log(xs[0], xs[-1], reverse=True), title=across, ticks=xs)
        if logarithmic
        else ChartAxis(scale=Linear.over(xs, zero=True, many=10), title=across, many=10),
        y=ChartAxis(scale=Log.over(ks), title="smallest k", grid=True, many=14),
        width=width,
        height=height,
    )
    ends = "; ".join(_told(name, [row for row in rows if row["line"] == name]) for name in names)
    return Figure(title=title, subtitle=subtitle, told=f"curves of k. {ends}", panels=[panel],
                  legends=[Legend(keys=by.keys())])  # fmt: skip


def charts() -> Mapping[str, Figure]:
    """The three charts of the guide, by the name of their file."""
    return {
        "safe_epsilon": k_chart(
            against_epsilon(),
            across="ε",
            title="How large groups must be, against ε",
            subtitle="Exact, for a recoding that does not depend on the data; δ = 1e-6.",
        ),
        "safe_delta": k_chart(
            against_delta(),
            across="δ",
            title="How large groups must be, against δ",
            subtitle="Exact, for a recoding that does not depend on the data; β = 0.8.",
            logarithmic=True,
        ),
        "safe_rate": k_chart(
            against_rate(),
            across="β, the share of people who are drawn",
            title="How large groups must be, against the sampling rate",
            subtitle="δ = 1e-6. The theorem ends at β = 1 - e^-ε; the exact value does not.",
        ),
    }


def main(arguments: Sequence[str]) -> None:
    """Write the charts into a folder as SVG."""
    for name, chart in charts().items():
        chart.save(Path(arguments[0]) / f"{name}.svg")


def _told(name: str, rows: Rows) -> str:
    first, last = rows[0], rows[-1]
    return f"{name}: {first['k']} at {first['x']:g}, {last['k']} at {last['x']:g}"


if __name__ == "__main__":
    main(sys.argv[1:])
