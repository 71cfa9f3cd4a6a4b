"""Joins: what releases about the same people leave possible once they are joined and counted.

Groups that fit a person are intersected; records are joined on every column that two releases
show as it is; and groups are subtracted from each other wherever everybody in them is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import some
from hedgerow.base.spelling import UNKNOWN, likeness
from hedgerow.claims.base import LARGEST
from hedgerow.claims.history import follow
from hedgerow.claims.worlds.belief_world import BeliefWorld, FittedSets
from hedgerow.claims.worlds.record_owners import SeenRecords
from hedgerow.claims.worlds.table_world import TableWorld, UncheckedError, looked
from hedgerow.table.groups import AskedBelief, Groups, Ints
from hedgerow.table.location import Located, placed
from hedgerow.table.records import RecordKinds, parts

Flags = NDArray[np.bool_]
Value = str | None

MOST = 400_000_000
"""Pairs of a person and a value that are held at a time."""


@dataclass(frozen=True, eq=False)
class Shows:
    """What a release shows of its groups."""

    groups: Groups
    """With the sensitive column that is asked about."""
    records: RecordKinds | None = None
    """Its columns that are not generalised, where there are several."""

    def columns(self, of: str) -> set[str]:
        """The columns records can be joined on, the one that is asked about among them."""
        return {of, *(() if self.records is None else self.records.columns)}

    def in_order(self, order: Ints) -> Shows:
        """The same with the groups in another order, and the values of each in that of all."""
        records = self.records
        if records is not None:
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order))
            records = replace(records, group=place[records.group])
        groups = self.groups.take(order)
        histograms = {name: h.by_value for name, h in groups.histograms.items()}
        return Shows(replace(groups, histograms=histograms), records)

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
    """How many values are left for people, by what the releases say together.

    Missing values are not counted; LARGEST for people whose own value is missing.
    """

    inside: Ints
    """For each person of the new release, part by part."""
    outside: Ints
    """For people of the table who are not in it."""
    gone: Ints
    """For everybody who is only in earlier releases, and of whom the new one tells more: by the way
    of counting that leaves fewest, ascending."""
    beside: Ints
    """For each person of the new release, the fewest for anybody in their groups of earlier ones,
    whether in the new release or not: who is exposed depends on what is known of the others."""

    @property
    def fewest(self) -> int | None:
        """The fewest for anybody; None where nobody has a value to learn."""
        least = min(int(part.min(initial=LARGEST)) for part in (self.inside, self.outside))
        least = min(least, int(self.gone.min(initial=LARGEST)))
        return None if least == LARGEST else least


@dataclass(frozen=True, eq=False)
class LikeliestLeft:
    """What is believed in most by attackers who join a new release with the earlier ones."""

    largest: Fraction
    """At most, of anybody in the new release, and of others of whom it tells more."""
    inside: Flags
    """Of each person of the new release, part by part, whether it may be more than enough;"""
    beside: Flags
    """or it may be of somebody who shares an earlier group with them."""
    counted: bool
    """Whether what is too much is known exactly, and no bound that is proven."""


@dataclass(frozen=True, eq=False)
class Joins:
    """Everybody an attacker may list, and where they are in earlier releases.

    People of the table are in the groups that fit them and have their value. Where more of them
    have a value than there are records with it, the others came later; who that is no release
    says, so it is tried in two ways. Records that nobody of the table can have belong to somebody
    else, who is listed as well: the attacker may know who left.
    """

    of: str
    earlier: tuple[Shows, ...]
    located: tuple[tuple[Located, ...], ...]
    """For each way to try, and each earlier release, where everybody is: people of the table by
    kind, then the others."""
    people: Ints
    """People of the table of each kind. Those of a kind fit the same places, with one value."""
    own: tuple[Value, ...]
    """The value people of the kind have, as it is read."""
    blind: tuple[Located, ...] | None
    """For each earlier release the groups that fit people of the table, for whoever does not know
    who came and left; None where that is how they are located already."""
    fitting: tuple[Located, ...]
    """For each earlier release, the groups that fit people of each kind."""
    beside: Mapping[str, tuple[Value, ...]]
    """Column -> what people of each kind have there, as it is read; of columns to join on."""

    @classmethod
    def of_table(
        cls,
        of: str,
        earlier: Sequence[Shows],
        fitting: Sequence[Located],
        *,
        people: Ints,
        own: Sequence[Value],
        beside: Mapping[str, Sequence[Value]] | None = None,
    ) -> Joins:
        """From where people of each kind may be, by the quasi-identifiers alone.

        Args:
            of: The sensitive column.
            earlier: The earlier releases.
            fitting: For each, the groups that fit people of each kind.
            people: How many are of each kind.
            own: Their value.
            beside: Column -> what they have there; of the columns that releases are joined on.
        """
        read = [likeness(value) for value in own]
        person = np.repeat(np.arange(len(people)), people)
        ways = []
        for last in (False, True):
            found = [
                _members(shows, where.take(person), of, read, person, last=last)
                for shows, where in zip(earlier, fitting, strict=True)
            ]
            ways.append(_with_others(found, len(person)))
            if all(exact for *_, exact in found):
                break
        blind = tuple(where.take(person) for where in fitting)
        same = len(ways) == 1 and all(
            np.array_equal(one.start, other.start) and np.array_equal(one.groups, other.groups)
            for one, other in zip(blind, ways[0], strict=True)
        )
        return cls(
            of, tuple(earlier), tuple(ways), people, tuple(read), None if same else blind,
            tuple(fitting), {c: tuple(map(likeness, v)) for c, v in (beside or {}).items()},
        )  # fmt: skip

    _built: dict[tuple[str, ...], TableWorld] = field(default_factory=dict)
    _believed: dict[tuple[tuple[str, ...], ...], BeliefWorld] = field(default_factory=dict)

    @cached_property
    def _first(self) -> Ints:
        """Where the people of each kind begin."""
        return np.concatenate(([0], np.cumsum(self.people)))

    def before(self) -> Ints:
        """How many values the earlier releases alone leave each person of the table.

        LARGEST for people whose own value is missing.

        Raises:
            UncheckedError: There are too many people and values.
        """
        table = int(self._first[-1])
        learned = np.repeat([value is not None for value in self.own], self.people)
        least = np.full(table, LARGEST, np.int64)
        times = 1 if len(self.earlier) > 1 else 2  # a release with itself says nothing more
        earlier = self.earlier * times
        for located in self.located:
            values, possible = narrowed(earlier, located * times, of=self.of)
            count = np.asarray(possible.sum(axis=1), np.int64)
            if None in values:
                count = count - possible[:, values.index(None)]
            least = np.minimum(least, np.where(learned, count[:table], LARGEST))
        if self.blind is not None:
            person = np.repeat(np.arange(len(self.people)), self.people)
            sure = named(earlier, self.blind * times, self.own, person, of=self.of)
            least[sure] = np.minimum(least[sure], 1)
        return least

    def left(
        self,
        new: Shows,
        kind: Ints,
        group: Ints,
        people: Ints,
        *,
        least: int = 2,
        proven: bool = True,
    ) -> Remaining:
        """What a new release leaves possible.

        What is counted is proven to be possible, by worlds that fit all releases.

        Args:
            new: What it shows.
            kind: Of each part of its people, the kind.
            group: And the group in the new release; -1 where they are not in it.
            people: And how many they are.
            least: How many values there should be; more effort is made for people with fewer.
            proven: Whether to refuse where nobody knows what people have in a column to join on;
                if not, what is left by such a column is an upper bound.

        Raises:
            UncheckedError: There are too many people and values.
            DataError: People have several values.
        """
        table = int(self._first[-1])
        # Where releases contradict what an attacker takes for true, it matters which groups are
        # looked at first. That must not depend on how a search numbers them.
        first_kind = np.full(len(new.groups), len(self.people), np.int64)
        np.minimum.at(first_kind, group[group >= 0], kind[group >= 0])
        by_kind = np.argsort(first_kind, kind="stable")
        new = new.in_order(by_kind)
        group = np.where(group >= 0, np.argsort(by_kind)[group], -1)
        inside = self._inside(kind, people)
        everybody = self._everybody(inside, group, people)
        fewest, gone, beside = self._proven(new, everybody, least=least, strict=proven)
        for located in self.located:
            where = np.full(len(located[0].start) - 1, -1, np.int64)
            where[:table] = everybody
            values, possible = narrowed((new, *self.earlier), (placed(where), *located), of=self.of)
            count = np.asarray(possible.sum(axis=1), np.int64)
            others = count[table:]
            gone.append(others[others < _alone(self.earlier, located, self.of, table)])
            if None in values:
                count = count - possible[:, values.index(None)]
            fewest = np.minimum(fewest, np.where(self._learned, count[:table], LARGEST))
        if self.blind is not None:
            person = np.repeat(np.arange(len(self.people)), self.people)
            sure = named((new, *self.earlier), (placed(everybody), *self.blind), self.own, person,
                         of=self.of)  # fmt: skip
            fewest[sure] = np.minimum(fewest[sure], 1)
            for fit in self.blind:
                owner = np.repeat(np.arange(table), fit.count)
                tells = np.zeros(int(fit.groups.max(initial=-1)) + 1, np.bool_)
                tells[fit.groups[sure[owner]]] = True
                beside[owner[tells[fit.groups]]] = 1
        outside = np.ones(table, np.bool_)
        outside[inside] = False
        return Remaining(fewest[inside], fewest[outside], _worst(gone), beside[inside])

    def _inside(self, kind: Ints, people: Ints) -> Ints:
        """Who of the table each person of the parts is; as many parts as there are `kind`s."""
        order = np.argsort(kind, kind="stable")
        before = np.cumsum(people[order]) - people[order]
        kinds = kind[order]
        first = np.empty(len(kind), np.int64)
        first[order] = self._first[kinds] + before - before[np.searchsorted(kinds, kinds)]
        within = np.arange(int(people.sum())) - np.repeat(np.cumsum(people) - people, people)
        return np.repeat(first, people) + within

    def _everybody(self, inside: Ints, group: Ints, people: Ints) -> Ints:
        """The group of each person of the table; -1 where they are in none."""
        everybody = np.full(int(self._first[-1]), -1, np.int64)
        everybody[inside] = np.repeat(group, people)
        return everybody

    def believed(
        self,
        new: Shows,
        kind: Ints,
        group: Ints,
        people: Ints,
        asked: AskedBelief,
        *,
        seen: FittedSets | None = None,
    ) -> LikeliestLeft:
        """What is believed in most, at most, of each person once a new release is there.

        Args:
            new: What it shows.
            kind: Of each part of its people, the kind.
            group: And the group in the new release; -1 where they are not in it.
            people: And how many they are.
            asked: Which attackers are meant.
            seen: Of each part, all groups of the new release that its people fit; left out where
                readers know in which they are.

        Raises:
            UncheckedError: The releases do not say who is where in them.
            UncountedError: Beside these groups it cannot be said.
        """
        world = self._whole_world(new)
        inside = self._inside(kind, people)
        where = self._everybody(inside, group, people)
        if seen is not None:
            seen = replace(seen, of=self._everybody(inside, seen.of, people))
        anywhere = world.wherever(where, seen)
        here = anywhere.inside_first
        failing, counted, largest = np.zeros(len(here), np.bool_), True, Fraction(0)
        for column in world.columns(asked.prior):
            most = anywhere.likeliest_alone(column)
            largest = max(largest, most.take(np.flatnonzero(here)).largest)
            # What somebody believes who knows one person outside the new release stays the same.
            failing |= most.exceed(asked.enough) & here
            if not asked.everybody:
                continue
            listed = world.settled(where, seen)
            found = listed.likeliest_listed(column, asked.enough)
            before = listed.without_first().likeliest_listed(column, asked.enough)
            counts = here | found.tells_more(before, asked.enough)
            largest = max(largest, found.most.take(np.flatnonzero(counts)).largest)
            more = found.most.exceed(asked.enough) & counts
            counted &= not (more & ~found.exact).any()
            failing |= more
        beside = anywhere.beside(failing)[inside]
        return LikeliestLeft(largest, failing[inside], beside, counted)

    def believed_before(
        self, new: Shows, kind: Ints, group: Ints, people: Ints, asked: AskedBelief
    ) -> Fraction:
        """What is believed in most of those in a new release by somebody who does not have it.

        And who knows one person. The arguments are those of `believed`.
        """
        world = self._whole_world(new)
        where = self._everybody(self._inside(kind, people), group, people)
        anywhere = world.wherever(where)
        here, without = np.flatnonzero(anywhere.inside_first), anywhere.without_first()
        return max(
            without.likeliest_alone(column).take(here).largest
            for column in world.columns(asked.prior)
        )

    @cached_property
    def _learned(self) -> Flags:
        """Of each person of the table, whether there is a value that could be learned."""
        known = np.array([value is not None for value in self.own], np.bool_)
        return np.repeat(known, self.people)

    def _proven(
        self, new: Shows, everybody: Ints, *, least: int, strict: bool
    ) -> tuple[Ints, list[Ints], Ints]:
        """How many values worlds that fit show to be possible: see `Remaining`.

        Returns:
            For each person of the table; for those who are only in earlier releases and of whom the
            new one tells more; and for the table's people together with those beside them.
        """
        table = len(everybody)
        fewest, beside = np.full((2, table), LARGEST, np.int64)
        gone = []
        for world in self._worlds(new, strict=strict):
            count = world.left(everybody, least=least)
            count[:table][~self._learned] = LARGEST
            alone = world.alone(table, [shows.groups.histograms[self.of] for shows in self.earlier])
            told = count[table:] < alone
            gone.append(count[table:][told])
            count[table:][~told] = LARGEST
            fewest = np.minimum(fewest, count[:table])
            beside = np.minimum(beside, world.fewest_beside(count)[:table])
        return fewest, gone, beside

    def _whole_world(self, new: Shows) -> BeliefWorld:
        """The world in which everything that any two releases show is joined.

        Raises:
            UncheckedError: There is too much of it.
        """
        releases = (new, *self.earlier)
        every = (self.of, *sorted(joined_on(releases, self.of)))
        shown = [
            tuple(column for column in every if column in shows.columns(self.of))
            for shows in releases
        ]
        key = (every, shown[0])
        if key not in self._believed:
            # Who was there is told by what the table has; of the rest only the releases tell.
            known = tuple(column for column in every if column == self.of or column in self.beside)
            if known not in self._built:
                self._built[known] = self._world(known)
            texts = {**self.beside, self.of: self.own}
            kinds = range(len(self.people))
            records = [
                SeenRecords.of(shows.joint(mine, self.of), self.of, several=len(mine) > 1)
                for shows, mine in zip(self.earlier, shown[1:], strict=True)
            ]
            self._believed[key] = BeliefWorld.of(
                self._built[known], every,
                (shown[0], [looked(shown[0], texts, k) for k in kinds]),
                [*zip(shown[1:], records, strict=True)], self.fitting,
                np.repeat(np.arange(len(self.people)), self.people),
            )  # fmt: skip
        return self._believed[key]

    def _worlds(self, new: Shows, *, strict: bool) -> Iterator[TableWorld]:
        """For each set of columns to join on, the world that fits all earlier releases.

        Raises:
            UncheckedError: Nobody knows what people of the table have in such a column.
        """
        releases = (new, *self.earlier)
        # Sets of columns of which none has all the others leave more together than each of them.
        every = (self.of, *sorted(joined_on(releases, self.of)))
        for columns in dict.fromkeys((*shared_columns(releases, self.of), every)):
            unknown = [c for c in columns if c != self.of and c not in self.beside]
            if unknown and strict:
                raise UncheckedError(
                    f"earlier releases can be joined on {some(unknown)}, which this release does "
                    "not show",
                    fix="Publish the column as it is, too, or give up the claim.",
                )
            if not unknown:
                if columns not in self._built:
                    self._built[columns] = self._world(columns)
                yield self._built[columns]

    def _world(self, columns: tuple[str, ...]) -> TableWorld:
        texts = {**self.beside, self.of: self.own}
        shown = []
        for shows in self.earlier:
            mine = tuple(column for column in columns if column in shows.columns(self.of))
            shown.append((mine, shows.joint(mine, self.of)))
        person = np.repeat(np.arange(len(self.people)), self.people)
        return TableWorld.of_table(columns, shown, self.fitting, texts, person)


def _members(
    shows: Shows, fitting: Located, of: str, own: Sequence[Value], kind: Ints, *, last: bool
) -> tuple[Located, Ints, bool]:
    """Where people are who fit: as many with a value as there are records with it.

    Args:
        shows: The release.
        fitting: The groups that fit each person.
        of: The sensitive column.
        own: The value that people of each kind have.
        kind: Each person's.
        last: Whether records go to the last of those who could have them, or to the first.

    Returns:
        Where people are; the groups of records that nobody of them has; and whether nobody was
        too many.
    """
    h, domain = shows.groups.histograms[of], shows.groups.domains[of]
    place: dict[Value, int] = {}
    into = np.array([place.setdefault(likeness(v), len(place)) for v in domain.values], np.int64)
    width = len(place) + 1
    held, index = np.unique(h.owner() * width + into[h.codes], return_inverse=True)
    records = np.bincount(index, weights=h.counts, minlength=len(held)).astype(np.int64)
    mine = np.array([place.get(value, len(place)) for value in own], np.int64)[kind]
    person = np.repeat(np.arange(len(kind)), fitting.count)
    wanted = fitting.groups * width + mine[person]
    at = np.minimum(np.searchsorted(held, wanted), max(0, len(held) - 1))
    there = held[at] == wanted if len(held) else np.zeros(len(at), np.bool_)
    line = np.lexsort((-person if last else person, at))
    line = line[there[line]]
    begins = np.searchsorted(at[line], at[line])
    chosen = line[np.arange(len(line)) - begins < records[at[line]]]
    kept = np.zeros(len(at), np.bool_)
    kept[chosen] = True
    taken = np.bincount(at[chosen], minlength=len(held))
    count = np.bincount(person[kept], minlength=len(kind))
    missing = np.repeat(held // width, records - taken)
    where = Located(np.concatenate(([0], np.cumsum(count))), fitting.groups[kept])
    return where, missing, len(chosen) == len(line)


def _with_others(found: Sequence[tuple[Located, Ints, bool]], people: int) -> tuple[Located, ...]:
    """Where everybody is: the people who were looked for, then one for each other record."""
    begins = people + np.cumsum([0, *(len(missing) for _, missing, _ in found)])
    everybody = []
    for i, (where, missing, _) in enumerate(found):
        count = np.zeros(begins[-1], np.int64)
        count[:people] = where.count
        count[begins[i] : begins[i + 1]] = 1
        start = np.concatenate(([0], np.cumsum(count)))
        everybody.append(Located(start, np.concatenate((where.groups, missing))))
    return tuple(everybody)


def _worst(counts: Sequence[Ints]) -> Ints:
    """The smallest number, the second smallest and so on, of any of these.

    >>> _worst([np.array([4, 1]), np.array([2])]).tolist()
    [1, 4]
    """
    longest = max(map(len, counts), default=0)
    padded = [np.append(np.sort(one), np.full(longest - len(one), LARGEST)) for one in counts]
    return np.min(padded, axis=0) if padded else np.zeros(0, np.int64)


def _alone(earlier: Sequence[Shows], located: Sequence[Located], of: str, table: int) -> Ints:
    """For everybody who is only in earlier releases, how many values their group there has."""
    count = np.zeros(len(located[0].start) - 1 - table, np.int64)
    for shows, where in zip(earlier, located, strict=True):
        there = np.flatnonzero(where.count[table:])
        groups = where.groups[where.start[:-1][table + there]]
        count[there] = np.diff(shows.groups.histograms[of].indptr)[groups]
    return count


def narrowed(
    releases: Sequence[Shows], located: Sequence[Located], *, of: str
) -> tuple[tuple[Value, ...], Flags]:
    """The values each person may have, given what the releases show, joined and counted.

    Returns:
        The values as they are read, and people by values.

    Raises:
        UncheckedError: There are too many people and values.
        DataError: People have several values.
    """
    place: dict[Value, int] = {}
    for shows in releases:
        for value in shows.groups.domains[of].values:
            place.setdefault(likeness(value), len(place))
    people = len(located[0].start) - 1
    _refuse_large(people, len(place))
    possible = np.ones((people, len(place)), np.bool_)
    for columns in shared_columns(releases, of):
        chosen = [i for i, shows in enumerate(releases) if {*columns} <= shows.columns(of)]
        groups = [releases[i].joint(columns, of) for i in chosen]
        _refuse_large(people, len({v for one in groups for v in one.domains[of].values}))
        history = follow(groups, [located[i] for i in chosen], of=of)
        names = history.values if len(columns) == 1 else [parts(v)[0] for v in history.values]
        into = np.array([_place_of(value, place) for value in names], np.int64)
        left = np.zeros_like(possible)
        for code in range(len(place)):
            left[:, code] = history.possible[:, into == code].any(axis=1)
        left[~history.present] = True
        possible &= left
    return tuple(place), possible


def _place_of(value: Value, place: Mapping[Value, int]) -> int:
    """The place of a value; that of a missing one beside `?` is that of either.

    >>> _place_of("Flu", {"flu": 0}), _place_of("?", {None: 1}), _place_of(None, {"?": 2})
    (0, 1, 2)
    """
    kind = likeness(value)
    if kind not in place and kind in (None, UNKNOWN):
        kind = UNKNOWN if kind is None else None
    return place[kind]


def named(
    releases: Sequence[Shows],
    located: Sequence[Located],
    own: Sequence[Value],
    kind: Ints,
    *,
    of: str,
) -> Flags:
    """Whose own value is the only one left to whoever takes everybody who fits to be there.

    So does the attack on sequential releases, which knows nobody's value. What it leaves others
    may be wrong, and is no value of theirs.

    Args:
        releases: What each shows.
        located: In each, the groups each person may be in.
        own: The value that people of each kind have, as it is read.
        kind: Each person's.
        of: The sensitive column.

    Raises:
        UncheckedError: There are too many people and values.
    """
    values, possible = narrowed(releases, located, of=of)
    place = {value: code for code, value in enumerate(values)}
    mine = np.array([-1 if v is None else place.get(v, -1) for v in own], np.int64)[kind]
    only = possible[np.arange(len(mine)), mine] & (possible.sum(axis=1) == 1)
    return np.asarray((mine >= 0) & only)


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


def _refuse_large(people: int, values: int) -> None:
    if people * values > MOST:
        raise UncheckedError(
            f"{people:,} people by {values:,} values are too many to join and count",
            fix="Do not publish a column with so many values as it is, or give up the claim; then "
            "publish says what it could check.",
        )
