"""`hedgerow attack`: what an attacker gains over somebody who never saw the releases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow.base.errors import PlanError, printable
from hedgerow.cli.jobs import AsJson, Quiet, rendering, running

HOW = "Give hierarchies with --plan or --taxonomy, or look for other people."
"""What helps where labels are not understood, or nobody fits."""


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
    person: Annotated[
        list[str] | None,
        typer.Option(
            help="Show what is believed of one person, e.g. name=Alice; repeat for more columns."
        ),
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
    prior: Annotated[
        str | None,
        typer.Option(
            help="What the attacker expects before (belief, --person): a file about other people, "
            "{shape: {flu: 2, HIV: 1}}, uniform, or table, as in a plan."
        ),
    ] = None,
    stubbornness: Annotated[
        str | None,
        typer.Option(help="How many people's data the prior is worth; infinite if left out."),
    ] = None,
    at_most: Annotated[
        float | None,
        typer.Option(help="Exit with 1 if the mean gain of an attack is larger, e.g. 0.05."),
    ] = None,
    certain_at_most: Annotated[
        float,
        typer.Option(help="Exit with 1 if a larger share of people is known for certain."),
    ] = 0.0,
    worst_at_most: Annotated[
        float | None,
        typer.Option(help="Exit with 1 if the gain of the worst person is larger, e.g. 0.5."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write a chart of all attacks: .svg, .html or .png.")
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="Print every result, also where there are many sensitive columns."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Of attacks that draw guesses or worlds.")] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Try to break releases: what an attacker gains over somebody who never saw them."""
    with running("attack", as_json, quiet, bar=True) as job:
        read: dict[str, Any] = {
            "register": register or None, "truth": truth, "plan": plan, "sensitive": sensitive,
            "quasi": quasi, "located": located, "of": of, "prior": prior,
            "stubbornness": stubbornness,
            "taxonomies": _pairs(taxonomy, "--taxonomy", "nationality=nationality.csv"),
        }  # fmt: skip
        if person:
            unused = {"--know": know, "--control": control, "--method": method, "--fuzzy": fuzzy,
                      "--overlap": overlap, "--plot": plot, "--at-most": at_most,
                      "--worst-at-most": worst_at_most,
                      "--certain-at-most": certain_at_most or None}  # fmt: skip
            for option, given in unused.items():
                if given is not None and given != []:
                    raise PlanError(f"--person has no use for {option}", fix="Leave it out.")
            from hedgerow.api import belief_about

            belief = belief_about(
                releases,
                _pairs(person, "--person", "name=Alice"),
                seed=seed,
                **read,
            )
            job.done(belief.summary(), lambda: rendering().person_belief(belief))
            return
        import hedgerow
        from hedgerow.api import UNTRIED, GainBounds, doubts, plot_attacks

        bounds = GainBounds(mean=at_most, certain=certain_at_most, worst=worst_at_most)
        results = hedgerow.attack(
            releases,
            know=_pairs(know, "--know", "age=28"),
            control=control,
            fuzzy=_pairs(fuzzy, "--fuzzy", "age=1"),
            methods=method,
            overlap=overlap,
            seed=seed,
            progress=job.progress,
            **read,
        )
        if plot is not None and results:
            plot_attacks(results, plot)
        broken = [bounds.broken(result) for result in results]
        unsure = [*doubts(results), *(why for one in results for why in bounds.unsettled(one))]
        told = {
            "attacks": [
                result.summary() | {"broken": list(why)}
                for result, why in zip(results, broken, strict=True)
            ],
            "bounds": bounds.summary(),
            "doubts": unsure,
        }
        job.done(told, lambda: rendering().attacks(results, bounds, every=every))
        if unsure and not as_json:
            said = (
                f"hedgerow attack: this does not show what an attacker finds: {'; '.join(unsure)}."
            )
            how = "" if all(why.startswith(UNTRIED) for why in unsure) else f" {HOW}"
            typer.echo(printable(f"{said}{how}"), err=True)
        job.exit_code = 1 if any(broken) else 2 if unsure else 0


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
