"""From noisy numbers to tables that agree and rows that fit them; the data are not looked at.

The same numbers give the same tables and rows, with the same versions of all software on the
same kind of machine: nothing here draws anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from hedgerow.answers.design import Numbers
from hedgerow.noise.consistency import consistent
from hedgerow.synthesis.request import SynthesisRequest
from hedgerow.synthesis.synthetic_records import MOST_RECORDS, Codes, distances, synthetic

Floats = NDArray[np.float64]

DIGITS = 6
"""Of a count, after the point: what is beyond says nothing, as noise is larger by far."""


@dataclass(frozen=True, kw_only=True)
class SyntheticTables:
    """What is published besides the noisy numbers themselves."""

    counts: tuple[Floats, ...]
    """For each table its cells, as noisy numbers are ordered: not negative, and they agree."""
    total: int
    """What the cells of every table add up to, but for rounding."""
    mixed: float
    """The share of an even table that was mixed in, so that no count is negative."""
    records: Codes | None
    """Made-up rows, where they are wanted: the place of each value in its column's domain."""


def make(request: SynthesisRequest, noisy: Sequence[Numbers], *, rows: bool) -> SyntheticTables:
    """Make tables agree, and rows that fit them.

    The total is that of the noisy tables, rounded; never the number of people in the data. That
    holds for change-one too, where this number is public: tables leave people out whose values
    are in no cell, and how many these are is not.

    Args:
        request: What the numbers are about.
        noisy: For each table its cells.
        rows: Whether rows are made.
    """
    found = consistent(_shaped(request, noisy), nonnegative=True, whole_total=True)
    counts = tuple(np.round(found.tables[table].ravel(), DIGITS) for table in request.tables)
    total = int(found.total)
    records = None
    if rows:
        # Of what is published, so that anybody can make the same.
        records = synthetic(
            _shaped(request, counts), request.sizes, records=min(total, MOST_RECORDS)
        )
        records = records[np.lexsort(records.T[::-1])]
    return SyntheticTables(counts=counts, total=total, mixed=found.mixed, records=records)


def rehearse(request: SynthesisRequest) -> None:
    """Do what can be done without numbers, so that what must fail fails before it costs.

    Raises:
        DataError: These tables cannot be made to agree.
    """
    design = request.design
    design.loss.amounts()
    nobody = [np.zeros(int(np.prod(request.shape(table)))) for table in request.tables]
    consistent(_shaped(request, nobody), nonnegative=True, whole_total=True)


def off_by(
    request: SynthesisRequest, counts: Sequence[Floats], records: Codes
) -> tuple[float, ...]:
    """For each table how far the rows' table is from it: the L1 distance of shares, 0 to 2."""
    found = distances(records, request.sizes, _shaped(request, counts))
    return tuple(found[table] for table in request.tables)


def disagreement(request: SynthesisRequest, counts: Sequence[Floats]) -> float:
    """The largest difference between two tables about one number.

    Computed on its own, not by what made the tables agree.
    """
    tables = list(zip(request.tables, counts, strict=True))
    sets = {frozenset(a) & frozenset(b) for a, b in combinations(request.tables, 2)}
    worst = 0.0
    for shared in sets:
        sums = []
        for columns, table in tables:
            if shared <= set(columns):
                kept = sorted(shared)
                away = tuple(i for i, column in enumerate(columns) if column not in shared)
                left = [column for column in columns if column in shared]
                summed = table.reshape(request.shape(columns)).sum(axis=away)
                sums.append(np.transpose(summed, [left.index(c) for c in kept]).ravel())
        worst = max(worst, float(np.ptp(np.stack(sums), axis=0).max()))
    return worst


def upwards(number: float, *, digits: int = 2) -> float:
    """A number of a few digits at or above a number.

    >>> upwards(1.01e-5), upwards(0.0), upwards(2.0), upwards(2980.9, digits=3)
    (1.1e-05, 0.0, 2.0, 2990.0)
    """
    if not number:
        return 0.0
    exponent = floor(log10(number)) - digits + 1
    near = float(f"{number:.{digits - 1}e}")
    return near if near >= number else float(f"{ceil(number / 10.0**exponent)}e{exponent}")


def _shaped(
    request: SynthesisRequest, numbers: Sequence[Floats] | Sequence[Numbers]
) -> dict[tuple[str, ...], Floats]:
    return {
        table: np.asarray(one, np.float64).reshape(request.shape(table))
        for table, one in zip(request.tables, numbers, strict=True)
    }
