"""Membership in a study: told from its averages, and not from those of other people."""

from __future__ import annotations

import math
from statistics import NormalDist, fmean, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.membership import (
    TESTS,
    Test,
    centred,
    homer,
    inner_product,
    membership,
)
from hedgerow.base.errors import DataError, PlanError
from hedgerow.table.groups import Floats


def world(
    seed: int, *, participants: int, others: int, alleles: int, copies: int = 2
) -> tuple[Floats, Floats, Floats]:
    """Frequencies of a population, and the genotypes of two samples of it."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, alleles)
    people = rng.binomial(copies, p, (participants + others, alleles)) / copies
    return p, people[:participants], people[participants:]


share = st.fractions(0, 1, max_denominator=20)


@settings(deadline=None)
@given(st.lists(st.tuples(share, share, st.sampled_from([0, 0.5, 1])), min_size=2, max_size=12))
def test_statistics_are_their_formulas(alleles: list[tuple[float, float, float]]) -> None:
    m, pop, y = ([float(x) for x in column] for column in zip(*alleles, strict=True))
    d = [abs(c - b) - abs(c - a) for a, b, c in zip(m, pop, y, strict=True)]
    if max(d) - min(d) > 1e-9:
        expected = fmean(d) / (stdev(d) / math.sqrt(len(d)))
        assert homer(m, pop, [y]).value[0] == pytest.approx(expected, abs=1e-9)
    sign = [tuple(2 * x - 1 for x in row) for row in zip(m, pop, y, strict=True)]
    plain = sum(c * a for a, _, c in sign) - sum(b * a for a, b, _ in sign)
    assert inner_product(m, pop, [y]).value[0] == pytest.approx(plain, abs=1e-9)
    both = sum((c - b) * (a - b) for a, b, c in sign)
    assert centred(m, pop, [y]).value[0] == pytest.approx(both, abs=1e-9)


def test_thresholds() -> None:
    m, pop, y = [0.75, 0.25], [0.5, 0.5], [[1.0, 0.0]]
    assert homer(m, pop, y, alpha=0.05).threshold == pytest.approx(1.6448536)
    assert inner_product(m, pop, y, alpha=0.01).threshold == pytest.approx(
        math.sqrt(16 * math.log(100))
    )
    # (M - pop) is (1/2, -1/2) in the coding from -1 to 1.
    assert centred(m, pop, y, alpha=0.01).threshold == pytest.approx(math.sqrt(math.log(100)))


def test_a_person_without_evidence_is_not_called_a_participant() -> None:
    assert homer([0.5, 0.5], [0.5, 0.5], [[1, 0]]).value.tolist() == [0.0]
    assert not centred([0.5, 0.5], [0.5, 0.5], [[1, 0]]).member.any()


@pytest.mark.parametrize("test", ["homer", "centred"])
def test_a_hundred_participants_are_told_by_five_thousand_frequencies(test: Test) -> None:
    p, inside, outside = world(1, participants=100, others=200, alleles=5_000)
    result = membership(inside.mean(axis=0), p, participants=inside, others=outside, test=test)
    assert result.found.value > 0.95
    assert result.control is not None
    assert result.control.interval()[0] <= 0.05
    assert result.succeeded
    assert result.gain > 0.9


def test_the_plain_inner_product_needs_the_square_of_the_participants() -> None:
    """(1 - p^2) d / n is 2/3 d / n on average: 1,000 at d = 30,000, the threshold is 848."""
    p, inside, outside = world(2, participants=20, others=50, alleles=30_000, copies=1)
    few = slice(0, 3_000)
    for chosen, told in ((slice(None), True), (few, False)):
        result = membership(
            inside[:, chosen].mean(axis=0), p[chosen], participants=inside[:, chosen],
            others=outside[:, chosen], test="inner-product",
        )  # fmt: skip
        assert result.succeeded is told
        assert (result.found.value > 0.9) is told


def no_better_than(result: AttackResult, alpha: float) -> None:
    assert result.found.interval()[0] <= alpha
    assert not result.succeeded


@pytest.mark.parametrize("test", TESTS)
def test_averages_of_other_people_tell_nothing(test: Test) -> None:
    p, inside, rest = world(3, participants=100, others=300, alleles=5_000)
    study, outside = rest[:100].mean(axis=0), rest[100:]
    result = membership(study, p, participants=inside, others=outside, test=test)
    no_better_than(result, 0.05)


@pytest.mark.parametrize("test", TESTS)
def test_enough_noise_tells_nothing(test: Test) -> None:
    p, inside, outside = world(4, participants=100, others=200, alleles=5_000)
    noise = np.random.default_rng(5).laplace(0, 1, len(p))
    study = inside.mean(axis=0) + noise
    no_better_than(membership(study, p, participants=inside, others=outside, test=test), 0.05)
    clipped = np.clip(study, 0, 1)
    no_better_than(membership(clipped, p, participants=inside, others=outside, test=test), 0.05)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_false_positives_are_alpha(alpha: float) -> None:
    """With one copy T is standard normal for others, so the rate is alpha, not only below it.

    Each run is of one study; the rate is over many studies, as others share a study's luck.
    False alarms: 4,000 others, so five standard errors are wider than 1 in a million.
    """
    called = {"homer": 0, "centred": 0}
    for seed in range(40):
        p, inside, outside = world(seed, participants=60, others=100, alleles=1_500, copies=1)
        study = inside.mean(axis=0)
        called["homer"] += int(homer(study, p, outside, alpha=alpha).member.sum())
        called["centred"] += int(centred(study, p, outside, alpha=alpha).member.sum())
    error = 5 * math.sqrt(alpha * (1 - alpha) / 4_000)
    assert abs(called["homer"] / 4_000 - alpha) < error
    assert called["centred"] / 4_000 < alpha


def test_power_is_that_of_the_normal_approximation() -> None:
    """Few alleles, so that power is neither 0 nor 1: T is about normal with mean delta."""
    alpha, n, d, told = 0.05, 50, 400, []
    expected = []
    for seed in range(30):
        p, inside, _ = world(seed, participants=n, others=1, alleles=d, copies=1)
        study = inside.mean(axis=0)
        told.append(homer(study, p, inside, alpha=alpha).member.mean())
        # E[D] = 2 p (1 - p) / n: a participant pulls each mean towards themselves by 1 / n.
        delta = (2 * p * (1 - p) / n).sum() / math.sqrt(((study - p) ** 2).sum())
        expected.append(1 - NormalDist(delta).cdf(NormalDist().inv_cdf(1 - alpha)))
    assert fmean(told) == pytest.approx(fmean(expected), abs=0.05)
    assert 0.2 < fmean(told) < 0.95


def test_bad_input_is_told() -> None:
    good = ([0.5, 0.5], [0.5, 0.5], [[1.0, 0.0]])
    with pytest.raises(DataError, match="shapes"):
        homer([0.5], *good[1:])
    with pytest.raises(DataError, match="shapes"):
        homer(*good[:2], [1.0, 0.0])
    with pytest.raises(DataError, match="genotype") as told:
        homer(*good[:2], [[2, 0]])
    assert "Divide" in str(told.value)
    with pytest.raises(DataError, match="population"):
        homer([0.5, 0.5], [0.5, 1.5], good[2])
    with pytest.raises(DataError, match="missing"):
        homer([0.5, math.nan], *good[1:])
    with pytest.raises(DataError, match="numbers"):
        homer(["a", "b"], *good[1:])
    with pytest.raises(DataError, match="no people"):
        homer(*good[:2], np.zeros((0, 2)))
    with pytest.raises(PlanError, match="alpha"):
        homer(*good, alpha=0)
    with pytest.raises(PlanError, match="no test"):
        membership(*good[:2], participants=good[2], others=good[2], test="magic")  # type: ignore[arg-type]
