"""Crowd beliefs: what attackers believe of everybody on a list, given everything they can read.

It is what `hedgerow attack --person` says of one person, for all of them at once: what somebody
believes who knows that person, and what somebody believes who has the whole list and counts.

Limits: MOST_MOVES in a component, MOST_FAILED components that turn out to be too large to count.
People of these, and of components behind them, are between proven bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.gains import BELOW_ONE
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.base.spelling import unrecorded
from hedgerow.claims.worlds.bounds import bounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.location import Located

Flags = NDArray[np.bool_]
ABOVE_ZERO = float(np.nextafter(0.0, 1.0))
"""The belief in what is hardly possible."""
MOST_MOVES = 20_000
"""Moves that are counted in a component: a tenth of a second. Where one person is asked about it
may take longer."""
MOST_FAILED = 40
"""Components that are tried and too large; the others of their size are not tried then."""
MOST_CELLS = 20_000_000
"""Kinds of people by values, or by groups."""


@dataclass(frozen=True, eq=False)
class GivenRecorded:
    """What is believed of people of each kind, supposing that something is recorded of each row."""

    alone: Floats
    """Kinds by values: what somebody believes who knows one person;"""
    low: Floats
    """what somebody believes at least who has the list;"""
    high: Floats
    """and at most."""
    before: Floats
    """What is expected before."""

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> GivenRecorded:
        return cls(np.zeros(shape), np.zeros(shape), np.ones(shape), np.zeros(shape))


@dataclass(frozen=True, eq=False)
class CrowdBelief:
    """What two attackers believe of people of each kind. People of a kind fit the same groups.

    Where people have several rows, it is that one of their rows at least has a value.
    """

    seen: SeenColumn
    kind: Ints
    """Of each person."""
    people: Ints
    """Of each kind."""
    present: Flags
    """Of each kind, whether they fit a group of some release."""
    alone: Floats
    """Kinds by values: what somebody believes who knows one person; 0 where releases contradict
    each other."""
    low: Floats
    """Kinds by values: what somebody believes at least who has the list;"""
    high: Floats
    """and at most."""
    exact: Flags
    """Of each kind, whether that is exact."""
    contradicted: Flags
    """Of each kind, whether nobody who has the list can believe anything: it contradicts the
    releases."""
    asked: Flags
    """Of each kind, whether it was asked about; of others the list says nothing here."""
    expected: Floats | None = None
    """Kinds by values: what is expected before. None: what `seen` says, of everybody."""
    given: GivenRecorded | None = None
    """Where people have several rows, and some values say nothing; else it is computed."""

    @cached_property
    def silent(self) -> Flags:
        """Of each value, whether it says nothing: it is missing, or `?`."""
        return np.array(unrecorded(self.seen.values), np.bool_)

    @cached_property
    def missing(self) -> Flags:
        """Of each value, whether it is that there is none."""
        return np.array([value is None for value in self.seen.values], np.bool_)

    @property
    def sure(self) -> Floats:
        """Kinds by values: what the attacker who believes more in it believes for certain.

        Where the belief with the list is not exact, no more of it counts than is proven. Values
        that say nothing are taken for values, and for not recorded: what is believed more counts.
        """
        return np.maximum(np.maximum(self.alone, self.low), self.of_recorded)

    @cached_property
    def of_recorded(self) -> Floats:
        """The same of those of whom something is recorded; 0 where everybody's is."""
        if not self.silent.any():
            return np.zeros(self.alone.shape)
        if self.given is not None:
            return np.maximum(self.given.alone, self.given.low)
        return np.maximum(*(self._recorded(*one) for one in
                            ((self.alone, self.alone), (self.low, self.high))))  # fmt: skip

    @cached_property
    def most_recorded(self) -> Floats:
        """The belief with the list at most, given that something is recorded."""
        if self.given is not None:
            return np.maximum(self.high, self.given.high)
        rest = 1 - self.high[:, self.silent].sum(axis=1, keepdims=True)
        share = np.where(rest > 0, self.high / np.where(rest > 0, rest, 1.0), self.high > 0)
        return np.minimum(share, 1.0)

    def _recorded(self, belief: Floats, most: Floats) -> Floats:
        """A belief, at least, given that something is recorded.

        Args:
            belief: At least.
            most: At most.
        """
        rest = 1 - belief[:, self.silent].sum(axis=1, keepdims=True)
        share = np.divide(belief, rest, out=np.zeros(belief.shape), where=rest > 0)
        only = ((most > 0) & ~self.silent).sum(axis=1, keepdims=True) == 1
        share = np.where(only & (belief > 0), 1.0, np.minimum(share, BELOW_ONE))
        return np.where(self.silent, 0.0, share)

    @property
    def certain(self) -> Flags:
        """Of each kind, whether somebody knows the value, and it is not missing."""
        return np.asarray(((self.sure >= 1) & ~self.missing).any(axis=1))

    @property
    def bounded(self) -> Flags:
        """Of each kind, whether the belief with the list is only known between bounds."""
        return self.asked & self.present & ~self.exact & ~self.contradicted

    @cached_property
    def usual(self) -> int:
        """The value that is expected most."""
        return max(range(len(self.seen.values)), key=lambda v: (self.seen.before[v], -v))

    @cached_property
    def before(self) -> Floats:
        """Kinds by values: what is expected before anything is known of somebody.

        Without a prior it is how frequent each value is in all releases. Of people with several
        rows it is how likely one of as many rows has it, drawn from all of them.
        """
        if self.expected is not None:
            return self.expected
        each = np.array([float(share) for share in self.seen.before])
        return np.broadcast_to(each, self.alone.shape)

    @cached_property
    def before_recorded(self) -> Floats:
        """The same among those of whom something is recorded."""
        if self.given is not None:
            return self.given.before
        before = np.where(self.silent, 0.0, self.before)
        total = np.maximum(before.sum(axis=1, keepdims=True), ABOVE_ZERO)
        share: Floats = before / total
        return share


def crowd_belief(
    seen: SeenColumn, places: Sequence[Located], *, only: Ints | None = None
) -> CrowdBelief:
    """What is believed of everybody.

    Args:
        seen: What the releases show.
        places: In each, the groups each person on the list may be in.
        only: People who are asked about; everybody if left out. Others count as listed.
    """
    kind, first = kinds_of(places)
    many = np.bincount(kind, minlength=len(first)).astype(np.int64)
    where = [one.take(first) for one in places]
    wanted = np.ones(len(first), np.bool_)
    if only is not None:
        wanted[:] = False
        wanted[kind[only]] = True
    present = np.any([one.count > 0 for one in where], axis=0)
    alone = _alone(seen, where)
    low, high = np.zeros(alone.shape), np.ones(alone.shape)
    found = CrowdBelief(
        seen, kind, many, np.asarray(present), alone, low, high,
        np.zeros(len(first), np.bool_), np.zeros(len(first), np.bool_), wanted,
    )  # fmt: skip
    if len(first) * len(seen.code) > MOST_CELLS:
        return found
    shown, unsure, here = [], False, np.flatnonzero(present)
    for h, look, one, place in zip(seen.histograms, seen.looks, where, places, strict=True):
        fitting, records = int((place.count > 0).sum()), int(h.counts.sum())
        there = (one.count > 0) & (fitting <= records)
        unsure |= fitting > records
        shown.append(Shown(h, look, one.take(here), there[here], listed=fitting >= records))
    whole = Knowledge(many[here], len(seen.code), tuple(shown))
    weighed = whole if seen.prior is None else seen.prior.weighed(whole)
    # What is not weighed has bounds, which hold whatever is expected.
    count = _Counted(found, unsure, MOST_FAILED if weighed is None else 0)
    apart = (whole if weighed is None else weighed).apart()
    parts = [(here[kinds], part) for kinds, part in apart if wanted[here[kinds]].any()]
    parts.sort(key=lambda part: int(part[1].people.sum()))
    for kinds, part in parts:
        count.add(kinds, part)
    return found


@dataclass
class _Counted:
    """Fills in the beliefs with the list, component by component, smaller ones first."""

    into: CrowdBelief
    unsure: bool
    """Whether some release has fewer records than people who fit."""
    failed: int = 0

    def add(self, kinds: Ints, part: Knowledge) -> None:
        if part.kinds == 1 and sum(int(one.fits.count[0] > 0) for one in part.shown) <= 1:
            self._alike(int(kinds[0]), part)
            return
        if self.unsure:
            self._one_by_one(kinds, part)
            return
        exact = None if self.failed >= MOST_FAILED else beliefs(part, moves=MOST_MOVES)
        if exact is None:
            self.failed += 1
            self._bounded(kinds, part)
        elif not exact.worlds:
            self._contradicted(kinds)
        else:
            for k, shares in zip(kinds.tolist(), exact.shares, strict=True):
                self._exact(k, shares)

    def _exact(self, k: int, shares: Sequence[Fraction]) -> None:
        values = [fraction_float(share) for share in self.into.seen.together(shares)]
        self.into.low[k] = self.into.high[k] = values
        self.into.exact[k] = True

    def _alike(self, k: int, part: Knowledge) -> None:
        """Nobody else fits their groups, of one release: each record is as likely to be one's."""
        people = int(part.people[0])
        if not self.into.present[k]:
            return
        for one in part.shown:
            if not one.fits.count[0]:
                continue
            records = int(one.dense()[one.fits.of(0)].sum())
            many, few = people > records, people < records
            if (many and one.sure[0]) or (few and one.listed):
                self._contradicted(np.array([k]))
                return
        self.into.low[k] = self.into.high[k] = self.into.alone[k]
        self.into.exact[k] = True

    def _one_by_one(self, kinds: Ints, part: Knowledge) -> None:
        """Of each kind one is in the releases for certain, and of others nobody knows it."""
        for i, k in enumerate(kinds.tolist()):
            if not self.into.asked[k]:
                continue
            exact = None
            if self.failed < MOST_FAILED:
                alike, target = _with_target(part, i)
                exact = beliefs(alike, moves=MOST_MOVES)
            if exact is None:
                self.failed += 1
                self._possible(k)
            elif not exact.worlds:
                self._contradicted(np.array([k]))
            else:
                self._exact(k, exact.shares[target])

    def _possible(self, k: int) -> None:
        """Only what no group shows is ruled out."""
        left = self.into.alone[k] > 0
        self.into.high[k] = left
        self.into.low[k] = left if left.sum() == 1 else 0.0

    def _contradicted(self, kinds: Ints) -> None:
        self.into.low[kinds] = self.into.high[kinds] = 0.0
        self.into.contradicted[kinds] = True

    def _bounded(self, kinds: Ints, part: Knowledge) -> None:
        limits = bounds(part)
        if limits.contradicted:
            self._contradicted(kinds)
            return
        people = part.people[:, None]
        least, most = (_together(self.into.seen, one) for one in (limits.least, limits.most))
        most = np.minimum(most, people)
        # What others have at least is not left, and what they have at most leaves the rest.
        least = np.maximum(least, people - (most.sum(axis=1, keepdims=True) - most))
        most = np.minimum(most, people - (least.sum(axis=1, keepdims=True) - least))
        self.into.low[kinds] = _shares(least, people)
        self.into.high[kinds] = _shares(most, people)
        self.into.exact[kinds] = (least == most).all(axis=1)


def _with_target(part: Knowledge, i: int) -> tuple[Knowledge, int]:
    """One person of a kind, as a kind of their own, in every release they fit; and which it is."""
    kinds, many = np.arange(part.kinds), part.people.copy()
    target = i
    if many[i] > 1:
        many[i] -= 1
        kinds, many, target = np.append(kinds, i), np.append(many, 1), part.kinds
    shown = []
    for one in part.shown:
        sure, fits = one.sure[kinds].copy(), one.fits.take(kinds)
        sure[target] = bool(fits.count[target])
        shown.append(Shown(one.histogram, one.looks, fits, sure, one.listed))
    weights = None if part.weights is None else tuple(part.weights[k] for k in kinds.tolist())
    return replace(part, people=many, shown=tuple(shown), weights=weights), target


def kinds_of(places: Sequence[Located]) -> tuple[Ints, Ints]:
    """The kind of each person, and the first person of each kind."""
    numbers = []
    for where in places:
        single = where.count <= 1
        code = np.full(len(where.count), -1, np.int64)
        inside = single & (where.count == 1)
        code[inside] = where.groups[where.start[:-1][inside]]
        place: dict[bytes, int] = {}
        begin = int(code.max(initial=-1)) + 1
        for t in np.flatnonzero(~single).tolist():
            key = np.sort(where.of(t)).tobytes()
            code[t] = begin + place.setdefault(key, len(place))
        numbers.append(code)
    _, first, kind = np.unique(
        np.column_stack(numbers), axis=0, return_index=True, return_inverse=True
    )
    return kind.reshape(-1).astype(np.int64), first.astype(np.int64)


def _alone(seen: SeenColumn, where: Sequence[Located]) -> Floats:
    """Kinds by values: in proportion to the product of how many records that fit show it.

    With a prior it is divided by this as often as it is in the product too often.
    """
    kinds = len(where[0].count)
    prior = None
    if seen.prior is not None:
        prior = np.array(
            [_scaled(seen.prior.factor(many)) for many in range(len(where) + 1)], np.float64
        )
    found = np.zeros((kinds, len(seen.values)))
    step = max(1, MOST_CELLS // max(1, 4 * len(seen.code)))
    for begin in range(0, kinds, step):
        part = np.arange(begin, min(kinds, begin + step))
        weight = np.ones((len(part), len(seen.code)))
        for h, look, one in zip(seen.histograms, seen.looks, where, strict=True):
            fits = one.take(part)
            owner = np.repeat(np.arange(len(part)), fits.count)
            mine = h.take(fits.groups)
            records = np.zeros((len(part), int(look.max(initial=-1)) + 1))
            np.add.at(records, (owner[mine.owner()], mine.codes), mine.counts)
            inside = fits.count > 0
            total = records.sum(axis=1, keepdims=True)
            np.divide(records, total, out=records, where=total > 0)
            share = np.where(look >= 0, records[:, np.maximum(look, 0)], 0.0)
            weight[inside] *= share[inside]
        if prior is not None:
            weight *= prior[np.sum([one.take(part).count > 0 for one in where], axis=0)]
        nowhere = ~np.any([one.take(part).count > 0 for one in where], axis=0)
        weight[nowhere] = 0.0
        values = np.zeros((len(part), len(seen.values)))
        np.add.at(values.T, seen.code, weight.T)
        total = values.sum(axis=1, keepdims=True)
        values = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
        several = ((values > 0).sum(axis=1) > 1)[:, None]
        found[part] = np.where(values > 0, np.where(several, np.minimum(values, BELOW_ONE), 1.0), 0)
    return found


def _scaled(factor: Sequence[Fraction]) -> list[float]:
    """The same proportions, the largest 1. No float is too large or too small then."""
    most = max(factor, default=Fraction(1))
    return [fraction_float(one / most) for one in factor]


def _together(seen: SeenColumn, count: Ints) -> Ints:
    """From everything people may have to the values of the column."""
    found = np.zeros((len(count), len(seen.values)), np.int64)
    np.add.at(found.T, seen.code, count.T)
    return found


def fraction_float(share: Fraction) -> float:
    """As a number: 1 and 0 are certain, so rounding must not make them of something else."""
    if share in (0, 1):
        return float(share)
    return min(max(float(share), ABOVE_ZERO), BELOW_ONE)


def _shares(count: Ints, people: Ints) -> Floats:
    """Shares; 1 only where it is everybody."""
    shares = np.where(count >= people, 1.0, np.minimum(count / people, BELOW_ONE))
    return np.maximum(shares, 0.0)
