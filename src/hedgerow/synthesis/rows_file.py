"""data.csv or data.parquet: rows of nobody, in the order of their columns' domains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hedgerow.answers.public_knowledge import Labelled
from hedgerow.base.delivery import sha256
from hedgerow.base.errors import DataError
from hedgerow.engines.csv_lines import header as header_line
from hedgerow.engines.file_target import replacing
from hedgerow.synthesis.synthetic_records import Codes
from hedgerow.synthesis.texts import Columned, field, form_of, joined, read_csv, require_columns

AT_ONCE = 1_000_000
"""Rows made at once; bounds memory."""
WHOLE = 2**53
"""Whole numbers up to this are the same as doubles, whoever reads them."""


def write_rows(path: Path, request: Columned, records: Codes, *, escaped: bool) -> str:
    """Write rows; the file's SHA-256.

    Args:
        path: Ends in .csv or .parquet.
        request: Whose columns they have.
        records: For each row and column the place of its value in the domain, sorted.
        escaped: Whether an apostrophe stands before what a spreadsheet would run; CSV only.
    """
    with replacing(path) as part:
        if path.suffix == ".parquet":
            columns = {
                name: typed(cells).take(pa.array(records[:, j]))
                for j, (name, cells) in enumerate(request.cells.items())
            }
            pq.write_table(pa.table(columns), part)
            return sha256(part)
        form = form_of(request.columns, escaped=escaped)
        fields = [
            pa.array([field(form.written(label)) for label in cells.labels])
            for cells in request.cells.values()
        ]
        with part.open("wb") as file:
            file.write(header_line(request.columns, escape=escaped))
            for start in range(0, len(records), AT_ONCE):
                some = records[start : start + AT_ONCE]
                file.write(joined([one.take(pa.array(some[:, j])) for j, one in enumerate(fields)]))
        return sha256(part)


def read_rows(path: Path, request: Columned, *, escaped: bool) -> Codes:
    """The places of the values of rows in their domains.

    Raises:
        DataError: It cannot be read, or has a value that is in no domain.
    """
    if path.suffix == ".parquet":
        try:
            found = pq.read_table(path)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{path.name} cannot be read: {error}") from None
        require_columns(path, found, request.columns)
        values = [typed(cells) for cells in request.cells.values()]
    else:
        form = form_of(request.columns, escaped=escaped)
        found = read_csv(path, [form.header(name) for name in request.columns])
        values = [
            pa.array([form.written(label) for label in cells.labels], pa.string())
            for cells in request.cells.values()
        ]
    records = np.empty((len(found), len(values)), np.int32)
    for j, (name, domain) in enumerate(zip(request.columns, values, strict=True)):
        column = found.column(j)
        places = pc.index_in(column, value_set=domain) if column.type == domain.type else None
        if places is None or places.null_count:
            raise DataError(f"{path.name} has values of {name!r} that are not in its domain")
        records[:, j] = places.to_numpy()
    return records


def typed(cells: Labelled) -> Any:
    """The values of a column as Parquet holds them: numbers where the plan has bounds."""
    if not cells.middles:
        return pa.array(cells.labels, pa.string())
    if all(x.denominator == 1 and abs(x) <= WHOLE for x in cells.middles):
        return pa.array([int(x) for x in cells.middles], pa.int64())
    return pa.array([float(x) for x in cells.middles], pa.float64())
