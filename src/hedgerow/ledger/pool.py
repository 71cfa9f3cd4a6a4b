"""Pool: the connections of a process to one database, each used by one thread at a time."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

from hedgerow.base.errors import LedgerError
from hedgerow.ledger.connection import PATIENCE, Database
from hedgerow.ledger.forks import GUARD, resting_before_forks, using

MOST = 15
"""Connections at one time; a thread that needs one more waits."""
MOST_IDLE = 5
"""Connections that are kept open for the next time."""

_LEFT: list[Any] = []
"""Connections from before a fork, which are the other process's: neither used here nor closed, and
to forget them would be to close them."""


class Pool:
    """Connections that are open, or may be."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._idle: list[Any] = []
        self._closed = False
        self._rests = 0
        """How often all that was idle was closed: what was in use meanwhile is closed later."""
        self._process = os.getpid()
        self._lent = 0
        # Of an RLock: a signal handler may use the ledger in the middle of anything.
        self._returned = threading.Condition(threading.RLock())
        resting_before_forks(self)

    @contextlib.contextmanager
    def lent(self) -> Iterator[Any]:
        """A connection of the driver that nobody else uses, outside a transaction.

        Raises:
            LedgerError: The ledger was closed, or all connections have been in use for long.
        """
        file = self._database.file
        with contextlib.nullcontext() if file is None else using(file), self._admitted():
            process, rests, sound = os.getpid(), self._rests, False
            driver = self._taken()
            try:
                yield driver
                sound = True
            except Exception as error:
                sound = not isinstance(error, self._database.error)
                raise
            finally:
                if os.getpid() != process:
                    _LEFT.append(driver)
                else:
                    self._give_back(driver, rests, sound=sound)

    @contextlib.contextmanager
    def _admitted(self) -> Iterator[None]:
        """Be one of those that have a connection."""
        with GUARD:
            if self._closed:
                raise LedgerError("this ledger was closed", fix="Open it again.")
            if os.getpid() != self._process:
                # Connections do not survive a fork: both sides would talk at once.
                _LEFT.extend(self._idle)
                self._idle.clear()
                self._lent, self._process = 0, os.getpid()
                self._returned = threading.Condition(threading.RLock())
            returned = self._returned
        until = time.monotonic() + PATIENCE
        with returned:
            while self._lent >= MOST:
                if not returned.wait(until - time.monotonic()):
                    raise LedgerError(
                        f"{MOST} threads have been using it for more than {PATIENCE} seconds",
                        fix="Wait for them to end and try again.",
                    )
            self._lent += 1
        try:
            yield
        finally:
            with returned:
                self._lent -= 1
                returned.notify()

    def _taken(self) -> Any:
        while True:
            with GUARD:
                idle = self._idle.pop() if self._idle else None
            if idle is None:
                return self._database.connect()
            if self._database.is_alive(idle):
                return idle
            self._end(idle)

    def _give_back(self, driver: Any, rests: int, *, sound: bool) -> None:
        """Keep a connection for the next time, without what was not recorded."""
        if sound:
            try:
                driver.rollback()
            except self._database.error:
                sound = False
        with GUARD:
            same = not self._closed and rests == self._rests
            kept = sound and same and len(self._idle) < MOST_IDLE
            if kept:
                self._idle.append(driver)
        if not kept:
            self._end(driver)

    def _end(self, driver: Any) -> None:
        with contextlib.suppress(self._database.error):
            self._database.close(driver)

    def close(self) -> None:
        """Let go of the database."""
        self._closed = True
        self._let_go()

    def rest(self) -> None:
        """Close files that are open and not in use; they are opened again when they are needed."""
        if self._database.file is not None:
            self._let_go()

    def _let_go(self) -> None:
        with GUARD:  # until all is closed: a child would have it open, and not know of it
            idle = self._idle[:]
            self._idle.clear()
            self._rests += 1
            if os.getpid() != self._process:
                _LEFT.extend(idle)
                return
            for driver in idle:
                self._end(driver)
