"""Whether what is known decides a count: then every table that agrees with it has the same one.

A count is a sum over rows of 0 or 1, by the kind of the row. Known are such counts, too, and the
number of rows. If the count is a linear combination of those, its value follows from theirs: no
neighbours differ in it, however many rows they differ in. If it is none, some moves of rows change
it and nothing that is known. So counts that follow are told exactly, and no others.

What is not decided by public codes, and what has too many kinds of rows to look at, counts as not
decided: it gets noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

import numpy as np

from hedgerow.base.conditions import Condition
from hedgerow.noise.blowfish import constraints
from hedgerow.noise.blowfish.constrained_distance import (
    MOST_COMBINED,
    Table,
    decided,
    met,
    place_of,
)
from hedgerow.noise.blowfish.filter_outcomes import size
from hedgerow.noise.blowfish.secret_graph import Flags, Ints
from hedgerow.table.domain import Domain


@dataclass(frozen=True)
class FilteredCounts:
    """Counts of rows: those that meet a filter, by the cells of some columns."""

    where: Condition | None = None
    by: Mapping[str, Ints] = field(default_factory=dict)
    """For each code of a column its cell, -1 being none: rows there are not counted."""

    @property
    def columns(self) -> frozenset[str]:
        """All it is about."""
        return frozenset(self.by) | frozenset(() if self.where is None else self.where.columns)

    def cells(self, domains: Mapping[str, Domain], codes: Mapping[str, Ints], many: int) -> Ints:
        """The cell of each combination of codes, -1 where it is not counted."""
        cell, inside = np.zeros(many, np.int64), np.ones(many, np.bool_)
        for column, cells in self.by.items():
            own = cells[codes[column]]
            inside &= own >= 0
            cell = cell * (int(cells.max(initial=0)) + 1) + own
        if self.where is not None:
            inside &= met(self.where, domains, codes)
        return np.where(inside, cell, -1)


def implied(
    asked: FilteredCounts,
    domains: Mapping[str, Domain],
    tables: Sequence[Table],
    counts: Sequence[Condition],
) -> bool:
    """Whether every count that is asked for follows from known ones and the number of rows.

    Args:
        asked: The counts.
        domains: Of the columns with codes.
        tables: Of which columns, together, it is known how many rows have which values.
        counts: Of which filters it is known how many rows meet them.

    >>> from hedgerow.table.domain import Values
    >>> from hedgerow.base.filters import parse
    >>> domains = {"a": Values(("1", "2")), "b": Values(("1", "2"))}
    >>> known = [parse("a = '1'"), parse("a = '1' and b = '1'")]
    >>> implied(FilteredCounts(parse("a = '1' and b != '1'")), domains, [], known)
    True
    >>> implied(FilteredCounts(parse("b = '1'")), domains, [], known)
    False
    """
    if asked.where is not None and not asked.by and asked.where in counts:
        return True
    if not asked.columns <= domains.keys():
        return False
    if asked.where is not None and not decided(asked.where, domains):
        return False
    if not asked.columns or any(asked.columns <= set(table) for table in tables):
        return True
    return _combined(asked, domains, tables, [c for c in counts if decided(c, domains)])


def _combined(
    asked: FilteredCounts,
    domains: Mapping[str, Domain],
    tables: Sequence[Table],
    counts: Sequence[Condition],
) -> bool:
    every = [c for table in tables for c in table] + [c for n in counts for c in n.columns]
    columns = list(dict.fromkeys([*every, *sorted(asked.columns)]))
    shape = [size(domains[column]) for column in columns]
    many = prod(shape)
    if many > MOST_COMBINED:
        return False
    codes = dict(zip(columns, np.indices(shape).reshape(len(shape), -1), strict=True))
    told = [place_of(table, domains, codes) for table in tables]
    told += [met(count, domains, codes).astype(np.int64) for count in counts]
    kinds = _kinds([*told, asked.cells(domains, codes, many) + 1])
    if len(kinds[-1]) > constraints.MOST_KINDS:
        return False
    *known, cells = kinds
    span = _Span(len(cells))
    for row in known:
        for cell in np.unique(row):
            span.add(row == cell)
    return all(span.has(cells == cell) for cell in np.unique(cells) if cell)


def _kinds(rows: Sequence[Ints]) -> list[Ints]:
    """The same rows of numbers, with equal columns once."""
    kind, first = np.zeros(len(rows[0]), np.int64), np.zeros(1, np.int64)
    for row in rows:
        # Both factors are at most MOST_COMBINED, so the product fits.
        _, first, kind = np.unique(
            kind * (int(row.max()) + 1) + row, return_index=True, return_inverse=True
        )
    return [row[first] for row in rows]


class _Span:
    """All linear combinations of some vectors, and of the one that is 1 everywhere; exact."""

    def __init__(self, width: int) -> None:
        self._reduced: dict[int, list[Fraction]] = {}
        self.add(np.ones(width, np.bool_))

    def add(self, vector: Flags) -> None:
        left = self._left(vector)
        pivot = next((i for i, number in enumerate(left) if number), None)
        if pivot is not None:
            self._reduced[pivot] = [number / left[pivot] for number in left]

    def has(self, vector: Flags) -> bool:
        return not any(self._left(vector))

    def _left(self, vector: Flags) -> list[Fraction]:
        """What is left of a vector when all that the others explain is taken away."""
        left = [Fraction(int(number)) for number in vector]
        for pivot in sorted(self._reduced):
            if factor := left[pivot]:
                row = self._reduced[pivot]
                left = [a - factor * b if b else a for a, b in zip(left, row, strict=True)]
        return left
