"""tables.csv: every cell of every table in a line, with its noisy number and its count."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hedgerow.answers.design import Numbers
from hedgerow.base.delivery import sha256
from hedgerow.base.errors import DataError
from hedgerow.engines.csv_lines import header as header_line
from hedgerow.engines.file_target import replacing
from hedgerow.synthesis.request import SynthesisRequest
from hedgerow.synthesis.tables_and_rows import Floats
from hedgerow.synthesis.texts import field, joined, read_csv
from hedgerow.table.written_form import WrittenForm

NOT_ABOUT = "*"
"""Where a table is not about a column."""
AT_ONCE = 1_000_000
"""Lines made at once; bounds memory."""


def header(request: SynthesisRequest) -> list[str]:
    """The columns of the file; its own are called otherwise where the data have such a column.

    `table` comes first, `noisy` and `count` last.
    """
    taken = {column.casefold() for column in request.columns}
    own = []
    for name in ("table", "noisy", "count"):
        while name in taken:
            name += "_"
        own.append(name)
    return [own[0], *request.columns, *own[1:]]


def write_tables(
    path: Path,
    request: SynthesisRequest,
    noisy: Sequence[Numbers],
    counts: Sequence[Floats],
    *,
    escaped: bool,
) -> str:
    """Write the file; its SHA-256."""
    form = WrittenForm(escaped=escaped)
    fields = {
        column: pa.array([field(form.written(label)) for label in cells.labels])
        for column, cells in request.cells.items()
    }
    with replacing(path) as part:
        with part.open("wb") as file:
            file.write(header_line(header(request), escape=escaped))
            tables = zip(request.tables, noisy, counts, strict=True)
            for number, (columns, drawn, made) in enumerate(tables, 1):
                for start in range(0, len(drawn), AT_ONCE):
                    end = min(start + AT_ONCE, len(drawn))
                    places = _places(request, columns, start, end)
                    file.write(
                        joined(
                            [
                                pa.scalar(str(number)),
                                *(
                                    fields[c].take(pa.array(places[c]))
                                    if c in places
                                    else pa.scalar(NOT_ABOUT)
                                    for c in request.columns
                                ),
                                pa.array(drawn[start:end]).cast(pa.string()),
                                pa.array(made[start:end]).cast(pa.string()),
                            ]
                        )
                    )
        return sha256(part)


def read_tables(
    path: Path, request: SynthesisRequest, *, escaped: bool
) -> tuple[tuple[Numbers, ...], tuple[Floats, ...]]:
    """The noisy numbers and the counts of each table.

    Raises:
        DataError: It cannot be read, or its lines are not the cells of the tables.
    """
    form = WrittenForm(escaped=escaped)
    names = [form.header(name) for name in header(request)]
    found = read_csv(path, names)
    sizes = [int(np.prod(request.shape(columns))) for columns in request.tables]
    if len(found) != sum(sizes):
        raise DataError(
            f"{path.name} has {len(found):,} lines, and the tables have {sum(sizes):,} cells"
        )
    labels = {
        column: pa.array([form.written(label) for label in cells.labels], pa.string())
        for column, cells in request.cells.items()
    }
    start = 0
    for number, (columns, size) in enumerate(zip(request.tables, sizes, strict=True), 1):
        lines = found.slice(start, size)
        places = _places(request, columns, 0, size)
        start += size
        expected = {names[0]: pa.repeat(pa.scalar(str(number)), size)}
        for name, column in zip(names[1:-2], request.columns, strict=True):
            expected[name] = (
                labels[column].take(pa.array(places[column]))
                if column in places
                else pa.repeat(pa.scalar(NOT_ABOUT), size)
            )
        for name, wanted in expected.items():
            if not lines[name].combine_chunks().equals(wanted):
                raise DataError(
                    f"the lines of table {number} in {path.name} are not its cells: {name!r} "
                    "differs"
                )
    try:
        noisy = found[names[-2]].cast(pa.int64())
        counts = found[names[-1]].cast(pa.float64())
    except pa.ArrowInvalid:
        raise DataError(f"{path.name} has something else than numbers for counts") from None
    if noisy.null_count or counts.null_count:
        raise DataError(f"{path.name} lacks a number")
    ends = np.cumsum(sizes)[:-1]
    return (
        tuple(np.split(noisy.to_numpy(), ends)),
        tuple(np.split(counts.to_numpy(), ends)),
    )


def _places(
    request: SynthesisRequest, columns: tuple[str, ...], start: int, end: int
) -> dict[str, NDArray[np.int64]]:
    """For each column of a table, the places of the values of cells."""
    places = np.unravel_index(np.arange(start, end), request.shape(columns))
    return dict(zip(columns, places, strict=True))


def lines_of(path: Path, columns: Sequence[str], *, escaped: bool) -> Any:
    """The file as a pyarrow.Table: the number of the table, noisy number and count as numbers.

    Raises:
        DataError: It cannot be read, or has other columns.
    """
    found = read_csv(path, [WrittenForm(escaped=escaped).header(name) for name in columns])
    found = found.rename_columns(list(columns))
    types = {columns[0]: pa.int64(), columns[-2]: pa.int64(), columns[-1]: pa.float64()}
    for name, kind in types.items():
        place = columns.index(name)
        found = found.set_column(place, name, found[name].cast(kind))
    return found
