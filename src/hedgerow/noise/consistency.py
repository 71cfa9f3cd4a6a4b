"""Noisy tables made to agree: what several of them count must be the same number in each.

Everything here computes with numbers that already have noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, isfinite, prod
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.noise.rounding import whole

Floats = NDArray[np.float64]
Columns = tuple[str, ...]
Tables = Mapping[Columns, NDArray[np.float64] | NDArray[np.int64]]

ROUNDS = 2000
"""Steps towards tables that are not negative, at most."""
NEAR = 1e-4
"""Steps end when no cell is further under zero than this share of an average cell, and no other
tables are nearer to the given ones, in squares, by more than this share."""
MOST_SHARED = 20_000
"""Sets of columns that several tables share; more would take too long."""


@dataclass(frozen=True, kw_only=True)
class Consistent:
    """Tables that agree, and how well they do."""

    tables: dict[Columns, Floats]
    """As given, each with its columns in the order given."""
    total: float
    """What the cells of every table add up to."""
    disagreement: float
    """The largest difference between two tables about one number; rounding errors."""
    negative: float
    """How far the lowest cell is under zero; 0 where that was ruled out."""
    mixed: float
    """The share of an even table that was mixed in, so that no cell is negative."""
    variances: dict[Columns, float] | None
    """Of each table's cells; None where cells were kept from being negative: no longer known."""


@dataclass(frozen=True)
class _Shared:
    """One set of columns that tables have in common, and how to average over it."""

    axes: tuple[tuple[int, ...], ...]
    """For each table that has the columns: the axes to sum away."""
    places: tuple[int, ...]
    """Which tables these are."""
    weights: tuple[float, ...]
    """Of their sums, adding up to 1."""
    spread: tuple[int, ...]
    """How many cells of each make one sum."""
    columns: frozenset[str]


def consistent(
    tables: Tables,
    *,
    variances: Mapping[Columns, float] | None = None,
    total: int | None = None,
    nonnegative: bool = True,
    whole_total: bool = False,
) -> Consistent:
    """The tables nearest to these that agree with each other.

    Nearest by least squares, each table's cells weighted by the inverse of their variance. Tables
    agree where they have the same sums over every set of columns they share. The nearest such
    tables follow in one pass: set by set, smaller sets first, the sums are averaged by the inverse
    of their variances and the difference is spread evenly. That is exact, as what later sets
    change adds up to zero over all earlier ones.

    Without negative cells: the total is kept, and the nearest tables are approached step by step
    (the dual problem by accelerated gradients), up to a small share of an even table which is
    mixed in at the end. So they agree exactly and are not negative, and are nearly the nearest.
    That any two agree does not mean that there are people with such tables: of three or more
    tables in a ring there may be none.

    Reference: Barak et al., Privacy, accuracy, and consistency too (2007); Qardaji, Yang and Li,
    PriView (2014), for the passes over shared columns.

    Args:
        tables: For each tuple of columns an array with one axis for each of them.
        variances: Of each table's noise; the same for all if not given.
        total: What all tables must add up to, where that is public.
        nonnegative: Whether cells must not be negative.
        whole_total: Whether the total is rounded to a whole number.

    Raises:
        DataError: Tables do not fit together, or hold numbers that are not finite.
        PlanError: A variance or the total is none.

    Both tables count men and women; the second, less noisy, counts more in their sum:

    >>> made = consistent(
    ...     {("sex",): np.array([10.0, 20.0]), ("sex", "ill"): np.array([[4.0, 0.0], [8.0, 6.0]])},
    ...     variances={("sex",): 2, ("sex", "ill"): 1}, nonnegative=False,
    ... )
    >>> made.tables[("sex",)].tolist(), made.tables[("sex", "ill")].tolist()
    ([7.0, 17.0], [[5.5, 1.5], [9.5, 7.5]])
    """
    names = list(tables)
    sizes = column_sizes(tables)
    order = {column: place for place, column in enumerate(sizes)}
    turns = [tuple(np.argsort([order[c] for c in columns])) for columns in names]
    start = [
        np.asarray(tables[columns], np.float64).transpose(turn)
        for columns, turn in zip(names, turns, strict=True)
    ]
    known = _variances(names, variances)
    shared = _shared(names, sizes, known)
    public = None if total is None else float(whole("total", total, least=0))
    agreed = _projected(start, shared, total=public)
    summed = float(agreed[0].sum())
    if nonnegative or whole_total:
        kept = summed if public is None else public
        kept = max(kept, 0.0) if nonnegative else kept
        kept = float(np.rint(kept)) if whole_total else kept
        agreed, summed = _projected(agreed, shared, total=kept), kept
    mixed = 0.0
    if nonnegative:
        agreed, mixed = _nonnegative(agreed, shared, known, total=summed)
    lowest = min(float(table.min(initial=0.0)) for table in agreed)
    return Consistent(
        tables={
            columns: np.array(table.transpose(np.argsort(turn)), order="C")
            for columns, table, turn in zip(names, agreed, turns, strict=True)
        },
        total=summed,
        disagreement=_disagreement(agreed, shared),
        negative=max(0.0, -lowest),
        mixed=mixed,
        variances=None
        if nonnegative
        else dict(zip(names, _left(names, sizes, known, shared, public is not None), strict=True)),
    )


def column_sizes(tables: Mapping[Columns, NDArray[np.generic]]) -> dict[str, int]:
    """How many values each column has, by the shapes of the tables.

    Raises:
        DataError: Tables do not fit together, or hold numbers that are not finite.
    """
    if not tables:
        raise DataError("there are no tables")
    sizes: dict[str, int] = {}
    seen: set[frozenset[str]] = set()
    for columns, table in tables.items():
        if not isinstance(columns, tuple) or len(set(columns)) < len(columns):
            raise DataError(f"a table's columns are a tuple of different names, not {columns!r}")
        where = f"the table of {some(columns)}" if columns else "the table of all"
        if frozenset(columns) in seen:
            raise DataError("the same columns twice", where=where, fix="Give each set once.")
        seen.add(frozenset(columns))
        table = np.asarray(table)
        if table.ndim != len(columns) or table.dtype.kind not in "iuf" or not table.size:
            raise DataError(
                f"an array of shape {table.shape} does not have one axis for each column",
                where=where,
            )
        if not np.isfinite(table).all():
            raise DataError("a cell is no finite number", where=where)
        for column, size in zip(columns, table.shape, strict=True):
            if sizes.setdefault(column, size) != size:
                raise DataError(
                    f"column {column!r} has {size} values here and {sizes[column]} elsewhere",
                    where=where,
                )
    return sizes


def _variances(names: Sequence[Columns], given: Mapping[Columns, float] | None) -> list[float]:
    found: list[float] = []
    for columns in names:
        variance = 1.0 if given is None else given.get(columns)
        if (
            not isinstance(variance, Real)
            or isinstance(variance, bool)
            or not (isfinite(variance) and variance > 0)
        ):
            raise PlanError(
                f"the table of {some(columns)} needs a variance above 0, not {variance!r}"
            )
        found.append(float(variance))
    return found


def _shared(
    names: Sequence[Columns], sizes: Mapping[str, int], variances: Sequence[float]
) -> list[_Shared]:
    """All intersections of tables' columns, none first, then smaller before larger.

    A set that is no intersection is in the same tables as the intersection of these, with the
    same proportion of variances, and is made to agree along with it.
    """
    whole_sets = [frozenset(columns) for columns in names]
    closed = {a & b for a, b in combinations(whole_sets, 2)} | {frozenset[str]()}
    fresh = closed
    while fresh and len(closed) <= MOST_SHARED:
        fresh = {a & b for a in fresh for b in whole_sets} - closed
        closed |= fresh
    if len(closed) > MOST_SHARED:
        raise DataError(f"tables share more than {MOST_SHARED:,} different sets of columns")
    found = []
    for columns in sorted(closed, key=lambda columns: (len(columns), sorted(columns))):
        places = [i for i, whole_set in enumerate(whole_sets) if columns <= whole_set]
        if len(places) < 2 and columns:
            continue
        axes, spread = [], []
        for place in places:
            inside = [c for c in sizes if c in whole_sets[place]]
            axes.append(tuple(a for a, c in enumerate(inside) if c not in columns))
            spread.append(prod(sizes[c] for c in inside if c not in columns))
        inverse = [1 / (variances[p] * n) for p, n in zip(places, spread, strict=True)]
        found.append(
            _Shared(
                tuple(axes),
                tuple(places),
                tuple(w / sum(inverse) for w in inverse),
                tuple(spread),
                columns,
            )
        )
    return found


def _projected(
    tables: Sequence[Floats], shared: Sequence[_Shared], *, total: float | None
) -> list[Floats]:
    """The nearest tables that agree, and add up to the total if there is one; exact."""
    found = [np.array(table) for table in tables]
    for one in shared:
        sums = [
            found[place].sum(axis=axes, keepdims=True)
            for place, axes in zip(one.places, one.axes, strict=True)
        ]
        if not one.columns and total is not None:
            mean = np.asarray(total)
        else:
            mean = np.zeros(sums[0].size)
            for weight, table in zip(one.weights, sums, strict=True):
                mean += weight * table.reshape(-1)
        for place, table, n in zip(one.places, sums, one.spread, strict=True):
            found[place] += (mean.reshape(-1) - table.reshape(-1)).reshape(table.shape) / n
    return found


def _nonnegative(
    tables: list[Floats], shared: Sequence[_Shared], variances: Sequence[float], *, total: float
) -> tuple[list[Floats], float]:
    """Tables that agree, without negative cells, near the given ones, and what was mixed in.

    Nearest under both conditions is P(y + m), P making tables agree, y being the tables and m the
    least additions m >= 0 with m P(y + m) = 0. Their dual function has the gradient -P(y + m),
    which moves no more than m does, so that steps of length 1 never overshoot; momentum makes
    them fast, and is dropped when it leads uphill (O'Donoghue and Candes, 2015).
    """
    if total == 0:
        return [np.zeros_like(table) for table in tables], 0.0
    even = [total / table.size for table in tables]
    added = [np.zeros_like(table) for table in tables]
    ahead, speed = added, 1.0
    best, least, nearest = tables, _mix(tables, even), inf
    for _ in range(ROUNDS):
        fitted = _projected(
            [y + m for y, m in zip(tables, ahead, strict=True)], shared, total=total
        )
        share = _mix(fitted, even)
        # How much nearer than these any tables can be, at most (the duality gap).
        moved = _product(fitted, tables, fitted, tables, variances)
        nearer = abs(_product(ahead, None, fitted, None, variances))
        miss = max(share, nearer / moved if nearer else 0.0)
        if miss < nearest:
            best, least, nearest = fitted, share, miss
        if miss <= NEAR:
            break
        new = [np.maximum(m - x, 0.0) for m, x in zip(ahead, fitted, strict=True)]
        uphill = _product(ahead, new, new, added, variances) > 0
        faster = 1.0 if uphill else (1 + (1 + 4 * speed**2) ** 0.5) / 2
        momentum = 0.0 if uphill else (speed - 1) / faster
        ahead = [np.maximum(n + momentum * (n - a), 0.0) for n, a in zip(new, added, strict=True)]
        added, speed = new, faster
    # Rounding may leave a cell just under zero: no table changes by more than that.
    return [
        np.maximum((1 - least) * table + least * cell, 0.0)
        for table, cell in zip(best, even, strict=True)
    ], least


def _product(
    a: Sequence[Floats],
    b: Sequence[Floats] | None,
    c: Sequence[Floats],
    d: Sequence[Floats] | None,
    variances: Sequence[float],
) -> float:
    """The inner product of a - b and c - d, cells weighted by the inverse of their variance."""
    left = a if b is None else [x - y for x, y in zip(a, b, strict=True)]
    right = c if d is None else [x - y for x, y in zip(c, d, strict=True)]
    return sum(float(np.vdot(x, y)) / v for x, y, v in zip(left, right, variances, strict=True))


def _mix(tables: Sequence[Floats], even: Sequence[float]) -> float:
    """The least share of even tables that leaves no cell negative."""
    return max(
        max(0.0, -low) / (cell + max(0.0, -low))
        for low, cell in ((float(t.min()), e) for t, e in zip(tables, even, strict=True))
    )


def _disagreement(tables: Sequence[Floats], shared: Sequence[_Shared]) -> float:
    worst = 0.0
    for one in shared:
        sums = np.stack(
            [
                tables[place].sum(axis=axes).reshape(-1)
                for place, axes in zip(one.places, one.axes, strict=True)
            ]
        )
        worst = max(worst, float(np.ptp(sums, axis=0).max()))
    return worst


def _left(
    names: Sequence[Columns],
    sizes: Mapping[str, int],
    variances: Sequence[float],
    shared: Sequence[_Shared],
    total: bool,
) -> list[float]:
    """The variance of each table's cells after averaging; the same for all of its cells.

    What a set of columns adds to the smaller ones has so many dimensions of the table's; along
    these the variance shrinks to the share of the table's weight.
    """
    dimensions: dict[frozenset[str], int] = {}
    left = list(variances)
    for one in shared:
        inside = sum(n for columns, n in dimensions.items() if columns < one.columns)
        dimensions[one.columns] = prod(sizes[c] for c in one.columns) - inside
        for place, weight in zip(one.places, one.weights, strict=True):
            cells = prod(sizes[c] for c in names[place])
            kept = 0.0 if total and not one.columns else weight
            left[place] -= variances[place] * dimensions[one.columns] / cells * (1 - kept)
    return left
