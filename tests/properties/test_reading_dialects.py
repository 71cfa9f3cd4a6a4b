"""Random tables in random dialects are read back exactly where the dialect is said."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError
from hedgerow.engines import SourceForm, open_engine
from hedgerow.engines.detection import look_at_file

SIGNS = "aZ0é,;|\t'\"\\ \n\r.-"
TEXTS = st.text(SIGNS, max_size=6) | st.sampled_from(["1,5", "03.04.2020", "NA", " x ", "''"])
TABLES = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(TEXTS | st.none(), min_size=columns, max_size=columns), min_size=1, max_size=6
    )
)
DIALECTS = st.builds(
    lambda delimiter, quote, escape, encoding: SourceForm(
        delimiter=delimiter, quote=quote, escape=escape, encoding=encoding
    ),
    st.sampled_from([",", ";", "|", "\t"]),
    st.sampled_from(['"', "'"]),
    st.sampled_from(["doubled", "backslash"]),
    st.sampled_from(["utf-8", "utf-16", "latin-1", "cp1252"]),
)
ENDS = st.sampled_from(["\n", "\r\n"])


def written(rows: list[list[str | None]], form: SourceForm, end: str) -> bytes:
    """Every text quoted, a missing value nothing; written here by hand."""
    quote, backslash = form.quote or '"', form.escape == "backslash"

    def field(value: str | None) -> str:
        if value is None:
            return ""
        if backslash:
            value = value.replace("\\", "\\\\").replace(quote, f"\\{quote}")
        else:
            value = value.replace(quote, quote * 2)
        return f"{quote}{value}{quote}"

    names = [f"c{i}" for i in range(len(rows[0]))]
    lines = [(form.delimiter or ",").join(map(field, row)) + end for row in [names, *rows]]
    return "".join(lines).encode(form.encoding or "utf-8")


def read(data: bytes, form: SourceForm | None) -> list[list[str | None]]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        file.write_bytes(data)
        with open_engine(file, form=form) as engine:
            columns = engine.rows(engine.columns(), 100).to_pydict().values()
            assert engine.rows_total() == len(next(iter(columns)))
        return [list(row) for row in zip(*columns, strict=True)]


@settings(max_examples=150, deadline=None)
@given(TABLES, DIALECTS, ENDS)
def test_what_is_said_is_read_back(
    rows: list[list[str | None]], form: SourceForm, end: str
) -> None:
    assert read(written(rows, form, end), form) == rows


@settings(max_examples=60, deadline=None)
@given(TABLES, DIALECTS, ENDS)
def test_what_is_detected_is_the_table_or_no_table(
    rows: list[list[str | None]], form: SourceForm, end: str
) -> None:
    """All texts are quoted, so that every field shows where it ends: nothing else can be read.

    Numbers and dates are read by what was detected; here as they stand, to compare them.
    """
    data = written(rows, form, end)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        file.write_bytes(data)
        try:
            look = look_at_file(file)
        except DataError:
            return
    found = look.form
    as_text = SourceForm(
        encoding=found.encoding, delimiter=found.delimiter, quote=found.quote,
        escape=found.escape, blanks=found.blanks,
    )  # fmt: skip
    try:
        there = read(data, as_text)
    except DataError:
        return
    backslashes = any("\\" in value for row in rows for value in row if value)
    if backslashes and form.escape == "backslash" and found.escape != "backslash":
        # `"a\\"` may be a, then two backslashes: what was detected is shown as doubled.
        return
    assert there == rows, (found.said, data)


NUMBERS = st.decimals(min_value=-(10**9), max_value=10**9, places=3)


@settings(max_examples=60, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=20), st.sampled_from([".", "'", " ", ""]))
def test_numbers_keep_their_value_and_their_digits(numbers: list, sign: str) -> None:  # type: ignore[type-arg]
    swap = str.maketrans({".": ",", ",": sign})
    texts = [f"{number:,f}".translate(swap) for number in numbers]
    data = ("n;x\n" + "".join(f"{text};1\n" for text in texts)).encode()
    thousands = {"n": sign} if sign in ("'", " ") else None
    rows = read(data, SourceForm(decimal={"n": ","}, thousands=thousands))
    assert [row[0] for row in rows] == [f"{number:f}" for number in numbers]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dates(), min_size=1, max_size=20), st.sampled_from(["dmy", "mdy", "ymd"]),
       st.sampled_from("./-"), st.booleans())  # fmt: skip
def test_dates_are_the_same_days(days: list, order: str, sign: str, padded: bool) -> None:  # type: ignore[type-arg]
    def text(day) -> str:  # type: ignore[no-untyped-def]
        width = 2 if padded else 1
        parts = {"d": f"{day.day:0{width}}", "m": f"{day.month:0{width}}", "y": f"{day.year:04}"}
        return sign.join(parts[one] for one in order)

    data = ("d;x\n" + "".join(f"{text(day)};1\n" for day in days)).encode()
    rows = read(data, SourceForm(dates={"d": order}))
    assert [row[0] for row in rows] == [day.isoformat() for day in days]
