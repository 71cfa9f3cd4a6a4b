"""Presence: whether someone of the outside population is in the table at all."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import PurePath
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import SEVERAL, UNIT, WHOLE
from hedgerow.claims.base import (
    Needs,
    Ratio,
    RatioModel,
    exact,
    population_of,
    require_number,
    shown,
)
from hedgerow.claims.declaration import (
    CLAIMS,
    POPULATION,
    Conflict,
    Declaration,
    NumberParameter,
    Parameter,
    Said,
)
from hedgerow.claims.traits import OUTSIDER, PEOPLE_SLIDER, Slider
from hedgerow.table.groups import Groups


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(RatioModel):
    """Of the population's people in a group, a share between minimum and maximum is in the table.

    Guarantee: Whoever knows that someone belongs to the population and knows their
        quasi-identifiers believes that they are in the table with a confidence between
        minimum and maximum. Groups of the population that nobody in the table has count: there
        the share is 0.
    Assumes: The attacker has the population table, and it contains everybody in the table.
    Reference: Nergiz, Atzori, Clifton 2007 (SIGMOD).

    The level is the share, infinite where it is below the minimum or where the table has people
    of a group the population lacks. Leaving a group out makes its share 0, so a positive
    minimum is not monotone in suppression.

    >>> groups = Groups.of([2, 0], population=[4, 3])
    >>> DeltaPresence(minimum=0, maximum=0.5).holds(groups).tolist()
    [True, True]
    >>> DeltaPresence(minimum=0.1, maximum=0.5).holds(groups).tolist()
    [True, False]
    """

    needs: ClassVar[Needs] = Needs.SIZES | Needs.POPULATION
    higher_is_safer: ClassVar[bool] = False
    monotone_in_generalisation: ClassVar[bool] = True
    about_presence: ClassVar[bool] = True
    attacker: ClassVar[str] = (
        "somebody who has a list of the population and knows a person's quasi-identifiers"
    )
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("maximum", "max", "share in the table, at most", 0, 1),
    )

    minimum: float
    """Smallest share, 0 to 1."""
    maximum: float
    """Largest share, 0 to 1."""

    def __post_init__(self) -> None:
        require_number("minimum", self.minimum, UNIT)
        require_number("maximum", self.maximum, UNIT)
        if exact(self.minimum) > exact(self.maximum):
            raise PlanError(
                f"minimum {self.minimum!r} is above maximum {self.maximum!r}",
                fix="Exchange the two.",
            )

    def __str__(self) -> str:
        return f"({shown(self.minimum)}, {shown(self.maximum)})-presence"

    @property
    def monotone_in_suppression(self) -> bool:
        return self.minimum == 0

    @property
    def required(self) -> Fraction:
        return exact(self.maximum)

    @property
    def promise(self) -> str:
        return (
            f"believes that the person is in the table with a confidence from "
            f"{shown(self.minimum)} to {shown(self.maximum)}"
        )

    def vacuous(self, groups: Groups) -> NDArray[np.bool_]:
        nobody: NDArray[np.bool_] = (groups.n == 0) & (population_of(groups, str(self)) == 0)
        return nobody

    def ratios(self, groups: Groups) -> list[Ratio]:
        population = population_of(groups, str(self))
        p, q = exact(self.minimum).as_integer_ratio()
        wide = max(int(groups.n.max(initial=0)) * q, int(population.max(initial=0)) * p) >= 2**63
        kind = object if wide else np.int64
        enough = groups.n.astype(kind) * q >= population.astype(kind) * p
        return [(groups.n, np.where(enough, population, 0))]


@dataclass(frozen=True, kw_only=True)
class KMap(RatioModel):
    """Every group in the table has at least k people of the outside population.

    Guarantee: Whoever does not know that someone is in the table, but has the population,
        finds at least k candidates for each published record.
    Assumes: The attacker cannot tell who of the population is in the table.
    Reference: Sweeney 2001 (thesis), k-map; Dankar et al. 2012.

    >>> KMap(k=4).holds(Groups.of([1, 0], population=[5, 2])).tolist()
    [True, True]
    """

    needs: ClassVar[Needs] = Needs.SIZES | Needs.POPULATION
    higher_is_safer: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    monotone_in_union: ClassVar[bool] = True
    attacker: ClassVar[str] = OUTSIDER
    sliders: ClassVar[tuple[Slider, ...]] = (PEOPLE_SLIDER,)

    k: int
    """People of the population, at least 1."""

    def __post_init__(self) -> None:
        require_number("k", self.k, WHOLE)

    def __str__(self) -> str:
        return f"{self.k}-map"

    @property
    def required(self) -> Fraction:
        return Fraction(self.k)

    @property
    def promise(self) -> str:
        return f"finds at least {self.k} people of the population for each record"

    def ratios(self, groups: Groups) -> list[Ratio]:
        return [(population_of(groups, str(self)), np.ones(len(groups), np.int64))]


def _outside(said: Said) -> str:
    """The population's file, without where it is."""
    return PurePath(str(said.get("population", ""))).name


def _conflict(said: Said) -> Conflict | None:
    if said["min"] > said["max"]:
        return Conflict(f"min ({said['min']}) is above max ({said['max']})")
    return None


def _present(said: Said) -> str:
    return (
        f"Of people of the population in {_outside(said)} who look alike, a share between "
        f"{said.get('min', 0)} and {said['max']} is in the table: nobody learns more about who is."
    )


def _mapped(said: Said) -> str:
    return (
        f"Everybody looks like at least {int(said['k']) - 1:,} others of the population in "
        f"{_outside(said)}."
    )


CLAIMS.register(
    Declaration(
        name="delta-presence",
        classes=(DeltaPresence,),
        summary="How sure one can be that somebody of the population is in the table.",
        headline="who is in the table at all",
        promises="Someone who has a list of the population and knows a person's quasi-identifiers "
        "cannot be surer than max that the person is in the table, nor less sure than min.",
        does_not_protect="The sensitive value of someone known to be in the table; anyone against "
        "an attacker who knows more about membership than the population list.",
        reference="Nergiz, Atzori, Clifton 2007 (SIGMOD).",
        parameters=(
            Parameter(
                name="min",
                field="minimum",
                kind=NumberParameter(UNIT),
                default=0,
                meaning="Share of a group's population in the table, at least; not above max.",
                words="share, at least",
            ),
            Parameter(
                name="max",
                field="maximum",
                kind=NumberParameter(UNIT),
                meaning="Share of a group's population in the table, at most.",
                words="share, at most",
            ),
            POPULATION,
        ),
        example="- delta-presence: {max: 0.2, population: census.csv}",
        sentence=_present,
        conflict=_conflict,
    )
)
CLAIMS.register(
    Declaration(
        name="k-map",
        classes=(KMap,),
        summary="Everyone shares their quasi-identifiers with at least k people of the population.",
        headline="nobody is alone in the population",
        promises="Someone who has a list of the population, and does not know who of it is in the "
        "table, finds at least k people who could be the one behind a published record.",
        does_not_protect="Anyone known to be in the table: their group there may hold one person.",
        reference="Sweeney 2001 (thesis).",
        parameters=(
            Parameter(
                name="k",
                kind=NumberParameter(SEVERAL),
                meaning="People of the population in every group, at least.",
                words="people in every group, at least",
            ),
            POPULATION,
        ),
        example="- k-map: {k: 5, population: census.csv}",
        sentence=_mapped,
    )
)
