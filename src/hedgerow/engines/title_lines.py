"""Title lines: what stands above the header of a report, to be skipped and never to be read.

How many there are is said under `read`. `init` and `look` detect them where it is evident: every
line above has a few fields at the left, and below a row of names some columns hold numbers.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

DETECT = -1
"""In place of a number of lines: whoever reads the file is to find out, to tell a person."""
MOST = 40
"""Title lines that are looked for."""
LEAST_COLUMNS = 3
"""Of a table under title lines; of two columns, one beside one is not evident."""
JUDGED = 200
"""Rows by which columns are judged."""
SKIP_HINT = "If title lines stand above the header, say how many: `read: {skip: 3}`."
_END = re.compile(rb"\r\n|\n|\r")
_NUMBER = re.compile(r"\s*[^\w\s]?\s*\d[\d\s.,:/'%€$£-]*\s*")
"""A number, a date or a time, however it is written."""
_OTHER = re.compile(r"[;|\t]")


def without_titles(blocks: Iterator[bytes], lines: int) -> Iterator[bytes]:
    r"""A text without its first lines; the last block is empty where nothing is left.

    >>> list(without_titles(iter([b"a\r", b"\nb", b"\nc"]), 2))
    [b'c']
    """
    rest = b""
    for block in blocks:
        if lines <= 0:
            yield block
            continue
        rest += block
        while lines and (end := _END.search(rest)):
            if end[0] == b"\r" and end.end() == len(rest):
                break  # the next byte may belong to it
            rest, lines = rest[end.end() :], lines - 1
        if lines:
            rest = rest[-1:] if rest.endswith(b"\r") else b""
        elif rest:
            yield rest


def title_notes(titles: Sequence[str]) -> tuple[str, ...]:
    """What a person is told of title lines that were detected: one note, or none.

    >>> title_notes(["Ward 3", ""])
    ("2 lines above the header are skipped: 'Ward 3'.",)
    """
    if not titles:
        return ()
    lines = "line above the header is" if len(titles) == 1 else "lines above the header are"
    there = [text for title in titles if (text := " ".join(title.split()).rstrip(",;| "))]
    shown = ", ".join(repr(one if len(one) <= 60 else one[:59] + "…") for one in there[:3])
    more = ", …" if len(there) > 3 else ""
    return (f"{len(titles)} {lines} skipped{': ' * bool(there)}{shown}{more}.",)


def titles_of_text(text: str, delimiter: str, quote: str) -> tuple[str, ...]:
    r"""The title lines that a CSV file evidently has.

    >>> titles_of_text("Report 2020\n\nid;age;sex\n1;30;f\n2;31;m\n", ";", '"')
    ('Report 2020', '')
    >>> titles_of_text("id;age;sex\n1;30;f\n2;31;m\n", ";", '"')
    ()

    Args:
        text: The beginning of the file, of complete lines.
        delimiter: Between fields.
        quote: Around fields; nothing where there is none.
    """
    lines = re.split(r"\r\n|\n|\r", text)[: MOST + JUDGED]
    reader = csv.reader(
        lines, delimiter=delimiter, quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    )  # fmt: skip
    rows: list[list[str]] = []
    try:
        for row in reader:
            rows += [[]] * (reader.line_num - len(rows) - 1)  # a record on several lines
            rows.append(row)
    except csv.Error:
        return ()
    return tuple(lines[: titles_above(rows, padded=False)])


def titles_above(rows: Sequence[Sequence[str]], *, padded: bool) -> int:
    """How many rows above the header are evidently no rows of the table.

    Args:
        rows: The first rows, as text; an empty text where there is nothing.
        padded: Whether rows have the same length whatever they hold, as in a workbook.
    """
    filled = [sum(map(bool, map(str.strip, row))) if padded else _used(row) for row in rows]
    for top in range(1, min(MOST + 1, len(rows))):
        width = _used(rows[top])
        if width < LEAST_COLUMNS or 2 * max(filled[:top]) > width:
            continue
        body = [row for row in rows[top + 1 : top + 1 + JUDGED] if _used(row)]
        even = padded or all(len(row) == len(rows[top]) for row in body)
        if body and even and _are_names(rows[top][:width]) and _some_numbers(body, width):
            return top
        return 0  # the first wide row is the header, or nothing is evident
    return 0


def _used(row: Sequence[str]) -> int:
    """Up to which field there is something."""
    return max((i + 1 for i, field in enumerate(row) if field.strip()), default=0)


def _are_names(row: Sequence[str]) -> bool:
    """Whether these may be names of columns; the first may be missing, over row numbers."""
    names = [field.strip().casefold() for field in row]
    named = all(names[1:]) and len({*names}) == len(names)
    # A sign that stands between fields of other files: another delimiter splits them rightly.
    plain = not any(_NUMBER.fullmatch(name) or _OTHER.search(name) for name in names)
    return named and plain


def _some_numbers(body: Sequence[Sequence[str]], width: int) -> bool:
    """Whether most values of a column are numbers or dates, which its name is not."""
    for column in list(zip_longest(*body, fillvalue=""))[:width]:
        values = [field for field in column if field.strip()]
        if 2 * sum(map(bool, map(_NUMBER.fullmatch, values))) > len(values):
            return True
    return False
