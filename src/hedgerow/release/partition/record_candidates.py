"""How many records of a published table may fit one person, as whoever has only the table sees it.

Where every label of a column is of one level of its hierarchy, or a star, two labels that differ
have no value in common unless one is a star. A person fits their own record, so every record that
fits them agrees with it wherever both have a label.
"""

from __future__ import annotations

import numpy as np

from hedgerow.recode.cell_suppression import KIND as CELLS
from hedgerow.table.contents import Contents
from hedgerow.table.groups import Ints
from hedgerow.table.location import groups_that_fit
from hedgerow.table.published_table import ANY

ONE_LEVEL = frozenset({CELLS, "full-domain"})
"""Kinds of recodings whose labels of a column are all of one level, or stars."""


def most_fitting(contents: Contents) -> Ints:
    """For each group, how many records may fit one of its people, at most.

    No more people fit one of its records either: their own records agree with it.

    Args:
        contents: The table, recoded by one of `ONE_LEVEL`.
    """
    n = contents.sizes().n
    if not contents.texts:
        return n
    fits = []
    for texts in contents.texts:
        star = np.array([text == ANY for text in texts], np.bool_)
        fits.append(np.eye(len(texts), dtype=np.bool_) | star[:, None] | star[None, :])
    start, found = groups_that_fit(fits, contents.codes, contents.codes)
    total = np.concatenate(([0], np.cumsum(n[found])))
    most: Ints = total[start[1:]] - total[start[:-1]]
    return most
