"""The nodes of a lattice that keep the claims, from the cheapest on."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator

import numpy as np

from hedgerow.recode.lattice import Node
from hedgerow.recode.search import Search

MOST = 100_000
"""Nodes that are measured one by one where nothing bounds their cost."""


def cheapest_solutions(
    search: Search, *, seconds: float, progress: Callable[[float], None] | None = None
) -> Iterator[tuple[float, Node]]:
    """Cost and node of each solution, ascending; until the time is over.

    A node whose cost is known from its levels alone is not measured before it could be next.
    """
    lattice, limits, costs = search.lattice, search.constraints, search.costs
    deadline = time.monotonic() + seconds
    if costs is None:
        if lattice.size > MOST:
            return
        found = []
        for frequency in lattice.frequencies():
            known = search.evaluate(frequency)
            if known.feasible[0]:
                found.append((float(known.cost[0]), frequency.node))
            if time.monotonic() > deadline:
                break
        yield from sorted(found)
        return
    room = limits.limit - lattice.original.absent

    def least(node: Node) -> float:
        totals = costs.floor(node, costs.published(node), room)
        return float(costs.metric.combine(totals, lattice.original))

    heap = [(least(lattice.bottom), False, lattice.bottom, 0)]
    while heap and time.monotonic() < deadline:
        cost, measured, node, first = heapq.heappop(heap)
        if measured:
            yield cost, node
            continue
        known = search.evaluate(lattice.roll_up(lattice.base, node))
        if progress is not None:
            progress(min(1.0, search.evaluated / lattice.size))
        if known.feasible[0] and np.isfinite(known.cost[0]):
            heapq.heappush(heap, (float(known.cost[0]), True, node, 0))
        # Each node has one parent here: the last column that is above the bottom.
        for j in range(first, len(node)):
            if node[j] < lattice.top[j]:
                above = (*node[:j], node[j] + 1, *node[j + 1 :])
                heapq.heappush(heap, (max(cost, least(above)), False, above, j))
