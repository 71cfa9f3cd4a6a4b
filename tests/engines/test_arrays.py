"""Tallies counted in arrays: what plain Python counts, and what SQL counts."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tallies import tallied

from hedgerow.base.conditions import And, Compared, Missing, Not, Number, OneOf, Or
from hedgerow.base.errors import DataError
from hedgerow.base.filters import parse
from hedgerow.engines import arrays, open_engine
from hedgerow.engines.duckdb import DuckDBEngine
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.tally import Listed, Spaced, Summed, Tally

TYPES = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()]
EDGES = [0, 1, -1, 7, 40, 99, 127, -128, 255, 32767, 65535, 2**31 - 1, -(2**31), 2**32 - 1]
EDGES += [2**53 + 1, 2**63 - 1, -(2**63)]
COLUMN = st.sampled_from(["x", "y"])
WHOLE = st.sampled_from(EDGES) | st.integers(-200, 200)


def within(kind: Any, value: int) -> int:
    """The number, or the nearest that the type has."""
    signed = pa.types.is_signed_integer(kind)
    low = -(2 ** (kind.bit_width - 1)) if signed else 0
    high = 2 ** (kind.bit_width - signed) - 1
    return max(low, min(high, value))


@st.composite
def tables(draw: Any) -> Any:
    size = draw(st.integers(0, 12))
    columns = {}
    for name in ("x", "y"):
        kind = draw(st.sampled_from(TYPES))
        values = draw(st.lists(st.none() | WHOLE, min_size=size, max_size=size))
        columns[name] = pa.array([None if v is None else within(kind, v) for v in values], kind)
    return pa.table(columns)


NUMBERS = (
    (WHOLE | st.sampled_from([2**64, -(2**70), 10**30])).map(Fraction)
    | st.sampled_from(["-0.5", "39.9", "40.0", "0.29"]).map(Fraction)
).map(Number)
TERMS = (
    st.builds(Compared, COLUMN, st.sampled_from(["=", "<", "<=", ">", ">="]), NUMBERS)
    | st.builds(OneOf, COLUMN, st.lists(NUMBERS, min_size=1, max_size=4).map(tuple))
    | st.builds(Missing, COLUMN)
)


def joined(parts: Any) -> Any:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.builds(Not, parts) | st.builds(And, several) | st.builds(Or, several)


CONDITIONS = st.none() | st.recursive(TERMS, joined, max_leaves=5)
STEPS = st.sampled_from(["1", "5", "1000", "0.5", "2.5", "0.3", "1/3"]).map(Fraction)
STARTS = st.sampled_from(["0", "-10", "0.5", "0.29", "100", "-2147483648", "1/3"]).map(Fraction)
SPACED = st.builds(Spaced, COLUMN, STARTS, STEPS, st.sampled_from([1, 2, 30, 200]))
ENDS = st.sampled_from([(0, 120), (-50, 50), (0, 0), (7, 2**31), (-(2**26), 2**26), (-3, -2)])
SUMMED = st.builds(
    lambda column, unit, ends, centre: Summed(column, unit, *ends, centre, 1),
    *(COLUMN, STEPS, ENDS, st.sampled_from([0, 3, -7])),
) | st.builds(
    lambda column, unit, ends: Summed(column, unit, *ends, 5, 2),
    *(COLUMN, STEPS, st.sampled_from([(0, 120), (-50, 50), (5, 5), (0, 2**20)])),
)
ASKED = st.builds(
    lambda where, by, sums: Tally(where=where, by=tuple(by), sums=tuple(sums), count="rows"),
    *(CONDITIONS, st.lists(SPACED, max_size=2), st.lists(SUMMED, max_size=2)),
)


def told(table: Any, tally: Tally) -> dict[Any, Any]:
    keys = len(tally.by)
    lines = [tuple(row.values()) for row in table.to_pylist()]
    assert [line[:keys] for line in lines] == sorted(line[:keys] for line in lines)
    return {line[:keys]: line[keys:] for line in lines}


def in_arrays(engine: Any, tally: Tally) -> Any:
    assert isinstance(engine, DuckDBEngine)
    assert engine._arrays is not None
    return engine._arrays.tally(tally)


@given(table=tables(), tally=ASKED, null=st.sampled_from([(), ("7", "?", "40.0", "-1", "9" * 38)]))
@example(
    table=pa.table({"x": pa.array([1, None], pa.int8()), "y": pa.array([None, 1], pa.int64())}),
    tally=Tally(by=(Spaced("x", Fraction(0), Fraction(1), 3),), count="rows",
                sums=(Summed("y", Fraction(1), 0, 9),)),
    null=(),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_arrays_count_as_python_and_as_sql(table: Any, tally: Tally, null: Any) -> None:
    missing = {7, 40, -1} if null else set()
    rows = [{n: None if v in missing else v for n, v in row.items()} for row in table.to_pylist()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "whole.parquet"
        pq.write_table(table, path, row_group_size=5)
        wanted = tallied(tally, rows)
        for source in (path, table):
            with open_engine(source, null=null) as engine:
                found = in_arrays(engine, tally)
                assert found is not None
                assert told(found, tally) == wanted
                assert told(engine.tally(tally), tally) == wanted
        with open_engine(path, null=null, memory="1GB") as engine:
            assert isinstance(engine, DuckDBEngine)
            assert engine._arrays is None
            by_sql = engine.tally(tally)
            assert by_sql.schema == found.schema
            assert told(by_sql, tally) == wanted


AGES = Tally(by=(Spaced("x", Fraction(0), Fraction(1), 5),))
NOT_HERE = {
    "a text": Tally(where=parse("x = '1'")),
    "a list": Tally(by=(Listed("x", ("1", "2")),)),
    "a double": Tally(where=parse("d > 1")),
    "many cells": Tally(by=(Spaced("x", Fraction(0), Fraction(1), 10**6),)),
    "large sums": Tally(sums=(Summed("x", Fraction(1), 0, 2**53),) * 2, count="rows"),
    "large steps": Tally(by=(Spaced("x", Fraction(0), Fraction(2**80), 3),)),
    "one large step": Tally(by=(Spaced("x", Fraction(0), Fraction(2**80), 1),)),
}


@pytest.mark.parametrize("case", NOT_HERE)
def test_the_rest_is_left_to_sql(case: str) -> None:
    tally = NOT_HERE[case]
    table = pa.table({"x": pa.array([1, 2, 1] * 1000, pa.int64()), "d": [1.5, 2.0, 0.0] * 1000})
    with open_engine(table) as engine:
        assert in_arrays(engine, tally) is None
        assert told(engine.tally(tally), tally) == tallied(tally, table.to_pylist())


@pytest.mark.parametrize("order", ["=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_numbers_between_whole_ones(kind: Any, order: Any) -> None:
    """And beside the ends of the type."""
    ends = [within(kind, -(2**70)), within(kind, 2**70)]
    table = pa.table({"x": pa.array([*ends, *range(4), None], kind)})
    with open_engine(table) as engine:
        for around in (*ends, 0, 2):
            for more in ("-1", "-0.5", "0", "0.5", "1"):
                constant = Number(around + Fraction(more))
                tally = Tally(where=Compared("x", order, constant))
                assert told(in_arrays(engine, tally), tally) == tallied(tally, table.to_pylist())


def test_several_blocks_add_up(tmp_path: Path) -> None:
    rows = 300_000
    table = pa.table({"x": [i % 7 for i in range(rows)], "y": [i % 1000 for i in range(rows)]})
    tally = Tally(
        where=parse("y >= 500"),
        by=(Spaced("x", Fraction(0), Fraction(1), 7),),
        sums=(Summed("y", Fraction(1), 0, 999, 500),),
        count="rows",
    )
    pq.write_table(table, tmp_path / "many.parquet", row_group_size=70_001)
    wanted: dict[tuple[int], list[int]] = {}
    for i in range(rows):
        if i % 1000 >= 500:
            cell = wanted.setdefault((i % 7,), [0, 0])
            cell[0] += 1
            cell[1] += i % 1000 - 500
    with open_engine(tmp_path / "many.parquet") as engine:
        found = told(in_arrays(engine, tally), tally)
    assert found == {key: tuple(values) for key, values in wanted.items()}


def test_a_file_that_is_replaced_is_counted_as_it_is_now(tmp_path: Path) -> None:
    path, other = tmp_path / "t.parquet", tmp_path / "other.parquet"
    pq.write_table(pa.table({"x": [1, 1, 2]}), path)
    with open_engine(path) as engine:
        assert told(engine.tally(AGES), AGES) == {(1,): (2,), (2,): (1,)}
        pq.write_table(pa.table({"x": [4, 4, 4]}), other)
        other.replace(path)
        assert told(engine.tally(AGES), AGES) == {(4,): (3,)}


def test_what_is_large_does_not_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"x": pa.array([1, 1, 2], pa.int64()), "y": pa.array([1, 2, 3], pa.int64())})
    monkeypatch.setattr(arrays, "MOST_BYTES", 30)
    both = Tally(where=parse("x < 2 and y < 2"))
    with open_engine(table) as engine:
        assert in_arrays(engine, AGES) is not None
        assert in_arrays(engine, both) is None
        assert told(engine.tally(both), both) == {(): (1,)}
        assert in_arrays(engine, AGES) is not None, "what is there already is used"


def test_frames_and_odd_names() -> None:
    tally = Tally(where=parse("`a.b` >= 2"), by=(Spaced("1", Fraction(0), Fraction(1), 5),))
    frame = pd.DataFrame({"a.b": [1, 2, 3], 1: [4, 4, 4]})
    with open_engine(frame) as engine:
        assert told(in_arrays(engine, tally), tally) == {(4,): (2,)}


def test_a_struct_is_not_taken_for_a_column(tmp_path: Path) -> None:
    """Arrow would read a field of a struct under the name a.b."""
    table = pa.table({"a": [{"b": 1}, {"b": 1}], "a.b": [2, 3]})
    pq.write_table(table, tmp_path / "t.parquet")
    tally = Tally(where=parse("`a.b` >= 2"))
    with open_engine(tmp_path / "t.parquet") as engine:
        assert in_arrays(engine, tally) is None
        engine.ready([tally])
        assert isinstance(engine, DuckDBEngine)
        assert engine._opened is not None
        assert told(engine.tally(tally), tally) == {(): (2,)}
    pq.write_table(pa.table({"a": [1, 2], "a.b": [2, 3], "a.bc": [4, 5]}), tmp_path / "u.parquet")
    with open_engine(tmp_path / "u.parquet") as engine:
        assert isinstance(engine, DuckDBEngine)
        assert engine._arrays is not None
        assert set(engine._arrays._widths) == {"a.b", "a.bc"}


def test_several_tallies_are_read_at_once() -> None:
    table = pa.table({"x": [1, 1, 2], "t": ["a", "b", "b"]})
    asked = [AGES, Tally(by=(Listed("t", ("a", "b")),)), Tally()]
    with open_engine(table) as engine:
        found = [told(one, tally) for one, tally in zip(engine.tallies(asked), asked, strict=True)]
    assert found == [{(1,): (2,), (2,): (1,)}, {(0,): (1,), (1,): (2,)}, {(): (3,)}]


def test_what_a_path_says_is_a_column_here_too(tmp_path: Path) -> None:
    """DuckDB reads year=2020 for the column, whatever the file has."""
    (tmp_path / "year=2020").mkdir()
    path = tmp_path / "year=2020" / "t.parquet"
    pq.write_table(pa.table({"year": pa.array([1, 2, 3], pa.int64())}), path)
    tally = Tally(sums=(Summed("year", Fraction(1), 0, 9999),), count="rows")
    with open_engine(path) as engine, open_engine(path, memory="1GB") as in_sql:
        assert told(engine.tally(tally), tally) == told(in_sql.tally(tally), tally)


class Odd(pa.ExtensionType):  # type: ignore[misc]
    """A type that somebody else has made."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "odd")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: object, serialized: object) -> Odd:
        return cls()

    __hash__ = None


def test_types_that_nobody_knows_are_left_alone() -> None:
    odd = pa.ExtensionArray.from_storage(Odd(), pa.array([1, 2, 3], pa.int64()))
    with open_engine(pa.table({"x": [1, 1, 2], "odd": odd})) as engine:
        assert told(engine.tally(AGES), AGES) == {(1,): (2,), (2,): (1,)}


def test_threads_share_an_engine(tmp_path: Path) -> None:
    """Arrow's reader takes the process down if two threads use it at once."""
    drawn = np.random.Generator(np.random.PCG64(1)).integers(0, 100, (24, 200_000))
    columns = {f"n{i}": values.astype(np.int32) for i, values in enumerate(drawn)}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=20_000)
    for turn in range(3):
        with open_engine(tmp_path / "t.parquet") as engine, ThreadPoolExecutor(8) as threads:
            together = Barrier(8)

            def asked(seed: int, engine: Any = engine, together: Barrier = together) -> None:
                chosen = random.Random(seed)
                together.wait()
                for _ in range(6):
                    names = chosen.sample(sorted(columns), 3)
                    sums = tuple(Summed(name, Fraction(1), 0, 99) for name in names)
                    (found,) = engine.tallies([Tally(sums=sums, count="rows")])
                    wanted = [int(columns[name].sum()) for name in names]
                    assert [found[f"s{i}"][0].as_py() for i in range(3)] == wanted

            for done in [threads.submit(asked, 8 * turn + seed) for seed in range(8)]:
                done.result()


def test_slices_and_empty_chunks() -> None:
    whole = pa.array([9, 1, None, 2, 1, None, 4], pa.int16())
    chunks = [whole[:0], whole[1:4], whole[4:4], whole[4:]]
    table = pa.table({"x": pa.chunked_array(chunks)}).slice(1)
    with open_engine(table) as engine:
        assert told(in_arrays(engine, AGES), AGES) == tallied(AGES, table.to_pylist())


def test_a_file_is_counted_by_the_types_that_duckdb_sees(tmp_path: Path) -> None:
    """Arrow would also go by what it has noted beside them."""
    stamps = [pa.timestamp("ms"), pa.timestamp("ns"), pa.time32("ms"), pa.time64("ns")]
    others = [
        pa.uint64(),
        pa.date32(),
        pa.decimal128(5),
        pa.duration("s"),
        pa.float64(),
    ]
    columns = {
        # A thousand, because older files know no nanoseconds.
        **{str(kind): pa.array([1000, None], kind) for kind in (*stamps, *others)},
        **{str(kind): pa.array([1, None], kind) for kind in TYPES},
        "list": pa.array([[1], None], pa.list_(pa.int32())),
        "dictionary": pa.array([1, 2]).dictionary_encode(),
    }
    for version in ("1.0", "2.4", "2.6"):
        path = tmp_path / f"{version}.parquet"
        pq.write_table(pa.table(columns), path, version=version, store_decimal_as_integer=True)
        with open_engine(path) as engine:
            assert isinstance(engine, DuckDBEngine)
            assert engine._arrays is not None
            seen = dict(zip(engine.columns(), engine._source.types, strict=True))
            there = {
                "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INTEGER": pa.int32(),
                "BIGINT": pa.int64(), "UTINYINT": pa.uint8(), "USMALLINT": pa.uint16(),
                "UINTEGER": pa.uint32(),
            }  # fmt: skip
            schema = pq.read_schema(path)
            same = {n for n, kind in seen.items() if there.get(kind) == schema.field(n).type}
            assert set(engine._arrays._widths) == same
            assert len(same) >= len(TYPES) - (version == "1.0")


def test_numbers_of_a_file_begin_no_duckdb(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"x": pa.array([1, 1, 2], pa.int64()), "t": ["a", "b", "b"]})
    pq.write_table(table, path)
    text = Tally(by=(Listed("t", ("a", "b")),))
    with open_engine(path) as engine:
        assert isinstance(engine, DuckDBEngine)
        engine.ready([AGES])
        assert told(engine.tally(AGES), AGES) == {(1,): (2,), (2,): (1,)}
        assert (engine.columns(), engine.files) == (("x", "t"), (path,))
        assert engine._opened is None
        engine.ready([AGES, text])
        assert engine._opened is not None
        assert told(engine.tally(text), text) == {(0,): (1,), (1,): (2,)}
    with open_engine(path) as engine:
        pq.write_table(table.rename_columns(["t", "x"]), path)
        with pytest.raises(DataError, match="others than they were"):
            engine.ready([text])


def test_what_does_not_fit_together_is_known_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [1, 1, 2], "y": [1, 2, 3]}), path)
    monkeypatch.setattr(arrays, "MOST_BYTES", 30)
    both = [Tally(where=parse("x < 2")), Tally(where=parse("y < 2"))]
    for asked, begun in ((both[:1], False), (both[1:], False), (both, True)):
        with open_engine(path) as engine:
            engine.ready(asked)
            assert isinstance(engine, DuckDBEngine)
            assert (engine._opened is not None) == begun
            rows = pq.read_table(path).to_pylist()
            for found, one in zip(engine.tallies(asked), asked, strict=True):
                assert told(found, one) == tallied(one, rows)
            assert (engine._opened is not None) == begun


@pytest.mark.parametrize("begun", [False, True])
def test_a_table_that_was_closed_stays_closed(tmp_path: Path, begun: bool) -> None:
    pq.write_table(pa.table({"x": [1, 1, 2]}), tmp_path / "t.parquet")
    engine = open_engine(tmp_path / "t.parquet")
    engine.tally(AGES)
    if begun:
        engine.rows_total()
    engine.close()
    engine.close()
    for use in (engine.rows_total, lambda: engine.tally(AGES), lambda: engine.ready([AGES])):
        with pytest.raises(DataError, match="was closed"):
            use()


def test_names_that_are_no_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"odd name": [1, 2]}), tmp_path / "t.parquet", store_schema=False)
    content = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(content.replace(b"odd name", b"odd \xff\xfeme"))
    with pytest.raises(DataError, match="is not a Parquet file"):
        open_engine(tmp_path / "t.parquet")


def test_threads_begin_one_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"t": ["a", "b", "b"]}), path)
    begun = []

    def begin(*given: Any, **more: Any) -> DuckDBSession:
        begun.append(time.sleep(0.05))
        return DuckDBSession(*given, **more)

    monkeypatch.setattr("hedgerow.engines.local_table.DuckDBSession", begin)
    with open_engine(path) as engine, ThreadPoolExecutor(8) as threads:
        assert {job.result() for job in [threads.submit(engine.rows_total) for _ in range(8)]} == {
            3
        }
    assert len(begun) == 1


def test_counting_loads_no_pandas_and_no_duckdb(tmp_path: Path) -> None:
    """Arrow's conversions would load pandas, which takes longer than many answers."""
    pq.write_table(pa.table({"x": pa.array([1, None, 2], pa.int64())}), tmp_path / "t.parquet")
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(tmp_path / "t.parquet")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "{'n': [1], 's0': [1]} set()\n"


LOADED = """
import sys
from fractions import Fraction
from hedgerow.engines import open_engine
from hedgerow.engines.tally import Summed, Tally
from hedgerow.base.filters import parse

tally = Tally(where=parse("x < 2"), sums=(Summed("x", Fraction(1), 0, 9),), count="rows")
with open_engine(sys.argv[1]) as engine:
    print({name: column.to_pylist() for name, column in
           zip(("n", "s0"), engine.tally(tally).columns)}, {"pandas", "duckdb"} & {*sys.modules})
"""
