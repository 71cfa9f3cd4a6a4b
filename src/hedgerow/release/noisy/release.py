"""RandomisedRelease: what was published with noise, and what it cost."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import DataError, some
from hedgerow.table.certificate_file import read_data

if TYPE_CHECKING:
    from hedgerow.ledger import Position


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomisedRelease:
    """Tables of counts with noise that agree, and made-up rows where the plan asks for them.

    Everything in it may be given to anybody. `tables` and `data` are files, or tables in memory
    where no place was given.
    """

    certificate: Mapping[str, Any]
    tables: Path | Any
    """A line a cell: the number of its table, its values, its noisy number, its count."""
    data: Path | Any | None
    """Made-up rows; None where the plan asks for none."""
    position: Position
    """Where the population stands in the ledger now."""
    again: bool = False
    """Whether it was published before, and is told again for nothing."""

    @property
    def folder(self) -> Path | None:
        """Where the release is; None if it is only in memory."""
        return self.tables.parent if isinstance(self.tables, Path) else None

    @property
    def place(self) -> str | None:
        """The same, as text."""
        return None if self.folder is None else str(self.folder)

    @property
    def rows(self) -> int:
        """How many rows were made up."""
        return 0 if self.data is None else int(self.certificate["data"]["rows"])

    def table(self, *columns: str) -> Any:
        """One of the tables, as a pyarrow.Table: its columns, `noisy` and `count`.

        Raises:
            DataError: There is no table of these columns.
        """
        told = self.certificate["tables"]
        for number, one in enumerate(told):
            if set(one["columns"]) == set(columns):
                start = sum(other["cells"] for other in told[:number])
                lines = self._lines().slice(start, one["cells"])
                *_, noisy, count = lines.column_names
                return lines.select([*one["columns"], noisy, count])
        raise DataError(
            f"there is no table of {some(columns)}",
            fix=f"There are tables of {some([' × '.join(one['columns']) for one in told])}.",
        )

    def to_arrow(self) -> Any:
        """The made-up rows, or where there are none all tables, as a pyarrow.Table.

        What comes from CSV is text, but for numbers of tables, noisy numbers and counts.
        """
        if self.data is None:
            return self._lines()
        return read_data(self.data) if isinstance(self.data, Path) else self.data

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame."""
        return self.to_arrow().to_pandas()

    def _lines(self) -> Any:
        if not isinstance(self.tables, Path):
            return self.tables
        from hedgerow.synthesis.tables_file import lines_of

        escaped = self.certificate["software"]["configured"]["escape_formulas"]
        return lines_of(self.tables, self.certificate["counts"]["columns"], escaped=escaped)

    def summary(self) -> dict[str, Any]:
        """What `hedgerow publish --json` prints."""
        told = self.certificate
        left = self.position.left
        made = None
        if told["synthetic"] is not None:
            off = [distance / 2 for distance in told["synthetic"]["distances"]]
            made = {
                "rows": self.rows,
                "off_on_average": sum(off) / len(off),
                "off_at_worst": max(off),
            }
        return {
            "release": str(self.folder) if self.folder else None,
            "tables": len(told["tables"]),
            "cells": told["counts"]["lines"],
            "claim": told["claim"],
            "noise": told["noise"],
            "spent": {} if self.again else told["spent"],
            "left": None if left is None else left.texts(),
            "total": told["consistency"]["total"],
            "disagreement": told["consistency"]["disagreement"],
            "synthetic": made,
            "notes": told["counting"]["rules"],
            "again": self.again,
        }

    def __repr__(self) -> str:
        place = f" in {self.folder}" if self.folder else ""
        made = f", {self.rows:,} made-up rows" if self.data is not None else ""
        return (
            f"<RandomisedRelease of {len(self.certificate['tables']):,} tables{made}{place}: "
            f"{self.certificate['claim']}>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self)[1:-1])}</p>"
