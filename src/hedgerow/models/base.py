"""What every privacy model is: a predicate on groups that knows its own level."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Flag, auto
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.groups import Floats, Groups

NEAR = 1e-9
"""Levels this close to the threshold (relatively) are decided in exact arithmetic."""


class Needs(Flag):
    """What a model looks at."""

    SIZES = auto()
    HISTOGRAM = auto()
    POPULATION = auto()


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, and by how much."""

    claim: str
    holds: bool
    level: float
    """The strictest parameter for which the claim would still hold."""
    required: float
    """The parameter the plan asks for."""
    worst: int | None
    """The group that decides the level; None where there are no groups."""

    @property
    def margin(self) -> float:
        """Distance between level and requirement, positive where the claim holds."""
        gap = abs(self.level - self.required)
        return gap if self.holds else -gap


class PrivacyModel(ABC):
    """A claim about every group (or, for table models, about all groups together).

    Subclasses are frozen dataclasses with keyword-only parameters. `level` gives each group's
    smallest parameter in floating point; `holds` decides, and where the two are within
    rounding of each other, decides by exact arithmetic (`exactly`).
    """

    needs: ClassVar[Needs]
    higher_is_safer: ClassVar[bool]
    """True for k and l (at least), False for t, delta, beta, risks (at most)."""
    strict: ClassVar[bool] = False
    """Whether a level equal to the parameter fails."""
    per_group: ClassVar[bool] = True
    """False for claims about the table as a whole, such as an average risk."""
    monotone_in_generalisation: ClassVar[bool]
    """Merging groups that pass gives a group that passes."""
    monotone_in_suppression: ClassVar[bool]
    """Leaving out a group never makes another one fail."""

    @property
    @abstractmethod
    def required(self) -> Fraction:
        """The parameter, exactly as written."""

    @abstractmethod
    def level(self, groups: Groups) -> Floats:
        """For each group, the strictest parameter for which it passes."""

    @abstractmethod
    def exactly(self, groups: Groups, group: int) -> bool:
        """Whether one group passes, in exact arithmetic."""

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """For each group, whether it passes. Empty groups pass."""
        level, required = self.level(groups), float(self.required)
        if self.higher_is_safer:
            passed = level > required if self.strict else level >= required
        else:
            passed = level < required if self.strict else level <= required
        near = np.abs(level - required) <= NEAR * max(1.0, abs(required))
        for group in np.flatnonzero(near):
            passed[group] = self.exactly(groups, int(group))
        return passed | self.vacuous(groups)

    def vacuous(self, groups: Groups) -> NDArray[np.bool_]:
        """Groups about which the model says nothing: those without people."""
        return groups.n == 0

    def check(self, groups: Groups) -> Verdict:
        """The claim on a whole table: holds in every group, and the worst group's level."""
        level = self.level(groups)
        counted = np.flatnonzero(~self.vacuous(groups))
        if not len(counted):
            ideal = np.inf if self.higher_is_safer else 0.0
            return Verdict(str(self), True, ideal, float(self.required), None)
        worst = counted[np.argmin(level[counted]) if self.higher_is_safer
                        else np.argmax(level[counted])]  # fmt: skip
        return Verdict(
            str(self),
            bool(self.holds(groups).all()),
            float(level[worst]),
            float(self.required),
            int(worst),
        )


def exact(parameter: float | int | str | Fraction) -> Fraction:
    """A parameter as the number the user wrote: 0.2 is one fifth, not the nearest double.

    >>> exact(0.2)
    Fraction(1, 5)
    """
    if isinstance(parameter, Fraction):
        return parameter
    return Fraction(repr(parameter) if isinstance(parameter, float) else parameter)
