"""In how many rows tables differ that agree with what is known: counts of columns and filters.

A table's counts tell everything that a table of fewer of its columns, or a filter about them, would
tell; so those that follow are left out first. One table that is left has as many cells as a
shortest cycle can visit (`hedgerow.noise.blowfish.constraints`). Where several are left, rows are
of one kind if they are in the same cells and meet the same filters, and their moves are searched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.conditions import And, Condition, Not, Or
from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish import constraints
from hedgerow.noise.blowfish.constraints import Constraints
from hedgerow.noise.blowfish.filter_outcomes import settled, size
from hedgerow.noise.blowfish.graphs import Full
from hedgerow.noise.blowfish.secret_graph import Flags, Ints
from hedgerow.table.domain import Domain

MOST_COMBINED = 1_000_000
"""Combinations of values that are looked at."""
MOST_CHANGED = 10_000
"""Rows in which neighbours may differ; with more, noise would leave nothing of an answer."""

Table = tuple[str, ...]


def most_changed(
    domains: Mapping[str, Domain], tables: Sequence[Table], counts: Sequence[Condition]
) -> int:
    """At most so many rows differ, one of them along an edge and the others anywhere.

    Args:
        domains: Of the columns that tables and counts are about.
        tables: Of which columns, together, everybody knows how many rows have which values.
        counts: Of which filters everybody knows how many rows meet them.

    Raises:
        PlanError: There are too many values to find out, or too many rows.

    >>> from hedgerow.table.domain import Values
    >>> most_changed({"sex": Values(("F", "M"))}, [("sex",)], [])  # F, M, anything else
    3
    """
    for count in counts:
        _require_decided(count, domains)
    tables, counts = telling(tables, counts)
    if len(tables) == 1 and not counts:
        return few(prod(size(domains[column]) for column in tables[0]))
    told = _kinds(domains, tables, counts)
    kinds = len(told[0])
    if tables and kinds > constraints.MOST_KINDS:
        raise too_tied(
            f"by what is known, there are {kinds:,} kinds of rows, and the moves of at most "
            f"{constraints.MOST_KINDS} are searched"
        )
    # One cell of each table follows from the others, as the number of rows is known.
    rows = [row == cell for row in told for cell in np.unique(row)[1:]]
    known = tuple(tuple(row.tolist()) for row in rows)
    return few(Constraints(Full(kinds), known).changed)


def telling(
    tables: Sequence[Table], counts: Sequence[Condition]
) -> tuple[list[Table], list[Condition]]:
    """Tables and counts that do not follow from another table, where codes decide all counts.

    >>> from hedgerow.base.filters import parse
    >>> telling([("a",), ("b", "a")], [parse("a = 1 and b = 2")])
    ([('b', 'a')], [])
    """
    different = list({frozenset(table): table for table in tables}.values())
    kept = [table for table in different if not any(set(table) < set(other) for other in different)]
    return kept, [
        count for count in counts if not any(set(count.columns) <= set(table) for table in kept)
    ]


def _kinds(
    domains: Mapping[str, Domain], tables: Sequence[Table], counts: Sequence[Condition]
) -> list[Ints]:
    """What is known of rows: their cell of each table, and whether they meet each count.

    Returns:
        For each table and count one number for each kind of rows.
    """
    every = [c for table in tables for c in table] + [c for n in counts for c in n.columns]
    columns = list(dict.fromkeys(every))
    shape = [size(domains[column]) for column in columns]
    if prod(shape) > MOST_COMBINED:
        raise too_tied(
            f"what is known is about {prod(shape):,} combinations of values, and at most "
            f"{MOST_COMBINED:,} can be looked at"
        )
    codes = dict(zip(columns, np.indices(shape).reshape(len(shape), -1), strict=True))
    told: list[NDArray[Any]] = []
    told += [place_of(table, domains, codes) for table in tables]
    told += [met(count, domains, codes) for count in counts]
    kind, first = np.zeros(prod(shape), np.int64), np.zeros(1, np.int64)
    for row in told:
        # Both factors are at most MOST_COMBINED, so the product fits.
        one = kind * (int(row.max()) + 1) + row
        _, first, kind = np.unique(one, return_index=True, return_inverse=True)
    return [row[first].astype(np.int64) for row in told]


def _require_decided(condition: Condition, domains: Mapping[str, Domain]) -> None:
    for part in _open(condition, domains):
        raise PlanError(
            f"whether a row meets {str(part)!r} is not decided by the public values "
            f"of {part.columns[0]!r}",
            fix="Name values of the domain, or ends of its steps (age >= 40).",
        )


def decided(condition: Condition, domains: Mapping[str, Domain]) -> bool:
    """Whether the public codes of its columns say of each row whether it meets a filter."""
    return set(condition.columns) <= domains.keys() and not any(_open(condition, domains))


def _open(condition: Condition, domains: Mapping[str, Domain]) -> Iterator[Condition]:
    """The parts of a filter that codes leave open."""
    if len(condition.columns) == 1:
        may, may_not = settled(condition, domains[condition.columns[0]])
        if (may & may_not).any():
            yield condition
        return
    match condition:
        case Not(part):
            yield from _open(part, domains)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _open(part, domains)


def place_of(table: Table, domains: Mapping[str, Domain], codes: Mapping[str, Ints]) -> Ints:
    """The cell of a table that each combination of codes is in."""
    sides = [size(domains[name]) for name in table]
    return np.asarray(np.ravel_multi_index([codes[name] for name in table], sides))


def met(condition: Condition, domains: Mapping[str, Domain], codes: Mapping[str, Ints]) -> Flags:
    """Whether each combination of codes meets a filter that codes decide."""
    if len(condition.columns) == 1:
        (column,) = condition.columns
        return np.asarray(settled(condition, domains[column])[0][codes[column]])
    match condition:
        case Not(part):
            return ~met(part, domains, codes)
        case And(parts):
            return np.asarray(np.all([met(part, domains, codes) for part in parts], axis=0))
        case Or(parts):
            return np.asarray(np.any([met(part, domains, codes) for part in parts], axis=0))
    raise AssertionError("a comparison is about one column")


def few(changed: int) -> int:
    """A number of rows that noise can cover.

    Raises:
        PlanError: It is too large.
    """
    if changed > MOST_CHANGED:
        many = f"{changed:,}" if changed < 10**12 else "a number of more than 12 digits"
        raise too_tied(f"all that is proved is {many}, which would drown every answer")
    return changed


def too_tied(why: str) -> PlanError:
    """What is said where nothing useful is proved."""
    return PlanError(
        "nobody has worked out that neighbours which agree with what is known differ in at most "
        f"{MOST_CHANGED:,} rows: {why}",
        fix="Name one table of counts, or filters that no row meets two of; or columns with fewer "
        "values.",
    )
