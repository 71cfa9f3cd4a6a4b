"""Who loses most: by hand, with the releases that do it; and gates that go by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.attacks.gain_bounds import GainBounds
from hedgerow.attacks.person_belief import belief_about
from hedgerow.cli import app

PEOPLE = pd.DataFrame(
    {
        "name": ["Ada", "Bob", "Cem", "Dora", "Eve", "Fay"],
        "age": ["22", "25", "28", "31", "34", "37"],
        "place": ["East", "West", "West", "East", "West", "East"],
        "ill": ["gout", "flu", "flu", "acne", "gout", "flu"],
    }
)
"""The six people of docs/beliefs.md, of whom Eve and Fay are elsewhere here."""
BY_AGE = pd.DataFrame(
    {"age": ["20-29"] * 3 + ["30-39"] * 3, "ill": ["flu", "flu", "gout", "flu", "gout", "acne"]}
)
BY_PLACE = pd.DataFrame(
    {"place": ["East"] * 3 + ["West"] * 3, "ill": ["gout", "acne", "flu", "flu", "flu", "gout"]}
)


def tried(*releases: pd.DataFrame, **more: Any) -> Any:
    given: dict[str, Any] = {"truth": PEOPLE, "sensitive": ["ill"], "methods": ["belief"]} | more
    (result,) = hedgerow.attack(list(releases), **given)
    return result


def one(result: Any, name: str) -> dict[str, Any]:
    (found,) = [row for row in result.detail["losers"] if row["person"] == {"name": name}]
    return dict(found)


def test_the_six_people() -> None:
    result = tried(BY_AGE, BY_PLACE)
    bob, dora = result.detail["losers"][:2]
    assert (bob["called"], bob["alike"], bob["value"]) == ("name Bob and 1 other", 2, "flu")
    assert bob["before"] == 0.5
    assert [row["alone"] for row in bob["each"]] == pytest.approx([2 / 3, 2 / 3])
    assert bob["together"] == pytest.approx(0.8)
    assert (bob["knowing"], bob["why"], bob["by_itself"]) == (
        "the person", "both together", False,
    )  # fmt: skip
    assert (dora["value"], dora["together"], dora["knowing"]) == ("acne", 0.5, "everybody")
    assert dora["before"] == pytest.approx(1 / 6)
    for row in result.detail["losers"]:
        if row["knowing"] == "everybody":
            name = row["person"]["name"]
            seen = belief_about([BY_AGE, BY_PLACE], {"name": name}, truth=PEOPLE, sensitive=["ill"])
            listed = {b.value: b.listed for b in seen.beliefs}
            assert listed[row["value"]] == pytest.approx((row["together"],) * 2)


def test_the_release_that_does_it() -> None:
    """By place alone somebody is known; the other release adds nothing."""
    telling = pd.DataFrame(
        {"place": ["East"] * 3 + ["West"] * 3, "ill": ["flu"] * 3 + ["gout"] * 3}
    )
    people = PEOPLE.assign(ill=["flu", "gout", "gout", "flu", "gout", "flu"])
    mixed = pd.DataFrame({"age": ["20-39"] * 6, "ill": ["flu", "gout"] * 3})
    result = tried(mixed, telling, truth=people)
    assert result.gains.certain == 6
    for row in result.detail["losers"]:
        assert (row["release"], row["by_itself"]) == ("the table 2", True)
        assert row["why"].startswith("the table 2 alone: 3 rows (place ")
    by_itself = tried(telling, truth=people)
    assert by_itself.detail["losers"][0]["why"] == "3 rows (place East)"


def test_of_three_releases_the_one_that_takes_most() -> None:
    """Each step is what the belief would be less without the release."""
    third = pd.DataFrame({"age": ["20-39"] * 6, "ill": ["flu"] * 3 + ["gout"] * 2 + ["acne"]})
    result = tried(BY_AGE, third, BY_PLACE)
    bob = one(result, "Bob")
    # With the third, 2/3 · 1/2 · 2/3 against 1/3 · 1/3 · 1/3: 6/7; without one of the others 3/4,
    # and without the third 4/5.
    assert bob["together"] == pytest.approx(6 / 7)
    without = [row["without"] for row in bob["each"]]
    assert without == pytest.approx([3 / 4, 4 / 5, 3 / 4])
    assert bob["why"] == "several together"


def test_somebody_alike_is_told_by_what_tells_them_apart() -> None:
    twice = PEOPLE.assign(name=["Al", "Al", "Cem", "Dora", "Eve", "Fay"])
    result = tried(BY_AGE, BY_PLACE, truth=twice)
    picked = [row["person"] for row in result.detail["losers"]]
    assert {"name": "Al", "age": "25"} in picked


def bounded(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("hedgerow.attacks.crowd_belief.MOST_FAILED", 0)
    return tried(BY_AGE, BY_PLACE)


def test_a_bound_is_not_a_belief(monkeypatch: pytest.MonkeyPatch) -> None:
    result = bounded(monkeypatch)
    assert result.detail["bounded"] == 6
    assert result.gains.worst < result.detail["worst_at_most"] <= 1
    assert any("between proven bounds" in sentence for sentence in result.sentences)
    for row in result.detail["losers"]:
        assert row["at_least"] == (row["knowing"] == "everybody")


def test_a_gate_is_unsure_where_a_bound_may_break_it(monkeypatch: pytest.MonkeyPatch) -> None:
    result = bounded(monkeypatch)
    assert not GainBounds(worst=0.7).broken(result)
    assert "between bounds" in GainBounds(worst=0.7).unsettled(result)[0]
    assert GainBounds(worst=0.5).broken(result)
    assert not GainBounds(worst=0.5).unsettled(result)
    assert not GainBounds(worst=1.0).unsettled(result)
    assert not GainBounds().unsettled(result)


def written(folder: Path) -> list[str]:
    paths = []
    for name, table in (("by_age", BY_AGE), ("by_place", BY_PLACE), ("people", PEOPLE)):
        table.to_csv(folder / f"{name}.csv", index=False)
        paths.append(str(folder / f"{name}.csv"))
    return [*paths[:2], "--sensitive", "ill", "--truth", paths[2], "--method", "belief"]


def test_the_command_lists_them_and_fails_by_them(tmp_path: Path) -> None:
    asked = written(tmp_path)
    shown = CliRunner().invoke(app, ["attack", *asked], env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    assert "name Bob and 1 other" in shown.output
    assert "both together" in shown.output
    told = json.loads(CliRunner().invoke(app, ["attack", *asked, "--json"]).stdout)
    (attack,) = told["attacks"]
    assert attack["detail"]["losers"][0]["person"] == {"name": "Bob"}
    assert attack["worst_gain"] == pytest.approx(0.6)
    broken = CliRunner().invoke(app, ["attack", *asked, "--worst-at-most", "0.5"])
    assert broken.exit_code == 1


def test_a_gate_that_bounds_may_break_exits_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.attacks.crowd_belief.MOST_FAILED", 0)
    asked = [*written(tmp_path), "--worst-at-most", "0.7"]
    unsure = CliRunner().invoke(app, ["attack", *asked, "--json"])
    assert unsure.exit_code == 2
    assert "between bounds" in json.loads(unsure.stdout)["doubts"][0]


def test_it_is_tried_where_there_are_several_releases_and_a_list() -> None:
    def names(*releases: pd.DataFrame, **given: Any) -> list[str]:
        results = hedgerow.attack(list(releases), sensitive=["ill"], **given)
        return [result.attack for result in results]

    assert "belief" in names(BY_AGE, BY_PLACE, truth=PEOPLE)
    assert "belief" in names(BY_AGE, BY_PLACE, register=PEOPLE.drop(columns="ill"))
    assert "belief" not in names(BY_AGE, truth=PEOPLE)
    assert "belief" not in names(BY_AGE, BY_PLACE, know={"age": "28", "place": "West"})
    assert "belief" not in names(BY_AGE, BY_PLACE, truth=PEOPLE, overlap=0.5)


def test_one_person_who_is_known() -> None:
    result = tried(BY_AGE, BY_PLACE, truth=None, know={"age": "28", "place": "West"})
    assert result.sentences[0].endswith(
        "and knows this person does not know their ill for certain."
    )
    (row,) = result.detail["losers"]
    assert (row["person"], row["knowing"]) == ({"age": "28"}, "the person")
    assert row["together"] == pytest.approx(0.8)
