"""How many groups a sample has of each size, and which share of the population the sample is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.table.groups import Floats, Ints


@dataclass(frozen=True, eq=False)
class SizeCounts:
    """What the estimators see of a sample.

    >>> sample = SizeCounts.of(np.array([1, 1, 1, 2, 5]), fraction=0.1)
    >>> sample.uniques, sample.people, sample.groups, sample.population
    (3.0, 10.0, 5.0, 100.0)
    """

    sizes: Floats
    """Sizes that groups have, ascending; 1 is always among them."""
    counts: Floats
    """How many groups have each of these sizes."""
    fraction: float
    """Share of the population that is in the sample, above 0 and below 1."""
    absent: int = 0
    """People of the sample in no group. They are counted as alone; nobody knows whether they were.
    """

    @classmethod
    def of(cls, n: Ints, *, fraction: float, absent: int = 0) -> SizeCounts:
        """Count the groups by size.

        Args:
            n: Sizes of groups; those without people do not count.
            fraction: Share of the population that is in the sample.
            absent: People of the sample in no group, each of whom may have been alone in one.
        """
        sizes, counts = np.unique(n[n > 0], return_counts=True)
        if not len(sizes) or sizes[0] != 1:
            sizes, counts = np.concatenate(([1], sizes)), np.concatenate(([0], counts))
        many = counts.astype(np.float64)
        many[0] += absent
        return cls(sizes.astype(np.float64), many, fraction, absent)

    @property
    def uniques(self) -> float:
        """People who are alone in their group in the sample."""
        return float(self.counts[0])

    def of_size(self, size: int) -> float:
        """How many groups have exactly this size."""
        return float(self.counts[self.sizes == size].sum())

    @cached_property
    def people(self) -> float:
        return float(self.sizes @ self.counts)

    @cached_property
    def groups(self) -> float:
        return float(self.counts.sum())

    @property
    def population(self) -> float:
        """People of the population."""
        return self.people / self.fraction
