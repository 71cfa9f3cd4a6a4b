"""Texts that mean missing in one column and are values in another: `read: {missing: ...}`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import hedgerow
from hedgerow.api import write_plan
from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.engines.source_form import SourceForm
from hedgerow.plan.plan import PlanErrors
from hedgerow.plan.source_form import form_of

AGES = [str(20 + i % 40) for i in range(60)]
CHANGES = [str(i % 31 - 15) for i in range(60)]


def table() -> pd.DataFrame:
    return pd.DataFrame({"age": ["-9", "-9", *AGES[2:]], "change": CHANGES})


def rows(source: object, form: SourceForm) -> list[tuple[object, ...]]:
    with open_engine(source, form=form) as engine:
        found = engine.rows(["age", "change"], 100).to_pydict()
    return sorted(zip(found["age"], found["change"], strict=True), key=str)


MARKED = SourceForm(missing={"age": ("-9", "999")})


def test_it_is_as_if_the_texts_had_been_taken_out_before(tmp_path: Path) -> None:
    by_hand = table().replace({"age": {"-9": None}})
    table().to_csv(tmp_path / "marked.csv", index=False)
    by_hand.to_csv(tmp_path / "cleaned.csv", index=False)
    found = rows(tmp_path / "marked.csv", MARKED)
    assert found == rows(tmp_path / "cleaned.csv", SourceForm())
    assert sum(age is None for age, _ in found) == 2
    assert sum(change == "-9" for _, change in found) == CHANGES.count("-9") > 0
    assert rows(table(), MARKED) == found


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.float32(), pa.float64(),
                                  pa.decimal128(21, 2)])  # fmt: skip
def test_numbers_are_compared_as_numbers(tmp_path: Path, kind: pa.DataType) -> None:
    ages = pa.array([-9, 31, 90, -9], pa.int64()).cast(kind)
    pq.write_table(pa.table({"age": ages, "change": [-9, 1, 2, 3]}), tmp_path / "t.parquet")
    form = SourceForm(missing={"age": ("-9", "-9.004", "nothing")})
    found = rows(tmp_path / "t.parquet", form)
    assert [age is None for age, _ in found].count(True) == 2
    assert len({str(change) for _, change in found}) == 4


def test_a_decimal_comma_and_a_mark_of_the_same_column(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('age;change\n"1,5";1\nnk;2\n"2,5";nk\n')
    form = SourceForm(decimal={"age": ","}, missing={"age": ("nk",)})
    assert rows(tmp_path / "t.csv", form) == [("1.5", "1"), ("2.5", "nk"), (None, "2")]


def test_a_column_that_there_is_not(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match="a column 'aeg', which there is not") as error:
        rows(tmp_path / "t.csv", SourceForm(missing={"aeg": ("-9",)}))
    assert error.value.fix == "Did you mean 'age'?"


def test_a_plan_says_it_by_column() -> None:
    assert form_of({"missing": {"age": "-9"}}).missing == {"age": ("-9",)}
    assert form_of({"missing": {"age": ["-9", "x"]}}).said == {"missing": {"age": ("-9", "x")}}
    with pytest.raises(PlanErrors, match="stand under `null`"):
        form_of({"missing": ["-9"]})
    with pytest.raises(PlanErrors, match="'age' cannot be"):
        form_of({"missing": {"age": [-9]}})


def test_init_writes_it_and_publish_reads_it(tmp_path: Path) -> None:
    data = pd.concat([table()] * 5, ignore_index=True)
    data.to_csv(tmp_path / "people.csv", index=False)
    plan = tmp_path / "plan.yaml"
    write_plan(tmp_path / "people.csv", plan, one_row_per_person=True)
    said = yaml.safe_load(plan.read_text())
    assert said["read"] == {"missing": {"age": ["-9"]}}
    assert None not in said, "nothing is missing in every column"
    release = hedgerow.publish(plan, report=False)
    ages = release.to_pandas()["age"]
    assert not (ages == "-9").any()
    assert not hedgerow.verify(tmp_path / "release").refuted
