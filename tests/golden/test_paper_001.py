"""Machanavajjhala, Gehrke, Goetz 2009: Tables 1 and 3, the partition-based claims.

The epsilon-privacy of Table 3 is another model's business; here are its sizes and shares.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from asked_beliefs import one

from hedgerow.claims import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from hedgerow.table.groups import Groups

# Table 1, inpatient microdata: 130** < 30, 1485* >= 40, 130** 3*.
TABLE_1 = Groups.of(
    {
        "disease": [
            {"heart disease": 2, "viral infection": 2},
            {"cancer": 1, "heart disease": 1, "viral infection": 2},
            {"cancer": 4},
        ]
    }
)
# Table 3: (< 40, M), (>= 40, M), (>= 40, F).
TABLE_3 = Groups.of(
    {
        "disease": [
            {"flu": 200, "cancer": 300},
            {"flu": 1800, "cancer": 2700},
            {"flu": 18000, "cancer": 2000},
        ]
    }
)


def test_table_1_is_4_anonymous_and_not_diverse() -> None:
    """Example 1: Alice deduces that Rachel (130**, 35) has cancer, since all of her group have."""
    assert TABLE_1.n.tolist() == [4, 4, 4]
    assert KAnonymity(k=4).check(TABLE_1).holds
    assert not KAnonymity(k=5).check(TABLE_1).holds
    distinct = DistinctLDiversity(l=2, of="disease")
    assert distinct.level(TABLE_1).tolist() == [2, 3, 1]
    assert distinct.holds(TABLE_1).tolist() == [True, True, False]
    assert distinct.check(TABLE_1).worst == 2
    assert ProbabilisticLDiversity(l=2, of="disease").level(TABLE_1).tolist() == [2, 2, 1]
    rows = [{"heart disease": 2, "viral infection": 2}, {"cancer": 1}, {"cancer": 4}]
    assert one([rows], 2) == {"cancer": Fraction(1)}, "Rachel"
    # Ruled out heart disease, those below 30 have a viral infection.
    assert one([rows], 0, ruled_out=["heart disease"]) == {"viral infection": Fraction(1)}


def test_table_1_entropy_levels() -> None:
    """2, 2.8284 and 1; the second is 2 * sqrt(2)."""
    entropy = EntropyLDiversity(l=2, of="disease")
    assert entropy.level(TABLE_1) == pytest.approx([2, 2 * 2**0.5, 1], rel=1e-15)
    assert entropy.holds(TABLE_1).tolist() == [True, True, False]
    assert not EntropyLDiversity(l=2.8285, of="disease").holds(TABLE_1)[1]
    assert EntropyLDiversity(l=2.8284, of="disease").holds(TABLE_1)[1]


def test_table_3_sizes_and_shares() -> None:
    """Males have flu and cancer 2 : 3, females 9 : 1 (Example 3: "p_in(flu) = 0.9")."""
    assert TABLE_3.n.tolist() == [500, 4500, 20000]
    assert KAnonymity(k=500).check(TABLE_3).holds
    counts = zip(TABLE_3.histograms["disease"].dense(2), TABLE_3.n, strict=True)
    shares = [[Fraction(int(c), int(n)) for c in row] for row, n in counts]
    assert shares[0] == shares[1] == [Fraction(2, 5), Fraction(3, 5)]
    assert shares[2] == [Fraction(9, 10), Fraction(1, 10)]
    flu = TABLE_3.domains["disease"]
    assert Fraction(int(flu.reference[0]), flu.people) == Fraction(20000, 25000)


def test_table_3_diversity_is_strict() -> None:
    """(c, 2)-diversity: c = 9 is not enough for the females, anything above is: the paper's
    "at most c/(c+1)" is not the strict ICDE 2006 definition."""
    level = RecursiveLDiversity(c=9, l=2, of="disease").level(TABLE_3)
    assert level.tolist() == [1.5, 1.5, 9]
    assert not RecursiveLDiversity(c=9, l=2, of="disease").holds(TABLE_3)[2]
    assert RecursiveLDiversity(c=9.0001, l=2, of="disease").holds(TABLE_3).all()


def test_table_3_closeness() -> None:
    """80 % have flu: the males are 0.4 away, the females 0.1."""
    model = TCloseness(t=0.4, of="disease")
    assert model.level(TABLE_3).tolist() == [0.4, 0.4, 0.1]
    assert model.holds(TABLE_3).all()
    assert TCloseness(t=0.3999999999999999, of="disease").holds(TABLE_3).tolist() == [
        False, False, True,
    ]  # fmt: skip
