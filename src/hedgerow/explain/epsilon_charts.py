"""The chart of `explain epsilon`: what an epsilon means, over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Curve, Layer, Points, Row, Rule, Words
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, Log, plain
from hedgerow.charts.series import Legend, Series
from hedgerow.noise.loss_sentences import rounded_up, told
from hedgerow.noise.measures import Approximate, Pure
from hedgerow.noise.semantics import shift, truth

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


def meaning_chart(loss: Loss, *, width: int = 620, height: int = 340) -> Figure:
    """Truth and shift against epsilon, which is logarithmic, with one epsilon marked.

    Args:
        loss: What is marked. Its delta is that of the whole curve.
        width: Of the plot without its axes, in pixels.
        height: Likewise.
    """
    place = math.log10(loss.epsilon)
    first, last = min(FIRST, math.floor(place - ROOM)), max(LAST, math.ceil(place + ROOM))
    spots = [10 ** (i / STEPS) for i in range(first * STEPS, last * STEPS + 1)]
    rows = [
        {"epsilon": spot, "value": value, "what": what}
        for what in _values(loss)
        for spot in spots
        for value in [_values(_at(loss, spot))[what]]
    ]
    chosen = _values(loss)
    epsilon = rounded_up(loss.epsilon)
    marks = [
        {"epsilon": epsilon, "value": value, "what": what, "told": told(value)}
        for what, value in chosen.items()
    ]
    powers = [10.0**p for p in range(first, last + 1)]
    by = Series.dashed("what", list(chosen))
    panel = Panel(
        marks=[
            Rule(rows=[{"_x": epsilon}], x="_x", tint="ink", dash="2 3", width=1),
            Curve(rows=rows, x="epsilon", y="value", by=by, width=2.5,
                  hover=lambda row: row["what"]),
            Points(rows=marks, x="epsilon", y="value", by=replace(by, symbols=("circle",) * 2),
                   size=80, edge="paper", hover=_hover),
            *_labels(marks, by),
        ],
        x=ChartAxis(
            scale=Log(powers[0], powers[-1]), title="ε of one answer", ticks=powers,
            label=plain if last - first < 8 else lambda power: f"1e{math.log10(power):.0f}",
        ),
        y=ChartAxis(scale=Linear(0, 1), title="at most", grid=True,
                    ticks=[i / 10 for i in range(11)], label=lambda share: f"{share:.1f}"),
        width=width,
        height=height,
    )  # fmt: skip
    said = "; ".join(f"{what}: {told(value)}" for what, value in chosen.items())
    return Figure(
        title=f"What ε = {told(loss.epsilon)} means to a person",
        subtitle=_subtitle(loss),
        told=f"two curves against epsilon from {powers[0]:g} to {powers[-1]:g}. At epsilon "
        f"{told(loss.epsilon)}, {said}",
        panels=[panel],
        legends=[Legend(keys=by.keys())],
    )


def _hover(row: Row) -> str:
    return f"{row['what']}: at ε = {row['epsilon']:.4g} at most {row['value']:.4g}"


def _labels(marks: list[dict[str, Any]], by: Series) -> Iterator[Layer]:
    """The two numbers, where their rising curves are not: left above, or right below."""
    lower, upper = sorted(marks, key=lambda mark: mark["value"])
    tight = upper["value"] - lower["value"] < NEAR
    for mark, below in ((lower, tight), (upper, False)):
        dx, dy, anchor = (8, 19, "start") if below else (-8, -7, "end")
        rows = [{"_x": mark["epsilon"], "_y": mark["value"], "_what": mark["what"],
                 "_told": mark["told"]}]  # fmt: skip
        yield Words(rows=rows, x="_x", y="_y", text="_told", by=replace(by, field="_what"),
                    dx=dx, dy=dy, anchor=anchor, size=13, bold=True)  # fmt: skip


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
