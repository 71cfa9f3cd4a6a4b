"""A column as codes: its distinct texts, and which of them each row has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Ints

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """One column of the rows that are looked at."""

    name: str
    texts: Any
    """Its distinct values, an Arrow array of text without missing, the frequent ones first."""
    codes: Codes
    """For each row the place of its value; `len(texts)` where it is missing."""
    counts: Ints
    """Rows with each value; the last is of missing."""

    @classmethod
    def of(cls, name: str, column: Any) -> EncodedColumn:
        """Encode an Arrow column of text."""
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        found = whole.dictionary_encode()
        size = len(found.dictionary)
        indices = pc.fill_null(found.indices, size).to_numpy(zero_copy_only=False)
        counts = np.bincount(indices, minlength=size + 1)
        order = np.argsort(-counts[:size], kind="stable")
        rank = np.empty(size + 1, np.int32)
        rank[order] = np.arange(size, dtype=np.int32)
        rank[size] = size
        counts = np.append(counts[:size][order], counts[size]).astype(np.int64)
        return cls(name, found.dictionary.take(pa.array(order)), rank[indices], counts)

    @classmethod
    def coded(cls, name: str, values: Sequence[str | None], codes: Codes) -> EncodedColumn:
        """Encode a column that is coded already: row i has `values[codes[i]]`."""
        return cls.of(name, pa.array(values, pa.string()).take(pa.array(codes)))

    @property
    def distinct(self) -> int:
        return len(self.texts)

    @property
    def size(self) -> int:
        """Codes there may be: a missing value has one."""
        return len(self.counts)

    @property
    def rows(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> int:
        return int(self.counts[-1])

    def text(self, row: int) -> str | None:
        """What a row has; None where it is missing."""
        code = int(self.codes[row])
        found: str | None = None if code == self.distinct else self.texts[code].as_py()
        return found

    def head(self, most: int) -> list[str]:
        """The most frequent texts."""
        found: list[str] = self.texts[:most].to_pylist()
        return found

    def spread(self, most: int) -> list[str]:
        """Some of the texts, frequent and rare ones alike."""
        if self.distinct <= most:
            return self.head(most)
        places = np.linspace(0, self.distinct - 1, most).astype(np.int64)
        found: list[str] = self.texts.take(pa.array(places)).to_pylist()
        return found

    @cached_property
    def partition(self) -> tuple[Codes, Ints]:
        """The rows in order of their codes, and where each code begins; one more is the end."""
        order: Codes = by_code(self.codes, self.counts)
        return order, np.concatenate(([0], np.cumsum(self.counts)))


@kernel
def by_code(codes: Codes, counts: Ints) -> Codes:
    """The rows in order of their codes, those of one code as they come (counting sort)."""
    place = np.zeros(len(counts), np.int64)
    for code in range(1, len(counts)):
        place[code] = place[code - 1] + counts[code - 1]
    order = np.empty(len(codes), np.int32)
    for row in range(len(codes)):
        order[place[codes[row]]] = row
        place[codes[row]] += 1
    return order
