"""Driver: one Spark session, asked in SQL only, that speaks our errors and cleans up after us.

Everything is a temporary view with a name of its own, so a session that is also used for other
work is left as it was found. There are no calls that only one kind of session has: it works the
same on Spark Connect. Python runs on the executors in one place only, `solving`.
"""

from __future__ import annotations

import logging
import secrets
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from hedgerow.base.errors import DataError
from hedgerow.engines.base import Table
from hedgerow.engines.remote import LOCAL, Kinds
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.spark.faults import GONE, translated

T = TypeVar("T")

BROADCAST = 200_000
"""Lines of a table that every executor gets whole, at most."""
AT_ONCE = 20_000_000
"""Values fetched at once: bounds the memory of whoever asks."""
SPARKS_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class Driver:
    """A Spark session and the temporary views we made in it.

    Args:
        session: A pyspark.sql.SparkSession, classic or Connect.
        where: The source as messages name it.
    """

    def __init__(self, session: Any, where: str) -> None:
        self.session = session
        self.where = where
        self._mark = f"hedgerow_{secrets.token_hex(8)}"
        self._views: dict[str, None] = {}
        self._kept: dict[str, Any] = {}
        self.gone = False
        """Whether there is nobody left to clean up for; asking would take a minute each time."""
        with suppress(Exception):  # a session that has no tags cannot be asked to stop
            session.addTag(self._mark)
        for name in SPARKS_LOGGERS:  # they would print the Java trace of what we say in a sentence
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)

    def close(self) -> None:
        """Drop what we made; the session is its owner's. Nothing is said if it is gone."""
        if self.gone:
            return
        with suppress(Exception), quiet():
            for name in list(self._kept):
                self._forget(name)
            for name in reversed(self._views):
                self.session.catalog.dropTempView(name)
            self.session.removeTag(self._mark)
        self._views.clear()

    def run(self, work: Callable[[], T], *, target: str | None = None) -> T:
        """Do work in the session; its long messages become one sentence.

        Args:
            work: What to do.
            target: What is being written, if anything.
        """
        try:
            with quiet():
                return work()
        except (KeyboardInterrupt, SystemExit):
            with suppress(Exception):  # else the cluster would go on without us
                self.session.interruptTag(self._mark)
            raise
        except Exception as error:
            found = translated(error, self.where, target)
            if found is None:
                raise
            self.gone = self.gone or found.what == GONE
            raise found from error

    def named(self, name: str, frame: Any) -> str:
        """Give a DataFrame a name no other work in the session has."""
        view = f"{self._mark}_{name}"
        self._forget(view)
        self.run(lambda: frame.createOrReplaceTempView(view))
        self._views[view] = None
        return view

    def keep(self, name: str, sql: str) -> str:
        """Give a query a name, and compute it once only."""
        return self.keep_frame(name, self.run(lambda: self.session.sql(sql)))

    def keep_frame(self, name: str, frame: Any) -> str:
        """Give a DataFrame a name, and compute it once only."""
        frame = self.run(frame.persist)
        view = self.named(name, frame)
        self._kept[view] = frame
        return view

    def drop(self, view: str) -> None:
        """Let go of what has this name."""
        self._forget(view)
        self._views.pop(view, None)
        if not self.gone:
            with suppress(Exception), quiet():
                self.session.catalog.dropTempView(view)

    def _forget(self, view: str) -> None:
        if view in self._kept:
            self._let_go(self._kept.pop(view))

    def _let_go(self, frame: Any) -> None:
        if not self.gone:
            with suppress(Exception), quiet():
                frame.unpersist()

    def table(self, sql: str) -> Table:
        """The answer as an Arrow table."""
        return self.run(lambda: self.session.sql(sql).toArrow())

    def number(self, sql: str) -> int:
        """The one number a query answers."""
        return int(self.table(sql).column(0)[0].as_py())

    def push(self, name: str, session: DuckDBSession, sql: str, kinds: Kinds) -> str:
        """Give the result of DuckDB's query a name here."""
        typed = ", ".join(f"{column}::{LOCAL[kind]} AS {column}" for column, kind in kinds.items())
        table = session.table(f"SELECT {typed} FROM ({sql})")
        frame = self.run(lambda: self.session.createDataFrame(table, schema=schema_of(kinds)))
        if table.num_rows <= BROADCAST:
            frame = frame.hint("broadcast")
        return self.named(name, frame)

    def pull(self, sql: str, session: DuckDBSession, name: str, kinds: Kinds) -> None:
        """Keep the result of Spark's query as a temporary table of DuckDB's session."""
        if "text" not in kinds.values():  # numbers only: totals, or cells that are numbered
            _received(session, name, self.table(sql), kinds)
            return
        frame = self.run(lambda: self.session.sql(sql).persist())
        try:
            rows = self.run(frame.count)
            if rows * len(kinds) <= AT_ONCE:
                _received(session, name, self.run(frame.toArrow), kinds)
            else:
                self._pull_pieces(frame, rows, session, name, kinds)
        finally:
            self._let_go(frame)
        found = session.number(f"SELECT count(*) FROM {name}")
        if found != rows:
            raise DataError(
                f"{found:,} rows arrived where Spark counted {rows:,}",
                where=self.where,
                fix="Does the source change, or give another answer each time it is read?",
            )

    def _pull_pieces(
        self, frame: Any, rows: int, session: DuckDBSession, name: str, kinds: Kinds
    ) -> None:
        """Fetch distinct rows and how often they are there, piece by piece.

        A row's contents decide which piece it is in, so a piece that is computed again, after
        an executor was lost, has the same rows.
        """
        columns = ", ".join(kinds)
        whole = self.named(name, frame)
        counted = self.keep(
            f"{name}_counted",
            f"SELECT {columns}, count(*) AS times FROM {whole} GROUP BY {columns}",
        )
        pieces = -(-rows * len(kinds) // AT_ONCE)
        try:
            for piece in range(pieces):
                table = self.table(
                    f"SELECT {columns}, times FROM {counted} "
                    f"WHERE pmod(xxhash64({columns}), {pieces}L) = {piece}L"
                )
                _received(session, name, table, kinds, repeated=True, more=piece > 0)
        finally:
            self._forget(counted)


def _received(
    session: DuckDBSession,
    name: str,
    table: Table,
    kinds: Kinds,
    *,
    repeated: bool = False,
    more: bool = False,
) -> None:
    """Put rows into a table of DuckDB's session."""
    columns = ", ".join(f"{column}::{LOCAL[kind]} AS {column}" for column, kind in kinds.items())
    with session.holding("arrived", table.rename_columns([*kinds, *(["times"] * repeated)])):
        begin = f"INSERT INTO {name}" if more else f"CREATE OR REPLACE TEMP TABLE {name} AS"
        session.do(f"{begin} SELECT {columns} FROM arrived{', range(times)' * repeated}")


def schema_of(kinds: Kinds) -> Any:
    """The columns as Spark's types."""
    from pyspark.sql import types

    ours = {
        "text": types.StringType,
        "bigint": types.LongType,
        "boolean": types.BooleanType,
        "int": types.IntegerType,
        "double": types.DoubleType,
    }
    return types.StructType([types.StructField(n, ours[kind]()) for n, kind in kinds.items()])


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warning about a newer pandas, of which nothing here makes use."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        yield
