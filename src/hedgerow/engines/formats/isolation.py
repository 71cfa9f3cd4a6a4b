"""Files that are read in a process of their own, which hands over an Arrow file.

A workbook or an SPSS file is parsed by a library in C or Rust, whole and in memory. A damaged or
hostile file may make it crash, or unpack to more than there is room for. That ends the process,
with a message, and not the command or the app. It also leaves this process its memory: the Arrow
file is mapped, not read.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.base.extras import extra
from hedgerow.engines.base import Table
from hedgerow.engines.formats.base import (
    NO_NOTES,
    FileNotes,
    SourceFiles,
    SourceView,
    suffix_of,
)
from hedgerow.engines.records import LONGEST
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.source_form import SourceForm

LEAST_MEMORY = 4 * 2**30
"""Bytes that a reader may always have."""
MOST_CELLS = 500_000_000
"""Cells of a table that is read whole."""
MOST_UNPACKED = 4 * 2**30
"""Bytes that a packed file may unpack to."""


@dataclass(frozen=True)
class FileTable:
    """A table that was read, and what its file says of it."""

    table: Table
    notes: FileNotes = NO_NOTES


Reader = Callable[[Path, str, SourceForm], FileTable]
"""Reads a file: its place, which of its tables, and how it is written."""


def isolated(
    reader: str, *, library: str | None = None
) -> Callable[[DuckDBSession, SourceFiles], SourceView]:
    """A view of what a reader reads, in a process of its own.

    Args:
        reader: Module and function, such as "hedgerow.engines.formats.excel:read".
        library: What it imports that the extra `files` brings.
    """
    return partial(_view, reader, library)


def _view(
    reader: str, library: str | None, session: DuckDBSession, given: SourceFiles
) -> SourceView:
    import pyarrow as pa

    from hedgerow.engines.frames import arrow_view

    (file,) = given.files
    if library is not None:
        kind = f"a {suffix_of(file)} file"
        with extra("files", kind, where=str(file), raises=DataError):
            if importlib.util.find_spec(library) is None:
                raise ModuleNotFoundError(name=library)
    target = session.folder / "table.arrow"
    told = _run(
        {
            "reader": reader,
            "file": str(file),
            "table": given.table,
            "form": given.form.said,
            "target": str(target),
        },
        str(file),
    )
    with pa.memory_map(str(target)) as mapped:
        table = pa.ipc.open_file(mapped).read_all()
    view = arrow_view(session, table, files=given.files)
    notes = FileNotes(
        sheet=told["sheet"],
        sheets=tuple(told["sheets"]),
        labels=told["labels"],
        labelled=told["labelled"],
        declared={name: tuple(values) for name, values in told["declared"].items()},
        notes=tuple(told["notes"]),
    )
    return SourceView(view.names, view.types, view.files, arrow=view.arrow, about=notes)


def _run(asked: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Let another process read.

    Raises:
        DataError: What it says; or that it did not end as it should.
    """
    few = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    script = "from hedgerow.engines.formats.isolation import serve; serve()"
    done = subprocess.run(  # noqa: S603 (our own interpreter and module)
        # Without -P Python would import from the folder somebody works in: the file's, often.
        [sys.executable, "-P", "-c", script],
        input=json.dumps(asked),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        env={**os.environ, **few, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    try:
        told = json.loads(done.stdout.rpartition("\n")[2])
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise DataError(
            "cannot be read: it is damaged, or it needs more memory than there is",
            where=where,
            fix=f"At most {_most_memory() / 2**30:.0f} GB are used. Open the file in the program "
            "that wrote it and save it again, as CSV or Parquet if it is large.",
        )
    if "what" in told:
        raise DataError(told["what"], where=told["where"] or where, fix=told["fix"])
    return dict(told)


def serve() -> None:
    """Read what stdin asks for; what another process runs."""
    asked = json.load(sys.stdin)
    _bound_memory()
    try:
        module, _, name = asked["reader"].partition(":")
        reader: Reader = getattr(importlib.import_module(module), name)
        found = reader(Path(asked["file"]), asked["table"], SourceForm(**asked["form"]))
        _refuse_long(found.table, Path(asked["file"]))
        _write(found.table, Path(asked["target"]))
        told: dict[str, Any] = asdict(found.notes)
    except HedgerowError as error:
        told = {"what": error.what, "where": error.where, "fix": error.fix}
    sys.stdout.write("\n" + json.dumps(told))


def _write(table: Table, target: Path) -> None:
    import pyarrow as pa

    with target.open("xb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _most_memory() -> int:
    """Half of the machine's memory, or a little that is always allowed."""
    there = 0
    with suppress(AttributeError, ValueError, OSError):
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(LEAST_MEMORY, there // 2)


def _bound_memory() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_most_memory(), _most_memory()))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def refuse_large(rows: int, columns: int, where: Path) -> None:
    """Stop before a table is read that has too many cells.

    Raises:
        DataError: It has.
    """
    if rows * columns > MOST_CELLS:
        raise DataError(
            f"{rows:,} rows of {columns:,} columns are too many to be read at once",
            where=str(where),
            fix="Save it as Parquet, which is read in parts.",
        )


def _refuse_long(table: Table, where: Path) -> None:
    """Stop where a name or a value is longer than any is, and would fill screens and memory.

    Raises:
        DataError: It is.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if any(len(name) > LONGEST for name in table.column_names):
        raise DataError(f"a column's name has more than {LONGEST:,} characters", where=str(where))
    for name, column in zip(table.column_names, table.columns, strict=True):
        kinds = (pa.types.is_string, pa.types.is_large_string)
        if not any(is_kind(column.type) for is_kind in kinds):
            continue
        if (pc.max(pc.binary_length(column)).as_py() or 0) > LONGEST:
            raise DataError(
                f"column {name!r} has a value of more than {LONGEST:,} bytes",
                where=str(where),
                fix="Check whether it holds another file, and take it out.",
            )


def refuse_bomb(file: Path) -> None:
    """Stop before a packed file is read that unpacks to too much; what it says is not believed.

    Raises:
        DataError: It does, or it is no such file.
    """
    total = 0
    try:
        with zipfile.ZipFile(file) as packed:
            for part in packed.infolist():
                with packed.open(part) as content:
                    while block := content.read(2**20):
                        total += len(block)
                        if total > MOST_UNPACKED:
                            raise DataError(
                                f"unpacks to more than {MOST_UNPACKED // 2**30} GB",
                                where=str(file),
                                fix="Save the table as CSV or Parquet.",
                            )
    except (
        zipfile.BadZipFile,
        OSError,
        EOFError,
        RuntimeError,
        NotImplementedError,
        ValueError,
    ) as error:
        raise DataError(
            "is no workbook, or a damaged or encrypted one",
            where=str(file),
            fix="Open it in the program that wrote it and save it again, without a password; "
            "or correct the end of its name.",
        ) from error
    except Exception as error:  # zlib and lzma have errors of their own
        if isinstance(error, HedgerowError):
            raise
        raise DataError(f"is damaged: {error}", where=str(file)) from error
