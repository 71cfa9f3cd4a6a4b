"""k-anonymity: nobody stands out by what an attacker may already know."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import SEVERAL, WHOLE
from hedgerow.claims.base import (
    Needs,
    PrivacyModel,
    histogram_of,
    require_number,
)
from hedgerow.claims.declaration import (
    CLAIMS,
    ChoiceParameter,
    Declaration,
    NumberParameter,
    Parameter,
    Said,
)
from hedgerow.claims.reductions import extremes
from hedgerow.claims.row_bound import times
from hedgerow.claims.traits import FINDER, PEOPLE_SLIDER, Slider
from hedgerow.table.groups import ALL, Floats, Groups, Ints


@dataclass(frozen=True, kw_only=True)
class KAnonymity(PrivacyModel):
    """Every group has at least k people.

    Guarantee: Whoever knows someone's quasi-identifiers finds at least k people who share
        them, the person included, and picks the right one with probability at most 1/k.
    Assumes: The attacker knows no column but the quasi-identifiers. With over="all" no such
        assumption is made: each combination of all published columns is shared by k people.
    Reference: Samarati 2001; Sweeney 2002. Over all columns: Li, Qardaji, Su
        2012, who treat every attribute as a quasi-identifier.

    >>> groups = Groups.of([4, 3, 7])
    >>> KAnonymity(k=3).check(groups).level, KAnonymity(k=4).holds(groups).tolist()
    (3.0, [True, False, True])
    >>> str(KAnonymity(k=5)), str(KAnonymity(k=5, over="all"))
    ('5-anonymity', '5-anonymity over all columns')
    """

    higher_is_safer: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    rows_words: ClassVar[str] = "k-anonymity"
    sliders: ClassVar[tuple[Slider, ...]] = (PEOPLE_SLIDER,)

    k: int
    """People in each group, at least 1."""
    over: Literal["quasi-identifiers", "all"] = "quasi-identifiers"
    """Which columns an attacker may know."""

    def __post_init__(self) -> None:
        require_number("k", self.k, WHOLE)
        if self.over not in ("quasi-identifiers", "all"):
            raise PlanError(
                f"k-anonymity is over 'quasi-identifiers' or 'all', not {self.over!r}",
                fix="Leave it out to mean the quasi-identifiers.",
            )

    def __str__(self) -> str:
        return f"{self.k}-anonymity" + (" over all columns" if self.over == "all" else "")

    @property
    def needs(self) -> Needs:
        return Needs.HISTOGRAM if self.over == "all" else Needs.SIZES

    @property
    def attributes(self) -> tuple[str, ...]:
        return (ALL,) if self.over == "all" else ()

    @property
    def required(self) -> Fraction:
        return Fraction(self.k)

    def sizes(self, groups: Groups) -> Ints:
        """The fewest people of each group an attacker cannot tell apart."""
        if self.over == "all":
            histogram = histogram_of(groups, ALL)[1]
            return extremes(histogram.indptr, histogram.counts)[0]
        return groups.n

    @property
    def monotone_in_union(self) -> bool:
        return self.over != "all"

    def level(self, groups: Groups) -> Floats:
        return self.sizes(groups).astype(np.float64)

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        passed: NDArray[np.bool_] = (self.sizes(groups) >= self.k) | (groups.n == 0)
        return passed

    def exactly(self, groups: Groups, group: int) -> bool:
        return int(self.sizes(groups)[group]) >= self.k

    @property
    def attacker(self) -> str:
        if self.joint:
            return "somebody who knows all published columns of a person"
        return FINDER

    @property
    def promise(self) -> str:
        if self.joint:
            return f"finds at least {self.k} people who agree on all columns"
        return f"finds at least {self.k} people who could be that person"

    @property
    def joint(self) -> bool:
        return self.over == "all"

    @property
    def least_people(self) -> int:
        return self.k

    def people_at(self, level: float) -> float:
        return level

    @property
    def only_size(self) -> int | None:
        return None if self.joint else self.k

    def with_size(self, people: int) -> KAnonymity:
        return replace(self, k=people)

    def of_rows(self, rows: int) -> KAnonymity:
        return replace(self, k=times(self.k, rows))

    def level_of_people(self, level: float, rows: int) -> float:
        return float(max(1, level // rows))


def _sentence(said: Said) -> str:
    k = int(said["k"])
    what = "published columns" if said.get("over") == "all" else "quasi-identifiers"
    return (
        f"Everybody looks like at least {k - 1:,} others: no group with the same {what} is smaller "
        f"than {k:,}."
    )


CLAIMS.register(
    Declaration(
        name="k-anonymity",
        classes=(KAnonymity,),
        summary="Everyone shares their quasi-identifiers with at least k - 1 others.",
        headline="nobody is alone: groups of at least k people",
        promises="Someone who knows a person's quasi-identifiers, and that the person is in the "
        "table, cannot narrow the person's record down to fewer than k records: at least k people "
        "share every published combination of quasi-identifiers. With over: all this holds for "
        "combinations of all published columns.",
        does_not_protect="The sensitive value, where the people of a group share it; anyone about "
        "whom the attacker knows a column that is not a quasi-identifier (unless over: all); "
        "anyone in two releases, whose two groups can be intersected.",
        reference="Samarati 2001; Sweeney 2002.",
        parameters=(
            Parameter(
                name="k", kind=NumberParameter(SEVERAL), meaning="People in every group, at least."
            ),
            Parameter(
                name="over",
                kind=ChoiceParameter(("quasi-identifiers", "all")),
                default="quasi-identifiers",
                meaning="What an attacker may know; all: every published column, sensitive ones "
                "too.",
                words="Alike in",
            ),
        ),
        brief="k",
        example="- k-anonymity: 5",
        sentence=_sentence,
    )
)
