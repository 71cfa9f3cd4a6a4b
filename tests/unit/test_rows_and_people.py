"""Rows are not people: a person ID that repeats stops everything until it is explained."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow import Plan
from hedgerow.certificate import as_text
from hedgerow.cli import app
from hedgerow.engines import open_engine
from hedgerow.errors import DataError, PlanError
from hedgerow.guess import write_plan
from hedgerow.ledger import Amounts, Ledger
from hedgerow.ledger.entry import Kind
from hedgerow.person_keys import repeated
from hedgerow.schema import STATED, Role

COLUMNS = {
    "pid": {"role": "identifier"},
    "age": {"role": "quasi-identifier"},
    "disease": {"role": "sensitive"},
}
FIVE_VISITS = {"pid": ["17"] * 5, "age": ["40"] * 5, "disease": list("abcde")}
"""One patient, five visits."""
ASKS = r"'pid' looks like a person ID. It has 1 value in 5 rows"


def plan_file(folder: Path, table: dict[str, list[str]], **more: object) -> Path:
    """A table and a plan for it, as files."""
    with (folder / "data.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    said = {"source": "data.csv", "columns": COLUMNS, "protect": [{"k-anonymity": 5}]} | more
    path = folder / "plan.yaml"
    path.write_text("\n".join(f"{k}: {json.dumps(v)}" for k, v in said.items()) + "\n")
    return path


def test_five_visits_of_a_patient_are_not_five_people() -> None:
    table = pd.DataFrame(FIVE_VISITS)
    with pytest.raises(DataError, match=ASKS) as stopped:
        hedgerow.publish(table, columns=COLUMNS, protect=[{"k-anonymity": 5}])
    assert "`person: pid`" in str(stopped.value.fix)
    assert "`one_row_per_person: true`" in str(stopped.value.fix)
    with pytest.raises(DataError, match=ASKS):
        hedgerow.check(table, columns=COLUMNS, protect=[{"k-anonymity": 5}])
    six = pd.concat([table.assign(pid=list("12345")), table[:1].assign(pid="1")])
    with pytest.raises(DataError, match="5 different values in 6 rows"):
        hedgerow.check(six, columns=COLUMNS, protect=[{"k-anonymity": 5}])


@pytest.mark.parametrize("command", ["check", "publish"])
def test_commands_stop_and_name_the_line(tmp_path: Path, command: str) -> None:
    path = plan_file(tmp_path, FIVE_VISITS, publish={"to": "release"})
    done = CliRunner().invoke(app, [command, str(path)])
    assert done.exit_code == 2
    assert "plan.yaml:2: 'pid' looks like a person ID" in done.stderr
    assert not (tmp_path / "release").exists()


def test_who_names_the_person_or_states_it_is_not_asked(tmp_path: Path) -> None:
    table = pd.DataFrame(FIVE_VISITS)
    columns, protect = COLUMNS, [{"k-anonymity": 5}]
    found = hedgerow.check(table, columns=columns, protect=protect, one_row_per_person=True)
    assert found[0].level == 5
    no_key = columns | {"pid": {"role": "identifier", "key": False}}
    assert hedgerow.check(table, columns=no_key, protect=protect)[0].level == 5
    with pytest.raises(PlanError, match="may have several rows"):
        Plan.of(columns=columns, protect=protect, person="pid", one_row_per_person=True)


def test_the_certificate_repeats_the_statement(tmp_path: Path) -> None:
    path = plan_file(tmp_path, FIVE_VISITS, one_row_per_person=True, publish={"to": "release"})
    release = hedgerow.publish(path)
    assert release.certificate["plan"]["one_row_per_person"] is True
    assert STATED in release.certificate["protected"]
    verified = hedgerow.verify(tmp_path / "release", plan=path)
    assert not verified.refuted
    file = tmp_path / "release" / "certificate.json"
    told = json.loads(file.read_text())
    del told["plan"]["one_row_per_person"]
    file.write_text(as_text(told), "utf-8")
    assert any("words" in why for why in hedgerow.verify(tmp_path / "release").refuted)


NO_KEY = "The publisher states that the column pid does not identify people; this was not checked."


def test_the_certificate_repeats_that_a_column_is_no_key(tmp_path: Path) -> None:
    columns = COLUMNS | {"pid": {"role": "identifier", "key": False}}
    path = plan_file(tmp_path, FIVE_VISITS, columns=columns, publish={"to": "release"})
    release = hedgerow.publish(path)
    assert release.certificate["plan"]["not_keys"] == ["pid"]
    assert NO_KEY in release.certificate["protected"]
    assert not hedgerow.verify(tmp_path / "release", plan=path).refuted
    (tmp_path / "other").mkdir()
    other = plan_file(tmp_path / "other", FIVE_VISITS, one_row_per_person=True)
    assert hedgerow.verify(tmp_path / "release", plan=other).refuted
    file = tmp_path / "release" / "certificate.json"
    told = json.loads(file.read_text())
    del told["plan"]["not_keys"]
    file.write_text(as_text(told), "utf-8")
    assert any("words" in why for why in hedgerow.verify(tmp_path / "release").refuted)


def test_nothing_is_reserved_before_the_question(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    path = plan_file(
        tmp_path, FIVE_VISITS, population="p", ledger=str(ledger), publish={"to": "release"}
    )
    with pytest.raises(DataError, match=ASKS):
        hedgerow.publish(path)
    with Ledger.open(str(ledger)) as book:
        assert not list(book.entries())


NOISY = {
    "pid": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "domain": ["40", "41"]},
    "disease": {"role": "sensitive", "domain": list("abcde")},
}


def test_differential_privacy_asks_too(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    said = {"columns": NOISY, "privacy": "add-remove", "population": "p", "ledger": str(ledger)}
    table = pd.DataFrame(FIVE_VISITS)
    with Ledger.open(str(ledger)) as book:
        book.set_budget("p", Amounts.of(epsilon=10))
    with (
        hedgerow.session(table, name="t", **said) as questions,
        pytest.raises(DataError, match=ASKS),
    ):
        questions.count(epsilon=1)
    noisy = {"search": "marginals", "epsilon": 1, "tables": [["age"]]}
    with pytest.raises(DataError, match=ASKS):
        hedgerow.publish(table, method=noisy, **said)
    with Ledger.open(str(ledger)) as book:
        assert not [one for one in book.entries() if one.kind != Kind.BUDGET]
    with hedgerow.session(table, name="t", one_row_per_person=True, **said) as questions:
        assert STATED in questions.count(epsilon=1).notes
    release = hedgerow.publish(
        table, method=noisy, one_row_per_person=True, to=tmp_path / "noisy", **said
    )
    assert release.certificate["counting"]["one_row_per_person"] is True
    assert STATED in release.certificate["protected"]
    assert not hedgerow.verify(tmp_path / "noisy").refuted
    said["columns"] = NOISY | {"pid": {"role": "identifier", "key": False}}
    release = hedgerow.publish(table, method=noisy, to=tmp_path / "no key", **said)
    assert release.certificate["counting"]["not_keys"] == ["pid"]
    assert NO_KEY in release.certificate["protected"]
    assert not hedgerow.verify(tmp_path / "no key").refuted
    with hedgerow.session(table, name="t", **said) as questions:
        assert NO_KEY in questions.count(epsilon=2).notes


@pytest.mark.parametrize(
    ("name", "role", "values", "key"),
    [
        ("pid", "identifier", ["1", "1"], True),
        ("pid", "identifier", ["1", "2"], False),  # nobody stands twice
        ("pid", "identifier", ["1", None], False),
        ("name", "identifier", ["Ann Lee", "Ann Lee"], False),
        ("name", "identifier", ["Ann", "Ann"], False),
        ("address", "identifier", ["12 Main Street", "12 Main Street"], False),
        ("born", "identifier", ["1999-01-31", "1999-01-31"], False),
        ("mail", "identifier", ["a@b.org", "a@b.org"], True),
        ("subject id", "identifier", ["ab", "ab"], True),
        ("zip", "identifier", ["10115"] * 3, False),  # says where, not who
        ("fnlwgt", "quasi-identifier", ["1", "2", "3", "1"], False),  # a measured number
        ("patient_nbr", "insensitive", ["1", "2", "3", "1"], True),
        ("patient_nbr", "insensitive", ["1", "1", "1", "1"], True),
        ("subject", "quasi-identifier", ["S100"] * 5 + ["S101"] * 5, True),
        ("Patient ID", "sensitive", ["a"] * 5 + ["b"] * 5, True),
        ("subjectid", "insensitive", ["7"] * 5 + ["8"] * 5, True),
        ("nhs_number", "quasi-identifier", ["7"] * 5 + ["8"] * 5, True),
        ("subject", "sensitive", ["maths"] * 5 + ["art"] * 5, False),
        ("covid", "sensitive", ["0", "0", "0", "1", "1"], False),
        ("patient_age", "quasi-identifier", ["40", "41", "42", "40"], False),
        ("household_id", "quasi-identifier", ["1", "1", "2", "2"], True),
        ("household_id", "quasi-identifier", ["1", "1", "1", "2", "2"], False),
        ("number", "insensitive", ["1", "1", "2", "2"], True),
        ("credit_card", "identifier", ["4929123"] * 5 + ["4929124"] * 5, True),
        ("birth_code", "identifier", ["1234567"] * 5 + ["1234568"] * 5, True),
        ("guard", "identifier", ["B12"] * 5 + ["B13"] * 5, True),
        ("bill", "identifier", ["764.6", "1764.65", "764.6"], False),
        ("bill", "identifier", ["1234567.0", "1234568.0", *["1234567.0"] * 5], True),
        ("inctot", "identifier", ["45000"] * 5 + ["12000"] * 5, False),
        ("ward", "insensitive", ["a1", "a2", "a3", "a1"], False),
    ],
)
def test_which_columns_number_people(name: str, role: str, values: list[str], key: bool) -> None:
    table = pd.DataFrame({name: values, "x": list(range(len(values)))})
    with open_engine(table) as engine:
        found = repeated(engine, {name: Role(role), "x": Role.SENSITIVE})
        assert [one.name for one in found.keys] == [name] * key
        if key is False and len({*values}) < len(values) and role == "identifier":
            assert [one.name for one in found.names] == [name], "never silence"
            forced = repeated(engine, {name: Role(role)}, {name: True})
            assert [one.name for one in forced.keys] == [name]


def test_a_person_column_that_is_finer_than_another_key_stops() -> None:
    """Encounters are unique; the patients behind them are not."""
    table = pd.DataFrame(
        {"encounter_id": list("123"), "patient_nbr": list("778"), "age": ["40"] * 3}
    )
    columns = {"encounter_id": "identifier", "patient_nbr": "identifier", "age": "quasi-identifier"}
    with pytest.raises(DataError, match=r"2 values, each .* of 'encounter_id' \(3\)"):
        hedgerow.check(table, columns=columns, protect=[{"k-anonymity": 2}], person="encounter_id")
    found = hedgerow.check(
        table, columns=columns, protect=[{"k-anonymity": 2}], person="patient_nbr", rows="one"
    )
    assert found[0].level == 2


def test_names_that_repeat_get_a_note(tmp_path: Path) -> None:
    table = {"pid": ["Ann", "Ann", "Bo"], "age": ["40"] * 3, "disease": list("abc")}
    columns = {"pid": "identifier"} | {k: v for k, v in COLUMNS.items() if k != "pid"}
    named = {("name" if k == "pid" else k): v for k, v in columns.items()}
    table = {("name" if k == "pid" else k): v for k, v in table.items()}
    path = plan_file(tmp_path, table, columns=named, protect=[{"k-anonymity": 3}])
    done = CliRunner().invoke(app, ["check", str(path), "--json"])
    assert done.exit_code == 0
    (note,) = json.loads(done.stdout)["notes"]
    assert note.startswith("2 values of 'name' stand in 3 rows.")
    assert note in hedgerow.publish(path).notes


def test_init_asks_and_writes_the_answer(tmp_path: Path) -> None:
    plan_file(tmp_path, FIVE_VISITS)
    data, to = str(tmp_path / "data.csv"), str(tmp_path / "first.yaml")
    done = CliRunner().invoke(app, ["init", data, "--to", to])
    assert done.exit_code == 2
    assert "--person pid" in done.stderr
    assert "--one-row-per-person" in done.stderr
    assert not Path(to).exists()
    done = CliRunner().invoke(app, ["init", data, "--to", to, "--person", "pid"])
    assert done.exit_code == 0
    assert Plan.read(to).person == "pid"
    write_plan(data, Path(to), replace=True, one_row_per_person=True)
    assert Plan.read(to).one_row_per_person
    with pytest.raises(PlanError, match="several rows"):
        write_plan(data, Path(to), replace=True, person="pid", one_row_per_person=True)


def test_verify_asks_of_a_foreign_file(tmp_path: Path) -> None:
    columns = COLUMNS | {"pid": {"role": "insensitive", "key": True}}
    path = plan_file(tmp_path, FIVE_VISITS, columns=columns)
    with pytest.raises(DataError, match=ASKS):
        hedgerow.verify(tmp_path / "data.csv", plan=path)


def test_init_asks_of_a_subject_that_is_no_identifier(tmp_path: Path) -> None:
    who = [f"S{100 + i}" for i in range(4) for _ in range(5)]
    plan_file(tmp_path, {"subject": who, "age": ["40"] * 20, "disease": list("abcde") * 4})
    done = CliRunner().invoke(
        app, ["init", str(tmp_path / "data.csv"), "--to", str(tmp_path / "p.yaml")]
    )
    assert done.exit_code == 2
    assert "'subject' looks like a person ID. It has 4 different values in 20 rows" in done.stderr


def test_doctors_beside_patients(tmp_path: Path) -> None:
    """Six patients, two doctors whom each has: both numbers are told right, and may be answered."""
    table = {
        "patient_id": [f"{i}" for i in range(6) for _ in range(2)],
        "doctor_id": ["1", "2"] * 6,
        "age": ["40"] * 12,
    }
    plan_file(tmp_path, table)
    data, to = str(tmp_path / "data.csv"), tmp_path / "first.yaml"
    init = ["init", data, "--to", str(to), "--person", "patient_id"]
    done = CliRunner().invoke(app, [*init, "--json"])
    assert done.exit_code == 2
    told = json.loads(done.stdout)["error"]
    assert told["what"] == (
        "'doctor_id' also looks like a person ID: 2 values, each may stand with several values of "
        "'patient_id' (6)"
    )
    assert "--not-a-key doctor_id" in told["fix"]
    assert CliRunner().invoke(app, [*init, "--not-a-key", "doctor_id"]).exit_code == 0
    assert Plan.read(to).columns["doctor_id"].key is False
    columns = {"patient_id": "identifier", "doctor_id": "identifier", "age": "quasi-identifier"}
    with pytest.raises(DataError, match="2 values, each may stand") as stopped:
        hedgerow.check(
            pd.DataFrame(table), columns=columns, protect=[{"k-anonymity": 2}],
            person="patient_id", rows="one",
        )  # fmt: skip
    assert "add `key: false` to 'doctor_id'" in str(stopped.value.fix)
    with pytest.raises(DataError, match="no column 'doctor'"):
        write_plan(data, to, replace=True, person="patient_id", not_keys=["doctor"])


@pytest.mark.parametrize(
    "ids",
    [["7", "07", "7.0", " 7"], ["a7", "A7", "A 7", "0a7"], ["12-3", "1-23", "123", "1\t23"]],
)
def test_an_id_in_several_spellings_repeats(ids: list[str]) -> None:
    frame = pd.DataFrame({"pid": ids, "q": ["x"] * 4})
    said = {"columns": {"q": "quasi-identifier"}, "protect": [{"k-anonymity": 4}]}
    with pytest.raises(DataError, match="It has 1 value in 4 rows"):
        hedgerow.publish(
            frame, **said | {"columns": {"pid": "identifier", "q": "quasi-identifier"}}
        )
    with pytest.raises(DataError, match="'pid' has 4 different IDs, but 1 if case, blanks,"):
        hedgerow.publish(frame, **said, person="pid")


def test_ids_that_differ_are_different() -> None:
    frame = pd.DataFrame({"pid": ["7", "70", "7.5", "a7", "7a"], "q": ["x"] * 5})
    release = hedgerow.publish(
        frame, columns={"q": "quasi-identifier"}, protect=[{"k-anonymity": 5}], person="pid"
    )
    assert release.rows == 5
