"""The section of the frontier in an internal report: what each step of protection costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.base.errors import PlanError
from hedgerow.charts.report_charts import Stair, staircase
from hedgerow.plan.plan import Plan
from hedgerow.recode.metrics import METRICS
from hedgerow.reports.blocks import Chart, Table, Text, number
from hedgerow.reports.publisher_view import Inside

if TYPE_CHECKING:
    from hedgerow.explore.tradeoff import Frontier

SECONDS = 20.0
"""How long the search for the frontier may take."""


def frontier_of(plan: Plan) -> Frontier | str:
    """The frontier, or why there is none."""
    from hedgerow.explore.tradeoff import frontier

    limited = plan
    if plan.method.time is None or plan.method.time > SECONDS:
        method = plan.method.model_copy(update={"time": SECONDS})
        limited = plan.model_copy(update={"method": method})
    try:
        return frontier(limited)
    except PlanError as error:
        return error.what


def frontier_blocks(found: Frontier | str, inside: Inside) -> list[Chart | Text]:
    """What each further step of protection costs, with the chosen one."""
    if isinstance(found, str):
        return [Text(text=f"There is none: {found}.")]
    claim = inside.models[0]
    chosen = next(
        (i for i, point in enumerate(found) if point.required == float(claim.required)), None
    )
    steps = [
        Stair(
            label=number(point.required),
            x=max(point.required, 1e-9),
            y=None if point.levels is None else point.cost,
        )
        for point in found
    ]
    name = f"{found.metric} of the best release for each strictness of the first claim ({claim})"
    table = Table(
        head=("claim", found.metric, "levels", "remark"),
        rows=tuple(
            (
                point.claim,
                number(point.cost)
                if point.levels is not None
                else "nothing keeps it"
                if point.optimal
                else "none found",
                ", ".join(f"{n} {level}" for n, level in (point.levels or {}).items()),
                ("chosen" if i == chosen else "")
                + ("" if point.optimal else " (not proven optimal)"),
            )
            for i, point in enumerate(found)
        ),
        numbers=frozenset({1}),
        caption="The frontier; the other claims stay as they are",
    )
    best = METRICS[found.metric].best
    drawn = staircase(
        steps, name=name, x_axis="required", y_axis=f"{found.metric} ({best})", chosen=chosen
    )
    blocks: list[Chart | Text] = [Chart(name=name, svg=drawn, table=table)]
    if chosen is None:
        blocks.append(Text(text="What the plan asks for is not among those tried.", tone="quiet"))
    return blocks
