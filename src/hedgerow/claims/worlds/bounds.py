"""Bounds: how many people of a kind have a value at least and at most, in every world that fits.

What others have at most leaves the rest to a kind; what others have at least is not left to it.
Going round (the shuttle algorithm of Buzzigoli, Giusti 1999, here with overlaps and people who may
be elsewhere) narrows both until nothing changes. Every step is a proof, so stopping early is safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Ints

ROUNDS = 60
"""Rounds, at most."""


@dataclass(frozen=True, eq=False)
class CountBounds:
    """Kinds by values: how many of the kind's people have it."""

    least: Ints
    most: Ints
    people: Ints
    """Of each kind."""

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
    least = np.zeros_like(most)
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
    """A release, and whose records may be where."""

    shown: Shown
    records: Ints
    """Kinds by looks: records of the groups that fit the kind."""
    inside: csr_array
    """Kinds by kinds: people of the second are in groups that fit the first, for certain."""
    beside: csr_array
    """Kinds by kinds: people of the second may be in a group that fits the first."""
    looks: csr_array
    """Values by looks."""

    @classmethod
    def of(cls, shown: Shown) -> _Release:
        table = shown.dense()
        fits = shown.fits
        kinds = len(fits.start) - 1
        owner = np.repeat(np.arange(kinds), fits.count)
        ones = np.ones(len(owner), np.int64)
        where = csr_array((ones, (owner, fits.groups)), shape=(kinds, len(table)))
        common = (where @ where.T).tocoo()
        whole = (common.data == fits.count[common.col]) & shown.sure[common.col]
        beside = csr_array(
            (np.ones(len(common.row), np.int64), (common.row, common.col)), shape=(kinds, kinds)
        )
        inside = csr_array(
            (np.ones(int(whole.sum()), np.int64), (common.row[whole], common.col[whole])),
            shape=(kinds, kinds),
        )
        seen = np.flatnonzero(shown.looks >= 0)
        looks = csr_array(
            (np.ones(len(seen), np.int64), (seen, shown.looks[seen])),
            shape=(len(shown.looks), table.shape[1]),
        )
        return cls(shown, where @ table, inside, beside, looks)

    def narrow(self, least: Ints, most: Ints, people: Ints) -> None:
        """Narrow both by what the groups of this release show."""
        sure, code = self.shown.sure, self.shown.looks
        # Of the records that fit a kind, those of people who are nowhere else are not its own.
        taken = self.inside @ (least @ self.looks)
        mine = np.where(sure[:, None], least @ self.looks, 0)
        room = self.records - taken + mine
        for v in np.flatnonzero(code >= 0):
            most[sure, v] = np.minimum(most[sure, v], np.maximum(room[sure, code[v]], 0))
        for v in np.flatnonzero(code < 0):
            most[sure, v] = 0
        if not self.shown.listed:
            return
        # What nobody else can have is the kind's, where every record is somebody's.
        at_most = np.minimum(most @ self.looks, people[:, None])
        others = self.beside @ at_most - np.where(self.shown.fits.count[:, None] > 0, at_most, 0)
        left = self.records - others
        for v in np.flatnonzero(code >= 0):
            alike = np.flatnonzero(code == code[v])
            rest = most[:, alike].sum(axis=1) - most[:, v]
            least[:, v] = np.maximum(least[:, v], left[:, code[v]] - rest)
