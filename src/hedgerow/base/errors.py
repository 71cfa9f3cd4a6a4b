"""Every error Hedgerow raises on purpose: what is wrong, where, and what would be right."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Collection, Iterable

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


class LedgerError(HedgerowError):
    """The ledger cannot be opened, read or written; nothing was recorded."""


class AmountError(HedgerowError):
    """An amount of privacy loss is no amount: negative, zero, not finite, or too large."""


class BudgetError(HedgerowError):
    """A spend does not fit into what is left of a budget; nothing was recorded."""

    exit_code = 1


class NoBudgetError(BudgetError):
    """Nobody set a budget yet, so nothing can be spent: something to set up, not a refusal."""

    exit_code = 2


def interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is behind it.

    Compiled code that is interrupted while it is loaded makes a SystemError of the interrupt.

    >>> interrupted(KeyboardInterrupt()), interrupted(SystemError("a fault of its own"))
    (True, False)
    """
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return isinstance(error, KeyboardInterrupt)


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


def printable(text: str, *, keep: str = "") -> str:
    r"""Text that cannot steer a terminal: control characters are written out.

    >>> printable("a\x1b[31mb\n", keep="\n")
    'a\\x1b[31mb\n'
    """
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)


def nearest(word: str, choices: Collection[str]) -> str | None:
    """The choice somebody who wrote `word` most likely meant, if any is near enough.

    >>> nearest("quasi_identifer", ["identifier", "quasi-identifier"])
    'quasi-identifier'
    >>> nearest("zebra", ["identifier", "quasi-identifier"]) is None
    True
    """
    folded = word.casefold()
    for choice in choices:
        if choice.casefold().strip() == folded.strip():
            return choice
    # Comparing with thousands of names takes seconds; a typo leaves both ends as they were.
    likely = heapq.nlargest(200, choices, key=lambda choice: _shared_ends(folded, choice))
    plain = {choice.casefold(): choice for choice in reversed(likely)}
    close = difflib.get_close_matches(folded, plain, n=1)
    return plain[close[0]] if close else None


def _shared_ends(a: str, b: str) -> int:
    """Characters two words have in common at their beginning and at their end."""
    b = b.casefold()
    shortest = min(len(a), len(b))
    start = 0
    while start < shortest and a[start] == b[start]:
        start += 1
    end = 0
    while end < shortest - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start + end
