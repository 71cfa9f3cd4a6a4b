"""Record swapping: pairs of people, drawn by lot within strata, who exchange a value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.noise import samplers

Ints = NDArray[np.int64]
_KEYS = 2**62


def swapped_places(strata: Ints, *, rate: Fraction) -> Ints:
    """For each person the person whose value they get: themselves, or the other of a pair.

    Of n people in a stratum, n rate / 2 pairs are drawn, or as many as there can be. Whether a
    number with a fraction is rounded up or down is drawn by lot too, so that it is kept on average:
    if it were always rounded up, two people of a stratum would exchange their values for certain,
    whatever the rate. Every set of so many pairs is equally likely. Who is paired may have had
    equal values, so fewer values change than people are paired.

    Swapping has no guarantee: it keeps how often each value stands in each stratum, and says of
    nobody how likely a value is to be their own.

    Args:
        strata: The stratum of each person; only people of one stratum are paired.
        rate: The share of people in pairs, on average.

    Raises:
        PlanError: The rate has too many digits.
    """
    order = np.lexsort((_keys(len(strata)), strata))
    starts = np.flatnonzero(np.diff(strata[order], prepend=-1))
    places = np.arange(len(strata))
    together, unit = np.split(order, starts[1:]), 2 * rate.denominator
    if unit > _KEYS:
        raise PlanError(
            "the rate has too many digits to be drawn exactly", fix="Write it with fewer digits."
        )
    lot = samplers.uniform(len(together), below=unit).tolist()
    for people, drawn in zip(together, lot, strict=True):
        n = len(people)
        whole, parts = divmod(n * rate.numerator, unit)
        pairs = min(n // 2, whole + (drawn < parts))
        left, right = people[: 2 * pairs : 2], people[1 : 2 * pairs : 2]
        places[left], places[right] = right, left
    return places


def _keys(size: int) -> Ints:
    """Different random numbers: sorting by them is an order as likely as any other."""
    while True:
        keys = samplers.uniform(size, below=_KEYS)
        if len(np.unique(keys)) == size:
            return keys
