"""Parquet: one file, or many that are one table."""

from __future__ import annotations

from pathlib import Path

from hedgerow.base.errors import DataError
from hedgerow.engines.formats.base import (
    FORMATS,
    FileFormat,
    SourceFiles,
    SourceView,
    columns_of,
    path_literal,
    show,
    unclashing,
)
from hedgerow.engines.session import DuckDBSession


def parquet_names(file: Path) -> tuple[str, ...]:
    """The columns of a file.

    Raises:
        DataError: It cannot be read, or DuckDB would rename clashing columns without a word.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(file).names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"is not a Parquet file: {error}", where=str(file)) from error
    return unclashing(names, str(file))


def single_file(files: tuple[Path, ...]) -> Path | None:
    """The file that is the whole source, whose own names DuckDB takes for those of columns."""
    # DuckDB takes what a path says, year=2020, for a column.
    return files[0] if len(files) == 1 and "=" not in str(files[0]) else None


def _view(session: DuckDBSession, given: SourceFiles) -> SourceView:
    parquet_names(given.files[0])
    what = f"read_parquet([{', '.join(map(path_literal, given.files))}])"
    names, types = columns_of(session, f"SELECT * FROM {what}")
    show(session, names, what)
    names = unclashing(names, session.where)
    return SourceView(names, types, given.files, arrow=single_file(given.files))


PARQUET = FORMATS.register(FileFormat(name=".parquet", title="Parquet", view=_view, several=True))
