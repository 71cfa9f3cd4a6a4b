"""What is believed, at most, of people who fit known groups of each release.

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
from math import gcd, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import ClaimError
from hedgerow.claims.worlds.bounds import bounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Histogram, Ints
from hedgerow.table.location import Located
from hedgerow.table.pack import distinct

Flags = NDArray[np.bool_]
Whole = NDArray[np.object_]
"""Whole numbers or fractions of any size."""

MOST_CELLS = 20_000_000
"""Kinds of people by values."""
LARGEST = 2**62
"""Products below it are counted in whole numbers of 64 bits."""
MOST_PLACES = 2_000_000
"""Combinations of groups that people of all kinds fit, where they fit several."""
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

    def largest_of(self, which: Ints, owner: Ints, owners: int) -> Ratios:
        """Of each owner the largest of theirs; 0 where they have none.

        Args:
            which: One of these after another,
            owner: and whose it is.
            owners: How many there are.
        """
        pairs = [*zip(self.above.tolist(), self.below.tolist(), strict=True)]
        shares = {pair: Fraction(*pair) for pair in dict.fromkeys(pairs)}
        # Of two shares the larger has no smaller float, and comparing these is fast.
        order = sorted({*shares.values()}, key=lambda share: (float(share), share))
        place = {share: i for i, share in enumerate(order, 1)}
        of_pair = {pair: place[share] for pair, share in shares.items()}
        rank = np.array([of_pair[pair] for pair in pairs], np.int64)
        most = np.zeros(owners, np.int64)
        np.maximum.at(most, owner, rank[which])
        above, below = (
            np.array(part, object)
            for part in (
                [0, *(share.numerator for share in order)],
                [1, *(share.denominator for share in order)],
            )
        )
        return Ratios(above[most], below[most])

    @property
    def largest(self) -> Fraction:
        """The largest; 0 where there is none."""
        pairs = {*zip(self.above.tolist(), self.below.tolist(), strict=True)}
        return max((Fraction(*pair) for pair in pairs), default=Fraction(0))


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
        return self.likeliest_of(self.by_secret(shares))

    def likeliest_within(self, most: Ints, people: Ints) -> Ratios:
        """The same, at most, where of so many people at most so many have each secret."""
        total = np.minimum(most, people[:, None]).astype(object)
        return self._worst(total, lambda out: people - total[:, out].sum(axis=1), bounded=True)

    def likeliest_of(self, total: Whole) -> Ratios:
        """The same as `likeliest`, from people by secrets."""
        whole = total.sum(axis=1)
        return self._worst(total, lambda out: whole - total[:, out].sum(axis=1))

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
            ratios = Ratios(above.astype(object), below.astype(object))
            found = ratios if found is None else found.larger(ratios)
        assert found is not None, "there are two ways"
        return found

    def by_secret(self, shares: NDArray[Any]) -> NDArray[Any]:
        """From people by values to people by secrets."""
        total = np.zeros((len(shares), len(self.missing)), shares.dtype)
        for value, secret in enumerate(self.secret.tolist()):
            total[:, secret] += shares[:, value]
        return total

    def rises(self, before: Whole, after: Whole, enough: Fraction) -> Flags:
        """Of whom a secret became likelier than it was, and than enough.

        Args:
            before: People by secrets, in proportion to what was believed,
            after: and to what is.
            enough: A belief up to this is no matter.
        """
        found = np.zeros(len(after), np.bool_)
        p, q = enough.as_integer_ratio()
        for out in (self.missing, self.silent):
            was, now = (shares[:, ~out] for shares in (before, after))
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
    """Kinds by secrets, in proportion to what is believed; meaningless where it is not exact."""

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
    """Places by releases: the set of groups that fit, below 0 where they are in none."""
    records: tuple[Ints, ...]
    """Of each release, groups by looks: how many records there are."""
    looks: tuple[Ints, ...]
    """Of each release, how each value looks in it; -1 where no record looks like it."""
    sets: tuple[Located, ...]
    """Of each release, the groups of each set. The first sets are the groups, one by one."""

    @cached_property
    def _kinds(self) -> tuple[Ints, Ints]:
        """One place of each kind, and the kind of each: who are together in every release."""
        return _distinct(self.place)

    @cached_property
    def kinds(self) -> Ints:
        """Kinds by releases: the set. People of a kind are alike to every attacker."""
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
        return PlacedPeople(
            self.person, self.place[:, 1:], self.records[1:], self.looks[1:], self.sets[1:]
        )

    def beside(self, marked: Flags) -> Flags:
        """Who is marked, or may share a group of a release behind the first with one who is."""
        found = marked.copy()
        for place, sets in zip(self.place.T[1:], self.sets[1:], strict=True):
            fits = sets.take(place)
            person = np.repeat(self.person, fits.count)
            tells = np.zeros(int(sets.groups.max(initial=-1)) + 1, np.bool_)
            tells[fits.groups[marked[person]]] = True
            found[person[tells[fits.groups]]] = True
        return found

    def likeliest_alone(self, column: SecretColumn) -> Ratios:
        """Of each person, the belief in their likeliest secret, wherever they may be.

        To somebody who knows one person and their groups, and nobody else. The groups are
        independent evidence: what each says is multiplied. With a prior, each group after the
        first is divided by it, or it would count again. Where two releases have the same groups, it
        is the larger of what is believed by whoever takes them for two, and for one.

        Who fits several groups of a release may be in any. What is believed then is a mixture of
        what is believed in each place, whatever the weights; so it is at most the largest of these.

        Args:
            column: What people may have.

        Raises:
            UncountedError: There are too many people and values.

        Ann has flu or gout in one release and flu or acne in another:

        >>> tables = np.array([[1, 1, 0]]), np.array([[1, 0, 1]])
        >>> one = Located(np.arange(2), np.arange(1))
        >>> people = PlacedPeople(
        ...     np.array([0]), np.array([[0, 0]]), tables, (np.arange(3),) * 2, (one,) * 2)
        >>> column = SecretColumn(np.arange(3), np.zeros(3, np.bool_), np.zeros(3, np.bool_))
        >>> str(people.likeliest_alone(column).largest)
        '1'
        """
        found = self._multiplied(column, self.kinds)
        if (once := self._once()) is not None:
            found = found.larger(self._multiplied(column, once))
        return self._worst(found)

    def _multiplied(self, column: SecretColumn, kinds: Ints) -> Ratios:
        """Of each kind the belief in the likeliest secret, in whichever groups they are.

        Args:
            column: What people may have.
            kinds: Kinds by releases: the set; below 0 where what it says does not count.
        """
        places, owner = self._in_groups(kinds)
        first, which = _distinct(places)
        places = places[first]
        self._refuse_many(len(places), column)
        most = [max(1, int(table.max(initial=0))) for table in self.records]
        factors, way = self._factors(column, places >= 0)
        largest = max(map(max, factors), default=1)
        small = prod(most) * largest * len(column.secret) < LARGEST
        shares = np.array(factors, np.int64 if small else object)
        shares = shares.reshape(-1, len(column.secret))[way]
        for r, (table, look) in enumerate(zip(self.records, self.looks, strict=True)):
            inside = places[:, r] >= 0
            seen = np.where(look >= 0, table[:, np.maximum(look, 0)], 0).astype(shares.dtype)
            shares[inside] *= seen[places[inside, r]]
        found = column.likeliest(shares)
        if len(owner) == len(kinds):
            return found.take(which)
        return found.largest_of(which, owner, len(kinds))

    def _in_groups(self, kinds: Ints) -> tuple[Ints, Ints]:
        """Every combination of groups in which people of some kinds may be, and whose it is."""
        rows, owner = kinds.copy(), np.arange(len(kinds))
        for r, sets in enumerate(self.sets):
            fits = sets.take(rows[:, r])
            again = np.maximum(fits.count, 1)
            if again.sum() > MOST_PLACES:
                raise UncountedError(
                    "people fit so many groups of several releases that not every combination can "
                    "be looked at",
                    fix="Publish in groups that overlap less, or give up the claim.",
                )
            groups = np.full(int(again.sum()), -1, np.int64)
            groups[np.repeat(fits.count > 0, again)] = fits.groups
            rows, owner = np.repeat(rows, again, axis=0), np.repeat(owner, again)
            rows[:, r] = groups
        return rows, owner

    def _factors(self, column: SecretColumn, counts: Flags) -> tuple[list[list[int]], Ints]:
        """By what the product of the records is to be multiplied.

        A release says how likely each look is. Of the values that look so each is as likely as the
        prior has it among them. So what the records say is divided by the prior of the look, and
        the prior of the value counts once.

        Args:
            column: What people may have.
            counts: Of each place and release, whether what it says counts.

        Returns:
            Of each way to count releases, a number for each value; and the way of each place.
        """
        prior = column.prior or (Fraction(1),) * len(column.secret)
        of_look = []
        for look in self.looks:
            total: dict[int, Fraction] = {}
            for v, code in enumerate(look.tolist()):
                if code >= 0:
                    total[code] = total.get(code, Fraction(0)) + prior[v]
            # What no record looks like is not in the product.
            of_look.append([total.get(code, Fraction(1)) for code in look.tolist()])
        ways, which = np.unique(counts, axis=0, return_inverse=True)
        factors = []
        for way in ways.tolist():
            row = list(prior)
            for here, shares in zip(way, of_look, strict=True):
                if here:
                    row = [share / part for share, part in zip(row, shares, strict=True)]
            scale = lcm(*(factor.denominator for factor in row))
            whole = [int(factor * scale) for factor in row]
            divisor = max(1, gcd(*whole))
            factors.append([factor // divisor for factor in whole])
        return factors, which.reshape(-1)

    def _once(self) -> Ints | None:
        """Kinds by releases: the set, where it says what no release before it says of the kind.

        A release that has the groups of another may be the same one, under another name. None where
        there is none.
        """
        found = self.kinds.copy()
        for one, other in combinations(range(len(self.records)), 2):
            both = (self.kinds[:, one] >= 0) & (self.kinds[:, other] >= 0)
            pairs = np.unique(self.kinds[both][:, [one, other]], axis=0)
            if all(len(np.unique(part)) == len(part) for part in pairs.T) and all(
                self._says(one, first) == self._says(other, second)
                for first, second in pairs.tolist()
            ):
                found[both, other] = -1
        return None if np.array_equal(found, self.kinds) else found

    def _says(self, release: int, set_: int) -> list[bytes]:
        """What the groups of a set show, in an order of their own."""
        look = self.looks[release]
        rows = self.records[release][self.sets[release].of(set_)]
        seen = np.where(look >= 0, rows[:, np.maximum(look, 0)], 0)
        return sorted(row.tobytes() for row in seen)

    def likeliest_listed(self, column: SecretColumn, enough: Fraction) -> ListedBelief:
        """The same, at most, to somebody who knows everybody and which groups they fit, and counts.

        Args:
            column: What people may have.
            enough: A belief up to this need not be known better.

        Raises:
            UncountedError: There are too many people and values.

        Ann and Bob have flu and gout between them, and so have Bob and Cem in another release.

        >>> places = np.array([[0, -1], [0, 0], [-1, 0]])
        >>> tables, one = (np.array([[1, 1]]),) * 2, Located(np.arange(2), np.arange(1))
        >>> people = PlacedPeople(np.arange(3), places, tables, (np.arange(2),) * 2, (one,) * 2)
        >>> column = SecretColumn(np.arange(2), np.zeros(2, np.bool_), np.zeros(2, np.bool_))
        >>> str(people.likeliest_listed(column, Fraction(1, 4)).most.largest)
        '1/2'
        """
        self._refuse_many(len(self.kinds), column)
        people = np.bincount(self._kinds[1], minlength=len(self.kinds)).astype(np.int64)
        whole = self._knowledge(self.records, people, column)
        found = bounds(whole)
        least, most = column.by_secret(found.least), column.by_secret(found.most)
        if len(column.secret) > len(column.missing):
            # What shows a secret, whatever stands beside it, bounds the secret as well.
            coarse = bounds(whole.seen_as(column.secret, len(column.missing)))
            least, most = np.maximum(least, coarse.least), np.minimum(most, coarse.most)
        result = column.likeliest_within(most, people)
        known = np.asarray((most == least).all(axis=1))
        shares = most.astype(object)
        exact = column.likeliest_of(shares[known])
        result.above[known], result.below[known] = exact.above, exact.below
        unsure = result.exceed(enough) & ~known
        if unsure.any():
            # Whose values are known, and where their records are, say nothing of the others.
            gone = np.asarray((found.most == found.least).all(axis=1)) & self._single
            rest = np.flatnonzero(~gone)
            left = self._knowledge(self._without(gone, found.most), people, column).take(rest)
            part = left.components()
            for component in np.unique(part[unsure[rest]]).tolist():
                mine = np.flatnonzero(part == component)
                alone = left.take(mine)
                counted = beliefs(alone, moves=MOST_MOVES)
                if counted is not None and counted.worlds:
                    shares[rest[mine]] = column.by_secret(np.array(counted.shares, object))
                    known[rest[mine]] = True
                    exact = column.likeliest_of(shares[rest[mine]])
                    result.above[rest[mine]], result.below[rest[mine]] = exact.above, exact.below
        of_person = self._kinds[1][self._begins]
        return ListedBelief(self._worst(result), known[of_person], column, of_person, shares)

    @cached_property
    def _single(self) -> Flags:
        """Of each kind, whether it fits one group at most of every release."""
        several = np.zeros(len(self.kinds), np.bool_)
        for place, sets in zip(self.kinds.T, self.sets, strict=True):
            several |= sets.take(place).count > 1
        return ~several

    @staticmethod
    def _refuse_many(kinds: int, column: SecretColumn) -> None:
        width = len(column.secret)
        if kinds * width > MOST_CELLS:
            raise UncountedError(
                f"{kinds:,} kinds of people by {width:,} values are too many to say what "
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
        """The records, less those of people of whom it is known what they have, and where."""
        tables = []
        for table, place, look in zip(self.records, self.kinds.T, self.looks, strict=True):
            rest, inside, seen = table.copy(), known & (place >= 0), look >= 0
            theirs = np.zeros((len(place), table.shape[1]), np.int64)
            np.add.at(theirs.T, look[seen], count[:, seen].T)
            np.subtract.at(rest, place[inside], theirs[inside])
            tables.append(rest)
        return tables

    def _knowledge(self, records: Sequence[Ints], people: Ints, column: SecretColumn) -> Knowledge:
        """What somebody knows who lists everybody, and which groups each of them fits."""
        shown = []
        for table, place, look, sets in zip(
            records, self.kinds.T, self.looks, self.sets, strict=True
        ):
            owner, codes = np.nonzero(table)
            histogram = Histogram(
                np.searchsorted(owner, np.arange(len(table) + 1)).astype(np.int64),
                codes.astype(np.int32),
                table[owner, codes],
            )
            shown.append(Shown(histogram, look, sets.take(place), place >= 0, listed=True))
        weights = None if column.prior is None else (column.prior,) * len(people)
        return Knowledge(people, len(column.secret), tuple(shown), weights)


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """The first of each kind of row, and the kind of each."""
    codes = (rows + 1).astype(np.int32)
    return distinct(codes, [int(column.max(initial=0)) + 1 for column in codes.T])
