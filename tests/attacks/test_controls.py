"""Guessing and the control are two things: in numbers, in the table, and in the chart."""

from __future__ import annotations

import pytest

from hedgerow.attack_charts import attacks_chart
from hedgerow.attacks.base import AttackResult, Rate
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
    show.attacks(results, None)
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_the_table_keeps_them_apart(capsys: pytest.CaptureFixture[str]) -> None:
    header, one, two, *rest = shown(capsys, WITH, WITHOUT)
    assert header[:5] == ["attack", "found", "guessing", "control", "gain"]
    assert one[:5] == ["inference", "60.0%", "10.0%", "20.0%", "50.0%"]
    assert two[:5] == ["sparse", "60.0%", "10.0%", "-", "55.6%"]
    assert " ".join(rest[0]) == "control: the same attack on people who are not in the release"


def test_without_a_control_there_is_no_column_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    header, one, gain, *_ = shown(capsys, WITHOUT)
    assert header[:4] == ["attack", "found", "guessing", "gain"]
    assert one[:4] == ["sparse", "60.0%", "10.0%", "55.6%"]
    assert " ".join(gain).startswith("gain: how much of what guessing leaves open")


def test_the_chart_keeps_them_apart() -> None:
    drawn = attacks_chart([WITH, WITHOUT]).to_dict()
    diamonds = [part for part in drawn["layer"] if part["mark"].get("shape") == "diamond"]
    assert len(diamonds) == 1
    assert [row["attack"] for row in diamonds[0]["data"]["values"]] == ["inference"]
    assert diamonds[0]["encoding"]["x"]["field"] == "control"
    (ring,) = [part for part in drawn["layer"] if part["encoding"]["x"]["field"] == "guessing"]
    assert [row["guessing"] for row in ring["data"]["values"]] == [0.1, 0.1]
    assert "inference: 60.0%, 10.0% by guessing, 20.0% of the control" in str(drawn)
    assert "diamonds: people not in the release (control)" in str(drawn)
    plain = attacks_chart([WITHOUT]).to_dict()
    assert "diamond" not in str(plain)
