"""The world of a table: what its people have, and where they are in earlier releases.

It fits everything that was published, so what people can have by exchanging values in it is proven
to be possible for them, however many releases an attacker joins and counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import ClaimError
from hedgerow.claims.worlds.exchanges import Whereabouts, exchangeable
from hedgerow.claims.worlds.rearrangement import World
from hedgerow.claims.worlds.record_owners import NOWHERE, SeenRecords
from hedgerow.table.groups import Groups, Histogram, Ints
from hedgerow.table.location import Located
from hedgerow.table.pack import distinct
from hedgerow.table.records import joined_text, parts

Flags = NDArray[np.bool_]
Value = str | None
MOST_ROWS = 1_000_000
"""Places where people who left may be, of all of them together."""
MOST_LACKING = 100
"""Kinds of people for whom other worlds are looked for one by one."""


class UncheckedError(ClaimError):
    """Releases cannot be joined and counted, so nothing can be claimed of them together."""


@dataclass(frozen=True, eq=False)
class TableWorld:
    """Everybody of the table, then one person for each earlier record that is nobody's of them.

    People who fit an earlier group and have a value of it were in it. Where more people do than
    there are records, nobody knows who of them came later: each has a row for each place they may
    be in, and nobody exchanges values with them.
    """

    person: Ints
    """Of each row, whose it is; ascending."""
    place: Ints
    """Rows by earlier releases: the group; NOWHERE where they are in none."""
    value: Ints
    """What each has in all columns that are joined on."""
    certain: Flags
    """Of each row, whether it is certain that the person is there."""
    pool: Ints
    """Of each row that is a place which one of several people has: which; else -1."""
    wanted: Ints
    """Of each pool, how many people may be there,"""
    records: Ints
    """and how many of them are."""
    owned: tuple[bool, ...]
    """Of each earlier release, whether its records are people's of the table, one each, and nobody
    lacks one."""
    secret: Ints
    """Of each value, the sensitive one in it."""
    names: tuple[Value, ...]
    """The sensitive values, as they are read."""

    @cached_property
    def blank(self) -> int:
        """The sensitive value that stands for a missing one; -1 where none is missing."""
        return self.names.index(None) if None in self.names else -1

    @classmethod
    def of_table(
        cls,
        columns: tuple[str, ...],
        earlier: Sequence[tuple[tuple[str, ...], Groups]],
        fitting: Sequence[Located],
        texts: Mapping[str, Sequence[Value]],
        person: Ints,
    ) -> TableWorld:
        """Give each earlier record to somebody of the table who may have it.

        Args:
            columns: What is joined on, the sensitive column first.
            earlier: For each earlier release, which of these it shows; and its groups, with these
                columns as one attribute that is called like the sensitive one.
            fitting: For each, the groups that fit people of each kind.
            texts: SecretColumn -> what people of each kind have in it, as it is read.
            person: The kind of each person.
        """
        of = columns[0]
        values = _Values()
        kinds = range(len(texts[of]))
        mine = [values.code((columns, looked(columns, texts, k)), texts[of][k]) for k in kinds]
        rows, certain = np.arange(len(person)), np.ones(len(person), np.bool_)
        place = np.zeros((len(person), 0), np.int64)
        others: list[tuple[int, int, int]] = []
        pool = np.full(len(person), -1, np.int64)
        wanted, records_of = list[int](), list[int]()
        owned = list[bool]()
        for r, ((shown, groups), where) in enumerate(zip(earlier, fitting, strict=True)):
            looks = [looked(shown, texts, k) for k in kinds]
            records = SeenRecords.of(groups, of, several=len(shown) > 1)
            found = records.owners(where.take(person), looks, person)
            owned.append(not found.left and not found.wanted)
            again = found.start[rows + 1] - found.start[rows]
            within = np.arange(int(again.sum())) - np.repeat(np.cumsum(again) - again, again)
            chosen = found.places[np.repeat(found.start[rows], again) + within]
            certain = np.repeat(certain & (again == 1), again)
            # Of two places one is in the pool; with a third nothing is known of either.
            mine_in = np.where(chosen != NOWHERE, found.pool[np.repeat(rows, again)], -1)
            mine_in = np.where(mine_in >= 0, mine_in + len(wanted), -1)
            once = (np.repeat(pool, again) < 0) & (np.repeat(again, again) == 2)
            pool = np.where(np.repeat(again, again) > 1, np.where(once, mine_in, -1),
                            np.repeat(pool, again))  # fmt: skip
            wanted += found.wanted
            records_of += found.records
            place = np.column_stack((np.repeat(place, again, axis=0), chosen))
            rows = np.repeat(rows, again)
            others += [
                (r, group, values.code((shown, text), _secret(text, several=len(shown) > 1)))
                for group, text, many in found.left
                for _ in range(many)
            ]
        owner, elsewhere, linked = _whereabouts(others, np.array(values.secret), len(earlier))
        theirs = np.array([value for _, _, value in others], np.int64)[owner]
        return cls(
            np.concatenate((rows, len(person) + owner)),
            np.concatenate((place, elsewhere)),
            np.concatenate((np.array(mine, np.int64)[person][rows], theirs)),
            np.concatenate((certain, np.full(len(owner), not linked))),
            np.concatenate((pool, np.full(len(owner), -1, np.int64))),
            np.array(wanted, np.int64),
            np.array(records_of, np.int64),
            tuple(owned),
            np.array(values.secret, np.int64),
            tuple(values.secrets),
        )

    def left(self, group: Ints, *, least: int) -> Ints:
        """How many sensitive values are proven to be possible for each person; missing is none.

        Args:
            group: Of each person of the table, the group in a new release; NOWHERE for people who
                are not in it.
            least: How many there should be. Where few people have fewer, more is tried.
        """
        stacked = np.column_stack((self.certain, self._stacked(group), self.value)).astype(np.int64)
        sure = self._surely_there(stacked)
        rows = np.concatenate((stacked, sure))
        codes = (rows + 1).astype(np.int32)
        first, kind = distinct(codes, [int(column.max(initial=0)) + 1 for column in codes.T])
        kinds, many = rows[first], np.bincount(kind, minlength=len(first)).astype(np.int64)
        where = Whereabouts(kinds[:, 1:-1])
        found = exchangeable(where, kinds[:, -1], self.secret, kinds[:, 0] == 1)
        if self.blank >= 0:
            found[:, self.blank] = False
        self._rearrange(found, kinds, np.where(kinds[:, 0] == 1, many, 0), least)
        begins = np.flatnonzero(np.diff(self.person, prepend=-1))
        count = np.asarray(found.sum(axis=1), np.int64)[kind[: len(self.person)]]
        # Wherever they are, whoever knows it is left with so many.
        return np.asarray(np.minimum.reduceat(count, begins), np.int64)

    def _rearrange(self, found: Flags, kinds: Ints, people: Ints, least: int) -> None:
        """Prove more for the few kinds of people who have fewer than `least` values."""
        own = kinds[:, -1]
        lacking = np.flatnonzero((found.sum(axis=1) < least) & (people > 0))
        if not 0 < len(lacking) <= MOST_LACKING:
            return
        everybody = np.repeat(np.arange(len(kinds)), people)
        where = Whereabouts(kinds[everybody, 1:-1])
        world = World(where, own[everybody], self.secret)
        for one in lacking.tolist():
            if self.blank >= 0 and self.secret[own[one]] == self.blank:
                continue
            while found[one].sum() < least:
                open_ = ~found[one]
                if self.blank >= 0:
                    open_[self.blank] = False
                more = world.possible(int(np.searchsorted(everybody, one)), open_) & open_
                if not more.any():
                    break
                found[one] |= more

    def _surely_there(self, stacked: Ints) -> Ints:
        """Rows of people who are there, though nobody knows who of several they are.

        Of seven people of whom five were in an earlier group, four are in one group now: two of
        these were surely in the earlier one.
        """
        inside = np.flatnonzero(self.pool >= 0)
        before = self.person[inside - 1] == self.person[inside]
        after = np.append(self.person, -1)[inside + 1] == self.person[inside]
        inside = inside[before & ~after & (self._rows[self.person[inside]] == 2)]
        keyed = np.column_stack((self.pool[inside], stacked[inside]))
        kinds, first, many = np.unique(keyed, axis=0, return_index=True, return_counts=True)
        pool = kinds[:, 0]
        elsewhere = self.wanted[pool] - many
        there = first[self.records[pool] > elsewhere]
        away = first[self.wanted[pool] - self.records[pool] > elsewhere]
        found = np.concatenate((stacked[inside[there]], stacked[inside[away] - 1]))
        found[:, 0] = 1
        return found

    @cached_property
    def _rows(self) -> Ints:
        """How many rows each person has."""
        return np.bincount(self.person)

    def _stacked(self, group: Ints) -> Ints:
        """Rows by releases, the new one first: the group."""
        new = np.full(len(self.person), NOWHERE, np.int64)
        table = self.person < len(group)
        new[table] = group[self.person[table]]
        return np.column_stack((new, self.place))

    def alone(self, table: int, histograms: Sequence[Histogram]) -> Ints:
        """Of everybody behind the first `table` people, the values of their one earlier group."""
        begins = np.flatnonzero(np.diff(self.person, prepend=-1))
        place = self.place[begins][self.person[begins] >= table]
        count = np.zeros(len(place), np.int64)
        for r, h in enumerate(histograms):
            inside = place[:, r] != NOWHERE
            count[inside] = np.diff(h.indptr)[place[inside, r]]
        return count

    def fewest_beside(self, count: Ints) -> Ints:
        """For each, the smallest number of anybody in their earlier groups, themselves included."""
        fewest = count.copy()
        for group in self.place.T:
            least = np.full(int(group.max(initial=NOWHERE)) + 1, count.max(initial=0), np.int64)
            inside = group != NOWHERE
            np.minimum.at(least, group[inside], count[self.person[inside]])
            np.minimum.at(fewest, self.person[inside], least[group[inside]])
        return fewest


def _whereabouts(
    others: Sequence[tuple[int, int, int]], secret: Ints, releases: int
) -> tuple[Ints, Ints, bool]:
    """Where people may be who own a record and are not of the table.

    Who left may own a record of each of several releases, if they show one sensitive value. Nobody
    knows which, so each such combination is a place where the person may be.

    Args:
        others: Release, group and value of each of their records.
        secret: Of each value, the sensitive one in it.
        releases: How many there are.

    Returns:
        Whose each row is, the place by releases, the record's own alone first; and whether they may
        own several.
    """
    found: dict[tuple[int, int], set[int]] = {}
    for r, group, value in others:
        found.setdefault((r, int(secret[value])), set()).add(group)
    linked = len({r for r, _, _ in others}) > 1
    places: dict[tuple[int, int, int], Ints] = {}
    total = 0
    for one in others:
        if one not in places:
            r, group, value = one
            choices = [
                [group] if other == r
                else [NOWHERE, *sorted(found.get((other, int(secret[value])), ()))]
                for other in range(releases)
            ]  # fmt: skip
            places[one] = np.array(list(product(*choices)), np.int64).reshape(-1, releases)
        total += len(places[one])
        if total > MOST_ROWS:
            raise UncheckedError(
                "too many people left whose records may be in several earlier releases",
                fix="Give up the claim; then publish says what it could check.",
            )
    count = [len(places[one]) for one in others]
    rows = [places[one] for one in others]
    empty = np.zeros((0, releases), np.int64)
    return np.repeat(np.arange(len(others)), count), np.concatenate((empty, *rows)), linked


class _Values:
    """Everything people have, numbered."""

    def __init__(self) -> None:
        self._place: dict[tuple[object, Value], int] = {}
        self.secrets: dict[Value, int] = {}
        self.secret: list[int] = []

    def code(self, key: tuple[object, Value], sensitive: Value) -> int:
        if key not in self._place:
            self._place[key] = len(self._place)
            self.secret.append(self.secrets.setdefault(sensitive, len(self.secrets)))
        return self._place[key]


def looked(columns: Sequence[str], texts: Mapping[str, Sequence[Value]], kind: int) -> Value:
    """What people of a kind have in these columns, in the form in which records are compared."""
    found = [texts[column][kind] for column in columns]
    return found[0] if len(found) == 1 else joined_text(found)


def _secret(text: Value, *, several: bool) -> Value:
    """The sensitive value of such a text."""
    return parts(text)[0] if several else text
