"""Session: one private DuckDB connection that can be interrupted and speaks our errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from hedgerow.base.errors import DataError, HedgerowError, TargetError
from hedgerow.engines.base import Table
from hedgerow.engines.instance import SHARED, begun, private_folder, removed_with
from hedgerow.engines.title_lines import SKIP_HINT

T = TypeVar("T")

NOT_UTF8 = (
    "Say how it is encoded: `read: {encoding: cp1252}` (or latin-1, utf-16) in the plan, or "
    "`hedgerow init --read encoding=cp1252`; `init` detects it. Other files than a plan's source "
    "must be UTF-8 (iconv -f cp1252 -t utf-8 old.csv > new.csv)."
)
"""What to do about another encoding."""
BATCH = 2048
"""Lines handed over at a time when a result is streamed."""


def identifier(name: str) -> str:
    """A column name as SQL.

    >>> identifier('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Text as SQL.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


class DuckDBSession:
    """A DuckDB connection in memory; what does not fit goes to a private folder.

    Args:
        where: The source as messages name it.
        memory: DuckDB's memory limit, such as "4GB".
        scratch: Folder for the private temporary folder; the system's own where None.
        alone: Whether it attaches files, which all sessions of an instance would see.
    """

    def __init__(
        self, where: str, *, memory: str | None, scratch: Path | None, alone: bool = False
    ) -> None:
        self.where = where
        self._scratch = scratch
        self._cleanup = ExitStack()
        self._shared = memory is None and scratch is None and not alone
        self.connection: Any
        try:
            if self._shared:
                self.connection = SHARED.connection()
                self._cleanup.callback(SHARED.give_back, self.connection)
            else:
                self.connection = begun(self.folder)
                self._cleanup.callback(self.connection.close)
            self._worker = ThreadPoolExecutor(1)
            self._cleanup.callback(self._worker.shutdown)
            if memory is not None:
                self._limit(memory)
        except BaseException:
            self.close()
            raise

    @cached_property
    def folder(self) -> Path:
        """For files of this session; removed with all that is in it."""
        made = private_folder(self._scratch)
        self._cleanup.callback(removed_with(self, made))
        return made

    def close(self) -> None:
        self._cleanup.close()

    def _limit(self, memory: str) -> None:
        try:
            self.do(f"SET memory_limit = {literal(memory)}")
        except DataError as error:
            raise DataError(
                f"{memory!r} is not an amount of memory", fix='Write for example "4GB".'
            ) from error

    def run(self, work: Callable[[], T], *, target: Path | None = None) -> T:
        """Do work on the connection so that Ctrl-C stops it; DuckDB alone would not notice."""
        try:
            return self._worker.submit(work).result()
        except Exception as error:
            import duckdb

            if not isinstance(error, duckdb.Error):
                raise
            if self._shared and isinstance(error, duckdb.FatalException | duckdb.InternalException):
                SHARED.abandon(self.connection)
            raise translated(str(error), self.where, target) from error
        except (KeyboardInterrupt, SystemExit):
            # Work that was handed over goes on, also if we never got to wait for it: whoever
            # cleans up after us must find the worker idle. It takes one thing after the other.
            idle = self._worker.submit(lambda: None)
            while not idle.done():  # an interrupt before the query has begun is lost
                self.connection.interrupt()
                wait([idle], timeout=0.1)
            raise

    def do(self, sql: str, *, target: Path | None = None) -> int:
        """Run a statement; the number it answers, such as the rows a COPY wrote."""

        def work() -> int:
            answer = self.connection.execute(sql).fetchall()
            return answer[0][0] if answer and isinstance(answer[0][0], int) else 0

        return self.run(work, target=target)

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        return self.run(lambda: self.connection.execute(sql).fetchall())

    def number(self, sql: str) -> int:
        """The one number a query answers; 0 for NULL."""
        return int(self.fetch(sql)[0][0] or 0)

    @contextmanager
    def without_statistics(self) -> Iterator[None]:
        """Let SQL run as if no more were known of the source than its types.

        That is a setting of the instance: of the sessions that share one, one at a time.
        """
        settings = SHARED.settings if self._shared else Lock()
        settings.acquire()

        def reset() -> None:
            try:
                self.connection.execute("RESET disabled_optimizers")
            finally:
                settings.release()

        try:
            self.do("SET disabled_optimizers = 'statistics_propagation'")
            yield
        finally:
            # Whoever interrupts us again and again, the next one waits until this is done.
            self.run(reset)

    @contextmanager
    def holding(self, name: str, table: Table) -> Iterator[None]:
        """Let SQL see an Arrow table under this name."""
        self.run(lambda: self.connection.register(name, table))
        try:
            yield
        finally:
            self.connection.unregister(name)

    def table(self, sql: str) -> Table:
        return self.run(lambda: _arrow(self.connection.sql(sql)))

    def stream(self, sql: str, target: Path) -> Generator[Any, None, None]:
        """The result as Arrow batches. Only inside `run`, and closed by who reads it."""
        reader = _reader(self.connection.sql(sql))
        try:
            while True:
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    return
                except OSError as error:  # pyarrow's wrapping of DuckDB's message
                    raise translated(str(error), self.where, target) from error
                yield batch
        finally:
            reader.close()  # an open reader would hold the connection


def _arrow(result: Any) -> Table:
    # DuckDB 2 renamed these; the old names are all 1.x has.
    return (getattr(result, "to_arrow_table", None) or result.fetch_arrow_table)()


def _reader(result: Any) -> Any:
    return (getattr(result, "to_arrow_reader", None) or result.fetch_arrow_reader)(BATCH)


def translated(message: str, where: str, target: Path | None = None) -> HedgerowError:
    """DuckDB's message in our words: what, where, and what would be right."""
    if "CSV Error" in message or "CSV Parser" in message or "CSV File" in message:
        return _csv_error(message, where)
    first = message.splitlines()[0].partition(": ")[2] or message.splitlines()[0]
    if message.startswith("Out of Memory"):
        return DataError(
            "the memory limit, or the disk for temporary files, is too small for this",
            where=where,
            fix="Allow more memory, or name a temporary folder on a disk with more room.",
        )
    if target is not None and message.startswith("IO Error"):
        return TargetError(
            f"cannot be written: {first}",
            where=str(target),
            fix="Check that you may write there and that the disk has room.",
        )
    return DataError(f"cannot be read: {first}", where=where)


def _csv_error(message: str, where: str) -> DataError:
    found = re.search(r"CSV Error on Line: (\d+)", message)
    place = f"{where}, line {found[1]}" if found else where
    if fields := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
        return DataError(
            f"{int(fields[2]):,} fields where the header has {int(fields[1]):,}",
            where=place,
            fix='Give every line as many; quote fields that hold the separator: "a,b".'
            + f" {SKIP_HINT}" * (int(fields[2]) > int(fields[1])),
        )
    if "unterminated quote" in message:
        return DataError(
            "a quote is opened and never closed",
            where=place,
            fix='Close it; a quote inside a quoted field is written twice: "say ""hi""".',
        )
    if "unicode" in message or "utf-8" in message:
        return DataError(
            "this is not UTF-8",
            where=place,
            fix=NOT_UTF8,
        )
    if "Maximum line size" in message:
        return DataError(
            "the line is longer than 2 MB", where=place, fix="Check for a quote that is not closed."
        )
    return DataError(
        "a stray quote, or lines that end in different ways",
        where=place,
        fix="Quote fields as a whole, double the quotes inside them, and end all lines alike.",
    )
