"""`hedgerow.attack`: every attack by name, on files as somebody would bring them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import ProbabilisticLDiversity
from hedgerow.base.errors import HedgerowError


def write(folder: Path, name: str, **columns: object) -> Path:
    path = folder / name
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def one(method: str, files: list[Path], **more: object) -> hedgerow.AttackResult:
    (result,) = hedgerow.attack(files, methods=[method], **more)  # type: ignore[arg-type]
    assert result.attack
    assert result.summary()["found"]["guesses"] == result.found.guesses
    return result


def test_averaging(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(5, 50, 60)
    file = write(
        tmp_path, "counts.csv", noisy=truth + rng.laplace(0, 3, 60),
        sum=[*(truth[:-1] + truth[1:]), None], truth=truth,
    )  # fmt: skip
    found = one("averaging", [file])
    assert found.found.value > found.baseline.value


def test_reconstruction(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2, 40)
    inside = rng.random((200, 40)) < 0.5
    query, person = np.nonzero(inside)
    asked = write(tmp_path, "queries.csv", query=query, person=person)
    answers = write(
        tmp_path, "answers.csv", query=range(200), answer=inside @ bits + rng.normal(0, 0.5, 200)
    )
    truth = write(tmp_path, "truth.csv", person=range(40), value=bits)
    assert one("reconstruction", [asked, answers], truth=truth).found.value == 1
    exact = one("reconstruction", [asked, answers], truth=truth, know={"method": "linear program"})
    assert exact.succeeded


def test_floating_point(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    noise = rng.choice([-1.0, 1.0], 200) * np.log(rng.random(200))
    file = write(
        tmp_path, "outputs.csv", output=[repr(float(x)) for x in truth + noise], truth=truth
    )
    assert one("floating-point", [file]).gain > 0.2
    whole = write(tmp_path, "whole.csv", output=truth + rng.integers(-9, 9, 200), truth=truth)
    assert one("floating-point", [whole], know={"noise": "lattice"}).gain == 0


def test_same_sample(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    first, sampled = rng.integers(0, 2, 300), (rng.random(300) < 0.1).astype(int)
    file = write(tmp_path, "bits.csv", first=first, second=first ^ sampled, sampled=sampled)
    assert one("same-sample", [file], know={"rate": "0.1"}).found.value == 1
    with pytest.raises(HedgerowError, match="needs to know rate"):
        one("same-sample", [file])


def test_sparse(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    person = np.repeat(np.arange(300), 12)
    item = rng.zipf(1.5, len(person)) % 400
    rating, day = rng.integers(1, 6, len(person)), rng.integers(0, 700, len(person))
    file = write(tmp_path, "ratings.csv", person=person, item=item, rating=rating, day=day)
    found = one("sparse", [file], know={"targets": "40", "outsiders": "20"})
    assert found.succeeded


def test_membership(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    frequency = rng.uniform(0.1, 0.9, 2000)
    people = (rng.random((60, 2, 2000)) < frequency).mean(axis=1)
    file = write(tmp_path, "study.csv", study=people[:30].mean(axis=0), population=frequency)
    inside = write(tmp_path, "in.csv", **{f"p{i}": people[i] for i in range(30)})
    outside = write(tmp_path, "out.csv", **{f"p{i}": people[i] for i in range(30, 60)})
    assert one("membership", [file], truth=inside, control=outside).succeeded
    with pytest.raises(HedgerowError, match="genotypes"):
        one("membership", [file])


def test_de_finetti(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    trade = np.repeat(["baker", "miller", "tanner"], [150, 100, 50])
    usual = np.repeat(["flour", "lung", "skin"], [150, 100, 50])
    ill = np.where(rng.random(300) < 0.9, usual, rng.permutation(usual))
    town = rng.choice(["north", "south"], 300)
    file = write(tmp_path, "table.csv", trade=trade, town=town, ill=ill)
    assert one("de-finetti", [file], sensitive=["ill"], know={"l": "2"}).succeeded


def test_what_a_plan_allows_to_try(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {"name": [f"p{i}" for i in range(400)], "age": rng.integers(20, 60, 400).astype(str),
         "sex": rng.choice(["F", "M"], 400), "ill": rng.choice(["flu", "gout", "acne"], 400)}
    )  # fmt: skip
    frame.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "plan.yaml").write_text(
        """source: people.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 10, 20]}}
  sex: quasi-identifier
  ill: {role: sensitive, hierarchy: {taxonomy: {skin: [acne], other: [flu, gout]}}}
protect: [k-anonymity: 5]
publish: {to: release}
"""
    )
    hedgerow.publish(tmp_path / "plan.yaml")
    results = hedgerow.attack([tmp_path / "release"], plan=tmp_path / "plan.yaml")
    assert {r.attack for r in results} >= {"homogeneity", "background-knowledge", "similarity",
                                           "skewness", "intersection"}  # fmt: skip
    assert all(0 <= r.gain <= 1 for r in results)
    three = hedgerow.attack(
        [tmp_path / "release"], plan=tmp_path / "plan.yaml", methods=["gdpr"], seed=1
    )
    assert len(three) == 3
    (linked,) = hedgerow.attack(
        [tmp_path / "release"], register=tmp_path / "people.csv", methods=["linkage"]
    )
    assert linked.found.guesses > 0


def test_minimality_of_a_minimal_generalisation(tmp_path: Path) -> None:
    """Two of the young share a value; joined with the old they hide it, but not from who asks."""
    frame = pd.DataFrame(
        {"age": ["20"] * 2 + ["60"] * 5,
         "ill": ["HIV", "HIV", "flu", "gout", "acne", "mumps", "ulcer"]}
    )  # fmt: skip
    frame.to_csv(tmp_path / "people.csv", index=False)
    release = hedgerow.publish(
        frame, columns={"age": "quasi-identifier", "ill": "sensitive"},
        protect=[ProbabilisticLDiversity(l=2, of="ill")], to=tmp_path / "release",
    )  # fmt: skip
    assert release.suppressed == 0
    found = one("minimality", [tmp_path / "release"], truth=tmp_path / "people.csv",
                know={"l": "2"})  # fmt: skip
    assert found.found.value > found.baseline.value


def test_sequential_releases(tmp_path: Path) -> None:
    ill = ["flu", "gout", "acne", "flu", "gout"]
    before = pd.DataFrame({"age": ["<20"] * 3 + [">=20"] * 2, "ill": ill})
    after = pd.DataFrame({"age": ["<15"] * 2 + [">=15"] * 3, "ill": ["flu", "gout", *ill[2:]]})
    register = pd.DataFrame({"age": ["5", "10", "17", "30", "40"]})
    (found,) = hedgerow.attack(
        [before, after], register=register, sensitive=["ill"], methods=["sequential"]
    )
    assert found.found.successes >= 1


def test_every_attack_has_a_name() -> None:
    with pytest.raises(HedgerowError, match="files of its own kind"):
        hedgerow.attack(["x.csv"], methods=["sparse", "linkage"])
    with pytest.raises(HedgerowError, match="there is no attack 'magic'"):
        hedgerow.attack(["x.csv"], methods=["magic"])


def test_files_with_other_columns(tmp_path: Path) -> None:
    file = write(tmp_path, "wrong.csv", first=[0], secnd=[1], sampled=[1])
    with pytest.raises(HedgerowError, match="there is no column 'second'") as caught:
        one("same-sample", [file], know={"rate": "0.1"})
    assert "'secnd'" in str(caught.value)
    text = write(tmp_path, "text.csv", first=["yes"], second=[1], sampled=[1])
    with pytest.raises(HedgerowError, match="'yes' in 'first' is not a number"):
        one("same-sample", [text], know={"rate": "0.1"})


def test_releases_without_a_common_secret() -> None:
    """Nothing tried is nothing found, and must not look like safety."""
    ills = pd.DataFrame({"age": ["*"], "ill": ["flu"], "pay": ["9"]})
    folder_less = pd.DataFrame({"age": ["*"], "ill": ["flu"]})
    with pytest.raises(HedgerowError, match="there is no column 'pay'"):
        hedgerow.attack([ills, folder_less], sensitive=["pay"])
    with pytest.raises(HedgerowError, match="there is no release"):
        hedgerow.attack([])


def test_texts_that_mean_missing_to_the_plan(tmp_path: Path) -> None:
    rows = "age,ill\n?,flu\n?,gout\n30,flu\n30,gout\n"
    (tmp_path / "people.csv").write_text(rows)
    (tmp_path / "plan.yaml").write_text(
        'source: people.csv\nnull: ["?"]\ncolumns: {age: quasi-identifier, ill: sensitive}\n'
        "protect: [k-anonymity: 2]\npublish: {to: release}\n"
    )
    hedgerow.publish(tmp_path / "plan.yaml")
    found = one("intersection", [tmp_path / "release"], plan=tmp_path / "plan.yaml")
    assert found.found.guesses == 4
