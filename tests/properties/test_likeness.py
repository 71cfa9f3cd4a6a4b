"""Which texts may be taken for one value: what is overlooked, and what never is."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hedgerow.base.spelling import kinds, likeness, reading
from hedgerow.base.spelling_classes import (
    classes,
    first_spellings,
    folded,
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
        ("1", "1.0", "+1", "01", "\N{ARABIC-INDIC DIGIT ONE}", "\N{DEVANAGARI DIGIT ONE}"),
        ("Crohn's", "Crohn`s", "Crohn\u00b4s", "Crohn\u02bcs", "Crohn\u2019s", "Crohns"),
        ("5 mg", "5.0 mg", "05 mg", "5mg", "5.0mg", "05mg", "5.00 mg.", "\u0665 mg"),
        ("<5", "< 5.0", "<05"),
        ("5%", "5.0%", "05 %"),
        ("stage 1", "stage 01", "Stage 1.0", "stage01", "stage-1"),
        ("temp -5", "temp -5.0", "temp -05"),
        ("k\u0131r\u0131k", "KIRIK", "kirik", "K\u0130R\u0130K"),
        ("\u0153dema", "\u0152DEMA", "oedema"),
        ("an\u00e6mia", "anaemia", "AN\u00c6MIA"),
        ("J\u00f8rn", "Jorn"),
        ("\u0142uk", "luk", "\u0141UK"),
        ("\u0110ak", "dak"),
        ("flu", "flu\u2800", "\u2800Flu", "f\u2800lu"),
        ("\N{VULGAR FRACTION ONE HALF} pill", "1/2 pill"),
        ("heart - failure", "heart failure", "heart \u2013 failure", "heart-failure"),
        ("A01", "A 01", "a-01"),
        ("?", "??", "*", ".", "..", "...", "-", "--", "\N{EN DASH}", "unknown", "UNK", "Not known"),
        ("flu", "flu|", "flu^", "flu\N{TRADE MARK SIGN}", "Flu\N{REGISTERED SIGN}"),
        ("1,000", "1000", "1,000.0", "1'000"),
        ("1,234,567 mg", "1234567 mg"),
        ("2024-01-02", "2024-1-2", "2024-01-2"),
        ("02/01/2024", "2/1/2024"),
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
        ("-", "+", "++", "?", "<", "=", "%"),
        ("1,00", "100", "1,0000", "10000", "1,000", "1"),
        ("2024-01-02", "2024-10-2", "2024-1-20", "2024/01/02"),
        ("10^2", "102"),
        ("none", "unknown"),
        ("flu", "gout"),
        ("A01", "A1", "A10"),
        ("E11", "E11.0", "E11.00", "E110"),
        ("01A", "1A"),
        ("1.2.3", "1.2.30", "01.2.3", "1.2", "12.3"),
        ("dose 1.5", "dose 15", "dose 1.05", "dose 10.5", "dose 150"),
        ("dose .5", "dose .05", "dose 5", "dose 50"),
        ("x 1 000 mg", "x 1 00 mg", "x 1 0 mg", "x 1000 mg"),
        ("2024-01-05", "2024-10-05", "2024-01-50", "2024-1-05 x"),
        ("HIV", "HIV -", "- HIV", "HIV - 5"),
        ("temp - 5", "temp 5", "temp -50"),
        ("heart - failure", "heart + failure", "heart -failure"),
        ("0 mg", "00.5 mg", "10 mg", "100 mg"),
        ("\u0663 mg", "\u0664 mg"),
    ],
)
def test_several_values(texts: tuple[str, ...]) -> None:
    assert len(set(kinds(texts))) == len(texts)
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


ZEROS = st.text("abc0015 .,-/<", max_size=8)


def quantities(text: str) -> list[Fraction]:
    """The numbers of a text; a full stop after a letter is none of theirs."""
    text = re.sub(r"(?<=[a-z])\.(?=[0-9])", " ", text)
    text = re.sub(r"(?<![0-9.,])[0-9]{1,3}(,[0-9]{3})+(?![0-9,])",
                  lambda found: found[0].replace(",", ""), text)  # fmt: skip
    return [Fraction(n) for n in re.findall(r"[0-9]+\.[0-9]+|\.?[0-9]+", text)]


@given(one=ZEROS, other=ZEROS)
@settings(max_examples=1500)
@example(one="abc 01", other="abc 1.0")
@example(one="abc 1 00", other="abc 1 0")
@example(one="abc 0.05", other="abc 0.5")
def test_only_zeros_that_say_nothing_are_overlooked(one: str, other: str) -> None:
    for text, again in ((one, other), (one, one.replace("0", "")), (one, one.replace("0", "00"))):
        if likeness(text) == likeness(again) and reading(text) != reading(again):
            assert quantities(text) == quantities(again)


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
    shown = [[text for text in v if reading(text) is not None] for v in listed]
    assert set(usual_spellings(values, [1] * len(values)).values()) == {
        min(v) for v in shown if len(v) > 1
    }, "what programs read as missing stays missing"
    kind = told_apart(values)
    assert len({kind(v) for v in values if reading(v) is not None}) == len(
        [v for v in values if reading(v) is not None]
    ), "in a list each value is one of its own"


def test_what_differs_stays_apart() -> None:
    assert folded(["Flu", "FLU", "gout", "Gout"], ["Flu", "FLU"])[1] == [0, 1, 2, 2]
    assert first_spellings(["Flu", "FLU"], ["Flu", "FLU"]) is None
    assert usual_spellings(["Flu", "FLU", "a", "A"], [1, 2, 1, 2], ["Flu", "FLU"]) == {"a": "A"}


def test_what_says_nothing_is_one_value_at_most() -> None:
    assert first_spellings([None, "flu", "?", "unknown"]) == [0, 1, 0, 0]
    assert first_spellings([None, "?"], ["?"]) is None, "the steward says that it is a value"
    assert folded(["?", "", "flu", "n/a"]) == ([None, "flu"], [0, 0, 1, 0])
    assert kinds(["+", "-", "?"]) == ["+", "-", None], "beside its opposite a minus is a value"
    assert kinds(["None", "none", ""]) == [None, None, None], "case is overlooked"
    assert kinds(["none", ""]) == ["none", None], "nothing found is a finding"
