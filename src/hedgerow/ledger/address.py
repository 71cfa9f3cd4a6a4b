"""Where a ledger is kept: an SQLite file, or a PostgreSQL database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hedgerow.ledger.store import Store


def now() -> str:
    """The time in UTC, to the microsecond; later times sort after earlier ones."""
    return datetime.now(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def open_store(where: str | Path, *, create: bool) -> Store:
    """The database at a path or an address.

    Raises:
        LedgerError: It is not there, is no ledger, or cannot be used.
    """
    if isinstance(where, str) and "://" in where:
        from hedgerow.ledger.postgresql import open_database

        return open_database(where, create=create)
    from hedgerow.ledger.sqlite import open_file

    return open_file(Path(where), create=create)
