"""l-diversity: the people of a group do not agree on the sensitive value.

Where people may have several values each (several diagnoses), the values of a group are
counted in pairs (person, value), and pairs can look diverse although everyone shares one of
the values: three people who each have a, b and c. Then each model also asks that no value is
too frequent among the *people* of a group, n(q, s) / n(q); see each docstring.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.ranges import FROM_ONE, POSITIVE, WHOLE
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
from hedgerow.claims.logarithms import sign_of_logarithms
from hedgerow.claims.reductions import effective_values, extremes, first_and_tail
from hedgerow.claims.removal_bounds import could_stay, largest_share
from hedgerow.table.groups import Floats, Groups, Ints


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

    def could_stay(self, groups: Groups) -> Ints:
        return _stay_within(self, groups, self.of, 1 / float(self.l))

    def ratios(self, groups: Groups) -> list[Ratio]:
        histogram = histogram_of(groups, self.of)[1]
        return [(groups.n, extremes(histogram.indptr, histogram.counts)[1])]


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


def _stay_within(model: PrivacyModel, groups: Groups, of: str, share: float) -> Ints:
    """Who could stay if nowhere more than this share of people may have the same value."""
    domain, histogram = histogram_of(groups, of)
    stay = could_stay(groups, histogram, most=np.full(len(domain.values), share))
    return np.minimum(stay, PrivacyModel.could_stay(model, groups))
