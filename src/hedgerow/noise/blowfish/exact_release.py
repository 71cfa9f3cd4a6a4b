"""What an earlier release without noise told: how many rows fell into each of its cells.

A table whose values were generalised is published row by row, so everybody can count its rows: by
generalised values, and by those that were published as they are. Whoever holds it knows these
counts, and neighbours are tables that agree with them (`hedgerow.noise.blowfish.constraints`).

How many rows do neighbours D and E differ in? Both agree with the release: in each, every row has a
cell in which it was counted, one that its values fit, or it was not counted at all: it was left
out, or has come or changed since. Draw an arrow for each row, from its cell in D to its cell in E,
with one cell more for those that were not counted; rows that were counted and are gone get one as
well. Each cell has as many rows in D as in E, so as many arrows leave it as come to it, and the
arrows are a union of simple cycles. Some row changed along an edge. Take its cycle, and give E's
values and cells to the rows of that cycle alone: this table agrees with the release as well, has
that row changed, and no change that E lacks. So neighbours differ in the rows of one simple cycle:
at most as many as there are cells that hold somebody, and one more. Which cells a row may be in is
decided row by row, so it does not matter whether they overlap or who may have been left out.

Counts are taken for known and nothing else: not what is told by the choice of the levels, nor that
cells which were left out were small. Ends of ranges that were fitted to the data, and means of
groups, tell more than counts; for releases that have them no number of rows is proved, and none is
given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hedgerow.noise.blowfish.secret_graph import Ints


@dataclass(frozen=True, eq=False)
class ExactRelease:
    """An earlier release without noise, as far as a policy has to know it."""

    name: str
    """For messages: where in the ledger it is."""
    digest: str
    """Of what it told: two releases of equal tables tell nothing twice."""
    columns: tuple[str, ...] | None
    """All it has; None where nobody can tell which."""
    cells: int | None
    """At most so many different cells hold somebody; None where it told more than counts."""
    why: str = ""
    """Where cells is None: why."""
    classes: Mapping[str, Ints] = field(default_factory=dict)
    """By column, for each code of its domain a class: codes of one class fit the same labels.

    Only of columns where codes decide that."""
    inside: tuple[str, ...] = ()
    """Columns where codes decide it of the values in the domain alone.

    Several numbers beyond the bounds, and values on no list, have one code, and may fit different
    labels."""

    @property
    def changed(self) -> int | None:
        """In at most so many rows neighbours differ that agree with it and with nothing else."""
        return None if self.cells is None else self.cells + 1

    def __str__(self) -> str:
        told = "" if self.cells is None else f" ({self.cells:,} cells)"
        return f"the counts of {self.name}{told}"
