"""The chart of `explain epsilon`: what an epsilon means, over all of them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hedgerow.charts.figures import COLOURS, FONT, INK, dressed
from hedgerow.noise.loss_sentences import rounded_up, told
from hedgerow.noise.measures import Approximate, Pure
from hedgerow.noise.semantics import shift, truth

if TYPE_CHECKING:
    import altair as alt

Loss = Pure | Approximate

FIRST, LAST = -3, 1
"""The powers of ten of the epsilons that are drawn, at least."""
STEPS = 20
"""Points of a curve in each power of ten."""
ROOM = 0.5
"""Powers of ten that are left free on either side of what is marked."""
NEAR = 0.12
"""Numbers nearer than this would be written over each other."""
TRUTH, BELIEVED = "a guess is right", "the most believed from 1/2"
SHIFT = "what one record shifts"


def meaning_chart(loss: Loss, *, width: int = 620, height: int = 340) -> alt.LayerChart:
    """Truth and shift against epsilon, which is logarithmic, with one epsilon marked.

    Args:
        loss: What is marked. Its delta is that of the whole curve.
        width: Of the plot without its axes, in pixels.
        height: Likewise.
    """
    import altair as alt

    place = math.log10(loss.epsilon)
    first, last = min(FIRST, math.floor(place - ROOM)), max(LAST, math.ceil(place + ROOM))
    spots = [10 ** (i / STEPS) for i in range(first * STEPS, last * STEPS + 1)]
    rows = [
        {"epsilon": spot, "value": value, "what": what}
        for spot in spots
        for what, value in _values(_at(loss, spot)).items()
    ]
    chosen = _values(loss)
    epsilon = rounded_up(loss.epsilon)
    marks = [
        {"epsilon": epsilon, "value": value, "what": what, "told": told(value)}
        for what, value in chosen.items()
    ]
    powers = [10.0**p for p in range(first, last + 1)]
    x = alt.X(
        "epsilon:Q",
        title="ε of one answer",
        scale=alt.Scale(type="log", domain=[powers[0], powers[-1]], nice=False),
        axis=alt.Axis(values=powers, format="~g" if last - first < 8 else ".0e", grid=False),
    )
    y = alt.Y(
        "value:Q",
        title="at most",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(values=[i / 10 for i in range(11)], gridColor="#eaeef2", format=".1f"),
    )
    names = list(chosen)
    legend = alt.Legend(orient="top", symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.5)
    colour = alt.Color(
        "what:N", sort=names, title=None, legend=legend,
        scale=alt.Scale(domain=names, range=list(COLOURS[:2])),
    )  # fmt: skip
    dash = alt.StrokeDash(
        "what:N", sort=names, title=None, legend=legend,
        scale=alt.Scale(domain=names, range=[[1, 0], [6, 3]]),
    )  # fmt: skip
    tips = [
        alt.Tooltip("what:N"),
        alt.Tooltip("epsilon:Q", title="ε", format=".4~g"),
        alt.Tooltip("value:Q", title="at most", format=".4~g"),
    ]
    curves = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2.5)
    points = alt.Chart(alt.Data(values=marks))
    layers: list[Any] = [
        points.transform_filter(f"datum.what == '{names[0]}'")
        .mark_rule(color=INK, strokeDash=[2, 3], strokeWidth=1)
        .encode(x=x),
        curves.encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tips),
        points.mark_point(filled=True, size=80, opacity=1, stroke="white", strokeWidth=1.5)
        .encode(x=x, y=y, color=colour, tooltip=tips),
        *_labels(marks, x, y, colour),
    ]  # fmt: skip
    chart = alt.layer(*layers).properties(width=width, height=height)
    said = "; ".join(f"{what}: {told(value)}" for what, value in chosen.items())
    return dressed(
        alt,
        chart,
        f"What ε = {told(loss.epsilon)} means to a person",
        _subtitle(loss),
        f"two curves against epsilon from {powers[0]:g} to {powers[-1]:g}. At epsilon "
        f"{told(loss.epsilon)}, {said}",
    )


def _labels(marks: list[dict[str, Any]], x: Any, y: Any, colour: Any) -> list[Any]:
    """The two numbers, where their rising curves are not: left above, or right below."""
    import altair as alt

    edge = {"stroke": "white", "strokeWidth": 4, "strokeJoin": "round"}
    lower, upper = sorted(marks, key=lambda mark: mark["value"])
    tight = upper["value"] - lower["value"] < NEAR
    drawn: list[Any] = []
    for mark, below in ((lower, tight), (upper, False)):
        side = (
            {"align": "left", "dx": 8, "dy": 15}
            if below
            else {"align": "right", "dx": -8, "dy": -10}
        )
        point = alt.Chart(alt.Data(values=[mark]))
        words = {"fontSize": 13, "fontWeight": 600, "font": FONT, **side}
        # Twice: a white edge keeps the lines out of the letters.
        drawn.append(point.mark_text(**words, **edge).encode(x=x, y=y, text="told:N"))
        drawn.append(point.mark_text(**words).encode(x=x, y=y, text="told:N", color=colour))
    return drawn


def _subtitle(loss: Loss) -> str:
    even = "A guess between two equally likely neighbours; a coin is right with 0.5."
    if isinstance(loss, Pure):
        return f"{even}\nShift: tanh(ε/2), for whatever was believed before."
    return f"{even}\nδ = {told(loss.delta)} throughout; the shift has exceptions."


def _values(loss: Loss) -> dict[str, float]:
    # With a delta a single belief may go farther, if rarely; a guess is right as often on average.
    name = f"{TRUTH}; {BELIEVED}" if isinstance(loss, Pure) else TRUTH
    return {name: rounded_up(truth(loss)), SHIFT: rounded_up(shift(loss))}


def _at(loss: Loss, epsilon: float) -> Loss:
    if isinstance(loss, Pure):
        return Pure(epsilon=Fraction(epsilon))
    return Approximate(epsilon=Fraction(epsilon), delta=loss.delta)
