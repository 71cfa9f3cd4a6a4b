"""SafeRelease: a table of a sample, differentially private, and what it cost."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.engines.base import TablePlace
from hedgerow.release.safe.emptiness import emptiness
from hedgerow.table.certificate_file import read_data

if TYPE_CHECKING:
    from hedgerow.ledger import Position


@dataclass(frozen=True, kw_only=True, repr=False)
class SafeRelease:
    """Rows of people who were drawn, in groups of at least k.

    Everything in it may be given to anybody. `data` is a file, a table of a database or a cluster,
    or a table in memory where no place was given.
    """

    certificate: Mapping[str, Any]
    data: Path | Any
    position: Position
    """Where the population stands in the ledger now."""
    groups: int
    """How many different rows there are."""
    again: bool = False
    """Whether it was published before, and is told again for nothing."""

    @property
    def folder(self) -> Path | None:
        """Where the release is; None if it is only in memory, or a table."""
        return self.data.parent if isinstance(self.data, Path) else None

    @property
    def place(self) -> str | None:
        """Folder or table of the release; None if it is only in memory."""
        if isinstance(self.data, TablePlace):
            return str(self.data)
        return None if self.folder is None else str(self.folder)

    @property
    def rows(self) -> int:
        """How many rows were published."""
        return int(self.certificate["data"]["rows"])

    @property
    def empty(self) -> tuple[str, ...]:
        """That nobody is in it, and what the plan implies; nothing where somebody is."""
        return emptiness(self.certificate)

    @property
    def k(self) -> int:
        """Groups of fewer drawn people were left out."""
        return int(self.certificate["k"])

    @property
    def levels(self) -> dict[str, int]:
        """The level at which each column is published."""
        return {one["column"]: int(one["level"]) for one in self.certificate["columns"]}

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table of texts."""
        return read_data(self.data) if isinstance(self.data, Path | TablePlace) else self.data

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame."""
        return self.to_arrow().to_pandas()

    def summary(self) -> dict[str, Any]:
        """What `hedgerow publish --json` prints."""
        told, left = self.certificate, self.position.left
        return {
            "release": self.place,
            "rows": self.rows,
            "groups": self.groups,
            "k": self.k,
            "levels": self.levels,
            "claim": told["claim"],
            "sampling": told["sampling"],
            "choice": told["choice"],
            "public": told.get("public"),
            "spent": {} if self.again else told["spent"],
            "left": None if left is None else left.texts(),
            "notes": [*self.empty, *told["counting"]["rules"]],
            "again": self.again,
        }

    def __repr__(self) -> str:
        place = f" in {self.place}" if self.place else ""
        rows = f"{self.rows:,} rows" if self.rows else "no rows"
        return (
            f"<SafeRelease of {rows} in groups of at least {self.k:,}{place}: "
            f"{self.certificate['claim']}>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self)[1:-1])}</p>"
