"""Mistakes found in other tools, each a test of the models here."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.claims import (
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
)
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Groups
from hedgerow.table.hierarchy import Hierarchy


def test_someone_with_a_missing_quasi_identifier_is_still_someone() -> None:
    """Dropping incomplete rows reports k = 10 for a table with a unique person."""
    postcode = Hierarchy.of("zip", [("13053", "*"), (None, "*")])
    cells = Cells(
        (postcode,),
        postcode.encode(["13053", None]).reshape(2, 1),
        np.array([10, 1]),
        np.array([10, 1]),
    )
    tuples, into = cells.tuples
    groups = cells.groups(into, len(tuples))
    assert groups.n.tolist() == [10, 1]
    assert KAnonymity(k=10).check(groups).level == 1
    assert not KAnonymity(k=2).check(groups).holds
    assert UniqueShare(share=0.01).check(groups).level == pytest.approx(1 / 11)


def test_a_missing_sensitive_value_is_a_value() -> None:
    groups = Groups.of({"s": [{"flu": 1, None: 1}]})
    assert DistinctLDiversity(l=2, of="s").holds(groups).all()


def test_recursive_diversity_sorts_descending() -> None:
    """Sorted ascending, 98 / 1 / 1 counts as (1, 3)-diverse; the true c exceeds 98."""
    groups = Groups.of({"s": [{"HIV": 98, "pneumonia": 1, "bronchitis": 1}]})
    assert not RecursiveLDiversity(c=1, l=3, of="s").holds(groups).any()
    assert RecursiveLDiversity(c=1, l=3, of="s").level(groups).tolist() == [98]
    assert not RecursiveLDiversity(c=98, l=3, of="s").holds(groups).any()
    assert RecursiveLDiversity(c=98.01, l=3, of="s").holds(groups).all()
    backwards = Groups.of({"s": [{"bronchitis": 1, "pneumonia": 1, "HIV": 98}]})
    assert RecursiveLDiversity(c=1, l=3, of="s").level(backwards).tolist() == [98]


def test_entropy_diversity_is_not_cut_to_a_whole_number() -> None:
    """Two equally frequent values are entropy 2-diverse, not 1; 1, 1, 2 give 2.83, not 2."""
    groups = Groups.of({"s": [{"a": 5, "b": 5}, {"a": 1, "b": 1, "c": 2}]})
    assert EntropyLDiversity(l=2, of="s").level(groups) == pytest.approx([2, 8**0.5])
    assert EntropyLDiversity(l=2, of="s").holds(groups).all()
    assert EntropyLDiversity(l=2.8, of="s").holds(groups).tolist() == [False, True]


@pytest.mark.parametrize("values", [2, 3, 5, 6, 7, 10, 49, 100])
def test_entropy_of_exactly_ln_l_passes(values: int) -> None:
    """Compared in doubles, the entropy of equal counts falls short of ln l for some l."""
    for count in (1, 2, 3, 7):
        groups = Groups.of({"s": [{str(v): count for v in range(values)}]})
        assert EntropyLDiversity(l=values, of="s").holds(groups).all()
        assert EntropyLDiversity(l=values, of="s").exactly(groups, 0)
        beyond = Fraction(values) + Fraction(1, 10**20)
        assert not EntropyLDiversity(l=beyond, of="s").holds(groups).any()


def test_a_frequency_of_zero_is_infinite_disclosure() -> None:
    """Skipping absent values calls a group private that rules a disease out."""
    groups = Groups.of({"s": [{"flu": 2, "cancer": 1}, {"flu": 3}]})
    level = DeltaDisclosure(delta=100, of="s").level(groups)
    assert np.isfinite(level[0])
    assert level[1] == np.inf
    assert DeltaDisclosure(delta=100, of="s").holds(groups).tolist() == [True, False]


def test_groups_are_found_by_content_not_by_label() -> None:
    """With row labels taken for positions, two homogeneous groups get l = 2 and t = 0."""
    groups = Groups.of({"s": [{"a": 2}, {"b": 2}]})
    assert DistinctLDiversity(l=2, of="s").check(groups).level == 1
    assert TCloseness(t=0, of="s").check(groups).level == 0.5
    more = Groups.of({"s": [{"a": 2}, {"b": 1, "c": 4}, {"c": 1}]})
    order = np.array([2, 0, 1])
    for model in (DistinctLDiversity(l=2, of="s"), TCloseness(t=0.3, of="s"), KAnonymity(k=2)):
        shuffled = more.take(order)
        assert model.level(shuffled).tolist() == model.level(more)[order].tolist()
        assert model.holds(shuffled).tolist() == model.holds(more)[order].tolist()


def test_the_threshold_is_the_one_that_was_asked_for() -> None:
    """Overwritten on the way, t = 0.01 and t = 0.9 give the same release."""
    groups = Groups.of({"s": [{"a": 3, "b": 1}, {"a": 1, "b": 3}]})
    assert not TCloseness(t=0.01, of="s").check(groups).holds
    assert TCloseness(t=0.9, of="s").check(groups).holds
