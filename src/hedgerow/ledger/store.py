"""Store: a database, one consistent view of it, and one writer at a time."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from hedgerow.base.errors import LedgerError
from hedgerow.ledger.connection import Database, Transaction, telling
from hedgerow.ledger.forks import GUARD
from hedgerow.ledger.pool import Pool


class Store:
    """A database, and how to write to it so that nobody writes at the same time.

    Args:
        database: Where it is.
        lock: Called at the beginning of every write, instead of the database's own lock.
    """

    def __init__(
        self, database: Database, *, lock: Callable[[Transaction], None] | None = None
    ) -> None:
        self.name = database.name
        self._database, self._lock = database, lock or database.lock
        self._pool = Pool(database)
        self._whole = threading.local()
        weakref.finalize(self, _forgotten, self._pool)

    def close(self) -> None:
        """Let go of the database."""
        self._pool.close()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Transaction]:
        """One consistent view; within a block that is `at_once`, what that one sees."""
        if (held := self._held()) is not None:
            yield held
            return
        with telling(self._database), self._connected(write=False) as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Transaction]:
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

    def _held(self) -> Transaction | None:
        """The connection of the block that this thread is in; a child of a fork is in none."""
        process, connection = getattr(self._whole, "held", None) or (None, None)
        return connection if process == os.getpid() else None

    @property
    def remembered(self) -> dict[Any, Any]:
        """Room for what a writer has read or written: nobody changes it before the block ends."""
        found: dict[Any, Any] | None = getattr(self._whole, "remembered", None)
        return {} if found is None else found

    @contextlib.contextmanager
    def _connected(self, *, write: bool) -> Iterator[Transaction]:
        with self._pool.lent() as driver:
            self._database.begin(driver, write=write)
            yield Transaction(self._database, driver)


def _forgotten(pool: Pool) -> None:
    """Close what nobody has closed; this may come in the middle of anything."""
    if GUARD.acquire(timeout=1):  # whoever has it may be waiting for who is interrupted here
        try:
            pool.close()
        finally:
            GUARD.release()
