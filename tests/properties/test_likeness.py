"""Which texts may be taken for one value: what is overlooked, and what never is."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hedgerow.spelling import (
    classes,
    first_spellings,
    folded,
    likeness,
    reading,
    told_apart,
    usual_spellings,
)

WORDS = st.text("abcXYZéÉñßİд", min_size=1, max_size=5)
MIXED = st.text("aBé1 25.,-+<>=%()/'_!?\N{EN DASH}\N{MINUS SIGN}\N{SUPERSCRIPT TWO}", max_size=8)


@pytest.mark.parametrize(
    "texts",
    [
        ("flu", "Flu", "FLU", "flu.", " f l u ", "f-l-u", "(flu)", "flu\u200b", "ＦＬＵ"),
        ("HIV", "H.I.V.", "H. I. V.", "h/i/v"),
        ("lung cancer", "lung  cancer", "Lung-Cancer", "lung_cancer", "lungcancer"),
        ("covid-19", "COVID 19", "Covid19"),
        ("é", "e\N{COMBINING ACUTE ACCENT}", "E", "É"),
        ("HIV-", "HIV -", "hiv\N{EN DASH}", "HIV\N{MINUS SIGN}", "HIV\N{SUPERSCRIPT MINUS}"),
        ("grade 5", "Grade 5.", "grade: 5", "grade5"),
        ("1", "1.0", "+1", "01"),
    ],
)
def test_one_value(texts: tuple[str, ...]) -> None:
    assert len({likeness(text) for text in texts}) == 1
    assert classes(texts) == [tuple(sorted(texts))]


@pytest.mark.parametrize(
    "texts",
    [
        ("HIV", "HIV+", "HIV-", "HIV++", "-HIV", "+HIV"),
        ("5", "<5", ">5", "=5", "<=5", "\N{LESS-THAN OR EQUAL TO}5", "5%", "-5", "(5)", "5'", '5"'),
        ("1.5", "15", "1,5", "1 5", "1-5", "1:5", "1/5"),
        ("v1.5", "v15", "v1,5", "v1 5", "v1-5", "v1.) 5"),
        ("10-20", "1020", "10 20", "10.20"),
        ("dose .5", "dose 5"),
        ("102", "10\N{SUPERSCRIPT TWO}", "10 \N{SUPERSCRIPT TWO}x"),
        ("1\N{VULGAR FRACTION ONE HALF} mg", "11\N{FRACTION SLASH}2 mg"),
        ("=5 x", "\N{NOT EQUAL TO}5 x"),
        ("й", "и"),
        ("?", "*", "...", "-", "+"),
        ("flu", "gout"),
    ],
)
def test_several_values(texts: tuple[str, ...]) -> None:
    assert len({likeness(text) for text in texts}) == len(texts)
    assert classes(texts) == []


@given(text=WORDS)
def test_case_spaces_and_stops_are_overlooked(text: str) -> None:
    assert likeness(text.upper()) == likeness(text.lower()) or text.upper().lower() != text.lower()
    assert likeness(f" {'. '.join(text)}.") == likeness(text)
    assert likeness(unicodedata.normalize("NFD", text)) == likeness(text)


def signs(text: str) -> str:
    """What must not get lost, in order: digits in their numbers, and signs that are no dashes."""
    return re.sub(r"[^0-9+<>=%]+", " ", unicodedata.normalize("NFKC", text))


@given(one=MIXED, other=MIXED)
@settings(max_examples=1500)
@example(one="a 1", other="a1")
@example(one="1 .2 a", other="1.2 a")
def test_signs_and_digits_are_never_overlooked(one: str, other: str) -> None:
    if likeness(one) != likeness(other) or reading(one) == reading(other):
        return
    assert signs(one).replace(" ", "") == signs(other).replace(" ", "")
    assert re.findall("[0-9]+", likeness(one) or "") == re.findall("[0-9]+", likeness(other) or "")


@given(text=MIXED, sign=st.sampled_from("+-<>="))
@settings(max_examples=500)
def test_a_sign_at_an_end_makes_another_value(text: str, sign: str) -> None:
    if reading(text) is None or reading(text + sign) is None or text.strip() != text:
        return
    if text[-1:].isalnum():
        assert likeness(text + sign) != likeness(text)
        assert likeness(f"{text} {sign}") != likeness(text)


@given(values=st.lists(MIXED, max_size=8, unique=True))
@settings(max_examples=300)
def test_classes_are_computed_on_the_distinct_values(values: list[str]) -> None:
    """Each value is in one class, and the ways to ask for them agree."""
    first = first_spellings(values)
    listed = classes(values)
    assert (first is None) == (not listed)
    found: dict[int, list[str]] = {}
    for value, place in zip(values, first or range(len(values)), strict=True):
        found.setdefault(place, []).append(value)
    assert sorted(tuple(sorted(v)) for v in found.values() if len(v) > 1) == listed
    assert set(usual_spellings(values, [1] * len(values)).values()) == {min(v) for v in listed}
    kind = told_apart(values)
    assert len({kind(v) for v in values if reading(v) is not None}) == len(
        [v for v in values if reading(v) is not None]
    ), "in a list each value is one of its own"


def test_what_differs_stays_apart() -> None:
    assert folded(["Flu", "FLU", "gout", "Gout"], ["Flu", "FLU"])[1] == [0, 1, 2, 2]
    assert first_spellings(["Flu", "FLU"], ["Flu", "FLU"]) is None
    assert usual_spellings(["Flu", "FLU", "a", "A"], [1, 2, 1, 2], ["Flu", "FLU"]) == {"a": "A"}
