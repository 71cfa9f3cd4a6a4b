"""Two releases of one sample name who is in it; of two samples, they do not."""

from __future__ import annotations

import itertools
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.attacks.same_sample import composition, distance, odd, simulated
from hedgerow.base.errors import DataError, PlanError

RATES = [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]


def samples(people: int, rate: Fraction) -> list[tuple[tuple[int, ...], Fraction]]:
    """Every sample of the people, with its probability."""
    found = []
    for drawn in itertools.product((0, 1), repeat=people):
        p = Fraction(1)
        for inside in drawn:
            p *= rate if inside else 1 - rate
        found.append((drawn, p))
    return found


def seen(people: int, rate: Fraction, *, shown: str, fresh: bool, target: bool) -> dict:
    """What is published, with its probability; the target, if any, is the last person."""
    everybody = people + target
    found: dict = defaultdict(Fraction)
    for one, p in samples(everybody, rate):
        for two, q in samples(everybody, rate) if fresh else [(one, Fraction(1))]:
            first = sum(one[:people]) % 2
            second = (sum(two[:people]) % 2) ^ (two[people] if target else 0)
            bits = {"first": (first,), "second": (second,), "both": (first, second)}
            found[bits[shown]] += p * q
    return found


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("people", [0, 1, 4])
@pytest.mark.parametrize("shown", ["first", "second", "both"])
@pytest.mark.parametrize("fresh", [False, True])
def test_distances_by_enumeration(people: int, rate: Fraction, shown: str, fresh: bool) -> None:
    within = seen(people, rate, shown=shown, fresh=fresh, target=True)
    without = seen(people, rate, shown=shown, fresh=fresh, target=False)
    assert sum(within.values()) == sum(without.values()) == 1
    apart = sum(abs(within[o] - without[o]) for o in {*within, *without}) / 2
    assert distance(people, rate, shown=shown, fresh=fresh) == apart


@pytest.mark.parametrize("rate", RATES)
def test_what_each_release_gives_away(rate: Fraction) -> None:
    """FACTS B: each alone is about 0-private; together delta is at least the rate."""
    people = 40
    assert distance(people, rate, shown="first") == 0
    small = rate * abs(1 - 2 * rate) ** people
    assert distance(people, rate, shown="second") == small < Fraction(1, 5_000)
    assert distance(people, rate, shown="both") == rate
    assert distance(people, rate, shown="both", fresh=True) == small


def test_parity_by_enumeration() -> None:
    for people, rate in itertools.product(range(6), RATES):
        expected = sum(p for drawn, p in samples(people, rate) if sum(drawn) % 2)
        assert odd(people, rate) == expected


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5])
def test_one_sample_gives_everybody_in_it_away(rate: float) -> None:
    found = simulated(500, rate=rate, runs=20_000, rng=np.random.default_rng(1))
    assert found.found.value == 1
    assert found.detail["missed"] == 0
    assert found.baseline.value == pytest.approx(rate)
    assert found.succeeded
    for alone in found.detail["right_from_one_release"].values():
        assert alone == pytest.approx(rate, abs=0.02)


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5])
def test_fresh_samples_give_nothing_away(rate: float) -> None:
    found = simulated(500, rate=rate, runs=20_000, rng=np.random.default_rng(2), fresh=True)
    low, high = found.found.interval(0.9999)
    assert low <= rate <= high
    assert not found.succeeded


def test_coins_instead_of_releases_give_nothing_away() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 2, (2, 10_000))
    found = composition(first, second, sampled=rng.random(10_000) < 0.2, rate=0.2)
    assert not found.succeeded


def test_nobody_outside_the_data_is_named() -> None:
    others = np.random.default_rng(4).binomial(500, 0.1, 1_000)
    found = composition(others % 2, others % 2, sampled=np.zeros(1_000), rate=0.1)
    assert found.detail["named"] == 0
    assert not found.succeeded


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"first": [1, 0, 1]}, DataError, "3, 2 and 2 bits"),
        ({"first": [], "second": [], "sampled": []}, DataError, "no targets to judge"),
        ({"second": [1, 2]}, DataError, "second: these are no bits"),
        ({"sampled": [[1, 0]]}, DataError, "sampled: these are no bits"),
        ({"rate": 1.5}, PlanError, "no probability"),
        ({"rate": float("nan")}, PlanError, "no probability"),
        ({"rate": "a tenth"}, PlanError, "no probability"),
    ],
)
def test_bad_input_is_explained(arguments: dict, error: type[Exception], message: str) -> None:
    given = {"first": [1, 0], "second": [0, 0], "sampled": [1, 0], "rate": 0.1} | arguments
    with pytest.raises(error, match=message):
        composition(given.pop("first"), given.pop("second"), **given)


def test_releases_that_do_not_exist() -> None:
    with pytest.raises(PlanError, match="no release 'third'"):
        distance(3, 0.5, shown="third")
    with pytest.raises(PlanError, match="cannot be made"):
        simulated(3, rate=0.5, runs=0, rng=np.random.default_rng(0))
