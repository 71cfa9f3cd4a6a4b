"""l-diversity: the people of a group do not agree on the sensitive value.

Where people may have several values each (several diagnoses), the values of a group are
counted in pairs (person, value), and pairs can look diverse although everyone shares one of
the values: three people who each have a, b and c. Then each model also asks that no value is
too frequent among the *people* of a group, n(q, s) / n(q); see each docstring.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.ranges import ABOVE_ONE, FROM_ONE, POSITIVE, WHOLE
from hedgerow.claims.base import (
    ColumnModel,
    PrivacyModel,
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
    Conflict,
    Declaration,
    NumberParameter,
    Parameter,
    Said,
    column_of,
)
from hedgerow.claims.logarithms import sign_of_logarithms
from hedgerow.claims.reductions import effective_values, extremes, first_and_tail
from hedgerow.claims.removal_bounds import could_stay, largest_share
from hedgerow.claims.row_bound import times
from hedgerow.claims.traits import FINDER, LIKELIER, Gap, Slider
from hedgerow.table.groups import Floats, Groups, Ints

_VALUES = Slider(
    "l", "l", "values in every group, at least (l)", 2, 20, True, False, True, of_values=True
)
_UNCERTAINTY = replace(_VALUES, low=1.05, whole=False)


@dataclass(frozen=True, kw_only=True)
class LDiversity(ColumnModel):
    """What the l-diversities with one parameter share."""

    higher_is_safer: ClassVar[bool] = True
    kind: ClassVar[str]

    l: float  # noqa: E741
    """How many values, at least 1."""

    def __post_init__(self) -> None:
        require_number("l", self.l, FROM_ONE)
        super().__post_init__()

    def __str__(self) -> str:
        return f"{self.kind} {shown(self.l)}-diversity of {self.of}"

    @property
    def required(self) -> Fraction:
        return exact(self.l)

    @property
    def least_values(self) -> Fraction:
        return self.required

    @property
    def bounds_size(self) -> bool:
        return self.l > 1  # of several values, too, a single person has each for sure

    def keeps_apart(self, *, several: bool) -> bool:
        return self.l > 1


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(LDiversity, RatioModel):
    """Every group has at least l different sensitive values.

    Guarantee: Nobody's value follows from their quasi-identifiers alone (l >= 2); the
        attacker has to rule out l - 1 values first. Says nothing about how likely each is.
    Assumes: The attacker knows quasi-identifiers and fewer than l - 1 excluding facts.
    Reference: Machanavajjhala et al. 2006 (ICDE), Section 4.1; Li et al. 2007, Section 2.

    Where people have several values, the level is also at most n(q) / max_s n(q, s).

    >>> groups = Groups.of({"disease": [{"flu": 2, "cancer": 2}, {"flu": 9, "cancer": 1}]})
    >>> DistinctLDiversity(l=2, of="disease").check(groups).level
    2.0
    >>> each_has_both = Groups.of({"disease": [{"flu": 3, "cancer": 3}]}, n=[3])
    >>> DistinctLDiversity(l=2, of="disease").check(each_has_both).level
    1.0
    """

    kind: ClassVar[str] = "distinct"
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    gaps: ClassVar[tuple[Gap, ...]] = (LIKELIER,)
    sliders: ClassVar[tuple[Slider, ...]] = (_VALUES,)

    l: int  # noqa: E741
    """How many values, at least 1."""

    def __post_init__(self) -> None:
        require_number("l", self.l, WHOLE)
        super().__post_init__()

    def could_stay(self, groups: Groups) -> Ints:
        # With one value each, more people never means fewer values.
        domain, _ = histogram_of(groups, self.of)
        return super().could_stay(groups) if domain.several else np.zeros(len(groups), np.int64)

    def ratios(self, groups: Groups) -> list[Ratio]:
        domain, histogram = histogram_of(groups, self.of)
        ratios = [(np.diff(histogram.indptr), np.ones(len(groups), np.int64))]
        if domain.several:
            ratios.append((groups.n, extremes(histogram.indptr, histogram.counts)[1]))
        return ratios

    @property
    def promise(self) -> str:
        return f"is left with at least {self.l} values of {self.of!r}"


@dataclass(frozen=True, kw_only=True)
class ProbabilisticLDiversity(LDiversity, RatioModel):
    """In every group the most frequent sensitive value is had by at most one person in l.

    Guarantee: Whoever finds someone's group guesses the value right with probability at
        most 1/l.
    Assumes: The attacker knows quasi-identifiers and nothing that excludes values.
    Reference: Xiao, Tao 2006 (VLDB), as the simplest reading of Machanavajjhala et al. 2006.

    Shares are of people, so people with several values need no further rule.

    >>> groups = Groups.of({"disease": [{"flu": 2, "cancer": 2}, {"flu": 3, "cancer": 1}]})
    >>> ProbabilisticLDiversity(l=2, of="disease").level(groups).round(4).tolist()
    [2.0, 1.3333]
    """

    kind: ClassVar[str] = "probabilistic"
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    rows_words: ClassVar[str] = "probabilistic l-diversity"
    sliders: ClassVar[tuple[Slider, ...]] = (_UNCERTAINTY,)

    def could_stay(self, groups: Groups) -> Ints:
        return _stay_within(self, groups, self.of, 1 / float(self.l))

    def ratios(self, groups: Groups) -> list[Ratio]:
        histogram = histogram_of(groups, self.of)[1]
        return [(groups.n, extremes(histogram.indptr, histogram.counts)[1])]

    @property
    def promise(self) -> str:
        return f"guesses {self.of!r} right at most once in {shown(self.l)} times"

    def of_rows(self, rows: int) -> ProbabilisticLDiversity:
        return replace(self, l=times(exact(self.l), rows))  # type: ignore[arg-type]

    def level_of_people(self, level: float, rows: int) -> float:
        return max(1.0, level / rows)


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(LDiversity):
    """In every group the sensitive values are as uncertain as l equally likely ones.

    Guarantee: The entropy of a group's sensitive values is at least ln l. The level is
        exp(entropy), which need not be whole.
    Assumes: The attacker knows quasi-identifiers only. Entropy is an average: one value may
        still be much more likely than 1/l.
    Reference: Machanavajjhala et al. 2006 (ICDE), Definition 4.1.

    Where people have several values, the level is also at most n(q) / max_s n(q, s).

    >>> groups = Groups.of({"disease": [{"flu": 2, "cancer": 2}, {"a": 1, "b": 1, "c": 2}]})
    >>> EntropyLDiversity(l=2, of="disease").level(groups).round(4).tolist()
    [2.0, 2.8284]
    """

    kind: ClassVar[str] = "entropy"
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    gaps: ClassVar[tuple[Gap, ...]] = (LIKELIER,)
    sliders: ClassVar[tuple[Slider, ...]] = (_UNCERTAINTY,)

    def level(self, groups: Groups) -> Floats:
        domain, histogram = histogram_of(groups, self.of)
        level, _ = effective_values(histogram.indptr, histogram.counts)
        if domain.several:
            most = extremes(histogram.indptr, histogram.counts)[1]
            level = np.minimum(level, groups.n / np.maximum(most, 1))
        return level

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        domain, histogram = histogram_of(groups, self.of)
        if domain.several:
            return super().holds(groups)
        level, uniform = effective_values(histogram.indptr, histogram.counts)
        # Groups of equal counts meet a whole l exactly, and there are thousands of them in a
        # search; their level is a whole number, so no logarithm has to be compared.
        decided = np.where(uniform, np.inf, level)
        passed = np.where(uniform, level >= ceil(self.required), self.decide(groups, decided))
        return passed | self.vacuous(groups)

    def could_stay(self, groups: Groups) -> Ints:
        domain, _ = histogram_of(groups, self.of)
        share = 1.0 if domain.several else largest_share(float(self.l), len(domain.values))
        return _stay_within(self, groups, self.of, share)

    def exactly(self, groups: Groups, group: int) -> bool:
        """N^N >= l^N * product of N_s^(N_s), in logarithms that are never rounded."""
        domain, histogram = histogram_of(groups, self.of)
        counts = histogram.of(group)
        if not len(counts):
            return False
        if domain.several and int(groups.n[group]) < self.required * int(counts.max()):
            return False
        sizes, times = np.unique(counts, return_counts=True)
        if len(sizes) == 1:
            return len(counts) >= self.required
        total = int(counts.sum())
        terms: list[tuple[int, Fraction | int]] = [(total, total), (-total, self.required)]
        terms += [(-int(c) * int(t), int(c)) for c, t in zip(sizes, times, strict=True)]
        return sign_of_logarithms(terms) >= 0

    @property
    def promise(self) -> str:
        return (
            f"is on average as unsure of {self.of!r} as between {shown(self.l)} equally likely "
            "values"
        )


@dataclass(frozen=True, kw_only=True)
class RecursiveLDiversity(ColumnModel, RatioModel):
    """In every group r_1 < c (r_l + ... + r_m), r_i being the i-th largest count.

    Guarantee: The most frequent value stays less than c times as frequent as the rest,
        even after an attacker has ruled out l - 2 values.
    Assumes: The attacker knows quasi-identifiers and at most l - 2 excluding facts.
    Reference: Machanavajjhala et al. 2006 (ICDE), Definition 4.2 (strict).

    The level is r_1 / (r_l + ... + r_m), the c that is just not enough; infinite with fewer
    than l values. Where people have several values it is at least r_1 / (n(q) - r_1).

    >>> groups = Groups.of({"disease": [{"HIV": 50, "pneumonia": 49, "bronchitis": 1}]})
    >>> RecursiveLDiversity(c=2, l=2, of="disease").check(groups).level
    1.0
    >>> RecursiveLDiversity(c=2, l=3, of="disease").check(groups).level
    50.0
    """

    higher_is_safer: ClassVar[bool] = False
    strict: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    sliders: ClassVar[tuple[Slider, ...]] = (
        _VALUES,
        Slider("c", "c", "weight of the rest (c)", 0.1, 20, False, True),
    )

    c: float
    """How many times as frequent, above 0."""
    l: int  # noqa: E741
    """From which value on the rest counts, at least 1."""

    def __post_init__(self) -> None:
        require_number("c", self.c, POSITIVE)
        require_number("l", self.l, WHOLE)
        super().__post_init__()

    def __str__(self) -> str:
        return f"recursive ({shown(self.c)}, {self.l})-diversity of {self.of}"

    @property
    def required(self) -> Fraction:
        return exact(self.c)

    def could_stay(self, groups: Groups) -> Ints:
        # r_1 < c (r_l + ... + r_m) <= c (N - r_1) for l >= 2.
        domain, _ = histogram_of(groups, self.of)
        share = 1.0 if domain.several or self.l < 2 else float(self.c) / (1 + float(self.c))
        return _stay_within(self, groups, self.of, share)

    def ratios(self, groups: Groups) -> list[Ratio]:
        domain, histogram = histogram_of(groups, self.of)
        first, tail = first_and_tail(histogram.indptr, histogram.counts, self.l)
        if domain.several:
            tail = np.clip(groups.n - first, 0, tail)
        return [(first, tail)]

    @property
    def attacker(self) -> str:
        if self.l > 2:
            return f"{FINDER}, and who can rule out {self.l - 2} sensitive values"
        return FINDER

    @property
    def promise(self) -> str:
        return (
            f"finds the likeliest {self.of!r} less than {shown(self.c)} times as frequent as the "
            "rest"
        )

    @property
    def least_values(self) -> int:
        return self.l

    @property
    def bounds_size(self) -> bool:
        return self.l > 1

    def keeps_apart(self, *, several: bool) -> bool:
        return self.l > 1


def _stay_within(model: PrivacyModel, groups: Groups, of: str, share: float) -> Ints:
    """Who could stay if nowhere more than this share of people may have the same value."""
    domain, histogram = histogram_of(groups, of)
    stay = could_stay(groups, histogram, most=np.full(len(domain.values), share))
    return np.minimum(stay, PrivacyModel.could_stay(model, groups))


COUNTED = ("distinct", "recursive")
"""The kinds that count values."""


def _conflict(said: Said) -> Conflict | None:
    kind, l, c = said["kind"], said["l"], said["c"]  # noqa: E741 - the paper's name
    if (kind == "recursive") != (c is not None):
        return Conflict(
            "recursive l-diversity needs c" if c is None
            else f"c has no meaning for {kind} l-diversity",
            "Write {kind: recursive, c: 4, l: 3}, or leave c out.",
        )  # fmt: skip
    if kind in COUNTED and l != int(l):
        return Conflict(
            f"{kind} l-diversity counts values, so l cannot be {l}",
            f"Use {int(l) + 1}, or kind: entropy.",
        )
    return None


def _sentence(said: Said) -> str:
    kind, least, of = said.get("kind", "distinct"), said["l"], column_of(said)
    if kind == "probabilistic":
        return f"In no group does a value of {of} have a larger share than one in {least}."
    if kind == "entropy":
        return f"In every group {of} is as hard to guess as among {least} equally likely values."
    if kind == "recursive":
        return (
            f"In every group the most frequent value of {of} is less than {said['c']} times as "
            f"frequent as the {least}th and all rarer ones together."
        )
    return f"In every group at least {least} different values of {of} occur."


CLAIMS.register(
    Declaration(
        name="l-diversity",
        classes=(
            DistinctLDiversity,
            ProbabilisticLDiversity,
            EntropyLDiversity,
            RecursiveLDiversity,
        ),
        chosen_by="kind",
        summary="Every group has l well-represented sensitive values.",
        headline="every group shows several sensitive values",
        promises="Someone who has found a person's group cannot name the person's sensitive value "
        "with certainty. Distinct: l values remain possible. Probabilistic: no value is had by "
        "more than one person in l. Entropy: the values are as uncertain as l equally likely "
        "ones. Recursive: the most frequent value stays less than c times as frequent as the "
        "others even after l - 2 values have been ruled out.",
        does_not_protect="Values that mean much the same (three stomach diseases are three "
        "values; three spellings of one disease count as one); changes against the table as a "
        "whole (half of a group having what one person in a hundred has is diverse); attackers "
        "who can rule out more values. Distinct and entropy diversity allow one value to be much "
        "more likely than the others. A missing value counts as a value of its own.",
        reference="Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006 (ICDE).",
        parameters=(
            Parameter(
                name="l",
                kind=NumberParameter(ABOVE_ONE),
                meaning="How many values, at least; a whole number for distinct and recursive.",
                words="how many values, at least",
            ),
            Parameter(
                name="kind",
                kind=ChoiceParameter(("distinct", "probabilistic", "entropy", "recursive")),
                default="distinct",
                meaning="What well-represented means.",
                words="Kind",
            ),
            Parameter(
                name="c",
                kind=NumberParameter(POSITIVE),
                default=None,
                meaning="Only for recursive (c, l)-diversity: how many times as frequent as the "
                "others the first may not be.",
                words="c",
                only_with=("kind", "recursive"),
            ),
            OF,
        ),
        brief="l",
        example="- l-diversity: {kind: entropy, l: 3, of: disease}",
        sentence=_sentence,
        conflict=_conflict,
    )
)
