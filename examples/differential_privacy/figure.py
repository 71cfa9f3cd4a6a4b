"""The slides' picture: a number as it is tells two tables apart, a noisy one hardly does."""

from __future__ import annotations

from fractions import Fraction

from examples.differential_privacy.diabetes import (
    NEIGHBOURS,
    PATIENTS,
    chances,
    counting,
    diabetics,
)
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Rectangles
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Band, Linear
from hedgerow.charts.series import Legend, Series
from hedgerow.noise.loss_sentences import told

REACH = 7
"""Noisy counts that are drawn on either side of the two true ones."""


def figure(epsilon: Fraction) -> Figure:
    here, there = diabetics(PATIENTS), diabetics(NEIGHBOURS)
    outputs = range(here - REACH, there + REACH + 1)
    tables = {f"D: {here} patients": here, f"D': {there} patients": there}
    by = Series(field="table", names=tuple(tables), symbols=("square",) * 2)
    noise = counting(epsilon)
    plain = {count: [float(o == count) for o in outputs] for count in tables.values()}
    noisy = {count: chances(count, noise, outputs) for count in tables.values()}
    return Figure(
        title="How many of four patients have diabetes?",
        subtitle=f"Two tables that differ in one patient; ε = {told(epsilon)}.",
        told="what is published of two neighbouring tables, without noise and with it",
        across=True,
        legends=[Legend(keys=by.keys())],
        panels=[
            Panel(
                marks=[Rectangles(
                    rows=[{"published": str(o), "probability": p, "table": name}
                          for name, count in tables.items()
                          for o, p in zip(outputs, shares[count], strict=True)],
                    x="published", y="probability", by=by, beside=by,
                    hover=lambda row: f"{row['table']}: {row['probability']:.3g}",
                )],
                x=ChartAxis(scale=Band(tuple(map(str, outputs))), title="what is published"),
                y=ChartAxis(scale=Linear.over([0, *(max(s) for s in shares.values())], many=5),
                            title="probability", many=5, grid=True),
                title=title,
                width=380,
                height=220,
            )
            for shares, title in (
                (plain, "the number itself"), (noisy, f"with noise of scale {told(noise.scale)}")
            )
        ],
    )  # fmt: skip
