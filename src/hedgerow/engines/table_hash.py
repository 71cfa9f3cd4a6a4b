"""The hash of a table, which has rows and no order.

Each row is the texts of its columns, packed as `encoded` says, and has the SHA-256 of that. Rows
are put into buckets by the first digits of their hashes; a bucket's hash is that of the sorted
hashes of its rows, one after the other; the table's is that of a line for each bucket that has
rows, in order: its digits, a colon and its hash. How many digits follows from the number of rows.
So no engine ever has to sort the whole table, and all come to the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol

from hedgerow.engines.packed_text import SEPARATOR, element

BUCKET = 65_536
"""Rows in a bucket, about, at most."""


class Hashing(Protocol):
    """What the hash takes of a dialect of SQL; see `Dialect`."""

    def sha256(self, sql: str) -> str: ...

    def sorted_text(self, sql: str) -> str: ...


def digits(rows: int) -> int:
    """How many digits tell buckets apart.

    >>> [digits(rows) for rows in (0, 65_536, 65_537, 10**9)]
    [0, 0, 1, 4]
    """
    found = 0
    while 16**found * BUCKET < rows:
        found += 1
    return found


def buckets(relation: str, texts: Sequence[str], rows: int, dialect: Hashing) -> str:
    """SQL of the buckets `b` and their hashes `h`.

    Args:
        relation: To stand after FROM.
        texts: SQL of each column's text.
        rows: How many there are.
        dialect: Of the SQL.
    """
    row = dialect.sha256(f"concat_ws({SEPARATOR}, {', '.join(map(element, texts))})")
    return (
        f"SELECT b, {dialect.sha256(dialect.sorted_text('h'))} AS h "
        f"FROM (SELECT substr(h, 1, {digits(rows)}) AS b, h "
        f"FROM (SELECT {row} AS h FROM {relation}) AS x) AS y GROUP BY b"
    )


def whole(found: Iterable[tuple[str, str]]) -> str:
    """The hash of the table, from its buckets.

    >>> whole([]) == hashlib.sha256(b"").hexdigest()
    True
    """
    lines = (f"{bucket}:{hashed}\n" for bucket, hashed in sorted(found))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
