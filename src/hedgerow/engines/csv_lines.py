"""CSV as SQL: a line of text from columns of text, made by the engine and never row by row here.

Written as RFC 4180 has it: a missing value is an empty field, empty text is "", and a field
that holds a separator, a quote or a line end is quoted. Semicolons and tabs are quoted too, so
that no reader can take them for the separator. Where there is one column, a missing value is ""
as well: an empty line would be skipped by most readers, and somebody would be gone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

QUOTED = r'[",;\t\r\n]'
FORMULA = r"^[=+\-@\t\r]"
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""A plain decimal number; RE2 and Python read it alike."""


def header(names: Sequence[str], *, escape: bool = False) -> bytes:
    r"""The first line.

    >>> header(["age", "a;b", 'c "d" e', "=x"], escape=True)
    b'age,"a;b","c ""d"" e",\'=x\n'
    """
    if escape:
        names = [unrun(name) for name in names]
    fields = [
        '"' + name.replace('"', '""') + '"' if re.search(QUOTED, name) else name for name in names
    ]
    return (",".join(fields) + "\n").encode()


def line(columns: Sequence[str]) -> str:
    """SQL of a whole line, from SQL of the columns' text."""
    missing = "''" if len(columns) > 1 else "'\"\"'"
    fields = (
        f"CASE WHEN {c} IS NULL THEN {missing} WHEN {c} = '' OR regexp_matches({c}, '{QUOTED}') "
        f"""THEN '"' || replace({c}, '"', '""') || '"' ELSE {c} END"""
        for c in columns
    )
    return f"concat_ws(',', {', '.join(fields)}) || chr(10)"


def escaped(column: str) -> str:
    """SQL of a column's text, with an apostrophe before what a spreadsheet would run."""
    return (
        f"CASE WHEN regexp_matches({column}, '{FORMULA}') "
        f"AND NOT regexp_full_match({column}, '{NUMBER}') "
        f"THEN chr(39) || {column} ELSE {column} END"
    )


def unrun(text: str) -> str:
    """What `escaped` makes of a text, here in Python.

    >>> unrun("=1+1"), unrun("-1.5"), unrun("flu")
    ("'=1+1", '-1.5', 'flu')
    """
    runs = re.match(FORMULA, text) and not re.fullmatch(NUMBER, text)
    return f"'{text}" if runs else text


def rerun(text: str) -> str:
    """The text that `unrun` was given, as far as anybody can tell.

    >>> rerun("'=1+1"), rerun("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and unrun(text[1:]) == text else text


def payload(lines: Any) -> memoryview:
    """The bytes of an Arrow array of text, one value after the other, without copying."""
    _, offsets, data = lines.buffers()
    if data is None:
        return memoryview(b"")
    width = np.int64 if str(lines.type).startswith("large") else np.int32
    places = np.frombuffer(offsets, width)
    start, end = places[lines.offset], places[lines.offset + len(lines)]
    return memoryview(data)[int(start) : int(end)]
