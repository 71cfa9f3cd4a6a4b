"""Task: what is done with each part of a held frequency set, here or where the part is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from hedgerow.base.errors import DataError
from hedgerow.engines.base import Table
from hedgerow.engines.frequency_set import Work
from hedgerow.engines.frequency_sql import listed, names
from hedgerow.engines.remote import LOCAL, Kind, Kinds
from hedgerow.engines.session import DuckDBSession

ARROW = {"text": pa.string(), "bigint": pa.int64(), "int": pa.int32(), "double": pa.float64()}


@dataclass(frozen=True, kw_only=True)
class Task:
    """Work, and what goes into it and comes out. It can be pickled where the work can."""

    work: Work
    axes: int
    """How many quasi-identifiers."""
    attributes: int
    """How many sensitive attributes."""
    separated: bool
    """Whether people of one tuple may be separated."""

    @property
    def given(self) -> Kinds:
        """The columns of a part."""
        codes = [*names("c", self.axes), *names("v", self.attributes)]
        kinds: dict[str, Kind] = dict.fromkeys(codes, "int")
        return {**kinds, "n": "bigint"}

    @property
    def keys(self) -> list[str]:
        """The columns that say for which tuple a line of the solution is."""
        return names("c", self.axes) + (names("v", self.attributes) if self.separated else [])

    @property
    def solved(self) -> Kinds:
        """The columns of a solution."""
        kinds: dict[str, Kind] = dict.fromkeys(self.keys, "int")
        if self.separated:
            kinds |= {"lo": "bigint", "hi": "bigint"}
        kinds["n"] = "bigint"
        kinds |= dict.fromkeys(names("p", self.axes), "text")
        kinds |= dict.fromkeys([*names("l", self.axes), *names("h", self.axes)], "int")
        kinds |= dict.fromkeys(names("r", self.axes), "double")
        return kinds

    def __call__(self, part: Table) -> Table:
        """The solution of a part, its columns in order and of their types."""
        found = self.work(_typed(part, self.given))
        if sorted(found.column_names) != sorted(self.solved):
            raise DataError(
                f"a solution has columns {found.column_names}, it needs {list(self.solved)}"
            )
        table = _typed(found, self.solved)
        for name, kind in self.solved.items():
            if kind != "text" and table[name].null_count:
                raise DataError(f"a solution lacks values in {name}")
        return table


def _typed(table: Table, kinds: Kinds) -> Table:
    columns = [table[name].cast(ARROW[kind]) for name, kind in kinds.items()]
    return pa.table(columns, names=list(kinds))


def part_by_part(
    session: DuckDBSession,
    ask: Callable[[str, Kinds], Table],
    parted: str,
    parts: Sequence[int],
    task: Task,
    into: str,
    progress: Callable[[float], None] | None,
) -> None:
    """Work on one part after the other, and put what comes out into a table of the session.

    Args:
        session: DuckDB's, which puts on disk what does not fit in memory.
        ask: The answer of whoever holds the lines.
        parted: Their table, with a column `part`.
        parts: Which to work on.
        task: The work.
        into: The name of the table that is made.
        progress: Told the share of the lines that were worked on.
    """
    columns = listed(*(f"{name} {LOCAL[kind]}" for name, kind in task.solved.items()))
    session.do(f"CREATE OR REPLACE TEMP TABLE {into} ({columns})")
    counted = ask(f"SELECT count(*) AS n FROM {parted} AS x", {"n": "bigint"})
    lines, done = max(1, counted["n"][0].as_py()), 0
    for part in parts:
        sql = f"SELECT {listed(*task.given)} FROM {parted} AS x WHERE part = {int(part)}"
        table = ask(sql, task.given)
        if not table.num_rows:
            continue
        with session.holding("solved_part", task(table)):
            session.do(f"INSERT INTO {into} SELECT {listed(*task.solved)} FROM solved_part")
        done += table.num_rows
        if progress is not None:
            progress(done / lines)
