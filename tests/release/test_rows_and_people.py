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
from hedgerow.base.errors import DataError, PlanError
from hedgerow.cli import app
from hedgerow.engines import open_engine
from hedgerow.ledger import Amounts, Ledger
from hedgerow.ledger.entry import EntryKind
from hedgerow.plan.guess import write_plan
from hedgerow.release.certificate_text import as_text
from hedgerow.table.person_keys import repeated
from hedgerow.table.schema import AS_WRITTEN, STATED, Role

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


def test_init_does_not_publish_hashes_as_they_are(tmp_path: Path) -> None:
    """60 people with five rows each: publishing what init wrote certified each as five people."""
    hashes = [f"{(7919 * 10**35 * (i + 3)) % 16**32:032x}" for i in range(60)]
    table = {
        "person_hash": [one for one in hashes for _ in range(5)],
        "age": [str(20 + i % 50) for i in range(60) for _ in range(5)],
        "illness": ["flu", "gout", "hiv"] * 100,
    }
    plan_file(tmp_path, table)
    data, to = str(tmp_path / "data.csv"), tmp_path / "first.yaml"
    done = CliRunner().invoke(app, ["init", data, "--to", str(to)])
    assert done.exit_code == 0
    first = Plan.read(to)
    assert (first.person, first.rows) == ("person_hash", 1)
    assert hedgerow.publish(first, to=tmp_path / "first").rows <= 60
    write_plan(data, to, one_row_per_person=True, replace=True)
    assert Plan.read(to).columns["person_hash"].role is Role.IDENTIFIER
    columns = {"person_hash": "quasi-identifier", "age": "quasi-identifier", "illness": "sensitive"}
    with pytest.raises(DataError, match="'person_hash' looks like a person ID"):
        hedgerow.check(pd.DataFrame(table), columns=columns, protect=[{"k-anonymity": 5}])
    columns["person_hash"] = {"role": "quasi-identifier", "key": False}
    assert hedgerow.check(pd.DataFrame(table), columns=columns, protect=[{"k-anonymity": 5}])


BLANKS = {
    "pid": ["P100", None, None, None, None],
    "age": ["40"] * 5,
    "disease": list("abcde"),
}
"""A patient's ID in the first of the patient's rows only."""
HAS_NONE = "'pid' looks like a person ID. It has a value in 1 rows, and none in 4, so one person"


@pytest.mark.parametrize("role", ["identifier", "insensitive"])
def test_rows_without_an_id_are_nobodys(tmp_path: Path, role: str) -> None:
    columns = COLUMNS | {"pid": {"role": role}}
    said = {"columns": columns, "protect": [{"k-anonymity": 5}]}
    with pytest.raises(DataError, match=HAS_NONE) as stopped:
        hedgerow.publish(pd.DataFrame(BLANKS), **said)
    assert "Say in the data whose rows these are." in str(stopped.value.fix)
    path = plan_file(tmp_path, BLANKS, **said)
    with pytest.raises(DataError, match=HAS_NONE):
        hedgerow.verify(tmp_path / "data.csv", plan=path)
    done = CliRunner().invoke(
        app, ["init", str(tmp_path / "data.csv"), "--to", str(tmp_path / "p.yaml")]
    )
    assert done.exit_code == 2
    assert HAS_NONE in done.stderr
    noisy = NOISY | {"pid": {"role": role}}
    ledger = str(tmp_path / "ledger.db")
    more = {"columns": noisy, "privacy": "add-remove", "population": "p", "ledger": ledger}
    with Ledger.open(ledger) as book:
        book.set_budget("p", Amounts.of(epsilon=10))
    with (
        hedgerow.session(pd.DataFrame(BLANKS), name="t", **more) as questions,
        pytest.raises(DataError, match=HAS_NONE),
    ):
        questions.count(epsilon=1)


def test_empty_lines_are_nobody(tmp_path: Path) -> None:
    table = {"age": ["40", "40", "", " "], "disease": ["a", "b", "", ""]}
    columns = {name: role for name, role in COLUMNS.items() if name != "pid"}
    path = plan_file(tmp_path, table, columns=columns, protect=[{"k-anonymity": 2}])
    data = tmp_path / "data.csv"
    empty = "2 rows are empty in every column"
    with pytest.raises(DataError, match=empty) as stopped:
        hedgerow.publish(path)
    assert str(data) in str(stopped.value)
    with pytest.raises(DataError, match=empty):
        hedgerow.verify(data, plan=path)
    with pytest.raises(DataError, match=empty):
        write_plan(data, tmp_path / "first.yaml")
    table["age"][3] = ""
    stated = plan_file(
        tmp_path, table, columns=columns, protect=[{"k-anonymity": 2}], one_row_per_person=True
    )
    assert hedgerow.publish(stated).rows == 4


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
        assert not [one for one in book.entries() if one.kind != EntryKind.BUDGET]
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


NO_KEYS = [
    ("place", ["12345", "90210"]),
    ("place", ["SW1A 1AA", "EC1A 1BB"]),
    ("zip", ["12345-6789", "90210-1234"]),
    ("found", ["E11.9", "S72.001A"]),
    ("found", ["S72.001A", "S72.002A"]),
    ("icd", ["S72001AXX1", "S72002AXX2"]),
    ("day", ["20240131", "20231224"]),
    ("day", ["31012024", "24122023"]),
    ("day", ["31JAN2024", "24DEC2023"]),
    ("day", ["31-Jan-2024", "24-Dec-2023"]),
    ("day", ["2024/01/31", "2023/12/24"]),
    ("seen", ["2024-01-31T10:15:00.123Z", "2023-12-24T00:00:00Z"]),
    ("seen", ["20240131T101500", "20231224T000000"]),
    ("seen", ["1/31/2024 10:15:00 AM", "12/24/2023 1:00:00 PM"]),
    ("created", ["1706696100", "1703372400"]),
    ("fnlwgt", ["215646", "83311"]),
    ("paid", ["45000000", "39500000"]),
    ("paid", ["12,345,678", "98,765,432"]),
    ("paid", ["12.345.678", "98.765.432"]),
    ("paid", ["12345678.25", "98765432.50"]),
    ("paid", ["123", "12345", "1234567", "123456789"]),
    ("brackets", ["10000-19999", "20000-29999"]),
    ("brackets", ["10000 to 19999", "20000 to 29999"]),
    ("brackets", ["[10000, 20000)", "[20000, 30000)"]),
    ("weeks", ["?", "1-13_weeks", "14-26_weeks", "50-52_weeks"]),
    ("where", ["52.520008", "13.404954"]),
    ("where", ["52.520008, 13.404954", "48.137154, 11.576124"]),
    ("where", ["52.520008 13.404954", "48.137154 11.576124"]),
    ("arm", ["Treatment1", "Treatment2"]),
    ("school", ["9th-12th-no-diploma", "Bachelors", "Masters"]),
    ("flag", ["True", "False"]),
    ("net", ["-12345678", "-87654321"]),
]
"""Dates, places, amounts and labels: whose they are nobody can say."""


@pytest.mark.parametrize(
    ("name", "role", "values", "key"),
    [
        ("pid", "identifier", ["1", "1"], True),
        ("pid", "identifier", ["1", "2"], False),  # nobody stands twice
        ("pid", "identifier", ["1", None], True),  # whose is the second row?
        ("pid", "insensitive", ["1", None], True),
        ("name", "identifier", ["Ann", None], False),
        ("ward", "insensitive", ["a1", None], False),
        ("person_hash", "quasi-identifier", [f"{i:032x}" for i in (10**37, 10**38)] * 5, True),
        ("household", "sensitive", ["c2a7f1de-0b5c-4c1e-9f6e-0d8a4e1b7f23"] * 5, True),
        ("pseudonym", "insensitive", ["u1@x.org", "u2@x.org"] * 9, True),
        ("nino", "quasi-identifier", ["QQ123456C", "AB 12 34 56 D"] * 9, True),
        ("ref", "quasi-identifier", ["90210007", "90210014"] * 9, True),
        ("ref", "quasi-identifier", ["90210007.0", "90210014.0"] * 9, True),
        ("enrollee", "insensitive", ["STUDY-00123", "STUDY-00124"] * 9, True),
        ("patnr", "insensitive", ["19900101-1234", "19850630-7652"] * 9, True),
        ("token", "sensitive", ["aGVsbG8gd29ybGQh1A==", "c29tZSBvdGhlciB0b2tlbg9="] * 9, True),
        ("ref", "insensitive", ["00000001-aaaa-bbbb-cccc-dddddddddddd"] * 9, True),
        ("ref", "insensitive", ["2019-2500", "2019-2501"] * 9, True),
        ("pseudonym", "quasi-identifier", ["P1000", "P1001"] * 9, True),
        ("enrollee", "insensitive", ["7", "8"] * 9, True),
        ("device", "insensitive", ["{C2A7F1DE-0B5C-4C1E-9F6E-0D8A4E1B7F23}"] * 9, True),
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
        *((name, "insensitive", values * 3, False) for name, values in NO_KEYS),
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


@pytest.mark.parametrize("rows", ["one", "at most 2"])
def test_verify_of_a_file_without_the_person_column_verifies_nothing(
    tmp_path: Path, rows: str
) -> None:
    """Releases do not have it; nobody can say whose rows they are."""
    table = {"age": ["40", "40"], "disease": ["a", "b"]}
    columns = {name: role for name, role in COLUMNS.items() if name != "pid"}
    said = {"person": "pid", "rows": rows, "protect": [{"k-anonymity": 2}]}
    path = plan_file(tmp_path, table, columns=columns, **said)
    done = CliRunner().invoke(app, ["verify", str(tmp_path / "data.csv"), "--plan", str(path)])
    assert done.exit_code == 0
    assert "Not verifiable from outside: 2-anonymity" in done.output
    assert "0 of 1 claims verified" in " ".join(done.output.split())


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
    assert CliRunner().invoke(app, init).exit_code == 0
    assert Plan.read(to).columns["doctor_id"].role is Role.QUASI_IDENTIFIER, "who treats whom"
    init = ["init", data, "--to", str(to), "--replace", "--person", "patient_id"]
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


def test_init_asks_of_a_second_number_of_people(tmp_path: Path) -> None:
    """Encounters are told apart, and the patients behind them have several."""
    table = {
        "encounter_id": [str(i) for i in range(40)],
        "patient_nbr": [str(70 + i // 2) for i in range(40)],
        "age": ["40"] * 40,
    }
    plan_file(tmp_path, table)
    data, to = str(tmp_path / "data.csv"), tmp_path / "first.yaml"
    init = ["init", data, "--to", str(to), "--person", "encounter_id"]
    done = CliRunner().invoke(app, [*init, "--json"])
    assert done.exit_code == 2
    told = json.loads(done.stdout)["error"]
    assert told["what"] == (
        "'patient_nbr' also looks like a person ID: 20 values, each may stand with several values "
        "of 'encounter_id' (40)"
    )
    assert "--not-a-key patient_nbr" in told["fix"]


@pytest.mark.parametrize(
    "ids",
    [
        ["7", "07", "7.0", " 7"],
        ["a7", "A7", "A 7", "a07"],
        ["12-3", "1-23", "123", "1\t23"],
        ["P7", "P_7", "P/7", "P.7"],
        ["P07", "P007", "P-7", "p 7"],
        ["1001", "1001.00", "1,001", "1.001E3"],
        ["1001", "+1001", "'1001", "1001\n"],
        ["1001", "#1001", "1001.", "1.001e+03"],
        ["P7", "\uff30\uff17", "P\u200b7", "P7\u2009"],
        ["P7", "P\u20117", "P\u00ad7", "\ufeffP7"],
        ["7", "\u0667", "\uff17", "\u096d"],
        ["\u00e97", "e\u03017", "\u00c97", "E7"],
        ["\u0416-7", "\u0436 7", "\u04167", "\u0436\u20147"],
        ["12300000", "1.23e7", "1.230E+07", "123E5"],
    ],
)
def test_an_id_in_several_spellings_repeats(ids: list[str]) -> None:
    frame = pd.DataFrame({"pid": ids, "q": ["x"] * 4})
    said = {"columns": {"q": "quasi-identifier"}, "protect": [{"k-anonymity": 4}]}
    with pytest.raises(DataError, match="It has 1 value in 4 rows"):
        hedgerow.publish(
            frame, **said | {"columns": {"pid": "identifier", "q": "quasi-identifier"}}
        )
    with pytest.raises(DataError, match="'pid' has 4 different IDs, but 1 if case, "):
        hedgerow.publish(frame, **said, person="pid")


POPULATED = [
    {"k-map": {"k": 5, "population": "everybody.csv"}},
    {"delta-presence": {"max": 0.5, "population": "everybody.csv"}},
    {"journalist-risk": {"risk": 0.2, "population": "everybody.csv"}},
]


@pytest.mark.parametrize("claim", POPULATED)
@pytest.mark.parametrize("stated", [False, True])
def test_rows_of_the_population_are_not_people(
    tmp_path: Path, claim: dict[str, object], stated: bool
) -> None:
    """Everybody has six rows there: 6-map in rows is 1-map in people."""
    table = {"age": ["40", "41"], "disease": ["a", "b"]}
    columns = {name: role for name, role in COLUMNS.items() if name != "pid"}
    more = {"one_row_per_person": True} if stated else {}
    path = plan_file(tmp_path, table, columns=columns, protect=[claim], **more)
    everybody = tmp_path / "everybody.csv"
    everybody.write_text("pid,age\n" + "P1,40\n" * 6 + "P2,41\n" * 6)
    with pytest.raises(DataError, match="'pid' looks like a person ID") as stopped:
        hedgerow.check(path)
    assert "everybody.csv" in str(stopped.value)
    assert "Give a population with one row per person." in str(stopped.value.fix)
    everybody.write_text("pid,age\n" + "P1,40\n,40\n" * 6 + "P2,41\n" * 6)
    with pytest.raises(DataError, match="in 12 rows, and none in 6"):
        hedgerow.check(path)
    everybody.write_text("id,age\n" + "".join(f"P{i},{40 + i % 2}\n" for i in range(12)))
    assert hedgerow.check(path)[0].holds
    everybody.write_text("age,sex\n" + "40,f\n41,f\n" * 6 + ",\n")
    with pytest.raises(DataError, match="1 row is empty in every column"):
        hedgerow.check(path)


@pytest.mark.parametrize("blank", ["", " ", "\t", "\t ", "\xa0"])
def test_rows_of_blanks_are_nobody(tmp_path: Path, blank: str) -> None:
    table = {"age": ["40", "40", blank], "disease": ["a", "a", blank]}
    columns = {name: role for name, role in COLUMNS.items() if name != "pid"}
    path = plan_file(tmp_path, table, columns=columns, protect=[{"k-anonymity": 2}])
    with pytest.raises(DataError, match="1 row is empty in every column"):
        hedgerow.check(path)


def test_empty_rows_are_noticed_before_values_are_spelled_otherwise(tmp_path: Path) -> None:
    table = {"age": ["40", "40", ""], "disease": ["?", "?", " "]}
    columns = {"age": "quasi-identifier", "disease": {"role": "sensitive", "spelling": "one"}}
    path = plan_file(tmp_path, table, columns=columns, protect=[{"k-anonymity": 2}])
    with pytest.raises(DataError, match="1 row is empty in every column"):
        hedgerow.check(path)


def test_rows_that_are_empty_where_it_counts_are_somebodys(tmp_path: Path) -> None:
    table = {"who": list("wxyz"), "age": ["40", "40", "", ""], "disease": ["a", "b", "", ""]}
    columns = {"who": "identifier", "age": "quasi-identifier", "disease": "sensitive"}
    path = plan_file(tmp_path, table, columns=columns, protect=[{"k-anonymity": 2}])
    assert hedgerow.check(path)[0].holds


def test_ids_may_be_compared_as_they_are_written(tmp_path: Path) -> None:
    """Site 1, subject 11 is not site 11, subject 1; the steward says so, and so the certificate."""
    frame = pd.DataFrame({"pid": ["1-11", "11-1", "1-12"], "q": ["x"] * 3})
    said = {"protect": [{"k-anonymity": 3}], "person": "pid", "to": tmp_path / "release"}
    columns: dict[str, object] = {"pid": "identifier", "q": "quasi-identifier"}
    with pytest.raises(DataError, match="3 different IDs, but 2 if case") as stopped:
        hedgerow.publish(frame, columns=columns, **said)
    assert "`pid: {role: identifier, key: true}`" in str(stopped.value.fix)
    stated = columns | {"pid": {"role": "identifier", "key": True}}
    release = hedgerow.publish(frame, columns=stated, **said)
    assert release.certificate["plan"]["ids_as_written"] is True
    assert AS_WRITTEN in release.certificate["protected"]
    plan = Plan.of(columns=stated, protect=[{"k-anonymity": 3}], person="pid")
    assert not hedgerow.verify(tmp_path / "release", plan=plan).refuted
    other = Plan.of(columns=columns, protect=[{"k-anonymity": 3}], person="pid")
    assert hedgerow.verify(tmp_path / "release", plan=other).refuted
    file = tmp_path / "release" / "certificate.json"
    told = json.loads(file.read_text())
    del told["plan"]["ids_as_written"]
    file.write_text(json.dumps(told))
    assert any("words" in why for why in hedgerow.verify(tmp_path / "release").refuted)


def test_noisy_releases_say_that_ids_are_compared_as_written(tmp_path: Path) -> None:
    ledger = str(tmp_path / "ledger.db")
    columns = NOISY | {"pid": {"role": "identifier", "key": True}}
    said = {"columns": columns, "population": "p", "ledger": ledger, "person": "pid"}
    said["privacy"] = {"neighbours": "add-remove", "rows": 2}
    table = pd.DataFrame(FIVE_VISITS | {"pid": ["1-11", "11-1", "1", "2", "3"]})
    with Ledger.open(ledger) as book:
        book.set_budget("p", Amounts.of(epsilon=10))
    noisy = {"search": "marginals", "epsilon": 1, "tables": [["age"]]}
    release = hedgerow.publish(table, method=noisy, to=tmp_path / "noisy", **said)
    assert release.certificate["counting"]["ids_as_written"] is True
    assert AS_WRITTEN in release.certificate["protected"]
    assert not hedgerow.verify(tmp_path / "noisy").refuted
    with hedgerow.session(table, name="t", **said) as questions:
        assert AS_WRITTEN in questions.count(epsilon=1).notes


def test_ids_that_differ_are_different() -> None:
    ids = [
        "7",
        "70",
        "700",
        "7.5",
        "a7",
        "7a",
        "a70",
        "1.5e0",
        "1e1",
        "--",
        "??",
        "\u8bd5",
        "\u9a8c",
    ]
    frame = pd.DataFrame({"pid": ids, "q": ["x"] * len(ids)})
    release = hedgerow.publish(
        frame, columns={"q": "quasi-identifier"}, protect=[{"k-anonymity": 5}], person="pid"
    )
    assert release.rows == len(ids)
