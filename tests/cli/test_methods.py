"""Every method through the command line, its claims counted again by hand in what it wrote."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
import recipients
from typer.testing import CliRunner

from hedgerow.cli import app

QUASI = ("age", "zip", "sex")
PLAN = """\
source: patients.csv
columns:
  name:    identifier
  age:     {{role: quasi-identifier, hierarchy: {{ranges: [5, 10, 20]}}}}
  zip:     {{role: quasi-identifier, hierarchy: {{prefix: 3}}}}
  sex:     quasi-identifier
  disease: sensitive
  salary:  {salary}
protect:
  - k-anonymity: 4
  - l-diversity: {{l: 2, of: disease}}
  - t-closeness: {{t: 0.6, of: disease}}
{more}
method: {method}
publish: {{to: release}}
"""
ORDERED = "  - t-closeness: {t: 0.5, distance: ordered, of: salary}"
METHODS = [
    "{search: lattice, suppress: 10%}",
    "{search: lattice, suppress: 20%, keep_suppressed: true}",
    "{search: local, suppress: 5%}",
    "{search: mondrian}",
    "{search: mondrian, mode: relaxed}",
    "{search: mondrian, boxes: taxonomy}",
    "{search: mondrian, mode: relaxed, boxes: taxonomy}",
    "microaggregation",
    "{search: microaggregation, parts: 50}",
    "{search: local, suppress: 5%, parts: 60}",
    "{search: mondrian, mode: relaxed, parts: 40}",
]
SOURCE = recipients.hospital(240)


@pytest.mark.parametrize("salary", ["sensitive", "insensitive"])
@pytest.mark.parametrize("method", METHODS)
def test_claims_counted_again_in_the_file(tmp_path: Path, method: str, salary: str) -> None:
    recipients.write_csv(tmp_path / "patients.csv", SOURCE)
    more = ORDERED if salary == "sensitive" else ""
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.format(method=method, salary=salary, more=more))
    done = CliRunner().invoke(app, ["publish", str(plan), "--json"])
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)

    rows = recipients.read_csv(tmp_path / "release" / "data.csv")
    assert list(rows[0]) == ["age", "zip", "sex", "disease", "salary"]
    assert told["rows"] == len(rows) == len(SOURCE) - told["suppressed"]
    levels = {c["claim"].split(" of ")[0]: c["level"] for c in told["claims"]}
    assert all(c["holds"] for c in told["claims"])
    assert levels["4-anonymity"] == recipients.k(rows, QUASI) >= 4
    assert levels["distinct 2-diversity"] == recipients.distinct_l(rows, QUASI, "disease") >= 2
    t = recipients.equal_t(rows, QUASI, "disease", SOURCE)
    assert levels["0.6-closeness"] == pytest.approx(float(t))
    assert t <= Fraction(6, 10)
    if salary == "sensitive":
        t = recipients.ordered_t(rows, QUASI, "salary", SOURCE)
        assert levels["0.5-closeness"] == pytest.approx(float(t))
        assert t <= Fraction(5, 10)

    # Sorted by what is published, so that the order says nothing.
    values = [tuple(row.values()) for row in rows]
    assert values == sorted(values)
    # Sensitive and insensitive columns go with their people: no combination that is not there.
    pairs = {(r["disease"], r["salary"]) for r in SOURCE}
    assert {(r["disease"], r["salary"]) for r in rows} <= pairs
    # Names are nowhere in the folder, and nothing else was put into it.
    files = sorted((tmp_path / "release").iterdir())
    assert [file.name for file in files] == ["certificate.json", "data.csv", "report.html"]
    assert not any(b"Canary" in file.read_bytes() for file in files)
    beside = {"patients.csv", "plan.yaml", "release"}
    if "parts" not in method:
        beside.add("release.internal.html")
        assert b"Canary" not in (tmp_path / "release.internal.html").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == beside


def test_nobody_of_those_left_out_is_in_the_certificate(tmp_path: Path) -> None:
    """One old man alone with a rare disease: his values are nowhere in the release."""
    alone = {"name": "Canary-X", "age": "97", "zip": "777", "sex": "X", "disease": "plague"}
    recipients.write_csv(tmp_path / "patients.csv", [*SOURCE, alone | {"salary": "424242"}])
    plan = tmp_path / "plan.yaml"
    method = "{search: lattice, suppress: 20%}"
    bound = "zip:     {role: quasi-identifier, levels: [0, 2]"
    text = PLAN.format(method=method, salary="sensitive", more=ORDERED)
    plan.write_text(text.replace("zip:     {role: quasi-identifier", bound))
    done = CliRunner().invoke(app, ["publish", str(plan)])
    assert done.exit_code == 0, done.stderr
    for file in (tmp_path / "release").iterdir():
        text = file.read_text("utf-8")
        assert not any(value in text for value in ("Canary", "777", "plague", "424242"))
    assert recipients.certificate(tmp_path / "release")["people"]["left_out"] >= 1
    assert not any(value in done.stdout for value in ("777", "plague", "424242"))


@pytest.mark.parametrize("method", METHODS)
def test_the_same_plan_gives_the_same_bytes_whatever_the_order_of_the_source(
    tmp_path: Path, method: str
) -> None:
    releases = []
    for order in (SOURCE, SOURCE[::-1]):
        recipients.write_csv(tmp_path / "patients.csv", order)
        plan = tmp_path / "plan.yaml"
        plan.write_text(PLAN.format(method=method, salary="sensitive", more=""))
        done = CliRunner().invoke(app, ["publish", str(plan), "--replace", "-q"])
        assert done.exit_code == 0, done.stderr
        folder = tmp_path / "release"
        releases.append([file.read_bytes() for file in sorted(folder.iterdir())])
    assert releases[0] == releases[1]


@pytest.mark.parametrize("method", [METHODS[0], METHODS[2], METHODS[3], METHODS[4], METHODS[5]])
def test_a_stored_recoding_on_new_people(tmp_path: Path, method: str) -> None:
    recipients.write_csv(tmp_path / "patients.csv", SOURCE)
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.format(method=method, salary="sensitive", more=""))
    assert CliRunner().invoke(app, ["publish", str(plan)]).exit_code == 0
    first = recipients.read_csv(tmp_path / "release" / "data.csv")

    new = recipients.hospital(400, seed=11)
    recipients.write_csv(tmp_path / "patients.csv", new)
    allowed = method if "suppress" in method else method.replace("}", ", suppress: 50%}")
    allowed = allowed.replace("10%", "50%").replace("5%", "50%")
    plan.write_text(PLAN.format(method=allowed, salary="sensitive", more=""))
    command = ["publish", str(plan), "--recoding", str(tmp_path / "release")]
    done = CliRunner().invoke(app, [*command, "--to", str(tmp_path / "second"), "--json"])
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    rows = recipients.read_csv(tmp_path / "second" / "data.csv")
    assert recipients.k(rows, QUASI) >= 4
    assert recipients.distinct_l(rows, QUASI, "disease") >= 2
    assert recipients.equal_t(rows, QUASI, "disease", new) <= Fraction(6, 10)
    assert told["claims"][0]["level"] == recipients.k(rows, QUASI)
    assert recipients.certificate(tmp_path / "second")["search"] == {"stored": True}
    if told["recoding"]["levels"]:
        before = recipients.certificate(tmp_path / "release")["recoding"]["levels"]
        assert told["recoding"]["levels"] == before
    else:
        assert set(recipients.classes(rows, QUASI)) <= set(recipients.classes(first, QUASI))


def test_a_microaggregation_cannot_be_applied_again(tmp_path: Path) -> None:
    recipients.write_csv(tmp_path / "patients.csv", SOURCE)
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.format(method="microaggregation", salary="sensitive", more=""))
    assert CliRunner().invoke(app, ["publish", str(plan)]).exit_code == 0
    command = ["publish", str(plan), "--recoding", str(tmp_path / "release"), "--to"]
    done = CliRunner().invoke(app, [*command, str(tmp_path / "second")])
    assert done.exit_code == 2
    assert "centroids are averages" in done.stderr
    assert not (tmp_path / "second").exists()
