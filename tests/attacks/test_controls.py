"""Guessing and the control are two things: in numbers, in the table, and in the chart."""

from __future__ import annotations

import pandas as pd
import pytest

import hedgerow
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.charts import attacks_chart
from hedgerow.attacks.gain_bounds import GainBounds
from hedgerow.charts.marks import Points
from hedgerow.cli import show


def result(attack: str, found: int, baseline: int, control: int | None) -> AttackResult:
    return AttackResult(
        attack=attack,
        goal="it is named",
        found=Rate(successes=found, guesses=100),
        baseline=Rate(successes=baseline, guesses=100),
        control=None if control is None else Rate(successes=control, guesses=100),
    )


WITH, WITHOUT = result("inference", 60, 10, 20), result("sparse", 60, 10, None)


def test_the_gain_is_over_the_control_where_there_is_one() -> None:
    assert WITH.gain == pytest.approx((0.6 - 0.2) / 0.8)
    assert WITHOUT.gain == pytest.approx((0.6 - 0.1) / 0.9)
    assert (WITH.without, WITHOUT.without) == (WITH.control, WITHOUT.baseline)
    low, high = WITH.gain_interval()
    assert low < WITH.gain < high


def shown(capsys: pytest.CaptureFixture[str], *results: AttackResult) -> list[list[str]]:
    show.attacks(results, GainBounds())
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_the_table_keeps_them_apart(capsys: pytest.CaptureFixture[str]) -> None:
    header, one, two, *rest = shown(capsys, WITH, WITHOUT)
    assert header[:5] == ["attack", "found", "guessing", "control", "gain"]
    assert one[:5] == ["inference", "60.0%", "10.0%", "20.0%", "50.0%"]
    assert two[:5] == ["sparse", "60.0%", "10.0%", "-", "55.6%"]
    assert " ".join(rest[0]) == "control: the same attack on people who are not in the release"


def test_without_a_control_there_is_no_column_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    header, one, rates, gain, *_ = shown(capsys, WITHOUT)
    assert header[:4] == ["attack", "found", "guessing", "gain"]
    assert one[:4] == ["sparse", "60.0%", "10.0%", "55.6%"]
    assert " ".join(rates).startswith("found, guessing: how often the attack succeeds")
    assert " ".join(gain).startswith("gain: how much the attacker's belief")


def test_the_chart_keeps_them_apart() -> None:
    figure = attacks_chart([WITH, WITHOUT])
    points = {mark.x: mark for mark in figure.panels[0].marks if isinstance(mark, Points)}
    assert points["control"].symbol == "diamond"
    assert [row["attack"] for row in points["control"].rows] == ["inference"]
    assert [row["guessing"] for row in points["guessing"].rows] == [0.1, 0.1]
    assert not points["guessing"].filled
    assert "inference: 60.0%, 10.0% by guessing, 20.0% of the control" in figure.description
    drawn = figure.svg()
    assert "people not in the release (control)" in drawn
    assert "inference, it is named: found 60.00%, guessing 10.00%, control 20.00%" in drawn
    plain = attacks_chart([WITHOUT])
    assert "control" not in plain.svg()
    assert all(mark.x != "control" for mark in plain.panels[0].marks)


AGES = ["<30"] * 4 + [">=30"] * 4
ILLS = ["flu"] * 4 + ["gout", "gout", "gout", "acne"]
RELEASE = pd.DataFrame({"age": AGES, "ill": ILLS})
PEOPLE = pd.DataFrame({"age": ["20"] * 4 + ["40"] * 4, "ill": ILLS})
# Of the young two of four have flu, of the old gout, gout, flu and something no release has.
STRANGERS = pd.DataFrame(
    {"age": ["21", "22", "23", "24", "41", "42", "43", "44", None],
     "ill": ["flu", "flu", "gout", "acne", "gout", "gout", "flu", "mumps", "flu"]}
)  # fmt: skip


@pytest.mark.parametrize(
    ("method", "right", "of"),
    [
        ("homogeneity", 2, 8),  # the two young with flu
        ("background-knowledge", 4, 8),  # they, and two old: gout, acne ruled out
        ("skewness", 4, 8),  # flu is named for the young, and gout, twice as frequent, for the old
        ("intersection", 4, 8),
    ],
)
def test_every_attack_that_can_uses_the_control(method: str, right: int, of: int) -> None:
    (found,) = hedgerow.attack(
        [RELEASE], sensitive=["ill"], truth=PEOPLE, control=STRANGERS, methods=[method]
    )
    assert found.control == Rate(successes=right, guesses=of)
    assert found.gains is not None
    assert found.gains.certain >= 4, "it changes nothing about those who are in the release"


def test_similarity_of_strangers() -> None:
    pay = pd.DataFrame({"age": ["<30"] * 2 + [">=30"] * 2, "pay": ["20", "25", "60", "100"]})
    strangers = pd.DataFrame({"age": ["21", "22", "41"], "pay": ["25", "60", "60"]})
    (found,) = hedgerow.attack([pay], sensitive=["pay"], control=strangers, methods=["similarity"])
    assert found.control == Rate(successes=1, guesses=3)


def test_strangers_who_are_taken_for_somebody() -> None:
    table = pd.DataFrame({"age": ["20", "30", "30"], "ill": ["a", "b", "c"]})
    register = pd.DataFrame({"name": ["Al", "Bo"], "age": ["20", "30"]})
    strangers = pd.DataFrame({"age": ["20", "30", "50"]})
    (found,) = hedgerow.attack(
        [table], sensitive=["ill"], register=register, control=strangers, methods=["linkage"]
    )
    assert found.control is None, "their own record cannot be found"
    assert found.detail["outsiders"] == {"people": 3, "fit_one": 1}


def test_a_control_without_the_sensitive_column_is_no_control_of_values() -> None:
    (found,) = hedgerow.attack(
        [RELEASE], sensitive=["ill"], control=STRANGERS[["age"]], methods=["homogeneity"]
    )
    assert found.control is None
