"""Cells: what the engine counted, encoded. The finest thing a recoding can tell apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.table.groups import Groups, Histogram, Ints, Sensitive
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.pack import distinct

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct combinations of quasi-identifiers and sensitive values, with people and rows.

    Each person is in exactly one cell. Where people have several rows, the sensitive part of
    a cell is the set of values the person has.
    """

    hierarchies: tuple[Hierarchy, ...]
    """One for each quasi-identifier, in plan order."""
    q: Codes
    """Leaf codes, cells by quasi-identifiers."""
    n: Ints
    """People in each cell; 0 for cells only the outside population has."""
    rows: Ints
    """Rows in each cell."""
    sensitive: tuple[Sensitive, ...] = ()
    """Domain of each sensitive attribute."""
    values: tuple[Histogram, ...] = ()
    """For each attribute, the value codes of each cell (counts are the cell's people)."""
    population: Ints | None = None
    """People of the outside population; counted on one cell of each tuple, 0 on the others."""
    absent: int = 0
    """People of the table who are in no cell because the plan bars them from the release."""

    @property
    def people(self) -> int:
        """Everybody in the table."""
        return int(self.n.sum()) + self.absent

    @cached_property
    def tuples(self) -> tuple[Codes, Ints]:
        """The distinct quasi-identifier tuples, and the tuple of each cell."""
        first, into = distinct(self.q, [h.size(0) for h in self.hierarchies])
        return self.q[first], into

    @cached_property
    def in_one_spelling(self) -> Cells:
        """The same with sensitive values that may be taken for one as one."""
        if all(domain.spellings is None for domain in self.sensitive):
            return self
        domains, values = [], []
        for domain, h in zip(self.sensitive, self.values, strict=True):
            if domain.spellings is not None:
                one = domain.in_one_spelling
                h, domain = h.merged(domain.into_one, len(one.values)), one
            domains.append(domain)
            values.append(h)
        return replace(self, sensitive=tuple(domains), values=tuple(values))

    def groups(self, into: Ints, size: int) -> Groups:
        """Groups of people: cell c belongs to group into[c]."""
        each = Groups(
            self.n,
            {d.name: h for d, h in zip(self.sensitive, self.values, strict=True)},
            {d.name: d for d in self.sensitive},
            self.population,
            self.absent,
        )
        return each.merge(into, size)
