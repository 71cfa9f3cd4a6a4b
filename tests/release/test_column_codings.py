"""Coded columns: judged as they were, published as they are coded, and nothing said beyond that."""

from __future__ import annotations

import csv
import hashlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from remote_tables import PostgreSQLTables

import hedgerow
from hedgerow.api.verification import verify
from hedgerow.base.errors import DataError, HedgerowError, PlanError
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_text import as_text

Rows = list[dict[str, str]]
NAMES = ["zip", "age", "sex", "job", "ill", "income", "hobby", "area"]
QUASI: dict[str, Any] = {"role": "quasi-identifier", "levels": [0, 0]}
COLUMNS: dict[str, Any] = {
    "zip": QUASI,
    "age": QUASI,
    "sex": QUASI | {"coding": {"swap": {"rate": "40%", "within": ["area"]}}},
    "job": {"role": "insensitive", "coding": {"pram": {"stay": 0.5, "invariant": True}}},
    "ill": {"role": "sensitive", "coding": {"pram": 0.7}},
    "income": {
        "role": "sensitive",
        "order": {"by": "numbers", "missing": "first"},
        "coding": {"microaggregate": "mean"},
    },
    "hobby": {"role": "insensitive", "coding": {"microaggregate": "mode"}},
    "area": {"role": "insensitive"},
}
PROTECT: list[Any] = [
    {"k-anonymity": 3},
    {"l-diversity": {"kind": "distinct", "l": 2, "of": "ill"}},
    {"t-closeness": {"t": 0.9, "of": "income", "distance": "ordered"}},
]


@pytest.fixture
def people() -> Rows:
    draw = random.Random(5)
    return [
        {
            "zip": f"1{n % 3}", "age": str(20 + 10 * (n % 2)), "sex": draw.choice("FM"),
            "job": draw.choice(["clerk", "=1+1", "nurse", ""]), "ill": draw.choice("abc"),
            "income": draw.choice([f"{draw.randint(10, 99)}.{draw.randint(0, 9)}", "7", ""]),
            "hobby": draw.choice(["chess", "golf", "golf", ""]), "area": draw.choice("ns"),
        }
        for n in range(600)
    ]  # fmt: skip


@pytest.fixture
def source(people: Rows, tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, NAMES)
        writer.writeheader()
        writer.writerows(people)
    return file


def plan_of(source: Any = None, *, coded: Mapping[str, Any] | None = None, **more: Any) -> Plan:
    """The plan with these codings only; all of them if none are named."""
    columns = {
        name: column
        if coded is None
        else {k: v for k, v in column.items() if k != "coding"}
        | ({"coding": coded[name]} if name in coded else {})
        for name, column in COLUMNS.items()
    }
    given: dict[str, Any] = {"columns": columns, "protect": PROTECT, "one_row_per_person": True}
    return Plan.of(source=source, **given | more)


def read(folder: Path) -> Rows:
    with (folder / "data.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def counted(rows: Rows, *names: str) -> Counter[tuple[str, ...]]:
    return Counter(tuple(row[name] for name in names) for row in rows)


def told(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "certificate.json").read_text())
    return found


def verdicts(folder: Path, **more: Any) -> dict[str, str]:
    return {claim.claim: claim.verdict for claim in verify(folder, **more).claims}


def groups(rows: Rows) -> Mapping[tuple[str, str], Rows]:
    found = defaultdict(list)
    for row in rows:
        found[row["zip"], row["age"]].append(row)
    return found


def rounded_mean(texts: list[str], decimals: int) -> str:
    """Halves up, to the decimals the column has; worked out with fractions."""
    unit = 10**decimals
    mean = sum(map(Fraction, texts)) / len(texts) * unit
    whole = (2 * mean + 1).__floor__() // 2
    return f"{whole // unit}.{whole % unit}".removesuffix(".0")


def test_a_mixed_plan_is_published_verified_and_attacked(
    people: Rows, source: Path, tmp_path: Path
) -> None:
    plan, out = plan_of(source), tmp_path / "out"
    hedgerow.publish(plan, to=out)
    rows = read(out)
    # Columns without a coding stand together as they did; swaps keep their strata exactly.
    plain = ("zip", "age", "area")
    assert counted(rows, *plain) == counted(people, *plain)
    assert counted(rows, "sex", "area") == counted(people, "sex", "area")
    assert counted(rows, "sex", "area", "zip") != counted(people, "sex", "area", "zip")
    assert {row["job"] for row in rows} == {"clerk", "=1+1", "nurse", ""}
    for group, mine in groups(people).items():
        there = groups(rows)[group]
        mean = rounded_mean([row["income"] for row in mine if row["income"]], 1)
        often = Counter(row["hobby"] for row in mine if row["hobby"])
        mode = min(often, key=lambda hobby: (-often[hobby], hobby))
        assert {(row["income"], row["hobby"]) for row in there} == {(mean, mode)}
    for known in (None, plan):
        found = verify(out, plan=known)
        assert not found.refuted
        assert {claim.verdict for claim in found.claims} == {"not verifiable"}
    certificate = told(out)
    assert all(entry["level"] is None and entry["worst"] is None for entry in certificate["claims"])
    assert certificate["utility"] == {}
    assert set(certificate["search"]) <= {"optimal", "metric"}
    for words in ("judged as if the values before coding", "no guarantee of its own", "epsilon"):
        assert words in certificate["protected"]
    for result in hedgerow.attack(out, plan=plan):
        assert any("does not show what people have as ill, job, sex" in s for s in result.sentences)
        assert "income" not in str(result.detail.get("of"))
    with pytest.raises(PlanError, match="need not be anybody's own"):
        hedgerow.attack(out, plan=plan, of="income")
    report = (out / "report.html").read_text()
    assert "before its columns were coded" in report
    assert "these are not the groups" in report
    inside = tmp_path / "out.internal.html"
    assert "Coded columns" in inside.read_text()


def test_claims_that_no_coding_touches_are_still_verified(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    hedgerow.publish(plan_of(source, coded={"ill": {"pram": 0.2}}), to=out)
    # With so little that stays, some group of the file has another level, or would fail.
    assert list(verdicts(out).values()) == ["verified", "not verifiable", "verified"]
    assert told(out)["codings"]["ill"]["epsilon"] == pytest.approx(0.6931471805, abs=1e-9)
    assert (
        "changes the odds between two true values by a factor of at most 2 "
        in (told(out)["protected"])
    )


def test_what_is_judged_is_the_value_before(source: Path, people: Rows, tmp_path: Path) -> None:
    """A group that the file shows alike is published if it was diverse, and else it is not."""
    matrix, out = tmp_path / "to_a.csv", tmp_path / "out"
    matrix.write_text(",a,b,c\na,1,0,0\nb,1,0,0\nc,1,0,0\n")
    coded = {"ill": {"pram": {"matrix": str(matrix)}}}
    hedgerow.publish(plan_of(source, coded=coded), to=out)
    assert {row["ill"] for row in read(out)} == {"a"}
    assert not verify(out).refuted
    assert told(out)["codings"]["ill"]["epsilon"] == 0
    pd.DataFrame(people).assign(ill="a").to_csv(tmp_path / "alike.csv", index=False)
    with pytest.raises(HedgerowError, match="2-diversity"):
        hedgerow.publish(plan_of(tmp_path / "alike.csv", coded=coded))


def test_groups_that_a_lot_made_small_refute_nothing(tmp_path: Path) -> None:
    """All 40 groups of ten keep five of each sex with a chance far below one in a billion."""
    file, out = tmp_path / "people.csv", tmp_path / "out"
    rows = [{"zip": str(n // 10), "sex": "FM"[n % 2], "ill": "ab"[n // 2 % 2]} for n in range(400)]
    pd.DataFrame(rows).to_csv(file, index=False)
    plan = Plan.of(
        source=str(file), one_row_per_person=True, protect=[{"k-anonymity": 5}],
        columns={"zip": QUASI, "sex": QUASI | {"coding": {"swap": 0.9}}, "ill": "sensitive"},
    )  # fmt: skip
    hedgerow.publish(plan, to=out)
    assert min(counted(read(out), "zip", "sex").values()) < 5
    assert not verify(out).refuted
    assert list(verdicts(out).values()) == ["not verifiable"]


def forged(folder: Path, change: Callable[[dict[str, Any]], object]) -> str:
    """What is refuted of a certificate that somebody edited, with hashes that fit."""
    certificate = told(folder)
    change(certificate)
    (folder / "report.html").unlink(missing_ok=True)
    certificate["files"].pop("report.html", None)
    digest = hashlib.sha256((folder / "data.csv").read_bytes()).hexdigest()
    certificate["data"]["sha256"] = certificate["files"]["data.csv"] = digest
    (folder / "certificate.json").write_text(as_text(certificate))
    return "; ".join(verify(folder).refuted)


def test_forged_codings_are_refuted(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    hedgerow.publish(plan_of(source), to=out)
    whole = told(out)
    text = (out / "data.csv").read_text()

    def edited(change: Callable[[dict[str, Any]], object]) -> str:
        (out / "certificate.json").write_text(as_text(whole))
        return forged(out, change)

    def of(name: str, **said: Any) -> Callable[[dict[str, Any]], object]:
        return lambda told: told["codings"][name].update(said)

    assert "its epsilon is" in edited(of("ill", epsilon=0.1))
    assert "its epsilon is" in edited(of("ill", stay="1/2"))
    assert "the data's" in edited(of("job", from_data=False))
    assert "no share" in edited(of("sex", rate="3/2"))
    assert "other groups" in edited(of("income", groups=["zip"]))
    assert "which the matrix cannot give" in edited(of("ill", values=["a", "b", "d"]))
    assert "withheld without a reason" in edited(lambda told: told.pop("codings"))
    assert "withheld without a reason" in edited(lambda told: told["codings"].pop("sex"))
    assert "what it says is protected" in edited(of("sex", within=[]))
    first, *lines = text.splitlines(keepends=True)
    cells = lines[0].split(",")
    cells[5] = "1.5"
    (out / "data.csv").write_text(first + "".join(sorted([",".join(cells), *lines[1:]])))
    assert "have several values of 'income'" in edited(lambda told: None)


def test_another_plan_does_not_pass(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    hedgerow.publish(plan_of(source), to=out)
    assert "otherwise than" in str(verify(out, plan=plan_of(source, coded={
        **{name: one["coding"] for name, one in COLUMNS.items() if "coding" in one},
        "ill": {"pram": 0.8},
    })).refuted)  # fmt: skip
    assert "do not both code" in str(verify(out, plan=plan_of(source, coded={})).refuted)


def test_what_is_drawn_is_drawn_once(source: Path, tmp_path: Path) -> None:
    coded = {"ill": {"pram": 0.5}}
    more: dict[str, Any] = {"population": "town", "ledger": tmp_path / "ledger.db"}
    plan, out = plan_of(source, coded=coded, **more), tmp_path / "out"
    hedgerow.publish(plan, to=out)
    before = (out / "data.csv").read_bytes()
    assert hedgerow.publish(plan, to=out).again
    assert (out / "data.csv").read_bytes() == before
    with pytest.raises(PlanError, match="was randomised in the release out"):
        hedgerow.publish(plan, to=tmp_path / "second")
    assert not (tmp_path / "second").exists()
    # Nor is it drawn over what was drawn, where no ledger knows.
    alone = plan_of(source, coded=coded)
    with pytest.raises(PlanError, match="draws it anew"):
        hedgerow.publish(alone, to=out, replace=True)
    assert (out / "data.csv").read_bytes() == before
    hedgerow.publish(plan, to=tmp_path / "second", anew=True)
    coding = told(tmp_path / "second")["codings"]["ill"]
    assert coding["earlier"]["releases"] == 1
    assert coding["earlier"]["epsilon"] == pytest.approx(2 * coding["epsilon"])
    assert not verify(tmp_path / "second").refuted
    # Somebody who has it as it is does not need the odds.
    hedgerow.publish(plan_of(source, coded={}, **more), to=tmp_path / "plain")
    hedgerow.publish(plan, to=tmp_path / "third", anew=True)
    assert told(tmp_path / "third")["codings"]["ill"]["earlier"] == {"releases": 3, "epsilon": None}


@pytest.mark.parametrize("publish", [{"format": "parquet"}, {"escape_formulas": True}, {}])
def test_every_form_of_file(source: Path, tmp_path: Path, publish: dict[str, Any]) -> None:
    out = tmp_path / "out"
    release = hedgerow.publish(plan_of(source, publish={"to": str(out), **publish}))
    assert not verify(out).refuted
    formula = "'=1+1" if "escape_formulas" in publish else "=1+1"
    assert set(release.to_pandas()["job"].dropna()) == {"clerk", formula, "nurse"}


def test_types_of_a_frame_stay_where_nothing_is_coded() -> None:
    frame = pd.DataFrame({"age": [30, 30, 30, 40, 40, 40], "pay": [1.5, 2.5, 6.5, 1, 2, 4]})
    frame["ill"] = list("abcabc")
    release = hedgerow.publish(
        frame,
        columns={
            "age": "quasi-identifier", "ill": "sensitive",
            "pay": {"role": "sensitive", "coding": {"microaggregate": "median"}},
        },
        protect=[{"k-anonymity": 3}], one_row_per_person=True,
    )  # fmt: skip
    found = release.to_pandas()
    assert found["age"].tolist() == [30, 30, 30, 40, 40, 40]
    assert found["pay"].tolist() == ["2.5"] * 3 + ["2"] * 3


def test_means_of_few_are_not_published() -> None:
    frame = pd.DataFrame({"age": ["30"] * 4, "pay": ["5", "7", None, None], "ill": list("abab")})
    columns = {
        "age": "quasi-identifier", "ill": "sensitive",
        "pay": {"role": "insensitive", "coding": {"microaggregate": "mean"}},
    }  # fmt: skip
    release = hedgerow.publish(
        frame, columns=columns, protect=[{"k-anonymity": 3}], one_row_per_person=True
    )
    assert release.to_pandas()["pay"].isna().all()


def test_a_table_of_a_database_is_coded_into_a_file_only(
    people: Rows, postgresql_tables: PostgreSQLTables, tmp_path: Path
) -> None:
    import pyarrow as pa

    place = postgresql_tables(
        pa.Table.from_pandas(pd.DataFrame(people).replace("", None)), "people"
    )
    out = tmp_path / "out"
    hedgerow.publish(plan_of(place), to=out)
    assert not verify(out).refuted
    assert counted(read(out), "sex", "area") == counted(people, "sex", "area")
    there = f"{postgresql_tables.address}::{postgresql_tables.schema}.coded"
    with pytest.raises(PlanError, match="coded in a file, and this release is a table"):
        hedgerow.publish(plan_of(place), to=there)
    with pytest.raises(PlanError, match="coded in a file, and this release is a table"):
        plan_of(place, publish=there)


def test_stored_groups_that_the_file_does_not_show(source: Path, tmp_path: Path) -> None:
    plan = plan_of(source, method={"search": "mondrian"}, coded={"sex": {"swap": 0.1}})
    plan = plan.model_copy(update={"columns": {
        name: one.model_copy(update={"levels": None}) for name, one in plan.columns.items()
    }})  # fmt: skip
    hedgerow.publish(plan, to=tmp_path / "out")
    with pytest.raises(PlanError, match="cannot be applied again"):
        hedgerow.publish(plan, to=tmp_path / "next", recoding=tmp_path / "out")


def bad() -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    yield {"zip": {"microaggregate": "mean"}}, {}, "search: microaggregation"
    yield {"ill": {"pram": {}}}, {}, "either a chance to stay or a matrix"
    yield {"ill": {"pram": 1}}, {}, "above 0 and below 1"
    yield {"ill": {"pram": 0.5, "swap": 0.1}}, {}, "exactly one key"
    yield {"ill": {"swap": {"rate": 0.1, "within": ["aera"]}}}, {}, "Did you mean 'area'"
    yield {"ill": {"swap": {"rate": 0.1, "within": ["ill"]}}}, {}, "is coded itself"
    yield {"ill": {"pram": 0.5}}, {"person": "job", "rows": "at most 3"}, "several rows"


@pytest.mark.parametrize(("coded", "more", "why"), list(bad()))
def test_plans_that_do_not_go_together(
    coded: dict[str, Any], more: dict[str, Any], why: str
) -> None:
    if "person" in more:
        more |= {"columns": {**COLUMNS, "job": "identifier"}, "one_row_per_person": False}
    with pytest.raises(HedgerowError) as error:
        plan_of(coded=coded, **more)
    assert why in str(error.value)


def test_values_that_do_not_suit_a_coding(source: Path, tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.csv"

    def refused(coded: dict[str, Any], **columns: Any) -> str:
        with pytest.raises((PlanError, DataError)) as error:
            hedgerow.publish(plan_of(source, coded=coded), to=tmp_path / "out")
        assert not (tmp_path / "out").exists()
        return str(error.value)

    assert "Write `microaggregate: mode`" in refused({"hobby": {"microaggregate": "mean"}})
    for text, why in [
        (",a,b\na,0.5,0.5\nb,0.5,0.5\n", "not among those of the matrix"),
        (",a,b\na,0.5,0.4\nb,0.5,0.5\n", "add up to 9/10"),
        (",a,b\na,0.5,half\nb,0.5,0.5\n", "is no chance"),
        (",a,b\na,0.5,0.5\nc,0.5,0.5\n", "not about the same values"),
    ]:
        matrix.write_text(text)
        assert why in refused({"ill": {"pram": {"matrix": str(matrix)}}})
