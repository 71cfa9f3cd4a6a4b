"""Adult (UCI), published under each model: the search against all nodes of the lattice."""

from __future__ import annotations

from functools import cache

import pytest
from tables import adult

from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    MarketerRisk,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
)
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import at_node
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.search import Search

pytestmark = pytest.mark.data

PEOPLE = 30_162
NINE = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
        "occupation", "salary-class"]  # fmt: skip
FIVE = ["sex", "age", "race", "education", "native-country"]
OF = {"of": "occupation"}


@cache
def five() -> Lattice:
    """240 nodes, with occupation as the sensitive attribute."""
    return Lattice.of(adult(FIVE, sensitive=["occupation"]))


@pytest.mark.parametrize(
    "model",
    [
        KAnonymity(k=5),
        DistinctLDiversity(l=6, **OF),
        ProbabilisticLDiversity(l=4, **OF),
        EntropyLDiversity(l=6, **OF),
        RecursiveLDiversity(c=3, l=4, **OF),
        TCloseness(t=0.3, **OF),
        TCloseness(t=0.2, distance="ordered", **OF),
        AlphaKAnonymity(alpha=0.4, k=10, **OF),
        DeltaDisclosure(delta=3, **OF),
        BetaLikeness(beta=2, **OF),
        BetaLikeness(beta=2, kind="enhanced", **OF),
        ProsecutorRisk(risk=0.09),
        MarketerRisk(risk=0.01),
        UniqueShare(share=0.001),
    ],
    ids=str,
)
@pytest.mark.parametrize("share", [0.0, 0.05])
def test_each_model_is_published_at_its_optimum(model, share):
    lattice = five()
    limits = SearchConstraints((model,), int(share * PEOPLE))
    (found,) = Search(lattice, limits, METRICS["loss"]).run()
    every = Search(lattice, limits, METRICS["loss"])
    costs = {}
    for frequency in lattice.frequencies():
        evaluation = every.evaluate(frequency)
        if evaluation.feasible[0]:
            costs[frequency.node] = float(evaluation.cost[0])
    assert len(costs) < lattice.size, "a claim every node keeps tests nothing"
    assert (found is None) == (not costs)
    if found is None:
        return
    assert found.cost == pytest.approx(min(costs.values()), rel=1e-12)
    recoding = at_node(lattice, found.node, limits, {})
    assert recoding.suppressed <= limits.limit
    assert model.check(recoding.groups(lattice.cells)).holds


def test_optimum_of_nine_columns():
    """Checked once against all 12,960 nodes."""
    lattice = Lattice.of(adult(NINE))
    assert lattice.size == 12_960
    for share, node, loss in (
        (0.05, (0, 3, 0, 0, 2, 1, 1, 2, 0), 0.24193236510335048),
        (0.0, (0, 4, 1, 1, 3, 2, 2, 1, 0), 0.5731509655759612),
    ):
        limits = SearchConstraints((KAnonymity(k=5),), int(share * PEOPLE))
        search = Search(lattice, limits, METRICS["loss"])
        (found,) = search.run()
        assert found is not None
        assert (found.node, found.cost) == (node, pytest.approx(loss, rel=1e-12))
        assert search.evaluated < 1_217, "more nodes than the peer's search needs"


@pytest.mark.slow
def test_optimum_of_nine_columns_against_all_nodes():
    lattice = Lattice.of(adult(NINE))
    limits = SearchConstraints((KAnonymity(k=5),), int(0.05 * PEOPLE))
    (found,) = Search(lattice, limits, METRICS["loss"]).run()
    every = Search(lattice, limits, METRICS["loss"])
    evaluations = ((f.node, every.evaluate(f)) for f in lattice.frequencies())
    best = min((float(e.cost[0]), node) for node, e in evaluations if e.feasible[0])
    assert found is not None
    assert best == (pytest.approx(found.cost, rel=1e-12), found.node)
