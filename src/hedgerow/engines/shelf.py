"""Shelf: where the tables of a held frequency set are kept, and asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from hedgerow.engines.base import Table
from hedgerow.engines.frequency_sql import listed
from hedgerow.engines.part_task import Task, part_by_part
from hedgerow.engines.remote import LOCAL, Kinds, Remote
from hedgerow.engines.session import DuckDBSession

Progress = Callable[[float], None]


class Shelf(Protocol):
    """Tables that are gone when their engine is closed. SQL uses what the dialects share."""

    @property
    def session(self) -> DuckDBSession:
        """Of the engine it belongs to."""
        ...

    def keep(self, name: str, sql: str) -> str:
        """Keep the result of a query; the name of its table."""
        ...

    def push(self, name: str, table: Table, kinds: Kinds) -> str:
        """Keep a table that is here."""
        ...

    def drop(self, table: str) -> None:
        """Let go of a table."""
        ...

    def ask(self, sql: str, kinds: Kinds) -> Table:
        """The answer to a query."""
        ...

    def solve(
        self, name: str, sql: str, parts: Sequence[int], task: Task, progress: Progress | None
    ) -> str:
        """Keep what a task makes of each part.

        Args:
            name: Of the table.
            sql: The lines, with a column `part`.
            parts: Those that are worked on.
            task: The work.
            progress: Told the share that is done.
        """
        ...


class LocalShelf:
    """Temporary tables of DuckDB, which go to disk where memory is too small."""

    def __init__(self, session: DuckDBSession) -> None:
        self.session = session

    def keep(self, name: str, sql: str) -> str:
        self.session.do(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")
        return name

    def push(self, name: str, table: Table, kinds: Kinds) -> str:
        with self.session.holding("given", table):
            return self.keep(name, f"SELECT {_typed(kinds)} FROM given")

    def drop(self, table: str) -> None:
        self.session.do(f"DROP TABLE IF EXISTS {table}")

    def ask(self, sql: str, kinds: Kinds) -> Table:
        return self.session.table(f"SELECT {_typed(kinds)} FROM ({sql}) AS answer")

    def solve(
        self, name: str, sql: str, parts: Sequence[int], task: Task, progress: Progress | None
    ) -> str:
        # In order, so that looking for a part passes over the others.
        parted = self.keep(f"{name}_parted", f"{sql} ORDER BY part")
        try:
            part_by_part(self.session, self.ask, parted, parts, task, name, progress)
        except BaseException:
            self.drop(name)
            raise
        finally:
            self.drop(parted)
        return name


class RemoteShelf:
    """Temporary tables where the data are."""

    def __init__(self, remote: Remote, session: DuckDBSession) -> None:
        self._remote, self.session = remote, session

    def keep(self, name: str, sql: str) -> str:
        return self._remote.keep(name, sql)

    def push(self, name: str, table: Table, kinds: Kinds) -> str:
        with self.session.holding("given", table):
            return self._remote.push(name, self.session, "SELECT * FROM given", kinds)

    def drop(self, table: str) -> None:
        self._remote.drop(table)

    def ask(self, sql: str, kinds: Kinds) -> Table:
        self._remote.pull(sql, self.session, "answer", kinds)
        try:
            return self.session.table(f"SELECT {listed(*kinds)} FROM answer")
        finally:
            self.session.do("DROP TABLE answer")

    def solve(
        self, name: str, sql: str, parts: Sequence[int], task: Task, progress: Progress | None
    ) -> str:
        if (there := self._remote.solve(name, sql, len(parts), task)) is not None:
            if progress is not None:
                progress(1.0)
            return there
        parted = self._remote.keep(f"{name}_parted", sql, by="part")
        try:
            part_by_part(self.session, self.ask, parted, parts, task, "solved_here", progress)
            return self._remote.push(
                name, self.session, f"SELECT {listed(*task.solved)} FROM solved_here", task.solved
            )
        finally:
            self.session.do("DROP TABLE IF EXISTS solved_here")
            self.drop(parted)


def _typed(kinds: Kinds) -> str:
    return listed(*(f"{name}::{LOCAL[kind]} AS {name}" for name, kind in kinds.items()))
