"""Rows by their values in several columns, without those that already stand alone.

Whoever is told apart by some columns is told apart by more of them. So only the rows that share
their values with another person are kept, and adding a column looks at no others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Ints
from hedgerow.table.profile.encoded_column import Codes, EncodedColumn
from hedgerow.table.profile.pair_counts import People

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RowPartition:
    """The rows that share their values in some columns with another person."""

    people: People
    order: Codes
    """Rows, class by class."""
    start: Ints
    """Where each class begins; one more is the end."""
    alone: Flags
    """For each person, whether they have values that nobody else has."""
    new: Codes
    """Rows that stand alone since the last column was added."""
    together: int
    """Ordered pairs of rows of two people that agree in the columns."""

    @classmethod
    def of(cls, people: People) -> RowPartition:
        """Before there is any column: everybody is like everybody."""
        order = np.arange(people.rows, dtype=np.int32)
        alone = np.zeros(people.number, np.bool_)
        alone[:] = people.number == 1
        nobody = np.empty(0, np.int32)
        return cls(people, order, np.array([0, people.rows]), alone, nobody, people.pairs)

    def with_columns(self, columns: Iterable[EncodedColumn]) -> RowPartition:
        """The partition by more columns."""
        found = self
        for column in columns:
            found = found.by(column)
        return found

    def by(self, column: EncodedColumn) -> RowPartition:
        """The partition by one more column."""
        order, start, new, together = _split(
            self.order, self.start, column.codes, column.size, self.people.whose
        )
        alone = self.alone.copy()
        alone[new if not len(self.people.whose) else self.people.whose[new]] = True
        return RowPartition(self.people, order, start, alone, new, int(together))

    @property
    def singled_out(self) -> int:
        """People who have values that nobody else has."""
        return int(self.alone.sum())

    @property
    def separation(self) -> float:
        """Share of pairs of people whose values differ."""
        return 1 - self.together / self.people.pairs if self.people.pairs else 0.0


@kernel
def _split(
    order: Codes, start: Ints, codes: Codes, size: int, whose: Codes
) -> tuple[Codes, Ints, Codes, int]:
    """The classes that more than one person shares, the rows of the others, and pairs in them.

    Args:
        order: Rows, class by class.
        start: Where each class begins; one more is the end.
        codes: Of the column that is added, for each row.
        size: How many codes it has.
        whose: Who has each row, in ascending order; empty where every row is another person.
    """
    several = len(whose) > 0
    kept = np.empty(len(order), np.int32)
    starts = np.empty(len(order) // 2 + 2, np.int64)
    alone = np.empty(len(order), np.int32)
    count = np.zeros(size, np.int64)
    place = np.zeros(size, np.int64)
    owner = np.zeros(size if several else 0, np.int32)
    run = np.zeros(size if several else 0, np.int64)
    same = np.zeros(size if several else 0, np.int64)
    shared = np.zeros(size if several else 0, np.bool_)
    touched = np.empty(size, np.int32)
    used = classes = lonely = 0
    together = 0
    for group in range(len(start) - 1):
        met = 0
        for i in range(start[group], start[group + 1]):
            row = order[i]
            code = codes[row]
            if count[code] == 0:
                touched[met] = code
                met += 1
            count[code] += 1
            if several:
                who = whose[row]
                if count[code] == 1:
                    owner[code], run[code], same[code], shared[code] = who, 1, 0, False
                elif owner[code] == who:
                    run[code] += 1
                else:
                    same[code] += run[code] ** 2
                    owner[code], run[code], shared[code] = who, 1, True
        for m in range(met):
            code = touched[m]
            n = int(count[code])
            if several:
                together += n * n - int(same[code]) - int(run[code]) ** 2
                stays = shared[code]
            else:
                together += n * n - n
                stays = n > 1
            place[code] = -1
            if stays:
                starts[classes] = used
                classes += 1
                place[code] = used
                used += n
        for i in range(start[group], start[group + 1]):
            row = order[i]
            code = codes[row]
            if place[code] < 0:
                alone[lonely] = row
                lonely += 1
            else:
                kept[place[code]] = row
                place[code] += 1
        for m in range(met):
            count[touched[m]] = 0
    starts[classes] = used
    return kept[:used].copy(), starts[: classes + 1].copy(), alone[:lonely].copy(), together
