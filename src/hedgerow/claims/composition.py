"""Composition: several releases, joined and counted, leave several values possible."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.base.jit import kernel
from hedgerow.base.ranges import OPEN_UNIT, POSITIVE
from hedgerow.claims.base import (
    COMPOSITION,
    LARGEST,
    ColumnModel,
    Ratio,
    RatioModel,
    Verdict,
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
from hedgerow.claims.traits import FINDER, WEIGHED, Gap, Slider
from hedgerow.table.groups import Earlier, Groups, Ints, ValuesLeft

Words = NDArray[np.uint64]
Codes = NDArray[np.int32]


def earlier_name(of: str) -> str:
    """The attribute of the groups that holds where people may be in earlier releases."""
    return f"({of}, earlier releases)"


@dataclass(frozen=True, kw_only=True)
class Composition(RatioModel, ColumnModel):
    """Whoever joins this release with earlier ones, and counts, is left with several values.

    Guarantee: At least m = 1 / confidence values, missing ones not counted, remain for everybody,
        by four checks. (1) For every person in the release, take any groups of compared releases
        that fit the person and have the person's value: at least m values are common to all of
        these and the person's group in this release. That this holds does not say more: of the
        values of the person's group at least m would have let it hold, had they been the
        person's. (2) The same for everybody in the table, where the value is taken together with
        every column that two releases show as it is. (3) And after groups, and unions of groups,
        are subtracted from each other wherever everybody in them is known (the attack on
        sequential releases), for everybody in the table; and whoever is only in earlier releases
        keeps m values, or as many as these leave. (4) For all of them, m values are proven to be
        possible: other tables in which they have them would give exactly the same releases.
    Assumes: The attacker locates people by quasi-identifiers that this table has, and reasons
        about which values are possible, not how probable they are. Whoever fits an earlier group
        and has a value of it was in it, as far as there are records. A person's value is the same
        in all releases; people who have none are not protected. One value a person.
    Reference: Ganta, Kasiviswanathan, Smith 2008 (KDD), Algorithm 1: confidence is 1 / EA. Xiao,
        Tao 2007 (SIGMOD) for what counting does.

    The level is one over the number of values that remain; alone, without earlier releases, it is
    that of distinct l-diversity with l = 1 / confidence, missing values not counted.

    An earlier group has flu and gout, and may be that of the first person of each group:

    >>> groups = with_earlier(Groups.of({"illness": [{"flu": 1, "acne": 1}, {"flu": 1, "gout": 1}]},
    ...                                 order={"illness": ["flu", "gout", "acne"]}),
    ...                       "illness", sets=[[0, 1]], profiles=[[0], []],
    ...                       people=[[(0, 0), (1, 2)], [(0, 0), (1, 1)]])
    >>> Composition(confidence=0.5, of="illness").level(groups).tolist()
    [1.0, 0.5]
    """

    higher_is_safer: ClassVar[bool] = False
    looks_behind: ClassVar[bool] = True
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    composes: ClassVar[bool] = True
    attacker: ClassVar[str] = f"{FINDER}, and who has the earlier releases that were compared"
    gaps: ClassVar[tuple[Gap, ...]] = (WEIGHED,)
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("confidence", "confidence", "one over the values left, at most", 0.02, 0.99),
    )

    confidence: float

    def __post_init__(self) -> None:
        require_number("confidence", self.confidence, POSITIVE)
        super().__post_init__()
        if self.confidence >= 1:
            raise PlanError(
                f"a confidence of {shown(self.confidence)} protects nobody",
                fix="Give less than 1, such as 0.5: at least two values stay possible.",
            )

    def __str__(self) -> str:
        return (
            f"{COMPOSITION} (at least {self.least} values of {self.of} remain "
            "by joining and counting)"
        )

    @property
    def least(self) -> int:
        """How many values remain, at least."""
        return -(-self.required.denominator // self.required.numerator)

    @property
    def values_left(self) -> int:
        return self.least

    @property
    def promise(self) -> str:
        return (
            f"is left with at least {self.least} values of {self.of!r}, by intersecting the "
            "groups that fit the person, joining records on the columns that two releases show as "
            "they are, and counting where everybody in a group is known"
        )

    def keeps_apart(self, *, several: bool) -> bool:
        return True

    @property
    def beyond_groups(self) -> bool:
        return True

    def keeps(self, groups: Groups) -> bool:
        if not super().keeps(groups):
            return False
        left = self._joined(groups)
        return left is None or left.fewest >= self.least

    def exposed(self, groups: Groups) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        wrong = ~self.holds(groups)
        left = self._joined(groups)
        if left is None:
            return wrong, wrong
        inside, beside = wrong | (left.inside < self.least), wrong | (left.beside < self.least)
        if left.fewest < self.least and not beside.any():
            beside[:] = True  # somebody is exposed who shares no group with anybody here
        return inside, beside

    def check(self, groups: Groups) -> Verdict:
        verdict = super().check(groups)
        left = self._joined(groups)
        if left is None or left.fewest * verdict.level >= 1:
            return verdict
        # Whom no value is left for contradicts the releases, and nobody knows what else they say.
        level = 1 / max(1, left.fewest)
        held = verdict.holds and left.fewest >= self.least
        return replace(verdict, holds=held, level=level, worst=None)

    def _joined(self, groups: Groups) -> ValuesLeft | None:
        """How many values joining and counting leave; None if there is nothing to join."""
        domain = histogram_of(groups, earlier_name(self.of))[0]
        assert isinstance(domain, Earlier), "where people may be is kept as such"
        return None if domain.left is None else domain.left(groups, self.least)

    @property
    def required(self) -> Fraction:
        return exact(self.confidence)

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.of, earlier_name(self.of))

    def ratios(self, groups: Groups) -> list[Ratio]:
        fewest, _ = self._left(groups, 0)
        nobody = fewest == LARGEST
        return [(np.where(nobody, 0, 1), np.where(nobody, 1, fewest))]

    def could_stay(self, groups: Groups) -> Ints:
        _, enough = self._left(groups, self.least)
        return np.minimum(enough, super().could_stay(groups))

    def _left(self, groups: Groups, least: int) -> tuple[Ints, Ints]:
        known, now = histogram_of(groups, self.of)
        domain, before = histogram_of(groups, earlier_name(self.of))
        assert isinstance(domain, Earlier), "where people may be is kept as such"
        seen = np.array([value is not None for value in known.values], np.bool_)
        return values_left(
            now.indptr, now.codes, seen, before.indptr, before.codes, before.counts,
            domain.profile, domain.own, domain.start, domain.members, domain.sets, least,
        )  # fmt: skip


@kernel
def _ones(word: np.uint64) -> int:
    count = 0
    while word != 0:
        word &= word - np.uint64(1)
        count += 1
    return count


@kernel
def in_common(here: Words, value: int, first: int, last: int, members: Ints, sets: Words) -> int:
    """How many values of `here` all those sets have that have `value`.

    Args:
        here: The values of a group, a bit each.
        value: The one that a set must have to be looked at.
        first: The sets are those of members[first:last].
        last: As above.
        members: Places in `sets`, of one profile after the other.
        sets: Sets by words: the values of a group of an earlier release, a bit each.
    """
    word, bit = value >> 6, np.uint64(1) << np.uint64(value & 63)
    count = 0
    for w in range(len(here)):
        left = here[w]
        for m in range(first, last):
            if sets[members[m], word] & bit:
                left &= sets[members[m], w]
        count += _ones(left)
    return count


@kernel
def would_hold(
    codes: Codes,
    seen: NDArray[np.bool_],
    here: Words,
    width: int,
    first: int,
    last: int,
    members: Ints,
    sets: Words,
) -> int:
    """The largest m for which m values of a group would have m in common, had somebody each.

    That a claim holds says which of its values a person may have, so as many must have let it hold.

    Args:
        codes: The values of the group.
        seen: Of each value, whether it can be learned; missing cannot.
        here: Those of the group that can, a bit each.
        width: How many these are.
        first: The sets are those of members[first:last].
        last: As above.
        members: Places in `sets`, of one profile after the other.
        sets: Sets by words: the values of a group of an earlier release, a bit each.
    """
    tally = np.zeros(width + 1, np.int64)
    for v in codes:
        if seen[v]:
            tally[in_common(here, v, first, last, members, sets)] += 1
    many, m = 0, width
    while m > 0:
        many += tally[m]
        if many >= m:
            break
        m -= 1
    return m


@kernel
def values_left(
    indptr: Ints,
    codes: Codes,
    seen: NDArray[np.bool_],
    before_indptr: Ints,
    before_codes: Codes,
    counts: Ints,
    profile: Codes,
    own: Codes,
    start: Ints,
    members: Ints,
    sets: Words,
    least: int,
) -> tuple[Ints, Ints]:
    """For each group, the fewest values left for one of its people, and how many have enough.

    What is left for a person is the smaller of two: the values in common, if the person has the
    value the person has; and the largest m for which m values of the group would have m in
    common. LARGEST where no value can be learned.

    Args:
        indptr: Group g of this release has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
        seen: Of each value, whether it can be learned; missing cannot.
        before_indptr: Group g has people with the codes before_codes[before_indptr[g]:...],
        before_codes: each of them a place in earlier releases together with a value,
        counts: and so many people.
        profile: Of each such code, in which earlier groups its people are;
        own: and their value, below 0 where none is known.
        start: Profile p is in the groups members[start[p]:start[p + 1]] of earlier releases.
        members: Groups of earlier releases.
        sets: Of each, the values it has, a bit each.
        least: How many values have to be left.
    """
    size = len(indptr) - 1
    fewest = np.full(size, LARGEST, np.int64)
    enough = np.zeros(size, np.int64)
    here = np.zeros(sets.shape[1], np.uint64)
    stamp = np.full(len(start) - 1, -1, np.int64)
    held = np.zeros(len(start) - 1, np.int64)
    for g in range(size):
        here[:] = 0
        width = 0
        for e in range(indptr[g], indptr[g + 1]):
            if seen[codes[e]]:
                here[codes[e] >> 6] |= np.uint64(1) << np.uint64(codes[e] & 63)
                width += 1
        for e in range(before_indptr[g], before_indptr[g + 1]):
            c = before_codes[e]
            if own[c] < 0:
                enough[g] += counts[e]
                continue
            p = profile[c]
            first, last = start[p], start[p + 1]
            if stamp[p] != g:
                stamp[p] = g
                if first == last:
                    held[p] = width
                else:
                    mine = codes[indptr[g] : indptr[g + 1]]
                    held[p] = would_hold(mine, seen, here, width, first, last, members, sets)
            left = min(held[p], in_common(here, own[c], first, last, members, sets))
            fewest[g] = min(fewest[g], left)
            if left >= least:
                enough[g] += counts[e]
    return fewest, enough


def with_earlier(
    groups: Groups,
    of: str,
    *,
    sets: list[list[int]],
    profiles: list[list[int]],
    people: list[list[tuple[int, int]]],
) -> Groups:
    """Groups with where people may be in earlier releases, written out by hand.

    Args:
        groups: The groups.
        of: The sensitive column.
        sets: The value codes of earlier groups.
        profiles: For each profile, which of these.
        people: For each group, the profile and the own value of each person.
    """
    name = earlier_name(of)
    pairs = sorted({pair for group in people for pair in group})
    more = Groups.of(
        {name: [{str(pairs.index(pair)): group.count(pair) for pair in group} for group in people]},
        order={name: [str(i) for i in range(len(pairs))]},
    )
    words = np.zeros((len(sets), (len(groups.domains[of].values) + 63) // 64), np.uint64)
    for s, values in enumerate(sets):
        for value in values:
            words[s, value >> 6] |= np.uint64(1 << (value & 63))
    made = more.domains[name]
    domain = Earlier(
        name, made.values, made.reference, made.people,
        profile=np.array([p for p, _ in pairs], np.int32),
        own=np.array([v for _, v in pairs], np.int32),
        start=np.cumsum([0, *map(len, profiles)]),
        members=np.array([s for profile in profiles for s in profile], np.int64),
        sets=words,
    )  # fmt: skip
    return Groups(
        groups.n,
        {**groups.histograms, **more.histograms},
        {**groups.domains, name: domain},
        groups.population,
    )


def _sentence(said: Said) -> str:
    left = ceil(1 / float(said["confidence"]) - 1e-9)
    return (
        f"Whoever joins this release with all earlier ones and counts is left with at least "
        f"{left} possible values of {column_of(said)} for everybody."
    )


CLAIMS.register(
    Declaration(
        name="composition",
        classes=(Composition,),
        summary="Together with all earlier releases, several values stay possible for everybody.",
        headline="safe beside earlier releases",
        promises="Someone who intersects this release with all earlier ones of the population, "
        "joins their records on the columns that both show as they are, and subtracts groups from "
        "each other where everybody in them is known, is left with several sensitive values for "
        "everybody in the table: at least one over the confidence.",
        does_not_protect="Against weighing how frequent values are, and other ways of counting; "
        "against releases that are neither in the ledger nor named; people whose value changed. "
        "Whoever is only in earlier releases keeps as many values, or as many as these leave.",
        reference="Ganta, Kasiviswanathan, Smith 2008 (KDD), Algorithm 1; Xiao, Tao 2007 (SIGMOD).",
        parameters=(
            Parameter(
                name="confidence",
                kind=NumberParameter(OPEN_UNIT),
                meaning="One over the number of values left possible, at most: 0.5 leaves two.",
                words="one over the values left, at most (0.5 leaves two)",
            ),
            Parameter(
                name="with",
                kind=ParameterKind.RELEASES,
                default=(),
                meaning="Releases that are not in the ledger: folders, or files of any tool.",
            ),
            OF,
        ),
        brief="confidence",
        example="- composition: {confidence: 0.5, with: [county-release/]}",
        sentence=_sentence,
    )
)
