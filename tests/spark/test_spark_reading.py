"""Spark reads files as DuckDB reads them, and refuses what it would alter."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.base.errors import DataError
from hedgerow.engines import TablePlace, open_engine, open_table

ODD = (
    'zip,"the ""age""",ä;b,note\n'
    '00501,30,"grippe, schwer","b\nc"\n'
    '00501,30,"",\n'
    '?, 30 ,"say ""ah""",naïve ☃\n'
    ",NULL,null,nan\n"
    '"x","#",\\N,a\\"b\n'.replace('\\"', "\\")
)
COLUMNS = 'a|b|c\n1|"x|y"|\n|""|z\n'


def opened(path, **options):
    return open_table(TablePlace(address="spark://", table=str(path)), **options)


def rows(engine):
    return sorted(map(repr, engine.rows(engine.columns(), 1000).to_pylist()))


@pytest.mark.parametrize("name", ["odd.csv", "odd.tsv", "semicolons.csv"])
def test_csv(spark, tmp_path, name):
    separator = {"odd.tsv": "\t", "semicolons.csv": ";"}.get(name, ",")
    text = ODD if separator == "," else COLUMNS.replace("|", separator)
    (tmp_path / name).write_text(text, "utf-8")
    with (
        open_engine(tmp_path / name, null=("?",)) as duck,
        opened(tmp_path / name, null=("?",)) as engine,
    ):
        assert engine.columns() == duck.columns()
        assert rows(engine) == rows(duck)
        assert engine.files == (tmp_path / name,)


WRONG = {
    "fields": (b"a,b\n1,2\n1,2,3\n", "more or fewer fields"),
    "latin": ("a,b\n1,\u00e4\n".encode("latin-1"), "not UTF-8"),
    "names": (b"a,A\n1,2\n", "differ only by case"),
    "nothing": (b"", "empty"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_csv_that_is_refused(spark, tmp_path, wrong):
    contents, message = WRONG[wrong]
    path = tmp_path / "wrong.csv"
    path.write_bytes(contents)
    with pytest.raises(DataError, match=message) as found, opened(path) as engine:
        engine.counts(engine.columns())
    assert len(str(found.value).splitlines()) <= 2
    assert "1,2,3" not in str(found.value)


def test_parquet_files_and_folders(spark, tmp_path):
    table = pa.table({"a": [1, 2, 3], "b": ["x", None, "y"]})
    (tmp_path / "many").mkdir()
    for i in range(3):
        pq.write_table(table.slice(i, 1), tmp_path / "many" / f"part-{i}.parquet")
    for path in (tmp_path / "many", tmp_path / "many" / "*.parquet"):
        with opened(path) as engine:
            assert engine.rows_total() == 3
            assert engine.distinct("b") == [None, "x", "y"]
            assert len(engine.files) == 3


def test_what_is_not_there(spark, tmp_path):
    for name in (tmp_path / "no.parquet", "no_such_table", "no_such.table"):
        with pytest.raises(DataError, match="no such table or path"):
            opened(name)
    with pytest.raises(DataError, match="does not read what begins with"):
        opened(tmp_path / "_hidden.parquet")


def test_another_address_than_the_session_in_use(spark):
    with pytest.raises(DataError, match="already uses Spark at local"):
        open_table(TablePlace(address="spark://127.0.0.1:1", table="t"))


def test_a_token_in_an_address_is_refused_and_not_shown():
    with pytest.raises(DataError, match="more than host and port") as found:
        open_table(TablePlace(address="sc://127.0.0.1:1/;token=secret", table="t"))
    assert "secret" not in str(found.value)


def test_streams_are_refused(spark):
    from hedgerow.engines.spark.remote import open_frame

    with pytest.raises(DataError, match="stream"):
        open_frame(spark.readStream.format("rate").load())


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a,b\n1,2\n" + b"3," + b" " * 3_000_000, "longer than 2 MB"),
        (b"a,b\n1,2,\n3,4,\n", "more or fewer fields"),
        (b"a\n1\n\n2\n", "2 rows were read, and the file has 3"),
    ],
)
def test_no_record_of_a_file_is_passed_over(spark, tmp_path, data, why):
    """Spark skips empty lines, which are missing values in a single column."""
    path = tmp_path / "people.csv"
    path.write_bytes(data)
    with pytest.raises(DataError, match=why), opened(path) as engine:
        engine.rows_total()
