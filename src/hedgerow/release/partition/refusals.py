"""What keeps a recoded table from being published, as it is read by its recipients."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.base.errors import ClaimError
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.claims.readings import on_shown_scale
from hedgerow.table.groups import Groups


def refuse_failed(
    claims: Sequence[Verdict], models: Sequence[PrivacyModel], groups: Groups
) -> None:
    """Refuse a release on which a claim does not hold.

    Raises:
        ClaimError: Says what the claim reaches.
    """
    failed = [v for v in claims if not v.holds]
    for verdict, model in zip(claims, models, strict=True):
        if not verdict.holds and on_shown_scale(model, groups) is not None:
            (column,) = model.attributes
            raise ClaimError(
                f"the release would not keep {verdict.claim}: on the scale of the values of "
                f"{column!r} that it publishes it reaches {verdict.told[0]}, required "
                f"{verdict.told[1]}. The search measured on a longer scale, since suppressed "
                "people have further values. Nothing was published",
                fix="Suppress fewer people, or weaken the claim.",
            )
    if failed:
        reached = "; ".join(f"{v.claim} reaches {v.told[0]}, required {v.told[1]}" for v in failed)
        raise ClaimError(
            f"the release would not keep its claims: {reached}. Nothing was published",
            fix="Weaken the claim, allow more suppression, or choose another method.",
        )
