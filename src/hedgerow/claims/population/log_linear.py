"""A log-linear model: cells of the population are Poisson, and pairs of columns say how many.

The model uses which values people have, where the other estimators see only how large groups are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from hedgerow.table.groups import Floats, Ints

MOST_CELLS = 200_000
"""Cells of the table of all values, at most."""
MOST_COLUMNS = 12
SWEEPS = 300
NEAR = 0.05
"""How near, in people, the model's margins have to be to the sample's."""


@dataclass(frozen=True, kw_only=True)
class LogLinearRisk:
    """What the model expects of the people who are alone in the sample."""

    unique: float
    """How many of them are unique in the population."""
    right: float
    """How many of them an attacker with a list of the population finds: the sum of 1 / F."""

    def sentence(self, people: int, alone: int) -> str:
        """For the steward."""
        unique, right = self.unique / people, self.right / alone
        return (
            "A log-linear model with all pairs of quasi-identifiers expects "
            f"{unique:.2%} of the people to be unique in the population, and 1 / F to be "
            f"{right:.1%} on average for those who are alone in the table. It has no interval, and "
            "is too low where few people have each pair of values."
        )


def log_linear(codes: NDArray[np.int32], n: Ints, *, fraction: float) -> LogLinearRisk | None:
    """Fit all pairs of columns, and ask the model about those who are alone.

    With an expected number m of people of the sample in a cell, the others of the population there
    are Poisson with mean v = m (1 - p) / p. A sample unique is unique in the population with the
    chance exp(-v), and 1 / F has the mean (1 - exp(-v)) / v.

    Reference: Skinner, Holmes 1998, Journal of Official Statistics 14; Elamir, Skinner 2006,
    Journal of Official Statistics 22.

    Args:
        codes: The value of each group in each column.
        n: People of each group.
        fraction: Share of the population that is in the sample.

    Returns:
        None where nobody is alone, the table of all values is too large, or the fit has not come
        to rest.
    """
    shape = [len(np.unique(column)) for column in codes.T]
    if not shape or len(shape) > MOST_COLUMNS or prod(shape) > MOST_CELLS:
        return None
    places = tuple(np.unique(column, return_inverse=True)[1] for column in codes.T)
    seen = np.zeros(shape)
    np.add.at(seen, places, n)
    means = fitted(seen)
    if means is None:
        return None
    alone = np.flatnonzero(n == 1)
    if not len(alone):
        return None
    others = means[tuple(place[alone] for place in places)] * (1 - fraction) / fraction
    some = np.where(others > 0, others, 1.0)
    found = np.where(others > 0, -np.expm1(-some) / some, 1.0)
    return LogLinearRisk(unique=float(np.exp(-others).sum()), right=float(found.sum()))


def fitted(seen: Floats) -> Floats | None:
    """The table with the margins of `seen` in all pairs of columns and no further interaction.

    By iterative proportional fitting; None if it does not come to rest.
    """
    columns = range(seen.ndim)
    pairs: list[tuple[int, ...]] = [*combinations(columns, 2)] or [(0,)]
    rest = [tuple(c for c in columns if c not in pair) for pair in pairs]
    wanted = [seen.sum(axis=axes, keepdims=True) for axes in rest]
    means = np.ones_like(seen)
    for _ in range(SWEEPS):
        off = 0.0
        for axes, margin in zip(rest, wanted, strict=True):
            now = means.sum(axis=axes, keepdims=True)
            off = max(off, float(np.abs(now - margin).max()))
            means = means * np.divide(margin, now, out=np.zeros_like(margin), where=now > 0)
        if off < NEAR:
            return means
    return None
