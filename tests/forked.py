"""The `hedgerow` command as a process of its own that need not load everything first.

A process can be killed, and what it leaves behind looked at, whether it was started from nothing
or forked from one that has imported hedgerow already and done nothing else; only that the second
takes a fraction of the time. Where loading itself is tested, start `python -m hedgerow`.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkServerContext
from pathlib import Path

LOADED = (
    "hedgerow.cli",
    "hedgerow.release.publication",
    "hedgerow.release.partition.maker",
    "hedgerow.release.noisy.maker",
    "hedgerow.release.safe.maker",
    "hedgerow.answers.session",
    "hedgerow.ledger.audit",
    "hedgerow.ledger.address",
    "hedgerow.reports.files",
    "hedgerow.reports.internal",
    "hedgerow.reports.attack_section",
    "hedgerow.reports.frontier_section",
    "hedgerow.release.verification",
    "numba.np.arraymath",
)


def context() -> ForkServerContext:
    """Forks from a process that has everything loaded, one for all tests of a worker."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(list(LOADED))
    return found


def run_forked(
    *arguments: str,
    env: Mapping[str, str] | None = None,
    in_steps: bool = False,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run the command here, and wait for it.

    Args:
        arguments: What follows `hedgerow`.
        env: Variables it gets besides ours.
        in_steps: Whether it runs on a system that cannot exchange two folders at once.
        timeout: Seconds after which the test fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = context().Process(
            target=_command,
            args=(arguments, {**os.environ, **(env or {})}, in_steps, str(out), str(err)),
        )
        process.start()
        process.join(timeout)
        if process.is_alive():
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        assert process.exitcode is not None
        return subprocess.CompletedProcess(
            list(arguments), process.exitcode, out.read_text("utf-8"), err.read_text("utf-8")
        )


def _command(
    arguments: Sequence[str], env: Mapping[str, str], in_steps: bool, out: str, err: str
) -> None:
    for place, number in ((out, 1), (err, 2)):
        os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT), number)
    os.environ.clear()
    os.environ.update(env)
    from hedgerow import cli
    from hedgerow.base import delivery

    if in_steps:
        delivery._exchange = lambda one, other: False
    sys.argv = ["hedgerow", *arguments]
    cli.main()
