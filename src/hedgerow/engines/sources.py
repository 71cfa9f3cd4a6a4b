"""Sources: files and frames, each made a DuckDB view `source` with columns c0, c1, ...."""

from __future__ import annotations

import csv
import glob
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.base.errors import DataError, some
from hedgerow.engines.base import Table
from hedgerow.engines.records import Records, bytes_of
from hedgerow.engines.session import Session, identifier, literal

DELIMITERS = (",", ";", "\t")
LONGEST_HEADER = 16 * 2**20
"""Bytes; a longer first line is a file without line ends or with an open quote."""

KINDS = "a .csv, .tsv (also .gz), .parquet or .duckdb file, or a pyarrow, pandas or polars table"


@dataclass(frozen=True)
class Source:
    """What the view `source` shows: c0 is names[0] of type types[0]."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    files: tuple[Path, ...]
    """The files it reads; a release must not replace one of them."""
    arrow: Table | Path | None = None
    """Where Arrow has the same columns under the same names: a table in memory, or one Parquet
    file."""
    records: Records | None = None
    """Of a CSV file, which does not say how many rows it has."""


def described(source: object) -> str:
    """The source as messages name it."""
    if isinstance(source, str | Path):
        return str(source)
    return f"the {type(source).__module__.split('.')[0]} table"


def one_parquet(source: object) -> Path | None:
    """The Parquet file that is the whole source, whose own names DuckDB takes for those of columns.

    Raises:
        DataError: There is no such file.
    """
    if not isinstance(source, str | Path) or "://" in str(source):
        return None
    files = _files(_table_of(str(source))[0])
    # DuckDB takes what a path says, year=2020, for a column.
    alone = len(files) == 1 and _kind(files[0]) == ".parquet" and "=" not in str(files[0])
    return files[0] if alone else None


def parquet_names(file: Path) -> tuple[str, ...]:
    """The columns of a file.

    Raises:
        DataError: It cannot be read, or DuckDB would rename clashing columns without a word.
    """
    try:
        names = pq.read_schema(file).names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"is not a Parquet file: {error}", where=str(file)) from error
    return unclashing(names, str(file))


def attaches(source: object) -> bool:
    """Whether it is a database of its own, which DuckDB attaches."""
    if not isinstance(source, str | Path) or "://" in str(source):
        return False
    return _kind(_files(_table_of(str(source))[0])[0]) == ".duckdb"


def attach(session: Session, source: object, *, delimiter: str | None) -> Source:
    """Make the view `source` for this source."""
    arrow: Table | Path | None = None
    records: Records | None = None
    if isinstance(source, str | Path):
        path, table = _table_of(str(source))
        if "://" in path:
            raise DataError(
                "an address is not a source that can be read", where=path, fix=f"Give {KINDS}."
            )
        files = _files(path)
        match _kind(files[0]):
            case ".csv" | ".tsv" as kind:
                records, names = _csv(session, files[0], kind, delimiter)
                types: tuple[str, ...] = ("VARCHAR",) * len(names)
            case ".parquet":
                names, types = _parquet(session, files)
                arrow = one_parquet(source)
            case ".duckdb":
                names, types = _duckdb(session, files[0], table)
            case other:
                raise DataError(
                    f"{other or 'no suffix'} is not a kind of file that can be read",
                    where=path,
                    fix=f"Give {KINDS}.",
                )
    else:
        files = ()
        names, arrow = _frame(session, source)
        types = _described(session, "source")[1]
    return Source(names, types, files, arrow, records)


def _table_of(source: str) -> tuple[str, str]:
    """The file, and which of its tables, if that is said."""
    if ".duckdb::" not in source:
        return source, ""
    path, _, table = source.rpartition("::")
    return path, table


def _kind(file: Path) -> str:
    """How its name ends, but for .gz."""
    return ([s for s in file.suffixes if s.lower() != ".gz"][-1:] or [""])[0].lower()


def unclashing(names: Sequence[str], where: str) -> tuple[str, ...]:
    """The names, or an error: each column has one, and no two differ only by case."""
    if not names:
        raise DataError("there are no columns", where=where, fix=f"Give {KINDS}.")
    if "" in names:
        raise DataError(
            f"column {names.index('') + 1} has no name", where=where, fix="Name every column."
        )
    times = Counter(name.casefold() for name in names)
    if clashing := [name for name in names if times[name.casefold()] > 1]:
        raise DataError(
            f"the column names {some(clashing)} are the same or differ only by case",
            where=where,
            fix="Rename all but one of them.",
        )
    return tuple(names)


def _files(path: str) -> tuple[Path, ...]:
    if Path(path).is_dir():
        raise DataError(
            "is a folder", where=path, fix=f"Give {KINDS}; for many files: {path}/*.parquet."
        )
    if Path(path).exists():
        return (Path(path),)
    found = tuple(Path(name) for name in sorted(glob.glob(path, recursive=True)))  # noqa: PTH207 (absolute patterns)
    if not found:
        raise DataError("there is no such file", where=path, fix=f"Give {KINDS}.")
    if len(found) > 1 and any(file.suffix.lower() != ".parquet" for file in found):
        raise DataError(
            f"matches {len(found):,} files", where=path, fix="Only Parquet can come in many files."
        )
    return found


def _described(session: Session, what: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and types of columns."""
    found = session.fetch(f"DESCRIBE {what}")
    return tuple(str(row[0]) for row in found), tuple(str(row[1]) for row in found)


def _view(session: Session, names: Sequence[str], what: str) -> None:
    columns = ", ".join(f"c{i}" for i in range(len(names)))
    session.do(f"CREATE TEMP VIEW source({columns}) AS SELECT * FROM {what}")


def _path(file: Path) -> str:
    """A path as SQL; DuckDB would read * ? [ in it as a pattern."""
    return literal("".join(f"[{c}]" if c in "*?[" else c for c in str(file)))


def _csv(
    session: Session, file: Path, kind: str, delimiter: str | None
) -> tuple[Records, tuple[str, ...]]:
    """CSV with our own reading of the header, so that DuckDB has nothing left to guess."""
    tried = (delimiter,) if delimiter else ("\t",) if kind == ".tsv" else DELIMITERS
    header = _header(file)
    fields = [_fields(header, d) for d in tried]
    best = max(range(len(tried)), key=lambda i: (len(fields[i]), -i))
    if not fields[best]:
        raise DataError(
            "the header cannot be read",
            where=f"{file}, line 1",
            fix='Quote names as a whole and double the quotes inside: "say ""hi""".',
        )
    names = unclashing(fields[best], session.where)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    compression = "gzip" if file.suffix.lower() == ".gz" else "none"
    _view(
        session,
        names,
        f"read_csv({_path(file)}, auto_detect=false, header=true, columns={{{columns}}}, "
        f"delim={literal(tried[best])}, quote='\"', escape='\"', strict_mode=true, nullstr='', "
        f"allow_quoted_nulls=false, compression='{compression}')",
    )
    return Records(file, tried[best], len(names)), names


def _header(file: Path) -> str:
    """The first record: a line, or more where a quoted name holds line ends."""
    header = b""
    try:
        with bytes_of(file) as lines:
            while len(header) < LONGEST_HEADER:
                line = lines.readline(LONGEST_HEADER)
                header += line
                if not line or header.count(b'"') % 2 == 0:
                    break
    except (OSError, EOFError) as error:
        raise DataError(
            f"cannot be read: {getattr(error, 'strerror', None) or error}", where=str(file)
        ) from error
    if not header.strip():
        what = "the first line is empty" if header else "the file is empty"
        raise DataError(what, where=str(file), fix="The first line names the columns.")
    try:
        return header.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            "this is not UTF-8",
            where=f"{file}, line 1",
            fix="Save the file as UTF-8 (iconv -f latin1 -t utf-8 old.csv > new.csv).",
        ) from error


def _fields(header: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(header, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return []


def _parquet(session: Session, files: Sequence[Path]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parquet_names(files[0])
    what = f"read_parquet([{', '.join(map(_path, files))}])"
    names, types = _described(session, f"SELECT * FROM {what}")
    _view(session, names, what)
    return unclashing(names, session.where), types


def _duckdb(session: Session, file: Path, table: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
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
    names, types = _described(session, what)
    _view(session, unclashing(names, session.where), what)
    return names, types


def _frame(session: Session, source: Any) -> tuple[tuple[str, ...], Table]:
    """A table in memory. A pandas index is no column; pandas' NaN is missing, as pandas says."""
    where = session.where
    library, kind = type(source).__module__.split(".")[0], type(source).__name__
    if (library, kind) not in (
        ("pyarrow", "Table"),
        ("pandas", "DataFrame"),
        ("polars", "DataFrame"),
    ):
        what = kind if library == "builtins" else f"{library} {kind}"
        raise DataError(f"a value of the type {what} cannot be read", fix=f"Give {KINDS}.")
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
    positional = table.rename_columns([f"c{i}" for i in range(len(names))])
    session.run(lambda: session.connection.register("source", positional))
    return names, table.rename_columns(list(names))


def _mixed(series: Any) -> bool:
    """Whether a pandas column has no one type."""
    try:
        pa.array(series, from_pandas=True)
    except Exception:
        return True
    return False
