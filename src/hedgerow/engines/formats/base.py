"""Formats: which files are tables, and how each kind becomes the view `source` of a session.

A format is declared beside its code, in a module of its own, and registered in `FORMATS`. What
can be read, what messages list and what the app accepts is derived from the registry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.base.errors import DataError, some
from hedgerow.base.registry import Registry
from hedgerow.engines.base import Table
from hedgerow.engines.files import FRAMES
from hedgerow.engines.source_form import AS_ALWAYS, SourceForm
from hedgerow.engines.title_lines import SKIP_HINT

if TYPE_CHECKING:
    from hedgerow.engines.records import CsvRecords
    from hedgerow.engines.session import DuckDBSession

COMPRESSED = ".gz"


@dataclass(frozen=True, kw_only=True)
class FileNotes:
    """What a file says of itself beside its values."""

    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By column, the label of each code."""
    labelled: Mapping[str, bool] = field(default_factory=dict)
    """Of each such column, whether labels are read in place of codes."""
    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By column, values that it declares missing."""
    above: int = 0
    """Of a workbook: rows above the header."""
    titles: int = 0
    """How many of them are title lines that were detected."""
    notes: tuple[str, ...] = ()
    """What a person should know, each a sentence."""


NO_NOTES = FileNotes()


@dataclass(frozen=True)
class SourceView:
    """What the view `source` shows: c0 is names[0] of type types[0]."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    files: tuple[Path, ...]
    """The files it reads; a release must not replace one of them."""
    arrow: Table | Path | None = None
    """Where Arrow has the same columns under the same names: a table in memory, or one Parquet
    file."""
    records: CsvRecords | None = None
    """Of a CSV file, which does not say how many rows it has."""
    about: FileNotes = NO_NOTES


@dataclass(frozen=True, kw_only=True)
class SourceFiles:
    """The files of a source, and what was said about them."""

    files: tuple[Path, ...]
    """One, or several where the format allows that."""
    table: str = ""
    """Which table of a database file, where it was said."""
    form: SourceForm = AS_ALWAYS
    """How values are written."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FileFormat:
    """A kind of file that holds a table."""

    name: str
    """How its files' names end, such as ".csv"."""
    title: str
    """What it is called, such as "CSV"."""
    view: Callable[[DuckDBSession, SourceFiles], SourceView]
    """Makes the view `source` with columns c0, c1, ...; its library loads when it is called."""
    compressed: bool = False
    """Whether its files may be compressed, and end with .gz."""
    several: bool = False
    """Whether several files that match a pattern are one table."""
    keys: frozenset[str] = frozenset()
    """What can be said under `read` of such a file, beside how numbers and dates are written."""
    empty_text: bool = True
    """Whether it tells text that is empty from a missing value."""
    database: bool = False
    """Whether it may hold several tables; `file::table` names one. What it holds may refer to
    other files, so the app takes none."""


FORMATS: Registry[FileFormat] = Registry("file format", group="hedgerow.formats")
"""The formats by suffix, in the order in which messages list them."""


def suffix_of(file: Path) -> str:
    """How its name ends, but for .gz.

    >>> suffix_of(Path("a.CSV.gz")), suffix_of(Path("table"))
    ('.csv', '')
    """
    return ([s for s in file.suffixes if s.lower() != COMPRESSED][-1:] or [""])[0].lower()


def format_of(file: Path) -> FileFormat | None:
    """The format of a file by its name; None where no format has such names."""
    return FORMATS.get(suffix_of(file))


def table_of(source: str) -> tuple[str, str]:
    """The file, and which of its tables, if that is said.

    >>> table_of("hospital.duckdb::patients"), table_of("a::b.csv")
    (('hospital.duckdb', 'patients'), ('a::b.csv', ''))
    """
    path, separator, table = source.rpartition("::")
    found = format_of(Path(path)) if separator else None
    return (path, table) if found is not None and found.database else (source, "")


def readable() -> str:
    """What can be read, for messages.

    >>> readable().partition(", .parquet")[0], readable().rpartition(" file, ")[2]
    ('a .csv, .tsv, .jsonl, .ndjson (also .gz)', 'or a pyarrow, pandas or polars table')
    """
    small = [one.name for one in FORMATS.values() if one.compressed]
    small[-1] += f" (also {COMPRESSED})"
    files = small + [one.name for one in FORMATS.values() if not one.compressed]
    return f"a {_either(files)} file, or a {_either(FRAMES)} table"


def uploadable() -> tuple[str, ...]:
    """How the names of files end that the app takes."""
    taken = [one for one in FORMATS.values() if not one.database]
    small = tuple(one.name + COMPRESSED for one in taken if one.compressed)
    return (*(one.name for one in taken), *small)


def _either(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


# What formats need to make the view.


def unclashing(names: Sequence[str], where: str) -> tuple[str, ...]:
    """The names, or an error: each column has one, and no two differ only by case."""
    if not names:
        raise DataError("there are no columns", where=where, fix=f"Give {readable()}.")
    names = with_row(names)
    if "" in names:
        kind = format_of(Path(where))
        hint = f" {SKIP_HINT}" if kind is not None and "skip" in kind.keys else ""
        raise DataError(
            f"column {names.index('') + 1} has no name",
            where=where,
            fix=f"Name every column.{hint}",
        )
    times = Counter(name.casefold() for name in names)
    if clashing := [name for name in names if times[name.casefold()] > 1]:
        raise DataError(
            f"the column names {some(clashing)} are the same or differ only by case",
            where=where,
            fix="Rename all but one of them.",
        )
    return tuple(names)


def with_row(names: Sequence[str]) -> tuple[str, ...]:
    """The names, one given to a first column that has none, as R and pandas write row numbers.

    >>> with_row(["", "age"]), with_row(["", "row"]), with_row(["age", ""])
    (('row', 'age'), ('row_number', 'row'), ('age', ''))
    """
    if len(names) < 2 or names[0] or not all(names[1:]):
        return tuple(names)
    taken = {name.casefold() for name in names}
    free = next(one for one in ("row", "row_number", "row_number_") if one not in taken)
    return (free, *names[1:])


def columns_of(session: DuckDBSession, what: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and types of the columns of a query or a table."""
    found = session.fetch(f"DESCRIBE {what}")
    return tuple(str(row[0]) for row in found), tuple(str(row[1]) for row in found)


def show(session: DuckDBSession, names: Sequence[str], what: str) -> None:
    """Make the view `source` of a table or a table function."""
    columns = ", ".join(f"c{i}" for i in range(len(names)))
    session.do(f"CREATE TEMP VIEW source({columns}) AS SELECT * FROM {what}")


def path_literal(file: Path) -> str:
    """A path as SQL; DuckDB would read * ? [ in it as a pattern."""
    from hedgerow.engines.session import literal

    return literal("".join(f"[{c}]" if c in "*?[" else c for c in str(file)))
