"""People with several rows: how likely a value is in one of somebody's rows at least.

A kind of Knowledge counts rows then. Somebody with three rows in a release is three of a kind: each
row has one value and one record, and no two rows have the same record. Rows of a person may fit
different groups, and be of different kinds. Rows that all releases show are of one kind that is in
all of them; rows that one release shows are of a kind that is in this one alone.

All worlds of rows are equally likely. The belief that somebody has a value is the share of worlds
in which one of their rows has it, or several. It is counted by ruling the value out for their rows.

Limits: those of `exact`, once for each value that is asked about. Beyond them there are bounds:
rows of a kind are alike, so of U rows, X with the value, a person with r rows has none of these
with probability C(U - r, X) / C(U, X), and X is between the bounds of `bounds`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb, perm, prod

import numpy as np

from hedgerow.claims.worlds.bounds import bounds
from hedgerow.claims.worlds.exact import MOST_MOVES, beliefs
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Ints

Between = tuple[Fraction, Fraction]
"""At least and at most; equal where it is exact."""


@dataclass(frozen=True)
class RowsBelief:
    """What is believed of somebody with several rows."""

    having: tuple[Between, ...]
    """Of each sensitive value, how likely one of their rows has it. All are 0 where no world fits,
    so they need not add up to 1: nor do they where somebody may have several values."""
    contradicted: bool
    """Whether no world fits what is known."""
    moves: int = field(default=0, compare=False)
    """How many were counted."""

    @property
    def exact(self) -> bool:
        """Whether it was counted, or bounds meet."""
        return all(least == most for least, most in self.having)


class _NoWorldError(Exception):
    """No world fits what is known."""


def rows_belief(
    knowledge: Knowledge,
    rows: Mapping[int, int],
    *,
    of: Ints | None = None,
    without: Ints | None = None,
    moves: int = MOST_MOVES,
) -> RowsBelief:
    """How likely one of a person's rows has a value, for somebody who lists all rows.

    Args:
        knowledge: What the attacker has; its people are rows.
        rows: Kind -> how many rows of this kind are the person's.
        of: Of each value, the sensitive value in it; each is one by itself where it is left out.
        without: Values that none of the person's rows has; somebody supposes so.
        moves: How many moves are counted in each component, for each value.

    Of five rows two show flu, and Ann has two of the five. Both of hers show something else in
    3 of 10 cases:

    >>> five = Knowledge.of_groups([[[2, 3]]], [[[0]]], people=[5])
    >>> [str(least) for least, _ in rows_belief(five, {0: 2}).having]
    ['7/10', '9/10']
    >>> [str(least) for least, _ in rows_belief(five, {0: 2}, without=np.array([1])).having]
    ['1', '0']
    """
    into = np.arange(knowledge.values) if of is None else of
    ruled = frozenset() if without is None else frozenset(np.unique(without).tolist())
    none, done = [(Fraction(1), Fraction(1))] * (int(into.max(initial=-1)) + 1), 0
    for kinds, alone in knowledge.apart():
        mine = {i: rows[k] for i, k in enumerate(kinds.tolist()) if rows.get(k)}
        if not mine:
            continue
        try:
            counted = _counted(alone, mine, into, ruled, moves)
            found, more = (_bounded(alone, mine, into, ruled), 0) if counted is None else counted
        except _NoWorldError:
            return _nothing(len(none))
        done += more
        none = [(a * c, b * d) for (a, b), (c, d) in zip(none, found, strict=True)]
    having = tuple((1 - most, 1 - least) for least, most in none)
    return RowsBelief(having, contradicted=False, moves=done)


def person_belief(
    shown: Sequence[Shown],
    values: int,
    rows: tuple[int, int],
    *,
    same: bool,
    of: Ints | None = None,
    moves: int = MOST_MOVES,
) -> RowsBelief:
    """The same of one person whom somebody knows, who lists nobody else.

    Args:
        shown: The releases, and where the one kind of people, the person, may be in them. The
            person is in each that has a group that fits.
        values: How many values there are.
        rows: How many rows the person has in each release, at least and at most. If these differ,
            beliefs are between what they are for some number and what they are for another.
        same: Whether all releases show the same rows of the person, or each has its own.
        of: Of each value, the sensitive value in it.
        moves: How many moves are counted for each number and value where values look alike;
            otherwise there is no limit.

    >>> two = Knowledge.of_groups([[[2, 3]], [[1, 9]]], [[[0]], [[0]]], listed=False)
    >>> [str(least) for least, _ in person_belief(two.shown, 2, (2, 2), same=False).having]
    ['19/25', '1']
    >>> [str(least) for least, _ in person_belief(two.shown, 2, (2, 2), same=True).having]
    ['1/5', '1']
    """
    into = np.arange(values) if of is None else of
    shown = [one for one in shown if one.fits.count[0]]
    none = [(Fraction(1), Fraction(1))] * (int(into.max(initial=-1)) + 1)
    for together in [shown] if same else [[one] for one in shown]:
        tried = [*_of_one(together, values, rows, into, moves)]
        if not tried:
            return _nothing(len(none))
        ends = [(min(a for a, _ in each), max(b for _, b in each))
                for each in zip(*tried, strict=True)]  # fmt: skip
        none = [(a * c, b * d) for (a, b), (c, d) in zip(none, ends, strict=True)]
    return RowsBelief(tuple((1 - most, 1 - least) for least, most in none), contradicted=False)


def _of_one(
    shown: Sequence[Shown], values: int, rows: tuple[int, int], into: Ints, moves: int
) -> Iterator[list[Between]]:
    """How likely none of one person's rows has each value, for each number of rows that fits."""
    told_apart = all(len(np.unique(one.looks[one.looks >= 0])) == (one.looks >= 0).sum()
                     for one in shown)  # fmt: skip
    if told_apart:
        yield from _drawn(shown, rows, into)
        return
    for many in range(rows[0], rows[1] + 1):
        alone = tuple(replace(one, sure=np.ones(1, np.bool_), listed=False) for one in shown)
        found = rows_belief(
            Knowledge(np.array([many]), values, alone), {0: many}, of=into, moves=moves
        )
        if not found.contradicted:
            yield [(1 - most, 1 - least) for least, most in found.having]


def _drawn(shown: Sequence[Shown], rows: tuple[int, int], into: Ints) -> Iterator[list[Between]]:
    """The same where each value looks like itself.

    Of N records with a value, m of somebody's rows can have perm(N, m). In several releases they
    have one each. The rows are shared out among the values in every way.
    """
    fewest, most = rows
    records = []
    for one in shown:
        there = one.dense()[one.fits.of(0)].sum(axis=0)
        records.append(np.where(one.looks >= 0, there[np.maximum(one.looks, 0)], 0).tolist())
    nothing = [1, *[0] * most]
    ways = [nothing] * (int(into.max(initial=-1)) + 1)
    for value, counts in zip(into.tolist(), zip(*records, strict=True), strict=True):
        mine = [prod(perm(count, m) for count in counts) for m in range(most + 1)]
        ways[value] = _shared(ways[value], mine)
    before, after = [nothing], [nothing]
    for mine, last in zip(ways, reversed(ways), strict=True):
        before.append(_shared(before[-1], mine))
        after.append(_shared(after[-1], last))
    without = [_shared(a, b) for a, b in zip(before, after[-2::-1], strict=False)]
    for many in range(fewest, most + 1):
        if every := before[-1][many]:
            yield [(Fraction(rest[many], every),) * 2 for rest in without]


def _shared(one: list[int], other: list[int]) -> list[int]:
    """Ways for so many rows, of which some are the one's and the rest the other's."""
    return [
        sum(comb(n, m) * one[m] * other[n - m] for m in range(n + 1) if one[m])
        for n in range(len(one))
    ]


def _nothing(values: int) -> RowsBelief:
    return RowsBelief(((Fraction(0), Fraction(0)),) * values, contradicted=True)


def _counted(
    alone: Knowledge, mine: Mapping[int, int], into: Ints, without: frozenset[int], moves: int
) -> tuple[list[Between], int] | None:
    """How likely none of the person's rows has each value; None where that is too much to count.

    Args:
        alone: A component.
        mine: Kind -> rows of the person.
        into: Of each value, the sensitive value in it.
        without: Values that none of these rows has.
        moves: The most that are counted, for each value.
    """
    kinds = np.append(np.arange(alone.kinds), list(mine))
    people = alone.people[kinds]
    for place, (kind, many) in enumerate(mine.items()):
        people[kind] -= many
        people[alone.kinds + place] = many
    weights = alone.weights or ((Fraction(1),) * alone.values,) * alone.kinds
    parted = replace(
        alone,
        people=people,
        shown=tuple(replace(one, fits=one.fits.take(kinds), sure=one.sure[kinds])
                    for one in alone.shown),
        weights=tuple(weights[k] for k in kinds.tolist()),
    )  # fmt: skip

    def ruling_out(values: frozenset[int]) -> Knowledge:
        assert parted.weights is not None, "they were given"
        left = tuple(
            tuple(Fraction(0) if v in values and k >= alone.kinds else weight
                  for v, weight in enumerate(mine))
            for k, mine in enumerate(parted.weights)
        )  # fmt: skip
        return replace(parted, weights=left)

    every = beliefs(ruling_out(without), moves=moves)
    if every is None:
        return None
    if not every.worlds:
        raise _NoWorldError
    found, done = [], every.moves
    for value in range(int(into.max(initial=-1)) + 1):
        having = frozenset(np.flatnonzero(into == value).tolist())
        rest = beliefs(ruling_out(without | having), moves=moves)
        if rest is None:
            return None
        done += rest.moves
        found.append((rest.worlds / every.worlds,) * 2)
    return found, done


def _bounded(
    alone: Knowledge, mine: Mapping[int, int], into: Ints, without: frozenset[int]
) -> list[Between]:
    """Between what the same is, by how many rows of each kind have each value."""
    if without:  # rows with these values are of others, who knows of whom
        return [(Fraction(0), Fraction(1))] * (int(into.max(initial=-1)) + 1)
    limits, found = bounds(alone), []
    for value in range(int(into.max(initial=-1)) + 1):
        each = []
        for kind, many in mine.items():
            total, among = int(alone.people[kind]), into == value
            least, most = limits.least[kind], limits.most[kind]
            fewest = max(int(least[among].sum()), total - int(most[~among].sum()))
            largest = min(int(most[among].sum()), total - int(least[~among].sum()))
            if fewest > largest:
                raise _NoWorldError
            each.append((_spared(total, largest, many), _spared(total, fewest, many)))
        # Rows of several kinds may have the value together, or each when the others have not.
        at_least = max(Fraction(0), 1 - sum((1 - low for low, _ in each), Fraction(0)))
        found.append((at_least, min(high for _, high in each)))
    return found


def _spared(total: int, having: int, many: int) -> Fraction:
    """How likely none of so many rows has a value that some of all rows have."""
    return Fraction(comb(total - having, many), comb(total, many))
