"""The files of a randomised release: what follows from noisy numbers, written and read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from hedgerow.answers.design import Numbers
from hedgerow.base.delivery import DATA, TABLES
from hedgerow.base.errors import DataError
from hedgerow.engines.base import Written
from hedgerow.release.charge.maker import remade
from hedgerow.release.noisy.certificate import certify
from hedgerow.synthesis.noisy_numbers import Drawn
from hedgerow.synthesis.rows_file import read_rows, write_rows
from hedgerow.synthesis.synthetic_records import Codes
from hedgerow.synthesis.tables_and_rows import Floats, SyntheticTables, make
from hedgerow.synthesis.tables_file import read_tables, write_tables


@dataclass(frozen=True, kw_only=True)
class FileForm:
    """How the files are written."""

    format: str
    escaped: bool
    rows: bool
    """Whether there are made-up rows."""

    @classmethod
    def of(cls, certificate: Mapping[str, Any]) -> Self:
        """As a certificate says."""
        configured = certificate["software"]["configured"]
        return cls(
            format=str(configured["format"]),
            escaped=bool(configured["escape_formulas"]),
            rows=certificate["data"] is not None,
        )


@dataclass(frozen=True)
class NoisyFiles:
    """Tables that agree, and rows that fit them, as they are to be written."""

    drawn: Drawn
    made: SyntheticTables
    form: FileForm

    @classmethod
    def of(cls, drawn: Drawn, form: FileForm) -> Self:
        """What follows from noisy numbers."""
        return cls(drawn, make(drawn.request, drawn.noisy, rows=form.rows), form)

    def _rows(self, folder: Path) -> Path:
        return folder / DATA[self.form.format]

    def write(self, folder: Path) -> None:
        """Write them into a folder."""
        request, escaped, made = self.drawn.request, self.form.escaped, self.made
        write_tables(folder / TABLES, request, self.drawn.noisy, made.counts, escaped=escaped)
        if made.records is not None:
            write_rows(self._rows(folder), request, made.records, escaped=escaped)

    def read(self, folder: Path) -> ReadNoisyFiles:
        """Read them in a folder."""
        request, escaped = self.drawn.request, self.form.escaped
        noisy, counts = read_tables(folder / TABLES, request, escaped=escaped)
        records = None
        if self.made.records is not None:
            records = read_rows(self._rows(folder), request, escaped=escaped)
        return ReadNoisyFiles(self, folder, noisy, counts, records)

    def data(self, folder: Path) -> Written:
        """A randomised release is no table."""
        raise AssertionError("a randomised release is no table")


@dataclass(frozen=True)
class ReadNoisyFiles:
    """The files, as they are read."""

    files: NoisyFiles
    folder: Path
    noisy: Sequence[Numbers]
    counts: Sequence[Floats]
    records: Codes | None

    def judged(self) -> Self:
        """The same, if they hold what was written."""
        made = self.files.made
        same = all(map(np.array_equal, self.noisy, self.files.drawn.noisy))
        same = same and all(map(np.array_equal, self.counts, made.counts))
        if made.records is not None:
            assert self.records is not None, "they were read"
            same = same and np.array_equal(self.records, made.records)
        if not same:
            raise DataError(
                "the files cannot be read as they were written", fix="Is the disk in order?"
            )
        return self

    def certificate(self) -> dict[str, Any]:
        """About what is in the files, as they are read."""
        made, form = self.files.made, self.files.form
        return certify(
            self.files.drawn, folder=self.folder, counts=self.counts, total=made.total,
            mixed=made.mixed, records=self.records, form=form.format, escaped=form.escaped,
        )  # fmt: skip


def made_again(content: bytes, certificate: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Make a release again from what the ledger keeps, in the form that a certificate has.

    Args:
        content: What the ledger keeps.
        certificate: Says the form.
        folder: Where the files go.
    """
    return remade(NoisyFiles.of(Drawn.read(content), FileForm.of(certificate)), folder)
