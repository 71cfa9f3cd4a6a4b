"""Counts: how many people there are in each group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow.analyses.base import ANALYSES, Analysis, AnalysisKind, levels, names, relative
from hedgerow.analyses.categories import Grouping
from hedgerow.analyses.rows import AnalysisRows

ERRORS = "Relative to the count, or to 1 % of all people where that is more."


@dataclass(frozen=True, kw_only=True)
class CountTable(Analysis):
    """A table of counts. Suppressed people are missing from it."""

    name: ClassVar[str] = "counts"
    errors: ClassVar[str] = ERRORS
    weighs: ClassVar[bool] = True
    by: tuple[str, ...]
    levels: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.by

    def __str__(self) -> str:
        return f"counts by {', '.join(self.by)}"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        grouping = Grouping.of(self.by, self.levels, original)
        counts = grouping.sums(rows, rows.mass)
        return dict(zip(grouping.names, map(float, counts), strict=True))

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        return relative(figures, original.total)


class CountsKind(AnalysisKind):
    """Reads `counts: {by: [sex, age], levels: {age: 1}}`."""

    name = "counts"
    says = "How many people are in each group."
    needs = ("by",)
    may = ("levels",)
    example = "counts: {by: [sex, age], levels: {age: 1}, within: 5%}"
    errors = ERRORS

    def made(self, said: Mapping[str, Any]) -> CountTable:
        by = names(said["by"], "by")
        return CountTable(by=by, levels=levels(said.get("levels"), by))


ANALYSES.register(CountsKind())
