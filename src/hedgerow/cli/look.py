"""`hedgerow look`: what a table holds."""

from __future__ import annotations

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
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Look at a table: its columns, missing values, whose rows they are, who stands out."""
    with running("look", as_json, quiet, bar=True) as job:
        import hedgerow
        from hedgerow.api import said_in_words

        found = hedgerow.look(
            data, person=person, null=null or (), read=said_in_words(read or ()), deep=not fast,
            progress=job.progress,
        )  # fmt: skip

        def show() -> None:
            from hedgerow.cli.look_show import profile

            profile(found, data)

        job.done(found.summary(), show)
