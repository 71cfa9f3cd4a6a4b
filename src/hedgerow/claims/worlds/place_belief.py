"""What is believed, at most, of people whose group in each release is known.

Two attackers have all releases. The one knows a single person, and multiplies what the person's
groups say. The other lists everybody, and counts the worlds that fit. Of each person both beliefs
are computed, exactly or as a bound that is proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import ClaimError
from hedgerow.claims.worlds.bounds import bounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Histogram, Ints
from hedgerow.table.location import placed
from hedgerow.table.pack import distinct

Flags = NDArray[np.bool_]
Whole = NDArray[np.object_]
"""Whole numbers or fractions of any size."""

MOST_CELLS = 20_000_000
"""Kinds of people by values."""
MOST_MOVES = 20_000
"""Moves that are counted in a component before its people keep their bounds: a tenth of a second.
A search judges many releases, so this is less than where one person is asked about."""


class UncountedError(ClaimError):
    """Beside these groups nobody can say what is believed; beside coarser ones it may be known."""


@dataclass(frozen=True, eq=False)
class Ratios:
    """Exact shares: above / below, with `below` positive."""

    above: Whole
    below: Whole

    def larger(self, other: Ratios) -> Ratios:
        """Of each two the larger."""
        mine = np.asarray(self.above * other.below >= other.above * self.below, np.bool_)
        return Ratios(
            np.where(mine, self.above, other.above), np.where(mine, self.below, other.below)
        )

    def exceed(self, limit: Fraction) -> Flags:
        """Which are larger than the limit."""
        p, q = limit.as_integer_ratio()
        return np.asarray(self.above * q > self.below * p, np.bool_)

    def larger_than(self, other: Ratios) -> Flags:
        """Which are larger than those in the same place."""
        return np.asarray(self.above * other.below > other.above * self.below, np.bool_)

    def take(self, where: Ints) -> Ratios:
        return Ratios(self.above[where], self.below[where])

    @property
    def largest(self) -> Fraction:
        """The largest; 0 where there is none."""
        return max(map(Fraction, self.above, self.below), default=Fraction(0))


@dataclass(frozen=True, eq=False)
class SecretColumn:
    """The values people may have, and what counts as a secret in them."""

    secret: Ints
    """Of each value, the sensitive one in it: values may say more, such as a bill."""
    missing: Flags
    """Of each sensitive value, whether it stands for a missing one; nobody learns that."""
    silent: Flags
    """Whether it says nothing, as `?` does. It is taken both for a value and for a missing one."""
    prior: tuple[Fraction, ...] | None = None
    """Of each value, how likely attackers take it to be before they see a release; None: alike."""

    def likeliest(self, shares: Whole) -> Ratios:
        """The belief in the likeliest secret.

        Args:
            shares: People by values, in proportion to what is believed.
        """
        total = self._by_secret(shares)
        whole = total.sum(axis=1)
        return self._worst(total, lambda out: whole - total[:, out].sum(axis=1))

    def likeliest_within(self, most: Ints, people: Ints) -> Ratios:
        """The same, at most, where of so many people at most so many have each value."""
        total = np.minimum(self._by_secret(most.astype(object)), people[:, None].astype(object))
        return self._worst(total, lambda out: people - total[:, out].sum(axis=1), bounded=True)

    def _worst(self, total: Whole, rest: Any, *, bounded: bool = False) -> Ratios:
        """The larger of both ways to take values that say nothing.

        Args:
            total: People by secrets: how much each has.
            rest: How much is left once these secrets are taken away.
            bounded: Whether both are bounds, so that a share may come out above 1.
        """
        found = None
        for out in (self.missing, self.silent):
            above, below = total[:, ~out].max(axis=1, initial=0), rest(out)
            if bounded:
                none = np.asarray(below <= 0, np.bool_) | np.asarray(above > below, np.bool_)
                above, below = np.where(none & (above > 0), 1, above), np.where(none, 1, below)
            below = np.where(below == 0, 1, below)  # nothing is recorded, so nothing is learned
            ratios = Ratios(above, below)
            found = ratios if found is None else found.larger(ratios)
        assert found is not None, "there are two ways"
        return found

    def _by_secret(self, shares: Whole) -> Whole:
        total = np.zeros((len(shares), len(self.missing)), object)
        for value, secret in enumerate(self.secret.tolist()):
            total[:, secret] += shares[:, value]
        return total

    def rises(self, before: Whole, after: Whole, enough: Fraction) -> Flags:
        """Of whom a secret became likelier than it was, and than enough.

        Args:
            before: People by values, in proportion to what was believed,
            after: and to what is.
            enough: A belief up to this is no matter.
        """
        found = np.zeros(len(after), np.bool_)
        p, q = enough.as_integer_ratio()
        for out in (self.missing, self.silent):
            was, now = (self._by_secret(shares)[:, ~out] for shares in (before, after))
            all_was, all_now = was.sum(axis=1)[:, None], now.sum(axis=1)[:, None]
            likelier = np.asarray(now * all_was > was * all_now, np.bool_)
            found |= (likelier & np.asarray(now * q > all_now * p, np.bool_)).any(axis=1)
        return found


@dataclass(frozen=True, eq=False)
class ListedBelief:
    """What somebody believes of each person who lists everybody, and counts."""

    most: Ratios
    """The belief in the likeliest secret, at most."""
    exact: Flags
    """Of whom it is exact."""
    column: SecretColumn
    kind: Ints
    """Of each person, the kind."""
    shares: Whole
    """Kinds by values, in proportion to what is believed; meaningless where it is not exact."""

    def tells_more(self, before: ListedBelief, enough: Fraction) -> Flags:
        """Of whom more is believed than before, or may be.

        That another value than before is believed with more than enough is more, too.
        """
        more: Flags = ~self.exact | ~before.exact | self.most.larger_than(before.most)
        open_ = np.flatnonzero(~more & self.most.exceed(enough))
        was, now = (one.shares[one.kind[open_]] for one in (before, self))
        more[open_] = self.column.rises(was, now, enough)
        return more


@dataclass(frozen=True, eq=False)
class PlacedPeople:
    """Everybody an attacker may list, and where they are or may be in each release."""

    person: Ints
    """Of each place where somebody is, whose it is; ascending."""
    place: Ints
    """Places by releases: the group, below 0 where they are in none."""
    records: tuple[Ints, ...]
    """Of each release, groups by values: how many records there are."""

    @cached_property
    def _kinds(self) -> tuple[Ints, Ints]:
        """One place of each kind, and the kind of each: who are together in every release."""
        codes = (self.place + 1).astype(np.int32)
        return distinct(codes, [int(column.max(initial=0)) + 1 for column in codes.T])

    @cached_property
    def kinds(self) -> Ints:
        """Kinds by releases: the group. People of a kind are alike to every attacker."""
        return self.place[self._kinds[0]]

    @cached_property
    def _begins(self) -> Ints:
        """The first place of each person."""
        return np.flatnonzero(np.diff(self.person, prepend=-1))

    @property
    def inside_first(self) -> Flags:
        """Of each person, whether they are in the first release."""
        return np.asarray(self.place[self._begins, 0] >= 0, np.bool_)

    def without_first(self) -> PlacedPeople:
        """The same people without the first release."""
        return PlacedPeople(self.person, self.place[:, 1:], self.records[1:])

    def beside(self, marked: Flags) -> Flags:
        """Who is marked, or may share a group of a release behind the first with one who is."""
        found = marked.copy()
        for group in self.place.T[1:]:
            inside = group >= 0
            tells = np.zeros(int(group.max(initial=-1)) + 1, np.bool_)
            tells[group[inside & marked[self.person]]] = True
            found[self.person[inside][tells[group[inside]]]] = True
        return found

    def likeliest_alone(self, column: SecretColumn) -> Ratios:
        """Of each person, the belief in their likeliest secret, wherever they may be.

        To somebody who knows one person and their groups, and nobody else. The groups are
        independent evidence: what each says is multiplied. With a prior, each group after the
        first is divided by it, or it would count again. Where two releases have the same groups, it
        is the larger of what is believed by whoever takes them for two, and for one.

        Args:
            column: What people may have.

        Raises:
            UncountedError: There are too many people and values.

        Ann has flu or gout in one release and flu or acne in another:

        >>> tables = np.array([[1, 1, 0]]), np.array([[1, 0, 1]])
        >>> people = PlacedPeople(np.array([0]), np.array([[0, 0]]), tables)
        >>> column = SecretColumn(np.arange(3), np.zeros(3, np.bool_), np.zeros(3, np.bool_))
        >>> str(people.likeliest_alone(column).largest)
        '1'
        """
        self._refuse_many(column)
        every = self.kinds >= 0
        found = column.likeliest(self._multiplied(column, every))
        if (once := self._once()) is not None:
            found = found.larger(column.likeliest(self._multiplied(column, once)))
        return self._worst(found)

    def _multiplied(self, column: SecretColumn, counts: Flags) -> Whole:
        """Kinds by values, in proportion to what is believed.

        Args:
            column: What people may have.
            counts: Of each kind and release, whether what it says counts.
        """
        shares = np.ones((len(self.kinds), len(column.secret)), object)
        for table, group, inside in zip(self.records, self.kinds.T, counts.T, strict=True):
            shares[inside] = shares[inside] * table[group[inside]].astype(object)
        if column.prior is not None:
            again = counts.sum(axis=1) - 1
            power = {n: np.array([p**-n for p in column.prior], object) for n in {*again.tolist()}}
            shares = shares * np.stack([power[n] for n in again.tolist()])
        return shares

    def _once(self) -> Flags | None:
        """Of each kind and release, whether it says what no release before it says of the kind.

        A release that has the groups of another may be the same one, under another name. None where
        there is none.
        """
        counts = self.kinds >= 0
        found = counts.copy()
        for one, other in combinations(range(len(self.records)), 2):
            both = counts[:, one] & counts[:, other]
            pairs = np.unique(self.kinds[both][:, [one, other]], axis=0)
            if all(len(np.unique(group)) == len(group) for group in pairs.T) and np.array_equal(
                self.records[one][pairs[:, 0]], self.records[other][pairs[:, 1]]
            ):
                found[both, other] = False
        return None if np.array_equal(found, counts) else found

    def likeliest_listed(self, column: SecretColumn, enough: Fraction) -> ListedBelief:
        """The same, at most, to somebody who knows everybody and where they are, and counts.

        Args:
            column: What people may have.
            enough: A belief up to this need not be known better.

        Raises:
            UncountedError: There are too many people and values.

        Ann and Bob have flu and gout between them, and so have Bob and Cem in another release.

        >>> places = np.array([[0, -1], [0, 0], [-1, 0]])
        >>> people = PlacedPeople(np.arange(3), places, (np.array([[1, 1]]),) * 2)
        >>> column = SecretColumn(np.arange(2), np.zeros(2, np.bool_), np.zeros(2, np.bool_))
        >>> str(people.likeliest_listed(column, Fraction(1, 4)).most.largest)
        '1/2'
        """
        self._refuse_many(column)
        people = np.bincount(self._kinds[1], minlength=len(self.kinds)).astype(np.int64)
        found = bounds(self._knowledge(self.records, people, column))
        most = found.most
        result = column.likeliest_within(most, people)
        known = np.asarray((most == found.least).all(axis=1))
        shares = most.astype(object)
        exact = column.likeliest(shares[known])
        result.above[known], result.below[known] = exact.above, exact.below
        unsure = result.exceed(enough) & ~known
        if unsure.any():
            rest = np.flatnonzero(~known)
            left = self._knowledge(self._without(known, most), people, column).take(rest)
            part = left.components()
            for component in np.unique(part[unsure[rest]]).tolist():
                mine = np.flatnonzero(part == component)
                counted = beliefs(left.take(mine), moves=MOST_MOVES)
                if counted is not None and counted.worlds:
                    shares[rest[mine]] = np.array(counted.shares, object)
                    exact = column.likeliest(shares[rest[mine]])
                    result.above[rest[mine]], result.below[rest[mine]] = exact.above, exact.below
                    known[rest[mine]] = True
        of_person = self._kinds[1][self._begins]
        return ListedBelief(self._worst(result), known[of_person], column, of_person, shares)

    def _refuse_many(self, column: SecretColumn) -> None:
        width = len(column.secret)
        if len(self.kinds) * width > MOST_CELLS:
            raise UncountedError(
                f"{len(self.kinds):,} kinds of people by {width:,} values are too many to say what "
                "is believed of each",
                fix="Do not publish a column with so many values as it is, or give up the claim.",
            )

    def _worst(self, of_kind: Ratios) -> Ratios:
        """Of each person the largest of all places where they may be."""
        mine = of_kind.take(self._kinds[1])
        first = self._begins
        many = np.diff(np.append(first, len(self.person)))
        found = mine.take(first)
        for further in range(1, int(many.max(initial=1))):
            found = found.larger(mine.take(first + np.minimum(further, many - 1)))
        return found

    def _without(self, known: Flags, count: Ints) -> list[Ints]:
        """The records, less those of people of whom it is known what they have."""
        tables = []
        for table, group in zip(self.records, self.kinds.T, strict=True):
            inside = known & (group >= 0)
            rest = table.copy()
            np.subtract.at(rest, group[inside], count[inside])
            tables.append(rest)
        return tables

    def _knowledge(self, records: Sequence[Ints], people: Ints, column: SecretColumn) -> Knowledge:
        """What somebody knows who lists everybody, and in which group each of them is."""
        shown = []
        for table, group in zip(records, self.kinds.T, strict=True):
            owner, codes = np.nonzero(table)
            histogram = Histogram(
                np.searchsorted(owner, np.arange(len(table) + 1)).astype(np.int64),
                codes.astype(np.int32),
                table[owner, codes],
            )
            looks = np.arange(len(column.secret))
            shown.append(Shown(histogram, looks, placed(group), group >= 0, listed=True))
        weights = None if column.prior is None else (column.prior,) * len(people)
        return Knowledge(people, len(column.secret), tuple(shown), weights)
