"""Crowd beliefs where people have several rows: how likely one row at least has each value.

It is what `hedgerow attack --person` says of one of them, for all of them at once. A person's rows
are in one component or in several, which say nothing about each other: a person has none of a value
if none of their rows has it in any of them.

Limits: MOST_MOVES for one person's rows in a component, MOST_WORK for everybody. Of people beyond
them beliefs are between proven bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.crowd_belief import (
    ABOVE_ZERO,
    MOST_CELLS,
    MOST_FAILED,
    MOST_MOVES,
    CrowdBelief,
    GivenRecorded,
    fraction_float,
    kinds_of,
)
from hedgerow.attacks.gains import BELOW_ONE
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.attacks.row_owners import RowOwners
from hedgerow.base.spelling import unrecorded
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.claims.worlds.several_rows import RowsBelief, person_belief, rows_belief
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.location import Located

Flags = NDArray[np.bool_]
Own = tuple[tuple[int, int], ...]
"""Kinds of rows, and how many rows of each are a person's."""
MOST_WORK = 3_000_000
"""Moves that are counted for everybody: about 20 s."""
SET_UP = 100
"""What it takes to begin a count, in moves."""


@dataclass(frozen=True, eq=False)
class Spared:
    """How likely none of some rows has each value, at least and at most."""

    low: Floats
    high: Floats
    contradicted: bool = False

    @classmethod
    def nothing(cls, values: int) -> Spared:
        """No rows have no value."""
        return cls(np.ones(values), np.ones(values))

    @classmethod
    def of(cls, found: RowsBelief) -> Spared:
        low, high = ([fraction_float(1 - one[end]) for one in found.having] for end in (1, 0))
        return cls(np.array(low), np.array(high), found.contradicted)

    def __mul__(self, other: Spared) -> Spared:
        ends = ((self.low, other.low), (self.high, other.high))
        low, high = (np.where((a > 0) & (b > 0), np.maximum(a * b, ABOVE_ZERO), 0.0)
                     for a, b in ends)  # fmt: skip
        return Spared(low, high, self.contradicted or other.contradicted)

    @property
    def exact(self) -> bool:
        return bool((self.low == self.high).all())

    @property
    def having(self) -> tuple[Floats, Floats]:
        """How likely one of the rows has each value, at least and at most."""
        return _rest(self.high), _rest(self.low)


def _rest(share: Floats) -> Floats:
    """1 less a share; 1 and 0 are certain, and rounding makes nothing certain."""
    inside = np.clip(1 - share, ABOVE_ZERO, BELOW_ONE)
    return np.where(share <= 0, 1.0, np.where(share >= 1, 0.0, inside))


def crowd_of_rows(
    seen: SeenColumn, places: Sequence[Located], owners: RowOwners, *, only: Ints | None = None
) -> CrowdBelief:
    """What is believed of everybody on a list of rows.

    Args:
        seen: What the releases show.
        places: In each, the groups each row of the list may be in.
        owners: Whose each row is.
        only: People who are asked about; everybody if left out. Others count as listed.
    """
    kind_of_row, first = kinds_of(places)
    where = [one.take(first) for one in places]
    many = np.bincount(kind_of_row, minlength=len(first)).astype(np.int64)
    there = np.any([one.count > 0 for one in where], axis=0)
    every = _own(kind_of_row, there, owners)
    place: dict[Own, int] = {}
    kind = np.array([place.setdefault(own, len(place)) for own in every], np.int64)
    people = np.bincount(kind, minlength=len(place)).astype(np.int64)
    asked = np.ones(len(place), np.bool_)
    if only is not None:
        asked[:] = False
        asked[kind[only]] = True
    shape = len(place), len(seen.values)
    silent = np.array(unrecorded(seen.values), np.bool_)
    alone, low, high = np.zeros(shape), np.zeros(shape), np.ones(shape)
    given = GivenRecorded.empty(shape) if silent.any() else None
    exact, contradicted = (np.zeros(len(place), np.bool_) for _ in range(2))
    present = np.array([bool(own) for own in place], np.bool_)
    before = np.zeros(shape)
    found = CrowdBelief(
        seen, kind, people, present, alone, low, high, exact, contradicted, asked, before, given
    )
    drawn = {0: np.zeros(shape[1])}
    for k, own in enumerate(place):
        rows = sum(n for _, n in own)
        if rows not in drawn:
            drawn[rows] = np.array([drawn_before(share, seen, rows) for share in seen.before])
        before[k] = drawn[rows]
        if given is not None:
            given.before[k] = _drawn_recorded(seen, silent, rows)
    if len(place) * len(seen.code) > MOST_CELLS:
        return found
    shown = tuple(
        Shown(h, look, at, at.count > 0, listed=int((one.count > 0).sum()) >= int(h.counts.sum()))
        for h, look, at, one in zip(seen.histograms, seen.looks, where, places, strict=True)
    )
    one_person = _OneKnown(seen, shown, silent)
    everybody = _Everybody(seen, Knowledge(many, len(seen.code), shown), there, silent)
    only_one = _only_recorded(one_person, there, silent) if given is not None else None
    order = sorted(place.items(), key=lambda item: everybody.size(item[0]))
    for own, k in order:
        if not (asked[k] and own):
            continue
        mine = one_person.spared(own)
        alone[k] = 0.0 if mine.contradicted else mine.having[0]
        listed = everybody.spared(own)
        low[k], high[k] = (0.0, 0.0) if listed.contradicted else listed.having
        contradicted[k] = listed.contradicted
        exact[k] = listed.exact and not listed.contradicted
        if given is not None:
            given.alone[k] = one_person.spared(own, recorded=True).having[0]
            if not listed.contradicted:
                ends = everybody.spared(own, recorded=True)
                given.low[k], given.high[k] = (0, 0) if ends.contradicted else ends.having
            assert only_one is not None, "something is not recorded"
            for row, _ in own:
                given.alone[k, only_one[row] > 0] = 1.0
            for table in (given.alone, given.low, given.high):
                table[k, silent] = 0.0
    return found


def _own(kind: Ints, there: Flags, owners: RowOwners) -> list[Own]:
    """Of each person, how many rows of each kind are in a release."""
    rows = np.flatnonzero(there[kind])
    key = owners.person[rows] * (int(kind.max(initial=0)) + 1) + kind[rows]
    pairs, counts = np.unique(key, return_counts=True)
    found: list[list[tuple[int, int]]] = [[] for _ in range(len(owners))]
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        person, k = divmod(pair, int(kind.max(initial=0)) + 1)
        found[person].append((k, count))
    return [tuple(one) for one in found]


def drawn_before(share: Fraction, seen: SeenColumn, rows: int) -> float:
    """How likely one of so many rows has a value, drawn from all there are.

    Args:
        share: Of all records, those that have it.
        seen: What the releases show.
        rows: So many.
    """
    total = sum(int(h.counts.sum()) for h in seen.histograms)
    having = int(share * total)
    return float(1 - Fraction(comb(total - having, rows), comb(total, rows)))


def _drawn_recorded(seen: SeenColumn, silent: Flags, rows: int) -> Floats:
    """The same, drawn from those of which something is recorded."""
    total = sum(int(h.counts.sum()) for h in seen.histograms)
    having = [int(share * total) for share in seen.before]
    said = sum(n for n, nothing in zip(having, silent.tolist(), strict=True) if not nothing)
    ways = comb(said, rows)
    return np.array([
        0.0 if nothing or not ways else float(1 - Fraction(comb(said - n, rows), ways))
        for n, nothing in zip(having, silent.tolist(), strict=True)
    ])  # fmt: skip


def _only_recorded(known: _OneKnown, there: Flags, silent: Flags) -> Mapping[int, Flags]:
    """Of each kind of rows the value, if it is the only one of those that say something."""
    found = {}
    for k in np.flatnonzero(there).tolist():
        possible = (known.spared(((k, 1),)).low < 1) & ~silent
        found[k] = possible & (possible.sum() == 1)
    return found


class _OneKnown:
    """What somebody believes who knows the rows of one person, and no others."""

    def __init__(self, seen: SeenColumn, shown: Sequence[Shown], silent: Flags) -> None:
        self._seen, self._shown = seen, shown
        self._silent = np.flatnonzero(silent[seen.code])
        self._known: dict[tuple[Own, bool], Spared] = {}
        self._groups = [
            {(r, g) for r, one in enumerate(shown) for g in one.fits.of(k).tolist()}
            for k in range(len(shown[0].fits.count))
        ]

    def spared(self, own: Own, *, recorded: bool = False) -> Spared:
        """How likely none of these rows has each value.

        Args:
            own: The rows.
            recorded: Whether somebody supposes that something is recorded of each.
        """
        found = Spared.nothing(len(self._seen.values))
        for together in self._parts(own):
            if (together, recorded) not in self._known:
                self._known[together, recorded] = self._counted(together, recorded)
            found *= self._known[together, recorded]
        return found

    def _parts(self, own: Own) -> Iterator[Own]:
        """Rows that share groups, directly or through others."""
        left = [*own]
        while left:
            part, groups = [left.pop(0)], set[tuple[int, int]]()
            groups |= self._groups[part[0][0]]
            while near := [one for one in left if self._groups[one[0]] & groups]:
                for one in near:
                    left.remove(one)
                    part.append(one)
                    groups |= self._groups[one[0]]
            yield tuple(sorted(part))

    def _counted(self, own: Own, recorded: bool) -> Spared:
        without = self._silent if recorded else None
        return Spared.of(known_alone(self._seen, self._shown, dict(own), without=without))


def known_alone(
    seen: SeenColumn,
    shown: Sequence[Shown],
    own: Mapping[int, int],
    *,
    without: Ints | None = None,
) -> RowsBelief:
    """What somebody believes who knows these rows of a person, and no others.

    Args:
        seen: What the releases show.
        shown: The releases, and where each kind of rows may be in them.
        own: Kind -> how many rows of it are the person's.
        without: Values that none of these rows has; somebody supposes so.
    """
    kinds = np.array([*own], np.int64)
    mine = tuple(
        Shown(one.histogram, one.looks, fits, fits.count > 0, listed=False)
        for one, fits in ((one, one.fits.take(kinds)) for one in shown)
    )
    if len(kinds) == 1 and without is None:
        many = own[int(kinds[0])]
        return person_belief(mine, len(seen.code), (many, many), same=True, of=seen.code)
    counts = np.array([*own.values()], np.int64)
    alone = Knowledge(counts, len(seen.code), mine)
    rows = dict(enumerate(counts.tolist()))
    return rows_belief(alone, rows, of=seen.code, without=without, moves=MOST_MOVES)


class _Everybody:
    """What somebody believes who has all rows of the list, component by component."""

    def __init__(self, seen: SeenColumn, knowledge: Knowledge, there: Flags, silent: Flags) -> None:
        self._seen = seen
        self._silent = np.flatnonzero(silent[seen.code])
        self._known: dict[tuple[int, Own, bool], Spared] = {}
        here = np.flatnonzero(there)
        self._place: dict[int, tuple[int, int]] = {}
        self._parts: list[Knowledge] = []
        for kinds, part in knowledge.take(here).apart():
            for i, k in enumerate(here[kinds].tolist()):
                self._place[k] = len(self._parts), i
            self._parts.append(part)
        self._work, self._failed = MOST_WORK, MOST_FAILED

    def size(self, own: Own) -> int:
        """How many rows are in the largest component of these."""
        return max((int(self._parts[self._place[k][0]].people.sum()) for k, _ in own), default=0)

    def spared(self, own: Own, *, recorded: bool = False) -> Spared:
        """How likely none of these rows has each value; arguments as of one who is known."""
        inside: dict[int, list[tuple[int, int]]] = {}
        for k, rows in own:
            part, place = self._place[k]
            inside.setdefault(part, []).append((place, rows))
        found = Spared.nothing(len(self._seen.values))
        for part, mine in inside.items():
            key = part, tuple(mine), recorded
            if key not in self._known:
                self._known[key] = self._counted(*key)
            found *= self._known[key]
        return found

    def _counted(self, number: int, own: Own, recorded: bool) -> Spared:
        part, of = self._parts[number], self._seen.code
        without = self._silent if recorded else None
        if (found := self._alike(part, own, without)) is not None:
            return found
        moves = MOST_MOVES if self._work > 0 and self._failed > 0 else 0
        believed = rows_belief(part, dict(own), of=of, without=without, moves=moves)
        self._work -= believed.moves + SET_UP * (len(self._seen.values) + 1)
        self._failed -= not (believed.exact or believed.contradicted)
        return Spared.of(believed)

    def _alike(self, part: Knowledge, own: Own, without: Ints | None) -> Spared | None:
        """Where no other rows fit their groups, of one release: each record is as likely theirs."""
        shown = [one for one in part.shown if one.fits.count[0]]
        if part.kinds > 1 or len(shown) != 1:
            return None
        (one,), values = shown, len(self._seen.values)
        if len(np.unique(one.looks[one.looks >= 0])) < int((one.looks >= 0).sum()):
            return None
        records = one.dense()[one.fits.of(0)].sum(axis=0)
        rows, total = int(part.people[0]), int(records.sum())
        if total < int(one.histogram.counts.sum()):
            return None  # records that must be somebody's fit nobody
        if rows > total or (rows < total and one.listed):
            return Spared(np.zeros(values), np.zeros(values), contradicted=True)
        each = np.where(one.looks >= 0, records[np.maximum(one.looks, 0)], 0)
        if without is not None:
            each[without] = 0
        having = np.zeros(values, np.int64)
        np.add.at(having, self._seen.code, each)
        mine, all_ = own[0][1], int(each.sum())
        ways = comb(all_, mine)
        if not ways:  # something must be missing of them
            return Spared(np.zeros(values), np.zeros(values), contradicted=True)
        share = np.array([
            fraction_float(Fraction(comb(all_ - n, mine), ways)) for n in having.tolist()
        ])  # fmt: skip
        return Spared(share, share)
