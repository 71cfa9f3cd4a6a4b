"""Weighted analyses: each person counts as many people as their survey weight says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.analyses.base import Analysis
from hedgerow.analyses.rows import AnalysisRows


@dataclass(frozen=True, kw_only=True)
class WeightedAnalysis(Analysis):
    """An analysis in which rows count their weights, on the source and on the release.

    Counts and totals are of the population; means, shares, curves and coefficients are estimates
    of the population's. Standard errors, by which errors of coefficients are measured, are those
    of weighted least squares with as many observations as there are rows.
    """

    of: Analysis
    """The analysis."""
    weights: str
    """The column of survey weights, which is published as it is."""

    @property
    def plain(self) -> Analysis:
        return self.of

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.of.name

    @property
    def errors(self) -> str:  # type: ignore[override]
        return self.of.errors

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.of.columns, self.weights)))

    def __str__(self) -> str:
        return f"{self.of}, weighted by {self.weights}"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        return self.of.figures(rows.weighed(self.weights), original.weighed(self.weights))

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        return self.of.scales(original.weighed(self.weights), figures)
