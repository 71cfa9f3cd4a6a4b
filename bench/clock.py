"""Clocks: how long something takes, on the wall and on the processor, and its peak memory.

Only the standard library, so that it runs in the peers' environment too and the process that
starts the others stays small (Linux counts a parent's memory at the start of its child).
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Measured:
    """The best of several runs."""

    seconds: float
    cpu: float
    """Processor time of all threads, of the run that needed least."""
    memory: int
    """Peak resident bytes of the whole process, of the run that needed most."""
    runs: int = 1
    detail: dict[str, Any] = field(default_factory=dict)
    """What the job says about its result."""

    def best(self, other: Measured | None) -> Measured:
        """Both taken together."""
        if other is None:
            return self
        detail = self.detail if self.seconds <= other.seconds else other.detail
        return Measured(
            min(self.seconds, other.seconds),
            min(self.cpu, other.cpu),
            max(self.memory, other.memory),
            self.runs + other.runs,
            detail,
        )


class BenchError(Exception):
    """A measurement that could not be made."""


@dataclass(frozen=True)
class Job:
    """Something to time, and how to describe its result afterwards, untimed."""

    work: Callable[[], Any]
    describe: Callable[[Any], dict[str, Any]]


def timed(job: Job, *, repeats: int, warm: bool = True, seconds: float = 8.0) -> Measured:
    """Time a job in this process: once to warm up, then the best of `repeats`.

    Args:
        job: What to time.
        repeats: Runs at most.
        warm: Whether an untimed run comes first.
        seconds: No further run is begun after this long.
    """
    if warm:
        job.work()
    walls, processors, result = [], [], None
    begin = time.perf_counter()
    for _ in range(repeats):
        wall, processor = time.perf_counter(), time.process_time()
        result = job.work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
        if time.perf_counter() - begin > seconds:
            break
    memory = peak_memory()
    return Measured(min(walls), min(processors), memory, len(walls), job.describe(result))


def peak_memory() -> int:
    """Peak resident bytes of this process."""
    status = Path("/proc/self/status")
    if status.exists():  # unlike getrusage, this forgets what the parent had before exec
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def command(
    arguments: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    repeats: int = 1,
    before: Callable[[], object] = lambda: None,
) -> Measured:
    """Time a whole command from outside, start of the interpreter included.

    Args:
        arguments: The program and its arguments.
        env: Variables it gets besides ours.
        repeats: Runs; the best counts.
        before: Called before each run, untimed.

    Raises:
        BenchError: It failed; with what it said.
    """
    found: Measured | None = None
    for _ in range(repeats):
        before()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            begin = time.perf_counter()
            process = subprocess.Popen(
                list(map(str, arguments)),
                stdout=out,
                stderr=err,
                cwd=ROOT,
                env={**os.environ, **(env or {})},
            )
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            said, complaint = out.read().decode(), err.read().decode()
        if process.returncode:
            told = " ".join(map(str, arguments[-4:]))
            raise BenchError(f"{told}: exit code {process.returncode}\n{complaint or said}")
        last = said.strip().rpartition("\n")[2]
        detail = json.loads(last) if last.startswith("{") else {}
        memory = usage.ru_maxrss * 1024
        run = Measured(seconds, usage.ru_utime + usage.ru_stime, memory, 1, detail)
        found = run.best(found)
    assert found is not None, "repeats is at least 1"
    return found


def process(python: str | Path, module: str, *arguments: str | Path) -> Measured:
    """Run `python -m module arguments`, a process that measures itself and prints the result."""
    return Measured(**command([python, "-m", module, *arguments]).detail)


def fingerprint(folder: Path) -> str:
    """Of the Python files in it: a run during which they change measures two programs."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def tell(measured: Measured) -> None:
    """Print a measurement for the process that asked for it."""
    print(json.dumps(asdict(measured)))
