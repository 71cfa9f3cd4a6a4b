"""`hedgerow report`: reports of a release that was published, and policy profiles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from hedgerow.cli.jobs import AsJson, Quiet, running

if TYPE_CHECKING:
    from hedgerow import Reports
    from hedgerow.reports.profiles.base import ProfileCheck


class ReportCommand(TyperCommand):
    """The command, whose help names the profiles; those of installed packages too."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from hedgerow.api import PROFILES

        *others, last = PROFILES
        named = f"{', '.join(others)} or {last}"
        for one in self.params:
            if isinstance(one, TyperOption) and one.name == "profile":
                one.help = f"A policy to compare with: {named}; repeat for more."
        super().format_help(ctx, formatter)


STYLES = {"met": "green", "not met": "bold red", "not checkable": "yellow"}


def report(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    plan: Annotated[
        Path | None,
        typer.Option(help="Its plan, whose source is read: needed for the internal report."),
    ] = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(help="A policy to compare with, by name; repeat for more."),
    ] = None,
    external: Annotated[
        Path | None, typer.Option(help="Write the external report here, with the profiles in it.")
    ] = None,
    internal: Annotated[
        Path | None, typer.Option(help="Write the internal report here, not beside the release.")
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            help="Where releases are remembered: a file or postgresql://…; the plan's if left out."
        ),
    ] = None,
    areas: Annotated[
        Path | None,
        typer.Option(help="People of each area of three digits (columns zip3 and people)."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Make the reports of a release, and say what a policy would require of it."""
    with running("report", as_json, quiet) as job:
        import hedgerow

        found = hedgerow.report(
            release,
            plan=plan,
            profiles=profile or (),
            external=external,
            internal=internal,
            ledger=ledger,
            areas=areas,
        )
        job.done(found.summary(), lambda: show(found))
        if found.unmet:
            job.exit_code = 1


def show(found: Reports) -> None:
    """A line a requirement, then where the reports are."""
    from hedgerow.cli.terminal import say

    for profile in found.profiles:
        _profile(profile)
    if found.external is not None:
        say(f"external report: {found.external}")
    if found.internal is not None:
        say(f"internal report, not to be handed out: {found.internal}")


def _profile(profile: ProfileCheck) -> None:
    from rich.text import Text

    from hedgerow.cli.terminal import columns, console, plain, say

    say(f"{profile.name}: {profile.title}", style="bold")
    table = columns(("", "left"), ("requirement", "left"), ("evidence", "left"))
    for finding in profile.findings:
        table.add_row(
            Text(finding.verdict, STYLES[finding.verdict]),
            plain(finding.requirement),
            plain(finding.evidence),
        )
    console.print(table)
    for finding in profile.findings:
        if finding.verdict == "not met" and finding.todo:
            console.print(plain(f"{finding.requirement}: {finding.todo}"))
    left = sum(finding.verdict == "not checkable" for finding in profile.findings)
    if left:
        say(f"{left} for a person to check: see the report, or --json.")
    say("")


def tell_internal(folder: Path | None) -> None:
    """Where the internal report of a release is, if there is one."""
    from hedgerow.api import internal_place
    from hedgerow.cli.terminal import say

    if folder is not None and (place := internal_place(folder.resolve())).exists():
        say(f"internal report, not to be handed out: {folder.parent / place.name}")
