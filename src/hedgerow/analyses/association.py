"""Association: how much two columns tell of each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.analyses.base import (
    ANALYSES,
    Analysis,
    AnalysisKind,
    UncomputableError,
    levels,
    names,
)
from hedgerow.analyses.categories import Grouping
from hedgerow.analyses.rows import AnalysisRows
from hedgerow.base.errors import HedgerowError
from hedgerow.table.groups import Floats

ERRORS = "The difference, in parts of 1."


ROUNDING = 1e-9
"""What is below it is nothing."""


def cramers_v(table: Floats) -> float:
    """Cramér's V of a contingency table, 0 (independent) to 1 (one decides the other).

    *Reference*: Cramér, Mathematical Methods of Statistics (1946), 21.9.

    >>> cramers_v(np.array([[10.0, 0.0], [0.0, 5.0]])), cramers_v(np.ones((2, 3)))
    (1.0, 0.0)
    """
    there = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    least = min(there.shape) - 1
    if least < 1:
        return 0.0
    people = there.sum()
    expected = np.outer(there.sum(axis=1), there.sum(axis=0)) / people
    chi = float(((there - expected) ** 2 / expected).sum())
    found = min(1.0, float(np.sqrt(max(0.0, chi / (people * least)))))
    return found if found > ROUNDING else 0.0


@dataclass(frozen=True, kw_only=True)
class Association(Analysis):
    """Cramér's V of two columns, of numbers too: each value is a category."""

    name: ClassVar[str] = "association"
    errors: ClassVar[str] = ERRORS
    weighs: ClassVar[bool] = True
    between: tuple[str, str]
    levels: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.between

    def __str__(self) -> str:
        return f"association of {' and '.join(self.between)}"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        if not rows.total:
            raise UncomputableError("there are no rows")
        grouping = Grouping.of(self.between, self.levels, original)
        counts = grouping.sums(rows, rows.mass)
        table = counts.reshape([len(categories) for categories in grouping.categories])
        return {"Cramér's V": cramers_v(table)}

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        return dict.fromkeys(figures, 1.0)


class AssociationKind(AnalysisKind):
    """Reads `association: {between: [age, sex]}`."""

    name = "association"
    says = "How much two columns tell of each other (Cramér's V)."
    needs = ("between",)
    may = ("levels",)
    example = "association: {between: [age, income], levels: {age: 1}, within: 5%}"
    errors = ERRORS

    def made(self, said: Mapping[str, Any]) -> Association:
        between = names(said["between"], "between")
        if len(between) != 2:
            raise HedgerowError("'between' is not two columns", fix=f"Write {self.example}.")
        return Association(
            between=(between[0], between[1]), levels=levels(said.get("levels"), between)
        )


ANALYSES.register(AssociationKind())
