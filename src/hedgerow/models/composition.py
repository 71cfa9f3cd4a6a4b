"""Composition: several releases together leave more than one value possible."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import kernel
from hedgerow.errors import PlanError
from hedgerow.groups import Earlier, Groups, Histogram, Ints
from hedgerow.models.base import (
    LARGEST,
    ColumnModel,
    Ratio,
    RatioModel,
    exact,
    histogram_of,
    require_number,
    shown,
)

Words = NDArray[np.uint64]


def earlier_name(of: str) -> str:
    """The attribute of the groups that holds what earlier releases leave possible."""
    return f"({of}, earlier releases)"


@dataclass(frozen=True, kw_only=True)
class Composition(RatioModel, ColumnModel):
    """Whoever intersects this release with earlier ones is left with several values.

    Guarantee: For every person in the release, take any earlier releases that are compared and
        whose groups that fit the person have the person's value. The values that these groups
        and the person's group in this release have in common, missing ones not counted, are at
        least 1 / confidence.
    Assumes: The attacker locates people by quasi-identifiers that this table has, and reasons
        about which values are possible, not how frequent they are. A person's value is the same
        in all releases; people who have none are not protected. One value a person.
    Reference: Ganta, Kasiviswanathan, Smith 2008 (KDD), Algorithm 1: confidence is 1 / EA.

    The level is the largest confidence; alone, without earlier releases, it is that of distinct
    l-diversity with l = 1 / confidence.

    >>> before = np.array([[0b011], [0b111]], np.uint64)  # flu or gout; anything
    >>> groups = with_earlier(Groups.of({"illness": [{"flu": 1, "acne": 1}, {"flu": 1, "gout": 1}]},
    ...                                 order={"illness": ["flu", "gout", "acne"]}),
    ...                       "illness", before, [{0: 1, 1: 1}, {0: 2}])
    >>> Composition(confidence=0.5, of="illness").level(groups).tolist()
    [1.0, 0.5]
    """

    higher_is_safer: ClassVar[bool] = False
    looks_behind: ClassVar[bool] = True

    confidence: float

    def __post_init__(self) -> None:
        require_number("confidence", self.confidence, above=0)
        super().__post_init__()
        if self.confidence >= 1:
            raise PlanError(
                f"a confidence of {shown(self.confidence)} protects nobody",
                fix="Give less than 1, such as 0.5: at least two values stay possible.",
            )

    def __str__(self) -> str:
        return (
            f"composition with earlier releases ({self.of} known with a confidence of at most "
            f"{shown(self.confidence)})"
        )

    @property
    def required(self) -> Fraction:
        return exact(self.confidence)

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.of, earlier_name(self.of))

    def ratios(self, groups: Groups) -> list[Ratio]:
        domain, now, before = self._found(groups)
        fewest = fewest_left(
            now.indptr, now.codes, before.indptr, before.codes, domain.left, domain.free
        )
        nobody = fewest == LARGEST
        return [(np.where(nobody, 0, 1), np.where(nobody, 1, fewest))]

    def could_stay(self, groups: Groups) -> Ints:
        domain, now, before = self._found(groups)
        least = -(-self.required.denominator // self.required.numerator)
        enough = people_with(
            now.indptr, now.codes, before.indptr, before.codes, before.counts,
            domain.left, domain.free, least,
        )  # fmt: skip
        return np.minimum(enough, super().could_stay(groups))

    def _found(self, groups: Groups) -> tuple[Earlier, Histogram, Histogram]:
        _, now = histogram_of(groups, self.of)
        domain, before = histogram_of(groups, earlier_name(self.of))
        assert isinstance(domain, Earlier), "sets of values are kept as such"
        return domain, now, before


@kernel
def _ones(word: np.uint64) -> int:
    count = 0
    while word != 0:
        word &= word - np.uint64(1)
        count += 1
    return count


@kernel
def fewest_left(
    indptr: Ints,
    codes: NDArray[np.int32],
    before_indptr: Ints,
    before_codes: NDArray[np.int32],
    left: Words,
    free: NDArray[np.bool_],
) -> Ints:
    """For each group, the fewest values left for one of its people; LARGEST: for nobody."""
    size = len(indptr) - 1
    fewest = np.full(size, LARGEST, np.int64)
    words = left.shape[1]
    here = np.zeros(words, np.uint64)
    for g in range(size):
        here[:] = 0
        for e in range(indptr[g], indptr[g + 1]):
            here[codes[e] >> 6] |= np.uint64(1) << np.uint64(codes[e] & 63)
        for e in range(before_indptr[g], before_indptr[g + 1]):
            s = before_codes[e]
            if free[s]:
                continue
            count = 0
            for w in range(words):
                count += _ones(left[s, w] & here[w])
            fewest[g] = min(fewest[g], count)
    return fewest


@kernel
def people_with(
    indptr: Ints,
    codes: NDArray[np.int32],
    before_indptr: Ints,
    before_codes: NDArray[np.int32],
    counts: Ints,
    left: Words,
    free: NDArray[np.bool_],
    least: int,
) -> Ints:
    """For each group, how many of its people have at least so many values left."""
    size = len(indptr) - 1
    people = np.zeros(size, np.int64)
    words = left.shape[1]
    here = np.zeros(words, np.uint64)
    for g in range(size):
        here[:] = 0
        for e in range(indptr[g], indptr[g + 1]):
            here[codes[e] >> 6] |= np.uint64(1) << np.uint64(codes[e] & 63)
        for e in range(before_indptr[g], before_indptr[g + 1]):
            s = before_codes[e]
            count = 0
            for w in range(words):
                count += _ones(left[s, w] & here[w])
            if free[s] or count >= least:
                people[g] += counts[e]
    return people


def with_earlier(groups: Groups, of: str, left: Words, people: list[dict[int, int]]) -> Groups:
    """Groups with what earlier releases leave, written out by hand.

    Args:
        groups: The groups.
        of: The sensitive column.
        left: Sets of values, a bit each.
        people: For each group, set -> people.
    """
    name = earlier_name(of)
    more = Groups.of({name: [{str(s): n for s, n in each.items()} for each in people]},
                     order={name: [str(s) for s in range(len(left))]})  # fmt: skip
    domain = more.domains[name]
    earlier = Earlier(
        name, domain.values, domain.reference, domain.people,
        left=left, free=np.zeros(len(left), np.bool_),
    )  # fmt: skip
    return Groups(
        groups.n,
        {**groups.histograms, **more.histograms},
        {**groups.domains, name: earlier},
        groups.population,
    )
