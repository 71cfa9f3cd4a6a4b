"""Where engines keep tables, and how files of each format are written, derived from the registries.

An engine of tables that are elsewhere has a fixture `NAME_tables`, which puts an Arrow table there
and says its address.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.engines import ENGINES

Rows = Sequence[Sequence[str | None]]
MARKS: Mapping[str, Sequence[pytest.MarkDecorator]] = {
    "spark": [pytest.mark.slow, pytest.mark.spark]
}
"""Of engines that take long to start."""
ELSEWHERE = [
    pytest.param(name, marks=MARKS.get(name, ()))
    for name, kind in ENGINES.items()
    if kind.remote is not None
]
HERE = [name for name, kind in ENGINES.items() if kind.remote is None]
HOMES = [*HERE, *ELSEWHERE]
FAST = [name for name in ENGINES if name not in MARKS]


def as_csv(path: Path, names: Sequence[str], rows: Rows, delimiter: str = ",") -> Path:
    """Written here by hand: missing is an empty field, text is always quoted."""

    def field(value: str | None) -> str:
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    text = "".join(delimiter.join(map(field, row)) + "\n" for row in [names, *rows])
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def as_arrow(names: Sequence[str], rows: Rows) -> Any:
    columns = [pa.array([row[j] for row in rows], pa.string()) for j in range(len(names))]
    return pa.table(columns, names=list(names))


def as_parquet(path: Path, names: Sequence[str], rows: Rows) -> Path:
    pq.write_table(as_arrow(names, rows), path)
    return path


def as_duckdb(path: Path, names: Sequence[str], rows: Rows) -> Path:
    table = as_arrow(names, rows)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute('CREATE TABLE "a ""table""" AS FROM given')
    return path


WRITERS: dict[str, Callable[[Path, Sequence[str], Rows], Path]] = {
    ".csv": as_csv,
    ".tsv": lambda path, names, rows: as_csv(path, names, rows, "\t"),
    ".parquet": as_parquet,
    ".duckdb": as_duckdb,
}
"""For each format by suffix."""
