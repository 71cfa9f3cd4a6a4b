"""Is somebody in the table? Read it off ordinary k-anonymisers, and fail at the safe one.

The attacker knows everybody else and the record of one person, and has to tell two tables apart:
with that person, and without. A coin is right half of the time. How many rows are published is
not looked at, as it would give the answer away by itself: only which tuples are. An anonymiser
that uses no randomness is run by the attacker on both tables. If the sets of published tuples
differ, whoever sees one of them knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.claims.anonymity import KAnonymity
from hedgerow.noise.rounding import exact, whole
from hedgerow.noise.sampling.pipeline import Safe
from hedgerow.noise.semantics import truth
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import full_domain
from hedgerow.recode.metrics import GeneralisationLoss
from hedgerow.recode.microaggregation import microaggregation
from hedgerow.recode.mondrian import mondrian
from hedgerow.recode.recoding import Recoding
from hedgerow.table.cells import Cells

COIN = Fraction(1, 2)
LARGEST = 5000
"""People in the largest group that is computed exactly."""

Anonymiser = Callable[[Cells], Recoding]
Tuples = frozenset[tuple[str | None, ...]]


@dataclass(frozen=True, kw_only=True)
class Told:
    """How often the attacker is right, next to a coin."""

    method: str
    success: Fraction
    bound: Fraction
    """No attacker is right more often: 1 where nothing is promised."""
    with_person: Tuples = frozenset()
    """Tuples that are published only if the person is there."""
    without: Tuples = frozenset()
    """Tuples that are published only if not."""

    @property
    def gain(self) -> Fraction:
        """Over a coin, from 0 to 1."""
        return 2 * (self.success - COIN)


def ordinary(k: int) -> Mapping[str, Anonymiser]:
    """Three ways to make a table k-anonymous that look at the data to choose their groups."""
    claims = (KAnonymity(k=k),)
    return {
        "Mondrian": lambda cells: mondrian(cells, claims),
        "optimal lattice search": lambda cells: full_domain(
            cells, SearchConstraints(claims, limit=0), GeneralisationLoss()
        ),
        "microaggregation": lambda cells: microaggregation(cells, k=k),
    }


def tuples(recoding: Recoding) -> Tuples:
    """Which tuples a release shows, not how often."""
    columns = [label.tolist() for label in recoding.labels]
    return frozenset(zip(*columns, strict=True))


def read_presence(method: str, anonymise: Anonymiser, *, there: Cells, gone: Cells) -> Told:
    """Attack an anonymiser without randomness.

    Args:
        method: Its name.
        anonymise: From cells to a recoding.
        there: The table with the person.
        gone: The table without.
    """
    with_person, without = tuples(anonymise(there)), tuples(anonymise(gone))
    success = COIN if with_person == without else Fraction(1)
    return Told(
        method=method,
        success=success,
        bound=Fraction(1),
        with_person=with_person - without,
        without=without - with_person,
    )


def best_guess(safe: Safe, *, people: int) -> Told:
    """The best that can be made of a safe release of a public recoding, exactly.

    The person's group has so many people with them. All that depends on the person is the number
    published of that group. It is best to guess that they are there if it is at least beta times
    the people (such numbers are likelier then), and else that they are not: the guess is right
    with probability 1/2 + (P[Bin(n) >= t] - P[Bin(n - 1) >= t]) / 2, where t is the least number
    that is published and above beta n.

    Raises:
        PlanError: The recoding is chosen by the data, or the group is too large to sum up.
    """
    n = whole("people", people)
    if safe.choice or n > LARGEST:
        raise PlanError(f"guesses are computed for public recodings and groups up to {LARGEST:,}")
    beta = exact("beta", safe.beta)
    least = _least(safe, n)
    # P[Bin(n) >= t] - P[Bin(n-1) >= t] = beta P[Bin(n-1) = t - 1].
    more = beta * _chance(least - 1, n - 1, beta)
    return Told(method="safe", success=COIN + more / 2, bound=truth(safe.loss.approximate()))


def guess_by_lot(safe: Safe, *, people: int, games: int) -> Fraction:
    """The same guess against releases that are really drawn: how often it was right.

    Half of the games are played with the person, half without.
    """
    n, half = whole("people", people), whole("games", games, least=2) // 2
    least = _least(safe, n)
    there = safe.release(np.full(half, n, np.int64)) >= least
    gone = safe.release(np.full(half, n - 1, np.int64)) >= least
    return Fraction(int(there.sum()) + half - int(gone.sum()), 2 * half)


def _least(safe: Safe, people: int) -> int:
    """The least published number that speaks for the person."""
    return max(safe.k, int(safe.beta * people) + 1)


def _chance(j: int, n: int, beta: Fraction) -> Fraction:
    return comb(n, j) * beta**j * (1 - beta) ** (n - j) if 0 <= j <= n else Fraction(0)
