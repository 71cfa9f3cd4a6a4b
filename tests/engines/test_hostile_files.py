"""Files that are damaged, hostile, or called what they are not: a message, never a wrong table."""

from __future__ import annotations

import gzip
import json
import shutil
import struct
import zipfile
from pathlib import Path

import pytest
from contracts.engine_homes import WRITERS, workbook

from hedgerow.base.errors import DataError
from hedgerow.engines import SourceForm, open_engine
from hedgerow.engines.detection import look_at_file
from hedgerow.engines.formats import excel, isolation

NAMES = ("city", "income")
ROWS = [("Rome", "1"), ("Oslo", "2"), ("Rome", "3")] * 40


def refused(file: Path | str, form: SourceForm | None = None) -> str:
    """What is said of a file that cannot be read."""
    with pytest.raises(DataError) as error:
        look_at_file(file, form=form)
    assert error.value.where
    assert "Traceback" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("suffix", [s for s in WRITERS if s not in (".csv", ".tsv", ".sas7bdat")])
def test_a_truncated_file_is_refused_or_whole(suffix: str, tmp_path: Path) -> None:
    whole = WRITERS[suffix](tmp_path / f"whole{suffix}", NAMES, ROWS).read_bytes()
    for share in (0, 0.5, 0.99):
        part = tmp_path / f"part-{share}{suffix}"
        part.write_bytes(whole[: int(len(whole) * share)])
        try:
            look = look_at_file(part)
        except DataError:
            continue
        # Lines may end anywhere, and nothing says how many there were; padding may be lost.
        by_lines = suffix in (".jsonl", ".ndjson", ".por", ".xpt")
        assert by_lines or look.rows == len(ROWS), (share, look.rows)


@pytest.mark.parametrize("suffix", [s for s in WRITERS if s not in (".csv", ".tsv", ".sas7bdat")])
def test_a_file_of_another_kind_is_refused(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"data{suffix}"
    file.write_text("city,income\nRome,1\n")
    refused(file)
    file.unlink()
    file.write_bytes(bytes(range(256)) * 64)
    refused(file)


def test_a_workbook_called_csv_is_refused(tmp_path: Path) -> None:
    file = WRITERS[".xlsx"](tmp_path / "data.xlsx", NAMES, ROWS)
    refused(file.rename(tmp_path / "data.csv"))


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", b"x" * 3_000_000)
    monkeypatch.setattr(isolation, "MOST_UNPACKED", 2_000_000)
    with pytest.raises(DataError, match="unpacks to more than"):
        isolation.refuse_bomb(file)
    with pytest.raises(DataError, match="unpacks to more than"):
        excel.read(file, "", SourceForm())


def test_a_bomb_that_lies_about_its_size_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a", b"x" * 3_000_000)
    data = file.read_bytes().replace(struct.pack("<I", 3_000_000), struct.pack("<I", 10))
    file.write_bytes(data)
    monkeypatch.setattr(isolation, "MOST_UNPACKED", 2_000_000)
    with pytest.raises(DataError):
        isolation.refuse_bomb(file)


def test_a_sheet_of_a_billion_cells_is_refused(tmp_path: Path) -> None:
    """Two cells, as far from each other as can be: a reader may make room for all between."""
    file = workbook(tmp_path / "wide.xlsx", {"People": [("a", "b"), ("1", "2")]})
    far = tmp_path / "far.xlsx"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(far, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            data = old.read(part)
            if part.endswith("sheet1.xml"):
                data = data.replace(
                    b"</sheetData>",
                    b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
                )
            new.writestr(part, data)
    told = refused(far)
    assert "too many to be read at once" in told or "more memory than there is" in told


def test_many_columns_are_read(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(3_000)]
    file = tmp_path / "wide.csv"
    file.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    look = look_at_file(file)
    assert len(look.columns) == 3_000
    assert not look.form.said


def test_nul_bytes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "nul.csv"
    file.write_bytes(b"a;b\n1;x\0y\n")
    told = refused(file, SourceForm(quote="'"))
    assert "nul.csv, line 2: a NUL byte (character 4 of the line)" in told


def test_a_crash_of_a_reader_is_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text('{"a": 1}\n')
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    assert "damaged, or it needs more memory" in refused(file)


def test_another_process_prints_what_it_likes(tmp_path: Path) -> None:
    """Only its last line is an answer; what a value holds is never taken for one."""
    file = tmp_path / "data.jsonl"
    file.write_text('{"a": "\\n{\\"what\\": \\"no\\"}"}\n')
    with open_engine(file) as engine:
        assert engine.rows(["a"], 1).to_pydict() == {"a": ['\n{"what": "no"}']}


JSON = {
    "[1]": "line 1: is not an object",
    '{"a": 1, "a": 2}': "line 1: the key 'a' stands twice",
    '{"a": {"b": 1}}': "line 1: 'a' holds an object or a list",
    '{"a": [1]}': "line 1: 'a' holds an object or a list",
    '{"a": NaN}': "line 1: NaN is no number",
    '{"a": 1': "line 1: is not JSON",
    '{"a": 1}\n{"a": }': "line 2: is not JSON",
    "[" * 100_000: "line 1: is not JSON",
    "": "the file is empty",
}


@pytest.mark.parametrize("text", JSON, ids=lambda text: text[:12])
def test_json_that_is_no_table_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(text)
    assert JSON[text] in refused(file)


def test_json_of_other_encodings_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_bytes(b'{"a": 1}\n{"a": "K\xf6ln"}\n')
    assert "line 2: this is not UTF-8: the byte f6 cannot be read" in refused(file)


def test_errors_in_cells_are_told(tmp_path: Path) -> None:
    file = workbook(tmp_path / "data.xlsx", {"Notes": [["x"]], "People": [NAMES, ("Rome", "1")]})
    other = tmp_path / "other.xlsx"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(other, "w") as new:
        for part in old.namelist():
            data = old.read(part)
            if part.endswith("sheet2.xml"):
                data = data.replace(
                    b"</sheetData>",
                    b'<row r="3"><c r="A3" t="inlineStr"><is><t>Oslo</t></is></c>'
                    b'<c r="B3" t="e"><v>#DIV/0!</v></c></row></sheetData>',
                )
            new.writestr(part, data)
    look = look_at_file(other, form=SourceForm(sheet="People"))
    assert look.first_rows == (("Rome", "1"), ("Oslo", None))
    assert look.notes == ("1 cell holds an error such as #DIV/0!, read as missing: 'B3'.",)


def test_a_sheet_is_chosen(tmp_path: Path) -> None:
    file = workbook(tmp_path / "data.xlsx", {"Notes": [["x"], ["y"]], "People": [NAMES, *ROWS]})
    first = look_at_file(file)
    assert (first.sheet, first.sheets) == ("People", ("Notes", "People"))
    assert first.notes == ("The sheet 'People' is read: 'Notes', the first of 2, has 1 row only.",)
    for sheet in ("People", 2):
        assert look_at_file(file, form=SourceForm(sheet=sheet)).columns == NAMES
    told = refused(file, SourceForm(sheet="Peopel"))
    assert "there is no sheet 'Peopel'" in told
    assert "Did you mean 'People'?" in told


def test_a_packed_csv_that_is_cut_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "data.csv.gz"
    file.write_bytes(gzip.compress(json.dumps(ROWS).encode())[:-9])
    refused(file)


@pytest.mark.parametrize("share", [0, 0.3, 0.6])
def test_a_sas_file_that_is_cut_is_refused(share: float, tmp_path: Path) -> None:
    there = Path(__file__).parents[1] / "contracts" / "files" / "visits.sas7bdat"
    file = tmp_path / "visits.sas7bdat"
    whole = there.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    refused(file)


def test_a_packed_csv_that_would_fill_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.engines.csv_dialect.MOST_UNPACKED", 2**20)
    file = tmp_path / "data.csv.gz"
    file.write_bytes(gzip.compress(b"a;b\n" + b"1;2\n" * 2_000_000))
    assert "unpacks to more than 200 times its size" in refused(file, SourceForm(quote="'"))


DAMAGED = {
    "a;b\n1;2;3\n": "line 2",
    'a,b\n"x "y"",1\n': "line 2",
    'a;b\n1;"2\n': "line 2",
    "a\tb\n1\t2\n1\n": "line 3",
    "a,b,c\n1,2\n": "line 2",
}


@pytest.mark.parametrize("text", DAMAGED)
def test_no_other_dialect_is_found_for_a_damaged_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text(text)
    assert DAMAGED[text] in refused(file)


def test_a_quote_that_is_a_sign_is_read(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text('pipe,length\n5" wide,3\n6" wide,4\n')
    look = look_at_file(file)
    assert look is not None
    assert look.quote == ""
    assert look.first_rows[0] == ('5" wide', "3")


def test_no_code_is_run_that_lies_beside_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python imports from the folder it is started in; another process must not."""
    file = WRITERS[".jsonl"](tmp_path / "data.jsonl", NAMES, ROWS)
    for name in ("json", "resource", "sqlite3", "pyarrow"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    assert look_at_file(file).rows == len(ROWS)  # type: ignore[union-attr]
    assert not (tmp_path / "ran").exists()


SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<cols><col min="2" max="2" hidden="1"/></cols><sheetData>'
    '<row r="1"><c r="A1" t="inlineStr"><is><t>ward</t></is></c>'
    '<c r="B1" t="inlineStr"><is><t>cost</t></is></c></row>'
    '<row r="2" hidden="1"><c r="A2" t="inlineStr"><is><t>A</t></is></c>'
    '<c r="B2"><f>1+1</f></c></row>'
    '<row r="3"><c r="B3"><f>1+1</f><v>2</v></c></row>'
    '<row r="4"><c r="B4" t="str"><f>""</f><v></v></c></row>'
    '<row r="5"><c r="A5" t="inlineStr"><is><t>B</t></is></c><c r="B5"><f>2</f><v/></c></row>'
    '</sheetData><mergeCells><mergeCell ref="A2:A4"/></mergeCells></worksheet>'
)


def test_what_a_sheet_does_not_show_is_told(tmp_path: Path) -> None:
    plain = workbook(tmp_path / "plain.xlsx", {"one": [NAMES, *ROWS[:2]]})
    assert look_at_file(plain).notes == ()  # type: ignore[union-attr]
    file = tmp_path / "book.xlsx"
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            sheet = name.startswith("xl/worksheets/")
            text = old.read(name).replace(b'name="one"', b'name="one" state="hidden"')
            new.writestr(name, SHEET if sheet else text)
    look = look_at_file(file)
    assert look is not None
    assert look.first_rows == (("A", None), (None, "2"), (None, None), ("B", None))
    assert "The sheet is hidden in the workbook." in look.notes
    assert any("2 cells hold formulas without a result" in note for note in look.notes)
    assert any("merged cells only the first has the value: 'A2:A4'" in n for n in look.notes)
    assert any("1 row and 1 group of columns are hidden" in note for note in look.notes)


def test_a_value_that_is_a_file_is_refused(tmp_path: Path) -> None:
    file = workbook(tmp_path / "long.xlsx", {"one": [NAMES, ("x" * 2_000_001, "1")]})
    assert "a value of more than 2,000,000 bytes" in refused(file)
    named = workbook(tmp_path / "named.xlsx", {"one": [("x" * 2_000_001, "b"), ("x", "1")]})
    assert "a column's name has more than" in refused(named)


def test_a_long_field_is_read_and_a_quote_that_stays_open_is_told(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text('note,age\n"' + "x, " * 60_000 + '",31\n"short",32\n')
    look = look_at_file(file)
    assert look is not None
    assert (look.columns, look.rows) == (("note", "age"), 2)
    file.write_text('note,age\n"' + "x,\n" * 100_000)
    assert "line 2" in refused(file)
