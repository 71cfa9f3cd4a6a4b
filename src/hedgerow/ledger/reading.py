"""What is read from the tables of a ledger; each look-up uses an index.

An entry that a decision rests on is checked against its own hash first: a total or a budget
that somebody has edited must not let anything through.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select

from hedgerow.canonical import canonical, digest
from hedgerow.errors import HedgerowError
from hedgerow.ledger.amounts import NOTHING, Amounts
from hedgerow.ledger.entry import CLOSING, CONTENT_BYTES, CONTENT_SHA256, Entry, Kind, Position
from hedgerow.ledger.errors import LedgerError
from hedgerow.ledger.tables import anchor, contents, entries

PAGE = 1000
"""Entries that are read at once."""
SHORTEST = 4
"""Characters that a reservation is looked up by; fewer are a mistyped number."""


def about(connection: Connection) -> Mapping[Any, Any] | None:
    """What the ledger says about itself: its id, its version, and when it was made."""
    return connection.execute(select(anchor)).mappings().one_or_none()


def newest(
    connection: Connection,
    *,
    population: str | None = None,
    kind: Kind | None = None,
    key: str | None = None,
) -> Entry | None:
    """The last entry of those asked for, checked against its hash."""
    wanted = {"population": population, "kind": None if kind is None else str(kind), "key": key}
    given = {column: value for column, value in wanted.items() if value is not None}
    row = connection.execute(_newest(tuple(given)), given).mappings().first()
    return None if row is None else trusted(row)


@cache
def _newest(columns: tuple[str, ...]) -> Select[Any]:
    """Made once: to build a statement takes longer than to run it."""
    query = select(entries).where(*(entries.c[name] == bindparam(name) for name in columns))
    return query.order_by(entries.c.seq.desc()).limit(1)


def trusted(row: Mapping[Any, Any]) -> Entry:
    """The entry of a row, if it is as it was written.

    Raises:
        LedgerError: It is not.
    """
    entry = intact(row)
    if entry is None:
        raise LedgerError(
            f"entry {row['seq']} of the ledger was changed after it was written",
            fix="Run `hedgerow ledger verify`, and restore the newest copy that verifies.",
        )
    return entry


def readable(row: Mapping[Any, Any]) -> Entry:
    """The entry of a row, for people to look at, whether or not it is as it was written."""
    try:
        entry = Entry.of_row(row)
        canonical(entry.body)  # 1e999 reads as infinity, and cannot be written again
        return entry
    except (HedgerowError, TypeError, ValueError, RecursionError):
        raise LedgerError(
            f"entry {row['seq']} of the ledger cannot be read", fix="Run `hedgerow ledger verify`."
        ) from None


def intact(row: Mapping[Any, Any]) -> Entry | None:
    """The entry of a row; None if it cannot be read, or is not what its hash was made of."""
    try:
        entry = Entry.of_row(row)
        same = (
            row["body"] == canonical(entry.body).decode() and digest(entry.record()) == entry.hash
        )
    except (HedgerowError, TypeError, ValueError, RecursionError):
        return None
    return entry if same else None


def spent_by(connection: Connection, population: str) -> Amounts:
    """All that a population has spent: its last entry says."""
    last = newest(connection, population=population)
    return last.total if last else NOTHING


def budget_of(connection: Connection, population: str) -> Amounts | None:
    """The latest budget of a population."""
    last = newest(connection, population=population, kind=Kind.BUDGET)
    return last.budget if last else None


def position(connection: Connection, population: str) -> Position:
    """Where a population stands."""
    query = select(entries.c.kind, func.count()).where(entries.c.population == population)
    rows = connection.execute(query.group_by(entries.c.kind))
    number = {Kind(kind): count for kind, count in rows}
    budget, spent = budget_of(connection, population), spent_by(connection, population)
    closed = sum(number.get(kind, 0) for kind in CLOSING)
    return Position(
        population=population,
        budget=budget,
        spent=spent,
        left=None if budget is None else spent.left_of(budget),
        releases=number.get(Kind.RELEASED, 0),
        reserved_open=number.get(Kind.RESERVE, 0) - closed,
    )


def population_names(connection: Connection) -> list[str]:
    """Every population that has an entry."""
    return sorted(connection.execute(select(entries.c.population).distinct()).scalars())


_OF_RESERVATION = (
    select(entries).where(entries.c.reservation == bindparam("wanted")).order_by(entries.c.seq)
)


def of_reservation(connection: Connection, reservation: str) -> list[Entry]:
    """The entries of one reservation, oldest first."""
    rows = connection.execute(_OF_RESERVATION, {"wanted": reservation}).mappings()
    return [trusted(row) for row in rows]


def look_up(connection: Connection, what: str) -> list[Entry]:
    """By number, or by how a reservation begins."""
    query = select(entries).order_by(entries.c.seq).limit(PAGE)
    rows: Sequence[Mapping[Any, Any]] = ()
    if what.isascii() and what.isdecimal() and len(what) < 19:
        rows = connection.execute(query.where(entries.c.seq == int(what))).mappings().all()
    if not rows and len(what) >= SHORTEST:
        like = query.where(entries.c.reservation.startswith(what, autoescape=True))
        rows = connection.execute(like).mappings().all()
    return [readable(row) for row in rows]


def first_of_last(connection: Connection, population: str | None, limit: int) -> int:
    """The number at which the newest `limit` entries begin."""
    if limit < 1:
        raise LedgerError(f"at least one entry must be asked for, not {limit}")
    given = {"most": limit} | ({} if population is None else {"population": population})
    rows = connection.execute(_last(entries.c.seq, population is not None), given).scalars().all()
    return rows[-1] if rows else 1


def last_page(
    connection: Connection, population: str | None, limit: int
) -> Sequence[Mapping[Any, Any]]:
    """The newest `limit` rows, oldest first."""
    given = {"most": limit} | ({} if population is None else {"population": population})
    rows = connection.execute(_last(entries, population is not None), given).mappings().all()
    return rows[::-1]


@cache
def _last(what: Any, of_one: bool) -> Select[Any]:
    query = select(what).order_by(entries.c.seq.desc()).limit(bindparam("most"))
    return query.where(entries.c.population == bindparam("population")) if of_one else query


def page(
    connection: Connection, population: str | None, after: int, kind: Kind | None = None
) -> Sequence[Mapping[Any, Any]]:
    """The next rows after a number."""
    wanted = {"population": population, "kind": None if kind is None else str(kind)}
    given = {column: value for column, value in wanted.items() if value is not None}
    where = {**given, "after": after, "most": PAGE}
    return connection.execute(_page(tuple(given)), where).mappings().all()


@cache
def _page(columns: tuple[str, ...]) -> Select[Any]:
    query = select(entries).where(entries.c.seq > bindparam("after"))
    query = query.where(*(entries.c[name] == bindparam(name) for name in columns))
    return query.order_by(entries.c.seq).limit(bindparam("most"))


def packed_content(connection: Connection, seq: int) -> bytes | None:
    """The compressed bytes kept with an entry."""
    query = select(contents.c.data).where(contents.c.seq == seq)
    packed: bytes | None = connection.execute(query).scalar_one_or_none()
    return packed


def unpacked(entry: Entry, packed: bytes | None) -> bytes | None:
    """The content of an entry; None if it is not what the entry says it is."""
    size = entry.body.get(CONTENT_BYTES)
    if not isinstance(packed, bytes) or type(size) is not int or size < 0:
        return None
    try:
        # Never more than the entry says: a small file can unpack to more than memory holds.
        content = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error:
        return None
    same = hashlib.sha256(content).hexdigest() == entry.body.get(CONTENT_SHA256)
    return content if same and len(content) == size else None
