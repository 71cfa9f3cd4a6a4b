"""What a search of a large lattice keeps in memory is bounded in bytes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.claims.anonymity import KAnonymity
from hedgerow.explore import nodes
from hedgerow.explore.nodes import Exploration
from hedgerow.plan.plan import Plan
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Frequency, Lattice
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.search import Search
from hedgerow.recode.snapshots import Snapshots


def table(people: int, columns: int) -> Any:
    random = np.random.default_rng(5)
    made = {
        f"q{j}": [str(value) for value in random.integers(0, 8, people)] for j in range(columns)
    }
    return pa.table(made | {"ill": [str(value) for value in random.integers(0, 5, people)]})


def plan_of(columns: int, **more: Any) -> Plan:
    ranges = {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 4]}}
    return Plan.of(
        columns={f"q{j}": ranges for j in range(columns)} | {"ill": "sensitive"},
        protect=[{"k-anonymity": 3}, {"l-diversity": {"l": 2, "kind": "distinct"}}], **more,
    )  # fmt: skip


def arrays(groups: Any) -> list[Any]:
    found = [groups.n]
    for h in groups.histograms.values():
        found += [h.indptr, h.codes, h.counts]
    return found


def counts_of(lattice: Lattice, frequency: Frequency) -> dict[tuple[int, ...], Any]:
    """Each tuple's people and sensitive values, whatever the order of the groups."""
    tuples = lattice.layout.unpack(frequency.words).tolist()
    found = {}
    for place, codes in enumerate(tuples):
        values = {}
        for name, h in frequency.groups.histograms.items():
            mine = slice(h.indptr[place], h.indptr[place + 1])
            pairs = zip(h.codes[mine].tolist(), h.counts[mine].tolist(), strict=True)
            values[name] = sorted(pairs)
        found[tuple(codes)] = (int(frequency.groups.n[place]), values)
    assert len(found) == len(tuples), "one group for each tuple"
    return found


@pytest.mark.parametrize("most", [0, 20_000, 10**9])
def test_a_snapshot_is_what_the_finest_node_gives(most: int) -> None:
    exploration = Exploration.open(plan_of(4), data=table(400, 4))
    lattice = Lattice.of(exploration.cells)
    nodes = list(lattice.nodes())
    random = np.random.default_rng(1)
    snapshots = Snapshots(lattice, most=most)
    held = []
    for place in random.integers(0, len(nodes), 300):
        node = nodes[int(place)]
        above = lattice.bottom if place % 2 else None
        found = snapshots.of(node, above=above)
        whole = lattice.roll_up(lattice.base, node)
        assert found.node == node
        assert counts_of(lattice, found) == counts_of(lattice, whole)
        every = [a for one in snapshots for a in (one.words, *arrays(one.groups))]
        held.append(sum(a.size * a.itemsize for a in every))
        assert snapshots.held == held[-1] <= most
    assert (max(held) > 0) == (most > 0)


def test_a_search_with_little_room_finds_the_same() -> None:
    exploration = Exploration.open(plan_of(4), data=table(400, 4))
    lattice = Lattice.of(exploration.cells)
    limits = SearchConstraints((KAnonymity(k=3),), 20)
    whole = Search(lattice, limits, METRICS["loss"]).run()
    assert whole[0] is not None
    for most in (0, 3_000):
        search = Search(lattice, limits, METRICS["loss"])
        search.snapshots = Snapshots(lattice, most=most)
        found = search.run()
        assert found[0] is not None
        assert found[0].cost == pytest.approx(whole[0].cost, rel=1e-12)
        assert found[0].optimal
        assert search.snapshots.held <= most


def test_a_large_lattice_is_opened_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def choose(plan: Plan, *rest: Any) -> Any:
        given.append(plan.method.time)
        return SimpleNamespace(levels={f"q{j}": 1 for j in range(4)}, detail={"lower_bound": 0.0})

    monkeypatch.setattr(nodes, "choose", choose)
    for time in (None, 3600, 2):
        method = {"search": "lattice"} | ({} if time is None else {"time": time})
        plan = plan_of(4, method=method)
        found = Exploration.open(plan, data=table(60, 4), most_nodes=10)
        assert not found.complete
        assert found.plan.method.time == time
    assert given == [nodes.PATIENCE, nodes.PATIENCE, 2]
