"""What every engine promises, over every engine and every kind of source."""

import csv
import hashlib
import random
from collections import Counter
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from contracts.engine_homes import ELSEWHERE, HERE, HOMES, as_arrow, as_csv, as_duckdb, as_parquet
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError, TargetError
from hedgerow.engines import Engine, counts_of, open_engine

NAMES = ("zip", 'the "age"', "Krankheit; ä", "note")
ROWS = [
    ("00501", "30", "flu", "a"),
    ("00501", "30", "flu", None),
    ("00501", "30", "grippe, schwer", "b\nc"),
    ("10115", None, 'say "ah"', "b"),
    ("10115", None, 'say "ah"', ""),
    (None, None, None, "=1+1"),
    (None, "", "naïve ☃", " blank "),
    ("?", "-0.0", "flu", "?"),
]


def as_parquets(folder: Path, names, rows) -> str:
    half = len(rows) // 2
    as_parquet(folder / "part-0.parquet", names, rows[:half])
    as_parquet(folder / "part-1.parquet", names, rows[half:])
    return str(folder / "part-*.parquet")


SOURCES = {
    "csv": lambda d, n, r: as_csv(d / "data.csv", n, r),
    "csv.gz": lambda d, n, r: as_csv(d / "data.csv.gz", n, r),
    "tsv": lambda d, n, r: as_csv(d / "data.tsv", n, r, "\t"),
    "semicolons": lambda d, n, r: as_csv(d / "data[1]*.csv", n, r, ";"),
    "parquet": lambda d, n, r: str(as_parquet(d / "data?.parquet", n, r)),
    "parquets": as_parquets,
    "duckdb": lambda d, n, r: as_duckdb(d / "data.duckdb", n, r),
    "duckdb table": lambda d, n, r: f'{as_duckdb(d / "data.duckdb", n, r)}::a "table"',
    "arrow": lambda d, n, r: as_arrow(n, r),
    "pandas": lambda d, n, r: pd.DataFrame(
        list(r), columns=list(n), dtype=object, index=[7] * len(r)
    ),
    "polars": lambda d, n, r: pl.DataFrame(as_arrow(n, r)),
}
KINDS = [*SOURCES, *ELSEWHERE]


def pytest_generate_tests(metafunc):
    """Each test runs once on every engine; those over kinds of sources have them there."""
    if "home" in metafunc.fixturenames:
        many = {"kind", "source"} & set(metafunc.fixturenames)
        metafunc.parametrize("home", HERE if many else HOMES)


@pytest.fixture
def there(request, tmp_path):
    """Rows as a source of this kind."""
    made = 0

    def put(kind, names, rows):
        nonlocal made
        made += 1
        folder = tmp_path / f"source {made}"
        folder.mkdir()
        if kind in SOURCES:
            return SOURCES[kind](folder, names, rows)
        return request.getfixturevalue(f"{kind}_tables")(as_arrow(names, rows), f'a "table".{made}')

    return put


@pytest.fixture
def opened(request, home):
    """Opens a source; a table in memory is put where the engine is, first."""

    def build(source, **options):
        if home not in HERE and isinstance(source, pa.Table):
            source = request.getfixturevalue(f"{home}_tables")(source)
        return open_engine(source, **options)

    return build


@pytest.fixture(params=KINDS)
def source(request, there):
    return there(request.param, NAMES, ROWS)


@pytest.fixture
def make(home, there):
    """An engine over rows given in the test."""
    engines: list[Engine] = []

    def build(names, rows, kind=None, **options):
        kind = kind or ("csv" if home in HERE else home)
        engines.append(open_engine(there(kind, names, rows), **options))
        return engines[-1]

    yield build
    for engine in engines:
        engine.close()


def counted(table, *, drop=()):
    """A frequency set as a dictionary from tuples to (n, rows)."""
    found = {}
    for row in table.to_pylist():
        key = tuple(
            tuple(v) if isinstance(v, list) else v for k, v in row.items() if k not in ("n", "rows")
        )
        assert key not in found
        found[key] = (row["n"], row["rows"])
    return found


def expected(rows, places):
    return {k: (n, n) for k, n in Counter(tuple(r[j] for j in places) for r in rows).items()}


def mapping(lines, quasi, sensitive=0, *, ranks=False, lists=False):
    """A mapping table from tuples (q..., s..., p..., lo, hi)."""
    names = [f"q{j}" for j in range(quasi)] + [f"s{j}" for j in range(sensitive)]
    names += [f"p{j}" for j in range(quasi)] + (["lo", "hi"] if ranks else [])
    columns = {}
    for i, name in enumerate(names):
        kind = pa.int64() if name in ("lo", "hi") else pa.string()
        if lists and name[0] == "s":
            kind = pa.list_(pa.string())
        columns[name] = pa.array([line[i] for line in lines], kind)
    return pa.table(columns)


def read_csv(path: Path):
    """An independent reader; missing and empty text look alike to it."""
    with path.open(newline="", encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file)]


def leftovers(folder: Path):
    return sorted(path.name for path in folder.iterdir())


# Reading


def test_the_same_data_counts_the_same_from_every_source(opened, source):
    with opened(source) as engine:
        assert engine.columns() == NAMES
        assert engine.rows_total() == len(ROWS)
        for places in [(0,), (1, 2), (0, 1, 2, 3)]:
            names = [NAMES[j] for j in places]
            table = engine.counts(names)
            assert table.column_names == [*(f"q{i}" for i in range(len(names))), "n", "rows"]
            assert str(table.schema.field("n").type) == str(table.schema.field("rows").type)
            assert str(table.schema.field("n").type) == "int64"
            assert counted(table) == expected(ROWS, places)
        plain = engine.counts([NAMES[0]], sets=[NAMES[2]])
        assert plain.column_names == ["q0", "s0", "n", "rows"]
        assert counted(plain) == expected(ROWS, (0, 2))


def test_no_columns_count_everyone(opened, source):
    with opened(source) as engine:
        assert engine.counts([]).to_pylist() == [{"n": len(ROWS), "rows": len(ROWS)}]


def test_texts_that_mean_missing(opened, source):
    with opened(source, null=["?", "30"]) as engine:
        rows = [tuple(None if v in ("?", "30") else v for v in row) for row in ROWS]
        assert counted(engine.counts(NAMES[:2])) == expected(rows, (0, 1))


def test_distinct_values_in_order_missing_first(opened, source):
    with opened(source) as engine:
        assert engine.distinct("zip") == [None, "00501", "10115", "?"]
        assert engine.distinct("zip", limit=2) == [None, "00501"]


def test_rows_are_text_under_their_names(opened, source):
    with opened(source) as engine:
        table = engine.rows([NAMES[1], "zip"], 100)
        assert table.column_names == [NAMES[1], "zip"]
        found = Counter(tuple(row.values()) for row in table.to_pylist())
        assert found == Counter((row[1], row[0]) for row in ROWS)
        assert engine.rows(["zip"], 3).num_rows == 3


def test_profile(opened, source):
    with opened(source, null=["?"]) as engine:
        by_name = {p.name: p for p in engine.profile()}
    assert tuple(by_name) == NAMES
    p = by_name["zip"]
    assert (p.rows, p.distinct, p.missing, p.examples) == (8, 2, 3, ("00501", "10115"))
    assert (p.numbers, p.dates, p.longest) == (True, False, 5)
    p = by_name[NAMES[1]]
    assert (p.distinct, p.missing, p.numbers) == (3, 3, False)
    assert by_name[NAMES[2]].longest == len("grippe, schwer")


def test_profile_knows_numbers_and_dates(make):
    rows = [("1", "2024-02-29", "2023-02-29", None), ("-2.5e3", "1999-12-31", None, None)]
    engine = make(["number", "date", "no date", "nothing"], rows)
    kinds = [(p.numbers, p.dates) for p in engine.profile()]
    assert kinds == [(True, False), (False, True), (False, False), (False, False)]


def test_profile_looks_at_no_more_rows_than_it_is_told(make):
    engine = make(["a"], [(str(i),) for i in range(50)])
    assert engine.profile(sample=10)[0].rows == 10


def test_unknown_columns_name_the_nearest(opened, source):
    with opened(source) as engine, pytest.raises(DataError, match=r"(?s)'zipp'.*mean 'zip'"):
        engine.counts(["zipp"])


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "pandas", "polars", "duckdb"])
def test_no_rows_and_one_row(make, kind):
    empty = make(["a", "b"], [], kind)
    assert empty.rows_total() == 0
    assert empty.counts(["a"]).num_rows == 0
    assert empty.distinct("a") == []
    assert [p.distinct for p in empty.profile()] == [0, 0]
    one = make(["a", "b"], [("x", None)], kind)
    assert counted(one.counts(["a", "b"])) == {("x", None): (1, 1)}


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("names", [("Age", "age"), ("x", "x")])
def test_clashing_names_are_refused_by_name(make, kind, names):
    with pytest.raises(DataError, match=f"'{names[0]}' and '{names[1]}'"):
        make(names, [("1", "2")], kind)


def test_clashing_names_in_pandas(opened):
    with pytest.raises(DataError, match="'Age' and 'age'"):
        opened(pd.DataFrame([[1, 2]], columns=["Age", "age"]))


# People with several rows

VISITS = [
    ("p1", "30", "flu"),
    ("p1", "30", None),
    ("p1", "30", "flu"),
    ("p2", "30", "flu"),
    ("p3", "30", None),
    ("p3", "30", "flu"),
    ("p4", None, "cold"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_people_count_once_with_the_set_of_their_values(make, kind):
    engine = make(["id", "age", "disease"], VISITS, kind, person="id")
    assert counted(engine.counts(["age"], sets=["disease"])) == {
        ("30", (None, "flu")): (2, 5),
        ("30", ("flu",)): (1, 1),
        (None, ("cold",)): (1, 1),
    }
    assert counted(engine.counts(["age"])) == {("30",): (3, 6), (None,): (1, 1)}
    assert engine.counts([]).to_pylist() == [{"n": 4, "rows": 7}]


@pytest.mark.parametrize("other", ["31", None])
def test_people_whose_rows_disagree_are_refused(make, other):
    rows = [*VISITS, ("p2", other, "flu"), ("p3", other, "flu")]
    engine = make(["id", "age", "disease"], rows, person="id")
    with pytest.raises(DataError, match="2 people have rows that differ in 'age'"):
        engine.counts(["age"], sets=["disease"])
    with pytest.raises(DataError, match="differ"):  # asked again, not remembered as fine
        engine.counts(["age"], sets=["disease"])
    assert engine.counts(["disease"][:0]).to_pylist() == [{"n": 4, "rows": 9}]


def test_rows_of_nobody_are_refused(make):
    rows = [*VISITS, (None, "30", "flu"), ("?", "31", "flu")]
    engine = make(["id", "age", "disease"], rows, person="id", null=["?"])
    with pytest.raises(DataError, match="2 rows have no value in the person column 'id'"):
        engine.counts(["age"])


def test_an_unknown_person_column(make):
    with pytest.raises(DataError, match="no column 'who'"):
        make(["id"], [("1",)], person="who")


# Lists of people

STAFF = [
    ("00501", "30", "flu", "a"),
    ("00501", "30", "flu", 'O\'Neil; "ä" ☃'),
    ("00501", "30", "cold", "b, c"),
    ("10115", None, "flu", "-0.0"),
    ("10115", None, None, "007"),
    (None, None, "flu", None),
    (None, None, "flu", None),
    ("?", "", "cold", "7"),
]
"""The last column tells people apart, for those who have one."""


@pytest.mark.parametrize("kind", KINDS)
def test_who_is_on_a_list_is_marked(make, kind):
    engine = make(["zip", "age", "disease", "who"], STAFF, kind)
    one, two = ['O\'Neil; "ä" ☃', "007"], ["007", "-0.0", "a", "7"]
    table = engine.counts(["zip"], sets=["disease"], marks=[("who", one), ("who", two)])
    assert table.column_names == ["q0", "s0", "m0", "m1", "n", "rows"]
    assert str(table.schema.field("m0").type) == "bool"
    rows = [(row[0], row[2], row[3] in one, row[3] in two) for row in STAFF]
    assert counted(table) == expected(rows, (0, 1, 2, 3))


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "pandas"])
def test_a_list_counts_without_any_column(make, kind):
    engine = make(["zip", "age", "disease", "who"], STAFF, kind)
    assert counted(engine.counts([], marks=[("who", ["a", "7"])])) == {
        (True,): (2, 2),
        (False,): (6, 6),
    }
    everybody = [row[3] for row in STAFF if row[3] is not None]
    assert counted(engine.counts([], marks=[("who", everybody)])) == {
        (True,): (6, 6),
        (False,): (2, 2),
    }
    assert counted(engine.counts(["age"])) == expected(STAFF, (1,)), "and nothing is left of it"


@pytest.mark.parametrize("kind", KINDS)
def test_lists_of_people_with_several_rows(make, kind):
    rows = [(f"{p}'\u00e4", *rest) for p, *rest in VISITS]
    engine = make(["id", "age", "disease"], rows, kind, person="id")
    table = engine.counts(["age"], sets=["disease"], marks=[("id", ["p1'\u00e4", "p4'\u00e4"])])
    assert counted(table) == {
        ("30", (None, "flu"), True): (1, 3),
        ("30", (None, "flu"), False): (1, 2),
        ("30", ("flu",), False): (1, 1),
        (None, ("cold",), True): (1, 1),
    }
    assert counted(engine.counts(["age"], marks=[("id", ["p2'\u00e4"])])) == {
        ("30", True): (1, 1),
        ("30", False): (2, 5),
        (None, False): (1, 1),
    }
    with pytest.raises(DataError, match="told apart by 'id', not by 'disease'"):
        engine.counts(["age"], marks=[("disease", ["cold"])])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("person", [None, "who"])
def test_strangers_on_a_list_are_refused(make, kind, person):
    rows = [row for row in STAFF if row[3] is not None]
    engine = make(["zip", "age", "disease", "who"], rows, kind, person=person)
    for strangers in (["A"], ["a "], ["7.0", "07"], [""], ["None", "NULL"]):
        with pytest.raises(DataError) as caught:
            engine.counts(["zip"], marks=[("who", ["a", "7", *strangers])])
        said = str(caught.value)
        assert f"{len(strangers)} of the {2 + len(strangers)} people on the list" in said
        assert all(repr(stranger) in said for stranger in strangers)
        assert "'a'" not in said
    assert counted(engine.counts(["zip"])) == expected(rows, (0,))


def test_texts_that_mean_missing_are_nobody(make):
    rows = [("1", "x"), ("?", "y"), (None, "z")]
    engine = make(["id", "q"], rows, null=["?"])
    with pytest.raises(DataError, match=r"1 of the 2 people.*'\?'"):
        engine.counts(["q"], marks=[("id", ["1", "?"])])
    assert counted(engine.counts([], marks=[("id", ["1"])])) == {(True,): (1, 1), (False,): (2, 2)}


def test_a_person_named_twice_on_the_list_is_one(make):
    engine = make(["id", "q"], [("1", "x"), ("2", "x")])
    marks = [("id", ["1", "1"])]
    assert counted(engine.counts([], marks=marks)) == {(True,): (1, 1), (False,): (1, 1)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_by_a_column_that_does_not_tell_people_apart(make, kind):
    """Two people of one name: the attacker knows one of them, and nobody can say which."""
    rows = [("Ann", "x"), ("Bob", "x"), ("Ann", "y"), ("Eve", "y"), ("Eve", "y"), (None, "x")]
    engine = make(["name", "q"], rows, kind)
    with pytest.raises(DataError, match="'name' does not tell people apart: 'Ann'") as caught:
        engine.counts(["q"], marks=[("name", ["Ann", "Bob"])])
    assert "Bob" not in str(caught.value)
    assert "person: name" in str(caught.value)
    # Namesakes who are not on the list do no harm.
    assert counted(engine.counts([], marks=[("name", ["Bob"])])) == {
        (True,): (1, 1),
        (False,): (5, 5),
    }


def test_numbers_tell_people_apart_by_their_text(opened):
    table = pa.table({"id": [7, 8, 9], "q": ["x", "x", "y"]})
    with opened(table) as engine:
        found = counted(engine.counts(["q"], marks=[("id", ["7", "9"])]))
    assert found == {("x", True): (1, 1), ("x", False): (1, 1), ("y", True): (1, 1)}


def test_a_list_by_an_unknown_column(make):
    engine = make(["id", "q"], [("1", "x")])
    with pytest.raises(DataError, match=r"(?s)no column 'idd'.*mean 'id'"):
        engine.counts(["q"], marks=[("idd", ["1"])])


# Writing


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_write_recodes_and_leaves_out(opened, source, tmp_path, suffix):
    """Missing keys match missing keys, absent tuples are left out, identifiers not selected."""
    lines = [("00501", "30", "005**", "[30,40)"), (None, None, None, "*"), ("?", "-0.0", "*", None)]
    target = tmp_path / f"out.{suffix}"
    with opened(source) as engine:
        written = engine.write(
            mapping(lines, 2),
            target,
            columns=[NAMES[2], NAMES[1], "zip"],
            quasi_identifiers=["zip", NAMES[1]],
            expect_rows=5,
        )
    assert (written.rows, written.people, written.path) == (5, 5, target)
    assert written.sha256 == hashlib.sha256(target.read_bytes()).hexdigest()
    rows = [
        ("flu", "[30,40)", "005**"),
        ("flu", "[30,40)", "005**"),
        ("grippe, schwer", "[30,40)", "005**"),
        (None, "*", None),
        ("flu", None, "*"),
    ]
    assert counted(counts_of(target, [NAMES[2], NAMES[1], "zip"])) == expected(rows, (0, 1, 2))
    if suffix == "csv":
        assert read_csv(target) == [
            (NAMES[2], NAMES[1], "zip"),
            ("", "*", ""),
            ("flu", "", "*"),
            ("flu", "[30,40)", "005**"),
            ("flu", "[30,40)", "005**"),
            ("grippe, schwer", "[30,40)", "005**"),
        ]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_write_counted_equals_write(opened, source, tmp_path, suffix):
    with opened(source) as engine:
        cells = engine.counts(NAMES)
        whole = mapping([tuple(r)[:4] * 2 for r in ROWS if r[0] == "10115"], 4)
        fast = engine.write_counted(
            cells.drop_columns(["n"]).filter(pa.compute.equal(cells["q0"], "10115")),
            tmp_path / f"fast.{suffix}",
            columns=NAMES,
            expect_rows=2,
        )
        slow = engine.write(
            whole,
            tmp_path / f"slow.{suffix}",
            columns=NAMES,
            quasi_identifiers=NAMES,
            expect_rows=2,
        )
    assert (fast.rows, fast.people) == (2, 2)
    assert fast.sha256 == slow.sha256
    assert counted(counts_of(fast.path, NAMES)) == expected(ROWS[3:5], range(4))


def test_write_counted_repeats(make, tmp_path):
    """More copies than fit one value, and text long enough that each copy is its own."""
    cells = pa.table(
        {"a": ["x", None, "y" * 70_000], "rows": pa.array([100_000, 2, 3], pa.int64())}
    )
    for suffix in ("csv", "parquet"):
        target = tmp_path / f"out.{suffix}"
        engine = make(["a"], [("x",)])
        assert (
            engine.write_counted(cells, target, columns=["a"], expect_rows=100_005).rows == 100_005
        )
        assert counted(counts_of(target, ["a"])) == {
            ("x",): (100_000, 100_000),
            ("" if suffix == "csv" else None,): (2, 2),
            ("y" * 70_000,): (3, 3),
        }


def test_every_text_survives_csv(make, tmp_path):
    texts = ["", " ", "a,b", "a;b", "a\tb", 'a"b', '"', "a\nb", "a\r\nb", "\r", "☃", "a\x00b", None]
    cells = pa.table({"a;b": texts, "b": texts[::-1], "rows": [1] * len(texts)})
    target = tmp_path / "out.csv"
    make(["a;b", "b"], []).write_counted(
        cells, target, columns=["a;b", "b"], expect_rows=len(texts)
    )
    rows = list(zip(texts, texts[::-1], strict=True))
    assert counted(counts_of(target, ["a;b", "b"])) == expected(rows, (0, 1))
    with open_engine(target) as engine:  # the separator is also found without being told
        assert counted(engine.counts(["a;b", "b"])) == expected(rows, (0, 1))


def test_one_column_of_missing_values_is_no_empty_lines_in_csv(make, tmp_path):
    """Most readers skip empty lines; with more columns missing is an empty field."""
    cells = pa.table({"a": [None, "", "x"], "rows": [2, 1, 1]})
    target = tmp_path / "out.csv"
    make(["a"], []).write_counted(cells, target, columns=["a"], expect_rows=4)
    assert target.read_text() == 'a\n""\n""\n""\nx\n'
    assert counted(counts_of(target, ["a"])) == {("",): (3, 3), ("x",): (1, 1)}
    both = cells.append_column("b", cells["a"]).select(["a", "b", "rows"])
    make(["a", "b"], []).write_counted(both, target, columns="ab", expect_rows=4)
    assert target.read_text() == 'a,b\n,\n,\n"",""\nx,x\n'


@given(
    st.lists(
        st.tuples(*[st.none() | st.text(st.characters(codec="utf-8"), max_size=4)] * 3), max_size=12
    )
)
@settings(max_examples=20, deadline=None)
def test_write_is_sorted_and_ignores_the_order_of_the_source(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("order")
    keys = sorted({(r[0], r[1]) for r in rows}, key=str)
    lines = [(a, b, None if a is None else a[:1], b) for a, b in keys]
    files = []
    for i in range(3):
        shuffled = random.Random(i).sample(rows, len(rows))
        with open_engine(as_arrow("abc", shuffled)) as engine:
            files.append(folder / f"{i}.csv")
            engine.write(
                mapping(lines, 2), files[-1], columns="abc", quasi_identifiers="ab",
                expect_rows=len(rows),
            )  # fmt: skip
    assert files[0].read_bytes() == files[1].read_bytes() == files[2].read_bytes()
    published = [(None if r[0] is None else r[0][:1], r[1], r[2]) for r in rows]
    with open_engine(files[0]) as engine:
        found = [tuple(row.values()) for row in engine.rows("abc", 100).to_pylist()]
    assert found == sorted(
        published, key=lambda row: [(v is not None, (v or "").encode()) for v in row]
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_big_output_is_sorted(opened, tmp_path, suffix):
    """Past the size at which engines work in parallel."""
    values = [f"{i * 7919 % 300_007:06}" for i in range(300_007)]
    table = pa.table({"a": values, "b": ["x"] * len(values)})
    target = tmp_path / f"out.{suffix}"
    into = mapping([("x", "y")], 1)
    with opened(table) as engine:
        engine.write(into, target, columns="ab", quasi_identifiers="b", expect_rows=len(values))
    if suffix == "csv":
        found = [row[0] for row in read_csv(target)[1:]]
    else:
        found = pq.read_table(target)["a"].to_pylist()
    assert found == sorted(values)


# Mappings that separate people of one cell


def test_ranks_separate_equal_tuples(make, tmp_path):
    rows = [("30", "flu", str(i)) for i in range(10)] + [("30", "cold", "x")]
    lines = [
        ("30", "flu", "A", 0, 3),
        ("30", "flu", "B", 3, 8),  # ranks 8 and 9 are left out
        ("30", "cold", "C", 0, 1),
    ]
    contents = set()
    for seed in range(3):
        shuffled = random.Random(seed).sample(rows, len(rows))
        target = tmp_path / f"{seed}.csv"
        engine = make(["age", "disease", "note"], shuffled)
        written = engine.write(
            mapping(lines, 1, 1, ranks=True), target, columns=["age", "disease", "note"],
            quasi_identifiers=["age"], sensitive=["disease"], expect_people=9,
        )  # fmt: skip
        assert (written.rows, written.people) == (9, 9)
        assert counted(counts_of(target, ["age", "disease"])) == {
            ("A", "flu"): (3, 3), ("B", "flu"): (5, 5), ("C", "cold"): (1, 1),
        }  # fmt: skip
        notes = [row[2] for row in read_csv(target)[1:]]
        assert len(set(notes)) == 9
        contents.add(target.read_bytes())
    assert len(contents) == 1


def test_ranks_keep_a_persons_rows_together(make, tmp_path):
    rows = [(f"p{i}", "30", f"{i}") for i in range(6) for _ in range(i + 1)]
    lines = [("30", "A", 0, 2), ("30", "B", 2, 5)]
    target = tmp_path / "out.csv"
    engine = make(["id", "age", "note"], rows, person="id")
    written = engine.write(
        mapping(lines, 1, ranks=True), target, columns=["age", "note"],
        quasi_identifiers=["age"], expect_people=5,
    )  # fmt: skip
    found = Counter(read_csv(target)[1:])
    groups = {}
    for (age, note), times in found.items():
        assert times == int(note) + 1
        assert groups.setdefault(note, age) == age
    assert Counter(groups.values()) == {"A": 2, "B": 3}
    assert (written.people, written.rows) == (5, sum(found.values()))


def test_people_are_recoded_by_their_sets(make, tmp_path):
    lines = [
        ("30", [None, "flu"], "A"),
        ("30", ["flu"], "B"),
    ]
    target = tmp_path / "out.csv"
    engine = make(["id", "age", "disease"], VISITS, person="id")
    written = engine.write(
        mapping(lines, 1, 1, lists=True), target, columns=["age", "disease"],
        quasi_identifiers=["age"], sensitive=["disease"], expect_people=3, expect_rows=6,
    )  # fmt: skip
    assert (written.rows, written.people) == (6, 3)
    assert counted(counts_of(target, ["age", "disease"])) == {
        ("A", "flu"): (3, 3), ("A", None): (2, 2), ("B", "flu"): (1, 1),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "ranks", "message"),
    [
        ([("a", "A"), ("a", "B")], False, "1 of its tuples to more than one group"),
        ([(None, "A"), (None, "A")], False, "more than one group"),
        ([("a", "A", 0, 3), ("a", "B", 2, 4)], True, "more than one group"),
        ([(None, "A", 0, 3), (None, "B", 0, 1)], True, "more than one group"),
        ([("a", "A", 3, 3)], True, "lo < hi"),
        ([("a", "A", -1, 3)], True, "lo < hi"),
    ],
)
def test_mappings_that_would_publish_someone_twice(make, tmp_path, lines, ranks, message):
    engine = make(["q"], [("a",), (None,)])
    target = tmp_path / "out.csv"
    with pytest.raises(DataError, match=message):
        engine.write(
            mapping(lines, 1, ranks=ranks),
            target,
            columns="q",
            quasi_identifiers="q",
            expect_rows=1,
        )
    assert not target.exists()


def test_a_mapping_with_other_columns_is_refused(make, tmp_path):
    engine = make(["q"], [("a",)])
    with pytest.raises(DataError, match="it needs"):
        engine.write(
            pa.table({"q0": ["a"], "p1": ["A"]}), tmp_path / "out.csv",
            columns="q", quasi_identifiers="q", expect_rows=1,
        )  # fmt: skip


# Nothing half-written


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("before", [None, b"the last release"])
def test_a_wrong_count_leaves_everything_as_it_was(make, tmp_path, suffix, before):
    engine = make(["q"], [("a",), ("a",), ("b",)])
    folder = tmp_path / "release"
    folder.mkdir()
    target = folder / f"out.{suffix}"
    if before:
        target.write_bytes(before)
    there = leftovers(folder)
    into = mapping([("a", "A")], 1)
    with pytest.raises(DataError, match="2 rows were written where 3 were expected"):
        engine.write(into, target, columns="q", quasi_identifiers="q", expect_rows=3)
    with pytest.raises(DataError, match="2 people were written where 3 were expected"):
        engine.write(into, target, columns="q", quasi_identifiers="q", expect_people=3)
    with pytest.raises(DataError, match="expected"):
        engine.write_counted(
            pa.table({"q": ["A"], "rows": [2]}), target, columns="q", expect_rows=3
        )
    assert leftovers(folder) == there
    assert not before or target.read_bytes() == before


@pytest.mark.parametrize("rows", [0, -1, None])
def test_cells_that_are_written_no_times_are_refused(make, tmp_path, rows):
    cells = pa.table({"q": ["A", "B"], "rows": pa.array([1, rows], pa.int64())})
    with pytest.raises(DataError, match="not positive"):
        make(["q"], [("a",)]).write_counted(cells, tmp_path / "o.csv", columns="q", expect_rows=1)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_unwritable_targets(make, tmp_path, suffix):
    engine = make(["q"], [("a",)])
    cells = pa.table({"q": ["A"], "rows": [1]})
    (tmp_path / f"folder.{suffix}").mkdir()
    for target, why in [
        (tmp_path / "absent" / f"out.{suffix}", "cannot be written"),
        (tmp_path / f"folder.{suffix}", "is a folder"),
        (tmp_path / "out.xlsx", "neither"),
        (Path(f"/dev/null/out.{suffix}"), "cannot be written"),
    ]:
        with pytest.raises(TargetError, match=why):
            engine.write_counted(cells, target, columns="q", expect_rows=1)


def test_the_source_is_never_replaced(opened, tmp_path):
    path = as_csv(tmp_path / "data.csv", ["q"], [("a",)])
    (tmp_path / "link.csv").symlink_to(path)
    before = path.read_bytes()
    with opened(path) as engine:
        for target in (path, tmp_path / "link.csv"):
            with pytest.raises(TargetError, match="the source itself"):
                engine.write_counted(
                    pa.table({"q": ["A"], "rows": [1]}), target, columns="q", expect_rows=1
                )
    assert path.read_bytes() == before


def test_the_person_column_is_never_published(make, tmp_path):
    engine = make(["id", "q"], [("1", "a")], person="id")
    with pytest.raises(ValueError, match="never published"):
        engine.write(
            mapping([("a", "A")], 1), tmp_path / "out.csv", columns=["id", "q"],
            quasi_identifiers="q", expect_people=1,
        )  # fmt: skip


def test_closing_removes_everything_temporary(opened, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with opened(as_arrow("q", [("a",)]), scratch=scratch) as engine:
        assert leftovers(scratch)
        mode = next(scratch.iterdir()).stat().st_mode & 0o777
        engine.counts("q")
    assert mode == 0o700
    assert leftovers(scratch) == []
    with pytest.raises(DataError, match="no such file"):
        opened(tmp_path / "absent.csv", scratch=scratch)
    assert leftovers(scratch) == []


# Types


def test_typed_values_as_text_and_back(opened, tmp_path):
    """Both zeros, NaN, decimals and dates keep their text in counts, their type in Parquet."""
    import datetime as dt
    from decimal import Decimal

    table = pa.table(
        {
            "float": pa.array([0.0, -0.0, float("nan"), float("inf"), 0.1, None]),
            "decimal": pa.array([Decimal("1.50"), Decimal("-0.05"), None] * 2, pa.decimal128(9, 2)),
            "date": pa.array([dt.date(2024, 2, 29), dt.date(1, 1, 1), None] * 2),
            "time": pa.array(
                [dt.datetime(2024, 1, 2, 3, 4, 5)] * 6, pa.timestamp("us", "Asia/Tokyo")
            ),
            "integer": pa.array([7, -7, None] * 2, pa.int16()),
            "truth": pa.array([True, False, None] * 2),
            "word": pa.array(["a", "b", None] * 2).dictionary_encode(),
        }
    )
    names = table.column_names
    with opened(table) as engine:
        assert counted(engine.counts(["float"])) == {
            (v,): (1, 1) for v in ("0.0", "-0.0", "nan", "inf", "0.1", None)
        }
        assert engine.distinct("decimal") == [None, "-0.05", "1.50"]
        assert engine.distinct("date") == [None, "0001-01-01", "2024-02-29"]
        assert engine.distinct("time") == ["2024-01-02 03:04:05+00"]
        assert engine.distinct("truth") == [None, "false", "true"]
        lines = [(v, v) for v in engine.distinct("float")]
        kept = engine.write(
            mapping(lines, 1), tmp_path / "kept.parquet", columns=names,
            quasi_identifiers=["float"], keep={"float"}, expect_rows=6,
        )  # fmt: skip
        fast = engine.write_counted(
            engine.counts(names).drop_columns(["n"]), tmp_path / "fast.parquet", columns=names,
            keep=names, expect_rows=6,
        )  # fmt: skip
        text = engine.write(
            mapping(lines, 1), tmp_path / "text.parquet", columns=names,
            quasi_identifiers=["float"], expect_rows=6,
        )  # fmt: skip
        with pytest.raises(DataError, match="should keep"):
            engine.write(
                mapping([("0.1", "0.2")], 1), tmp_path / "bad.parquet", columns=names,
                quasi_identifiers=["float"], keep={"float"}, expect_rows=1,
            )  # fmt: skip
        with pytest.raises(DataError, match="do not survive"):
            engine.write_counted(
                pa.table({"integer": ["<8"], "rows": [1]}), tmp_path / "bad.parquet",
                columns=["integer"], keep=["integer"], expect_rows=1,
            )  # fmt: skip
    for written in (kept, fast):
        schema = pq.read_schema(written.path)
        assert str(schema.field("float").type) == "double"
        assert str(schema.field("decimal").type) == "decimal128(9, 2)"
        assert str(schema.field("date").type).startswith("date32")
        assert str(schema.field("integer").type) == "int16"
        assert counted(counts_of(written.path, names)) == expected(
            [tuple(r.values()) for r in text_rows(table)], range(len(names))
        )
    assert str(pq.read_schema(text.path).field("float").type) == "string"


def text_rows(table):
    """The table as text, written out by Python: an oracle for the engine's casts."""

    def text(value):
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool):
            return str(value).lower()
        if hasattr(value, "tzinfo"):
            import datetime as dt

            return value.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S+00")
        return str(value)

    return [{k: text(v) for k, v in row.items()} for row in table.to_pylist()]


def test_null_texts_in_typed_columns(opened, tmp_path):
    table = pa.table({"age": [30, -9, 30], "note": [1.5, -9.0, 2.5]})
    with opened(table, null=["-9", "-9.0"]) as engine:
        assert counted(engine.counts(["age"])) == {("30",): (2, 2), (None,): (1, 1)}
        written = engine.write(
            mapping([("30", "[30,40)"), (None, "*")], 1), tmp_path / "out.parquet",
            columns=["age", "note"], quasi_identifiers=["age"], expect_rows=3,
        )  # fmt: skip
    assert pq.read_table(written.path).to_pydict() == {
        "age": ["*", "[30,40)", "[30,40)"], "note": [None, 1.5, 2.5],
    }  # fmt: skip


# Spreadsheets


def test_formulas_are_escaped_only_when_asked(make, tmp_path):
    texts = ["=1+1", "+1", "-1.5e3", "-x", "+", "@a", "\ta", "\ra", "a=1", "", None, "1-2", "-.5"]
    shown = [
        "'=1+1",
        "+1",
        "-1.5e3",
        "'-x",
        "'+",
        "'@a",
        "'\ta",
        "'\ra",
        "a=1",
        "",
        None,
        "1-2",
        "-.5",
    ]
    engine = make(["a", "b"], [(t, "q") for t in texts])
    for escape, wanted in ((True, shown), (False, texts)):
        target = tmp_path / f"{escape}.csv"
        engine.write(
            mapping([("q", "=q")], 1), target, columns="ab", quasi_identifiers="b",
            expect_rows=len(texts), escape_formulas=escape,
        )  # fmt: skip
        rows = [(w, "'=q" if escape else "=q") for w in wanted]
        assert counted(counts_of(target, "ab")) == expected(rows, (0, 1))
        cells = engine.counts("a").drop_columns(["n"])
        engine.write_counted(
            cells, target, columns="a", expect_rows=len(texts), escape_formulas=escape
        )
        alone = ["" if w is None else w for w in wanted]
        assert counted(counts_of(target, "a")) == expected([(w,) for w in alone], (0,))


def test_names_are_escaped_only_when_asked(make, tmp_path):
    names = ["=cmd()", "+1", "a"]
    engine = make(names, [("x", "y", "z")])
    for escape, header in ((True, "'=cmd(),+1,a"), (False, "=cmd(),+1,a")):
        target = tmp_path / f"{escape}.csv"
        engine.write(
            mapping([("x", "X")], 1), target, columns=names, quasi_identifiers=names[:1],
            expect_rows=1, escape_formulas=escape,
        )  # fmt: skip
        assert target.read_text() == f"{header}\nX,y,z\n"


def test_the_files_behind_a_source(home, opened, tmp_path):
    rows = [("x",), ("y",)]
    with opened(as_parquets(tmp_path, ["a"], rows)) as engine:
        assert engine.files == (tmp_path / "part-0.parquet", tmp_path / "part-1.parquet")
    with opened(as_csv(tmp_path / "a.csv", ["a"], rows)) as engine:
        assert engine.files == (tmp_path / "a.csv",)
    with opened(f'{as_duckdb(tmp_path / "a.duckdb", ["a"], rows)}::a "table"') as engine:
        assert engine.files == (tmp_path / "a.duckdb",)
    with opened(as_arrow(["a"], rows)) as engine:
        # What Spark is to read is put into a folder; a table in memory or in a database is none.
        behind = sorted((tmp_path / "tables").rglob("*.parquet"))
        assert bool(behind) == (home == "spark")
        assert engine.files == tuple(behind)
