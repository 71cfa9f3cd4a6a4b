"""The charts: what they show is what the formulas say."""

from __future__ import annotations

from itertools import pairwise

from hedgerow.explain.sampling_curves import against_delta, against_rate, k_chart
from hedgerow.noise.sampling.suppression import smallest_k
from hedgerow.noise.sampling.theorem import paper_smallest_k


def test_curves_run_the_right_way() -> None:
    for rows in (against_delta(), against_rate()):
        for here, then in pairwise(rows):
            if here["line"] == then["line"]:
                assert here["k"] <= then["k"]


def test_the_theorem_ends_where_it_is_silent_and_lies_above() -> None:
    rows = against_rate()
    for epsilon, last in (("1", 0.625), ("0.5", 0.375)):
        exact = {r["x"]: r["k"] for r in rows if r["line"] == f"ε = {epsilon}, exact"}
        theorem = {r["x"]: r["k"] for r in rows if r["line"] == f"ε = {epsilon}, theorem"}
        assert max(theorem) == last
        assert max(exact) == 0.95
        assert all(exact[x] <= k for x, k in theorem.items())
        assert exact[0.25] == smallest_k(beta="0.25", epsilon=epsilon, delta="1e-6")
        assert theorem[0.25] == paper_smallest_k(beta="0.25", epsilon=epsilon, delta="1e-6")


def test_a_chart_says_in_words_what_it_shows() -> None:
    rows = [{"x": 0.5, "k": 4, "line": "one"}, {"x": 1.0, "k": 2, "line": "one"}]
    chart = k_chart(rows, across="x", title="Title", subtitle="Subtitle").to_dict()
    assert "one: 4 at 0.5, 2 at 1" in chart["description"]
    assert chart["plots"][0]["data"] == [{"drawn": ["curve"], "rows": rows}]
