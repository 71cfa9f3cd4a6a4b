"""How every command runs: one result, for people or as JSON, and the right exit code."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow.api import PUBLISHED, StopRequest, stopped
from hedgerow.base.errors import HedgerowError, interrupted, printable

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Memory = Annotated[
    str | None, typer.Option(help="Memory the engine may use, e.g. 4GB; the rest is on disk.")
]
ReadAs = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="How the file is written, as under `read` in the plan: --read encoding=latin-1, "
        "--read dates.born=dmy; may be repeated.",
    ),
]
PlanFile = Annotated[Path, typer.Argument(help="The plan (YAML).", show_default=False)]


def rendering() -> Any:
    """Rendering for people, imported only when it is needed."""
    from hedgerow.cli import show

    return show


class CommandRun:
    """Runs one command: progress while it works, one result, the right exit code."""

    def __init__(self, as_json: bool, quiet: bool, *, bar: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.exit_code = 0
        self.progress: Callable[[str, float | None], None] | None = None
        self._bar: Any = None
        if bar and not (quiet or as_json) and sys.stderr.isatty():
            self._bar, self.progress = rendering().progress()

    @contextlib.contextmanager
    def ending_soon(self) -> Iterator[StopRequest]:
        """Ctrl-C ends a search that can tell the best so far; anything else it ends as a whole."""
        request = StopRequest()

        def asked(number: int, frame: Any) -> None:
            if not request.ask():
                raise KeyboardInterrupt
            if not self.quiet:
                text = "ending the search with the best so far; Ctrl-C again: nothing is published"
                typer.echo(text, err=True)

        if threading.current_thread() is not threading.main_thread():
            yield request
            return
        before = signal.signal(signal.SIGINT, asked)
        try:
            yield request
        finally:
            signal.signal(signal.SIGINT, before)

    def done(self, result: dict[str, Any], text: Callable[[], None]) -> None:
        """Print the result, as JSON or for people."""
        self.stop()
        if self.as_json:
            typer.echo(json.dumps(result, allow_nan=False))
        elif not self.quiet:
            text()

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


@contextlib.contextmanager
def running(name: str, as_json: bool, quiet: bool, *, bar: bool = False) -> Iterator[CommandRun]:
    """Turn errors into messages and exit codes; a user's mistake never shows a traceback.

    Args:
        name: Of the command.
        as_json: Whether exactly one JSON object is printed.
        quiet: Whether nothing but errors is.
        bar: Whether a terminal shows how far the work has got.
    """
    PUBLISHED.clear()
    job = CommandRun(as_json, quiet, bar=bar)
    told: HedgerowError | None = None
    code = 0
    try:
        yield job
        code = job.exit_code
    except HedgerowError as error:
        told, code = error, error.exit_code
    except MemoryError as error:
        spent = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
        told = HedgerowError(
            "there is not enough memory for this", fix=f"Use a larger machine.{spent}"
        )
        code = told.exit_code
    except (KeyboardInterrupt, SystemError) as error:
        if not interrupted(error):
            raise
        told, code = HedgerowError(_how_it_stands(error)), INTERRUPTED
    finally:
        job.stop()
    if told is not None:
        complain(f"hedgerow {name}", told, as_json=as_json)
    if code:
        raise typer.Exit(code)


def _how_it_stands(error: BaseException) -> str:
    """What an interrupted run has done, as far as somebody has said so."""
    said = "" if isinstance(error, SystemError) else str(error)
    spent = " ".join(getattr(error, "__notes__", ()))
    return stopped(said, spent=spent)


def complain(who: str, error: HedgerowError, *, as_json: bool) -> None:
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
