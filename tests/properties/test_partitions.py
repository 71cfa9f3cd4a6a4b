"""Mondrian and microaggregation on random small tables, against what can be enumerated."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import cells_of, flat, integers

from hedgerow.base.errors import ClaimError
from hedgerow.claims.anonymity import KAnonymity
from hedgerow.claims.base import Needs, PrivacyModel
from hedgerow.recode.mdav import GRID
from hedgerow.recode.microaggregation import microaggregation
from hedgerow.recode.mondrian import mondrian
from hedgerow.recode.parts import deal, first_of
from hedgerow.table.hierarchy import Hierarchy

AGE = integers("age", 0, 9, missing=True)
PLACE = Hierarchy.of(
    "place",
    [(a + b, a, "AB" if a in "ab" else "C", "*") for a, b in ("a1", "a2", "b1", "b2", "b3", "c1")],
)
SEX = flat("sex", ["f", "m", None])
DOMAIN = (AGE, PLACE, SEX)

rows = st.lists(
    st.tuples(
        st.sampled_from(AGE.values), st.sampled_from(PLACE.values), st.sampled_from(SEX.values),
        st.sampled_from("xyz"),
    ),
    min_size=1, max_size=40,
)  # fmt: skip
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@dataclass(frozen=True, kw_only=True)
class Values(PrivacyModel):
    """At least l sensitive values in every group of at least k people, all in one model."""

    l: int = 1  # noqa: E741
    k: int = 1
    higher_is_safer = True
    needs = Needs.SIZES | Needs.HISTOGRAM
    monotone_in_generalisation = True
    monotone_in_suppression = True

    @property
    def required(self):
        return Fraction(1)

    def level(self, groups):
        values = np.diff(groups.histograms["s"].indptr)
        return ((values >= self.l) & (groups.n >= self.k)).astype(float)

    def exactly(self, groups, group):
        return bool(self.level(groups)[group])

    def __str__(self):
        return f"{self.l} values and {self.k} people"


def members(cells, recoding):
    """Group -> Counter of (tuple of leaf codes, sensitive value code)."""
    groups = defaultdict(Counter)
    sensitive = cells.values[0].codes
    for cell, people, group in zip(recoding.cell, recoding.people, recoding.group, strict=True):
        groups[int(group)][(*map(int, cells.q[cell]), int(sensitive[cell]))] += int(people)
    return groups


def covered(hierarchy, label, *, numeric):
    """The values a published label stands for, read from the label alone."""
    if label is None:
        return {None}
    if label.startswith("{"):
        items = re.findall(r'"(?:[^"\\]|\\.)*"|[^,{}"]+', label[1:-1])
        out = set()
        for item in (i.strip() for i in items):
            if not item:
                continue
            if item == "missing":
                out.add(None)
            elif item.startswith('"'):
                out.add(json.loads(item))
            else:
                out |= covered(hierarchy, item, numeric=numeric)
        return out
    if numeric and "-" in label:
        low, high = map(int, label.split("-"))
        return {str(v) for v in range(low, high + 1)}
    if label in hierarchy.values:
        return {label}
    for level in range(1, hierarchy.height + 1):
        if label in hierarchy.labels[level]:
            code = hierarchy.labels[level].index(label)
            leaves = np.flatnonzero(hierarchy.codes[level] == code)
            return {hierarchy.values[i] for i in leaves}
    raise AssertionError(f"{label!r} is no label of {hierarchy.name}")


def check_release(cells, recoding, passes):
    """Everybody is in exactly one group, the claim holds, labels and spans cover their people."""
    dealt = np.zeros(len(cells.n), np.int64)
    np.add.at(dealt, recoding.cell, recoding.people)
    assert dealt.tolist() == cells.n.tolist()
    assert recoding.people.min() > 0
    assert (np.diff(recoding.cell) >= 0).all()
    assert len(set(zip(recoding.cell, recoding.group, strict=True))) == len(recoding.cell)
    groups = members(cells, recoding)
    assert set(groups) == set(range(recoding.size))
    seen = defaultdict(Counter)
    for group, people in groups.items():
        seen[tuple(label[group] for label in recoding.labels)] += people
        for q in people:
            for j in range(len(DOMAIN)):
                assert recoding.spans.low[group, j] <= q[j] <= recoding.spans.high[group, j]
    assert all(passes(people) for people in seen.values())
    return groups


def check_labels(recoding, groups):
    """The set of values that each group's labels stand for; members are among them."""
    boxes = {}
    for group, people in groups.items():
        box = [
            covered(h, label[group], numeric=h is AGE)
            for h, label in zip(DOMAIN, recoding.labels, strict=True)
        ]
        for q in people:
            for j, h in enumerate(DOMAIN):
                assert h.values[q[j]] in box[j]
        boxes[group] = box
    return boxes


def large(k):
    return lambda people: people.total() >= k


def diverse(k, l):  # noqa: E741
    return lambda people: people.total() >= k and len({q[-1] for q in people}) >= l


def cuts(people):
    """Every way to divide people between two neighbouring values of one column."""
    for j in range(len(DOMAIN)):
        for value in sorted({q[j] for q in people})[:-1]:
            left = Counter({q: n for q, n in people.items() if q[j] <= value})
            yield left, people - left


def build(table):
    return cells_of(table, DOMAIN, sensitive=["s"])


@quick
@given(rows, st.integers(1, 5), st.integers(1, 2), st.sampled_from(["ranges", "taxonomy"]))
def test_strict_groups_are_disjoint_boxes_that_cannot_be_cut(table, k, l, boxes):  # noqa: E741
    cells = build(table)
    models = [KAnonymity(k=k)] if l == 1 else [KAnonymity(k=k), Values(l=l)]
    passes = diverse(k, l)
    try:
        recoding = mondrian(cells, models, boxes=boxes)
    except ClaimError:
        assert not passes(Counter(range(len(table))) if l == 1 else _all(cells))
        return
    groups = check_release(cells, recoding, passes)
    assert not recoding.separates
    published = check_labels(recoding, groups)
    for people in groups.values():
        assert not any(passes(left) and passes(right) for left, right in cuts(people))
    for a, b in combinations(groups, 2):
        apart = [
            max(q[j] for q in groups[x]) < min(q[j] for q in groups[y])
            for x, y in ((a, b), (b, a))
            for j in range(len(DOMAIN))
        ]
        assert any(apart)
        if boxes == "ranges":
            assert any(published[a][j].isdisjoint(published[b][j]) for j in range(len(DOMAIN)))


def _all(cells):
    sensitive = cells.values[0].codes
    return Counter(
        {(*q, int(sensitive[c])): int(cells.n[c]) for c, q in enumerate(cells.q.tolist())}
    )


@quick
@given(rows, st.integers(1, 5), st.sampled_from(["ranges", "taxonomy"]))
def test_relaxed_groups_are_small_or_all_alike(table, k, boxes):
    cells = build(table)
    if len(table) < k:
        with pytest.raises(ClaimError, match=f"{k}-anonymity"):
            mondrian(cells, [KAnonymity(k=k)], mode="relaxed")
        return
    recoding = mondrian(cells, [KAnonymity(k=k)], mode="relaxed", boxes=boxes)
    groups = check_release(cells, recoding, large(k))
    check_labels(recoding, groups)
    for people in groups.values():
        assert people.total() >= k
        assert people.total() <= 2 * k - 1 or len({q[:-1] for q in people}) == 1


@quick
@given(rows, st.integers(1, 4), st.integers(1, 3))
def test_relaxed_groups_keep_other_claims(table, k, l):  # noqa: E741
    cells = build(table)
    passes = diverse(k, l)
    if not passes(_all(cells)):
        with pytest.raises(ClaimError):
            mondrian(cells, [Values(l=l, k=k)], mode="relaxed")
        return
    recoding = mondrian(cells, [Values(l=l, k=k)], mode="relaxed")
    groups = check_release(cells, recoding, passes)
    check_labels(recoding, groups)
    assert all(passes(people) for people in groups.values())


@quick
@given(rows, st.integers(1, 5))
def test_sizes_alone_and_any_claim_divide_alike(table, k):
    cells = build(table)
    if len(table) < k:
        return
    by_size = mondrian(cells, [KAnonymity(k=k)])
    by_claim = mondrian(cells, [Values(k=k), KAnonymity(k=k)])
    assert [label.tolist() for label in by_size.labels] == [
        label.tolist() for label in by_claim.labels
    ]
    assert by_size.group.tolist() == by_claim.group.tolist()


@quick
@given(rows, st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table, k, random):
    if len(table) < k:
        return
    shuffled = list(table)
    random.shuffle(shuffled)
    for method in (
        lambda cells: mondrian(cells, [KAnonymity(k=k)]),
        lambda cells: mondrian(cells, [KAnonymity(k=k)], mode="relaxed"),
        lambda cells: microaggregation(cells, k=k),
    ):
        once, again = method(build(table)), method(build(shuffled))
        assert [x.tolist() for x in once.labels] == [x.tolist() for x in again.labels]
        sizes = [np.bincount(r.group, weights=r.people).tolist() for r in (once, again)]
        assert sizes[0] == sizes[1]


def distance(table):
    """Squared distances between people, or a person and an average, by the definition."""
    ages = [Fraction(row[0]) for row in table if row[0] is not None]
    mean = sum(ages) / len(ages) if ages else Fraction(0)
    variance = sum((a - mean) ** 2 for a in ages) / len(ages) if ages else Fraction(0)
    variance = variance or Fraction(1)
    far = max(Fraction(1), (max(ages) - min(ages)) ** 2 / variance) if ages else Fraction(1)

    def node(hierarchy, a, b):
        for level in range(hierarchy.height + 1):
            codes = hierarchy.codes[level]
            if codes[hierarchy.place[a]] == codes[hierarchy.place[b]]:
                return Fraction(level, hierarchy.height) ** 2
        return Fraction(1)

    def between(p, q):
        if p[0] is None or q[0] is None:
            parts = [Fraction(0) if p[0] == q[0] else far]
        else:
            parts = [(Fraction(p[0]) - Fraction(q[0])) ** 2 / variance]
        parts += [node(PLACE, p[1], q[1]), node(SEX, p[2], q[2])]
        return sum(round(part * int(GRID)) for part in parts)

    return between


def average(people):
    ages = [Fraction(p[0]) for p in people if p[0] is not None]
    mean = sum(ages) / len(ages) if ages else None
    modes = []
    for j, hierarchy in ((1, PLACE), (2, SEX)):
        count = Counter(p[j] for p in people)
        modes.append(min(count, key=lambda v: (-count[v], hierarchy.place[v])))
    return (mean, *modes)


def plain_mdav(table, k):
    """MDAV person by person, as published."""
    between = distance(table)
    left = sorted(table, key=lambda p: [h.place[v] for h, v in zip(DOMAIN, p[:3], strict=True)])
    clusters = []

    def gather(centre):
        left.sort(key=lambda p: order[p[:3]])
        nearest = sorted(left, key=lambda p: between(p, centre))[:k]
        for p in nearest:
            left.remove(p)
        clusters.append(Counter(p[:3] for p in nearest))

    order = {p[:3]: i for i, p in enumerate(left)}
    while len(left) >= 2 * k:
        two = len(left) >= 3 * k
        middle = average(left)
        r = max(left, key=lambda p: between(p, middle))
        gather(r)
        if two:
            gather(max(left, key=lambda p: between(p, r)))
    clusters.append(Counter(p[:3] for p in left))
    return clusters


@settings(quick, derandomize=True)
@given(rows, st.integers(1, 6))
def test_microaggregation_is_plain_mdav(table, k):
    cells = build(table)
    if len(table) < k:
        with pytest.raises(ClaimError, match=f"reaches {len(table)}, required {k}"):
            microaggregation(cells, k=k)
        return
    recoding = microaggregation(cells, k=k)
    groups = check_release(cells, recoding, large(k))
    assert all(k <= people.total() <= 2 * k - 1 for people in groups.values())
    clusters = []
    for _, people in sorted(groups.items()):
        cluster = Counter()
        for q, n in people.items():
            cluster[tuple(h.values[q[j]] for j, h in enumerate(DOMAIN))] += n
        clusters.append(cluster)
    assert clusters == plain_mdav(table, k)
    for group, cluster in enumerate(clusters):
        ages = [int(v[0]) for v in cluster.elements() if v[0] is not None]
        mean, place, sex = (label[group] for label in recoding.labels)
        centre = average(list(cluster.elements()))
        assert (place, sex) == centre[1:]
        expected = str(math.floor(centre[0] + Fraction(1, 2))) if len(ages) >= k else None
        assert mean == expected


@quick
@given(rows, st.integers(1, 4), st.integers(1, 3))
def test_clusters_are_joined_until_claims_hold(table, k, l):  # noqa: E741
    cells = build(table)
    passes = diverse(k, l)
    if not passes(_all(cells)):
        with pytest.raises(ClaimError):
            microaggregation(cells, k=k, models=[Values(l=l)])
        return
    recoding = microaggregation(cells, k=k, models=[Values(l=l)])
    groups = check_release(cells, recoding, passes)
    assert all(passes(people) for people in groups.values())
    assert recoding.detail["joined"] == microaggregation(cells, k=k).size - recoding.size


def dealt(people, tuple_of, lots):
    """The matrix of cells by lots that `deal` makes."""
    tuples, counts = np.array(lots, np.int64).reshape(-1, 2).T
    cell, size, lot = deal(
        np.array(people, np.int64), np.array(tuple_of, np.int64), tuples, counts,
        np.arange(len(lots)),
    )  # fmt: skip
    assert (size > 0).all()
    assert len(set(zip(cell, lot, strict=True))) == len(cell)
    matrix = np.zeros((len(people), len(lots)), np.int64)
    matrix[cell, lot] = size
    return matrix


@quick
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=4), st.data())
def test_everybody_is_dealt_to_a_lot_of_their_tuple(tuples, data):
    cells = [(n, t) for t, sizes in enumerate(tuples) for n in sizes]
    lots = []
    for t, sizes in enumerate(tuples):
        left = sum(sizes)
        while left:
            lots.append((t, data.draw(st.integers(1, left))))
            left -= lots[-1][1]
    cells, lots = data.draw(st.permutations(cells)), data.draw(st.permutations(lots))
    people, tuple_of = [n for n, _ in cells], [t for _, t in cells]
    matrix = dealt(people, tuple_of, lots)
    assert matrix.sum(axis=1).tolist() == people
    assert matrix.sum(axis=0).tolist() == [count for _, count in lots]
    for c, j in zip(*np.nonzero(matrix), strict=True):
        assert tuple_of[c] == lots[j][0]


@quick
@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.data())
def test_every_lot_is_like_the_whole_tuple(people, data):
    total = sum(people)
    if data.draw(st.booleans()):
        first = data.draw(st.integers(0, total))
        sizes = [first, total - first]
    else:
        size = data.draw(st.sampled_from([d for d in range(1, total + 1) if total % d == 0]))
        sizes = [size] * (total // size)
    matrix = dealt(people, [0] * len(people), [(0, size) for size in sizes])
    for c, n in enumerate(people):
        for j, size in enumerate(sizes):
            # A stretch of the line may lie across each end of the cell, so less than 2 astray.
            assert abs(matrix[c, j] - Fraction(n * size, total)) < 2


@pytest.mark.parametrize(("period", "sizes"), [(2, (200, 200)), (4, (200, 200)), (3, (150, 250)),
                                               (5, (80,) * 5)])  # fmt: skip
def test_lots_do_not_follow_a_pattern_along_the_line(period, sizes):
    """Everybody is a cell of their own, and a second attribute alternates from cell to cell."""
    matrix = dealt([1] * 400, [0] * 400, [(0, size) for size in sizes])
    for j, size in enumerate(sizes):
        for value in range(period):
            share = matrix[value::period, j].sum() / size
            # Four standard deviations of a random sample.
            assert abs(share - 1 / period) < 4 * math.sqrt((period - 1) / size) / period


@quick
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), min_size=1, max_size=9), st.data())
def test_the_first_people_are_whole_tuples_and_a_sample_of_the_last(entries, data):
    people = np.array([n for _, n in entries])
    tuple_of = np.cumsum([new for new, _ in entries])
    tuple_of -= tuple_of[0]
    wanted = data.draw(st.integers(1, int(people.sum())))
    first = first_of(people, tuple_of, wanted)
    assert first.sum() == wanted
    left = wanted
    for t in range(tuple_of[-1] + 1):
        mine = people[tuple_of == t]
        taken = min(left, int(mine.sum()))
        left -= taken
        assert first[tuple_of == t].sum() == taken
        for a, n in zip(first[tuple_of == t], mine, strict=True):
            assert 0 <= a <= n
            assert abs(int(a) - Fraction(int(n) * taken, int(mine.sum()))) < 2
