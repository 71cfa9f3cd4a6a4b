"""Means and totals of a number by group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.analyses.base import ANALYSES, Analysis, AnalysisKind, levels, names, relative
from hedgerow.analyses.categories import Grouping
from hedgerow.analyses.rows import AnalysisRows
from hedgerow.base.errors import HedgerowError
from hedgerow.table.groups import Floats

ERRORS = "Relative to the number, or to 1 % of the largest of them where that is more."


@dataclass(frozen=True, kw_only=True)
class _ByGroup(Analysis):
    """A number of each person, added up by group. Rows that tell no number are not counted."""

    errors: ClassVar[str] = ERRORS
    weighs: ClassVar[bool] = True
    of: str
    by: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.of, *self.by)

    def __str__(self) -> str:
        by = f" by {', '.join(self.by)}" if self.by else ""
        return f"{self.name} of {self.of}{by}"

    def _sums(self, rows: AnalysisRows, original: AnalysisRows) -> tuple[list[str], Floats, Floats]:
        grouping = Grouping.of(self.by, self.levels, original)
        numbers, n = rows.numbers(self.of), rows.mass
        there = ~np.isnan(numbers)
        total = grouping.sums(rows, np.where(there, numbers, 0.0) * n)
        return grouping.names, total, grouping.sums(rows, there * n)

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        return relative(figures, max(map(abs, figures.values()), default=0.0))


@dataclass(frozen=True, kw_only=True)
class GroupMeans(_ByGroup):
    """The mean in each group; groups in which nobody has a number are not looked at."""

    name: ClassVar[str] = "means"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        called, total, people = self._sums(rows, original)
        return {
            name: float(t / n)
            for name, t, n in zip(called, total, people, strict=True)
            if n > 1e-9
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class GroupTotals(_ByGroup):
    """The sum in each group. Suppressed people are missing from it."""

    name: ClassVar[str] = "totals"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        called, total, people = self._sums(rows, original)
        if not people.any():
            return dict.fromkeys(called, float("nan"))
        return dict(zip(called, map(float, total), strict=True))


class AverageKind(AnalysisKind):
    """Reads `means: {of: hours, by: [sex]}` and the same of totals."""

    needs = ("of",)
    may = ("by", "levels")
    errors = ERRORS

    def __init__(self, made: type[GroupMeans] | type[GroupTotals], says: str) -> None:
        self.name, self.says, self._type = made.name, says, made
        self.example = f"{self.name}: {{of: hours, by: [sex], within: 2%}}"

    def made(self, said: Mapping[str, Any]) -> Analysis:
        if not isinstance(said["of"], str):
            raise HedgerowError("'of' is no column", fix="Name the column of numbers.")
        by = names(said.get("by", ()), "by")
        return self._type(of=said["of"], by=by, levels=levels(said.get("levels"), by))


ANALYSES.register(AverageKind(GroupMeans, "The mean of a number in each group."))
ANALYSES.register(AverageKind(GroupTotals, "The sum of a number in each group."))
