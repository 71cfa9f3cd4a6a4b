"""What `read` says of a table that stays where it is: the same as of a file, bit for bit."""

from __future__ import annotations

import datetime as dt
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from contracts.engine_homes import ELSEWHERE
from contracts.test_engines_agree import NAMES, TABLE, TEXT, sorted_rows

import hedgerow
from hedgerow.api import write_plan
from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.engines.source_form import SourceForm
from hedgerow.engines.tally import AsFound, Spaced, Tally
from hedgerow.plan.plan import Plan

MARKS = {
    "whole": ("-9", "40"), "float": ("7", "1e16", "nan"), "single": ("0.1",), "Größe": ("1", "x"),
    "decimal": ("1.5", "0"), "date": ("9999-12-31",), "truth": ("true",), TEXT: ("a", "'", "\x1f"),
    "when": ("2024-03-31 01:00:00",), "naive": ("1969-12-31 00:00:00", "1969-12-31"),
}  # fmt: skip


@pytest.fixture(params=ELSEWHERE)
def tables(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_tables")


def test_missing_by_column_is_the_same(tables: Any) -> None:
    address = tables(TABLE)
    form, null = SourceForm(missing=MARKS), ["?", "0.1"]
    with (
        open_engine(TABLE, form=form, null=null) as here,
        open_engine(address, form=form, null=null) as there,
        open_engine(TABLE, null=null) as unmarked,
    ):
        for name in NAMES:
            assert there.distinct(name) == here.distinct(name)
        changed = [name for name in NAMES if here.distinct(name) != unmarked.distinct(name)]
        assert len(changed) >= 8
        assert sorted_rows(there.rows(NAMES, 10**6)) == sorted_rows(here.rows(NAMES, 10**6))
        assert sorted_rows(there.counts(NAMES)) == sorted_rows(here.counts(NAMES))
        tally = Tally(by=(Spaced("float", Fraction(0), Fraction(1), 9), AsFound("whole")))
        assert there.tally(tally).to_pylist() == here.tally(tally).to_pylist()


def visits(rows: int = 300) -> pa.Table:
    pick = random.Random(5).choice
    days = [dt.date(1948, 2, 29), dt.date(1961, 7, 1), dt.date(2000, 2, 29), dt.date(1990, 12, 31)]
    when = [dt.datetime(2020, 2, 28, 23, 59), dt.datetime(2020, 2, 29), dt.datetime(2021, 2, 28),
            dt.datetime(2021, 3, 1), dt.datetime(2019, 7, 1)]  # fmt: skip
    return pa.table(
        {
            "born": pa.array([pick([*days, None]) for _ in range(rows)], pa.date32()),
            "seen": pa.array([pick([*when, None]) for _ in range(rows)], pa.timestamp("us")),
            "died": [pick(["2022-05-01", "2022-12-31", "?", "", None]) for _ in range(rows)],
            "ward": [pick(["a", "b"]) for _ in range(rows)],
            "income": pa.array([pick([-9, 1, 2, 3]) for _ in range(rows)], pa.int64()),
        }
    )


AGES = {"age": ("born", "seen"), "age at death": ("born", "died")}


def test_ages_are_the_same_and_those_of_the_calendar(tables: Any) -> None:
    table = visits()
    address = tables(table)
    form, null = SourceForm(ages=AGES, missing={"income": ("-9",)}), ["?"]
    names = [*table.column_names, *AGES]
    with (
        open_engine(table, form=form, null=null) as here,
        open_engine(address, form=form, null=null) as there,
    ):
        assert there.columns() == here.columns() == tuple(names)
        assert sorted_rows(there.rows(names, 10**6)) == sorted_rows(here.rows(names, 10**6))
        assert sorted_rows(there.counts(["age"])) == sorted_rows(here.counts(["age"]))
        tally = Tally(by=(Spaced("age at death", Fraction(0), Fraction(5), 24),))
        assert there.tally(tally).to_pylist() == here.tally(tally).to_pylist()
        found = here.rows(names, 10**6).to_pylist()
    assert len({row["age"] for row in found}) > 6
    for row in found:
        for age, (born, at) in AGES.items():
            both = [None if row[x] in (None, "", "?") else row[x][:10] for x in (born, at)]
            expected = None if None in both else str(birthdays(*map(dt.date.fromisoformat, both)))
            assert row[age] == expected


def birthdays(born: dt.date, at: dt.date) -> int:
    """How many there were, one at a time."""
    count = 0
    for year in range(born.year + 1, at.year + 1):
        leap = (born.month, born.day) == (2, 29)
        try:
            day = born.replace(year=year)
        except ValueError:
            assert leap
            day = dt.date(year, 3, 1)
        count += day <= at
    return count


def test_releases_are_the_same_bytes(tables: Any, tmp_path: Path) -> None:
    address = tables(visits())
    columns = {
        "born": "identifier", "seen": "identifier", "died": "identifier",
        "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20, 40]}},
        "ward": "quasi-identifier", "income": "sensitive",
    }  # fmt: skip
    pq.write_table(visits(), tmp_path / "visits.parquet")
    hashes = []
    for source in (str(tmp_path / "visits.parquet"), address):
        plan = Plan.of(
            source=source, columns=columns, protect=[{"k-anonymity": 5}], one_row_per_person=True,
            read={"ages": {"age": ["born", "seen"]}, "missing": {"income": ["-9"]}},
            method={"suppress": "50%"},
        )  # fmt: skip
        release = hedgerow.publish(plan, to=tmp_path / f"release{len(hashes)}", report=False)
        assert release.certificate["plan"]["ages"] == {"age": ["born", "seen"]}
        hashes.append(release.certificate["data"]["sha256"])
        assert "-9" not in set(map(str, release.to_pandas()["income"]))
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (SourceForm(missing={"aeg": ("-9",)}), "a column 'aeg', which there is not"),
        (SourceForm(ages={"age": ("born", "sene")}), "a column 'sene', which there is not"),
        (SourceForm(ages={"Born": ("born", "seen")}), "an age called 'Born', and the table has"),
        (SourceForm(ages={"age": ("born", "ward")}), "'ward' has values that are no dates: 'a' an"),
        (SourceForm(ages={"age": ("seen", "born")}), "'born' is before 'seen'"),
        (SourceForm(decimal=","), "`read` says 'decimal'"),
    ],
)
def test_what_cannot_be_read_is_refused(
    postgresql_tables: Any, form: SourceForm, words: str
) -> None:
    address = postgresql_tables(visits(60))
    with pytest.raises(DataError) as error:
        open_engine(address, form=form)
    assert words in str(error.value)
    if not form.decimal:
        with pytest.raises(DataError) as error:
            open_engine(visits(60), form=form)
        assert words in str(error.value)


def test_init_writes_it_for_a_table_of_a_database(postgresql_tables: Any, tmp_path: Path) -> None:
    days = [dt.date(1950, 1, 1) + dt.timedelta(days=97 * i) for i in range(200)]
    table = pa.table(
        {
            "birth_date": pa.array(days),
            "admitted": pa.array([dt.date(2021, 1, 1 + i % 28) for i in range(200)]),
            "age_group": pa.array([-9 if i % 20 == 0 else i % 60 + 20 for i in range(200)]),
            "change": pa.array([i % 31 - 15 for i in range(200)]),
        }
    )
    address = postgresql_tables(table)
    write_plan(address, tmp_path / "plan.yaml", one_row_per_person=True)
    said = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    assert said["read"] == {"missing": {"age_group": ["-9"]}}, "there is an age already"
    write_plan(postgresql_tables(table.drop(["age_group"])), tmp_path / "plan.yaml",
               one_row_per_person=True, replace=True)  # fmt: skip
    said = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    assert said["read"] == {"ages": {"age_at_admitted": ["birth_date", "admitted"]}}
    release = hedgerow.publish(tmp_path / "plan.yaml", report=False)
    assert "age_at_admitted" in release.to_pandas().columns
