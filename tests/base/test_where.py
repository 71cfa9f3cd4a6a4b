"""Filters: what the language says, what it refuses, and that it is its own spelling."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tallies import holds

from hedgerow.base.conditions import KEYWORDS, And, Compared, Missing, Not, Number, OneOf, Or
from hedgerow.base.errors import PlanError
from hedgerow.base.filters import DEEPEST, LONGEST, MOST_DIGITS, MOST_TERMS, check_columns, parse


def number(text):
    return Number(Fraction(text))


READ = {
    "age >= 40": Compared("age", ">=", number(40)),
    "age>=40": Compared("age", ">=", number(40)),
    "age>-4.50": Compared("age", ">", number("-4.5")),
    "age < +.5": Compared("age", "<", number("0.5")),
    "age <= 5.": Compared("age", "<=", number(5)),
    "age == 007": Compared("age", "=", number(7)),
    "zip = '007'": Compared("zip", "=", "007"),
    'zip = "it\'s ""x"""': Compared("zip", "=", 'it\'s "x"'),
    "zip = ''": Compared("zip", "=", ""),
    "zip = ''''": Compared("zip", "=", "'"),
    "age != 40": Not(Compared("age", "=", number(40))),
    "age <> 40": Not(Compared("age", "=", number(40))),
    "not age = 40": Not(Compared("age", "=", number(40))),
    "not age != 40": Not(Not(Compared("age", "=", number(40)))),
    "a IS Missing": Missing("a"),
    "a is not missing": Not(Missing("a")),
    "not a is missing": Not(Missing("a")),
    "a in (1, 'x', 1.0)": OneOf("a", (number(1), "x")),
    "a not in ('x')": Not(OneOf("a", ("x",))),
    "a between 1 and 2 and b = 3": And(
        (
            Compared("a", ">=", number(1)),
            Compared("a", "<=", number(2)),
            Compared("b", "=", number(3)),
        )
    ),
    "a not between '2024-01-01' and '2024-12-31'": Not(
        And((Compared("a", ">=", "2024-01-01"), Compared("a", "<=", "2024-12-31")))
    ),
    "a = 1 or b = 2 and not c = 3": Or(
        (
            Compared("a", "=", number(1)),
            And((Compared("b", "=", number(2)), Not(Compared("c", "=", number(3))))),
        )
    ),
    "(a = 1 or b = 2) and (c = 3 and d = 4)": And(
        (
            Or((Compared("a", "=", number(1)), Compared("b", "=", number(2)))),
            Compared("c", "=", number(3)),
            Compared("d", "=", number(4)),
        )
    ),
    "education-num > 3": Compared("education-num", ">", number(3)),
    "a.b_c.1 > 3": Compared("a.b_c.1", ">", number(3)),
    "Größe = 3": Compared("Größe", "=", number(3)),
    "年齢\n>=\t3": Compared("年齢", ">=", number(3)),
    "`in` = 3": Compared("in", "=", number(3)),
    "`a``b; -- c` = 3": Compared("a`b; -- c", "=", number(3)),
}


@pytest.mark.parametrize("text", READ)
def test_reading(text):
    assert parse(text) == READ[text]
    assert parse(str(READ[text])) == READ[text]


REFUSED = {
    "": (1, "empty", "age >= 40"),
    "   ": (4, "empty", "age >= 40"),
    "age": (4, "the end", "before a value"),
    "age >=": (7, "not the end", "40, 'flu'"),
    "disease = flu": (11, "'flu'", "in quotes: 'flu'"),
    "a = null": (5, "'null'", "is missing"),
    "a is null": (6, "'null'", "is missing"),
    "a = missing": (5, "'missing'", "is missing"),
    "a = `b`": (5, "'`b`'", "constant"),
    "40 <= age": (1, "'40'", "column comes first"),
    "20 <= age < 30": (1, "'20'", "column comes first"),
    "a < 2 < 3": (7, "'<'", "Join"),
    "a = 1 b = 2": (7, "'b'", "Join"),
    "a = 1 and": (10, "the end", "age >= 40"),
    "and a = 1": (1, "'and'", "age >= 40"),
    "in = 3": (1, "'in'", "`in`"),
    "(a = 1": (7, "`)`", "Character 1"),
    "a = 1)": (6, "')'", "Join"),
    "a = 'x": (5, "not closed", "twice"),
    "`a = 3": (1, "not closed", "twice"),
    "a in 3": (6, "`(`", "parentheses"),
    "a in ()": (7, "')'", "40, 'flu'"),
    "a in (1 2)": (9, "`,` or `)`", "parentheses"),
    "a not = 3": (7, "`in` or `between`", "before the whole"),
    "a between 1": (12, "`and`", "between 20 and 30"),
    "a between 30 and 20": (11, "nothing is between 30 and 20", "lower end"),
    "a between 'b' and 'a'": (11, "nothing is between", "lower end"),
    "a between 1 and 'b'": (11, "one end is a number", "alike"),
    "a = 1e5": (5, "'1e5' is no plain number", "40 or -2.5"),
    "a = 1e+5": (5, "'1e+5' is no plain number", "40 or -2.5"),
    "a = 1.2.3": (5, "'1.2.3'", "40 or -2.5"),
    "a = 1and b = 2": (5, "'1and'", "40 or -2.5"),
    "1st = 2": (1, "'1st'", "`backquotes`"),
    "a = ٣": (5, "'٣'", "40 or -2.5"),
    "a = “x”": (5, "'“'", "'quotes'"),
    "a = 1 && b = 2": (7, "'&'", "'quotes'"),
    "a = 1; drop table x": (6, "';'", "'quotes'"),
    "`` = 3": (1, "has a name", "backquotes"),
    "a = '\x00'": (6, "no table", None),
    "a = '\ud800'": (6, "no table", None),
    "a = " + "9" * (MOST_DIGITS + 1): (5, "at most 38 digits", None),
    "a = ." + "9" * MOST_DIGITS: (5, "at most 38 digits", None),
    "a = " + "9" * 50_000: (5, "at most 38 digits", None),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusing_names_the_place_and_what_would_be_right(text):
    place, what, fix = REFUSED[text]
    with pytest.raises(PlanError) as caught:
        parse(text)
    error = caught.value
    assert error.where is not None
    assert error.where.endswith(f", character {place:,}")
    assert what in error.what
    assert fix is None or fix in str(error.fix)
    assert len(str(error)) < 400, "also of a long filter only the place is shown"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "(" * 100_000 + "a = 1" + ")" * 100_000,
        "(" * 40_000 + "a = 1" + ")" * 40_000,
        "not " * 20_000 + "a = 1",
        "(not " * 10_000,
        "a = 1 or " * 11_000 + "a = 1",
        "a = 1 and " * 9_000 + "a = 1",
        "a = 1 or a between 1 and 2 or " * 400 + "a = 1",
        "a in (" + "1, " * 50_000,
        "a in (" + "1," * 49_000 + "2) and b" + "b" * 3_000 + " = 1",
    ],
)
def test_filters_without_measure_are_refused(text):
    with pytest.raises(PlanError):
        parse(text)


def test_limits_are_where_they_are_said_to_be():
    deep = "(" * DEEPEST + "a = 1" + ")" * DEEPEST
    assert parse(deep) == Compared("a", "=", number(1))
    for outermost in (f"({deep})", f"not {deep}", deep.replace("a = 1", "a between 1 and 2")):
        with pytest.raises(PlanError, match=f"inside {DEEPEST} others"):
            parse(outermost)
    nots = "not " * DEEPEST + "a < 1"
    assert str(parse(nots)) == nots
    wide = " or ".join(["a = 1"] * MOST_TERMS)
    assert len(parse(wide).parts) == MOST_TERMS
    with pytest.raises(PlanError, match="at most 1,000 comparisons"):
        parse(f"{wide} or a = 1")
    long = "a = '" + "x" * (LONGEST - 6) + "'"
    assert str(parse(long)) == long
    with pytest.raises(PlanError, match="more than 100,000 characters"):
        parse(long.replace(" ", "").replace("'x", "'xxx"))


WORDS = st.text("ab zäß年._-1`'\"\\%;", min_size=1, max_size=6) | st.sampled_from(KEYWORDS)
NUMBERS = st.builds(
    lambda digits, places: Number(Fraction(digits, 10**places)),
    st.integers(-(10**12), 10**12),
    st.integers(0, 12),
)
CONSTANTS = NUMBERS | st.text("a 'ß\"`1.;-\n", max_size=5)
TERMS = (
    st.builds(Compared, WORDS, st.sampled_from(["=", "<", "<=", ">", ">="]), CONSTANTS)
    | st.builds(OneOf, WORDS, st.lists(CONSTANTS, min_size=1, max_size=4).map(tuple))
    | st.builds(Missing, WORDS)
)


def joined(parts):
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.builds(Not, parts) | st.builds(And, several) | st.builds(Or, several)


CONDITIONS = st.recursive(TERMS, joined, max_leaves=8)


@given(CONDITIONS)
@settings(max_examples=300)
def test_what_is_written_out_reads_as_the_same(condition):
    text = str(condition)
    assert parse(text) == condition
    assert str(parse(text)) == text
    assert sorted(condition.columns) == sorted(set(condition.columns))


@given(st.text("ab=<>!'\"`()., 1-", max_size=12) | st.text(max_size=12))
@settings(max_examples=500)
def test_any_text_is_a_filter_or_refused(text):
    try:
        condition = parse(text)
    except PlanError:
        return
    assert parse(str(condition)) == condition


PIECES = "a|b|`c`|=|<|!=|1|'x'|(|)|,|and|or|not|is|in|between|missing|in (1, 'x')|= 1|is missing"


@given(st.lists(st.sampled_from([*PIECES.split("|"), "a = 1"]), max_size=12))
@settings(max_examples=500)
def test_any_words_are_a_filter_or_refused(words):
    try:
        condition = parse(" ".join(words))
    except PlanError:
        return
    assert parse(str(condition)) == condition


def test_columns_are_named_once_and_in_order():
    assert parse("b = 1 and (a = 2 or not b in (3)) and c is missing").columns == ("b", "a", "c")


def test_unknown_columns_are_reported_with_the_nearest():
    condition = parse("age > 3 and disaese = 'flu'")
    check_columns(condition, ["age", "disaese"])
    with pytest.raises(PlanError, match="no column 'disaese'") as caught:
        check_columns(condition, ["age", "disease"])
    assert caught.value.fix == "Did you mean disease?"
    with pytest.raises(PlanError) as caught:
        check_columns(parse("`year of brith` > 3"), ["year of birth"])
    assert caught.value.fix == "Did you mean `year of birth`?"
    with pytest.raises(PlanError) as caught:
        check_columns(condition, ["zebra"])
    assert caught.value.fix == "There are 'zebra'."


@pytest.mark.parametrize(
    ("text", "value", "true"),
    [
        ("x = 7", "007", True),
        ("x = '7'", "007", False),
        ("x > 10", "9", False),
        ("x > '10'", "9", True),
        ("x >= '2024-02-29'", "2024-03-01", True),
        ("x != 'a'", None, True),
        ("x != 'a' and x is not missing", None, False),
        ("not x > 5", "abc", True),
        ("x > 5", "inf", False),
        ("not x > 5", "nan", True),
        ("x in (1, 'b')", "b", True),
        ("x not in (1, 'b')", "1.0", False),
        ("x = 0.1", "0.1", True),
    ],
)
def test_meaning(text, value, true):
    """Said here by hand; that engines mean the same is in contracts/test_tally.py."""
    assert holds(parse(text), {"x": value}) is true
