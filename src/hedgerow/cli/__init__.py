"""The command line: thin, every command one call of the public hedgerow."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.cli.attack import attack
from hedgerow.cli.explain import explain
from hedgerow.cli.explore import explore
from hedgerow.cli.first_plan import init
from hedgerow.cli.frontier import frontier
from hedgerow.cli.hierarchy import hierarchy, import_plan
from hedgerow.cli.jobs import (
    AsJson,
    Memory,
    PlanFile,
    Quiet,
    ReadAs,
    complain,
    rendering,
    running,
)
from hedgerow.cli.lean import without_pandas
from hedgerow.cli.ledger import ledger
from hedgerow.cli.look import look
from hedgerow.cli.query import query
from hedgerow.cli.report import ReportCommand, report, tell_internal
from hedgerow.cli.verify import verify

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What a wrong command line raises; Typer has no public name for it."""


class _Commands(TyperGroup):
    """Commands whose usage errors are one JSON object too, where the user asked for JSON."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **how: Any) -> Any:
        given = sys.argv[1:] if args is None else list(args)
        run: Any = super().main
        if "--json" not in given or not how.get("standalone_mode", True):
            return run(args, *more, **how)
        try:
            code = run(given, *more, **how | {"standalone_mode": False})
        except UsageError as error:
            what: str = error.format_message()  # type: ignore[attr-defined]
            told = HedgerowError(what, fix="See hedgerow COMMAND --help.")
            complain("hedgerow", told, as_json=True)
            code = told.exit_code
        sys.exit(code)


app = typer.Typer(
    cls=_Commands,
    help="Publish data about people against named adversaries.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(explain, name="explain")
app.add_typer(ledger, name="ledger")


def _version(wanted: bool) -> None:
    if wanted:
        from hedgerow import __version__

        typer.echo(f"hedgerow {__version__}")
        raise typer.Exit


@app.callback()
def hedgerow_command(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Publish data about people against named adversaries."""


app.command()(look)
app.command()(init)


@app.command()
def check(
    plan: PlanFile, read: ReadAs = None, as_json: AsJson = False, quiet: Quiet = False
) -> None:
    """Measure the plan's claims on the table as it is; publish nothing."""
    with running("check", as_json, quiet, bar=True) as job:
        from hedgerow.api import measure, said_in_words

        found = measure(plan, read=said_in_words(read or ()))
        job.done(found.summary(), lambda: rendering().checked(found.claims, found.notes, plan))
        if not found.holds:
            job.exit_code = 1


@app.command()
def publish(
    plan: PlanFile,
    to: Annotated[
        str | None,
        typer.Option(
            help="Folder of the release, or a table of a database; the plan's if left out."
        ),
    ] = None,
    recoding: Annotated[
        Path | None, typer.Option(help="Apply the recoding of this earlier release.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace an existing release.")
    ] = False,
    memory: Memory = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            help="Where releases are remembered: a file or postgresql://…; the plan's if left out."
        ),
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(help="Private key (Ed25519) that signs the certificate.")
    ] = None,
    anew: Annotated[
        bool,
        typer.Option("--anew", help="Draw noise, or coded columns, again, and pay for noise."),
    ] = False,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no internal report beside the release.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Publish what a plan asks for: the most useful recoding that keeps every claim, or noise."""
    with running("publish", as_json, quiet, bar=True) as job:
        import hedgerow

        read = hedgerow.Plan.read(plan)
        if to is None and read.publish is None:
            raise PlanError(
                "nothing says where the release goes",
                where=str(plan),
                fix="Add `publish: {to: release}` to the plan, or say --to release.",
            )
        with job.ending_soon() as stop:
            release = hedgerow.publish(
                read, to=to, recoding=recoding, replace=replace, memory=memory, ledger=ledger,
                sign=sign, anew=anew, progress=job.progress, report=not no_report, stop=stop,
            )  # fmt: skip

        def show() -> None:
            rendering().published(release)
            tell_internal(release.folder)
            rendering().after_publishing(release.folder, plan)

        job.done(release.summary(), show)


app.command()(verify)
app.command(cls=ReportCommand)(report)


@app.command()
def demo(
    to: Annotated[Path, typer.Option(help="Folder for data, plan and release.")] = Path("demo"),
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Generate a synthetic hospital, publish it twice, attack that, and answer a question."""
    with running("demo", as_json, quiet, bar=True) as job:
        from hedgerow.api import run_demo

        done = run_demo(to, progress=job.progress)
        job.done(done.summary(), lambda: rendering().demo(done))


app.command()(hierarchy)
app.command("import")(import_plan)
app.command()(attack)
app.command()(query)
app.command()(frontier)
app.command()(explore)


def main() -> None:
    """Entry point of the `hedgerow` command."""
    # A polite kill cleans up like Ctrl-C does; text the terminal lacks does not end the command.
    signal.signal(signal.SIGTERM, _interrupt)
    without_pandas()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app()


def _interrupt(number: int, frame: Any) -> NoReturn:
    raise KeyboardInterrupt
