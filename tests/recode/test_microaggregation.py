from __future__ import annotations

import numpy as np
import pytest
from tables import adult, cells_of, flat, integers
from work import steps

from hedgerow.base.errors import ClaimError, PlanError
from hedgerow.claims.anonymity import KAnonymity
from hedgerow.claims.closeness import TCloseness
from hedgerow.claims.presence import DeltaPresence
from hedgerow.claims.risk import MarketerRisk
from hedgerow.recode.microaggregation import microaggregation
from hedgerow.table.hierarchy import Hierarchy


def clusters(recoding):
    """The published tuple of each cluster, with its people."""
    sizes = np.bincount(recoding.group, weights=recoding.people, minlength=recoding.size)
    tuples = zip(*(label.tolist() for label in recoding.labels), strict=True)
    return [(t, int(n)) for t, n in zip(tuples, sizes, strict=True)]


def numbers(values, k, **options):
    hierarchy = flat(
        "x", sorted(set(values), key=float), numbers=sorted({float(v) for v in values})
    )
    return clusters(microaggregation(cells_of([(v,) for v in values], [hierarchy]), k=k, **options))


def test_mdav_by_hand():
    # Mean 6; farthest is 20, with 9: mean 14.5, halves up. Farthest from 20 is 0, with 1.
    # Left are 2, 3 and 7 (mean 4, fewer than 2k): one cluster.
    assert numbers(["0", "1", "2", "3", "7", "9", "20"], 2) == [
        (("15",), 2), (("1",), 2), (("4",), 3),
    ]  # fmt: skip


def test_between_two_and_three_k_people_make_two_clusters():
    # Mean 4.2; farthest is 10, with 9; the rest is 0, 1, 1.
    assert numbers(["0", "1", "1", "9", "10"], 2) == [(("10",), 2), (("1",), 3)]


def test_equal_people_are_shared_out_in_exact_numbers():
    cells = cells_of([("5",)] * 7, [integers("x", 0, 9)])
    recoding = microaggregation(cells, k=2)
    assert clusters(recoding) == [(("5",), 2), (("5",), 2), (("5",), 3)]
    assert recoding.groups(cells).n.tolist() == [7]  # one group to the recipient
    assert recoding.separates


def test_equal_people_are_not_sorted_by_their_sensitive_values():
    rows = sorted((age, s) for age in ("29", *["30"] * 4, "31") for s in "ab")
    cells = cells_of(rows, [integers("age", 29, 31)], sensitive=["s"])
    groups = microaggregation(cells, k=6).groups(cells)
    assert groups.histograms["s"].dense(2).tolist() == [[6, 6]]  # both centres are 30
    recoding = microaggregation(cells, k=6)
    values = np.zeros((recoding.size, 2), int)
    code = cells.values[0].codes[recoding.cell]
    np.add.at(values, (recoding.group, code), recoding.people)
    assert values.tolist() == [[3, 3], [3, 3]]


def test_means_have_the_decimals_of_the_column():
    assert numbers(["0.25", "0.5", "1"], 3) == [(("0.58",), 3)]
    assert numbers(["-1", "0", "0"], 3) == [(("0",), 3)]
    assert numbers(["-3", "-2"], 2) == [(("-2",), 2)]
    assert numbers(["1000000000000000000000", "3"], 2) == [(("500000000000000000002",), 2)]


def test_a_mean_is_over_at_least_k_people():
    cells = cells_of([("1",), ("3",), (None,)], [integers("x", 0, 9, missing=True)])
    assert clusters(microaggregation(cells, k=3)) == [((None,), 3)]
    assert clusters(microaggregation(cells, k=2)) == [(("2",), 3)]


def test_people_without_a_number_are_alike():
    place = Hierarchy.of("p", [("a1", "a", "*"), ("a2", "a", "*")])
    rows = [(None, "a1"), (None, "a2"), ("5", "a1"), ("5", "a2")]
    cells = cells_of(rows, [integers("x", 0, 9, missing=True), place])
    assert clusters(microaggregation(cells, k=2)) == [((None, "a1"), 2), (("5", "a1"), 2)]


def test_categories_are_published_as_the_most_frequent():
    hierarchy = Hierarchy.of("x", [("a", "v", "*"), ("b", "v", "*"), ("c", "w", "*")])
    cells = cells_of([("b",), ("c",), ("b",), ("a",)], [hierarchy])
    recoding = microaggregation(cells, k=4)
    assert clusters(recoding) == [(("b",), 4)]
    # What is lost is everything between the first and the last value.
    assert recoding.spans.width.tolist() == [[3]]
    cells = cells_of([("c",), ("a",)], [hierarchy])
    assert clusters(microaggregation(cells, k=2)) == [(("a",), 2)]


def test_a_taxonomy_brings_relatives_together():
    hierarchy = Hierarchy.of(
        "x", [("a1", "a", "*"), ("b1", "b", "*"), ("a2", "a", "*"), ("b2", "b", "*")]
    )
    cells = cells_of([("a1",), ("b1",), ("a2",), ("b2",)], [hierarchy])
    recoding = microaggregation(cells, k=2)
    together = {}
    for cell, group in zip(recoding.cell, recoding.group, strict=True):
        together.setdefault(group, set()).add(hierarchy.values[cells.q[cell, 0]])
    assert sorted(map(sorted, together.values())) == [["a1", "a2"], ["b1", "b2"]]


def test_failing_clusters_join_their_nearest():
    rows = [("0", "a"), ("1", "a"), ("3", "b"), ("4", "a"), ("20", "a"), ("21", "b")]
    cells = cells_of(rows, [integers("x", 0, 30)], sensitive=["s"])
    assert clusters(microaggregation(cells, k=2)) == [
        (("21",), 2), (("1",), 2), (("4",), 2),
    ]  # fmt: skip
    # 0 and 1 are all a; 3 and 4 are nearer than 20 and 21.
    close = TCloseness(t=0.2, of="s")
    joined = microaggregation(cells, k=2, models=[close])
    assert clusters(joined) == [(("21",), 2), (("2",), 4)]
    assert joined.detail == {"method": "MDAV", "k": 2, "joined": 1}
    # Only the whole table has exactly the table's distribution.
    exact = microaggregation(cells, k=2, models=[TCloseness(t=0, of="s")])
    assert [n for _, n in clusters(exact)] == [6]


def test_clusters_with_equal_centres_lose_what_the_recipient_cannot_tell_apart():
    rows = [("4",), ("6",), ("0",), ("10",)]
    cells = cells_of(rows, [integers("x", 0, 10)])
    # The farthest from 5 is 0, with 4: mean 2. 6 and 10 are left: mean 8.
    recoding = microaggregation(cells, k=2)
    assert clusters(recoding) == [(("2",), 2), (("8",), 2)]
    assert recoding.spans.width.tolist() == [[5], [5]]
    # 4 and 5, 5 and 5, 5 and 6: means 5 (halves up), 5 and 6.
    cells = cells_of([("4",), ("5",), ("5",), ("5",), ("5",), ("6",)], [integers("x", 0, 10)])
    recoding = microaggregation(cells, k=2)
    assert clusters(recoding) == [(("5",), 2), (("6",), 2), (("5",), 2)]
    assert recoding.spans.width.tolist() == [[2], [2], [2]]


def test_refusals():
    x = integers("x", 0, 9)
    cells = cells_of([("1", "a"), ("2", "a")], [x], sensitive=["s"], order={"s": ["a", "b"]})
    with pytest.raises(ClaimError, match=r"3-anonymity .* reaches 2, required 3"):
        microaggregation(cells, k=3)
    with pytest.raises(ClaimError, match="4-anonymity"):
        microaggregation(cells, k=2, models=[KAnonymity(k=4)])
    with pytest.raises(ClaimError, match=r"reaches 0\.5, required 0\.1"):
        microaggregation(cells, k=2, models=[MarketerRisk(risk=0.1)])
    with pytest.raises(PlanError, match="k must be"):
        microaggregation(cells, k=0)
    outside = cells_of([("1",)], [x], population=[("1",), ("2",)])
    with pytest.raises(PlanError, match="presence cannot be claimed"):
        microaggregation(outside, k=1, models=[DeltaPresence(minimum=0, maximum=1)])


def test_the_smallest_tables():
    x = integers("x", 0, 9)
    assert clusters(microaggregation(cells_of([("3",)], [x]), k=1)) == [(("3",), 1)]
    assert clusters(microaggregation(cells_of([], [x]), k=2)) == []
    without = cells_of([()] * 5, [])
    assert microaggregation(without, k=2).groups(without).n.tolist() == [5]


def test_progress_rises_to_one():
    told = []
    cells = cells_of([(str(v),) for v in range(30)], [integers("x", 0, 29)])
    microaggregation(cells, k=3, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.data
def test_adult_has_clusters_of_k():
    columns = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    cells = adult([*columns, "salary-class", "occupation"])
    recoding = microaggregation(cells, k=5)
    again = steps(lambda: microaggregation(cells, k=5))
    assert again < 25 * len(cells.n), "a kernel that is not compiled takes thousands a cell"
    sizes = np.bincount(recoding.group, weights=recoding.people)
    assert sizes.sum() == 30162
    assert sizes.min() == 5
    assert sizes.max() <= 9
    assert sizes.mean() == pytest.approx(5.0, abs=0.01)
