"""Exact beliefs: all worlds are counted, one kind of people after another.

What is counted so far is kept by how many records are left in each group that is begun and not
finished. There are few such states where components are small, and where not this gives up.

With an urn a state also has how many people have each value so far. These are many states: about 40
people can be counted who have one of two values, and 18 with three. In components where these
counts are the same in all worlds an urn changes nothing (see `Knowledge.apart`), so the limits are
those without one.

Limits: MOST_MOVES in a component, fewer where there are many more than FEW_PEOPLE. Of 60 random
components of 12 to 600 people none took more than 0.3 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from math import comb, lcm, perm, prod

import numpy as np

from hedgerow.claims.worlds.knowledge import Knowledge

MOST_MOVES = 100_000
"""Moves from a state to the next that are counted before giving up: about half a second."""
FEW_PEOPLE = 256
"""In components with many more people than this fewer moves are counted: 100 times fewer of
5,000 people."""

Place = tuple[int, int, int]
"""Release, group and look of records."""


@dataclass(frozen=True)
class Beliefs:
    """For each kind of people, how likely each value is; and how many worlds there are."""

    worlds: Fraction
    shares: tuple[tuple[Fraction, ...], ...]
    """Kinds by values. All are 0 where no world fits the knowledge."""
    moves: int = field(default=0, compare=False)
    """How many were counted."""


class TooManyError(Exception):
    """There are more states than are counted."""


def beliefs(knowledge: Knowledge, *, moves: int = MOST_MOVES) -> Beliefs | None:
    """What the attacker believes of people of each kind; None where that is too much to count.

    Args:
        knowledge: What the attacker has. Components are counted apart.
        moves: How many moves are counted in each at most.

    Of two people in one group who have flu and gout, one is in a group with acne and gout, too:

    >>> two = Knowledge.of_groups([[[1, 1, 0], [0, 0, 1]], [[0, 1, 1], [1, 0, 0]]],
    ...                          [[[0], [0], [1]], [[0], [1], [0]]])
    >>> [[str(share) for share in kind] for kind in beliefs(two).shares]
    [['0', '1', '0'], ['1', '0', '0'], ['0', '0', '1']]
    """
    shares: list[tuple[Fraction, ...]] = [()] * knowledge.kinds
    worlds, done = Fraction(1), 0
    for kinds, alone in knowledge.apart():
        try:
            counted = _Component(alone, moves).counted()
        except TooManyError:
            return None
        worlds *= counted.worlds
        done += counted.moves
        for k, share in zip(kinds.tolist(), counted.shares, strict=True):
            shares[k] = share
    stray = _strays(knowledge)
    if stray or not worlds:
        none = (Fraction(0),) * knowledge.values
        return Beliefs(Fraction(0), (none,) * knowledge.kinds, done)
    return Beliefs(worlds, tuple(shares), done)


def _strays(knowledge: Knowledge) -> bool:
    """Whether some record that must belong to somebody listed fits nobody."""
    for one in knowledge.shown:
        fitted = np.zeros(len(one.histogram.indptr) - 1, np.bool_)
        fitted[one.fits.groups] = True
        if one.listed and bool((np.diff(one.histogram.indptr) > 0)[~fitted].any()):
            return True
    return False


@dataclass(frozen=True)
class _Step:
    """So many people of a kind take one option: a value, and a record in each release."""

    kind: int
    value: int
    places: tuple[int, ...]
    last: bool
    """Whether it is the last option of the kind, which whoever is left takes."""
    weight: Fraction | int
    closes: tuple[int, ...]
    """The places that no later step takes records of."""


class _Component:
    """One component, counted step by step.

    A state is a whole number: for each place the records left, in mixed radix, and at the bottom
    how many people of the present kind are left. With an urn it also has, at the top, how many
    people have each value.
    """

    def __init__(self, knowledge: Knowledge, moves: int) -> None:
        self._knowledge = knowledge
        self._most = moves
        self._place: dict[Place, int] = {}
        self._records: list[int] = []
        self._listed: list[bool] = []
        for r, one in enumerate(knowledge.shown):
            for g in sorted(set(one.fits.groups.tolist())):
                for look, count in one.records(g):
                    self._place[r, g, look] = len(self._records)
                    self._records.append(count)
                    self._listed.append(one.listed)
        self._stride, at = [], int(knowledge.people.max(initial=0)) + 1
        self._bottom = at
        for count in self._records:
            self._stride.append(at)
            at *= count + 1
        self._everybody = int(knowledge.people.sum())
        self._tally: list[int] = []
        for _ in knowledge.urn or ():
            self._tally.append(at)
            at *= self._everybody + 1

    @cached_property
    def _steps(self) -> list[_Step]:
        options = []
        for k in self._order():
            if not self._knowledge.people[k]:
                continue
            mine = list(self._options(k))
            if not mine:
                return []
            options += [(k, v, places, i == len(mine) - 1) for i, (v, places) in enumerate(mine)]
        if len(options) > self._most:
            raise TooManyError
        final = {place: i for i, (_, _, places, _) in enumerate(options) for place in places}
        closing: dict[int, list[int]] = {}
        for place, i in final.items():
            closing.setdefault(i, []).append(place)
        weights = self._knowledge.weights
        return [
            _Step(k, v, places, last, 1 if weights is None else weights[k][v],
                  tuple(closing.get(i, ())))
            for i, (k, v, places, last) in enumerate(options)
        ]  # fmt: skip

    def _options(self, k: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        weights = self._knowledge.weights
        for v in range(self._knowledge.values):
            if weights is not None and not weights[k][v]:
                continue
            choices: list[list[int | None]] = []
            for r, one in enumerate(self._knowledge.shown):
                look = int(one.looks[v])
                mine: list[int | None] = [
                    self._place[r, g, look]
                    for g in one.fits.of(k).tolist()
                    if (r, g, look) in self._place
                ]
                choices.append(mine if one.sure[k] else [*mine, None])
            for places in product(*choices):
                yield v, tuple(place for place in places if place is not None)

    def _order(self) -> list[int]:
        """Kinds, so that few groups are begun and not finished at a time."""
        groups = [
            {(r, g) for r, one in enumerate(self._knowledge.shown) for g in one.fits.of(k).tolist()}
            for k in range(self._knowledge.kinds)
        ]
        left = {g: sum(g in mine for mine in groups) for g in set().union(*groups)}
        order: list[int] = []
        begun: set[tuple[int, int]] = set()
        rest = set(range(len(groups)))
        while rest:
            if len(rest) * len(groups) > self._most * 10:
                raise TooManyError
            best = min(
                rest,
                key=lambda k: (
                    len(groups[k] - begun) - sum(left[g] == 1 for g in groups[k]),
                    not groups[k] & begun,
                    int(self._knowledge.people[k]),
                    k,
                ),
            )
            rest.remove(best)
            order.append(best)
            begun |= groups[best]
            for g in groups[best]:
                left[g] -= 1
        return order

    def _begin(self) -> int:
        return sum(n * stride for n, stride in zip(self._records, self._stride, strict=True))

    def _moves(self, step: _Step, state: int) -> Iterator[tuple[int, Fraction | int, int]]:
        """How many people may take the option, in how many ways, and what is left then."""
        people = state % self._bottom
        records = [state // self._stride[p] % (self._records[p] + 1) for p in step.places]
        most = min([people, *records])
        fewest = people if step.last else 0
        for place, left in zip(step.places, records, strict=True):
            if place in step.closes and self._listed[place]:
                fewest = max(fewest, left)  # nobody else takes them
        for taken in range(fewest, most + 1):
            ways: Fraction | int = comb(people, taken)
            after = state - taken
            if self._tally:
                after += taken * self._tally[step.value]
            for place, left in zip(step.places, records, strict=True):
                ways *= perm(left, taken)
                after -= taken * self._stride[place]
            if step.weight != 1:
                ways *= step.weight**taken
            for place in step.closes:
                left = after // self._stride[place] % (self._records[place] + 1)
                if left and self._listed[place]:
                    break
                after -= left * self._stride[place]
            else:
                if ways:
                    yield taken, ways, after

    @cached_property
    def _rising(self) -> list[list[int]]:
        """For each value, how likely the urn gives it to 0, 1, 2 ... people.

        Times what is the same in all worlds: it depends on how many people there are.
        """
        urn = self._knowledge.urn or ()
        unit = lcm(*(balls.denominator for balls in urn))
        found = []
        for balls in urn:
            likely = [1]
            for before in range(self._everybody):
                likely.append(likely[-1] * (int(balls * unit) + before * unit))
            found.append(likely)
        return found

    def _drawn(self, state: int) -> int:
        """How likely the urn gives people these values, times what is the same in all worlds."""
        return prod(
            rising[state // stride % (self._everybody + 1)]
            for rising, stride in zip(self._rising, self._tally, strict=True)
        )

    def counted(self) -> Beliefs:
        """Forwards, to where each step may lead; backwards, to how it may end."""
        people = self._knowledge.people.tolist()
        none = (Fraction(0),) * self._knowledge.values
        nothing = Beliefs(Fraction(0), (none,) * len(people))
        steps, done = self._steps, 0
        # Numbers have as many digits as there are people, so a move takes longer where many are.
        most = int(self._most / (1 + (sum(people) / FEW_PEOPLE) ** 1.6))
        untaken = set(range(len(self._records))) - {p for step in steps for p in step.places}
        if (not steps and any(people)) or any(self._listed[place] for place in untaken):
            return nothing
        layers: list[dict[int, Fraction | int]] = [{self._begin(): 1}]
        moves: list[dict[int, list[tuple[int, Fraction | int, int]]]] = []
        kind = -1
        for step in steps:
            if step.kind != kind:
                kind = step.kind
                layers[-1] = {state + people[kind]: ways for state, ways in layers[-1].items()}
            after: dict[int, Fraction | int] = {}
            moves.append({})
            for state, ways in layers[-1].items():
                moves[-1][state] = mine = list(islice(self._moves(step, state), most + 1 - done))
                done += len(mine)
                if done > most:
                    raise TooManyError
                for _, more, then in moves[-1][state]:
                    after[then] = after.get(then, 0) + ways * more
            layers.append(after)
        ends: dict[int, Fraction | int] = {state: self._drawn(state) for state in layers[-1]}
        worlds = Fraction(sum(ways * ends[state] for state, ways in layers[-1].items()))
        if not worlds:
            return replace(nothing, moves=done)
        expected = [[Fraction(0)] * self._knowledge.values for _ in people]
        for i in range(len(steps) - 1, -1, -1):
            step, before = steps[i], {}
            begins = i == 0 or steps[i - 1].kind != step.kind
            total: Fraction | int = 0
            for state, ways in layers[i].items():
                all_ends: Fraction | int = 0
                for taken, more, then in moves[i][state]:
                    ending = more * ends.get(then, 0)
                    all_ends += ending
                    total += ways * taken * ending
                before[state - people[step.kind] if begins else state] = all_ends
            expected[step.kind][step.value] += total
            ends = before
        shares = tuple(
            tuple(count / (worlds * people[k]) if people[k] else Fraction(0) for count in mine)
            for k, mine in enumerate(expected)
        )
        return Beliefs(worlds, shares, done)
