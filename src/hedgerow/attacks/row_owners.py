"""Row owners: whose each row of a list is, where people may have several rows.

Beliefs about these people rest on it. Nothing is said where it is not known how many rows of a
person are in a release, or whether several releases show the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.table.groups import Ints
from hedgerow.table.labels import Value
from hedgerow.table.location import Located
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Flags = NDArray[np.bool_]
HOW = "Publish one row per person (`rows: one`)."


class UnclearRowsError(DataError):
    """Nothing can be said of people with several rows here."""


@dataclass(frozen=True, eq=False)
class RowOwners:
    """Whose each row is."""

    column: str
    """The column that says it."""
    values: tuple[Value, ...]
    """What it says of each person."""
    person: Ints
    """Of each row."""

    @classmethod
    def of(
        cls, releases: Sequence[Published], rows: Targets | None, column: str | None
    ) -> RowOwners:
        """From a list of rows and the column of it that tells people apart.

        Raises:
            UnclearRowsError: There is none, or a release is of rows that nobody counted by person.
        """
        names = some([one.name for one in releases])
        if any(one.not_people is not None for one in releases):
            raise UnclearRowsError(
                f"a person may have several rows in {names}, and nothing says how many are "
                "published",
                fix=HOW,
            )
        if rows is None:
            raise UnclearRowsError(
                f"a person may have several rows in {names}, and without a list nobody knows how "
                "many",
                fix="Give a list of rows: --truth or --plan.",
            )
        if column is None or column not in rows.columns:
            raise UnclearRowsError(
                f"a person may have several rows in {names}, and nothing says whose each row of "
                "the list is",
                fix="Give the plan that names the column of the list (`person: patient_id`): "
                "--plan.",
            )
        place = rows.columns.index(column)
        known, person = np.unique(rows.codes[:, place], return_inverse=True)
        values = tuple(rows.values[place][int(code)] for code in known)
        if None in values:
            nobody = int((person == values.index(None)).sum())
            raise UnclearRowsError(
                f"{nobody:,} rows of the list have no value in {column!r}",
                fix="Say whose rows they are, or remove them.",
            )
        return cls(column, values, person.reshape(-1).astype(np.int64))

    def __len__(self) -> int:
        return len(self.values)

    def rows(self, person: int) -> Ints:
        """The rows of a person."""
        return np.flatnonzero(self.person == person)

    def selector(self, person: int) -> dict[str, Value]:
        """What picks a person from the list."""
        return {self.column: self.values[person]}

    def groups(self, where: Located, person: int) -> Ints:
        """The groups of a release that fit a row of a person, each once."""
        found = [where.of(row) for row in self.rows(person).tolist()]
        return np.unique(np.concatenate([np.zeros(0, np.int64), *found]))


def refuse_unclear_rows(releases: Sequence[Published], places: Sequence[Located]) -> None:
    """Refuse where nobody knows which rows are in a release.

    Args:
        releases: One or several,
        places: and where each row of the list may be in them.

    Raises:
        UnclearRowsError: More rows fit than a release has, or several releases may show different
            ones.
    """
    for release, where in zip(releases, places, strict=True):
        records, fitting = int(release.groups.n.sum()), int((where.count > 0).sum())
        if fitting > records:
            raise UnclearRowsError(
                f"{fitting:,} rows of the list fit the {records:,} of {release.name}, so nobody "
                "knows how many rows of a person are in it",
                fix="Give a list of the rows that were published.",
            )
        if len(releases) > 1 and fitting < records:
            raise UnclearRowsError(
                f"{fitting:,} rows of the list fit the {records:,} of {release.name}, so nobody "
                "knows whether the releases show the same rows",
                fix="Give a list of the rows that were published, or one release.",
            )
