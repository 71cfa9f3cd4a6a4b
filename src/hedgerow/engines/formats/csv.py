"""CSV and TSV, with our own reading of the header, so that DuckDB has nothing left to guess."""

from __future__ import annotations

import csv
import io
from functools import partial
from pathlib import Path

from hedgerow.base.errors import DataError
from hedgerow.engines.formats.base import (
    COMPRESSED,
    FORMATS,
    FileFormat,
    SourceFiles,
    SourceView,
    path_literal,
    show,
    unclashing,
)
from hedgerow.engines.records import CsvRecords, bytes_of
from hedgerow.engines.session import DuckDBSession, literal

DELIMITERS = (",", ";", "\t")
LONGEST_HEADER = 16 * 2**20
"""Bytes; a longer first line is a file without line ends or with an open quote."""


def _view(session: DuckDBSession, given: SourceFiles, *, delimiters: tuple[str, ...]) -> SourceView:
    (file,) = given.files
    tried = (given.delimiter,) if given.delimiter else delimiters
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
    compression = "gzip" if file.suffix.lower() == COMPRESSED else "none"
    show(
        session,
        names,
        f"read_csv({path_literal(file)}, auto_detect=false, header=true, columns={{{columns}}}, "
        f"delim={literal(tried[best])}, quote='\"', escape='\"', strict_mode=true, nullstr='', "
        f"allow_quoted_nulls=false, compression='{compression}')",
    )
    records = CsvRecords(file, tried[best], len(names))
    return SourceView(names, ("VARCHAR",) * len(names), given.files, records=records)


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


FORMATS.register(
    FileFormat(
        name=".csv", title="CSV", view=partial(_view, delimiters=DELIMITERS), compressed=True
    )
)
FORMATS.register(
    FileFormat(name=".tsv", title="TSV", view=partial(_view, delimiters=("\t",)), compressed=True)
)
