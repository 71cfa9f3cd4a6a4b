"""The picture of what is believed of one person."""

from __future__ import annotations

from typing import Any

from hedgerow.attacks.person_chart import MOST, person_chart
from hedgerow.web.person_view import belief_lines


def told(*beliefs: tuple[str | None, float, float, list[float] | None]) -> dict[str, Any]:
    rows = [dict(zip(("value", "before", "alone", "listed"), one, strict=True)) for one in beliefs]
    return {"person": "name Cem", "of": "illness", "truth": "flu", "beliefs": rows}


def test_each_value_is_a_line_with_what_is_believed() -> None:
    said = told(("flu", 0.5, 0.8, [1.0, 1.0]), (None, 0.3, 0.2, [0.0, 0.0]))
    figure = person_chart(said)
    assert figure.title == "What is believed of name Cem"
    assert figure.told == (
        "flu (true): 50.0% before, 80.0% knowing the person, 100.0% knowing everybody; "
        "missing: 30.0% before, 20.0% knowing the person, 0.0% knowing everybody"
    )
    assert "knowing everybody" in figure.svg()


def test_a_bound_is_drawn_as_one_and_no_list_not_at_all() -> None:
    between = person_chart(told(("flu", 0.5, 0.8, [0.25, 0.75]))).told
    assert between.endswith("25.0% to 75.0% knowing everybody")
    without = person_chart(told(("flu", 0.5, 0.8, None)))
    assert "everybody" not in without.told
    assert "everybody" not in without.svg()


def test_what_is_not_possible_is_not_drawn() -> None:
    said = told(("flu", 0.5, 0.8, [1.0, 1.0]), ("gout", 0.2, 0.0, [0.0, 0.0]))
    assert "gout" not in person_chart(said).told
    assert [line.value for line in belief_lines(said)] == ["flu"]
    many = told(*((f"v{i}", 0.05, 0.05, [0.05, 0.05]) for i in range(20)))
    assert person_chart(many).told.count("before") == MOST
    assert len(belief_lines(many)) == 20
