"""Tallies of whole numbers, counted in arrays: what SQL answers, in less time.

Columns of whole numbers are read once and stay in memory, block by block, as long as they are
small. Whether a tally is counted here hangs on its text, on the types of its columns and on the
size of the table. What does not fit into 64 bits for every possible value is left to SQL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, floor, lcm, prod
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.conditions import And, Compared, Condition, Missing, Not, Number, OneOf, Or, Order
from hedgerow.engines.base import Table
from hedgerow.tally import Spaced, Summed, Tally

Ints = npt.NDArray[np.signedinteger[Any] | np.unsignedinteger[Any]]
Mask = npt.NDArray[np.bool_]

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
ROOM = 2**62
"""Numbers under this are added without overflow."""
MOST_CELLS = 2**16
MOST_BYTES = 2**28
"""Columns in memory, all together; what is larger is left to the engine."""


@dataclass(frozen=True)
class Numbers:
    """Values of a column in a block; what stands where one is missing means nothing."""

    values: Ints
    there: Mask | None
    """Where there is one; None: everywhere."""

    def beside(self, order: Order, number: Fraction) -> Mask:
        """Where there is a number that is so ordered."""
        whole = number.denominator == 1
        bound = ceil(number) if order in ("<", ">=") else floor(number)
        limits = np.iinfo(self.values.dtype)
        if order == "=":
            within = whole and limits.min <= bound <= limits.max
            return self._where(self.values == bound if within else self._all(value=False))
        if not limits.min <= bound <= limits.max:
            return self._where(self._all(value=(bound > limits.max) == (order in ("<", "<="))))
        compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
        return self._where(compare[order](self.values, bound))

    def among(self, numbers: Sequence[int]) -> Mask:
        """Where there is one of these."""
        limits = np.iinfo(self.values.dtype)
        possible = [number for number in numbers if limits.min <= number <= limits.max]
        return self._where(np.isin(self.values, np.array(possible, self.values.dtype)))

    def without(self, numbers: Sequence[int]) -> Numbers:
        """The same, these made missing."""
        return Numbers(self.values, self.present & ~self.among(numbers)) if numbers else self

    @property
    def present(self) -> Mask:
        return self._where(self._all(value=True))

    def _all(self, *, value: bool) -> Mask:
        return np.full(len(self.values), value)

    def _where(self, found: Mask) -> Mask:
        return found if self.there is None else found & self.there


@dataclass(frozen=True)
class Steps:
    """How many whole steps a number is above a start, held to 0 and to the last; plus more."""

    low: int
    high: int
    """What the number is held to, first of all."""
    common: int
    first: int
    width: int
    last: int
    plus: int

    @classmethod
    def of(cls, start: Fraction, step: Fraction, cells: int, *, plus: int = 0) -> Steps | None:
        """None where a number might not fit."""
        if step.denominator == 1:  # then only whole borders matter
            common, first, width = 1, ceil(start), int(step)
            low, high = first, first + (cells - 1) * width
        else:
            common = lcm(start.denominator, step.denominator)
            first, width = int(start * common), int(step * common)
            low, high = floor(start), ceil(start + cells * step)
        largest = max(abs(low), abs(high), 1) * common
        if largest + abs(first) + abs(plus) + width + cells >= ROOM:
            return None
        return cls(low, high, common, first, width, cells - 1, plus)

    @property
    def simple(self) -> bool:
        """Whether the number, held, is the number of steps but for `shift`."""
        return self.common == self.width == 1

    @property
    def shift(self) -> int:
        return self.plus - self.first

    def held(self, values: Ints) -> Ints:
        """Numbers between `low` and `high`; of their own type if that has both ends."""
        limits = np.iinfo(values.dtype)
        if limits.min <= self.low and self.high <= limits.max:
            return np.clip(values, self.low, self.high)
        return np.clip(values.astype(np.int64), self.low, self.high)

    def counted(self, values: Ints) -> Ints:
        held = self.held(values).astype(np.int64)
        if self.simple:
            return held if not self.shift else held + self.shift
        above = np.maximum(held * self.common - self.first, 0)
        found: Ints = np.minimum(above // self.width, self.last) + self.plus
        return found


@dataclass(frozen=True)
class Term:
    """What a row adds: whole steps, or the square of that."""

    steps: Steps
    power: int

    @classmethod
    def of(cls, summed: Summed, rows: int) -> Term | None:
        """None where a sum over so many rows might not fit."""
        # Rounding halves up is counting the halves passed.
        steps = Steps.of(
            (summed.low - Fraction(1, 2)) * summed.unit,
            summed.unit,
            summed.high - summed.low + 1,
            plus=summed.low - summed.centre,
        )
        if steps is None:
            return None
        sizes = map(abs, (*summed.range, steps.low, steps.high, steps.shift))
        return cls(steps, summed.power) if sum(sizes) * max(rows, 1) < ROOM else None

    def sum(self, values: Ints, rows: int) -> int:
        terms, more = self._terms(values)
        return int(terms.sum(dtype=np.int64)) + more * rows

    def sums(self, values: Ints, places: Ints, many: Ints) -> Ints:
        """For each place."""
        terms, more = self._terms(values)
        totals = np.zeros(len(many), np.int64)
        np.add.at(totals, places, terms)
        return totals + more * many

    def _terms(self, values: Ints) -> tuple[Ints, int]:
        """What rows add, but for a number that each adds besides."""
        if self.power == 1 and self.steps.simple:
            return self.steps.held(values), self.steps.shift
        found = self.steps.counted(values)
        return (found * found if self.power == 2 else found), 0


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
        numeric = tally.where is None or _numeric(tally.where)
        return (spaces, terms) if exact and few and numeric else None

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
    masks = [] if tally.where is None else [_true(tally.where, block)]
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


def _numeric(condition: Condition) -> bool:
    """Whether it compares with nothing but numbers; a text is beside a text."""
    match condition:
        case Compared(_, _, constant):
            return isinstance(constant, Number)
        case OneOf(_, constants):
            return all(isinstance(constant, Number) for constant in constants)
        case Missing():
            return True
        case Not(part):
            return _numeric(part)
        case And(parts) | Or(parts):
            return all(map(_numeric, parts))


def _true(condition: Condition, block: Mapping[str, Numbers]) -> Mask:
    """Rows for which a filter is true."""
    match condition:
        case Compared(name, order, Number(value)):
            return block[name].beside(order, value)
        case OneOf(name, constants):
            numbers = [c.value for c in constants if isinstance(c, Number)]
            return block[name].among([int(n) for n in numbers if n.denominator == 1])
        case Missing(name):
            return ~block[name].present
        case Not(part):
            return ~_true(part, block)
        case And(parts):
            return reduce(np.logical_and, (_true(part, block) for part in parts))
        case Or(parts):
            return reduce(np.logical_or, (_true(part, block) for part in parts))
        case Compared():
            raise AssertionError("a text was let in")


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
