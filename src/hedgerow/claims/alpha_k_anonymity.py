"""(alpha, k)-anonymity: k-anonymity in which no sensitive value dominates a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isinf
from typing import ClassVar

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import OPEN_UNIT, UNIT, WHOLE
from hedgerow.claims.base import (
    ColumnModel,
    Needs,
    Ratio,
    RatioModel,
    exact,
    histogram_of,
    require_number,
    shown,
)
from hedgerow.claims.declaration import (
    CLAIMS,
    OF,
    Declaration,
    NumberParameter,
    Parameter,
    ParameterKind,
    Said,
    column_of,
)
from hedgerow.claims.reductions import extremes
from hedgerow.claims.removal_bounds import could_stay
from hedgerow.claims.row_bound import times
from hedgerow.claims.traits import PEOPLE_SLIDER, Slider
from hedgerow.table.groups import Groups, Ints
from hedgerow.table.value_order import Value


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
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    rows_words: ClassVar[str] = "(alpha, k)-anonymity"
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("alpha", "alpha", "share of one value, at most (alpha)", 0.01, 0.99),
        replace(PEOPLE_SLIDER, low=1),
    )

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

    @property
    def promise(self) -> str:
        what = f"in {self.value!r}" if self.value is not None else "in any value"
        return (
            f"finds at least {self.k} people, and believes {what} of {self.of!r} with a "
            f"confidence of at most {shown(self.alpha)}"
        )

    @property
    def least_people(self) -> int:
        return self.k

    @property
    def bounds_size(self) -> bool:
        return self.k > 1 or self.keeps_apart(several=True)

    def keeps_apart(self, *, several: bool) -> bool:
        return self.value is None and self.alpha < 1

    @property
    def named_value(self) -> Value:
        return self.value

    @property
    def protected_value(self) -> Value:
        return self.value if self.alpha < 1 else None

    def renamed(self, names: Mapping[Value, Value]) -> AlphaKAnonymity:
        return (
            self if self.value is None else replace(self, value=names.get(self.value, self.value))
        )

    def of_rows(self, rows: int) -> AlphaKAnonymity:
        alpha = exact(self.alpha)
        few: Fraction = alpha if alpha in (0, 1) else alpha / rows
        return replace(self, k=times(self.k, rows), alpha=few)  # type: ignore[arg-type]

    def level_of_people(self, level: float, rows: int) -> float:
        return level if isinf(level) else min(1.0, level * rows)


def _sentence(said: Said) -> str:
    of = column_of(said)
    what = f"{of} = {said['value']}" if said.get("value") else f"no value of {of}"
    verb = "has no larger share in it than" if said.get("value") else "has a larger share than"
    return f"Every group has at least {said['k']} people, and {what} {verb} {said['alpha']}."


CLAIMS.register(
    Declaration(
        name="alpha-k-anonymity",
        classes=(AlphaKAnonymity,),
        summary="k-anonymity, and no sensitive value is more frequent than alpha in a group.",
        headline="no sensitive value dominates a group",
        promises="Someone who knows a person's quasi-identifiers finds at least k records, and "
        "believes in the protected sensitive value (in any value, where none is named) with a "
        "confidence of at most alpha.",
        does_not_protect="Other values than the named one; attackers who can rule out some "
        "values or who know further columns.",
        reference="Wong, Li, Fu, Wang 2006 (KDD).",
        parameters=(
            Parameter(
                name="alpha",
                kind=NumberParameter(OPEN_UNIT),
                meaning="Share of one value in a group, at most.",
                words="share of one value, at most (0 to 1)",
            ),
            Parameter(
                name="k", kind=NumberParameter(WHOLE), meaning="People in every group, at least."
            ),
            Parameter(
                name="value",
                kind=ParameterKind.VALUE,
                default=None,
                meaning="The one value that is protected; all of them if left out.",
                words="Only this value",
            ),
            OF,
        ),
        example="- alpha-k-anonymity: {alpha: 0.5, k: 5, of: disease, value: HIV}",
        sentence=_sentence,
    )
)
