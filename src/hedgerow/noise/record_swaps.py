"""Record swapping: pairs of people, drawn by lot within strata, who exchange a value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.noise import samplers

Ints = NDArray[np.int64]
_KEYS = 2**62


def swapped_places(strata: Ints, *, rate: Fraction) -> Ints:
    """For each person the person whose value they get: themselves, or the other of a pair.

    Of n people in a stratum, as many pairs are drawn as have at least the share `rate` of them, if
    there are so many people. Every set of pairs is equally likely. Who is paired may have had equal
    values, so fewer values change than people are paired.

    Swapping has no guarantee: it keeps how often each value stands in each stratum, and says of
    nobody how likely a value is to be their own.

    Args:
        strata: The stratum of each person; only people of one stratum are paired.
        rate: The share of people in pairs.
    """
    order = np.lexsort((_keys(len(strata)), strata))
    starts = np.flatnonzero(np.diff(strata[order], prepend=-1))
    places = np.arange(len(strata))
    for people in np.split(order, starts[1:]):
        n = len(people)
        pairs = min(n // 2, -(-n * rate.numerator // (2 * rate.denominator)))
        left, right = people[: 2 * pairs : 2], people[1 : 2 * pairs : 2]
        places[left], places[right] = right, left
    return places


def _keys(size: int) -> Ints:
    """Different random numbers: sorting by them is an order as likely as any other."""
    while True:
        keys = samplers.uniform(size, below=_KEYS)
        if len(np.unique(keys)) == size:
            return keys
