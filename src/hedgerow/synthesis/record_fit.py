"""Records changed value by value until all their tables are as near as that makes them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Columns = tuple[str, ...]

SWEEPS = 20
"""Rounds over all records, at most."""
ENOUGH = 1e-3
"""Rounds end when fewer than this share of all values changed."""


def settled(codes: Codes, tables: Mapping[Columns, Floats], columns: list[str]) -> int:
    """Change records in place until tables are near; how many rounds it took.

    A value is changed where the squared differences between the records' tables and the given
    ones, added up over all cells of all tables, become fewer, to the value where they are
    fewest. So each change is for the better, and there is an end. It is a local one.
    """
    if not tables:
        return 0
    sizes = np.ones(len(columns), np.int64)
    # A copy of each table for each of its columns, which comes last in it: what is read together
    # lies together.
    table_of, column_of = np.nonzero(
        np.array([[column in names for column in columns] for names in tables])
    )
    steps = np.zeros((len(table_of), len(columns)), np.int64)
    starts = np.zeros(len(table_of), np.int64)
    off = np.zeros(sum(table.size * table.ndim for table in tables.values()))
    at, given = 0, list(tables.items())
    for copy, (number, column) in enumerate(zip(table_of, column_of, strict=True)):
        names, table = given[number]
        turned = np.moveaxis(table, names.index(columns[column]), -1)
        others = [name for name in names if name != columns[column]]
        for axis, name in enumerate([*others, columns[column]]):
            place = columns.index(name)
            sizes[place] = turned.shape[axis]
            steps[copy, place] = prod(turned.shape[axis + 1 :])
        starts[copy] = at
        counts = np.bincount(codes @ steps[copy], minlength=table.size)
        off[at : at + table.size] = counts - turned.reshape(-1)
        at += table.size
    copies_of = np.argsort(column_of, kind="stable")
    copies_from = np.searchsorted(column_of[copies_of], np.arange(len(columns) + 1))
    table_from = np.searchsorted(table_of, np.arange(len(tables) + 1))
    for sweep in range(SWEEPS):
        moved = _sweep(
            codes,
            off,
            starts,
            steps,
            sizes,
            copies_of,
            copies_from,
            table_of,
            table_from,
            column_of,
        )
        if moved <= ENOUGH * codes.size:
            return sweep + 1
    return SWEEPS


@kernel
def _sweep(
    codes: Codes,
    off: Floats,
    starts: Ints,
    steps: Ints,
    sizes: Ints,
    copies_of: Ints,
    copies_from: Ints,
    table_of: Ints,
    table_from: Ints,
    column_of: Ints,
) -> int:
    """One round; how many values changed.

    There is a copy of each table for each of its columns, in which that column comes last.

    Args:
        codes: Records by columns: the place of the value in its domain. Changed in place.
        off: How many too many each cell of each copy has, end to end. Changed in place.
        starts: Where each copy begins.
        steps: Copies by columns: how far apart in a copy neighbouring values of a column lie.
        sizes: Values of each column.
        copies_of: The copies whose last column is c are copies_of[copies_from[c]:...].
        copies_from: Where they begin; one more at the end.
        table_of: The table of each copy.
        table_from: The columns of table t are column_of[table_from[t]:...].
        column_of: Columns.
    """
    moved = 0
    scores = np.zeros(sizes.max())
    for record in range(len(codes)):
        for column in range(len(sizes)):
            size, first, last = sizes[column], copies_from[column], copies_from[column + 1]
            if first == last:
                continue
            for value in range(size):
                scores[value] = 0.0
            for k in range(first, last):
                copy = copies_of[k]
                base = starts[copy]
                for j in range(table_from[table_of[copy]], table_from[table_of[copy] + 1]):
                    other = column_of[j]
                    if other != column:
                        base += codes[record, other] * steps[copy, other]
                row = off[base : base + size]
                for value in range(size):
                    scores[value] += row[value]
            now = codes[record, column]
            best = now
            # Leaving takes one from each table's cell, arriving adds one.
            least = scores[now] - (last - first) - 1e-9
            for value in range(size):
                if scores[value] < least:
                    best, least = value, scores[value]
            if best == now:
                continue
            moved += 1
            for k in range(first, last):
                table = table_of[copies_of[k]]
                for copy in range(table_from[table], table_from[table + 1]):
                    cell = starts[copy]
                    for j in range(table_from[table], table_from[table + 1]):
                        cell += codes[record, column_of[j]] * steps[copy, column_of[j]]
                    off[cell] -= 1
                    off[cell + (best - now) * steps[copy, column]] += 1
            codes[record, column] = best
    return moved
