"""A thousand secret bits from noisy sums over random subsets, as errors grow.

python examples/attacks/reconstruction.py [FILE.svg]
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.attacks.reconstruction import reconstruction, subset_queries
from hedgerow.charts.figures import COLOURS, INK, QUIET, SYMBOLS, dressed, save

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
    import altair as alt

    rows = measured()
    who = ["least squares", "linear program"]
    legend = alt.Legend(orient="top", symbolOpacity=1)
    x = alt.X("error:Q", title="largest error of an answer, in square roots of a subset's size",
              scale=alt.Scale(type="log", domain=[0.11, 36], nice=False),
              axis=alt.Axis(values=list(ERRORS), format="~g", grid=False))  # fmt: skip
    y = alt.Y("right:Q", title="bits that are right", scale=alt.Scale(domain=[0.4, 1]),
              axis=alt.Axis(format="%", gridColor="#eaeef2"))  # fmt: skip
    colour = alt.Color("who:N", sort=who, title=None, legend=legend,
                       scale=alt.Scale(domain=who, range=list(COLOURS[:2])))  # fmt: skip
    shape = alt.Shape("who:N", sort=who, title=None, legend=legend,
                      scale=alt.Scale(domain=who, range=list(SYMBOLS[:2])))  # fmt: skip
    base = alt.Chart(alt.Data(values=rows))
    guess = alt.Chart(alt.Data(values=[rows[0] | {"name": "the more common bit for everybody"}]))
    rule = guess.mark_rule(color=INK, strokeDash=[6, 3]).encode(y="guessing:Q")
    name = guess.mark_text(align="left", dy=-7, color=QUIET).encode(
        x=x, y="guessing:Q", text="name:N"
    )
    spread = base.mark_rule(strokeWidth=4, opacity=0.35).encode(
        x=x, y="low:Q", y2="high:Q", color=colour
    )
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1)
    chart = alt.layer(rule, name, spread, lines, points.encode(x=x, y=y, color=colour, shape=shape))
    save(
        dressed(
            alt,
            chart.properties(width=560, height=280),
            "Small errors do not protect answers about subsets",
            f"{PEOPLE:,} people, {QUERIES:,} random subsets of about {PEOPLE * SHARE:.0f}; "
            "bars are 95 % intervals",
            "bits that are right against the largest error, by least squares and linear program",
        ),
        target,
    )


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_reconstruction.svg"))
