"""Fifty noisy counts beside the exact sums of neighbours: every count comes out.

python examples/attacks/averaging.py [FILE.svg]
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.attacks.averaging import averaging, neighbouring_sums
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Curve, Points
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, Log, percent
from hedgerow.charts.series import Legend, Series

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
    by = Series(field="who", names=("with the sums", "rounding each count"), tints=("s1", "s0"),
                shown=("line", "point"))  # fmt: skip
    rows = measured()
    panel = Panel(
        marks=[
            Curve(rows=rows, x="k", y="right", by=by),
            Points(rows=rows, x="k", y="right", by=by,
                   hover=lambda row: f"{row['who']}: {row['right']:.1%}"),
        ],
        x=ChartAxis(scale=Log(1.8, 220), ticks=COUNTS,
                    title="counts k, with the k - 1 sums of neighbours"),
        y=ChartAxis(scale=Linear(0, 1), title="counts named exactly", label=percent, grid=True,
                    many=10),
        width=560,
        height=280,
    )  # fmt: skip
    Figure(
        title="Exact sums undo the noise of counts",
        subtitle=f"Laplace noise for ε = {EPSILON}, {RELEASES} simulated releases for each k",
        told="counts named exactly against k, with the sums and by rounding",
        panels=[panel],
        legends=[Legend(keys=by.keys())],
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_averaging.svg"))
