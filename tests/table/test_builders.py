"""Each builder: the levels it makes, and the values and parameters it refuses."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from work import growth

from hedgerow.base.errors import HierarchyError
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.hierarchy_builders import (
    Bins,
    Dates,
    FromCsv,
    Prefix,
    Ranges,
    Spec,
    Suppression,
    Taxonomy,
)


def path(h: Hierarchy, value: str | None) -> list[str | None]:
    """What a value is published as, level by level."""
    leaf = h.place[value]
    return [h.labels[level][h.codes[level][leaf]] for level in range(h.height + 1)]


def refusal(spec: Spec, values: Sequence[str | None]) -> str:
    with pytest.raises(HierarchyError) as caught:
        spec.bind("c", values, where="plan.yaml:7")
    return str(caught.value)


# Ranges


def test_ranges_of_whole_numbers() -> None:
    h = Ranges(widths=[5, 10, 20, 40]).bind("age", ["20", "24", "19", "39", None])
    assert path(h, "20") == ["20", "20-24", "20-29", "20-39", "0-39", "*"]
    assert path(h, "19") == ["19", "15-19", "10-19", "0-19", "0-39", "*"]
    assert path(h, None) == [None, None, None, None, None, "*"]
    assert h.values == ("19", "20", "24", "39", None)
    assert h.numbers is not None
    assert h.numbers[:4].tolist() == [19, 20, 24, 39]


def test_the_border_belongs_to_the_range_above() -> None:
    h = Ranges(widths=[10]).bind("x", ["19.9", "20"])
    assert path(h, "20")[1] == "[20, 30)"
    assert path(h, "19.9")[1] == "[10, 20)"


def test_ranges_are_exact_where_floats_are_not() -> None:
    # 0.3 / 0.1 is 2.9999999999999996 and 0.7 / 0.1 is 6.999999999999999 in floating point.
    h = Ranges(widths=[0.1]).bind("x", ["0.3", "0.7", "0.29999999999999999999"])
    assert path(h, "0.3")[1] == "[0.3, 0.4)"
    assert path(h, "0.7")[1] == "[0.7, 0.8)"
    assert path(h, "0.29999999999999999999")[1] == "[0.2, 0.3)"


def test_negative_numbers_floor() -> None:
    h = Ranges(widths=[5]).bind("x", ["-1", "-5", "-6", "-0", "0"])
    assert path(h, "-1")[1] == "[-5, 0)"
    assert path(h, "-5")[1] == "[-5, 0)"
    assert path(h, "-6")[1] == "[-10, -5)"
    assert path(h, "-0")[1] == path(h, "0")[1] == "[0, 5)"
    assert h.size(0) == 5


def test_equal_numbers_written_differently_stay_apart_as_leaves() -> None:
    h = Ranges(widths=[5]).bind("x", ["20", "20.0", "2e1"])
    assert h.size(0) == 3
    assert h.labels[1] == ("20-24",)


def test_numbers_equal_as_floats_do_not_tear_a_range() -> None:
    values = ["9007199254740993", "9007199254740992", "9007199254740994"]
    h = Ranges(widths=[1, 2]).bind("x", values)
    assert h.values == tuple(sorted(values))
    assert h.labels[1] == tuple(sorted(values))


def test_origin_moves_the_borders() -> None:
    h = Ranges(widths=[10], origin=18).bind("age", ["18", "27", "28", "17"])
    assert h.labels[1] == ("8-17", "18-27", "28-37")


@pytest.mark.parametrize("value", ["NaN", "inf", "-Infinity", "old", "", "1_000", "1e999", "٣"])
def test_ranges_name_what_is_no_number(value: str) -> None:
    said = refusal(Ranges(widths=[5]), ["1", value])
    assert repr(value) in said
    assert said.startswith("plan.yaml:7: the hierarchy of 'c'")


@pytest.mark.parametrize(
    ("widths", "says"),
    [
        ([5, 12], "width 12 is not a larger multiple of 5"),
        ([5, 5], "width 5 is not a larger multiple of 5"),
        ([10, 5], "width 5 is not a larger multiple of 10"),
        ([0.1, 0.25], "width 0.25 is not a larger multiple of 0.1"),
        ([0], "not above 0"),
        ([-5], "not above 0"),
        ([float("nan")], "not a finite number"),
        ([float("inf")], "not a finite number"),
        ([True], "not a finite number"),
        ([], "at least one width"),
    ],
)
def test_ranges_refuse_widths(widths: list[float], says: str) -> None:
    with pytest.raises(HierarchyError, match=says):
        Ranges(widths=widths)


def test_decimal_widths_are_taken_as_written() -> None:
    # In floating point 0.3 is not a multiple of 0.1.
    assert Ranges(widths=[0.1, 0.3]).bind("x", ["0.65"]).labels[1:] == (
        ("[0.6, 0.7)",), ("[0.6, 0.9)",), ("*",),
    )  # fmt: skip


# Bins


def test_bins() -> None:
    values = ["-1", "0", "17", "18", "44", "45", "64", "65"]
    h = Bins(edges=[[0, 18, 30, 45, 65], [0, 45]]).bind("age", values)
    assert h.labels[1] == ("<0", "0-17", "18-29", "30-44", "45-64", ">=65")
    assert path(h, "18") == ["18", "18-29", "0-44", "*"]
    assert path(h, "44") == ["44", "30-44", "0-44", "*"]
    assert path(h, "65") == ["65", ">=65", ">=45", "*"]


def test_bins_of_numbers_that_are_not_whole() -> None:
    h = Bins(edges=[[18.5, 25, 30]]).bind("bmi", ["18.4", "18.5", "24.99", "25", "31"])
    assert h.labels[1] == ("<18.5", "[18.5, 25)", "[25, 30)", ">=30")


def test_bins_of_labels() -> None:
    levels = [[["none"], ["mild"], ["bad", "worse"]], [["none", "mild"], ["bad", "worse"]]]
    h = Bins(edges=levels).bind("pain", ["worse", "none", None])
    assert h.values == ("none", "mild", "bad", "worse", None)
    assert path(h, "worse") == ["worse", "bad to worse", "bad to worse", "*"]
    assert path(h, "none") == ["none", "none", "none to mild", "*"]
    assert "'awful'" in refusal(Bins(edges=levels), ["awful"])


@pytest.mark.parametrize(
    ("edges", "says"),
    [
        ([], "at least one level"),
        ([[]], "at least one level"),
        ([[1, 3, 2]], "edge 2 does not come after 3"),
        ([[1, 1]], "does not come after"),
        ([[1, 2], [3]], "level 2 cuts at '3'"),
        ([[1, 2], [1, 2]], "same edges"),
        ([[1, ["a"]]], "mix numbers"),
        ([[["a", "b"]], [["b", "a"]]], "in order"),
        ([[["a", "a"]]], "more than once"),
        ([[["a", "b"], ["c"]], [["a"], ["b", "c"]]], "does not coarsen"),
        ([[float("nan")]], "not a finite number"),
    ],
)
def test_bins_refuse_edges(edges: Any, says: str) -> None:
    with pytest.raises(HierarchyError, match=says):
        Bins(edges=edges)


# Prefix


def test_prefix() -> None:
    h = Prefix(length=5).bind("zip", ["13068", "13053", "02139", None])
    assert path(h, "13068") == ["13068", "1306*", "130**", "13***", "1****", "*"]
    assert path(h, None) == [None] * 5 + ["*"]
    assert h.numbers is None
    steps = Prefix(length=5, steps=[2, 5]).bind("zip", ["13068"])
    assert path(steps, "13068") == ["13068", "130**", "*"]
    assert path(Prefix(length=5, steps=[1]).bind("z", ["13068"]), "13068")[1:] == ["1306*", "*"]
    assert path(Prefix(length=1).bind("z", ["a"]), "a") == ["a", "*"]


def test_prefix_refuses() -> None:
    said = refusal(Prefix(length=5), ["13068", "1306", "130680"])
    assert "'1306' and '130680': not 5 characters long" in said
    for length, steps, says in [
        (0, None, "at least 1"),
        (5, [], "more and more"),
        (5, [2, 1], "more and more"),
        (5, [0, 1], "more and more"),
        (5, [1, 6], "masks more than the 5"),
    ]:
        with pytest.raises(HierarchyError, match=says):
            Prefix(length=length, steps=steps)


# Dates


def test_dates() -> None:
    h = Dates().bind("d", ["2024-03-17", "1999-12-31", "2024-04-01", None])
    assert path(h, "2024-03-17") == ["2024-03-17", "2024-03", "2024-Q1", "2024", "2020s", "*"]
    assert path(h, "1999-12-31") == ["1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*"]
    assert path(h, "2024-04-01")[2] == "2024-Q2"
    assert path(h, None) == [None] * 5 + ["*"]
    assert h.values == ("1999-12-31", "2024-03-17", "2024-04-01", None)


def test_timestamps_become_days_first() -> None:
    values = ["2024-03-17 10:11:12", "2024-03-17T23:59:59.5Z", "2024-03-18"]
    h = Dates(levels=["year"]).bind("d", values)
    assert path(h, values[0]) == [values[0], "2024-03-17", "2024", "*"]
    assert path(h, values[2]) == ["2024-03-18", "2024-03-18", "2024", "*"]
    assert h.size(1) == 2


def test_the_day_is_no_level_of_plain_dates() -> None:
    assert Dates(levels=["day", "year"]).bind("d", ["2024-03-17"]).height == 2


@pytest.mark.parametrize(
    "value", ["17.03.2024", "2024-02-30", "2024-3-1", "20240317", "2024", "2024-03-17 25:00", ""]
)
def test_dates_name_what_is_no_date(value: str) -> None:
    assert repr(value) in refusal(Dates(), ["2024-03-17", value])


def test_dates_refuse_levels() -> None:
    with pytest.raises(HierarchyError, match="'yaer' is no level") as caught:
        Dates(levels=["yaer"])
    assert "Did you mean year?" in str(caught.value)
    for levels in (["year", "month"], ["year", "year"], []):
        with pytest.raises(HierarchyError, match="do not get coarser"):
            Dates(levels=levels)


# Taxonomy and suppression


def test_taxonomy() -> None:
    tree = {
        "Europe": {"West": ["France", "Spain"], "East": "Poland"},
        "Asia": ["Japan"],
        "Mars": None,
    }
    h = Taxonomy(tree=tree).bind("c", ["Japan", None, "France"])
    assert path(h, "France") == ["France", "West", "Europe", "*"]
    assert path(h, "Japan") == ["Japan", "Japan", "Asia", "*"]
    assert path(h, "Mars") == ["Mars", "Mars", "Mars", "*"]
    assert path(h, None) == [None, None, None, "*"]
    # Leaves the data lack count in the shares.
    assert h.share(2)[h.labels[2].index("Europe")] == 3 / 6


def test_taxonomy_with_one_root_keeps_its_name() -> None:
    h = Taxonomy(tree={"any": ["a", "b"]}).bind("c", ["a", None])
    assert path(h, "a") == ["a", "any"]
    assert path(h, None) == [None, "any"]


def cyclic() -> dict[str, Any]:
    tree: dict[str, Any] = {"a": {}}
    tree["a"]["b"] = tree
    return tree


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        ({"a": ["x"], "b": ["x"]}, "'x' stands in the taxonomy more than once"),
        ({"a": ["x"], "b": {"a": ["y"]}}, "'a' stands in the taxonomy more than once"),
        ({"a": {"b": ["a"]}}, "'a' stands above itself"),
        (cyclic(), "contains itself"),
        ({}, "no values"),
        ([], "no values"),
        ("a", "tree of names"),
        ({"a": [None]}, "not a label"),
    ],
)
def test_taxonomy_refuses(tree: Any, says: str) -> None:
    with pytest.raises(HierarchyError, match=says):
        Taxonomy(tree=tree)


def test_taxonomy_refuses_a_bottomless_tree() -> None:
    tree: Any = "leaf"
    for i in range(500):
        tree = {f"n{i}": tree}
    with pytest.raises(HierarchyError, match="levels deep"):
        Taxonomy(tree=tree)


def test_taxonomy_names_what_it_lacks_and_the_nearest() -> None:
    said = refusal(Taxonomy(tree={"Europe": ["France"]}), ["france", "Europe"])
    assert "'france' and 'Europe': not in it" in said
    assert "It has 'France'" in said


def test_numbers_in_a_tree_are_labels() -> None:
    assert Taxonomy(tree={"low": [1, 2], "on": [True]}).bind("c", ["1", "true"]).values == (
        "1", "2", "true",
    )  # fmt: skip


def test_suppression() -> None:
    h = Suppression().bind("x", ["b", None, "a"])
    assert h.labels == (("a", "b", None), ("*",))
    assert h.numbers is None
    numbers = Suppression().bind("x", ["10", "9", None]).numbers
    assert numbers is not None
    assert numbers[:2].tolist() == [9, 10]
    assert Suppression().bind("zip", ["02139", "10001"]).numbers is None


# Files


def write(folder: Path, content: str | bytes) -> FromCsv:
    file = folder / "h.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return FromCsv(file)


@pytest.mark.parametrize(
    "content",
    [
        "F;*\nM;*\n",
        "F,*\nM,*",
        "F\t*\r\nM\t*\r\n",
        '"F";"*"\n\n"M";*\n\n',
        "\ufeffF;*\nM;*\n",
    ],
)
def test_files_as_people_have_them(tmp_path: Path, content: str) -> None:
    h = write(tmp_path, content).bind("sex", ["M", None])
    assert h.labels == (("F", "M", None), ("*",))
    assert h.share(1).tolist() == [1]


def test_values_may_hold_the_other_delimiters(tmp_path: Path) -> None:
    h = write(tmp_path, 'a,b;x;*\n"c;d";x;*\n').bind("c", ["a,b", "c;d"])
    assert h.values == ("a,b", "c;d")
    h = write(tmp_path, "a;b,x\nc,x\n").bind("c", ["a;b"])
    assert h.labels == (("a;b", "c"), ("x",))


def test_missing_without_a_line_stays_apart(tmp_path: Path) -> None:
    h = write(tmp_path, "a;x\nb;y\n").bind("c", ["a", None])
    assert h.labels[1] == ("x", "y", None)


def test_the_line_with_an_empty_value_is_that_of_missing(tmp_path: Path) -> None:
    spec = write(tmp_path, "a;x;*\n;unknown;*\n")
    assert path(spec.bind("c", ["a", None]), None) == [None, "unknown", "*"]
    assert path(spec.bind("c", [""]), "") == ["", "unknown", "*"]
    both = spec.bind("c", ["", None])
    assert both.labels[1] == ("x", "unknown")
    assert both.size(0) == 3
    assert spec.bind("c", ["a"]).size(0) == 2


def test_numbers_in_a_file_are_numbers_where_levels_allow(tmp_path: Path) -> None:
    h = write(tmp_path, "10;10+;*\n9;<10;*\n").bind("n", ["9"])
    assert h.values == ("9", "10")
    assert h.numbers is not None
    h = write(tmp_path, "1;odd;*\n2;even;*\n3;odd;*\n").bind("n", ["1"])
    assert h.numbers is None
    assert h.values == ("1", "3", "2")


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("a;x;*\nb;*\n", 2, r"2 column\(s\) where line 1 has 3"),
        ("a;*\n\nb;*\na;*\n", 4, "'a' stands in line 1 already"),
        ("", 1, "empty"),
        ("\n\n", 1, "empty"),
        (b"a;*\n\xe9;*\n", 2, "byte 0xe9 is not UTF-8"),
        ("a\nb\n", 1, "only one column"),
        ('a;*\n"b;*\n', 2, "not a readable line"),
    ],
)
def test_files_with_mistakes(tmp_path: Path, content: str | bytes, line: int, says: str) -> None:
    spec = write(tmp_path, content)
    with pytest.raises(HierarchyError, match=says) as caught:
        spec.bind("c", ["a"])
    assert caught.value.where == f"{spec.path}:{line}"


def test_a_file_that_does_not_coarsen_or_cover(tmp_path: Path) -> None:
    said = refusal(write(tmp_path, "a;x;1\nb;x;2\n"), ["a"])
    assert "does not coarsen" in said
    assert "h.csv (plan.yaml:7)" in said
    assert "'c': not in it" in refusal(write(tmp_path, "a;*\n"), ["a", "c"])


def test_an_absent_file_suggests_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "nationality.csv").write_text("a;*\n")
    said = refusal(FromCsv(tmp_path / "nationalty.csv"), ["a"])
    assert said.startswith("plan.yaml:7: the hierarchy file")
    assert "Did you mean 'nationality.csv'?" in said


DATA = Path(os.environ.get("HEDGEROW_DATA", "absent")) / "adult"


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the Adult data are not in HEDGEROW_DATA")
@pytest.mark.parametrize(
    ("column", "heights", "leaves"),
    [("age", 4, 100), ("education", 3, 16), ("native-country", 2, 41), ("sex", 1, 2)],
)
def test_the_files_that_come_with_adult(column: str, heights: int, leaves: int) -> None:
    h = FromCsv(DATA / f"hierarchy_{column}.csv").bind(column, [None])
    assert (h.height, h.size(0), h.size(h.height)) == (heights, leaves + 1, 1)
    assert (h.numbers is not None) == (column == "age")


@pytest.mark.parametrize(
    "spec", [Ranges(widths=[5, 10, 100]), Prefix(length=6), Suppression(), Bins(edges=[[1, 1000]])]
)
def test_a_hundred_thousand_values(spec: Spec) -> None:
    def bound(values: int) -> Hierarchy:
        return spec.bind("x", [f"{i:06}" for i in range(values)])

    assert growth(bound, 1_000, 2_000) < 2.2, "quadratic code is at 4"
    assert bound(100_000).size(0) == 100_000
