"""Groupings: the groups of some columns, and how much of each row is in which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from hedgerow.analyses.rows import AnalysisRows, Value
from hedgerow.base.errors import DataError, PlanError
from hedgerow.table.groups import Floats

MOST = 5_000
"""Groups of one analysis, at most."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups that everybody falls into."""

    by: tuple[str, ...]
    levels: tuple[int, ...]
    categories: tuple[tuple[Value, ...], ...]

    @classmethod
    def of(cls, by: Sequence[str], levels: Sequence[int], original: AnalysisRows) -> Grouping:
        """The groups of these columns, at these levels of their hierarchies.

        Raises:
            PlanError: A level does not exist.
            DataError: There are too many.
        """
        categories = []
        for name, level in zip(by, levels, strict=True):
            hierarchy = original.hierarchies.get(name)
            if level and (hierarchy is None or level > hierarchy.height):
                height = 0 if hierarchy is None else hierarchy.height
                raise PlanError(
                    f"there is no level {level} of {name!r}",
                    fix=f"Its levels are 0 to {height}.",
                )
            categories.append(tuple(original.there(name, level)))
        if prod(map(len, categories)) > MOST:
            raise DataError(
                f"{' by '.join(by)} has {prod(map(len, categories)):,} groups, which is too many",
                fix="Name fewer columns, or coarser `levels` of them.",
            )
        return cls(tuple(by), tuple(levels), tuple(categories))

    @property
    def names(self) -> list[str]:
        """What the groups are called."""
        if not self.by:
            return ["all"]
        return [
            ", ".join(f"{c}={'missing' if v is None else v}" for c, v in zip(self.by, one,
                                                                            strict=True))
            for one in product(*self.categories)
        ]  # fmt: skip

    def sums(self, rows: AnalysisRows, values: Floats) -> Floats:
        """The sum of a value of each row over each group, a row with its share in it."""
        size = len(rows.n)
        shares = [
            rows.shares(name, categories, level)[:, : len(categories)]
            for name, level, categories in zip(self.by, self.levels, self.categories, strict=True)
        ]
        total = np.zeros(prod(map(len, self.categories)))
        step = max(1, 4_000_000 // max(1, len(total)))
        for begin in range(0, size, step):
            part = values[begin : begin + step, None]
            for share in shares:
                here = share[begin : begin + step]
                part = (part[:, :, None] * here[:, None, :]).reshape(len(part), -1)
            total += part.sum(axis=0)
        return total
