"""What is believed of everybody: counted where that can be done, between proven bounds elsewhere.

Groups that share people hang together in a component; what is in one says nothing about another.
Each component is counted by itself, and where that is too much its people get bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.worlds.bounds import CountBounds, bounds
from hedgerow.claims.worlds.exact import MOST_MOVES, Beliefs, beliefs
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.claims.worlds.transport import tightened
from hedgerow.table.groups import Ints

Flags = NDArray[np.bool_]
MOST_CELLS = 20_000_000
"""Kinds of people by values of which bounds are computed."""


@dataclass(frozen=True, eq=False)
class Believed:
    """What an attacker believes of people of each kind."""

    knowledge: Knowledge
    part: Ints
    """Of each kind, its component."""
    counted: tuple[Beliefs | None, ...]
    """Of each component, the exact beliefs; None where it has bounds, or nothing."""
    limits: tuple[CountBounds | None, ...]
    """Of each component, the bounds; None where it is counted, or too large for bounds."""
    place: Ints
    """Of each kind, its place in its component."""

    @property
    def exact(self) -> Flags:
        """Of each kind, whether what is believed is known exactly."""
        return np.array([one is not None for one in self.counted], np.bool_)[self.part]

    @property
    def contradicted(self) -> Flags:
        """Of each kind, whether no world fits what is known of its component."""
        none = [
            (one is not None and not one.worlds) or (limit is not None and limit.contradicted)
            for one, limit in zip(self.counted, self.limits, strict=True)
        ]
        return np.array(none, np.bool_)[self.part]

    def between(self, kind: int, value: int) -> tuple[Fraction, Fraction]:
        """What the belief in a value is at least and at most; equal where it is exact.

        Where nothing is known it is between 0 and 1. Of a contradicted kind both are 0.
        """
        component, place = int(self.part[kind]), int(self.place[kind])
        exact, limits = self.counted[component], self.limits[component]
        if exact is not None:
            return exact.shares[place][value], exact.shares[place][value]
        if limits is not None and limits.contradicted:
            return Fraction(0), Fraction(0)
        if limits is not None:
            return limits.belief(place, value)
        return Fraction(0), Fraction(1)


def believed(
    knowledge: Knowledge, *, moves: int = MOST_MOVES, asked: Sequence[int] = ()
) -> Believed:
    """What an attacker with this knowledge believes of people of each kind.

    Args:
        knowledge: What the attacker has.
        moves: How many moves are counted in each component, before it gets bounds instead.
        asked: Kinds of which bounds are made as tight as linear programs of limited size can.

    Ann and Bob have flu and gout between them, Cem and Dora both have acne:

    >>> two = Knowledge.of_groups([[[1, 1, 0], [0, 0, 2]]], [[[0], [1]]], people=[2, 2])
    >>> found = believed(two)
    >>> [str(found.between(kind, 0)[1]) for kind in (0, 1)], found.exact.tolist()
    (['1/2', '0'], [True, True])
    """
    part = np.zeros(knowledge.kinds, np.int64)
    place = np.zeros(knowledge.kinds, np.int64)
    wanted = np.zeros(knowledge.kinds, np.bool_)
    wanted[list(asked)] = True
    counted: list[Beliefs | None] = []
    limits: list[CountBounds | None] = []
    for kinds, alone in knowledge.apart():
        part[kinds], place[kinds] = len(counted), np.arange(len(kinds))
        exact = beliefs(alone, moves=moves)
        fits = exact is None and alone.kinds * alone.values <= MOST_CELLS
        counted.append(exact)
        found = bounds(alone) if fits else None
        mine = np.flatnonzero(wanted[kinds]).tolist()
        limits.append(tightened(alone, found, mine) if found is not None and mine else found)
    return Believed(knowledge, part, tuple(counted), tuple(limits), place)
