"""Tighter bounds by linear programming, for the kinds of people who are asked about.

A small component is one polytope. Of a large one each kind has a polytope of its own, of the kinds
who are nearest: those who share a group with it, those who share one with these, and so on. Kinds
further off have what their bounds say.

Limits: MOST_VARIABLES variables in a component that is one polytope, MOST_NEAR in the nearest of a
kind, MOST_PROGRAMS programs, or fewer where these are large (MOST_WORK). With 1,000 variables a
program takes 10 ms, with 10,000 about a second. Beyond the limits bounds stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import inf

import numpy as np

from hedgerow.claims.worlds.bounds import CountBounds, narrowed
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.claims.worlds.polytope import Polytope, RecordTotals
from hedgerow.table.groups import Floats, Ints

MOST_VARIABLES = 10_000
"""Variables of a polytope: kinds by values, and records of people who may be in several groups."""
MOST_NEAR = 2_000
"""Variables of the polytope of one kind, where there are more in the component."""
MOST_PROGRAMS = 1_000
"""Programs that are solved in one call, at most."""
MOST_WORK = 500_000_000
"""Squares of the variables, of all programs of one call together: about ten seconds."""
NEAR = 1e-6
"""Numbers of the solver that are so near count as equal; they only say what is worth a try."""


def tightened(
    knowledge: Knowledge,
    found: CountBounds,
    kinds: Sequence[int],
    *,
    above: Fraction | None = None,
) -> CountBounds:
    """Tighter bounds for some kinds; of the others, as tight or tighter.

    Args:
        knowledge: What the attacker has: one component.
        found: Its bounds so far.
        kinds: For whom programs are solved.
        above: Only the most is asked for, and only where the belief may be above this.

    Two rows show flu, each in a group of its own, and two show gout. Bob fits the second flu and
    the gouts, and nobody else fits the second flu. So it is Bob's:

    >>> from hedgerow.claims.worlds.bounds import bounds
    >>> flus = Knowledge.of_groups(
    ...     [[[1, 0], [1, 0], [0, 2]]], [[[2], [1, 2], [0, 2]]], people=[1, 1, 2])
    >>> bounds(flus).most.tolist()[1], tightened(flus, bounds(flus), [1]).most.tolist()[1]
    ([1, 1], [1, 0])
    """
    now = CountBounds(found.least.copy(), found.most.copy(), found.people)
    totals = [RecordTotals.of(one, found) for one in knowledge.shown]
    programs, work = MOST_PROGRAMS, MOST_WORK
    for near, asked in _neighbourhoods(knowledge, found, kinds):
        if now.contradicted or not programs or work <= 0:
            break
        polytope = Polytope.of(knowledge, now, totals, near)
        size = len(polytope.upper) ** 2
        # To write it down takes about as long as a program.
        programs, work = programs - 1, work - size
        wanted = [*_asked(now, asked, above)]
        solved = _solved(polytope, now, near, wanted, min(programs, max(0, work // size)))
        programs, work = programs - solved, work - solved * size
    return now if now.contradicted else narrowed(knowledge, now)


def _solved(
    polytope: Polytope,
    now: CountBounds,
    near: Ints,
    asked: Sequence[tuple[int, int, int]],
    programs: int,
) -> int:
    """Make bounds tighter in place; how many programs it took."""
    place = {kind: i for i, kind in enumerate(near.tolist())}
    reached = _Reached(np.full(polytope.cell.shape, inf), np.full(polytope.cell.shape, -inf))
    done = 0
    for kind, value, sign in asked:
        i, least, most = place[kind], int(now.least[kind, value]), int(now.most[kind, value])
        if done == programs or least > most:
            break
        if least == most or reached.idle(i, value, sign, most if sign > 0 else least):
            continue
        done += 1
        solution = polytope.solved(i, value, sign)
        if solution is None:
            continue
        at, multipliers = solution
        reached.note(at[polytope.cell])
        proven = polytope.proven(i, value, sign, multipliers)
        if proven is None:
            continue
        if sign > 0:
            now.most[kind, value] = min(most, proven)
        else:
            now.least[kind, value] = max(least, -proven)
        if now.least[kind, value] > now.most[kind, value]:
            break
        polytope.fit(i, value, int(now.least[kind, value]), int(now.most[kind, value]))
    return done


def _neighbourhoods(
    knowledge: Knowledge, found: CountBounds, kinds: Sequence[int]
) -> Iterator[tuple[Ints, list[int]]]:
    """Kinds of one polytope each, and which of them are asked about in it."""
    asked = list(dict.fromkeys(kinds))
    size = (found.most > 0).sum(axis=1)
    for one in knowledge.shown:
        count = one.fits.count
        size = size + (found.most > 0).sum(axis=1) * np.where(one.sure & (count == 1), 0, count)
    if size.sum() <= MOST_VARIABLES:
        if asked:
            yield np.arange(knowledge.kinds), asked
        return
    inside = []
    for one in knowledge.shown:
        owner = np.repeat(np.arange(knowledge.kinds), one.fits.count)
        order = np.argsort(one.fits.groups, kind="stable")
        start = np.searchsorted(
            one.fits.groups[order], np.arange(len(one.histogram.indptr), dtype=np.int64)
        )
        inside.append((owner[order], start))
    for kind in asked:
        near = _nearest(knowledge, inside, size, kind)
        if len(near):
            yield near, [kind]


def _nearest(
    knowledge: Knowledge, inside: Sequence[tuple[Ints, Ints]], size: Ints, kind: int
) -> Ints:
    """The kinds nearest to one, small groups first, as long as their polytope is small enough.

    Args:
        knowledge: What the attacker has.
        inside: Of each release, the kinds group by group, and where each group begins.
        size: How many variables each kind has.
        kind: The one.
    """
    near, left = list[int](), MOST_NEAR
    chosen = set[int]()
    queue = list[tuple[int, int, int, int]]()
    arrived = set[tuple[int, int]]()
    candidates, distance = [kind], 0
    while True:
        for one in candidates:
            if one in chosen:
                continue
            left -= int(size[one])
            if left < 0:
                return np.array(near, np.int64)
            near.append(one)
            chosen.add(one)
            for r, (_, start) in enumerate(inside):
                for g in knowledge.shown[r].fits.of(one).tolist():
                    if (r, g) not in arrived:
                        arrived.add((r, g))
                        heappush(queue, (distance, int(start[g + 1] - start[g]), r, g))
        if not queue:
            return np.array(near, np.int64)
        distance, _, r, g = heappop(queue)
        distance += 1
        members, start = inside[r]
        candidates = members[start[g] : start[g + 1]].tolist()


def _asked(
    found: CountBounds, kinds: Sequence[int], above: Fraction | None
) -> Iterator[tuple[int, int, int]]:
    """Kind, value, and 1 for the most or -1 for the least; what is furthest off comes first."""
    for kind in dict.fromkeys(kinds):
        most, people = found.most[kind], int(found.people[kind])
        for value in np.argsort(-most, kind="stable").tolist():
            if above is None or most[value] > above * people:
                yield kind, value, 1
        if above is None:
            for value in np.argsort(-found.least[kind], kind="stable").tolist():
                yield kind, value, -1


@dataclass
class _Reached:
    """What solutions reached: where a bound was reached no program makes it tighter."""

    low: Floats
    high: Floats

    def note(self, at: Floats) -> None:
        np.minimum(self.low, at, out=self.low)
        np.maximum(self.high, at, out=self.high)

    def idle(self, kind: int, value: int, sign: int, bound: int) -> bool:
        if sign > 0:
            return bool(bound <= np.floor(self.high[kind, value] + NEAR))
        return bool(bound >= np.ceil(self.low[kind, value] - NEAR))
