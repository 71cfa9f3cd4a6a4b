"""Optimal: no other levels, with any choice of whole groups suppressed, have a lower cost.

The oracle tries every node and every set of groups within the limit. It counts rows with
dictionaries and shares no code with the search; only claims about a single group's sensitive
values are asked of the models.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from contracts.metric_oracles import ORACLES, Published
from contracts.oracles import models as models_of_claims
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import cells_of

from hedgerow.claims import (
    CLAIMS,
    AlphaKAnonymity,
    DeltaPresence,
    IndividualRisk,
    KAnonymity,
    KCandidates,
    MarginalAnonymity,
    MarketerRisk,
    PopulationUniqueness,
    UniqueShare,
)
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode import suppression
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import at_node, full_domain
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.search import Search
from hedgerow.table.groups import Groups
from hedgerow.table.hierarchy import Hierarchy

Group = tuple[str, ...]
SETTLED = sorted(name for name, metric in METRICS.items() if metric.suppression_costs)
"""Metrics that never gain by suppressing one more group."""
GAINING = sorted(set(METRICS) - set(SETTLED))
BY_SIZE = sorted(name for name, metric in METRICS.items() if metric.by_size)
LINEAR = ["granularity", "non-uniform-entropy", "precision"]
USUAL = [model for found in models_of_claims().values() for model in found]
WHOLE = [model for model in USUAL if not model.per_group]
WHOLE += [UniqueShare(share=u) for u in (0, 0.1, 0.3)]
WHOLE += [MarketerRisk(risk=risk) for risk in (0.3, 0.5, 0.7)]
ALONE = [model for model in USUAL if model.per_group] + [DeltaPresence(minimum=0.2, maximum=0.9)]


@st.composite
def columns(draw: st.DrawFn, name: str) -> Hierarchy:
    rows: list[list[str | None]] = [[f"{name}{i}"] for i in range(draw(st.integers(2, 5)))]
    for level in range(draw(st.integers(1, 2))):
        parents = {row[-1]: f"{name}.{level}.{draw(st.integers(0, 2))}" for row in rows}
        for row in rows:
            row.append(parents[row[-1]])
    return Hierarchy.of(name, rows)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Hierarchy], list[Group], list[Group]]:
    hierarchies = [draw(columns(f"q{j}")) for j in range(draw(st.integers(1, 2)))]
    tuples = st.tuples(*(st.sampled_from(h.values) for h in hierarchies))
    rows = draw(st.lists(st.tuples(tuples, st.sampled_from("xyz")), min_size=2, max_size=9))
    outside = draw(st.lists(tuples, max_size=5))
    if draw(st.booleans()):  # else the population lacks people of the table
        outside = [q for q, _ in rows] + outside
    return hierarchies, [(*q, s) for q, s in rows], outside


class Oracle:
    """One node, and what publishing some of its groups would keep and cost."""

    def __init__(self, hierarchies: list[Hierarchy], rows: list[Group], outside: list[Group],
                 node: tuple[int, ...]) -> None:  # fmt: skip
        self.hierarchies, self.rows, self.node = hierarchies, rows, node
        self.people = len(rows)
        self.leaves = [len(h.values) for h in hierarchies]
        self.members: dict[Group, list[Group]] = defaultdict(list)
        for row in rows:
            self.members[self.label(row)].append(row)
        self.outside = Counter(self.label(row) for row in outside)
        self.names = list(self.members)
        every = list(dict.fromkeys([*self.names, *self.outside]))
        self.groups = Groups.of(
            {"s": [dict(Counter(row[-1] for row in self.members.get(g, []))) for g in every]},
            population=[self.outside[g] for g in every],
            order={"s": sorted({row[-1] for row in rows})},
        )
        self.place = {g: i for i, g in enumerate(every)}

    def label(self, row: Group) -> Group:
        return tuple(str(h.labels[level][h.codes[level][h.values.index(value)]])
                     for h, level, value in zip(self.hierarchies, self.node, row,
                                                strict=False))  # fmt: skip

    def keeps(self, model: PrivacyModel, kept: set[Group], rest: list[Group]) -> bool:
        """Whether a claim holds of these groups, and of `rest` as one more where it has people."""
        sizes = [len(self.members[g]) for g in kept] + ([len(rest)] if rest else [])
        if isinstance(model, UniqueShare):
            return Fraction(sizes.count(1), sum(sizes)) <= Fraction(str(model.share))
        if isinstance(model, MarketerRisk):
            return Fraction(len(sizes), sum(sizes)) <= Fraction(str(model.risk))
        if isinstance(model, KAnonymity):
            return min(sizes) >= model.k
        if isinstance(model, KCandidates):
            return fewest_candidates([g for g in kept for _ in self.members[g]], model) >= model.k
        if isinstance(model, MarginalAnonymity):
            records = [g for g in kept for _ in self.members[g]]
            return fewest_alike(records, model) >= model.k
        if isinstance(model, DeltaPresence):
            low, high = Fraction(str(model.minimum)), Fraction(str(model.maximum))
            published = {g: len(self.members[g]) if g in kept else 0 for g in self.place}
            there = [(n, self.outside[g]) for g, n in published.items() if n or self.outside[g]]
            return all(p > 0 and low <= Fraction(n, p) <= high for n, p in there)
        if model.about_population:  # an estimate of what is published, and of how many are not
            groups = Groups(np.array(sizes, np.int64), left_out=self.people - sum(sizes))
            return bool(model.holds(groups).all())
        holds = model.holds(self.groups)
        if not all(holds[self.place[g]] for g in kept):
            return False
        if not rest:
            return True
        out = np.array([self.place[self.label(row)] for row in rest])
        out = np.unique(out)
        return bool(model.holds(self.groups.take(out).merge(np.zeros(len(out), np.int64), 1))[0])

    def cost(self, metric: str, kept: set[Group], *, keep: bool) -> float:
        return ORACLES[metric](Published(self.hierarchies, self.rows, self.node, kept, keep))

    def releases(self, models: list[PrivacyModel], limit: int, *, keep: bool) -> list[set[Group]]:
        """Every set of groups that may be published."""
        found = []
        for many in range(len(self.names) + 1):
            for out in combinations(self.names, many):
                rest = [row for g in out for row in self.members[g]]
                kept = set(self.names) - set(out)
                if len(rest) > limit or (not keep and not kept):
                    continue
                if all(self.keeps(m, kept, rest if keep else []) for m in models):
                    found.append(kept)
        return found


def fewest_candidates(records: list[Group], model: KCandidates) -> int:
    """The fewest records of a person, by their labels: of a global claim, those of some matching.

    Records and people stand in one order. A record is a person's in some matching of all if the
    others can still be matched.
    """
    people = range(len(records))
    fits = [[i for i in people if records[i] == records[person]] for person in people]

    def matched(without: int, given: int) -> bool:
        owner: dict[int, int] = {}

        def place(person: int, seen: set[int]) -> bool:
            for record in fits[person]:
                if record != given and record not in seen:
                    seen.add(record)
                    if record not in owner or place(owner[record], seen):
                        owner[record] = person
                        return True
            return False

        return all(place(person, set()) for person in people if person != without)

    if model.kind == "global":
        return min(sum(matched(p, record) for record in fits[p]) for p in people)
    return min(len(some) for some in fits)


def fewest_alike(records: list[Group], model: MarginalAnonymity) -> int:
    """The fewest people who look alike in any columns that somebody knows."""
    width = len(records[0])
    assert isinstance(model.knows, int)
    return min(
        min(Counter(tuple(g[j] for j in known) for g in records).values())
        for many in range(min(model.knows, width) + 1)
        for known in combinations(range(width), many)
    )


def compare(table, models, metrics, share, *, keep=False, proven=True) -> None:
    """The search against every release there is."""
    hierarchies, rows, outside = table
    limit = int(share * len(rows))
    cells = cells_of(rows, hierarchies, sensitive=["s"], population=outside,
                     order={"s": sorted({row[-1] for row in rows})})  # fmt: skip
    lattice = Lattice.of(cells)
    nodes = {
        node: Oracle(hierarchies, rows, outside, node)
        for node in product(*(range(h.height + 1) for h in hierarchies))
    }
    releases = {node: o.releases(models, limit, keep=keep) for node, o in nodes.items()}
    for metric in metrics:
        limits = SearchConstraints(tuple(models), limit, keep)
        search = Search(lattice, limits, METRICS[metric])
        (found,) = search.run()
        costs = {
            node: min(nodes[node].cost(metric, kept, keep=keep) for kept in some)
            for node, some in releases.items()
            if some
        }
        if found is None:
            assert not costs or (not proven and search.bound[0] <= min(costs.values()) + 1e-9)
            continue
        least = min(costs.values())
        assert found.bound <= least + 1e-9, "the bound is one"
        assert found.cost >= least - 1e-9
        if proven:
            assert found.optimal
        if found.optimal:
            assert found.cost == pytest.approx(least, rel=1e-9, abs=1e-9)
        made = at_node(lattice, found.node, limits, {}, metric=METRICS[metric])
        assert METRICS[metric].cost(made.outcome(lattice.original)) == pytest.approx(
            found.cost, rel=1e-9, abs=1e-9
        )
        assert keep or made.suppressed <= limit
        published = {
            nodes[found.node].label(tuple(hierarchies[j].values[c] for j, c in enumerate(q)))
            for part, q in enumerate(cells.q[made.cell])
            if made.group[part] >= 0
            and not (keep and all(labels[made.group[part]] == "*" for labels in made.labels))
        }
        if not keep:
            assert published in releases[found.node], "what is published keeps the claims"


@settings(max_examples=120, deadline=None)
@given(tables(), st.lists(st.sampled_from(ALONE), min_size=1, max_size=2, unique=True),
       st.sampled_from([0.0, 0.2, 0.5, 1.0]))  # fmt: skip
def test_claims_about_groups_suppress_those_that_fail_and_that_is_optimal(table, models, share):
    compare(table, models, SETTLED, share)


BESIDE = [
    *(KCandidates(k=k, kind=kind) for k in (2, 3) for kind in ("global", "both", "records")),
    *(MarginalAnonymity(k=k, knows=knows) for k in (2, 3) for knows in (1, 2)),
]
"""Claims that look at more than each group."""


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(BESIDE), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_claims_that_look_beyond_a_group_suppress_those_that_fail(table, model, share):
    compare(table, [model], ["loss", "discernibility"], share)


@settings(max_examples=120, deadline=None)
@given(tables(), st.sampled_from(ALONE), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_metrics_that_may_gain_by_suppressing_have_a_bound(table, model, share):
    compare(table, [model], GAINING, share, proven=share == 0)


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from(WHOLE), st.sampled_from([0.0, 0.2, 0.4, 0.6, 1.0]))
def test_claims_about_the_table_suppress_smallest_groups_first(table, model, share):
    compare(table, [model], BY_SIZE, share)
    compare(table, [model], [*LINEAR, "loss"], share)
    compare(table, [model], GAINING, share, proven=share == 0)


@settings(max_examples=80, deadline=None)
@given(tables(), st.sampled_from(WHOLE), st.sampled_from([0.0, 0.2, 0.4, 0.6, 1.0]))
def test_where_too_many_groups_would_help_to_try_all_sets(table, model, share):
    """Sums over people are exact by sizes; the loss has a bound."""
    none = isinstance(model, UniqueShare) and model.share == 0
    with patch.object(suppression, "MOST_TRIED", 0):
        compare(table, [model], LINEAR, share)
        compare(table, [model], ["loss"], share, proven=none)


class Sets:
    """All sets of a node's groups that may be suppressed, and what they cost, by matrices."""

    def __init__(self, oracle: Oracle, models: list[PrivacyModel], limit: int) -> None:
        self.oracle = oracle
        sizes = np.array([len(oracle.members[g]) for g in oracle.names])
        out = (np.arange(1 << len(sizes))[:, None] >> np.arange(len(sizes))) & 1
        groups, people = len(sizes) - out.sum(axis=1), oracle.people - out @ sizes
        good = (people > 0) & (oracle.people - people <= limit)
        for model in models:
            if isinstance(model, UniqueShare):
                most, some = Fraction(str(model.share)), (1 - out) @ (sizes == 1)
            else:
                most, some = Fraction(str(model.risk)), groups
            good &= some * most.denominator <= people * most.numerator
        self.out = out[good]

    def least(self, metric: str) -> float:
        """The cost of the cheapest; the loss from column to column, others from set to set."""
        o, found = self.oracle, np.ones(len(self.out))
        sums = np.zeros(len(self.out))
        for j, size in enumerate(o.leaves):
            whole = Published(o.hierarchies, o.rows, o.node, set(o.names))
            share = {g: len(whole.under(j, o.members[g][0][j])) / size for g in o.names}
            hidden = np.array([len(o.members[g]) * share[g] for g in o.names])
            gone = np.array([len(o.members[g]) for g in o.names])
            total = (1 - self.out) @ hidden + self.out @ gone
            lost = (total - o.people / size) / (o.people - o.people / size)
            found, sums = found * (1 + lost), sums + lost
        if metric == "granularity":
            return float((sums / len(o.leaves)).min(initial=np.inf))
        return float((found ** (1 / len(o.leaves)) - 1).min(initial=np.inf))


WIDTHS = [1, 1, 2, 4, 6]


def scattered(random: np.random.Generator) -> tuple[list[Hierarchy], list[Group]]:
    """13 to 15 groups above the lowest level, most of them small, under labels of all widths."""
    under = [f"{label}a" for label, wide in enumerate(WIDTHS) for _ in range(wide)]
    columns = [
        Hierarchy.of("q0", [(f"{i}", label, "*") for i, label in enumerate(under)]),
        Hierarchy.of("q1", [(f"{i}", f"{min(i, 1)}b", "*") for i in range(5)]),
    ]
    chosen = random.permutation(25)[: random.integers(13, 16)]
    times = random.choice([1, 1, 1, 2, 2, 3, 5], len(chosen))
    first = [under.index(f"{label}a") for label in range(5)]
    return columns, [(str(first[c % 5]), str(c // 5)) for c in np.repeat(chosen, times).tolist()]


@pytest.mark.parametrize("seed", range(15))
def test_of_more_than_twelve_groups_the_best_choice_of_levels_and_people_is_found(seed):
    random = np.random.default_rng(seed)
    columns, rows = scattered(random)
    limit = int(random.choice([0.3, 0.5, 0.8]) * len(rows))
    models = [
        [UniqueShare(share=float(random.choice([0.05, 0.15, 0.25])))],
        [MarketerRisk(risk=float(random.choice([0.2, 0.3, 0.45])))],
        [UniqueShare(share=0.2), MarketerRisk(risk=0.4)],
    ][seed % 3]
    lattice = Lattice.of(cells_of(rows, columns), {"q0": (1, 2)})
    nodes = product((1, 2), (0, 1, 2))
    sets = [Sets(Oracle(columns, rows, [], node), models, limit) for node in nodes]
    limits = SearchConstraints(tuple(models), limit)
    for metric, tried in product(("granularity", "loss"), (suppression.MOST_TRIED, 0)):
        with patch.object(suppression, "MOST_TRIED", tried):
            (found,) = Search(lattice, limits, METRICS[metric]).run()
        least = min(some.least(metric) for some in sets)
        assert found.bound <= least + 1e-9
        assert found.cost >= least - 1e-9
        if metric == "granularity":
            assert found.optimal
        if found.optimal:
            assert found.cost == pytest.approx(least, rel=1e-9)


ESTIMATED = [
    *(PopulationUniqueness(at_most=share, fraction=0.5) for share in (0, 0.2, 0.4)),
    PopulationUniqueness(at_most=0.3, fraction=0.3, estimator="dankar"),
    *(IndividualRisk(at_most=risk, fraction=0.5) for risk in (0.3, 0.5)),
    IndividualRisk(at_most=0.4, fraction=0.6, estimator="benedetti-franconi"),
]


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from(ESTIMATED), st.sampled_from([0.0, 0.3, 0.6, 1.0]))
def test_estimates_are_proven_only_where_nobody_may_be_suppressed(table, model, share):
    compare(table, [model], SETTLED, share, proven=share == 0)


@settings(max_examples=120, deadline=None)
@given(tables(), st.sampled_from(WHOLE), st.sampled_from([*ALONE[:5], *WHOLE]),
       st.sampled_from([0.2, 0.5, 1.0]))  # fmt: skip
def test_claims_about_the_table_after_claims_about_groups(table, model, other, share):
    compare(table, [model, other], BY_SIZE, share)
    compare(table, [model, other], ["loss", *LINEAR], share)
    compare(table, [model, other], ["kl-divergence"], share, proven=False)


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(WHOLE), st.sampled_from(ALONE[5:]),
       st.sampled_from([0.2, 0.5]))  # fmt: skip
def test_claims_about_the_table_and_about_presence(table, model, other, share):
    compare(table, [model, other], ["discernibility", "loss"], share, proven=False)


@settings(max_examples=100, deadline=None)
@given(tables(), st.sampled_from([*ALONE[:4], *WHOLE]), st.sampled_from([0.2, 0.5, 1.0]))
def test_a_rest_that_is_published_has_a_bound(table, model, share):
    compare(table, [model], sorted(METRICS), share, keep=True, proven=False)


def random_table(seed: int) -> tuple[list[Hierarchy], list[tuple[str, ...]]]:
    random = np.random.default_rng(seed)
    hierarchies = [
        Hierarchy.of(f"q{j}", [(f"{i}", f"{i // 3}a", f"{i // 6}b", "*") for i in range(12)])
        for j in range(3)
    ]
    drawn = np.minimum(11, random.geometric(0.25, (160, 3)) - 1)
    return hierarchies, [tuple(str(v) for v in row) for row in drawn]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("metric", [*SETTLED, "kl-divergence"])
def test_no_unique_people_is_2_anonymity(seed: int, metric: str) -> None:
    """Two names of one claim: the same levels, the same people suppressed, the same loss."""
    hierarchies, rows = random_table(seed)
    cells = cells_of(rows, hierarchies)
    made = [
        full_domain(cells, SearchConstraints((model,), 16), METRICS[metric])
        for model in (KAnonymity(k=2), UniqueShare(share=0))
    ]
    assert made[0].detail["optimal"] == made[1].detail["optimal"]
    assert made[0].detail["optimal"] or metric == "kl-divergence"
    assert made[0].detail["cost"] == pytest.approx(made[1].detail["cost"], rel=1e-12)
    assert made[0].suppressed == made[1].suppressed > 0
    assert made[0].detail["lower_bound"] == pytest.approx(made[1].detail["lower_bound"], rel=1e-12)


def test_marketer_risk_by_hand() -> None:
    """Five people in groups of 3, 1 and 1: 3/5 of links are right, 2/4 without one of the small."""
    column = Hierarchy.of("q", [("a", "*"), ("b", "*"), ("c", "*")])
    cells = cells_of([("a",)] * 3 + [("b",), ("c",)], [column])
    for risk, suppressed in ((0.6, 0), (0.5, 1), (0.4, 2)):
        made = full_domain(
            cells, SearchConstraints((MarketerRisk(risk=risk),), 2), METRICS["discernibility"]
        )
        assert made.levels == {"q": 0}
        assert made.suppressed == suppressed
        assert made.detail["optimal"]


def test_suppressing_people_who_pass_may_lower_the_divergence() -> None:
    """Ten people must go. One more, alike to nobody, would be likelier among them than alone."""
    column = Hierarchy.of("q", [("a",), ("b",), ("c",)])
    rows = [("a", "x")] * 10 + [("b", "y")] + [("c", v) for v in "xy" for _ in range(50)]
    oracle = Oracle([column], rows, [], (0,))
    exactly = oracle.cost("kl-divergence", {("b",), ("c",)}, keep=False)
    assert oracle.cost("kl-divergence", {("c",)}, keep=False) < exactly
    certain = AlphaKAnonymity(alpha=0.9, k=1, of="s", value="x")
    lattice = Lattice.of(cells_of(rows, [column], sensitive=["s"]))
    (found,) = Search(lattice, SearchConstraints((certain,), 20), METRICS["kl-divergence"]).run()
    assert found is not None
    assert found.cost == pytest.approx(exactly), "only those who have to go are suppressed"
    assert not found.optimal
    assert found.bound <= oracle.cost("kl-divergence", {("c",)}, keep=False)
    (none,) = Search(lattice, SearchConstraints((certain,), 10), METRICS["kl-divergence"]).run()
    assert none is not None
    assert none.optimal, "nobody else may go"


def test_suppressing_people_who_pass_may_lower_the_query_error() -> None:
    """One person in a box of 16 cells: answers about 15 of them are right without that person."""
    columns = [
        Hierarchy.of(f"q{j}", [(f"{i}", "low" if i < 4 else "high") for i in range(8)])
        for j in range(2)
    ]
    rows = [(f"{i}", f"{j}", "x") for i in range(4) for j in range(4)] + [("7", "7", "x")]
    oracle = Oracle(columns, rows, [], (1, 1))
    low, high = ("low", "low"), ("high", "high")
    everybody = oracle.cost("query-error", {low, high}, keep=False)
    better = oracle.cost("query-error", {low}, keep=False)
    assert better < everybody
    lattice = Lattice.of(cells_of(rows, columns, sensitive=["s"]), {"q0": (1, 1), "q1": (1, 1)})
    for limit, proven in ((1, False), (0, True)):
        limits = SearchConstraints((KAnonymity(k=1),), limit)
        (found,) = Search(lattice, limits, METRICS["query-error"]).run()
        assert found is not None
        assert found.cost == pytest.approx(everybody)
        assert found.optimal == proven
        assert found.bound <= (everybody if proven else better) + 1e-9


ELSEWHERE = {
    "BeliefBound": "test_beliefs_are_kept_at_the_least_cost",
    "Composition": "test_values_that_remain_are_possible",
}
"""Claims that need earlier releases: the test that publishes beside one."""
UNCOMPARED = {"WeightedRisk"}
"""The estimate of `individual-risk` that takes people's weights; the tables here have none."""


def test_every_claim_is_compared_with_brute_force() -> None:
    """A claim that is declared has models above, or a test elsewhere that is there."""
    here = {type(model) for model in (*USUAL, *ALONE, *WHOLE, *ESTIMATED, *BESIDE)}
    beside = Path(__file__).with_name("test_optimality_with_earlier.py").read_text("utf-8")
    for name, claim in CLAIMS.items():
        for kind in claim.classes:
            if kind not in here and kind.__name__ not in UNCOMPARED:
                assert kind.__name__ in ELSEWHERE, f"{name}: {kind.__name__} is not compared"
                assert f"def {ELSEWHERE[kind.__name__]}(" in beside
