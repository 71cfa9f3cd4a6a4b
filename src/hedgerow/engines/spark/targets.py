"""Where Spark puts a release: a table of its catalogue, or a folder of this machine.

Rows are written in the order of their contents, which tells nothing about the source's, under a
name nobody looks for; what takes the name in the end is complete, and its certificate is there
before it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pyarrow.parquet as pq

from hedgerow.base.errors import HedgerowError, TargetError, some
from hedgerow.engines.file_target import unwritable
from hedgerow.engines.spark.columns import identifier
from hedgerow.engines.spark.driver import Driver, quiet
from hedgerow.engines.spark.leftovers import hidden, left_over
from hedgerow.engines.spark.sources import RELEASED, is_path, local_path

CERTIFICATE = "certificate.json"
PARTS = (RELEASED, CERTIFICATE, "data.csv", "report.html")
"""What a release in a folder consists of, whoever wrote it. Anything else is never replaced."""


class Target(Protocol):
    """A release that is being made."""

    def check(self, *, replace: bool) -> None:
        """Refuse early what would fail late."""
        ...

    def stage(self, queries: Iterable[str], columns: Sequence[str]) -> Any:
        """Write the rows of queries with columns o0, o1, ...; the DataFrame of what is written.

        Each is written before the next is asked for.
        """
        ...

    def deliver(self, certificate: str, *, replace: bool) -> None: ...

    def discard(self) -> None: ...


def target_of(driver: Driver, table: str, where: str) -> Target:
    """The target an address names.

    Args:
        driver: The session that writes.
        table: A table's name or a path.
        where: The target as messages name it.
    """
    return (
        FolderTarget(driver, table, where) if is_path(table) else TableTarget(driver, table, where)
    )


def certificate_of(driver: Driver, table: str) -> str | None:
    """The certificate beside a table or a path, if there is one."""
    if is_path(table):
        path = local_path(table.rstrip("/"))
        folders = [] if path is None else [path, path.parent]
        found = [folder / CERTIFICATE for folder in folders if (folder / CERTIFICATE).is_file()]
        return found[0].read_text("utf-8") if found else None
    return TableTarget(driver, table, driver.where).certificate()


def _written(sql: str, columns: Sequence[str]) -> str:
    named = ", ".join(f"o{i} AS {identifier(name)}" for i, name in enumerate(columns))
    return f"SELECT {named} FROM ({sql}) ORDER BY {', '.join(f'o{i}' for i in range(len(columns)))}"


def _taken(where: str) -> TargetError:
    return TargetError(
        "is there already", where=where, fix="Choose another name, or say that it may be replaced."
    )


def _no_release(where: str) -> TargetError:
    return TargetError(
        "is there already and is no release: it has no certificate beside it",
        where=where,
        fix="Choose another name.",
    )


class FolderTarget:
    """A folder with the rows in `data.parquet` and the certificate in `certificate.json`."""

    def __init__(self, driver: Driver, table: str, where: str) -> None:
        path = local_path(table.rstrip("/"))
        if path is None or not path.is_absolute():
            raise TargetError(
                "is no folder that this machine can see",
                where=where,
                fix="Name a folder from the root on, such as /data/release, that Spark and this "
                "machine share; or publish to a table.",
            )
        self._driver, self._path, self._where = driver, path, where
        self._part: Path | None = None

    def check(self, *, replace: bool) -> None:
        if not self._path.parent.is_dir() or not os.access(self._path.parent, os.W_OK):
            raise TargetError(
                "cannot be made: its folder does not exist or may not be written to",
                where=self._where,
                fix="Make the folder, or name another.",
            )
        if self._path.exists() and not replace:
            raise _taken(self._where)
        if self._path.exists() and not (self._path / CERTIFICATE).is_file():
            raise _no_release(self._where)
        if self._path.exists():
            strange = sorted(p.name for p in self._path.iterdir() if p.name not in PARTS)
            if strange:
                raise TargetError(
                    f"holds {some(strange)} besides a release, and that would be lost",
                    where=self._where,
                    fix="Move it away, or choose another place.",
                )

    def stage(self, queries: Iterable[str], columns: Sequence[str]) -> Any:
        self.discard()
        self._sweep()
        self._part = self._path.parent / hidden(".hedgerow-")
        try:
            self._part.mkdir(mode=0o777)
        except OSError as error:
            raise unwritable(error, self._path) from error
        data = (self._part / RELEASED).as_uri()
        driver, session = self._driver, self._driver.session

        def write(sql: str, mode: str) -> None:
            rows = _written(sql, columns)
            driver.run(lambda: session.sql(rows).write.parquet(data, mode=mode), target=self._where)

        for place, sql in enumerate(queries):
            write(sql, "append" if place else "error")
        frame = driver.run(lambda: session.read.parquet(data), target=self._where)
        seen = sum(
            pq.ParquetFile(file).metadata.num_rows
            for file in sorted((self._part / RELEASED).glob("*.parquet"))
        )
        if seen != driver.run(frame.count):
            raise TargetError(
                "Spark wrote files that this machine does not see",
                where=self._where,
                fix="Name a folder that all executors and this machine share, or a table.",
            )
        return frame

    def _sweep(self) -> None:
        with suppress(OSError):
            for folder in self._path.parent.iterdir():
                if left_over(folder.name):
                    shutil.rmtree(folder, ignore_errors=True)

    def deliver(self, certificate: str, *, replace: bool) -> None:
        assert self._part is not None
        old = self._part.with_name(f"{self._part.name}-old")
        try:
            (self._part / CERTIFICATE).write_text(certificate, "utf-8")
            self.check(replace=replace)
            if self._path.exists():
                self._path.rename(old)
            try:
                self._part.rename(self._path)
            except OSError:
                if old.exists():
                    old.rename(self._path)
                raise
        except OSError as error:
            raise unwritable(error, self._path) from error
        self._part = None
        shutil.rmtree(old, ignore_errors=True)

    def discard(self) -> None:
        if self._part is not None:
            shutil.rmtree(self._part, ignore_errors=True)
            self._part = None


class TableTarget:
    """A table, and the table with its certificate, whose name ends in `_certificate`."""

    def __init__(self, driver: Driver, table: str, where: str) -> None:
        parts = [a or b for a, b in re.findall(r"`((?:[^`]|``)+)`|([^.`]+)", table)]
        self._space, self._name = parts[:-1], parts[-1].replace("``", "`")
        self._driver, self._where = driver, where
        self._staged: str | None = None

    def _full(self, name: str) -> str:
        return ".".join(identifier(part) for part in (*self._space, name))

    def _exists(self, name: str) -> bool:
        full = self._full(name)
        return bool(
            self._driver.run(
                lambda: self._driver.session.catalog.tableExists(full), target=self._where
            )
        )

    def _do(self, sql: str) -> None:
        self._driver.run(lambda: self._driver.session.sql(sql).collect(), target=self._where)

    def _rename(self, old: str, new: str) -> None:
        # The new name of a table in another catalogue is relative to that catalogue.
        short = ".".join(identifier(part) for part in (*self._space[-1:], new))
        self._do(f"ALTER TABLE {self._full(old)} RENAME TO {short}")

    def certificate(self) -> str | None:
        proof = f"{self._name}_certificate"
        if not self._exists(proof):
            return None
        found = self._driver.table(f"SELECT certificate FROM {self._full(proof)} LIMIT 1")
        return str(found.column(0)[0].as_py()) if found.num_rows else None

    def check(self, *, replace: bool) -> None:
        if not re.fullmatch(r"\w+", self._name, re.ASCII):
            raise TargetError(
                f"{self._name!r} is no name that Spark's catalogue takes",
                where=self._where,
                fix="Use letters, digits and _ only.",
            )
        there = self._exists(self._name)
        if not (there or self._exists(f"{self._name}_certificate")):
            return
        if not replace:
            raise _taken(self._where if there else f"{self._where}_certificate")
        if not self._certified():
            raise _no_release(self._where)

    def _certified(self) -> bool:
        """Whether what stands beside it is a certificate of ours, and nothing else."""
        proof = f"{self._name}_certificate"
        if not self._exists(proof):
            return False
        full, session = self._full(proof), self._driver.session
        if self._driver.run(lambda: session.table(full).columns) != ["certificate"]:
            return False
        text = self.certificate()
        try:
            found = json.loads(text or "")
        except ValueError:
            return False
        return isinstance(found, dict) and str(found.get("format")).startswith("hedgerow-")

    def stage(self, queries: Iterable[str], columns: Sequence[str]) -> Any:
        self.discard()
        self._sweep()
        self._staged = hidden("hedgerow_")
        full = self._full(self._staged)
        for place, sql in enumerate(queries):
            begin = f"INSERT INTO {full}" if place else f"CREATE TABLE {full} AS"
            self._do(f"{begin} {_written(sql, columns)}")
        return self._driver.run(lambda: self._driver.session.table(full), target=self._where)

    def _sweep(self) -> None:
        """Remove what lost connections left here; whoever may not is not stopped by that."""
        session = self._driver.session
        space = ".".join(map(identifier, self._space))
        shown = f"SHOW TABLES{f' IN {space}' if space else ''} LIKE 'hedgerow_*'"
        with suppress(Exception), quiet():
            for row in session.sql(shown).collect():
                if not row.isTemporary and left_over(row.tableName):
                    session.sql(f"DROP TABLE IF EXISTS {self._full(row.tableName)}").collect()

    def deliver(self, certificate: str, *, replace: bool) -> None:
        assert self._staged is not None
        staged, proof = self._staged, f"{self._staged}_certificate"
        text = certificate.encode().hex()
        self._do(
            f"CREATE TABLE {self._full(proof)} AS SELECT CAST(X'{text}' AS STRING) AS certificate"
        )
        self.check(replace=replace)
        old = f"{staged}_old"
        # A catalogue renames one table at a time. The data come last and go first, so that
        # whoever finds them finds their certificate too.
        pairs = [(self._name, old), (f"{self._name}_certificate", f"{old}_certificate")]
        moved = [pair for pair in pairs if self._exists(pair[0])]
        done = []
        try:
            for pair in (*moved, (proof, f"{self._name}_certificate"), (staged, self._name)):
                self._rename(*pair)
                done.append(pair)
        except BaseException:
            for before, after in reversed(done):
                with suppress(Exception):  # the first error is what has to be heard of
                    self._rename(after, before)
            raise
        self._staged = None
        for _, name in moved:
            with suppress(HedgerowError):  # the release is there, whatever becomes of the old one
                self._do(f"DROP TABLE IF EXISTS {self._full(name)}")

    def discard(self) -> None:
        staged, self._staged = self._staged, None
        if staged is None or self._driver.gone:
            return
        for name in (staged, f"{staged}_certificate"):
            with suppress(Exception), quiet():
                self._driver.session.sql(f"DROP TABLE IF EXISTS {self._full(name)}").collect()
