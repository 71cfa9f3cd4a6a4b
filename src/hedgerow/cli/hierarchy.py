"""`hedgerow hierarchy` and `hedgerow import`: hierarchies for a column, and projects of ARX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.jobs import AsJson, Quiet, ReadAs, rendering, running


def hierarchy(
    data: Annotated[
        str,
        typer.Argument(
            help="The table: a file, a table of a database, or a plan.", show_default=False
        ),
    ],
    column: Annotated[str, typer.Option(help="The column.", show_default=False)],
    k: Annotated[int, typer.Option("-k", min=1, help="How many people a group should have.")] = 5,
    null: Annotated[
        list[str] | None, typer.Option(help="A text that means missing; may be repeated.")
    ] = None,
    read: ReadAs = None,
    code_book: Annotated[
        Path | None, typer.Option(help="What codes mean: DDI (XML), or CSV.")
    ] = None,
    similar_in: Annotated[
        str | None,
        typer.Option(help="A public table: values that are similar there are put together."),
    ] = None,
    of: Annotated[
        str | None, typer.Option(help="With --similar-in: the column in which they are similar.")
    ] = None,
    choose: Annotated[int, typer.Option(help="The proposal to write.")] = 1,
    to: Annotated[
        Path | None, typer.Option(help="Write the chosen proposal to this file (CSV).")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing file.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """List hierarchies that a column could have, with what each would lose."""
    with running("hierarchy", as_json, quiet) as job:
        from hedgerow.api import propose_hierarchies, said_in_words, write_hierarchy

        found = propose_hierarchies(
            data, column, k=k, null=null or (), read=said_in_words(read or ()),
            code_book=code_book, similar_in=similar_in, of=of,
        )  # fmt: skip
        found.choice(choose)
        told = found.summary()
        if to is not None:
            told["file"] = str(write_hierarchy(found.hierarchy(choose), to, replace=replace))
        job.done(told, lambda: rendering().proposed(found, choose, to))


def import_plan(
    project: Annotated[Path, typer.Argument(help="A project of ARX (.deid).", show_default=False)],
    to: Annotated[Path, typer.Option(help="Where to write the plan.")] = Path("plan.yaml"),
    data: Annotated[str | None, typer.Option(help="The table that the plan is about.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace existing files.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write the plan that a project of ARX is: roles, hierarchies, privacy models."""
    with running("import", as_json, quiet) as job:
        from hedgerow.api import import_project

        path, notes = import_project(project, to, data=data, replace=replace)
        told = {"plan": str(path), "notes": list(notes)}
        job.done(told, lambda: rendering().imported(path, notes))
