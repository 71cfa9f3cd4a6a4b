"""Claims about people, judged on rows that do not say whose they are.

A release with several rows a person has no person number. Whoever reads it may assign rows to
people in any way in which everybody has between one and m of them. A claim is judged for the
assignment that is worst for it, by a claim about rows that implies it.

Of R rows of a group, at most m are one person's. So a row that an attacker picks is a given
person's with a probability of at most m / R, and there are at least R / m people. The people who
have a value with r rows are at most r, and have at most m r of the rows, so at most a share of
m r / R of the people have it, however people are weighed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from hedgerow.base.errors import PlanError
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.claims.declaration import CLAIMS

Number = TypeVar("Number", int, Fraction)


def of_rows(model: PrivacyModel, rows: int, *, where: str | None = None) -> PrivacyModel:
    """The claim about rows that implies a claim about people who have at most so many each.

    Args:
        model: The claim.
        rows: The most rows of a person.
        where: The claim's place in the plan.

    Raises:
        PlanError: Nothing is proved of this claim.

    >>> from hedgerow.claims import KAnonymity, ProsecutorRisk
    >>> print(of_rows(KAnonymity(k=5), 3), "|", of_rows(ProsecutorRisk(risk=0.09), 3))
    15-anonymity | prosecutor risk at most 3/100
    """
    if rows == 1:
        return model
    found = model.of_rows(rows)
    if found is not None:
        return found
    raise PlanError(
        f"`{model}` cannot be used with `rows: at most {rows}`: it is not proved for rows that do "
        "not say whose they are",
        where=where,
        fix=f"Publish one row per person: `rows: one`. Proved are {_proved()}.",
    )


def _proved() -> str:
    classes = (model for claim in CLAIMS.values() for model in claim.classes)
    *names, last = [model.rows_words for model in classes if model.rows_words is not None]
    return f"{', '.join(names)} and {last}"


def times(parameter: Number, rows: int) -> Number:
    """A parameter of rows; 1, which promises nothing, stays."""
    return parameter if parameter == 1 else parameter * rows


def level_of_people(model: PrivacyModel, level: float, rows: int) -> float:
    """What a level counted in rows says of people who have at most so many each.

    >>> from hedgerow.claims import KAnonymity, ProsecutorRisk
    >>> level_of_people(KAnonymity(k=5), 27.0, 5), level_of_people(ProsecutorRisk(risk=0.2), 0.1, 3)
    (5.0, 0.30000000000000004)
    """
    return level if rows == 1 else model.level_of_people(level, rows)


def of_people(model: PrivacyModel, found: Verdict, rows: int) -> Verdict:
    """What a verdict about rows says of people.

    Args:
        model: The claim about people.
        found: What became of the claim about rows.
        rows: The most rows of a person.

    >>> from hedgerow.claims import KAnonymity
    >>> of_people(KAnonymity(k=5), Verdict("15-anonymity", True, 17.0, 15.0, 0), 3).level
    5.0
    """
    if rows == 1:
        return found
    level = level_of_people(model, found.level, rows)
    required = float(model.required)
    if found.holds and (level < required) == model.higher_is_safer and level != required:
        level = required  # only rounding makes a difference
    return Verdict(str(model), found.holds, level, required, found.worst)
