"""`hedgerow look`: the table, what to look at, JSON, narrow terminals."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.cli import app
from hedgerow.cli.terminal import console


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two hundred patients with one to three visits."""
    r = random.Random(11)
    lines = ["patient_nbr,email,sex,birth_year,zip,town,visit,days,payer,flag,note"]
    for patient in range(200):
        for visit in range(1 + patient % 3):
            zips = 10_000 + 37 * (patient % 30)
            days = -9 if r.random() < 0.05 else r.randrange(1, 40)
            lines.append(
                f"{7000 + 3 * patient},p{patient}@x.example,{'mf'[patient % 2]},"
                f"{1930 + patient % 61},{zips},town {zips % 5},{visit},{days},"
                f"{r.choice(['?', 'public', 'private'])},{'yes' if patient == 7 else 'no'},"
                f"seen by doctor {r.randrange(99)} on the day {visit} of the stay"
            )
    place = tmp_path / "visits.csv"
    place.write_text("\n".join(lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    return place


def run(*command: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, list(command))
    assert done.exit_code == code, done.stderr
    return done


def test_all_parts_are_told_in_order(table: Path) -> None:
    told = " ".join(run("look", "visits.csv").stdout.split())
    parts = [
        "visits.csv: 399 rows, 11 columns",
        "Every row was counted as a person, though 'patient_nbr' seems to say whose row it is.",
        "e-mail addresses",
        "free text, which may name somebody",
        "Whose rows are these?",
        "patient_nbr: 200 people",
        "What means that a value is missing",
        "'-9' in days",
        "'?' in payer",
        "Columns that follow from others",
        "town follows from zip",
        "Who stands out by what",
        "What attackers are likely to know",
        "a neighbour:",
        "Special uniques",
        "hedgerow init visits.csv --person patient_nbr",
    ]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)


def test_words_for_missing_among_decimal_commas_are_read_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["Patientennummer;Geschlecht;CRP"]
    for row in range(120):
        crp = "k.A." if row % 6 == 0 else f"{row % 50},{row % 7 + 1}"
        lines.append(f"{3000 + 3 * (row // 2)};{'mw'[row // 2 % 2]};{crp}")
    Path("faelle.csv").write_text("\n".join(lines), "utf-8")
    told = " ".join(run("look", "faelle.csv").stdout.split())
    assert "mean missing: 'k.A.'" in told
    assert "CRP number" in told
    found = hedgerow.look("faelle.csv")
    assert found.column("CRP").missing == 20
    assert found.column("CRP").kind == "number"
    assert [key.column for key in found.keys] == ["Patientennummer"], "a German compound"


def test_a_key_is_not_said_to_agree_where_it_does_so_in_most_rows(tmp_path: Path) -> None:
    lines = ["patient_id,sex,zip,visit"]
    for row in range(600):
        sex = "?" if row == 8 else "mf"[row // 2 % 2]
        lines.append(f"P{row // 2:04},{sex},{row // 2 % 17},{row % 2}")
    place = tmp_path / "visits.csv"
    place.write_text("\n".join(lines), "utf-8")
    assert "sex hardly ever differs within it" in hedgerow.look(place).keys[0].because
    place.write_text("\n".join(lines).replace("?", "m"), "utf-8")
    assert "sex never differs within it" in hedgerow.look(place).keys[0].because


def test_with_a_person_people_are_counted(table: Path) -> None:
    told = run("look", "visits.csv", "--person", "patient_nbr").stdout
    assert "399 rows of 200 people" in told
    assert "Whose rows are these?" not in told


@pytest.mark.parametrize("width", [50, 70, 100, 140])
def test_it_fits_the_terminal(table: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr(console, "_width", width)
    told = run("look", "visits.csv").stdout
    commands = [line for line in told.splitlines() if line.startswith("  hedgerow ")]
    lines = [line for line in told.splitlines() if line not in commands]
    assert max(map(len, lines)) <= width
    assert "patient_nbr" in told
    head = next(line for line in told.splitlines() if line.startswith("column"))
    assert ("unique" in head) == (width >= 70)


def test_json_has_the_facts(table: Path) -> None:
    found = json.loads(run("look", "visits.csv", "--json").stdout)
    whole = hedgerow.look("visits.csv")
    assert found == json.loads(json.dumps(whole.summary()))
    assert (found["rows"], found["looked_at"]) == (399, 399)
    payer = next(one for one in found["columns"] if one["name"] == "payer")
    assert payer["kind"] == "category"
    assert payer["missing_tokens"][0]["text"] == "?"
    assert found["keys"][0]["column"] == "patient_nbr"
    assert found["special"]["by_size"]
    assert run("look", "visits.csv", "--quiet").stdout == ""


def test_fast_combines_no_three_columns(table: Path) -> None:
    found = json.loads(run("look", "visits.csv", "--fast", "--json").stdout)
    assert found["special"] is None
    assert max(len(one["columns"]) for one in found["combinations"]) == 2


def test_null_texts_are_no_values(table: Path) -> None:
    found = json.loads(run("look", "visits.csv", "--null", "?", "--null", "-9", "--json").stdout)
    assert all(one["missing_tokens"] == [] for one in found["columns"])
    payer = next(one for one in found["columns"] if one["name"] == "payer")
    assert payer["missing"] > 0


def test_a_plan_says_persons_missing_values_and_what_is_known(table: Path) -> None:
    plan = (
        "source: visits.csv\nperson: patient_nbr\nnull: ['?']\ncolumns:\n"
        "  patient_nbr: identifier\n  zip: {role: quasi-identifier, hierarchy: suppression}\n"
        "  sex: {role: quasi-identifier, hierarchy: suppression}\n  payer: sensitive\n"
        "protect: [{k-anonymity: 2}]\n"
    )
    Path("plan.yaml").write_text(plan, "utf-8")
    found = json.loads(run("look", "plan.yaml", "--json").stdout)
    assert (found["person"], found["people"]) == ("patient_nbr", 200)
    assert {name for one in found["smallest"] for name in one["columns"]} <= {"zip", "sex"}


def test_a_table_that_is_not_there_is_a_message(table: Path) -> None:
    done = run("look", "nothing.csv", code=2)
    assert "nothing.csv" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_notebook_shows_a_table_without_markup_of_values(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    place.write_text("<b>a</b>,x\n" + "\n".join(f"<i>{i % 3}</i>,{i}" for i in range(20)), "utf-8")
    found = hedgerow.look(place)
    page = found._repr_html_()
    assert "&lt;b&gt;a&lt;/b&gt;" in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert repr(found) == f"<TableProfile of {place}: 20 rows, 2 columns>"


def test_how_a_file_is_written_is_detected_told_and_overridden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        "name;geb;größe",
        *(f"Änne {i};{1 + i % 28:02d}.04.1990;1,{60 + i}" for i in range(30)),
    ]
    Path("t.csv").write_text("\n".join(lines), "latin-1")
    told = " ".join(run("look", "t.csv").stdout.split())
    assert "delimiter: semicolon" in told
    assert "größe: comma" in told
    found = json.loads(run("look", "t.csv", "--read", "encoding=cp1252", "--json").stdout)
    assert found["read"]["said"]["encoding"] == "cp1252"
    size = found["columns"][2]
    assert (size["kind"], size["numbers"]["low"]) == ("number", 1.6)
    assert found["columns"][1]["kind"] == "date"
    with pytest.raises(hedgerow.PlanError):
        hedgerow.look("t.csv", read={"encoding": "klingon"})


def test_a_plan_says_how_its_source_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("size;sex\n" + "\n".join(f"1,{60 + i};f" for i in range(30)), "utf-8")
    Path("plan.yaml").write_text(
        "source: t.csv\nread: {decimal: {size: comma}}\ncolumns: {size: {role: quasi-identifier, "
        "hierarchy: suppression}, sex: sensitive}\nprotect: [{k-anonymity: 2}]\n",
        "utf-8",
    )
    found = hedgerow.look("plan.yaml")
    assert found.column("size").numbers is not None
    assert found.file is not None
    assert found.file.form.said["decimal"] == {"size": ","}


def test_a_plot_shows_sets_and_attackers(table: Path) -> None:
    told = run("look", "visits.csv", "--plot", "out.svg").stdout
    assert told.endswith("plot: out.svg\n")
    drawn = Path("out.svg").read_text("utf-8")
    found = hedgerow.look("visits.csv")
    assert "a neighbour" in drawn
    assert all(one.attacker in drawn for one in found.knowledge)
    assert "plot.doc" in run("look", "visits.csv", "--plot", "plot.doc", code=2).stderr


def test_a_fraction_says_what_attackers_find_in_the_population(table: Path) -> None:
    shown = run("look", str(table), "--fraction", "10%").stdout
    assert "In the population, of which the table is 10 %" in shown
    assert "is too low for one sample in 20" in " ".join(shown.split())
    facts = json.loads(run("look", str(table), "--fraction", "0.1", "--json").stdout)
    assert [one["attacker"] for one in facts["population"]] == [
        one["attacker"] for one in facts["knowledge"]
    ]
    for one, known in zip(facts["population"], facts["knowledge"], strict=True):
        assert 0 <= one["upper"] <= known["distinction"] + 1e-9
    assert "population" not in json.loads(run("look", str(table), "--json").stdout)
    for wrong in ("0", "1", "120%", "a tenth"):
        done = run("look", str(table), "--fraction", wrong, code=2)
        assert "no sampling fraction" in done.output


def test_people_whose_rows_differ_are_in_no_one_group_of_the_population(table: Path) -> None:
    told = run("look", str(table), "--person", "patient_nbr", "--fraction", "10%", "--json")
    notes = json.loads(told.stdout)["notes"]
    assert any("finds in the population is not said: 133 people have rows" in n for n in notes)
