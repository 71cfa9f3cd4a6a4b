"""Spark: for data beyond one machine. PySpark is loaded when the first such table is opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.engines.base import Engine, TableEngine, TablePlace
from hedgerow.engines.kinds import ENGINES, EngineKind, ReadOptions, RemoteKind

if TYPE_CHECKING:
    from hedgerow.engines.remote import Arrival, Remote


def _engine(remote: Remote, reading: ReadOptions) -> TableEngine:
    from hedgerow.engines.remote_engine import RemoteEngine

    return RemoteEngine(
        remote, null=reading.null, person=reading.person, form=reading.form,
        memory=reading.memory, scratch=reading.scratch,
    )  # fmt: skip


def _open_table(place: TablePlace, reading: ReadOptions) -> TableEngine:
    from hedgerow.engines.spark.remote import open_spark

    return _engine(open_spark(place, scratch=reading.scratch, memory=reading.memory), reading)


def _open_frame(source: object, reading: ReadOptions) -> Engine:
    from hedgerow.engines.spark.remote import open_frame

    return _engine(open_frame(source), reading)


def _arrival(place: TablePlace, inputs: Sequence[Path], memory: str | None) -> Arrival:
    from hedgerow.engines.spark.arrival import SparkArrival

    return SparkArrival(place, inputs=tuple(inputs), memory=memory)


SPARK = ENGINES.register(
    EngineKind(
        name="spark",
        reads="a table of Spark",
        takes=lambda source: type(source).__module__.startswith("pyspark."),
        open=_open_frame,
        remote=RemoteKind(
            schemes={"spark": "spark", "sc": "sc"},  # sc is Spark Connect
            open=_open_table,
            arrival=_arrival,
        ),
        libraries=("pyspark",),
        install="Install it: pip install 'hedgerow[spark]'. Java 17 or later is needed too.",
    )
)
