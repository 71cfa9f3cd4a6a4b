"""Memory that is free again is given back to the machine, where the C library keeps it."""

from __future__ import annotations

import contextlib
import ctypes


def give_back() -> None:
    """Give back what a large computation has freed.

    The app stays, and what it starts next is another process: what lies idle here lacks there.
    """
    # Only glibc has it, and only glibc needs it.
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
