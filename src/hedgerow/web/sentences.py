"""Claims in plain sentences, from what a plan says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.api.claims import CLAIMS
from hedgerow.api.plan_text import written

ATTACKER = "epsilon-privacy"
CLASSES = {
    "I": "has seen this, and learns from the release as that justifies",
    "at-most": "has seen this, or fewer people in the same proportions",
    "II": "has seen anything at all, at most so many people",
    "III": "believes this, and never changes their mind",
    "IV": "believes anything, however stubbornly (nothing helps against them)",
}


def parameters(claim: Any) -> tuple[str, dict[str, Any]]:
    """The name of a claim and its parameters, a single value written out.

    >>> parameters({"k-anonymity": 5})
    ('k-anonymity', {'k': 5})
    """
    if not isinstance(claim, Mapping) or len(claim) != 1:
        return "", {}
    ((name, said),) = claim.items()
    if isinstance(said, Mapping):
        return str(name), dict(said)
    return str(name), {_brief(str(name)) or "value": said}


def _brief(name: str) -> str | None:
    return CLAIMS[name].brief if name in CLAIMS else None


def sentence(claim: Any) -> str:
    """A claim as a sentence; what is no claim yet, as it is written.

    >>> sentence({"k-anonymity": 5})
    'Everybody looks like at least 4 others: no group with the same quasi-identifiers is smaller than 5.'
    >>> sentence({"t-closeness": {"t": 0.1, "of": "bill"}})
    'In every group bill is distributed as in the whole table, up to a distance of 0.1.'
    """  # noqa: E501 - one sentence
    name, said = parameters(claim)
    try:
        told = CLAIMS[name].sentence(said)
    except (KeyError, TypeError, ValueError, ArithmeticError):
        told = None
    return told or written(claim)
