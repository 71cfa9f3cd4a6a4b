"""Hierarchy: building, order, shares, encoding, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from work import growth

from hedgerow.base.errors import HierarchyError
from hedgerow.table.hierarchy import Hierarchy

EUROPE = [
    ("Paris", "France", "*"),
    ("Oslo", "Norway", "*"),
    ("Lyon", "France", "*"),
]


def test_subtrees_stand_together_in_order_of_first_appearance() -> None:
    h = Hierarchy.of("city", EUROPE)
    assert h.values == ("Paris", "Lyon", "Oslo")
    assert h.labels == (("Paris", "Lyon", "Oslo"), ("France", "Norway"), ("*",))
    assert [c.tolist() for c in h.codes] == [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    assert all(c.dtype == np.int32 for c in h.codes)
    assert h.height == 2
    assert h.numbers is None


def test_leaves_shares_and_steps() -> None:
    h = Hierarchy.of("city", EUROPE)
    assert h.leaves(1).tolist() == [2, 1]
    assert h.share(1).tolist() == [2 / 3, 1 / 3]
    assert h.step(0, 1).tolist() == [0, 0, 1]
    assert h.step(1, 2).tolist() == [0, 0]
    assert h.step(1, 1).tolist() == [0, 1]


def test_numbers_are_ascending_with_missing_last() -> None:
    rows = [("10", "10+", "*"), (None, None, "*"), ("9", "<10", "*"), ("11", "10+", "*")]
    h = Hierarchy.of("n", rows, numbers=[10, float("nan"), 9, 11])
    assert h.values == ("9", "10", "11", None)
    assert h.labels[1] == ("<10", "10+", None)
    assert h.numbers is not None
    assert h.numbers[:3].tolist() == [9, 10, 11]
    assert np.isnan(h.numbers[3])


def test_encode() -> None:
    h = Hierarchy.of("city", EUROPE)
    assert h.encode(["Oslo", "Paris", "Oslo"]).tolist() == [2, 0, 2]
    assert h.encode([]).tolist() == []
    with pytest.raises(HierarchyError, match="does not cover 'Rome' and missing"):
        h.encode(["Rome", "Paris", None])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "no values"),
        ([()], "number of levels"),
        ([("a", "*"), ("b",)], "'b' has another number of levels"),
        ([("a", "*"), ("b", "*"), ("a", "*")], "'a' stand"),
        ([("a", "x", "1"), ("b", "x", "2")], "level 2 does not coarsen level 1: 'x'"),
    ],
)
def test_refuses(rows: list[tuple[str, ...]], says: str) -> None:
    with pytest.raises(HierarchyError, match=says) as caught:
        Hierarchy.of("c", rows, where="plan.yaml:3")
    assert caught.value.where == "plan.yaml:3"


def test_refuses_to_join_numbers_that_are_not_neighbours() -> None:
    rows = [("1", "odd"), ("2", "even"), ("3", "odd")]
    with pytest.raises(HierarchyError, match="level 1 joins numbers that are not neighbours"):
        Hierarchy.of("n", rows, numbers=[1, 2, 3])


def test_names_at_most_ten_offenders() -> None:
    rows = [(str(i % 20), "*") for i in range(40)]
    with pytest.raises(HierarchyError, match="and 10 more"):
        Hierarchy.of("n", rows)


def test_a_hundred_thousand_values_bind_one_by_one() -> None:
    def bound(values: int) -> Hierarchy:
        rows = [(f"v{i}", f"w{i // 7}", f"x{i // 700}", "*") for i in range(values)]
        return Hierarchy.of("v", rows)

    assert growth(bound, 2_000, 4_000) < 2.2, "quadratic code is at 4"
    assert bound(100_000).size(0) == 100_000
