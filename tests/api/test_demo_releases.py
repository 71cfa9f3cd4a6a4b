"""What the demo promises of its two releases about the same patients is true."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import hedgerow
from hedgerow.api.demo import SECOND, write_hospital
from hedgerow.attacks.suite import attack, read_releases
from hedgerow.base.errors import ClaimError
from hedgerow.table.location import locate
from hedgerow.table.targets import Targets

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_hospital(folder)
    hedgerow.publish(folder / "plan.yaml")
    return folder


def test_nobody_is_left_with_one_diagnosis(folder: Path) -> None:
    with pytest.raises(ClaimError, match="one possible diagnosis"):
        hedgerow.publish(folder / SECOND[0])
    second = hedgerow.publish(folder / SECOND[1])
    assert all(verdict.holds for verdict in second.claims)
    (exposed,) = second.exposures
    assert exposed.people == 20_000
    assert exposed.together[:2] == (0, 0), "three are left"
    sequential, intersection = attack(
        [folder / "release", folder / "planners"], plan=folder / "plan.yaml",
        methods=["sequential", "intersection"],
    )  # fmt: skip
    assert sequential.found.successes == 0
    assert intersection.detail["pvp"]["1"] == 0


def with_years(plan: str) -> str:
    """The second plan with years of birth, and without sex."""
    dates, sex = "quarter, year, decade]}", "sex:         {role: quasi-identifier"
    assert f"{dates}}}" in plan
    assert f"{sex}, levels: [0, 0]" in plan
    plan = plan.replace(f"{dates}}}", f"{dates}, levels: [3, 3]}}")
    return plan.replace(f"{sex}, levels: [0, 0]", f"{sex}, levels: [1, 1]")


def test_the_claim_of_before_is_refused(folder: Path) -> None:
    """Zip codes of three digits and years of birth: sets leave three diagnoses, counting one."""
    file = folder / "before.yaml"
    plan = with_years((folder / SECOND[1]).read_text("utf-8"))
    file.write_text(plan.replace("planners/", "before/"), "utf-8")
    with pytest.raises(ClaimError) as refused:
        hedgerow.publish(file)
    assert "must not go out" in refused.value.what
    assert not (folder / "before").exists()


def test_bills_that_both_show(folder: Path, tmp_path: Path) -> None:
    """Joined on the bill by hand, person by person: the warning counts them, the claim refuses."""
    plan = (folder / "plan.yaml").read_text("utf-8")
    bill = "bill:        {role: sensitive, bounds: [0, 200000], step: 1000}"
    assert bill in plan
    plan = plan.replace(bill, "bill:        {role: insensitive}")
    plan = plan.replace("  - t-closeness: {of: bill, distance: ordered, t: 0.1}\n", "")
    write_hospital(tmp_path)
    (tmp_path / "plan.yaml").write_text(plan, "utf-8")
    hedgerow.publish(tmp_path / "plan.yaml")
    second = (tmp_path / SECOND[1]).read_text("utf-8")
    assert "bill:        {role: identifier," in second
    second = second.replace("bill:        {role: identifier,", "bill:        {role: insensitive,")
    second = with_years(second)
    (tmp_path / "claim.yaml").write_text(second, "utf-8")
    with pytest.raises(ClaimError, match="joining on 'bill'"):
        hedgerow.publish(tmp_path / "claim.yaml")
    assert not (tmp_path / "planners").exists()
    claim = "  - composition: {of: diagnosis, confidence: 0.34}\n"
    assert claim in second
    (tmp_path / "warned.yaml").write_text(second.replace(claim, ""), "utf-8")
    release = hedgerow.publish(tmp_path / "warned.yaml")
    (exposed,) = release.exposures
    assert exposed.joined == ("bill",)
    by_hand = joined_by_hand(tmp_path)
    assert exposed.together[0] >= by_hand > 100
    (found,) = attack(
        [tmp_path / "release", tmp_path / "planners"], plan=tmp_path / "plan.yaml",
        methods=["sequential"], of="diagnosis",
    )  # fmt: skip
    assert found.detail["joined_on"] == ["bill"]
    assert found.found.successes >= by_hand


def joined_by_hand(folder: Path) -> int:
    """People whose diagnosis is known to whoever looks for the same bill in both releases."""
    people = Targets.read(folder / "patients.csv")
    left: list[list[set[tuple[str, str]]]] = []
    for release in read_releases(
        [folder / "release", folder / "planners"], plan=folder / "plan.yaml"
    ):
        held: list[set[tuple[str, str]]] = [set() for _ in range(len(release))]
        place = {
            tuple(values[code] for values, code in zip(release.labels, codes, strict=True)): group
            for group, codes in enumerate(release.codes.tolist())
        }
        with (Path(release.name) / "data.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                told = tuple(row[name] for name in release.quasi)
                held[place[told]].add((row["diagnosis"], row["bill"]))
        where = locate(release, people)
        assert where.count.max() == 1
        left.append([set().union(*(held[g] for g in where.of(p))) for p in range(len(people))])
    both = [one & other for one, other in zip(*left, strict=True) if one and other]
    return sum(len({diagnosis for diagnosis, _ in pairs}) == 1 for pairs in both)
