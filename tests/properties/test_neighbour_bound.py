"""The bound of local recoding against every way to put a few people into groups."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import cells_of

from hedgerow.claims import KAnonymity
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.local import local
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.metrics.weights import Weighting
from hedgerow.recode.neighbour_bound import neighbour_bound
from hedgerow.recode.outcome import Outcome, Spans
from hedgerow.table.hierarchy import Hierarchy

COLUMNS = [
    Hierarchy.of("a", [(str(i), f"{i // 2}x", f"{i // 4}y", "*") for i in range(8)]),
    Hierarchy.of("b", [("u", "uv"), ("v", "uv"), ("w", "w")]),
]


def partitions(people: int, least: int, out: int) -> Iterator[list[list[int]]]:
    """Every way to suppress `out` people at most and divide the rest into groups of `least`."""

    def divided(left: list[int], groups: list[list[int]], gone: int) -> Iterator[list[list[int]]]:
        if not left:
            if all(len(group) >= least for group in groups):
                yield [list(group) for group in groups]
            return
        first, rest = left[0], left[1:]
        for group in groups:
            group.append(first)
            yield from divided(rest, groups, gone)
            group.pop()
        yield from divided(rest, [*groups, [first]], gone)
        if gone < out:
            yield from divided(rest, groups, gone + 1)

    return divided(list(range(people)), [], 0)


def published(
    rows: list[tuple[int, ...]], lowest: tuple[int, ...]
) -> tuple[list[int], list[int], list[float]]:
    """The first and last leaf, and the height, of what people are published as together."""
    low, high, rung = [], [], []
    for j, h in enumerate(COLUMNS):
        leaves = [row[j] for row in rows]
        for level in range(lowest[j], h.height + 1):
            if len({int(h.codes[level][leaf]) for leaf in leaves}) == 1:
                same = np.flatnonzero(h.codes[level] == h.codes[level][leaves[0]])
                low.append(int(same[0]))
                high.append(int(same[-1]))
                rung.append(level / h.height)
                break
        else:
            low.append(0)
            high.append(len(h.values) - 1)
            rung.append(1.0)
    return low, high, rung


METRICS_ASKED = [
    METRICS["loss"], METRICS["granularity"], METRICS["precision"], METRICS["non-uniform-entropy"],
    METRICS["loss"].weighed(Weighting(weights=(3.0, 1.0))),
    METRICS["loss"].weighed(Weighting(suppression=0.2)),
    METRICS["precision"].weighed(Weighting(suppression=0.8)),
]  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 2)), min_size=3, max_size=7),
       st.integers(2, 3), st.integers(0, 2), st.sampled_from(METRICS_ASKED),
       st.sampled_from([(0, 0), (1, 0)]))  # fmt: skip
def test_no_partition_costs_less(rows, least, limit, metric, lowest):
    names = [tuple(h.values[leaf] for h, leaf in zip(COLUMNS, row, strict=True)) for row in rows]
    cells = cells_of(names, COLUMNS)
    bounds = {h.name: (b, h.height) for h, b in zip(COLUMNS, lowest, strict=True)}
    lattice = Lattice.of(cells, bounds)
    costs = []
    for groups in partitions(len(rows), least, limit):
        spans = [published([rows[i] for i in group], lowest) for group in groups]
        low, high, rung = (np.array([span[i] for span in spans]).reshape(-1, 2) for i in range(3))
        n = np.array([len(group) for group in groups], np.int64)
        made = Spans(low.astype(np.int32), high.astype(np.int32), rung.astype(np.float64))
        gone = len(rows) - int(n.sum())
        costs.append(metric.cost(Outcome(lattice.original, n, gone, lambda made=made: made)))
    if not costs:
        return
    for cost in (max(costs), min(costs)):
        bound = neighbour_bound(lattice, [KAnonymity(k=least)], metric, limit=limit, cost=cost)
        assert bound is not None
        assert bound <= min(costs) + 1e-12


def test_the_bound_is_reached_and_grows_with_k():
    """Two pairs of neighbours: nobody does better than to be with their neighbour."""
    cells = cells_of([("0", "u"), ("1", "u"), ("6", "w"), ("7", "w")], COLUMNS)
    lattice, metric = Lattice.of(cells), METRICS["granularity"]
    found = local(cells, [KAnonymity(k=2)])
    cost = metric.cost(found.outcome(lattice.original))
    bounds = [
        neighbour_bound(lattice, [KAnonymity(k=k)], metric, limit=0, cost=1.0) for k in (2, 3, 4)
    ]
    assert bounds[0] == pytest.approx(cost, rel=1e-6)
    assert bounds == sorted(bounds)
    assert bounds[2] > bounds[0]
    by_size = METRICS["discernibility"]
    assert neighbour_bound(lattice, [KAnonymity(k=1)], metric, limit=0, cost=1.0) is None
    assert neighbour_bound(lattice, [KAnonymity(k=2)], by_size, limit=0, cost=9.0) is None
