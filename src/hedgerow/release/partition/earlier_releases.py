"""Earlier releases of the same people: what they leave possible, and what one more gives away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.base.jit import kernel
from hedgerow.base.spelling import likeness
from hedgerow.claims.base import LARGEST
from hedgerow.claims.composition import earlier_name
from hedgerow.claims.joins import Joins, Shows
from hedgerow.claims.worlds.belief_world import FittedSets
from hedgerow.claims.worlds.place_belief import UncountedError
from hedgerow.claims.worlds.table_world import UncheckedError
from hedgerow.table.cells import Cells
from hedgerow.table.groups import (
    AskedBelief,
    BeliefsLeft,
    Beside,
    Earlier,
    Groups,
    Histogram,
    Ints,
    ValuesLeft,
)
from hedgerow.table.labels import Taxonomy
from hedgerow.table.location import Located, locate
from hedgerow.table.pack import distinct
from hedgerow.table.published_table import Published
from hedgerow.table.records import RecordKinds
from hedgerow.table.targets import Targets

UNCOMPARED = "Warning: not compared with "
"""How notes begin that say that nobody counted what two releases give away together."""
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]
Codes = NDArray[np.int32]
MIXING = 0x9E3779B97F4A7C15
"""Seeds the numbers by which equal lists of sets are recognised."""


@dataclass(frozen=True, eq=False)
class Before:
    """An earlier release, and what is known of how it was made."""

    published: Published
    public: str
    """What the certificate calls it; says nothing about the steward's machine."""
    own: bool = False
    """Whether it comes from the ledger, with all its taxonomies."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Column -> role, where a certificate says so."""
    null: tuple[str, ...] = ()
    """Texts that were missing values there."""
    linked: bool = False
    """Whether a person may have several rows there."""
    ages: Mapping[str, Sequence[str]] | None = None
    """Columns that were counted there, and from which dates; None where no certificate says."""

    @property
    def name(self) -> str:
        return self.published.name

    @property
    def as_they_are(self) -> set[str]:
        """The columns that it shows as they are."""
        told = {name for name, role in self.roles.items() if role in ("sensitive", "insensitive")}
        return told | set(self.published.sensitive)

    def shows(self) -> Shows:
        """What can be joined and counted in it."""
        return Shows(self.published.groups, self.published.records)

    def obstacle(
        self, quasi: Sequence[str], of: str, *, certain: bool, ages: Mapping[str, Sequence[str]]
    ) -> str | None:
        """Why it cannot be compared by these quasi-identifiers, if it cannot.

        Args:
            quasi: The quasi-identifiers.
            of: The sensitive column.
            certain: Whether a guess who is where will not do.
            ages: Columns that are counted here, and from which dates.
        """
        if self.linked:
            return "a person may have several rows there"
        if certain and self.published.located == "nearest":
            return "it is microaggregated, and the nearest group is not always a person's own"
        strange = [name for name in self.published.quasi if name not in quasi]
        if strange:
            one = len(strange) == 1
            return (
                f"its quasi-identifier{'' if one else 's'} {some(strange)} "
                f"{'is' if one else 'are'} no quasi-identifier{'' if one else 's'} here"
            )
        known = ages if self.ages is None else self.ages
        counted = [c for c in self.published.quasi if known.get(c) != ages.get(c)]
        if counted:
            return f"its {some(counted)} was counted from other dates than here, or not at all"
        role = self.roles.get(of)
        if role in ("quasi-identifier", "insensitive"):
            return f"{of!r} was {role} there"
        other = [c for c in quasi if self.roles.get(c) in ("sensitive", "insensitive")]
        if other:
            return f"{some(other)} was {self.roles[other[0]]} there, and tells people apart here"
        return None


@dataclass(frozen=True, eq=False)
class Left:
    """Where the people of each cell may be in earlier releases."""

    of: str
    values: tuple[str | None, ...]
    own: Codes
    """The value people of the cell have; -1 where it is missing."""
    profile: Codes
    """Which list of sets the people of the cell have."""
    start: Ints
    members: Ints
    sets: Words
    """See `groups.Earlier`."""
    fitting: tuple[tuple[Before, int], ...]
    """For each earlier release, how many people of the table fit into it with their value."""
    beside: RecordKinds | None
    """Of each kind of people, the values in all columns records may be joined on."""
    first: Ints
    """A cell of each kind of people."""
    kind: Ints
    """Of each cell. People of a kind have the same profile, value and values beside it."""
    people: Ints
    """Of each kind."""
    joins: Joins | None
    """What joining and counting starts with; None where there is nothing to join."""
    unjoined: str | None = None
    """Why releases cannot be joined and counted, where they cannot."""

    def attribute(self, cells: Cells) -> tuple[Earlier, Histogram]:
        """For the cells: the profile of their people, and their own value."""
        domain = Earlier(
            earlier_name(self.of),
            tuple(map(str, range(len(self.first)))),
            self.people,
            int(cells.n.sum()),
            profile=self.profile[self.first],
            own=self.own[self.first],
            start=self.start,
            members=self.members,
            sets=self.sets,
            left=None if self.joins is None else self._left,
            believed=None if self.joins is None else self.believed,
        )
        codes = self.kind.astype(np.int32)
        return domain, Histogram(np.arange(len(cells.n) + 1), codes, cells.n)

    def _left(self, groups: Groups, least: int) -> ValuesLeft:
        """How many values joining and counting leaves, by all groups of a release."""
        assert self.joins is not None, "there is something to join"
        group, kind, people = self._parts(groups)
        try:
            shows = self.shows(groups, kind, group, people)
            remaining = self.joins.left(shows, kind, group, people, least=least)
        except UncheckedError as error:
            raise UncheckedError(
                f"whether several values of {self.of!r} remain cannot be checked: {error.what}",
                fix=error.fix,
            ) from None
        inside, beside = np.full((2, len(groups)), LARGEST, np.int64)
        np.minimum.at(inside, np.repeat(group, people), remaining.inside)
        np.minimum.at(beside, np.repeat(group, people), remaining.beside)
        fewest = remaining.fewest
        return ValuesLeft(LARGEST if fewest is None else fewest, inside, beside)

    def believed(self, groups: Groups, asked: AskedBelief) -> BeliefsLeft:
        """What is believed in most by joining and counting, by all groups of a release."""
        return self.believed_by(groups, *self._parts(groups), None, asked)

    def believed_by(
        self,
        groups: Groups,
        group: Ints,
        kind: Ints,
        people: Ints,
        records: RecordKinds | None,
        asked: AskedBelief,
        *,
        seen: FittedSets | None = None,
    ) -> BeliefsLeft:
        """The same, of parts of people, of whom some may be in no group.

        Args:
            groups: All groups of the release.
            group: Of each part of the people, the group, below 0 where they are in none,
            kind: the kind,
            people: and how many they are.
            records: As in `shows`.
            asked: Which attackers are meant.
            seen: Of each part, all groups that its people fit; left out where readers know in which
                they are.

        Raises:
            UncheckedError: The releases do not say who is where in them.
        """
        assert self.joins is not None, "there is something to join"
        inside = group >= 0
        shows = self.shows(groups, kind[inside], group[inside], people[inside], records)
        every = np.ones(len(groups), np.bool_)
        try:
            left = self.joins.believed(shows, kind, group, people, asked, seen=seen)
        except UncheckedError as error:
            raise UncheckedError(
                f"what is believed of {self.of!r} cannot be checked: {error.what}", fix=error.fix
            ) from None
        except UncountedError as error:
            return BeliefsLeft(Fraction(1), every, every, unknown=error.what)
        told, beside = ~every, ~every
        owner = np.repeat(group, people)
        for found, of_person in ((told, left.inside), (beside, left.beside)):
            found[owner[of_person & (owner >= 0)]] = True
        return BeliefsLeft(left.largest, told, beside, left.counted)

    def believed_before(self, groups: Groups, asked: AskedBelief) -> Fraction:
        """What is believed in most by earlier releases alone, of the people in these groups."""
        assert self.joins is not None, "there is something to join"
        group, kind, people = self._parts(groups)
        shows = self.shows(groups, kind, group, people)
        return self.joins.believed_before(shows, kind, group, people, asked)

    def _parts(self, groups: Groups) -> tuple[Ints, Ints, Ints]:
        """Group, kind and number of the people who are together in both."""
        found = groups.histograms[earlier_name(self.of)]
        return found.owner(), found.codes.astype(np.int64), found.counts

    def shows(
        self,
        groups: Groups,
        kind: Ints,
        group: Ints,
        people: Ints,
        records: RecordKinds | None = None,
    ) -> Shows:
        """What a release with these groups shows.

        Args:
            groups: Its groups.
            kind: Of each part of its people, the kind,
            group: the group,
            people: and how many they are.
            records: What was read of it, where it was written; else it shows what the cells have.
        """
        if records is not None or self.beside is None:
            return Shows(groups, records)
        codes = self.beside.codes[kind]
        return Shows(groups, replace(self.beside, codes=codes, group=group, n=people))

    def broken_before(self, least: int) -> int:
        """How many people of the table earlier releases alone leave fewer values than this."""
        return 0 if self.joins is None else int((self.joins.before() < least).sum())

    def notes(self) -> Iterator[str]:
        """How many people each earlier release is compared for."""
        for before, people in self.fitting:
            fit = "1 person" if people == 1 else f"{people:,} people"
            yield (
                f"{fit} of the table may be in {before.name}: their quasi-identifiers and their "
                f"{self.of} fit."
            )


def left_by(
    releases: Sequence[Before],
    cells: Cells,
    of: str,
    *,
    nodes: Mapping[str, Taxonomy],
    null: Sequence[str] = (),
    beside: Sequence[str] = (),
    unjoined: str | None = None,
) -> Left:
    """Where the people of each cell may be in the releases.

    In every group that fits them and holds their value: which it is, a publisher's method may
    tell an attacker, so each of them counts.

    Args:
        releases: Those that can be compared.
        cells: Of the table.
        of: The sensitive column.
        nodes: Column -> label -> values below it, in this table's hierarchies.
        null: Texts that are missing values in this table.
        beside: Attributes of the cells that a release shows as they are, and on which records
            may be joined.
        unjoined: Why releases cannot be joined and counted, where they cannot.

    Raises:
        DataError: Some people have several values, or labels cannot be read.
    """
    attributes = {d.name: (d, h) for d, h in zip(cells.sensitive, cells.values, strict=True)}
    domain, found = attributes[of]
    if len(found.codes) != len(cells.n):
        raise DataError(
            f"some people have several values as {of!r}, and composition is about one each",
            fix="Give every person one value in it.",
        )
    tuples, tuple_of = cells.tuples
    missing = np.array([value is None for value in domain.values], np.bool_)
    own = np.where(missing[found.codes], -1, found.codes).astype(np.int32)
    sets: list[Words] = [np.zeros((0, (len(domain.values) + 63) // 64), np.uint64)]
    person: list[Ints] = [np.zeros(0, np.int64)]
    member: list[Ints] = [np.zeros(0, np.int64)]
    fitting, places = [], []
    total = 0
    for before in releases:
        located = _located(before, cells, tuples, nodes, null)
        mine = _sets(before, of, domain.values)
        there = _somewhere(
            located.start, located.groups, mine, tuple_of, own
        )  # fmt: skip
        fitting.append((before, int(cells.n[there].sum())))
        places.append(located)
        sets.append(mine)
        person.append(np.repeat(np.arange(len(tuples)), located.count))
        member.append(located.groups + total)
        total += len(mine)
    profile, start, members = _profiles(
        np.concatenate(person), np.concatenate(member), len(tuples), total
    )
    columns = [(name, *attributes[name]) for name in dict.fromkeys((of, *beside))]
    codes = [h.codes for _, _, h in columns]
    joins = None
    # Where it matters who of several people was there, people with one tuple are a kind: then it
    # does not depend on how groups are numbered.
    for finer in (profile[tuple_of], tuple_of):
        stacked = np.stack([finer.astype(np.int32), own + 1, *codes[1:]], axis=1)
        first, kind = distinct(stacked, [int(c.max(initial=0)) + 1 for c in stacked.T])
        people = np.bincount(kind, weights=cells.n, minlength=len(first)).astype(np.int64)
        if releases and unjoined is None:
            joins = Joins.of_table(
                of,
                [before.shows() for before in releases],
                [located.take(tuple_of[first]) for located in places],
                people=people,
                own=[None if code < 0 else domain.values[code] for code in own[first].tolist()],
                beside={
                    d.shown if isinstance(d, Beside) else name: [
                        d.values[c] for c in h.codes[first]
                    ]
                    for name, d, h in columns[1:]
                },
            )
        if joins is None or len(joins.located) == 1:
            break
    records = None
    if len(columns) > 1:
        records = RecordKinds(
            tuple(d.shown if isinstance(d, Beside) else name for name, d, _ in columns),
            tuple(d.values for _, d, _ in columns),
            np.stack([c[first] for c in codes], axis=1),
            np.zeros(len(first), np.int64),
            people,
        )
    return Left(
        of, domain.values, own, profile[tuple_of].astype(np.int32), start, members,
        np.concatenate(sets), tuple(fitting), records, first, kind, people, joins,
        unjoined,
    )  # fmt: skip


def with_earlier(cells: Cells, lefts: Sequence[Left]) -> Cells:
    """The cells, with where their people may be in earlier releases as attributes."""
    more = [left.attribute(cells) for left in lefts]
    return replace(
        cells,
        sensitive=(*cells.sensitive, *(domain for domain, _ in more)),
        values=(*cells.values, *(histogram for _, histogram in more)),
    )


def without_beside(cells: Cells) -> Cells:
    """The cells without the columns that releases are only joined on."""
    kept = [
        (domain, histogram)
        for domain, histogram in zip(cells.sensitive, cells.values, strict=True)
        if not isinstance(domain, Beside)
    ]
    return replace(
        cells,
        sensitive=tuple(domain for domain, _ in kept),
        values=tuple(histogram for _, histogram in kept),
    )


def _located(
    before: Before,
    cells: Cells,
    tuples: Codes,
    nodes: Mapping[str, Taxonomy],
    null: Sequence[str],
) -> Located:
    """The groups each tuple may be in. To find too many of them only asks more of the claim."""
    release = before.published
    if not release.quasi:  # one group, with everybody in it
        return Located(np.arange(len(tuples) + 1), np.zeros(len(tuples), np.int64))
    # What is missing in one of the two may have been a text in the other.
    blank, void = set(null), set(before.null)
    release = replace(
        release,
        labels=tuple(
            tuple(None if label in blank else label for label in labels)
            for labels in release.labels
        ),
        taxonomies={
            column: _both(release.taxonomies.get(column, {}), nodes.get(column, {}))
            for column in release.quasi
        },
    )
    targets = Targets(
        tuple(h.name for h in cells.hierarchies),
        tuple(tuple(None if v in void else v for v in h.values) for h in cells.hierarchies),
        tuples,
    )
    located = locate(release, targets)
    unread = dict(located.strange)
    if not before.own:
        # Of others' releases a word that nobody has may be a node of a taxonomy.
        unread |= located.words
    for column, labels in unread.items():
        raise DataError(
            f"{some(labels, most=3)} as {column!r} cannot be read, so nobody can say who is where",
            where=before.name,
            fix=f"Give {column!r} in the plan a hierarchy that has these labels or values.",
        )
    return located


def _both(one: Taxonomy, other: Taxonomy) -> dict[str, set[str | None]]:
    return {
        node: {*one.get(node, ()), *other.get(node, ())} for node in dict.fromkeys([*one, *other])
    }


def _sets(before: Before, of: str, values: Sequence[str | None]) -> Words:
    """Groups by words: the values of this table that somebody in the group has."""
    place: dict[str | None, list[int]] = {}
    for code, value in enumerate(values):
        if value is not None:
            place.setdefault(likeness(value), []).append(code)
    missing = [code for code, value in enumerate(values) if value in before.null]
    groups = before.published.groups
    theirs = groups.domains[of].values
    means = np.zeros((len(theirs), len(values)), np.bool_)
    exact = {value: [code] for code, value in enumerate(values)}
    for code, value in enumerate(theirs):
        mine = place.get(likeness(value), [])
        if value in before.published.distinct.get(of, ()):
            mine = exact.get(value, mine)
        means[code, missing if value is None else mine] = True
    h = groups.histograms[of]
    here = np.zeros((len(groups), len(values)), np.bool_)
    np.logical_or.at(here, h.owner(), means[h.codes])
    return in_words(here)


def _profiles(person: Ints, member: Ints, people: int, sets: int) -> tuple[Ints, Ints, Ints]:
    """Each person's list of sets, equal lists once: which it is, and the lists (CSR)."""
    order = np.argsort(person, kind="stable")
    person, member = person[order], member[order]
    start = np.searchsorted(person, np.arange(people + 1))
    # Lists are equal if these sums are, but for a chance of 2^-100 or so.
    numbers = np.random.default_rng(MIXING).integers(0, 2**64, (sets, 2), np.uint64)
    sums = np.zeros((people, 2), np.uint64)
    for column in range(2):
        np.add.at(sums[:, column], person, numbers[member, column])
    _, first, profile = np.unique(sums, axis=0, return_index=True, return_inverse=True)
    count = np.diff(start)[first]
    ends = np.concatenate([[0], np.cumsum(count)])
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], count)
    return profile.reshape(-1), ends, member[np.repeat(start[first], count) + within]


@kernel
def _somewhere(
    start: Ints, groups: Ints, sets: Words, tuple_of: Ints, own: Codes
) -> NDArray[np.bool_]:
    """Whether people of each cell fit into a group that has their value.

    Args:
        start: People with tuple t may be in groups[start[t]:start[t + 1]].
        groups: Groups of an earlier release.
        sets: Groups by words: the values that somebody in the group has, a bit each.
        tuple_of: The tuple of each cell,
        own: and the value of its people, below 0 where it is missing.
    """
    there = np.zeros(len(own), np.bool_)
    for c in range(len(own)):
        if own[c] >= 0:
            bit = np.uint64(1) << np.uint64(own[c] & 63)
            for e in range(start[tuple_of[c]], start[tuple_of[c] + 1]):
                if sets[groups[e], own[c] >> 6] & bit:
                    there[c] = True
                    break
    return there


def in_words(flags: Flags) -> Words:
    """Rows of flags as bits, 64 to a word."""
    padded = np.zeros((len(flags), (flags.shape[1] + 63) // 64 * 64), np.bool_)
    padded[:, : flags.shape[1]] = flags
    packed: Words = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return packed
