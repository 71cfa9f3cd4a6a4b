"""What is said of a release: proven optimal, or the best so far with a bound and a gap."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow.claims import KAnonymity, MarketerRisk, TCloseness, UniqueShare
from hedgerow.claims.base import PrivacyModel
from hedgerow.cli import show
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.optimality import gap_of, in_percent, rounded_down, rounded_up, standing
from hedgerow.release.certificate_text import as_text
from hedgerow.release.release import Release

COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 20, 100]}},
    "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 3}},
    "illness": "sensitive",
}


def table() -> pd.DataFrame:
    random = np.random.default_rng(5)
    age = np.minimum(99, random.geometric(0.04, 300)).astype(str)
    code = (100 + np.minimum(99, random.geometric(0.08, 300))).astype(str)
    return pd.DataFrame({"age": age, "zip": code, "illness": random.choice(list("abcd"), 300)})


def published(*models: PrivacyModel, folder: Path | None = None, **how: Any) -> Release:
    method = {"search": "lattice", "suppress": "10%"} | how.pop("method", {})
    return hedgerow.publish(
        table(), protect=list(models), columns=COLUMNS, method=method, to=folder, **how
    )


def test_no_unique_people_and_2_anonymity_are_the_same_release() -> None:
    one, other = published(KAnonymity(k=2)), published(UniqueShare(share=0))
    assert one.optimal
    assert other.optimal
    assert one.utility == pytest.approx(other.utility)
    assert one.suppressed == other.suppressed > 0
    assert one.to_arrow().equals(other.to_arrow())


def test_what_is_not_proven_has_a_bound_and_a_gap(tmp_path: Path) -> None:
    """Which groups to suppress for an average risk is a knapsack: nearly the best is found."""
    release = published(MarketerRisk(risk=0.15), folder=tmp_path / "release")
    search = release.certificate["search"]
    assert release.suppressed > 0
    assert not release.optimal
    assert search["optimal"] is False
    assert 0 < search["lower_bound"] <= search["cost"]
    assert 0 < search["gap"] < 0.05
    assert show._how(release) == (
        f"(best so far: loss {search['cost']:.3g}, gap {in_percent(search['gap'])}: no levels the "
        f"plan allows have a loss below {search['lower_bound']:g})"
    )
    text = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert "Best so far: loss" in text
    assert "roven optimal" not in text
    assert not hedgerow.verify(tmp_path / "release").refuted


def test_suppressing_for_a_claim_about_the_table_beats_generalising() -> None:
    for model in (UniqueShare(share=0.01), MarketerRisk(risk=0.15)):
        free = published(model)
        bound = published(model, method={"suppress": 0})
        assert free.claims[0].holds
        assert 0 < free.suppressed <= 30
        assert free.utility["loss"] < bound.utility["loss"]


def test_proven_optimal_is_said_where_it_is(tmp_path: Path) -> None:
    release = published(KAnonymity(k=3), folder=tmp_path / "release")
    assert release.optimal
    assert "gap" not in release.certificate["search"]
    words = "proven optimal: no other levels the plan allows, with any choice of groups suppressed"
    assert words in show._how(release)
    text = (tmp_path / "release" / "report.html").read_text("utf-8")
    assert words[1:] in text


def test_local_recoding_has_a_bound_on_every_way_to_group_people() -> None:
    release = published(KAnonymity(k=3), method={"search": "local", "suppress": 0})
    search = release.certificate["search"]
    assert not release.optimal
    assert 0 < search["lower_bound"] < search["cost"]
    assert search["gap"] >= (search["cost"] - search["lower_bound"]) / search["cost"] - 0.01
    said = "no groups at levels the plan allows, or at *, have a loss below"
    assert show._how(release).endswith(f"{said} {search['lower_bound']:g})")


def test_the_bound_of_local_recoding_speaks_of_the_levels_that_the_plan_allows() -> None:
    """Groups at lower levels may cost less than the bound, so the sentence must not deny them."""
    method = {"search": "local", "suppress": 0}
    raised = COLUMNS | {"age": COLUMNS["age"] | {"levels": [2, 3]}}
    one = hedgerow.publish(table(), protect=[KAnonymity(k=3)], columns=raised, method=method)
    other = published(KAnonymity(k=3), method=method)
    assert isinstance(one, Release)
    assert other.certificate["search"]["cost"] < one.certificate["search"]["lower_bound"]
    assert ": no groups at levels the plan allows, or at *, have a loss below" in show._how(one)


@pytest.mark.parametrize("method", ["mondrian", "microaggregation"])
def test_other_searches_prove_nothing_and_say_so(method: str) -> None:
    release = published(KAnonymity(k=3), method={"search": method, "suppress": 0})
    assert not release.optimal
    assert show._how(release).endswith(": not proven optimal, and no bound is known)")


def test_a_gap_is_told_only_where_the_bound_is() -> None:
    """A level that depends on people suppressed is not told, and so is no bound."""
    release = published(
        KAnonymity(k=2), TCloseness(t=0.4, of="illness"), utility="query-error",
    )  # fmt: skip
    search = release.certificate["search"]
    assert release.suppressed > 0
    assert not release.optimal
    assert "level_withheld" in release.certificate["claims"][1]
    assert {"gap", "lower_bound"}.isdisjoint(search)
    assert "best so far: it is not proven" in show._how(release)


def test_a_certificate_that_is_optimal_with_a_gap_is_refuted(tmp_path: Path) -> None:
    published(KAnonymity(k=3), folder=tmp_path / "release")
    file = tmp_path / "release" / "certificate.json"
    told = json.loads(file.read_text("utf-8"))
    told["search"]["gap"] = 0.1
    file.write_text(as_text(told), "utf-8")
    found = hedgerow.verify(tmp_path / "release")
    assert any("with a gap to what may be better" in why for why in found.refuted)


@pytest.mark.parametrize(("search", "said", "why"), [
    ("lattice", {"lower_bound": 9.0}, "nothing is said to cost less"),
    ("lattice", {"lower_bound": 0.001}, "the bound is below what it costs"),
    ("local", {"lower_bound": 9.0}, "nothing is said to cost less"),
    ("local", {"gap": 0.0}, "the gap stated is smaller"),
    ("local", {"optimal": True, "gap": 0.0}, "'local' is never proven optimal"),
])  # fmt: skip
def test_a_forged_bound_is_refuted(
    tmp_path: Path, search: str, said: dict[str, Any], why: str
) -> None:
    published(KAnonymity(k=3), folder=tmp_path / "release", method={"search": search},
              report=False)  # fmt: skip
    assert not hedgerow.verify(tmp_path / "release").refuted
    file = tmp_path / "release" / "certificate.json"
    told = json.loads(file.read_text("utf-8"))
    told["search"].update(said)
    told["optimal"] = told["search"]["optimal"]
    file.write_text(as_text(told), "utf-8")
    assert any(why in one for one in hedgerow.verify(tmp_path / "release").refuted)


def test_a_frontier_of_a_claim_about_the_table_is_one_search_for_each() -> None:
    plan = hedgerow.Plan.of(
        columns=COLUMNS, protect=[UniqueShare(share=0)], method={"suppress": "10%"}
    )
    shares = (0.1, 0.02, 0)
    found = hedgerow.frontier(plan, [UniqueShare(share=share) for share in shares], data=table())
    for share, point in zip(shares, found, strict=True):
        assert point.cost == pytest.approx(
            published(UniqueShare(share=share)).utility["loss"], rel=1e-9
        )
    assert found.points[-1].optimal


def test_rounding_never_says_more_than_is_known() -> None:
    random = np.random.default_rng(1)
    for number, digits in product(random.normal(size=50) * 10.0 ** random.integers(-6, 6, 50),
                                  (2, 3)):  # fmt: skip
        assert rounded_down(number, digits) <= number <= rounded_up(number, digits)
        assert rounded_down(number, digits) == pytest.approx(number, rel=0.1)
    for cost, bound in random.random((50, 2)):
        told = standing(METRICS["loss"], cost=cost, bound=min(cost, bound), optimal=False)
        assert float(told.split("below ")[1].split()[0]) <= min(cost, bound)
        percent = float(told.split("gap ")[1].split()[0])
        assert percent / 100 >= gap_of(cost, min(cost, bound)) - 1e-12
    assert standing(METRICS["loss"], cost=0.3, bound=None, optimal=False).startswith("best so far")
