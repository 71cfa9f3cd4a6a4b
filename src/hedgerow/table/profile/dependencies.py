"""Columns whose values follow from another's: the city from the postcode, with a few errors.

Every column follows from one that is different in every row, and a column that is nearly constant
from any. Neither says anything, so a dependency counts where chance would have broken it often.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.pair_counts import PairCount
from hedgerow.table.profile.table_profile import Dependency

MOST_BREAKS = 0.01
"""Share of rows that may break a dependency that holds almost."""
BY_CHANCE = 0.05
"""Share of the breaks expected by chance that there may be, at most."""
EXPECTED = 10.0
"""Breaks that chance would make, at least."""


def dependencies(
    columns: Mapping[str, EncodedColumn],
    counted: Mapping[tuple[str, str], PairCount],
    *,
    key: str | None = None,
) -> Iterator[Dependency]:
    """The dependencies of one column on one other, exact ones and almost exact ones.

    Args:
        columns: The columns, coded.
        counted: What was counted of two of them.
        key: The column that says whose row it is. Rows of one person agree without any rule, so
            what is needed then is that several people have a value.

    Chance breaks one on average about as often as a row, whose value of the first column stands
    in an earlier row, has another value of the second column than a row drawn at random.
    """
    for (first, second), pair in counted.items():
        for a, b, place in ((first, second, 0), (second, first, 1)):
            breaks, repeats = pair.breaks[place], pair.repeats[place]
            if key is not None and a != key:
                both = counted.get((a, key)) or counted.get((key, a))
                repeats = min(repeats, both.groups - columns[a].distinct) if both else repeats
            chance = repeats * _varied(columns[b])
            if chance < EXPECTED or breaks > BY_CHANCE * chance:
                continue
            if breaks <= MOST_BREAKS * pair.rows:
                yield Dependency(determinant=a, dependent=b, breaks=breaks, rows=pair.rows)


def _varied(column: EncodedColumn) -> float:
    """Share of pairs of rows, missing ones left aside, that differ in a column."""
    there = column.counts[:-1].astype(np.float64)
    rows = there.sum()
    return float(1 - (there**2).sum() / rows**2) if rows else 0.0
