"""Joins: what releases about the same people leave possible once they are joined and counted.

Groups that fit a person are intersected; records are joined on every column that two releases
show as it is; and groups are subtracted from each other wherever everybody in them is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.invariance import placed
from hedgerow.attacks.locating import Located
from hedgerow.attacks.records import Records, parts
from hedgerow.attacks.sequential import follow
from hedgerow.errors import ClaimError
from hedgerow.groups import Groups, Ints
from hedgerow.spelling import reading

Flags = NDArray[np.bool_]
Value = str | None

MOST = 400_000_000
"""Pairs of a person and a value that are held at a time."""


@dataclass(frozen=True, eq=False)
class Shows:
    """What a release shows of its groups."""

    groups: Groups
    """With the sensitive column that is asked about."""
    records: Records | None = None
    """Its columns that are not generalised, where there are several."""

    def columns(self, of: str) -> set[str]:
        """The columns records can be joined on, the one that is asked about among them."""
        return {of, *(() if self.records is None else self.records.columns)}

    def joint(self, columns: tuple[str, ...], of: str) -> Groups:
        """The groups, with these columns as one attribute that is called like the first."""
        if len(columns) == 1:
            return Groups(
                self.groups.n, {of: self.groups.histograms[of]}, {of: self.groups.domains[of]}
            )
        assert self.records is not None, "several columns are in the records"
        return self.records.together(columns, self.groups.n, name=of)


@dataclass(frozen=True, eq=False)
class Remaining:
    """How many values are left for people, by what the releases say together."""

    entries: Ints
    """For each part of the new release's people; missing values are not counted."""
    out: Ints
    """For each kind of people, for those of them who are not in the new release."""
    out_people: Ints
    """How many these are."""
    gone: Ints
    """For everybody who is only in earlier releases, and of whom the new one tells more."""

    @property
    def fewest(self) -> int | None:
        """The fewest for anybody; None where nobody has a value to learn."""
        least = [*self.entries.tolist(), *self.out[self.out_people > 0].tolist(), *self.gone]
        return min((int(count) for count in least if count >= 0), default=None)


@dataclass(frozen=True, eq=False)
class Joins:
    """Everybody an attacker may list, and where they are in earlier releases.

    People of the table are in the groups that fit them and have their value. Records of earlier
    groups that nobody of the table can have belong to somebody else, who is listed as well: the
    attacker may know who left.
    """

    of: str
    earlier: tuple[Shows, ...]
    located: tuple[Located, ...]
    """For each earlier release, where everybody may be: people of the table by kind, the others."""
    people: Ints
    """People of the table of each kind. Those of a kind are at the same places, with one value."""
    learned: Flags
    """Whether people of the kind have a value that can be learned."""
    others: int
    """People who are only in earlier releases."""

    @classmethod
    def of_table(
        cls,
        of: str,
        earlier: Sequence[Shows],
        fitting: Sequence[Located],
        *,
        people: Ints,
        own: Sequence[Value],
    ) -> Joins:
        """From where people of each kind may be, by the quasi-identifiers alone.

        Args:
            of: The sensitive column.
            earlier: The earlier releases.
            fitting: For each, the groups that fit people of each kind.
            people: How many are of each kind.
            own: Their value.
        """
        read = [reading(value) for value in own]
        person = np.repeat(np.arange(len(people)), people)
        inside, missing = [], []
        for shows, located in zip(earlier, fitting, strict=True):
            where = _with_value(shows, located, of, read).take(person)
            fit = np.bincount(where.groups, minlength=len(shows.groups))
            lacking = np.maximum(shows.groups.n - fit, 0)
            inside.append(where)
            missing.append(np.repeat(np.arange(len(lacking)), lacking))
        begins = np.cumsum([0, *map(len, missing)])
        everybody = []
        for i, (where, groups) in enumerate(zip(inside, missing, strict=True)):
            count = np.zeros(len(person) + begins[-1], np.int64)
            count[: len(person)] = where.count
            first = len(person) + begins[i]
            count[first : first + len(groups)] = 1
            start = np.concatenate(([0], np.cumsum(count)))
            everybody.append(Located(start, np.concatenate((where.groups, groups))))
        learned = np.array([value is not None for value in read], np.bool_)
        return cls(of, tuple(earlier), tuple(everybody), people, learned, int(begins[-1]))

    @cached_property
    def _first(self) -> Ints:
        """Where the people of each kind begin."""
        return np.concatenate(([0], np.cumsum(self.people)))

    @cached_property
    def _alone(self) -> Ints:
        """For everybody who is only in earlier releases, the values of their group there."""
        table = int(self._first[-1])
        count = np.zeros(self.others, np.int64)
        for shows, where in zip(self.earlier, self.located, strict=True):
            h = shows.groups.histograms[self.of]
            there = np.flatnonzero(where.count[table:])
            count[there] = np.diff(h.indptr)[where.groups[where.start[:-1][table + there]]]
        return count

    def left(self, new: Shows, kind: Ints, group: Ints, people: Ints) -> Remaining:
        """What a new release leaves possible.

        Args:
            new: What it shows.
            kind: Of each part of its people, the kind.
            group: And the group in the new release.
            people: And how many they are.

        Raises:
            ClaimError: There are too many people and values.
        """
        table = int(self._first[-1])
        order = np.argsort(kind, kind="stable")
        kinds, n = kind[order], people[order]
        before = np.cumsum(n) - n
        first = self._first[kinds] + before - before[np.searchsorted(kinds, kinds)]
        where = np.full(table + self.others, -1, np.int64)
        within = np.arange(int(n.sum())) - np.repeat(before, n)
        where[np.repeat(first, n) + within] = np.repeat(group[order], n)
        values, possible = narrowed(
            (new, *self.earlier), (placed(where), *self.located), of=self.of
        )
        whole = np.asarray(possible.sum(axis=1), np.int64)
        count = whole - possible[:, values.index(None)] if None in values else whole
        entries = np.empty(len(kind), np.int64)
        entries[order] = count[np.minimum(first, len(count) - 1)]
        used = np.bincount(kind, weights=people, minlength=len(self.people)).astype(np.int64)
        rest = np.where(self.learned, self.people - used, 0)
        last = np.maximum(self._first[1:] - 1, 0)
        gone = whole[table:]
        return Remaining(
            np.where(self.learned[kind] & (people > 0), entries, -1),
            count[last] if len(count) else last,
            rest,
            gone[gone < self._alone],
        )


def narrowed(
    releases: Sequence[Shows], located: Sequence[Located], *, of: str
) -> tuple[tuple[Value, ...], Flags]:
    """The values each person may have, given what the releases show, joined and counted.

    Returns:
        The values as they are read, and people by values.

    Raises:
        ClaimError: There are too many people and values.
        DataError: People have several values.
    """
    place: dict[Value, int] = {}
    for shows in releases:
        for value in shows.groups.domains[of].values:
            place.setdefault(reading(value), len(place))
    people = len(located[0].start) - 1
    _refuse_large(people, len(place))
    possible = np.ones((people, len(place)), np.bool_)
    for columns in shared_columns(releases, of):
        chosen = [i for i, shows in enumerate(releases) if {*columns} <= shows.columns(of)]
        groups = [releases[i].joint(columns, of) for i in chosen]
        _refuse_large(people, len({v for one in groups for v in one.domains[of].values}))
        history = follow(groups, [located[i] for i in chosen], of=of)
        names = history.values if len(columns) == 1 else [parts(v)[0] for v in history.values]
        into = np.array([place[reading(value)] for value in names], np.int64)
        left = np.zeros_like(possible)
        for code in range(len(place)):
            left[:, code] = history.possible[:, into == code].any(axis=1)
        left[~history.present] = True
        possible &= left
    return tuple(place), possible


def shared_columns(releases: Sequence[Shows], of: str) -> list[tuple[str, ...]]:
    """The sets of columns on which two or more of the releases can be joined, `of` first."""
    found: set[tuple[str, ...]] = {(of,)}
    for one, other in combinations(releases, 2):
        both = one.columns(of) & other.columns(of)
        found.add((of, *sorted(both - {of})))
    return sorted(found)


def joined_on(releases: Sequence[Shows], of: str) -> tuple[str, ...]:
    """The columns besides `of` on which any two of the releases are joined."""
    every = (column for columns in shared_columns(releases, of) for column in columns[1:])
    return tuple(dict.fromkeys(every))


def _with_value(shows: Shows, located: Located, of: str, own: Sequence[Value]) -> Located:
    """Only groups that have the person's value, where the person has one."""
    h, domain = shows.groups.histograms[of], shows.groups.domains[of]
    place: dict[Value, int] = {}
    into = np.array([place.setdefault(reading(v), len(place)) for v in domain.values], np.int64)
    width = len(place) + 1
    held = np.unique(h.owner() * width + into[h.codes])
    mine = np.array([place.get(value, len(place)) for value in own], np.int64)
    person = np.repeat(np.arange(len(mine)), located.count)
    lacks = np.array([value is None for value in own], np.bool_)
    kept = lacks[person] | np.isin(located.groups * width + mine[person], held)
    count = np.bincount(person[kept], minlength=len(mine))
    return Located(np.concatenate(([0], np.cumsum(count))), located.groups[kept])


def _refuse_large(people: int, values: int) -> None:
    if people * values > MOST:
        raise ClaimError(
            f"whether {people:,} people could be told apart by joining and counting releases with "
            f"{values:,} values was not checked: that is too much to hold",
            fix="Do not publish a column with so many values as it is, or give up the claim.",
        )
