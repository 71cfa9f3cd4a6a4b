"""Workbooks: Excel's and OpenDocument's, of which one sheet is read."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.engines.formats.base import FORMATS, FileFormat, FileNotes
from hedgerow.engines.formats.isolation import FileTable, isolated, refuse_bomb, refuse_large
from hedgerow.engines.source_form import SourceForm


def read(file: Path, table: str, form: SourceForm) -> FileTable:
    """One sheet: its first row that has something names the columns.

    Raises:
        DataError: It cannot be read, or a cell holds an error.
    """
    import pyarrow as pa
    import python_calamine

    from hedgerow.engines.formats.typed_columns import column_of, text_of

    if file.suffix.lower() != ".xls":
        refuse_bomb(file)
    try:
        book = python_calamine.CalamineWorkbook.from_path(str(file))
        sheets = tuple(book.sheet_names)
        name = _chosen(sheets, form.sheet, file)
        sheet = book.get_sheet_by_name(name)
        refuse_large(sheet.total_height, sheet.total_width, file)
        rows = sheet.to_python(skip_empty_area=False)
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise DataError(
            f"is no workbook that can be read: {error}",
            where=str(file),
            fix="Open it in the program that wrote it and save it again, without a password.",
        ) from error
    top = next((i for i, row in enumerate(rows) if any(_there(v) for v in row)), None)
    if top is None:
        raise DataError(
            f"the sheet {name!r} is empty",
            where=str(file),
            fix=f"Say another `sheet` under `read`: it has {some(sheets)}."
            if len(sheets) > 1
            else "Give a sheet whose first row names the columns.",
        )
    header, body = rows[top], rows[top + 1 :]
    while body and not any(_there(v) for v in body[-1]):
        body.pop()
    used = [
        j for j in range(len(header)) if _there(header[j]) or any(_there(row[j]) for row in body)
    ]
    names = [text_of(header[j]).strip() if _there(header[j]) else "" for j in used]
    columns = [column_of([row[j] if _there(row[j]) else None for row in body]) for j in used]
    found = pa.Table.from_arrays(columns, names=[str(k) for k in range(len(used))])
    notes = tuple(_remarks(file, sheets.index(name)))
    if len(sheets) > 1 and form.sheet is None:
        notes += (
            f"Of {len(sheets)} sheets the first is read, {name!r}: there are {some(sheets)}.",
        )
    about = FileNotes(sheet=name, sheets=sheets, notes=notes)
    return FileTable(found.rename_columns(names), about)


_ERROR = re.compile(rb"<(?:\w+:)?c\b[^>]*\bt=\"e\"[^>]*>")
_PLACE = re.compile(rb"\br=\"([A-Z0-9]+)\"")
_WITHOUT_RESULT = re.compile(
    rb"<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=\"([A-Z0-9:]+)\"")
_HIDDEN = re.compile(rb"<(?:\w+:)?(row|col)\b[^>]*\bhidden=\"(?:1|true)\"")


def _remarks(file: Path, sheet: int) -> Iterator[str]:
    """What of a sheet is not read as it looks: errors, formulas, merged and hidden cells."""
    if file.suffix.lower() != ".xlsx":
        return
    with zipfile.ZipFile(file) as packed:
        book = packed.read("xl/workbook.xml")
        listed = [found[0] for found in re.finditer(rb"<(?:\w+:)?sheet\b[^>]*>", book)]
        own = listed[sheet] if sheet < len(listed) else b""
        found = re.search(rb"\br?:?id=\"([^\"]*)\"", own)
        links = packed.read("xl/_rels/workbook.xml.rels")
        targets = {}
        for link in re.finditer(rb"<(?:\w+:)?Relationship\b[^>]*>", links):
            given = dict(re.findall(rb"(\w+)=\"([^\"]*)\"", link[0]))
            targets[given.get(b"Id")] = given.get(b"Target", b"").decode()
        target = targets.get(found[1], "") if found else ""
        place = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
        if place not in packed.namelist():
            return
        content = packed.read(place)
    if re.search(rb"\bstate=\"(?:veryH|h)idden\"", own):
        yield "The sheet is hidden in the workbook."
    errors = _cells(match[0] for match in _ERROR.finditer(content))
    if errors:
        holds = _counted(len(errors), "cell holds an error", "cells hold errors")
        yield f"{holds} such as #DIV/0!, read as missing: {some(errors)}."
    ends = (match.start() for match in _WITHOUT_RESULT.finditer(content))
    formulas = (content[content.rfind(b"<c ", 0, end) : end] for end in ends)
    # Where the result is an empty text, nothing is lost.
    empty = _cells(cell for cell in formulas if b't="str"' not in cell)
    if empty:
        holds = _counted(len(empty), "cell holds a formula", "cells hold formulas")
        yield (
            f"{holds} without a result, read as missing: {some(empty)}. Open the workbook in a "
            "spreadsheet program, and save it."
        )
    merged = [match[1].decode() for match in _MERGED.finditer(content)]
    if merged:
        yield f"Of merged cells only the first has the value: {some(merged)}."
    hidden = [match[1] for match in _HIDDEN.finditer(content)]
    if hidden:
        rows = _counted(hidden.count(b"row"), "row", "rows")
        columns = _counted(hidden.count(b"col"), "group of columns", "groups of columns")
        yield f"{rows} and {columns} are hidden in the sheet; they are read like others."


def _cells(tags: Iterable[bytes]) -> list[str]:
    """Where cells are, by their tags."""
    return [match[1].decode() for tag in tags if (match := _PLACE.search(tag))]


def _counted(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _there(value: Any) -> bool:
    return value is not None and value != ""


def _chosen(sheets: tuple[str, ...], said: str | int | None, file: Path) -> str:
    """The sheet: by its name or its number, else the first.

    Raises:
        DataError: There is no such sheet.
    """
    if said is None and sheets:
        return sheets[0]
    if isinstance(said, str) and said in sheets:
        return said
    if isinstance(said, int) and 1 <= said <= len(sheets):
        return sheets[said - 1]
    near = nearest(str(said), sheets)
    listed = f"It has {some(sheets)}." if sheets else "It has none."
    raise DataError(
        f"there is no sheet {said!r}",
        where=str(file),
        fix=(f"Did you mean {near!r}? " if near else "") + listed,
    )


for _suffix, _title in ((".xlsx", "Excel"), (".xls", "Excel"), (".ods", "OpenDocument")):
    FORMATS.register(
        FileFormat(
            name=_suffix,
            title=_title,
            view=isolated(f"{__name__}:read", library="python_calamine"),
            keys=frozenset({"sheet"}),
            empty_text=False,
        )
    )
