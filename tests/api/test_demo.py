"""The synthetic hospital: the same everywhere, and plausible enough to try things on."""

import csv
import hashlib
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import yaml

from hedgerow.api import demo
from hedgerow.base.errors import DataError, TargetError
from hedgerow.plan.plan import Plan
from hedgerow.table.hierarchy import Hierarchy

SHA256 = "dd280ec3b8482f11259e56aae21e724bbf6b9a607c4c843c6970e0b110cdc515"
"""Of patients.csv, 20,000 rows. Changes only when the tables behind it are changed on purpose."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return demo.write_hospital(tmp_path_factory.mktemp("gotham") / "new").parent


@pytest.fixture(scope="module")
def patients(folder) -> list[dict[str, str]]:
    with (folder / "patients.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def age(patient: dict[str, str]) -> int:
    return demo.LAST_YEAR - date.fromisoformat(patient["birth_date"]).year


def hierarchy(folder: Path, column: str) -> list[list[str]]:
    with (folder / f"{column}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=";"))


def test_bytes_are_the_same_everywhere(folder):
    assert hashlib.sha256((folder / "patients.csv").read_bytes()).hexdigest() == SHA256


def test_smaller_hospital_is_the_top_of_a_larger_one(folder, tmp_path):
    small = demo.write_hospital(tmp_path, patients=7).parent / "patients.csv"
    lines = (folder / "patients.csv").read_bytes().splitlines(keepends=True)
    assert len(lines) == 20_001
    assert small.read_bytes() == b"".join(lines[:8])


def test_table_is_plain(patients):
    assert tuple(patients[0]) == demo.COLUMNS
    assert not any(None in p or None in p.values() or "" in p.values() for p in patients)
    zips = {p["zip"] for p in patients}
    assert len(zips) == 40
    assert all(len(z) == 5 and z.isdecimal() for z in zips)
    assert any(z.startswith("0") for z in zips)


def test_what_the_body_rules_out(patients, folder):
    chapter = {row[0]: row[2] for row in hierarchy(folder, "diagnosis")}
    for p in patients:
        if chapter[p["diagnosis"]] == "Pregnancy and childbirth":
            assert p["sex"] == "F", p
            assert 15 <= age(p) <= 49, p
        if p["diagnosis"] in ("Prostate cancer", "Enlarged prostate"):
            assert p["sex"] == "M", p
            assert age(p) >= 45, p
        if chapter[p["diagnosis"]] == "Perinatal and congenital conditions":
            assert age(p) <= 2, p
        if p["diagnosis"] == "Dementia":
            assert age(p) >= 59, p


def test_childbirth_is_for_women_of_15_to_49_however_many_patients():
    facts = yaml.safe_load(demo._shipped("hospital.yaml"))
    (part,) = [part for part in facts["diagnoses"] if "Delivery" in part["percent"]]
    women, men = demo._curves(part).reshape(2, -1)
    assert np.flatnonzero(women).tolist() == list(range(15, 50))
    assert not men.any()


def test_what_age_and_sex_make_likely(patients, folder):
    chapter = {row[0]: row[2] for row in hierarchy(folder, "diagnosis")}

    def share(name: str, *, sex: str, low: int, high: int) -> float:
        those = [p for p in patients if p["sex"] == sex and low <= age(p) <= high]
        assert len(those) > 100
        return sum(chapter[p["diagnosis"]] == name for p in those) / len(those)

    assert share("Perinatal and congenital conditions", sex="F", low=0, high=0) > 0.5
    assert share("Pregnancy and childbirth", sex="F", low=25, high=34) > 0.4
    young_men = share("Injuries and poisoning", sex="M", low=15, high=30)
    assert young_men > 2 * share("Injuries and poisoning", sex="F", low=15, high=30)
    assert share("Circulatory diseases", sex="M", low=65, high=99) > 0.2
    assert share("Circulatory diseases", sex="M", low=5, high=30) < 0.02


def test_districts_differ(patients):
    def of(prefix: str) -> list[dict[str, str]]:
        return [p for p in patients if p["zip"].startswith(prefix)]

    def median_age(prefix: str) -> float:
        return float(np.median([age(p) for p in of(prefix)]))

    assert median_age("047") > median_age("043") + 30
    polish = Counter(p["zip"][:3] for p in patients if p["nationality"] == "Polish")
    assert polish["130"] > polish.total() / 2


@pytest.mark.parametrize("column", ["nationality", "diagnosis"])
def test_hierarchies_cover_the_data_and_nothing_else(folder, patients, column):
    rows = hierarchy(folder, column)
    built = Hierarchy.of(column, rows)
    assert built.height == 3
    assert built.labels[3] == ("*",)
    assert set(built.values) == {p[column] for p in patients}


def test_diagnosis_taxonomy_is_wide(folder):
    built = Hierarchy.of("diagnosis", hierarchy(folder, "diagnosis"))
    assert (built.size(0), built.size(2)) == (119, 15)
    assert built.leaves(2).min() >= 2


def test_plan_loads_and_claims_what_its_comments_say(folder):
    plan = Plan.read(folder / "plan.yaml")
    plan.fit(demo.COLUMNS)
    assert [str(model) for model in plan.models()] == [
        "5-anonymity",
        "entropy 3-diversity of diagnosis",
        "3-privacy of diagnosis (Mental disorders; Infectious diseases; Neoplasms) against "
        "a class I attacker (prior from counts of 30,000 people)",
        "0.1-closeness of bill (ordered distance, by number)",
    ]
    assert plan.schema().quasi_identifiers == ("zip", "birth_date", "sex", "nationality")


def test_the_claim_to_try_can_be_uncommented(folder, tmp_path):
    text = (folder / "plan.yaml").read_text(encoding="utf-8")
    assert text.count("# - t-closeness") == 1
    for name in ("nationality.csv", "diagnosis.csv", "metropolis.csv", "patients.csv"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "plan.yaml").write_text(text.replace("# - t-closeness", "- t-closeness"))
    *_, added = Plan.read(tmp_path / "plan.yaml").models()
    assert str(added) == "0.5-closeness of diagnosis (hierarchical distance)"


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        ("zip", ["04201", "0420*", "042**", "04***", "0****", "*"]),
        ("birth_date", ["1992-08-04", "1992-08", "1992-Q3", "1992", "1990s", "*"]),
        ("sex", ["F", "*"]),
        ("nationality", ["Polish", "Eastern Europe", "Europe", "*"]),
        ("diagnosis", ["Stroke", "Cerebrovascular diseases", "Circulatory diseases", "*"]),
    ],
)
def test_plan_generalises_as_its_comments_say(folder, patients, column, labels):
    spec = Plan.read(folder / "plan.yaml").hierarchy_spec(column)
    bound = spec.bind(column, sorted({p[column] for p in patients} | {labels[0]}))
    leaf = bound.place[labels[0]]
    found = [bound.labels[level][bound.codes[level][leaf]] for level in range(bound.height + 1)]
    assert found == labels


def test_percentages_add_up():
    facts = yaml.safe_load(demo._shipped("hospital.yaml"))
    assert {sum(part["percent"].values()) for part in facts["diagnoses"]} == {100}
    assert {len(n["per_district"]) for n in facts["nationalities"].values()} == {8}
    unknown = {c for n in facts["nationalities"].values() for c in n["names"]} - set(facts["names"])
    assert not unknown


def test_draws_follow_the_weights():
    draw = demo._Draw(100_000)
    given = np.arange(100_000) % 2
    drawn = draw.one_of([[1, 0, 3], [0, 5, 0]], given=given)
    assert (drawn[given == 1] == 1).all()
    share = np.bincount(drawn[given == 0], minlength=3) / 50_000
    # 10 standard deviations of a share among 50,000; the stream is fixed, so this cannot flicker.
    assert share == pytest.approx([0.25, 0, 0.75], abs=0.02)


def test_writing_again_changes_nothing(folder):
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    demo.write_hospital(folder)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert set(before) == {*demo.SHIPPED, "patients.csv"}


def test_own_files_are_never_overwritten(tmp_path):
    (tmp_path / "plan.yaml").write_text("population: mine\n")
    with pytest.raises(TargetError, match=r"plan\.yaml"):
        demo.write_hospital(tmp_path, patients=5)
    assert [p.name for p in tmp_path.iterdir()] == ["plan.yaml"]
    assert (tmp_path / "plan.yaml").read_text() == "population: mine\n"


def test_bad_requests_are_refused(tmp_path):
    with pytest.raises(DataError, match="0 patients"):
        demo.write_hospital(tmp_path / "none", patients=0)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(TargetError, match="cannot be written"):
        demo.write_hospital(tmp_path / "file")
