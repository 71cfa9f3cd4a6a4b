"""What is read from the tables of a ledger; each look-up but that by a beginning uses an index.

An entry that a decision rests on is checked against its own hash first: a total or a budget
that somebody has edited must not let anything through.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from functools import cache

from hedgerow.base.canonical_json import canonical, digest
from hedgerow.base.errors import HedgerowError, LedgerError
from hedgerow.ledger.connection import Row, Transaction
from hedgerow.ledger.entry import CLOSING, CONTENT_BYTES, CONTENT_SHA256, Entry, EntryKind, Position
from hedgerow.ledger.tables import ENTRIES
from hedgerow.noise.amounts import NOTHING, PLACES, Amounts

PAGE = 1000
"""Entries that are read at once."""
MOST = 2**62
"""More than any ledger has, and a number that both databases know."""
SHORTEST = 4
"""Characters that a reservation is looked up by; fewer are a mistyped number."""
_VERIFY = "Run `hedgerow ledger verify`."


def about(connection: Transaction) -> Row | None:
    """What the ledger says about itself: its id, its version, and when it was made."""
    found = connection.rows("SELECT id, version, created FROM hedgerow_ledger")
    return found[0] if len(found) == 1 else None


def newest(
    connection: Transaction,
    *,
    population: str | None = None,
    kind: EntryKind | None = None,
    key: str | None = None,
) -> Entry | None:
    """The last entry of those asked for, checked against its hash."""
    wanted = {"population": population, "kind": None if kind is None else str(kind), "key": key}
    given = {column: value for column, value in wanted.items() if value is not None}
    rows = connection.rows(f"{_where(*given)} ORDER BY seq DESC LIMIT 1", given)
    return trusted(rows[0]) if rows else None


@cache
def _where(*columns: str, more: str = "") -> str:
    """Entries that have given values in some columns."""
    asked = [*(f"{name} = :{name}" for name in columns), *([more] if more else [])]
    return ENTRIES + (f" WHERE {' AND '.join(asked)}" if asked else "")


def trusted(row: Row) -> Entry:
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


def readable(row: Row) -> Entry:
    """The entry of a row, for people to look at, whether or not it is as it was written."""
    try:
        entry = Entry.of_row(row)
        canonical(entry.body)  # 1e999 reads as infinity, and cannot be written again
        return entry
    except (HedgerowError, TypeError, ValueError, RecursionError):
        raise LedgerError(f"entry {row['seq']} of the ledger cannot be read", fix=_VERIFY) from None


def intact(row: Row) -> Entry | None:
    """The entry of a row; None if it cannot be read, or is not what its hash was made of."""
    try:
        entry = Entry.of_row(row)
        same = (
            row["body"] == canonical(entry.body).decode() and digest(entry.record()) == entry.hash
        )
    except (HedgerowError, TypeError, ValueError, RecursionError):
        return None
    return entry if same else None


def spent_by(connection: Transaction, population: str) -> Amounts:
    """All that a population has spent: its last entry says."""
    last = newest(connection, population=population)
    return last.total if last else NOTHING


def newest_spend(connection: Transaction, population: str) -> Amounts:
    """What the last reservation with a cost has cost."""
    spends = " + ".join(f"spend_{name}" for name in PLACES)
    where = _where("population", "kind", more=f"{spends} > 0")
    given = {"population": population, "kind": str(EntryKind.RESERVE)}
    rows = connection.rows(f"{where} ORDER BY seq DESC LIMIT 1", given)
    return trusted(rows[0]).spend if rows else NOTHING


def budget_of(connection: Transaction, population: str) -> Amounts | None:
    """The latest budget of a population."""
    last = newest(connection, population=population, kind=EntryKind.BUDGET)
    return last.budget if last else None


def position(connection: Transaction, population: str) -> Position:
    """Where a population stands."""
    rows = connection.rows(
        "SELECT kind, count(*) AS number FROM hedgerow_entries WHERE population = :population "
        "GROUP BY kind",
        {"population": population},
    )
    number = {row["kind"]: row["number"] for row in rows}
    from hedgerow.ledger.account import standing_now

    budget, spent = budget_of(connection, population), spent_by(connection, population)
    account = standing_now(connection, population)
    if account is not None:
        spent = account.spent()
    closed = sum(number.get(kind, 0) for kind in CLOSING)
    return Position(
        population=population,
        budget=budget,
        spent=spent,
        left=None if budget is None else spent.left_of(budget),
        releases=number.get(EntryKind.RELEASED, 0),
        reserved_open=number.get(EntryKind.RESERVE, 0) - closed,
        last=newest_spend(connection, population),
        standing=account,
    )


def population_names(connection: Transaction) -> list[str]:
    """Every population that has an entry."""
    every = "SELECT DISTINCT population FROM hedgerow_entries"
    found = connection.column("population", every)
    if not all(isinstance(name, str) for name in found):
        raise LedgerError("a population of the ledger has no name", fix=_VERIFY)
    return sorted(found)


def of_reservation(connection: Transaction, reservation: str) -> list[Entry]:
    """The entries of one reservation, oldest first."""
    query = f"{_where('reservation')} ORDER BY seq"
    return [trusted(row) for row in connection.rows(query, {"reservation": reservation})]


def look_up(connection: Transaction, what: str) -> list[Entry]:
    """By number, or by how a reservation begins."""
    rows: Sequence[Row] = ()
    if what.isascii() and what.isdecimal() and len(what) < 19:
        rows = connection.rows(_where("seq"), {"seq": int(what)})
    if not rows and len(what) >= SHORTEST and what.isascii() and what.isalnum():
        begins = _where(more="substr(reservation, 1, :length) = :begin")
        given = {"begin": what.lower(), "length": len(what), "most": PAGE}
        rows = connection.rows(f"{begins} ORDER BY seq LIMIT :most", given)
    return [readable(row) for row in rows]


def first_of_last(connection: Transaction, population: str | None, limit: int) -> int:
    """The number at which the newest `limit` entries begin."""
    if limit < 1:
        raise LedgerError(f"at least one entry must be asked for, not {limit}")
    given = {} if population is None else {"population": population}
    where = " WHERE population = :population" if given else ""
    query = f"SELECT seq FROM hedgerow_entries{where} ORDER BY seq DESC LIMIT :most"
    found: list[int] = connection.column("seq", query, {**given, "most": min(limit, MOST)})
    return found[-1] if found else 1


def last_page(connection: Transaction, population: str | None, limit: int) -> Sequence[Row]:
    """The newest `limit` rows, oldest first."""
    given = {} if population is None else {"population": population}
    query = f"{_where(*given)} ORDER BY seq DESC LIMIT :most"
    return connection.rows(query, {**given, "most": min(limit, MOST)})[::-1]


def page(
    connection: Transaction, population: str | None, after: int, kind: EntryKind | None = None
) -> Sequence[Row]:
    """The next rows after a number."""
    wanted = {"population": population, "kind": None if kind is None else str(kind)}
    given = {column: value for column, value in wanted.items() if value is not None}
    query = f"{_where(*given, more='seq > :after')} ORDER BY seq LIMIT :most"
    return connection.rows(query, {**given, "after": after, "most": PAGE})


def packed_content(connection: Transaction, seq: int) -> bytes | None:
    """The compressed bytes kept with an entry."""
    query = "SELECT data FROM hedgerow_contents WHERE seq = :seq"
    found: list[bytes] = connection.column("data", query, {"seq": seq})
    return found[0] if found else None


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
