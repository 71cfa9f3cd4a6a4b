"""Reductions over the compressed histogram against plain Python on lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from hedgerow.claims.reductions import extremes, first_and_tail, furthest, steepest
from hedgerow.table.groups import Groups, Sensitive

rows = st.lists(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), max_size=6), max_size=5
).filter(lambda rows: any(rows))


@settings(max_examples=100, deadline=None)
@given(rows=rows, l=st.integers(1, 8))
def test_against_sorted_lists(rows: list[dict[str | None, int]], l: int) -> None:  # noqa: E741
    groups = Groups.of({"s": rows})
    h, reference = groups.histograms["s"], groups.domains["s"].reference
    people = groups.domains["s"].people
    least, most = extremes(h.indptr, h.counts)
    first, tail = first_and_tail(h.indptr, h.counts, l)
    top, bottom = steepest(h.indptr, h.codes, h.counts, reference)
    far = furthest(h.indptr, h.codes, h.counts, groups.n, reference, people)
    dense = h.dense(len(reference))
    for g, row in enumerate(rows):
        r = sorted(row.values(), reverse=True)
        assert (least[g], most[g]) == ((r[-1], r[0]) if r else (0, 0))
        assert (first[g], tail[g]) == (r[0] if r else 0, sum(r[l - 1 :]))
        assert far[g] == max(abs(dense[g] * people - reference * groups.n[g]))
        if not r:
            assert top[g] == bottom[g] == -1
            continue
        ratios = [c / reference[h.codes[e]] for e, c in enumerate(h.counts)]
        own = range(h.indptr[g], h.indptr[g + 1])
        assert ratios[top[g]] == max(ratios[e] for e in own)
        assert ratios[bottom[g]] == min(ratios[e] for e in own)


def test_the_order_of_entries_does_not_matter() -> None:
    groups = Groups.of({"s": [{"a": 3, "b": 1, "c": 2}]})
    h = groups.histograms["s"]
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        first, tail = first_and_tail(h.indptr, h.counts[order], 2)
        assert (first[0], tail[0]) == (3, 3)


def test_a_value_the_reference_lacks_has_no_ratio() -> None:
    groups = Groups.of({"s": [{"a": 1, "b": 1}]})
    stale = Sensitive("s", ("a", "b"), np.array([2, 0]), 2)
    h = groups.histograms["s"]
    assert steepest(h.indptr, h.codes, h.counts, stale.reference)[0].tolist() == [-1]
    groups = Groups(groups.n, groups.histograms, {"s": stale})
    assert DeltaDisclosure(delta=9, of="s").level(groups).tolist() == [np.inf]


def test_share_of_one_value_where_groups_lack_it() -> None:
    groups = Groups.of({"s": [{"b": 2}, {"a": 1, "b": 3}, {}, {"a": 4}]}, n=[2, 4, 0, 4])
    model = AlphaKAnonymity(alpha=0.3, k=1, of="s", value="a")
    assert model.level(groups)[[0, 1, 3]].tolist() == [0, 0.25, 1]
    assert model.holds(groups).tolist() == [True, True, True, False]


def test_people_of_whom_no_value_is_known_are_not_protected() -> None:
    """No engine counts that way; if one did, nothing may be claimed about the group."""
    groups = Groups.of({"s": [{"a": 1, "b": 1}, {}]}, n=[2, 2])
    for model in (
        DistinctLDiversity(l=1, of="s"),
        ProbabilisticLDiversity(l=1, of="s"),
        EntropyLDiversity(l=1, of="s"),
        RecursiveLDiversity(c=9, l=1, of="s"),
        TCloseness(t=1, of="s"),
        DeltaDisclosure(delta=9, of="s"),
        BetaLikeness(beta=9, of="s"),
    ):
        assert not model.holds(groups)[1], str(model)
        assert model.check(groups).level == (0 if model.higher_is_safer else np.inf)
