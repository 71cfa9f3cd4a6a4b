"""Labels that once covered nobody, or somebody depending on who else was on the list."""

from __future__ import annotations

import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow
from hedgerow.table.labels import covers, read_labels
from hedgerow.table.location import locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

AGES = ["5", "17", "18", "22", "30", "65", "70"]


def read(label: str, values: list[str | None]) -> list[str | None]:
    row = covers([label], values, column="c")[0]
    return [value for value, inside in zip(values, row, strict=True) if inside]


def left(rows: list[tuple[str, ...]], columns: list[str], **known: str) -> tuple[str, ...]:
    """What the intersection attack leaves one person, in its own sentences."""
    frame = pd.DataFrame(rows, columns=columns)
    (found,) = hedgerow.attack([frame], sensitive=["ill"], know=known, methods=["intersection"])
    return found.sentences


@pytest.mark.parametrize(
    ("label", "low", "high"),
    [
        ("18-24 years", 18, 24), ("18 – 24 yrs", 18, 24), ("18 to 24 years", 18, 24),
        ("65 and over", 65, 99), ("65 or more", 65, 99), ("65 years and over", 65, 99),
        ("under 18", 0, 17), ("up to 18", 0, 18), ("over 65", 66, 99), ("at least 65", 65, 99),
        ("between 18 and 30", 18, 30), ("17~22", 17, 22), ("17,22", 17, 22), ("[17-22]", 17, 22),
        ("(17-22)", 17, 22), ("18 and under", 0, 18), ("******", 0, 99), ("65 plus", 65, 99),
    ],
)  # fmt: skip
def test_ranges_in_words(label: str, low: int, high: int) -> None:
    assert read(label, list(AGES)) == [age for age in AGES if low <= int(age) <= high]


def test_other_ranges() -> None:
    assert read("(-5)-(-1)", ["-5", "-2", "-1", "0"]) == ["-5", "-2", "-1"]
    assert read("1,000-2,000", ["999", "1500", "1,200", "2001"]) == ["1500", "1,200"]
    assert read("$1,000 - $2,000", ["1500", "15"]) == ["1500"]
    assert read("100,200", ["150", "100200", "5"]) == ["150", "100200"], "a pair, or thousands"
    assert read("30-20", ["25"]) == []
    assert read_labels(["30-20"], ["25"], column="c").strange == ("30-20",)


def test_dates() -> None:
    days: list[str | None] = ["1989-12-31", "1992-05-01", "1995-12-31", "1996-01-01T10:00"]
    inside = ["1992-05-01", "1995-12-31"]
    for label in ("1990-1995", "1990-01-01 - 1995-12-31", "[1990-01-01, 1996-01-01)",
                  "1990-01-01 to 1995-12"):  # fmt: skip
        assert read(label, days) == inside, label
    assert read("<1990", days) == ["1989-12-31"]
    assert read(">=1996-01-01", days) == ["1996-01-01T10:00"]
    assert read("1992-05-01", days) == ["1992-05-01"]
    assert read("1990s", ["1989", "1992"]) == ["1992"]


def test_sets_of_other_tools() -> None:
    values: list[str | None] = ["F", "M", "X"]
    for label in ("{'F', 'M'}", "['F', 'M']", "F,M", "F;M", "F|M", '("F", "M")', "[F, M]"):
        assert read(label, values) == ["F", "M"], label
    assert read("Washington, DC", ["Washington, DC", "F"]) == ["Washington, DC"]
    assert read_labels(["Washington, DC"], ["Bern"], column="c").words == ("Washington, DC",)


def test_masks_from_the_left() -> None:
    assert read("**012", ["13012", "14012", "13013"]) == ["13012", "14012"]


def test_accents() -> None:
    values: list[str | None] = ["Zürich", "Bern"]
    assert read(unicodedata.normalize("NFD", "Zürich"), values) == ["Zürich"]
    assert read(unicodedata.normalize("NFD", "{Zürich, Bern}"), values) == values
    assert read("Zürich", [unicodedata.normalize("NFD", "Zürich")]) != []


def test_who_else_is_on_the_list() -> None:
    """Finding 10."""
    assert read("28", ["28", "28.0", "028"]) == ["28", "28.0", "028"]
    assert read("28", ["28.0", "028"]) == ["28.0", "028"]
    assert read("*", ["28", "*"]) == ["28", "*"]
    assert read("{28, 30}", ["28", "28.0", "30"]) == ["28", "28.0", "30"]


LABELS = [
    "*",
    "28",
    "20-29",
    "{28, x}",
    "x",
    "<30",
    "28.0",
    "x,y",
    "1990-1995",
    "{'x', 'y'}",
    "30+",
]
VALUES = ["28", "28.0", "x", "y", "*", "1992-05-01", "20-29", "x,y", "{28, x}", "30", " x", "NA"]


@given(st.sampled_from(LABELS), st.lists(st.sampled_from(VALUES), unique=True, min_size=1))
def test_what_a_label_covers_does_not_depend_on_the_others(label: str, values: list[str]) -> None:
    together = read(label, list(values))
    alone = [value for value in values if read(label, [value])]
    assert together == alone


@pytest.mark.parametrize(
    ("label", "column", "value"),
    [
        ("{'F', 'M'}", "sex", "F"), ("F,M", "sex", "F"), ("1990-1995", "born", "1992-05-01"),
        ("1,000-2,000", "pay", "1500"), (unicodedata.normalize("NFD", "Zürich"), "town", "Zürich"),
        ("18-24 years", "age", "22"), ("20~30", "age", "22"), ("20,30", "age", "22"),
        ("1990-01-01 - 1995-12-31", "born", "1992-05-01"),
    ],
)  # fmt: skip
def test_a_star_elsewhere_does_not_hide_it(label: str, column: str, value: str) -> None:
    """Finding 5: two records under a label once unread, and one under `*`."""
    rows = [(label, "flu"), (label, "HIV"), ("*", "gout")]
    told = left(rows, [column, "ill"], **{column: value})
    assert told[1] == "That leaves HIV, flu, gout.", told


@pytest.mark.parametrize("unread", ["18-24 J.", "young", "twenties"])
def test_what_is_not_understood_is_said(unread: str) -> None:
    told = left([(unread, "flu"), (unread, "HIV"), ("*", "gout")], ["age", "ill"], age="22")
    assert "That leaves gout." in told
    assert any(f"nobody fits {unread!r} as age" in sentence for sentence in told)


def test_words_that_may_be_nodes_are_said() -> None:
    rows = [("Europe", "flu"), ("Polish", "HIV"), ("*", "gout")]
    told = left(rows, ["nation", "ill"], nation="Polish")
    assert "That leaves HIV, gout." in told
    assert any("'Europe' as nation was taken for a value of other people" in s for s in told)
    rows = [("Europe", "flu"), ("*", "gout")]
    assert any("nobody fits 'Europe'" in s for s in left(rows, ["nation", "ill"], nation="Polish"))
    nodes = {"nation": {"Europe": ["Polish", "French"]}}
    frame = pd.DataFrame([*rows, ("French", "acne")], columns=["nation", "ill"])
    release = Published.read(frame, sensitive=["ill"], taxonomies=nodes)
    found = locate(release, Targets.of({"nation": ["Polish"]}))
    assert not found.words, "a value of the taxonomy is nobody's node"
    assert found.count.tolist() == [2]


def test_a_word_among_numbers() -> None:
    """Somebody's age is unknown, but nobody's is young."""
    found = read_labels(["unknown", "young"], ["28", "30", "unknown"], column="age")
    assert found.strange == ("young",)
    found = read_labels(["F", "female"], ["F", "M"], column="sex")
    assert (found.words, found.strange) == (("female",), ())


def test_a_range_where_nobody_has_numbers() -> None:
    assert read_labels(["1990-1995"], ["01/05/1992"], column="c").strange == ("1990-1995",)
    assert not read_labels(["20-29"], ["10-19"], column="c").strange


@pytest.mark.parametrize("blank", ["NA", "", None, "NaN", " "])
def test_suppressed_cells(blank: str | None) -> None:
    """Finding 4: local suppression leaves cells out; such a record may be anybody's."""
    rows = [("20-29", "M", "flu")] * 2 + [(blank, "M", "HIV")] * 2
    told = left(rows, ["age", "sex", "ill"], age="24", sex="M")  # type: ignore[arg-type]
    assert told[0].endswith("4 records fit, with HIV, flu.")
    assert "In the table a missing age was taken for any." in told


def test_missing_is_a_value_in_releases_of_our_own(tmp_path: object) -> None:
    frame = pd.DataFrame({"age": [None, None, "30", "30"], "ill": ["flu", "gout", "acne", "flu"]})
    hedgerow.publish(
        frame, columns={"age": "quasi-identifier", "ill": "sensitive"},
        protect=[hedgerow.KAnonymity(k=2)], to=f"{tmp_path}/release",
    )  # fmt: skip
    release = Published.read(f"{tmp_path}/release")
    assert None in release.labels[0]
    assert release.blank == ()
    assert locate(release, Targets.of({"age": ["30", None]})).count.tolist() == [1, 1]
