"""Priors and lists of known people, read from every kind of source, and what is refused."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow import Prior, read_prior
from hedgerow.base.errors import DataError
from hedgerow.claims.prior_files import read_known, refuse_misspelt

PEOPLE = ["flu"] * 5 + ["cold"] * 2 + [None] + ["naïve ☃", 'say "ah", twice']
COUNTED = Counter(PEOPLE)


def as_csv(path: Path, table: pa.Table) -> Path:
    def field(value: object) -> str:
        return "" if value is None else '"' + str(value).replace('"', '""') + '"'

    lines = [table.column_names, *(row.values() for row in table.to_pylist())]
    data = "".join(",".join(map(field, line)) + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def as_parquet(path: Path, table: pa.Table) -> Path:
    pq.write_table(table, path)
    return path


def as_duckdb(path: Path, table: pa.Table) -> Path:
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE people AS FROM given")
    return path


SOURCES: dict[str, Callable[[Path, pa.Table], Any]] = {
    "csv": lambda folder, table: as_csv(folder / "a.csv", table),
    "csv as text": lambda folder, table: str(as_csv(folder / "a.csv", table)),
    "csv.gz": lambda folder, table: as_csv(folder / "a.csv.gz", table),
    "parquet": lambda folder, table: as_parquet(folder / "a.parquet", table),
    "duckdb": lambda folder, table: as_duckdb(folder / "a.duckdb", table),
    "arrow": lambda folder, table: table,
    "pandas": lambda folder, table: table.to_pandas(),
    "polars": lambda folder, table: pl.DataFrame(table),
}


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Any]:
    """Makes a source of columns given by keyword."""
    return lambda **columns: SOURCES[request.param](tmp_path, pa.table(columns))


def weights(prior: Prior) -> dict[str | None, Fraction]:
    assert prior.kind == "counts"
    return dict(prior.weights)


# A line a person, or a line a value


def test_a_line_a_person(source: Callable[..., Any]) -> None:
    prior = read_prior(source(disease=PEOPLE, age=list(range(10))), column="disease")
    assert weights(prior) == COUNTED
    assert all(type(weight.numerator) is int for _, weight in prior.weights)


def test_one_column_alone(tmp_path: Path) -> None:
    file = as_parquet(tmp_path / "a.parquet", pa.table({"disease": PEOPLE}))
    assert weights(read_prior(file, column="disease")) == COUNTED


def test_a_line_a_value(source: Callable[..., Any]) -> None:
    given = source(disease=list(COUNTED), count=list(COUNTED.values()))
    assert weights(read_prior(given, column="disease")) == COUNTED


def test_a_line_a_value_with_names_of_its_own(source: Callable[..., Any]) -> None:
    given = source(what=list(COUNTED), n=list(COUNTED.values()), year=[1] * len(COUNTED))
    assert weights(read_prior(given, column="what", count="n")) == COUNTED


def test_counts_of_one_value_in_several_lines_add_up(source: Callable[..., Any]) -> None:
    given = source(disease=["flu", "cold", "flu", "flu"], count=[2, 0, 3, 3], ward=list("abca"))
    assert weights(read_prior(given, column="disease", count="count")) == {"flu": 8, "cold": 0}


def test_whole_numbers_as_frames_with_gaps_write_them() -> None:
    frame = pd.DataFrame({"disease": ["flu", "cold"], "count": [2.0, 3.0]})
    assert weights(read_prior(frame, column="disease")) == {"flu": 2, "cold": 3}


def test_texts_that_mean_missing(source: Callable[..., Any]) -> None:
    given = source(disease=["flu", "?", None, "NA"], ward=list("abcd"))
    prior = read_prior(given, column="disease", null=["?", "NA"])
    assert weights(prior) == {"flu": 1, None: 3}


def test_a_third_column_makes_it_a_line_a_person(tmp_path: Path) -> None:
    table = pa.table({"disease": ["flu", "flu"], "count": [7, 8], "age": [1, 2]})
    assert weights(read_prior(table, column="disease")) == {"flu": 2}


def test_numbers_as_values() -> None:
    assert weights(read_prior(pd.DataFrame({"s": [1, 1, 2]}), column="s")) == {"1": 2, "2": 1}


@pytest.mark.parametrize("name", ["Count", "n", "people"])
def test_counts_under_another_name_are_not_taken_for_people(
    source: Callable[..., Any], name: str
) -> None:
    """Read as one person a line, 700 people would be an attacker who saw two."""
    given = source(**{"disease": ["flu", "cold"], name: [500, 200]})
    with pytest.raises(DataError) as caught:
        read_prior(given, column="disease")
    assert f"{name!r} looks like the number of people with each 'disease'" in str(caught.value)
    assert weights(read_prior(given, column="disease", count=name)) == {"flu": 500, "cold": 200}


def test_people_with_a_number_of_their_own_are_people() -> None:
    table = pa.table({"id": [1, 2, 3], "disease": ["flu", "cold", "flu"]})
    assert weights(read_prior(table, column="disease")) == {"flu": 2, "cold": 1}
    table = pa.table({"id": ["a", "b"], "disease": ["flu", "cold"]})
    assert weights(read_prior(table, column="disease")) == {"flu": 1, "cold": 1}


# What cannot be read


@pytest.mark.parametrize(
    "count", ["", "many", "-1", "1.5", "1e3", "²", "1,000", "0x10", "9" * 16, "9" * 5000]
)
def test_counts_that_are_none(tmp_path: Path, count: str) -> None:
    file = as_csv(tmp_path / "a.csv", pa.table({"disease": ["flu", "cold"], "count": ["1", count]}))
    with pytest.raises(DataError) as caught:
        read_prior(file, column="disease")
    said = str(caught.value)
    assert said.startswith(f"{file}: 'count' of 'cold' is ")
    assert "not a whole number of people" in said
    assert len(said) < 400, "not pages of it"


def test_a_count_that_is_missing(tmp_path: Path) -> None:
    table = pa.table({"disease": ["flu", "cold"], "count": pa.array([1, None])})
    with pytest.raises(DataError, match="'count' of 'cold' is None"):
        read_prior(table, column="disease")


@pytest.mark.parametrize("columns", [["disease"], ["disease", "count"]])
def test_nobody(tmp_path: Path, columns: list[str]) -> None:
    file = tmp_path / "a.csv"
    file.write_text(",".join(columns) + "\n")
    with pytest.raises(DataError, match=r"a\.csv: has no rows"):
        read_prior(file, column="disease")


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    file = as_csv(tmp_path / "a.csv", pa.table({"Disease": ["flu"], "age": ["1"]}))
    with pytest.raises(DataError) as caught:
        read_prior(file, column="disease")
    assert str(caught.value) == f"{file}: there is no column 'disease'\n  Did you mean 'Disease'?"
    with pytest.raises(DataError, match="no column 'n'"):
        read_prior(file, column="Disease", count="n")
    with pytest.raises(DataError, match="the table: there is no column 'x'"):
        read_prior(pa.table({"age": [1]}), column="x")


@pytest.mark.parametrize("missing", ["nothing.csv", "folder", "a.txt"])
def test_files_that_cannot_be_read(tmp_path: Path, missing: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.txt").write_text("disease\nflu\n")
    for read in (
        lambda: read_prior(tmp_path / missing, column="disease"),
        lambda: read_known(tmp_path / missing, by="id"),
    ):
        with pytest.raises(DataError) as caught:
            read()
        assert missing in str(caught.value.where)


def test_what_is_no_table() -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_prior(object(), column="disease")


# Known people


def test_known_people(source: Callable[..., Any]) -> None:
    people = ["ä b", *(f"p{i}" for i in range(2000))]
    known = read_known(source(id=[*people, "p7"], age=["1"] * 2002), by="id")
    assert known.by == "id"
    assert sorted(known.people) == sorted(people)
    assert "p7" not in str(known)


def test_known_people_by_number() -> None:
    assert sorted(read_known(pa.table({"id": [7, 2]}), by="id").people) == ["2", "7"]


def test_lists_that_do_not_say_who(tmp_path: Path) -> None:
    file = as_csv(tmp_path / "a.csv", pa.table({"id": ["1", None], "age": ["1", "2"]}))
    with pytest.raises(DataError, match=r"a\.csv: has no value in 'id' for some people"):
        read_known(file, by="id")
    with pytest.raises(DataError, match="for some people"):
        read_known(pa.table({"id": ["1", "?"]}), by="id", null=["?"])
    with pytest.raises(DataError, match=r"(?s)no column 'Id'.*'id'"):
        read_known(file, by="Id")
    file.write_text("id\n")
    with pytest.raises(DataError, match="lists nobody"):
        read_known(file, by="id")


# Spelling


@pytest.mark.parametrize(
    ("table", "theirs"),
    [
        (["flu", "cold"], "Flu"),
        (["flu", "cold"], " flu"),
        (["stomach  ulcer", "cold"], "Stomach ulcer"),
        (["flu", "straße"], "STRASSE"),
        (["1", "2"], "1.0"),
        (["1", "2"], "01"),
        ([None, "cold"], "NA"),
        ([None, "cold"], ""),
        (["", "cold"], None),
        (["é", "cold"], "e\u0301"),
    ],
)
def test_other_spellings_are_refused(table: list[str | None], theirs: str | None) -> None:
    """Taken for another value, its people would not count for the one that is meant."""
    for prior in (Prior.counts({theirs: 3, "cold": 1}), Prior.shape({theirs: 3, "cold": 1})):
        with pytest.raises(DataError) as caught:
            refuse_misspelt(prior, table, where="plan.yaml:7")
        assert str(caught.value).startswith("plan.yaml:7: the prior spells values otherwise")


def test_new_values_are_no_misspelling() -> None:
    refuse_misspelt(Prior.counts({"flu": 3, "influenza": 3}), ["flu", "cold"], where=None)
    refuse_misspelt(Prior.shape({"flu": 3, None: 3}), ["flu", "cold"], where=None)
    refuse_misspelt(Prior.uniform(), ["flu"], where=None)
    refuse_misspelt(Prior.of_table(), ["flu"], where=None)


def test_nothing_in_common() -> None:
    with pytest.raises(DataError, match=r"no value in common with the table: '90210' and '10001'"):
        refuse_misspelt(Prior.counts({"90210": 3, "10001": 3}), ["flu"], where=None)


def test_equal_files_make_equal_priors(tmp_path: Path) -> None:
    """The engine counts in any order, and a claim must not change with it."""
    rows = [f"v{i % 500}" for i in range(2000)]
    for number, order in enumerate((rows, rows[::-1])):
        (tmp_path / f"{number}.csv").write_text("s\n" + "\n".join(order) + "\n", "utf-8")
    one, two = (read_prior(tmp_path / f"{number}.csv", column="s") for number in range(2))
    assert repr(one) == repr(two)
    listed = [read_known(tmp_path / f"{number}.csv", by="s") for number in range(2)]
    assert repr(listed[0]) == repr(listed[1])
