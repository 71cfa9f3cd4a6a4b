"""Frames: tables in memory, of pyarrow, pandas or polars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from hedgerow.base.errors import DataError, some
from hedgerow.engines.base import Table
from hedgerow.engines.files import FRAMES
from hedgerow.engines.formats.base import SourceView, columns_of, readable, unclashing
from hedgerow.engines.session import DuckDBSession


def arrow_view(session: DuckDBSession, table: Table, *, files: tuple[Path, ...] = ()) -> SourceView:
    """Make the view `source` of an Arrow table, in memory or read from files by a format.

    Raises:
        DataError: Names of columns clash.
    """
    names = unclashing(table.column_names, session.where)
    positional = table.rename_columns([f"c{i}" for i in range(len(names))])
    session.run(lambda: session.connection.register("source", positional))
    types = columns_of(session, "source")[1]
    return SourceView(names, types, files, arrow=table.rename_columns(list(names)))


def frame_view(session: DuckDBSession, source: Any) -> SourceView:
    """A table in memory. A pandas index is no column; pandas' NaN is missing, as pandas says."""
    where = session.where
    library, kind = type(source).__module__.split(".")[0], type(source).__name__
    if library not in FRAMES or kind not in ("Table", "DataFrame"):
        what = kind if library == "builtins" else f"{library} {kind}"
        raise DataError(f"a value of the type {what} cannot be read", fix=f"Give {readable()}.")
    names = unclashing(
        [str(c) for c in (source.column_names if library == "pyarrow" else source.columns)], where
    )
    try:
        table: Table = source
        if library == "pandas":
            plain = source.set_axis(list(names), axis="columns")
            table = pa.Table.from_pandas(plain, preserve_index=False)
        elif library == "polars":
            table = source.to_arrow()
    except Exception:  # each library has its own ways to refuse a column, and quotes values
        odd = [name for name in names if library == "pandas" and _mixed(plain[name])]
        raise DataError(
            f"cannot be made an Arrow table: {some(odd) if odd else 'a column'} has values of "
            "several types, or of one that Arrow does not know",
            where=where,
            fix="Give each column one type, for instance text.",
        ) from None
    return arrow_view(session, table)


def _mixed(series: Any) -> bool:
    """Whether a pandas column has no one type."""
    try:
        pa.array(series, from_pandas=True)
    except Exception:
        return True
    return False
