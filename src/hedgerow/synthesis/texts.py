"""How values stand in the files of a randomised release: lines of CSV, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as pa_csv

from hedgerow.answers.public_knowledge import Labelled
from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.engines.csv_lines import QUOTED, payload
from hedgerow.table.written_form import WrittenForm


class Columned(Protocol):
    """What has columns, each with the values a file may have of it."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def cells(self) -> Mapping[str, Labelled]: ...


def form_of(columns: Sequence[str], *, escaped: bool) -> WrittenForm:
    """How the values of a CSV file with these columns are written."""
    return WrittenForm(escaped=escaped, alone=len(columns) == 1)


def field(text: str | None) -> str:
    r"""A value as it stands in a line.

    >>> [field(text) for text in ("flu", None, "", 'a "b"; c')]
    ['flu', '', '""', '"a ""b""; c"']
    """
    if text is None:
        return ""
    quoted = not text or re.search(QUOTED, text)
    return '"' + text.replace('"', '""') + '"' if quoted else text


def refuse_alike(request: Columned, *, escaped: bool) -> None:
    """Refuse values that could not be told apart in the files.

    Raises:
        PlanError: Two values of a column, or two columns, would be written alike.
    """
    form = form_of(request.columns, escaped=escaped)
    names = [form.header(name) for name in request.columns]
    if twice := [name for name in names if names.count(name) > 1]:
        raise PlanError(f"two columns would be called {twice[0]!r}", fix="Rename one.")
    for column, cells in request.cells.items():
        first: dict[str | None, str | None] = {}
        for label in cells.labels:
            text = form.written(label)
            if text in first:
                raise PlanError(
                    f"{some([first[text], label])} of {column!r} would be written alike",
                    fix="Leave one out, give numbers a larger step, or do not escape formulas.",
                )
            first[text] = label


def joined(fields: Sequence[Any]) -> memoryview:
    """Bytes of lines, from arrays of fields or single ones that stand in every line."""
    *first, last = fields
    ended = pc.binary_join_element_wise(last, pa.scalar(""), pa.scalar("\n"))
    return payload(pc.binary_join_element_wise(*first, ended, pa.scalar(",")))


def read_csv(path: Path, header: Sequence[str]) -> Any:
    """All columns of a file as text, an empty field being missing and "" empty text.

    Raises:
        DataError: It cannot be read, or has other columns.
    """
    try:
        found = pa_csv.read_csv(
            path,
            parse_options=pa_csv.ParseOptions(newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path.name} cannot be read: {_first_line(error)}") from None
    require_columns(path, found, header)
    return found


def require_columns(path: Path, found: Any, header: Sequence[str]) -> None:
    """Refuse a file with other columns.

    Raises:
        DataError: It has other ones, or another order.
    """
    if found.column_names != list(header):
        raise DataError(
            f"{path.name} has the columns {some(found.column_names)}, and not {some(header)}"
        )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
