"""Parts of a held frequency set, worked on by the executors: nothing of them comes to the driver.

It is the one place where Python runs on executors, so they need this package, of the same
version. What the work has to say against a part comes back as a line, not as a failure: Spark
would try a failed task again and again, and wrap the reason in a trace.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from hedgerow.base import errors
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.base.version import __version__
from hedgerow.engines.base import Table
from hedgerow.engines.part_task import ARROW, Task
from hedgerow.engines.spark.driver import Driver, schema_of

PARTITIONS = "spark.sql.shuffle.partitions"


def solved(driver: Driver, name: str, sql: str, parts: int, task: Task) -> str:
    """Keep what a task makes of each part; see `hedgerow.engines.remote.Remote.solve`."""
    executed = Executed(task, __version__)
    kinds = {"part": "int", **task.solved, "error": "text"}
    session = driver.session

    def framed() -> Any:
        # Said outright, so that Spark does not put small parts together on one executor: the
        # work takes longer than their size lets it think.
        wide = str(session.conf.get(PARTITIONS, "200"))  # some services say "auto"
        spread = max(1, min(parts, int(wide) if wide.isdecimal() else 200))
        lines = session.sql(sql).repartition(spread, "part")
        # A function without types of its own: Spark would look for what they name.
        return lines.groupBy("part").applyInArrow(lambda part: executed(part), schema_of(kinds))

    view = driver.keep_frame(name, driver.run(framed))
    try:
        driver.number(f"SELECT count(*) AS n FROM {view}")
        found = driver.table(
            f"SELECT error FROM {view} WHERE error IS NOT NULL ORDER BY part LIMIT 1"
        )
        if found.num_rows:
            raise raised(found["error"][0].as_py())
    except BaseException:
        driver.drop(view)
        raise
    return view


@dataclass(frozen=True)
class Executed:
    """A task as an executor runs it."""

    task: Task
    version: str
    """Of the package where the plan is run."""

    def __call__(self, part: Table) -> Table:
        """The lines of the solution, or one that says what is wrong."""
        number = part["part"][0].as_py()
        kinds = self.task.solved
        try:
            if self.version != __version__:
                raise DataError(
                    f"the executors have hedgerow {__version__}, and this machine {self.version}",
                    fix="Install the same version in both places.",
                )
            table = self.task(part.select(list(self.task.given)))
            error = None
        except HedgerowError as refused:
            table = pa.table({name: pa.nulls(1, ARROW[kind]) for name, kind in kinds.items()})
            error = told(refused)
        columns = [
            pa.array([number] * table.num_rows, pa.int32()),
            *table.columns,
            pa.array([error] * table.num_rows, pa.string()),
        ]
        return pa.table(columns, names=["part", *kinds, "error"])


def told(error: HedgerowError) -> str:
    """An error as text that `raised` makes it from again.

    >>> raised(told(errors.ClaimError("no", where="x", fix="Do.")))
    ClaimError('no')
    """
    known = (cls.__name__ for cls in type(error).__mro__ if cls.__module__ == errors.__name__)
    return json.dumps([next(known), error.what, error.where, error.fix])


def raised(text: str) -> HedgerowError:
    """The error that was told."""
    kind, what, place, fix = json.loads(text)
    found: type[HedgerowError] = getattr(errors, kind)
    return found(what, where=place, fix=fix)
