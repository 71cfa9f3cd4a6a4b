"""Re-identification risks, as health-data and statistical regulators state them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

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
from hedgerow.table.groups import Groups, Ints


@dataclass(frozen=True, kw_only=True)
class Risk(RatioModel):
    """What the risks share: a probability that must not be exceeded."""

    needs: ClassVar[Needs] = Needs.SIZES
    higher_is_safer: ClassVar[bool] = False
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    kind: ClassVar[str]

    risk: float
    """Largest probability, above 0 and at most 1."""

    def __post_init__(self) -> None:
        require_number("risk", self.risk, RISK)

    def __str__(self) -> str:
        return f"{self.kind} risk at most {shown(self.risk)}"

    @property
    def required(self) -> Fraction:
        return exact(self.risk)


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
    monotone_in_union: ClassVar[bool] = True

    def ratios(self, groups: Groups) -> list[Ratio]:
        return [(np.ones(len(groups), np.int64), groups.n)]


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
    monotone_in_union: ClassVar[bool] = True

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
    monotone_in_suppression: ClassVar[bool] = False
    monotone_in_union: ClassVar[bool] = True

    def ratios(self, groups: Groups) -> list[Ratio]:
        return [_of_all_people(int(np.count_nonzero(groups.n)), groups)]

    def relief(self, groups: Groups) -> Relief:
        # groups / people <= p / q, each group suppressed being 1 less above and n less below.
        p, q = self.required.as_integer_ratio()
        needed = int(np.count_nonzero(groups.n)) * q - groups.people * p
        return Relief(needed, lambda n: q - n * p)


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


def _of_all_people(count: int, groups: Groups) -> Ratio:
    """The same ratio to all people for every group: a statement about the table."""
    whole: Ints = np.full(len(groups), groups.people, np.int64)
    return np.full(len(groups), count, np.int64), whole
