"""Every hierarchy that is proposed fits, says where it comes from, and loses what is said."""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import data_folder

from hedgerow.plan.plan import Plan
from hedgerow.table.codes import Codes
from hedgerow.table.hierarchy_builders import Dates, Prefix
from hedgerow.table.proposals import Proposal, proposals, similarity

texts = st.one_of(
    st.integers(-5, 10**6).map(str),
    st.decimals(0, 10**5, places=2).map(str),
    st.sampled_from(["A09.1", "e119", "J01CA04", "France", "usa", "2024-02-29", "02139", "2139"]),
    st.text(st.sampled_from("ab1- "), min_size=1, max_size=8),
    st.just("?"),
)
columns = st.dictionaries(st.one_of(st.none(), texts), st.integers(1, 200), min_size=1, max_size=40)
some = settings(max_examples=150, deadline=None)


def loss_of(found: Proposal, counts: Mapping[str | None, int], k: int) -> Fraction:
    """The loss as it is defined, by enumeration."""
    h = found.hierarchy
    people = sum(counts.values())
    rows = [[h.labels[level][h.codes[level][i]] for level in range(h.height + 1)]
            for i in range(len(h.values))]  # fmt: skip
    losses, size = [], k
    while size == k or size <= people // 2:
        best = []
        for level in range(h.height + 1):
            groups: dict[str | None, list[int]] = {}
            for row in rows:
                groups.setdefault(row[level], []).append(counts.get(row[0], 0))
            small = sum(sum(group) for group in groups.values() if sum(group) < size)
            if small * 20 <= people or level == h.height:
                kept = [group for group in groups.values() if sum(group) >= size]
                lost = sum(
                    (Fraction(sum(g) * (len(g) - 1), max(1, len(rows) - 1)) for g in kept),
                    start=Fraction(small),
                )
                best.append(lost / people)
        losses.append(min(best))
        size *= 4
    return sum(losses, start=Fraction()) / len(losses)


@some
@given(columns, st.sampled_from([2, 5, 11]), st.sampled_from(["x", "age", "zip", "country"]))
def test_every_proposal(counts: dict[str | None, int], k: int, name: str) -> None:
    found = proposals(name, counts, k=k)
    assert found[-1].text == "{suppression: true}"
    assert [p.origin for p in found[:-1]] == sorted((p.origin for p in found[:-1]), reverse=True)
    for one in found:
        assert set(counts) <= set(one.hierarchy.values)
        assert 0 <= one.loss <= 1
        assert one.loss == pytest.approx(float(loss_of(one, counts, k)), abs=1e-9)
        assert ("from: data" in one.text) == (one.origin == "data")
        text = f"columns:\n  x: {{role: quasi-identifier, hierarchy: {one.text}}}\n"
        text += "protect: [k-anonymity: 2]\n"
        plan = Plan.parse(text, name="plan.yaml", folder=Path())
        read = plan.hierarchy_spec("x").bind("x", list(counts))
        assert read.labels == one.spec.bind("x", list(counts)).labels
        assert plan.columns["x"].from_data == (one.origin == "data")


def test_five_percent_may_be_suppressed_and_no_more() -> None:
    one, other = ({"a": 95, "b": 5}, {"a": 94, "b": 6})
    for counts, loss in ((one, 0.05), (other, 1.0)):
        first = proposals("x", counts, k=50)[-1]
        assert first.loss == pytest.approx(loss)
        assert first.loss == pytest.approx(float(loss_of(first, counts, 50)))


def test_of_very_many_values_some_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.table.proposals.proposal.MOST_WEIGHED", 100)
    counts = {str(n): 1 for n in range(1000)}
    found = proposals("x", counts)
    assert {len(p.hierarchy.values) for p in found} == {100}
    for one in found:
        assert set(one.spec.bind("x", list(counts)).values) == set(counts)
    assert found[0].loss < 0.5


def test_of_no_values_there_is_one() -> None:
    for counts in ({None: 7}, {"": 3, None: 2}):
        assert kinds("x", counts) == ["{suppression: true}"]


def kinds(name: str, counts: Mapping[str | None, int]) -> list[str]:
    return [p.text for p in proposals(name, counts)]


def test_codes_dates_and_fixed_lengths_are_public() -> None:
    for name, values, spec in (
        ("x", ["A09.1", "E11.9", "I10"], Codes("icd-10")),
        ("x", ["2024-02-29", "2023-01-01"], Dates()),
        ("ref", ["0001A", "0002B", "0103C"], Prefix(length=5)),
        ("land", ["France", "Peru", "Japan"], Codes("countries")),
    ):
        first = proposals(name, dict.fromkeys(values, 9))[0]
        assert first.spec == spec
        assert first.origin == "public"


def test_whatever_counts_or_lists_values_is_from_the_data() -> None:
    pay = {str(n * n): 1 for n in range(1, 200)}
    names = {"red": 900, "blue": 700, "pink": 3, "light blue": 4, "light green": 2}
    for counts in (pay, names):
        found = proposals("x", counts)[:-1]
        assert found
        assert {p.origin for p in found} == {"data"}


def test_ages_have_public_ranges() -> None:
    counts = {str(n): 20 for n in range(17, 91)}
    assert "{ranges: [5, 10, 20, 40]}" in kinds("age", counts)
    assert "{ranges: [5, 10, 20, 40]}" not in kinds("score", counts)


def test_skewed_amounts_get_steps_of_ten() -> None:
    counts = {str(2**n): 1 for n in range(4, 24)}
    assert any("bins: [[10, 20, 50, 100," in text for text in kinds("charges", counts))


def test_values_that_are_no_codes_are_named_in_the_reason() -> None:
    counts = {"France": 50, "Peru": 40, "South": 3, None: 5}
    first = proposals("native-country", counts)[0]
    assert first.text == "{codes: {system: countries, other: other}}"
    assert "South" in first.reason


def test_no_label_is_a_value() -> None:
    counts = {"other": 900, "rare": 800, "a": 30, "b": 20, "c": 1, "d": 2}
    first = proposals("x", counts)[0]
    assert {"other values", "rare values"} <= set(first.hierarchy.labels[1]) | set(
        first.hierarchy.labels[2]
    )


@pytest.mark.data
def test_adult() -> None:
    with (data_folder() / "adult" / "adult.data").open() as file:
        rows = [row for row in csv.reader(file) if len(row) > 13]
    found = {
        name: proposals(name, Counter(v if (v := row[i].strip()) != "?" else None for row in rows))
        for name, i in {"age": 0, "workclass": 1, "marital-status": 5, "native-country": 13}.items()
    }
    for name, all_of_it in found.items():
        assert all_of_it[0].loss <= all_of_it[-1].loss * (1 if name == "marital-status" else 0.8)
    assert found["native-country"][0].text.startswith("{codes: {system: countries")


def entropy_of(groups, pairs):
    """What is unknown of the other column when a person's group is known, times people."""
    doubt = 0.0
    for group in groups:
        by = Counter()
        for (value, other), n in pairs.items():
            if value in group:
                by[other] += n
        total = sum(by.values())
        doubt -= sum(n * math.log2(n / total) for n in by.values())
    return doubt


@given(st.dictionaries(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz")),
                       st.integers(1, 30), min_size=6))  # fmt: skip
def test_each_step_loses_least_of_what_values_say(pairs):
    known = sorted({value for value, _ in pairs})
    steps = similarity.merges(known, similarity.distributions(pairs, known))
    groups = {(i,) for i in range(len(known))}

    def named(some):
        return [{known[i] for i in group} for group in some]

    for one, other in steps:
        assert {one, other} <= groups
        tried = {
            (a, b): entropy_of(named(groups - {a, b} | {(*a, *b)}), pairs)
            for a, b in itertools.combinations(sorted(groups), 2)
        }
        chosen = entropy_of(named(groups - {one, other} | {(*one, *other)}), pairs)
        assert chosen <= min(tried.values()) + 1e-9
        groups = groups - {one, other} | {(*one, *other)}
    assert len(groups) == 1


def test_similar_values_form_a_tree_that_is_public_if_all_values_are():
    pairs = {("nurse", "2"): 9, ("clerk", "2"): 8, ("judge", "9"): 5, ("surgeon", "9"): 4}
    found = similarity.candidate(pairs, ["nurse", "judge"], of="pay", source="census.csv")
    h = found.spec.bind("job", ["nurse", "clerk", "judge", "surgeon"])
    below_top = h.height - 1
    at = {value: h.labels[below_top][h.codes[below_top][i]] for i, value in enumerate(h.values)}
    assert at["judge"] == at["surgeon"] == "judge and 1 more"
    assert {"clerk and 1 more": ["clerk", "nurse"]} in found.form["taxonomy"]
    assert h.labels[h.height] == ("*",)
    assert found.origin == "public"
    more = similarity.candidate(pairs, ["nurse", "pilot"], of="pay", source="census.csv")
    assert more.origin == "data"
    assert "pilot" in more.form["taxonomy"]
    assert similarity.candidate({("a", "1"): 3}, ["a"], of="pay", source="census.csv") is None


def test_numbers_are_cut_into_parts_with_as_many_people():
    pairs = {(f"v{i % 4}", str(i)): 1 for i in range(200)}
    found = similarity.distributions(pairs, [f"v{i}" for i in range(4)])
    assert found.shape == (4, similarity.PARTS)
    assert found.sum(axis=0).tolist() == [20.0] * similarity.PARTS


def test_months_become_quarters():
    counts = {f"{n:02}": 20 for n in range(1, 13)}
    first = proposals("Aufnahme_Monat", counts)[0]
    assert (first.form, first.origin) == ({"ranges": {"widths": [3, 6], "origin": 1}}, "public")
    assert [row[1] for row in first.examples(12)] == ["1-3"] * 3 + ["4-6"] * 3 + ["7-9"] * 3 + [
        "10-12"] * 3  # fmt: skip
    assert "origin" not in str(proposals("visits", counts)[0].form)
