"""Title lines above the header: said, detected where it is evident, and else refused with words."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from contracts.engine_homes import workbook
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.engines import SourceForm, open_engine
from hedgerow.engines.detection import look_at_file
from hedgerow.plan.source_form import form_of

NAMES = ("number", "age", "sex")
ROWS = [("1", "30", "f"), ("2", "31", "m"), ("3", "32", "f")]


def report(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    file = folder / "report.csv"
    file.write_bytes(text.encode(encoding))
    return file


def table(file: Path, form: SourceForm | None = None) -> list[tuple[str, ...]]:
    with open_engine(file, form=form) as engine:
        columns = engine.rows(engine.columns(), 100).to_pydict()
    return [tuple(columns), *zip(*columns.values(), strict=True)]


@pytest.mark.parametrize(
    ("above", "skip"),
    [
        ("Ward 3\n", 1), ("Ward 3;;\n", 1), ("\n", 1), ("Ward 3\nof: 1.2.2020\n\n", 3),
        ('"Ward 3";;\n\n;;\n', 3), ("Ward 3, 2020, all\r\n", 1), ("", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_detected_in_csv(tmp_path: Path, above: str, skip: int, encoding: str) -> None:
    body = "\n".join(";".join(row) for row in (NAMES, *ROWS)) + "\n"
    file = report(tmp_path, above + body, encoding)
    look = look_at_file(file)
    assert look is not None
    assert look.form.skip == (skip or None)
    assert look.columns == NAMES
    assert table(file, look.form) == [NAMES, *ROWS]
    if skip:
        line = "1 line above" if skip == 1 else f"{skip} lines above"
        assert look.notes[0].startswith(line)
        assert ("Ward 3" in look.notes[0]) == ("Ward 3" in above)


@pytest.mark.parametrize(
    "text",
    [
        "name\nanna, 3, 4\nbea, 5, 6\n",  # the second line holds numbers: no names
        "address\nMain St, Berlin, DE\nX St, Paris, FR\n",  # nothing below is a number
        "id;;\n1;2;3\n4;5;6\n",  # names are missing, and the next line is a record
        "a;b;c\nx;y\nu;v;w\n",  # one record is damaged
        "n;x;y\nanna;3,5;4,2;b\nbea;1,5;2,2;c\n",  # the comma splits it, and wrongly
        "Ward 3\nn;age\na;30\nb;31\n",  # two columns are not enough to be sure
    ],
)
def test_what_is_not_evident_is_not_skipped(tmp_path: Path, text: str) -> None:
    file = report(tmp_path, text)
    try:
        look = look_at_file(file)
    except DataError:
        return
    assert look is not None
    assert look.form.skip is None


def test_what_is_said_is_not_questioned(tmp_path: Path) -> None:
    file = report(tmp_path, "Ward 3\nA\nnumber;age;sex\n1;30;f\n2;31;m\n")
    look = look_at_file(file, form=SourceForm(skip=0))
    assert look is not None
    assert (look.form.skip, look.columns) == (0, ("Ward 3",))
    look = look_at_file(file, form=SourceForm(skip=3))
    assert look is not None
    assert look.columns == ("1", "30", "f")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("aé;,\"' 1", max_size=8), max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-16", "latin-1"]),
)
def test_what_is_said_is_skipped(above: list[str], end: str, encoding: str) -> None:
    """Whatever stands in those lines, the table is the one without them."""
    lines = [*above, *(";".join(row) for row in (NAMES, *ROWS))]
    with tempfile.TemporaryDirectory() as folder:
        file = report(Path(folder), end.join(lines) + end, encoding)
        form = SourceForm(skip=len(above), delimiter=";", encoding=encoding)
        assert table(file, form) == [NAMES, *ROWS]


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    file = report(tmp_path, "Ward 3\n\nnumber;age;sex\n1;30;f\n2;many;m\n")
    with pytest.raises(DataError, match="line 5") as wrong:
        open_engine(file, form=SourceForm(skip=2, decimal={"age": ","}))
    assert "'many'" in str(wrong.value)
    ragged = report(tmp_path, "Ward 3\n\nnumber;age;sex\n1;30;f\n2;31\n")
    with pytest.raises(DataError, match="2 fields where the header has 3") as wrong:
        open_engine(ragged, form=SourceForm(skip=2))
    assert "line 5" in str(wrong.value)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("Ward\nnumber;age;sex\n1;30;é\n".encode("latin-1"))
    with pytest.raises(DataError, match="line 3"):
        open_engine(latin, form=SourceForm(skip=1))


def test_too_many(tmp_path: Path) -> None:
    file = report(tmp_path, "a;b;c\n1;2;3\n")
    with pytest.raises(DataError, match="nothing is after 9 lines"):
        open_engine(file, form=SourceForm(skip=9))
    with pytest.raises(DataError, match="line 2 is empty"):
        open_engine(report(tmp_path, "Ward\n\na;b\n1;2\n"), form=SourceForm(skip=1))


@pytest.mark.parametrize("text", ["Ward 3;;\na;b;c\n1;2;3\n", "Ward;3\na;b;c\n1;2;3\n", "\na;b\n"])
def test_refused_with_a_hint(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError) as wrong, open_engine(report(tmp_path, text)) as engine:
        engine.rows_total()
    assert "skip: 3" in str(wrong.value)


@pytest.mark.parametrize("suffix", [".xlsx"])
def test_workbooks(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("python_calamine")
    title: list[tuple[str | None, ...]] = [(None, "Ward 3", None), (None, None, None)]
    file = workbook(tmp_path / f"report{suffix}", {"A": [*title, NAMES, *ROWS]}, typed=True)
    with pytest.raises(DataError, match="column 1 has no name") as wrong:
        open_engine(file)
    assert "skip: 3" in str(wrong.value)
    look = look_at_file(file)
    assert look is not None
    assert (look.form.skip, look.columns) == (2, NAMES)
    assert look.notes[0] == "2 lines above the header are skipped: 'Ward 3'."
    assert ("lines above the header", "2, skipped") in look.said
    assert table(file, look.form) == [NAMES, *ROWS]
    with pytest.raises(DataError, match="empty after 9 rows"):
        open_engine(file, form=SourceForm(skip=9))
    strange = [*title, NAMES, ("1", "30", "f"), ("2", "many", "m")]
    odd = workbook(tmp_path / f"odd{suffix}", {"A": strange})
    with pytest.raises(DataError, match="line 5"):
        open_engine(odd, form=SourceForm(skip=2, decimal={"age": ","}))


def test_not_of_other_files(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text('{"a": 1}\n')
    with pytest.raises(DataError, match="`read` says 'skip'"):
        open_engine(file, form=SourceForm(skip=1))
    for wrong in (-1, "two", True, 1.5):
        with pytest.raises(HedgerowError, match="'skip' cannot be"):
            form_of({"skip": wrong})
