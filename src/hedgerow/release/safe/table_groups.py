"""The groups of a safe release that is a table, counted where it is."""

from __future__ import annotations

import numpy as np

from hedgerow.base.errors import DataError, some
from hedgerow.engines import TablePlace
from hedgerow.release.safe.request import PublishedColumns
from hedgerow.table.contents import Contents
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Codes


def read_groups(place: TablePlace, shown: PublishedColumns) -> tuple[Codes, Ints]:
    """The different rows, as places of their values in the labels, sorted; and how many of each.

    Raises:
        DataError: It cannot be read, or has columns or values that are not among these.
    """
    contents = Contents.read(place, quasi=shown.columns)
    if contents.headers != tuple(shown.columns):
        raise DataError(
            f"the table has the columns {some(contents.headers)}, and not {some(shown.columns)}"
        )
    codes = np.empty((contents.size, len(shown.columns)), np.int32)
    for j, (name, cells) in enumerate(shown.cells.items()):
        domain = {label: code for code, label in enumerate(cells.labels)}
        if any(value not in domain for value in contents.texts[j]):
            raise DataError(f"the table has values of {name!r} that are not in its domain")
        places = np.array([domain[value] for value in contents.texts[j]], np.int32)
        codes[:, j] = places[contents.codes[:, j]]
    order = np.lexsort(codes.T[::-1])
    return codes[order], contents.sizes().n[order]
