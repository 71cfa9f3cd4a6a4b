"""The database under a ledger: one writer at a time, and errors without secrets."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hedgerow.ledger.errors import LedgerError
from hedgerow.ledger.forking import resting_before_forks, using

PATIENCE = 30
"""Seconds to wait for other writers."""
UNKNOWN = "It is not known whether the last step was recorded: `hedgerow ledger list` shows it."

_SQLITE = {
    "SQLITE_FULL": ("the disk is full", "Make room and try again. Nothing is lost."),
    "SQLITE_READONLY": ("it may not be written to", "Ask its owner for leave to write."),
    "SQLITE_BUSY": (
        f"another process has been writing for more than {PATIENCE} seconds",
        "Wait for it to end and try again.",
    ),
    "SQLITE_CANTOPEN": (
        "it cannot be opened",
        "Check that it is there, and that you may write in its folder.",
    ),
    "SQLITE_CORRUPT": (
        "the file is damaged",
        "Restore the newest copy, and run `hedgerow ledger verify --release FOLDER` with every "
        "release you have.",
    ),
    "SQLITE_IOERR": (
        "the disk refuses to read or write it",
        "Check that the disk has room and is in order. Nothing is lost.",
    ),
}
_SQLITE["SQLITE_NOTADB"] = _SQLITE["SQLITE_CORRUPT"]

_POSTGRESQL = {
    "28": "Check the user and the password in the address of the ledger.",
    "42501": "The database's owner must let this user read, insert, and lock the ledger's row.",
    "25006": "The database only allows reading. Use the primary server.",
    "53": "Make room on the database server and try again. Nothing is lost.",
    "55P03": f"Somebody has been writing for more than {PATIENCE} seconds. Try again.",
}
"""What helps, by how the server's error code begins."""
_UNREACHABLE = "Check the address of the ledger, and that the database server runs."


class Store:
    """A database, and how to write to it so that nobody writes at the same time.

    Args:
        engine: Of SQLAlchemy.
        name: For messages; without a password.
        secrets: What must not appear in a message.
        lock: Called at the beginning of every write.
        at_end: Gets the engine, without connections, when the store is closed.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        name: str,
        secrets: tuple[str, ...] = (),
        lock: Callable[[Connection], None],
        at_end: Callable[[Engine], None] = lambda engine: None,
    ) -> None:
        self.name, self._secrets, self._lock, self._at_end = name, secrets, lock, at_end
        self._engine: Engine | None = engine
        self._process = os.getpid()
        self._whole = threading.local()
        resting_before_forks(self)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view; within a block that is `at_once`, what that one sees."""
        if (held := self._held()) is not None:
            yield held
            return
        with self._told(), self._connected(write=False) as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Everybody else waits; recorded when the block ends, and not at all if it fails.

        Within a block that is `at_once`, when that one ends.
        """
        if (held := self._held()) is not None:
            yield held
            return
        with self._told(), self._connected(write=True) as connection:
            self._lock(connection)
            self._whole.remembered = {}
            try:
                yield connection
            finally:
                self._whole.remembered = None
            try:
                connection.commit()
            except DBAPIError as error:
                if connection.dialect.name == "postgresql":
                    what = self._scrubbed(str(error.orig))
                    raise LedgerError(
                        f"the database went away: {what}", where=self.name, fix=UNKNOWN
                    ) from None
                raise

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
        engine = self._engine
        if engine is None:
            raise LedgerError("this ledger was closed", fix="Open it again.")
        if os.getpid() != self._process:
            # Connections do not survive a fork: both sides would talk at once.
            engine.dispose(close=False)
            self._process = os.getpid()
        local, pool = engine.dialect.name == "sqlite", engine.pool
        with (
            using(str(engine.url.database)) if local else contextlib.nullcontext(),
            engine.connect() as connection,
        ):
            if not local:
                level = "READ COMMITTED" if write else "REPEATABLE READ"
                connection = connection.execution_options(isolation_level=level)
            try:
                yield connection.execution_options(hedgerow_write=write)
            finally:
                # If its pool was closed meanwhile, that would keep it open.
                late = self._engine is not engine or engine.pool is not pool
                if late and not (connection.closed or connection.invalidated):
                    connection.detach()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """The database's errors as a sentence with what to do."""
        try:
            yield
        except LedgerError as error:
            raise LedgerError(error.what, where=error.where or self.name, fix=error.fix) from None
        except SQLAlchemyError as error:
            raise self._error(error) from None
        except OSError as error:
            raise LedgerError(
                f"cannot be used: {error.strerror or error}", where=self.name
            ) from None

    def _error(self, error: SQLAlchemyError) -> LedgerError:
        cause = error.orig if isinstance(error, DBAPIError) else None
        code: str = getattr(cause, "sqlite_errorname", None) or ""
        for name, (what, fix) in _SQLITE.items():
            if code.startswith(name):
                return LedgerError(what, where=self.name, fix=fix)
        text = self._scrubbed(str(cause or error))
        if self._engine is None or self._engine.dialect.name == "sqlite":
            return LedgerError(f"cannot be used: {text}", where=self.name)
        code = getattr(cause, "sqlstate", None) or ("28" if "password" in text else "")
        for begin, fix in _POSTGRESQL.items():
            if code.startswith(begin):
                return LedgerError(f"the database refuses: {text}", where=self.name, fix=fix)
        if not code or code.startswith(("08", "57P")):
            what = f"the database cannot be reached: {text}"
            return LedgerError(what, where=self.name, fix=_UNREACHABLE)
        return LedgerError(f"the database refuses: {text}", where=self.name)

    def _scrubbed(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return "; ".join(lines[:2]) or "no reason given"

    def close(self) -> None:
        """Let go of the database."""
        engine, self._engine = self._engine, None
        if engine is not None:
            own = os.getpid() == self._process
            engine.dispose(close=own)
            if own:
                self._at_end(engine)

    def rest(self) -> None:
        """Close files that are open and not in use; they are opened again when they are needed."""
        engine = self._engine
        if engine is not None and engine.dialect.name == "sqlite" and os.getpid() == self._process:
            engine.dispose()
