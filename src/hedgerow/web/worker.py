"""The process a job runs in: a request on standard input, reports on standard output.

    python -P -m hedgerow.web.worker hedgerow.web.work:publish

Each report is one line of JSON: progress, then a result or errors. A polite kill is cleaned up
like Ctrl-C on the command line. SIGUSR1 asks for the best so far, where a report says that there is
one to be had.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any, NoReturn

from hedgerow.api import StopRequest, stopped
from hedgerow.base.errors import HedgerowError
from hedgerow.web.error_pages import told
from hedgerow.web.jobs import JobProgress


def main(work: str) -> int:
    """Run the work that is named, and report."""
    asked_to_stop: list[int] = []

    def interrupt(number: int, frame: Any) -> NoReturn:
        asked_to_stop.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the app's, which then asks politely.
    # Whatever a library prints must not stand between the reports.
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def report(what: Mapping[str, Any]) -> None:
        reports.write(json.dumps(what, allow_nan=False) + "\n")
        reports.flush()

    stop = StopRequest()

    def end_soon(number: int, frame: Any) -> None:
        stop.ask()

    signal.signal(signal.SIGUSR1, end_soon)

    def tell(said: str, share: float | None) -> None:
        report({"said": said, "share": share, "ends": stop.listening})

    progress = JobProgress(tell, stop)

    module, _, name = work.partition(":")
    if not module.startswith("hedgerow."):
        raise ValueError(f"{work} is not ours")
    try:
        request = json.load(sys.stdin)
        report({"result": getattr(import_module(module), name)(request, progress)})
    except HedgerowError as error:
        report({"errors": [asdict(one) for one in told(error)]})
    except MemoryError as error:
        spent = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
        lacking = HedgerowError(
            "there is not enough memory for this", fix=f"Use a larger machine.{spent}"
        )
        report({"errors": [asdict(one) for one in told(lacking)]})
    except (KeyboardInterrupt, SystemError) as error:
        # Compiled code that is interrupted while it is loaded makes a SystemError of it.
        if isinstance(error, SystemError) and not asked_to_stop:
            raise
        said = "" if isinstance(error, SystemError) else str(error)
        stood = HedgerowError(stopped(said, how="cancelled"))
        report({"errors": [asdict(one) for one in told(stood)], "interrupted": True})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
