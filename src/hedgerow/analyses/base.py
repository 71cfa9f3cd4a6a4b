"""Analysis: a few numbers computed on people, and how far a release moves them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hedgerow.analyses.rows import AnalysisRows
from hedgerow.base.errors import HedgerowError, some
from hedgerow.base.registry import Registry


@dataclass(frozen=True, kw_only=True)
class ComparedNumber:
    """A number of an analysis, on the original and on the release."""

    name: str
    """What it is, such as "sex=F"."""
    original: float
    release: float
    error: float
    """How far apart the two are, as the kind of analysis measures it; infinite if unknown."""


@dataclass(frozen=True, kw_only=True)
class AnalysisComparison:
    """An analysis on the original and on a release."""

    analysis: Analysis
    figures: tuple[ComparedNumber, ...]
    problem: str | None = None
    """Why it cannot be computed on the release."""

    @property
    def error(self) -> float:
        """The largest error of its figures."""
        if self.problem is not None:
            return math.inf
        return max((figure.error for figure in self.figures), default=0.0)

    @property
    def kept(self) -> bool | None:
        """Whether it is within its tolerance; None where it has none."""
        within = self.analysis.within
        return None if within is None else self.error <= within * (1 + 1e-12)

    @property
    def strain(self) -> float:
        """The error in units of the tolerance; where there is none, the error itself."""
        within = self.analysis.within
        if within is None:
            return self.error
        return 0.0 if self.error == 0 else (self.error / within if within else math.inf)

    def summary(self) -> dict[str, Any]:
        """For `--json`; infinite numbers as null."""

        def told(value: float) -> float | None:
            return float(f"{value:.6g}") if math.isfinite(value) else None

        return {
            "analysis": str(self.analysis),
            "kind": self.analysis.name,
            "error": told(self.error),
            "within": self.analysis.within,
            "kept": self.kept,
            "problem": self.problem,
            "figures": [
                {"name": f.name, "original": told(f.original), "release": told(f.release),
                 "error": told(f.error)}
                for f in self.figures
            ],
        }  # fmt: skip


class UncomputableError(HedgerowError):
    """An analysis has no answer on these people."""


@dataclass(frozen=True, kw_only=True)
class Analysis(ABC):
    """What the data are for. What has no default must be said."""

    name: ClassVar[str]
    """As in the plan."""
    errors: ClassVar[str]
    """How its errors are measured, in a sentence."""
    weighs: ClassVar[bool] = False
    """Whether it counts rows by `AnalysisRows.mass`, so that they may have survey weights."""
    within: float | None = None
    """The largest error that is allowed."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""

    @abstractmethod
    def __str__(self) -> str:
        """What it is, in a few words."""

    @abstractmethod
    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        """Its numbers.

        Args:
            rows: The people.
            original: Everybody, as they are: which groups there are is read from them.

        Raises:
            UncomputableError: It has no answer on these people.
        """

    @abstractmethod
    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        """What an error of 100 % is, for each number of the original."""

    @property
    def plain(self) -> Analysis:
        """The analysis without survey weights."""
        return self

    def original(self, original: AnalysisRows) -> Mapping[str, float]:
        """Its numbers on everybody.

        Raises:
            UncomputableError: It has no answer on the original.
        """
        everybody = original.only(self.columns)
        return self.figures(everybody, everybody)

    def compare(
        self,
        original: AnalysisRows,
        release: AnalysisRows,
        known: Mapping[str, float] | None = None,
    ) -> AnalysisComparison:
        """The original beside a release.

        Args:
            original: Everybody, as they are.
            release: What is published of them.
            known: What `original` said, where somebody knows it already.
        """
        before = self.original(original) if known is None else known
        original, release = original.only(self.columns), release.only(self.columns)
        scales = self.scales(original, before)
        problem, after = None, dict[str, float]()
        try:
            after = dict(self.figures(release, original))
        except UncomputableError as error:
            problem = error.what
        figures = []
        for name, value in before.items():
            now = after.get(name, math.nan)
            apart = abs(now - value)
            scale = scales[name]
            off = math.inf if math.isnan(apart) else (apart / scale if scale > 0 else apart)
            figures.append(ComparedNumber(name=name, original=value, release=now, error=off))
        return AnalysisComparison(analysis=self, figures=tuple(figures), problem=problem)

    def tolerating(self, within: float | None) -> Analysis:
        """The same with another tolerance."""
        return replace(self, within=within)


class AnalysisKind(ABC):
    """Makes analyses of one kind from what a plan says."""

    name: str
    """As in the plan."""
    says: str
    """What it is, in a sentence."""
    needs: tuple[str, ...] = ()
    """Keys that the plan must say,"""
    may: tuple[str, ...] = ()
    """and those that it may."""
    example: str
    """A line for a plan."""
    errors: str
    """How its errors are measured."""

    @abstractmethod
    def made(self, said: Mapping[str, Any]) -> Analysis:
        """The analysis that these keys describe.

        Raises:
            HedgerowError: They do not.
        """


ANALYSES: Registry[AnalysisKind] = Registry("kind of analysis", group="hedgerow.analyses")
"""Kinds of analysis by plan name."""
FLOOR = 0.01
"""Errors are relative to a number, or to this share of the largest of its kind."""


def relative(figures: Mapping[str, float], most: float) -> dict[str, float]:
    """Scales of relative errors: each number, but for small ones a share of `most`."""
    return {name: max(abs(value), FLOOR * most) for name, value in figures.items()}


def names(said: Any, key: str) -> tuple[str, ...]:
    """A list of columns, or one.

    Raises:
        HedgerowError: It is neither.
    """
    found = [said] if isinstance(said, str) else said
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise HedgerowError(f"{key!r} is no list of columns", fix=f"Write {key}: [age, sex].")
    if len(set(found)) < len(found):
        raise HedgerowError(f"{key!r} names a column twice: {some(found)}")
    return tuple(found)


def levels(said: Any, by: Sequence[str]) -> tuple[int, ...]:
    """The level at which each of these columns is counted.

    Raises:
        HedgerowError: A column that is not among them, or something that is no level.
    """
    given = {} if said is None else said
    if not isinstance(given, Mapping):
        raise HedgerowError("'levels' is no mapping", fix="Write levels: {age: 2}.")
    for name, level in given.items():
        if name not in by:
            raise HedgerowError(f"'levels' names {name!r}, which is not in 'by'")
        if isinstance(level, bool) or not isinstance(level, int) or level < 0:
            raise HedgerowError(f"{level!r} is no level of {name!r}", fix="A level is 0, 1, 2, ...")
    return tuple(int(given.get(name, 0)) for name in by)
