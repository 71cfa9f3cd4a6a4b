"""Bounds: how many people of a kind have a value at least and at most, in every world that fits.

What others have at most leaves the rest to a kind; what others have at least is not left to it.
Going round (the shuttle algorithm of Buzzigoli, Giusti 1999, here with overlaps and people who may
be elsewhere) narrows both until nothing changes. Every step is a proof, so stopping early is safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ROUNDS = 60
"""Rounds, at most."""
MOST_PAIRS = 5_000_000
"""Pairs of sets of groups that are compared, in each release."""


@dataclass(frozen=True, eq=False)
class CountBounds:
    """Kinds by values: how many of the kind's people have it."""

    least: Ints
    most: Ints
    people: Ints
    """Of each kind."""

    @property
    def contradicted(self) -> bool:
        """Whether they prove that no world fits."""
        return bool((self.least > self.most).any())

    def belief(self, kind: int, value: int) -> tuple[Fraction, Fraction]:
        """Between what any attacker's belief is to whom people of a kind are alike."""
        people = int(self.people[kind])
        least, most = int(self.least[kind, value]), int(self.most[kind, value])
        return Fraction(least, people), Fraction(most, people)


def bounds(knowledge: Knowledge) -> CountBounds:
    """How many people of each kind have each value, at least and at most.

    Ann and Bob have flu and gout between them; in another release Bob and Cem have flu and acne.
    Nobody has gout there, so it is Ann's.

    >>> two = Knowledge.of_groups([[[1, 1, 0], [0, 0, 1]], [[1, 0, 1], [0, 1, 0]]],
    ...                           [[[0], [0], [1]], [[1], [0], [0]]])
    >>> found = bounds(two)
    >>> found.least.tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    """
    people = knowledge.people
    most = np.repeat(people[:, None], knowledge.values, axis=1)
    if knowledge.weights is not None:
        never = [[weight == 0 for weight in mine] for mine in knowledge.weights]
        most[np.array(never, np.bool_).reshape(most.shape)] = 0
    least = np.zeros_like(most)
    return narrowed(knowledge, CountBounds(least, most, people))


def narrowed(knowledge: Knowledge, found: CountBounds) -> CountBounds:
    """Bounds made tighter by going round."""
    least, most, people = found.least.copy(), found.most.copy(), found.people
    releases = [_Release.of(one) for one in knowledge.shown]
    for _ in range(ROUNDS):
        before = int(most.sum()), int(least.sum())
        for release in releases:
            release.narrow(least, most, people)
        np.maximum(least, people[:, None] - (most.sum(axis=1, keepdims=True) - most), out=least)
        np.minimum(most, people[:, None] - (least.sum(axis=1, keepdims=True) - least), out=most)
        if before == (int(most.sum()), int(least.sum())):
            break
    return CountBounds(least, most, people)


@dataclass(frozen=True, eq=False)
class _Release:
    """A release, and whose records may be where.

    Kinds that fit the same groups are put together in a *set*. What a set needs of the others is
    added up group by group. Only sets that share two groups or more are compared.
    """

    shown: Shown
    set_of: Ints
    """Of each kind, its set."""
    records: Ints
    """Sets by looks: records of the groups that fit."""
    where: csr_array
    """Sets by groups: which fit."""
    alone: Ints
    """Of each group, the set that fits it and no other group; -1 where there is none."""
    size: Ints
    """Of each set, how many groups fit."""
    within: csr_array
    """Sets by sets: the second is part of the first, has two groups or more, and is another."""
    twice: csr_array
    """Sets by sets: how many groups they share, less one; where they share several."""
    looks: csr_array
    """Values by looks."""

    @classmethod
    def of(cls, shown: Shown) -> _Release:
        from scipy.sparse import csr_array

        table = shown.dense()
        numbers: dict[bytes, int] = {}
        fits = shown.fits
        set_of = np.array(
            [
                numbers.setdefault(np.sort(fits.of(k)).tobytes(), len(numbers))
                for k in range(len(fits.start) - 1)
            ],
            np.int64,
        )
        first = np.unique(set_of, return_index=True)[1]
        sets = fits.take(first)
        size, owner = sets.count, np.repeat(np.arange(len(first)), sets.count)
        shape = len(first), len(table)
        where = csr_array((np.ones(len(owner), np.int64), (owner, sets.groups)), shape=shape)
        alone = np.full(len(table), -1, np.int64)
        single = size[owner] == 1
        alone[sets.groups[single]] = owner[single]
        within, twice = _compared(where, size)
        seen = np.flatnonzero(shown.looks >= 0)
        looks = csr_array(
            (np.ones(len(seen), np.int64), (seen, shown.looks[seen])),
            shape=(len(shown.looks), table.shape[1]),
        )
        return cls(shown, set_of, where @ table, where, alone, size, within, twice, looks)

    def _added(self, of_kinds: Ints) -> Ints:
        """Kinds by looks, added up over the kinds of each set."""
        total = np.zeros((len(self.size), of_kinds.shape[1]), np.int64)
        np.add.at(total, self.set_of, of_kinds)
        return total

    def _inside(self, of_kinds: Ints) -> Ints:
        """For each set, the sum over kinds that are in its groups for certain."""
        total = self._added(np.where(self.shown.sure[:, None], of_kinds, 0))
        total[self.size == 0] = 0
        single = np.where((self.alone >= 0)[:, None], total[self.alone], 0)
        mine = np.where((self.size > 1)[:, None], total, 0)
        return np.asarray(self.where @ single + mine + self.within @ total, np.int64)

    def _beside(self, of_kinds: Ints) -> Ints:
        """For each set, the sum over kinds that may be in one of its groups, at least."""
        total = self._added(of_kinds)
        again = np.maximum(self.size - 1, 0)[:, None] * total + self.twice @ total
        return np.asarray(self.where @ (self.where.T @ total) - again, np.int64)

    def narrow(self, least: Ints, most: Ints, people: Ints) -> None:
        """Narrow both by what the groups of this release show."""
        sure, code = self.shown.sure, self.shown.looks
        seen = code >= 0
        # Of the records that fit a kind, those of people who are nowhere else are not its own.
        fewest = least @ self.looks
        room = (self.records - self._inside(fewest))[self.set_of]
        room = np.maximum(room + np.where(sure[:, None], fewest, 0), 0)
        upper = np.where(seen, room[:, np.where(seen, code, 0)], 0)
        most[sure] = np.minimum(most[sure], upper[sure])
        if not self.shown.listed:
            return
        # What nobody else can have is the kind's, where every record is somebody's.
        all_alike = most @ self.looks
        at_most = np.minimum(all_alike, people[:, None])
        mine = np.where(self.shown.fits.count[:, None] > 0, at_most, 0)
        left = (self.records - self._beside(at_most))[self.set_of] + mine
        lower = (left - all_alike)[:, code[seen]] + most[:, seen]
        least[:, seen] = np.maximum(least[:, seen], lower)


def _compared(where: csr_array, size: Ints) -> tuple[csr_array, csr_array]:
    """Sets that share several groups: which are part of which, and how many groups they share.

    Where there are too many to compare both are empty. Less is taken away from the bounds then, so
    they are wider at most.
    """
    from scipy.sparse import csr_array

    several = np.flatnonzero(size > 1)
    part = where[several]
    pairs = int((part.sum(axis=0).astype(np.int64) ** 2).sum())
    shape = len(size), len(size)
    if pairs > MOST_PAIRS:
        return csr_array(shape, dtype=np.int64), csr_array(shape, dtype=np.int64)
    common = (part @ part.T).tocoo()
    first, second = several[common.row], several[common.col]
    other = first != second
    inside = other & (common.data == size[second])
    many = other & (common.data > 1)
    within = csr_array(
        (np.ones(int(inside.sum()), np.int64), (first[inside], second[inside])), shape=shape
    )
    twice = csr_array((common.data[many] - 1, (first[many], second[many])), shape=shape)
    return within, twice
