"""Known columns: which quasi-identifiers an attacker knows, and who looks alike in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.table.groups import Ints
from hedgerow.table.pack import distinct
from hedgerow.table.shown_columns import ShownColumns

ColumnSet = tuple[str, ...]
Knows = int | tuple[ColumnSet, ...]
"""How many columns, whichever they are; or which ones."""
MOST_SETS = 5_000
"""Sets of columns that are counted, at most."""


def fewest_alike(codes: NDArray[np.int32], n: Ints, sets: Iterable[Sequence[int]]) -> Ints:
    """For each group, the fewest people who look alike in one of some sets of columns.

    Args:
        codes: What is published, groups by columns.
        n: People of each group.
        sets: Places of columns.

    >>> fewest_alike(np.array([[0, 0], [0, 1], [1, 1]], np.int32), np.array([2, 3, 4]), [[0], [1]])
    array([2, 5, 4])
    """
    sizes = [int(column.max(initial=0)) + 1 for column in codes.T]
    fewest = np.full(len(n), n.sum(), np.int64)
    for one in sets:
        places = list(one)
        first, into = distinct(codes[:, places], [sizes[j] for j in places])
        alike = np.zeros(len(first), np.int64)
        np.add.at(alike, into, n)
        np.minimum(fewest, alike[into], out=fewest)
    return fewest


def known_places(knows: Knows, shown: ShownColumns) -> list[tuple[int, ...]]:
    """The places of the columns that somebody knows: the largest sets, which imply the others.

    Raises:
        PlanError: A column is no quasi-identifier; or there are too many sets.
    """
    if not isinstance(knows, int):
        return [shown.places(one) for one in knows]
    columns = len(shown.columns)
    most = min(knows, columns)
    if comb(columns, most) > MOST_SETS:
        raise PlanError(
            f"{columns:,} quasi-identifiers have {comb(columns, most):,} sets of {most}, and "
            f"{MOST_SETS:,} are counted at most",
            fix="List those that an attacker may know: `knows: [[age, zip], [sex]]`.",
        )
    return list(combinations(range(columns), most))


def column_sets(knows: object) -> tuple[ColumnSet, ...]:
    """The sets of columns, each once, without those that are part of others.

    Raises:
        PlanError: They are no sets of names.
    """
    fix = "Write how many columns, such as `knows: 3`, or which: `knows: [[age, zip], [sex]]`."
    if not isinstance(knows, Sequence) or isinstance(knows, str) or not knows:
        raise PlanError(f"knows is a number or lists of columns, not {knows!r}", fix=fix)
    found: list[ColumnSet] = []
    for one in knows:
        if isinstance(one, str) or not isinstance(one, Sequence) or not one:
            raise PlanError(f"knows has {one!r}, which is no list of columns", fix=fix)
        if not all(isinstance(name, str) for name in one) or len(set(one)) < len(one):
            raise PlanError(f"knows has {one!r}, which is no list of different columns", fix=fix)
        found.append(tuple(one))
    return tuple(
        one
        for i, one in enumerate(found)
        if not any(
            set(one) < set(other) or (set(one) == set(other) and j < i)
            for j, other in enumerate(found)
        )
    )


def many_columns(many: int) -> str:
    """So many quasi-identifiers, in words."""
    return "quasi-identifier" if many == 1 else f"{many} quasi-identifiers"


def listed_sets(sets: Sequence[ColumnSet]) -> str:
    """Sets of columns in words.

    >>> listed_sets([("age", "zip"), ("sex",)])
    '(age, zip) or (sex)'
    """
    return " or ".join(f"({', '.join(one)})" for one in sets)
