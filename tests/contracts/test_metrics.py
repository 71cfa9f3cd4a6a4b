"""Every utility metric of the registry keeps what it says of itself, and appears everywhere."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from contracts.metric_oracles import ORACLES, Published, tables
from hypothesis import given, settings
from hypothesis import strategies as st
from packages import Installed
from tables import cells_of

import hedgerow
from hedgerow.plan.plan import Plan, plan_json_schema
from hedgerow.recode.lattice import Frequency, Lattice
from hedgerow.recode.metrics import METRICS, CellMetric, GroupMetric, Metric

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = {"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 100]}},
           "sex": "quasi-identifier"}  # fmt: skip
ROWS = {"age": ["31", "32", "47", "48", "33", "49"], "sex": ["f", "f", "m", "m", "f", "m"]}
every = pytest.mark.parametrize("name", METRICS)
several = settings(max_examples=25, deadline=None)


def about(cost: float) -> object:
    return pytest.approx(cost, rel=1e-9, abs=1e-9)


def laid_out(table: tuple, absent: int = 0) -> Lattice:
    columns, rows = table
    return Lattice.of(replace(cells_of(rows, columns), absent=absent))


def some_node(lattice: Lattice, data: st.DataObject) -> Frequency:
    node = tuple(data.draw(st.integers(0, top)) for top in lattice.top)
    return lattice.roll_up(lattice.base, node)


def some_groups(frequency: Frequency, data: st.DataObject) -> np.ndarray:
    flags = st.lists(st.booleans(), min_size=len(frequency), max_size=len(frequency))
    return np.array(data.draw(flags), bool)


@every
def test_it_says_what_it_is(name: str) -> None:
    metric = METRICS[name]
    assert metric.name == name
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert re.fullmatch(r"[A-Z][^.]+\.", metric.measures), "a sentence"
    assert type(metric).__doc__
    assert isinstance(metric.monotone, bool)
    assert isinstance(metric.suppression_costs, bool)
    assert metric.best in ("1 is best", "lower is better")
    assert metric.reported(0.25) == (0.75 if metric.best_is_one else 0.25)


def test_what_matters_to_a_search_has_no_default() -> None:
    class Silent(Metric):
        """Says nothing."""

        name = "silent"
        measures = "Nothing."

        def cost(self, outcome: object) -> float:
            return 0.0

    with pytest.raises(TypeError, match="abstract"):
        Silent()


@every
@several
@given(table=tables(), data=st.data())
def test_its_cost_is_what_its_definition_says(name: str, table: tuple, data: st.DataObject) -> None:
    lattice = laid_out(table)
    frequency = some_node(lattice, data)
    kept = some_groups(frequency, data)
    keep = data.draw(st.booleans())
    published = Published(*table, frequency.node, set(), keep)
    codes = lattice.layout.unpack(frequency.words)[kept]
    levels = list(zip(lattice.cells.hierarchies, frequency.node, strict=True))
    labels = {
        tuple(str(h.labels[level][c]) for (h, level), c in zip(levels, row, strict=True))
        for row in codes
    }
    published = replace(published, kept=labels)
    found = METRICS[name].cost(lattice.outcome(frequency, kept, rest=keep))
    assert found == about(ORACLES[name](published))


@every
@settings(max_examples=150, deadline=None)
@given(table=tables(), data=st.data())
def test_a_finer_partition_costs_no_more_where_it_says_so(
    name: str, table: tuple, data: st.DataObject
) -> None:
    metric, lattice = METRICS[name], laid_out(table)
    coarse = some_node(lattice, data)
    fine = tuple(data.draw(st.integers(0, level)) for level in coarse.node)
    costs = [
        metric.cost(lattice.outcome(lattice.roll_up(lattice.base, node)))
        for node in (fine, coarse.node)
    ]
    if metric.monotone:
        assert costs[0] <= costs[1] + 1e-9
    if isinstance(metric, CellMetric):
        assert metric.by_cell is metric
        assert metric.monotone


@every
@several
@given(table=tables(), data=st.data())
def test_suppressing_one_more_costs_no_less_where_it_says_so(
    name: str, table: tuple, data: st.DataObject
) -> None:
    metric, lattice = METRICS[name], laid_out(table)
    frequency = some_node(lattice, data)
    kept = some_groups(frequency, data)
    cost = metric.cost(lattice.outcome(frequency, kept))
    by_size: dict[int, float] = {}
    for g in np.flatnonzero(kept):
        fewer = kept.copy()
        fewer[g] = False
        then = metric.cost(lattice.outcome(frequency, fewer))
        by_size[int(frequency.groups.n[g])] = then
        if metric.suppression_costs:
            assert then >= cost - 1e-9
    if metric.by_size:
        costs = [by_size[size] for size in sorted(by_size)]
        assert all(a <= b + 1e-9 for a, b in pairwise(costs))


@every
@several
@given(table=tables(most=8), data=st.data())
def test_nothing_within_reach_costs_less_than_its_bound(
    name: str, table: tuple, data: st.DataObject
) -> None:
    metric, lattice = METRICS[name], laid_out(table)
    frequency = some_node(lattice, data)
    kept = some_groups(frequency, data)
    outcome = lattice.outcome(frequency, kept)
    room = data.draw(st.integers(0, 8))
    cost, bound = metric.bounded(outcome, room)
    assert cost == about(metric.cost(outcome))
    places = np.flatnonzero(kept)
    for choice in product((True, False), repeat=len(places)):
        fewer = kept.copy()
        fewer[places] = choice
        if frequency.groups.n[kept & ~fewer].sum() <= room:
            assert metric.cost(lattice.outcome(frequency, fewer)) >= bound - 1e-9


@every
@several
@given(table=tables(), data=st.data(), absent=st.integers(0, 2))
def test_its_slider_says_the_same(
    name: str, table: tuple, data: st.DataObject, absent: int
) -> None:
    """As sums over groups, with some of them subtracted, it costs what it costs."""
    metric, lattice = METRICS[name], laid_out(table, absent)
    frequency = some_node(lattice, data)
    kept = some_groups(frequency, data)
    keep = data.draw(st.booleans())
    sums = metric.sums(lattice, keep_suppressed=keep)
    assert sums.metric is metric
    if not sums.measured:
        assert not isinstance(metric, CellMetric | GroupMetric)
        return
    entry = np.where(kept, 0, 1)
    weight, whole = sums.weigh(frequency, entry, 2)
    out = int(frequency.groups.n[~kept].sum()) + absent
    (found,) = sums.costs(whole[None, :], weight[[1]], np.array([out]))
    assert found == about(metric.cost(lattice.outcome(frequency, kept, rest=keep)))


@every
def test_a_plan_names_it_and_a_release_reports_it(name: str) -> None:
    plan = Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 2}], utility=name)
    assert plan.utility.metric == name
    release = hedgerow.publish(
        pa.table(ROWS), columns=COLUMNS, protect=[{"k-anonymity": 2}], utility=name
    )
    assert list(release.utility) == list(METRICS)
    assert release.certificate["plan"]["utility"] == name
    assert release.certificate["search"]["metric"] == name


def test_the_schema_of_plans_lists_all() -> None:
    brief, mapping = plan_json_schema()["$defs"]["Utility"]["anyOf"]
    assert brief["enum"] == mapping["properties"]["metric"]["enum"] == ["keep", *METRICS]


def test_every_oracle_is_that_of_a_metric() -> None:
    """A metric whose module nothing imports is not registered, and no suite would run it."""
    assert list(ORACLES) == list(METRICS)


def test_the_docs_list_all() -> None:
    """A line each, made from what it says of itself."""
    lines = [f"| `{m.name}` | {m.measures} | {m.best} | {m.bound} |" for m in METRICS.values()]
    assert "\n".join(lines) in (ROOT / "docs" / "plan.md").read_text("utf-8"), "\n".join(lines)


def test_an_unknown_one_is_refused_with_the_nearest() -> None:
    with pytest.raises(hedgerow.PlanError) as error:
        Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 2}], utility="granularty")
    assert "'utility' cannot be 'granularty'" in str(error.value)
    assert f"Did you mean granularity? There are keep, {', '.join(METRICS)}." in str(error.value)


FAR = '''
"""Root size: a metric in one file, as another package would add it, and its oracle."""

import math

import numpy as np

from hedgerow.recode.metrics import GroupMetric


class RootSize(GroupMetric):
    """Sum over people of the root of their group's size; a person suppressed counts root N."""

    name = "root-size"
    measures = "The root of how many people each person cannot be told from, added up."
    monotone = True
    suppression_costs = True

    def each(self, outcome):
        return outcome.n.astype(np.float64) ** 1.5

    def from_sum(self, total, failed, original, *, keep_suppressed):
        root = np.sqrt(failed) if keep_suppressed else math.sqrt(original.people)
        return total + failed * root + original.absent * math.sqrt(original.people)


METRIC = RootSize()


def pytest_configure():
    from contracts.metric_oracles import ORACLES

    ORACLES["root-size"] = lambda p: (
        sum(n * math.sqrt(n) for n in p.sizes.values())
        + p.out * math.sqrt(p.out if p.keep else p.people)
    )
'''


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("packages") / "far"
    return Installed(folder, FAR, {"hedgerow.metrics": "METRIC"})


def test_a_package_adds_one_that_releases_are_made_by(far: Installed, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(
        "age,sex\n" + "\n".join(map(",".join, zip(*ROWS.values(), strict=True))) + "\n"
    )
    (tmp_path / "plan.yaml").write_text(
        "source: people.csv\ncolumns:\n"
        "  age: {role: quasi-identifier, hierarchy: {ranges: [10, 100]}}\n"
        "  sex: quasi-identifier\n"
        "protect: [{k-anonymity: 2}]\nutility: root-size\npublish: {to: release}\n"
    )
    told = far.run("-m", "hedgerow", "publish", "plan.yaml", cwd=tmp_path)
    assert re.search(r"root-size +10\.39\d* +lower is better", told)
    assert '"root-size"' in (tmp_path / "release" / "certificate.json").read_text("utf-8")
    assert "root-size" in (tmp_path / "release" / "report.html").read_text("utf-8")
    far.run("-m", "hedgerow", "verify", "release", cwd=tmp_path)


def test_a_package_adds_one_to_the_schema_and_to_the_form(far: Installed) -> None:
    script = (
        "from hedgerow.plan.plan import plan_json_schema\n"
        "from hedgerow.api import METRICS\n"
        "print(plan_json_schema()['$defs']['Utility']['anyOf'][0]['enum'][-1], list(METRICS)[-1])"
    )
    assert far.run("-c", script).split() == ["root-size", "root-size"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "least"),
    [("tests/contracts/test_metrics.py", 7), ("tests/properties/test_exploring_nodes.py", 1)],
)
def test_every_suite_tries_what_a_package_adds(far: Installed, suite: str, least: int) -> None:
    far.passes(suite, "root-size", least=least, plugins=["far"])
