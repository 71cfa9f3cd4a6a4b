"""Ages at an event: `read: {ages: ...}`, from the first plan to the certificate."""

from __future__ import annotations

import datetime as dt
import json
import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from contracts.test_read_elsewhere import birthdays

import hedgerow
from hedgerow.api import write_plan
from hedgerow.engines import open_engine
from hedgerow.engines.derived_ages import age
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.source_form import SourceForm
from hedgerow.plan.plan import Plan, PlanErrors
from hedgerow.plan.source_form import form_of, said_in_words

READ = {"ages": {"age": ["born", "admitted"]}}


def patients(folder: Path, rows: int = 400, day: str = "%Y-%m-%d") -> Path:
    pick = random.Random(3)
    lines = ["born,admitted,sex,illness"]
    for i in range(rows):
        born = dt.date(1930, 1, 1) + dt.timedelta(days=pick.randrange(25_000))
        admitted = dt.date(2019, 1, 1) + dt.timedelta(days=pick.randrange(700))
        text = "?" if i % 50 == 0 else born.strftime(day)
        ill = pick.choice(["flu", "gout"])
        lines.append(f"{text},{admitted.strftime(day)},{pick.choice('fm')},{ill}")
    (folder / "patients.csv").write_text("\n".join(lines) + "\n")
    return folder / "patients.csv"


def plan_of(source: Path, **columns: Any) -> Plan:
    roles: dict[str, Any] = {
        "born": "identifier", "admitted": "identifier", "sex": "quasi-identifier",
        "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20, 40]}},
        "illness": "sensitive",
    }  # fmt: skip
    return Plan.of(
        source=source, columns=roles | columns, read=READ, null=["?"], one_row_per_person=True,
        protect=[{"k-anonymity": 5}], method={"suppress": "10%"},
    )  # fmt: skip


def test_a_year_is_over_on_the_birthday() -> None:
    edges = [(1, 1), (2, 28), (2, 29), (3, 1), (12, 31)]
    days = [dt.date(y, *day) for y in (1999, 2000, 2019, 2020) for day in edges
            if day != (2, 29) or y % 4 == 0]  # fmt: skip
    pairs = [(born, at) for born in days for at in days if born <= at]
    with closing(DuckDBSession("here", memory=None, scratch=None)) as session:
        values = ", ".join(f"('{born}', '{at} 12:30:00')" for born, at in pairs)
        found = session.fetch(f"SELECT {age('b', 'a')} FROM (VALUES {values}) AS x(b, a)")
    assert [row[0] for row in found] == [birthdays(*pair) for pair in pairs]
    assert birthdays(dt.date(2000, 2, 29), dt.date(2019, 2, 28)) == 18


def test_dates_are_read_first_and_missing_ones_have_no_age(tmp_path: Path) -> None:
    file = patients(tmp_path, day="%d.%m.%Y")
    form = SourceForm(dates={"born": "dmy", "admitted": "dmy"}, ages={"age": ("born", "admitted")})
    with open_engine(file, form=form, null=["?"]) as engine:
        found = engine.rows(["born", "admitted", "age"], 1000).to_pylist()
    assert sum(row["age"] is None for row in found) == 8
    for row in found:
        if row["age"] is not None:
            both = (dt.date.fromisoformat(row[name]) for name in ("born", "admitted"))
            assert int(row["age"]) == birthdays(*both)


def test_a_release_has_the_age_and_says_so(tmp_path: Path) -> None:
    plan = plan_of(patients(tmp_path))
    release = hedgerow.publish(plan, to=tmp_path / "release")
    assert list(release.to_pandas().columns) == ["sex", "illness", "age"]
    certificate = json.loads((tmp_path / "release" / "certificate.json").read_text())
    assert certificate["plan"]["ages"] == READ["ages"]
    assert "age was counted: whole years from born to admitted" in certificate["protected"]
    assert not hedgerow.verify(tmp_path / "release", plan=plan).refuted
    other = plan.model_copy(update={"source_form": None})
    found = hedgerow.verify(tmp_path / "release", plan=other)
    assert "does not count the ages" in str(found.summary())


@pytest.mark.parametrize(
    ("columns", "where"),
    [
        ({"admitted": "sensitive"}, "columns.admitted"),
        ({"born": "insensitive"}, "columns.born"),
        ({"age": "sensitive"}, "columns.age"),
    ],
)
def test_no_two_of_them_may_tell_the_third(
    tmp_path: Path, columns: dict[str, str], where: str
) -> None:
    with pytest.raises(PlanErrors, match="two of them tell the third") as error:
        plan_of(tmp_path / "t.csv", **columns)
    assert where in str(error.value)


def test_a_policy_is_about_one_column_at_a_time(tmp_path: Path) -> None:
    number = {"role": "quasi-identifier", "bounds": [0, 120], "step": 1}
    roles = {"born": "identifier", "admitted": "identifier", "age": number}
    with pytest.raises(PlanErrors, match="changes two columns"):
        Plan.of(columns=roles, read=READ, privacy={"neighbours": "change-one"},
                policy={"age": {"within": 5}})  # fmt: skip


def test_how_a_plan_says_it() -> None:
    assert form_of(READ).ages == {"age": ("born", "admitted")}
    assert form_of(said_in_words(["ages.age=born, admitted"])).ages == form_of(READ).ages
    for wrong in ("born", ["born"], ["born", "born"], ["a", "b", "c"], {"born": "a"}):
        with pytest.raises(PlanErrors, match="'age' cannot be"):
            form_of({"ages": {"age": wrong}})
    with pytest.raises(PlanErrors, match="'ages' cannot be"):
        form_of({"ages": ["born", "admitted"]})


def test_init_proposes_it_and_publishes(tmp_path: Path) -> None:
    file, to = patients(tmp_path), tmp_path / "plan.yaml"
    write_plan(file, to, one_row_per_person=True)
    said = yaml.safe_load(to.read_text())
    assert said["read"]["ages"] == {"age_at_admitted": ["born", "admitted"]}
    assert said["columns"]["born"] == {"role": "identifier"}
    assert said["columns"]["age_at_admitted"]["hierarchy"] == {"ranges": [5, 10, 20, 40]}
    assert "What shall the release have of 'born'?" in to.read_text()
    assert "age_at_admitted" in hedgerow.publish(to, report=False).to_pandas().columns
    asked = []

    def asker(question: Any) -> str:
        asked.append(question.about)
        return question.options[-1] if question.about == "age" else question.default

    write_plan(file, to, one_row_per_person=True, replace=True, asker=asker)
    said = yaml.safe_load(to.read_text())
    assert "age" in asked
    assert "read" not in said
    assert said["columns"]["born"]["role"] == "quasi-identifier"


@pytest.mark.parametrize("change", [("admitted", "1900-01-01"), ("born", "soon")])
def test_init_proposes_no_age_that_cannot_be_counted(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    file = patients(tmp_path)
    lines = file.read_text().splitlines()
    born, admitted, *rest = lines[7].split(",")
    fields = [change[1] if change[0] == "born" else born, *(
        [change[1]] if change[0] == "admitted" else [admitted]), *rest]  # fmt: skip
    lines[7] = ",".join(fields)
    file.write_text("\n".join(lines) + "\n")
    write_plan(file, tmp_path / "plan.yaml", one_row_per_person=True)
    assert "ages" not in (yaml.safe_load((tmp_path / "plan.yaml").read_text()).get("read") or {})


def test_an_age_between_other_dates_is_another_column_to_earlier_releases(tmp_path: Path) -> None:
    plan = plan_of(patients(tmp_path)).model_copy(
        update={"population": "ward", "ledger": str(tmp_path / "ledger.db")}
    )
    hedgerow.publish(plan, to=tmp_path / "first", report=False)
    again = hedgerow.publish(plan, to=tmp_path / "again", report=False)
    assert not any("counted from other dates" in note for note in again.notes)
    columns = {name: one for name, one in plan.columns.items() if name != "age"}
    file = tmp_path / "patients.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0] + ",age", *(f"{line},40" for line in lines[1:])]) + "\n")
    other = plan.model_copy(
        update={"source_form": None, "columns": {**columns, "age": plan.columns["age"]}}
    )
    told = hedgerow.publish(other, to=tmp_path / "other", report=False)
    assert any("its 'age' was counted from other dates than here" in note for note in told.notes)
