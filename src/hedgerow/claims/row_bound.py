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

from dataclasses import replace
from fractions import Fraction
from math import isinf
from typing import TypeVar

from hedgerow.base.errors import PlanError
from hedgerow.claims.anonymity import AlphaKAnonymity, KAnonymity
from hedgerow.claims.base import PrivacyModel, Verdict, exact
from hedgerow.claims.diversity import ProbabilisticLDiversity
from hedgerow.claims.risk import MarketerRisk, ProsecutorRisk

Number = TypeVar("Number", int, Fraction)


def of_rows(model: PrivacyModel, rows: int, *, where: str | None = None) -> PrivacyModel:
    """The claim about rows that implies a claim about people who have at most so many each.

    Args:
        model: The claim.
        rows: The most rows of a person.
        where: The claim's place in the plan.

    Raises:
        PlanError: Nothing is proved of this claim.

    >>> print(of_rows(KAnonymity(k=5), 3), "|", of_rows(ProsecutorRisk(risk=0.09), 3))
    15-anonymity | prosecutor risk at most 3/100
    """
    if rows == 1:
        return model
    match model:
        case KAnonymity():
            return replace(model, k=_times(model.k, rows))
        case AlphaKAnonymity():
            alpha = exact(model.alpha)
            few: Fraction = alpha if alpha in (0, 1) else alpha / rows
            return replace(model, k=_times(model.k, rows), alpha=few)  # type: ignore[arg-type]
        case ProbabilisticLDiversity():
            diverse = exact(model.l)
            return replace(model, l=_times(diverse, rows))  # type: ignore[arg-type]
        case ProsecutorRisk() | MarketerRisk():
            risk = exact(model.risk)
            risk = risk if risk == 1 else risk / rows
            return replace(model, risk=risk)  # type: ignore[arg-type]
    raise PlanError(
        f"`{model}` cannot be used with `rows: at most {rows}`: it is not proved for rows that do "
        "not say whose they are",
        where=where,
        fix="Publish one row per person: `rows: one`. Proved are k-anonymity, (alpha, "
        "k)-anonymity, probabilistic l-diversity, prosecutor and marketer risk.",
    )


def _times(parameter: Number, rows: int) -> Number:
    """A parameter of rows; 1, which promises nothing, stays."""
    return parameter if parameter == 1 else parameter * rows


def level_of_people(model: PrivacyModel, level: float, rows: int) -> float:
    """What a level counted in rows says of people who have at most so many each.

    >>> level_of_people(KAnonymity(k=5), 27.0, 5), level_of_people(ProsecutorRisk(risk=0.2), 0.1, 3)
    (5.0, 0.30000000000000004)
    """
    if rows == 1:
        return level
    if isinstance(model, KAnonymity):
        return float(max(1, level // rows))
    if isinstance(model, ProbabilisticLDiversity):
        return max(1.0, level / rows)
    return level if isinf(level) else min(1.0, level * rows)


def of_people(model: PrivacyModel, found: Verdict, rows: int) -> Verdict:
    """What a verdict about rows says of people.

    Args:
        model: The claim about people.
        found: What became of the claim about rows.
        rows: The most rows of a person.

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
