"""The first claims of a plan: as many as a release can keep, and the columns that have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.plan.guesses.purposes import Purpose
from hedgerow.plan.guesses.role_guess import Confidence, RoleGuess
from hedgerow.table.profile.column_facts import NEAR_CONSTANT, ColumnFacts
from hedgerow.table.schema import Role

MOST_CLAIMED = 3
"""Sensitive columns with a claim of their own: each costs detail of all others."""
SKEWED = 0.8
"""Share of the commonest value from which on not every group can show two."""
CLOSE = 0.3
"""Distance of a group's values from the table's, for skewed columns."""
MANY_VALUES = 6
MANY_NUMBERS = 20
"""Distinct numbers of which different ones may be close together."""


@dataclass(frozen=True, kw_only=True)
class FirstClaim:
    """A claim about one sensitive column."""

    column: str
    name: str
    parameters: Mapping[str, object]
    """Without the column."""
    because: str


@dataclass(frozen=True, kw_only=True)
class FirstClaims:
    """The claims about sensitive columns, and which columns have none."""

    claims: tuple[FirstClaim, ...]
    none: tuple[str, ...]
    """Sensitive columns without a claim."""


def first_claims(
    guesses: Mapping[str, RoleGuess], facts: Mapping[str, ColumnFacts], purpose: Purpose
) -> FirstClaims:
    """Claims about the sensitive columns whose values matter most.

    Args:
        guesses: The roles.
        facts: The columns.
        purpose: What the release is for.
    """
    order = (Confidence.SURE, Confidence.LIKELY, Confidence.UNSURE)
    sensitive = [one for one in guesses.values() if one.role is Role.SENSITIVE]
    wanted = sorted(
        (one for one in sensitive if one.follows is None and one.confidence is not order[2]),
        key=lambda one: (order.index(one.confidence), one.topic.rank if one.topic else 9),
    )
    claims: list[FirstClaim] = []
    for one in wanted:
        claim = _claim(facts[one.column], purpose)
        if claim is not None and len(claims) < MOST_CLAIMED:
            claims.append(claim)
    claimed = {claim.column for claim in claims}
    return FirstClaims(
        claims=tuple(claims), none=tuple(o.column for o in sensitive if o.column not in claimed)
    )


def _claim(column: ColumnFacts, purpose: Purpose) -> FirstClaim | None:
    """A claim that groups can keep; None where nearly all people have one value."""
    there = column.distinct
    share = column.commonest_share
    if there < 2 or share >= NEAR_CONSTANT:
        return None
    if share > SKEWED:
        return FirstClaim(
            column=column.name,
            name="t-closeness",
            parameters={"t": CLOSE},
            because=f"{share:.0%} of the rows have one value, so not every group can show two. In "
            f"no group do the shares of the values differ from the table's by more than {CLOSE}",
        )
    least = min(purpose.most_l, 3 if there >= MANY_VALUES else 2)
    because = f"of {there:,} values every group shows at least {least}"
    if column.numbers is not None and there > MANY_NUMBERS:
        because += ", which may be close together"
    return FirstClaim(
        column=column.name,
        name="l-diversity",
        parameters={"l": least, "kind": "distinct"},
        because=because,
    )
