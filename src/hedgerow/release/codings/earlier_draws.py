"""Earlier releases of a coded column in the ledger: what was drawn before adds up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    data: str
    """The hash of its file."""
    releases: int = 1
    """How many releases these are, if its certificate tells of earlier ones."""


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
                data=str(certificate["data"]["sha256"]),
            )
        )
    return found


def draws_at(folder: Path | None, known: Sequence[EarlierDraw]) -> list[EarlierDraw]:
    """The same of the release in a folder, if there is one: it is about to be replaced.

    Args:
        folder: The folder.
        known: What a ledger tells of; a release that is among these is told of once.
    """
    if folder is None or not folder.is_dir():
        return []
    try:
        certificate = read_certificate(folder)
        if not certificate.get("codings"):
            return []
        found = draws_of(certificate, str(folder))
        if {one.data for one in found} & {one.data for one in known}:
            return []
        return [_with_its_earlier(one, certificate["codings"].get(one.column, {})) for one in found]
    except (HedgerowError, OSError, LookupError, AttributeError, TypeError, ValueError):
        return []  # no release of ours, which is for whoever replaces it to say


def _with_its_earlier(one: EarlierDraw, coding: Mapping[str, Any]) -> EarlierDraw:
    """The draw, together with those before it that its certificate tells of."""
    earlier = coding.get("earlier")
    if earlier is None:
        return one
    epsilon = math.inf if earlier["epsilon"] is None else float(earlier["epsilon"])
    return replace(one, epsilon=epsilon, releases=1 + int(earlier["releases"]))


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
    return {**told, "earlier": {"releases": sum(o.releases for o in mine), "epsilon": together}}
