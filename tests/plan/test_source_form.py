"""`read` in a plan: its messages, its forms, and what `init` writes down."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from contracts.engine_homes import workbook

from hedgerow.api import measure, write_plan
from hedgerow.base.errors import DataError, PlanError
from hedgerow.engines.detection import look_at_file
from hedgerow.plan.plan import Plan, PlanErrors
from hedgerow.plan.source_form import form_of, said_in_words

PEOPLE = """\
id;city;born;weight;seen;visits
""" + "".join(
    f"{i};{'Köln' if i % 2 else 'Ulm'};{i % 28 + 1}.{i % 12 + 1}.19{i % 50 + 10};"
    f"{'NA' if i == 7 else f'{i},5'};0{i % 9 + 1}/{i % 12 + 1:02}/2020;{i % 3}\n"
    for i in range(60)
)


def problems(folder: Path, read: str) -> list[str]:
    """What is wrong with a plan that says this under `read`, on line 2."""
    plan = folder / "plan.yaml"
    plan.write_text(f"source: data.csv\nread: {read}\ncolumns: {{a: quasi-identifier}}\n", "utf-8")
    plan.write_text(plan.read_text("utf-8") + "protect: [{k-anonymity: 2}]\n", "utf-8")
    with pytest.raises(PlanErrors) as found:
        Plan.read(plan)
    told = str(found.value).replace(str(folder) + "/", "")
    return [line.strip() for line in told.splitlines()]


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("{encodin: utf-8}", ["plan.yaml:2: there is no key 'encodin' here",
                              "Did you mean encoding?"]),
        ("{encoding: latin-99}", ["plan.yaml:2: 'encoding' cannot be 'latin-99'",
                                  "Did you mean latin-1?"]),
        ("{encoding: rot13}", ["'encoding' cannot be 'rot13'"]),
        ("{delimiter: ';;'}", ["'delimiter' cannot be ';;'", "It is one character"]),
        ("{delimiter: x}", ["'delimiter' cannot be 'x'", "No letter and no digit"]),
        ("{quote: '#'}", ["'quote' cannot be '#'", "Write double, single, or none"]),
        ("{escape: backslsh}", ["'escape' cannot be 'backslsh'", "Did you mean backslash?"]),
        ("{blanks: yes}", ["'blanks' cannot be", "There are keep, skip"]),
        ("{decimal: ;}", ["'decimal' cannot be ';'", 'Write one of ".", ","']),
        ("{decimal: {a: ;}}", ["plan.yaml:2: 'a' cannot be ';'"]),
        ("{thousands: {a: x}}", ["plan.yaml:2: 'a' cannot be 'x'"]),
        ("{dates: dym}", ["'dates' cannot be 'dym'", "Did you mean"]),
        ("{dates: {a: ask}}", ["nothing says whether the dates of 'a' begin with the day",
                               "Write `a: dmy` (day first) or `a: mdy` (month first)."]),
        ("{decimal: {a: ask}}", ["nothing says which sign stands before the decimals of 'a'"]),
        ("{sheet: 0}", ["'sheet' cannot be 0", "its number from 1"]),
        ("{labels: maybe}", ["'labels' cannot be 'maybe'", "Write true or false"]),
        ("{missing: ['?']}", ["texts that mean missing in every column stand under `null`",
                              'Write `null: ["?", NA, "-9"]` there; or here, of a column']),
        ("{missing: {a: [-9]}}", ["plan.yaml:2: 'a' cannot be", 'Write texts, in quotes']),
        ("latin-1", ["needs a mapping"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(read: str, told: list[str], tmp_path: Path) -> None:
    found = problems(tmp_path, read)
    for part in told:
        assert any(part in line for line in found), found
    assert len(found) <= 2, found  # once


def test_words_for_signs() -> None:
    form = form_of(
        {"delimiter": "tab", "quote": "none", "decimal": {"a": "comma"}, "thousands": "blank"}
    )
    assert form.said == {
        "delimiter": "\t", "quote": "", "decimal": {"a": ","}, "thousands": " ",
    }  # fmt: skip


def test_the_command_line_says_it_in_words() -> None:
    assert said_in_words(["quote=none", "dates.a=dmy", "dates.b=mdy"]) == {
        "quote": "none", "dates": {"a": "dmy", "b": "mdy"},
    }  # fmt: skip
    with pytest.raises(PlanError, match="'latin-1' is no setting") as error:
        said_in_words(["latin-1"])
    assert error.value.fix is not None
    assert "--read encoding=latin-1" in error.value.fix


def test_init_writes_what_it_found_and_asks(tmp_path: Path) -> None:
    data, plan = tmp_path / "people.csv", tmp_path / "plan.yaml"
    data.write_bytes(PEOPLE.encode("cp1252"))
    write_plan(data, plan, one_row_per_person=True)
    text = plan.read_text("utf-8")
    said = yaml.safe_load(text)
    assert said["read"] == {
        "encoding": "latin-1", "decimal": {"weight": ","}, "dates": {"born": "dmy", "seen": "ask"},
    }  # fmt: skip
    assert said[None] == ["NA"], "YAML takes the key null for nothing"
    assert [*said["columns"]["born"]["hierarchy"]] == ["dates"]
    assert "ranges" in said["columns"]["weight"]["hierarchy"]
    assert "# Please decide first" in text
    assert "latin-1 is assumed. Check these words: Köln" in text
    with pytest.raises(PlanErrors, match="begin with the day or with the month"):
        Plan.read(plan)
    assert measure(plan, read={"dates": {"seen": "mdy"}}).claims
    write_plan(data, plan, replace=True, one_row_per_person=True, read={"dates": {"seen": "dmy"}})
    assert Plan.read(plan).form is not None
    assert "Please decide" not in plan.read_text("utf-8")


def test_a_usual_file_needs_nothing(tmp_path: Path) -> None:
    data, plan = tmp_path / "people.csv", tmp_path / "plan.yaml"
    data.write_text("age,city,born\n" + "31,Köln,1980-02-01\n" * 30, "utf-8")
    write_plan(data, plan, one_row_per_person=True)
    assert "read" not in yaml.safe_load(plan.read_text("utf-8"))


def test_row_numbers_get_a_name_and_a_role(tmp_path: Path) -> None:
    data, plan = tmp_path / "people.csv", tmp_path / "plan.yaml"
    data.write_text(
        '"","age","sex"\n' + "".join(f'"{i}",{i % 5 + 30},"f"\n' for i in range(1, 9)), "utf-8"
    )
    write_plan(data, plan, one_row_per_person=True)
    assert yaml.safe_load(plan.read_text("utf-8"))["columns"]["row"] == {"role": "identifier"}


def test_values_that_are_no_numbers_are_shown_and_nothing_is_said_of_them(tmp_path: Path) -> None:
    data, plan = tmp_path / "people.csv", tmp_path / "plan.yaml"
    rows = [f"{i};{i},5" for i in range(60)]
    rows[10] = "10;1,2,3"
    data.write_text("\n".join(["id;weight", *rows]) + "\n", "utf-8")
    write_plan(data, plan, one_row_per_person=True)
    text = plan.read_text("utf-8")
    assert "weight: 1 value is not a number with a decimal comma: '1,2,3' (line 12)" in text
    assert "read" not in yaml.safe_load(text)
    told = r"weight: 1 value is not a number with a decimal comma: '1,2,3' \(line 12\)"
    with pytest.raises(DataError, match=told):
        write_plan(data, plan, replace=True, one_row_per_person=True,
                   read={"decimal": {"weight": ","}})  # fmt: skip


def test_read_means_nothing_for_a_table_of_a_database(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="means nothing for a table of postgresql"):
        write_plan("postgresql://nowhere/x::t", tmp_path / "plan.yaml", read={"decimal": ","})


def test_read_that_means_nothing_for_a_format_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(DataError, match=r"`read` says 'sheet', and that means nothing for a .csv"):
        write_plan(data, tmp_path / "plan.yaml", read={"sheet": 2})


def test_a_first_sheet_of_notes_is_not_the_table(tmp_path: Path) -> None:
    table = [["age", "sex"], *([str(20 + i % 50), "mf"[i % 2]] for i in range(90))]
    notes = [["Report of the ward"], ["As of 2021"]]
    book = workbook(tmp_path / "ward.xlsx", {"About": notes, "Empty": [], "People": table})
    found = look_at_file(book)
    assert found is not None
    assert (found.sheet, found.rows, found.form.sheet) == ("People", 90, "People")
    assert found.notes[0] == "The sheet 'People' is read: 'About', the first of 3, has 1 row only."
    write_plan(book, tmp_path / "plan.yaml", one_row_per_person=True)
    assert yaml.safe_load((tmp_path / "plan.yaml").read_text())["read"] == {"sheet": "People"}
    said = look_at_file(book, form=form_of({"sheet": "About"}))
    assert said is not None
    assert said.sheet == "About"
    both = workbook(tmp_path / "both.xlsx", {"People": table, "More": table * 30})
    assert look_at_file(both).sheet == "People"  # type: ignore[union-attr]
