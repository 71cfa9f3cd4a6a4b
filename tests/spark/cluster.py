"""A standalone Spark cluster on this machine: a master and two workers, each its own process."""

import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from spark_tables import QUICK

HOME = Path(str(getattr(find_spec("pyspark"), "origin", ""))).parent
START = 180
"""Seconds a process of Spark may take to say that it is ready."""


def environment(folder):
    """What a process of Spark needs to know; nothing it does leaves this machine or the folder."""
    return {
        **os.environ,
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder),
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "SPARK_NO_DAEMONIZE": "1",
    }


def configured(folder):
    """The environment of who uses the cluster, to be quick: tables are small, Java starts often."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": QUICK,
    }
    conf = folder / "conf"
    conf.mkdir(exist_ok=True)
    lines = [f"{name} {value}\n" for name, value in settings.items()]
    (conf / "spark-defaults.conf").write_text("".join(lines), "utf-8")
    return {"SPARK_CONF_DIR": str(conf), "JDK_JAVA_OPTIONS": QUICK}


def started(folder, name, arguments, ready):
    """Start a process and wait until its log says it is ready; the process and what it said."""
    log = folder / f"{name}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [str(HOME / "bin" / "spark-class"), *arguments],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment(folder),
            start_new_session=True,
        )
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(ready, log.read_text("utf-8", "replace")):
            return process, found
        time.sleep(0.2)
    stopped(process)
    raise AssertionError(f"{name} did not start:\n{log.read_text('utf-8', 'replace')[-2000:]}")


def stopped(process):
    """End a process and what it started (a worker's executors)."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)


def children(process):
    """Processes a worker started: its executors."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(parts[1]) == process.pid:
            found.append(int(status.parent.name))
    return found


@contextmanager
def cluster(folder, workers=2):
    """The address of a cluster's master, and the workers' processes."""
    processes = []
    try:
        master, found = started(
            folder,
            "master",
            ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0",
             "--webui-port", "0"],
            r"Starting Spark master at (spark://[\w.:-]+)",
        )  # fmt: skip
        processes.append(master)
        address = found[1]
        for i in range(workers):
            worker, _ = started(
                folder,
                f"worker{i}",
                ["org.apache.spark.deploy.worker.Worker", address, "--host", "127.0.0.1",
                 "--cores", "1", "--memory", "1g", "--webui-port", "0"],
                r"Successfully registered with master",
            )  # fmt: skip
            processes.append(worker)
        yield address, processes[1:]
    finally:
        for process in reversed(processes):
            stopped(process)
