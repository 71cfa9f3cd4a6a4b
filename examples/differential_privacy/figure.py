"""The slides' picture: a number as it is tells two tables apart, a noisy one hardly does."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from examples.differential_privacy.diabetes import (
    NEIGHBOURS,
    PATIENTS,
    chances,
    counting,
    diabetics,
)
from hedgerow.charts.figures import COLOURS, INK, dressed
from hedgerow.noise.loss_sentences import told

REACH = 7
"""Noisy counts that are drawn on either side of the two true ones."""


def figure(epsilon: Fraction) -> Any:
    import altair as alt

    here, there = diabetics(PATIENTS), diabetics(NEIGHBOURS)
    outputs = range(here - REACH, there + REACH + 1)
    tables = {f"D: {here} patients": here, f"D': {there} patients": there}
    names = list(tables)
    plain = [{"o": o, "p": float(o == count), "table": name}
             for name, count in tables.items() for o in outputs]  # fmt: skip
    noise = counting(epsilon)
    noisy = [{"o": o, "p": p, "table": name}
             for name, count in tables.items()
             for o, p in zip(outputs, chances(count, noise, outputs), strict=True)]  # fmt: skip
    colour = alt.Color(
        "table:N", sort=names, title=None, legend=alt.Legend(orient="top"),
        scale=alt.Scale(domain=names, range=list(COLOURS[:2])),
    )  # fmt: skip
    panels = []
    for rows, title in (
        (plain, "the number itself"),
        (noisy, f"with noise of scale {told(noise.scale)}"),
    ):
        x = alt.X("o:O", title="what is published", axis=alt.Axis(labelAngle=0, ticks=False))
        y = alt.Y("p:Q", title="probability", axis=alt.Axis(gridColor="#eaeef2", tickCount=5))
        head = alt.TitleParams(title, fontSize=13, anchor="start", fontWeight=600, color=INK,
                                frame="group")  # fmt: skip
        bars = alt.Chart(alt.Data(values=rows), title=head).mark_bar()
        side = alt.XOffset("table:N", sort=names)
        panels.append(
            bars.encode(x=x, y=y, color=colour, xOffset=side).properties(width=380, height=220)
        )
    return dressed(
        alt,
        alt.hconcat(*panels, bounds="flush", spacing=90),
        "How many of four patients have diabetes?",
        f"Two tables that differ in one patient; ε = {told(epsilon)}.",
        "what is published of two neighbouring tables, without noise and with it",
    )
