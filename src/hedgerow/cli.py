"""The command line: thin, every command one call of the public hedgerow."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow.errors import HedgerowError

app = typer.Typer(
    help="Publish data about people against named adversaries.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
explain = typer.Typer(help="What a model or parameter means.", no_args_is_help=True)
app.add_typer(explain, name="explain")

AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only errors.")]
PlanFile = Annotated[Path, typer.Argument(help="The plan (YAML).", show_default=False)]
INTERRUPTED = 130


@app.command()
def init(
    data: Annotated[Path, typer.Argument(help="CSV, Parquet or DuckDB file.", show_default=False)],
    to: Annotated[Path, typer.Option(help="Where to write the plan.")] = Path("plan.yaml"),
    replace: Annotated[bool, typer.Option(help="Replace an existing plan.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a first plan for a table: roles and hierarchies guessed, each guess explained."""
    from hedgerow.guess import write_plan

    with _job("init", as_json, quiet) as job:
        path = write_plan(data, to, replace=replace)
        job.done({"plan": str(path)}, f"Wrote {path}. Read every guess before you publish.")


@app.command()
def check(plan: PlanFile, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Measure the plan's claims on the table as it is; publish nothing."""
    import hedgerow
    from hedgerow.release import claim_summary

    with _job("check", as_json, quiet) as job:
        claims = hedgerow.check(plan)
        job.done({"claims": [claim_summary(v) for v in claims]}, lambda: _show().claims(claims))
        if not all(v.holds for v in claims):
            job.exit_code = 1


@app.command()
def publish(
    plan: PlanFile,
    to: Annotated[Path | None, typer.Option(help="Folder of the release.")] = None,
    recoding: Annotated[
        Path | None, typer.Option(help="Apply the recoding of this earlier release.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Replace an existing release.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find the most useful recoding that keeps every claim, and publish it."""
    import hedgerow

    with _job("publish", as_json, quiet) as job:
        release = hedgerow.publish(
            plan, to=to, recoding=recoding, replace=replace, progress=job.progress
        )
        job.done(release.summary(), lambda: _show().release(release))


@app.command()
def demo(
    to: Annotated[Path, typer.Option(help="Folder for data, plan and release.")] = Path("demo"),
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Generate a synthetic hospital, publish it, and say what was protected and lost."""
    import hedgerow
    from hedgerow.demo import write_hospital

    with _job("demo", as_json, quiet) as job:
        to.mkdir(parents=True, exist_ok=True)
        plan = write_hospital(to)
        release = hedgerow.publish(plan, replace=True, progress=job.progress)
        job.done(release.summary(), lambda: _show().demo(plan, release))


@explain.command("model")
def explain_model(
    name: Annotated[str, typer.Argument(help="Name in the plan, e.g. l-diversity.")],
    as_json: AsJson = False,
) -> None:
    """What a privacy model promises, what it does not, and how to ask for it."""
    from dataclasses import asdict

    from hedgerow.models import describe

    with _job("explain", as_json, True) as job:
        found = describe(name)
        job.done(asdict(found), lambda: _show().explanation(found))


def main() -> None:
    """Entry point of the `hedgerow` command."""
    app()


def _show() -> Any:
    """Rendering for people, imported only when it is needed."""
    from hedgerow import show

    return show


class _Job:
    """Runs one command: progress while it works, one result, the right exit code."""

    def __init__(self, name: str, as_json: bool, quiet: bool) -> None:
        self.name, self.as_json = name, as_json
        self.exit_code = 0
        self.progress: Callable[[str, float | None], None] | None = None
        self._bar: Any = None
        if not (quiet or as_json) and sys.stderr.isatty():
            self._bar, self.progress = _show().progress()

    def done(self, result: dict[str, Any], text: str | Callable[[], None]) -> None:
        """Print the result, as JSON or for people."""
        self.stop()
        if self.as_json:
            typer.echo(json.dumps(result, ensure_ascii=False, allow_nan=False))
        elif callable(text):
            text()
        else:
            typer.echo(text)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()


@contextlib.contextmanager
def _job(name: str, as_json: bool, quiet: bool) -> Iterator[_Job]:
    """Turn errors into messages and exit codes; a user's mistake never shows a traceback."""
    job = _Job(name, as_json, quiet)
    try:
        yield job
    except HedgerowError as error:
        job.stop()
        if as_json:
            told = {"what": error.what, "where": error.where, "fix": error.fix}
            typer.echo(json.dumps({"error": told}, ensure_ascii=False))
        typer.echo(f"hedgerow {name}: {error}", err=True)
        raise typer.Exit(error.exit_code) from None
    except KeyboardInterrupt:
        job.stop()
        typer.echo(f"hedgerow {name}: interrupted; nothing was published", err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        job.stop()
    if job.exit_code:
        raise typer.Exit(job.exit_code)
