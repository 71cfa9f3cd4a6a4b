"""The work on one part of a table whose frequency set stays in the engine: lines in, lines out.

It is pickled and runs wherever the part is, so it brings along all it needs to know and imports
little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow.base.errors import ClaimError
from hedgerow.recode.axes import Space
from hedgerow.recode.method import RecodingMethod
from hedgerow.recode.partwise import of_part, part_limit
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Histogram, Ints, Sensitive
from hedgerow.table.hierarchy import Codes, Hierarchy
from hedgerow.table.pack import canonical

Table = Any
"""A pyarrow.Table (pyarrow carries no types)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Columns:
    """The columns of a table, each by itself."""

    hierarchies: tuple[Hierarchy, ...]
    sensitive: tuple[Sensitive, ...]
    written: tuple[Codes, ...]
    """For each sensitive column, value -> its place in the order of their text."""
    sizes: tuple[int, ...]
    """For each column, quasi-identifiers first: all codes are below."""

    def cells(self, lines: Table) -> Cells:
        """Counted lines as cells, in the order in which the whole table's cells stand.

        >>> age = Hierarchy.of("age", [("20", "*"), ("30", "*")])
        >>> columns = Columns(hierarchies=(age,), sensitive=(), written=(), sizes=(2,))
        >>> columns.cells(pa.table({"c0": [1, 0], "n": [3, 5]})).n.tolist()
        [5, 3]
        """
        n = np.asarray(lines["n"].to_numpy(), np.int64)
        q = [_codes(lines[f"c{j}"]) for j in range(len(self.hierarchies))]
        values = [_codes(lines[f"v{i}"]) for i in range(len(self.sensitive))]
        texts = [place[codes] for place, codes in zip(self.written, values, strict=True)]
        order = canonical(np.column_stack([*q, *texts]), self.sizes)
        n, each = n[order], np.arange(len(n) + 1, dtype=np.int64)
        return Cells(
            self.hierarchies,
            np.column_stack(q)[order],
            n,
            n,
            self.sensitive,
            tuple(Histogram(each, codes[order], n) for codes in values),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class PartWork:
    """Finds the groups of one part; called with its lines."""

    columns: Columns
    method: RecodingMethod
    space: Space
    """The axes of the whole table."""
    limit: int
    """People of the whole table who may be left out, those barred not counted."""
    people: int
    """People of the whole table, those barred not counted."""

    def __call__(self, lines: Table) -> Table:
        """From lines c0, ..., v0, ..., n to lines of the mapping (`Held.solve`)."""
        cells = self.columns.cells(lines)
        mine = int(cells.n.sum())
        limit = part_limit(self.limit, mine, self.people)
        try:
            found = self.method.recode_part(cells, space=self.space, limit=limit)
        except ClaimError as error:
            if mine == self.people:
                raise
            raise of_part(error, mine) from None
        return self._mapping(cells, found)

    def _mapping(self, cells: Cells, found: Recoding) -> Table:
        kept = np.flatnonzero(found.group != SUPPRESSED)
        if self.method.separates:
            lines, n = kept, found.people[kept]
        else:
            lines, n = _by_tuple(cells, found, kept)
        cell, group = found.cell[lines], found.group[lines]
        columns = {f"c{j}": codes for j, codes in enumerate(cells.q[cell].T)}
        if self.method.separates:
            columns |= {f"v{i}": h.codes[cell] for i, h in enumerate(cells.values)}
            columns["lo"] = found.rank[lines]
            columns["hi"] = columns["lo"] + n
        columns["n"] = n
        for j, labels in enumerate(found.labels):
            columns[f"p{j}"] = pa.array(list(labels), pa.string()).take(pa.array(group))
        for j in range(len(found.labels)):
            columns[f"l{j}"] = found.spans.low[group, j].astype(np.int32)
            columns[f"h{j}"] = found.spans.high[group, j].astype(np.int32)
            columns[f"r{j}"] = found.spans.rung[group, j]
        return pa.table(columns)


def _by_tuple(cells: Cells, found: Recoding, kept: Ints) -> tuple[Ints, Ints]:
    """One line for each tuple, and its people."""
    of = cells.tuples[1][found.cell[kept]]
    _, first, into = np.unique(of, return_index=True, return_inverse=True)
    n = np.zeros(len(first), np.int64)
    np.add.at(n, into, found.people[kept])
    return kept[first], n


def _codes(column: Any) -> Codes:
    return np.asarray(column.to_numpy(), np.int32)
