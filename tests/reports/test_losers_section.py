"""Who loses most in the internal report: by groups, with all releases, and never outside."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import hedgerow
from hedgerow import Plan

NAMES = ["Ada", "Bob", "Cem", "Dora", "Eve", "Fay", "Gus", "Hal"]
ROWS = pd.DataFrame(
    {
        "name": NAMES,
        "age": [1, 1, 2, 2, 3, 3, 4, 4],
        "place": [1, 2, 1, 2, 1, 2, 1, 2],
        "ill": ["flu", "flu", "gout", "gout", "acne", "flu", "flu", "mumps"],
    }
)
PLAN = """
population: ward
ledger: ledger.db
source: table.csv
one_row_per_person: true
columns:
  name: {role: identifier}
  age: {role: quasi-identifier, hierarchy: {ranges: [2, 4]}, levels: [AGE, AGE]}
  place: {role: quasi-identifier, hierarchy: {ranges: [2]}, levels: [PLACE, PLACE]}
  ill: sensitive
protect: [{k-anonymity: 2}]
publish: {to: TO}
"""


class Words(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.said).split())


def published(folder: Path, *, age: int, place: int, to: str) -> Path:
    text = PLAN.replace("AGE", str(age)).replace("PLACE", str(place)).replace("TO", to)
    plan = folder / f"{to}.yaml"
    plan.write_text(text, "utf-8")
    hedgerow.publish(Plan.read(plan))
    return plan


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same eight people twice: by age, and by place."""
    folder = tmp_path_factory.mktemp("ward")
    ROWS.to_csv(folder / "table.csv", index=False)
    published(folder, age=0, place=2, to="by_age")
    published(folder, age=3, place=0, to="by_place")
    return folder


def internal(ward: Path, which: str) -> str:
    to = ward / f"whole_{which}.html"
    hedgerow.report(ward / which, plan=ward / f"{which}.yaml", internal=to)
    return Words(to.read_text("utf-8")).text


def test_the_report_has_who_loses_most_with_all_releases(ward: Path) -> None:
    text = internal(ward, "by_place")
    assert "Who loses most" in text
    assert "by_age (ledger entry" in text, "the earlier release counts"
    # By age two people are alike, and by place one of each such pair differs: all are known.
    assert "knows the ill of 8 of 8 people for certain" in text


def test_one_release_is_not_joined_with_itself(ward: Path, tmp_path: Path) -> None:
    ROWS.to_csv(tmp_path / "table.csv", index=False)
    published(tmp_path, age=2, place=2, to="alone")
    text = internal(tmp_path, "alone")
    assert "all together" not in text
    assert "their group" in text


def test_nobody_is_named_and_no_value_of_theirs(ward: Path) -> None:
    text = internal(ward, "by_place")
    section = text[text.index("Who loses most") :]
    section = section[: section.index("To see who they are")]
    assert not [name for name in NAMES if name in text]
    assert not [value for value in ("flu", "gout", "acne", "mumps") if value in section]


def test_the_external_report_and_the_quick_one_say_nothing_of_it(ward: Path) -> None:
    for place in (ward / "by_place" / "report.html", ward / "by_place.internal.html"):
        assert "loses most" not in place.read_text("utf-8")
    made = hedgerow.report(ward / "by_place")
    assert made.external is not None
    outside = made.external.read_text("utf-8")
    for word in ("loses most", "known for certain", "ledger entry", "by_age"):
        assert word not in outside


def test_people_with_several_rows_are_counted_as_people(tmp_path: Path) -> None:
    """Five rows of three people; the one with two of three flu rows is known to have had it."""
    table = pd.DataFrame(
        {"pid": ["a", "a", "b", "c", "c"], "age": [1] * 5, "ill": ["flu"] * 3 + ["gout", "flu"]}
    )
    table.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "plan.yaml").write_text(
        "source: table.csv\nperson: pid\nrows: at most 2\n"
        "columns: {pid: identifier, age: quasi-identifier, ill: sensitive}\n"
        "protect: [{k-anonymity: 2}]\npublish: {to: out}\n",
        "utf-8",
    )
    hedgerow.publish(Plan.read(tmp_path / "plan.yaml"))
    to = tmp_path / "whole.html"
    hedgerow.report(tmp_path / "out", plan=tmp_path / "plan.yaml", internal=to)
    said = Words(to.read_text("utf-8")).text
    assert "knows the ill of 2 of 3 people for certain. People may have several rows." in said
