"""Two zip codes that had to be merged, and what that says about the smaller one.

python examples/attacks/minimality.py [FILE.svg]
"""

import sys
from pathlib import Path
from typing import Any

from hedgerow.attacks.credibility import credibilities
from hedgerow.charts.figures import COLOURS, INK, SYMBOLS, dressed, save

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
    import altair as alt

    legend = alt.Legend(orient="top", columns=3)
    x = alt.X("large:Q", title="people of the larger class", scale=alt.Scale(zero=False),
              axis=alt.Axis(values=list(LARGE), format="d", grid=False))  # fmt: skip
    y = alt.Y("belief:Q", title="belief that somebody has it", scale=alt.Scale(domain=[0, 1]),
              axis=alt.Axis(format="%", gridColor="#eaeef2"))  # fmt: skip
    colours = alt.Scale(domain=WHO, range=[COLOURS[1], COLOURS[2], COLOURS[0]])
    colour = alt.Color("who:N", sort=WHO, title=None, legend=legend, scale=colours)
    shape = alt.Shape("who:N", sort=WHO, title=None, legend=legend,
                      scale=alt.Scale(domain=WHO, range=list(SYMBOLS[:3])))  # fmt: skip
    base = alt.Chart(alt.Data(values=computed()))
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1)
    rule = alt.Chart(alt.Data(values=[{"belief": 1 / L, "large": LARGE[-1], "words": "promised"}]))
    promised = rule.mark_rule(color=INK, strokeDash=[6, 3]).encode(y=y)
    words = rule.mark_text(align="right", dy=-8, color=INK).encode(x=x, y=y, text="words:N")
    chart = alt.layer(promised, words, lines, points.encode(x=x, y=y, color=colour, shape=shape))
    save(
        dressed(
            alt,
            chart.properties(width=560, height=280),
            "Why were they merged?",
            f"a class of {SMALL} and a larger one, {CASES} cases in both\n"
            f"at most one person in {L} may have it, and no more is merged than that takes",
            "credibility for both classes against the size of the larger one",
        ),
        target,
    )


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_minimality.svg"))
