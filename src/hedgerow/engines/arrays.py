"""Tallies of whole numbers, counted in arrays: what SQL answers, in less time.

Columns of whole numbers are read once and stay in memory, block by block, as long as they are
small. Whether a tally is counted here hangs on its text, on the types of its columns and on the
size of the table. What does not fit into 64 bits for every possible value is left to SQL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import reduce
from math import prod
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.engines.base import Table
from hedgerow.engines.blocks import Ints, Numbers, Steps, Term, numeric, true
from hedgerow.engines.tally import Spaced, Tally

_NAMED = {
    "INT_8": pa.int8(),
    "INT_16": pa.int16(),
    "INT_32": pa.int32(),
    "INT_64": pa.int64(),
    "UINT_8": pa.uint8(),
    "UINT_16": pa.uint16(),
    "UINT_32": pa.uint32(),
}
"""What Parquet calls them."""
TYPES = frozenset(_NAMED.values())
"""Whole numbers that fit into 64 bits with a sign."""
BLOCK = 2**18
"""Rows at a time: their arrays stay in the processor's cache."""
MOST_CELLS = 2**16
MOST_BYTES = 2**28
"""Columns in memory, all together; what is larger is left to the engine."""


class Arrays:
    """Columns of whole numbers of one table, in memory once they were asked for.

    Args:
        source: The table, or the Parquet file that holds it.
        null: Numbers that mean missing.
    """

    def __init__(self, source: Table | Path, null: Sequence[int]) -> None:
        self._source, self._null, self._seen = source, null, _seen(source)
        self._held: dict[str, Any] = {}
        self._reading = Lock()  # Arrow's reader is for one thread
        self._read: Callable[[list[str]], Table]
        self._end = ExitStack()
        if isinstance(source, Path):
            file = self._end.enter_context(pq.ParquetFile(source))
            self._rows, schema = file.metadata.num_rows, file.schema_arrow
            self._read = lambda names: file.read(columns=names)
            stored = _stored(file.schema)
        else:
            self._rows, schema = source.num_rows, source.schema
            self._read = source.select
            stored = {own.name: own.type for own in schema}
        self._widths = {
            own.name: own.type.bit_width // 8
            for own in schema
            if pa.types.is_integer(own.type)
            and own.type in TYPES
            and stored.get(own.name) == own.type
        }

    def close(self) -> None:
        self._held = {}
        self._end.close()

    def expect(self, tallies: Iterable[Tally]) -> None:
        """Read what these will need at once, which is faster than one column after the other."""
        names = [name for tally in tallies for name in tally.columns if name in self._widths]
        self._hold(list(dict.fromkeys(names)))

    def tally(self, tally: Tally) -> Table | None:
        """What SQL would find where each row is a person; None where SQL has to."""
        way = self._way(tally)
        if way is None or not self._hold(tally.columns):
            return None
        spaces, terms = way
        many: Any = 0
        totals: list[Any] = [0] * len(terms)
        for block, rows in self._blocks(tally.columns):
            here, added = _counted(tally, block, rows, spaces, terms)
            many = many + here
            totals = [total + more for total, more in zip(totals, added, strict=True)]
        return _told(many, totals, [steps.last + 1 for steps in spaces])

    def take(self, tallies: Sequence[Tally]) -> bool:
        """Whether all are counted here, if the columns can be read and nobody replaces the file."""
        names = dict.fromkeys(name for tally in tallies for name in tally.columns)
        return None not in map(self._way, tallies) and self._fit(list(names))

    def _way(self, tally: Tally) -> tuple[list[Steps], list[Term]] | None:
        """How it is counted exactly; None if it is not here."""
        ways = [Steps.of(c.low, c.step, c.cells) for c in tally.by if isinstance(c, Spaced)]
        spaces = [steps for steps in ways if steps is not None]
        terms = [t for summed in tally.sums if (t := Term.of(summed, self._rows)) is not None]
        exact = (len(spaces), len(terms)) == (len(tally.by), len(tally.sums))
        few = prod(steps.last + 1 for steps in spaces) <= MOST_CELLS
        whole = tally.where is None or numeric(tally.where)
        return (spaces, terms) if exact and few and whole else None

    def _fit(self, names: Sequence[str]) -> bool:
        """Whether columns are of whole numbers, and have room beside those that are in memory."""
        wanted = {*self._held, *names}
        if not wanted <= self._widths.keys():
            return False
        return bool(self._rows * sum(self._widths[name] for name in wanted) <= MOST_BYTES)

    def _hold(self, names: Sequence[str]) -> bool:
        """See that columns are in memory; false if they cannot be, or the file is another."""
        if not self._fit(names):
            return False
        new = [name for name in names if name not in self._held]
        if new:
            try:
                with self._reading:
                    table = self._read(new)
            except (pa.ArrowException, OSError):
                return False  # DuckDB has words for what is wrong with it
            if table.column_names != new or table.num_rows != self._rows:
                return False
            self._held |= dict(zip(new, table.columns, strict=True))
        return _seen(self._source) == self._seen

    def _blocks(self, names: Sequence[str]) -> Iterator[tuple[dict[str, Numbers], int]]:
        if not names or not self._rows:
            yield {name: Numbers(np.zeros(0, np.int64), None) for name in names}, self._rows
            return
        table = pa.table([self._held[name] for name in names], names=list(names))
        for batch in table.to_batches(max_chunksize=BLOCK):
            numbers = [_numbers(array).without(self._null) for array in batch.columns]
            yield dict(zip(names, numbers, strict=True)), len(batch)


def _stored(schema: Any) -> dict[str, Any]:
    """The types that columns of whole numbers have in a file, whatever else is noted about them.

    DuckDB goes by these.
    """
    plain = {"INT32": pa.int32(), "INT64": pa.int64()}
    columns = [schema.column(i) for i in range(len(schema))]
    # For a name Arrow would also read what begins with it and a dot, as the fields of a struct do.
    begins = Counter(
        ".".join(parts[:n])
        for column in columns
        for parts in [column.path.split(".")]
        for n in range(1, len(parts) + 1)
    )
    found = {}
    for column in columns:
        if column.physical_type in plain and begins[column.path] == 1:
            bare = column.logical_type.type == "NONE"
            found[column.path] = (
                plain[column.physical_type] if bare else _NAMED.get(column.converted_type)
            )
    return found


def _seen(source: Table | Path) -> object:
    """Another one if the file is another."""
    if not isinstance(source, Path):
        return None
    try:
        now = source.stat()
    except OSError:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns


def _counted(
    tally: Tally,
    block: Mapping[str, Numbers],
    rows: int,
    spaces: Sequence[Steps],
    terms: Sequence[Term],
) -> tuple[Any, list[Any]]:
    """Of one block: how many rows there are in each cell, and the sums of what they add."""
    needed = dict.fromkeys(asked.column for asked in (*tally.by, *tally.sums))
    masks = [] if tally.where is None else [true(tally.where, block)]
    masks += [there for name in needed if (there := block[name].there) is not None]
    own = {name: block[name].values for name in needed}
    if masks:
        kept = reduce(np.logical_and, masks)
        own, rows = {n: values[kept] for n, values in own.items()}, int(np.count_nonzero(kept))
    if not spaces:
        return rows, [t.sum(own[s.column], rows) for t, s in zip(terms, tally.sums, strict=True)]
    places: Any = 0
    for cells, steps in zip(tally.by, spaces, strict=True):
        places = places * (steps.last + 1) + steps.counted(own[cells.column])
    many = np.bincount(places, minlength=prod(steps.last + 1 for steps in spaces))
    return many, [
        t.sums(own[s.column], places, many) for t, s in zip(terms, tally.sums, strict=True)
    ]


def _numbers(array: Any) -> Numbers:
    # Buffers, both ways: Arrow's own conversions load pandas the first time.
    bits, values = array.buffers()
    kind = np.dtype(str(array.type))
    first, rows = array.offset, len(array)
    numbers = np.frombuffer(values, kind, rows, first * kind.itemsize)
    if not array.null_count:
        return Numbers(numbers, None)
    there = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[first : first + rows]
    return Numbers(numbers, there.view(np.bool_))


def _array(numbers: Ints) -> Any:
    plain = np.ascontiguousarray(numbers)
    kind = pa.int32() if plain.dtype == np.int32 else pa.int64()
    return pa.Array.from_buffers(kind, len(plain), [None, pa.py_buffer(plain)])


def _told(many: Any, totals: Sequence[Any], shape: Sequence[int]) -> Table:
    """Cells with somebody in them, in order; without cells one line."""
    columns = {}
    if shape:
        found = np.flatnonzero(many)
        for i, key in enumerate(np.unravel_index(found, shape)):
            columns[f"k{i}"] = _array(key.astype(np.int32))
        many, totals = many[found], [total[found] for total in totals]
    for name, numbers in (("n", many), *((f"s{i}", total) for i, total in enumerate(totals))):
        columns[name] = _array(np.atleast_1d(np.asarray(numbers, np.int64)))
    return pa.table(columns)
