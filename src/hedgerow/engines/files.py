"""Files and frames, which DuckDB reads; it is the engine of whatever no other takes."""

from __future__ import annotations

from pathlib import Path

from hedgerow.engines.base import Engine
from hedgerow.engines.kinds import ENGINES, EngineKind, ReadOptions

FRAMES = ("pyarrow", "pandas", "polars")
"""Libraries whose tables are read from memory."""


def _takes(source: object) -> bool:
    return isinstance(source, str | Path) or type(source).__module__.split(".")[0] in FRAMES


def _open(source: object, reading: ReadOptions) -> Engine:
    from hedgerow.engines.duckdb import DuckDBEngine  # the library loads when it is needed

    return DuckDBEngine(
        source, null=reading.null, person=reading.person, form=reading.form,
        memory=reading.memory, scratch=reading.scratch,
    )  # fmt: skip


DUCKDB = ENGINES.register(
    EngineKind(
        name="duckdb",
        reads="a file or a table in memory",
        takes=_takes,
        open=_open,
    )
)
