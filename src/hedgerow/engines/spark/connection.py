"""Sessions: one that is running, one started on this machine, or one reached by its address."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError
from hedgerow.engines.spark.driver import quiet
from hedgerow.engines.spark.faults import translated

RETRIES = 6
"""How often a Connect server is asked again."""
WAIT, LONGEST_WAIT = 250, 4000
"""Milliseconds before it is asked again, each time twice as many: some ten seconds in all. A server
that was started anew has forgotten our tables, so longer patience is for nothing."""
PYTHON = "PYSPARK_PYTHON"
"""Environment variable: which Python executors run."""
STARTED = "spark.hedgerow.started"
"""A setting by which we know a session we started on this machine."""
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.ui.showConsoleProgress": "false",
}


def connected(address: str = "spark://", *, memory: str | None = None) -> Any:
    """A Spark session.

    A session we start goes on until the process ends, as Spark allows one at a time and a
    start takes seconds.

    Args:
        address: `spark://host:port` of a standalone cluster's master or `sc://host:port` of a
            Spark Connect server; `spark://` is the session this process has, or else the
            address in the environment variable SPARK_REMOTE, or else this machine. A server
            that asks for a token gets the one in SPARK_CONNECT_AUTHENTICATE_TOKEN.
        memory: How much memory Spark may use where we start it, such as "4GB".
    """
    from pyspark.sql import SparkSession

    if address == "spark://":
        address = os.environ.get("SPARK_REMOTE", address)
    if address.startswith("sc://"):  # that a server is gone is said by us, once
        warnings.filterwarnings("ignore", message=r"\[RETRIES_EXCEEDED\]")
    try:
        with quiet():
            if address.startswith("sc://"):
                return _remote(SparkSession, address)
            return _classic(SparkSession, address, memory)
    except Exception as error:
        if type(error).__name__ == "PySparkRuntimeError" and "JAVA_GATEWAY" in str(error):
            raise DataError(
                "Spark does not start", where=address, fix="Install Java 17 or later."
            ) from error
        found = translated(error, address)
        if found is None:
            raise
        raise found from error


def _remote(kind: Any, address: str) -> Any:
    if ";" in address:
        raise DataError(
            "the address of a Spark Connect server holds more than host and port",
            where=address.partition(";")[0],
            fix="Put the token into the environment: SPARK_CONNECT_AUTHENTICATE_TOKEN.",
        )
    session = _at_server(kind, address)
    from pyspark.sql.connect.client.retries import DefaultPolicy

    # Spark would try for ten minutes before it says that the server is gone, and then again for
    # each thing it wants to tidy up there.
    patience = DefaultPolicy(
        max_retries=RETRIES,
        backoff_multiplier=2.0,
        initial_backoff=WAIT,
        max_backoff=LONGEST_WAIT,
    )
    session.client.set_retry_policies([patience])
    for name, value in SETTINGS.items():
        if name.startswith("spark.sql."):
            session.conf.set(name, value)
    return session


def _at_server(kind: Any, address: str) -> Any:
    """The session this process has with the server, else a new one.

    Spark itself gives the newest session, whichever server that is with.
    """
    from pyspark.sql.connect.client import DefaultChannelBuilder

    found = kind.builder.remote(address).getOrCreate()
    wanted = DefaultChannelBuilder(address).endpoint
    if getattr(found.client._builder, "endpoint", None) == wanted:
        return found
    from pyspark.sql.connect.session import SparkSession

    return SparkSession.builder.remote(address).create()


def _classic(kind: Any, address: str, memory: str | None) -> Any:
    running = kind.getActiveSession()
    if running is not None:
        master = running.conf.get("spark.master", "")
        if address in ("spark://", master):
            return running
        raise DataError(
            f"this process already uses Spark at {master}",
            where=address,
            fix="Spark allows one session at a time: stop that one first.",
        )
    settings = {
        **SETTINGS,
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        "spark.driver.memory": _amount(memory),
        "spark.driver.maxResultSize": "0",
    }
    if address == "spark://":
        settings |= {
            STARTED: "true",
            "spark.ui.enabled": "false",
            # Nobody else needs to reach a driver on this machine.
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": str(4 * (os.cpu_count() or 1)),
            "spark.sql.warehouse.dir": _folder(),
        }
    builder = kind.builder.appName("hedgerow")
    builder = builder.master("local[*]" if address == "spark://" else address)
    for name, value in settings.items():
        builder = builder.config(name, value)
    _start_java(settings)
    session = builder.getOrCreate()
    if address == "spark://" and PYTHON not in os.environ:
        # Executors on this machine find what this process finds; elsewhere nobody knows the path.
        session.sparkContext.pythonExec = sys.executable
    return session


def _start_java(settings: dict[str, str]) -> None:
    """Start Java, if this process has not yet, without what it says to the terminal.

    Its notes about itself are for whoever runs a cluster, not for whoever publishes. What goes
    wrong reaches us as an error, and is said once, in a sentence.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is None:
        configured = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        gateway = launch_gateway(configured, {"stderr": subprocess.DEVNULL})
        SparkContext._ensure_initialized(gateway=gateway)


def forgets(session: Any) -> bool:
    """Whether it is one we started, whose tables are gone when the process ends."""
    return bool(session.conf.get(STARTED, "") == "true")


def _folder() -> str:
    """A folder that is gone when the process ends; Spark would make one where it is started."""
    folder = tempfile.mkdtemp(prefix="hedgerow-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder).as_uri()


def _amount(memory: str | None) -> str:
    """DuckDB's way to write an amount of memory, in Spark's way: 4GB is 4g."""
    if memory is None:
        return "2g"
    return memory.strip().lower().replace(" ", "").removesuffix("b").replace("i", "")
