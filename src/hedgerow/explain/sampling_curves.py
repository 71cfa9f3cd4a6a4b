"""The curves of k against epsilon, delta and the sampling rate, as charts.

Run as `python -m hedgerow.explain.sampling_curves FOLDER`; the figures of the guide are made by it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import PlanError
from hedgerow.charts.figures import COLOURS, DASHES, dressed
from hedgerow.charts.files import save
from hedgerow.noise.sampling.suppression import smallest_k
from hedgerow.noise.sampling.theorem import paper_smallest_k

if TYPE_CHECKING:
    import altair as alt

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
) -> alt.Chart:
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
    import altair as alt

    names = list(dict.fromkeys(row["line"] for row in rows))
    scale = alt.Scale(type="log", nice=False, reverse=True) if logarithmic else alt.Scale(zero=True)
    x = alt.X(
        "x:Q",
        title=across,
        scale=scale,
        axis=alt.Axis(
            grid=False,
            format=".0e" if logarithmic else "~g",
            values=sorted({row["x"] for row in rows}) if logarithmic else alt.Undefined,
        ),
    )
    y = alt.Y(
        "k:Q",
        title="smallest k",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(values=[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000],
                      gridColor="#eaeef2", format="~g"),
    )  # fmt: skip
    legend = alt.Legend(orient="top", symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.5)
    colour = alt.Color(
        "line:N", sort=names, title=None, legend=legend,
        scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
    )  # fmt: skip
    dash = alt.StrokeDash(
        "line:N", sort=names, title=None, legend=legend,
        scale=alt.Scale(domain=names, range=[list(d) for d in DASHES[: len(names)]]),
    )  # fmt: skip
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=2.5)
        .encode(x=x, y=y, color=colour, strokeDash=dash)
        .properties(width=width, height=height)
    )
    ends = "; ".join(_told(name, [row for row in rows if row["line"] == name]) for name in names)
    drawn: alt.Chart = dressed(alt, chart, title, subtitle, f"curves of k. {ends}")
    return drawn


def charts() -> Mapping[str, alt.Chart]:
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
        save(chart, Path(arguments[0]) / f"{name}.svg")


def _told(name: str, rows: Rows) -> str:
    first, last = rows[0], rows[-1]
    return f"{name}: {first['k']} at {first['x']:g}, {last['k']} at {last['x']:g}"


if __name__ == "__main__":
    main(sys.argv[1:])
