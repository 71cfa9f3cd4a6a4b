"""Where rows of a person, spellings and wishes meet."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow import DataError
from hedgerow.base.spelling import likeness
from hedgerow.table.records import RecordKinds, parts

VISITS = """\
pid,age,illness
1001,30,flu
1001,30,Flu
1002,30,gout
1003,30,flu
1003,30,flu
1004,30,gout
"""


def publish(folder: Path, table: str, plan: str) -> list[dict[str, str]]:
    (folder / "visits.csv").write_text(table)
    (folder / "plan.yaml").write_text(f"source: visits.csv\n{plan}\npublish: {{to: release}}\n")
    hedgerow.publish(folder / "plan.yaml")
    assert not hedgerow.verify(folder / "release").refuted
    with (folder / "release/data.csv").open(newline="") as file:
        return list(csv.DictReader(file))


PLAN = """\
person: pid
rows: one
columns:
  age: quasi-identifier
  illness: {role: sensitive%s}
protect: [k-anonymity: 4, l-diversity: 2]
"""


def test_rows_that_differ_in_spelling_differ(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="1 person has rows with different values of 'illness'"):
        publish(tmp_path, VISITS, PLAN % "")


def test_in_one_spelling_they_do_not(tmp_path: Path) -> None:
    """Every line of the file was read, and a line is left of each person."""
    rows = publish(tmp_path, VISITS, PLAN % ", spelling: one")
    assert [row["illness"] for row in rows] == ["flu", "flu", "gout", "gout"]


def test_what_people_want_protected_numbers_nobody(tmp_path: Path) -> None:
    """Its values may look like numbers, and of course they repeat."""
    table = "age,score,wish\n" + "30,1,2\n30,2,1\n" * 4
    plan = (
        "columns: {age: quasi-identifier, score: sensitive, wish: identifier}\n"
        "protect:\n"
        "  - epsilon-privacy: {epsilon: 2, wishes: wish, adversary: {class: III, prior: uniform}}"
    )
    assert len(publish(tmp_path, table, plan)) == 8


@settings(max_examples=300, deadline=None)
@given(pairs=st.lists(st.tuples(*[st.text(" aA.b-1,", max_size=3)] * 2), min_size=2, max_size=2))
@example(pairs=[("ab", "b"), ("a", "bb")])
@example(pairs=[("1.", "1"), ("1", ".1")])
def test_two_columns_are_one_value_only_if_each_is(pairs: list[tuple[str, str]]) -> None:
    """Releases are joined on several columns at once; what looks alike in sum is not alike."""
    named = [
        RecordKinds(
            ("s", "t"), ((one,), (other,)), np.zeros((1, 2), np.int32), np.zeros(1, np.int64),
            np.ones(1, np.int64),
        ).together(["s", "t"], np.ones(1, np.int64), name="s")
        for one, other in pairs
    ]  # fmt: skip
    (first,), (second,) = (groups.domains["s"].values for groups in named)
    each = [tuple(map(likeness, pair)) for pair in pairs]
    assert (likeness(first) == likeness(second)) == (each[0] == each[1])
    assert parts(first) == each[0]
