"""One table, written in many dialects, encodings and formats, is always the same people."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from contracts.engine_homes import WRITERS, as_json_lines, workbook

from hedgerow.base.errors import DataError
from hedgerow.engines import SourceForm, open_engine
from hedgerow.engines.detection import look_at_file

NAMES = ("city", "born", "income", "note")
PEOPLE = [
    ("Köln", "1980-04-23", "1234.5", "o'clock; or, so"),
    ("Köln", "1980-04-23", "1234.5", "o'clock; or, so"),
    ("Besançon", "1975-12-31", "-0.25", 'she said "no"'),
    ("Málaga", "2001-01-02", "1000000", "a\\b"),
    ("Zürich", None, None, "two\nlines"),
    ("Århus", "1999-11-30", "17", None),
]
"""As they are counted, however they are written."""
Row = Sequence[str | None]


def german(row: Row) -> list[str | None]:
    city, born, income, note = row
    if born:
        year, month, day = born.split("-")
        born = f"{int(day)}.{int(month)}.{year}"
    if income:
        whole, point, rest = income.partition(".")
        income = f"{int(whole):,}".replace(",", ".") if whole != "-0" else whole
        income += f",{rest}" if point else ""
    return [city, born, income, note]


def american(row: Row) -> list[str | None]:
    city, born, income, note = row
    if born:
        year, month, day = born.split("-")
        born = f"{month}/{day}/{year}"
    if income and not income.startswith("-0"):
        whole, point, rest = income.partition(".")
        income = f"{int(whole):,}{point}{rest}"
    return [city, born, income, note]


def swiss(row: Row) -> list[str | None]:
    city, born, income, note = american(row)
    if born:
        month, day, year = born.split("/")
        born = f"{day}.{month}.{year} 00:00"
    return [city, born, income and income.replace(",", "'"), note]


def plain(row: Row) -> list[str | None]:
    return list(row)


def text_of(
    rows: Sequence[Row], delimiter: str = ",", *, quote: str = '"', backslash: bool = False,
    blanks: bool = False, end: str = "\n", index: bool = False, every: bool = False,
) -> str:  # fmt: skip
    """CSV, written here by hand: missing is nothing, and text is quoted where it must be."""

    def field(value: str | None) -> str:
        if value is None:
            return ""
        special = any(sign in value for sign in (delimiter, quote, "\n", "\r", '"', "'"))
        if not (special or every or value == "" or value != value.strip()):
            return value.replace("\\", "\\\\") if backslash else value
        if backslash:
            value = value.replace("\\", "\\\\").replace(quote, f"\\{quote}")
        else:
            value = value.replace(quote, quote * 2)
        return f"{quote}{value}{quote}"

    lines = [list(map(field, row)) for row in [NAMES, *rows]]
    if index:
        lines = [[str(i) if i else "", *line] for i, line in enumerate(lines)]
    between = delimiter + " " * blanks
    return "".join(between.join(line) + end for line in lines)


def r_style(rows: Sequence[Row]) -> str:
    return text_of(rows, every=True, index=True)


def pandas_style(rows: Sequence[Row]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["", *NAMES])
    writer.writerows([[i, *row] for i, row in enumerate(rows)])
    return text.getvalue()


DIALECTS = {
    "plain": lambda: (plain, text_of, "utf-8", {}),
    "with a mark": lambda: (plain, text_of, "utf-8-sig", {}),
    "UTF-16": lambda: (plain, text_of, "utf-16", {}),
    "UTF-16 big end first": lambda: (plain, text_of, "utf-16-be", {}),
    "UTF-16 without a mark": lambda: (plain, text_of, "utf-16-le", {}),
    "Latin-1": lambda: (plain, text_of, "latin-1", {}),
    "cp1252": lambda: (plain, text_of, "cp1252", {}),
    "semicolons": lambda: (plain, text_of, "utf-8", {"delimiter": ";"}),
    "tabs": lambda: (plain, text_of, "utf-8", {"delimiter": "\t"}),
    "bars": lambda: (plain, text_of, "utf-8", {"delimiter": "|"}),
    "blanks after commas": lambda: (plain, text_of, "utf-8", {"blanks": True}),
    "apostrophes": lambda: (plain, text_of, "utf-8", {"quote": "'", "every": True}),
    "backslashes": lambda: (plain, text_of, "utf-8", {"backslash": True, "every": True}),
    "all quoted": lambda: (plain, text_of, "utf-8", {"every": True}),
    "Windows lines": lambda: (plain, text_of, "utf-8", {"end": "\r\n"}),
    "old Mac lines": lambda: (plain, text_of, "utf-8", {"end": "\r"}),
    "R": lambda: (plain, r_style, "utf-8", {}),
    "pandas": lambda: (plain, pandas_style, "utf-8", {}),
    "German": lambda: (german, text_of, "cp1252", {"delimiter": ";"}),
    "German with blanks": lambda: (german, text_of, "latin-1", {"delimiter": ";", "blanks": True}),
    "American": lambda: (american, text_of, "utf-8", {}),
    "Swiss": lambda: (swiss, text_of, "utf-16", {"delimiter": ";"}),
}


def counted(file: Path, form: SourceForm | None) -> Counter[tuple[str | None, ...]]:
    with open_engine(file, form=form) as engine:
        assert set(NAMES) <= set(engine.columns()), engine.columns()
        found = engine.counts(list(NAMES)).to_pydict()
    keys = zip(*(found[f"q{j}"] for j in range(len(NAMES))), strict=True)
    return Counter(dict(zip(keys, found["n"], strict=True)))


EXPECTED = Counter(PEOPLE)


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_dialect_is_found_and_read(name: str, packed: bool, tmp_path: Path) -> None:
    national, write, encoding, how = DIALECTS[name]()
    rows = [national(row) for row in PEOPLE]
    if name == "old Mac lines":  # a quoted line feed would be another line end
        rows = [[value and value.replace("\n", "\r") for value in row] for row in rows]
    data = write(rows, **how).encode(encoding)
    file = tmp_path / ("people.csv.gz" if packed else "people.csv")
    file.write_bytes(gzip.compress(data) if packed else data)
    look = look_at_file(file)
    assert not look.questions
    assert not look.unreadable
    assert look.rows == len(PEOPLE)
    expected = EXPECTED
    if name == "old Mac lines":
        expected = Counter([tuple(v and v.replace("\n", "\r") for v in row) for row in PEOPLE])
    if name == "Swiss":
        expected = Counter([(c, b and f"{b} 00:00:00", i, n) for c, b, i, n in PEOPLE])
    assert counted(file, look.form) == expected, look.form.said
    if look.form.said:
        # A plan that says nothing reads nothing else: it is refused, or as it stands.
        try:
            other = counted(file, None)
        except (DataError, AssertionError):
            other = None
        assert other is None or other != expected


FORMATS_OF_TEXT = sorted(set(WRITERS) - {".por", ".sas7bdat"})


@pytest.mark.parametrize("suffix", FORMATS_OF_TEXT)
def test_a_format_is_found_and_read(suffix: str, tmp_path: Path) -> None:
    file = WRITERS[suffix](tmp_path / f"people{suffix}", NAMES, PEOPLE)
    look = look_at_file(file)
    assert counted(file, look.form) == EXPECTED


@pytest.mark.parametrize("suffix", [".xlsx", ".sav", ".jsonl"])
def test_national_forms_in_another_format(suffix: str, tmp_path: Path) -> None:
    """Numbers and dates that are texts there are read as they are in CSV."""
    rows = [german(row) for row in PEOPLE]
    file = WRITERS[suffix](tmp_path / f"people{suffix}", NAMES, rows)
    look = look_at_file(file)
    assert look.dates == {"born": "dmy"}
    assert look.decimal == {"income": ","}
    assert counted(file, look.form) == EXPECTED


def test_numbers_of_a_workbook_are_written_short(tmp_path: Path) -> None:
    file = workbook(tmp_path / "people.xlsx", {"People": [NAMES, *PEOPLE]}, typed=True)
    assert counted(file, None) == EXPECTED


def test_what_json_writes_is_what_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "people.jsonl"
    file.write_text('{"a": 1.50, "b": true}\n\n{"b": null, "a": 12345678901234567890123}\n')
    with open_engine(file) as engine:
        assert engine.rows(["a", "b"], 9).to_pydict() == {
            "a": ["1.50", "12345678901234567890123"], "b": ["true", None],
        }  # fmt: skip
    assert as_json_lines is WRITERS[".jsonl"]


def test_a_sas_file_has_numbers_and_dates(tmp_path: Path) -> None:
    look = look_at_file(Path(__file__).with_name("files") / "visits.sas7bdat")
    assert look.first_rows == (
        ("Rome", "1980-04-23", "1234.5", "0"),
        ("Oslo", None, "17", "1"),
        (None, "1960-01-01", "-0.25", "2"),
        ("Rome", "1980-04-23", "1000000", "3"),
    )
