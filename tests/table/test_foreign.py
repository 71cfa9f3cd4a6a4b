"""Tables of other tools: suppressed cells, and rows that stand for several people."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import hedgerow
from hedgerow.base.errors import DataError
from hedgerow.table.location import locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets


def test_a_question_mark_is_any_value() -> None:
    table = pd.DataFrame({"age": ["20-29", "?", " ? "], "ill": ["flu", "gout", "acne"]})
    release = Published.read(table, sensitive=["ill"])
    assert locate(release, Targets.of({"age": ["25", "99"]})).count.tolist() == [3, 2]


def test_unless_it_is_a_value_of_somebody() -> None:
    """In census files people who did not tell have it, and stay among themselves."""
    table = pd.DataFrame({"job": ["cook", "?"], "ill": ["flu", "gout"]})
    release = Published.read(table, sensitive=["ill"])
    assert locate(release, Targets.of({"job": ["cook", "?"]})).count.tolist() == [1, 1]


def test_a_column_of_counts() -> None:
    """Each line stands for as many people as it says."""
    table = pd.DataFrame(
        {"age": ["<30", "<30", ">=30"], "ill": ["flu", "gout", "flu"], "count": ["3", "1", "6"]}
    )
    release = Published.read(table, sensitive=["ill"])
    assert release.quasi == ("age",)
    assert release.weighted == "count"
    assert release.groups.n.tolist() == [4, 6]
    assert release.groups.domains["ill"].reference.tolist() == [9, 1]
    (found,) = hedgerow.attack([table], sensitive=["ill"], methods=["homogeneity"])
    assert (found.found.successes, found.found.guesses) == (6, 10)
    assert found.sentences[-1] == (
        "Each row of the table was taken for as many people as its 'count' says. If 'count' is "
        "about each person, say --quasi count."
    )


@pytest.mark.parametrize(
    ("count", "why"),
    [
        (["3", "1", "x"], "not a number"),
        (["3", "1", "1.5"], "not whole"),
        (["3", "-1", "2"], "below 0"),
        (["3", None, "2"], "missing"),
    ],
)
def test_other_columns_called_count(count: list[str | None], why: str) -> None:
    table = pd.DataFrame({"age": ["1", "2", "3"], "ill": ["flu"] * 3, "count": count})
    release = Published.read(table, sensitive=["ill"])
    assert release.weighted is None, why
    assert "count" in release.quasi


def test_rows_that_repeat_are_people() -> None:
    """A table of frequencies has each combination once: this is a count of each person's visits."""
    table = pd.DataFrame(
        {"age": ["1", "1", "2"], "ill": ["flu", "flu", "gout"], "count": ["3", "2", "2"]}
    )
    release = Published.read(table, sensitive=["ill"])
    assert release.weighted is None
    assert release.groups.people == 3


def test_a_column_of_counts_that_is_named() -> None:
    table = pd.DataFrame({"age": ["1", "2"], "ill": ["flu", "gout"], "count": ["3", "0"]})
    assert Published.read(table, sensitive=["ill"], quasi=["age", "count"]).weighted is None
    assert Published.read(table, sensitive=["ill"], quasi=["age"]).groups.people == 3
    assert Published.read(table, sensitive=["count"]).weighted is None


def test_several_sensitive_columns_with_counts() -> None:
    table = pd.DataFrame(
        {"age": ["1", "1", "1"], "ill": ["flu", "flu", "gout"], "pay": ["9", "8", "9"],
         "frequency": ["2", "3", "4"]}
    )  # fmt: skip
    groups = Published.read(table, sensitive=["ill", "pay"]).groups
    assert groups.n.tolist() == [9]
    assert groups.domains["ill"].reference.tolist() == [5, 4]
    assert groups.domains["pay"].reference.tolist() == [3, 6]


def test_counts_of_nobody() -> None:
    table = pd.DataFrame({"age": ["1"], "ill": ["flu"], "count": ["0"]})
    with pytest.raises(DataError, match="no records"):
        Published.read(table, sensitive=["ill"])


def test_blanks_on_both_sides(tmp_path: Path) -> None:
    """A release of values with blanks is attacked with the table it was made from."""
    (tmp_path / "people.csv").write_text(
        "zip,ill\n" + "".join(f" 130{i:02}, {ill}\n" for i in range(8) for ill in ("flu", "gout"))
    )
    (tmp_path / "plan.yaml").write_text(
        "source: people.csv\ncolumns:\n  zip: {role: quasi-identifier, hierarchy: {prefix: 6}}\n"
        "  ill: sensitive\nprotect: [k-anonymity: 4]\npublish: {to: release}\n"
    )
    hedgerow.publish(tmp_path / "plan.yaml")
    results = hedgerow.attack([tmp_path / "release"], plan=tmp_path / "plan.yaml")
    by_name = {one.attack: one for one in results}
    assert by_name["intersection"].found.guesses == 16
    assert by_name["intersection"].gains is not None


def test_people_are_named_by_what_is_known_of_them() -> None:
    ill = ["flu", "gout", "acne", "flu", "gout"]
    before = pd.DataFrame({"age": ["<20"] * 3 + [">=20"] * 2, "ill": ill})
    after = pd.DataFrame({"age": ["<15"] * 2 + [">=15"] * 3, "ill": ["flu", "gout", *ill[2:]]})
    register = pd.DataFrame(
        {"name": ["Ken", "Nash", "Joe", "Sam", "Tim"], "age": ["5", "10", "17", "30", "40"]}
    )
    (found,) = hedgerow.attack(
        [before, after], register=register, sensitive=["ill"], methods=["sequential"]
    )
    assert "The person with name Joe, age 17: acne." in found.sentences


def test_rows_of_one_person_are_remarked_on() -> None:
    """Nothing of another tool's table says whose rows they are, but for an ID that repeats."""
    table = pd.DataFrame(
        {"pid": ["P1", "P1", "P2", "P2"], "age": list("1122"), "ill": ["a", "b", "a", "b"]}
    )
    (remark,) = Published.read(table, sensitive=["ill"], quasi=["age"], name="r").remarks
    assert remark.startswith("In r each row was taken for a person, but 'pid' looks like a person")
    assert not Published.read(table.drop(columns="pid"), sensitive=["ill"]).remarks
