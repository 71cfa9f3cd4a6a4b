"""Columns of counted text as codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow.table.groups import Histogram, Ints

Codes = NDArray[np.int32]


def encoded(column: Any) -> tuple[list[str | None], Codes]:
    """Distinct values in order (missing last, if any) and the position of each entry's value."""
    dictionary = _whole(column).dictionary_encode()
    order = pc.sort_indices(dictionary.dictionary)
    values: list[str | None] = dictionary.dictionary.take(order).to_pylist()
    rank = np.empty(len(values) + 1, np.int32)
    rank[order.to_numpy()] = np.arange(len(values))
    rank[-1] = len(values)
    codes = pc.fill_null(dictionary.indices, len(values)).to_numpy(zero_copy_only=False)
    if dictionary.indices.null_count:
        values.append(None)
    return values, rank[codes]


def histogram(column: Any, n: Ints) -> tuple[list[str | None], Histogram]:
    """Distinct values, and those of each cell: several where people have several."""
    array = _whole(column)
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        lengths = pc.list_value_length(array).to_numpy(zero_copy_only=False)
        indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        values, codes = encoded(array.flatten())
    else:
        indptr = np.arange(len(n) + 1, dtype=np.int64)
        values, codes = encoded(array)
    return values, Histogram(indptr, codes, np.repeat(n, np.diff(indptr)))


def set_codes(found: Histogram) -> Codes:
    """A code for each cell's set of values, the same whatever order the cells are in."""
    if (np.diff(found.indptr) == 1).all():
        return found.codes
    texts = pc.cast(pa.array(found.codes), pa.string())
    sets = pa.ListArray.from_arrays(pa.array(found.indptr, pa.int32()), texts)
    return encoded(pc.binary_join(sets, ","))[1]


def _whole(column: Any) -> Any:
    """One array, however many chunks the column came in."""
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    return column
