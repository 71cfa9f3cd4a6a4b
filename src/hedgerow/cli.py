"""The command line: thin, every command one call of the public hedgerow."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from hedgerow.errors import HedgerowError, PlanError, printable

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""
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
            _complain("hedgerow", told, as_json=True)
            code = told.exit_code
        sys.exit(code)


app = typer.Typer(
    cls=_Commands,
    help="Publish data about people against named adversaries.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
explain = typer.Typer(help="What a model or parameter means.", no_args_is_help=True)
app.add_typer(explain, name="explain")

AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Memory = Annotated[
    str | None, typer.Option(help="Memory the engine may use, e.g. 4GB; the rest is on disk.")
]
PlanFile = Annotated[Path, typer.Argument(help="The plan (YAML).", show_default=False)]


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


@app.command()
def init(
    data: Annotated[Path, typer.Argument(help="CSV, Parquet or DuckDB file.", show_default=False)],
    to: Annotated[Path, typer.Option(help="Where to write the plan.")] = Path("plan.yaml"),
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing plan.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a first plan for a table: roles and hierarchies guessed, each guess explained."""
    with _job("init", as_json, quiet) as job:
        from hedgerow.guess import write_plan

        path = write_plan(data, to, replace=replace)
        job.done({"plan": str(path)}, lambda: _show().started(path))


@app.command()
def check(plan: PlanFile, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Measure the plan's claims on the table as it is; publish nothing."""
    with _job("check", as_json, quiet) as job:
        import hedgerow
        from hedgerow.release import claim_summary

        claims = hedgerow.check(plan)
        job.done({"claims": [claim_summary(v) for v in claims]}, lambda: _show().claims(claims))
        if not all(v.holds for v in claims):
            job.exit_code = 1


@app.command()
def publish(
    plan: PlanFile,
    to: Annotated[
        Path | None, typer.Option(help="Folder of the release; the plan's if left out.")
    ] = None,
    recoding: Annotated[
        Path | None, typer.Option(help="Apply the recoding of this earlier release.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace an existing release.")
    ] = False,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find the most useful recoding that keeps every claim, and publish it."""
    with _job("publish", as_json, quiet) as job:
        import hedgerow

        read = hedgerow.Plan.read(plan)
        if to is None and read.publish is None:
            raise PlanError(
                "nothing says where the release goes",
                where=str(plan),
                fix="Add `publish: {to: release}` to the plan, or say --to release.",
            )
        release = hedgerow.publish(
            read, to=to, recoding=recoding, replace=replace, memory=memory, progress=job.progress
        )
        job.done(release.summary(), lambda: _show().release(release))


@app.command()
def demo(
    to: Annotated[Path, typer.Option(help="Folder for data, plan and release.")] = Path("demo"),
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Generate a synthetic hospital, publish it, and attack what was published."""
    with _job("demo", as_json, quiet) as job:
        import hedgerow
        from hedgerow.demo import attacked, write_hospital, write_neighbour

        plan = write_hospital(to)
        release = hedgerow.publish(plan, replace=True, progress=job.progress)
        hedgerow.publish(write_neighbour(to), replace=True, progress=job.progress)
        attacks = attacked(to)
        told = release.summary() | {"attacks": [result.summary() for result in attacks]}
        job.done(told, lambda: _show().demo(plan, release, attacks))


@app.command()
def attack(
    releases: Annotated[
        list[str], typer.Argument(help="Folders of releases, or files of any tool.")
    ],
    know: Annotated[
        list[str] | None,
        typer.Option(help="What is known of one person, e.g. age=28; repeat for more columns."),
    ] = None,
    register: Annotated[
        list[Path] | None,
        typer.Option(help="An identified list of people; repeat for one for each release."),
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="The original table: its people are looked for.")
    ] = None,
    control: Annotated[
        Path | None, typer.Option(help="People who are in none of the releases.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="The plan of a release: its hierarchies and original.")
    ] = None,
    sensitive: Annotated[
        list[str] | None, typer.Option(help="A sensitive column, where no certificate says.")
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
    with _job("attack", as_json, quiet) as job:
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
            of=of,
            taxonomies=_pairs(taxonomy, "--taxonomy", "nationality=nationality.csv"),
            fuzzy=_pairs(fuzzy, "--fuzzy", "age=1"),
            methods=method,
            overlap=overlap,
            seed=seed,
        )
        unseen = [r for r in results if r.detail.get("found_in_all") == 0]
        if at_most is not None and (unseen or not results):
            raise PlanError(
                "nobody who was looked for fits into the releases, so --at-most says nothing",
                fix="Give hierarchies with --plan or --taxonomy, or other people.",
            )
        if plot is not None:
            from hedgerow.attack_charts import attacks_chart
            from hedgerow.charts import save

            save(attacks_chart(results), plot)
        told = {"attacks": [result.summary() for result in results]}
        job.done(told, lambda: _show().attacks(results, at_most))
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


@explain.command("model")
def explain_model(
    name: Annotated[
        str, typer.Argument(help="Name in the plan, e.g. l-diversity.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """What a privacy model promises, what it does not, and how to ask for it."""
    with _job("explain", as_json, quiet=False) as job:
        from dataclasses import asdict

        from hedgerow.models import describe

        found = describe(name)
        job.done(asdict(found), lambda: _show().explanation(found))


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
    with _job("explain", as_json, quiet) as job:
        import hedgerow
        from hedgerow.explaining.study import refuse_plot

        if plot is not None:
            refuse_plot(plot)
        study = hedgerow.explain_adversary(plan, nodes=node, memory=memory, progress=job.progress)
        plots = () if plot is None else study.plot(plot)
        result = study.summary() | {"plots": [str(path) for path in plots]}
        job.done(result, lambda: _show().study(study, plots))


@explain.command("definitions")
def explain_definitions(
    name: Annotated[
        str | None, typer.Argument(help="Only this one, e.g. t-closeness.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What other privacy definitions amount to as epsilon-privacy, and when."""
    with _job("explain", as_json, quiet=False) as job:
        from dataclasses import asdict

        from hedgerow.definitions import define, definitions

        found = definitions() if name is None else (define(name),)
        result = {"definitions": [asdict(definition) for definition in found]}
        job.done(result, lambda: _show().definitions(found))


def main() -> None:
    """Entry point of the `hedgerow` command."""
    # A polite kill cleans up like Ctrl-C does; text the terminal lacks does not end the command.
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app()


def _interrupt(number: int, frame: Any) -> NoReturn:
    raise KeyboardInterrupt


def _show() -> Any:
    """Rendering for people, imported only when it is needed."""
    from hedgerow import show

    return show


class _Job:
    """Runs one command: progress while it works, one result, the right exit code."""

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.exit_code = 0
        self.progress: Callable[[str, float | None], None] | None = None
        self._bar: Any = None
        if not (quiet or as_json) and sys.stderr.isatty():
            self._bar, self.progress = _show().progress()

    def done(self, result: dict[str, Any], text: Callable[[], None]) -> None:
        """Print the result, as JSON or for people."""
        self.stop()
        if self.as_json:
            typer.echo(json.dumps(result, allow_nan=False))
        elif not self.quiet:
            text()

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()


@contextlib.contextmanager
def _job(name: str, as_json: bool, quiet: bool) -> Iterator[_Job]:
    """Turn errors into messages and exit codes; a user's mistake never shows a traceback."""
    job = _Job(as_json, quiet)
    told: HedgerowError | None = None
    code = 0
    try:
        yield job
        code = job.exit_code
    except HedgerowError as error:
        told, code = error, error.exit_code
    except MemoryError:
        told = HedgerowError("there is not enough memory for this", fix="Use a larger machine.")
        code = told.exit_code
    except KeyboardInterrupt:
        told, code = HedgerowError("interrupted; nothing was published"), INTERRUPTED
    finally:
        job.stop()
    if told is not None:
        _complain(f"hedgerow {name}", told, as_json=as_json)
    if code:
        raise typer.Exit(code)


def _complain(who: str, error: HedgerowError, *, as_json: bool) -> None:
    """The message on standard error and, where wanted, as one JSON object on standard output."""
    if as_json:
        all_of_them = [_as_data(e) for e in getattr(error, "errors", (error,))]
        first, *also = all_of_them
        typer.echo(json.dumps({"error": first | ({"also": also} if also else {})}))
    typer.echo(printable(f"{who}: {error}", keep="\n"), err=True)


def _as_data(error: HedgerowError) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "what": error.what,
        "where": error.where,
        "fix": error.fix,
    }
