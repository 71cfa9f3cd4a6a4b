"""A table of Spark's as a `Remote`: where counts come from and releases go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError, TargetError
from hedgerow.engines.base import TablePlace
from hedgerow.engines.part_task import Task
from hedgerow.engines.remote import Kinds, RemoteColumn
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.spark.connection import connected, forgets
from hedgerow.engines.spark.dialect import SparkDialect
from hedgerow.engines.spark.driver import Driver
from hedgerow.engines.spark.executors import solved
from hedgerow.engines.spark.sources import is_path, local_files, opened, source, stamps
from hedgerow.engines.spark.targets import Target, certificate_of, target_of


def open_spark(
    place: TablePlace, *, scratch: Path | None = None, memory: str | None = None
) -> SparkRemote:
    """Open a table or a path that Spark reads.

    Args:
        place: `spark://host:port` is a standalone cluster's master, `sc://host:port` a Spark
            Connect server, and `spark://` the session this process has, or else one on this
            machine. The table is a name of Spark's catalogue, or a path of Parquet (also a
            folder or a pattern) or CSV.
        scratch: Not used; executors have folders of their own (spark.local.dir).
        memory: For a session that is started on this machine.
    """
    where = str(place)
    driver = Driver(connected(place.address, memory=memory), where)
    try:
        frame = opened(driver, place.table)
        return SparkRemote(driver, frame, place)
    except BaseException:
        driver.close()
        raise


def open_frame(frame: Any) -> SparkRemote:
    """Open a DataFrame in its own session, which is left as it is."""
    driver = Driver(frame.sparkSession, "the Spark table")
    try:
        return SparkRemote(driver, frame, None)
    except BaseException:
        driver.close()
        raise


class SparkRemote:
    """Implements `hedgerow.engines.remote.Remote`."""

    dialect = SparkDialect()

    def __init__(self, driver: Driver, frame: Any, place: TablePlace | None) -> None:
        self._driver, self._place = driver, place
        self._target: Target | None = None
        self._staged: SparkRemote | None = None
        self.source: str
        self.columns: tuple[RemoteColumn, ...]
        self.source, self.columns = source(driver, frame)
        self.files: tuple[Path, ...] = () if place is None else local_files(place.table)
        self._first = stamps(self.files)

    @property
    def where(self) -> str:
        return self._driver.where

    def close(self) -> None:
        self.discard()
        self._driver.close()

    def keep(self, name: str, sql: str, *, by: str | None = None) -> str:
        return self._driver.keep(name, sql)

    def drop(self, table: str) -> None:
        self._driver.drop(table)

    def solve(self, name: str, sql: str, parts: int, task: Task) -> str:
        return solved(self._driver, name, sql, parts, task)

    def push(self, name: str, session: DuckDBSession, sql: str, kinds: Kinds) -> str:
        return self._driver.push(name, session, sql, kinds)

    def pull(self, sql: str, session: DuckDBSession, name: str, kinds: Kinds) -> None:
        self._driver.pull(sql, session, name, kinds)

    def refuse_changed(self) -> None:
        if self._place is None:
            return
        if self._first != stamps(local_files(self._place.table)):
            raise DataError(
                "the source changed while it was being published",
                where=self.where,
                fix="Nothing was published. Run it again when nobody writes to it.",
            )

    # Table targets

    @property
    def _address(self) -> str:
        return "spark://" if self._place is None else self._place.address

    def reaches(self, place: TablePlace) -> bool:
        return place.address == self._address

    def check_table(self, place: TablePlace, *, replace: bool) -> None:
        if not self.reaches(place):
            raise TargetError(
                "is at another address than the source",
                where=str(place),
                fix=f"Publish to a table at {self._address}, or to a file.",
            )
        if self._reads(place.table):
            raise TargetError(
                "is the source itself", where=str(place), fix="Write the release somewhere else."
            )
        refuse_forgetful(self._driver, place)
        target_of(self._driver, place.table, str(place)).check(replace=replace)

    def _reads(self, table: str) -> bool:
        if self._place is None:
            return False
        if not is_path(table):
            return self._in_full(table) == self._in_full(self._place.table)
        folder = Path(table).absolute()
        return any(folder in (file.absolute(), *file.absolute().parents) for file in self.files)

    def _in_full(self, table: str) -> list[str]:
        """A table's name with its catalogue and database, as Spark compares names."""
        parts = table.replace("`", "").lower().split(".")
        catalogue = self._driver.session.catalog
        current = self._driver.run(
            lambda: [catalogue.currentCatalog().lower(), catalogue.currentDatabase().lower()]
        )
        return [*current[: max(0, 3 - len(parts))], *parts]

    def stage(self, place: TablePlace, sql: str, columns: Sequence[str]) -> SparkRemote:
        self.discard()
        self._target = target_of(self._driver, place.table, str(place))
        try:
            frame = self._target.stage([sql], columns)
            self._staged = SparkRemote(Driver(self._driver.session, str(place)), frame, None)
            return self._staged
        except BaseException:
            self.discard()
            raise

    def deliver(self, certificate: str, *, replace: bool) -> None:
        assert self._target is not None, "only what was staged is delivered"
        self._target.deliver(certificate, replace=replace)

    def discard(self) -> None:
        if self._staged is not None:
            self._staged.close()
            self._staged = None
        if self._target is not None:
            self._target.discard()
            self._target = None

    def certificate(self) -> str | None:
        return None if self._place is None else certificate_of(self._driver, self._place.table)


def refuse_forgetful(driver: Driver, place: TablePlace) -> None:
    """Refuse a table of a catalogue that ends with this program.

    Raises:
        TargetError: It does.
    """
    if not is_path(place.table) and driver.run(lambda: forgets(driver.session)):
        raise TargetError(
            "would be gone when this program ends: Spark on this machine keeps no catalogue",
            where=str(place),
            fix="Publish to a folder, such as spark://::/data/release, or to a file.",
        )
