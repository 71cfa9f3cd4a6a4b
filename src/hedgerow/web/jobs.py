"""Jobs: long work away from the requests, with progress, that can be cancelled.

Publishing and attacking run in a process of their own, so that cancelling is sure; work on what
is kept in memory runs in a thread and stops at its next report. What a job found, or the
sentence it failed with, is a file: a reload or a restart loses nothing.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from hedgerow.api import StopRequest
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.web.draft import write_text
from hedgerow.web.error_pages import told

Progress = Callable[[str, float | None], None]
GRACE = 10.0
"""Seconds a process has to clean up before it is ended for good."""
PERHAPS = (
    "It may have been published all the same: look at the folder and at the ledger before you "
    "publish again."
)
"""The process goes on where the app was killed, but there is nobody to tell."""
CANCELLED = HedgerowError("cancelled; nothing was published")
KILLED = HedgerowError(
    "cancelled by force, before it could say what was done",
    fix="If it was to publish, look whether the release is at its place.",
)


@dataclass(frozen=True)
class JobProgress:
    """What work in a process of its own reports to, and where it is asked for the best so far."""

    tell: Progress
    stop: StopRequest

    def __call__(self, said: str, share: float | None) -> None:
        """Say what is going on, and how far it is."""
        self.tell(said, share)


@dataclass(frozen=True, kw_only=True)
class PageJob:
    """How one piece of work stands."""

    id: str
    kind: str
    """What it does, such as "publish"."""
    title: str
    """The same for people, such as "Publishing"."""
    back: str
    """The page it belongs to."""
    mark: str = ""
    """The state of the plan it was started with."""
    state: str = "running"
    """running, done, failed or cancelled."""
    said: str = ""
    share: float | None = None
    """How much is done, from 0 to 1; None where nobody knows."""
    ends: bool = False
    """Whether it can be ended with the best it has found so far."""
    result: dict[str, Any] | None = None
    errors: list[dict[str, Any]] = field(default_factory=list)
    """What, where and fix of each error."""
    begun: float = 0.0
    ended: float | None = None

    @property
    def running(self) -> bool:
        """Whether it is still at it."""
        return self.state == "running"

    @property
    def percent(self) -> int | None:
        """How much is done, of a hundred."""
        return None if self.share is None else max(0, min(100, round(100 * self.share)))

    @property
    def seconds(self) -> float:
        """How long it took, or has taken."""
        return (self.ended or time.time()) - self.begun


class _StoppedError(Exception):
    """Somebody cancelled a thread's job."""


class Jobs:
    """The jobs of one draft.

    Args:
        folder: Where each is a file.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._jobs: dict[str, PageJob] = {}
        self._stop: dict[str, Callable[[], None]] = {}
        self._end_soon: dict[str, Callable[[], None]] = {}
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file in sorted(folder.glob("*.json")):
            with contextlib.suppress(OSError, ValueError, TypeError):
                job = PageJob(**json.loads(file.read_text("utf-8")))
                if job.running:
                    interrupted = HedgerowError(
                        "the app was closed before this was finished",
                        fix=PERHAPS if job.kind == "publish" else None,
                    )
                    job = replace(
                        job, state="failed", errors=_as_data(interrupted), ended=job.begun
                    )
                self._jobs[job.id] = job

    def all(self, kind: str | None = None) -> list[PageJob]:
        """Jobs, the newest first."""
        with self._lock:
            found = [job for job in self._jobs.values() if kind in (None, job.kind)]
        return sorted(found, key=lambda job: -job.begun)

    def last(self, kind: str) -> PageJob | None:
        """The newest of a kind."""
        return next(iter(self.all(kind)), None)

    def get(self, name: str) -> PageJob:
        """The job of this id.

        Raises:
            DataError: There is none.
        """
        with self._lock:
            job = self._jobs.get(name)
        if job is None:
            raise DataError("there is no such job", fix="Go back to the page and start again.")
        return job

    def process(
        self, work: str, request: dict[str, Any], *, kind: str, title: str, back: str,
        mark: str = "",
    ) -> PageJob:  # fmt: skip
        """Run a function in a process of its own.

        Args:
            work: Module and function, such as "hedgerow.web.work:publish"; it is called with
                the request and a progress function, and returns what JSON can hold.
            request: What JSON can hold.
            kind: What it does; only one job of a kind runs at a time.
            title: The same for people.
            back: The page it belongs to.
            mark: The state of the plan.

        Raises:
            DataError: One of this kind is running.
        """
        job = self._begin(kind, title, back, mark)
        # -P: a file in the working directory must not pass for a module of ours.
        command = [sys.executable, "-P", "-m", "hedgerow.web.worker", work]
        try:
            child = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                encoding="utf-8", start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._end(job.id, "failed", errors=_as_data(HedgerowError(f"cannot start: {error}")))
            return self.get(job.id)
        self._stop[job.id] = lambda: _end_process(child)
        self._end_soon[job.id] = lambda: child.send_signal(signal.SIGUSR1)
        thread = threading.Thread(
            target=self._follow, args=(job.id, child, json.dumps(request)), daemon=True
        )
        thread.start()
        return job

    def thread(
        self, work: Callable[[Progress], dict[str, Any]], *, kind: str, title: str, back: str,
        mark: str = "",
    ) -> PageJob:  # fmt: skip
        """Run a function in a thread; each report of its progress may be its last.

        The arguments are those of `process`, but that `work` is the function itself.
        """
        job = self._begin(kind, title, back, mark)
        stop = threading.Event()
        self._stop[job.id] = stop.set

        def progress(said: str, share: float | None) -> None:
            if stop.is_set():
                raise _StoppedError
            self._change(job.id, said=said, share=share)

        def run() -> None:
            try:
                result = work(progress)
            except _StoppedError:
                self._end(job.id, "cancelled", errors=_as_data(CANCELLED))
            except HedgerowError as error:
                self._end(job.id, "failed", errors=_as_data(error))
            except Exception as error:
                self._end(job.id, "failed", errors=_as_data(_unexpected(error)))
            else:
                self._end(job.id, "done", result=result)

        threading.Thread(target=run, daemon=True).start()
        return job

    def cancel(self, name: str) -> PageJob:
        """Stop a job; one that is over stays as it is."""
        job = self.get(name)
        with self._lock:
            stop = self._stop.get(name)
        if stop is not None and job.running:
            stop()
        return self.get(name)

    def end_soon(self, name: str) -> PageJob:
        """Ask a job for the best it has found so far; one that has none to give goes on."""
        job = self.get(name)
        with self._lock:
            ask = self._end_soon.get(name)
        if ask is not None and job.running and job.ends:
            ask()
        return self.get(name)

    def close(self, *, seconds: float = GRACE) -> None:
        """Stop everything, since the app is closed; what does not stop in time is left behind."""
        running = [job.id for job in self.all() if job.running]
        for name in running:
            self.cancel(name)
        until = time.monotonic() + seconds
        for name in running:
            self.wait(name, seconds=max(0.0, until - time.monotonic()))

    def wait(self, name: str, *, seconds: float = 60.0) -> PageJob:
        """The job when it is over, or after so many seconds."""
        until = time.monotonic() + seconds
        while (job := self.get(name)).running and time.monotonic() < until:
            time.sleep(0.02)
        return job

    def _begin(self, kind: str, title: str, back: str, mark: str) -> PageJob:
        with self._lock:
            if any(job.kind == kind and job.running for job in self._jobs.values()):
                raise DataError(
                    "this is being done already", fix="Wait until it is finished, or cancel it."
                )
            job = PageJob(
                id=secrets.token_hex(8), kind=kind, title=title, back=back, mark=mark,
                begun=time.time(),
            )  # fmt: skip
            self._jobs[job.id] = job
        self._write(job)
        return job

    def _follow(self, name: str, child: subprocess.Popen[str], request: str) -> None:
        """Take down what the process reports until it ends."""
        assert child.stdin is not None, "a pipe"
        assert child.stdout is not None, "a pipe"
        over: dict[str, Any] = {}
        with contextlib.suppress(OSError), child.stdin:
            child.stdin.write(request)
        with child.stdout:
            for line in _lines(child.stdout):
                if "said" in line:
                    self._change(
                        name, said=str(line["said"]), share=line["share"], ends=line["ends"]
                    )
                else:
                    over = line
        code = child.wait()
        if "result" in over:
            self._end(name, "done", result=over["result"])
        elif over.get("interrupted"):
            self._end(name, "cancelled", errors=over["errors"])
        elif "errors" in over:
            self._end(name, "failed", errors=over["errors"])
        elif code in (-signal.SIGKILL, -signal.SIGTERM):
            self._end(name, "cancelled", errors=_as_data(KILLED))
        else:
            error = HedgerowError(
                "the work ended without a result", fix="Its last words are in the terminal."
            )
            self._end(name, "failed", errors=_as_data(error))

    def _change(self, name: str, **how: Any) -> None:
        with self._lock:
            self._jobs[name] = replace(self._jobs[name], **how)

    def _end(self, name: str, state: str, **how: Any) -> None:
        # Written before it is told: who hears that it is done may close the app.
        with self._lock:
            job = replace(self._jobs[name], state=state, ended=time.time(), **how)
        self._write(job)
        with self._lock:
            self._jobs[name] = job
            self._stop.pop(name, None)
            self._end_soon.pop(name, None)

    def _write(self, job: PageJob) -> None:
        with contextlib.suppress(OSError):
            write_text(self.folder / f"{job.id}.json", json.dumps(asdict(job)))


def _lines(pipe: IO[str]) -> Any:
    for line in pipe:
        with contextlib.suppress(ValueError):
            yield json.loads(line)


def _as_data(error: HedgerowError) -> list[dict[str, Any]]:
    return [asdict(one) for one in told(error)]


def _unexpected(error: Exception) -> HedgerowError:
    import traceback

    traceback.print_exception(error)
    return HedgerowError(
        f"something went wrong that should not: {type(error).__name__}",
        fix="The terminal has the details; please report it.",
    )


def _end_process(child: subprocess.Popen[str]) -> None:
    """Ask a process to end and clean up, and end it if it does not."""
    child.terminate()

    def insist() -> None:
        try:
            child.wait(GRACE)
        except subprocess.TimeoutExpired:
            child.kill()

    threading.Thread(target=insist, daemon=True).start()


__all__ = ["JobProgress", "Jobs", "PageJob", "Progress"]
