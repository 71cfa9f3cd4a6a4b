"""Folds: who is set aside when something is tried on people it was not trained on."""

from __future__ import annotations

import numpy as np

from hedgerow.table.groups import Ints

FOLDS = 5
SEED = 20061
"""Who is in which fold is drawn once; it protects nobody, so that any generator will do."""


def dealt(n: Ints) -> Ints:
    """How many of the rows that are alike are in each fold, as equal as can be.

    >>> dealt(np.array([10, 0])).tolist()
    [[2, 2, 2, 2, 2], [0, 0, 0, 0, 0]]
    """
    random = np.random.Generator(np.random.PCG64(SEED))
    each, rest = np.divmod(n, FOLDS)
    part = np.repeat(each[:, None], FOLDS, axis=1)
    order = np.argsort(random.random((len(n), FOLDS)), axis=1)
    found: Ints = (part + (np.argsort(order, axis=1) < rest[:, None])).astype(np.int64)
    return found
