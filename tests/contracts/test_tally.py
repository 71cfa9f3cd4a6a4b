"""Tallies: every engine counts as plain Python does, and bounds what one person changes."""

import datetime
import itertools
import tempfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tallies import alike, lines, tallied, text

from hedgerow.base.conditions import And, Compared, Missing, Not, Number, OneOf, Or
from hedgerow.base.errors import DataError
from hedgerow.base.filters import parse
from hedgerow.engines import open_engine
from hedgerow.engines.tally import AsFound, Listed, Spaced, Summed, Tally

ENGINES = {"duckdb": open_engine}
NASTY = [None, "", "NaN", "nan", "inf", "-Infinity", str(2**50), str(-(2**63)), "1e308", "-1e308"]
NASTY += ["007", " 12 ", "abc", "naïve ☃", "it's", '"', "`", "--", "0.29", "0.145", "-0.0", "40"]
NASTY += ["12.5", "120", "1e-320", "9007199254740993", "1_000", "?", "1e999", "0x10", "true"]
NAMES = ("x", "y", 'the "d"; --', "p")
PEOPLE = ["ann", "bob", "cy", "?", None]

TEXTS = st.sampled_from(NASTY) | st.integers(-30, 150).map(str) | st.text("a'\"\n,;ß", max_size=3)
ROW = st.tuples(TEXTS, TEXTS, TEXTS, st.sampled_from(PEOPLE))
ROWS = st.lists(ROW, max_size=12)
COLUMN = st.sampled_from(NAMES[:3])

NUMBERS = st.sampled_from(["0", "-0.5", "12", "12.5", "0.29", "40", "9007199254740992", "-1"]).map(
    lambda text: Number(Fraction(text))
)
CONSTANTS = NUMBERS | st.sampled_from([text for text in NASTY if text is not None])
TERMS = (
    st.builds(Compared, COLUMN, st.sampled_from(["=", "<", "<=", ">", ">="]), CONSTANTS)
    | st.builds(OneOf, COLUMN, st.lists(CONSTANTS, min_size=1, max_size=4).map(tuple))
    | st.builds(Missing, COLUMN)
)


def joined(parts):
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.builds(Not, parts) | st.builds(And, several) | st.builds(Or, several)


CONDITIONS = st.none() | st.recursive(TERMS, joined, max_leaves=5)
LISTS = st.lists(st.sampled_from(NASTY), min_size=1, max_size=6, unique=True).map(tuple)
STEPS = st.sampled_from(["1", "0.01", "0.1", "5", "2.5", "0.3", "1000"]).map(Fraction)
STARTS = st.sampled_from(["0", "-10", "0.5", "0.29", "-0.01", "100"]).map(Fraction)
CELLS = (
    st.builds(Listed, COLUMN, LISTS)
    | st.builds(Spaced, COLUMN, STARTS, STEPS, st.sampled_from([1, 2, 30, 1_000, 10_000_000]))
    | st.builds(AsFound, COLUMN)
)
ENDS = st.sampled_from([(0, 120), (-50, 50), (0, 0), (7, 2**50), (-(2**26), 2**26), (-3, -2)])
SUMMED = st.builds(
    lambda column, unit, ends, centre, power: Summed(column, unit, *ends, *(centre, power)),
    COLUMN,
    STEPS,
    ENDS,
    st.sampled_from([0, 3, -7]),
    st.just(1),
) | st.builds(
    lambda column, unit, ends: Summed(column, unit, *ends, 5, 2),
    COLUMN,
    STEPS,
    st.sampled_from([(0, 120), (-50, 50), (5, 5), (0, 2**26)]),
)


def tallies():
    by = st.lists(CELLS, max_size=2).map(tuple)
    most = st.integers(1, 4)
    people = st.builds(
        lambda w, b, m: Tally(where=w, by=b, most=m, count="people"), CONDITIONS, by, most
    )
    rows = st.builds(
        lambda w, b, s, m: Tally(where=w, by=b, sums=tuple(s), most=m, count="rows"),
        CONDITIONS,
        by,
        st.lists(SUMMED, max_size=2),
        most,
    )
    return people | rows


def written_csv(rows, folder):
    def field(value):
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    path = Path(folder) / "data.csv"
    path.write_text("".join(",".join(map(field, row)) + "\n" for row in [NAMES, *rows]), "utf-8")
    return path


def arrow(rows):
    columns = zip(*rows, strict=True) if rows else [[]] * len(NAMES)
    return pa.table([pa.array(list(c), pa.string()) for c in columns], names=list(NAMES))


def parquet(rows, folder):
    path = Path(folder) / "data.parquet"
    pq.write_table(arrow(rows), path)
    return path


SOURCES = {
    "csv": written_csv,
    "arrow": lambda rows, folder: arrow(rows),
    "parquet": parquet,
}


def found(table, tally):
    """From cells to (n, sums), with everything the contract says of the table's form."""
    keys = [f"k{i}" for i in range(len(tally.by))]
    sums = [f"s{i}" for i in range(len(tally.sums))]
    assert table.column_names == [*keys, "n", *sums]
    for key, cells in zip(keys, tally.by, strict=True):
        wanted = pa.string() if isinstance(cells, AsFound) else pa.int32()
        assert table.schema.field(key).type == wanted
    assert all(table.schema.field(name).type == pa.int64() for name in ["n", *sums])
    lines = [tuple(row.values()) for row in table.to_pylist()]
    split = [(line[: len(keys)], line[len(keys) :]) for line in lines]
    assert split == sorted(split, key=lambda line: [(k is not None, k) for k in line[0]])
    if keys:
        assert all(values[0] > 0 for _, values in split)
    else:
        assert len(split) == 1
    assert len(dict(split)) == len(split)
    return dict(split)


def run(opened, source, tally, **options):
    with opened(source, **options) as engine:
        return found(engine.tally(tally), tally)


def dicts(rows, null=("?",)):
    return [{n: None if v in null else v for n, v in zip(NAMES, row, strict=True)} for row in rows]


@pytest.fixture(params=ENGINES, scope="module")
def opened(request):
    return ENGINES[request.param]


NOTHING_SUMMED = Tally(sums=(Summed("x", Fraction(1), 5, 9),), count="rows")


@pytest.mark.parametrize("kind", SOURCES)
@given(rows=ROWS, tally=tallies())
@example(rows=[], tally=NOTHING_SUMMED)
@example(rows=[("abc", None, None, None)], tally=NOTHING_SUMMED)
@settings(max_examples=80, deadline=None)
def test_where_each_row_is_a_person_it_is_what_python_counts(opened, kind, rows, tally):
    with tempfile.TemporaryDirectory() as folder:
        source = SOURCES[kind](rows, folder)
        assert run(opened, source, tally, null=["?"]) == tallied(tally, dicts(rows))


def possible(tally, own):
    """Everything one person's rows may come to, whichever of them are chosen."""
    counted = list(lines(tally, own))
    if tally.count == "people":
        counted = sorted({(key, ()) for key, _ in counted}, key=repr)
    size = min(tally.most, len(counted))
    for chosen in itertools.combinations(counted, size):
        total = {} if tally.by else {(): (0,) * (1 + len(tally.sums))}
        for key, adds in chosen:
            before = total.get(key, (0,) * (1 + len(adds)))
            total[key] = tuple(a + b for a, b in zip(before, (1, *adds), strict=True))
        yield total


def plus(tally, totals):
    result = {} if tally.by else {(): (0,) * (1 + len(tally.sums))}
    for total in totals:
        for key, values in total.items():
            before = result.get(key, (0,) * len(values))
            result[key] = tuple(a + b for a, b in zip(before, values, strict=True))
    return result


@given(
    kind=st.sampled_from(sorted(SOURCES)),
    rows=ROWS,
    tally=tallies(),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_people_are_bounded_each_by_themselves(opened, kind, rows, tally, order):
    """The whole is the sum of what each person alone gives, and that is one allowed choice."""
    options = {"person": "p", "null": ["?"]}
    with tempfile.TemporaryDirectory() as folder:
        whole = run(opened, SOURCES[kind](rows, folder), tally, **options)
    shuffled = order.sample(rows, len(rows))
    assert run(opened, arrow(shuffled), tally, **options) == whole
    alone = []
    for person in {row[3] for row in rows} - {None, "?"}:
        own = [row for row in rows if row[3] == person]
        alone.append(run(opened, arrow(own), tally, **options))
        assert alone[-1] in list(possible(tally, dicts(own)))
        rest = run(opened, arrow([row for row in rows if row[3] != person]), tally, **options)
        keys = whole.keys() | rest.keys()
        nothing = (0,) * (1 + len(tally.sums))
        changes = [
            [abs(a - b) for a, b in zip(whole.get(k, nothing), rest.get(k, nothing), strict=True)]
            for k in keys
        ]
        distances = [sum(column) for column in zip(*changes, strict=True)]
        assert not distances or distances[0] <= tally.most
        for summed, distance in zip(tally.sums, distances[1:], strict=bool(distances)):
            assert distance <= tally.most * max(map(abs, summed.range))
    assert plus(tally, alone) == whole


def test_a_person_with_a_thousand_rows_is_chosen_from_not_first_come():
    """Not everybody's choice falls on the same cell, nor on the first."""
    rows = [(str(cell), "1", None, f"p{person}") for person in range(200) for cell in range(5)]
    rows += [("4", "1", None, "many")] * 1_000
    by = (Listed("x", tuple("01234")),)
    with open_engine(arrow(rows), person="p") as engine:
        people = found(engine.tally(Tally(by=by)), Tally(by=by))
        assert sum(n for (n,) in people.values()) == 201
        assert all(20 < n < 65 for (n,) in people.values()), "one in five, but for chance"
        tally = Tally(by=by, sums=(Summed("y", Fraction(1), 0, 1),), count="rows", most=3)
        limited = found(engine.tally(tally), tally)
    assert sum(n for n, _ in limited.values()) == 201 * 3
    assert all(n == s for n, s in limited.values())


@pytest.mark.parametrize("count", ["people", "rows"])
def test_which_rows_count_does_not_depend_on_their_order(opened, count):
    rows = [(str(i % 40), str(i), None, f"p{i % 3}") for i in range(120)]
    sums = (Summed("y", Fraction(1), 0, 200),) if count == "rows" else ()
    tally = Tally(by=(AsFound("x"),), sums=sums, count=count, most=3)
    orders = [rows, rows[::-1], sorted(rows), sorted(rows, key=lambda row: row[1][::-1])]
    answers = [run(opened, arrow(order), tally, person="p") for order in orders]
    assert all(answer == answers[0] for answer in answers)
    assert sum(values[0] for values in answers[0].values()) == 9


TYPED = {
    "int8": (pa.int8(), [-128, -1, 0, 7, 127, None]),
    "uint8": (pa.uint8(), [0, 1, 7, 200, 255, None]),
    "int32": (pa.int32(), [-(2**31), -5, 0, 40, 2**31 - 1, None]),
    "int64": (pa.int64(), [-(2**63), -5, 0, 3, 40, 2**53 + 1, 2**63 - 1, None]),
    "uint64": (pa.uint64(), [0, 3, 40, 2**53 + 1, 2**64 - 1, None]),
    "double": (
        pa.float64(),
        [
            *map(float, ["nan", "inf", "-inf", "1e308", "-1e308", "-0.0", "0.0", "5e-324"]),
            *[None, 0.29, 40.5, 0.1 + 0.2, 0.145, 12.0, 2.0**50, 0.49999999999999994],
        ],
    ),
    "float": (pa.float32(), [None, 40.5, 12.0, 0.0, -2.5, float("nan"), float("inf")]),
    "decimal": (
        pa.decimal128(10, 2),
        [Decimal("0.29"), Decimal("-0.01"), Decimal("40.00"), Decimal("99999999.99"), None],
    ),
    "wide decimal": (
        pa.decimal128(38, 3),
        [Decimal("0.145"), Decimal("9" * 35), Decimal(-5).quantize(Decimal("0.001")), None],
    ),
    "bool": (pa.bool_(), [True, False, None]),
    "date": (
        pa.date32(),
        [datetime.date(2024, 2, 29), datetime.date(1999, 12, 31), datetime.date(1, 1, 1), None],
    ),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), ["7", "abc", None, "0.29"]),
}
CONSTANTS_OF_TYPES = [
    *map(Number, map(Fraction, ["0", "7", "0.29", "2.5", "40", "40.5", "-5", str(2**53 + 1)])),
    *map(Number, map(Fraction, ["0.3", "0.145", "9" * 38, "-" + "9" * 38])),
    *["7", "0.29", "40", "2024-02-29", "true", "-0.0", "nan", str(2**53 + 1), "40.00", "12.0"],
]
GRIDS = [("0", "1"), ("-3", "2"), ("0.5", "0.1"), ("0", "0.01"), ("-0.5", "1"), ("0", "5/2")]
GRIDS += [("1e20", "1e18"), ("0", "1e300"), ("1e-300", "1e-300")]
HELD = [(0, 120, 0, 1), (-5, 4_000, 7, 2), (3, 3, 3, 1), (-(2**48), 2**48, 0, 1)]
HELD += [(10**30, 10**30 + 9, 10**30, 1)]
ASKED = [
    *(
        Tally(by=(Spaced("x", Fraction(low), Fraction(step), cells),))
        for (low, step), cells in itertools.product(GRIDS, [1, 3, 5_000])
    ),
    *(
        Tally(sums=(Summed("x", Fraction(unit), low, high, centre, power),), count="rows")
        for unit, (low, high, centre, power) in itertools.product(
            ["1", "0.01", "5", "1/2", "0.1"], HELD
        )
    ),
    *(
        Tally(where=condition if positive else Not(condition))
        for positive in (True, False)
        for order, constant in itertools.product(
            ["=", "<", "<=", ">", ">="] if positive else ["<"], CONSTANTS_OF_TYPES
        )
        for condition in [Compared("x", order, constant)]
    ),
    Tally(where=OneOf("x", tuple(CONSTANTS_OF_TYPES))),
    Tally(where=Missing("x")),
    Tally(where=parse("x is not missing"), by=(AsFound("x"),)),
    Tally(by=(Listed("x", ("7", "0.29", None, "40", "007", "true", "2024-02-29", "-0.0")),)),
    Tally(by=(Listed("x", ("7.0", "0.2900", "7", None, "40.00", "12.0", "12", "0.0")),)),
    Tally(by=(AsFound("x"),), count="rows"),
]


class Spelled(float):
    """A number with the text the source gives it."""

    def __new__(cls, value, text):
        self = super().__new__(cls, value)
        self.text = text
        return self

    def __str__(self):
        return self.text


def as_read(value, spelled, null=()):
    """A value as the oracle takes it; how many digits it has is the engine's own."""
    if spelled is None or text(value) in [alike(value, one) for one in null]:
        return None
    return Spelled(value, spelled) if isinstance(value, Decimal | float) else value


@pytest.mark.parametrize("null", [(), ("7", "?", "nan", "0.0", "0.29", "true", "2024-02-29")])
@pytest.mark.parametrize("kind", TYPED)
def test_a_source_keeps_its_types_and_each_has_a_rule(opened, kind, null, tmp_path):
    """Parquet numbers are no text; none of their values is an error."""
    arrow_type, values = TYPED[kind]
    pq.write_table(pa.table({"x": pa.array(values, arrow_type)}), tmp_path / "typed.parquet")
    with opened(tmp_path / "typed.parquet", null=null) as engine:
        spelled = engine.rows(["x"], len(values)).column("x").to_pylist()
        assert spelled.count(None) == sum(v is None or str(v).lower() in null for v in values)
        rows = [{"x": as_read(v, s, null)} for v, s in zip(values, spelled, strict=True)]
        for tally in ASKED:
            assert found(engine.tally(tally), tally) == tallied(tally, rows), tally


ONE_COLUMN = [
    Tally(by=(AsFound("x"),)),
    Tally(by=(Listed("x", ("0", "1", "2", "70")),)),
    Tally(by=(Listed("x", ("0.0", "1.0", "2.00", "-0")),), count="rows", most=2),
    Tally(where=parse("x = '1'")),
    Tally(where=parse("x = '1.0' or x in ('70', 'a')"), count="rows"),
    Tally(where=parse("not x > '3'"), by=(AsFound("x"),)),
    Tally(where=parse("x is missing")),
]


@pytest.mark.parametrize("person", [None, "p", "x"])
@pytest.mark.parametrize(
    "types",
    [
        (pa.int64(), pa.float64()),
        (pa.int64(), pa.decimal128(30, 2)),
        (pa.decimal128(30, 0), pa.decimal128(30, 5)),
        (pa.uint8(), pa.float32()),
        (pa.float32(), pa.float64()),
    ],
    ids=str,
)
def test_the_type_of_a_column_changes_nobodys_text(opened, types, person):
    """One missing number makes doubles of a whole pandas column: only that row may move."""
    numbers = [1, 0, 2, 1, 70, 1, 9, 2]
    tables = [
        pa.table(
            {
                "x": pa.array(numbers).cast(one),
                "p": pa.array([1, 1, 1, 2, 2, 3, 3, 3]).cast(one),
            }
        )
        for one in types
    ]
    for null in ((), ("9",), ("9.0", "70")):
        told = []
        for table in tables:
            with opened(table, person=person, null=null) as engine:
                told.append([found(engine.tally(tally), tally) for tally in ONE_COLUMN])
        for tally, first, second in zip(ONE_COLUMN, *told, strict=True):
            assert first == second, (tally, null)
    assert run(opened, tables[1], ONE_COLUMN[3]) == {(): (3,)}


def test_one_missing_value_of_a_pandas_column_moves_one_row(opened):
    ages = list(range(5)) * 200
    for person in (None, "p"):
        told = []
        for last in (3, None):
            frame = pd.DataFrame({"x": [*ages, last], "p": range(len(ages) + 1)})
            told.append(run(opened, frame, Tally(by=(AsFound("x"),)), person=person))
        assert told[0].keys() | {(None,)} == told[1].keys()
        changed = [abs(told[0].get(k, (0,))[0] - n) for k, (n,) in told[1].items()]
        assert sum(changed) == 2


@given(
    digits=st.integers(-(10**9), 10**9),
    places=st.integers(0, 6),
    start=st.integers(-1_000, 1_000),
    width=st.integers(1, 1_000),
)
@settings(max_examples=100, deadline=None)
@example(digits=29, places=2, start=0, width=1)
@example(digits=3, places=1, start=0, width=1)
def test_decimals_fall_where_they_are_written(digits, places, start, width):
    """Into the cell and to the whole number that exact arithmetic says, as text and as doubles."""
    value = Fraction(digits, 10**places)
    texts = [f"{float(value + Fraction(i, 10**places))!r}" for i in range(-5, 6)]
    unit = Fraction(1, 10**places)
    cells = 2_000_000
    low = value - start * unit * width
    tallies = [
        Tally(by=(Spaced("x", low, unit * width, cells),)),
        Tally(sums=(Summed("x", unit * width, -(2**40), 2**40),), count="rows"),
    ]
    doubles = pa.table({"x": pa.array([float(t) for t in texts], pa.float64())})
    for source in (pa.table({"x": texts}), doubles):
        with open_engine(source) as engine:
            for tally in tallies:
                rows = [{"x": t} for t in texts]
                assert found(engine.tally(tally), tally) == tallied(tally, rows)


def test_integers_of_128_bits(tmp_path):
    path = tmp_path / "wide.duckdb"
    values = [-(2**127), -1, 0, 40, 2**64, 2**127 - 1, None]
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t (x HUGEINT, y UHUGEINT)")
        for value in values:
            positive = None if value is None else min(abs(value) * 2, 2**128 - 1)
            connection.execute(f"INSERT INTO t VALUES ({value or 'NULL'}, {positive or 'NULL'})")
    rows = [{"x": value or None} for value in values]
    with open_engine(path) as engine:
        for tally in ASKED:
            assert found(engine.tally(tally), tally) == tallied(tally, rows), tally
        for tally in ASKED:
            by = [type(cells)("y", *list(vars(cells).values())[1:]) for cells in tally.by]
            found(engine.tally(Tally(by=tuple(by))), Tally(by=tuple(by)))
        (line,) = engine.tally(Tally(where=parse("y > 1000 and x is not missing"))).to_pylist()
        assert line == {"n": 3}


def test_sums_are_held_where_they_leave():
    """Nobody has so many rows; the rule is there all the same."""
    most = 2**53
    table = pa.table({"x": pa.array([2**53] * 1_000, pa.int64())})
    with open_engine(table) as engine:
        assert engine.tally(
            Tally(sums=(Summed("x", Fraction(1), 0, most),), count="rows")
        ).to_pylist() == [{"n": 1_000, "s0": min(2**62, 1_000 * most)}]
        assert engine.tally(
            Tally(sums=(Summed("x", Fraction(1), 0, 1, most),), count="rows")
        ).to_pylist() == [{"n": 1_000, "s0": -(2**62)}]


def test_a_list_of_a_hundred_thousand_values():
    values = (*(f"value '{i}" for i in range(100_000)), None, "\ud800")
    rows = [(values[i], None, None, "a") for i in (5, 99_999, 100_000, 5)] + [("no", *[None] * 3)]
    tally = Tally(by=(Listed("x", values),))
    with open_engine(arrow(rows)) as engine:
        assert found(engine.tally(tally), tally) == {(5,): (2,), (99_999,): (1,), (100_000,): (1,)}
    with open_engine(arrow(rows), person="p") as engine:
        assert sum(n for (n,) in found(engine.tally(tally), tally).values()) == 1


INJECTED = ["'; DROP VIEW source; --", "' OR '1'='1", "\\' OR 1=1 --", "x'') OR true --", "$$", "?"]
INJECTED += ["{0}", "%s", "chr(31)", "'||p||'", "\\", "a\nb", "/*", "$1", ":p", "\u2019"]


@pytest.mark.parametrize("text", INJECTED)
def test_texts_and_names_are_never_sql(text):
    name = f'c" {text} "'
    table = pa.table({name: [text, "other", None], "p": ["a", "b", "c"], "r0": ["1", "2", "3"]})
    for person in (None, "p"):
        with open_engine(table, person=person, null=[f"{text}!"]) as engine:
            for tally, wanted in [
                (Tally(where=Compared(name, "=", text)), {(): (1,)}),
                (Tally(where=parse(str(Compared(name, "=", text)))), {(): (1,)}),
                (Tally(where=OneOf(name, (text, "none"))), {(): (1,)}),
                (Tally(where=Not(Compared(name, "=", text))), {(): (2,)}),
                (Tally(by=(Listed(name, (text, "x")),)), {(0,): (1,)}),
                (
                    Tally(by=(AsFound(name), Listed("r0", ("1", "2", "3")))),
                    {(text, 0): (1,), ("other", 1): (1,), (None, 2): (1,)},
                ),
            ]:
                assert found(engine.tally(tally), tally) == wanted
            assert engine.rows_total() == 3


def test_a_filter_at_its_limits_is_no_error():
    numbers = [Number(Fraction(i, 10)) for i in range(10_000)]
    with open_engine(arrow([("7", None, None, None), ("abc", None, None, None)])) as engine:
        for condition, n in [
            (Or(tuple(Compared("x", "=", number) for number in numbers[:1_000])), 1),
            (And(tuple(Not(Compared("x", "=", number)) for number in numbers[:1_000])), 1),
            (OneOf("x", tuple(str(i) for i in range(10_000))), 1),
            (OneOf("x", tuple(numbers)), 1),
            (parse("not " * 49 + "(x = 1 or x = 2)"), 2),
            (parse("(x = 1 or x = 7 and (" * 25 + "x = 7" + "))" * 25), 1),
        ]:
            assert engine.tally(Tally(where=condition)).to_pylist() == [{"n": n}]


def test_a_column_that_is_not_there():
    with open_engine(arrow([])) as engine, pytest.raises(DataError, match="no column 'z'"):
        engine.tally(Tally(by=(AsFound("z"),)))
