"""A lock on a ledger's file that other code of the process cannot undo.

SQLite's locks are the process's. The system drops them as soon as the process closes the file, in
whatever way it was opened: SQLite knows, and puts off its own closing, but other code may read or
copy the file. Then the next process that closes the ledger takes itself for the last one and
removes the log, which this one goes on writing to, and what is written there is lost.

Linux also has locks that belong to an open file. While a connection is open, one of these is had on
the bytes that SQLite's readers lock: nobody else can take himself for the last one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hedgerow.base.errors import LedgerError
from hedgerow.ledger.connection import PATIENCE
from hedgerow.ledger.forks import GUARD

_READERS = 0x4000_0002, 510
"""Where SQLite's readers lock a file, and how many bytes."""
_WITH_LOG = 18
"""Where a file says whether it is written with a log (2) or without (1)."""
_CAN = sys.platform == "linux" and sys.maxsize > 2**32


@dataclass
class Hold:
    """A file that is open in this process."""

    inode: tuple[int, int]
    descriptor: int
    users: int = 0
    """Connections that are open."""
    locked: bool = False


_HELD: dict[tuple[int, int], Hold] = {}


def held(place: Path) -> Hold | None:
    """Hold a file, for one more connection; None where it cannot be.

    Raises:
        LedgerError: Another process has had it to itself for too long.
    """
    if not _CAN:
        return None
    with GUARD:
        try:
            hold = _found(place)
        except OSError:
            return None  # SQLite has words for what is wrong with it
        if hold.users == 1:
            try:
                lock(hold)
            except BaseException:
                let_go(hold, lambda: None)
                raise
        return hold


def _found(place: Path) -> Hold:
    """With one more user; the only one has it to lock."""
    while True:
        now = place.stat()
        hold = _HELD.get((now.st_dev, now.st_ino))
        if hold is None:
            descriptor = os.open(place, os.O_RDONLY)
            now = os.fstat(descriptor)
            hold = _HELD[now.st_dev, now.st_ino] = Hold((now.st_dev, now.st_ino), descriptor)
        hold.users += 1
        if _HELD.get(hold.inode) is hold:  # or a signal handler has come in between
            return hold


def let_go(hold: Hold | None, close: Callable[[], None]) -> None:
    """Close a connection, and let go of its file if it was the last one."""
    if hold is None:
        close()
        return
    with GUARD:
        try:
            if hold.users == 1:
                _unlock(hold.descriptor)  # so that SQLite may tidy up
            close()
        finally:
            hold.users -= 1
            # A signal handler that came in between may have let go of it already.
            if not hold.users and _HELD.pop(hold.inode, None) is hold:
                os.close(hold.descriptor)


def lock(hold: Hold) -> None:
    """Have the lock, if the file is written with a log.

    Raises:
        LedgerError: Another process has had it to itself for too long.
    """
    import fcntl

    if os.pread(hold.descriptor, 1, _WITH_LOG) != b"\2":
        return  # without a log, writers lock what readers do: nobody could write
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.fcntl(hold.descriptor, fcntl.F_OFD_SETLK, _readers(fcntl.F_RDLCK))
            hold.locked = True
            return
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                return  # there are no such locks here
            if time.monotonic() > until:
                raise LedgerError(
                    f"another process has had it to itself for more than {PATIENCE} seconds",
                    fix="Wait for it to end and try again.",
                ) from None
        time.sleep(0.002)


def _unlock(descriptor: int) -> None:
    import fcntl

    # Also for a child that has the file open since a fork: to close it here would not be enough.
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _readers(fcntl.F_UNLCK))


def _readers(kind: int) -> bytes:
    return struct.pack("hhqqi", kind, os.SEEK_SET, *_READERS, 0)


# A child has them open as well, and leaves them alone: they are its parent's.
os.register_at_fork(after_in_child=_HELD.clear)
