"""The risk-utility frontier says what it knows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import hedgerow
from hedgerow import KAnonymity, Plan, PlanError, TCloseness, UniqueShare
from hedgerow.api import StopRequest
from hedgerow.explore import tradeoff
from hedgerow.recode import full_domain, portfolio
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


def best_by_brute_force(one: Plan) -> dict[float, float]:
    """The loss of the best release for every k and t, each by a search of its own."""
    return {
        point.required: point.cost
        for model in ladder_of(one)
        for point in hedgerow.frontier(
            one.model_copy(update={"protect": [model, *one.protect[1:]]}), [model], data=SICK
        )
    }


SICK = TABLE.append_column("ill", pa.array(["flu", "flu", "gout", "gout", "flu", "gout"]))


def ladder_of(one: Plan) -> list[KAnonymity]:
    return [KAnonymity(k=k) for k in (2, 3, 4, 6)]


def sick() -> Plan:
    return Plan.of(
        columns={
            "z": {"role": "quasi-identifier", "hierarchy": {"prefix": 2}},
            "a": {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 4]}},
            "ill": "sensitive",
        },
        protect=[{"k-anonymity": 2}, {"t-closeness": {"t": 0.5, "of": "ill"}}],
    )


def test_a_parameter_of_any_claim_is_varied() -> None:
    found = hedgerow.frontier(sick(), vary="k", values=[6, 3, 2, 4], data=SICK)
    assert [point.required for point in found] == [2, 3, 4, 6]
    assert {p.required: p.cost for p in found} == best_by_brute_force(sick())
    assert all(point.bound == pytest.approx(point.cost) for point in found)
    for name in ("t", "1.t", "t-closeness.t"):
        found = hedgerow.frontier(sick(), vary=name, values=[0.0, 0.2, 0.5], data=SICK)
        assert [point.required for point in found] == [0.5, 0.2, 0.0], "weakest first"
        for point in found:
            alone = sick().model_copy(
                update={"protect": [KAnonymity(k=2), TCloseness(t=point.required, of="ill")]}
            )
            (other,) = hedgerow.frontier(alone, [KAnonymity(k=2)], data=SICK)
            assert point.cost == pytest.approx(other.cost, nan_ok=True)


def test_claims_about_the_table_are_varied_too() -> None:
    one = plan(method={"suppress": 0.4}).model_copy(update={"protect": [UniqueShare(share=0.5)]})
    found = hedgerow.frontier(one, vary="share", values=[0, 0.3, 1], data=TABLE)
    assert [point.required for point in found] == [1, 0.3, 0]
    assert all(point.optimal for point in found)
    costs = [point.cost for point in found]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


@pytest.mark.parametrize("vary", ["t", "1.k", "l-diversity.k"])
def test_a_parameter_that_no_claim_has_is_refused(vary: str) -> None:
    with pytest.raises(PlanError, match=f"no claim has a parameter '{vary}'") as told:
        hedgerow.frontier(plan(), vary=vary, data=TABLE)
    assert "Give one of k-anonymity.k." in str(told.value)


def test_parameters_are_called_by_their_claims() -> None:
    protect = [KAnonymity(k=2), TCloseness(t=0.9, of="ill"), TCloseness(t=0.8, of="ill")]
    three = sick().model_copy(update={"protect": protect})
    with pytest.raises(PlanError, match="several claims have a parameter 't'") as told:
        hedgerow.frontier(three, vary="t", data=SICK)
    assert (
        told.value.fix
        == "Give one of "
        + ", ".join(f"{i}.t (of {model})" for i, model in enumerate(protect[1:], 1))
        + "."
    )
    by_claim = hedgerow.frontier(three, vary="k-anonymity.k", values=[2, 3], data=SICK)
    by_place = hedgerow.frontier(three, vary="0.k", values=[2, 3], data=SICK)
    assert [point.cost for point in by_claim] == [point.cost for point in by_place]
    (only,) = hedgerow.frontier(three, vary="2.t", values=[0.5], data=SICK)
    assert only.required == 0.5


def test_wide_lattices_are_searched_one_value_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From strict to weak; what is found and proven is that of a search to the end."""
    exact = hedgerow.frontier(sick(), vary="k", values=[2, 3, 6], data=SICK)
    monkeypatch.setattr(tradeoff, "WIDE", 1)
    monkeypatch.setattr(full_domain, "WIDE", 1)
    monkeypatch.setattr(portfolio, "time", SimpleNamespace(monotonic=lambda: 0.0))
    found = hedgerow.frontier(sick(), vary="k", values=[2, 3, 6], seconds=60, data=SICK)
    assert [(p.required, p.cost, p.optimal) for p in found] == [
        (p.required, p.cost, p.optimal) for p in exact
    ]


def test_whoever_asks_gets_what_was_found_so_far() -> None:
    stop = StopRequest()

    def ask(share: float) -> None:
        stop.ask()

    found = hedgerow.frontier(sick(), data=SICK, stop=stop, progress=ask)
    assert stop.asked()
    assert not all(point.optimal for point in found)
