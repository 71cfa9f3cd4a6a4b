"""What somebody believes who knows how a release was made: the best one that keeps the claims.

A world counts only if the search would have found this very release in it.

Knows: Everybody's quasi-identifiers; the plan (method, claims, what is measured, how many may be
    suppressed); the release; and that the publisher's search is deterministic.
Assumes: Before that, all ways to give the records of a group to its people are equally likely. Of
    suppressed people the attacker knows the quasi-identifiers, and that they have some record of
    the table: each is as likely as it is frequent in the release, where every record counts once
    more than it is there. (Else what only suppressed people have would be impossible.)
Reference: Wong, Fu, Wang, Pei 2007 (VLDB), whose case `minimality.py` works out in closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb, prod

import numpy as np

from hedgerow.attacks.base import Rate
from hedgerow.base.errors import HedgerowError
from hedgerow.recode.recoding import Recoding
from hedgerow.table.cells import Cells, Codes
from hedgerow.table.groups import Floats, Histogram, Ints

MOST_WORLDS = 2_000
"""Worlds that are all looked at, each by a search of its own."""
DRAWS = 400
"""Worlds that are drawn where there are more."""
MOST_SEARCHED = 4_000_000
"""People and cells of all tables that are searched: fewer worlds of large tables are drawn."""
FEWEST_DRAWN = 40
"""Where a table is so large that not even these can be searched, nothing is tried."""
FEWEST_KEPT = 30
"""Worlds that must have been kept."""
MOST_CELLS = 20_000_000
"""Combinations of quasi-identifiers by records."""

Row = tuple[int, ...]
Dealt = tuple[tuple[Row, ...], Fraction | int]
"""The records of some combinations of quasi-identifiers, and how likely that is."""
Search = Callable[[Cells], Recoding]
Published = tuple[object, ...]
"""Of each combination of quasi-identifiers, what it is published as; None: it is suppressed."""


@dataclass(frozen=True, eq=False)
class MinimalBelief:
    """What is believed of people with each combination of quasi-identifiers."""

    shares: tuple[tuple[Fraction, ...], ...] | None
    """Combinations by records: exact, where all worlds were looked at."""
    drawn: Floats | None
    """The same, on average over the worlds that were drawn and kept."""
    looked_at: int
    kept: int
    failure: str | None = None

    def belief(self, of: int, records: Sequence[int]) -> tuple[float, float] | None:
        """How likely somebody has one of these records: exact, or Wilson's interval; or None.

        Args:
            of: Their combination of quasi-identifiers.
            records: One or more.
        """
        if self.failure is not None:
            return None
        if self.shares is not None:
            share = float(sum((self.shares[of][r] for r in records), Fraction(0)))
            return share, share
        assert self.drawn is not None, "there is one or the other"
        share = min(1.0, float(self.drawn[of, list(records)].sum()))
        return Rate(successes=share * self.kept, guesses=self.kept).interval()


@dataclass(frozen=True, eq=False)
class MinimalWorlds:
    """A table as the attacker knows it, and the search that made its release."""

    cells: Cells
    search: Search

    @property
    def combinations(self) -> Codes:
        """The distinct combinations of quasi-identifiers."""
        return self.cells.tuples[0]

    @cached_property
    def records(self) -> Ints:
        """The distinct records: by sensitive columns, the value."""
        return self._record_of[0]

    @cached_property
    def _record_of(self) -> tuple[Ints, Ints]:
        codes = np.column_stack(
            [np.zeros(len(self.cells.n), np.int64), *(h.codes for h in self.cells.values)]
        )
        found, into = np.unique(codes, axis=0, return_inverse=True)
        return found[:, 1:], into.reshape(-1)

    @cached_property
    def truth(self) -> Ints:
        """Combinations by records: how many people; what the publisher has."""
        tuples, of_cell = self.cells.tuples
        records, record = self._record_of
        table = np.zeros((len(tuples), len(records)), np.int64)
        np.add.at(table, (of_cell, record), self.cells.n)
        return table

    @cached_property
    def published(self) -> Published:
        """What the search makes of the table itself."""
        return self._published(self.truth)

    def _published(self, table: Ints) -> Published:
        """What the search makes of a world; () where it finds nothing."""
        try:
            found = self.search(self.world(table))
        except HedgerowError:
            return ()
        assert not found.separates, "somebody with these quasi-identifiers is in one group"
        kept = found.group >= 0
        into: list[object] = [None] * len(table)
        owner = np.nonzero(table)[0][found.cell]
        for t, g in zip(owner[kept].tolist(), found.group[kept].tolist(), strict=True):
            into[t] = tuple(column[g] for column in found.labels)
        return tuple(into)

    def world(self, table: Ints) -> Cells:
        """The cells of a world: combinations by records, how many people."""
        tuples, _ = self.cells.tuples
        of, record = np.nonzero(table)
        n, start = table[of, record], np.arange(len(of) + 1)
        people = table.sum(axis=0)
        domains, values = [], []
        for i, domain in enumerate(self.cells.sensitive):
            codes = self.records[:, i]
            seen = np.bincount(codes, weights=people, minlength=len(domain.values))
            domains.append(replace(domain, reference=seen.astype(np.int64)))
            values.append(Histogram(start, codes[record].astype(np.int32), n))
        return replace(
            self.cells, q=tuples[of], n=n, rows=n, sensitive=tuple(domains), values=tuple(values)
        )

    def believed(self, *, seed: int = 0) -> MinimalBelief:
        """Keep the worlds in which the search finds the same.

        Args:
            seed: Of the worlds that are drawn.
        """
        none = MinimalBelief(None, None, 0, 0, "")
        if self.truth.size > MOST_CELLS:
            return replace(none, failure="the table is too large")
        groups = self._groups()
        if self._many(groups) <= MOST_WORLDS:
            return self._all(groups)
        size = int(self.truth.sum()) + self.truth.size // 8
        draws = min(DRAWS, MOST_SEARCHED // size)
        if draws < FEWEST_DRAWN:
            return replace(none, failure="the table is too large")
        return self._some(draws, np.random.default_rng(seed))

    def _groups(self) -> list[Ints]:
        """The combinations of each published group; the suppressed come last, if there are any."""
        found: dict[object, list[int]] = {}
        for t, shown in enumerate(self.published):
            found.setdefault(shown, []).append(t)
        suppressed = found.pop(None, [])
        return [*(np.array(one) for one in found.values()), np.array(suppressed, np.int64)]

    @cached_property
    def _shares(self) -> tuple[Fraction, ...]:
        """How likely a suppressed person has each record."""
        inside = np.array([shown is not None for shown in self.published])
        count = (self.truth[inside].sum(axis=0) + 1).tolist()
        return tuple(Fraction(one, sum(count)) for one in count)

    def _many(self, groups: Sequence[Ints]) -> int:
        """No fewer than there are worlds; people with the same quasi-identifiers are alike."""
        many = 1
        for group in groups[:-1]:
            people, records = self.truth[group].sum(axis=1), self.truth[group].sum(axis=0)
            ways = 1
            for count in records.tolist():
                ways *= comb(count + len(people) - 1, count)
            many *= ways
            if many > MOST_WORLDS:
                return many
        for people in self.truth[groups[-1]].sum(axis=1).tolist():
            many *= comb(people + len(self._shares) - 1, people)
        return many

    def _all(self, groups: Sequence[Ints]) -> MinimalBelief:
        parts: list[tuple[Ints, list[Dealt]]] = []
        for group in groups[:-1]:
            rows, columns = self.truth[group].sum(axis=1), self.truth[group].sum(axis=0)
            parts.append((group, list(_tables(rows.tolist(), columns.tolist()))))
        for t in groups[-1].tolist():
            people = int(self.truth[t].sum())
            parts.append((np.array([t]), [
                ((row,), ways * prod(s**n for s, n in zip(self._shares, row, strict=True)))
                for row, ways in _rows(people, [people] * len(self._shares))
            ]))  # fmt: skip
        shape = self.truth.shape
        total, looked_at, kept = Fraction(0), 0, 0
        sums = [[Fraction(0)] * shape[1] for _ in range(shape[0])]
        for chosen in product(*(tables for _, tables in parts)):
            table, ways = np.zeros(shape, np.int64), Fraction(1)
            for (group, _), (rows_, more) in zip(parts, chosen, strict=True):
                table[group], ways = rows_, ways * more
            looked_at += 1
            if self._published(table) != self.published:
                continue
            kept, total = kept + 1, total + ways
            for t, r in np.argwhere(table).tolist():
                sums[t][r] += ways * int(table[t, r])
        if not total:
            return MinimalBelief(None, None, looked_at, 0, "no world is published so")
        shares = tuple(
            tuple(one / (total * many) for one in row)
            for row, many in zip(sums, self.truth.sum(axis=1).tolist(), strict=True)
        )
        return MinimalBelief(shares, None, looked_at, kept)

    def _some(self, draws: int, rng: np.random.Generator) -> MinimalBelief:
        sums, kept = np.zeros(self.truth.shape), 0
        for _ in range(draws):
            table = self.drawn(rng)
            if self._published(table) == self.published:
                kept += 1
                sums += table
        if kept < FEWEST_KEPT:
            return MinimalBelief(
                None, None, draws, kept,
                f"of {draws:,} random worlds {kept:,} are published so, too few to say more",
            )  # fmt: skip
        return MinimalBelief(
            None, sums / (kept * self.truth.sum(axis=1, keepdims=True)), draws, kept
        )

    def drawn(self, rng: np.random.Generator) -> Ints:
        """A random world: records dealt out again within each group, suppressed ones by share."""
        group, tuples, records = self._people
        order = np.lexsort((rng.random(len(group)), group))
        dealt = np.empty_like(records)
        dealt[np.argsort(group, kind="stable")] = records[order]
        suppressed = group < 0
        shares = np.array([float(share) for share in self._shares])
        dealt[suppressed] = rng.choice(len(shares), int(suppressed.sum()), p=shares / shares.sum())
        table = np.zeros(self.truth.shape, np.int64)
        np.add.at(table, (tuples, dealt), 1)
        return table

    @cached_property
    def _people(self) -> tuple[Ints, Ints, Ints]:
        """Group, combination and record of each person; suppressed people are in group -1."""
        number = np.full(len(self.truth), -1, np.int64)
        for i, group in enumerate(self._groups()[:-1]):
            number[group] = i
        of, record = np.nonzero(self.truth)
        many = self.truth[of, record]
        return np.repeat(number[of], many), np.repeat(of, many), np.repeat(record, many)


def _rows(people: int, left: Sequence[int]) -> Iterator[tuple[Row, int]]:
    """Which records so many people may have, of those that are left; and who of them has which.

    >>> list(_rows(2, [1, 2]))
    [((0, 2), 1), ((1, 1), 2)]
    """
    if not left:
        if not people:
            yield (), 1
        return
    for first in range(min(people, left[0]) + 1):
        for rest, ways in _rows(people - first, left[1:]):
            yield (first, *rest), ways * comb(people, first)


def _tables(people: Sequence[int], records: Sequence[int]) -> Iterator[Dealt]:
    """All ways to deal records out to several combinations of quasi-identifiers.

    >>> list(_tables([1, 1], [1, 1]))
    [(((0, 1), (1, 0)), 1), (((1, 0), (0, 1)), 1)]
    """
    if not people:
        yield (), 1
        return
    for row, ways in _rows(people[0], records):
        left = [all_of_them - n for all_of_them, n in zip(records, row, strict=True)]
        for rest, more in _tables(people[1:], left):
            yield (row, *rest), ways * more
