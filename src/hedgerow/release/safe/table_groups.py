"""The groups of a safe release that is a table, counted where it is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.base.errors import DataError, some
from hedgerow.engines import TablePlace, open_table
from hedgerow.release.safe.request import Shown
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Codes


def read_groups(place: TablePlace, shown: Shown) -> tuple[Codes, Ints]:
    """The different rows, as places of their values in the labels, sorted; and how many of each.

    Raises:
        DataError: It cannot be read, or has columns or values that are not among these.
    """
    with open_table(place) as engine:
        if engine.columns() != shown.columns:
            raise DataError(
                f"the table has the columns {some(engine.columns())}, and not {some(shown.columns)}"
            )
        counted = engine.counts(shown.columns)
    counts = np.asarray(counted["n"].to_numpy(), np.int64)
    codes = np.empty((len(counts), len(shown.columns)), np.int32)
    for j, (name, cells) in enumerate(shown.cells.items()):
        places = pc.index_in(counted[f"q{j}"], value_set=pa.array(cells.labels, pa.string()))
        if places.null_count:
            raise DataError(f"the table has values of {name!r} that are not in its domain")
        codes[:, j] = places.to_numpy()
    order = np.lexsort(codes.T[::-1])
    return codes[order], counts[order]
