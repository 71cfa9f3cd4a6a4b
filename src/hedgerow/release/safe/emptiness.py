"""What is said of a safe release with nobody in it.

That it is empty is published: the file shows it, and the loss covers it. Everything else that is
said comes from the plan. To refuse an empty release, or to say how far its groups were from k,
would tell about the people in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.noise.rounding import share
from hedgerow.noise.sampling.measure import SampleOrigin
from hedgerow.noise.sampling.suppression import rate_text
from hedgerow.release.safe.terms import SafeTerms


def emptiness(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """That nobody is in the release, and what its plan implies; nothing where somebody is.

    Args:
        certificate: Of a safe release. Nothing else is looked at.
    """
    if certificate["data"]["rows"]:
        return ()
    k, before = int(certificate["k"]), certificate["sampling"]["drawn"] == SampleOrigin.BEFORE
    nobody = (
        f"Nobody is in this release: no group had {k:,} people "
        f"{'in the sample' if before else 'who were drawn'}, and smaller ones are left out. How "
        "far they were from it is not told, as that would tell about people."
    )
    try:
        terms = SafeTerms.read(certificate)
        share("beta", terms.beta)
    except PlanError:
        # A certificate that somebody else wrote may have terms that make no sense.
        return (nobody,)
    said = [nobody, f"By the plan alone, {_needed(terms, k)}"]
    if (least := _smallest(terms)) is not None:
        said.append(
            f"{k:,} is the smallest k that keeps {terms.price} at this rate."
            if least == k
            else f"The plan asks for k = {k:,}; {least:,} would keep {terms.price}."
        )
    said.append(
        "Coarser levels and fewer columns make larger groups. "
        + (
            "But nothing else may be published from this sample."
            if before
            else "Another release costs its own price; this one stays paid."
        )
    )
    return tuple(said)


def _needed(terms: SafeTerms, k: int) -> str:
    """The least people with whom a group is published at least every other time.

    The median of a binomial number is never under its mean rounded down, which is k there.
    """
    if terms.drawn is SampleOrigin.BEFORE:
        return f"a group is published if the table has {k:,} people or more of it."
    return (
        f"with k = {k:,} and {rate_text(terms.beta)} of all people drawn, a group of "
        f"{ceil(k / terms.beta):,} people is published at least every other time; much smaller "
        "ones hardly ever."
    )


def _smallest(terms: SafeTerms) -> int | None:
    try:
        return replace(terms, k=None).safe.k
    except PlanError:
        return None
