"""PRAM has the chances of its matrix, and swaps pair people evenly within strata."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from chance import OFF, fits, rejected
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import PlanError
from hedgerow.noise.record_swaps import swapped_places
from hedgerow.noise.transition_matrix import TransitionMatrix

DRAWS = 30_000


def test_every_line_is_drawn_with_its_chances() -> None:
    """And a chance to stay that is 30 % off is told from it."""
    stay, size = Fraction(3, 5), 4
    for matrix, line in (
        (TransitionMatrix.uniform(size, stay=stay), lambda s, v: [
            s if v == w else (1 - s) / (size - 1) for w in range(size)]),
        (TransitionMatrix.invariant([1, 2, 3, 4], stay=stay), lambda s, v: [
            s * (v == w) + (1 - s) * Fraction(w + 1, 10) for w in range(size)]),
    ):  # fmt: skip
        codes = np.arange(DRAWS * size) % size
        drawn = matrix.drawn(codes)
        for v in range(size):
            law = {w: float(p) for w, p in enumerate(line(stay, v))}
            mine = drawn[codes == v].tolist()
            assert fits(mine, law)
            for off in OFF:
                wrong = {w: float(p) for w, p in enumerate(line(stay * off, v))}
                assert rejected(mine, law, wrong)


chances = st.integers(2, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any),
        min_size=size, max_size=size,
    )
)  # fmt: skip


@given(chances)
@settings(max_examples=60)
def test_the_loss_is_the_largest_ratio_in_a_column(parts: list[list[int]]) -> None:
    lines = [[Fraction(part, sum(line)) for part in line] for line in parts]
    matrix = TransitionMatrix.of(lines)
    worst = 1.0
    for a in lines:
        for b in lines:
            for high, low in zip(a, b, strict=True):
                if high:
                    worst = max(worst, float(high / low) if low else math.inf)
    assert matrix.epsilon == pytest.approx(math.log(worst), abs=1e-9)
    assert matrix.epsilon >= math.log(worst) * (1 + 1e-15)
    assert matrix.most_changed == max(1 - line[i] for i, line in enumerate(lines))


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=6),
    st.fractions("1/9", "8/9", max_denominator=1000),
)
def test_an_invariant_matrix_keeps_what_is_expected(counts: list[int], stay: Fraction) -> None:
    matrix = TransitionMatrix.invariant(counts, stay=stay)
    expected = np.array(counts, object) @ matrix.parts.astype(object)
    assert expected.tolist() == [n * matrix.unit for n in counts]


def test_chances_that_cannot_be_drawn_exactly_are_refused() -> None:
    with pytest.raises(PlanError, match="too many digits"):
        TransitionMatrix.uniform(3, stay=Fraction(1, 2**62))


def test_pairs_are_of_one_stratum_and_equally_likely() -> None:
    strata = np.repeat(np.arange(DRAWS), 4)
    places = (
        swapped_places(strata, rate=Fraction(1, 2)).reshape(-1, 4) - 4 * np.arange(DRAWS)[:, None]
    )
    assert (np.sort(places, axis=1) == np.arange(4)).all()
    moved = [tuple(np.flatnonzero(line != np.arange(4)).tolist()) for line in places]
    even = {(a, b): 1 / 6 for a in range(4) for b in range(a + 1, 4)}
    assert fits(moved, even)
    assert rejected(moved, even, {pair: 1 / 6 * (1.3 if pair == (0, 1) else 0.94) for pair in even})


@given(st.lists(st.integers(0, 3), max_size=40), st.fractions("1/50", "49/50"))
@settings(max_examples=40)
def test_as_many_are_paired_as_the_rate_says(strata: list[int], rate: Fraction) -> None:
    codes = np.array(strata, np.int64)
    places = swapped_places(codes, rate=rate)
    assert (codes[places] == codes).all()
    assert (places[places] == np.arange(len(codes))).all()
    for stratum in set(strata):
        n = strata.count(stratum)
        moved = int((places != np.arange(len(codes)))[codes == stratum].sum())
        assert moved in {min(n - n % 2, 2 * up(rate * n / 2)) for up in (math.floor, math.ceil)}


def test_small_strata_are_swapped_no_more_often_than_the_rate_says() -> None:
    """Two people whose values are exchanged for certain hide nothing."""
    for size, rate in ((2, Fraction(1, 5)), (5, Fraction(1, 7))):
        strata = np.repeat(np.arange(DRAWS), size)
        moved = (swapped_places(strata, rate=rate) != np.arange(len(strata))).reshape(-1, size)
        pairs = moved.sum(axis=1) // 2
        low = math.floor(size * rate / 2)
        part = float(size * rate / 2 - low)
        law = {low: 1 - part, low + 1: part}
        assert fits(pairs.tolist(), law)
        assert rejected(pairs.tolist(), law, {low: 1 - 1.3 * part, low + 1: 1.3 * part})


def test_rates_that_cannot_be_drawn_exactly_are_refused() -> None:
    with pytest.raises(PlanError, match="too many digits"):
        swapped_places(np.zeros(4, np.int64), rate=Fraction(1, 2**62))
