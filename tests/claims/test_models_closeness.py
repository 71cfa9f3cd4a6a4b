"""Earth mover's distances against the definition: the cheapest way to move everybody."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError, PlanError
from hedgerow.claims.closeness import TCloseness, taxonomy
from hedgerow.table.groups import Groups, Sensitive

LEVEL_1 = [0, 0, 1, 1]


def cheapest(group: list[int], table: list[int], far: Any) -> Fraction:
    """Average distance of the best one-to-one assignment; the group repeated to table size."""
    movers = group * (len(table) // len(group))
    best = min(
        sum((far(a, b) for a, b in zip(movers, order, strict=True)), Fraction(0))
        for order in set(permutations(table))
    )
    return best / len(table)


@settings(max_examples=60, deadline=None)
@given(
    first=st.sampled_from([1, 2, 3]).flatmap(
        lambda n: st.lists(st.integers(0, 3), min_size=n, max_size=n)
    ),
    data=st.data(),
)
def test_distances_are_the_cheapest_move(first: list[int], data: Any) -> None:
    rest = data.draw(st.lists(st.integers(0, 3), min_size=6 - len(first), max_size=6 - len(first)))
    table = first + rest
    counts = [dict(Counter(map(str, part))) for part in (first, rest)]
    groups = Groups.of(
        {"s": counts},
        order={"s": ["0", "1", "2", "3"]},
        levels={"s": [LEVEL_1, [0, 0, 0, 0]]},
    )
    ranks = {value: rank for rank, value in enumerate(sorted(set(table)))}
    steps = max(1, len(ranks) - 1)

    def tree(a: int, b: int) -> Fraction:
        height = 0 if a == b else 1 if LEVEL_1[a] == LEVEL_1[b] else 2
        return Fraction(height, 2)

    ground = {
        "equal": lambda a, b: Fraction(a != b),
        "ordered": lambda a, b: Fraction(abs(ranks[a] - ranks[b]), steps),
        "hierarchical": tree,
    }
    for distance, far in ground.items():
        model = TCloseness(t=1, of="s", distance=distance)  # type: ignore[arg-type]
        true = cheapest(first, table, far)
        (above, below) = model.ratios(groups)[0]
        assert Fraction(int(above[0]), int(below[0])) == true, distance


def test_vectors_of_the_t_closeness_paper() -> None:
    """Salaries 3k..11k, groups {3,4,5}, {6,8,11}: 3/8 and 1/6; equal distance 2/3."""
    salary = [{"3": 1, "4": 1, "5": 1}, {"6": 1, "8": 1, "11": 1}, {"7": 1, "9": 1, "10": 1}]
    groups = Groups.of({"salary": salary}, order={"salary": [str(v) for v in range(3, 12)]})

    def ratio(distance: Any, g: int) -> Fraction:
        above, below = TCloseness(t=1, of="salary", distance=distance).ratios(groups)[0]
        return Fraction(int(above[g]), int(below[g]))

    assert ratio("ordered", 0) == Fraction(3, 8)
    assert ratio("ordered", 1) == Fraction(1, 6)
    assert [ratio("equal", g) for g in range(3)] == [Fraction(2, 3)] * 3


def test_a_threshold_that_is_met_exactly_is_met() -> None:
    groups = Groups.of({"s": [{"a": 2, "b": 8}, {"a": 4, "b": 6}]})
    model = TCloseness(t=0.1, of="s")
    assert model.holds(groups).all()
    assert not TCloseness(t=0.0999999999999, of="s").holds(groups).any()


def test_height_one_tree_is_the_equal_distance_and_a_missing_root_is_added() -> None:
    counts = {"s": [{"a": 3, "b": 1}, {"b": 2, "c": 5}, {"d": 1}]}
    flat = Groups.of(counts, levels={"s": [[0, 0, 0, 0]]})
    rootless = Groups.of(counts, levels={"s": [[0, 0, 1, 1]]})
    rooted = Groups.of(counts, levels={"s": [[0, 0, 1, 1], [0, 0, 0, 0]]})
    tree = TCloseness(t=1, of="s", distance="hierarchical")
    assert tree.level(flat).tolist() == TCloseness(t=1, of="s").level(flat).tolist()
    assert tree.level(rootless).tolist() == tree.level(rooted).tolist()
    assert taxonomy(rootless.domains["s"])[0].tolist() == [4, 2, 1]


def test_ancestors_may_have_any_numbers() -> None:
    """A column holds few of a large hierarchy's leaves, so the codes above have gaps."""
    counts = {"s": [{"a": 3, "b": 1}, {"b": 2, "c": 5}]}
    gaps = Groups.of(counts, levels={"s": [[70, 900, 900], [5, 5, 5]]})
    dense = Groups.of(counts, levels={"s": [[0, 1, 1], [0, 0, 0]]})
    tree = TCloseness(t=1, of="s", distance="hierarchical")
    assert tree.level(gaps).tolist() == tree.level(dense).tolist()


def test_values_the_table_lacks_take_no_place_in_the_order() -> None:
    counts = {"s": [{"a": 1}, {"c": 1}]}
    groups = Groups.of(counts, order={"s": ["a", "b", "c"]})
    level = TCloseness(t=1, of="s", distance="ordered").level(groups)
    assert level.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_value_unknown_to_the_table_is_infinitely_far(distance: Any) -> None:
    groups = Groups.of({"s": [{"a": 1, "b": 1}]}, levels={"s": [[0, 0]]})
    domain = groups.domains["s"]
    stale = Sensitive("s", domain.values, np.array([2, 0]), 2, domain.levels)
    groups = Groups(groups.n, groups.histograms, {"s": stale})
    assert TCloseness(t=1, of="s", distance=distance).level(groups).tolist() == [np.inf]


def test_one_value_only_and_the_whole_table_are_at_distance_zero() -> None:
    for distance in ("equal", "ordered", "hierarchical"):
        model = TCloseness(t=0, of="s", distance=distance)  # type: ignore[arg-type]
        assert model.holds(Groups.of({"s": [{"a": 3}, {"a": 1}]}, levels={"s": [[0]]})).all()
        whole = Groups.of({"s": [{"a": 3, "b": 4, "c": 7}]}, levels={"s": [[0, 0, 1]]})
        assert model.check(whole).level == 0
        assert model.holds(whole).all()


def test_the_reference_is_the_whole_table_suppressed_people_included() -> None:
    groups = Groups.of({"s": [{"a": 1, "b": 1}, {"a": 2}]})
    left = groups.take(np.array([0]))
    assert TCloseness(t=1, of="s").level(left).tolist() == [0.25]


def test_no_hierarchy_and_too_many_people_are_refused() -> None:
    groups = Groups.of({"s": [{"a": 1, "b": 1}]})
    with pytest.raises(PlanError, match="no hierarchy"):
        TCloseness(t=0.2, of="s", distance="hierarchical").level(groups)
    crowd = Groups.of({"s": [{"a": 2**32, "b": 2**32}]})
    with pytest.raises(DataError, match="too many"):
        TCloseness(t=0.2, of="s", distance="ordered").level(crowd)


def test_people_with_several_values_are_compared_as_people() -> None:
    """In pairs the first group looks like the table; of its people all have a, of all 5/8."""
    groups = Groups.of({"s": [{"a": 2, "b": 2}, {"a": 3, "b": 3}]}, n=[2, 6])
    model = TCloseness(t=0.375, of="s")
    assert model.level(groups).tolist() == [0.375, 0.125]
    assert model.holds(groups).tolist() == [True, True]
    assert TCloseness(t=0.374, of="s").holds(groups).tolist() == [False, True]
