"""Bucketised: a release that shows quasi-identifiers and, bucket by bucket, sensitive values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.engines import open_engine
from hedgerow.recode.anatomy import BUCKET, COUNT, Anatomy, bucketed
from hedgerow.table.encoding import encoded
from hedgerow.table.groups import Histogram, Ints

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bucketised:
    """What a bucketised release shows: quasi-identifiers and bucket of each person, and ST."""

    quasi: Codes
    """For each person and quasi-identifier, a code from 0."""
    bucket: Ints
    st: Histogram
    """How many members of each bucket have each value."""

    def __post_init__(self) -> None:
        quasi, bucket, size = self.quasi, self.bucket, len(self.st.indptr) - 1
        if quasi.ndim != 2 or bucket.ndim != 1 or len(quasi) != len(bucket) or not len(bucket):
            raise DataError(
                f"quasi-identifiers of shape {quasi.shape} do not fit buckets of shape "
                f"{bucket.shape}",
                fix="Give a row of codes and a bucket for each person.",
            )
        if quasi.min(initial=0) < 0 or bucket.min() < 0 or self.st.codes.min(initial=0) < 0:
            raise DataError("codes must be whole numbers from 0")
        held = np.bincount(self.st.owner(), weights=self.st.counts, minlength=size)
        members = np.bincount(bucket, minlength=size)
        if len(members) > size or (members != held).any():
            wrong = np.flatnonzero(members[:size] != held)
            what = f"bucket {wrong[0]}" if len(wrong) else f"bucket {bucket.max()}"
            raise DataError(
                f"{what} has a different number of members and of sensitive values",
                fix="Both tables must be of the same release.",
            )

    @property
    def values(self) -> int:
        """One more than the largest code of a sensitive value."""
        return int(self.st.codes.max(initial=0)) + 1

    @classmethod
    def of(cls, quasi: ArrayLike, anatomy: Anatomy) -> Bucketised:
        """An Anatomy of people with these quasi-identifiers."""
        return cls(np.asarray(quasi, np.int64), anatomy.bucket, anatomy.st)


def read_tables(
    qit: Any, st: Any, *, sensitive: str, bucket: str = BUCKET, count: str = COUNT
) -> tuple[Bucketised, Mapping[str, list[str | None]]]:
    """A bucketised release made by any tool, and the texts behind its codes.

    Args:
        qit: The table of quasi-identifiers: a row a person, one column says the bucket.
        st: The sensitive table: bucket, value and how many of its members have it.
        sensitive: The column of the second table that holds values.
        bucket: The column that both tables share.
        count: The column of the second table that counts.
    """
    people = columns_of(qit, None)
    held = columns_of(st, (bucket, sensitive, count))
    if bucket not in people:
        raise DataError(f"there is no column {bucket!r}", fix=f"It has {some(people)}.")
    names, owner = held[bucket]
    place = {name: code for code, name in enumerate(names)}
    strangers = [name for name in people[bucket][0] if name not in place]
    if strangers:
        raise DataError(f"no values are published for bucket {some(strangers)}")
    own = np.array([place[name] for name in people[bucket][0]], np.int64)[people[bucket][1]]
    times = np.array(_counts(held[count][0], len(own), count), np.int64)[held[count][1]]
    if times.sum() > len(own):
        raise DataError(
            f"{int(times.sum()):,} values are published for {len(own):,} people",
            where=count,
            fix="Both tables must be of the same release.",
        )
    values = held[sensitive][1].astype(np.int64)
    repeated = np.repeat(np.arange(len(owner)), times)
    table = bucketed(owner[repeated].astype(np.int64), values[repeated], len(names))
    quasi = [name for name in people if name != bucket]
    codes = [people[name][1].astype(np.int64) for name in quasi]
    stacked = np.stack(codes, axis=1) if codes else np.zeros((len(own), 0), np.int64)
    texts = {name: people[name][0] for name in quasi} | {sensitive: held[sensitive][0]}
    return Bucketised(stacked, own, table), texts


def columns_of(
    source: Any, names: Sequence[str] | None, *, null: Sequence[str] = ()
) -> dict[str, tuple[list[str | None], NDArray[np.int32]]]:
    """Columns of a file or a table, a row a person, as distinct values and codes.

    Args:
        source: What `open_engine` reads.
        names: Which; all if None.
        null: Texts that mean missing.

    Raises:
        DataError: There is no such column, or there are no rows.
    """
    with open_engine(source, null=null) as engine:
        there = engine.columns()
        for name in names or ():
            if name not in there:
                near = nearest(name, there)
                raise DataError(
                    f"there is no column {name!r}",
                    fix=f"Did you mean {near!r}?" if near else f"It has {some(there)}.",
                )
        wanted = list(dict.fromkeys(names or there))
        table = engine.rows(wanted, max(1, engine.rows_total()))
    if not table.num_rows:
        raise DataError("the table has no rows")
    return {name: encoded(table[name]) for name in wanted}


def _counts(texts: Sequence[str | None], people: int, where: str) -> list[int]:
    """Numbers of people, none of them larger than there are."""
    counts = []
    for text in texts:
        try:
            counts.append(int(text or ""))
        except ValueError:
            counts.append(-1)
        if counts[-1] < 0:
            raise DataError(
                f"counts must be whole numbers from 0, not {some([text])}",
                where=where,
                fix="Say how many members of the bucket have the value.",
            )
        if counts[-1] > people:
            raise DataError(
                f"a bucket holds a value {counts[-1]:,} times, and there are {people:,} people",
                where=where,
                fix="Both tables must be of the same release.",
            )
    return counts
