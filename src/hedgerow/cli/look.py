"""`hedgerow look`: what a table holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.jobs import AsJson, Quiet, ReadAs, running


def look(
    data: Annotated[
        str,
        typer.Argument(
            help="A file of any format that is read, a table: postgresql://…::schema.table, "
            "or a plan.",
            show_default=False,
        ),
    ],
    person: Annotated[
        str | None,
        typer.Option(help="Column that says whose row it is, where people have several."),
    ] = None,
    null: Annotated[
        list[str] | None,
        typer.Option(help="Text that means a missing value; may be repeated."),
    ] = None,
    read: ReadAs = None,
    fast: Annotated[
        bool,
        typer.Option("--fast", help="Combine no three columns, and look for no special uniques."),
    ] = False,
    fraction: Annotated[
        str | None,
        typer.Option(
            help="Share of the population that the table is a random sample of, such as 10%: "
            "estimates what attackers find there, and the risk of each special unique."
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Column of survey weights, in place of the fraction: how many people of the "
            "population each person stands for."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw who stands out: a file .svg, .html, .png or .json."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Look at a table: its columns, missing values, whose rows they are, who stands out."""
    with running("look", as_json, quiet, bar=True) as job:
        import hedgerow
        from hedgerow.api import refuse_plot, said_in_words, singling_chart

        if plot is not None:
            refuse_plot(plot)
        found = hedgerow.look(
            data, person=person, null=null or (), read=said_in_words(read or ()), deep=not fast,
            fraction=fraction, weights=weights, progress=job.progress,
        )  # fmt: skip
        if plot is not None:
            singling_chart(found).save(plot)

        def show() -> None:
            from hedgerow.cli.look_show import profile

            profile(found, data)
            if plot is not None:
                typer.echo(f"\nplot: {plot}")

        job.done(found.summary(), show)
