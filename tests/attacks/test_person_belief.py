"""What is believed of one person: the papers' examples, plain enumeration, and the command."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from record_worlds import Puzzle, Release, believed
from typer.testing import CliRunner

from hedgerow import publish
from hedgerow.attacks import minimal_worlds, person_scene, world_sample
from hedgerow.attacks.person_belief import PersonBelief, belief_about
from hedgerow.base.errors import DataError, PlanError
from hedgerow.cli import app

HOSPITALS = (
    "zip,age,condition\n"
    "130**,<30,AIDS\n130**,<30,Heart Disease\n"
    "130**,<30,Viral Infection\n130**,<30,Viral Infection\n"
    "130**,>=40,Cancer\n130**,>=40,Heart Disease\n130**,>=40,Viral Infection\n"
    "130**,>=40,Viral Infection\n130**,30-39,Cancer\n130**,30-39,Cancer\n130**,30-39,Cancer\n"
    "130**,30-39,Cancer\n",
    "zip,age,condition\n"
    "130**,<35,AIDS\n130**,<35,Tuberculosis\n130**,<35,Flu\n130**,<35,Tuberculosis\n"
    "130**,<35,Cancer\n130**,<35,Cancer\n130**,>=35,Cancer\n130**,>=35,Cancer\n130**,>=35,Cancer\n"
    "130**,>=35,Tuberculosis\n130**,>=35,Viral Infection\n130**,>=35,Viral Infection\n",
)
"""Paper 000, Table 1 (digits from memory; see FACTS A.1)."""


def written(folder: Path, *texts: str) -> list[str]:
    paths = []
    for i, text in enumerate(texts):
        path = folder / f"release{i}.csv"
        path.write_text(text, "utf-8")
        paths.append(str(path))
    return paths


def shares(found: PersonBelief, *, listed: bool = False) -> dict[Any, Any]:
    """What is possible, and how likely."""
    if listed:
        return {b.value: b.listed for b in found.beliefs if b.listed and b.listed[1]}
    return {b.value: b.alone for b in found.beliefs if b.alone}


def test_alice_of_the_two_hospitals(tmp_path: Path) -> None:
    releases = written(tmp_path, *HOSPITALS)
    alice = {"zip": "13012", "age": "28"}
    first = belief_about(releases[:1], alice, sensitive=["condition"])
    assert shares(first) == {"AIDS": 0.25, "Heart Disease": 0.25, "Viral Infection": 0.5}
    both = belief_about(releases, alice, sensitive=["condition"])
    assert shares(both) == {"AIDS": 1.0}
    assert [(rows.release, rows.rows) for rows in both.rows] == [
        (releases[0], 4), (releases[1], 6)
    ]  # fmt: skip


def test_figure_1_of_paper_002(tmp_path: Path) -> None:
    """{None, Stroke, Flu, Cancer} and {Cold, Stroke, Rash}: only Stroke is in both."""
    releases = written(
        tmp_path, "zip,ill\n1*,none\n1*,Stroke\n1*,Flu\n1*,Cancer\n",
        "age,ill\n20-29,Cold\n20-29,Stroke\n20-29,Rash\n",
    )  # fmt: skip
    found = belief_about(releases, {"zip": "13", "age": "25"}, sensitive=["ill"])
    assert shares(found) == {"Stroke": 1.0}


def test_whoever_knows_everybody_counts(tmp_path: Path) -> None:
    """Joe moved to another group, and acne with him (the lecture's slide on updates)."""
    releases = written(
        tmp_path, "age,ill\n0-4,flu\n0-4,gout\n0-4,acne\n5-7,flu\n5-7,gout\n",
        "age,ill\n0-3,flu\n0-3,gout\n4-7,acne\n4-7,flu\n4-7,gout\n",
    )  # fmt: skip
    register = tmp_path / "people.csv"
    register.write_text("name,age\nKen,0\nNash,1\nJoe,4\nSam,5\nTim,6\n", "utf-8")

    def of(name: str) -> PersonBelief:
        return belief_about(
            releases, {"name": name}, register=str(register), sensitive=["ill"], quasi=["age"]
        )

    assert shares(of("Joe"), listed=True) == {"acne": (1.0, 1.0)}
    assert shares(of("Ken"), listed=True) == {"flu": (0.5, 0.5), "gout": (0.5, 0.5)}
    third = pytest.approx(1 / 3)
    assert shares(of("Joe")) == {"acne": third, "flu": third, "gout": third}


@pytest.mark.parametrize("seed", range(40))
def test_beliefs_are_those_of_all_worlds(tmp_path: Path, seed: int) -> None:
    """Random people in two releases, by enumeration that shares no code."""
    random = Random(seed)
    size = random.randint(3, 5)
    people = [(random.randrange(4), random.choice("abc")) for _ in range(size)]
    texts, shown = [], []
    for _ in range(2):
        cut = random.choice([1, 2, 3])
        sides = [f"0-{cut - 1}" if age < cut else f"{cut}-3" for age, _ in people]
        rows = [f"{side},{ill}" for side, (_, ill) in zip(sides, people, strict=True)]
        texts.append("age,ill\n" + "\n".join(rows) + "\n")
        groups = sorted(set(sides))
        records = tuple((groups.index(s), "abc".index(ill))
                        for s, (_, ill) in zip(sides, people, strict=True))  # fmt: skip
        fits = tuple(frozenset({groups.index(side)}) for side in sides)
        shown.append(Release(records, (0, 1, 2), fits, (True,) * size, listed=True))
    releases = written(tmp_path, *texts)
    register = pd.DataFrame({"name": list(range(size)), "age": [age for age, _ in people]})
    _, wanted = believed(Puzzle(size, 3, tuple(shown)))
    _, alone = believed(
        Puzzle(1, 3, tuple(Release(r.records, r.looks, r.fits[:1], (True,), listed=False)
                           for r in shown))
    )  # fmt: skip
    found = belief_about(
        releases, {"name": "0"}, register=register, sensitive=["ill"], quasi=["age"]
    )
    for one in found.beliefs:
        code = "abc".index(str(one.value))
        assert one.listed == (float(wanted[0][code]), float(wanted[0][code]))
        assert Fraction(one.alone).limit_denominator(1000) == alone[0][code]


def test_who_is_meant_must_be_clear(tmp_path: Path) -> None:
    (release,) = written(tmp_path, "age,ill\n0-4,flu\n0-4,gout\n")
    register = pd.DataFrame({"name": ["Al", "Al", "Bo"], "age": [1, 2, 9]})

    def ask(**person: str) -> PersonBelief:
        return belief_about([release], person, register=register, sensitive=["ill"], quasi=["age"])

    with pytest.raises(DataError, match="2 people on the list: name=Al"):
        ask(name="Al")
    with pytest.raises(DataError, match="nobody on the list: name=Cy"):
        ask(name="Cy")
    with pytest.raises(DataError, match="fits no group"):
        ask(name="Bo")
    with pytest.raises(PlanError, match="the list of people has no such column") as refused:
        ask(nam="Al")
    assert refused.value.fix == "Did you mean 'name'?"


def test_what_fits_nobody_says_which_value_it_is(tmp_path: Path) -> None:
    (release,) = written(tmp_path, "age,sex,ill\n0-4,f,flu\n0-4,f,gout\n5-9,m,flu\n")

    def refused(person: dict[str, str], **more: Any) -> str:
        with pytest.raises(DataError) as error:
            belief_about([release], person, sensitive=["ill"], quasi=["age", "sex"], **more)
        return f"{error.value.what}. {error.value.fix}"

    # A column that no release has would be passed over, and the answer be about somebody else.
    assert refused({"sexe": "f", "age": "3"}) == (
        "--person sexe: no release has such a column. Did you mean 'sex'?"
    )
    assert "A name needs a list" in refused({"name": "Al", "age": "3"})
    assert refused({"age": "3", "sex": "female"}).startswith("no published sex covers 'female'")
    assert "Suppressed people are in no release" in refused({"age": "3", "sex": "m"})
    people = pd.DataFrame({"name": ["Al", "Bo"], "born": ["2020-01-02", "2021-02-03"]})
    assert refused({"born": "2.1.2020"}, register=people) == (
        "nobody on the list: born=2.1.2020. No born is '2.1.2020'. Write it as the table does, "
        "such as '2020-01-02'."
    )
    assert "but not together" in refused({"name": "Al", "born": "2021-02-03"}, register=people)


def test_a_list_that_contradicts_the_release_is_told(tmp_path: Path) -> None:
    """Three people fit the first group, which has two records; as many as records fit in all."""
    (release,) = written(tmp_path, "age,ill\n0-4,flu\n0-4,gout\n5-9,flu\n5-9,flu\n")
    register = pd.DataFrame({"name": ["A", "B", "C", "D"], "age": [1, 2, 3, 5]})
    found = belief_about(
        [release], {"name": "A"}, register=register, sensitive=["ill"], quasi=["age"]
    )
    assert all(one.listed is None for one in found.beliefs)
    assert any("contradicts" in sentence for sentence in found.sentences)


def test_the_command(tmp_path: Path) -> None:
    releases = written(tmp_path, *HOSPITALS)
    words = ["attack", *releases, "--sensitive", "condition", "--person", "zip=13012"]
    told = CliRunner().invoke(app, [*words, "--person", "age=28", "--json"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.output)
    assert [b["value"] for b in found["beliefs"] if b["alone"]] == ["AIDS"]
    shown = CliRunner().invoke(app, [*words, "--person", "age=28"])
    assert "100.0%" in shown.output
    wrong = CliRunner().invoke(app, [*words, "--method", "intersection"])
    assert wrong.exit_code == 2
    assert "--person has no use for --method" in wrong.output


def test_what_was_not_joined_is_said(tmp_path: Path) -> None:
    """Two of the three releases show the bill: whoever joins on it knows more."""
    releases = written(
        tmp_path, "zip,ill,bill\n1*,flu,1\n1*,gout,2\n", "zip,ill,bill\n1*,flu,1\n1*,gout,2\n",
        "zip,ill\n1*,flu\n1*,gout\n",
    )  # fmt: skip
    words: dict[str, Any] = {"sensitive": ["ill"], "quasi": ["zip"]}
    two = belief_about(releases[:2], {"zip": "13"}, **words)
    assert two.sentences == ("Records were joined on 'bill'.",)
    three = belief_about(releases, {"zip": "13"}, **words)
    assert three.sentences == (
        "Not tried: joining records on 'bill', which several releases show. Whoever does may know "
        "more than is shown here.",
    )


def test_the_nearest_centroid_is_a_guess(tmp_path: Path) -> None:
    (release,) = written(tmp_path, "age,ill\n20,flu\n20,gout\n60,acne\n")
    found = belief_about([release], {"age": "25"}, sensitive=["ill"], located="nearest")
    assert "That is a guess, so the beliefs are one, too." in found.sentences[0]


def test_a_release_without_the_person_tells_of_them_too(tmp_path: Path) -> None:
    """Of flu, flu and gout one is Ann's. Elsewhere Bob and Cem show flu and gout."""
    releases = written(
        tmp_path, "age,ill\n20-29,flu\n20-29,flu\n20-29,gout\n", "age,ill\n25-29,flu\n25-29,gout\n"
    )  # fmt: skip
    people = pd.DataFrame([("Ann", "21"), ("Bob", "26"), ("Cem", "27")], columns=["name", "age"])
    found = belief_about(releases, {"name": "Ann"}, register=people, sensitive=["ill"])
    assert shares(found, listed=True) == {"flu": (1.0, 1.0)}
    assert shares(found)["gout"] == pytest.approx(1 / 3)


@pytest.fixture
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were too many worlds to count."""

    def bounded(knowledge: Any, *, asked: Any = ()) -> Any:
        return counting(knowledge, moves=1, asked=asked)

    counting = person_scene.believed
    monkeypatch.setattr(person_scene, "believed", bounded)


def ages(folder: Path) -> tuple[list[str], pd.DataFrame]:
    """Two releases of six people whose worlds take counting."""
    releases = written(
        folder,
        "age,ill\n0-2,flu\n0-2,gout\n0-2,acne\n3-5,flu\n3-5,gout\n3-5,acne\n",
        "age,ill\n0-1,flu\n0-1,gout\n2-5,acne\n2-5,flu\n2-5,gout\n2-5,acne\n",
    )
    return releases, pd.DataFrame({"name": list("ABCDEF"), "age": range(6)})


@pytest.mark.usefixtures("uncounted")
def test_what_is_not_counted_is_estimated_and_says_so(tmp_path: Path) -> None:
    releases, people = ages(tmp_path)
    found = belief_about(
        releases, {"name": "C"}, register=people, sensitive=["ill"], quasi=["age"], seed=3
    )
    by_age = Release(
        tuple((int(i > 2), i % 3) for i in range(6)), (0, 1, 2),
        tuple(frozenset({int(i > 2)}) for i in range(6)), (True,) * 6, listed=True,
    )  # fmt: skip
    later = Release(
        ((0, 0), (0, 1), (1, 2), (1, 0), (1, 1), (1, 2)), (0, 1, 2),
        tuple(frozenset({int(i > 1)}) for i in range(6)), (True,) * 6, listed=True,
    )  # fmt: skip
    _, wanted = believed(Puzzle(6, 3, (by_age, later)))
    for one in found.beliefs:
        assert one.estimate is not None
        assert one.listed is not None
        code = ["flu", "gout", "acne"].index(str(one.value))
        assert one.listed[0] <= one.estimate.low <= one.estimate.high <= one.listed[1]
        assert one.estimate.low - 1e-9 <= float(wanted[2][code]) <= one.estimate.high + 1e-9
        told = one.summary()["listed_estimate"]
        assert (told["by"], told["proven"], told["rate"]) == ("sampling", False, 0.95)
        assert told["interval"] == [one.estimate.low, one.estimate.high]
    (sentence,) = [one for one in found.sentences if "estimates are" in one]
    assert "seed 3), not proven" in sentence
    again = belief_about(
        releases, {"name": "C"}, register=people, sensitive=["ill"], quasi=["age"], seed=3
    )
    assert again == found


@pytest.mark.usefixtures("uncounted")
def test_estimates_have_a_column_of_their_own(tmp_path: Path) -> None:
    releases, people = ages(tmp_path)
    register = tmp_path / "people.csv"
    people.to_csv(register, index=False)
    shown = CliRunner().invoke(
        app, ["attack", *releases, "--sensitive", "ill", "--register", str(register), "--quasi",
              "age", "--person", "name=C", "--seed", "5"], env={"COLUMNS": "160"},
    )  # fmt: skip
    assert shown.exit_code == 0, shown.output
    assert "estimate of it" in shown.output
    assert "(8 chains, seed 5), not proven" in shown.output


@pytest.mark.usefixtures("uncounted")
def test_no_estimate_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    releases, people = ages(tmp_path)
    monkeypatch.setattr(world_sample, "MOST_CELLS", 3)
    found = belief_about(releases, {"name": "C"}, register=people, sensitive=["ill"], quasi=["age"])
    assert all(one.estimate is None for one in found.beliefs)
    assert any(one.startswith("No estimate by sampling: ") for one in found.sentences)


def clinic(folder: Path) -> Path:
    """Two of place a have HIV, nobody of b's five: Wong's example with sizes 2 and 5."""
    ills = ["HIV", "HIV", "flu", "flu", "flu", "gout", "gout"]
    pd.DataFrame({"name": list("ABCDEFG"), "place": list("aabbbbb"), "ill": ills}).to_csv(
        folder / "people.csv", index=False
    )
    plan = folder / "plan.yaml"
    plan.write_text(
        "source: people.csv\nperson: name\n"
        "columns: {place: quasi-identifier, ill: sensitive}\n"
        "protect:\n  - alpha-k-anonymity: {alpha: 0.5, k: 1, of: ill, value: HIV}\n"
        "method: {search: lattice}\n",
        "utf-8",
    )
    publish(plan, to=folder / "out", report=False)
    return plan


def test_whoever_knows_the_plan_knows_more(tmp_path: Path) -> None:
    plan = clinic(tmp_path)
    found = belief_about([tmp_path / "out"], {"name": "A"}, plan=plan)
    assert {one.value: one.knowing_plan for one in found.beliefs} == {
        "HIV": (1.0, 1.0), "flu": (0.0, 0.0), "gout": (0.0, 0.0),
    }  # fmt: skip
    assert {one.value: one.listed for one in found.beliefs}["HIV"] == (2 / 7, 2 / 7)
    other = belief_about([tmp_path / "out"], {"name": "C"}, plan=plan)
    assert {one.value: one.knowing_plan for one in other.beliefs} == {
        "HIV": (0.0, 0.0), "flu": (0.6, 0.6), "gout": (0.4, 0.4),
    }  # fmt: skip
    assert any("exact, by trying every table that fits (6). Of 1" in one for one in found.sentences)


def test_the_search_is_done_again_on_a_table_in_another_encoding(tmp_path: Path) -> None:
    ills = ["HIV", "HIV", "grün", "grün", "grün", "gout", "gout"]
    rows = [";".join(row) for row in zip("ABCDEFG", "aabbbbb", ills, strict=True)]
    (tmp_path / "people.csv").write_bytes("\n".join(["name;place;ill", *rows]).encode("cp1252"))
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "source: people.csv\nperson: name\nread: {encoding: cp1252}\n"
        "columns: {place: quasi-identifier, ill: sensitive}\n"
        "protect:\n  - alpha-k-anonymity: {alpha: 0.5, k: 1, of: ill, value: HIV}\n"
        "method: {search: lattice}\n",
        "utf-8",
    )
    publish(plan, to=tmp_path / "out", report=False)
    found = belief_about([tmp_path / "out"], {"name": "A"}, plan=plan)
    assert {one.value: one.knowing_plan for one in found.beliefs}["HIV"] == (1.0, 1.0)


def test_random_tables_are_no_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = clinic(tmp_path)
    monkeypatch.setattr(minimal_worlds, "MOST_WORLDS", 0)
    monkeypatch.setattr(minimal_worlds, "FEWEST_KEPT", 5)
    found = belief_about([tmp_path / "out"], {"name": "A"}, plan=plan, seed=2)
    (hiv,) = [one for one in found.beliefs if one.value == "HIV"]
    assert hiv.knowing_plan is not None
    assert hiv.knowing_plan[0] < hiv.knowing_plan[1] == 1
    assert hiv.summary()["knowing_plan"]["proven"] is False
    assert any("an estimate, not proven" in one and "seed 2" in one for one in found.sentences)


def test_another_source_is_noticed(tmp_path: Path) -> None:
    plan = clinic(tmp_path)
    text = (tmp_path / "people.csv").read_text("utf-8")
    (tmp_path / "people.csv").write_text(text.replace("C,b,flu", "C,b,gout"), "utf-8")
    found = belief_about([tmp_path / "out"], {"name": "A"}, plan=plan)
    assert all(one.knowing_plan is None for one in found.beliefs)
    assert any("is not what the plan makes of its source" in one for one in found.sentences)


def test_plans_that_are_not_searched_again_say_so(tmp_path: Path) -> None:
    plan = clinic(tmp_path)
    plan.write_text(
        plan.read_text("utf-8").replace("{search: lattice}", "{search: lattice, time: 5}")
    )
    found = belief_about([tmp_path / "out"], {"name": "A"}, plan=plan)
    assert any("Not tried: a search with `parts` or `time`" in one for one in found.sentences)
