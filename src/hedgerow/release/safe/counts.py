"""Count a table by the public cells of its columns: each row by itself, one row a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.answers.counts import outside_notes
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Tally
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Ints

if TYPE_CHECKING:
    from hedgerow.answers.public_knowledge import Labelled
    from hedgerow.release.safe.request import Column


def tallies_of(columns: Sequence[Column]) -> tuple[Tally, ...]:
    """What an engine is asked for."""
    return (Tally(by=tuple(column.cells.cells for column in columns), count="people", most=1),)


def cells_of(columns: Sequence[Column], counted: Sequence[Table]) -> Cells:
    """The table as cells of public leaves."""
    (table,) = counted
    leaves = [column.leaves[_integers(table, f"k{i}")] for i, column in enumerate(columns)]
    n = _integers(table, "n")
    return Cells(
        hierarchies=tuple(column.hierarchy for column in columns),
        q=np.stack(leaves, axis=1).astype(np.int32),
        n=n,
        rows=n,
    )


def rules_of(cells: Sequence[Labelled], person: str | None) -> tuple[str, ...]:
    """Which rows count: rules, not looked up."""
    notes = outside_notes(cells)
    if person is None:
        return (*notes, "Each row is taken for a person.")
    return (*notes, "Of a person with several rows one counts; rows without a person do not.")


def _integers(table: Table, column: str) -> Ints:
    # Arrow's own `to_numpy` would import pandas where there is one: a third of a second.
    return np.from_dlpack(table.column(column).combine_chunks()).astype(np.int64)
