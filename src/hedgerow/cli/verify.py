"""The command `hedgerow verify`: what it takes, and what people see."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.base.errors import printable
from hedgerow.cli.jobs import AsJson, Quiet, running

if TYPE_CHECKING:
    from hedgerow import Verification

STYLES = {"verified": "green", "refuted": "bold red", "not verifiable": "yellow"}


def verify(
    release: Annotated[
        str,
        typer.Argument(
            help="Folder of a release, a table (postgresql://…::schema.table), or a file or table "
            "of any tool with --plan."
        ),
    ],
    plan: Annotated[
        Path | None, typer.Option(help="The plan the release must keep; its source is not read.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="Public key that must have signed the certificate.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 also if something is not verifiable.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Check a release without the raw data: each claim is verified, refuted, or neither."""
    with running("verify", as_json, quiet) as job:
        import hedgerow

        found = hedgerow.verify(release, plan=plan, key=key)
        job.done(found.summary(), lambda: show(found))
        if found.refuted or (strict and (found.unverifiable or found.unknown)):
            job.exit_code = 1
        if strict and not found.refuted and not as_json and (why := _not_strict(found)):
            typer.echo(printable(f"hedgerow verify --strict: {why}."), err=True)


def _not_strict(found: Verification) -> str:
    """Why it is not enough for --strict; empty where it is."""
    reasons = [check.why or f"{check.what} cannot be verified" for check in found.unknown]
    if found.unverifiable:
        many = len(found.unverifiable)
        claims = "1 claim is" if many == 1 else f"{many} claims are"
        reasons.append(f"{claims} not verifiable from outside")
    return "; ".join(reasons)


def show(found: Verification) -> None:
    """A line a claim, then what was found, in sentences."""
    from rich.text import Text

    from hedgerow.cli.terminal import columns, console, plain, say

    if found.claims:
        table = columns(("claim", "left"), ("level", "right"), ("required", "right"), ("", "left"))
        for claim in found.claims:
            table.add_row(
                plain(claim.claim), _number(claim.level), _number(claim.required),
                Text(claim.verdict, STYLES[claim.verdict]),
            )  # fmt: skip
        console.print(table)
        console.print()
    for check in found.checks:
        if check.why and check.verdict != "refuted":
            console.print(plain(f"{check.what}: {check.why}."))
    for claim in found.unverifiable:
        console.print(plain(f"Not verifiable from outside: {claim.claim}: {claim.why}."))
    for sentence in found.refuted:
        console.print(plain(f"Refuted: {sentence}.", style="bold"))
    say(_in_all(found), style="bold")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _in_all(found: Verification) -> str:
    parts = [f"{len(found.verified)} of {len(found.claims)} claims verified"]
    if found.unverifiable:
        parts.append(f"{len(found.unverifiable)} not verifiable from outside")
    if found.refuted:
        parts.append("something is refuted: do not rely on this release")
    return f"{'; '.join(parts)}: {found.release}"
