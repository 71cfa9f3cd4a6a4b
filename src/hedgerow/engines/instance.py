"""Instance: DuckDB itself. Sessions that set no limits of their own share one.

To begin an instance takes longer than many a question. What sessions make (views, tables, what is
registered) is their own all the same: each has its own connection, and makes temporary things only.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hedgerow.base.errors import TargetError


def private_folder(scratch: Path | None) -> Path:
    """A new folder that nobody else may look into.

    Raises:
        TargetError: None can be made.
    """
    try:
        return Path(tempfile.mkdtemp(prefix="hedgerow-", dir=scratch))
    except OSError as error:
        raise TargetError(
            f"no temporary folder can be made: {error.strerror or error}",
            where=str(scratch or tempfile.gettempdir()),
            fix="Name a folder you may write to, with room for a copy of the data.",
        ) from error


def removed_with(owner: object, folder: Path) -> Callable[[], object]:
    """Remove a folder when its owner is gone, or at the end; or now, by calling what this returns.

    A forked process, whose owner is a copy, leaves it alone.
    """
    return weakref.finalize(owner, _remove, folder, os.getpid())


def begun(folder: Path, **more: str) -> Any:
    """The first connection of a new instance that puts what does not fit into this folder."""
    # Nothing is fetched over the network, and SQL sees no Python variables.
    # preserve_insertion_order stays on: without it "the first rows" are any rows, and in
    # DuckDB 2.0 execute().to_arrow_table() loses even ORDER BY (sql().to_arrow_table() does
    # not). Sorting and grouping go to disk either way.
    config: dict[str, Any] = {
        "temp_directory": str(folder),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
        **more,
    }
    import duckdb  # here, because whoever only counts in arrays never needs it

    first = duckdb.connect(config=config)
    # Times with a zone read the same on every machine, and on every connection.
    try:
        first.execute("SET GLOBAL TimeZone = 'UTC'")
    except RuntimeError as error:  # DuckDB's word for Ctrl-C, and for nothing else
        raise KeyboardInterrupt from error
    return first


class Shared:
    """An instance that begins when it is needed, and ends with the process.

    Its folder is there only while somebody uses it. A fork would leave the other process an
    instance without its threads, which it can neither use nor end: so before a fork it ends, if
    nobody uses it.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._first: Any = None
        self._folder = Path()
        self._users: weakref.WeakSet[Any] = weakref.WeakSet()
        self._process = 0
        self._set_aside: list[Any] = []
        """From before a fork, where to end it would end this process; or it has failed, and others
        still have connections that may need its folder."""
        self.settings = threading.Lock()
        """Whoever changes a setting of the instance has it until the setting is as it was."""
        atexit.register(self._end)
        os.register_at_fork(
            before=self._before_fork,
            after_in_parent=self._lock.release,
            after_in_child=self._after_fork,
        )

    def connection(self) -> Any:
        """One more connection; whoever has it gives it back.

        Raises:
            TargetError: There is no room for what does not fit into memory.
        """
        with self._lock:
            if self._first is not None and self._process != os.getpid():
                self._set_aside.append(self._first)
                self._first = None
            if self._first is not None and not self._users and not self._folder_again():
                self._first = None
            if self._first is None:
                self._begin()
            made = self._first.cursor()
            self._users.add(made)
            return made

    def give_back(self, connection: Any) -> None:
        connection.close()
        with self._lock:
            if connection in self._users and self._process == os.getpid():
                self._users.remove(connection)
                if not self._users:
                    shutil.rmtree(self._folder, ignore_errors=True)

    def abandon(self, connection: Any) -> None:
        """Let the next connection be one of a new instance: this one's has failed for good."""
        with self._lock:
            if connection in self._users:
                self._set_aside.append(self._first)
                self._first, self._users = None, weakref.WeakSet()

    def _begin(self) -> None:
        self._folder = private_folder(None)
        try:
            # A file may be another by the time the next session reads it.
            self._first = begun(self._folder, enable_external_file_cache="false")
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._users, self._process = weakref.WeakSet(), os.getpid()
        removed_with(self._first, self._folder)

    def _folder_again(self) -> bool:
        """Make the folder that went with the last session; false if something is in its place."""
        try:
            self._folder.mkdir(0o700)
        except OSError:
            return False
        return True

    def _end(self) -> None:
        if self._first is not None and not self._users and self._process == os.getpid():
            self._first.close()
            self._first = None

    def _before_fork(self) -> None:
        self._lock.acquire()
        self._end()

    def _after_fork(self) -> None:
        self.settings = threading.Lock()
        self._lock.release()


def _remove(folder: Path, process: int) -> None:
    """Remove a folder that this process, and no other, has made."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


SHARED = Shared()
