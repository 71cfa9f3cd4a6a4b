"""Every engine comes to what DuckDB comes to on the same table, bit for bit."""

import datetime as dt
import itertools
import json
import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from contracts.engine_homes import ELSEWHERE

import hedgerow
from hedgerow.api.demo import write_hospital
from hedgerow.base.filters import parse
from hedgerow.engines import open_engine
from hedgerow.engines.tally import AsFound, Listed, Spaced, Summed, Tally

TEXTS = ["", " ", "a", "A", "ä", "ß", "Z", "_", "a b", "☃", "𝔘", "e\u0301", "\u00e9", "n", "v", "'"]
TEXTS += [
    "\x1b",
    "\x1f",
    "\x1b1",
    "a\x1fb",
    "\\",
    "\\n",
    '"',
    "a,b",
    "line\nend",
    "\r",
    "NULL",
    "?",
]
TEXTS += [None, None]
FLOATS = [0.0, -0.0, float("nan"), float("inf"), float("-inf"), 0.1, 0.1 + 0.2, 1e300, 5e-324, 7.0]
FLOATS += [1e16, 123456789.125, -2.5, None]
TIMES = [dt.datetime(2024, 3, 31, 0, 59, 59, 999999), dt.datetime(1969, 12, 31), None]
TIMES += [dt.datetime(1883, 11, 18, 12, 3, 58), dt.datetime(2024, 3, 31, 1)]


def typed_table(rows=240, seed=7):
    """Everything that engines write differently, in columns that belong to nobody."""
    pick = random.Random(seed).choice
    columns = {
        "id": pa.array([f"p{pick(range(60))}" for _ in range(rows)]),
        'the "text"; --': pa.array([pick(TEXTS) for _ in range(rows)], pa.string()),
        "float": pa.array([pick(FLOATS) for _ in range(rows)], pa.float64()),
        "single": pa.array(
            [pick([0.1, 16777216.0, -0.0, None]) for _ in range(rows)], pa.float32()
        ),
        "decimal": pa.array(
            [pick([Decimal("1.50"), Decimal("-0.05"), Decimal("0.00"), None]) for _ in range(rows)],
            pa.decimal128(9, 2),
        ),
        "date": pa.array(
            [pick([dt.date(2024, 2, 29), dt.date(1, 1, 1), dt.date(9999, 12, 31), None])
             for _ in range(rows)]
        ),
        "when": pa.array([pick(TIMES) for _ in range(rows)], pa.timestamp("us", "Asia/Tokyo")),
        "naive": pa.array([pick(TIMES) for _ in range(rows)], pa.timestamp("us")),
        "whole": pa.array([pick([-9, 0, 7, 40, 2**53 + 1, None]) for _ in range(rows)], pa.int64()),
        "truth": pa.array([pick([True, False, None]) for _ in range(rows)]),
        "Größe": pa.array([pick(["1", "01", "1.0", "x", "-9", None]) for _ in range(rows)]),
    }  # fmt: skip
    return pa.table(columns)


TABLE = typed_table()
NAMES = TABLE.column_names
TEXT = NAMES[1]


@pytest.fixture(params=ELSEWHERE)
def tables(request):
    return request.getfixturevalue(f"{request.param}_tables")


@pytest.fixture
def both(tables):
    """The same table here and elsewhere, opened in the same way."""
    address = tables(TABLE)

    def opened(**options):
        return open_engine(TABLE, **options), open_engine(address, **options)

    return opened


def sorted_rows(table):
    rows = [tuple(map(repr, row.values())) for row in table.to_pylist()]
    return table.schema, sorted(rows)


def test_counts_are_the_same(both):
    here, there = both(null=["?", "-9", "0.1", "7.0", "true", "2024-02-29", "1.50"])
    with here, there:
        assert here.columns() == there.columns()
        assert here.rows_total() == there.rows_total()
        for name in NAMES:
            assert here.distinct(name) == there.distinct(name)
            assert here.distinct(name, limit=3) == there.distinct(name, limit=3)
        for columns, sets in [
            (NAMES, ()), (NAMES[:3], NAMES[3:6]), ([], [TEXT]), ([TEXT, "when"], ["float"]),
        ]:  # fmt: skip
            assert sorted_rows(here.counts(columns, sets=sets)) == sorted_rows(
                there.counts(columns, sets=sets)
            )
        assert [vars(p) for p in here.profile()] == [vars(p) for p in there.profile()]
        assert sorted_rows(here.rows(NAMES, 10**6)) == sorted_rows(there.rows(NAMES, 10**6))


def test_what_repeats_and_how_many_rows_people_have_is_the_same(both):
    here, there = both(null=["?"])
    with here, there:
        assert there.repeats(NAMES) == here.repeats(NAMES)
        assert there.repeats(NAMES, person="id") == here.repeats(NAMES, person="id")
        for name in ("id", TEXT, "float"):
            assert there.rows_of(name) == here.rows_of(name)
            assert there.differing(name, NAMES) == here.differing(name, NAMES)
        found, missing = here.rows_of("id"), here.rows_of(TEXT).nobody
        differ = here.differing("id", NAMES)
    times = Counter(TABLE["id"].to_pylist())
    assert (found.people, found.most) == (len(times), max(times.values()))
    assert found.several == sum(n > 1 for n in times.values())
    assert missing == sum(text in (None, "?") for text in TABLE[TEXT].to_pylist())
    texts: dict[object, set[object]] = {}
    for who, text in zip(TABLE["id"].to_pylist(), TABLE[TEXT].to_pylist(), strict=True):
        texts.setdefault(who, set()).add(None if text == "?" else text)
    assert differ["id"] == 0
    assert differ[TEXT] == sum(len(values) > 1 for values in texts.values()) > 0


SPELLINGS = {
    "p7": ["P7", "P_7", "P/7", "P.7", "P07", "p-7", " P7", "P\u200b7", "P7\u2009", "P\u20117"],
    "p7 in other letters": ["\uff30\uff17", "P\u0667", "p\uff10\uff17"],
    "1001": ["1001", "1001.00", "1,001", "1.001E3", "+1001", "'1001", "1001\n", "#1001", "1001."],
    "é": ["\u00e9", "e\u0301", "\u00c9", "E"],
    "ж": ["\u0416", "\u0436", "\u0436."],
    "others": ["--", "7", "70", "a70", "1.5e0", "\u8bd5", "\u9a8c", "\U00020000", None, "", " "],
    "[^]": ["[1]", "(1)", "^1", "\\1", "]1", "$1", "1"],
}


def test_what_repeats_in_several_spellings_is_the_same(tables):
    texts = [text for some in SPELLINGS.values() for text in some]
    table = pa.table({"id": texts, "kind": [k for k, some in SPELLINGS.items() for _ in some]})
    address = tables(table)
    with open_engine(table) as here, open_engine(address) as there:
        assert there.repeats(["id"]) == here.repeats(["id"])
        found = here.repeats(["id"], person="kind")
        assert there.repeats(["id"], person="kind") == found
        assert there.empty_rows() == here.empty_rows() == 0
    for kind, some in SPELLINGS.items():
        if kind != "others":
            with open_engine(pa.table({"id": some})) as one:
                assert one.repeats(["id"])[0].distinct == 1, kind


def test_empty_rows_are_the_same(tables):
    table = pa.table({"a": ["x", None, None, "?"], "b": [1.5, None, 2.5, None]})
    address = tables(table)
    for null, empty in [((), 1), (("?",), 2)]:
        with open_engine(table, null=null) as here, open_engine(address, null=null) as there:
            assert there.empty_rows() == here.empty_rows() == empty


def test_people_and_their_sets_are_the_same(both):
    here, there = both(person="id", null=["?"])
    marks = [("id", ["p1", "p5", "p7"]), ("id", ["p7"])]
    with here, there:
        for sets in ([TEXT], [TEXT, "float", "when"], []):
            assert sorted_rows(here.counts([], sets=sets, marks=marks)) == sorted_rows(
                there.counts([], sets=sets, marks=marks)
            )


WHERE = [
    None,
    parse("float > 0.2 and whole is not missing"),
    parse(f"`{TEXT}` in ('a', 'ä', '☃') or not (decimal = 1.5 or truth = 'true')"),
    parse("not (float < 8 and Größe >= 1) and date != '2024-02-29'"),
]
BY = [
    (),
    (AsFound(TEXT),),
    (Listed(TEXT, ("a", None, "\x1f", "zzz", "e\u0301")), Listed("truth", ("true", "false"))),
    (Spaced("float", Fraction(-3), Fraction("0.1"), 100), AsFound("when")),
    (Spaced("whole", Fraction(0), Fraction(7), 5), Spaced("Größe", Fraction(0), Fraction(1), 3)),
    (AsFound("float"), AsFound("decimal")),
    (Listed("single", ("0.1", "0", "16777216")), AsFound("date")),
]
SUMS = [
    (),
    (Summed("float", Fraction("0.1"), -50, 1_000),),
    (
        Summed("whole", Fraction(1), -(2**48), 2**48),
        Summed("decimal", Fraction("0.01"), 0, 99, 7, 2),
    ),
]


@pytest.mark.parametrize("person", [None, "id", "float"])
def test_tallies_are_the_same(both, tables, person):
    every = 11 if tables.address.startswith("spark") else 5  # in step with none of the lists
    here, there = both(person=person, null=["?", "-9"])
    with here, there:
        for place, (where, by, sums) in enumerate(itertools.product(WHERE, BY, SUMS)):
            if (place + len(person or "")) % every:
                continue  # some of them, others for each person column
            count = "rows" if sums or place % 2 else "people"
            tally = Tally(where=where, by=by, sums=sums, count=count, most=1 + place % 4)
            assert here.tally(tally).equals(there.tally(tally)), tally


NUMBERED = pa.table(
    {
        "whole": pa.array([i % 40 for i in range(400)], pa.int64()),
        "decimal": pa.array([Decimal(i % 40) / 4 for i in range(400)], pa.decimal128(9, 2)),
        "digits": pa.array([i % 40 for i in range(400)], pa.decimal128(20, 0)),
        "v": pa.array([f"v{i * i % 23}" for i in range(400)]),
    }
)


@pytest.mark.parametrize("person", ["whole", "decimal", "digits"])
def test_people_told_apart_by_a_number_are_the_same(tables, person):
    """A number is the same person, and missing, however many zeros follow its point."""
    options = {"person": person, "null": ["7.0", "1.5"]}
    with (
        open_engine(NUMBERED, **options) as here,
        open_engine(tables(NUMBERED), **options) as there,
    ):
        everybody = here.tally(Tally())
        assert everybody.to_pylist() == [{"n": 38 if person == "decimal" else 39}]
        for tally in (Tally(), Tally(by=(AsFound("v"),), count="rows", most=2)):
            assert here.tally(tally).equals(there.tally(tally)), tally


def mapping_of(engine, quasi, sensitive=(), *, ranks=False, lists=False):
    """A mapping of some of the tuples there are, to texts of all kinds."""
    counted = engine.counts(quasi, sets=sensitive).to_pylist()
    counted.sort(key=repr)
    lines, people = [], 0
    for place, row in enumerate(counted):
        keys = [row[f"q{j}"] for j in range(len(quasi))] + [
            row[f"s{j}"] for j in range(len(sensitive))
        ]
        to = [TEXTS[(place + j) % len(TEXTS)] for j in range(len(quasi))]
        if place % 5 == 4:
            continue
        if not ranks:
            lines.append([*keys, *to])
            people += row["n"]
            continue
        cut = row["n"] // 2
        parts = [(0, cut), (cut, row["n"])] if cut else [(0, 1)]
        for lo, hi in parts:
            lines.append([*keys, *(f"{t} {lo}" for t in to), lo, hi])
            people += hi - lo
    names = [f"q{j}" for j in range(len(quasi))] + [f"s{j}" for j in range(len(sensitive))]
    names += [f"p{j}" for j in range(len(quasi))] + (["lo", "hi"] if ranks else [])
    kinds = [
        pa.int64() if n in ("lo", "hi") else pa.list_(pa.string()) if lists and n[0] == "s"
        else pa.string()
        for n in names
    ]  # fmt: skip
    columns = [pa.array([line[i] for line in lines], kind) for i, kind in enumerate(kinds)]
    return pa.table(columns, names=names), people


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("ranks", [False, True])
def test_files_are_the_same_byte_for_byte(both, tmp_path, suffix, ranks):
    here, there = both(null=["?", "-9"])
    with here, there:
        for case, (quasi, sensitive) in enumerate(
            [([TEXT, "float"], []), (["when", "decimal"], [TEXT]), (["truth"], ["naive"])]
        ):
            lines, people = mapping_of(here, quasi, sensitive, ranks=ranks)
            written = [
                engine.write(
                    lines, tmp_path / f"{case} {i}.{suffix}", columns=NAMES[1:],
                    quasi_identifiers=quasi, sensitive=sensitive, expect_people=people,
                )
                for i, engine in enumerate((here, there))
            ]  # fmt: skip
            assert written[0].sha256 == written[1].sha256
            assert written[0].rows == written[1].rows


@pytest.mark.parametrize("ranks", [False, True])
def test_files_about_people_are_the_same_byte_for_byte(both, tmp_path, ranks):
    here, there = both(person="id", null=["?"])
    with here, there:
        lines, people = mapping_of(here, [], [TEXT, "float"], ranks=ranks, lists=True)
        if not ranks:
            # Nobody's quasi-identifiers: people are told apart by their sets alone.
            assert people
        written = [
            engine.write(
                lines, tmp_path / f"{i}.csv", columns=NAMES[1:], quasi_identifiers=[],
                sensitive=[TEXT, "float"], expect_people=people,
            )
            for i, engine in enumerate((here, there))
        ]  # fmt: skip
    assert written[0] == type(written[0])(
        path=written[0].path, rows=written[1].rows, people=written[1].people,
        sha256=written[1].sha256,
    )  # fmt: skip


def test_nobody_is_there(tables):
    empty = TABLE.slice(0, 0)
    with open_engine(empty) as here, open_engine(tables(empty)) as there:
        assert there.counts(["float"]).equals(here.counts(["float"]))
        assert there.counts([]).to_pylist() == [{"n": 0, "rows": 0}]
        for tally in (Tally(), Tally(by=(AsFound("when"),))):
            assert there.tally(tally).equals(here.tally(tally))
        assert [p.distinct for p in there.profile()] == [0] * len(NAMES)


def demo(folder, source=None, **keys):
    """The demo's plan over another source, without a ledger."""
    plan = write_hospital(folder)
    import yaml

    said = yaml.safe_load(plan.read_text("utf-8"))
    for key in ("ledger", "population", "publish"):
        said.pop(key, None)
    said |= keys
    if source is not None:
        said["source"] = source
    plan.write_text(yaml.safe_dump(said, sort_keys=False, allow_unicode=True), "utf-8")
    return plan


def as_text_table(plan):
    with open_engine(hedgerow.Plan.read(plan).source) as engine:
        return engine.rows(engine.columns(), 10**9)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_demo_is_the_same_release_with_the_same_certificate(tables, tmp_path, form):
    local = demo(tmp_path / "here", publish={"to": "out", "format": form})
    address = tables(as_text_table(local), "patients")
    there = demo(tmp_path / "there", address, publish={"to": "out", "format": form})
    for plan in (local, there):
        hedgerow.publish(plan, report=False)
    for name in (f"data.{form}", "certificate.json"):
        first, second = ((p.parent / "out" / name).read_bytes() for p in (local, there))
        assert first == second


def test_a_release_that_is_a_table_holds_what_the_file_holds(tables, tmp_path):
    local = demo(tmp_path / "here")
    address = tables(as_text_table(local), "patients")
    there = demo(tmp_path / "there", address)
    file = hedgerow.publish(local, to=tmp_path / "out", report=False)
    table = hedgerow.publish(there, to=tables.place("released"))
    assert sorted_rows(table.to_arrow()) == sorted_rows(file.to_arrow())
    told = json.loads(json.dumps(file.certificate)), json.loads(json.dumps(table.certificate))
    assert told[1]["data"].pop("file") == "table"
    assert told[1]["software"].pop("configured") == {"format": "table", "escape_formulas": False}
    assert told[1].pop("measured_on") == "the written table"
    del told[0]["data"]["file"], told[0]["software"]["configured"], told[0]["measured_on"]
    assert told[1]["files"] == {}, "a table has none"
    for said in told:
        del said["data"]["sha256"], said["files"]
    assert told[0] == told[1]
    found = hedgerow.verify(tables.place("released"))
    assert not found.refuted
    assert [c.claim for c in found.verified] == [c.claim for c in hedgerow.verify(file).verified]


SPELLED = pa.table(
    {
        "id": [f"p{i % 9}" for i in range(12)],
        "town": ["x"] * 12,
        "ill": [
            "flu",
            "Flu",
            "it's FLU",
            "flu",
            "gout",
            None,
            "FLU",
            "Gout",
            "flu ",
            "?",
            "-",
            "+",
        ],
        "ward": [str(i) for i in range(12)],
    }
)


@pytest.mark.parametrize("person", [None, "id"])
def test_one_spelling_is_the_same(tables, tmp_path, person):
    """Counted, row by row, part by part, and into a table: nothing has another spelling."""
    number = {"role": "identifier", "key": person is not None}
    roles = {"id": number, "town": "quasi-identifier", "ward": "insensitive"}
    columns = roles | {"ill": {"role": "sensitive", "spelling": "one"}}
    said = {"columns": columns, "protect": [{"k-anonymity": 2}], "person": person, "null": ["?"]}
    said |= {} if person is None else {"rows": "at most 2"}
    address = tables(SPELLED, "spelled")
    here = hedgerow.publish(SPELLED, to=tmp_path / "here", report=False, **said)
    there = hedgerow.publish(address, to=tmp_path / "there", report=False, **said)
    for name in ("data.csv", "certificate.json"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()
    wanted = ["+", "-", *["Gout"] * 2, *["flu"] * 5, "it's FLU", None, None]
    assert sorted(here.to_arrow()["ill"].to_pylist(), key=lambda v: (v is None, v)) == wanted
    assert here.notes == there.notes
    table = hedgerow.publish(address, to=tables.place("released"), **said)
    assert sorted_rows(table.to_arrow()) == sorted_rows(here.to_arrow())
    assert not hedgerow.verify(tables.place("released")).refuted


@pytest.mark.parametrize("person", [None, "id"])
def test_columns_spelled_otherwise_are_the_same(both, person):
    """A quote in a text, missing texts, and a column that DuckDB writes otherwise."""
    texts = {"a": "A", "'": "a''b", "\\": "?", "?": "never", "e\u0301": "\u00e9"}
    found = []
    for engine in both(person=person, null=["?"]):
        with engine:
            engine.counts([], sets=[TEXT])
            engine.respell(TEXT, texts)
            counted = engine.counts([], sets=[TEXT])
            found.append(sorted_rows(counted))
            values = {v for s in counted["s0"].to_pylist() for v in (s if person else [s])}
            assert not values & {"a", "'", "\\", "e\u0301", "never"}
            assert {"A", "a''b", "\u00e9", "?", None} <= values
            with pytest.raises(hedgerow.DataError, match="cannot be spelled otherwise"):
                engine.respell("float", {"0.0": "-0.0"})
    assert found[0] == found[1]
