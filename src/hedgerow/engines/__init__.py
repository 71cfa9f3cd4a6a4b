"""Engines: what holds the data. The only place where engine libraries are imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.engines.address import needing, table_place
from hedgerow.engines.base import ColumnProfile, Engine, Table, TableEngine, TablePlace, Written

if TYPE_CHECKING:
    from hedgerow.engines.remote import Remote

__all__ = [
    "ColumnProfile",
    "Engine",
    "TableEngine",
    "TablePlace",
    "Written",
    "another_form",
    "counts_of",
    "open_engine",
    "open_table",
    "table_place",
]


def open_engine(
    source: object,
    *,
    null: Sequence[str] = (),
    person: str | None = None,
    delimiter: str | None = None,
    memory: str | None = None,
    scratch: Path | None = None,
) -> Engine:
    """Open a table about people. Use it in a `with` block.

    Args:
        source: A .csv or .tsv file (also .gz; UTF-8, the first line names the columns), a
            .parquet file or a pattern such as data/*.parquet, a .duckdb file with one table
            or file.duckdb::table, a table postgresql://host/database::schema.table or
            spark://...::table, or a pyarrow, pandas or polars table. A pandas index is not
            read; make it a column where it matters.
        null: Texts that mean missing, such as "?". In CSV an empty field is missing anyway,
            and a quoted empty field is empty text.
        person: Column that says which rows belong to the same person; each row is one person
            where None.
        delimiter: Of a CSV file; where None, whichever of comma, semicolon and tab splits the
            header most often.
        memory: How much memory may be used, such as "4GB"; the rest goes to disk.
        scratch: Folder for temporary files, which hold raw data and are removed at the end;
            the system's own where None.
    """
    if (place := table_place(source)) is not None:
        return open_table(place, null=null, person=person, memory=memory, scratch=scratch)
    if type(source).__module__.startswith("pyspark."):
        from hedgerow.engines.remote_engine import RemoteEngine
        from hedgerow.engines.spark import open_frame

        frame = open_frame(source)
        return RemoteEngine(frame, null=null, person=person, memory=memory, scratch=scratch)
    from hedgerow.engines.duckdb import DuckDBEngine  # the library loads when it is needed

    return DuckDBEngine(
        source, null=null, person=person, delimiter=delimiter, memory=memory, scratch=scratch
    )


def open_table(
    place: TablePlace,
    *,
    null: Sequence[str] = (),
    person: str | None = None,
    memory: str | None = None,
    scratch: Path | None = None,
) -> TableEngine:
    """Open a table that stays where it is; the arguments are those of `open_engine`.

    Raises:
        DataError: It cannot be reached or read.
    """
    from hedgerow.engines.remote_engine import RemoteEngine

    return RemoteEngine(
        _remote(place, scratch, memory), null=null, person=person, memory=memory, scratch=scratch
    )


def _remote(place: TablePlace, scratch: Path | None, memory: str | None) -> Remote:
    with needing(place):
        if place.scheme == "spark":
            from hedgerow.engines.spark import open_spark

            return open_spark(place, scratch=scratch, memory=memory)
        from hedgerow.engines.postgresql.table import opened

        return opened(place)


def counts_of(path: Path, columns: Sequence[str]) -> Table:
    """The frequency set of a written release, for claims measured on what was written.

    Args:
        path: A .csv or .parquet file this package wrote.
        columns: The columns; q0, q1, ... of the result.
    """
    delimiter = "," if path.suffix.lower() == ".csv" else None
    with open_engine(path, delimiter=delimiter) as release:
        return release.counts(columns)


def another_form(path: Path) -> str | None:
    """Why a file is not as this package writes it; None where it is.

    Args:
        path: A .csv or .parquet file.

    Raises:
        DataError: It cannot be read.
    """
    from hedgerow.engines.duckdb import DuckDBEngine

    csv = path.suffix.lower() == ".csv"
    with DuckDBEngine(path, delimiter="," if csv else None) as release:
        if not release.other_form():
            return None
    return f"{path.name} has these rows, and not in the " + (
        "form they are written in: their order, quotes, empty lines or separators are others"
        if csv
        else "order they are written in, or notes beside them"
    )
