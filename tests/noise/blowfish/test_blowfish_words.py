"""A policy in words, and what answers under it cost together."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from noise import oracle

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.composition import (
    from_differential_privacy,
    parallel_cells,
    parallel_rows,
    sequential,
)
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold, line
from hedgerow.noise.blowfish.listed_graphs import Explicit, Grid, Near
from hedgerow.noise.blowfish.policy import Policy
from hedgerow.noise.blowfish.words import describe, factor
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbouring, Neighbours

PLAN = Policy(
    {
        "age": Threshold(range(121), 5),
        "disease": Partition((0, 0, 1, 1)),
        "place": Near(
            ((52.5, 13.4), (52.55, 13.4), (48.1, 11.6)), within=10, metric="great-circle"
        ),
    }
)
TWO = Policy({"age": line(4)})


def test_what_is_not_protected_comes_first() -> None:
    lines = describe(PLAN, loss=Pure(epsilon="0.1"), units={"age": "years"})
    kinds = [line_.partition(":")[0] for line_ in lines]
    assert kinds[0] == "Not protected"
    assert kinds.index("Protected") > max(i for i, k in enumerate(kinds) if k == "Not protected")
    text = "\n".join(lines)
    assert "in which of 2 groups of values somebody's disease is. It may be published" in text
    assert "in which of 2 groups of values somebody's place is" in text
    assert "how many rows there are" in text
    assert "at most 5 years apart, by a factor of 1.11." in text
    assert "1.23 for two steps, 11.03 for the 24 that are always enough" in text
    assert "at most 10 km apart (great-circle)" in text
    assert "Where several of the 3 change at once, the largest of their factors holds" in text


def test_groups_are_named_where_labels_are_known() -> None:
    lines = describe(PLAN, labels={"disease": ("flu", "cold", "ulcer", None)})
    assert lines[0].endswith("The groups: 'flu' and 'cold'; 'ulcer' and missing.")
    many = Policy({"disease": Partition((0, 0, 1, 2, 3, 4))})
    assert "and 2 more" in describe(many, labels={"disease": "abcdef"})[0]


def test_other_policies_in_words() -> None:
    assert "Protected: nothing. No two values are joined." in describe(
        Policy({"sex": Partition.known(2)})
    )
    assert "anything about sex" in describe(Policy({"sex": Partition.known(2)}))[0]
    attribute = Policy({"a": Full(3), "b": Full(3), "c": Full(2)}, at_once=2)
    assert any("at most 2 of the 3 at once" in text for text in describe(attribute))
    box = Policy({("r", "g", "b"): Grid((4, 4, 4), 2)})
    assert "values of r, g and b at most 2 steps apart (L1)" in "\n".join(describe(box))
    assert "1 listed pairs" in "\n".join(describe(Policy({"a": Explicit(2, ((0, 1),))})))


def test_factors_are_rounded_up() -> None:
    for steps in (1, 7, 40, 150):
        shown = float(factor(steps, Pure(epsilon="0.1")))
        assert math.exp(steps / 10) <= shown <= math.exp(steps / 10) * 1.01 + 1
    assert factor(1000, Pure(epsilon=1)) == "e^1e+03"
    assert "more than" in factor(10_000, Pure(epsilon=1))
    assert factor(1) == "e^epsilon"


def test_losses_add_up_under_one_policy_only() -> None:
    policy, loss = sequential(
        [(TWO, Pure(epsilon="0.1")), (Policy({"age": line(4)}), Pure(epsilon="0.2"))]
    )
    assert (policy, loss) == (TWO, Pure(epsilon="0.3"))
    for other in (PLAN, Policy({"age": line(5)}), Policy({"age": Full(4)})):
        with pytest.raises(PlanError, match="different policies"):
            sequential([(TWO, Pure(epsilon=1)), (other, Pure(epsilon=1))])
    with pytest.raises(PlanError, match="no losses"):
        sequential([])


def test_parallel_where_it_is_sound() -> None:
    blocks = Policy({"disease": Partition((0, 0, 1, 1))})
    spent = [(blocks, Pure(epsilon=1)), (blocks, Pure(epsilon=2))]
    assert parallel_cells(spent, by={"disease": [0, 0, 1, 1]})[1] == Pure(epsilon=2)
    assert parallel_rows(spent)[1] == Pure(epsilon=2)
    rho = [(blocks, ZeroConcentrated(rho=r)) for r in (1, 3)]
    assert parallel_rows(rho)[1] == ZeroConcentrated(rho=3)
    delta = [
        (blocks, Approximate(epsilon=1, delta="1e-3")),
        (blocks, Approximate(epsilon=2, delta="1e-6")),
    ]
    assert parallel_rows(delta)[1] == Approximate(epsilon=2, delta="1e-3")
    for by in ([0, 1, 1, 1], [0, 0, 0, -1]):
        with pytest.raises(PlanError, match="crosses"):
            parallel_cells(spent, by={"disease": by})
    with pytest.raises(PlanError, match="up to 2 rows"):
        parallel_rows(spent, changed=2)
    with pytest.raises(PlanError, match="up to 2 rows"):
        parallel_cells(spent, by={"disease": [0, 0, 1, 1]}, changed=2)
    with pytest.raises(PlanError, match="different kinds"):
        parallel_rows([spent[0], rho[0]])


def test_why_groups_that_an_edge_crosses_are_refused() -> None:
    """Counts of two halves of a line, each of loss 1: together a step loses 2."""
    one = Fraction(1)
    here, there = (
        oracle.together(*(oracle.laplace(n, one, range(-3, 5)) for n in halves))
        for halves in ((1, 0), (0, 1))
    )
    assert not oracle.keeps_pure(here, there, one)
    assert oracle.keeps_pure(here, there, 2 * one)


def test_ordinary_losses_hold_under_every_policy() -> None:
    change = Neighbours(kind=Neighbouring.CHANGE_ONE)
    add = Neighbours(kind=Neighbouring.ADD_REMOVE)
    loss = Pure(epsilon=1)
    assert from_differential_privacy(loss, neighbours=change) == loss
    assert from_differential_privacy(loss, neighbours=add) == Pure(epsilon=2)
    assert from_differential_privacy(loss, neighbours=add, changed=3) == Pure(epsilon=6)
    assert TWO.change_one(loss) == Pure(epsilon=3)
    assert Policy({"a": Full(3), "b": Full(9)}).change_one(loss) == loss
    assert Policy({"a": Full(3), "b": Full(9)}, at_once=1).change_one(loss) == Pure(epsilon=2)
    assert TWO.neighbours == change
    assert Policy({"a": Full(3), "b": line(2)}).size == 6
