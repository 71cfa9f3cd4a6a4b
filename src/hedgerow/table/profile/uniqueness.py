"""Which columns together single people out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.pair_counts import PairCount, People
from hedgerow.table.profile.partitions import RowPartition
from hedgerow.table.profile.table_profile import Combination

MOST_WORK = 600_000_000
"""Rows times combinations of three columns, at most; with more, fewer columns are combined."""
MOST_SETS = 20_000
"""Combinations of three columns, at most."""
ENOUGH = 0.95
"""Share of people from which on a set singles out enough."""
MOST_COLUMNS = 6
"""Columns of a set that is found step by step."""


def single(column: EncodedColumn, people: People) -> Combination:
    """Whom one column singles out."""
    if len(people.whose):
        return combination((column,), people)
    alone = int((column.counts == 1).sum())
    together = int((column.counts**2).sum()) - people.rows
    return Combination(
        columns=(column.name,), people=alone, distinction=alone / people.number,
        separation=1 - together / people.pairs if people.pairs else 0.0,
    )  # fmt: skip


def combination(columns: Sequence[EncodedColumn], people: People) -> Combination:
    """Whom some columns single out together."""
    found = RowPartition.of(people).with_columns(columns)
    return told_by(tuple(column.name for column in columns), found)


def of_pair(names: tuple[str, str], pair: PairCount, people: People) -> Combination:
    """Whom two columns single out, once they are counted."""
    apart = 1 - pair.together / people.pairs if people.pairs else 0.0
    return Combination(
        columns=names, people=pair.alone, distinction=pair.alone / people.number, separation=apart
    )


def told_by(names: tuple[str, ...], found: RowPartition) -> Combination:
    """Whom columns single out, once the rows are parted by them."""
    n = found.singled_out
    return Combination(
        columns=names, people=n, distinction=n / found.people.number, separation=found.separation
    )


def combined(
    telling: Sequence[str], rows: int, *, work: int = MOST_WORK
) -> tuple[list[str], list[str]]:
    """The columns that can be combined in threes, and those that are too many.

    Args:
        telling: The columns, those that tell people apart best first.
        rows: How many rows there are.
        work: Rows times combinations, at most.
    """
    width = len(telling)
    while width > 3 and comb(width, 3) > min(MOST_SETS, work // rows):
        width -= 1
    return list(telling[:width]), list(telling[width:])


def smallest_sets(
    found: Sequence[Combination], columns: Mapping[str, EncodedColumn], people: People
) -> tuple[Combination, ...]:
    """For one column, two and three the set that singles out most; larger ones step by step.

    Args:
        found: The combinations of up to three of these columns.
        columns: The columns to choose from.
        people: Whose rows these are.
    """
    best: list[Combination] = []
    for size in range(1, 4):
        of_size = [
            one for one in found if len(one.columns) == size and set(one.columns) <= set(columns)
        ]
        if of_size:
            best.append(max(of_size, key=lambda one: (one.people, one.separation)))
    while best and len(best[-1].columns) < min(MOST_COLUMNS, len(columns)):
        last = best[-1]
        if last.distinction >= ENOUGH or len(last.columns) < 3:
            break
        base = RowPartition.of(people).with_columns(columns[name] for name in last.columns)
        more = [
            told_by((*last.columns, name), base.by(column))
            for name, column in columns.items() if name not in last.columns
        ]  # fmt: skip
        best.append(max(more, key=lambda one: (one.people, one.separation)))
        if best[-1].people == last.people:
            best.pop()
            break
    return tuple(best)


def pairs_of(names: Sequence[str]) -> list[tuple[str, str]]:
    """All pairs, in order."""
    return list(combinations(names, 2))
