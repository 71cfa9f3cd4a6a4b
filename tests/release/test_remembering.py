"""What a ledger makes of releases of the same people: compared, refused, or given back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow import KMap
from hedgerow.base.errors import ClaimError, DataError, HedgerowError, PlanError
from hedgerow.cli import app
from hedgerow.engines.duckdb import DuckDBEngine
from hedgerow.ledger import Ledger
from hedgerow.release.partition.fingerprint import key_of
from hedgerow.release.partition.ledger_record import Memory

QI = "quasi-identifier"
ALL: dict[str, Any] = {"role": QI, "hierarchy": "suppression"}


def publish(
    folder: Path, to: str, rows: str, columns: dict[str, Any], *protect: Any, **more: Any
) -> Any:
    """Publish a CSV under the ledger of the folder."""
    source = folder / f"{to}.csv"
    source.write_text(rows.replace(" ", "\n") + "\n", "utf-8")
    plan = hedgerow.Plan.of(
        columns=columns, protect=list(protect), population="town", source=source,
        ledger=folder / "ledger.db", publish={"to": str(folder / to), **more.pop("form", {})},
        **more,
    )  # fmt: skip
    return hedgerow.publish(plan)


K1 = {"marketer-risk": 1}
HALF = {"composition": {"of": "ill", "confidence": 0.5}}


@pytest.mark.parametrize("role", ["insensitive", QI])
def test_a_secret_that_was_none_before(tmp_path: Path, role: str) -> None:
    first = {"age": QI, "ill": role, "other": "sensitive"}
    publish(tmp_path, "one", "age,ill,other 30,flu,x 30,gout,x 31,acne,x", first, K1)
    rows = "age,sex,ill 30,M,flu 31,M,acne"
    second = {"age": ALL, "sex": QI, "ill": "sensitive"}
    with pytest.raises(PlanError, match="cannot be compared"):
        publish(tmp_path, "two", rows, second, HALF)
    told = publish(tmp_path, "three", rows, second, {"k-anonymity": 2})
    assert told.notes[0].startswith("Warning: not compared with ")


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_a_quasi_identifier_that_was_none_before(tmp_path: Path, role: str) -> None:
    first = {"age": role, "sex": QI, "ill": "sensitive"}
    publish(tmp_path, "one", "age,sex,ill 30,M,flu 31,M,gout", first, {"k-anonymity": 2})
    second = {"age": ALL, "sex": QI, "ill": "sensitive"}
    with pytest.raises(PlanError, match=f"'age' was {role} there"):
        publish(tmp_path, "two", "age,sex,ill 30,M,flu 31,M,gout", second, HALF)


def test_groups_of_labels_are_remembered(tmp_path: Path) -> None:
    bins = {"role": QI, "hierarchy": {"bins": [[["none", "mild"], ["severe"]]]}, "levels": [1, 1]}
    publish(tmp_path, "one", "pain,ill none,acne none,flu mild,gout severe,acne severe,hiv",
            {"pain": bins, "ill": "sensitive"}, {"k-anonymity": 2})  # fmt: skip
    with pytest.raises(ClaimError, match="one possible ill"):
        publish(tmp_path, "two", "pain,ill mild,gout mild,zz",
                {"pain": QI, "ill": "sensitive"}, {"k-anonymity": 2}, HALF)  # fmt: skip


def test_what_was_missing_and_what_was_not(tmp_path: Path) -> None:
    roles = {"age": QI, "ill": "sensitive"}
    publish(tmp_path, "one", "age,ill ?,gout ?,acne 3,flu 3,acne", roles, {"k-anonymity": 2})
    with pytest.raises(ClaimError, match="one possible ill"):
        publish(
            tmp_path, "two", "age,ill ?,gout ?,cold", roles, {"k-anonymity": 2}, HALF, null=["?"]
        )
    other = tmp_path / "other"
    other.mkdir()
    publish(
        other, "one", "age,ill ?,gout ?,acne 3,flu 3,acne", roles, {"k-anonymity": 2}, null=["?"]
    )
    with pytest.raises(ClaimError, match="one possible ill"):
        publish(other, "two", "age,ill ?,gout ?,cold", roles, {"k-anonymity": 2}, HALF)


def with_(path: Path) -> dict[str, Any]:
    return {"composition": {"of": "ill", "confidence": 0.5, "with": [str(path)]}}


def test_labels_of_others_that_nobody_reads(tmp_path: Path) -> None:
    """A folder without its taxonomy; a file with one suppressed row; masks and a short zip."""
    tree = {"role": QI, "hierarchy": {"taxonomy": {"Europe": ["Polish"], "America": ["Peruvian"]}},
            "levels": [1, 1]}  # fmt: skip
    hedgerow.publish(
        pd.DataFrame({"nat": ["Polish", "Polish", "Peruvian"], "ill": ["flu", "gout", "acne"]}),
        columns={"nat": tree, "ill": "sensitive"}, protect=[K1], to=tmp_path / "one",
    )  # fmt: skip
    table = pd.DataFrame({"nat": ["Polish", "Polish"], "ill": ["flu", "hiv"]})
    columns = {"nat": QI, "ill": "sensitive"}
    with pytest.raises(DataError, match="cannot be read"):
        hedgerow.publish(table, columns=columns, protect=[with_(tmp_path / "one")])
    file = tmp_path / "arx.csv"
    file.write_text("nat,ill\nEurope,flu\nEurope,gout\n*,flu\n*,hiv\n", "utf-8")
    with pytest.raises(DataError, match="cannot be read"):
        hedgerow.publish(table, columns=columns, protect=[with_(file)])
    masks = tmp_path / "masks.csv"
    masks.write_text("zip,ill\n13*,flu\n13*,gout\n", "utf-8")
    zips = pd.DataFrame({"zip": ["13053", "13053", "130"], "ill": ["flu", "hiv", "hiv"]})
    with pytest.raises(ClaimError, match="one possible ill"):
        hedgerow.publish(zips, columns={"zip": ALL, "ill": "sensitive"}, protect=[K1, with_(masks)])


def test_values_spelled_otherwise(tmp_path: Path) -> None:
    roles = {"age": QI, "ill": "sensitive"}
    rows = "age,ill 30,+ 30,-x 31,+ 31,=y"
    publish(tmp_path, "one", rows, roles, {"k-anonymity": 2}, form={"escape_formulas": True})
    with pytest.raises(ClaimError, match="one possible ill"):
        hedgerow.publish(
            pd.DataFrame({"age": ["30", "30"], "ill": ["+", "zz"]}), columns=roles,
            protect=[{"k-anonymity": 2}, with_(tmp_path / "one")],
        )  # fmt: skip
    dates = tmp_path / "dates.csv"
    dates.write_text("age,ill\n30,2020-01-01\n30,2020-01-02\n", "utf-8")
    with pytest.raises(ClaimError, match="one possible ill"):
        hedgerow.publish(
            pd.DataFrame({"age": ["30", "30"], "ill": ["2020-01-01 00:00:00", "zz"]}),
            columns=roles, protect=[{"k-anonymity": 2}, with_(dates)],
        )  # fmt: skip


# The same again

ROLES = {"age": {"role": QI, "hierarchy": {"ranges": [10]}}, "ill": "sensitive"}
ROWS = "age,ill 30,flu 31,gout 32,flu 45,gout 46,flu"


def plan_of(folder: Path, **more: Any) -> hedgerow.Plan:
    given: dict[str, Any] = {
        "columns": ROLES, "protect": [{"k-anonymity": 2}], "population": "town",
        "source": folder / "a.csv", "ledger": folder / "ledger.db",
        "publish": {"to": str(folder / "out")},
    }  # fmt: skip
    return hedgerow.Plan.of(**(given | more))


def test_another_table_of_a_database_is_another_release(tmp_path: Path) -> None:
    base = tmp_path / "x.duckdb"
    with duckdb.connect(str(base)) as connection:
        for name, ages in (("t1", "(30), (31)"), ("t2", "(50), (51)")):
            connection.execute(
                f"CREATE TABLE {name} AS SELECT a AS age, 'flu' AS ill FROM (VALUES {ages}) v(a)"
            )
    first = plan_of(tmp_path, source=f"{base}::t1")
    assert not hedgerow.publish(first).again
    assert hedgerow.publish(first).again
    with pytest.raises(HedgerowError, match="exists already"):
        hedgerow.publish(plan_of(tmp_path, source=f"{base}::t2"))


def test_a_recoding_that_was_applied_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ROWS.replace(" ", "\n") + "\n", "utf-8")
    coarse = plan_of(tmp_path, protect=[{"k-anonymity": 5}], publish={"to": str(tmp_path / "big")})
    hedgerow.publish(coarse)
    fine = plan_of(tmp_path)
    hedgerow.publish(fine, recoding=tmp_path / "big")
    assert hedgerow.publish(fine, recoding=tmp_path / "big").again
    with pytest.raises(HedgerowError, match="exists already"):
        hedgerow.publish(fine)


def test_an_outside_population_in_memory_is_never_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ROWS.replace(" ", "\n") + "\n", "utf-8")
    people = pd.DataFrame({"age": [30, 31, 32, 33, 45, 46, 47]})
    plan = plan_of(tmp_path, protect=[hedgerow.KMap(k=3)])
    hedgerow.publish(plan, population_table=people)
    with pytest.raises(HedgerowError, match="exists already"):
        hedgerow.publish(plan, population_table=people)


def test_a_source_that_changes_meanwhile(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text(ROWS.replace(" ", "\n") + "\n", "utf-8")

    def change(what: str, share: float | None) -> None:
        if what.startswith("measuring"):
            source.write_text("age,ill\n70,flu\n71,gout\n", "utf-8")

    with pytest.raises(DataError, match="changed while"):
        hedgerow.publish(plan_of(tmp_path), progress=change)
    assert not (tmp_path / "out").exists()
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        assert ledger.budget("town").releases == 0


def test_whose_rows_they_are_is_asked_again_where_a_change_would_not_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has no hash may change while somebody else has the ledger, before it is reserved."""
    file, outside = tmp_path / "a.csv", pd.DataFrame({"age": ["30", "40"] * 10})
    ages = [str(30 + 10 * (i % 2)) for i in range(12)]
    rows = [f"p{i},{age},flu" for i, age in enumerate(ages)]
    file.write_text("\n".join(["id,age,ill", *rows]) + "\n", "utf-8")
    one = ["victim,30,flu"] * 5 + ["victim,30,gout"]
    look_back = Memory.look_back

    def wait(memory: Memory) -> None:
        file.write_text("\n".join(["id,age,ill", *rows[1::2], *one]) + "\n", "utf-8")
        look_back(memory)

    monkeypatch.setattr(Memory, "look_back", wait)
    with pytest.raises(DataError, match="1 person has rows with different values of 'ill'"):
        hedgerow.publish(
            file, population="town", ledger=tmp_path / "ledger.db", person="id", rows="one",
            columns={"id": "identifier", "age": "quasi-identifier", "ill": "sensitive"},
            protect=[KMap(k=3)], population_table=outside, to=tmp_path / "out",
        )  # fmt: skip
    assert not (tmp_path / "out").exists()
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        assert [str(entry.kind) for entry in ledger.entries()] == ["RESERVE", "FAILED"]


def test_a_folder_among_the_inputs(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ROWS.replace(" ", "\n") + "\n", "utf-8")
    hedgerow.publish(
        tmp_path / "a.csv",
        columns=ROLES,
        protect=[hedgerow.KAnonymity(k=5)],
        to=tmp_path / "theirs",
    )
    plan = plan_of(tmp_path, protect=[{"k-anonymity": 2}, with_(tmp_path / "theirs")])
    hedgerow.publish(plan)
    assert hedgerow.publish(plan).again
    (tmp_path / "theirs" / "certificate.json").touch()
    assert hedgerow.publish(plan).again


def test_check_makes_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ROWS.replace(" ", "\n") + "\n", "utf-8")
    with pytest.raises(HedgerowError):
        hedgerow.check(plan_of(tmp_path, protect=[HALF]))
    assert not (tmp_path / "ledger.db").exists()


def test_a_certificate_names_only_what_was_compared(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ROWS.replace(" ", "\n") + "\n", "utf-8")
    secret = plan_of(tmp_path, publish={"to": str(tmp_path / "for-insurer-ACME")})
    hedgerow.publish(secret)
    publish(tmp_path, "else", "age,job 30,cook 30,nurse", {"age": QI, "job": "sensitive"}, K1)
    release = hedgerow.publish(plan_of(tmp_path, protect=[{"k-anonymity": 3}]))
    (named,) = release.certificate["with"]
    assert named.startswith("entry 2 of the ledger, ")
    assert any("has no column 'ill'" in note for note in release.notes)


@pytest.mark.parametrize("loading", [False, True])
def test_interrupted_after_it_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loading: bool
) -> None:
    (tmp_path / "a.csv").write_text(ROWS.replace(" ", "\n") + "\n", "utf-8")

    def interrupt(*anything: Any, **more: Any) -> None:
        if loading:  # compiled code
            raise SystemError from KeyboardInterrupt()
        raise KeyboardInterrupt

    monkeypatch.setattr("hedgerow.release.destination.deliver", interrupt)
    with pytest.raises(KeyboardInterrupt, match="is in the ledger"):
        hedgerow.publish(plan_of(tmp_path))


PLAN_WITH_A_FILE = """\
population: town
ledger: ledger.db
source: people.csv
columns:
  age: {role: quasi-identifier, hierarchy: ages.csv}
  ill: sensitive
protect:
  - k-anonymity: 2
publish: {to: out}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,ill\n30,flu\n30,gout\n31,acne\n31,flu\n", "utf-8")
    (tmp_path / "ages.csv").write_text("30,*\n31,*\n", "utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN_WITH_A_FILE, "utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    return tmp_path


def test_a_file_is_the_same_however_its_place_is_written(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = set()
    for spelt in ("ages.csv", "./ages.csv", "sub/../ages.csv", str(place / "ages.csv")):
        Path("spelt.yaml").write_text(PLAN_WITH_A_FILE.replace("ages.csv", spelt), "utf-8")
        for plan in (
            "spelt.yaml",
            str(place / "spelt.yaml"),
            "sub/../spelt.yaml",
            "link/spelt.yaml",
        ):
            keys.add(key_of(hedgerow.Plan.read(plan)))
    monkeypatch.chdir(place / "sub")
    keys.add(key_of(hedgerow.Plan.read("../spelt.yaml")))
    assert len(keys) == 1
    Path("ages.csv").write_text("30,*\n31,*\n", "utf-8")
    Path("plan.yaml").write_text(PLAN_WITH_A_FILE, "utf-8")
    assert key_of(hedgerow.Plan.read("plan.yaml")) not in keys, "another file"


def test_the_same_release_is_known_again_from_elsewhere_until_a_file_changes(place: Path) -> None:
    assert not hedgerow.publish("plan.yaml").again
    assert hedgerow.publish(place / "plan.yaml", replace=True).again
    assert hedgerow.publish(hedgerow.Plan.read("sub/../plan.yaml"), replace=True).again
    Path("ages.csv").write_text("30,30-31,*\n31,30-31,*\n", "utf-8")
    assert not hedgerow.publish("plan.yaml", replace=True).again


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ((), None),
        (("out.internal.html",), "There is no internal report, and none was made: "),
        (("out/report.html",), "There is no report.html in the release, and none was made: "),
        (("out.internal.html", "out/report.html"), "no internal report and no report.html in the"),
    ],
)
def test_reports_that_are_gone_are_told_and_not_made_without_a_look(
    place: Path, monkeypatch: pytest.MonkeyPatch, gone: tuple[str, ...], said: str | None
) -> None:
    hedgerow.publish("plan.yaml")
    for name in gone:
        Path(name).unlink()

    def look(*anything: object, **more: object) -> Any:
        raise AssertionError("the data were looked at")

    with monkeypatch.context() as watched:
        # The first rows say whether the table has a header and whose rows these are.
        for name in ("counts", "tally", "write", "distinct", "profile"):
            watched.setattr(DuckDBEngine, name, look)
        again: Any = hedgerow.publish("plan.yaml")
    assert again.again
    assert not any(Path(name).exists() for name in gone)
    if said is None:
        assert again.notes == ()
        return
    (note,) = again.notes
    assert said in note
    command = re.search(r"`hedgerow (.*)`", note)
    assert command is not None
    arguments = command[1].replace("PLAN", "plan.yaml").split()
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert all(Path(name).exists() for name in gone), "the command that it names makes them"


def test_who_wants_no_internal_report_is_not_told_of_it(place: Path) -> None:
    hedgerow.publish("plan.yaml", report=False)
    again: Any = hedgerow.publish("plan.yaml", report=False)
    assert (again.again, again.notes) == (True, ())
