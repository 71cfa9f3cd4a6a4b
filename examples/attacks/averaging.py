"""Fifty noisy counts beside the exact sums of neighbours: every count comes out.

python examples/attacks/averaging.py [FILE.svg]
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.attacks.averaging import averaging, neighbouring_sums
from hedgerow.charts.figures import COLOURS, SYMBOLS, dressed, save

EPSILON = 0.5
RELEASES = 400
COUNTS = (2, 5, 10, 20, 50, 100, 200)


def measured() -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    rows = []
    for k in COUNTS:
        truth = rng.integers(0, 1_000, k)
        noisy = truth + rng.laplace(scale=1 / EPSILON, size=(RELEASES, k))
        matrix = neighbouring_sums(k)
        found = averaging(noisy, matrix=matrix, sums=matrix @ truth, truth=truth)
        print(f"k = {k}: {found.sentences[0]}")
        rows.append({"k": k, "who": "with the sums", "right": found.found.value})
        rows.append({"k": k, "who": "rounding each count", "right": found.baseline.value})
    return rows


def draw(target: Path) -> None:
    import altair as alt

    who = ["with the sums", "rounding each count"]
    legend = alt.Legend(orient="top")
    x = alt.X("k:Q", title="counts k, with the k - 1 sums of neighbours",
              scale=alt.Scale(type="log", domain=[1.8, 220], nice=False),
              axis=alt.Axis(values=list(COUNTS), grid=False))  # fmt: skip
    y = alt.Y("right:Q", title="counts named exactly", scale=alt.Scale(domain=[0, 1]),
              axis=alt.Axis(format="%", gridColor="#eaeef2"))  # fmt: skip
    colour = alt.Color("who:N", sort=who, title=None, legend=legend,
                       scale=alt.Scale(domain=who, range=list(COLOURS[1::-1])))  # fmt: skip
    shape = alt.Shape("who:N", sort=who, title=None, legend=legend,
                      scale=alt.Scale(domain=who, range=list(SYMBOLS[:2])))  # fmt: skip
    base = alt.Chart(alt.Data(values=measured()))
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1)
    chart = alt.layer(lines, points.encode(x=x, y=y, color=colour, shape=shape))
    save(
        dressed(
            alt,
            chart.properties(width=560, height=280),
            "Exact sums undo the noise of counts",
            f"Laplace noise for ε = {EPSILON}, {RELEASES} simulated releases for each k",
            "counts named exactly against k, with the sums and by rounding",
        ),
        target,
    )


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_averaging.svg"))
