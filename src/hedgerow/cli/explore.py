"""`hedgerow explore`: the local web app."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.base.extras import extra
from hedgerow.cli.jobs import AsJson, Quiet, running


def explore(
    what: Annotated[
        Path | None,
        typer.Argument(
            help="A table or a plan; the app asks for one if left out.", show_default=False
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of this machine; a free one if 0.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the link and open no browser.")
    ] = False,
    workspace: Annotated[
        Path | None,
        typer.Option(
            help="Where work in progress is kept; your own data directory if left out.",
            show_default=False,
        ),
    ] = None,
    upload_limit: Annotated[
        int, typer.Option(min=1, help="Largest file that can be uploaded, in megabytes.")
    ] = 4000,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Open a local web app on a table or a plan: look, choose, attack, publish."""
    with running("explore", as_json, quiet) as job:
        with extra("web", "the app"):
            import python_multipart  # noqa: F401 - forms need it, and say so too late

            from hedgerow.web.server import leave, serve

        def ready(link: str) -> None:
            def show() -> None:
                typer.echo(f"Open {link}")
                typer.echo("The link is for you only. Ctrl-C ends the app; your work is kept.")

            job.done({"link": link}, show)

        serve(
            what, workspace=workspace, port=port, browser=not no_browser,
            upload_limit=upload_limit * 1_000_000, ready=ready,
        )  # fmt: skip
        leave()
