"""A file without a header: nobody's record is published as the names of columns."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import hedgerow
from hedgerow.base.errors import DataError
from hedgerow.plan.guess import write_plan
from hedgerow.table.header import record_like

RECORDS = ["39, State-gov, M", "50, Private, F", "38, Private, M", "39, State-gov, F", "50, Gov, M"]


def test_no_plan_is_written_for_a_record_as_header(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text("\n".join(RECORDS) + "\n")
    with pytest.raises(DataError, match="looks like somebody's record") as stopped:
        write_plan(data, tmp_path / "plan.yaml")
    assert "first line with a name for every column" in str(stopped.value.fix)
    assert not (tmp_path / "plan.yaml").exists()


@pytest.mark.parametrize("verb", [hedgerow.publish, hedgerow.check])
def test_no_record_is_published_as_header(verb, tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text("\n".join(line.replace(" ", "") for line in RECORDS) + "\n")
    columns = {"39": "quasi-identifier", "State-gov": "quasi-identifier", "M": "sensitive"}
    with pytest.raises(DataError, match="looks like somebody's record"):
        verb(data, columns=columns, protect=[{"k-anonymity": 2}])


def test_a_header_that_stands_again_among_the_rows() -> None:
    frame = pd.DataFrame({"sex": ["F", "M", "sex"], "ill": ["flu", "gout", "ill"]})
    with pytest.raises(DataError, match="looks like somebody's record"):
        hedgerow.check(frame, columns={"sex": "quasi-identifier", "ill": "sensitive"},
                       protect=[{"k-anonymity": 2}])  # fmt: skip


@pytest.mark.parametrize(
    "values",
    [
        {"0": ["0", "1"], "1": ["1", "0"], "2": ["5", "2"]},  # positions
        {"region": ["N", "S"], "2019": ["2019", "7"], "2020": ["4", "7"], "2021": ["1", "2"]},
        {"sex": ["F", "M"], "other": ["other", "none"], "age": ["3", "4"]},
        {"a": [], "b": []},
        {},
    ],
)
def test_names_are_names(values: dict[str, list[str]]) -> None:
    assert record_like(values) == []


def test_one_column_that_is_a_record() -> None:
    assert record_like({"flu": ["gout", " Flu"]}) == ["flu"]
