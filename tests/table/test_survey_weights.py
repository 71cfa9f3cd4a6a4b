"""Weights of a survey are told from weights of people."""

from __future__ import annotations

import pytest
from guess_facts import facts, guessed

from hedgerow.plan.guesses.role_guess import Confidence
from hedgerow.table.profile.attackers import ATTACKERS
from hedgerow.table.profile.survey_weights import survey_weight
from hedgerow.table.schema import Role

ABOUT_ONE = [f"{0.4 + i / 150:.4f}" for i in range(200)]
KILOGRAMS = [f"{48 + i / 4:.1f}" for i in range(200)]
LOST = [f"{(i - 20) / 50:.2f}" for i in range(200)]


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("weight", ABOUT_ONE, True), ("wgt", ABOUT_ONE, True), ("Gewicht", ABOUT_ONE, True),
        ("survey_weight", ABOUT_ONE, True), ("pspwght", KILOGRAMS, True),
        ("weight", KILOGRAMS, False), ("weight_loss", ABOUT_ONE, False), ("weight", LOST, False),
        ("perwt", [str(100 + i) for i in range(200)], False), ("dose", ABOUT_ONE, False),
    ],
)  # fmt: skip
def test_which_columns_are_weights_of_a_survey(
    name: str, values: list[str], *, found: bool
) -> None:
    (column,) = facts({name: values}).columns
    assert (survey_weight(column) is not None) is found
    neighbour = next(one for one in ATTACKERS if one.name == "a neighbour")
    if name == "weight":
        assert (neighbour.columns([column]) == ()) is found, "nobody sees a survey weight"


def test_a_survey_weight_is_kept_as_it_is_and_asked_about() -> None:
    guess = guessed("weight", ABOUT_ONE)
    assert (guess.role, guess.confidence) == (Role.SENSITIVE, Confidence.UNSURE)
    assert "estimates need it as it is" in guess.because
    assert guessed("weight", KILOGRAMS).role is Role.QUASI_IDENTIFIER
