"""A thousand secret bits from noisy sums over random subsets, as errors grow.

python examples/attacks/reconstruction.py [FILE.svg]
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.attacks.reconstruction import reconstruction, subset_queries
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Curve, Intervals, Points, Rule
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, Log, percent
from hedgerow.charts.series import Legend, Series

PEOPLE = 1_000
SHARE = 0.03
QUERIES = 4 * PEOPLE
ERRORS = (0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32)
"""In square roots of a subset's average size."""


def measured() -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, PEOPLE)
    queries = subset_queries(PEOPLE, QUERIES, rng=rng, share=SHARE)
    rows = []
    for times in ERRORS:
        error = times * (PEOPLE * SHARE) ** 0.5
        answers = queries @ bits + rng.uniform(-error, error, QUERIES)
        for method in ("least squares", "linear program"):
            found = reconstruction(queries, answers, truth=bits, method=method)
            print(f"errors up to {error:.1f}, {method}: {found.sentences[0]}")
            low, high = found.found.interval()
            rows.append(
                {
                    "error": times,
                    "who": method,
                    "right": found.found.value,
                    "low": low,
                    "high": high,
                    "guessing": found.baseline.value,
                }
            )
    return rows


def draw(target: Path) -> None:
    rows = measured()
    by = Series(field="who", names=("least squares", "linear program"), shown=("line", "point"))
    panel = Panel(
        marks=[
            Rule(rows=[{"guessing": rows[0]["guessing"]}], y="guessing", tint="ink",
                 label="the more common bit for everybody"),
            Intervals(rows=rows, x="error", low="low", high="high", by=by, width=4, opacity=0.35),
            Curve(rows=rows, x="error", y="right", by=by),
            Points(rows=rows, x="error", y="right", by=by,
                   hover=lambda row: f"{row['who']}: {row['right']:.1%}"),
        ],
        x=ChartAxis(scale=Log(0.11, 36), ticks=ERRORS,
                    title="largest error of an answer, in square roots of a subset's size"),
        y=ChartAxis(scale=Linear(0.4, 1), title="bits that are right", label=percent, grid=True,
                    many=6),
        width=560,
        height=280,
    )  # fmt: skip
    Figure(
        title="Small errors do not protect answers about subsets",
        subtitle=f"{PEOPLE:,} people, {QUERIES:,} random subsets of about {PEOPLE * SHARE:.0f}; "
        "bars are 95 % intervals",
        told="bits that are right against the largest error, by least squares and linear program",
        panels=[panel],
        legends=[Legend(keys=by.keys())],
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_reconstruction.svg"))
