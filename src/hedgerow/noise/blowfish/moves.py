"""How many moves it takes at most until they make up for each other, and no fewer would do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.noise.blowfish.secret_graph import Flags, Ints

MOST_SUMS = 20_000
"""Sums that are looked at before the search gives up."""
MOST_VECTORS = 200
"""With more it gives up at once."""


def longest_sum(vectors: Ints) -> int | None:
    """The largest number of vectors, repetitions counted, in a shortest sum of 0.

    Shortest: no proper part of it is 0 by itself. Sums are built up one vector at a time, adding
    only vectors that lie against the sum so far, and dropping what contains a sum of 0 already:
    every shortest sum can be ordered in that way, and there are finitely many.

    Reference: Contejean and Devie, An efficient incremental algorithm for solving systems of
    linear Diophantine equations (1994).

    Args:
        vectors: Different ones, a row each, without 0.

    Returns:
        None where there are too many sums to look at.

    >>> longest_sum(np.array([[1, 1], [1, -1], [-1, 0]]))
    4
    """
    k = len(vectors)
    if k > MOST_VECTORS:
        return None
    used = np.eye(k, dtype=np.int8)
    zeros = np.zeros((0, k), np.int8)
    longest = looked = 0
    while len(used):
        looked += len(used)
        sums = used.astype(np.int64) @ vectors
        done = np.logical_not(np.any(sums, axis=1))
        if done.any():
            longest = int(used[done][0].sum())
            zeros = np.concatenate([zeros, used[done]])
        at, add = np.nonzero((sums @ vectors.T < 0) & ~done[:, None])
        if looked > MOST_SUMS or len(at) > 20 * MOST_SUMS:
            return None
        longer = used[at]
        longer[np.arange(len(at)), add] += 1
        used = np.unique(longer, axis=0)
        used = used[~_contain(used, zeros)]
    return longest


def _contain(sums: NDArray[np.int8], parts: NDArray[np.int8]) -> Flags:
    """Which sums contain one of the parts."""
    found = np.zeros(len(sums), np.bool_)
    for part in parts:
        found |= np.all(sums >= part, axis=1)
    return found
