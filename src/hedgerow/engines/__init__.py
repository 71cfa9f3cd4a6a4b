"""Engines: what holds the data. The only place where engine libraries are imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hedgerow.engines.address import table_place
from hedgerow.engines.base import ColumnProfile, Engine, Table, TableEngine, TablePlace, Written
from hedgerow.engines.kinds import ENGINES, ReadOptions, engine_of
from hedgerow.engines.source_form import AS_ALWAYS, SourceForm

# Each registers its engine; a source goes to the first that takes it.
# isort: off
from hedgerow.engines.files import DUCKDB
from hedgerow.engines.postgresql import POSTGRESQL
from hedgerow.engines.spark import SPARK
# isort: on

__all__ = [
    "DUCKDB",
    "ENGINES",
    "POSTGRESQL",
    "SPARK",
    "ColumnProfile",
    "Engine",
    "SourceForm",
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
    form: SourceForm | None = None,
    memory: str | None = None,
    scratch: Path | None = None,
) -> Engine:
    """Open a table about people. Use it in a `with` block.

    Args:
        source: A .csv or .tsv file (also .gz; UTF-8, the first line names the columns), a
            .parquet file or a pattern such as data/*.parquet, a workbook, an SPSS, Stata or SAS
            file, JSON lines, an Arrow file, a .duckdb or .sqlite file with one table or
            file.duckdb::table, a table postgresql://host/database::schema.table or
            spark://...::table, or a pyarrow, pandas or polars table. A pandas index is not
            read; make it a column where it matters.
        null: Texts that mean missing, such as "?". In CSV an empty field is missing anyway,
            and a quoted empty field is empty text.
        person: Column that says which rows belong to the same person; each row is one person
            where None.
        delimiter: Of a CSV file; where None, whichever of comma, semicolon and tab splits the
            header most often.
        form: How the source is written, where it is not UTF-8 with double quotes, decimal points
            and ISO dates; the `read` of a plan.
        memory: How much memory may be used, such as "4GB"; the rest goes to disk.
        scratch: Folder for temporary files, which hold raw data and are removed at the end;
            the system's own where None.
    """
    form = form or AS_ALWAYS
    if delimiter is not None:
        form = replace(form, delimiter=delimiter)
    reading = ReadOptions(null=null, person=person, form=form, memory=memory, scratch=scratch)
    if (place := table_place(source)) is not None:
        _refuse_form(form, place)
        return _opened(place, reading)
    kind = ENGINES.first(lambda one: one.takes(source)) or DUCKDB  # which says what it reads
    assert kind.open is not None, "what takes a source opens it"
    with kind.needing(type(source).__module__):
        return kind.open(source, reading)


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
    return _opened(place, ReadOptions(null=null, person=person, memory=memory, scratch=scratch))


def _refuse_form(form: SourceForm, place: TablePlace) -> None:
    if form.said:
        from hedgerow.engines.remote_columns import KEYS
        from hedgerow.engines.sources import refuse_keys

        what = f"a table of {engine_of(place).name}"
        refuse_keys(form, KEYS, what, str(place), values=False)


def _opened(place: TablePlace, reading: ReadOptions) -> TableEngine:
    kind = engine_of(place)
    assert kind.remote is not None, "it has addresses"
    with kind.needing(str(place)):
        return kind.remote.open(place, reading)


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
    with DuckDBEngine(path, form=SourceForm(delimiter="," if csv else None)) as release:
        if not release.other_form():
            return None
    return f"{path.name} has these rows, and not in the " + (
        "form they are written in: their order, quotes, empty lines or separators are others"
        if csv
        else "order they are written in, or notes beside them"
    )
