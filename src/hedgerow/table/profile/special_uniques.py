"""Special uniques: people who stand out by few columns, and in many ways (SUDA2).

A row is unique in some columns if nobody else has its values in them. It is minimally unique if it
is not in any fewer of them. A man of 20 who is widowed is unique by two columns: nobody has to
know more of him. The score of a row is larger the fewer columns do it and the more ways there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.table.groups import Floats, Ints
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.pair_counts import People
from hedgerow.table.profile.partitions import Flags, RowPartition

LARGEST = 3
"""Columns of a minimal unique, at most."""
MOST_WORK = 600_000_000
"""Rows times sets of columns that are looked at; with more, fewer columns are."""
WORST = 10
"""Rows that are listed."""


@dataclass(frozen=True, kw_only=True)
class SpecialUnique:
    """A row with a high score."""

    row: int
    """Its place among the rows that were looked at, from 0."""
    score: int
    smallest: int
    """Columns of its smallest minimal unique."""
    ways: int
    """How many minimal uniques it has."""
    columns: tuple[str, ...]
    """A smallest minimal unique of it,"""
    values: tuple[str | None, ...]
    """and what the row has there."""
    dis_suda: float | None = None
    """Its DIS-SUDA score, where somebody says which share of the population the table is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class IntrusionRisk:
    """The risk of each row by its score: data intrusion simulation with SUDA (DIS-SUDA)."""

    fraction: float
    """Share of the population that the rows looked at are."""
    right: float
    """The chance that who finds exactly one row for a person of the population has the right one,
    over all rows that are alone."""
    scores: Floats
    """The same of each row: 0 if it is not alone, NaN if it is alone and has no score."""
    unscored: int
    """Rows that are alone, and unique in no few columns."""


@dataclass(frozen=True, kw_only=True)
class SpecialUniques:
    """Minimal sample uniques of a table, and their scores.

    The score of a minimal unique of `size` columns, of `columns` in all, is the product of
    `columns - i` for i from `size` to `largest`. A row's score is the sum over its minimal uniques.

    Reference: Elliot, Manning, Mayes, Gurd, Bane (2005), "SUDA: A program for detecting special
    uniques"; Manning, Haglin, Keane (2008), "A recursive search algorithm for statistical
    disclosure assessment". sdcMicro's `suda2` has the same scores (`original_scores`), for
    `largest` one less than the number of columns.
    """

    columns: tuple[str, ...]
    largest: int
    rows: int
    """Rows that have a minimal unique."""
    by_size: tuple[int, ...]
    """Minimal uniques of one column, of two, ...."""
    contributions: tuple[tuple[str, float], ...]
    """For each column the share of all scores that comes from minimal uniques it is in, the
    greatest first. They add up to more than 1, as a minimal unique has several columns."""
    worst: tuple[SpecialUnique, ...]
    """The rows with the highest scores."""
    scores: Ints
    """Of every row that was looked at."""
    alone: Flags
    """Of every row, whether nobody else has its values in all the columns."""
    twos: int
    """Pairs of rows that are like each other in all the columns, and like no other row."""
    intrusion: IntrusionRisk | None = None
    """Where somebody says which share of the population the table is."""

    def with_intrusion(self, risk: IntrusionRisk) -> SpecialUniques:
        """The same with the risk of each row."""
        worst = tuple(replace(one, dis_suda=float(risk.scores[one.row])) for one in self.worst)
        return replace(self, worst=worst, intrusion=risk)

    def summary(self) -> dict[str, Any]:
        """For `--json`: all but the scores of all rows."""
        risk = self.intrusion
        told = {} if risk is None else {
            "intrusion": {"fraction": risk.fraction, "right": risk.right,
                          "unscored": risk.unscored},
        }  # fmt: skip
        return told | {
            "columns": list(self.columns),
            "largest": self.largest,
            "rows": self.rows,
            "by_size": list(self.by_size),
            "contributions": dict(self.contributions),
            "worst": [asdict(one) for one in self.worst],
        }


def special_uniques(
    columns: Sequence[EncodedColumn], people: People, *, largest: int = LARGEST,
    progress: Callable[[float], None] = lambda share: None,
    met: Callable[[Sequence[EncodedColumn], RowPartition], None] = lambda columns, found: None,
) -> SpecialUniques:  # fmt: skip
    """Find the minimal uniques of up to `largest` columns, and score them.

    A row is unique where nobody else's row has its values; other rows of its person may.

    Args:
        columns: The columns to combine.
        people: Whose rows these are.
        largest: Columns of a minimal unique, at most.
        progress: Called with the share that is done.
        met: Called with the rows' partition by each set of columns.
    """
    width, rows = len(columns), people.rows
    largest = min(largest, width)
    total, done = sum(comb(width, size) for size in range(1, largest + 1)), 0
    scores, ways = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    smallest, first = np.zeros(rows, np.int8), np.zeros(rows, np.int32)
    sets: list[tuple[int, ...]] = []
    by_size, sums = [0] * largest, np.zeros(width)
    below: dict[tuple[int, ...], NDArray[np.uint8]] = {}
    for size in range(1, largest + 1):
        score = prod(width - i for i in range(size, min(largest, width - 1) + 1))
        level: dict[tuple[int, ...], NDArray[np.uint8]] = {}
        for prefix in combinations(range(width), size - 1):
            base = RowPartition.of(people).with_columns(columns[i] for i in prefix)
            before = _alone_before(prefix, below, rows)
            for last in range(prefix[-1] + 1 if prefix else 0, width):
                chosen = (*prefix, last)
                found = base.by(columns[last])
                met([columns[i] for i in chosen], found)
                new = found.new
                others = [c for c in combinations(chosen, size - 1) if c != prefix and c]
                minimal = np.ones(len(new), np.bool_)
                for other in others:
                    minimal &= ~_has(below[other], new)
                hit = new[minimal]
                scores[hit] += score
                ways[hit] += 1
                fresh = hit[smallest[hit] == 0]
                smallest[fresh], first[fresh] = size, len(sets)
                sets.append(chosen)
                by_size[size - 1] += len(hit)
                sums[list(chosen)] += float(score) * len(hit)
                if size < largest:
                    flags: Flags = before.copy()
                    flags[new] = True
                    level[chosen] = np.packbits(flags)
                done += 1
            progress(done / total)
        below = level
    whole_rows = RowPartition.of(people).with_columns(columns)
    alone: Flags = np.ones(rows, np.bool_)
    alone[whole_rows.order] = False
    order = np.argsort(-scores, kind="stable")[:WORST]
    whole = max(float(scores.sum()), 1.0)
    shares = sorted(
        ((column.name, float(part) / whole) for column, part in zip(columns, sums, strict=True)),
        key=lambda one: -one[1],
    )
    return SpecialUniques(
        columns=tuple(column.name for column in columns),
        largest=largest,
        rows=int((scores > 0).sum()),
        by_size=tuple(by_size),
        contributions=tuple(shares),
        worst=tuple(
            SpecialUnique(
                row=i, score=int(scores[i]), smallest=int(smallest[i]), ways=int(ways[i]),
                columns=tuple(columns[j].name for j in sets[first[i]]),
                values=tuple(columns[j].text(i) for j in sets[first[i]]),
            )
            for i in order.tolist() if scores[i]
        ),
        scores=scores,
        alone=alone,
        twos=int(np.count_nonzero(np.diff(whole_rows.start) == 2)),
    )  # fmt: skip


def _alone_before(
    prefix: tuple[int, ...], below: dict[tuple[int, ...], NDArray[np.uint8]], rows: int
) -> Flags:
    """Which rows are unique in the columns before the last."""
    if not prefix:
        return np.zeros(rows, np.bool_)
    return np.unpackbits(below[prefix], count=rows).astype(np.bool_)


def _has(packed: NDArray[np.uint8], rows: NDArray[np.int32]) -> Flags:
    """Whether each of these rows is flagged."""
    bits = packed[rows >> 3] >> (7 - (rows & 7)).astype(np.uint8)
    found: Flags = (bits & 1).astype(np.bool_)
    return found
