"""Knowledge: several releases as an attacker holds them, and the people the attacker lists.

A *world* gives every listed person one value, and in each release the record that is theirs. It
fits the knowledge if every record belongs to one person at most, the person fits its group, and all
records of a person show the person's value. All worlds that fit are equally likely before anything
else is known, unless the attacker has weights for what each kind of people may have, or expects
everybody's values to be drawn from one urn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.table.groups import Histogram, Ints
from hedgerow.table.location import Located

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Shown:
    """One release: its records by group, and where people of each kind may be."""

    histogram: Histogram
    """How many records of each group look like what."""
    looks: Ints
    """How each value looks in it: a code of the histogram; -1 where no record looks like it."""
    fits: Located
    """The groups that fit people of each kind."""
    sure: Flags
    """Of each kind, whether all of them are in it for certain."""
    listed: bool
    """Whether every record belongs to somebody who is listed."""

    def records(self, group: int) -> Iterator[tuple[int, int]]:
        """How records of a group look, and how many look so."""
        h = self.histogram
        for e in range(h.indptr[group], h.indptr[group + 1]):
            yield int(h.codes[e]), int(h.counts[e])

    def dense(self) -> Ints:
        """Groups by looks: the records."""
        h = self.histogram
        width = max(int(h.codes.max(initial=-1)), int(self.looks.max(initial=-1))) + 1
        table = np.zeros((len(h.indptr) - 1, width), np.int64)
        np.add.at(table, (h.owner(), h.codes), h.counts)
        return table


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What an attacker has: people by kind, and the releases.

    People of a kind fit the same groups, so nothing tells them apart.
    """

    people: Ints
    """How many people of each kind there are."""
    values: int
    """How many values a person may have."""
    shown: tuple[Shown, ...]
    weights: tuple[tuple[Fraction, ...], ...] | None = None
    """Kinds by values: how likely each is to begin with; all alike where there are none."""
    urn: tuple[Fraction, ...] | None = None
    """The balls of each value in an urn from which everybody's values are drawn, with one ball more
    of the drawn value after each draw (Pólya): a Dirichlet prior. None: there is no urn."""

    def __post_init__(self) -> None:
        if self.urn is not None:
            assert len(self.urn) == self.values, "balls of each value"
            assert all(balls > 0 for balls in self.urn), "no value is impossible to begin with"

    @classmethod
    def of_groups(
        cls,
        releases: Sequence[Sequence[Sequence[int]]],
        fits: Sequence[Sequence[Sequence[int]]],
        *,
        people: Sequence[int] | None = None,
        listed: bool = True,
        sure: bool = True,
    ) -> Knowledge:
        """Written out by hand.

        Args:
            releases: Of each release, the groups; of each, how many records have each value.
            fits: Of each release, and of each kind, the groups that fit; none: not in it.
            people: Of each kind; one person where left out.
            listed: Whether every record belongs to somebody listed.
            sure: Whether whoever fits a group of a release is in it.

        >>> paper = Knowledge.of_groups([[[2, 1]]], [[[0], [0]]], people=[1, 2])
        >>> paper.values, paper.people.tolist(), paper.shown[0].fits.count.tolist()
        (2, [1, 2], [1, 1])
        """
        shown = []
        for groups, places in zip(releases, fits, strict=True):
            table = np.array(groups, np.int64).reshape(len(groups), -1)
            owner, codes = np.nonzero(table)
            histogram = Histogram(
                np.searchsorted(owner, np.arange(len(table) + 1)).astype(np.int64),
                codes.astype(np.int32),
                table[owner, codes],
            )
            count = np.array([len(place) for place in places], np.int64)
            located = Located(
                np.concatenate(([0], np.cumsum(count))),
                np.array([g for place in places for g in place], np.int64),
            )
            looks = np.arange(table.shape[1])
            shown.append(Shown(histogram, looks, located, (count > 0) & sure, listed))
        kinds = len(fits[0])
        many = np.ones(kinds, np.int64) if people is None else np.array(people, np.int64)
        return cls(many, len(releases[0][0]), tuple(shown))

    @property
    def kinds(self) -> int:
        return len(self.people)

    def take(self, kinds: Ints) -> Knowledge:
        """These kinds alone, and the groups that fit none of the others.

        Of a component nothing is lost by it. An urn says something of everybody; see `apart`.
        """
        assert self.urn is None, "take them apart"
        shown = []
        for one in self.shown:
            fits = one.fits.take(kinds)
            others = np.zeros(len(one.histogram.indptr) - 1, np.bool_)
            others[one.fits.groups] = True
            others[fits.groups] = False
            h = one.histogram
            kept = ~others[h.owner()]
            count = np.where(others, 0, np.diff(h.indptr))
            histogram = Histogram(
                np.concatenate(([0], np.cumsum(count))), h.codes[kept], h.counts[kept]
            )
            shown.append(replace(one, histogram=histogram, fits=fits, sure=one.sure[kinds]))
        weights = None if self.weights is None else tuple(self.weights[k] for k in kinds.tolist())
        return replace(self, people=self.people[kinds], shown=tuple(shown), weights=weights)

    def seen_as(self, secret: Ints, secrets: int) -> Knowledge:
        """The same, of what is left of values if some are taken for one. Weights are left out.

        Worlds become worlds of it, so what is proven of all of these is true of those.

        Args:
            secret: Of each value, what it is taken for.
            secrets: How many there are.
        """
        shown = []
        for one in self.shown:
            table = one.dense()
            seen = np.flatnonzero(one.looks >= 0)
            means = np.full(table.shape[1], secrets, np.int64)  # what nobody may have is no secret
            means[one.looks[seen]] = secret[seen]
            rest = np.zeros((len(table), secrets + 1), np.int64)
            np.add.at(rest.T, means, table.T)
            owner, codes = np.nonzero(rest)
            indptr = np.searchsorted(owner, np.arange(len(rest) + 1)).astype(np.int64)
            histogram = Histogram(indptr, codes.astype(np.int32), rest[owner, codes])
            looks = np.full(secrets, -1, np.int64)
            looks[secret[seen]] = secret[seen]
            shown.append(replace(one, histogram=histogram, looks=looks))
        return replace(self, values=secrets, shown=tuple(shown), weights=None)

    def apart(self) -> Iterator[tuple[Ints, Knowledge]]:
        """Each component: its kinds, and what is known of it by itself.

        Its groups are numbered anew. Where all records are somebody's, and some fit nobody, each
        component has one such record: no world fits any of them.

        Worlds with the same count of each value are equally likely to come from an urn. Those of a
        settled component (see `_settled`) all have the same counts, so they are equally likely. For
        everybody else it is as if these people had been drawn from the urn already.

        >>> two = Knowledge.of_groups([[[2, 0], [0, 3]]], [[[1], [0], [1]]], people=[1, 2, 2])
        >>> [(kinds.tolist(), alone.people.tolist()) for kinds, alone in two.apart()]
        [([0, 2], [1, 2]), ([1], [2])]
        """
        part = self.components()
        order = np.argsort(part, kind="stable")
        begin = np.searchsorted(part[order], np.arange(int(part.max(initial=-1)) + 2))
        cuts = [_Cut.of(one, part, order, begin) for one in self.shown]
        urns = self._urns(part)
        for component in range(len(begin) - 1):
            kinds = order[begin[component] : begin[component + 1]]
            shown = tuple(cut.alone(component) for cut in cuts)
            weights, urn = self.weights, urns[component]
            if weights is not None:
                weights = tuple(weights[k] for k in kinds.tolist())
            yield (
                kinds,
                replace(self, people=self.people[kinds], shown=shown, weights=weights, urn=urn),
            )

    def components(self) -> Ints:
        """Which component each kind is in: what is in one says nothing about another.

        An urn makes one of all that are not settled: who has what in one says something of others.
        """
        parent = list(range(self.kinds))

        def root(k: int) -> int:
            while parent[k] != k:
                parent[k] = parent[parent[k]]
                k = parent[k]
            return k

        for one in self.shown:
            first: dict[int, int] = {}
            owner = np.repeat(np.arange(self.kinds), one.fits.count)
            for k, g in zip(owner.tolist(), one.fits.groups.tolist(), strict=True):
                a, b = root(first.setdefault(g, k)), root(k)
                parent[max(a, b)] = min(a, b)
        part = np.unique([root(k) for k in range(self.kinds)], return_inverse=True)[1]
        if self.urn is None:
            return part
        settled = self._settled(part)[0]
        return np.unique(np.where(settled[part], part, -1), return_inverse=True)[1]

    def _urns(self, part: Ints) -> list[tuple[Fraction, ...] | None]:
        """For each component the urn that is left for it; None where it says nothing."""
        many = int(part.max(initial=-1)) + 1
        if self.urn is None:
            return [None] * many
        settled, counts = self._settled(part)
        drawn = counts[settled].sum(axis=0).tolist()
        left = tuple(balls + more for balls, more in zip(self.urn, drawn, strict=True))
        return [None if known else left for known in settled.tolist()]

    def _settled(self, part: Ints) -> tuple[Flags, Ints]:
        """Whether each component has the same count of each value in all worlds; and the counts.

        It has where a release shows everybody of the component, and there are as many records as
        people, where a record that several values look like counts as often. (Were there such a
        record, there would be more than people.) So each record is one person's, and as many people
        have a value as records show it.
        """
        many = int(part.max(initial=-1)) + 1
        settled, counts = np.zeros(many, np.bool_), np.zeros((many, self.values), np.int64)
        people = np.zeros(many, np.int64)
        np.add.at(people, part, self.people)
        for one in self.shown:
            seen, fits = one.looks >= 0, one.fits
            table, of_group = one.dense(), np.full(len(one.histogram.indptr) - 1, -1, np.int64)
            of_group[fits.groups] = np.repeat(part, fits.count)
            total = np.zeros((many, table.shape[1]), np.int64)
            np.add.at(total, of_group[of_group >= 0], table[of_group >= 0])
            there = np.ones(many, np.bool_)
            there[part[~(one.sure & (fits.count > 0))]] = False
            shown = total[:, one.looks[seen]]
            now = there & (shown.sum(axis=1) == people) & ~settled
            counts[np.ix_(now, seen)] = shown[now]
            settled |= now
        return settled, counts


@dataclass(frozen=True, eq=False)
class _Cut:
    """A release whose kinds, groups and records are in the order of their components."""

    shown: Shown
    """Groups are numbered within each component."""
    kinds: Ints
    """Where the kinds of each component begin,"""
    groups: Ints
    """and its groups."""
    stray: tuple[int, int] | None
    """How records look that fit nobody though all are somebody's, and how many; None if none."""

    @classmethod
    def of(cls, shown: Shown, part: Ints, order: Ints, begin: Ints) -> _Cut:
        """From the component of each kind, the kinds in order, and where each component begins."""
        h, fits = shown.histogram, shown.fits.take(order)
        of_group = np.full(len(h.indptr) - 1, -1, np.int64)
        of_group[fits.groups] = np.repeat(part[order], fits.count)
        sequence = np.argsort(of_group, kind="stable")
        groups = np.searchsorted(of_group[sequence], np.arange(len(begin)))
        number = np.empty(len(sequence), np.int64)
        number[sequence] = np.arange(len(sequence))
        number -= groups[of_group]  # of those in none it is not asked
        records = Located(np.asarray(h.indptr, np.int64), np.arange(len(h.codes))).take(sequence)
        ordered = Histogram(records.start, h.codes[records.groups], h.counts[records.groups])
        stray = None
        if shown.listed and records.start[groups[0]] > 0:
            stray = int(ordered.codes[0]), int(ordered.counts[0])
        moved = replace(fits, groups=number[fits.groups])
        return cls(
            replace(shown, histogram=ordered, fits=moved, sure=shown.sure[order]),
            begin, groups, stray,
        )  # fmt: skip

    def alone(self, component: int) -> Shown:
        first, last = self.kinds[component], self.kinds[component + 1]
        begin, end = self.groups[component], self.groups[component + 1]
        h, fits = self.shown.histogram, self.shown.fits
        a, b = h.indptr[begin], h.indptr[end]
        indptr, codes, counts = h.indptr[begin : end + 1] - a, h.codes[a:b], h.counts[a:b]
        if self.stray is not None:
            look, many = self.stray
            indptr = np.append(indptr, indptr[-1] + 1)
            codes, counts = np.append(codes, look), np.append(counts, many)
        x, y = fits.start[first], fits.start[last]
        return replace(
            self.shown,
            histogram=Histogram(indptr, codes, counts),
            fits=replace(fits, start=fits.start[first : last + 1] - x, groups=fits.groups[x:y]),
            sure=self.shown.sure[first:last],
        )
