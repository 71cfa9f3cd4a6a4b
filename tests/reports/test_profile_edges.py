"""Policy profiles at their edges, with tables small enough to count by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow
from hedgerow.base.errors import DataError, PlanError
from hedgerow.reports.profiles.hipaa import findings_in
from hedgerow.reports.profiles.registry import PROFILES
from hedgerow.reports.profiles.uktre import dominance


def found(
    folder: Path, profile: str, rows: list[str], header: str = "a,ill", **more: Any
) -> dict[str, tuple[str, str]]:
    """Requirement -> verdict and evidence, of a table that is published as it is."""
    roles = more.pop("roles", {"ill": "sensitive"})
    (folder / "t.csv").write_text("\n".join([header, *rows, ""]), "utf-8")
    hedgerow.publish(
        folder / "t.csv",
        columns={name: roles.get(name, "quasi-identifier") for name in header.split(",")},
        protect=more.pop("protect", [{"k-anonymity": 2}]),
        method=more.pop("method", None),
        to=folder / "out",
        report=False,
    )
    made = hedgerow.report(folder / "out", profiles=[profile], **more)
    assert made.profiles[0].name == profile
    return {one.requirement: (one.verdict, one.evidence) for one in made.profiles[0].findings}


def first(told: dict[str, tuple[str, str]], beginning: str) -> tuple[str, str]:
    return next(one for name, one in told.items() if name.startswith(beginning))


@pytest.mark.parametrize(("size", "verdict"), [(11, "not met"), (12, "met")])
def test_ema_eleven_is_too_few(tmp_path: Path, size: int, verdict: str) -> None:
    rows = ["x,flu"] * size + ["y,flu"] * 20
    told = first(found(tmp_path, "ema-0070", rows), "the largest risk")
    assert told[0] == verdict
    assert f"{1 / size:.4f} = 1/{size}" in told[1]


def test_ema_leaves_estimates_of_the_population_to_a_person(tmp_path: Path) -> None:
    """However small the estimate is, the smallest group decides what is met."""
    rows = ["x,flu"] * 5 + ["y,flu"] * 20
    risk = {"at_most": "9%", "fraction": "1%", "model": "benedetti-franconi"}
    told = found(tmp_path, "ema-0070", rows, protect=[{"individual-risk": risk}])
    assert first(told, "the largest risk")[0] == "not met"
    verdict, evidence = first(told, "the risk in the population")
    assert verdict == "not checkable"
    for words in ("estimated, not counted", "at most 0.09", "a share of 0.01 of the population",
                  "Benedetti and Franconi"):  # fmt: skip
        assert words in evidence
    (tmp_path / "plain").mkdir()
    assert not any(
        name.startswith("the risk in the population")
        for name in found(tmp_path / "plain", "ema-0070", rows)
    )


@pytest.mark.parametrize(("size", "verdict"), [(10, "not met"), (11, "met")])
def test_cms_groups(tmp_path: Path, size: int, verdict: str) -> None:
    told = found(tmp_path, "cms-cell-size", ["x,flu"] * size + ["y,flu"] * 20)
    assert first(told, "no group")[0] == verdict
    assert first(told, "no combination")[0] == verdict


def test_cms_cells_within_a_group(tmp_path: Path) -> None:
    """The group is large enough; those of it who have gout are not."""
    told = found(tmp_path, "cms-cell-size", ["x,flu"] * 20 + ["x,gout"] * 3)
    assert first(told, "no group")[0] == "met"
    assert first(told, "no combination") == ("not met", "1 of 2 different rows")


@pytest.mark.parametrize(("left", "verdict"), [(0, "met"), (1, "not met"), (10, "not met"),
                                               (11, "met")])  # fmt: skip
def test_cms_a_count_of_those_left_out(tmp_path: Path, left: int, verdict: str) -> None:
    rows = ["x,flu"] * 40 + ["y,flu"] * 40 + [f"z{i},flu" for i in range(left)]
    told = found(
        tmp_path, "cms-cell-size", rows, protect=[{"k-anonymity": 11}], method={"suppress": "20%"}
    )
    assert first(told, "no count of 1 to 10 follows")[0] == verdict
    assert first(told, "a count of zero")[0] == "met"


@pytest.mark.parametrize(("size", "verdict"), [(9, "not met"), (10, "met")])
def test_uk_threshold(tmp_path: Path, size: int, verdict: str) -> None:
    told = found(tmp_path, "uk-tre", ["x,flu"] * size + ["y,flu"] * 20)
    assert first(told, "each cell")[0] == verdict


def test_uk_a_zero_is_disclosive(tmp_path: Path) -> None:
    rows = ["x,1,flu"] * 10 + ["x,2,flu"] * 10 + ["y,1,flu"] * 10
    told = found(tmp_path, "uk-tre", rows, "a,b,ill")
    assert first(told, "no cell is zero") == (
        "not met", "1 of 4 combinations of published values are nobody's"
    )  # fmt: skip
    told = found_again(tmp_path, [*rows, *["y,2,flu"] * 10])
    assert first(told, "no cell is zero")[0] == "met"


def found_again(folder: Path, rows: list[str]) -> dict[str, tuple[str, str]]:
    other = folder / "again"
    other.mkdir()
    return found(other, "uk-tre", rows, "a,b,ill")


def test_uk_dominance(tmp_path: Path) -> None:
    even = [f"x,{100 + i}" for i in range(12)]
    told = found(tmp_path, "uk-tre", even + ["y,1000", "y,900"] + ["y,10"] * 12, "a,ill")
    verdict, evidence = first(told, "in no cell")
    assert verdict == "not met"
    assert "1 of 2 cells are dominated" in evidence
    assert ", 0 fail the p" in evidence, "the others have 120 of 1000"


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 50), st.integers(1, 4)), min_size=1, max_size=12
    )
)
def test_dominance_equals_its_definition(lines: list[tuple[int, int, int]]) -> None:
    cells = {g: i for i, g in enumerate(sorted({g for g, _, _ in lines}))}
    lines = sorted((cells[g], value, rows) for g, value, rows in lines)
    dominated = close = 0
    for _, inside in groupby(lines, key=lambda line: line[0]):
        amounts = sorted((v for _, v, n in inside for _ in range(n)), reverse=True)
        total, largest, two = sum(amounts), amounts[0], sum(amounts[:2])
        if total:
            dominated += two > Fraction(9, 10) * total
            close += total - two < Fraction(1, 10) * largest
    group, values, rows = (np.array(column) for column in zip(*lines, strict=True))
    assert dominance(group, values.astype(float), rows) == (len(cells), dominated, close)


@pytest.mark.parametrize(
    ("values", "asked", "verdict"),
    [
        (["13053"], "(B) of ZIP", "not met"),
        (["130**"], "(B) of ZIP", "not checkable"),
        (["13***", "04***"], "(B) of ZIP", "met"),
        (["*"], "(B) of ZIP", "not checkable"),
    ],
)
def test_hipaa_zip_codes(values: list[str], asked: str, verdict: str) -> None:
    assert first(harbour({"zip": values}), asked)[0] == verdict


def harbour(
    texts: dict[str, list[str]], people: dict[str, int] | None = None
) -> dict[str, tuple[str, str]]:
    return {o.requirement: (o.verdict, o.evidence) for o in findings_in(texts, people)}


@pytest.mark.parametrize(
    ("people", "verdict"), [("20000", "not met"), ("20001", "met"), (None, "not met")]
)
def test_hipaa_areas_need_people(tmp_path: Path, people: str | None, verdict: str) -> None:
    file = tmp_path / "areas.csv"
    file.write_text(f"zip3,people\n{'130' if people else '999'},{people or 10**6}\n", "utf-8")
    told = found(tmp_path, "hipaa-safe-harbor", ["130**,flu"] * 12, "zip,ill", areas=file)
    assert first(told, "(B) of ZIP")[0] == verdict


@pytest.mark.parametrize(
    ("header", "value", "asked", "verdict"),
    [
        ("seen", "2024-02-29", "(C) of dates", "not met"),
        ("seen", "2024-02", "(C) of dates", "not met"),
        ("seen", "2024-Q1", "(C) of dates", "not met"),
        ("seen", "29.02.2024", "(C) of dates", "not met"),
        ("visit_date", "2024", "(C) of dates", "met"),
        ("visit_date", "1990s", "(C) of dates", "met"),
        ("visit_date", "spring", "(C) of dates", "not checkable"),
        ("seen", "20240229", "(C) of dates", "not checkable"),
        ("age", "89", "(C) ages", "met"),
        ("age", "90", "(C) ages", "not met"),
        ("age", "90+", "(C) ages", "met"),
        ("years", "95", "(C) ages", "not checkable"),
        ("birth_year", "1920", "(C) no year of birth", "not checkable"),
        ("birth_year", "*", "(C) no year of birth", "not checkable"),
        ("note", "call 555-123-4567", "(D)", "not met"),
        ("note", "5551234567", "(D)", "not checkable"),
        ("note", "none", "(D)", "met"),
        ("note", "a@b.example", "(F)", "not met"),
        ("note", "078-05-1120", "(G)", "not met"),
        ("note", "see https://x.example/1", "(N)", "not met"),
        ("note", "10.0.0.1", "(O)", "not met"),
        ("surname", "Wayne", "(A)", "not met"),
        ("note", "Wayne", "(A)", "not checkable"),
        ("city", "Gotham", "(B) no area", "not met"),
        ("mrn", "A1", "(H)", "not met"),
        ("patient_id", "A1", "(R)", "not met"),
    ],
)
def test_hipaa_kinds(header: str, value: str, asked: str, verdict: str) -> None:
    told = harbour({header: [value], "ill": ["flu"]})
    assert first(told, asked)[0] == verdict
    letters = {name[1] for name in told if name.startswith("(")}
    assert letters == set("ABCDEFGHIJKLMNOPQR"), "eighteen kinds"


def test_nothing_is_called_compliant(tmp_path: Path) -> None:
    for name in PROFILES:
        folder = tmp_path / name
        folder.mkdir()
        told = found(folder, name, ["x,flu"] * 20, external=folder / "e.html")
        assert {verdict for verdict, _ in told.values()} <= {"met", "not met", "not checkable"}
        page = (folder / "e.html").read_text("utf-8")
        assert "compliant" not in page.lower()
        assert "not a finding that the release complies" in page
        assert name not in (folder / "out" / "report.html").read_text("utf-8")


def test_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="there is no profile 'ema-70'") as error:
        found(tmp_path, "ema-70", ["x,flu"] * 12)
    assert "'ema-0070'" in str(error.value)
    for text in ("zip3\n130\n", "zip3,people\n13,5\n", "zip3,people\n130,many\n",
                 "zip3,people\n130,5\n130,6\n"):  # fmt: skip
        (tmp_path / "areas.csv").write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"zip3 and people|is no area"):
            hedgerow.report(
                tmp_path / "out", profiles=["hipaa-safe-harbor"], areas=tmp_path / "areas.csv"
            )
