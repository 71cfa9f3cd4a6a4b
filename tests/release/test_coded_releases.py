"""Codes of unequal length, in several spellings: published, checked and attacked by anybody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hedgerow
from hedgerow.table.codes import CODE_SYSTEMS

CODES = ["A09.1", "A09", "E11.9", "e119", "E11.65", "E11", "I10", "I25.10", "S72.001A", "X59"]
ZIPS = ["02138", "2138", "02139", "10025", "94110"]
DRUGS = ["J01CA04", "J01CA", "N02BE01", "N02"]
ILLS = ["flu", "gout", "none"]


def table(folder: Path, name: str, *, shift: int = 0) -> Path:
    file = folder / name
    lines = [
        f"{CODES[n * n % 10]},{ZIPS[n % 5]},{DRUGS[n * 3 % 4]},{ILLS[(n + n // 7 + shift) % 3]}"
        for n in range(300 + shift)
    ]
    file.write_text("diagnosis,zip,drug,ill\n" + "\n".join(lines) + "\n")
    return file


def plan(folder: Path, source: Path, search: str = "lattice") -> Path:
    file = folder / f"{source.stem}-{search}.yaml"
    file.write_text(
        f"source: {source.name}\none_row_per_person: true\ncolumns:\n"
        "  diagnosis: {role: quasi-identifier, hierarchy: {codes: icd-10}}\n"
        "  zip: {role: quasi-identifier, hierarchy: {codes: zip}}\n"
        "  drug: {role: quasi-identifier, hierarchy: {prefix: {keep: [5, 3, 1]}}}\n"
        "  ill: sensitive\n"
        f"protect: [k-anonymity: 5]\nmethod: {{search: {search}, suppress: 5%}}\n"
    )
    return file


@pytest.mark.parametrize("search", ["lattice", "mondrian", "local"])
def test_it_is_published_and_checked_with_and_without_the_plan(tmp_path: Path, search: str) -> None:
    made = plan(tmp_path, table(tmp_path, "visits.csv"), search)
    release = hedgerow.publish(made, to=tmp_path / "out")
    assert not hedgerow.verify(release).refuted
    assert not hedgerow.verify(release, plan=made).refuted
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert "from_data" not in certificate["plan"]


def test_whoever_attacks_without_the_plan_finds_as_much(tmp_path: Path) -> None:
    """The labels say what they cover."""
    visits = table(tmp_path, "visits.csv")
    made = plan(tmp_path, visits)
    release = tmp_path / "out"
    hedgerow.publish(made, to=release)
    (with_plan, without) = (
        hedgerow.attack(release, truth=visits, plan=given, methods=["homogeneity"])
        for given in (made, None)
    )
    assert str(with_plan) == str(without)
    assert "not understood" not in str(without)


def test_the_name_of_other_values_is_known_from_the_plan(tmp_path: Path) -> None:
    lines = [f"{('France', 'usa', 'Peru', 'Narnia', 'Mordor')[n % 5]},{n % 3}" for n in range(100)]
    (tmp_path / "people.csv").write_text("country,ill\n" + "\n".join(lines) + "\n")
    made = tmp_path / "plan.yaml"
    made.write_text(
        "source: people.csv\none_row_per_person: true\ncolumns:\n"
        "  country: {role: quasi-identifier, levels: [1, 2],\n"
        "            hierarchy: {codes: {system: countries, other: elsewhere}}}\n"
        "  ill: sensitive\nprotect: [k-anonymity: 20]\n"
    )
    hedgerow.publish(made, to=tmp_path / "out")
    published = (tmp_path / "out" / "data.csv").read_text()
    assert published.count("elsewhere") == 40

    def told(given: Path | None) -> str:
        truth = tmp_path / "people.csv"
        found = hedgerow.attack(tmp_path / "out", truth=truth, plan=given, methods=["intersection"])
        return " ".join(sentence for one in found for sentence in one.sentences)

    assert "elsewhere" in told(None)
    assert "elsewhere" not in told(made)


@pytest.mark.parametrize("search", ["lattice", "local"])
def test_its_recoding_is_applied_to_other_people(tmp_path: Path, search: str) -> None:
    first = tmp_path / "first"
    hedgerow.publish(plan(tmp_path, table(tmp_path, "visits.csv"), search), to=first)
    later = plan(tmp_path, table(tmp_path, "later.csv", shift=3), search)
    second = hedgerow.publish(later, to=tmp_path / "second", recoding=first)
    assert not hedgerow.verify(second, plan=later).refuted


def test_taxonomies_of_sensitive_codes_are_in_the_certificate(tmp_path: Path) -> None:
    """So a recipient needs neither the plan nor our tables."""
    visits = table(tmp_path, "visits.csv")
    file = tmp_path / "plan.yaml"
    file.write_text(
        f"source: {visits.name}\none_row_per_person: true\ncolumns:\n"
        "  diagnosis: {role: sensitive, hierarchy: {codes: icd-10}}\n"
        "  zip: {role: quasi-identifier, hierarchy: {codes: zip}}\n"
        "  drug: identifier\n  ill: identifier\n"
        "protect: [t-closeness: {t: 0.6, distance: hierarchical, of: diagnosis}]\n"
    )
    hedgerow.publish(file, to=tmp_path / "out")
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    told = certificate["sensitive"]["diagnosis"]
    system = CODE_SYSTEMS["icd-10"]
    for place, value in enumerate(told["order"]):
        labels = [level[place] for level in told["levels"]]
        assert (value, *labels) == (*(system.row(value) or ()), "*")
    assert not hedgerow.verify(tmp_path / "out").refuted
