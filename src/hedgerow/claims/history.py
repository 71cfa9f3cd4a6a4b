"""Histories: which values each person may have, given all releases of the same people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError
from hedgerow.base.spelling_classes import told_apart
from hedgerow.claims.subtraction import LocatedRelease, intersect, settle, subtract
from hedgerow.table.attribute import alone, attribute
from hedgerow.table.groups import Groups, Histogram, Ints
from hedgerow.table.location import Located

Flags = NDArray[np.bool_]
Values = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class History:
    """What the releases together leave open."""

    values: Values
    """All values any of the releases has."""
    each: Ints
    """People by releases: how many values the person's groups have; 0 where in none."""
    possible: Flags
    """People by values: who may have which, given all releases."""
    disagreeing: int
    """Groups that share more people with another release's group than values."""

    @property
    def left(self) -> Ints:
        """How many values each person may have; 0 where the releases contradict each other."""
        count: Ints = self.possible.sum(axis=1)
        return count

    @property
    def present(self) -> Flags:
        """Who may be in some release."""
        return np.asarray((self.each > 0).any(axis=1))

    @property
    def certain(self) -> Flags:
        """Who has one value left, which is not missing."""
        one = self.present & (self.left == 1)
        if None in self.values:
            one &= ~self.possible[:, self.values.index(None)]
        return np.asarray(one)

    def of(self, person: int) -> Values:
        """The values one person may have."""
        return tuple(self.values[code] for code in np.flatnonzero(self.possible[person]))


def follow(releases: Sequence[Groups], located: Sequence[Located], *, of: str) -> History:
    """The values each person may have, given all releases."""
    values, histograms = united(releases, located, of=of)
    people = len(located[0].start) - 1
    possible = np.ones((people, len(values)), np.bool_)
    each = np.stack(
        [
            intersect(possible, where.start, where.groups, h.indptr, h.codes)
            for where, h in zip(located, histograms, strict=True)
        ],
        axis=1,
    )
    parts = [
        LocatedRelease.of(g, w, h) for g, w, h in zip(releases, located, histograms, strict=True)
    ]
    trusted = [np.diff(part.members[0]) > 0 for part in parts]
    disagreeing = 0
    for (one, trust), (other, more) in combinations(zip(parts, trusted, strict=True), 2):
        wrong, bad = subtract(possible, one, other)
        trust[wrong], more[bad] = False, False
        disagreeing += int(wrong.sum() + bad.sum())
    changed = True
    while changed:
        changed = False
        for part, trust in zip(parts, trusted, strict=True):
            h = part.histogram
            changed |= settle(possible, trust, *part.members, h.indptr, h.codes, h.counts)
    return History(values, each, possible, disagreeing)


def united(
    releases: Sequence[Groups], located: Sequence[Located], *, of: str
) -> tuple[Values, list[Histogram]]:
    """All values of the releases, and their histograms with codes among these.

    Texts that may be taken for one in two releases are one value; within each they are one already.

    Raises:
        DataError: There are not two releases, or people and groups do not fit together.
    """
    if len(releases) < 2 or len(located) != len(releases):
        raise DataError(
            f"{len(releases)} releases, and where people are in {len(located)} of them",
            fix="Give at least two releases, and where people are in each.",
        )
    people = {len(where.start) for where in located}
    if len(people) != 1:
        raise DataError(
            "the same people have to be looked for in each release",
            fix="Give everybody a place in each, an empty one where they are not in it.",
        )
    kind = told_apart(*(attribute(groups, of)[0].values for groups in releases))
    place: dict[object, int] = {}
    values: list[str | None] = []
    histograms = []
    for i, (groups, where) in enumerate(zip(releases, located, strict=True)):
        domain, histogram = attribute(groups, of)
        alone(domain)
        if where.groups.min(initial=0) < 0 or where.groups.max(initial=-1) >= len(groups):
            raise DataError(
                f"people are located in groups that release {i + 1} does not have",
                fix=f"Its groups are 0 to {len(groups) - 1}.",
            )
        codes = np.empty(len(domain.values), np.int32)
        for j, value in enumerate(domain.values):
            codes[j] = place.setdefault(kind(value), len(place))
            if codes[j] == len(values):
                values.append(value)
        histograms.append(Histogram(histogram.indptr, codes[histogram.codes], histogram.counts))
    return tuple(values), histograms
