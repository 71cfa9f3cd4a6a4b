"""What a certificate says of coded columns: those published otherwise than they are judged.

A coding is a mapping with the keys of the certificate: `coding` (microaggregate, pram or swap) and
what belongs to it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from hedgerow.base.errors import some

MICROAGGREGATE, PRAM, SWAP = "microaggregate", "pram", "swap"
RANDOM = (PRAM, SWAP)
"""Codings that are drawn by lot."""
BEFORE_CODING = ", before its columns were coded"
"""What a certificate adds to what its claims were measured on."""
Codings = Mapping[str, Mapping[str, Any]]
"""Column -> its coding."""
AGGREGATES = {"mean": "mean", "median": "median", "mode": "most frequent value"}


def hidden_by(codings: Codings, columns: Collection[str]) -> str | None:
    """Why a claim about these columns does not follow from the file; None where it may.

    >>> hidden_by({"ill": {"coding": "pram"}}, ["age", "ill"])
    'it is judged on ill before its coding, which the file does not show'
    """
    names = sorted(name for name in codings if name in columns)
    if not names:
        return None
    its = "its coding" if len(names) == 1 else "their codings"
    return f"it is judged on {', '.join(names)} before {its}, which the file does not show"


def told_codings(codings: Codings) -> list[str]:
    """Sentences on what was done to coded columns, and what that does not protect."""
    if not codings:
        return []
    names, one = some(sorted(codings), most=40), len(codings) == 1
    sentences = [
        f"{names} {'is' if one else 'are'} coded. Every claim is judged as if the values before "
        "coding were published, so no claim counts on a coding; the file does not show those "
        "values."
    ]
    told = {MICROAGGREGATE: _aggregated, PRAM: _randomised, SWAP: _swapped}
    for name in sorted(codings):
        sentences += told[codings[name]["coding"]](name, codings[name])
    if drawn_by_lot(codings):
        sentences.append(
            "By lot, a group of the file may be smaller than a claim says or have fewer values; "
            "whoever takes the file for the truth may then be too sure of somebody, rightly or "
            "wrongly. What was drawn by lot was drawn once for this release and is charged to no "
            "budget. If the table is published anew, it is drawn anew, and whoever has both files "
            "knows more than from one: epsilons of one column add up."
        )
    return sentences


def done_to(coding: Mapping[str, Any]) -> str:
    """What a coding is, in a few words.

    >>> done_to({"coding": "swap", "rate": "1/20", "within": ["region"]})
    'swapped between people of the same region (rate 1/20)'
    """
    if coding["coding"] == MICROAGGREGATE:
        return f"replaced by the {AGGREGATES[coding['by']]} of each group"
    if coding["coding"] == PRAM:
        return f"randomised by PRAM (epsilon {shown_epsilon(coding['epsilon'])})"
    within = f" of the same {', '.join(coding['within'])}" if coding["within"] else ""
    return f"swapped between people{within} (rate {coding['rate']})"


def taken_for_true(release: str, codings: Codings) -> list[str]:
    """What an attack says of a release with coded columns.

    >>> taken_for_true("release", {"ill": {"coding": "pram"}})[0][:59]
    'release does not show what people have as ill: it is coded.'
    """
    drawn, told = drawn_by_lot(codings), []
    if drawn:
        told.append(
            f"{release} does not show what people have as {', '.join(drawn)}: "
            f"{'it is' if len(drawn) == 1 else 'they are'} coded. What the file shows was taken "
            "for people's values, so whoever is known for certain by it may be known wrongly. An "
            "attacker who makes use of the coding may do better or worse."
        )
    if means := aggregates(codings):
        told.append(
            f"{release} shows {', '.join(means)} as one value for each group, which need not be "
            "anybody's own: what that tells of people was not attacked."
        )
    return told


def drawn_by_lot(codings: Codings) -> list[str]:
    """Columns that show values drawn by lot."""
    return sorted(n for n, coding in codings.items() if coding["coding"] in RANDOM)


def aggregates(codings: Codings) -> list[str]:
    """Columns that show one value for each group."""
    return sorted(n for n, coding in codings.items() if coding["coding"] == MICROAGGREGATE)


def shown_epsilon(epsilon: float | None) -> str:
    """An epsilon in words; None is infinite."""
    return "infinite" if epsilon is None else _up(epsilon)


def _up(number: float) -> str:
    """Four decimals, never rounded down but for what a computer's own rounding adds.

    >>> _up(12.0000000001), _up(2.48491)
    ('12', '2.485')
    """
    return f"{math.ceil(number * (1 - 1e-10) * 10_000) / 10_000:.10g}"


def _factor(epsilon: float) -> str:
    """The factor of the odds.

    >>> _factor(math.log(4)), _factor(1000)
    ('4', 'e^1000')
    """
    try:
        return _up(math.exp(epsilon))
    except OverflowError:
        return f"e^{_up(epsilon)}"


def _aggregated(name: str, coding: Mapping[str, Any]) -> list[str]:
    groups = ", ".join(coding["groups"]) or "nothing"
    return [
        f"{name} is the {AGGREGATES[coding['by']]} of all who are published with the same "
        f"{groups}; where fewer than {coding['least']} of them have a value, it is missing. "
        "Where all of a group have one value, it is that value; and whoever knows the values of "
        "all but one may work out the last one."
    ]


def _randomised(name: str, coding: Mapping[str, Any]) -> list[str]:
    epsilon = coding["epsilon"]
    if epsilon is None:
        loss = (
            "some published value rules out some true value, so its epsilon is infinite and PRAM "
            "promises nothing of it"
        )
    else:
        loss = (
            "a published value by itself changes the odds between two true values by a factor of "
            f"at most {_factor(epsilon)} (epsilon {_up(epsilon)}). That is about this column "
            "alone: other columns may tell the true value"
        )
    sentences = [f"{name} is randomised by a matrix (PRAM): {loss}."]
    if (earlier := coding.get("earlier")) is not None:
        many = earlier["releases"]
        sentences.append(
            f"{name} is in {many:,} earlier recoded release{'s' * (many > 1)} that the publisher "
            f"knows of: with {'these' if many > 1 else 'it'}, its epsilon is "
            f"{shown_epsilon(earlier['epsilon'])}. What was told of it with noise has a loss of "
            "its own, which is not in this sum."
        )
    if coding["from_data"]:
        what = {
            "uniform": "Which values it has",
            "invariant": "How often each of its values stands there",
        }.get(coding["kind"], "Its matrix")
        sentences.append(
            f"{what} was taken from the data; the certificate tells it, and epsilon does not "
            "cover that."
        )
    return sentences


def _swapped(name: str, coding: Mapping[str, Any]) -> list[str]:
    sentences = [f"{name} is {done_to(coding)}. Swapping has no guarantee of its own."]
    if coding["within"]:
        sentences.append(f"Whoever is alone in {', '.join(coding['within'])} keeps the value.")
    return sentences
