"""Earlier releases of a coded column in the ledger: what was drawn before adds up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.plan.plan import Plan
from hedgerow.table.certificate_file import read_certificate
from hedgerow.table.column_codings import PRAM, RANDOM
from hedgerow.table.schema import Role


@dataclass(frozen=True, kw_only=True)
class EarlierDraw:
    """A column in an earlier release of the same people."""

    column: str
    release: str
    """Its name and its entry in the ledger."""
    drawn: bool
    """Whether its values were drawn by lot."""
    epsilon: float
    """Of PRAM; infinite where it was published in another way."""


def draws_of(certificate: Mapping[str, Any], release: str) -> list[EarlierDraw]:
    """What the certificate of a recoded release says of each column.

    Args:
        certificate: The certificate.
        release: What messages call the release.
    """
    codings: Mapping[str, Any] = certificate.get("codings", {})
    found = []
    for name, role in certificate["plan"]["columns"].items():
        if role == Role.IDENTIFIER:
            continue
        coding = codings.get(name, {})
        pram = coding.get("coding") == PRAM and coding["epsilon"] is not None
        found.append(
            EarlierDraw(
                column=name,
                release=release,
                drawn=coding.get("coding") in RANDOM,
                epsilon=float(coding["epsilon"]) if pram else math.inf,
            )
        )
    return found


def draws_at(folder: Path | None) -> list[EarlierDraw]:
    """The same of the release in a folder, if there is one: it is about to be replaced."""
    if folder is None or not folder.is_dir():
        return []
    try:
        certificate = read_certificate(folder)
        return draws_of(certificate, str(folder)) if certificate.get("codings") else []
    except (HedgerowError, OSError, LookupError, AttributeError, TypeError, ValueError):
        return []  # no release of ours, which is for whoever replaces it to say


def refuse_drawn_again(plan: Plan, before: Sequence[EarlierDraw], *, anew: bool) -> None:
    """Refuse to draw a column that was drawn before, unless that is what somebody wants.

    Raises:
        PlanError: It was.
    """
    randomised = plan.schema().randomised
    for one in before:
        if one.drawn and one.column in randomised and not anew:
            raise PlanError(
                f"column {one.column!r} was randomised in the release {one.release}, and "
                "publishing it again draws it anew: whoever has both files knows more than from "
                "one",
                where=plan.where("columns", one.column, "coding"),
                fix="Hand out the earlier release again, from a copy. To draw anew in spite of "
                "this, say --anew; epsilons then add up.",
            )


def with_earlier(
    told: Mapping[str, Any], name: str, before: Sequence[EarlierDraw]
) -> dict[str, Any]:
    """What a certificate says of a coding, with the loss of all releases of the column."""
    mine = [one for one in before if one.column == name]
    if told["coding"] != PRAM or not mine:
        return dict(told)
    epsilons = [
        math.inf if told["epsilon"] is None else told["epsilon"],
        *(o.epsilon for o in mine),
    ]
    whole = math.fsum(epsilons)
    together = None if math.isinf(whole) else math.nextafter(whole, math.inf)
    return {**told, "earlier": {"releases": len(mine), "epsilon": together}}
