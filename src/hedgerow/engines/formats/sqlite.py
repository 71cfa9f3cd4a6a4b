"""A database file of SQLite, of which one table is read."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from hedgerow.base.errors import DataError, some
from hedgerow.engines.formats.base import FORMATS, FileFormat
from hedgerow.engines.formats.isolation import FileTable, isolated, refuse_large
from hedgerow.engines.session import identifier
from hedgerow.engines.source_form import SourceForm


def read(file: Path, table: str, form: SourceForm) -> FileTable:
    """The one table, or the one that was named.

    Raises:
        DataError: It cannot be read, or it is not clear which table is meant.
    """
    import sqlite3

    import pyarrow as pa

    from hedgerow.engines.formats.typed_columns import column_of

    try:
        # SQLite makes an empty database of a file that is not there; this does not.
        address = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            listed = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            ).fetchall()
            there = [str(row[0]) for row in listed]
            chosen = [name for name in there if not table or name == table]
            if len(chosen) != 1:
                raise DataError(
                    f"has no single table {table!r}: its tables are {some(there)}"
                    if table
                    else f"has {len(there)} tables: {some(there)}",
                    where=str(file),
                    fix=f"Say which table: {file}::table.",
                )
            rows = connection.execute(f"SELECT * FROM {identifier(chosen[0])}")
            names = [str(part[0]) for part in rows.description]
            found = rows.fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DataError(
            f"is no SQLite file, or a damaged one: {error}",
            where=str(file),
            fix="Check it with PRAGMA integrity_check, or correct the end of its name.",
        ) from error
    refuse_large(len(found), len(names), file)
    columns = [list(column) for column in zip(*found, strict=True)] or [[] for _ in names]
    for name, column in zip(names, columns, strict=True):
        if any(isinstance(value, bytes) for value in column):
            raise DataError(
                f"column {name!r} holds bytes (a BLOB), which are no text",
                where=str(file),
                fix="Read a view of the table without this column.",
            )
    arrays = [column_of(column) for column in columns]
    made = pa.Table.from_arrays(arrays, names=[str(i) for i in range(len(arrays))])
    return FileTable(made.rename_columns(names))


for _suffix in (".sqlite", ".sqlite3"):
    FORMATS.register(
        FileFormat(name=_suffix, title="SQLite", view=isolated(f"{__name__}:read"), database=True)
    )
