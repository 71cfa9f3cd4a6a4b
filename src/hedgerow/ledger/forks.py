"""Forks: SQLite forgets what a process writes that was forked with a file open.

Its locks are the process's, and it remembers which it has: a child that inherits this takes locks
for its own that it has not got, and what it writes goes when its parent closes the file. So before
a fork all files are closed that nobody uses at that moment. Where somebody does, another thread or
whoever forks in the middle of a block, the child is refused that file for good.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from hedgerow.base.errors import LedgerError


class Resting(Protocol):
    """Whatever has files open."""

    def rest(self) -> None:
        """Close those that are not in use; they are opened again when they are needed."""
        ...


GUARD = threading.RLock()
"""No process forks while somebody has it."""
_OPEN: weakref.WeakSet[Resting] = weakref.WeakSet()
_USED: Counter[str] = Counter()
_LOST: set[str] = set()
"""Files that were in use when this process was forked."""


def resting_before_forks(one: Resting) -> None:
    """Have it close what it can before every fork."""
    with GUARD:
        _OPEN.add(one)


@contextlib.contextmanager
def using(file: str) -> Iterator[None]:
    """A block in which a file is open.

    Raises:
        LedgerError: It was open when this process was forked.
    """
    if file in _LOST:
        raise LedgerError(
            "this process was forked while the ledger was in use, and cannot use it",
            fix="Start processes afresh (spawn), or fork while no thread uses the ledger.",
        )
    with GUARD:
        _USED[file] += 1
    try:
        yield
    finally:
        with GUARD:
            _USED[file] -= 1


def _before() -> None:
    GUARD.acquire()
    for one in list(_OPEN):
        with contextlib.suppress(Exception):  # what could not be closed is as if it were in use
            one.rest()


def _in_child() -> None:
    _LOST.update(file for file, users in _USED.items() if users)
    _USED.clear()
    GUARD.release()


os.register_at_fork(before=_before, after_in_parent=GUARD.release, after_in_child=_in_child)
