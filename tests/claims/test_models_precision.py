"""Decisions stay true for counts and parameters at which doubles run out of digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    EntropyLDiversity,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
)
from hedgerow.claims.base import NEAR
from hedgerow.claims.reductions import effective_values
from hedgerow.table.groups import Groups, Histogram, Ints, Sensitive

BILLION = 10**9


def one_group(counts: Ints) -> Groups:
    """One group of many values, without spelling them out."""
    histogram = Histogram(
        np.array([0, len(counts)]), np.arange(len(counts), dtype=np.int32), counts
    )
    domain = Sensitive("s", tuple(map(str, range(len(counts)))), counts, int(counts.sum()))
    return Groups(np.array([counts.sum()]), {"s": histogram}, {"s": domain})


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts",
    [
        np.array([1, BILLION]),
        np.array([BILLION, BILLION + 1, BILLION - 1]),
        np.array([1, 1, 2**40, 2**41]),
        np.arange(1, 100_001),
        np.concatenate([np.ones(300_000, np.int64), [2]]),
    ],
    ids=["1:1e9", "almost equal", "2^41", "100,000 values", "300,001 values"],
)
def test_rounding_of_entropy_is_far_below_what_is_called_near(counts: Ints) -> None:
    level, _ = effective_values(np.array([0, len(counts)]), counts)
    total = int(counts.sum())
    values, times = np.unique(counts, return_counts=True)
    with localcontext() as context:
        context.prec = 50
        entropy = Decimal(total).ln() - sum(
            int(c) * int(t) * Decimal(int(c)).ln() for c, t in zip(values, times, strict=True)
        ) / Decimal(total)
        true = entropy.exp()
        assert abs(Decimal(float(level[0])) / true - 1) < Decimal(NEAR) / 1000


def test_equal_counts_are_decided_exactly_however_large() -> None:
    for count in (2, 10**6 + 3, 2**40):
        groups = Groups.of({"s": [{"a": count, "b": count, "c": count}]})
        assert EntropyLDiversity(l=3, of="s").level(groups).tolist() == [3.0]
        assert EntropyLDiversity(l=3, of="s").holds(groups).all()
        assert not EntropyLDiversity(l=3.0000000000000004, of="s").holds(groups).any()


def test_entropy_meets_a_threshold_with_unequal_counts() -> None:
    """{4,1,1,1,1}: half a bit and half of three bits make two bits, so l = 4 exactly."""
    groups = Groups.of({"s": [{"a": 4, "b": 1, "c": 1, "d": 1, "e": 1}]})
    scaled = one_group(np.array([4, 1, 1, 1, 1]) * 10**8)
    for table in (groups, scaled):
        assert EntropyLDiversity(l=4, of="s").holds(table).all()
        assert not EntropyLDiversity(l=4 + 1e-15, of="s").holds(table).any()
        assert not EntropyLDiversity(l=Fraction(4 * 10**30 + 1, 10**30), of="s").holds(table).any()


def test_one_person_in_a_billion_tips_the_scale() -> None:
    even = one_group(np.array([BILLION, BILLION]))
    uneven = one_group(np.array([BILLION, BILLION + 1]))
    for model in (
        EntropyLDiversity(l=2, of="s"),
        ProbabilisticLDiversity(l=2, of="s"),
        AlphaKAnonymity(alpha=0.5, k=1, of="s"),
    ):
        assert model.holds(even).all()
        assert not model.holds(uneven).any()
    assert RecursiveLDiversity(c=1.0000000011, l=2, of="s").holds(uneven).all()
    assert not RecursiveLDiversity(c=1.000000001, l=2, of="s").holds(uneven).any()


def test_parameters_with_many_digits_fall_back_to_the_same_answer() -> None:
    """Cross-multiplication would overflow; close levels are then decided one by one."""
    groups = Groups.of({"s": [{"a": 2 * 10**8, "b": 10**8}, {"a": 1, "b": 2}]})
    third = Fraction(1, 3)
    for hair, holds in (
        (Fraction(0), True),
        (Fraction(1, 10**25), True),
        (Fraction(-1, 10**25), False),
    ):
        share = AlphaKAnonymity(alpha=2 * third + hair, k=1, of="s")
        assert share.holds(groups).tolist() == [holds, holds]
        assert share.exactly(groups, 0) == holds
    assert ProsecutorRisk(risk=third + Fraction(1, 10**30)).holds(Groups.of([3])).all()
    assert not ProsecutorRisk(risk=third - Fraction(1, 10**30)).holds(Groups.of([3])).any()
    presence = DeltaPresence(minimum=third - Fraction(1, 10**30), maximum=third)
    assert presence.holds(Groups.of([1], population=[3])).all()
    presence = DeltaPresence(minimum=third + Fraction(1, 10**30), maximum=1)
    assert not presence.holds(Groups.of([1], population=[3])).any()


def test_decimals_mean_what_is_written() -> None:
    """0.1 + 0.2 is not 0.3 in doubles; three people in ten are 0.3 of them."""
    groups = Groups.of({"s": [{"a": 3, "b": 7}]})
    model: Any = AlphaKAnonymity(alpha=0.3, k=1, of="s", value="a")
    assert model.holds(groups).all()
    groups = Groups.of({"s": [{"a": 9, "b": 1}, {"a": 1, "b": 9}]})
    assert TCloseness(t=0.4, of="s").holds(groups).all()
    assert BetaLikeness(beta=0.8, of="s").holds(groups).all()
    assert not BetaLikeness(beta=0.7999999999999999, of="s").holds(groups).any()


def test_logarithms_close_to_the_threshold() -> None:
    """The first group's largest ratio is 3/2, so its level is ln 1.5 to all digits."""
    groups = Groups.of({"s": [{"a": 1, "b": 1}, {"a": 3, "b": 1}]})
    below, above = math.nextafter(math.log(1.5), 0), math.nextafter(math.log(1.5), 1)
    assert not DeltaDisclosure(delta=below, of="s").holds(groups)[0]
    assert DeltaDisclosure(delta=above, of="s").holds(groups)[0]


def test_enhanced_likeness_bounds_frequent_values_by_their_own_logarithm() -> None:
    """p = 1/2: a gain of at most ln 2 = 0.693. 27/32 gains 0.6875, 28/32 gains 0.75."""
    near = Groups.of({"s": [{"a": 27, "b": 5}, {"a": 5, "b": 27}]})
    beyond = Groups.of({"s": [{"a": 28, "b": 4}, {"a": 4, "b": 28}]})
    model = BetaLikeness(beta=5, of="s", kind="enhanced")
    assert model.level(near).tolist() == [0.6875, 0.6875]
    assert model.level(beyond).tolist() == [np.inf, np.inf]
    assert BetaLikeness(beta=5, of="s").holds(beyond).all()
    # Within one part in 10^9 of ln 2, on either side: decided without rounding.
    total = 2 * 10**9
    for share, holds in ((math.floor(total / 2 * (1 + math.log(2))), True),
                         (math.ceil(total / 2 * (1 + math.log(2))), False)):  # fmt: skip
        tipped = Groups.of({"s": [{"a": share, "b": total - share}]})
        domain = Sensitive("s", ("a", "b"), np.array([total // 2, total // 2]), total)
        tipped = Groups(tipped.n, tipped.histograms, {"s": domain})
        assert model.holds(tipped).tolist() == [holds]


def test_a_level_reached_exactly_is_reported_as_reached():
    """exp(entropy) of three equal counts, some more than others, is 3 but for rounding."""
    groups = Groups.of({"s": [{"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 2, "c": 2, "d": 0}]})
    verdict = EntropyLDiversity(l=3, of="s").check(groups)
    assert (verdict.holds, verdict.level) == (True, 3.0)
    mixed = Groups.of({"s": [{"a": 1, "b": 1, "c": 2}]})
    almost = EntropyLDiversity(l=2.8284271247461903, of="s").check(mixed)
    assert almost.holds == (almost.level >= almost.required)
