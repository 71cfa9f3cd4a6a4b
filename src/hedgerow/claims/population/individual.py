"""The risk of each record: one over the people of the population who are in its group.

Someone who has a list of the population finds F people in a group of which the sample has f, and
picks the right one with the chance 1 / F. F is not known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.population.estimate import DEVIATIONS
from hedgerow.table.groups import Floats, Ints

Flags = NDArray[np.bool_]
SERIES_FROM = 64
"""Size of groups from which the series has converged after as many terms."""
HALF = 0.5
LARGEST = 1_000
"""Larger groups count with one over their size, without an estimate."""
WIDTH = 4
"""Sizes from k to k + k // WIDTH are estimated together: large ones are rare."""


def benedetti_franconi(n: Ints, weights: Floats) -> Floats:
    """The mean of 1 / F where F is n plus a negative binomial number, with mean `weights`.

    With p = n / weights it is the integral of v^(n - 1) / (1 + (1 - p) / p v) over v from 0 to 1,
    which is p / n times the hypergeometric function 2F1(1, 1; n + 1; 1 - p).

    Args:
        n: Sizes of groups in the sample, at least 1.
        weights: How many people of the population each group stands for, at least n.

    >>> benedetti_franconi(np.array([1, 2]), np.array([17.0, 110.0])).round(8).tolist()
    [0.17707583, 0.01714426]
    """
    p = n / weights
    q = (weights - n) / weights
    found = np.zeros(len(n))
    series = (n >= SERIES_FROM) | (q <= HALF)
    term = np.where(series, p / n, 0.0)
    for i in range(1, SERIES_FROM + 1):
        found += term
        term = term * q * i / (n + i)
    few = np.flatnonzero(~series)
    if len(few):
        ratio = q[few] / p[few]
        risk = np.log1p(ratio) / ratio
        for size in range(1, int(n[few].max())):
            more = n[few] > size
            risk = np.where(more, (1 / size - risk) / ratio, risk)
        found[few] = risk
    return found


def contradicted(n: Ints, *, sizes: Ints) -> Flags:
    """Whether the sample says that the model's risk is too low for groups of these sizes.

    The model's F - k has the mean k r in groups of k people. In any population it is
    (k + 1) r f_(k+1) / f_k, where f_k is how many groups have k people. Both are equal if as many
    people are in groups of k as in groups of k + 1. More people in groups of k, beyond what chance
    explains, mean that F is smaller than the model says.

    Args:
        n: Sizes of groups.
        sizes: Of all groups of the sample.
    """
    counts = np.bincount(sizes, minlength=int(n.max()) + 2).astype(np.float64)
    own, more = counts[n], counts[n + 1]
    off = n * own - (n + 1) * more
    found: Flags = off > DEVIATIONS * np.sqrt(n**2 * own + (n + 1) ** 2 * more)
    return found


def bounded_risk(n: Ints, odds: Floats, *, sizes: Ints, left_out: int) -> Floats:
    """At most how large 1 / F is on average in groups of about these sizes, without a model.

    Take the groups of the sample with k people, and let x be F - k. In expectation, the sum of x
    over them is (k + 1) r f_(k+1), and that of x (x - 1) is (k + 1) (k + 2) r^2 f_(k+2), where
    f_k is how many groups have k people and r = (1 - p) / p. Of all distributions with these two
    moments, 1 / (k + x) is largest on average where x is 0 or one other number, which gives

        k * sum of 1 / F  <=  f_k - (k+1) r f_(k+1)^2 / ((k+1) f_(k+1) + (k+2) r f_(k+2)).

    Products are those whose expectation chance does not raise, as in `moment_bound`; the result is
    the upper end of a one-sided interval. It is never above 1 / k: F is at least k.

    Args:
        n: Sizes of groups.
        odds: Of each, (1 - p) / p.
        sizes: Of all groups of the sample.
        left_out: People of the sample in no group. They may have been in groups of any size.
    """
    found = 1.0 / n
    small = np.flatnonzero(n <= LARGEST)
    if not len(small):
        return found
    counts = np.bincount(sizes[sizes <= 2 * LARGEST], minlength=2 * LARGEST + 3).astype(np.float64)
    k, r = n[small], odds[small]
    total, variance, people = np.zeros(len(k)), np.zeros(len(k)), np.zeros(len(k))
    for step in range(int(k.max()) // WIDTH + 1):
        inside = step <= k // WIDTH
        j = np.where(inside, k + step, k)
        own = counts[j] + left_out / j
        more, most = counts[j + 1], counts[j + 2] + left_out / (j + 2)
        below = (j + 1) * more + (j + 2) * r * (most + 1)
        less = (j + 1) * r * more * np.maximum(more - 1, 0) / below
        by_more = np.where(more > 1, ((j + 1) * r * (2 * more - 1) - less * (j + 1)) / below, 0.0)
        by_most = less * (j + 2) * r / below
        total += np.where(inside, (own - less) / j, 0.0)
        spread = own + more * by_more**2 + most * by_most**2
        variance += np.where(inside, spread / j**2, 0.0)
        people += np.where(inside, counts[j], 0.0)
    upper = (total + DEVIATIONS * np.sqrt(variance)) / np.maximum(people, 1)
    found[small] = np.minimum(found[small], upper)
    return found
