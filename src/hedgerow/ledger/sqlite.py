"""A ledger in an SQLite file."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from hedgerow.base.errors import LedgerError
from hedgerow.ledger import tables
from hedgerow.ledger.connection import PATIENCE, Database, Transaction, scrubbed, telling
from hedgerow.ledger.file_lock import Hold, held, let_go, lock
from hedgerow.ledger.forks import GUARD, using
from hedgerow.ledger.store import Store

APPLICATION = int.from_bytes(b"Hdgr", "big")
"""Stands in the head of the file, so that another program's is not taken for a ledger."""

_ERRORS = {
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
_ERRORS["SQLITE_NOTADB"] = _ERRORS["SQLITE_CORRUPT"]


class LockedConnection(sqlite3.Connection):
    """A connection of the driver, and what keeps its file locked."""

    hold: Hold | None = None
    still = False
    """Whether it takes the file for one that does not change."""


class SQLiteDatabase(Database):
    """A file that is there. Nothing opens it but SQLite and `holding`.

    Args:
        place: Its path, without links.
        name: For messages.
    """

    kind: Literal["sqlite"] = "sqlite"
    error = sqlite3.Error

    def __init__(self, place: Path, name: str) -> None:
        self.name, self.file = name, str(place)
        self._place, self._log = place, place.with_name(f"{place.name}-wal")
        self._itself = _inode(place)

    def connect(self) -> LockedConnection:
        writable = os.access(self._place, os.W_OK) and os.access(self._place.parent, os.W_OK)
        # A copy that nobody can write to can be read all the same. Where nobody has it open there
        # is no log beside it, and it does not change.
        still = not writable and not self._log.exists()
        hold = None
        try:
            hold = None if still else held(self._place)
            made = self.begun("rw" if writable else "ro&immutable=1" if still else "ro")
        except BaseException:
            let_go(hold, lambda: None)
            raise
        made.hold, made.still = hold, still
        try:
            self._refuse_another()
            if writable and hold is not None and not hold.locked:
                # VACUUM INTO makes a copy without a log, and only with one can it be held.
                made.execute("PRAGMA journal_mode = WAL")
                lock(hold)
        except BaseException:
            self.close(made)
            raise
        return made

    def begun(self, mode: str) -> LockedConnection:
        """A connection without a hold on the file."""
        # The driver would begin transactions by itself, and too late to keep others out.
        made = sqlite3.connect(
            _uri(self._place, mode),
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,  # one at a time: the pool sees to it
            factory=LockedConnection,
            uri=True,
        )
        made.row_factory = sqlite3.Row
        made.execute("PRAGMA synchronous = FULL")
        return made

    def is_alive(self, driver: Any) -> bool:
        return not driver.still

    def close(self, driver: Any) -> None:
        let_go(driver.hold, driver.close)

    def begin(self, driver: Any, *, write: bool) -> None:
        driver.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def lock(self, connection: Transaction) -> None:
        # That has been had since the beginning. But writing on into a file that has been moved
        # away would be writing into nothing.
        self._refuse_another()

    def _refuse_another(self) -> None:
        if _inode(self._place) != self._itself:
            raise LedgerError(
                "the ledger was moved or replaced while it was open",
                fix="Put it back, or open the one that is there now.",
            )

    def execute(self, driver: Any, sql: str, given: Mapping[str, Any]) -> Any:
        return driver.execute(sql, given)

    def commit(self, driver: Any) -> None:
        if not driver.in_transaction:
            raise LedgerError("the transaction was ended by an error, and nothing was recorded")
        driver.commit()

    def told(self, error: Exception) -> LedgerError:
        code = getattr(error, "sqlite_errorname", None) or ""
        for name, (what, fix) in _ERRORS.items():
            if code.startswith(name):
                return LedgerError(what, where=self.name, fix=fix)
        return LedgerError(f"cannot be used: {scrubbed(str(error), ())}", where=self.name)


def _uri(place: Path, mode: str) -> str:
    return f"{place.as_uri()}?mode={mode}"


def _inode(place: Path) -> tuple[int, int] | None:
    try:
        now = place.stat()
    except OSError:
        return None
    return now.st_dev, now.st_ino


def open_file(path: Path, *, create: bool) -> Store:
    """The ledger in a file.

    Raises:
        LedgerError: It is not there, is no ledger, or cannot be used.
    """
    name = str(path)
    try:
        place = path.resolve()
        if not place.exists():
            if not create:
                raise LedgerError(
                    "there is no ledger here",
                    where=name,
                    fix="Check the path. The first `hedgerow publish` that names a ledger makes "
                    "it, and so does `hedgerow ledger budget POPULATION --set epsilon=1`.",
                )
            _create(place, name)
        _refuse_other_files(place, name)
        return Store(SQLiteDatabase(place, name))
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        why = getattr(error, "strerror", None) or error
        raise LedgerError(
            f"cannot be used as a ledger: {why}", where=name, fix="Check the path."
        ) from None


def _refuse_other_files(place: Path, name: str) -> None:
    """Look at the head of the file only: SQLite would write beside whatever it opens to write."""
    if not stat.S_ISREG(place.stat().st_mode):
        what = "this is a folder" if place.is_dir() else "this is no file"
        fix = f"Name a file, such as {str(Path(name) / 'ledger.db')!r}."
        raise LedgerError(f"{what}, and a ledger is a file", where=name, fix=fix)
    application = _application(place, name)
    if application != APPLICATION:
        other = application is not None and place.stat().st_size
        what = "another program's database" if other else "some other file"
        raise LedgerError(
            f"this is no ledger but {what}; it was left alone",
            where=name,
            fix="Name a ledger, or a file that does not exist yet.",
        )


def _application(place: Path, name: str) -> int | None:
    """Whose database a file says it is; None if it is none."""
    for mode in ("ro&immutable=1", "ro"):
        with (
            telling(SQLiteDatabase(place, name)),
            using(str(place)),
            contextlib.closing(sqlite3.connect(_uri(place, mode), uri=True)) as driver,
        ):
            try:
                ((found,),) = driver.execute("PRAGMA application_id").fetchall()
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorname == "SQLITE_NOTADB":
                    return None
                if mode == "ro":
                    raise
                continue  # it does change, just now
            return int(found)
    raise AssertionError("found, or an error")


def _create(place: Path, name: str) -> None:
    """A ledger appears whole or not at all, and never in place of something else."""
    if not place.parent.is_dir():
        raise LedgerError(
            f"there is no folder {str(place.parent)!r}", where=name, fix="Make the folder first."
        )
    folder = Path(tempfile.mkdtemp(prefix=".hedgerow-ledger-", dir=place.parent))
    try:
        staged = folder / "ledger"
        os.close(os.open(staged, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        database = SQLiteDatabase(staged, name)
        with GUARD:  # a process that is forked would have the file open, and not know of it
            with telling(database), contextlib.closing(database.begun("rw")) as driver:
                database.begin(driver, write=True)
                tables.create(Transaction(database, driver))
                driver.execute(f"PRAGMA application_id = {APPLICATION}")
                driver.commit()
                driver.execute("PRAGMA journal_mode = WAL")
            _sync(staged)
        try:
            os.link(staged, place)
        except FileExistsError:
            return  # somebody was quicker: theirs it is
        _sync(place.parent)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
