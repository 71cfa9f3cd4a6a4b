"""Servers for the time of a measurement: PostgreSQL, and a Spark cluster with two workers.

Each in a temporary folder, reached from this machine alone, and gone afterwards. Other than those
of the tests they are set up to be as quick at many rows as they are, not to start quickly.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.clock import BenchError

START = 120.0
"""Seconds a server may take until it is ready."""
WORKERS = 2
WORKER_GIGABYTES = 1
"""Of each worker's executor; each has one core."""
SPARK = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": f"{WORKER_GIGABYTES}g",
    # As many as on one machine; Spark's 200 are for larger clusters.
    "spark.sql.shuffle.partitions": str(4 * WORKERS),
}


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    address: str
    processes: tuple[int, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables a command needs to use it."""


def _binary(name: str) -> str:
    """A program of the newest PostgreSQL there is."""
    installed = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
    newest = sorted(installed, key=lambda path: float(path.parts[-3]))
    found = str(newest[-1]) if newest else shutil.which(name)
    if found is None:
        raise BenchError(f"PostgreSQL's {name} is not there: install Debian's `postgresql`")
    return found


@contextmanager
def postgresql() -> Iterator[Server]:
    """A PostgreSQL server with the settings it comes with; only autovacuum is off.

    It would clean up after one measurement during the next.
    """
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as name:
        folder = Path(name)
        how: dict[str, Any] = {"cwd": folder, "stderr": subprocess.STDOUT}
        how["start_new_session"] = True  # an interrupt is for us; we stop it
        if os.geteuid() == 0:  # the server refuses to run as root
            nobody = pwd.getpwnam("nobody")
            how |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        data = folder / "data"
        made = subprocess.run(
            [_binary("initdb"), "-D", data, "--username", "steward", "--auth", "trust",
             "--encoding", "UTF8", "--locale", "C.UTF-8"],
            stdout=subprocess.PIPE, text=True, **how,
        )  # fmt: skip
        if made.returncode:
            raise BenchError(f"initdb: {made.stdout}")
        # Who may connect is who may enter the folder: nobody else, and not by the network.
        process, _ = _started(
            folder / "log",
            [_binary("postgres"), "-D", str(data), "-k", name, "-c", "listen_addresses=",
             "-c", "autovacuum=off"],
            "ready to accept connections", **how,
        )  # fmt: skip
        try:
            yield Server(f"postgresql://steward@/postgres?host={name}", (process.pid,))
        finally:
            process.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
            process.wait(60)


@contextmanager
def cluster() -> Iterator[Server]:
    """A standalone Spark cluster: a master and two workers of one core each."""
    found = find_spec("pyspark")
    if found is None or found.origin is None or shutil.which("java") is None:
        raise BenchError("Spark is not there: install the `spark` extra, and Java 17 or later")
    home = Path(found.origin).parent
    java, deploy = str(home / "bin" / "spark-class"), "org.apache.spark.deploy"
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        lines = [f"{setting} {value}\n" for setting, value in SPARK.items()]
        (folder / "spark-defaults.conf").write_text("".join(lines), "utf-8")
        env = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": name}
        how: dict[str, Any] = {
            "cwd": folder,
            "stderr": subprocess.STDOUT,
            "start_new_session": True,
            "env": {**os.environ, **env, "SPARK_WORKER_DIR": name, "SPARK_NO_DAEMONIZE": "1"},
        }
        here = ["--host", "127.0.0.1", "--webui-port", "0"]
        processes = []
        try:
            master, told = _started(
                folder / "master.log",
                [java, f"{deploy}.master.Master", "--port", "0", *here],
                r"Starting Spark master at (spark://[\w.:-]+)", **how,
            )  # fmt: skip
            processes.append(master)
            for i in range(WORKERS):
                worker, _ = _started(
                    folder / f"worker{i}.log",
                    [java, f"{deploy}.worker.Worker", told[1], "--cores", "1",
                     "--memory", f"{WORKER_GIGABYTES}g", *here],
                    "Successfully registered with master", **how,
                )  # fmt: skip
                processes.append(worker)
            using = {"SPARK_CONF_DIR": name, "SPARK_LOCAL_IP": "127.0.0.1"}
            yield Server(told[1], tuple(process.pid for process in processes), using)
        finally:
            for process in reversed(processes):
                os.killpg(process.pid, signal.SIGKILL)  # executors too
                process.wait(60)


def _started(
    log: Path, arguments: Sequence[str], ready: str, **how: Any
) -> tuple[subprocess.Popen[bytes], re.Match[str]]:
    """Start a process and wait until its log says it is ready; the process and what it said."""
    with log.open("wb") as file:
        process = subprocess.Popen(arguments, stdout=file, **how)
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(ready, log.read_text("utf-8", "replace")):
            return process, found
        time.sleep(0.1)
    process.kill()
    process.wait(60)
    raise BenchError(f"{arguments[0]} did not start:\n{log.read_text('utf-8', 'replace')[-2000:]}")
