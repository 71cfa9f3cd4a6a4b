"""`hedgerow explain`: what a model, an adversary or a definition means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.jobs import AsJson, Memory, PlanFile, Quiet, rendering, running

explain = typer.Typer(help="What a model or parameter means.", no_args_is_help=True)


@explain.command("model")
def explain_model(
    name: Annotated[
        str, typer.Argument(help="Name in the plan, e.g. l-diversity.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """What a privacy model promises, what it does not, and how to ask for it."""
    with running("explain", as_json, quiet=False, bar=True) as job:
        from dataclasses import asdict

        from hedgerow.models import describe

        found = describe(name)
        job.done(asdict(found), lambda: rendering().explanation(found))


@explain.command("adversary")
def explain_adversary(
    plan: PlanFile,
    node: Annotated[
        list[str] | None,
        typer.Option(help="Levels to look at, e.g. age=2,zip=1; may be given several times."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it: a file that ends in .svg, .html or .png.")
    ] = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """How the plan's epsilon-privacy claims move as attackers get more stubborn."""
    with running("explain", as_json, quiet, bar=True) as job:
        import hedgerow
        from hedgerow.explaining.study import refuse_plot

        if plot is not None:
            refuse_plot(plot)
        study = hedgerow.explain_adversary(plan, nodes=node, memory=memory, progress=job.progress)
        plots = () if plot is None else study.plot(plot)
        result = study.summary() | {"plots": [str(path) for path in plots]}
        job.done(result, lambda: rendering().study(study, plots))


@explain.command("definitions")
def explain_definitions(
    name: Annotated[
        str | None, typer.Argument(help="Only this one, e.g. t-closeness.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What other privacy definitions amount to as epsilon-privacy, and when."""
    with running("explain", as_json, quiet=False, bar=True) as job:
        from dataclasses import asdict

        from hedgerow.definitions import define, definitions

        found = definitions() if name is None else (define(name),)
        result = {"definitions": [asdict(definition) for definition in found]}
        job.done(result, lambda: rendering().definitions(found))
