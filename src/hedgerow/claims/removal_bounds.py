"""How much of a group that fails could stay in a release: bounds for the search.

A group that fails may have parts that pass, and at finer levels these would stay. All parts
that stay are, together, a passing group (models are monotone in generalisation), so whatever
must be true of the counts of a passing group bounds how many of the people can stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Floats, Groups, Histogram, Ints

ROUNDS = 60
SLACK = 1e-9
"""Relative; bounds are rounded up by it, never down."""


def could_stay(
    groups: Groups,
    histogram: Histogram,
    *,
    most: Floats,
    least: Floats | None = None,
    shape: Floats | None = None,
    far: float = 1.0,
) -> Ints:
    """At most how many people of each group can be in parts that pass.

    Args:
        groups: The groups, failing or not.
        histogram: Their sensitive values.
        most: In a passing group at most this share of people has each value.
        least: In a passing group at least this share of people has each value.
        shape: The whole table's distribution, where `far` is given.
        far: A passing group's distribution is at most this far from it (total variation).
    """
    none = np.zeros(0)
    return _could_stay(
        histogram.indptr,
        histogram.codes,
        histogram.counts,
        groups.n,
        most * (1 + SLACK),
        none if least is None else least * (1 - SLACK),
        none if shape is None else shape,
        far + SLACK,
    )


def largest_share(l: float, values: int) -> float:  # noqa: E741
    """The largest share one of `values` values can have if their entropy is at least ln l.

    >>> round(largest_share(2.0, 2), 6), largest_share(1.0, 5)
    (0.5, 1.0)
    """
    if values <= 1 or l <= 1:
        return 1.0
    low, high = 1.0 / values, 1.0
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        rest = 1 - middle
        entropy = -middle * np.log(middle) - rest * np.log(rest / (values - 1))
        low, high = (middle, high) if entropy >= np.log(l) else (low, middle)
    return high


@kernel
def _could_stay(
    indptr: Ints,
    codes: NDArray[np.int32],
    counts: Ints,
    n: Ints,
    most: Floats,
    least: Floats,
    shape: Floats,
    far: float,
) -> Ints:
    """At most how many people of each group can be in parts that pass.

    Args:
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
        counts: How many people have each.
        n: People of each group.
        most: In a passing group at most this share of people has each value.
        least: In a passing group at least this share has each value; empty: nothing is said.
        shape: The whole table's distribution; empty: nothing is said.
        far: How far from it a passing group's may be.
    """
    stay = np.zeros(len(n), np.int64)
    row = np.zeros(len(most), np.float64)
    for g in range(len(n)):
        people = float(n[g])
        for e in range(indptr[g], indptr[g + 1]):
            row[codes[e]] = counts[e]
        for s in range(len(least)):
            if least[s] > 0:
                people = min(people, row[s] / least[s])
        # People who stay have values, so they are at most the sum of what each value may have.
        for _ in range(ROUNDS):
            total = 0.0
            for e in range(indptr[g], indptr[g + 1]):
                total += min(float(counts[e]), most[codes[e]] * people)
            if total >= people * (1 - 1e-12):
                break
            people = total
        if len(shape) > 0 and people > 0:
            # What they lack of the table's distribution grows with how many they are.
            low, high = 0.0, people
            middle = people
            for _ in range(ROUNDS):
                lack = 0.0
                for s in range(len(shape)):
                    lack += max(shape[s] - row[s] / middle, 0.0)
                if lack <= far:
                    low = middle
                else:
                    high = middle
                if high - low < 0.5:
                    break
                middle = (low + high) / 2
            people = high
        for e in range(indptr[g], indptr[g + 1]):
            row[codes[e]] = 0.0
        stay[g] = min(n[g], np.int64(people * (1 + 1e-9) + 1e-6))
    return stay
