"""Numbers and dates as they are written: what is read, what is refused, and on which line."""

from __future__ import annotations

import datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from hedgerow.base.errors import DataError
from hedgerow.engines import SourceForm, open_engine
from hedgerow.engines.csv_detection import encoding_of
from hedgerow.engines.detection import look_at_file
from hedgerow.engines.value_forms import day, number


def asked(sql: str, value: str) -> str | None:
    """What SQL of a value gives."""
    found = duckdb.execute(f"SELECT {sql} FROM (SELECT ?::VARCHAR AS v)", [value]).fetchone()
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    ("decimal", "thousands", "text", "read"),
    [
        (",", ".", "1.234.567,80", "1234567.80"), (",", ".", "1234,5", "1234.5"),
        (",", ".", "1.5", None), (",", ".", "1,2,3", None), (",", ".", "12.34,5", None),
        (",", ".", "1.2345", None), (",", ".", ",5", "0.5"), (",", ".", "-,5", "-0.5"),
        (",", ".", "5,", "5"), (",", ".", "+3,0", "3.0"), (",", ".", "1,5E-3", "1.5E-3"),
        (",", ".", "5,e3", "5e3"), (",", ".", " 7,1 ", "7.1"), (",", ".", "€ 5", None),
        (",", ".", "5 %", None), (",", ".", "NaN", None), (",", ".", "-", None),
        (".", ",", "1,234.5", "1234.5"), (".", ",", "1,23", None), (".", "'", "1’234", "1234"),
        (",", " ", "1\u00a0234,5", "1234.5"), (",", " ", "1\u202f234", "1234"),
        (",", " ", "1  234", None), (",", ".", "٣,٥", None), (",", ".", "0.123", None),
        (",", " ", "089 123 456", None), (".", ",", "0,500", None), (",", ".", "\u22121,5", "-1.5"),
    ],
)  # fmt: skip
def test_numbers(decimal: str, thousands: str, text: str, read: str | None) -> None:
    assert asked(number("v", decimal, thousands), text) == read


@pytest.mark.parametrize(
    ("order", "text", "read"),
    [
        ("dmy", "3.4.2020", "2020-04-03"), ("dmy", "03/04/2020", "2020-04-03"),
        ("mdy", "03/04/2020", "2020-03-04"), ("dmy", "3-4-2020", "2020-04-03"),
        ("dmy", "31.02.2020", None), ("dmy", "29.02.2020", "2020-02-29"),
        ("dmy", "29.02.2021", None), ("dmy", "3.4/2020", None), ("dmy", "3.4.20", None),
        ("dmy", "13/13/2020", None), ("mdy", "13/04/2020", None), ("dmy", "0.1.2020", None),
        ("dmy", "2020-04-03", "2020-04-03"), ("mdy", "2020-04-03", "2020-04-03"),
        ("ymd", "2020/4/3", "2020-04-03"), ("ymd", "03.04.2020", None),
        ("dmy", "3 Apr 2020", "2020-04-03"), ("mdy", "Apr 3, 2020", "2020-04-03"),
        ("dmy", "03APR2020", "2020-04-03"), ("dmy", "3. april 2020", "2020-04-03"),
        ("dmy", "3 Foo 2020", None), ("dmy", "31 Apr 2020", None),
        ("yyyymmdd", "20200403", "2020-04-03"), ("yyyymmdd", "20201303", None),
        ("yyyymmdd", "2020403", None), ("dmy", "3.4.2020 7:05", "2020-04-03 07:05:00"),
        ("mdy", "4/3/2020 12:05:09 AM", "2020-04-03 00:05:09"),
        ("mdy", "4/3/2020 12:05 PM", "2020-04-03 12:05:00"),
        ("mdy", "4/3/2020 13:05 PM", None), ("dmy", "3.4.2020 25:00", None),
        ("dmy", "3.4.2020 07:60", None), ("dmy", "3.4.2020T07:05:06.5", "2020-04-03 07:05:06.5"),
        ("dmy", "3.4.2020 24:00", None), ("dmy", "x3.4.2020", None),
    ],
)  # fmt: skip
def test_dates(order: str, text: str, read: str | None) -> None:
    assert asked(day("v", order), text) == read


def test_every_day_of_four_centuries_is_itself() -> None:
    """Against Python's calendar, which shares no code with it."""
    first = datetime.date(1700, 1, 1)
    days = [first + datetime.timedelta(i) for i in range(0, 146_097, 7)]
    table = pa.table({"v": [f"{one.day}.{one.month}.{one.year}" for one in days]})
    with duckdb.connect() as connection:
        connection.register("days", table)
        found = connection.execute(f"SELECT {day('v', 'dmy')} FROM days").fetchall()
    assert [row[0] for row in found] == [one.isoformat() for one in days]


def read(file: Path, **form: object) -> dict[str, list[str | None]]:
    with open_engine(file, form=SourceForm(**form)) as engine:  # type: ignore[arg-type]
        return engine.rows(engine.columns(), 10_000).to_pydict()  # type: ignore[no-any-return]


def test_what_is_not_so_written_is_counted_with_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    rows = ["1,5;x"] * 5 + ['"two\nlines";x', "7.5;x", "2,5;x"] + ["?;x"] * 9
    file.write_text("n;m\n" + "\n".join(rows) + "\n", "utf-8")
    with pytest.raises(DataError) as error:
        read(file, decimal={"n": ","})
    assert error.value.what == (
        "n: 11 values are not a number with a decimal comma: 'two\\nlines' (line 7), '7.5' (line 9)"
        ", '?' (line 11), '?' (line 12), '?' (line 13), …"
    )
    assert "`null`" in str(error.value.fix)
    with open_engine(
        file, null=["?", "two\nlines", "7.5"], form=SourceForm(decimal={"n": ","})
    ) as e:
        assert e.rows(["n"], 20).to_pydict()["n"] == ["1.5"] * 5 + [None] * 2 + ["2.5"] + [None] * 9


def test_of_all_columns_those_that_fit(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("a;b;c;d\n1,5;1,5;x;3.4.2020\n2,5;y;1,5;4.4.2020\n", "utf-8")
    assert read(file, decimal=",", dates="dmy") == {
        "a": ["1.5", "2.5"], "b": ["1,5", "y"], "c": ["x", "1,5"],
        "d": ["2020-04-03", "2020-04-04"],
    }  # fmt: skip


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("born;x\n3.4.2020;1\n", "utf-8")
    with pytest.raises(
        DataError, match="something of a column 'bron', which there is not"
    ) as error:
        read(file, dates={"bron": "dmy"})
    assert error.value.fix == "Did you mean 'born'?"
    with pytest.raises(DataError, match="that it has dates, and how its numbers are written"):
        read(file, dates={"born": "dmy"}, decimal={"born": ","})


def test_a_byte_that_cannot_be_read_has_a_line_and_a_place(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_bytes(b"a;b\r\n1;2\r\n3;K\xc3\xb6l\x81\xffn\r\n")
    with pytest.raises(DataError) as error:
        read(file, encoding="cp1252")
    assert error.value.what == (
        "this is not cp1252: the byte 81 cannot be read (character 7 of the line)"
    )
    assert str(error.value.where).endswith("data.csv, line 3")
    far = tmp_path / "far.csv"
    far.write_bytes(b"a;b\n" + b"1;2\n" * 600_000 + b"1;2\xff\n")
    with pytest.raises(DataError, match="this is not utf-8: the byte ff") as error:
        read(far, encoding="utf-8", quote="'")
    assert str(error.value.where).endswith("far.csv, line 600,002")
    assert "character 4 of the line" in error.value.what
    assert encoding_of(far).assumed, "the last byte is looked at too"


def test_lines_are_told_of_a_large_file(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    rows = ["1,5;x"] * 300_000
    rows[250_000] = "1.5;x"
    file.write_text("n;m\n" + "\n".join(rows) + "\n", "utf-8")
    look = look_at_file(file)
    assert look is not None
    assert [one.lines for one in look.unreadable] == [(250_002,)]
    assert not look.form.said


@pytest.mark.parametrize(
    ("values", "dates", "asks"),
    [
        (["03/04/2020", "05/06/2020"], {"v": "ask"}, True),
        (["03/04/2020", "25/06/2020"], {"v": "dmy"}, False),
        (["03/04/2020", "05/26/2020"], {"v": "mdy"}, False),
        (["03.04.2020", "05.06.2020"], {"v": "dmy"}, False),
        (["2020-04-03", "2020-04-04"], {}, False),
        (["2020/04/03", "2020/04/04"], {"v": "ymd"}, False),
        (["20200403", "20200404"], {"v": "yyyymmdd"}, False),
        (["20200403", "99999999"], {}, False),
        (["3 Apr 2020", "April 4, 2020"], {"v": "ymd"}, False),
        (["03/04/2020", "NA", "25/06/2020"], {"v": "dmy"}, False),
    ],
)
def test_dates_are_detected_or_asked_for(
    values: list[str], dates: dict[str, str], asks: bool, tmp_path: Path
) -> None:
    file = tmp_path / "data.csv"
    file.write_text("v;w\n" + "".join(f"{value};x\n" for value in values * 10), "utf-8")
    look = look_at_file(file)
    assert look is not None
    assert look.dates == dates
    assert [question.column for question in look.questions] == ["v"] * asks
    assert look.missing == (("NA",) if "NA" in values else ())


def test_thousands_and_decimals_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text('a;b;c\n"1,234";"1.234";x\n"5,678";"5.678";y\n', "utf-8")
    look = look_at_file(file)
    assert look is not None
    assert look.decimal == {"a": "ask"}
    file.write_text('a;b;c\n"1,2";"1.234";x\n"5,6";"5.678";y\n', "utf-8")
    look = look_at_file(file)
    assert look is not None
    assert look.decimal == {"a": ",", "b": "ask"}, "beside decimal commas, a point may group"
    file.write_text('a;b;c\n"1.2";"1.234";x\n"5.6";"5.678";y\n', "utf-8")
    look = look_at_file(file)
    assert look is not None
    assert look.decimal == {}


def test_the_same_bytes_give_the_same_answer(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_bytes("a;b\nK\xf6ln;1,5\n".encode("latin-1") * 2_000)
    assert len({repr(look_at_file(file)) for _ in range(3)}) == 1


@pytest.mark.parametrize(
    ("values", "number"),
    [
        (["732 829 320", "552 100 554"], False), (["192.168.100.203", "192.168.101.201"], False),
        (["089 123 456", "040 333 444"], False), (["1.250.000", "3.400.500"], True),
        (["1.234.567", "12.400"], True), (["1 234 567,5", "7 654 321,0"], True),
    ],
)  # fmt: skip
def test_codes_in_groups_of_three_stay_as_they_are(
    values: list[str], number: bool, tmp_path: Path
) -> None:
    file = tmp_path / "data.csv"
    file.write_text("id;v\n" + "".join(f"p{i};{v}\n" for i, v in enumerate(values)))
    look = look_at_file(file)
    assert look is not None
    assert ("v" in look.decimal) is number
    if not number:
        assert [row[1] for row in look.first_rows] == values


def test_a_missing_mark_of_one_column_is_no_country_of_another(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    rows = [f"{'NA' if i % 5 == 0 else f'{i},5'};{c}" for i, c in enumerate(["NA", "DE", "FR"] * 9)]
    file.write_text("\n".join(["income;country", *rows, ""]))
    look = look_at_file(file)
    assert look is not None
    assert look.missing == ()
    assert [(one.column, one.count) for one in look.unreadable] == [("income", 6)]
    assert any("in country it may be a country" in note for note in look.notes)
    named = tmp_path / "named.csv"
    named.write_text("\n".join(["income;name", *(r.replace(";NA", ";Eva") for r in rows), ""]))
    found = look_at_file(named)
    assert found is not None
    assert found.missing == ("NA",)
