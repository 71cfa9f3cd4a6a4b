"""A database file of DuckDB, of which one table is read."""

from __future__ import annotations

from hedgerow.base.errors import DataError, some
from hedgerow.engines.formats.base import (
    FORMATS,
    FileFormat,
    SourceFiles,
    SourceView,
    columns_of,
    show,
    unclashing,
)
from hedgerow.engines.session import DuckDBSession, identifier, literal


def _view(session: DuckDBSession, given: SourceFiles) -> SourceView:
    (file,), table = given.files, given.table
    session.do(f"ATTACH {literal(str(file))} AS attached (READ_ONLY)")
    found = session.fetch(
        "SELECT schema_name, table_name FROM duckdb_tables() "
        "WHERE database_name = 'attached' AND NOT internal ORDER BY ALL"
    )
    chosen = [row for row in found if not table or row[1] == table]
    if len(chosen) != 1:
        listed = some(row[1] for row in found)
        raise DataError(
            f"has no single table {table!r}: its tables are {listed}"
            if table
            else f"has {len(found)} tables: {listed}",
            where=str(file),
            fix=f"Say which table: {file}::table.",
        )
    what = "attached." + ".".join(identifier(part) for part in chosen[0])
    names, types = columns_of(session, what)
    show(session, unclashing(names, session.where), what)
    return SourceView(names, types, given.files)


DUCKDB = FORMATS.register(FileFormat(name=".duckdb", title="DuckDB", view=_view, database=True))
