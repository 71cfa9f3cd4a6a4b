"""`hedgerow attack`: what an attacker gains over somebody who never saw the releases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.jobs import AsJson, Quiet, rendering, running
from hedgerow.errors import PlanError


def attack(
    releases: Annotated[
        list[str],
        typer.Argument(
            help="Folders of releases, tables (postgresql://…::schema.table), or files of any tool."
        ),
    ],
    know: Annotated[
        list[str] | None,
        typer.Option(help="What is known of one person, e.g. age=28; repeat for more columns."),
    ] = None,
    register: Annotated[
        list[str] | None,
        typer.Option(
            help="An identified list of people, a file or a table; repeat for one for each release."
        ),
    ] = None,
    truth: Annotated[
        str | None, typer.Option(help="The original table: its people are looked for.")
    ] = None,
    control: Annotated[
        str | None, typer.Option(help="People who are in none of the releases.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="The plan of a release: its hierarchies and original.")
    ] = None,
    sensitive: Annotated[
        list[str] | None, typer.Option(help="A sensitive column, where no certificate says.")
    ] = None,
    quasi: Annotated[
        list[str] | None, typer.Option(help="A quasi-identifier, where no certificate says.")
    ] = None,
    located: Annotated[
        str | None,
        typer.Option(help="nearest: a release without certificate is microaggregated."),
    ] = None,
    of: Annotated[
        str | None, typer.Option(help="The sensitive column that is asked about.")
    ] = None,
    taxonomy: Annotated[
        list[str] | None,
        typer.Option(help="Hierarchy of a column whose labels are its nodes: column=file.csv."),
    ] = None,
    fuzzy: Annotated[
        list[str] | None,
        typer.Option(help="How far the register may be off: age=1, or name=typo."),
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="An attack, by name; all that apply if left out.")
    ] = None,
    overlap: Annotated[
        str | None,
        typer.Option(help="Share of people who are in the other releases too, or estimate."),
    ] = None,
    at_most: Annotated[
        float | None,
        typer.Option(help="Exit with 1 if any attack gains more than this, e.g. 0.05."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write a chart of all attacks: .svg, .html or .png.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of attacks that draw guesses.")] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Try to break releases: what an attacker gains over somebody who never saw them."""
    with running("attack", as_json, quiet, bar=True) as job:
        import hedgerow

        if at_most is not None and not 0 <= at_most <= 1:
            raise PlanError(
                f"--at-most must be a share from 0 to 1, not {at_most}", fix="Say --at-most 0.05."
            )
        results = hedgerow.attack(
            releases,
            know=_pairs(know, "--know", "age=28"),
            register=register or None,
            truth=truth,
            control=control,
            plan=plan,
            sensitive=sensitive,
            quasi=quasi,
            located=located,
            of=of,
            taxonomies=_pairs(taxonomy, "--taxonomy", "nationality=nationality.csv"),
            fuzzy=_pairs(fuzzy, "--fuzzy", "age=1"),
            methods=method,
            overlap=overlap,
            seed=seed,
            progress=job.progress,
        )
        if at_most is not None:
            from hedgerow.attacks.gate import doubts

            if found := doubts(results):
                raise PlanError(
                    f"--at-most would say nothing: {'; '.join(found)}",
                    fix="Give hierarchies with --plan or --taxonomy, or other people; or leave "
                    "--at-most out.",
                )
        if plot is not None:
            from hedgerow.attack_charts import attacks_chart
            from hedgerow.charts import save

            save(attacks_chart(results), plot)
        told = {"attacks": [result.summary() for result in results]}
        job.done(told, lambda: rendering().attacks(results, at_most))
        if at_most is not None and any(result.gain > at_most for result in results):
            job.exit_code = 1


def _pairs(given: list[str] | None, option: str, example: str) -> dict[str, str]:
    """What `--option column=value` says."""
    found = {}
    for text in given or ():
        column, equals, value = text.partition("=")
        if not (equals and column):
            raise PlanError(
                f"{option} needs column=value, not {text!r}", fix=f"Write {option} {example}."
            )
        found[column] = value
    return found
