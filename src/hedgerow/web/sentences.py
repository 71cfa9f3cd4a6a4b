"""Claims in plain sentences, from what a plan says; what each form of a claim asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, get_args

from hedgerow.api import Claim
from hedgerow.api.plan_text import written

CLAIMS = {
    "k-anonymity": "nobody is alone: groups of at least k people",
    "l-diversity": "every group shows several sensitive values",
    "t-closeness": "every group is much like the whole table",
    "alpha-k-anonymity": "no sensitive value dominates a group",
    "beta-likeness": "no sensitive value becomes much more frequent",
    "delta-disclosure": "no sensitive value becomes much more or less frequent",
    "composition": "safe beside earlier releases",
    "prosecutor-risk": "chance to find somebody known to be in the table",
    "marketer-risk": "share of people found, on average",
    "unique-share": "share of people alone in their group",
    "k-map": "nobody is alone in the population",
    "journalist-risk": "chance to find somebody of the population",
    "delta-presence": "who is in the table at all",
}
"""Claims about groups, with what they are about; attackers have a form of their own."""
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
    return str(name), {_BRIEF.get(str(name), "value"): said}


_BRIEF = {
    field.alias or name: brief
    for name, field in Claim.model_fields.items()
    if (brief := getattr(get_args(field.annotation)[0], "brief", None))
}


def sentence(claim: Any) -> str:
    """A claim as a sentence; what is no claim yet, as it is written.

    >>> sentence({"k-anonymity": 5})
    'Everybody looks like at least 4 others: no group with the same quasi-identifiers is smaller than 5.'
    >>> sentence({"t-closeness": {"t": 0.1, "of": "bill"}})
    'In every group bill is distributed as in the whole table, up to a distance of 0.1.'
    """  # noqa: E501 - one sentence
    name, said = parameters(claim)
    try:
        told = _attacker(said) if name == ATTACKER else _about_groups(name, said)
    except (KeyError, TypeError, ValueError, ArithmeticError):
        told = None
    return told or written(claim)


def _about_groups(name: str, said: dict[str, Any]) -> str | None:
    of = said.get("of") or "each sensitive column"
    if name == "k-anonymity":
        k = int(said["k"])
        what = "published columns" if said.get("over") == "all" else "quasi-identifiers"
        return (
            f"Everybody looks like at least {k - 1:,} others: no group with the same {what} is "
            f"smaller than {k:,}."
        )
    if name == "l-diversity":
        return _diverse(said, of)
    if name == "t-closeness":
        how = {"ordered": ", values near each other counting as near",
               "hierarchical": ", values alike in the hierarchy counting as near"}  # fmt: skip
        near = how.get(said.get("distance", ""), "")
        return (
            f"In every group {of} is distributed as in the whole table, up to a distance of "
            f"{said['t']}{near}."
        )
    if name == "alpha-k-anonymity":
        what = f"{of} = {said['value']}" if said.get("value") else f"no value of {of}"
        verb = "has no larger share in it than" if said.get("value") else "has a larger share than"
        return f"Every group has at least {said['k']} people, and {what} {verb} {said['alpha']}."
    if name == "delta-disclosure":
        return (
            f"In no group is a value of {of} {math.exp(float(said['delta'])):.3g} times as "
            "frequent as in the whole table, or as rare."
        )
    if name == "beta-likeness":
        return (
            f"In no group is a value of {of} more frequent than in the whole table by more than "
            f"{100 * float(said['beta']):.4g} % of its share there."
        )
    if name == "composition":
        left = math.ceil(1 / float(said["confidence"]) - 1e-9)
        return (
            f"Whoever joins this release with all earlier ones and counts is left with at least "
            f"{left} possible values of {of} for everybody."
        )
    return _about_finding(name, said)


def _about_finding(name: str, said: dict[str, Any]) -> str | None:
    outside = PurePath(str(said.get("population", ""))).name
    if name == "prosecutor-risk":
        return (
            f"Somebody known to be in the table is found with a chance of {said['risk']} at most."
        )
    if name == "marketer-risk":
        return f"Of all people together, a share of {said['risk']} at most is found."
    if name == "unique-share":
        return f"A share of {said['share']} at most is alone in their group."
    if name == "k-map":
        return (
            f"Everybody looks like at least {int(said['k']) - 1:,} others of the population in "
            f"{outside}."
        )
    if name == "journalist-risk":
        return (
            f"Somebody of the population in {outside} is found with a chance of {said['risk']} at "
            "most."
        )
    if name == "delta-presence":
        return (
            f"Of people of the population in {outside} who look alike, a share between "
            f"{said.get('min', 0)} and {said['max']} is in the table: nobody learns more about "
            "who is."
        )
    return None


def _diverse(said: dict[str, Any], of: str) -> str:
    kind, least = said.get("kind", "distinct"), said["l"]
    if kind == "probabilistic":
        return f"In no group does a value of {of} have a larger share than one in {least}."
    if kind == "entropy":
        return f"In every group {of} is as hard to guess as among {least} equally likely values."
    if kind == "recursive":
        return (
            f"In every group the most frequent value of {of} is less than {said['c']} times as "
            f"frequent as the {least}th and all rarer ones together."
        )
    return f"In every group at least {least} different values of {of} occur."


def _attacker(said: dict[str, Any]) -> str:
    """Who attacks, and what they must not learn."""
    of = said.get("of") or "each sensitive column"
    who = said["adversary"]
    if not isinstance(who, Mapping):
        raise TypeError("an adversary has keys")
    secret = f"a person's {of}"
    if said.get("predicates"):
        parts = [
            " or ".join(map(str, p)) if isinstance(p, list) else str(p) for p in said["predicates"]
        ]
        secret += f" ({'; '.join(parts)})"
    elif said.get("wishes"):
        secret = f"what each person wants protected (column {said['wishes']})"
    also = ", or of the opposite," if said.get("negative") else ""
    attacker = (_who(who) + _knows(who.get("knows"))).removesuffix(",")
    # A clause in commas is closed by one.
    attacker += "," if "," in attacker else ""
    return (
        f"{attacker} becomes at most {said['epsilon']} times as sure of {secret}{also} because the "
        "person's record is in the release."
    )


def _who(who: Mapping[str, Any]) -> str:
    kind = who["class"]
    prior = _prior(who.get("prior")) if kind in ("I", "at-most", "III") else ""
    sigma = who.get("stubbornness")
    worth = "" if sigma in (None, "infinite") else f", worth {_count(sigma)} people's data to them"
    if kind == "I":
        return f"Somebody who {prior}{worth},"
    if kind == "at-most":
        return f"Somebody who {prior}{worth}, or has seen fewer people in the same proportions,"
    if kind == "II":
        return f"Anybody who has seen data about at most {_count(sigma)} people, whatever it says,"
    if kind == "III":
        return f"Somebody who {prior}, and never changes their mind,"
    return "Anybody, believing anything, however stubbornly,"


def _count(number: Any) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{float(number):,.10g}"


def _prior(prior: Any) -> str:
    if prior == "table" or (isinstance(prior, Mapping) and prior.get("kind") == "table"):
        return "knows how the values are distributed in this table"
    if prior == "uniform" or (isinstance(prior, Mapping) and prior.get("kind") == "uniform"):
        return "believes all values equally likely"
    if isinstance(prior, str):
        return f"has seen the statistics in {PurePath(prior).name}"
    if isinstance(prior, Mapping) and "file" in prior:
        return f"has seen the statistics in {PurePath(str(prior['file'])).name}"
    if isinstance(prior, Mapping) and "counts" in prior:
        return f"has seen {sum(prior['counts'].values()):,} people elsewhere"
    if isinstance(prior, Mapping) and "shape" in prior:
        return "is sure of certain shares of the values"
    raise ValueError("no prior")


def _knows(knows: Any) -> str:
    if isinstance(knows, Mapping) and "file" in knows:
        return (
            f" and holds the records of the people listed in {PurePath(str(knows['file'])).name},"
        )
    people = knows.get("people") if isinstance(knows, Mapping) else knows
    if not people:
        return ""
    return f" and holds the records of any {people} people," if people != 1 else (
        " and holds the record of any one person,"
    )  # fmt: skip
