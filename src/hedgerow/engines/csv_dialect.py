"""CSV in another dialect or encoding, rewritten as the one that the engine reads exactly.

The copy has the same fields in the same records on the same lines, but for title lines, in UTF-8,
with commas, double quotes and line feeds. So whatever is checked of a plain file is checked of it.
A field that is empty stays missing, a quoted empty field stays empty text.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.errors import DataError
from hedgerow.base.jit import kernel
from hedgerow.engines.records import BLOCK, LONGEST, bytes_of
from hedgerow.engines.source_form import SourceForm, encoding_name
from hedgerow.engines.title_lines import SKIP_HINT, without_titles

_CONSUMED, _MADE, _LINE, _RECORDS, _COLUMNS, _STATUS, _AT, _FOUND, _SIZE = range(9)
"""Places of a scan's progress."""
_STRAY, _RAGGED, _OPEN, _NUL = 1, 2, 3, 4
"""What may be wrong: a quote that is not around a field, another number of fields, a quote that
is never closed, a NUL byte."""
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""What a file may begin with to say how it is encoded."""
MOST_UNPACKED = 2**32
UNPACKED_TIMES = 200
"""A copy may have so many bytes, or so many times the bytes of the packed file."""
PROBED = 2**18
"""Bytes of text by which a dialect is judged."""


@dataclass(frozen=True)
class CsvDialect:
    """Which bytes are not part of values."""

    delimiter: str
    quote: str = '"'
    backslash: bool = False
    """Whether a backslash makes the next quote, delimiter, line end or backslash one of the
    value."""
    skip: bool = False
    """Whether blanks beside delimiters and line ends are passed over."""

    @classmethod
    def of(cls, form: SourceForm, delimiter: str) -> CsvDialect:
        """What a form says, with this delimiter."""
        quote = '"' if form.quote is None else form.quote
        return cls(delimiter, quote, form.escape == "backslash", form.blanks == "skip")

    @property
    def _bytes(self) -> Any:
        return np.array(
            [
                ord(self.delimiter),
                ord(self.quote) if self.quote else -1,
                ord("\\") if self.backslash else -1,
                int(self.skip),
            ],
            np.int64,
        )

    def columns_in(self, text: bytes, *, whole: bool) -> int | None:
        """How many fields every record of a text has; None where it is not so written.

        Args:
            text: The beginning of a file, in UTF-8.
            whole: Whether it is all of it.
        """
        scan = _Scan(self)
        scan.add(text, final=whole)
        return int(scan.progress[_COLUMNS]) if not scan.progress[_STATUS] else None

    def fields(self, line: bytes) -> int:
        """How many fields the first record of a text has; 0 where it is not so written."""
        return self.columns_in(line, whole=True) or 0


class _Scan:
    def __init__(self, dialect: CsvDialect) -> None:
        self._dialect = dialect._bytes
        self.progress = np.zeros(_SIZE, np.int64)
        self._rest = b""

    def add(self, text: bytes, *, final: bool) -> bytes:
        """What the next bytes are in the plain dialect, as far as records are complete."""
        data = np.frombuffer(self._rest + text, np.uint8)
        made = np.empty(4 * len(data) + 8, np.uint8)
        _rewrite(data, made, self._dialect, final, self.progress)
        if self.progress[_STATUS]:
            return b""
        self._rest = data[int(self.progress[_CONSUMED]) :].tobytes()
        return made[: int(self.progress[_MADE])].tobytes()

    @property
    def waiting(self) -> int:
        """Bytes of a record that has begun."""
        return len(self._rest)

    def column(self, text: bytes) -> int:
        """The character of its line where something is wrong."""
        at = int(self.progress[_AT])
        start = max(text.rfind(b"\n", 0, at), text.rfind(b"\r", 0, at)) + 1
        return len(text[start:at].decode("utf-8", "replace")) + 1


@kernel
def _rewrite(data: Any, made: Any, dialect: Any, final: bool, progress: Any) -> None:
    """Rewrite complete records.

    data: bytes in UTF-8.
    made: room for four times as many bytes.
    dialect: the delimiter, the quote or -1, the escape or -1, and whether blanks are skipped.
    final: whether no more bytes follow.
    progress: see `_CONSUMED` and the others; lines, records and columns go on from call to call.
    """
    delimiter, quote, escape, skip = dialect[0], dialect[1], dialect[2], dialect[3]
    end, at, out = len(data), 0, 0
    line, records, columns = progress[2], progress[3], progress[4]
    progress[0], progress[1], progress[5] = 0, 0, 0
    while at < end:
        begin, kept, begun_line = at, out, line
        fields, done, wrong = 0, False, 0
        while not done and wrong == 0:
            # One field.
            if skip:
                while at < end and (data[at] == 32 or data[at] == 9) and data[at] != delimiter:
                    at += 1
            quoted = at < end and data[at] == quote
            held = out
            special = False
            made[out] = 34
            out += 1
            last = out  # after the last byte that is no blank
            closed = not quoted
            if quoted:
                at += 1
            while at < end:
                byte = data[at]
                if byte == 0:
                    wrong = 4
                    break
                if byte == escape and at + 1 < end:
                    after = data[at + 1]
                    if after in (quote, escape, delimiter, 10, 13):
                        at += 1
                        byte = after
                        if byte == 10 or (byte == 13 and not (at + 1 < end and data[at + 1] == 10)):
                            line += 1
                        if byte == 34:
                            made[out] = 34
                            out += 1
                        special = special or byte in (34, 10, 13, 44)
                        made[out] = byte
                        out += 1
                        last = out
                        at += 1
                        continue
                if quoted and not closed:
                    if byte == quote:
                        if at + 1 < end and data[at + 1] == quote:
                            at += 1
                        else:
                            if at + 1 == end and not final:
                                break  # the next byte says whether it is doubled
                            closed = True
                            at += 1
                            last = out
                            continue
                elif byte == delimiter or byte == 10 or byte == 13:
                    break
                elif quoted and closed:
                    if skip and (byte == 32 or byte == 9):
                        at += 1
                        continue
                    wrong = 1
                    break
                elif byte == quote:
                    wrong = 1
                    break
                if byte == 34:
                    made[out] = 34
                    out += 1
                special = special or byte in (34, 10, 13, 44)
                if byte == 10 or (byte == 13 and not (at + 1 < end and data[at + 1] == 10)):
                    line += 1
                made[out] = byte
                out += 1
                at += 1
                if not (byte == 32 or byte == 9):
                    last = out
            if wrong != 0:
                break
            if not closed or (at >= end and not final):
                done = True
                wrong = -1  # more bytes are needed
                break
            if at < end and data[at] == 13 and at + 1 == end and not final:
                done = True
                wrong = -1
                break
            # The field as the plain dialect has it: quoted where it must be.
            if skip and not quoted:
                out = last
            size = out - held - 1
            if special or (quoted and size == 0):
                made[out] = 34
                out += 1
            else:
                for i in range(size):
                    made[held + i] = made[held + i + 1]
                out = held + size
            fields += 1
            if at < end and data[at] == delimiter:
                made[out] = 44
                out += 1
                at += 1
                if at == end and final:
                    fields += 1
                    done = True
                elif at == end:
                    wrong = -1
                continue
            if at < end:
                at += 2 if data[at] == 13 and at + 1 < end and data[at + 1] == 10 else 1
            done = True
            if fields == 1 and out == kept and columns > 1:
                fields = 0  # an empty line
        if wrong == -1:
            if final:
                progress[5], progress[6] = 3, begin
                progress[2] = begun_line
                return
            progress[0], progress[1] = begin, kept
            progress[2], progress[3], progress[4] = begun_line, records, columns
            return
        if wrong == 0 and fields > 0:
            if columns == 0:
                columns = fields
            if fields != columns:
                wrong = 2
                line = begun_line
        if wrong != 0:
            progress[5], progress[6], progress[7] = wrong, at, fields
            progress[2], progress[3], progress[4] = line, records, columns
            return
        made[out] = 10
        out += 1
        line += 1
        if fields > 0:
            records += 1
    progress[0], progress[1] = end, out
    progress[2], progress[3], progress[4] = line, records, columns


def plain_copy(file: Path, form: SourceForm, delimiter: str, to: Path) -> Path:
    """A CSV file in another dialect or encoding, as a plain one.

    Args:
        file: The file; compressed where its name ends with .gz.
        form: How it is written.
        delimiter: Between its fields.
        to: The copy.

    Raises:
        DataError: It is not so written; says in which line, and where in it.
    """
    scan = _Scan(CsvDialect.of(form, delimiter))
    scan.progress[_LINE] = form.skip or 0
    text = without_titles(texts_of(file, form.encoding or "utf-8"), form.skip or 0)
    with to.open("wb") as copy:
        for block, final in _with_last(text):
            before = scan._rest
            copy.write(scan.add(block, final=final))
            if scan.progress[_STATUS]:
                raise _refused(file, scan, before + block, form)
            refuse_unpacked(file, copy.tell())
            if scan.waiting > LONGEST:
                raise DataError(
                    f"a line is longer than {LONGEST // 10**6} MB",
                    where=f"{file}, line {int(scan.progress[_LINE]) + 1:,}",
                    fix="Check for a quote that is not closed, and for padding.",
                )
    return to


def refuse_unpacked(file: Path, size: int) -> None:
    """Stop before a small packed file has filled the disk.

    Raises:
        DataError: It unpacks to more than any table does.
    """
    if size > MOST_UNPACKED and size > UNPACKED_TIMES * file.stat().st_size:
        raise DataError(
            f"unpacks to more than {UNPACKED_TIMES} times its size",
            where=str(file),
            fix="Unpack it yourself if it is what it should be.",
        )


def texts_of(file: Path, encoding: str) -> Iterator[bytes]:
    """The text of a file in UTF-8, a block after the other, without a mark at its beginning.

    Raises:
        DataError: A byte is not of this encoding; says where.
    """
    name = encoding_name(encoding) or encoding
    decoder: Any = None
    line, rest = 1, ""
    with bytes_of(file) as raw:
        while True:
            block = raw.read(BLOCK)
            if decoder is None:
                decoder, block = _decoder(block, name)
            held = decoder.getstate()[0]
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                raise _undecoded(file, name, error, line, rest) from None
            text = text.removeprefix("\ufeff") if not rest and line == 1 and held == b"" else text
            if text:
                yield text.encode()
                line += lines_in(rest[-1:] + text) - lines_in(rest[-1:])
                tail = max(text.rfind("\n"), text.rfind("\r"))
                rest = text[tail:] if tail >= 0 else rest + text
            if not block:
                return


def lines_in(text: str) -> int:
    r"""How many line ends a text has, of any kind.

    >>> lines_in("a\r\nb\nc\rd")
    3
    """
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _decoder(first: bytes, name: str) -> tuple[Any, bytes]:
    """A decoder, and what follows the mark that says which bytes come first."""
    for mark, found in MARKS.items():
        if first.startswith(mark) and found == name.removesuffix("-le").removesuffix("-be"):
            if found == "utf-16":
                name = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
            first = first[len(mark) :]
            break
    else:
        name = "utf-16-le" if name == "utf-16" else name
    return codecs.getincrementaldecoder(name)("strict"), first


def _undecoded(file: Path, name: str, error: UnicodeDecodeError, line: int, rest: str) -> DataError:
    before = error.object[: error.start].decode(error.encoding, "replace")
    row = line + lines_in(rest[-1:] + before) - lines_in(rest[-1:])
    tail = max(before.rfind("\n"), before.rfind("\r"))
    column = len(before) - tail if tail >= 0 else len(rest.lstrip("\r\n")) + len(before) + 1
    byte = error.object[error.start]
    return DataError(
        f"this is not {name}: the byte {byte:02x} cannot be read (character {column:,} of "
        "the line)",
        where=f"{file}, line {row:,}",
        fix="Say how the file is encoded, such as `read: {encoding: cp1252}`; `hedgerow init` "
        "detects it. If a few bytes are damaged, correct them.",
    )


def _refused(file: Path, scan: _Scan, text: bytes, form: SourceForm) -> DataError:
    status, line = int(scan.progress[_STATUS]), int(scan.progress[_LINE]) + 1
    where = f"{file}, line {line:,}"
    if status == _RAGGED:
        more = int(scan.progress[_FOUND]) > int(scan.progress[_COLUMNS])
        return DataError(
            f"{int(scan.progress[_FOUND]):,} fields where the header has "
            f"{int(scan.progress[_COLUMNS]):,}",
            where=where,
            fix="Give every line as many, and quote fields that hold the delimiter; or say "
            "another `delimiter` under `read`." + f" {SKIP_HINT}" * more,
        )
    if status == _OPEN:
        return DataError(
            "a quote is opened and never closed",
            where=where,
            fix="Close it, or say another `quote` under `read`; `quote: none` where there are "
            "none around fields.",
        )
    if status == _NUL:
        return DataError(
            f"a NUL byte (character {scan.column(text):,} of the line)",
            where=where,
            fix="Remove it. If every second byte is one, the file is `encoding: utf-16-le` or "
            "`utf-16-be`.",
        )
    quote = '"' if form.quote is None else form.quote
    return DataError(
        f"a stray {quote} (character {scan.column(text):,} of the line)",
        where=where,
        fix="Quote fields as a whole and double the quotes inside them; or say another `quote` "
        "under `read`, or `escape: backslash` where a backslash stands before them.",
    )


def _with_last(blocks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each with whether it is the last; an empty last one where there is none."""
    before: bytes | None = None
    for block in blocks:
        if before is not None:
            yield before, False
        before = block
    yield before or b"", True


def beginning(file: Path, encoding: str, *, skip: int = 0) -> tuple[bytes, bool]:
    """The first bytes of a file in UTF-8 after title lines, and whether they are all of it."""
    text = io.BytesIO()
    for block in without_titles(texts_of(file, encoding), skip):
        text.write(block)
        if text.tell() > PROBED:
            return text.getvalue()[:PROBED], False
    return text.getvalue(), True
