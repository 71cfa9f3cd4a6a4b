"""The risk-utility frontier says what it knows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hedgerow
from hedgerow import KAnonymity, Plan, PlanError
from hedgerow.release.partition import recoding_choice

TABLE = pa.table({"z": ["11", "12", "13", "21", "22", "31"], "a": ["1", "2", "3", "4", "5", "6"]})


def plan(**more: Any) -> Plan:
    columns: dict[str, Any] = {
        "z": {"role": "quasi-identifier", "hierarchy": {"prefix": 2}},
        "a": {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 4]}},
    }
    return Plan.of(columns=columns, protect=[KAnonymity(k=2)], **more)


def test_without_a_limit_in_time_every_point_is_proven() -> None:
    ladder = [KAnonymity(k=k) for k in (2, 3, 6, 7)]
    found = hedgerow.frontier(plan(), ladder, data=TABLE)
    assert [point.optimal for point in found] == [True] * 4
    assert [point.levels is None for point in found] == [False] * 3 + [True]


def test_a_point_that_time_did_not_suffice_for_says_so() -> None:
    ladder = [KAnonymity(k=k) for k in (2, 7)]
    found = hedgerow.frontier(plan(method={"time": 1e-9}), ladder, data=TABLE)
    # That six people are never seven is seen at the coarsest levels, before any search.
    assert [point.optimal for point in found] == [False, True]
    assert found.points[1].levels is None
    found = hedgerow.frontier(plan(method={"time": 60}), ladder, data=TABLE)
    assert [point.optimal for point in found] == [True, True]


def test_a_large_lattice_is_not_searched_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recoding_choice, "MOST_NODES", 2)
    monkeypatch.setattr(recoding_choice, "PATIENCE", 1e-9)
    assert not any(point.optimal for point in hedgerow.frontier(plan(), data=TABLE))


@pytest.mark.parametrize("search", ["mondrian", "microaggregation", "local"])
def test_only_the_lattice_has_a_frontier(search: str) -> None:
    with pytest.raises(PlanError, match=f"no frontier of {search}"):
        hedgerow.frontier(plan(method=search), data=TABLE)


def test_a_single_person_has_no_release() -> None:
    (point,) = hedgerow.frontier(plan(), data=TABLE.slice(0, 1))
    assert (point.levels, point.optimal) == (None, True)
