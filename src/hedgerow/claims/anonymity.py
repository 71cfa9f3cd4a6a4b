"""k-anonymity: nobody stands out by what an attacker may already know."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import UNIT, WHOLE
from hedgerow.claims.base import (
    ColumnModel,
    Needs,
    PrivacyModel,
    Ratio,
    RatioModel,
    exact,
    histogram_of,
    require_number,
    shown,
)
from hedgerow.claims.reductions import extremes
from hedgerow.claims.removal_bounds import could_stay
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


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(ColumnModel, RatioModel):
    """Every group has at least k people, and at most a share alpha of them has the value.

    Guarantee: As k-anonymity; and whoever finds someone's group believes in the value (in
        any value, where none is named) with confidence at most alpha.
    Assumes: The attacker knows quasi-identifiers and nothing about the sensitive column.
    Reference: Wong, Li, Fu, Wang 2006, (alpha, k)-anonymity, simple and general.

    The level is the largest share; infinite where the group is smaller than k.

    >>> groups = Groups.of({"disease": [{"HIV": 1, "flu": 3}, {"HIV": 2, "flu": 2}]})
    >>> AlphaKAnonymity(alpha=0.5, k=4, of="disease", value="HIV").level(groups).tolist()
    [0.25, 0.5]
    >>> AlphaKAnonymity(alpha=0.5, k=4, of="disease").holds(groups).tolist()
    [False, True]
    """

    needs: ClassVar[Needs] = Needs.SIZES | Needs.HISTOGRAM
    higher_is_safer: ClassVar[bool] = False

    alpha: float
    """Largest share, 0 to 1."""
    k: int
    """People in each group, at least 1."""
    value: str | None = None
    """The value to protect; by default every one."""

    def __post_init__(self) -> None:
        require_number("alpha", self.alpha, UNIT)
        require_number("k", self.k, WHOLE)
        super().__post_init__()

    def __str__(self) -> str:
        what = self.of if self.value is None else f"{self.of} {self.value!r}"
        return f"({shown(self.alpha)}, {self.k})-anonymity of {what}"

    @property
    def required(self) -> Fraction:
        return exact(self.alpha)

    def could_stay(self, groups: Groups) -> Ints:
        domain, histogram = histogram_of(groups, self.of)
        named = [self.value is None or value == self.value for value in domain.values]
        most = np.where(named, float(self.alpha), 1.0)
        stay = could_stay(groups, histogram, most=most)
        return np.where(stay >= self.k, np.minimum(stay, super().could_stay(groups)), 0)

    def ratios(self, groups: Groups) -> list[Ratio]:
        domain, histogram = histogram_of(groups, self.of)
        if self.value is None:
            having = extremes(histogram.indptr, histogram.counts)[1]
        else:
            if self.value not in domain.values:
                raise PlanError(
                    f"column {self.of!r} has no value {self.value!r}",
                    fix="Name a value as it stands in the data.",
                )
            entries = np.flatnonzero(histogram.codes == domain.values.index(self.value))
            having = np.zeros(len(groups), np.int64)
            owner = np.searchsorted(histogram.indptr, entries, side="right") - 1
            having[owner] = histogram.counts[entries]
        return [(having, np.where(groups.n >= self.k, groups.n, 0))]
