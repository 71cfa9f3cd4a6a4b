"""Every bad input: a clear message, the right exit code, no traceback, nothing left behind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hedgerow.cli import app

PLAN = """\
source: data.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {ranges: [10, 20]}}
  sex: quasi-identifier
  disease: sensitive
protect:
  - k-anonymity: 2
publish: {to: release}
"""
HEADER = "name,age,sex,disease\n"
DATA = HEADER + "".join(f"n{i},{20 + i % 7},{'FM'[i % 2]},{'abc'[i % 3]}\n" for i in range(30))
SEX_FILE = PLAN.replace("sex: quasi-", "sex: {role: quasi-").replace(
    "identifier\n  disease", "identifier, hierarchy: sex.csv}\n  disease"
)


def plan(old: str, new: str) -> str:
    assert old in PLAN
    return PLAN.replace(old, new)


def refused(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: Mapping[str, str | bytes],
    says: str,
    *,
    command: tuple[str, ...] = ("publish", "plan.yaml"),
    code: int = 2,
) -> None:
    """Run the command twice, for people and for programs, and look at all it did."""
    monkeypatch.chdir(folder)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    done = CliRunner().invoke(app, list(command))
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == code
    assert says in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
    again = CliRunner().invoke(app, [*command, "--json"])
    assert again.exit_code == code
    told = json.loads(again.stdout)
    assert set(told) == {"error"}
    assert set(told["error"]) >= {"kind", "what", "where", "fix"}
    assert says in again.stderr
    after = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert after == before
    assert {entry.name for entry in folder.iterdir()} == set(files)


TABLES: dict[str, tuple[str | bytes, int, str]] = {
    "empty file": ("", 2, "data.csv: the file is empty"),
    "header only": (HEADER, 2, "data.csv: the table has no rows"),
    "one row": (HEADER + "x,30,F,a\n", 1, "2-anonymity reaches 1, required 2"),
    "not a number": (DATA + "z,abc,F,a\n", 2, "plan.yaml:4: the hierarchy of 'age' does not fit: "
                     "'abc'"),
    "nan": (DATA + "z,nan,F,a\n", 2, "'nan': not a finite number"),
    "infinity": (DATA + "z,-inf,F,a\n", 2, "'-inf': not a finite number"),
    "too large": (DATA + "z,1e999,F,a\n", 2, "'1e999': not a finite number"),
    "not UTF-8": (DATA.encode() + b"z,30,F,\xe9\n", 2, "data.csv, line 32: this is not UTF-8"),
    "names not UTF-8": (b"n\xe9me,age\n1,2\n", 2, "data.csv, line 1: this is not UTF-8"),
    "a field too few": (DATA + "z,30,F\n", 2, "line 32: 3 fields where the header has 4"),
    "an open quote": (DATA + 'z,30,F,"abc\n', 2, "line 32: a quote is opened and never closed"),
    "a name twice": ("age,age\n1,2\n", 2, "'age' and 'age' are the same"),
    "another case": ("age,Age\n1,2\n", 2, "'age' and 'Age' are the same or differ only by case"),
    "a column without a role": (DATA.replace("disease", "disease,ward").replace(",a\n", ",a,1\n")
                                .replace(",b\n", ",b,1\n").replace(",c\n", ",c,1\n"), 2,
                                "plan.yaml:2: no role is given for 'ward'"),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    data, code, says = TABLES[case]
    refused(tmp_path, monkeypatch, {"data.csv": data, "plan.yaml": PLAN}, says, code=code)


PLANS: dict[str, tuple[str, int, str]] = {
    "an unknown column": (plan("sex:", "sexx:"), 2, "plan.yaml:5: the data have no column 'sexx'\n"
                          "  Did you mean 'sex'?"),
    "a role twice": (plan("  sex: quasi-identifier\n",
                          "  sex: quasi-identifier\n  sex: sensitive\n"), 2,
                     "plan.yaml:6: the key 'sex' stands twice (first in line 5)"),
    "no such role": (plan("sex: quasi-identifier", "sex: quasi"), 2,
                     "plan.yaml:5: 'role' cannot be 'quasi'"),
    "a role left out": (plan("  sex: quasi-identifier\n", ""), 2,
                        "plan.yaml:2: no role is given for 'sex'"),
    "k above the table": (plan("k-anonymity: 2", "k-anonymity: 31"), 1,
                          "31-anonymity reaches 30, required 31"),
    "k above the table, all left out": (plan("2\n", "31\nmethod: {suppress: 100%}\n"), 1,
                                        "and somebody has to remain"),
    "l above the values": (plan("k-anonymity: 2", "l-diversity: 4"), 1,
                           "distinct 4-diversity of disease reaches 3, required 4"),
    "no such level": (plan("sex: quasi-identifier",
                           "sex: {role: quasi-identifier, levels: [2, 3]}"),
                      2, "plan.yaml:5: levels [2, 3] of 'sex' do not exist"),
    "levels for boxes": (plan("sex: quasi-identifier",
                              "sex: {role: quasi-identifier, levels: [1, 1]}")
                         + "method: mondrian\n", 2,
                         "plan.yaml:5: mondrian does not publish levels"),
    "a tree in a circle": (plan("sex: quasi-identifier", "sex: {role: quasi-identifier, hierarchy: "
                                "{taxonomy: {F: {M: [F]}}}}"), 2,
                           "plan.yaml:5: 'F' stands above itself"),
    "an anchor in a circle": (plan("sex: quasi-identifier", "sex: &a [*a]"), 2,
                              "an anchor (&) is used inside itself"),
    "no hierarchy file": (SEX_FILE, 2, "plan.yaml:5: the hierarchy file 'sex.csv' cannot be read"),
    "nowhere to publish": (plan("publish: {to: release}\n", ""), 2,
                           "plan.yaml: nothing says where the release goes"),
    "a target under a file": (plan("to: release", "to: data.csv/x"), 2, "which is no folder"),
    "a target that is the folder": (plan("to: release", "to: ."), 2, "'.' exists already"),
    "a name too long": (plan("to: release", f"to: {'x' * 300}"), 2, "File name too long"),
    "a target like a file": (plan("to: release", "to: out.csv"), 2, "a release is a folder"),
    "nobody may write there": (plan("to: release", "to: /proc/release"), 2, "cannot write"),
    "no population file": (plan("k-anonymity: 2", "k-map: {k: 2, population: all.csv}"), 2,
                           "all.csv: there is no such file"),
    "a database": (plan("data.csv", "postgresql://host/base"), 2, "plan.yaml:1: the address "
                   "names no table"),
    "no data": (plan("data.csv", "dta.csv"), 2, "dta.csv: there is no such file"),
    "formulas in parquet": (plan("{to: release}",
                                 "{to: r, format: parquet, escape_formulas: true}"), 2,
                            "plan.yaml:9: escape_formulas has no meaning for parquet"),
    "an empty plan": ("", 2, "plan.yaml:1: the plan is empty"),
    "no YAML": ("a: [", 2, "plan.yaml:"),
    "people torn apart": ("person: name\nrows: one\n" + plan("  name: identifier\n", "")
                          .replace("source: data.csv", "source: torn.csv"), 2,
                          "1 person has rows with different values of 'age'"),
    "the table for the plan": (plan("source: data.csv\n", ""), 2, "the plan names no source"),
}  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    text, code, says = PLANS[case]
    files = {"data.csv": DATA, "plan.yaml": text}
    if "torn.csv" in text:
        files["torn.csv"] = DATA + "n0,99,F,a\n"
    refused(tmp_path, monkeypatch, files, says, code=code)


HIERARCHIES: dict[str, tuple[str | bytes, str]] = {
    "a level that refines": ("F;x;a\nM;x;b\n", "sex.csv (plan.yaml:5): level 2 does not coarsen "
                             "level 1: 'x' would go to more than one value"),
    "a circle in a line": ("F;M;F\nM;F;M\n", "sex.csv:1: 'F' stands above itself: 'F' -> 'M' -> "
                           "'F'"),
    "a circle over lines": ("F;M\nM;F\n", "sex.csv:2: 'F' stands above itself"),
    "a value that is not in it": ("F;*\n", "the hierarchy of 'sex' does not fit: 'M': not in it"),
    "lines of different length": ("F;x;*\nM;*\n", "sex.csv:2: 2 column(s) where line 1 has 3"),
    "nothing in it": ("", "sex.csv:1: the file is empty"),
    "not UTF-8": (b"F;*\nM;\xe9\n", "sex.csv:2: byte 0xe9 is not UTF-8"),
    "a value twice": ("F;*\nM;*\nF;*\n", "sex.csv:3: 'F' stands in line 1 already"),
}  # fmt: skip


@pytest.mark.parametrize("case", HIERARCHIES)
def test_hierarchies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    content, says = HIERARCHIES[case]
    files = {"data.csv": DATA, "plan.yaml": SEX_FILE, "sex.csv": content}
    refused(tmp_path, monkeypatch, files, says)


COMMANDS: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "no plan": ({}, ("publish", "plan.yaml"), "plan.yaml: cannot be read"),
    "no plan to check": ({}, ("check", "plan.yaml"), "plan.yaml: cannot be read"),
    "a table for a plan": ({"data.csv": DATA}, ("publish", "data.csv"),
                           "data.csv: this is a table, not a plan"),
    "no release to take the recoding from": (
        {"data.csv": DATA, "plan.yaml": PLAN}, ("publish", "plan.yaml", "--recoding", "old"),
        "there is no 'old'"),
    "init without data": ({}, ("init", "data.csv"), "data.csv: there is no such file"),
    "init of nothing": ({"data.csv": ""}, ("init", "data.csv"), "data.csv: the file is empty"),
    "init of a header": ({"data.csv": HEADER}, ("init", "data.csv"),
                         "data.csv: the table has no rows"),
    "init of another kind": ({"data.txt": DATA}, ("init", "data.txt"),
                             ".txt is not a kind of file"),
    "init over a plan": ({"data.csv": DATA, "plan.yaml": "mine"}, ("init", "data.csv"),
                         "plan.yaml: exists already"),
    "init into nowhere": ({"data.csv": DATA}, ("init", "data.csv", "--to", "no/plan.yaml"),
                          "no/plan.yaml: cannot be written"),
    "init onto a folder": ({"data.csv": DATA}, ("init", "data.csv", "--to", ".", "--replace"),
                           "cannot be written"),
    "a model that is not": ({}, ("explain", "model", "l-diversty"), "Did you mean 'l-diversity'?"),
    "a demo under a file": ({"x": ""}, ("demo", "--to", "x/y"), "x/y: the demo cannot be written"),
    "a demo over other files": ({"plan.yaml": "mine"}, ("demo", "--to", "."),
                                "'plan.yaml' would be overwritten"),
}  # fmt: skip


@pytest.mark.parametrize("case", COMMANDS)
def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    files, command, says = COMMANDS[case]
    refused(tmp_path, monkeypatch, files, says, command=command)


def test_all_problems_of_a_plan_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "plan.yaml").write_text(plan("sex:", "sexx:"))
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--json"])
    error = json.loads(done.stdout)["error"]
    assert error["what"] == "the data have no column 'sexx'"
    assert [also["what"] for also in error["also"]] == ["no role is given for 'sex'"]
    assert error["what"] in done.stderr
    assert error["also"][0]["what"] in done.stderr


# Odd input that is not bad


def published(folder: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, text: str) -> bytes:
    monkeypatch.chdir(folder)
    (folder / "data.csv").write_bytes(data)
    (folder / "plan.yaml").write_text(text)
    done = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert done.exit_code == 0, done.stderr
    return (folder / "release" / "data.csv").read_bytes()


def test_all_rows_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = HEADER + "x,30,F,a\n" * 9
    assert published(tmp_path, monkeypatch, data.encode(), PLAN) == (
        b"age,sex,disease\n" + b"30,F,a\n" * 9
    )


def test_every_row_unique(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = HEADER + "".join(f"x{i},{i},{i},a\n" for i in range(9))
    assert published(tmp_path, monkeypatch, data.encode(), PLAN) == (
        b"age,sex,disease\n" + b"0-9,*,a\n" * 9
    )


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_windows_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, mark: str
) -> None:
    data = (mark + DATA.replace("\n", ends)).encode()
    assert published(tmp_path, monkeypatch, data, PLAN).startswith(b"age,sex,disease\n20,F,")


def test_quotes_and_line_ends_in_values_and_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b'"a ""b""","x\ny"\n"1\n2","c,d"\n"1\n2","e""f"\n"1\n2",\n"1\n2",""\n'
    text = (
        'source: data.csv\ncolumns:\n  "a \\"b\\"": quasi-identifier\n  "x\\ny": sensitive\n'
        "protect: [k-anonymity: 4]\npublish: {to: release}\n"
    )
    assert published(tmp_path, monkeypatch, data, text) == (
        b'"a ""b""","x\ny"\n"1\n2",\n"1\n2",""\n"1\n2","c,d"\n"1\n2","e""f"\n'
    )


def test_mixed_types_are_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = ["007", "7", "7.0", "seven", "nan", "NULL", "true", ""] * 2
    data = "q,s\n" + "".join(f"{v},{v}\n" for v in values)
    text = "source: data.csv\none_row_per_person: true\n"
    text += "columns: {q: quasi-identifier, s: sensitive}\n"
    text += "protect: [k-anonymity: 2]\npublish: {to: release}\n"
    content = published(tmp_path, monkeypatch, data.encode(), text).decode()
    assert sorted(content.splitlines()[1:]) == sorted(f"{v},{v}" for v in values)


@pytest.mark.slow
def test_ten_thousand_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"c{i}" for i in range(10_000)]
    rows = [",".join(str((i * j) % 3) for i in range(10_000)) for j in (1, 1, 2, 2)]
    roles = "".join(f"  {name}: identifier\n" for name in names[3:])
    text = (
        "source: data.csv\none_row_per_person: true\n"
        "columns:\n  c0: quasi-identifier\n  c1: quasi-identifier\n"
        f"  c2: sensitive\n{roles}protect: [k-anonymity: 2]\npublish: {{to: release}}\n"
    )
    data = "\n".join([",".join(names), *rows]) + "\n"
    content = published(tmp_path, monkeypatch, data.encode(), text)
    assert content == b"c0,c1,c2\n0,1,2\n0,1,2\n0,2,1\n0,2,1\n"
    # So many numbers of nobody knows whom are looked at in one go.
    (tmp_path / "plan.yaml").write_text(text.replace("one_row_per_person: true\n", ""))
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--to", "other"])
    assert done.exit_code == 2
    assert "'c4' looks like a person ID" in done.stderr
    # And where the plan forgets some, the message does not list thousands.
    (tmp_path / "plan.yaml").write_text(text.replace(roles, "  x: identifier\n"))
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--to", "other"])
    assert done.exit_code == 2
    assert "and 9,987 more" in done.stderr
    assert len(done.stderr) < 1000
