"""Likeness: no value becomes much more (or less) likely in a group than in the table.

Both models compare n(q, s) / n(q) with n(s) / n, shares of people, so that people with several
values need no further rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import ClassVar, Literal

import numpy as np

from hedgerow.base.errors import DataError, PlanError
from hedgerow.base.ranges import POSITIVE, Range
from hedgerow.claims.base import (
    LARGEST,
    NEAR,
    ColumnModel,
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
    ChoiceParameter,
    Declaration,
    NumberParameter,
    Parameter,
    Said,
    column_of,
)
from hedgerow.claims.logarithms import sign_of_logarithms
from hedgerow.claims.reductions import steepest
from hedgerow.claims.removal_bounds import could_stay
from hedgerow.claims.traits import TABLE_KNOWN, WHOLE_TABLE, Gap, Slider
from hedgerow.table.groups import Floats, Groups, Histogram, Ints, Sensitive


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(ColumnModel):
    """In every group |ln(p(q, s) / p(s))| < delta for every value s of the table.

    Guarantee: Finding someone's group makes no value more than e^delta times more likely, or
        less likely, than it is in the table. A value of the table that the group lacks has
        become impossible, which no delta allows.
    Assumes: The table's distribution is no secret.
    Reference: Brickell, Shmatikov 2008 (KDD), delta-disclosure privacy (strict).

    >>> groups = Groups.of({"disease": [{"flu": 1, "cancer": 1}, {"flu": 3, "cancer": 1}]})
    >>> DeltaDisclosure(delta=1, of="disease").level(groups).round(4).tolist()  # ln 3/2, ln 4/3
    [0.4055, 0.2877]
    """

    compares_with_table: ClassVar[bool] = True
    higher_is_safer: ClassVar[bool] = False
    strict: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    attacker: ClassVar[str] = TABLE_KNOWN
    gaps: ClassVar[tuple[Gap, ...]] = (WHOLE_TABLE,)
    sliders: ClassVar[tuple[Slider, ...]] = (Slider("delta", "delta", "delta, at most", 0.05, 5),)

    delta: float
    """Largest logarithm, above 0."""

    def __post_init__(self) -> None:
        require_number("delta", self.delta, POSITIVE)
        super().__post_init__()

    def __str__(self) -> str:
        return f"{shown(self.delta)}-disclosure privacy of {self.of}"

    @property
    def required(self) -> Fraction:
        return exact(self.delta)

    @property
    def promise(self) -> str:
        return (
            f"finds each {self.of!r} of the table less than e^{shown(self.delta)} times and more "
            f"than e^-{shown(self.delta)} times as likely as in the whole table"
        )

    def keeps_apart(self, *, several: bool) -> bool:
        return not several  # all values are in each group, but some may be everybody's

    def could_stay(self, groups: Groups) -> Ints:
        domain, histogram = histogram_of(groups, self.of)
        shape, factor = domain.reference / max(1, domain.people), np.exp(float(self.delta))
        stay = could_stay(groups, histogram, most=shape * factor, least=shape / factor)
        return np.minimum(stay, super().could_stay(groups))

    def level(self, groups: Groups) -> Floats:
        domain, histogram = histogram_of(groups, self.of)
        top, bottom = _ends(domain, histogram)
        level = np.full(len(groups), np.inf)
        whole = np.diff(histogram.indptr) == np.count_nonzero(domain.reference)
        seen = np.flatnonzero(whole & (top >= 0))
        for ends in (top, bottom):
            above, below = _likelier(groups, domain, histogram, ends, seen)
            logarithm = np.abs(np.log(above / below))
            level[seen] = logarithm if ends is top else np.maximum(level[seen], logarithm)
        return level

    def exactly(self, groups: Groups, group: int) -> bool:
        domain, histogram = histogram_of(groups, self.of)
        codes = histogram.codes[histogram.indptr[group] : histogram.indptr[group + 1]]
        if set(codes.tolist()) != set(np.flatnonzero(domain.reference).tolist()):
            return False
        for code, count in zip(codes, histogram.of(group), strict=True):
            p = Fraction(int(count), int(groups.n[group]))
            ratio = p / Fraction(int(domain.reference[code]), domain.people)
            if sign_of_logarithms([(1, max(ratio, 1 / ratio))], self.required) >= 0:
                return False
        return True


@dataclass(frozen=True, kw_only=True)
class BetaLikeness(ColumnModel, RatioModel):
    """In every group no value is more than 1 + beta times as frequent as in the table.

    Guarantee: For every value with p(q, s) > p(s), (p(q, s) - p(s)) / p(s) <= beta; enhanced:
        <= min(beta, -ln p(s)), so that frequent values cannot become certain. Becoming less
        likely is not bounded.
    Assumes: The table's distribution is no secret.
    Reference: Cao, Karras 2012 (PVLDB 5), basic and enhanced beta-likeness.

    The level is the largest relative gain; for enhanced likeness infinite where some gain
    exceeds its value's -ln p(s).

    >>> groups = Groups.of({"disease": [{"flu": 3, "cancer": 1}, {"flu": 1, "cancer": 3}]})
    >>> BetaLikeness(beta=0.5, of="disease").level(groups).tolist()
    [0.5, 0.5]
    >>> BetaLikeness(beta=0.5, of="disease", kind="enhanced").check(groups).holds
    True
    """

    compares_with_table: ClassVar[bool] = True
    higher_is_safer: ClassVar[bool] = False
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    attacker: ClassVar[str] = TABLE_KNOWN
    gaps: ClassVar[tuple[Gap, ...]] = (WHOLE_TABLE,)
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("beta", "beta", "relative gain, at most (beta)", 0.05, 20, False, True),
    )

    beta: float
    """Largest relative gain, at least 0."""
    kind: Literal["basic", "enhanced"] = "basic"
    """Whether frequent values have a bound of their own."""

    def __post_init__(self) -> None:
        require_number("beta", self.beta, Range(0))
        super().__post_init__()
        if self.kind not in ("basic", "enhanced"):
            raise PlanError(
                f"likeness is 'basic' or 'enhanced', not {self.kind!r}", fix="Use one of the two."
            )

    def __str__(self) -> str:
        return f"{self.kind} {shown(self.beta)}-likeness of {self.of}"

    @property
    def required(self) -> Fraction:
        return exact(self.beta)

    @property
    def promise(self) -> str:
        return (
            f"finds no {self.of!r} more than 1 + {shown(self.beta)} times as likely as in the "
            "whole table"
        )

    def keeps_apart(self, *, several: bool) -> bool:
        return self.kind == "enhanced" or self.beta == 0

    def could_stay(self, groups: Groups) -> Ints:
        domain, histogram = histogram_of(groups, self.of)
        shape = domain.reference / max(1, domain.people)
        stay = could_stay(groups, histogram, most=shape * (1 + float(self.beta)))
        return np.minimum(stay, super().could_stay(groups))

    def ratios(self, groups: Groups) -> list[Ratio]:
        domain, histogram = histogram_of(groups, self.of)
        top, _ = _ends(domain, histogram)
        seen = np.flatnonzero(top >= 0)
        gain, base = np.zeros(len(groups), np.int64), np.zeros(len(groups), np.int64)
        above, below = _likelier(groups, domain, histogram, top, seen)
        gain[seen], base[seen] = np.maximum(above - below, 0), below
        if self.kind == "enhanced":
            base[self._too_likely(groups, domain, histogram)] = 0
        return [(gain, base)]

    def _too_likely(self, groups: Groups, domain: Sensitive, histogram: Histogram) -> Ints:
        """Groups in which some value gains more than -ln p(s)."""
        bound = 1.0 + np.log(max(domain.people, 1) / np.maximum(domain.reference, 1))
        owner = histogram.owner()
        above = histogram.counts * domain.people
        below = groups.n[owner] * domain.reference[histogram.codes]
        bounds = bound[histogram.codes]
        excess = above / np.maximum(below, 1) - bounds
        close = np.abs(excess) <= NEAR * bounds
        over = (excess > 0) & ~close
        for e in np.flatnonzero(close & (above > below) & (below > 0)):
            gain = Fraction(int(above[e] - below[e]), int(below[e]))
            p = Fraction(domain.people, int(domain.reference[histogram.codes[e]]))
            over[e] = sign_of_logarithms([(1, p)], gain) < 0
        groups_over: Ints = owner[over]
        return groups_over


def _ends(domain: Sensitive, histogram: Histogram) -> tuple[Ints, Ints]:
    """Entries of the values that gain and that lose most in each group."""
    if domain.people**2 > LARGEST:
        raise DataError(
            f"{domain.people:,} people are too many to compare shares exactly",
            fix="Split the table.",
        )
    return steepest(histogram.indptr, histogram.codes, histogram.counts, domain.reference)


def _likelier(
    groups: Groups, domain: Sensitive, histogram: Histogram, entries: Ints, seen: Ints
) -> Ratio:
    """p(q, s) / p(s) at one entry of each group in `seen`."""
    chosen = entries[seen]
    above = histogram.counts[chosen] * domain.people
    return above, groups.n[seen] * domain.reference[histogram.codes[chosen]]


def _times_as_frequent(said: Said) -> str:
    return (
        f"In no group is a value of {column_of(said)} {exp(float(said['delta'])):.3g} times as "
        "frequent as in the whole table, or as rare."
    )


def _more_frequent(said: Said) -> str:
    return (
        f"In no group is a value of {column_of(said)} more frequent than in the whole table by "
        f"more than {100 * float(said['beta']):.4g} % of its share there."
    )


CLAIMS.register(
    Declaration(
        name="delta-disclosure",
        classes=(DeltaDisclosure,),
        summary="No value's share in a group differs from the table's by a factor of e^delta or "
        "more.",
        headline="no sensitive value becomes much more or less frequent",
        promises="Someone who has found a person's group finds no sensitive value more than "
        "e^delta times as likely as in the whole table, nor less likely by that factor: no value "
        "of the table is ruled out either.",
        does_not_protect="What the table as a whole says about everybody; identity. It is "
        "demanding: every group must have every value of the table.",
        reference="Brickell, Shmatikov 2008 (KDD).",
        parameters=(
            Parameter(
                name="delta", kind=NumberParameter(POSITIVE), meaning="Logarithm of the factor."
            ),
            OF,
        ),
        brief="delta",
        example="- delta-disclosure: {delta: 1.5, of: disease}",
        sentence=_times_as_frequent,
    )
)
CLAIMS.register(
    Declaration(
        name="beta-likeness",
        classes=(BetaLikeness,),
        summary="No value is relatively more frequent in a group than in the table by more than "
        "beta.",
        headline="no sensitive value becomes much more frequent",
        promises="Someone who has found a person's group finds no sensitive value more than "
        "1 + beta times as likely as in the whole table; enhanced: nor more than 1 - ln p times, "
        "p being its share in the table, which keeps frequent values from becoming certain.",
        does_not_protect="Learning that a value is less likely, or impossible; what the table as "
        "a whole says about everybody; identity.",
        reference="Cao, Karras 2012 (PVLDB 5).",
        parameters=(
            Parameter(
                name="beta", kind=NumberParameter(POSITIVE), meaning="Relative gain, at most."
            ),
            Parameter(
                name="kind",
                kind=ChoiceParameter(("basic", "enhanced")),
                default="basic",
                meaning="enhanced also protects frequent values.",
                words="Kind",
            ),
            OF,
        ),
        brief="beta",
        example="- beta-likeness: {beta: 2, kind: enhanced, of: disease}",
        sentence=_more_frequent,
    )
)
