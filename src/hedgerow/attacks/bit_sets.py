"""Sets of values of many people, a bit a value, 64 to a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Ints

Words = NDArray[np.uint64]
ALL = np.iinfo(np.uint64).max
"""A word with every bit set."""


@kernel
def counted(words: Words) -> Ints:
    """How many bits are set in each row."""
    count = np.zeros(len(words), np.int64)
    for t in range(len(words)):
        for w in range(words.shape[1]):
            bits = words[t, w]
            while bits != 0:
                bits &= bits - np.uint64(1)
                count[t] += 1
    return count


def has(words: Words, codes: Ints | int) -> NDArray[np.bool_]:
    """Whether each row has its bit; the same for all, if one is given."""
    safe = np.maximum(np.asarray(codes, np.int64), 0)
    bits = words[np.arange(len(words)), safe >> 6] >> (safe & 63).astype(np.uint64)
    return np.asarray((bits & np.uint64(1)) != 0)


def one_left(words: Words, *, blank: int | None) -> NDArray[np.bool_]:
    """Which rows have exactly one bit, and not the blank one."""
    one: NDArray[np.bool_] = counted(words) == 1
    return one if blank is None else one & ~has(words, blank)
