"""The tables of a ledger, the same in SQLite and PostgreSQL, and what keeps them append-only."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

from hedgerow.ledger.entry import Kind

metadata = MetaData()
# Only a column of SQLite's own INTEGER type is the row's address; PostgreSQL's has 32 bits.
_Number = BigInteger().with_variant(Integer, "sqlite")


def _text(name: str, *, missing: bool = False) -> Column[str]:
    return Column(name, Text, nullable=missing)


def _amount(name: str) -> Column[int]:
    return Column(name, BigInteger, CheckConstraint(f"{name} >= 0"), nullable=False)


anchor = Table(
    "hedgerow_ledger",
    metadata,
    Column("one", _Number, CheckConstraint("one = 1"), primary_key=True, autoincrement=False),
    _text("id"),
    _text("version"),
    _text("created"),
)
"""One row: what the ledger is. PostgreSQL writers lock it, one after the other."""

entries = Table(
    "hedgerow_entries",
    metadata,
    Column("seq", _Number, CheckConstraint("seq > 0"), primary_key=True, autoincrement=False),
    _text("population"),
    Column(
        "kind",
        Text,
        CheckConstraint(f"kind IN ({', '.join(repr(str(kind)) for kind in Kind)})"),
        nullable=False,
    ),
    _text("reservation"),
    _text("key", missing=True),
    _text("at"),
    _text("body"),
    *(_amount(f"{what}_{name}") for what in ("spend", "total")
      for name in ("epsilon", "delta", "rho")),
    _text("previous"),
    _text("hash"),
    Index("hedgerow_entries_population", "population", "seq"),
    Index("hedgerow_entries_kind", "population", "kind", "seq"),
    Index("hedgerow_entries_key", "population", "key", "kind", "seq"),
    Index("hedgerow_entries_reservation", "reservation"),
)  # fmt: skip

contents = Table(
    "hedgerow_contents",
    metadata,
    Column("seq", _Number, ForeignKey("hedgerow_entries.seq"), primary_key=True,
           autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)  # fmt: skip
"""What was published, compressed; its SHA-256 is in the entry's body."""

REFUSAL: Final = "the ledger is append-only"
# SQLite's INSERT OR REPLACE deletes without asking the trigger for DELETE.
_FREE = {
    "hedgerow_ledger": "(SELECT count(*) FROM hedgerow_ledger) = 0",
    "hedgerow_entries": "NEW.seq = (SELECT coalesce(max(seq), 0) + 1 FROM hedgerow_entries)",
    "hedgerow_contents": "NOT EXISTS (SELECT 1 FROM hedgerow_contents WHERE seq = NEW.seq)",
}

_SQLITE = [
    f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for table in _FREE
    for event in ("UPDATE", "DELETE")
] + [
    f"CREATE TRIGGER {table}_in_order BEFORE INSERT ON {table} WHEN NOT ({free}) "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for table, free in _FREE.items()
]

_POSTGRESQL = [
    "CREATE FUNCTION hedgerow_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
] + [
    f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
    "FOR EACH STATEMENT EXECUTE FUNCTION hedgerow_append_only()"
    for table in _FREE
]

_GUARDS = {
    "sqlite": {
        f"{table}_{what}" for table in _FREE for what in ("no_update", "no_delete", "in_order")
    },
    "postgresql": {f"{table}_append_only" for table in _FREE},
}
_STANDING = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgenabled <> 'D' "
    "AND tgrelid IN ('hedgerow_ledger'::regclass, 'hedgerow_entries'::regclass, "
    "'hedgerow_contents'::regclass)",
}


def create(connection: Connection) -> None:
    """All tables, and the triggers that refuse to change or remove what is in them."""
    metadata.create_all(connection)
    for statement in _SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL:
        connection.exec_driver_sql(statement)


def missing_guards(connection: Connection) -> list[str]:
    """Triggers that should be there and are not, or are switched off."""
    store = connection.dialect.name
    standing = {row[0] for row in connection.exec_driver_sql(_STANDING[store])}
    return sorted(_GUARDS[store] - standing)
