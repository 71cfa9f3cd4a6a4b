"""The file of a safe release: a row for each person who was drawn, written and read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from hedgerow.base.delivery import DATA, TABLE, sha256
from hedgerow.base.errors import DataError
from hedgerow.engines.base import Written
from hedgerow.release.charge.maker import remade
from hedgerow.release.safe.certificate import certify
from hedgerow.release.safe.record import SafeRecord
from hedgerow.synthesis.rows_file import read_rows, write_rows
from hedgerow.table.hierarchy import Codes


@dataclass(frozen=True)
class SafeFile:
    """The rows, as they are to be written."""

    kept: SafeRecord
    format: str
    """csv, parquet or table."""
    escaped: bool

    def path(self, folder: Path) -> Path:
        """The file, also where a table is made of it."""
        return folder / DATA["parquet" if self.format == TABLE else self.format]

    def write(self, folder: Path) -> None:
        """Write them into a folder."""
        write_rows(self.path(folder), self.kept.shown, self.kept.records, escaped=self.escaped)

    def read(self, folder: Path) -> ReadSafeFile:
        """Read them in a folder."""
        file = self.path(folder)
        return ReadSafeFile(self, file, read_rows(file, self.kept.shown, escaped=self.escaped))

    def data(self, folder: Path) -> Written:
        """What is carried where the release is a table."""
        file, rows = self.path(folder), int(self.kept.counts.sum())
        return Written(path=file, rows=rows, people=rows, sha256=self.digest(file))

    def digest(self, file: Path) -> str:
        """The hash of the file; of a table, of its rows in whatever order."""
        if self.format != TABLE:
            return sha256(file)
        from hedgerow.engines.transfer import content_sha256

        return content_sha256(file)


@dataclass(frozen=True)
class ReadSafeFile:
    """The rows, as they are read."""

    written: SafeFile
    file: Path
    records: Codes

    def judged(self) -> Self:
        """The same, if they are those that were written."""
        if not np.array_equal(self.records, self.written.kept.records):
            raise DataError(
                "the file cannot be read as it was written", fix="Is the disk in order?"
            )
        return self

    def certificate(self) -> dict[str, Any]:
        """About what is in the file, or in the table that is made of it."""
        one = self.written
        return certify(
            one.kept,
            file=TABLE if one.format == TABLE else self.file.name,
            sha256=one.digest(self.file),
            form=one.format,
            escaped=one.escaped,
        )


def made_again(content: bytes, certificate: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Make a release again from what the ledger keeps, in the form that a certificate has.

    Args:
        content: What the ledger keeps.
        certificate: Says the form.
        folder: Where the file goes.
    """
    configured = certificate["software"]["configured"]
    form, escaped = str(configured["format"]), bool(configured["escape_formulas"])
    return remade(SafeFile(SafeRecord.read(content), form, escaped), folder)
