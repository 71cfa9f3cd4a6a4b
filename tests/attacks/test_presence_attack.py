"""One extreme record more or less: ordinary k-anonymisers tell, the safe version does not."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from tables import cells_of

from hedgerow.attacks.presence import (
    COIN,
    PresenceGuess,
    best_guess,
    ordinary,
    read_presence,
    tuples,
)
from hedgerow.base.errors import PlanError
from hedgerow.noise.sampling import suppression
from hedgerow.noise.sampling.pipeline import SafeAnonymisation
from hedgerow.table.cells import Cells
from hedgerow.table.hierarchy import Hierarchy

AGES = [20 + i // 2 for i in range(60)]


def age_cells(ages: list[int]) -> Cells:
    rows = [
        (str(a), f"{a // 10 * 10}-{a // 10 * 10 + 9}", "<60" if a < 60 else ">=60", "*")
        for a in range(100)
    ]
    column = Hierarchy.of("age", rows, numbers=list(range(100)))
    return cells_of([(str(a),) for a in ages], [column])


def read(method: str, *, there: Cells, gone: Cells) -> PresenceGuess:
    """What an attacker who runs the method on both tables knows."""
    anonymise = ordinary(5)[method]
    return read_presence(method, there=tuples(anonymise(there)), gone=tuples(anonymise(gone)))


def guess_by_lot(safe: SafeAnonymisation, *, people: int, games: int) -> Fraction:
    """The best guess against releases that are really drawn: how often it was right.

    Half of the games are played with the person, half without.
    """
    half = games // 2
    least = max(safe.k, int(safe.beta * people) + 1)
    there = safe.release(np.full(half, people, np.int64)) >= least
    gone = safe.release(np.full(half, people - 1, np.int64)) >= least
    return Fraction(int(there.sum()) + half - int(gone.sum()), 2 * half)


@pytest.mark.parametrize("method", ["mondrian", "lattice", "microaggregation"])
def test_ordinary_anonymisers_tell_who_is_there(method: str) -> None:
    told = read(method, there=age_cells([*AGES, 97]), gone=age_cells(AGES))
    assert told.success == 1
    assert told.gain == 1
    assert told.with_person, "something is published that is not without the person"


def test_mondrian_publishes_the_very_age() -> None:
    there, gone = age_cells([*AGES, 97]), age_cells(AGES)
    told = read("mondrian", there=there, gone=gone)
    assert any(str(label[0]).endswith("97") for label in told.with_person)


def test_an_anonymiser_that_does_not_look_does_not_tell() -> None:
    there = age_cells([*AGES, 40])
    told = read("lattice", there=there, gone=there)
    assert told.success == COIN


def test_an_extreme_person_is_never_seen_in_a_safe_release() -> None:
    """Alone in a group, and a group of one is left out whether they are drawn or not."""
    safe = SafeAnonymisation.keeping(beta="0.8", epsilon=1, delta="1e-6")
    assert best_guess(safe, people=1).success == COIN
    assert guess_by_lot(safe, people=1, games=1000) == COIN


def brute(n: int, k: int, beta: Fraction) -> Fraction:
    """Half of 1 plus the total variation, from the definition."""

    def law(m: int) -> list[Fraction]:
        p = [comb(m, j) * beta**j * (1 - beta) ** (m - j) for j in range(m + 1)]
        p += [Fraction(0)] * (n - m)
        return [sum(p[:k], Fraction(0)), *p[k:]]

    there, gone = law(n), law(n - 1)
    return (1 + sum(max(a - b, Fraction(0)) for a, b in zip(there, gone, strict=True))) / 2


def test_the_best_guess_is_the_total_variation() -> None:
    safe = SafeAnonymisation.keeping(beta="0.5", epsilon="0.7", delta="1e-3")
    for n in range(1, 6 * safe.k):
        told = best_guess(safe, people=n)
        assert told.success == brute(n, safe.k, safe.beta), n
        assert told.success <= told.bound


def test_no_group_size_beats_the_bound_and_the_worst_is_known() -> None:
    safe = SafeAnonymisation.keeping(beta="0.8", epsilon=1, delta="1e-6")
    found = [best_guess(safe, people=n).success for n in range(1, 2 * safe.k)]
    worst = (1 + suppression.delta(k=safe.k, beta=safe.beta, epsilon=0)) / 2
    assert max(found) <= worst <= max(found) * (1 + Fraction(1, 10**20))
    assert Fraction("0.52") < worst < best_guess(safe, people=1).bound < Fraction("0.74")


def test_really_drawn_releases_agree() -> None:
    """40,000 games in the worst group; six standard errors are 0.015."""
    safe = SafeAnonymisation.keeping(beta="0.5", epsilon=2, delta="1e-2")
    worst = max(range(1, 4 * safe.k), key=lambda n: best_guess(safe, people=n).success)
    exact = float(best_guess(safe, people=worst).success)
    assert exact > 0.55, "there is something to be measured"
    assert abs(float(guess_by_lot(safe, people=worst, games=40_000)) - exact) < 0.015


def test_what_is_not_computed_is_refused() -> None:
    chosen = SafeAnonymisation.keeping(beta="0.5", epsilon=1, delta="1e-3", choice="0.1")
    with pytest.raises(PlanError, match="public recodings"):
        best_guess(chosen, people=5)
