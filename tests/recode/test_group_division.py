"""Groups that are divided anew and joined: what is kept, and what it costs.

Costs are counted here from the hierarchies, tuple by tuple.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import cells_of

from hedgerow.claims import DistinctLDiversity, EntropyLDiversity, KAnonymity, TCloseness
from hedgerow.recode.group_division import regrouped
from hedgerow.recode.group_extents import extents_of, in_order, ladders_of
from hedgerow.recode.group_union import united_until_kept
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.local import local
from hedgerow.recode.metrics import METRICS
from hedgerow.table.hierarchy import Hierarchy

COLUMNS = [
    Hierarchy.of("a", [(str(i), f"{i // 2}x", f"{i // 4}y", "*") for i in range(8)]),
    Hierarchy.of("b", [("u", "uv"), ("v", "uv"), ("w", "w")]),
]
ROWS = st.lists(
    st.tuples(*(st.sampled_from(h.values) for h in COLUMNS), st.sampled_from("xyz")),
    min_size=4, max_size=40,
)  # fmt: skip
GRANULARITY = METRICS["granularity"]


def price(rows: list[tuple[str, ...]]) -> float:
    """What a person of a group pays, by hand: shares of leaves, rescaled, averaged."""
    shares = []
    for j, h in enumerate(COLUMNS):
        leaves = {h.values.index(row[j]) for row in rows}
        for level in range(h.height + 1):
            codes = {int(h.codes[level][leaf]) for leaf in leaves}
            if len(codes) == 1:
                shares.append(h.share(level)[codes.pop()])
                break
        else:
            shares.append(1.0)
    return sum((s - 1 / len(h.values)) / (1 - 1 / len(h.values))
               for s, h in zip(shares, COLUMNS, strict=True)) / len(COLUMNS)  # fmt: skip


def total(cells: object, tuples: np.ndarray, people: np.ndarray, group: np.ndarray) -> float:
    found = 0.0
    for g in np.unique(group):
        mine = np.flatnonzero(group == g)
        rows = [tuple(h.values[c] for h, c in zip(COLUMNS, tuples[x], strict=True)) for x in mine]
        found += price(rows) * int(people[mine].sum())
    return found / int(people.sum())


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(2, 4), st.randoms(use_true_random=False))
def test_groups_stay_large_enough_and_never_cost_more(rows, least, random):
    cells = cells_of(rows, COLUMNS, sensitive=["s"])
    lattice = Lattice.of(cells)
    if len(rows) < least:
        return
    tuples, of_cell = cells.tuples
    order = in_order(tuples)
    people = np.bincount(of_cell, weights=cells.n, minlength=len(tuples)).astype(np.int64)[order]
    leaves = tuples[order].astype(np.int64)
    group = np.zeros(len(leaves), np.int64)
    drawn = [random.randrange(4) for _ in leaves]
    sizes = np.bincount(drawn, weights=people, minlength=4)
    group = np.array([g if sizes[g] >= least else int(sizes.argmax()) for g in drawn])
    if np.bincount(group, weights=people, minlength=4)[np.unique(group)].min() < least:
        group = np.zeros(len(leaves), np.int64)
    ladders = ladders_of(lattice, GRANULARITY, np.zeros(2))
    made = regrouped(ladders, leaves, people, group, least)
    assert np.bincount(made, weights=people).min() >= least
    assert total(cells, leaves, people, made) <= total(cells, leaves, people, group) + 1e-9
    extents = extents_of(ladders, leaves, people, made, int(made.max()) + 1)
    cost = float((extents.cost * extents.people).sum())  # of all people, as a mean
    offset = sum(1 / len(h.values) / (1 - 1 / len(h.values)) for h in COLUMNS) / 2
    assert cost - offset == pytest.approx(total(cells, leaves, people, made))


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from([
    [KAnonymity(k=2), EntropyLDiversity(l=2, of="s")], [TCloseness(t=0.3, of="s")],
    [DistinctLDiversity(l=2, of="s"), KAnonymity(k=3)],
]))  # fmt: skip
def test_failing_groups_join_others_until_the_claims_hold(rows, models):
    cells = cells_of(rows, COLUMNS, sensitive=["s"])
    tuples, of_cell = cells.tuples
    people = cells.groups(of_cell, len(tuples))
    ladders = ladders_of(Lattice.of(cells), GRANULARITY, np.zeros(2))
    everybody = people.merge(np.zeros(len(tuples), np.int64), 1)
    alone = np.arange(len(tuples))
    made = united_until_kept(ladders, tuples.astype(np.int64), people, alone, models)
    if made is None:
        assert not all(model.holds(everybody).all() for model in models)
        return
    groups = people.merge(made, int(made.max()) + 1)
    assert all(model.holds(groups).all() for model in models)


def test_two_groups_are_divided_as_neighbours_stand():
    """0, 1 and 6, 7 are neighbours; the walk is told to begin with 0, 6 and 1, 7."""
    cells = cells_of([("0", "u"), ("1", "u"), ("6", "u"), ("7", "u")], COLUMNS)
    tuples, _ = cells.tuples
    leaves = tuples[in_order(tuples)].astype(np.int64)
    ladders = ladders_of(Lattice.of(cells), GRANULARITY, np.zeros(2))
    made = regrouped(ladders, leaves, np.ones(4, np.int64), np.array([0, 1, 0, 1]), 2)
    assert made.tolist() == [0, 0, 1, 1]


def test_the_order_of_rows_does_not_matter():
    random = np.random.default_rng(3)
    rows = [(str(min(7, random.geometric(0.3) - 1)), "uvw"[random.integers(3)],
             "xyz"[random.integers(3)]) for _ in range(60)]  # fmt: skip
    models = [KAnonymity(k=3), EntropyLDiversity(l=2, of="s")]
    found = []
    for some in (rows, rows[::-1], sorted(rows)):
        made = local(cells_of(some, COLUMNS, sensitive=["s"], order={"s": "xyz"}), models)
        kept = zip(made.people, made.group, strict=True)
        count: dict[tuple[str | None, ...], int] = {}
        for people, g in kept:
            label = tuple(column[g] for column in made.labels)
            count[label] = count.get(label, 0) + int(people)
        found.append(count)
    assert all(a == b for a, b in pairwise(found))
