"""Re-identification risks, as health-data and statistical regulators state them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, inf, isinf
from pathlib import PurePath
from typing import ClassVar, Self

import numpy as np

from hedgerow.base.ranges import RISK, UNIT
from hedgerow.claims.base import (
    Needs,
    Ratio,
    RatioModel,
    Relief,
    exact,
    population_of,
    require_number,
    shown,
)
from hedgerow.claims.declaration import (
    CLAIMS,
    POPULATION,
    Declaration,
    NumberParameter,
    Parameter,
    Said,
)
from hedgerow.claims.traits import OUTSIDER, SINGLE_PEOPLE, Gap, Slider
from hedgerow.table.groups import Groups, Ints


@dataclass(frozen=True, kw_only=True)
class Risk(RatioModel):
    """What the risks share: a probability that must not be exceeded."""

    needs: ClassVar[Needs] = Needs.SIZES
    higher_is_safer: ClassVar[bool] = False
    kind: ClassVar[str]
    sliders: ClassVar[tuple[Slider, ...]] = (Slider("risk", "risk", "risk, at most", 0.01, 1),)

    risk: float
    """Largest probability, above 0 and at most 1."""

    def __post_init__(self) -> None:
        require_number("risk", self.risk, RISK)

    def __str__(self) -> str:
        return f"{self.kind} risk at most {shown(self.risk)}"

    @property
    def required(self) -> Fraction:
        return exact(self.risk)

    @property
    def promise(self) -> str:
        return f"picks a person's record with a probability of at most {shown(self.risk)}"

    def _times_fewer(self, rows: int) -> Self:
        risk = self.required if self.risk == 1 else self.required / rows
        return replace(self, risk=risk)  # type: ignore[arg-type]

    def level_of_people(self, level: float, rows: int) -> float:
        return level if isinf(level) else min(1.0, level * rows)


@dataclass(frozen=True, kw_only=True)
class ProsecutorRisk(Risk):
    """Every group's 1 / n(q) is at most the risk.

    Guarantee: Whoever knows that someone is in the table, and their quasi-identifiers, picks
        their record with probability at most the risk.
    Assumes: The attacker knows no column but the quasi-identifiers.
    Reference: El Emam, Dankar 2008; EMA policy 0070 asks for at most 0.09.

    >>> ProsecutorRisk(risk=0.09).holds(Groups.of([11, 12])).tolist()
    [False, True]
    """

    kind: ClassVar[str] = "prosecutor"
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    monotone_in_union: ClassVar[bool] = True
    rows_words: ClassVar[str] = "prosecutor risk"

    def ratios(self, groups: Groups) -> list[Ratio]:
        return [(np.ones(len(groups), np.int64), groups.n)]

    @property
    def least_people(self) -> int:
        return ceil(1 / self.required)

    def people_at(self, level: float) -> float:
        return 1 / level if level else inf

    def of_rows(self, rows: int) -> ProsecutorRisk:
        return self._times_fewer(rows)


@dataclass(frozen=True, kw_only=True)
class JournalistRisk(Risk):
    """Every group's 1 / (people of the population in it) is at most the risk.

    Guarantee: Whoever has the population, and does not know who of it is in the table,
        re-identifies a record with probability at most the risk.
    Assumes: The attacker cannot tell who of the population is in the table.
    Reference: El Emam, Dankar 2008.

    >>> JournalistRisk(risk=0.2).level(Groups.of([1, 2], population=[5, 10])).tolist()
    [0.2, 0.1]
    """

    kind: ClassVar[str] = "journalist"
    needs: ClassVar[Needs] = Needs.SIZES | Needs.POPULATION
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    monotone_in_union: ClassVar[bool] = True
    attacker: ClassVar[str] = OUTSIDER

    def ratios(self, groups: Groups) -> list[Ratio]:
        return [(np.ones(len(groups), np.int64), population_of(groups, str(self)))]


@dataclass(frozen=True, kw_only=True)
class MarketerRisk(Risk):
    """The average of 1 / n(q) over all people, groups / people, is at most the risk.

    Guarantee: Whoever links the whole table to a list of the same people gets on average at
        most this share of the links right.
    Assumes: The attacker wants many people, not a particular one: a single group may be
        unique. Leaving out a large group raises the average.
    Reference: Dankar, El Emam 2010.

    >>> MarketerRisk(risk=0.5).level(Groups.of([1, 3])).tolist()
    [0.5, 0.5]
    """

    kind: ClassVar[str] = "marketer"
    per_group: ClassVar[bool] = False
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = False
    monotone_in_union: ClassVar[bool] = True
    attacker: ClassVar[str] = "somebody who links the whole table to a list of the same people"
    gaps: ClassVar[tuple[Gap, ...]] = (SINGLE_PEOPLE,)
    rows_words: ClassVar[str] = "marketer risk"

    def ratios(self, groups: Groups) -> list[Ratio]:
        return [_of_all_people(int(np.count_nonzero(groups.n)), groups)]

    def relief(self, groups: Groups) -> Relief:
        # groups / people <= p / q, each group suppressed being 1 less above and n less below.
        p, q = self.required.as_integer_ratio()
        needed = int(np.count_nonzero(groups.n)) * q - groups.people * p
        return Relief(needed, lambda n: q - n * p)

    @property
    def promise(self) -> str:
        return f"gets on average at most a share of {shown(self.risk)} of the links right"

    def of_rows(self, rows: int) -> MarketerRisk:
        return self._times_fewer(rows)


@dataclass(frozen=True, kw_only=True)
class UniqueShare(RatioModel):
    """At most this share of the people are alone in their group.

    Guarantee: At most this share of the published people can be singled out by their
        quasi-identifiers.
    Assumes: Those few may be singled out with certainty. Leaving out a larger group raises
        the share.
    Reference: Dalenius 1986; Skinner, Elliot 2002 (sample uniques).

    >>> UniqueShare(share=0.25).check(Groups.of([1, 3])).holds
    True
    """

    needs: ClassVar[Needs] = Needs.SIZES
    higher_is_safer: ClassVar[bool] = False
    per_group: ClassVar[bool] = False
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = False
    monotone_in_union: ClassVar[bool] = True
    gaps: ClassVar[tuple[Gap, ...]] = (SINGLE_PEOPLE,)
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("share", "share", "share of unique people, at most", 0, 1),
    )

    share: float
    """Largest share, 0 to 1."""

    def __post_init__(self) -> None:
        require_number("share", self.share, UNIT)

    def __str__(self) -> str:
        return f"share of unique people at most {shown(self.share)}"

    @property
    def required(self) -> Fraction:
        return exact(self.share)

    def ratios(self, groups: Groups) -> list[Ratio]:
        return [_of_all_people(int(np.count_nonzero(groups.n == 1)), groups)]

    def relief(self, groups: Groups) -> Relief:
        p, q = self.required.as_integer_ratio()
        needed = int(np.count_nonzero(groups.n == 1)) * q - groups.people * p
        return Relief(needed, lambda n: q * (n == 1) - n * p)

    @property
    def promise(self) -> str:
        return f"singles out at most a share of {shown(self.share)} of the people"

    @property
    def bounds_size(self) -> bool:
        return self.share == 0


def _of_all_people(count: int, groups: Groups) -> Ratio:
    """The same ratio to all people for every group: a statement about the table."""
    whole: Ints = np.full(len(groups), groups.people, np.int64)
    return np.full(len(groups), count, np.int64), whole


def _chance(meaning: str) -> Parameter:
    return Parameter(
        name="risk",
        kind=NumberParameter(RISK, percent=True),
        meaning=meaning,
        words="chance, at most (0.09 or 9%)",
    )


def _found(said: Said) -> str:
    return f"Somebody known to be in the table is found with a chance of {said['risk']} at most."


def _found_outside(said: Said) -> str:
    outside = PurePath(str(said.get("population", ""))).name
    return (
        f"Somebody of the population in {outside} is found with a chance of {said['risk']} at most."
    )


def _found_on_average(said: Said) -> str:
    return f"Of all people together, a share of {said['risk']} at most is found."


def _alone(said: Said) -> str:
    return f"A share of {said['share']} at most is alone in their group."


CLAIMS.register(
    Declaration(
        name="prosecutor-risk",
        classes=(ProsecutorRisk,),
        summary="The chance to find the row of somebody known to be in the table, for everyone.",
        headline="chance to find somebody known to be in the table",
        promises="Someone who knows that a person is in the table, and their quasi-identifiers, "
        "picks the person's record with at most this probability, whoever the person is.",
        does_not_protect="What k-anonymity does not protect: it is k-anonymity with k = 1 / risk, "
        "rounded up.",
        reference="El Emam, Dankar 2008; EMA policy 0070 and Health Canada ask for 0.09.",
        parameters=(_chance("Probability, at most."),),
        brief="risk",
        example="- prosecutor-risk: 0.09",
        sentence=_found,
    )
)
CLAIMS.register(
    Declaration(
        name="journalist-risk",
        classes=(JournalistRisk,),
        summary="The chance to find somebody of the population, for everyone in the table.",
        headline="chance to find somebody of the population",
        promises="Someone who has a list of the population, and does not know who of it is in the "
        "table, re-identifies a record with at most this probability.",
        does_not_protect="Anyone known to be in the table.",
        reference="El Emam, Dankar 2008.",
        parameters=(_chance("Probability, at most."), POPULATION),
        example="- journalist-risk: {risk: 0.09, population: census.csv}",
        sentence=_found_outside,
    )
)
CLAIMS.register(
    Declaration(
        name="marketer-risk",
        classes=(MarketerRisk,),
        summary="The share of people whose row is found, on average.",
        headline="share of people found, on average",
        promises="Someone who links the whole table to a list of the same people gets at most "
        "this share of the links right on average.",
        does_not_protect="Single people: some may be unique as long as the average is low.",
        reference="Dankar, El Emam 2010.",
        parameters=(_chance("Average, at most."),),
        brief="risk",
        example="- marketer-risk: 0.05",
        sentence=_found_on_average,
    )
)
CLAIMS.register(
    Declaration(
        name="unique-share",
        classes=(UniqueShare,),
        summary="The share of people who are alone in their group.",
        headline="share of people alone in their group",
        promises="Nobody can single out more than this share of the published people by their "
        "quasi-identifiers.",
        does_not_protect="Those who are unique: they can be singled out with certainty. Groups "
        "of two count as safe.",
        reference="Dalenius 1986; Skinner, Elliot 2002.",
        parameters=(
            Parameter(
                name="share",
                kind=NumberParameter(UNIT, percent=True),
                meaning="Share of the people, at most.",
                words="share, at most (0 or 1%)",
            ),
        ),
        brief="share",
        example="- unique-share: 0.01",
        sentence=_alone,
    )
)
