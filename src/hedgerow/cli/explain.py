"""`hedgerow explain`: what a model, an adversary, an epsilon or a definition means."""

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
        from hedgerow.api import describe

        found = describe(name)
        job.done(found.as_json(), lambda: rendering().explanation(found))


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
        from hedgerow.api import refuse_plot

        if plot is not None:
            refuse_plot(plot)
        study = hedgerow.explain_adversary(plan, nodes=node, memory=memory, progress=job.progress)
        plots = () if plot is None else study.plot(plot)
        result = study.summary() | {"plots": [str(path) for path in plots]}
        job.done(result, lambda: rendering().study(study, plots))


@explain.command("epsilon")
def explain_epsilon(
    epsilon: Annotated[str, typer.Argument(help="Of one answer, e.g. 0.1.", show_default=False)],
    delta: Annotated[str | None, typer.Option(help="Of one answer, e.g. 1e-6.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="How many people there are.")] = None,
    answers: Annotated[int, typer.Option(help="How many such answers are put together.")] = 10,
    group: Annotated[int, typer.Option(help="How many people's data go together.")] = 10,
    sample: Annotated[str, typer.Option(help="Chance to be in a secret sample.")] = "0.1",
    plot: Annotated[
        Path | None, typer.Option(help="Draw it: a file that ends in .svg, .html or .png.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What an epsilon of differential privacy means to a person in the data."""
    with running("explain", as_json, quiet) as job:
        import hedgerow
        from hedgerow.api import refuse_plot
        from hedgerow.cli import explain_show

        if plot is not None:
            refuse_plot(plot)
        study = hedgerow.explain_epsilon(
            epsilon, delta=delta, n=n, answers=answers, group=group, sample=sample
        )
        plots = () if plot is None else (study.plot(plot),)
        result = study.summary() | {"plots": [str(path) for path in plots]}
        job.done(result, lambda: explain_show.epsilon(study, plots))


@explain.command("policy")
def explain_policy(
    plan: PlanFile,
    epsilon: Annotated[
        str | None, typer.Option(help="Of one answer, e.g. 0.1; else factors are in terms of it.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the graph: a file that ends in .svg, .html or .png.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What the plan's policy does not protect, what it does, and how much noise it saves."""
    with running("explain", as_json, quiet) as job:
        import hedgerow
        from hedgerow.api import refuse_plot
        from hedgerow.cli import explain_show

        if plot is not None:
            refuse_plot(plot)
        study = hedgerow.explain_policy(plan, epsilon=epsilon)
        plots = () if plot is None else (study.plot(plot),)
        result = study.summary() | {"plots": [str(path) for path in plots]}
        job.done(result, lambda: explain_show.policy(study, plots))


@explain.command("sampling")
def explain_sampling(
    beta: Annotated[
        str, typer.Option(help="Chance of everybody to be drawn, e.g. 0.8.", show_default=False)
    ],
    epsilon: Annotated[str, typer.Option(help="Of the release, e.g. 1.", show_default=False)],
    delta: Annotated[str, typer.Option(help="Of the release.")] = "1e-6",
    k: Annotated[
        int | None, typer.Option("--k", help="What holds if groups under this are left out.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it: a file that ends in .svg, .html or .png.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What a secret sample buys, and how large groups must be to publish it safely."""
    with running("explain", as_json, quiet) as job:
        import hedgerow
        from hedgerow.api import refuse_plot
        from hedgerow.cli import sampling_show

        if plot is not None:
            refuse_plot(plot)
        study = hedgerow.explain_sampling(beta=beta, epsilon=epsilon, delta=delta, k=k)
        plots = () if plot is None else (study.plot(plot),)
        result = study.summary() | {"plots": [str(path) for path in plots]}
        job.done(result, lambda: sampling_show.sampling(study, plots))


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

        from hedgerow.api import define, definitions

        found = definitions() if name is None else (define(name),)
        result = {"definitions": [asdict(definition) for definition in found]}
        job.done(result, lambda: rendering().definitions(found))
