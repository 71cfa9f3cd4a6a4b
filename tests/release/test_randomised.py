"""Randomised releases end to end: read by code of their own, told again, forged, of neighbours."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noise.tape import recording, replaying

import hedgerow
from hedgerow.base.errors import BudgetError, HedgerowError, PlanError, TargetError
from hedgerow.ledger import Amounts, Ledger
from hedgerow.release.certificate_schema import certificate_json_schema, misfit
from hedgerow.release.certificate_text import as_text
from hedgerow.release.noisy import files as randomised
from hedgerow.release.noisy.certificate_schema import RandomisedCertificate
from hedgerow.release.noisy.protection import protected
from hedgerow.release.noisy.verification import keeps
from hedgerow.synthesis.request import SynthesisRequest
from hedgerow.synthesis.tables_and_rows import disagreement, make, upwards

AGES = [str(age) for age in range(0, 101, 10)]
SEXES = ["F", "M", None]
ILLS = ["flu", "=gout", 'a "b", c', None]
COLUMNS: dict[str, Any] = {
    "name": "identifier",
    "age": {"role": "quasi-identifier", "bounds": [0, 100], "step": 10},
    "sex": {"role": "quasi-identifier", "domain": SEXES},
    "ill": {"role": "sensitive", "domain": ILLS},
}
DOMAINS = {"age": AGES, "sex": SEXES, "ill": ILLS}
METHOD: dict[str, Any] = {"search": "marginals", "epsilon": 3, "tables": 2, "synthetic": True}
EXACT = {"epsilon": 10**6}
"""A price at which noise is zero but for once in an eternity."""
Row = tuple[str, str, str | None, str | None]


def hospital(people: int = 200) -> list[Row]:
    """People with all kinds of values, also some that are in no domain and some beyond bounds."""
    strange = {17: ("x", None, None), 23: ("-5", "F", "flu"), 31: ("999", "M", "plague")}
    found: list[Row] = []
    for i in range(people):
        ill = ILLS[(i * i) % 7 % 4]
        row = (str(i * 7 % 95), SEXES[i % 11 % 3], ill)
        found.append((f"n{i}", *strange.get(i, row)))
    return found


def write(folder: Path, rows: list[Row], name: str = "people.csv") -> Path:
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "age", "sex", "ill"])
        writer.writerows(rows)
    return folder / name


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    write(tmp_path, hospital())
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=10**8, rho=100, delta="0.1"))
    return tmp_path


def plan(town: Path, publish: Any = None, **more: Any) -> hedgerow.Plan:
    said: dict[str, Any] = {
        "columns": COLUMNS, "population": "town", "ledger": town / "ledger.db",
        "source": town / "people.csv", "privacy": "add-remove", "method": METHOD,
    }  # fmt: skip
    return hedgerow.Plan.of(**(said | more), publish=publish or {"to": town / "out"})


def spent(town: Path) -> dict[str, str]:
    with Ledger.open(town / "ledger.db") as ledger:
        return ledger.budget("town").spent.texts()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


Cells = dict[tuple[Any, ...], tuple[int, float]]


def read(folder: Path) -> dict[tuple[str, ...], Cells]:
    """tables.csv by the standard library: for each table its cells' noisy number and count."""
    certificate = json.loads((folder / "certificate.json").read_text("utf-8"))
    escaped = certificate["software"]["configured"]["escape_formulas"]
    with (folder / "tables.csv").open(encoding="utf-8", newline="") as file:
        header, *lines = list(csv.reader(file))
    found: dict[tuple[str, ...], Cells] = {}
    for line in lines:
        columns = tuple(certificate["tables"][int(line[0]) - 1]["columns"])
        at = dict(zip(header[1:-2], line[1:-2], strict=True))
        assert all(at[c] == "*" for c in header[1:-2] if c not in columns)
        values = tuple(at[c] or None for c in columns)
        values = tuple(v[1:] if escaped and v and v.startswith("'=") else v for v in values)
        cells = found.setdefault(columns, {})
        assert values not in cells
        cells[values] = (int(line[-2]), float(line[-1]))
    return found


def sums(cells: Cells, columns: tuple[str, ...], kept: list[str]) -> dict[tuple[Any, ...], float]:
    found: dict[tuple[Any, ...], float] = Counter()  # type: ignore[assignment]
    for values, (_, count) in cells.items():
        at = dict(zip(columns, values, strict=True))
        found[tuple(at[c] for c in kept)] += count
    return found


def cell(row: Row) -> dict[str, Any] | None:
    """Where a row is counted, by the rules the certificate states; None: nowhere."""
    _, age, sex, ill = row
    found: dict[str, Any] = {}
    if age.lstrip("-").isdigit():
        found["age"] = str(min(max(int(age), 0), 100) // 10 * 10)
    if sex in SEXES:
        found["sex"] = sex
    if ill in ILLS:
        found["ill"] = ill
    return found


PRICES: list[dict[str, Any]] = [
    {"epsilon": 3}, {"epsilon": 3, "delta": "1e-9"}, {"epsilon": 1, "delta": "0.01"}, {"rho": 1},
]  # fmt: skip


@pytest.mark.parametrize("price", PRICES, ids=str)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_from_end_to_end(town: Path, price: dict[str, Any], form: str) -> None:
    method = {"search": "marginals", "tables": 2, "synthetic": True} | price
    release = hedgerow.publish(plan(town, {"to": town / "out", "format": form}, method=method))
    assert set(files(town / "out")) == {
        "certificate.json", "report.html", "tables.csv", f"data.{form}"
    }  # fmt: skip
    certificate = json.loads((town / "out" / "certificate.json").read_text("utf-8"))
    assert certificate == release.certificate
    assert misfit(certificate, RandomisedCertificate) is None
    jsonschema.Draft202012Validator(certificate_json_schema()).validate(certificate)
    found = hedgerow.verify(town / "out", plan=plan(town, method=method))
    assert found.refuted == ()
    assert {check.what: check.verdict for check in found.checks} == {
        "form": "verified", "signature": "not verifiable", "file": "verified",
        "folder": "verified", "written form": "verified", "loss": "verified",
        "plan": "verified", "tables": "verified", "rows": "verified",
        "made again": "verified", "report": "verified", "certificate text": "verified",
    }  # fmt: skip
    assert [claim.verdict for claim in found.claims] == ["not verifiable"]
    assert spent(town) == certificate["spent"]
    assert release.rows == len(release.to_pandas()) == certificate["consistency"]["total"]


def test_tables_agree_and_are_whole(town: Path) -> None:
    """All of it read and added up by code of its own."""
    release = hedgerow.publish(plan(town, {"to": town / "out", "escape_formulas": True}))
    told = release.certificate["consistency"]
    tables = read(town / "out")
    assert set(tables) == set(combinations(["age", "sex", "ill"], 2))
    for columns, cells in tables.items():
        assert set(cells) == set(product(*(DOMAINS[c] for c in columns)))
        assert min(count for _, count in cells.values()) >= 0
        assert sum(count for _, count in cells.values()) == pytest.approx(told["total"], abs=1e-3)
    for (a, first), (b, second) in combinations(tables.items(), 2):
        kept = [column for column in a if column in b]
        mine, theirs = sums(first, a, kept), sums(second, b, kept)
        assert mine.keys() == theirs.keys()
        for value, count in mine.items():
            assert abs(count - theirs[value]) <= told["disagreement"] < 1e-3
    rows = release.to_arrow().to_pylist()
    for number, (columns, cells) in enumerate(tables.items()):
        made = Counter(tuple(_unescaped(row[c]) for c in columns) for row in rows)
        off = sum(abs(made[v] / len(rows) - cells[v][1] / told["total"]) for v in cells)
        assert off == pytest.approx(release.certificate["synthetic"]["distances"][number], abs=1e-4)
        assert off < 0.1
        assert set(made) <= set(cells)


def test_noisy_counts_may_be_negative(town: Path) -> None:
    """Each of the 77 cells with an age is, with a chance above 0.3: none once in 10^11 runs."""
    hedgerow.publish(plan(town, method=METHOD | {"epsilon": "0.1"}))
    cells = [cell for table in read(town / "out").values() for cell in table.values()]
    assert len(cells) == 89
    assert any(noisy < 0 <= count for noisy, count in cells)


def _unescaped(value: str | None) -> str | None:
    return value[1:] if value is not None and value.startswith("'=") else value


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_without_noise_the_counts_are_those_of_the_data(town: Path, kind: str) -> None:
    """People beyond bounds, without numbers, and with values in no domain, by the rules told."""
    rows = hospital()
    names = ["name", "age", "sex", "ill"]
    table = pa.table({n: pa.array([r[j] for r in rows], pa.string()) for j, n in enumerate(names)})
    method = METHOD | EXACT
    if kind == "arrow":
        made = plan(town, method=method)
        given = made.model_dump(include={"population", "privacy"}, exclude_none=True)
        hedgerow.publish(
            table, columns=COLUMNS, method=method, to=town / "out", ledger=town / "ledger.db",
            population="town", privacy={"neighbours": given["privacy"]["neighbours"]},
        )  # fmt: skip
    else:
        source = town / f"people.{kind}"
        if kind == "parquet":
            pq.write_table(table, source)
        hedgerow.publish(plan(town, method=method, source=source))
    for columns, cells in read(town / "out").items():
        truth = Counter(
            tuple(at[c] for c in columns)
            for at in map(cell, rows)
            if at is not None and all(c in at for c in columns)
        )
        assert {v: noisy for v, (noisy, _) in cells.items() if noisy} == dict(truth)


def test_people_with_several_rows_count_once_in_a_cell(town: Path) -> None:
    rows = [(f"p{i // 2}", str(i % 40), SEXES[i % 2], ILLS[i // 2 % 2]) for i in range(100)]
    write(town, rows)
    release = hedgerow.publish(
        plan(
            town, person="name", privacy={"neighbours": "change-one", "rows": 2},
            columns={n: c for n, c in COLUMNS.items() if n != "name"},
            method=METHOD | EXACT | {"tables": [["sex"], ["ill", "sex"]]},
        )
    )  # fmt: skip
    assert release.certificate["sensitivity"] == {"l1": 7, "l2_squared": 7}, "3 of 3 cells and 4"
    assert release.certificate["counting"]["person"] == "name"
    for columns, cells in read(town / "out").items():
        found = {
            (row[0], tuple(at[c] for c in columns)) for row in rows if (at := cell(row)) is not None
        }
        truth = Counter(values for _, values in found)
        assert {v: noisy for v, (noisy, _) in cells.items() if noisy} == dict(truth)
    assert hedgerow.verify(town / "out").refuted == ()


def test_the_same_again_costs_nothing_whatever_became_of_the_data(town: Path) -> None:
    first = hedgerow.publish(plan(town))
    before, paid = files(town / "out"), spent(town)
    assert not first.again
    write(town, hospital(40))
    second = hedgerow.publish(plan(town))
    assert second.again
    assert second.summary()["spent"] == {}
    assert files(town / "out") == before
    shutil.rmtree(town / "out")
    (town / "people.csv").unlink()
    assert hedgerow.publish(plan(town)).again
    assert files(town / "out") == before
    assert spent(town) == paid == {"epsilon": "3"}
    with Ledger.open(town / "ledger.db") as ledger:
        assert len(ledger.releases("town")) == 1
        assert ledger.verify().problems == ()


def test_other_forms_of_the_same_numbers_cost_nothing(town: Path) -> None:
    hedgerow.publish(plan(town, method=METHOD | {"synthetic": False}))
    assert set(files(town / "out")) == {"certificate.json", "report.html", "tables.csv"}
    noisy = read(town / "out")
    more = {"to": town / "more", "format": "parquet"}
    assert hedgerow.publish(plan(town, more)).again
    assert read(town / "more") == noisy
    assert spent(town) == {"epsilon": "3"}


def test_what_is_another_question_is_charged(town: Path) -> None:
    hedgerow.publish(plan(town))
    noisy = read(town / "out")
    write(town, hospital(), "other.csv")
    others: list[dict[str, Any]] = [
        {"method": METHOD | {"epsilon": 2}},
        {"method": METHOD | {"tables": 1}},
        {"source": town / "other.csv"},
        {"columns": COLUMNS | {"sex": {"role": "sensitive", "domain": ["F", "M"]}}},
    ]
    for number, other in enumerate(others):
        made = hedgerow.publish(plan(town, {"to": town / f"out{number}"}, **other))
        assert not made.again
    assert spent(town) == {"epsilon": "14"}
    assert not hedgerow.publish(plan(town, {"to": town / "anew"}), anew=True).again
    assert spent(town) == {"epsilon": "17"}
    assert read(town / "anew") != noisy


def test_two_tables_of_one_name_are_two_tables(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen from its own folder each is people.csv; the release of one is not that of the other."""
    made = []
    for name in ("north", "south"):
        (town / name).mkdir()
        monkeypatch.chdir(town / name)
        write(town / name, hospital(50 if name == "north" else 150))
        here = plan(town, {"to": town / name / "out"}, source="people.csv", method=METHOD | EXACT)
        assert str(here.source) == "people.csv"
        made.append(hedgerow.publish(here))
        assert hedgerow.publish(here).again
    assert [release.again for release in made] == [False, False]
    assert made[0].rows < 50 < made[1].rows, "some are in no domain"


def test_a_release_that_fails_says_what_it_cost(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (town / "people.csv").write_text('name,age,sex,ill\n"n,1,F,flu\n', "utf-8")
    # Whose rows these are is said, so that nothing is read before it is charged.
    with pytest.raises(HedgerowError, match="line 2") as error:
        hedgerow.publish(plan(town, one_row_per_person=True))
    assert "epsilon 3 stays charged (entry 2)." in str(error.value.fix)
    write(town, hospital())

    def full(*_: Any, **__: Any) -> None:
        raise TargetError("the disk is full", fix="Make room.")

    with monkeypatch.context() as patched:
        patched.setattr(randomised, "write_tables", full)
        with pytest.raises(TargetError) as late:
            hedgerow.publish(plan(town))
    assert str(late.value.fix).startswith("Make room. The noisy numbers are in the ledger")
    assert hedgerow.publish(plan(town)).again, "as it says, for nothing"
    assert spent(town) == {"epsilon": "6"}


def test_nothing_is_looked_at_before_it_is_paid_for(town: Path) -> None:
    (town / "people.csv").write_text("name,age,sex,ill\n", "utf-8")
    dear = plan(town, method=METHOD | {"epsilon": 10**9})
    with pytest.raises(BudgetError, match="would spend"):
        hedgerow.publish(dear)
    with pytest.raises(PlanError, match="names none"):
        hedgerow.publish(plan(town, population=None))
    with pytest.raises(PlanError, match="no ledger"):
        hedgerow.publish(plan(town, ledger=None))
    (town / "out").mkdir()
    with pytest.raises(TargetError, match="exists already"):
        hedgerow.publish(plan(town))
    assert spent(town) == {}
    assert list((town / "out").iterdir()) == []


def test_a_failure_is_written_down_and_stays_paid_for(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(randomised.Drawn, "of", broken)
    with pytest.raises(KeyboardInterrupt):
        hedgerow.publish(plan(town))
    assert not (town / "out").exists()
    assert spent(town) == {"epsilon": "3"}
    with Ledger.open(town / "ledger.db") as ledger:
        assert ledger.releases("town") == []
        assert [entry.body.get("why") for entry in ledger.entries()][-1] == "KeyboardInterrupt"


def test_an_interruption_after_noise_loses_nothing(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(randomised, "make", broken)
        with pytest.raises(KeyboardInterrupt, match="costs nothing more"):
            hedgerow.publish(plan(town))
    assert not (town / "out").exists()
    assert hedgerow.publish(plan(town)).again
    assert spent(town) == {"epsilon": "3"}
    assert hedgerow.verify(town / "out").refuted == ()


def test_a_place_that_is_taken(town: Path) -> None:
    hedgerow.publish(plan(town))
    before = files(town / "out")
    other = plan(town, method=METHOD | {"synthetic": False})
    with pytest.raises(TargetError, match="exists already"):
        hedgerow.publish(other)
    assert files(town / "out") == before
    assert hedgerow.publish(other, replace=True).again
    assert set(files(town / "out")) == {"certificate.json", "report.html", "tables.csv"}
    (town / "out" / "tables.csv").write_text("changed", "utf-8")
    with pytest.raises(TargetError, match="exists already"):
        hedgerow.publish(other)
    hedgerow.publish(other, replace=True)
    assert hedgerow.verify(town / "out").refuted == ()
    (town / "out" / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(TargetError, match="would be lost"):
        hedgerow.publish(plan(town), replace=True)


def test_in_memory(town: Path) -> None:
    made = plan(town).model_copy(update={"publish": None})
    release = hedgerow.publish(made)
    assert release.folder is None
    assert release.to_arrow().num_rows == release.rows
    assert release.to_arrow().schema.types == [pa.int64(), pa.string(), pa.string()]
    table = release.table("ill", "sex")
    assert table.column_names == ["sex", "ill", "noisy", "count"]
    assert table.num_rows == 12
    assert str(table.schema.field("noisy").type) == "int64"
    with pytest.raises(HedgerowError, match="no table of 'sex'"):
        release.table("sex")
    assert "3 tables" in repr(release)
    assert "3-differential privacy" in release._repr_html_()
    tables = hedgerow.publish(made.model_copy(update={"method": made.method.model_copy(
        update={"synthetic": False})}))  # fmt: skip
    assert tables.again
    assert tables.data is None
    assert tables.to_arrow().column_names == ["table", "age", "sex", "ill", "noisy", "count"]
    assert set(tables.to_pandas()["table"]) == {1, 2, 3}


def test_nobody_at_all(town: Path) -> None:
    """Noise may make a table of nobody, or of fewer; there is a release all the same."""
    (town / "people.csv").write_text("name,age,sex,ill\n", "utf-8")
    for form in ("csv", "parquet"):
        release = hedgerow.publish(
            plan(town, {"to": town / form, "format": form}, method=METHOD | EXACT)
        )
        assert release.rows == 0
        assert release.to_arrow().num_rows == 0
        assert hedgerow.verify(town / form).refuted == ()


def test_odd_names_and_values(town: Path) -> None:
    """Columns called as those of the file, a value that is a star, formulas in both."""
    rows = [("a", "*"), ("a", "="), ("b", "=")] * 20
    with (town / "odd.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["=count", "TABLE"], *rows])
    columns: dict[str, Any] = {
        "=count": {"role": "sensitive", "domain": ["a", "b"]},
        "TABLE": {"role": "sensitive", "domain": ["*", "=", ""]},
    }
    for escaped in (False, True):
        release = hedgerow.publish(
            plan(
                town, {"to": town / f"out{escaped}", "escape_formulas": escaped},
                source=town / "odd.csv", columns=columns, method=METHOD | EXACT | {"tables": 1},
            )
        )  # fmt: skip
        names = ["table_", "=count", "TABLE", "noisy", "count"]
        assert release.certificate["counts"]["columns"] == names
        header = (town / f"out{escaped}" / "tables.csv").read_text("utf-8").partition("\n")[0]
        assert header == ("table_,'=count,TABLE" if escaped else "table_,=count,TABLE") + (
            ",noisy,count"
        )
        assert hedgerow.verify(town / f"out{escaped}").refuted == ()
        assert release.table("TABLE")["noisy"].to_pylist() == [20, 40, 0]
    clash: dict[str, Any] = columns | {"TABLE": {"role": "sensitive", "domain": ["'=", "="]}}
    with pytest.raises(PlanError, match="written alike"):
        hedgerow.publish(
            plan(
                town, {"to": town / "clash", "escape_formulas": True}, source=town / "odd.csv",
                columns=clash, method=METHOD | {"tables": 1},
            )
        )  # fmt: skip
    one = plan(
        town, {"to": town / "one"}, source=town / "odd.csv", method=METHOD | {"tables": 1},
        columns={"=count": "identifier", "TABLE": {"role": "sensitive", "domain": ["", None]}},
    )  # fmt: skip
    with pytest.raises(PlanError, match="written alike"):
        hedgerow.publish(one)


def test_what_has_no_meaning_beside_noise(town: Path) -> None:
    release = hedgerow.publish(plan(town))
    with pytest.raises(PlanError, match="no recoding"):
        hedgerow.publish(plan(town), recoding=town / "out")
    with pytest.raises(PlanError, match="outside population"):
        hedgerow.publish(plan(town), population_table=town / "people.csv")
    table = hedgerow.Plan.of(
        source=town / "people.csv", columns=COLUMNS, protect=[{"k-anonymity": 2}],
        publish={"to": town / "groups"}, method={"suppress": "100%"},
    )  # fmt: skip
    with pytest.raises(PlanError, match="anew has no meaning"):
        hedgerow.publish(table, anew=True)
    with pytest.raises(HedgerowError, match="no records of people"):
        hedgerow.publish(table, recoding=town / "out")
    with pytest.raises(HedgerowError, match="made up from counts with noise"):
        hedgerow.attack([release.folder], sensitive=["ill"])


def test_signed(town: Path) -> None:
    from release.test_signing import write_pair

    private, public = write_pair(town, "pem")
    hedgerow.publish(plan(town), sign=private)
    assert hedgerow.publish(plan(town), sign=private).again
    found = hedgerow.verify(town / "out", key=public)
    assert found.refuted == ()
    alter(town / "out", lambda c: c.update(population="village"))
    assert any("signature" in why for why in hedgerow.verify(town / "out").refuted)


# Forgeries


def alter(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text("utf-8"))
    change(certificate)
    path.write_text(as_text(certificate), "utf-8")


def rehash(folder: Path) -> None:
    """A forger who changes a file changes its hash too."""
    from hashlib import sha256

    def change(certificate: dict[str, Any]) -> None:
        for part in (certificate["counts"], certificate["data"]):
            part["sha256"] = sha256((folder / part["file"]).read_bytes()).hexdigest()
            certificate["files"][part["file"]] = part["sha256"]

    alter(folder, change)


def edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), "utf-8")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    write(folder, hospital())
    with Ledger.open(folder / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=100))
    hedgerow.publish(plan(folder))
    return folder / "out"


@pytest.fixture
def forged(published: Path, tmp_path: Path) -> Path:
    shutil.copytree(published, tmp_path / "forged")
    return tmp_path / "forged"


def changed(*place: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(certificate: dict[str, Any]) -> None:
        part: Any = certificate
        for key in place[:-1]:
            part = part[key]
        assert part[place[-1]] != to
        part[place[-1]] = to

    return change


CERTIFIED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a hash": changed("counts", "sha256", to="0" * 64),
    "the hash of the rows": changed("data", "sha256", to="0" * 64),
    "less noise": changed("noise", "scale", to="0.5"),
    "more noise": changed("noise", "scale", to="2"),
    "a scale nobody draws": changed("noise", "scale", to="1.1"),
    "another distribution": changed("noise", "distribution", to="discrete Gaussian"),
    "a half-width": changed("noise", "half_width_95", to=2),
    "a smaller loss": changed("loss", "epsilon", to="1"),
    "a larger loss": changed("loss", "epsilon", to="4"),
    "another currency": changed("loss", to={"rho": "4.5"}),
    "a smaller price": changed("price", "epsilon", to="2"),
    "what was spent": changed("spent", "epsilon", to="1"),
    "the sensitivity": changed("sensitivity", "l1", to=2),
    "neighbours": changed("neighbours", "kind", to="change-one"),
    "rows of a person": changed("neighbours", "rows", to=2),
    "words of the neighbours": changed("neighbours", "words", to="everybody"),
    "the claim": changed("claim", to="0.1-differential privacy"),
    "a domain": changed("domains", 1, "values", to=["F", "M", "X"]),
    "a larger domain": changed("domains", 1, "values", to=["F", "M", "X", None]),
    "bounds": changed("domains", 0, "bounds", to=["0", "110"]),
    "a table": changed("tables", 0, "columns", to=["sex", "age"]),
    "cells": changed("tables", 0, "cells", to=3),
    "the same table twice": lambda c: c["tables"].append(c["tables"][0]),
    "a table fewer": lambda c: c["tables"].pop(),
    "agreement": changed("consistency", "disagreement", to=0.0),
    "less agreement": changed("consistency", "disagreement", to=1.5),
    "the total": changed("consistency", "total", to=10**6),
    "a total nearly right": lambda c: c["consistency"].update(total=c["consistency"]["total"] + 1),
    "rows": changed("data", "rows", to=7),
    "a distance": changed("synthetic", "distances", 0, to=0.0),
    "no rows": changed("synthetic", to=None),
    "no file of rows": changed("data", to=None),
    "the person": changed("counting", "person", to="name"),
    "rules": changed("counting", "rules", to=[]),
    "the paragraph": changed("protected", to="Everybody is safe."),
    "a key too many": lambda c: c.update(extra=1),
    "a key too few": lambda c: c.pop("noise"),
    "no number": changed("noise", "scale", to="1/0"),
    "a scale of nothing": changed("noise", "scale", to="0"),
    "a negative step": changed("domains", 0, "step", to="-10"),
    "two prices": changed("price", to={"epsilon": "3", "rho": "1"}),
    "escaping": changed("software", "configured", "escape_formulas", to=True),
}


@pytest.mark.parametrize("what", CERTIFIED)
def test_a_forged_certificate_is_refuted(forged: Path, what: str) -> None:
    assert hedgerow.verify(forged).refuted == ()
    alter(forged, CERTIFIED[what])
    assert hedgerow.verify(forged).refuted != ()


def test_forged_files_are_refuted(published: Path, tmp_path: Path) -> None:
    """Also if the hashes are changed along with them."""
    lines = (published / "tables.csv").read_text("utf-8").splitlines()
    first, last = lines[1], lines[-1]
    head, _, count = first.rpartition(",")
    place, noisy = head.rpartition(",")[0], int(head.rpartition(",")[2])
    rows = (published / "data.csv").read_text("utf-8").splitlines()
    one, other = next((a, b) for a, b in pairwise(rows[1:]) if a != b)
    edits: dict[str, tuple[str, str, str]] = {
        "a count": ("tables.csv", first, f"{head},{float(count) + 1}"),
        "a count by little": ("tables.csv", first, f"{head},{float(count) + 1e-6:.6f}"),
        "a negative count": ("tables.csv", first, f"{head},-1"),
        "no count": ("tables.csv", first, f"{head},"),
        "no number": ("tables.csv", first, f"{head},nan"),
        "a noisy number": ("tables.csv", first, f"{place},{noisy + 5},{count}"),
        "a fraction": ("tables.csv", first, f"{place},{noisy}.5,{count}"),
        "a line fewer": ("tables.csv", first + "\n", ""),
        "a line twice": ("tables.csv", last, f"{last}\n{last}"),
        "a label": ("tables.csv", first, first.replace(",F,", ",M,")),
        "a header": ("tables.csv", lines[0], lines[0].replace("noisy", "exact")),
        "a row": ("data.csv", rows[1], rows[-1]),
        "a row twice": ("data.csv", rows[1], f"{rows[1]}\n{rows[1]}"),
        "a value": ("data.csv", rows[1], "0,F,plague"),
        "a row fewer": ("data.csv", f"{rows[1]}\n", ""),
        "an order": ("data.csv", f"{one}\n{other}", f"{other}\n{one}"),
        "a column": ("data.csv", rows[0], rows[0].replace("ill", "illness")),
    }
    for number, (what, change) in enumerate(edits.items()):
        for rehashed in (False, True):
            folder = tmp_path / f"{number}{rehashed}"
            shutil.copytree(published, folder)
            edit(folder, *change)
            if rehashed:
                rehash(folder)
            assert hedgerow.verify(folder).refuted != (), (what, rehashed)
    for name in ("tables.csv", "data.csv"):
        folder = tmp_path / name
        shutil.copytree(published, folder)
        (folder / name).unlink()
        assert hedgerow.verify(folder).refuted != ()


def test_another_plan_and_another_version(published: Path, forged: Path) -> None:
    town = published.parent
    for other in ({"privacy": "change-one"}, {"method": METHOD | {"tables": 1}}):
        found = hedgerow.verify(published, plan=plan(town, **other))
        assert [why for why in found.refuted if why.startswith("plan")]
    alter(forged, changed("software", "version", to="9.9"))
    found = hedgerow.verify(forged)
    assert found.refuted == ()
    assert "was not checked" in next(c.why for c in found.checks if c.what == "made again")
    alter(forged, lambda c: c["noise"].update(scale="0.9375", half_width_95=3))
    assert any("does not keep" in why for why in hedgerow.verify(forged).refuted)
    alter(forged, lambda c: c["noise"].update(scale="1.0625", half_width_95=3))
    assert hedgerow.verify(forged).refuted == (), "another version may add more than it must"
    edit(forged, "data.csv", "\n", "\n0,F,flu\n")
    rehash(forged)
    assert hedgerow.verify(forged).refuted != ()
    alter(forged, changed("format", to="hedgerow-randomised/3"))
    with pytest.raises(HedgerowError, match="does not know"):
        hedgerow.verify(forged)


def test_the_loss_follows_exactly() -> None:
    from hedgerow.noise.calibration import AnswerPart, noise_for
    from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
    from hedgerow.noise.mechanisms import DiscreteGaussian, DiscreteLaplace

    part = AnswerPart(21, 21)
    for loss in (Pure(epsilon="0.7"), ZeroConcentrated(rho="0.3"),
                 Approximate(epsilon=1, delta="1e-6")):  # fmt: skip
        (mechanism,), spends = noise_for(loss, [part])
        assert keeps(mechanism, part, spends)
        less = type(mechanism)(scale=mechanism.scale * 999 / 1000)
        assert not keeps(less, part, spends)
        assert not keeps(mechanism, AnswerPart(22, 22), spends)
    assert keeps(DiscreteLaplace(scale=21), part, ZeroConcentrated(rho="0.5"))
    assert not keeps(DiscreteGaussian(scale=1000), part, Pure(epsilon=10))
    assert not keeps(DiscreteGaussian(scale=1000), part, Approximate(epsilon=10, delta=0))


# Neighbours


@pytest.mark.parametrize("kind", ["add-remove", "change-one"])
def test_neighbours_differ_by_noisy_numbers_alone(town: Path, kind: str) -> None:
    canary: Row = ("canary-1", "canary-2", "canary-3", "canary-4")
    one = hospital()
    other = one[1:] if kind == "add-remove" else [canary, *one[1:]]
    found = []
    with recording() as tape:
        found.append(_seen(town, one, kind, "one"))
    with replaying(tape):
        found.append(_seen(town, list(reversed(other)), kind, "other"))
    (noisy, certificate, keys), (theirs, other_certificate, other_keys) = found
    assert keys == other_keys
    assert certificate == other_certificate
    moved = sum(int(np.abs(a - b).sum()) for a, b in zip(noisy, theirs, strict=True))
    assert 0 < moved <= certificate["sensitivity"]["l1"]
    for folder in ("one", "other"):
        for path in filter(Path.is_file, (town / folder).rglob("*")):
            assert b"canary" not in path.read_bytes() or path.name == "people.csv", path


def _seen(town: Path, rows: list[Row], kind: str, name: str) -> Any:
    """Noisy numbers; the certificate without what is made of them; lines without numbers.

    All that is left out is made of the noisy numbers again, to see that it depends on no other.
    """
    folder = town / name
    folder.mkdir()
    source = write(folder, rows)
    with Ledger.open(folder / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=3))
    asked = plan(folder, source=source, ledger=folder / "ledger.db", privacy=kind)
    release = hedgerow.publish(asked)
    request = SynthesisRequest.of(asked)
    noisy = [release.table(*table)["noisy"].to_numpy() for table in request.tables]
    made = make(request, noisy, rows=True)
    for table, counts in zip(request.tables, made.counts, strict=True):
        assert np.array_equal(release.table(*table)["count"].to_numpy(), counts)
    assert made.records is not None
    texts = [
        {c: request.cells[c].labels[code] for c, code in zip(request.columns, row, strict=True)}
        for row in made.records
    ]
    assert release.to_arrow().to_pylist() == texts
    certificate = json.loads(as_text(release.certificate))
    left = {"ledger", "synthetic", "data", "consistency"}
    certificate["files"] = sorted(certificate["files"])
    assert certificate["counts"].pop("sha256")
    keys = release._lines().select([0, 1, 2, 3]).to_pydict()
    return noisy, {k: v for k, v in certificate.items() if k not in left}, keys


# Parts


@given(
    st.floats(min_value=1e-300, max_value=1e300, allow_nan=False),
)
@settings(max_examples=300, deadline=None)
def test_upwards_is_never_down(number: float) -> None:
    assert number <= upwards(number) <= number * 1.1000001
    assert upwards(upwards(number)) == upwards(number)


def test_disagreement_is_seen() -> None:
    made = hedgerow.Plan.of(columns=COLUMNS, population="town", privacy="add-remove", method=METHOD)
    request = SynthesisRequest.of(made)
    rng = np.random.default_rng(3)
    joint = rng.random((11, 3, 4))
    counts = [joint.sum(axis=2).ravel(), joint.sum(axis=1).ravel(), joint.sum(axis=0).ravel()]
    assert disagreement(request, counts) < 1e-12
    counts[2] = counts[2].copy()
    counts[2][5] += 0.25
    assert disagreement(request, counts) == pytest.approx(0.25)
    counts[2][6] -= 0.25
    assert disagreement(request, counts) == pytest.approx(0.25), "a column, not the total"


def paragraph(kind: str, price: dict[str, Any], *, rows: bool = True, tables: int = 2) -> str:
    request = SynthesisRequest.of(
        hedgerow.Plan.of(
            columns=COLUMNS, population="town", privacy=kind,
            method={"search": "marginals", "tables": tables} | price,
        )
    )  # fmt: skip
    design = request.design
    text = protected(request, design.loss, design.mechanism, rows=rows)
    assert str(design.loss) in text
    assert ",," not in text
    return text


@pytest.mark.parametrize("price", [*PRICES, {"epsilon": 40}], ids=str)
@pytest.mark.parametrize("kind", ["add-remove", "change-one"])
def test_the_paragraph_says_what_is_not_protected(kind: str, price: dict[str, Any]) -> None:
    text = paragraph(kind, price)
    for words in ("Not protected", "in general", "family", "further release", "ledger", "how long",
                  "taken as public", "may equal somebody's record", "tell nothing about other"
                  " people's", "Each row is taken for a person"):  # fmt: skip
        assert words in text
    assert ("How many people there are is taken as public" in text) == (kind == "change-one")
    assert ("promises nothing" in text) == (price == {"epsilon": 40})
    assert "somebody's record" not in paragraph(kind, price, rows=False)
    for wrong in ("whatever the reader knows", "by chance", "one case in a million"):
        assert wrong not in text


def number(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    assert found is not None, (pattern, text)
    return float(found[1].replace(",", "").rstrip("."))


NUMBER = r"([\d.,]+(?:e[-+]?\d+)?)"


@pytest.mark.parametrize("kind", ["add-remove", "change-one"])
def test_one_value_or_another_costs_two_people(kind: str) -> None:
    """To remove a person and add one is two steps; to change one is one step."""
    text = paragraph(kind, {"epsilon": 3})
    assert ("as two: 6-differential privacy." in text) == (kind == "add-remove")
    assert ("as two: 4-zCDP." in paragraph(kind, {"rho": 1})) == (kind == "add-remove")
    assert ("every value of theirs" in text) == (kind == "change-one")


SMALL = {"rho": "0.005"}


@pytest.mark.parametrize("price", [*PRICES, SMALL, {"epsilon": "0.2", "delta": "0.05"}], ids=str)
@pytest.mark.parametrize("kind", ["add-remove", "change-one"])
def test_the_numbers_of_the_paragraph_hold(kind: str, price: dict[str, Any]) -> None:
    """One table of one number, two tables a person apart, all outputs: by sums of its own.

    The noise is that of one count, moved by what one person may move it.
    """
    request = SynthesisRequest.of(
        hedgerow.Plan.of(
            columns=COLUMNS, population="town", privacy=kind,
            method={"search": "marginals", "tables": [["sex"]]} | price,
        )
    )  # fmt: skip
    design, sigma = request.design, float(request.design.mechanism.scale)
    text = protected(request, design.loss, design.mechanism, rows=False)
    moved = 1 if kind == "add-remove" else 2
    outputs = np.arange(-int(30 * sigma) - 5, int(30 * sigma) + 6)
    gaussian = "Gaussian" in text

    def chances(at: int) -> Any:
        # Two cells that each move by one are, to a Gaussian, one that moves by the root of two.
        off = (outputs - at * (moved**0.5 if gaussian else moved)) / sigma
        weights = np.exp(-off * off / 2 if gaussian else -np.abs(off))
        return weights / weights.sum()

    one, other = chances(0), chances(1)
    factor = number(text, f"at most {NUMBER} times")
    odds = number(text, f"change at most by a factor of {NUMBER}")
    if "plus" not in text:
        assert np.all(one <= factor * other * (1 + 1e-9))
        assert factor == odds
        return
    delta = number(text, f"plus {NUMBER}")
    assert np.maximum(one - factor * other, 0).sum() <= delta
    assert np.maximum(other - factor * one, 0).sum() <= delta
    fails = number(text, f"but for a probability of {NUMBER}")
    for true, false in ((one, other), (other, one)):
        beyond = (true > odds * false) | (false > odds * true)
        assert true[beyond].sum() <= fails
    assert odds > factor
    if price == SMALL:  # the first factor is no bound for each release: that delta is too small
        assert one[one > factor * other].sum() > 5 * delta
