"""Two zip codes that had to be merged, and what that says about the smaller one.

python examples/attacks/minimality.py [FILE.svg]
"""

import sys
from pathlib import Path
from typing import Any

from hedgerow.attacks.credibility import credibilities
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Curve, Points, Rule
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, percent
from hedgerow.charts.series import Legend, Series

SMALL, CASES, L = 3, 3, 2
LARGE = range(3, 13)
WHO = ("people of the smaller class", "people of the larger class", "as the release shows")


def computed() -> list[dict[str, Any]]:
    rows = []
    for large in LARGE:
        found = credibilities([SMALL, large], [CASES], l=L)
        assert found is not None, "three cases are too many for the three people"
        (small,), (other,) = found
        shown = CASES / (SMALL + large)
        print(f"({SMALL}, {large}) with {CASES}: {small}, {other}; shown {shown:.3f}")
        for who, belief in zip(WHO, (float(small), float(other), shown), strict=True):
            rows.append({"large": large, "who": who, "belief": belief})
    return rows


def draw(target: Path) -> None:
    by = Series(field="who", names=WHO, tints=("s1", "s2", "s0"), shown=("line", "point"))
    rows = computed()
    panel = Panel(
        marks=[
            Rule(rows=[{"promised": 1 / L}], y="promised", tint="ink", label="promised", end=True),
            Curve(rows=rows, x="large", y="belief", by=by),
            Points(rows=rows, x="large", y="belief", by=by,
                   hover=lambda row: f"{row['who']}: {row['belief']:.1%}"),
        ],
        x=ChartAxis(scale=Linear(LARGE[0] - 0.3, LARGE[-1] + 0.3), ticks=list(LARGE),
                    title="people of the larger class"),
        y=ChartAxis(scale=Linear(0, 1), title="belief that somebody has it", label=percent,
                    grid=True, many=10),
        width=560,
        height=280,
    )  # fmt: skip
    Figure(
        title="Why were they merged?",
        subtitle=f"a class of {SMALL} and a larger one, {CASES} cases in both\n"
        f"at most one person in {L} may have it, and no more is merged than that takes",
        told="credibility for both classes against the size of the larger one",
        panels=[panel],
        legends=[Legend(keys=by.keys())],
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_minimality.svg"))
