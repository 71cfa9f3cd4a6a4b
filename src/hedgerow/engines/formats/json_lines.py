"""JSON lines: an object a line, whose keys are columns. Values are read as they are written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from hedgerow.base.errors import DataError
from hedgerow.engines.formats.base import FORMATS, FileFormat
from hedgerow.engines.formats.isolation import FileTable, isolated, refuse_large
from hedgerow.engines.records import LONGEST, bytes_of
from hedgerow.engines.source_form import SourceForm

MOST_KEYS = 100_000
"""Columns; more are keys that are values."""


def read(file: Path, table: str, form: SourceForm) -> FileTable:
    """The objects, a row each; a key that an object lacks is missing there.

    Raises:
        DataError: A line is no object of texts, numbers, true, false and null; says which line.
    """
    import pyarrow as pa

    columns: dict[str, list[str | None]] = {}
    rows = 0
    try:
        with bytes_of(file) as lines:
            for number, line in _lines(lines, file):
                for key, value in _object(line, f"{file}, line {number:,}"):
                    if (column := columns.get(key)) is None:
                        if len(columns) == MOST_KEYS:
                            raise DataError(
                                f"more than {MOST_KEYS:,} keys", where=f"{file}, line {number:,}"
                            )
                        column = columns[key] = []
                    column.extend([None] * (rows - len(column)))
                    column.append(value)
                rows += 1
    except (OSError, EOFError) as error:
        what = getattr(error, "strerror", None) or error
        raise DataError(f"cannot be read: {what}", where=str(file)) from error
    refuse_large(rows, len(columns), file)
    for column in columns.values():
        column.extend([None] * (rows - len(column)))
    if not columns:
        raise DataError(
            "the file is empty", where=str(file), fix='Give an object a line: {"age": 31}.'
        )
    arrays = [pa.array(column, pa.string()) for column in columns.values()]
    made = pa.Table.from_arrays(arrays, names=[str(i) for i in range(len(arrays))])
    return FileTable(made.rename_columns(list(columns)))


def _lines(file: IO[bytes], where: Path) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, numbered."""
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            raise DataError(
                f"the line is longer than {LONGEST // 10**6} MB",
                where=f"{where}, line {number:,}",
                fix="Give an object a line, not a list of all of them.",
            )
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"this is not UTF-8: the byte {line[error.start]:02x} cannot be read",
                where=f"{where}, line {number:,}",
                fix="JSON is always UTF-8: convert the file "
                "(iconv -f cp1252 -t utf-8 old.jsonl > new.jsonl).",
            ) from None
        if text.strip():
            yield number, text


def _object(line: str, where: str) -> list[tuple[str, str | None]]:
    def whole(pairs: Sequence[tuple[str, Any]]) -> Sequence[tuple[str, Any]]:
        return _Pairs(pairs)

    def refused(text: str) -> None:
        raise DataError(f"{text} is no number", where=where, fix="Write null for a missing value.")

    try:
        found = json.loads(
            line, object_pairs_hook=whole, parse_int=str, parse_float=str, parse_constant=refused
        )
    except (ValueError, RecursionError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else "not JSON"
        raise DataError(
            f"is not JSON: {what}", where=where, fix='Give an object a line: {"age": 31}.'
        ) from None
    if not isinstance(found, _Pairs):
        raise DataError("is not an object", where=where, fix='Give an object a line: {"age": 31}.')
    keys = [key for key, _ in found]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise DataError(f"the key {twice!r} stands twice", where=where, fix="Keep one of them.")
    return [(key, _scalar(key, value, where)) for key, value in found]


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object."""


def _scalar(key: str, value: Any, where: str) -> str | None:
    if isinstance(value, list):
        raise DataError(
            f"{key!r} holds an object or a list",
            where=where,
            fix="Give every value a key of its own, such as address_city.",
        )
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None else str(value)


for _suffix in (".jsonl", ".ndjson"):
    FORMATS.register(
        FileFormat(name=_suffix, title="JSON", view=isolated(f"{__name__}:read"), compressed=True)
    )
