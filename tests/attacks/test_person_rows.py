"""What is believed of somebody with several rows, by hand and by drawing without replacement."""

from __future__ import annotations

import json
from itertools import permutations
from math import comb
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow import Plan
from hedgerow.attacks.person_belief import PersonBelief, belief_about
from hedgerow.base.errors import DataError, PlanError
from hedgerow.cli import app

VISITS = pd.DataFrame(
    [("p1", "Ann", "F", "flu"), ("p1", "Ann", "F", "gout"), ("p2", "Bea", "F", "flu"),
     ("p3", "Cat", "F", "acne"), ("p4", "Dea", "F", "acne"), ("p5", "Eli", "M", "flu"),
     ("p5", "Eli", "M", "flu"), ("p6", "Fin", "M", "gout"), ("p7", "Gus", "M", "flu")],
    columns=["pid", "name", "sex", "ill"],
)  # fmt: skip
PLAN = """
source: visits.csv
person: pid
rows: at most 2
columns:
  pid: identifier
  name: identifier
  sex: quasi-identifier
  ill: sensitive
protect: [{k-anonymity: 2}]
publish: {to: release}
"""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clinic")
    VISITS.to_csv(folder / "visits.csv", index=False)
    (folder / "plan.yaml").write_text(PLAN, "utf-8")
    hedgerow.publish(Plan.read(folder / "plan.yaml"))
    return folder


def of(clinic: Path, **person: str) -> PersonBelief:
    return belief_about([clinic / "release"], person, plan=clinic / "plan.yaml")


def believed(found: PersonBelief) -> dict[str, float]:
    assert all(one.listed is not None and one.listed[0] == one.listed[1] for one in found.beliefs)
    return {str(one.value): one.listed[1] for one in found.beliefs if one.listed}


def test_one_of_two_rows(clinic: Path) -> None:
    """Ann has two of five rows: two flu, one gout, two acne."""
    found = of(clinic, pid="p1")
    wanted = {value: 1 - comb(5 - n, 2) / comb(5, 2)
              for value, n in (("flu", 2), ("gout", 1), ("acne", 2))}  # fmt: skip
    assert believed(found) == pytest.approx(wanted)
    assert {str(b.value): b.alone for b in found.beliefs} == pytest.approx(wanted)
    flu = next(b for b in found.beliefs if b.value == "flu")
    assert flu.before == pytest.approx(1 - comb(4, 2) / comb(9, 2))
    assert found.truth is None
    assert any("their rows have 'flu' and 'gout'" in one for one in found.sentences)
    assert [(rows.rows, dict(rows.values)) for rows in found.rows] == [
        (5, {"acne": 2, "flu": 2, "gout": 1})
    ]


def test_by_every_way_to_deal_out_the_rows(clinic: Path) -> None:
    """Of Eli's two of four rows, by enumeration."""
    ways = [*permutations(["flu", "flu", "gout", "flu"])]
    wanted = {v: sum(v in way[:2] for way in ways) / len(ways) for v in ("flu", "gout")}
    wanted["acne"] = 0.0
    assert believed(of(clinic, name="Eli")) == pytest.approx(wanted)
    assert of(clinic, name="Eli").truth == "flu"
    assert believed(of(clinic, name="Fin"))["gout"] == 0.25


def test_rows_in_two_groups(tmp_path: Path) -> None:
    """Ann moved: a row of hers is in each group, and one of the two has gout for certain."""
    rows = [("p1", "A", "flu"), ("p1", "B", "gout"), ("p2", "A", "flu"), ("p3", "A", "acne"),
            ("p4", "B", "gout")]  # fmt: skip
    pd.DataFrame(rows, columns=["pid", "area", "ill"]).to_csv(tmp_path / "visits.csv", index=False)
    text = PLAN.replace("  name: identifier\n", "").replace("sex", "area")
    (tmp_path / "plan.yaml").write_text(text, "utf-8")
    release = tmp_path / "release.csv"
    pd.DataFrame([row[1:] for row in rows], columns=["area", "ill"]).to_csv(release, index=False)
    found = belief_about([release], {"pid": "p1"}, plan=tmp_path / "plan.yaml", sensitive=["ill"])
    wanted = {"gout": 1.0, "flu": 2 / 3, "acne": 1 / 3}
    assert believed(found) == pytest.approx(wanted)
    assert {str(b.value): b.alone for b in found.beliefs} == pytest.approx(wanted)
    assert len(found.rows) == 2


def test_bounds_where_there_is_too_much_to_count(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.attacks.person_rows_belief.MOST_MOVES", 0)
    counted = believed(of(clinic, pid="p1"))
    for one in of(clinic, pid="p1").beliefs:
        assert one.listed is not None
        assert one.listed[0] <= counted[str(one.value)] <= one.listed[1]


def test_several_releases_of_the_same_rows(tmp_path: Path) -> None:
    """By sex and by ward: Ann's two rows are those of women in the west, a flu and a gout."""
    rows = [("p1", "F", "west", "flu"), ("p1", "F", "west", "gout"), ("p2", "F", "east", "acne"),
            ("p3", "M", "west", "acne")]  # fmt: skip
    table = pd.DataFrame(rows, columns=["pid", "sex", "ward", "ill"])
    table.to_csv(tmp_path / "visits.csv", index=False)
    table[["sex", "ill"]].to_csv(tmp_path / "by_sex.csv", index=False)
    table[["ward", "ill"]].to_csv(tmp_path / "by_ward.csv", index=False)
    text = PLAN.replace("  name: identifier\n", "  ward: quasi-identifier\n")
    (tmp_path / "plan.yaml").write_text(text, "utf-8")
    releases = [tmp_path / "by_sex.csv", tmp_path / "by_ward.csv"]
    found = belief_about(releases, {"pid": "p1"}, plan=tmp_path / "plan.yaml", sensitive=["ill"])
    # Flu and gout are of women and of the west: of Ann. Acne is twice in each: of the others.
    assert believed(found) == {"flu": 1.0, "gout": 1.0, "acne": 0.0}
    table.iloc[:3].to_csv(tmp_path / "visits.csv", index=False)
    with pytest.raises(DataError, match="whether the releases show the same rows"):
        belief_about(releases, {"pid": "p1"}, plan=tmp_path / "plan.yaml", sensitive=["ill"])


def test_what_cannot_be_said_is_refused(clinic: Path, tmp_path: Path) -> None:
    release = clinic / "release"
    with pytest.raises(DataError, match="without a list nobody knows how many"):
        belief_about([release], {"sex": "F"})
    with pytest.raises(DataError, match="nothing says whose each row"):
        belief_about([release], {"pid": "p1"}, truth=clinic / "visits.csv")
    with pytest.raises(DataError, match="4 people on the list have such a row: sex=F"):
        of(clinic, sex="F")
    with pytest.raises(DataError, match="nobody on the list: pid=p9"):
        of(clinic, pid="p9")
    with pytest.raises(PlanError, match="a prior is about one value a person"):
        belief_about(
            [clinic / "release"], {"pid": "p1"}, plan=clinic / "plan.yaml", prior="uniform"
        )
    more = pd.concat([VISITS, VISITS.assign(pid="p8", name="Hal").iloc[:1]])
    more.to_csv(tmp_path / "more.csv", index=False)
    with pytest.raises(DataError, match="10 rows of the list fit the 9 of"):
        belief_about(
            [release], {"pid": "p1"}, plan=clinic / "plan.yaml", truth=tmp_path / "more.csv"
        )


def test_the_command(clinic: Path) -> None:
    asked = ["attack", str(clinic / "release"), "--plan", str(clinic / "plan.yaml"),
             "--person", "pid=p1"]  # fmt: skip
    shown = CliRunner().invoke(app, asked)
    assert shown.exit_code == 0, shown.output
    assert "more than 100 %" in " ".join(shown.output.split())
    told = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)
    assert told["beliefs"][0]["listed"] == pytest.approx([0.7, 0.7])


def test_everybody_is_told_what_is_said_of_one(clinic: Path) -> None:
    """People are counted, not rows, and each number is that of `--person`."""
    release, plan = clinic / "release", clinic / "plan.yaml"
    (result,) = hedgerow.attack([release], plan=plan, methods=["belief"])
    assert (result.unit, result.found.guesses, result.detail["rows"]) == ("people", 7, 9)
    assert result.gains is not None
    # Eli has two of four rows, three of which show flu. Nobody else is known for certain.
    assert (result.gains.certain, result.found.successes) == (1, 1)
    told = {(row["person"]["pid"], row["value"]): row for row in result.detail["losers"]}
    assert set(told) == {("p5", "flu"), ("p7", "flu"), ("p3", "acne"), ("p6", "gout")}
    assert told["p3", "acne"]["alike"] == 2
    for (pid, value), row in told.items():
        (belief,) = [b for b in of(clinic, pid=pid).beliefs if b.value == value]
        assert row["before"] == pytest.approx(belief.before)
        assert belief.listed == pytest.approx((row["together"],) * 2)
        assert row["gain"] == pytest.approx((row["together"] - belief.before) / (1 - belief.before))
        assert row["groups"][0]["rows"] == {"p3": 5}.get(pid, 4)
    # Ann has flu and gout. 7 in 10 is less than before, 4 in 10 as well: nothing is gained.
    gains = [row["gain"] * row["alike"] for row in told.values()]
    assert result.gains.mean == pytest.approx(sum(gains) / 7)


def test_the_commands_list_and_gate_count_people(clinic: Path) -> None:
    asked = ["attack", str(clinic / "release"), "--plan", str(clinic / "plan.yaml"),
             "--method", "belief", "--certain-at-most", "0.1"]  # fmt: skip
    shown = CliRunner().invoke(app, asked, env={"COLUMNS": "200"})
    assert shown.exit_code == 1
    words = " ".join(shown.output.split())
    assert "knows the ill of 1 of 7 people for certain" in words
    assert "1 of 7 people are known for certain (14.29 %)" in words
    assert "rows were counted" not in words
    both = CliRunner().invoke(app, [*asked, "--method", "homogeneity"], env={"COLUMNS": "200"})
    assert "rows, not people, are counted by 'homogeneity'" in " ".join(both.output.split())


def test_what_cannot_be_said_of_everybody_is_refused_or_said(clinic: Path, tmp_path: Path) -> None:
    release, plan = clinic / "release", clinic / "plan.yaml"
    with pytest.raises(DataError, match="nothing says whose each row of the list"):
        hedgerow.attack([release], truth=clinic / "visits.csv", methods=["belief"])
    with pytest.raises(DataError, match="without a list nobody knows how many"):
        hedgerow.attack([release], register=VISITS, methods=["belief"])
    with pytest.raises(PlanError, match="a prior is about one value a person"):
        hedgerow.attack([release], plan=plan, methods=["belief"], prior="uniform")
    fewer = VISITS.iloc[:-1]
    fewer[["sex", "ill"]].to_csv(tmp_path / "fewer.csv", index=False)
    results = hedgerow.attack([release, tmp_path / "fewer.csv"], plan=plan, sensitive=["ill"])
    assert "belief" not in [one.attack for one in results]
    untried = "belief: 9 rows of the list fit the 8 of "
    assert any(said.startswith(untried) for said in results[0].detail["not_tried"])


def test_several_releases_of_everybodys_rows(tmp_path: Path) -> None:
    """By sex and by ward, as above: both of Ann's values are certain to whoever has the list."""
    rows = [("p1", "F", "west", "flu"), ("p1", "F", "west", "gout"), ("p2", "F", "east", "acne"),
            ("p3", "M", "west", "acne")]  # fmt: skip
    table = pd.DataFrame(rows, columns=["pid", "sex", "ward", "ill"])
    table.to_csv(tmp_path / "visits.csv", index=False)
    table[["sex", "ill"]].to_csv(tmp_path / "by_sex.csv", index=False)
    table[["ward", "ill"]].to_csv(tmp_path / "by_ward.csv", index=False)
    text = PLAN.replace("  name: identifier\n", "  ward: quasi-identifier\n")
    (tmp_path / "plan.yaml").write_text(text, "utf-8")
    (result,) = hedgerow.attack(
        [tmp_path / "by_sex.csv", tmp_path / "by_ward.csv"], plan=tmp_path / "plan.yaml",
        sensitive=["ill"], methods=["belief"],
    )  # fmt: skip
    (ann,) = [row for row in result.detail["losers"] if row["person"] == {"pid": "p1"}]
    assert (ann["together"], ann["value"]) == (1.0, "flu")
    assert [step["alone"] for step in ann["each"]] == pytest.approx([2 / 3, 2 / 3])
    assert ann["before"] == pytest.approx(1 - comb(6, 2) / comb(8, 2))
