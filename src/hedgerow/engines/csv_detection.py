"""How a CSV file is written, told from its bytes: the same bytes always give the same answer."""

from __future__ import annotations

import codecs
import csv
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hedgerow.base.errors import DataError
from hedgerow.engines.csv_dialect import MARKS, CsvDialect, beginning, texts_of
from hedgerow.engines.records import BLOCK, bytes_of, regular_quotes
from hedgerow.engines.source_form import SourceForm

DELIMITERS = (",", ";", "\t", "|")
"""Which are tried, in this order."""
_UNUSED = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
"""Bytes that are no character in cp1252."""
_CONTROLS = bytes(range(0x80, 0xA0))
"""Bytes that are letters and signs in cp1252, and control characters in Latin-1."""


@dataclass(frozen=True)
class Encoding:
    """How a file is encoded, as far as its bytes tell."""

    name: str
    assumed: bool = False


@dataclass(frozen=True)
class CsvForm:
    """How a CSV file is written."""

    encoding: Encoding
    dialect: CsvDialect


def encoding_of(file: Path) -> Encoding:
    """The encoding, by all bytes of the file.

    A mark at the beginning says it. Else it is UTF-8 if all of it can be read so; UTF-16 if every
    second byte of the beginning is NUL. What is left is taken for cp1252 or Latin-1, which nothing
    proves.

    Raises:
        DataError: It cannot be read.
    """
    try:
        with bytes_of(file) as raw:
            first = raw.read(BLOCK)
            for mark, name in MARKS.items():
                if first.startswith(mark):
                    return Encoding(name)
            if (wide := _wide(first)) is not None:
                return Encoding(wide)
            decoder, seen, utf8 = codecs.getincrementaldecoder("utf-8")("strict"), first, True
            controls = unused = False
            while True:
                if utf8:
                    try:
                        decoder.decode(seen, final=not seen)
                    except UnicodeDecodeError:
                        utf8 = False
                if not seen.isascii():
                    rest = seen.translate(None, _CONTROLS)
                    controls = controls or len(rest) < len(seen)
                    unused = unused or any(byte in seen for byte in _UNUSED)
                if not seen:
                    break
                seen = raw.read(BLOCK)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"cannot be read: {getattr(error, 'strerror', None) or error}", where=str(file)
        ) from error
    if utf8:
        return Encoding("utf-8")
    return Encoding("cp1252" if controls and not unused else "latin-1", assumed=True)


def _wide(first: bytes) -> str | None:
    """UTF-16 without a mark: a text of mostly Latin letters has a NUL in every second byte."""
    even, odd = first[::2], first[1::2]
    if len(odd) < 2:
        return None
    if odd.count(0) > len(odd) / 2 and not even.count(0):
        return "utf-16-le"
    if even.count(0) > len(even) / 2 and not odd.count(0):
        return "utf-16-be"
    return None


def csv_form(file: Path, said: SourceForm, *, tabs: bool) -> CsvForm:
    """How a file is written; what somebody says of it is not questioned.

    Args:
        file: The file; compressed where its name ends with .gz.
        said: What is known.
        tabs: Whether its name says that tabs are between its fields.

    Raises:
        DataError: It cannot be read.
    """
    encoding = encoding_of(file) if said.encoding is None else Encoding(said.encoding)
    text, whole = beginning(file, encoding.name)
    if not whole:
        # Only lines that are complete.
        text = text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1] or text
    delimiters = (said.delimiter,) if said.delimiter else ("\t",) if tabs else DELIMITERS
    best, most = None, 0
    for style in _styles(text, said):
        for delimiter in delimiters:
            columns = _columns(text, replace(style, delimiter=delimiter), whole=whole)
            if columns is not None and columns > most:
                best, most = replace(style, delimiter=delimiter), columns
        if most > 1:
            break
    usual = replace(next(_styles(b"", said)), delimiter=_of_header(text, delimiters))
    if best is None or (most == 1 and usual.delimiter.encode() in text.partition(b"\n")[0]):
        best = usual  # whoever reads it is told which line is not like the header
    if said.blanks is None and most > 1 and _all_blanks(text, best, whole=whole):
        best = replace(best, skip=True)
    return CsvForm(encoding, best)


def _styles(text: bytes, said: SourceForm) -> Iterator[CsvDialect]:
    """Ways of quoting that a text may have, the usual one first unless another shows."""
    first = CsvDialect.of(said, ",")
    quotes = [first.quote]
    if said.quote is None:
        fields = text.replace(b"\r", b"\n")
        single = any(f"{d}'".encode() in fields for d in ("\n", *DELIMITERS)) or text[:1] == b"'"
        double = any(f'{d}"'.encode() in fields for d in ("\n", *DELIMITERS)) or text[:1] == b'"'
        if single and not double and text[:1] == b"'":
            quotes = ["'", '"', ""]
        else:
            # A quote that begins a field is around it, or the file is damaged.
            quotes = ['"', *(["'"] if single else []), *([] if double else [""])]
    escapes = [first.backslash] if said.escape or b"\\" not in text else [False, True]
    skips = [first.skip] if said.blanks or b" " not in text else [False, True]
    for quote in quotes:
        for backslash in escapes if quote else [first.backslash]:
            for skip in skips:
                yield CsvDialect(",", quote, backslash, skip)


def _columns(text: bytes, dialect: CsvDialect, *, whole: bool) -> int | None:
    """How many fields every record has; None where the text is not so written."""
    if dialect.backslash or dialect.skip or dialect.quote != '"':
        return dialect.columns_in(text, whole=whole)
    if b'"' not in text:
        counts = {line.count(dialect.delimiter.encode()) for line in text.splitlines() if line}
        return counts.pop() + 1 if len(counts) == 1 else None
    if not regular_quotes(text, dialect.delimiter, whole=whole):
        return dialect.columns_in(text, whole=whole)
    lines = io.StringIO(text.decode("utf-8", "replace"), newline="")
    reader = csv.reader(lines, delimiter=dialect.delimiter)
    try:
        widths = [len(fields) for fields in reader if fields]
    except csv.Error:  # a field of more than 131,072 characters
        return dialect.columns_in(text, whole=whole)
    if not whole and len(widths) > 1:
        widths.pop()  # it may go on
    return widths[0] if widths and min(widths) == max(widths) else None


def _all_blanks(text: bytes, dialect: CsvDialect, *, whole: bool) -> bool:
    """Whether a blank follows every delimiter, so that it is part of none of the values."""
    if dialect.skip or dialect.delimiter in ("\t", " "):
        return dialect.skip
    delimiter = dialect.delimiter.encode()
    body = text.lstrip().partition(b"\n")[2] or text  # names may stand closer
    there = body.count(delimiter)
    # A field may be empty, at the end of a line too.
    empty = sum(body.count(delimiter + end) for end in (delimiter, b"\n", b"\r"))
    if empty == there or body.count(delimiter + b" ") + empty < there:
        return False
    skipping = replace(dialect, skip=True)
    columns = skipping.columns_in(text, whole=whole)
    return columns is not None and columns == dialect.columns_in(text, whole=whole)


def _of_header(text: bytes, delimiters: tuple[str, ...]) -> str:
    first = text.splitlines()[0] if text.splitlines() else b""
    return max(delimiters, key=lambda d: (first.count(d.encode()), -delimiters.index(d)))


def accented_texts(file: Path, encoding: str, *, most: int = 5) -> tuple[str, ...]:
    """Words of a file that hold letters beyond ASCII, by which a person can judge its encoding."""
    found: dict[str, None] = {}
    for block in texts_of(file, encoding):
        if block.isascii():
            continue
        for line in block.decode().splitlines():
            if line.isascii():
                continue
            for word in _words(line):
                if not word.isascii():
                    found[word] = None
                if len(found) == most:
                    return tuple(found)
    return tuple(found)


def _words(line: str) -> Iterator[str]:
    for sign in (*DELIMITERS, '"', "'"):
        line = line.replace(sign, " ")
    yield from line.split()
