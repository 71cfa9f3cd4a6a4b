"""Engines: what holds the data. The only place where engine libraries are imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hedgerow.engines.base import ColumnProfile, Engine, Table, Written

__all__ = ["ColumnProfile", "Engine", "Written", "counts_of", "open_engine"]


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
            or file.duckdb::table, or a pyarrow, pandas or polars table. A pandas index is not
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
    from hedgerow.engines.duckdb import DuckDBEngine  # the library loads when it is needed

    return DuckDBEngine(
        source, null=null, person=person, delimiter=delimiter, memory=memory, scratch=scratch
    )


def counts_of(path: Path, columns: Sequence[str]) -> Table:
    """The frequency set of a written release, for claims measured on what was written.

    Args:
        path: A .csv or .parquet file this package wrote.
        columns: The columns; q0, q1, ... of the result.
    """
    delimiter = "," if path.suffix.lower() == ".csv" else None
    with open_engine(path, delimiter=delimiter) as release:
        return release.counts(columns)
