"""Anatomy: quasi-identifiers published as they are, sensitive values in a second table.

People are dealt into buckets whose members all differ in their sensitive value. The first
table (QIT) says which bucket each person is in, the second (ST) which values a bucket holds.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import ClaimError, DataError, PlanError
from hedgerow.base.jit import kernel
from hedgerow.table.groups import Groups, Histogram, Ints, Sensitive

BUCKET, COUNT = "bucket", "count"
"""Columns that Anatomy adds."""


@dataclass(frozen=True, eq=False)
class Anatomy:
    """Who is in which bucket, and which sensitive values each bucket holds."""

    bucket: Ints
    """Of each person, in the order in which their values were given."""
    st: Histogram
    """The sensitive table: how many members of each bucket have each value."""

    def __len__(self) -> int:
        return len(self.st.indptr) - 1

    def groups(self, name: str = "sensitive", values: Sequence[str | None] = ()) -> Groups:
        """The buckets as groups, for claims to be measured on."""
        width = max(len(values), int(self.st.codes.max(initial=-1)) + 1)
        reference = np.bincount(self.st.codes, weights=self.st.counts, minlength=width)
        labels = tuple(values) or tuple(map(str, range(width)))
        domain = Sensitive(name, labels, reference.astype(np.int64), len(self.bucket))
        sizes = np.bincount(self.bucket, minlength=len(self)).astype(np.int64)
        return Groups(sizes, {name: self.st}, {name: domain})

    def qit(self, quasi: Mapping[str, Any]) -> Any:
        """The table of quasi-identifiers with buckets, in an order that tells nothing.

        Args:
            quasi: Column -> a value for each person.
        """
        if BUCKET in quasi:
            raise PlanError(
                f"a quasi-identifier cannot be called {BUCKET!r}", fix="Rename it in the data."
            )
        columns = {name: _column(values) for name, values in quasi.items()}
        for name, column in columns.items():
            if len(column) != len(self.bucket):
                raise DataError(
                    f"{len(column):,} values for {len(self.bucket):,} people", where=name
                )
        table = pa.table({**columns, BUCKET: self.bucket})
        # Ordered by what is published; the order of the source could be the order of values.
        return table.sort_by([(BUCKET, "ascending"), *((name, "ascending") for name in columns)])

    def sensitive_table(self, name: str, values: Sequence[str | None]) -> Any:
        """The second table: bucket, value, count."""
        if name in (BUCKET, COUNT):
            raise PlanError(
                f"the sensitive column cannot be called {name!r}", fix="Rename it in the data."
            )
        texts = _column(list(values)).take(pa.array(self.st.codes))
        table = pa.table({BUCKET: self.st.owner(), name: texts, COUNT: self.st.counts})
        return table.sort_by([(BUCKET, "ascending"), (name, "ascending")])


def anatomise(sensitive: ArrayLike, *, l: int, rng: np.random.Generator) -> Anatomy:  # noqa: E741
    """Deal people into buckets of at least l, no two of a bucket with the same value.

    The l values that most people still have give one member each to the next bucket. At the
    end fewer than l people are left (the residue), no two with the same value; each joins a
    bucket that does not hold their value yet.

    Guarantee: Whoever knows a person's bucket, and takes every way to match its members with
        its values to be equally likely, believes each value with probability at most 1/l.
    Assumes: That they do take them to be equally likely. They need not: see the de Finetti
        attack.
    Reference: Xiao and Tao, Anatomy: simple and effective privacy preservation, VLDB 2006,
        algorithm Anatomize.

    Args:
        sensitive: A code from 0 for each person.
        l: How many different values a bucket holds, at least 2.
        rng: Chooses who among the people with the same value goes where.

    Raises:
        ClaimError: More than one in l people have the same value: no such buckets exist.

    >>> anatomy = anatomise([0, 0, 0, 1, 1, 2, 2], l=2, rng=np.random.default_rng(1))
    >>> sorted(np.bincount(anatomy.bucket).tolist()), anatomy.st.counts.tolist()
    ([2, 2, 3], [1, 1, 1, 1, 1, 1, 1])
    """
    codes = _codes(sensitive)
    if l < 2:
        raise PlanError(f"l is {l}", fix="Give at least 2: with fewer a bucket tells the value.")
    counts = np.bincount(codes)
    if counts.max() * l > len(codes):
        raise ClaimError(
            f"value {int(counts.argmax())} is that of {int(counts.max()):,} of {len(codes):,} "
            f"people, more than one in {l}: there are no buckets of {l} different values",
            fix=f"Use l = {len(codes) // int(counts.max())} at most, or coarser values.",
        )
    # Ties between values go by a random numbering, people with a value in random order.
    number = rng.permutation(len(counts))
    order = rng.permutation(len(codes))
    order = order[np.argsort(number[codes[order]], kind="stable")]
    tallies = np.zeros(len(counts), np.int64)
    tallies[number] = counts
    dealt, size = _deal(tallies, l)
    bucket = np.empty(len(codes), np.int64)
    bucket[order] = dealt
    for person in np.flatnonzero(bucket < 0):
        taken = np.zeros(size, np.bool_)
        others = bucket[codes == codes[person]]
        taken[others[others >= 0]] = True
        bucket[person] = rng.choice(np.flatnonzero(~taken))
    return Anatomy(bucket, bucketed(bucket, codes, size))


def bucketed(bucket: Ints, codes: Ints, size: int) -> Histogram:
    """How many members of each of `size` buckets have each value."""
    width = int(codes.max(initial=0)) + 1
    cells, counts = np.unique(bucket * width + codes, return_counts=True)
    indptr = np.searchsorted(cells, np.arange(size + 1) * width)
    return Histogram(
        indptr.astype(np.int64), (cells % width).astype(np.int32), counts.astype(np.int64)
    )


def _codes(sensitive: ArrayLike) -> Ints:
    codes = np.asarray(sensitive)
    if codes.ndim != 1 or not len(codes):
        raise DataError("sensitive values must be a list of codes, one for each person, not empty")
    if not np.issubdtype(codes.dtype, np.integer) or codes.min() < 0:
        raise DataError(
            "sensitive values must be whole numbers from 0",
            fix="Number the values: np.unique(values, return_inverse=True).",
        )
    return codes.astype(np.int64)


def _column(values: Any) -> Any:
    if isinstance(values, pa.ChunkedArray):
        return values.combine_chunks()
    return pa.array(values)


@kernel
def _deal(counts: Ints, l: int) -> tuple[NDArray[np.int64], int]:  # noqa: E741
    """The bucket of each person, people ordered by value; -1 for the residue."""
    start = np.zeros(len(counts), np.int64)
    for v in range(1, len(counts)):
        start[v] = start[v - 1] + counts[v - 1]
    heap = [(-counts[v], v) for v in range(len(counts)) if counts[v] > 0]
    heapq.heapify(heap)
    bucket = np.full(counts.sum(), -1, np.int64)
    size = 0
    while len(heap) >= l:
        taken = [heapq.heappop(heap) for _ in range(l)]
        for left, v in taken:
            bucket[start[v]] = size
            start[v] += 1
            if left + 1 < 0:
                heapq.heappush(heap, (left + 1, v))
        size += 1
    return bucket, size
