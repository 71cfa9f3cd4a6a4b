"""Every error Hedgerow raises on purpose: what is wrong, where, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable

MOST_NAMED = 10
"""How many offending values a message names before it only counts the rest."""


class HedgerowError(Exception):
    """Base of all errors a user can cause; the command line prints it without a traceback.

    Args:
        what: What is wrong, with the offending value.
        where: File, line or column the problem sits in.
        fix: What would be right.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(what)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  {self.fix}" if self.fix else text


class PlanError(HedgerowError):
    """The plan asks for something that does not exist or does not fit together."""


class HierarchyError(HedgerowError):
    """A hierarchy does not cover the data or does not coarsen from level to level."""


class DataError(HedgerowError):
    """The source cannot be read, or its contents contradict the plan."""


class TargetError(HedgerowError):
    """The release cannot be written where the plan wants it."""


class ClaimError(HedgerowError):
    """A claim cannot be met by any recoding within the plan's limits; nothing was published."""

    exit_code = 1


def some(values: Iterable[object], *, most: int = MOST_NAMED) -> str:
    """At most ten values in words, and how many more there are.

    >>> some(["a", None], most=2)
    "'a' and missing"
    >>> some(range(5), most=3)
    '0, 1, 2 and 2 more'
    """
    listed = list(values)
    words = ["missing" if v is None else repr(v) for v in listed[:most]]
    if len(listed) > most:
        return f"{', '.join(words)} and {len(listed) - most:,} more"
    if len(words) > 1:
        return f"{', '.join(words[:-1])} and {words[-1]}"
    return words[0] if words else "nothing"
