"""Distribution: how people are spread over the values of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow.analyses.base import ANALYSES, Analysis, AnalysisKind, UncomputableError, levels
from hedgerow.analyses.categories import Grouping
from hedgerow.analyses.rows import AnalysisRows
from hedgerow.base.errors import HedgerowError

ERRORS = "The difference of the shares, in parts of 1."


@dataclass(frozen=True, kw_only=True)
class Distribution(Analysis):
    """The share of each value among those who are there."""

    name: ClassVar[str] = "distribution"
    errors: ClassVar[str] = ERRORS
    weighs: ClassVar[bool] = True
    of: str
    level: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.of,)

    def __str__(self) -> str:
        return f"distribution of {self.of}"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        if not rows.total:
            raise UncomputableError("there are no rows")
        grouping = Grouping.of((self.of,), (self.level,), original)
        counts = grouping.sums(rows, rows.mass)
        return dict(zip(grouping.names, map(float, counts / rows.total), strict=True))

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        return dict.fromkeys(figures, 1.0)


class DistributionKind(AnalysisKind):
    """Reads `distribution: {of: age, levels: {age: 1}}`."""

    name = "distribution"
    says = "The share of each value of a column."
    needs = ("of",)
    may = ("levels",)
    example = "distribution: {of: age, levels: {age: 1}, within: 2%}"
    errors = ERRORS

    def made(self, said: Mapping[str, Any]) -> Distribution:
        if not isinstance(said["of"], str):
            raise HedgerowError("'of' is no column", fix="Name one column.")
        return Distribution(of=said["of"], level=levels(said.get("levels"), (said["of"],))[0])


ANALYSES.register(DistributionKind())
