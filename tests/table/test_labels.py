"""Generalised values of whatever tool, read as sets of raw values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.base.errors import DataError
from hedgerow.recode.boxes import value_set
from hedgerow.table.labels import covers

AGES = ["5", "17", "28", "29", "30", "31", "39", "40", "45", "60"]


def read(label: str | None, values: list[str | None], **more: object) -> set[str | None]:
    row = covers([label], values, column="c", **more)[0]  # type: ignore[arg-type]
    return {value for value, inside in zip(values, row, strict=True) if inside}


@pytest.mark.parametrize(
    ("label", "low", "high"),
    [
        ("28-40", 28, 40), ("28 - 40", 28, 40), ("28–40", 28, 40), ("28 to 40", 28, 40),
        ("28..40", 28, 40), ("[28, 40]", 28, 40), ("[28, 40)", 28, 39), ("(28, 40]", 29, 40),
        ("(28,40)", 29, 39), ("[28;40[", 28, 39), ("]28, 40]", 29, 40), ("[-inf, 30]", 0, 30),
        ("[30, ∞)", 30, 99), ("<30", 0, 29), ("< 30", 0, 29), ("<=30", 0, 30), ("≤30", 0, 30),
        (">30", 31, 99), (">=30", 30, 99), ("≥ 30", 30, 99), ("30+", 30, 99), ("28", 28, 28),
        ("28.0", 28, 28), ("*", 0, 99), ("3*", 30, 39), ("*****", 0, 99), ("{28, 30-39}", 28, 39),
    ],
)  # fmt: skip
def test_numbers(label: str, low: int, high: int) -> None:
    wanted = {age for age in AGES if low <= int(age) <= high}
    if label.startswith("{"):
        wanted -= {"29"}
    assert read(label, list(AGES)) == wanted


def test_negative_and_broken_numbers() -> None:
    values: list[str | None] = ["-5", "-1.5", "0", "2.25", "x", None]
    assert read("[-1.5, 2.25]", values) == {"-1.5", "0", "2.25"}
    assert read("-5--1", values) == {"-5", "-1.5"}
    assert read("<0", values) == {"-5", "-1.5"}


def test_masks() -> None:
    zips: list[str | None] = ["13053", "13068", "14850", "1305", None]
    assert read("130**", zips) == {"13053", "13068"}
    assert read("1305*", zips) == {"13053"}
    assert read("13*", zips) == {"13053", "13068", "1305"}, "no value is so short: any ending"
    assert read("130*", zips) == {"13053", "13068", "1305"}, "one star: one character, or any"
    assert covers(["130*", "1305*"], zips, column="zip").tolist() == [
        [False, False, False, True, False],
        [True, False, False, False, False],
    ]


def test_dates() -> None:
    days: list[str | None] = ["1989-12-31", "1990-05-01", "1990-06-30", "1994-01-01T10:00", None]
    assert read("1990s", days) == {"1990-05-01", "1990-06-30", "1994-01-01T10:00"}
    assert read("1990", days) == {"1990-05-01", "1990-06-30"}
    assert read("1990-05", days) == {"1990-05-01"}
    assert read("1990-Q2", days) == {"1990-05-01", "1990-06-30"}
    assert read("1990", ["1990", "1991"]) == {"1990"}
    assert read("1990-1995", ["1989", "1990", "1995", "1996"]) == {"1990", "1995"}


def test_sets_and_missing() -> None:
    values: list[str | None] = ["a", "b, c", "d", "missing", None]
    assert read('{a, "b, c", missing}', values) == {"a", "b, c", None}
    assert read('{"missing"}', values) == {"missing"}
    assert read(None, values) == {None}
    assert read("d", values) == {"d"}


@given(st.sets(st.none() | st.text(min_size=1, max_size=6), min_size=1, max_size=5))
def test_our_own_sets_are_read_back(members: set[str | None]) -> None:
    values = [*members, "something else altogether"]
    assert read(value_set(list(members)), values) == members


def test_taxonomies() -> None:
    nodes = {"Europe": ["Polish", "French"], "Polish": ["Polish"]}
    values: list[str | None] = ["Polish", "French", "Peruvian"]
    assert read("Europe", values, taxonomy=nodes) == {"Polish", "French"}
    assert read("{Europe, Peruvian}", values, taxonomy=nodes) == set(values)
    assert read("Europe", values) == set(), "a value that nobody here has"


@pytest.mark.parametrize("label", ["[20, 30", "<thirty", "{a, [b}", "20-[30]", "~30*x", '{"a}'])
def test_unreadable(label: str) -> None:
    with pytest.raises(DataError, match="nobody can read") as caught:
        covers(["*", label], ["20", "25"], column="age")
    assert "column 'age'" in str(caught.value)
    assert caught.value.fix


@given(
    st.integers(-50, 50), st.integers(0, 30),
    st.lists(st.integers(-60, 90), min_size=1, max_size=20, unique=True),
)  # fmt: skip
def test_ranges_against_arithmetic(low: int, width: int, numbers: list[int]) -> None:
    values = [str(number) for number in numbers]
    row = covers([f"[{low}, {low + width})"], values, column="c")[0]
    assert row.tolist() == [low <= number < low + width for number in numbers]
    row = covers([f"[{low}, {low + width}]"], values, column="c")[0]
    assert row.tolist() == [low <= number <= low + width for number in numbers]


def test_the_shape_of_the_answer() -> None:
    assert covers([], ["a"], column="c").shape == (0, 1)
    assert covers(["*"], [], column="c").shape == (1, 0)
    assert np.array_equal(covers(["*", "a"], ["a", None], column="c"), [[1, 1], [1, 0]])
    assert not math.isnan(covers(["1"], ["1"], column="c").sum())


def test_values_with_blanks_around_them() -> None:
    """As UCI's files have them: ` 13053`, ` Private`."""
    zips: list[str | None] = [" 13053", " 13068", "14850 "]
    assert read("130**", zips) == {" 13053", " 13068"}
    assert read(" 130**", zips) == {" 13053", " 13068"}
    assert read("1485*", zips) == {"14850 "}
    assert read("{ 13053, 14850}", zips) == {" 13053", "14850 "}
    assert read("13000-13060", zips) == {" 13053"}
    assert read("Private", [" Private", "State-gov"]) == {" Private"}
    assert read("1990-05", [" 1990-05-17", "1991-05-17"]) == {" 1990-05-17"}


def test_masks_of_other_tools() -> None:
    years: list[str | None] = ["1989", "1990", "1999", "2000"]
    assert read("199x", years) == {"1990", "1999"}
    assert read("199X", years) == {"1990", "1999"}
    assert read("19xx", years) == {"1989", "1990", "1999"}
    assert read("130##", ["13053", "14850"]) == {"13053"}
    assert read("199x", ["1995-05-12", "2001-01-01"]) == {"1995-05-12"}
    assert read("2x", ["20", "29", "2", "30"]) == {"20", "29"}
    assert read("xx", ["xx", "yy"]) == {"xx"}, "without a digit it is a word"


def test_decades() -> None:
    assert read("20s", ["19", "20", "29", "30"]) == {"20", "29"}
    assert read("20's", ["19", "20", "29", "30"]) == {"20", "29"}
    assert read("1990s", ["1989", "1990", "1999"]) == {"1990", "1999"}
    assert read("90s", ["1989", "1990", "1999", "2090", "95"]) == {"1990", "1999", "2090", "95"}
    assert read("90s", ["1989-12-31", "1990-01-01"]) == {"1990-01-01"}
    assert read("100s", ["99", "100", "150", "200"]) == {"100", "150"}, "a decade, or a hundred"


@pytest.mark.parametrize("label", ["ALL", "All", "all", "*", "any"])
def test_everybody(label: str) -> None:
    assert read(label, ["1", "x", None]) == {"1", "x", None}
