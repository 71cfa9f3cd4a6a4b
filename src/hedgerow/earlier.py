"""Earlier releases of the same people: what they leave possible, and what one more gives away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import kernel
from hedgerow.attacks.labels import Taxonomy
from hedgerow.attacks.locating import Located, locate
from hedgerow.attacks.published import Published, Targets
from hedgerow.errors import ClaimError, DataError, some
from hedgerow.groups import Earlier, Histogram, Ints
from hedgerow.models.composition import earlier_name, in_common
from hedgerow.recode.cells import Cells
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.spelling import likeness

Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]
Codes = NDArray[np.int32]
CONFIDENCES = (1.0, 0.5, 1 / 3)
"""At which the exposed are told."""
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

    @property
    def name(self) -> str:
        return self.published.name

    def obstacle(self, quasi: Sequence[str], of: str) -> str | None:
        """Why it cannot be compared by these quasi-identifiers, if it cannot."""
        if self.linked:
            return "a person may have several rows there"
        strange = [name for name in self.published.quasi if name not in quasi]
        if strange:
            return f"it tells people apart by {some(strange)}, and no quasi-identifier here does"
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

    def attribute(self, cells: Cells) -> tuple[Earlier, Histogram]:
        """For the cells: the profile of their people, and their own value."""
        width = len(self.values) + 1
        kinds, into = np.unique(
            self.profile.astype(np.int64) * width + self.own + 1, return_inverse=True
        )
        reference = np.bincount(into, weights=cells.n, minlength=len(kinds)).astype(np.int64)
        domain = Earlier(
            earlier_name(self.of),
            tuple(map(str, range(len(kinds)))),
            reference,
            int(cells.n.sum()),
            profile=(kinds // width).astype(np.int32),
            own=(kinds % width - 1).astype(np.int32),
            start=self.start,
            members=self.members,
            sets=self.sets,
        )
        return domain, Histogram(np.arange(len(cells.n) + 1), into.astype(np.int32), cells.n)

    def notes(self) -> Iterator[str]:
        """How many people each earlier release is compared for."""
        for before, people in self.fitting:
            fit = "1 person fits" if people == 1 else f"{people:,} people fit"
            yield f"{fit} into {before.name} with their {self.of}."


@dataclass(frozen=True)
class Exposure:
    """How many people of a release are left with few values, given earlier ones too."""

    of: str
    people: int
    """In the release."""
    together: tuple[int, ...]
    """For each of the CONFIDENCES, people of whom that much or more is known."""
    alone: tuple[int, ...]
    """The same without the earlier releases."""
    releases: tuple[str, ...]
    """The earlier ones."""

    @property
    def sentence(self) -> str:
        """For the steward."""
        sure, half = self.together[0], self.together[1]
        return (
            f"together with {some(self.releases)} it leaves {sure:,} of {self.people:,} people one "
            f"possible {self.of} ({self.alone[0]:,} by itself) and {half:,} at most two "
            f"({self.alone[1]:,} by itself)."
        )

    def summary(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "of": self.of,
            "people": self.people,
            "releases": list(self.releases),
            "known": [
                {"confidence": confidence, "people": many, "by_itself": few}
                for confidence, many, few in zip(
                    CONFIDENCES, self.together, self.alone, strict=True
                )
            ],
        }


def left_by(
    releases: Sequence[Before],
    cells: Cells,
    of: str,
    *,
    nodes: Mapping[str, Taxonomy],
    null: Sequence[str] = (),
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

    Raises:
        DataError: Some people have several values, or labels cannot be read.
    """
    index = next(i for i, domain in enumerate(cells.sensitive) if domain.name == of)
    domain, found = cells.sensitive[index], cells.values[index]
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
    fitting = []
    total = 0
    for before in releases:
        located = _located(before, cells, tuples, nodes, null)
        mine = _sets(before, of, domain.values)
        there = _somewhere(
            located.start, located.groups, mine, tuple_of, own
        )  # fmt: skip
        fitting.append((before, int(cells.n[there].sum())))
        sets.append(mine)
        person.append(np.repeat(np.arange(len(tuples)), located.count))
        member.append(located.groups + total)
        total += len(mine)
    profile, start, members = _profiles(
        np.concatenate(person), np.concatenate(member), len(tuples), total
    )
    return Left(
        of, domain.values, own, profile[tuple_of].astype(np.int32), start, members,
        np.concatenate(sets), tuple(fitting),
    )  # fmt: skip


def with_earlier(cells: Cells, lefts: Sequence[Left]) -> Cells:
    """The cells, with where their people may be in earlier releases as attributes."""
    more = [left.attribute(cells) for left in lefts]
    return replace(
        cells,
        sensitive=(*cells.sensitive, *(domain for domain, _ in more)),
        values=(*cells.values, *(histogram for _, histogram in more)),
    )


def exposure(left: Left, cells: Cells, recoding: Recoding) -> Exposure:
    """How much a recoding gives away to whoever has the earlier releases too."""
    kept = np.flatnonzero(recoding.group != SUPPRESSED)
    cell, people = recoding.cell[kept], recoding.people[kept]
    groups, (_, seen) = recoding.groups(cells), recoding.seen
    group = seen[recoding.group[kept]]
    h = groups.histograms[left.of]
    here = np.zeros((len(groups), len(left.values)), np.bool_)
    here[h.owner(), h.codes] = True
    here[:, [i for i, value in enumerate(left.values) if value is None]] = False
    counts = _counts(
        _words(here), group, left.profile[cell], left.own[cell], left.start, left.members,
        left.sets,
    )  # fmt: skip
    single = here.sum(axis=1)[group]
    learned = left.own[cell] >= 0

    def known(count: Ints) -> tuple[int, ...]:
        return tuple(
            int(people[learned & (count <= round(1 / confidence))].sum())
            for confidence in CONFIDENCES
        )

    names = tuple(before.name for before, _ in left.fitting)
    return Exposure(left.of, int(people.sum()), known(counts), known(single), names)


def explain_refusal(
    error: ClaimError, lefts: Sequence[Left], cells: Cells, recoding: Recoding
) -> ClaimError:
    """The refusal, with what would be exposed by the best recoding that disregards the past."""
    told = [exposure(left, cells, recoding).sentence for left in lefts if left.fitting]
    return ClaimError(
        "no generalisation keeps every claim, because of earlier releases. The best one without "
        f"regard to them must not go out: {' '.join(told)}".removesuffix("."),
        where=error.where,
        fix="Allow coarser levels or more suppression, or a higher confidence; or do not publish.",
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
    return _words(here)


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
    """Whether people of each cell fit into a group that has their value."""
    there = np.zeros(len(own), np.bool_)
    for c in range(len(own)):
        if own[c] >= 0:
            bit = np.uint64(1) << np.uint64(own[c] & 63)
            for e in range(start[tuple_of[c]], start[tuple_of[c] + 1]):
                if sets[groups[e], own[c] >> 6] & bit:
                    there[c] = True
                    break
    return there


@kernel
def _counts(
    here: Words, group: Ints, profile: Codes, own: Codes, start: Ints, members: Ints, sets: Words
) -> Ints:
    """For each part, how many values are left for its people; 0 where theirs is missing."""
    counts = np.zeros(len(group), np.int64)
    for i in range(len(group)):
        if own[i] >= 0:
            p = profile[i]
            counts[i] = in_common(here[group[i]], own[i], start[p], start[p + 1], members, sets)
    return counts


def _words(flags: Flags) -> Words:
    padded = np.zeros((len(flags), (flags.shape[1] + 63) // 64 * 64), np.bool_)
    padded[:, : flags.shape[1]] = flags
    packed: Words = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return packed
