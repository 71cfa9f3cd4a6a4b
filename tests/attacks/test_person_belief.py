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
