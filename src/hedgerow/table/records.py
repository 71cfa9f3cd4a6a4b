"""Records: the columns of a release that are published as they are, put together row by row.

Whoever holds two releases joins them on such columns: somebody's record has the same bill in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.spelling import likeness
from hedgerow.table.groups import Groups, Histogram, Ints, Sensitive
from hedgerow.table.pack import distinct

Codes = NDArray[np.int32]
Value = str | None


@dataclass(frozen=True, eq=False)
class RecordKinds:
    """Kinds of records: the group, and the values of the columns that are not generalised."""

    columns: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    """For each column, the different values."""
    codes: Codes
    """For each kind and column, which of them."""
    group: Ints
    """The group of each kind."""
    n: Ints
    """Records of each kind."""

    def together(self, columns: Sequence[str], groups: Ints, *, name: str) -> Groups:
        """The groups, with these columns as one attribute whose values are read by `parts`.

        Args:
            columns: Some of those it has.
            groups: How many records each group has.
            name: What the attribute is called.

        >>> two = RecordKinds(("ill", "bill"), (("flu", "gout"), ("1", "1.0")),
        ...               np.array([[0, 0], [0, 1], [1, 1]], np.int32), np.array([0, 0, 1]),
        ...               np.array([1, 2, 1]))
        >>> joined = two.together(["ill", "bill"], np.array([3, 1]), name="ill")
        >>> [parts(value) for value in joined.domains["ill"].values]
        [('flu', '1'), ('gout', '1')]
        >>> joined.histograms["ill"].counts.tolist()
        [3, 1]
        """
        read, codes = [], []
        for column in columns:
            j = self.columns.index(column)
            place: dict[Value, int] = {}
            into = [place.setdefault(likeness(value), len(place)) for value in self.values[j]]
            read.append(tuple(place))
            codes.append(np.array(into, np.int32)[self.codes[:, j]])
        stacked = np.stack(codes, axis=1)
        first, joined = distinct(stacked, [len(values) for values in read])
        texts = tuple(
            joined_text([values[code] for values, code in zip(read, kind, strict=True)])
            for kind in stacked[first].tolist()
        )
        width = max(1, len(texts))
        pairs, place_of = np.unique(self.group * width + joined, return_inverse=True)
        counts = np.bincount(place_of, weights=self.n, minlength=len(pairs)).astype(np.int64)
        owner, found = np.divmod(pairs, width)
        indptr = np.searchsorted(owner, np.arange(len(groups) + 1))
        reference = np.bincount(joined, weights=self.n, minlength=len(texts)).astype(np.int64)
        histogram = Histogram(indptr.astype(np.int64), found.astype(np.int32), counts)
        domain = Sensitive(name, texts, reference, int(groups.sum()))
        return Groups(groups, {name: histogram}, {name: domain})


def joined_text(values: Sequence[Value]) -> str:
    """Several values, as they are read, as the one that `parts` takes apart."""
    return "+".join(map(_spelt, values))


def parts(value: Value) -> tuple[Value, ...]:
    """The values, as they are read, that a value of several columns is made of."""
    return tuple(
        None if part == "n" else bytes.fromhex(part[1:]).decode("utf-8", "surrogatepass")
        for part in (value or "").split("+")
    )


def _spelt(value: Value) -> str:
    """The value in letters that no reader takes for those of another."""
    return "n" if value is None else "x" + value.encode("utf-8", "surrogatepass").hex()
