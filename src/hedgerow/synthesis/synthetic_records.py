"""Made-up records, with the tables that were published: made from noisy tables alone.

A record may equal somebody's; what that tells is bounded by the loss of the tables: nothing else
is looked at. What the tables do not count, such as how three columns go together where all tables
have two, the records say nothing about either.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.noise.consistency import column_sizes
from hedgerow.noise.rounding import whole
from hedgerow.synthesis.maximum_entropy import Clique, Columns, Floats, fitted, telling
from hedgerow.synthesis.record_fit import settled

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]

MOST_RECORDS = 10_000_000
SMALL = 1_000_000
"""Joint domains up to so many cells are fitted as a whole."""
CLIQUE = 200_000
"""Cells of a clique where they are larger."""


def synthetic(
    tables: Mapping[Columns, NDArray[np.float64] | NDArray[np.int64]],
    sizes: Mapping[str, int],
    *,
    records: int,
    seed: bytes | None = None,
) -> Codes:
    """Records whose tables are near to these, one row each, columns in the order of `sizes`.

    First the most even distribution with these tables is fitted (where all of them together are
    too large, with those that say most). It is rounded to records so that each count is within
    one of what it should be, given the columns before, rather than drawn. Then single values are
    changed as long as all tables together come nearer.

    Shuffling uses no privacy randomness: its seed is a hash of the tables and of what is asked,
    so that the same tables give the same records, with the same versions of all software on the
    same kind of machine.

    Args:
        tables: Tables without negative cells that agree, as `consistent` makes them.
        sizes: How many values each column has; columns without a table are spread evenly.
        records: How many to make. Tables of another total are scaled to it.
        seed: Another seed than the hash of the tables.

    Returns:
        Value numbers from 0 on. How near they are, `distances` says; it may be far where no
        people at all can have these tables.

    Raises:
        DataError: A table has negative cells, or does not fit the sizes.

    >>> twins = {("left", "right"): np.array([[3, 0], [0, 1]])}
    >>> sorted(synthetic(twins, {"left": 2, "right": 2}, records=4).tolist())
    [[0, 0], [0, 0], [0, 0], [1, 1]]
    """
    sizes = _checked(tables, sizes)
    records = whole("records", records, least=0)
    if records > MOST_RECORDS:
        raise DataError(f"{records:,} records are more than {MOST_RECORDS:,}")
    if seed is None:
        seed = fingerprint(tables, sizes, records)
    shares = {columns: _shares(table) for columns, table in tables.items() if columns}
    codes = np.zeros((records, len(sizes)), np.int32)
    if not records or not sizes:
        return codes
    joint = prod(sizes.values())
    largest = max((table.size for table in shares.values()), default=1)
    most = SMALL if joint <= SMALL else max(CLIQUE, largest)
    chosen = telling(shares, sizes, most=most)
    # In one order, so that the same tables make the same cliques.
    model = {columns: shares[columns] for columns in sorted(chosen)}
    for column in set(sizes).difference(*model):
        model |= _alone(column, shares)
    _fill(codes, fitted(model, sizes), list(sizes), seed)
    order = np.argsort(_numbers(seed, b"order", records), kind="stable")
    codes = np.ascontiguousarray(codes[order])
    settled(codes, {c: shares[c] * records for c in sorted(shares)}, list(sizes))
    return codes


def marginals(
    codes: Codes, sizes: Mapping[str, int], tables: Iterable[Columns]
) -> dict[Columns, Ints]:
    """Tables of records: whole numbers that all agree, being of the same records.

    >>> marginals(np.array([[0, 1], [1, 1]], np.int32), {"a": 2, "b": 2}, [("b",)])
    {('b',): array([0, 2])}
    """
    places = {column: place for place, column in enumerate(sizes)}
    found = {}
    for columns in tables:
        shape = tuple(sizes[c] for c in columns)
        cell = np.zeros(len(codes), np.int64)
        for column in columns:
            cell = cell * sizes[column] + codes[:, places[column]]
        found[columns] = np.bincount(cell, minlength=prod(shape)).reshape(shape)
    return found


def distances(
    codes: Codes,
    sizes: Mapping[str, int],
    tables: Mapping[Columns, NDArray[np.float64] | NDArray[np.int64]],
) -> dict[Columns, float]:
    """For each table the L1 distance between its shares and those of the records.

    0 where they are the same; 2 where they have no cell in common. Half of it is the share of
    records that would have to move to another cell.
    """
    made = marginals(codes, sizes, tables)
    return {
        columns: float(np.abs(_shares(made[columns]) - _shares(table)).sum())
        for columns, table in tables.items()
    }


def fingerprint(
    tables: Mapping[Columns, NDArray[np.float64] | NDArray[np.int64]],
    sizes: Mapping[str, int],
    records: int,
) -> bytes:
    """A hash of the tables and of what is asked of them; not of the order tables come in."""
    digest = hashlib.sha256(json.dumps([list(sizes.items()), records]).encode())
    for columns in sorted(tables):
        table = np.ascontiguousarray(tables[columns], np.dtype("<f8"))
        digest.update(json.dumps([columns, table.shape]).encode() + b"\n" + table.tobytes())
    return digest.digest()


def _checked(
    tables: Mapping[Columns, NDArray[np.float64] | NDArray[np.int64]], sizes: Mapping[str, int]
) -> dict[str, int]:
    found = {column: whole(f"the size of {column}", size) for column, size in sizes.items()}
    for column, size in (column_sizes(tables) if tables else {}).items():
        if found.get(column) != size:
            raise DataError(
                f"tables have {size} values of column {column!r}, sizes say {found.get(column)}"
            )
    for columns, table in tables.items():
        if np.min(table) < 0:
            raise DataError(
                "a cell is negative",
                where=f"the table of {some(columns)}",
                fix="Make tables consistent and non-negative first.",
            )
    return found


def _shares(table: NDArray[np.float64] | NDArray[np.int64]) -> Floats:
    """A table over its total; an even one where that is 0."""
    table = np.asarray(table, np.float64)
    total = float(table.sum())
    return table / total if total > 0 else np.full(table.shape, 1 / table.size)


def _alone(column: str, shares: Mapping[Columns, Floats]) -> dict[Columns, Floats]:
    """The shares of one column, from the first table that has it."""
    for columns in sorted(shares):
        if column in columns:
            others = tuple(axis for axis, name in enumerate(columns) if name != column)
            return {(column,): shares[columns].sum(axis=others)}
    return {}


def _fill(codes: Codes, model: Iterable[Clique], columns: list[str], seed: bytes) -> None:
    """Values of all columns, clique by clique, given those already there."""
    for number, clique in enumerate(model):
        known = [clique.columns.index(c) for c in clique.given]
        fresh = [axis for axis in range(len(clique.columns)) if axis not in known]
        shape = clique.shares.shape
        groups = prod(shape[axis] for axis in known)
        shares = clique.shares.transpose(known + fresh).reshape(groups, -1)
        group = np.zeros(len(codes), np.int64)
        for axis in known:
            group = group * shape[axis] + codes[:, columns.index(clique.columns[axis])]
        drawn = _rounded(shares, group, _numbers(seed, b"%d" % number, len(codes)))
        for axis in reversed(fresh):
            drawn, code = np.divmod(drawn, shape[axis])
            codes[:, columns.index(clique.columns[axis])] = code


def _rounded(shares: Floats, group: Ints, numbers: NDArray[np.uint64]) -> Ints:
    """An outcome for each record, as often in its group as the shares say, within one.

    Records of a group stand in line, in the order of the numbers; each outcome takes a stretch
    of the line in proportion to its share, and with it the records whose middle is inside.
    """
    groups, outcomes = shares.shape
    totals = shares.sum(axis=1, keepdims=True)
    # A group that should be empty but is not has nothing to go by.
    shares = np.where(totals > 0, shares, 1.0)
    shares /= shares.sum(axis=1, keepdims=True)
    members = np.bincount(group, minlength=groups)
    ends = np.cumsum(shares, axis=1) * members[:, None]
    ends[:, -1] = members
    ends += (np.cumsum(members) - members)[:, None]
    line = np.lexsort((numbers, group))
    cell = np.searchsorted(ends.reshape(-1), np.arange(len(group)) + 0.5)
    outcome = np.empty(len(group), np.int64)
    outcome[line] = np.clip(cell - group[line] * outcomes, 0, outcomes - 1)
    return outcome


def _numbers(seed: bytes, purpose: bytes, size: int) -> NDArray[np.uint64]:
    """Numbers without any order to them, the same for the same seed on every machine."""
    stretched = hashlib.shake_256(len(seed).to_bytes(8, "little") + seed + purpose)
    return np.frombuffer(stretched.digest(8 * size), np.dtype("<u8")).astype(np.uint64)
