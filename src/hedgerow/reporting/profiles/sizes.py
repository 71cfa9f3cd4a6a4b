"""What several policies ask about the sizes of groups."""

from __future__ import annotations

import numpy as np

from hedgerow.reporting.blocks import number
from hedgerow.reporting.handed import Handed

NO_RECORDS = (
    "the release has no records of people, only counts with noise and rows made up from them"
)
SEVERAL = "a person may have several rows, so that the file does not show how many people there are"


def smallest(handed: Handed) -> int | None:
    """The smallest group, in people; None where the file does not show it."""
    if not handed.rows_are_people or not len(handed.groups.rows):
        return None
    return int(handed.groups.rows.min())


def claimed_smallest(handed: Handed) -> int | None:
    """The smallest group, in people, as the certificate measured it where the file cannot show."""
    for entry, model in zip(
        handed.certificate.get("claims", ()), handed.models or (), strict=False
    ):
        counts = model is not None and type(model).__name__ == "KAnonymity"
        if counts and getattr(model, "over", "") == "quasi-identifiers" and entry["level"]:
            return int(entry["level"])
    return None


def between(rows: object, low: int, high: int) -> int:
    """How many numbers are from low to high.

    >>> between([0, 1, 10, 11], 1, 10)
    2
    """
    found = np.asarray(rows)
    return int(((found >= low) & (found <= high)).sum())


def risk(size: int) -> float:
    """The probability to pick a person's record in a group of this size.

    >>> risk(11) <= 0.09, risk(12) <= 0.09
    (False, True)
    """
    return 1 / size if size else 1.0


def in_all(handed: Handed) -> str:
    """How many groups there are, in words."""
    return f"{number(len(handed.groups.rows))} groups by {', '.join(handed.quasi) or 'nothing'}"
