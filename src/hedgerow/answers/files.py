"""Answers in files: complete, or not there at all."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hedgerow.answers.answer import Answer
from hedgerow.base.errors import TargetError
from hedgerow.engines.csv_lines import QUOTED, header, unrun

KINDS = (".csv", ".json")


def check_file(path: Path, *, several: bool = False) -> None:
    """Refuse a place where no answer can be written, before anything is spent for it.

    Args:
        path: The file.
        several: Whether the answer has more tables than one.

    Raises:
        TargetError: The file is there already, or no such file can be written.
    """
    if path.suffix.lower() not in KINDS:
        raise TargetError(
            f"{path.suffix or 'no suffix'} is no kind of file for an answer",
            where=str(path),
            fix="End it in .csv or .json.",
        )
    if several and path.suffix.lower() == ".csv":
        raise TargetError(
            "a CSV file holds one table, and this answer has several",
            where=str(path),
            fix="End it in .json, or ask for one --table.",
        )
    if path.exists():
        raise TargetError("is there already", where=str(path), fix="Choose another name.")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise TargetError(
            "its folder is not there, or cannot be written to",
            where=str(path),
            fix="Make the folder first.",
        )


def write_answer(answer: Answer, path: Path, *, escape: bool = False) -> None:
    """Write an answer to a new file: as JSON all of it, as CSV its one table.

    Args:
        answer: The answer.
        path: The file.
        escape: Whether text that a spreadsheet would run gets an apostrophe; of CSV only.

    Raises:
        TargetError: It cannot be written; the answer stays in the ledger, and the same question
            gets it again for nothing.
    """
    if path.suffix.lower() == ".json":
        content = answer.to_bytes() + b"\n"
    else:
        shown = answer.table
        lines = zip(*shown.columns.values(), strict=True)
        body = "".join(_line(line, escape=escape) for line in lines)
        content = header(list(shown.columns), escape=escape) + body.encode()
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".hedgerow-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                os.fchmod(file.fileno(), 0o666 & ~_umask())
            os.link(name, path)  # fails where the file has come to be meanwhile
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise TargetError(
            f"cannot be written: {error.strerror or error}",
            where=str(path),
            fix="The answer is in the ledger: ask the same again, it costs nothing.",
        ) from error


def _line(values: Sequence[Any], *, escape: bool) -> str:
    r"""A line of CSV; missing is an empty field, empty text is quoted.

    >>> _line([None, "", "a,b", "=x", -3, 0.5], escape=True)
    ',"","a,b",\'=x,-3,0.5\n'
    """
    return ",".join(_field(value, escape=escape) for value in values) + "\n"


def _field(value: Any, *, escape: bool) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value)
    text = unrun(value) if escape else value
    if text and not re.search(QUOTED, text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now
