"""Spark counts what DuckDB counts, whatever the values are."""

import datetime
import decimal
import math

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.engines.remote_engine import RemoteEngine
from hedgerow.engines.spark.remote import open_frame

MICROSECONDS = st.integers(-(2**56), 2**57)
DECIMALS = {(4, 2), (2, 2), (6, 6), (38, 0), (38, 38), (18, 9)}


def positive(number):
    """Spark has one NaN; DuckDB writes one with a sign as -nan."""
    return math.nan if number is not None and math.isnan(number) else number


def fixed(precision, scale):
    most = 10**precision - 1
    exact = decimal.Context(prec=60)
    return st.integers(-most, most).map(lambda n: decimal.Decimal(n).scaleb(-scale, exact))


KINDS = {
    "text": (st.text(st.characters(codec="utf-8"), max_size=4), pa.string()),
    "double": (st.floats().map(positive), pa.float64()),
    "float": (st.floats(width=32).map(positive), pa.float32()),
    "whole": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "small": (st.integers(-128, 127), pa.int8()),
    "truth": (st.booleans(), pa.bool_()),
    "day": (st.integers(-1_000_000, 4_000_000), pa.date32()),
    "instant": (MICROSECONDS, pa.timestamp("us", tz="UTC")),
    "clock": (MICROSECONDS, pa.timestamp("us")),
    "time": (st.integers(0, 86_399_999_999), pa.time64("us")),
    "bytes": (st.binary(max_size=3), pa.binary()),
    **{f"decimal {p} {s}": (fixed(p, s), pa.decimal128(p, s)) for p, s in DECIMALS},
}


@st.composite
def tables(draw):
    rows = 60
    columns = {}
    for name, (values, kind) in KINDS.items():
        column = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
        whole = {"day": pa.int32(), "instant": pa.int64(), "clock": pa.int64(), "time": pa.int64()}
        columns[name] = pa.array(column, whole.get(name, kind)).cast(kind)
    return pa.table(columns)


def alike(table):
    """Lines in an order of their own."""
    return sorted(map(repr, table.to_pylist()))


def both(framed, table, **options):
    return (
        open_engine(table, **options),
        RemoteEngine(open_frame(framed(table)), **options),
    )


# Spark takes as long for sixty rows as for one: a few large tables, not shrunk.
@settings(
    max_examples=2,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(tables())
def test_every_kind_of_value_has_the_same_text(framed, table):
    duck, spark = both(framed, table, null=("-0.0", "", "0001-01-01 (BC)", ".00", "true"))
    with duck, spark:
        assert spark.columns() == duck.columns()
        assert spark.rows_total() == duck.rows_total()
        wanted, got = duck.counts(list(KINDS)), spark.counts(list(KINDS))
        assert got.schema == wanted.schema
        assert alike(got) == alike(wanted)
        assert alike(spark.rows(list(KINDS), 100)) == alike(duck.rows(list(KINDS), 100))


ODD = pa.table(
    {
        "x": pa.array([0.0, -0.0, math.nan, None, 1e22, 1e-5, 0.1, 2e-3, 2.0**60, math.inf]),
        'quo"te `tick` ü': pa.array(["a", "A", "a ", "ä", "ä", None, "", "☃", "?", "\x1f\x1b"]),
        "who": pa.array(["1", "2", "3", "4", "5", "6", "7", "8", "9", "1"]),
    }
)


def test_distinct_values_stand_in_the_same_order(framed):
    duck, spark = both(framed, ODD, null=("?",))
    with duck, spark:
        for name in ODD.column_names:
            assert spark.distinct(name) == duck.distinct(name)
            assert spark.distinct(name, limit=3) == duck.distinct(name, limit=3)
        assert spark.profile() == duck.profile()


def test_lists_of_people_are_marked(framed):
    table = ODD.slice(0, 9)
    duck, spark = both(framed, table)
    with duck, spark:
        marks = [("who", ["1", "5"]), ("who", ["9"])]
        assert alike(spark.counts(["x"], marks=marks)) == alike(duck.counts(["x"], marks=marks))
        with pytest.raises(DataError, match="not in the table"):
            spark.counts(["x"], marks=[("who", ["nobody"])])


def test_people_have_sets_of_values(framed):
    table = pa.table(
        {
            "p": ["a", "a", "a", "b", "b", "c"],
            "q": [1.5, 1.5, 1.5, None, None, -0.0],
            "s": ["x", None, "x", "\x1f", "y\x1b1", None],
            "d": [0.1, 0.2, 0.1, None, 1e22, 5.0],
        }
    )
    duck, spark = both(framed, table, person="p")
    with duck, spark:
        wanted = duck.counts(["q"], sets=["s", "d"])
        got = spark.counts(["q"], sets=["s", "d"])
        assert got.schema == wanted.schema
        assert alike(got) == alike(wanted)
        with pytest.raises(DataError, match=r"2 people have rows that differ in 's'"):
            spark.counts(["s"])


def test_a_text_of_its_own_collation_is_compared_by_bytes(spark):
    frame = spark.sql(
        "SELECT collate(v, 'UTF8_LCASE') AS v FROM VALUES ('a'), ('A'), ('b') AS t(v)"
    )
    with RemoteEngine(open_frame(frame)) as engine:
        assert engine.distinct("v") == ["A", "a", "b"]
        assert engine.counts(["v"]).num_rows == 3


def test_a_type_without_text_is_refused_where_it_is_used(spark):
    with RemoteEngine(open_frame(spark.sql("SELECT 1 AS a, array(1) AS b"))) as engine:
        assert engine.distinct("a") == ["1"]
        with pytest.raises(DataError, match=r"array<int>"):
            engine.counts(["b"])


def test_nothing_is_left_in_the_session(spark, framed):
    before = {view.name for view in spark.catalog.listTables()}
    zone = spark.conf.get("spark.sql.session.timeZone")
    with RemoteEngine(open_frame(framed(ODD.slice(0, 9))), person="who") as engine:
        engine.counts(["x"], sets=['quo"te `tick` ü'])
        assert {view.name for view in spark.catalog.listTables()} > before
    assert {view.name for view in spark.catalog.listTables()} == before
    assert spark.conf.get("spark.sql.session.timeZone") == zone


def test_names_that_differ_by_case_are_refused(spark):
    with pytest.raises(DataError, match="differ only by case"):
        RemoteEngine(open_frame(spark.sql("SELECT 1 AS Age, 2 AS age")))


def test_dates_are_dates(framed):
    table = pa.table({"d": [datetime.date(2024, 2, 29), datetime.date(1, 1, 1), None]})
    duck, spark = both(framed, table)
    with duck, spark:
        assert spark.distinct("d") == duck.distinct("d") == [None, "0001-01-01", "2024-02-29"]
