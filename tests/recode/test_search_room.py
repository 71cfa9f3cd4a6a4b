"""What a search of a large lattice keeps in memory is bounded in bytes."""

from __future__ import annotations

import heapq
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.claims.anonymity import KAnonymity
from hedgerow.explore import nodes
from hedgerow.explore.nodes import Exploration
from hedgerow.plan.plan import Plan
from hedgerow.recode import search
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.search import Search


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


def test_open_boxes_keep_no_more_bytes_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exploration = Exploration.open(plan_of(4), data=table(400, 4))
    lattice = Lattice.of(exploration.cells)
    held, forgotten = [0], [0]

    def push(heap: list[Any], entry: Any) -> None:
        heapq.heappush(heap, entry)
        kept = [box.frequency for _, _, box in heap if box.frequency is not None]
        every = [a for one in kept for a in (one.words, *arrays(one.groups))]
        held.append(sum(a.size * a.itemsize for a in every))
        forgotten.append(len(heap) - len(kept))

    monkeypatch.setattr(search, "heapq", SimpleNamespace(heappush=push, heappop=heapq.heappop))
    limits = SearchConstraints((KAnonymity(k=3),), 20)
    whole = Search(lattice, limits, METRICS["loss"]).run()
    assert max(forgotten) == 0
    assert whole[0] is not None
    room = max(held) // 3
    held[:], forgotten[:] = [0], [0]
    monkeypatch.setattr(search, "MOST_HELD", room)
    monkeypatch.setattr(search, "MOST_BASES", 0)
    assert Search(lattice, limits, METRICS["loss"]).run() == whole
    assert 0 < max(held) <= room
    assert max(forgotten) > 0


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
