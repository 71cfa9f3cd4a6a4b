"""`hedgerow frontier`: what each further step of protection costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.base.errors import PlanError
from hedgerow.cli.jobs import AsJson, PlanFile, Quiet, running

if TYPE_CHECKING:
    from hedgerow import Frontier


def frontier(
    plan: PlanFile,
    vary: Annotated[
        str | None,
        typer.Option(
            metavar="PARAMETER",
            help="What is varied, such as k-anonymity.k, t, or 1.t (of the second claim); the "
            "first parameter of the first claim if left out.",
        ),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="What is tried, such as 2,5,10; from end to end if left out."
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="How long it may take in all, at most."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it: a file that ends in .svg, .html or .png.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """The most useful release at each value of a claim's parameter; publish nothing."""
    with running("frontier", as_json, quiet, bar=True) as job:
        import hedgerow
        from hedgerow.api import refuse_plot, tradeoff_chart

        if plot is not None:
            refuse_plot(plot)
        if time is not None and time <= 0:
            raise PlanError("--time needs seconds above 0", fix="Write for instance --time 30.")
        wanted = None if values is None else _numbers(values)
        move = job.progress

        def progress(share: float) -> None:
            if move is not None:
                move("searching at every value", share)

        with job.ending_soon() as stop:
            found = hedgerow.frontier(
                plan, vary=vary, values=wanted, seconds=time,
                progress=progress, stop=stop,
            )  # fmt: skip
        plots = []
        if plot is not None:
            tradeoff_chart(found).save(plot)
            plots = [str(plot)]
        job.done(found.summary() | {"plots": plots}, lambda: _show(found, plots))


def _numbers(text: str) -> list[float]:
    """Numbers with commas between them.

    Raises:
        PlanError: They are not.
    """
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise PlanError(
            f"--values needs numbers with commas between them, not {text!r}",
            fix="Write for instance --values 2,5,10.",
        ) from None


def _show(found: Frontier, plots: list[str]) -> None:
    from hedgerow.cli.terminal import columns, console, plain, rounded, say

    table = columns((found.words, "right"), (found.metric, "right"), ("", "left"))
    for point in found:
        if point.levels is None:
            cost = ""
            remark = "nothing keeps it" if point.optimal else "nothing found"
        else:
            cost = rounded(point.cost)
            remark = "proven optimal" if point.optimal else f"bound {rounded(point.bound)}"
        table.add_row(rounded(point.required), cost, plain(remark))
    console.print(table)
    for one in plots:
        say(f"\nDrawn: {one}")
