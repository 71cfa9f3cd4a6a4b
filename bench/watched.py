"""A command watched from outside: what it takes itself, and what it makes others do.

An engine's work is done by processes that are not ours: Java, which the command starts and leaves
behind when it ends, or a server that was there before. Linux only: all of it is read from /proc.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.clock import ROOT, BenchError

TICK = os.sysconf("SC_CLK_TCK")
SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of <sys/prctl.h>: processes whose parent has ended become ours."""
LEAVE = 60.0
"""Seconds what a command leaves behind may take to end."""
GLANCE = 20
"""Milliseconds between two looks at the command's memory."""


@dataclass(frozen=True)
class Spent:
    """What one run of a command took."""

    seconds: float
    own: float
    """Processor seconds of the command's own process, all threads."""
    others: float
    """Processor seconds of the processes it started, and of the servers it asked."""
    memory: int
    """Peak resident bytes of the command's own process."""
    elsewhere: float
    """Part of the machine that anything else took meanwhile."""
    said: dict[str, Any]
    """The JSON object it printed."""


@dataclass(frozen=True)
class _Process:
    parent: int
    own: float
    waited: float
    """Of children that ended and were waited for."""


def _process(pid: int | str) -> _Process:
    # The name, in parentheses, may hold anything.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own, waited = (sum(map(int, fields[i : i + 2])) / TICK for i in (11, 13))
    return _Process(int(fields[1]), own, waited)


def tree(roots: Collection[int]) -> dict[int, float]:
    """Processes with these at the top, and processor seconds, ended children included."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has ended
                found[int(entry.name)] = _process(entry.name)
    members, size = set(roots) & set(found), -1
    while size != len(members):
        size = len(members)
        members |= {pid for pid, process in found.items() if process.parent in members}
    return {pid: found[pid].own + found[pid].waited for pid in members}


def _peak(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0  # it has just ended


def _busy() -> float:
    """Processor seconds this machine has spent on anything, of all cores."""
    user, nice, system, _, _, irq, soft, steal, *_ = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    return (user + nice + system + irq + soft + steal) / TICK


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """Processes left behind become ours, so that their usage comes to us when they end."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(SUBREAPER, 1, 0, 0, 0):
        raise BenchError(f"prctl: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        library.prctl(SUBREAPER, 0, 0, 0, 0)


def watched(
    arguments: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    servers: Collection[int] = (),
) -> Spent:
    """Run a command once and see what it takes.

    Args:
        arguments: The program and its arguments.
        env: Variables it gets besides ours.
        servers: Processes it asks to work; with all they start they should have nothing else
            to do.

    Raises:
        BenchError: It failed; with what it said.
    """
    with _adopting(), tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        before, busy, begin = tree(servers), _busy(), time.perf_counter()
        process = subprocess.Popen(
            list(map(str, arguments)),
            stdout=out,
            stderr=err,
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            process_group=0,
        )
        try:
            memory = _until_it_ends(process.pid)
            seconds = time.perf_counter() - begin
            ended = _process(process.pid)
            _, status, _ = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            others = ended.waited + _left_behind(process.pid)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        others += _settled(servers, before) - sum(before.values())
        busy, whole = _busy() - busy, time.perf_counter() - begin
        out.seek(0)
        err.seek(0)
        said, complaint = out.read().decode(), err.read().decode()
    if process.returncode:
        told = " ".join(map(str, arguments))
        raise BenchError(f"{told}: exit code {process.returncode}\n{complaint or said}")
    last = said.strip().rpartition("\n")[2]
    return Spent(
        seconds=seconds,
        own=ended.own,
        others=others,
        memory=memory,
        elsewhere=max(0.0, busy - ended.own - others) / (whole * (os.cpu_count() or 1)),
        said=json.loads(last) if last.startswith("{") else {},
    )


def _until_it_ends(pid: int) -> int:
    """Its peak memory; it is not waited for, so that what it took can still be read."""
    memory, descriptor = 0, os.pidfd_open(pid)
    try:
        ends = select.poll()
        ends.register(descriptor, select.POLLIN)
        while not ends.poll(GLANCE):
            memory = max(memory, _peak(pid))
    finally:
        os.close(descriptor)
    return memory


def _left_behind(group: int) -> float:
    """Processor seconds of what a command left running, once it has ended."""
    spent, end = 0.0, time.monotonic() + LEAVE
    while time.monotonic() < end:
        try:
            pid, _, usage = os.wait4(-group, os.WNOHANG)
        except ChildProcessError:
            return spent
        if pid:
            spent += usage.ru_utime + usage.ru_stime
        else:
            time.sleep(0.02)
    raise BenchError(f"what the command started is still running after {LEAVE:.0f} s")


def _settled(servers: Collection[int], before: Collection[int]) -> float:
    """Processor seconds of servers, once what they started for us has ended."""
    end = time.monotonic() + LEAVE
    while time.monotonic() < end:
        after = tree(servers)
        if set(after) <= set(before):
            return sum(after.values())
        time.sleep(0.05)
    raise BenchError(f"the server is still at work {LEAVE:.0f} s after the command has ended")
