"""Recoding: a function from cells to groups, and what each group is published as."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hedgerow.groups import Floats, Groups, Histogram, Ints
from hedgerow.recode.cells import Cells
from hedgerow.recode.pack import distinct

SUPPRESSED = -1
"""The group of people who are left out."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """Which people go into which group, and the group's published quasi-identifiers.

    People of one cell may be spread over several groups (relaxed Mondrian, MDAV): part p
    sends people[p] people of cell cell[p] to group group[p]. Parts of a cell stand together.
    """

    kind: str
    """full-domain, mondrian, microaggregation or local."""
    cell: Ints
    people: Ints
    group: Ints
    """Group of each part; SUPPRESSED where the people are left out."""
    labels: tuple[NDArray[np.object_], ...]
    """For each quasi-identifier, the published value of each group (str or None)."""
    share: Floats
    """Groups by quasi-identifiers: leaves under the published value / leaves in the hierarchy."""
    levels: dict[str, int] | None = None
    """Full-domain: the level of each quasi-identifier."""
    detail: dict[str, object] = field(default_factory=dict)
    """What else the certificate should say about how it was found."""

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.share)

    @property
    def separates(self) -> bool:
        """Whether people of one cell are spread over several groups."""
        return len(np.unique(self.cell)) != len(self.cell)

    @property
    def suppressed(self) -> int:
        """People left out."""
        return int(self.people[self.group == SUPPRESSED].sum())

    def groups(self, cells: Cells) -> Groups:
        """The groups as the recipient sees them: those with equal labels are one."""
        kept = self.group != SUPPRESSED
        cell, people = self.cell[kept], self.people[kept]
        histograms = {}
        for domain, h in zip(cells.sensitive, cells.values, strict=True):
            part = Groups(people, {"": h}).take(cell).histograms[""]
            lengths = np.diff(part.indptr)
            histograms[domain.name] = Histogram(part.indptr, part.codes, np.repeat(people, lengths))
        parts = Groups(people, histograms, {d.name: d for d in cells.sensitive})
        size, seen = self.seen()
        return parts.merge(seen[self.group[kept]], size)

    def seen(self) -> tuple[int, Ints]:
        """How many groups a recipient can tell apart, and which of them each group is."""
        columns = [np.unique(label.astype(str), return_inverse=True)[1] for label in self.labels]
        if not columns:
            return min(1, self.size), np.zeros(self.size, np.int64)
        codes = np.column_stack(columns).astype(np.int32)
        first, into = distinct(codes, [int(c.max(initial=0)) + 1 for c in columns])
        return len(first), into
