"""The registry: members by name, in order, and those that installed packages add."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.base.registry import Registry


@dataclass(frozen=True)
class Metric:
    name: str


def metrics(*names: str) -> Registry[Metric]:
    made: Registry[Metric] = Registry("metric", group="hedgerow.tests.metrics")
    for name in names:
        made.register(Metric(name))
    return made


def test_members_are_in_the_order_of_their_declaration() -> None:
    registry = metrics("loss", "entropy", "average")
    assert list(registry) == ["loss", "entropy", "average"]
    assert registry["entropy"] == registry.find("entropy") == Metric("entropy")
    registry.remove("entropy")
    assert "entropy" not in registry
    assert len(registry) == 2


def test_register_decorates_a_class() -> None:
    registry: Registry[type[Metric]] = Registry("metric", group="hedgerow.tests.metrics")

    @registry.register
    class Loss:
        name = "loss"

    assert registry["loss"] is Loss


def test_a_name_is_taken_once() -> None:
    with pytest.raises(HedgerowError, match="two of the metric 'loss'"):
        metrics("loss").register(Metric("loss"))


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(PlanError) as error:
        metrics("loss", "entropy").find("entropi")
    assert error.value.what == "there is no metric 'entropi'"
    assert error.value.fix == "Did you mean 'entropy'? There are 'loss' and 'entropy'."


class Points:
    """Stands for the entry points of installed packages, and counts who asks for them."""

    def __init__(self, *points: SimpleNamespace) -> None:
        self.points, self.asked = points, 0

    def __call__(self, *, group: str) -> tuple[SimpleNamespace, ...]:
        assert group == "hedgerow.tests.metrics"
        self.asked += 1
        return self.points


def test_a_package_adds_a_member(monkeypatch: pytest.MonkeyPatch) -> None:
    there = SimpleNamespace(name="far", value="far:METRIC", load=lambda: Metric("far"))
    points = Points(there)
    monkeypatch.setattr(importlib.metadata, "entry_points", points)
    registry = metrics("loss")
    assert registry["loss"] == Metric("loss")
    assert points.asked == 0, "who is at home is found without looking outside"
    assert list(registry) == ["loss", "far"]
    assert registry["far"] == Metric("far")
    assert "near" not in registry
    assert points.asked == 1, "packages are looked through once"


def test_a_package_that_registers_by_being_imported_is_taken_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = metrics("loss")
    there = SimpleNamespace(
        name="far", value="far:METRIC", load=lambda: registry.register(Metric("far"))
    )
    monkeypatch.setattr(importlib.metadata, "entry_points", Points(there))
    assert list(registry) == ["loss", "far"]


def test_a_package_that_breaks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Metric:
        raise ImportError("no module named 'far'")

    there = SimpleNamespace(name="far", value="far:METRIC", load=load)
    monkeypatch.setattr(importlib.metadata, "entry_points", Points(there))
    with pytest.raises(HedgerowError, match="metric 'far' of an installed package") as error:
        list(metrics("loss"))
    assert error.value.where == "far:METRIC"


def test_a_package_cannot_take_the_place_of_a_member(monkeypatch: pytest.MonkeyPatch) -> None:
    there = SimpleNamespace(name="loss", value="far:METRIC", load=lambda: Metric("loss"))
    monkeypatch.setattr(importlib.metadata, "entry_points", Points(there))
    registry = metrics("loss")
    with pytest.raises(HedgerowError, match="two of the metric 'loss'"):
        list(registry)
