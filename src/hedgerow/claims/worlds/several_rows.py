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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

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
    moves: int = MOST_MOVES,
) -> RowsBelief:
    """How likely one of a person's rows has a value, for somebody who lists all rows.

    Args:
        knowledge: What the attacker has; its people are rows.
        rows: Kind -> how many rows of this kind are the person's.
        of: Of each value, the sensitive value in it; each is one by itself where it is left out.
        moves: How many moves are counted in each component, for each value.

    Of five rows two show flu, and Ann has two of the five. Both of hers show something else in
    3 of 10 cases:

    >>> five = Knowledge.of_groups([[[2, 3]]], [[[0]]], people=[5])
    >>> [str(least) for least, _ in rows_belief(five, {0: 2}).having]
    ['7/10', '9/10']
    """
    into = np.arange(knowledge.values) if of is None else of
    none = [(Fraction(1), Fraction(1))] * (int(into.max(initial=-1)) + 1)
    for kinds, alone in knowledge.apart():
        mine = {i: rows[k] for i, k in enumerate(kinds.tolist()) if rows.get(k)}
        if not mine:
            continue
        try:
            found = _counted(alone, mine, into, moves) or _bounded(alone, mine, into)
        except _NoWorldError:
            return RowsBelief(((Fraction(0), Fraction(0)),) * len(none), contradicted=True)
        none = [(a * c, b * d) for (a, b), (c, d) in zip(none, found, strict=True)]
    return RowsBelief(tuple((1 - most, 1 - least) for least, most in none), contradicted=False)


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
        moves: How many moves are counted for each number and value.

    >>> two = Knowledge.of_groups([[[2, 3]], [[1, 9]]], [[[0]], [[0]]], listed=False)
    >>> [str(least) for least, _ in person_belief(two.shown, 2, (2, 2), same=False).having]
    ['19/25', '1']
    >>> [str(least) for least, _ in person_belief(two.shown, 2, (2, 2), same=True).having]
    ['1/5', '1']
    """
    fewest, most = rows
    shown = [one for one in shown if one.fits.count[0]]
    if same:
        tried = [
            rows_belief(_of_one(shown, values, many), {0: many}, of=of, moves=moves)
            for many in range(fewest, most + 1)
        ]
    else:
        # With one row more, none of the rows has a value in fewer cases. So the ends are enough.
        fitting = [int(sum(many for g in one.fits.groups.tolist() for _, many in one.records(g)))
                   for one in shown]  # fmt: skip
        tried = [
            rows_belief(_each_alone(shown, values, many), many, of=of, moves=moves)
            for many in (
                dict.fromkeys(range(len(shown)), fewest),
                {r: max(fewest, min(most, there)) for r, there in enumerate(fitting)},
            )
        ]
    fit = [one.having for one in tried if not one.contradicted]
    if not fit:
        return tried[0]
    return RowsBelief(
        tuple(
            (min(least for least, _ in each), max(most for _, most in each))
            for each in zip(*fit, strict=True)
        ),
        contradicted=False,
    )


def _of_one(shown: Sequence[Shown], values: int, many: int) -> Knowledge:
    """So many rows of one kind, in all releases."""
    sure = np.ones(1, np.bool_)
    return Knowledge(
        np.array([many], np.int64),
        values,
        tuple(replace(one, sure=sure, listed=False) for one in shown),
    )


def _each_alone(shown: Sequence[Shown], values: int, many: Mapping[int, int]) -> Knowledge:
    """Rows of one kind for each release, which are in no other."""
    releases = np.arange(len(shown))
    return Knowledge(
        np.array([many[r] for r in releases.tolist()], np.int64),
        values,
        tuple(
            replace(one, fits=one.fits.take(np.where(releases == r, 0, -1)),
                    sure=releases == r, listed=False)
            for r, one in enumerate(shown)
        ),
    )  # fmt: skip


def _counted(
    alone: Knowledge, mine: Mapping[int, int], into: Ints, moves: int
) -> list[Between] | None:
    """How likely none of the person's rows has each value; None where that is too much to count."""
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
    every = beliefs(parted, moves=moves)
    if every is None:
        return None
    if not every.worlds:
        raise _NoWorldError
    found = []
    for value in range(int(into.max(initial=-1)) + 1):
        assert parted.weights is not None, "they were given"
        ruled_out = tuple(
            tuple(Fraction(0) if into[v] == value and k >= alone.kinds else weight
                  for v, weight in enumerate(weights))
            for k, weights in enumerate(parted.weights)
        )  # fmt: skip
        without = beliefs(replace(parted, weights=ruled_out), moves=moves)
        if without is None:
            return None
        found.append((without.worlds / every.worlds,) * 2)
    return found


def _bounded(alone: Knowledge, mine: Mapping[int, int], into: Ints) -> list[Between]:
    """Between what the same is, by how many rows of each kind have each value."""
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
