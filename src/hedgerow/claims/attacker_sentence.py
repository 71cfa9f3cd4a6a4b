"""The sentence of a claim against an attacker: who they are, and what they must not learn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from hedgerow.claims.declaration import Said, column_of


def attacker_sentence(said: Said) -> str:
    """Who attacks, and what they must not learn.

    >>> attacker_sentence({"epsilon": 3, "of": "disease", "adversary": {"class": "IV"}})
    "Anybody, believing anything, however stubbornly, becomes at most 3 times as sure of a person's disease because the person's record is in the release."
    """  # noqa: E501 - one sentence
    who = said["adversary"]
    if not isinstance(who, Mapping):
        raise TypeError("an adversary has keys")
    secret = f"a person's {column_of(said)}"
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
