"""Records of a CSV file, counted here: a reader that passes over one is found out.

One pass over the bytes, which shares nothing with the engine. Where quotes and line ends are as
RFC 4180 has them, numbers of bytes say it all. Any other file is read record by record, in
Python: some ten times slower, and as exact.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError

BLOCK = 2**20
"""Bytes at a time: they stay in the processor's cache."""
LONGEST = 2_000_000
"""Bytes of a line; the engine's own limit, where it keeps it."""
BOM = b"\xef\xbb\xbf"
_QUOTE, _LF, _CR = b'"\n\r'
Words = NDArray[np.uint64]


@dataclass(frozen=True)
class CsvCount:
    """What a file holds, its header included."""

    records: int
    """Empty lines are records where there is one column: then they are missing values."""
    separators: int
    longest: int
    """Bytes of the longest record, about."""
    at: int
    """Its place among the records; the header is 1."""


@dataclass(frozen=True)
class CsvRecords:
    """A CSV file, counted when it is first asked about.

    Args:
        file: The file; compressed where its name ends with .gz.
        delimiter: Between fields.
        columns: How many the header names.
    """

    file: Path
    delimiter: str
    columns: int
    name: str = ""
    """What messages call it, where it is a copy."""
    above: int = 0
    """Lines of the file that a copy has not: title lines."""

    @property
    def where(self) -> str:
        return self.name or str(self.file)

    @cached_property
    def counted(self) -> CsvCount:
        """What was counted.

        Raises:
            DataError: It cannot be read, or not as its header says.
        """
        try:
            found = _regular(self) or _one_by_one(self)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(
                f"cannot be read: {getattr(error, 'strerror', None) or error}", where=self.where
            ) from error
        except csv.Error:
            raise self._too_long("") from None
        if found.longest > LONGEST:
            raise self._too_long(f", record {found.at:,}")
        if (fields := found.separators + found.records) != found.records * self.columns:
            raise DataError(
                f"{fields:,} fields in {found.records:,} lines, where the header has "
                f"{self.columns:,}",
                where=self.where,
                fix="Give every line as many, without a separator after the last; quote fields "
                'that hold the separator, with no space before the quote: "a,b".',
            )
        return found

    def require(self, rows: int) -> None:
        """See that an engine has read all of it.

        Args:
            rows: What it has read.

        Raises:
            DataError: The file has more or fewer.
        """
        if rows != (there := self.counted.records - 1):
            raise DataError(
                f"{rows:,} rows were read, and the file has {there:,} after its header",
                where=self.where,
                fix="Check for lines that are very long, quotes that stand alone, spaces beside "
                "quotes and lines that end in different ways; or has somebody written to it?",
            )

    def lines(self, rows: Sequence[int]) -> tuple[int, ...]:
        """On which line each of these rows begins; the first after the header is 1."""
        wanted, found = {*rows}, {}
        row, begins = -1, 1 + self.above
        before = csv.field_size_limit(LONGEST)
        try:
            with bytes_of(self.file) as raw, io.TextIOWrapper(raw, "latin-1", newline="") as text:
                reader = csv.reader(text, delimiter=self.delimiter)
                for fields in reader:
                    if fields or self.columns == 1:
                        row += 1
                        if row in wanted:
                            found[row] = begins
                            if len(found) == len(wanted):
                                break
                    begins = reader.line_num + 1 + self.above
        finally:
            csv.field_size_limit(before)
        return tuple(found[row] for row in rows)

    def _too_long(self, place: str) -> DataError:
        return DataError(
            f"a line is longer than {LONGEST // 10**6} MB",
            where=f"{self.where}{place}",
            fix="Check for a quote that is not closed, and for padding.",
        )


def bytes_of(file: Path) -> IO[bytes]:
    """What is in a file, unpacked where its name ends with .gz."""
    opener: Any = gzip.open if file.suffix.lower() == ".gz" else open
    return cast(IO[bytes], opener(file, "rb"))


def regular_quotes(text: bytes, delimiter: str, *, whole: bool) -> bool:
    """Whether quotes and line ends are where RFC 4180 has them.

    >>> regular_quotes(b'a,"b"', ",", whole=True), regular_quotes(b'a,b"', ",", whole=True)
    (True, False)
    """
    count = _Count(ord(delimiter), blank=False)
    try:
        if text:
            count.add(text)
        if whole:
            count.all()
    except _IrregularError:
        return False
    return True


class _IrregularError(Exception):
    """Quotes or line ends are not where RFC 4180 has them."""


def _regular(told: CsvRecords) -> CsvCount | None:
    """Count by bytes; None where that would not be exact."""
    count = _Count(ord(told.delimiter), blank=told.columns == 1)
    try:
        with bytes_of(told.file) as file:
            for block in _blocks(file):
                count.add(block)
        return count.all()
    except _IrregularError:
        return None


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """All bytes but for a mark at the beginning."""
    if first := file.read(len(BOM)).removeprefix(BOM):
        yield first
    while block := file.read(BLOCK):
        yield block


class _Count:
    """What has been counted so far, a bit for each byte and 64 of them at a time.

    A quote opens a field that it begins, and ends it before a separator or a line end; between
    the two, it is written twice. So every quote changes whether what follows is inside.
    """

    def __init__(self, delimiter: int, *, blank: bool) -> None:
        self._delimiter, self._blank = delimiter, blank
        self.records = self.separators = self.longest = self.at = 0
        self._since = 0
        """Bytes since the last line end."""
        # Of the byte before; at the beginning, as after a line.
        self._inside, self._closed, self._returned = False, False, False
        self._beside = True
        """Whether it may stand beside a quote, outside."""

    def add(self, block: bytes) -> None:
        """Count the next bytes.

        Raises:
            _IrregularError: Bytes alone do not tell.
        """
        data = np.frombuffer(block, np.uint8)
        quotes, separators, lines, returns = (
            _bits(data == byte) for byte in (_QUOTE, self._delimiter, _LF, _CR)
        )
        beside = quotes | separators | lines | returns
        inside = _inside(quotes, begun=self._inside)
        separators, lines, returns = separators & ~inside, lines & ~inside, returns & ~inside
        closing = quotes & ~inside
        there = _bits(np.ones(len(data), np.bool_))
        wrong = quotes & inside & ~_shifted(beside, self._beside)
        wrong |= there & ~beside & _shifted(closing, self._closed)
        wrong |= there & ~lines & _shifted(returns, self._returned)
        if wrong.any():
            raise _IrregularError
        self.separators += int(np.count_nonzero(_unpacked(separators)))
        self._lines(lines, returns, len(data))
        last = len(data) - 1
        self._inside, self._closed = _is_set(inside, last), _is_set(closing, last)
        self._beside, self._returned = _is_set(beside, last), _is_set(returns, last)

    def all(self) -> CsvCount:
        """What there is, when all has been added.

        Raises:
            _IrregularError: It ends inside quotes, or in half of a line end.
        """
        if self._inside or self._returned:
            raise _IrregularError
        if self._since:
            self._seen(self._since)
            self.records += 1
        return CsvCount(self.records, self.separators, self.longest, self.at)

    def _lines(self, lines: Words, returns: Words, size: int) -> None:
        """Count the lines that end in a block."""
        ends = np.flatnonzero(_unpacked(lines))
        if not len(ends):
            self._since += size
            return
        sizes = np.diff(ends, prepend=-1) - 1
        sizes[0] += self._since
        self._since = size - 1 - int(ends[-1])
        if not self._blank:
            # A line that is empty but for a CR is two line ends, one after the other.
            short = np.flatnonzero(sizes <= 1)
            bare = _unpacked(_shifted(returns, self._returned))[ends[short]]
            sizes = np.delete(sizes, short[sizes[short] <= bare])
        if len(sizes):
            place = int(sizes.argmax())
            self._seen(int(sizes[place]), place)
        self.records += len(sizes)

    def _seen(self, size: int, place: int = 0) -> None:
        if size > self.longest:
            self.longest, self.at = size, self.records + place + 1


def _bits(true: Any) -> Words:
    """A bit for each, the first the lowest of the first word; zeros at the end."""
    packed = np.packbits(true, bitorder="little")
    words = np.zeros(-(-len(packed) // 8), np.uint64)
    words.view(np.uint8)[: len(packed)] = packed
    return words


def _unpacked(bits: Words) -> Any:
    # NumPy counts and finds what is true much faster than what is 1.
    return np.unpackbits(bits.view(np.uint8), bitorder="little").view(np.bool_)


def _is_set(bits: Words, place: int) -> bool:
    return bool((int(bits[place // 64]) >> (place % 64)) & 1)


def _shifted(bits: Words, before: bool) -> Words:
    """What is said of each byte, said of the one after it."""
    carried = np.empty_like(bits)
    carried[0], carried[1:] = before, bits[:-1] >> np.uint64(63)
    return (bits << np.uint64(1)) | carried


def _inside(quotes: Words, *, begun: bool) -> Words:
    """Whether an odd number of quotes stands before the end of each byte."""
    for step in (1, 2, 4, 8, 16, 32):
        quotes = quotes ^ (quotes << np.uint64(step))
    odd = quotes >> np.uint64(63)
    before = np.empty_like(odd)
    before[0], before[1:] = begun, odd[:-1]
    # All bits of a word are turned around where an odd number of quotes is in the words before.
    return quotes ^ (np.uint64(0) - np.bitwise_xor.accumulate(before))


def _one_by_one(told: CsvRecords) -> CsvCount:
    """Count record by record.

    Raises:
        csv.Error: A field is longer than a line may be.
    """
    records = separators = longest = at = 0
    before = csv.field_size_limit(LONGEST)
    try:
        with bytes_of(told.file) as raw, io.TextIOWrapper(raw, "latin-1", newline="") as text:
            # Bytes above 127 are in no quote, separator or line end, whatever they spell.
            if text.read(3) != BOM.decode("latin-1"):
                text.seek(0)
            for fields in csv.reader(text, delimiter=told.delimiter):
                if not fields and told.columns > 1:
                    continue
                records, separators = records + 1, separators + max(0, len(fields) - 1)
                if (size := sum(map(len, fields)) + len(fields)) > longest:
                    longest, at = size, records
    finally:
        csv.field_size_limit(before)
    return CsvCount(records, separators, longest, at)
