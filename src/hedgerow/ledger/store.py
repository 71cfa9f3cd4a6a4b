"""Store: the connections of a ledger, and one writer at a time."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from hedgerow.ledger.connection import PATIENCE, Connection, Database, telling
from hedgerow.ledger.errors import LedgerError
from hedgerow.ledger.forking import GUARD, resting_before_forks, using

MOST_IDLE = 5
"""Connections that are kept open for the next time."""
MOST = 15
"""Connections at one time; a thread that needs one more waits."""

_LEFT: list[Any] = []
"""Connections that must be neither used nor closed, such as those from before a fork, which are the
other process's. To forget them would be to close them."""


class Store:
    """A database, and how to write to it so that nobody writes at the same time.

    Args:
        database: Where it is.
        lock: Called at the beginning of every write, instead of the database's own lock.
    """

    def __init__(
        self, database: Database, *, lock: Callable[[Connection], None] | None = None
    ) -> None:
        self.name = database.name
        self._database, self._lock = database, lock or database.lock
        self._idle: list[Any] = []
        self._room = threading.BoundedSemaphore(MOST)
        self._closed = False
        self._rests = 0
        """How often all that was idle was closed: what was in use meanwhile is closed later."""
        self._process = os.getpid()
        self._whole = threading.local()
        resting_before_forks(self)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view; within a block that is `at_once`, what that one sees."""
        if (held := self._held()) is not None:
            yield held
            return
        with telling(self._database), self._connected(write=False) as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Everybody else waits; recorded when the block ends, and not at all if it fails.

        Within a block that is `at_once`, when that one ends.
        """
        if (held := self._held()) is not None:
            yield held
            return
        with telling(self._database), self._connected(write=True) as connection:
            self._lock(connection)
            self._whole.remembered, process = {}, os.getpid()
            try:
                yield connection
            finally:
                self._whole.remembered = None
            if os.getpid() != process:
                raise LedgerError(
                    "this process was forked in the middle of a write, which is not its own",
                    fix="Start processes afresh (spawn), or fork while no thread uses the ledger.",
                )
            self._database.commit(connection.driver)

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """What is written inside, by this thread, is recorded together or not at all."""
        with self.writing() as connection:
            around = getattr(self._whole, "held", None)
            self._whole.held = os.getpid(), connection
            try:
                yield
            finally:
                self._whole.held = around

    def _held(self) -> Connection | None:
        """The connection of the block that this thread is in; a child of a fork is in none."""
        process, connection = getattr(self._whole, "held", None) or (None, None)
        return connection if process == os.getpid() else None

    @property
    def remembered(self) -> dict[Any, Any]:
        """Room for what a writer has read or written: nobody changes it before the block ends."""
        found: dict[Any, Any] | None = getattr(self._whole, "remembered", None)
        return {} if found is None else found

    @contextlib.contextmanager
    def _connected(self, *, write: bool) -> Iterator[Connection]:
        file = self._database.file
        with contextlib.nullcontext() if file is None else using(file), self._admitted():
            process, rests, sound = os.getpid(), self._rests, False
            driver = self._taken()
            try:
                self._database.begin(driver, write=write)
                yield Connection(self._database, driver)
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
                self._idle, self._process = [], os.getpid()
                self._room = threading.BoundedSemaphore(MOST)
            room = self._room
        if not room.acquire(timeout=PATIENCE):
            what = f"{MOST} threads have been using the ledger for more than {PATIENCE} seconds"
            raise LedgerError(what, fix="Wait for them to end and try again.")
        try:
            yield
        finally:
            room.release()

    def _taken(self) -> Any:
        """A connection that nobody else uses."""
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
        try:
            self._database.close(driver)
        except (self._database.error, LedgerError):
            _LEFT.append(driver)

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
            idle, self._idle = self._idle, []
            self._rests += 1
            if os.getpid() != self._process:
                _LEFT.extend(idle)
                return
            for driver in idle:
                self._end(driver)
