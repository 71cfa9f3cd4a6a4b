"""k-anonymity for attackers who know some columns, against counting everybody row by row.

The oracle publishes every set of groups of every node, and counts with dictionaries who looks alike
in each set of columns. It shares no code with the claim or the search.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from contracts.metric_oracles import ORACLES, Published
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tables import cells_of

import hedgerow
from hedgerow.attacks.linkage import link
from hedgerow.attacks.release_columns import only, projected
from hedgerow.base.errors import PlanError
from hedgerow.claims import DistinctLDiversity, KAnonymity, MarginalAnonymity, UniqueShare
from hedgerow.claims.known_columns import Knows
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import at_node
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.search import Search
from hedgerow.table.groups import Groups
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.published_table import Published as Release
from hedgerow.table.shown_columns import ShownColumns
from hedgerow.table.targets import Targets

Row = tuple[str, ...]
NAMES = ("a", "b", "c")
SETTLED = sorted(name for name, metric in METRICS.items() if metric.suppression_costs)
KNOWS: tuple[Knows, ...] = (1, 2, 3, (("a",), ("b",)), (("a", "c"), ("b",)), (("a", "b"),))


def sets_of(knows: Knows, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every set of columns that somebody may know, smaller ones too."""
    if isinstance(knows, int):
        return [one for m in range(1, knows + 1) for one in combinations(names, m)]
    return [part for one in knows for m in range(1, len(one) + 1) for part in combinations(one, m)]


def fewest(published: list[Row], names: tuple[str, ...], knows: Knows) -> int:
    """The fewest records that look alike in what somebody knows."""
    found = [len(published)]
    for one in sets_of(knows, names):
        places = [names.index(name) for name in one]
        found += Counter(tuple(row[j] for j in places) for row in published).values()
    return min(found)


@st.composite
def hierarchies(draw: st.DrawFn, name: str) -> Hierarchy:
    rows: list[list[str | None]] = [[f"{name}{i}"] for i in range(draw(st.integers(2, 3)))]
    for level in range(draw(st.integers(1, 2))):
        parents = {row[-1]: f"{name}.{level}.{draw(st.integers(0, 1))}" for row in rows}
        for row in rows:
            row.append(parents[row[-1]])
    return Hierarchy.of(name, rows)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Hierarchy], list[Row]]:
    columns = [draw(hierarchies(name)) for name in NAMES[: draw(st.integers(2, 3))]]
    row = st.tuples(*(st.sampled_from(h.values) for h in columns), st.sampled_from("xyz"))
    return columns, draw(st.lists(row, min_size=2, max_size=9))


def labels(columns: list[Hierarchy], row: Row, node: tuple[int, ...]) -> Row:
    return tuple(
        str(h.labels[level][h.codes[level][h.values.index(value)]])
        for h, value, level in zip(columns, row, node, strict=False)
    )


def fit(knows: Knows, columns: list[Hierarchy]) -> bool:
    return isinstance(knows, int) or all(
        name in NAMES[: len(columns)] for one in knows for name in one
    )


def releases(columns, rows, node, k, knows, limit, other) -> list[set[Row]]:
    """Every set of groups of a node that may be published."""
    names = NAMES[: len(columns)]
    member = [labels(columns, row, node) for row in rows]
    groups, found = sorted(set(member)), []
    for many in range(len(groups)):
        for out in combinations(groups, many):
            published = [(label, row) for label, row in zip(member, rows, strict=True)
                         if label not in out]  # fmt: skip
            if len(rows) - len(published) > limit:
                continue
            shown = [label for label, _ in published]
            sizes = Counter(shown)
            if fewest(shown, names, knows) < k:
                continue
            if isinstance(other, DistinctLDiversity):
                ill = {label: {row[-1] for own, row in published if own == label}
                       for label in sizes}  # fmt: skip
                if min(map(len, ill.values())) < other.l:
                    continue
            elif isinstance(other, UniqueShare):
                alone = sum(n == 1 for n in sizes.values())
                if Fraction(alone, len(shown)) > Fraction(str(other.share)):
                    continue
            elif isinstance(other, KAnonymity) and min(sizes.values()) < other.k:
                continue
            found.append(set(groups) - set(out))
    return found


@settings(max_examples=250, deadline=None)
@given(
    tables(), st.sampled_from(KNOWS), st.integers(2, 4), st.sampled_from(SETTLED),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from([None, None, DistinctLDiversity(l=2, of="s"), KAnonymity(k=2),
                     UniqueShare(share=0.2)]),
)  # fmt: skip
def test_the_search_finds_the_best_of_all_releases(table, knows, k, metric, share, other):
    columns, rows = table
    assume(fit(knows, columns))
    claim = MarginalAnonymity(k=k, knows=knows)
    limit = int(share * len(rows))
    cells = cells_of(rows, columns, sensitive=["s"])
    lattice = Lattice.of(cells)
    limits = SearchConstraints((claim,) if other is None else (claim, other), limit)
    search = Search(lattice, limits, METRICS[metric])
    (found,) = search.run()
    costs, every = {}, {}
    for node in product(*(range(h.height + 1) for h in columns)):
        every[node] = releases(columns, rows, node, k, knows, limit, other)
        if every[node]:
            costs[node] = min(
                ORACLES[metric](Published(columns, rows, node, kept, False)) for kept in every[node]
            )
    table_level = isinstance(other, UniqueShare)
    if found is None:
        # Whom a claim about the table should suppress as well is not tried in every way.
        assert not costs or (table_level and search.bound[0] <= min(costs.values()) + 1e-9)
        return
    least = min(costs.values())
    assert found.bound <= least + 1e-9
    assert found.cost >= least - 1e-9
    if not table_level:
        assert found.optimal
        assert found.cost == pytest.approx(least, rel=1e-9, abs=1e-9)
    made = at_node(lattice, found.node, limits, {}, metric=METRICS[metric])
    published = {
        labels(columns, tuple(columns[j].values[c] for j, c in enumerate(q)), found.node)
        for part, q in enumerate(cells.q[made.cell])
        if made.group[part] >= 0
    }
    assert published in every[found.node]
    if made.suppressed == 0:
        assert claim.check(made.groups(cells)).holds


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from(KNOWS), st.integers(2, 4))
def test_whoever_stays_at_a_node_stays_at_every_coarser_one(table, knows, k):
    """What the search believes of generalisation: `monotone_in_union`, and `must_leave`."""
    columns, rows = table
    assume(fit(knows, columns))
    lattice = Lattice.of(cells_of(rows, columns))
    limits = SearchConstraints((MarginalAnonymity(k=k, knows=knows),), len(rows))
    assert limits.closed_upwards
    stays = {}
    for frequency in lattice.frequencies():
        kept = limits.rank(frequency.groups) > 0
        stays[frequency.node] = kept[lattice.position(frequency, lattice.cells.q)]
    for node, fine in stays.items():
        for other, coarse in stays.items():
            if all(a <= b for a, b in zip(node, other, strict=True)):
                assert (coarse | ~fine).all()


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(KNOWS), st.sampled_from([0.0, 0.4]))
def test_a_frontier_beside_it_equals_one_search_for_each_point(table, knows, share):
    columns, rows = table
    assume(fit(knows, columns))
    claim, limit = MarginalAnonymity(k=3, knows=knows), int(share * len(rows))
    lattice = Lattice.of(cells_of(rows, columns))
    ladder = tuple(KAnonymity(k=k) for k in (1, 2, 4))
    several = Search(
        lattice, SearchConstraints((claim,), limit, ladder=ladder), METRICS["loss"]
    ).run()
    for model, found in zip(ladder, several, strict=True):
        (alone,) = Search(lattice, SearchConstraints((claim, model), limit), METRICS["loss"]).run()
        assert (found is None) == (alone is None)
        if found is not None and alone is not None:
            assert found.cost == pytest.approx(alone.cost, rel=1e-9, abs=1e-9)


def test_leaving_out_a_group_may_expose_others():
    """Why the claim is not monotone in suppression."""
    shown = ShownColumns.of_labels(["a", "b"], lambda: [["x", "x"], ["1", "2"]])
    groups = Groups(np.array([1, 1]), shown=shown)
    claim = MarginalAnonymity(k=2, knows=(("a",),))
    assert not claim.monotone_in_suppression
    assert claim.holds(groups).all()
    assert not claim.holds(groups.take(np.array([0]))).any()


ROWS = [
    ("21", "m", "10"), ("24", "f", "10"), ("29", "m", "20"), ("33", "f", "20"), ("36", "m", "10"),
    ("38", "f", "20"), ("41", "m", "20"), ("45", "f", "10"), ("47", "m", "10"), ("52", "f", "20"),
    ("58", "m", "20"), ("59", "f", "10"),
]  # fmt: skip
TABLE = pa.table({
    "age": [row[0] for row in ROWS], "sex": [row[1] for row in ROWS],
    "zip": [row[2] for row in ROWS], "ill": ["flu", "gout", "acne"] * 4,
})  # fmt: skip
COLUMNS = {
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 20, 40]}},
    "sex": "quasi-identifier",
    "zip": "quasi-identifier",
    "ill": "sensitive",
}


def publish(to: Path, claim: dict[str, object], **method: object) -> hedgerow.Release:
    return hedgerow.publish(
        TABLE, columns=COLUMNS, protect=[{"k-anonymity": claim}], method=method or None, to=to
    )


@pytest.mark.parametrize("search", ["lattice", "local", "mondrian"])
@pytest.mark.parametrize(
    "knows", [1, 2, [["age"], ["sex", "zip"]], [["age", "sex"], ["sex", "zip"]]], ids=str
)
def test_linkage_with_these_columns_agrees(tmp_path, knows, search):
    release = publish(tmp_path / "release", {"k": 3, "knows": knows}, search=search)
    stated = release.claims[0].level
    published = Release.read(tmp_path / "release")
    register = Targets.read(TABLE)
    quasi = ("age", "sex", "zip")
    sets = tuple(map(tuple, knows)) if isinstance(knows, list) else knows
    worst = 1.0 / len(ROWS)
    for one in sets_of(sets, quasi):
        found = link(projected(published, one), only(register, one), combined=0)
        worst = max(worst, found.detail["prosecutor"]["highest"])
    assert worst <= 1 / 3
    # Whoever knows a column finds all records that fit it: with labels that overlap more of them.
    if search == "lattice":
        assert worst == pytest.approx(1 / stated)
    else:
        assert worst <= 1 / stated + 1e-12


def test_a_weaker_attacker_allows_a_more_useful_release(tmp_path):
    strong = hedgerow.publish(TABLE, columns=COLUMNS, protect=[{"k-anonymity": 3}],
                              to=tmp_path / "strong")  # fmt: skip
    weak = publish(tmp_path / "weak", {"k": 3, "knows": 1})
    assert weak.utility["loss"] < strong.utility["loss"]
    assert weak.recoding["levels"]["sex"] == weak.recoding["levels"]["zip"] == 0
    words = weak.certificate["protected"]
    assert "knows one of a person's quasi-identifiers, whichever" in words
    assert "identity: a group may hold a single person" in words
    assert "anybody against those who know other quasi-identifiers than the claim says" in words
    found = hedgerow.verify(tmp_path / "weak")
    assert [claim.verdict for claim in found.claims] == ["verified"]


def test_a_forged_claim_is_refuted(tmp_path):
    publish(tmp_path / "release", {"k": 3, "knows": 1})
    place = tmp_path / "release" / "certificate.json"
    told = json.loads(place.read_text())
    for entry in (told["claims"][0], told["plan"]["protect"][0]):
        entry["claim"] = "3-anonymity in any 2 quasi-identifiers"
        entry["model"]["knows"] = 2
    place.write_text(json.dumps(told))
    found = hedgerow.verify(tmp_path / "release")
    assert found.refuted


def test_those_who_are_kept_as_one_group_look_like_nobody_else(tmp_path):
    """So the claim is asked of each group alone."""
    release = publish(
        tmp_path / "release", {"k": 3, "knows": 1}, suppress="50%", keep_suppressed=True
    )
    assert release.claims[0].holds
    assert release.claims[0].level >= 3


@pytest.mark.parametrize(
    ("knows", "what"),
    [
        (4, "there are 3 quasi-identifiers"),
        ([["age", "ill"]], "'ill' has the role sensitive"),
        ([["age", "sax"]], "no column 'sax'"),
        ([["age", "age"]], "stands twice"),
        (["age"], "'age' is a column, not a list"),
        (0, "'knows' needs a whole number"),
        ([], "'knows' needs"),
    ],
    ids=str,
)
def test_what_nobody_can_know_is_refused(tmp_path, knows, what):
    with pytest.raises(PlanError, match=what):
        publish(tmp_path / "release", {"k": 3, "knows": knows})


def test_all_columns_and_some_do_not_go_together(tmp_path):
    with pytest.raises(PlanError, match="knows is about quasi-identifiers"):
        publish(tmp_path / "release", {"k": 2, "knows": 1, "over": "all"})


def test_many_sets_are_refused():
    claim = MarginalAnonymity(k=2, knows=10)
    names = [f"q{j}" for j in range(30)]
    shown = ShownColumns.of_labels(names, lambda: [["x"]] * 30)
    with pytest.raises(PlanError, match="are counted at most"):
        claim.level(Groups(np.array([2]), shown=shown))


def test_groups_that_nobody_knows_the_look_of_are_refused():
    with pytest.raises(PlanError, match="nobody knows what they look like"):
        MarginalAnonymity(k=2, knows=1).holds(Groups.of([3]))
