"""What several policies ask about the sizes of groups."""

from __future__ import annotations

import numpy as np

from hedgerow.reports.blocks import number
from hedgerow.reports.recipient_view import Handed
from hedgerow.table.groups import Ints

NO_RECORDS = (
    "the release has no records of people, only counts with noise and rows made up from them"
)
ON_SOURCE = "Count people in the source and compare."
SEVERAL = "a person may have several rows, so that the file does not show how many people there are"


def smallest(handed: Handed) -> int | None:
    """The smallest group, in rows of which a person has at most `Handed.most`; None: not shown."""
    if handed.most is None or not len(handed.groups.rows):
        return None
    return int(handed.groups.rows.min())


def at_least(rows: Ints, most: int) -> Ints:
    """How many people rows are at least.

    >>> at_least(np.array([10, 11]), 5).tolist()
    [2, 3]
    """
    people: Ints = -(-rows // most)
    return people


def may_be(most: int) -> str:
    """Said where rows are counted for the fewest people they may be.

    >>> may_be(1), may_be(5)
    ('', ' if every person has 5 rows')
    """
    return "" if most == 1 else f" if every person has {most} rows"


def claimed_smallest(handed: Handed) -> int | None:
    """The smallest group, in people, as the certificate measured it where the file cannot show."""
    for entry, model in zip(
        handed.certificate.get("claims", ()), handed.models or (), strict=False
    ):
        if model is not None and model.only_size is not None and entry["level"]:
            return int(entry["level"])
    return None


def unseen_groups(handed: Handed) -> str | None:
    """Why the sizes of the file's groups say nothing of people; None where they do."""
    if not handed.coded_groups:
        return None
    names = handed.coded_groups
    are = "is" if len(names) == 1 else "are"
    return f"{', '.join(names)} {are} coded, so the file does not show the groups"


def between(rows: object, low: int, high: int) -> int:
    """How many numbers are from low to high.

    >>> between([0, 1, 10, 11], 1, 10)
    2
    """
    found = np.asarray(rows)
    return int(((found >= low) & (found <= high)).sum())


def risk(size: int, most: int = 1) -> float:
    """The probability to pick one of a person's rows in a group of this size, at most.

    >>> risk(11) <= 0.09, risk(12) <= 0.09, risk(20, 5)
    (False, True, 0.25)
    """
    return min(1.0, most / size) if size else 1.0


def in_all(handed: Handed) -> str:
    """How many groups there are, in words."""
    return f"{number(len(handed.groups.rows))} groups by {', '.join(handed.quasi) or 'nothing'}"
