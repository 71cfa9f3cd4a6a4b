"""Names of what is being written, and which of them nobody is writing any more.

A connection that is lost cannot be used to clean up. So a hidden name tells when it was given, and
whoever writes to the same place later removes what is older than any release takes.
"""

from __future__ import annotations

import re
import secrets
import time

OLD = 86_400
"""Seconds after which nobody is writing to it any more."""
_NAME = re.compile(r"\.?hedgerow[-_](\d{10})[-_][0-9a-f]{16}(_certificate)?", re.ASCII)


def hidden(begin: str) -> str:
    """A name that nobody looks for; `begin` is `hedgerow_` or `.hedgerow-`."""
    return f"{begin}{int(time.time()):010}{begin[-1]}{secrets.token_hex(8)}"


def left_over(name: str, *, now: float | None = None) -> bool:
    """Whether something of this name was left behind.

    A release that was about to be replaced (its name ends in `old`) never is: it may be the only
    one there is.

    >>> name = "hedgerow_1700000000_0123456789abcdef"
    >>> left_over(name, now=1700000000 + 60), left_over(name, now=1700000000 + OLD + 1)
    (False, True)
    >>> [left_over(x) for x in (f"{name}_certificate", f"{name}_old", "hedgerow_notes", "ward")]
    [True, False, False, False]
    """
    found = _NAME.fullmatch(name)
    return found is not None and (time.time() if now is None else now) - int(found[1]) > OLD
