"""Local recoding keeps every claim, places everybody it can, and publishes only true labels."""

from __future__ import annotations

import pytest
from contracts.oracles import models as models_of_claims
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import adult, cells_of

from hedgerow.base.errors import ClaimError
from hedgerow.claims import (
    EntropyLDiversity,
    KAnonymity,
    MarginalAnonymity,
    MarketerRisk,
    TCloseness,
    UniqueShare,
)
from hedgerow.claims.base import Needs
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import full_domain
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.local import local
from hedgerow.recode.local_start import local_from_optimum
from hedgerow.recode.metrics import METRICS
from hedgerow.table.hierarchy import Hierarchy

COLUMNS = [
    Hierarchy.of("a", [(str(i), f"{i // 2}x", f"{i // 4}y", "*") for i in range(8)]),
    Hierarchy.of("b", [("u", "*"), ("v", "*"), ("w", "*")]),
]
ROWS = st.lists(
    st.tuples(*(st.sampled_from(h.values) for h in COLUMNS), st.sampled_from("xyz")), max_size=25
)
CLAIMS = [
    *([model] for found in models_of_claims().values() for model in found
      if model.per_group and Needs.POPULATION not in model.needs),
    [KAnonymity(k=2), EntropyLDiversity(l=2, of="s")],
    [TCloseness(t=0.3, of="s"), KAnonymity(k=2)],
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(ROWS.filter(bool), st.sampled_from(CLAIMS), st.sampled_from([0.0, 0.2]))
def test_claims_hold_and_labels_are_true(rows, models, share):
    cells = cells_of(rows, COLUMNS, sensitive=["s"])
    limit = int(share * len(rows))
    everybody = cells.groups(cells.tuples[1] * 0, 1)
    possible = all(model.check(everybody).holds for model in models)
    try:
        recoding = local(cells, models, limit=limit)
    except ClaimError:
        # Whoever is left at the end may join any group, so one group of everybody is not
        # always reached; but where there is no claim to fail, nobody may be refused.
        assert not possible or len(models) > 1 or not isinstance(models[0], KAnonymity)
        return
    groups = recoding.groups(cells)
    assert all(model.check(groups).holds for model in models)
    assert recoding.suppressed <= limit
    assert recoding.people.sum() == len(rows)
    for cell, group in zip(recoding.cell, recoding.group, strict=True):
        if group < 0:
            continue
        for j, h in enumerate(COLUMNS):
            leaf = cells.q[cell, j]
            assert recoding.spans.low[group, j] <= leaf <= recoding.spans.high[group, j]
            assert any(
                h.labels[level][h.codes[level][leaf]] == recoding.labels[j][group]
                for level in range(h.height + 1)
            )


EVERY = [
    *([model] for found in models_of_claims().values() for model in found
      if Needs.POPULATION not in model.needs),
    [UniqueShare(share=0.1), KAnonymity(k=1)],
    [MarginalAnonymity(k=3, knows=1)],
    [KAnonymity(k=2), MarketerRisk(risk=0.3)],
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(ROWS.filter(bool), st.sampled_from(EVERY), st.sampled_from([0.0, 0.2]),
       st.sampled_from(["loss", "discernibility", "precision"]))  # fmt: skip
def test_nothing_is_worse_than_full_domain_recoding(rows, models, share, utility):
    """And nothing is refused that the lattice can publish, claims about the table included."""
    cells = cells_of(rows, COLUMNS, sensitive=["s"])
    limit, metric = int(share * len(rows)), METRICS[utility]

    def found():
        return local_from_optimum(
            lambda asked: local(cells, asked, limit=limit), cells, models, metric=metric, bounds={},
            limit=limit, seconds=None,
        )  # fmt: skip

    try:
        whole = full_domain(cells, SearchConstraints(tuple(models), limit), metric)
    except ClaimError:
        whole = None
    try:
        recoding = found()
    except ClaimError:
        assert whole is None
        return
    assert recoding.kind == "local"
    assert recoding.levels is None
    assert recoding.suppressed <= limit
    assert all(model.check(recoding.groups(cells)).holds for model in models)
    original = Lattice.of(cells).original
    if whole is not None:
        costs = [metric.cost(one.outcome(original)) for one in (recoding, whole)]
        assert costs[0] <= costs[1] + 1e-9


def test_each_group_is_published_at_the_lowest_values_its_members_share():
    rows = [("0", "u"), ("1", "u"), ("4", "v"), ("4", "v")]
    recoding = local(cells_of(rows, COLUMNS), [KAnonymity(k=2)])
    published = sorted(zip(*(labels.tolist() for labels in recoding.labels), strict=True))
    assert published == [("0x", "u"), ("4", "v")]


def test_level_bounds_hold_for_every_group():
    rows = [("0", "u"), ("0", "u"), ("4", "v"), ("4", "v")]
    cells = cells_of(rows, COLUMNS)
    recoding = local(cells, [KAnonymity(k=2)], lattice=Lattice.of(cells, {"a": (1, 3)}))
    assert sorted(recoding.labels[0]) == ["0x", "2x"]


def test_those_left_over_join_the_group_that_widens_least():
    rows = [("0", "u")] * 3 + [("7", "w")] * 3 + [("1", "u")]
    recoding = local(cells_of(rows, COLUMNS), [KAnonymity(k=3)])
    published = sorted(zip(*(labels.tolist() for labels in recoding.labels), strict=True))
    assert published == [("0x", "u"), ("7", "w")]
    assert recoding.suppressed == 0


@pytest.mark.data
def test_adult_keeps_more_granularity_than_the_peer():
    """ARX keeps 0.932 of the granularity of Adult with nothing suppressed (nine columns, k=5)."""
    cells = adult(
        ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class"]
    )  # fmt: skip
    recoding = local(cells, [KAnonymity(k=5)])
    granularity = METRICS["granularity"]
    kept = granularity.reported(granularity.cost(recoding.outcome(Lattice.of(cells).original)))
    assert recoding.suppressed == 0
    assert KAnonymity(k=5).check(recoding.groups(cells)).holds
    assert kept > 0.9495
