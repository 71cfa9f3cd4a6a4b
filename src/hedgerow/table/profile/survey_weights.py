"""Weights of a survey: how many people of the population a respondent stands for."""

from __future__ import annotations

from hedgerow.table.column_words import words, words_in
from hedgerow.table.profile.column_facts import ColumnFacts

CALLED_SO = words(
    "surveyweight surveywt surveywgt sampleweight sampweight samplewt sampwt samplingweight "
    "designweight designwt dweight pweight pwgt pspwght pspweight anweight fnlwgt finalweight "
    "finalwt finalwgt perwt hhwt wtfinl wtssall asecwt designgewicht fallgewicht gewichtung "
    "gewichtungsfaktor hochrechnungsfaktor ponderation ponderacion ponderador factorexp weegfactor"
)
WEIGHTS = words("weight weights wgt wt gewicht poids peso")
"""Of bodies and of respondents."""
BESIDE = words("survey sample sampling design final person base analysis norm normalized scaled")
"""What else the name of a survey weight says."""
ABOUT_ONE = (0.5, 2.0)
"""The median of weights that were scaled to the sample."""


def survey_weight(column: ColumnFacts) -> str | None:
    """Why a column holds survey weights, as the end of a sentence; None if it does not seem to.

    Whole numbers are left alone: they may be anything else, such as grams or codes.
    """
    numbers, named = column.numbers, words_in(column.name)
    if numbers is None or numbers.whole or numbers.low < 0:
        return None
    if found := sorted(named & CALLED_SO):
        return f'its name says "{found[0]}"'
    low, high = ABOUT_ONE
    if named & WEIGHTS and named <= WEIGHTS | BESIDE and low <= numbers.quartiles[1] <= high:
        return "it is called a weight and its numbers are about 1, as survey weights are"
    return None
