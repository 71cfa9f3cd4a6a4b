"""Sources: a table of Spark's catalogue, a path of Parquet or CSV, or a DataFrame."""

from __future__ import annotations

import csv
import glob
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError
from hedgerow.engines.formats import DELIMITERS, unclashing
from hedgerow.engines.records import CsvRecords
from hedgerow.engines.remote import RemoteColumn
from hedgerow.engines.spark.columns import column, literal
from hedgerow.engines.spark.driver import Driver

_SUFFIX = re.compile(r"\.(parquet|csv|tsv)(\.gz)?$", re.IGNORECASE)
RELEASED = "data.parquet"
"""Rows of a release that is a folder."""
REPLACED = "\ufffd"
"""What Spark makes of bytes that are not UTF-8."""


def is_path(table: str) -> bool:
    """Whether the table of an address is a path and no name.

    >>> [is_path(t) for t in ("ward.patients", "/data/people", "people.csv.gz", "hdfs://x/y")]
    [False, True, True, True]
    """
    return "/" in table or _SUFFIX.search(table) is not None


def local_path(table: str) -> Path | None:
    """The path on this machine; None where it is on another file system.

    >>> local_path("file:///data/x"), local_path("/data/x"), local_path("hdfs://host/x")
    (PosixPath('/data/x'), PosixPath('/data/x'), None)
    """
    path = re.sub(r"^file:(//)?(?=/)", "", table)
    return None if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/", path) else Path(path)


def local_files(table: str) -> tuple[Path, ...]:
    """The files of this machine that a path reads, as far as they can be seen."""
    path = local_path(table) if is_path(table) else None
    if path is None:
        return ()
    found = [Path(name) for name in sorted(glob.glob(str(path)))]  # noqa: PTH207 (absolute patterns)
    return tuple(file for each in found for file in ([each] if each.is_file() else each.rglob("*")))


def stamps(files: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Size and last change of each file that is there: what differs when somebody wrote to it."""
    found = {}
    for file in files:
        if any(part.startswith(".hedgerow-") for part in file.parts):
            continue  # ours, of a release that is on its way to a folder of the source
        with suppress(FileNotFoundError):
            status = file.stat()
            found[file] = (status.st_size, status.st_mtime_ns)
    return found


def opened(driver: Driver, table: str) -> Any:
    """The DataFrame of a table's name or a path."""
    session = driver.session
    if not is_path(table):
        return driver.run(lambda: session.table(table))
    name = table.rstrip("/").rpartition("/")[2]
    if name.startswith(("_", ".")):
        raise DataError(
            f"Spark does not read what begins with {name[0]!r}",
            where=driver.where,
            fix="Give it another name.",
        )
    here = local_path(table)
    if here is not None and (here / RELEASED).is_dir():  # a release in a folder
        return driver.run(lambda: session.read.parquet((here / RELEASED).absolute().as_uri()))
    found = _SUFFIX.search(table)
    if found is None or found[1].lower() == "parquet":
        return driver.run(lambda: session.read.parquet(table))
    return _csv(driver, table, "\t" if found[1].lower() == "tsv" else None)


def source(driver: Driver, frame: Any) -> tuple[str, tuple[RemoteColumn, ...]]:
    """Name a DataFrame as the source, its columns by their places; and say what they hold."""
    if driver.run(lambda: frame.isStreaming):
        raise DataError("is a stream, which has no end", where=driver.where, fix="Give a table.")
    fields = driver.run(lambda: frame.schema).fields
    names = unclashing([field.name for field in fields], driver.where)
    view = driver.named(
        "source", driver.run(lambda: frame.toDF(*(f"c{i}" for i in range(len(names)))))
    )
    return view, tuple(
        column(name, f"source.c{i}", field.dataType.simpleString())
        for i, (name, field) in enumerate(zip(names, fields, strict=True))
    )


def _csv(driver: Driver, path: str, delimiter: str | None) -> Any:
    """CSV as DuckDB reads it: all text, an empty field missing, a quoted empty one empty."""
    first = driver.run(lambda: driver.session.read.text(path).limit(1).toArrow())
    if not first.num_rows or not str(first.column(0)[0].as_py()).strip():
        raise DataError(
            "the file is empty", where=driver.where, fix="The first line names the columns."
        )
    header = str(first.column(0)[0].as_py()).removeprefix("\ufeff")
    tried = (delimiter,) if delimiter else DELIMITERS
    fields = [_fields(header, each) for each in tried]
    best = max(range(len(tried)), key=lambda i: (len(fields[i]), -i))
    if not fields[best]:
        raise DataError(
            "the header cannot be read",
            where=f"{driver.where}, line 1",
            fix='Quote names as a whole, on one line, and double the quotes inside: "say ""hi""".',
        )
    names = unclashing(fields[best], driver.where)
    from pyspark.sql.types import StringType, StructField, StructType

    schema = StructType([StructField(name, StringType()) for name in names])
    options = {
        "header": True,
        "enforceSchema": False,  # each file has to have these names
        "sep": tried[best],
        "quote": '"',
        "escape": '"',
        "multiLine": True,
        "mode": "FAILFAST",
        "nullValue": secrets.token_hex(16),  # else a quoted empty field would be missing too
        "emptyValue": "",
        "maxColumns": max(20_480, len(names) + 1),
        "encoding": "UTF-8",
    }
    frame = driver.run(lambda: driver.session.read.schema(schema).options(**options).csv(path))
    frame = _checked(driver, frame, len(names))
    _require_all(driver, frame, [CsvRecords(f, tried[best], len(names)) for f in _read(path)])
    return frame


def _read(path: str) -> list[Path]:
    """The files of this machine that Spark reads there; it leaves out hidden ones."""
    return [
        file
        for file in local_files(path)
        if file.is_file() and not file.name.startswith(("_", ".")) and file.stat().st_size
    ]


def _require_all(driver: Driver, frame: Any, files: Sequence[CsvRecords]) -> None:
    """See that Spark passes over no record, where its files are on this machine."""
    if not files:
        return
    rows, there = driver.run(frame.count), sum(file.counted.records - 1 for file in files)
    if len(files) == 1:
        files[0].require(rows)
    elif rows != there:
        raise DataError(
            f"{rows:,} rows were read, and the files have {there:,} after their headers",
            where=driver.where,
            fix="Check for lines that are very long, quotes that stand alone and empty lines.",
        )


def _checked(driver: Driver, frame: Any, columns: int) -> Any:
    """Refuse bytes that are not UTF-8 where they are read: Spark would replace them, unasked."""
    names = frame.columns
    places = [f"c{i}" for i in range(columns)]
    view = driver.named("csv", frame.toDF(*places))
    said = literal("HEDGEROW_NOT_UTF8")
    checked = ", ".join(
        f"CASE WHEN contains({c}, {literal(REPLACED)}) THEN CAST(raise_error({said}) AS STRING) "
        f"ELSE {c} END AS {c}"
        for c in places
    )
    return driver.run(lambda: driver.session.sql(f"SELECT {checked} FROM {view}").toDF(*names))


def _fields(header: str, delimiter: str) -> Sequence[str]:
    try:
        return next(csv.reader([header], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        return []
