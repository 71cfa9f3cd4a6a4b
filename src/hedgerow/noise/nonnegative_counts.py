"""Numbers with noise made into counts: the nearest that are not negative."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def nonnegative(values: Floats, *, total: float) -> Floats:
    """The nearest numbers, by least squares, that are not negative and add up to a total.

    The same is taken from all of them, and those that would fall under zero are zero. A total
    under zero is taken as zero.

    >>> nonnegative(np.array([5.0, -3.0, 2.0]), total=4.0).tolist()
    [3.5, 0.0, 0.5]
    """
    if not total > 0:
        return np.zeros_like(values)
    flat = np.sort(values, axis=None)[::-1]
    taken = (np.cumsum(flat) - total) / np.arange(1, flat.size + 1)
    # The largest k such that the k largest numbers all stay above zero.
    k = int(np.flatnonzero(flat > taken)[-1])
    return np.asarray(np.maximum(values - taken[k], 0.0))
