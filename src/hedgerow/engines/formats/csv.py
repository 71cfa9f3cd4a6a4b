"""CSV and TSV, with our own reading of the header, so that DuckDB has nothing left to guess."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from hedgerow.base.errors import DataError
from hedgerow.engines.csv_dialect import beginning, plain_copy
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
from hedgerow.engines.session import NOT_UTF8, DuckDBSession, literal
from hedgerow.engines.source_form import SourceForm
from hedgerow.engines.title_lines import SKIP_HINT

DELIMITERS = (",", ";", "\t")
LONGEST_HEADER = 16 * 2**20
"""Bytes; a longer first line is a file without line ends or with an open quote."""


def _view(session: DuckDBSession, given: SourceFiles, *, delimiters: tuple[str, ...]) -> SourceView:
    (file,) = given.files
    form, name, skipped = given.form, str(file), 0
    if not form.plain:
        delimiter = form.delimiter or default_delimiter(file, form, delimiters)
        file = plain_copy(file, form, delimiter, session.folder / "plain.csv")
        skipped = form.skip or 0
        form, delimiters = SourceForm(delimiter=","), (",",)
    tried = (form.delimiter,) if form.delimiter else delimiters
    header = _header(file, name, skipped)
    fields = [_fields(header, d) for d in tried]
    best = max(range(len(tried)), key=lambda i: (len(fields[i]), -i))
    if not fields[best]:
        raise DataError(
            "the header cannot be read",
            where=f"{name}, line {skipped + 1:,}",
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
    records = CsvRecords(file, tried[best], len(names), name, skipped)
    return SourceView(names, ("VARCHAR",) * len(names), given.files, records=records)


def _header(file: Path, name: str, skipped: int) -> str:
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
            f"cannot be read: {getattr(error, 'strerror', None) or error}", where=name
        ) from error
    if not header.strip():
        if skipped:
            raise DataError(
                f"line {skipped + 1:,} is empty"
                if header
                else f"nothing is after {skipped:,} lines",
                where=name,
                fix="`skip` under `read` says how many lines stand above the names of the columns.",
            )
        what = "the first line is empty" if header else "the file is empty"
        hint = f" {SKIP_HINT}" if header else ""
        raise DataError(what, where=name, fix=f"The first line names the columns.{hint}")
    try:
        return header.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            "this is not UTF-8",
            where=f"{name}, line 1",
            fix=NOT_UTF8,
        ) from error


def _fields(header: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(header, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return []


def default_delimiter(file: Path, form: SourceForm, delimiters: Sequence[str]) -> str:
    """The delimiter that splits the header most often, where nobody says which it is.

    Raises:
        DataError: The file cannot be read.
    """
    first, _ = beginning(file, form.encoding or "utf-8", skip=form.skip or 0)
    text = first.decode("utf-8", "replace")
    quote = '"' if form.quote is None else form.quote

    def fields(delimiter: str) -> int:
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote or None,
            skipinitialspace=form.blanks == "skip",
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        )  # fmt: skip
        try:
            return len(next(reader, []))
        except csv.Error:
            return 0

    return max(delimiters, key=fields)


_KEYS = frozenset({"encoding", "delimiter", "quote", "escape", "blanks", "skip"})
FORMATS.register(
    FileFormat(
        name=".csv",
        title="CSV",
        view=partial(_view, delimiters=DELIMITERS),
        compressed=True,
        keys=_KEYS,
    )
)
FORMATS.register(
    FileFormat(
        name=".tsv",
        title="TSV",
        view=partial(_view, delimiters=("\t",)),
        compressed=True,
        keys=_KEYS,
    )
)
