"""Survival: Kaplan-Meier curves by group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.analyses.base import ANALYSES, Analysis, AnalysisKind, UncomputableError, names
from hedgerow.analyses.categories import Grouping
from hedgerow.analyses.formula import Event
from hedgerow.analyses.rows import AnalysisRows, number_of
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.table.groups import Floats

ERRORS = "The distance between the curves, in parts of 1, at the times when somebody has the event."


MOST = 5_000
"""Different times."""


def kaplan_meier(time: Floats, event: Floats, weight: Floats, at: Floats) -> Floats:
    """The share of people without an event after each of the times `at`.

    >>> kaplan_meier(np.array([1., 2., 3.]), np.array([1., 0., 1.]), np.ones(3),
    ...              np.array([1., 2.])).round(3).tolist()
    [0.667, 0.667]

    Args:
        time: When each row was last seen.
        event: Whether it then had the event, or how likely.
        weight: How many people it is.
        at: Times, ascending.
    """
    times, into = np.unique(time, return_inverse=True)
    gone = np.bincount(into, weights=weight, minlength=len(times))
    died = np.bincount(into, weights=weight * event, minlength=len(times))
    risk = np.cumsum(gone[::-1])[::-1]
    step = np.where(risk > 1e-12, 1 - died / np.maximum(risk, 1e-12), 1.0)
    curve = np.concatenate(([1.0], np.cumprod(np.maximum(step, 0.0))))
    found: Floats = curve[np.searchsorted(times, at, side="right")]
    return found


@dataclass(frozen=True, kw_only=True)
class SurvivalCurves(Analysis):
    """The curve of each group. A generalised time is each of the times it covers, all alike."""

    name: ClassVar[str] = "survival"
    errors: ClassVar[str] = ERRORS
    weighs: ClassVar[bool] = True
    time: str
    event: Event
    by: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.time, self.event.column, *self.by)))

    def __str__(self) -> str:
        by = f" by {', '.join(self.by)}" if self.by else ""
        return f"survival by {self.time} until {self.event}{by}"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        grouping = Grouping.of(self.by, (0,) * len(self.by), original)
        at = self._times(original)
        if not len(at):
            raise UncomputableError("nobody has the event")
        if len(rows.variables[self.time].values) > MOST:
            raise DataError(
                f"{self.time!r} has {len(rows.variables[self.time].values):,} times, and at most "
                f"{MOST:,} are looked at",
                fix="Publish coarser times, or leave this analysis out.",
            )
        variable, event = rows.variables[self.time], self.event.of(rows)
        times = np.array([number_of(value) for value in variable.values])
        spread = variable.shares(np.arange(len(times)).tolist(), len(times))[variable.codes]
        spread[variable.blank[variable.codes]] = 0.0
        spread[:, np.isnan(times)] = 0.0
        spread[np.isnan(event)] = 0.0
        event = np.nan_to_num(event)
        found: dict[str, float] = {}
        for g, name in enumerate(grouping.names):
            share = self._in_group(grouping, rows, g)
            weight = spread * (rows.mass * share)[:, None]
            there = weight > 1e-12
            row, place = np.nonzero(there)
            if not len(row):
                found |= {f"{name} at {_told(t)}": float("nan") for t in at}
                continue
            curve = kaplan_meier(times[place], event[row], weight[there], at)
            found |= {f"{name} at {_told(t)}": float(s) for t, s in zip(at, curve, strict=True)}
        return found

    def _in_group(self, grouping: Grouping, rows: AnalysisRows, g: int) -> Floats:
        """How much of each row is in a group."""
        share = np.ones(len(rows.n))
        sizes = [len(categories) for categories in grouping.categories]
        places = np.unravel_index(g, sizes) if sizes else ()
        for name, categories, place in zip(self.by, grouping.categories, places, strict=True):
            share = share * rows.shares(name, categories)[:, int(place)]
        return share

    def _times(self, original: AnalysisRows) -> Floats:
        """When somebody has the event."""
        numbers, event = original.numbers(self.time), self.event.of(original)
        times: Floats = np.unique(numbers[(event > 0) & ~np.isnan(numbers)])
        return times

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        return dict.fromkeys(figures, 1.0)


def _told(time: float) -> str:
    return f"{time:.12g}"


class SurvivalKind(AnalysisKind):
    """Reads `survival: {time: days, event: died = yes, by: [arm]}`."""

    name = "survival"
    says = "Kaplan-Meier curves, by group."
    needs = ("time", "event")
    may = ("by",)
    example = 'survival: {time: days, event: "died = yes", by: [arm], within: 5%}'
    errors = ERRORS

    def made(self, said: Mapping[str, Any]) -> SurvivalCurves:
        if not isinstance(said["time"], str) or not isinstance(said["event"], str):
            raise HedgerowError("'time' and 'event' name columns", fix=f"Write {self.example}.")
        return SurvivalCurves(
            time=said["time"], event=Event.read(said["event"]), by=names(said.get("by", ()), "by")
        )


ANALYSES.register(SurvivalKind())
