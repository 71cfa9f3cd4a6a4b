"""A Spark session for the tests of a process, and tables that are put where it reads them."""

from __future__ import annotations

import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

WITHOUT = "HEDGEROW_WITHOUT_SPARK"
"""Environment variable: run the tests without Spark."""
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java's options: compiling well takes longer than the tests do."""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Halves the time of small queries; the cluster's tests have several partitions.
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.log.level": "OFF",
    # Spark Connect, in the same process, as starting another takes longer than most tests.
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    # Of somebody's own session: nothing may hang on it.
    "spark.sql.session.timeZone": "Asia/Kathmandu",
}


def local_session(warehouse: Path) -> Any:
    """A session on this machine, as somebody else may have started it."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # executors find what we find
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.config("spark.sql.warehouse.dir", warehouse.as_uri()).getOrCreate()


def connect_port(session: Any) -> int:
    """Where the session's process answers by Spark Connect."""
    service = "org.apache.spark.sql.connect.service.SparkConnectService$"
    return int(getattr(getattr(session._jvm, service), "MODULE$").localPort())


def framed(session: Any, table: Any) -> Any:
    """An Arrow table as a DataFrame with the types Spark has for its values."""
    from pyspark.sql import types
    from pyspark.sql.pandas.types import from_arrow_type

    def kind(arrow: Any) -> Any:
        naive = pa.types.is_timestamp(arrow) and arrow.tz is None
        return types.TimestampNTZType() if naive else from_arrow_type(arrow)

    fields = [types.StructField(field.name, kind(field.type)) for field in table.schema]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully")
        return session.createDataFrame(table, schema=types.StructType(fields))


class SparkTables:
    """A folder, to put tables into as Parquet."""

    address = "spark://"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, name: str) -> str:
        plain = re.sub(r"\W", "_", name)
        return f"{self.address}::{self.folder}/{plain}"

    def __call__(self, table: Any, name: str = 'a "table".x') -> str:
        """Put an Arrow table there; its address."""
        place = self.place(name)
        folder = Path(place.rpartition("::")[2])
        folder.mkdir(exist_ok=True)
        pq.write_table(table, folder / "rows.parquet")
        return place
