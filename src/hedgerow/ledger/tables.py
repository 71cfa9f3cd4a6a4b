"""The tables of a ledger, the same in SQLite and PostgreSQL, and what keeps them append-only."""

from __future__ import annotations

import uuid
from typing import Final

from hedgerow.ledger.address import now
from hedgerow.ledger.connection import Transaction
from hedgerow.ledger.entry import COLUMNS, VERSION, EntryKind

# Only a column of SQLite's own INTEGER type is the row's address; PostgreSQL's has 32 bits.
_TYPES = {
    "sqlite": {"number": "INTEGER", "bytes": "BLOB"},
    "postgresql": {"number": "BIGINT", "bytes": "BYTEA"},
}
_KINDS = ", ".join(f"'{kind}'" for kind in EntryKind)
_AMOUNTS = ", ".join(
    f"{what}_{name} BIGINT NOT NULL CHECK ({what}_{name} >= 0)"
    for what in ("spend", "total")
    for name in ("epsilon", "delta", "rho")
)

# The first has one row: what the ledger is. PostgreSQL writers lock it, one after the other. The
# last has what was published, compressed; its SHA-256 is in the entry's body.
_TABLES = [
    """CREATE TABLE hedgerow_ledger (
        one {number} NOT NULL PRIMARY KEY CHECK (one = 1),
        id TEXT NOT NULL, version TEXT NOT NULL, created TEXT NOT NULL
    )""",
    f"""CREATE TABLE hedgerow_entries (
        seq {{number}} NOT NULL PRIMARY KEY CHECK (seq > 0),
        population TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ({_KINDS})),
        reservation TEXT NOT NULL, key TEXT, at TEXT NOT NULL, body TEXT NOT NULL,
        {_AMOUNTS},
        previous TEXT NOT NULL, hash TEXT NOT NULL
    )""",
    """CREATE TABLE hedgerow_contents (
        seq {number} NOT NULL PRIMARY KEY REFERENCES hedgerow_entries (seq), data {bytes} NOT NULL
    )""",
    "CREATE INDEX hedgerow_entries_population ON hedgerow_entries (population, seq)",
    "CREATE INDEX hedgerow_entries_kind ON hedgerow_entries (population, kind, seq)",
    "CREATE INDEX hedgerow_entries_key ON hedgerow_entries (population, key, kind, seq)",
    "CREATE INDEX hedgerow_entries_reservation ON hedgerow_entries (reservation)",
]

# Without quotes: what stands in them SQLite takes for a text if there is no such column.
_NAMES = ", ".join(COLUMNS)
ENTRIES: Final = f"SELECT {_NAMES} FROM hedgerow_entries"
"""All of each entry."""
APPEND: Final = (
    f"INSERT INTO hedgerow_entries ({_NAMES}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})"
)
KEEP: Final = "INSERT INTO hedgerow_contents (seq, data) VALUES (:seq, :data)"

REFUSAL: Final = "the ledger is append-only"
# SQLite's INSERT OR REPLACE deletes without asking the trigger for DELETE.
_FREE = {
    "hedgerow_ledger": "(SELECT count(*) FROM hedgerow_ledger) = 0",
    "hedgerow_entries": "NEW.seq = (SELECT coalesce(max(seq), 0) + 1 FROM hedgerow_entries)",
    "hedgerow_contents": "NOT EXISTS (SELECT 1 FROM hedgerow_contents WHERE seq = NEW.seq)",
}

_SQLITE = {
    f"{table}_no_{event.lower()}": f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON "
    f"{table} BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for table in _FREE
    for event in ("UPDATE", "DELETE")
} | {
    f"{table}_in_order": f"CREATE TRIGGER {table}_in_order BEFORE INSERT ON {table} "
    f"WHEN NOT ({free}) BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for table, free in _FREE.items()
}

_BODY = f" BEGIN RAISE EXCEPTION '{REFUSAL}'; END "
_POSTGRESQL = [
    "CREATE FUNCTION hedgerow_append_only() RETURNS trigger LANGUAGE plpgsql AS " + f"$${_BODY}$$"
] + [
    f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
    "FOR EACH STATEMENT EXECUTE FUNCTION hedgerow_append_only()"
    for table in _FREE
]

# What a trigger does, as each database tells it. PostgreSQL spells a definition by whoever asks:
# its parts are looked at instead. 58: before an update, a delete or a truncate, by statement.
_GUARDS = {
    "sqlite": _SQLITE,
    "postgresql": {f"{table}_append_only": f"{table} 58 plpgsql 0 0 {_BODY}" for table in _FREE},
}
_STANDING = {
    "sqlite": "SELECT name, sql AS told FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname AS name, "
    "concat_ws(' ', relname, tgtype, lanname, tgnargs, cardinality(tgattr::int2[]), "
    "coalesce(pg_get_expr(tgqual, tgrelid), '') || prosrc) AS told FROM pg_trigger "
    "JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid "
    "JOIN pg_language ON pg_language.oid = prolang "
    "WHERE NOT tgisinternal AND tgenabled IN ('O', 'A') AND tgrelid IN "
    "('hedgerow_ledger'::regclass, 'hedgerow_entries'::regclass, 'hedgerow_contents'::regclass)",
}


def create(connection: Transaction) -> None:
    """All tables, the triggers that refuse to change or remove what is in them, and the one row."""
    kind = connection.database.kind
    for statement in _TABLES:
        connection.do(statement.format(**_TYPES[kind]))
    for statement in _SQLITE.values() if kind == "sqlite" else _POSTGRESQL:
        connection.do(statement)
    connection.do(
        "INSERT INTO hedgerow_ledger (one, id, version, created) VALUES (1, :id, :version, :at)",
        {"id": str(uuid.uuid4()), "version": VERSION, "at": now()},
    )


def broken_guards(connection: Transaction) -> list[str]:
    """What is wrong with the triggers: missing or switched off, others in their place, or more."""
    kind = connection.database.kind
    own = _GUARDS[kind]
    found = {str(row["name"]): row["told"] for row in connection.rows(_STANDING[kind])}
    missing = [
        f"the trigger {name} is missing: entries can be changed" for name in own.keys() - found
    ]
    other = [
        f"the trigger {name} was replaced by one that does something else: entries can be changed"
        for name, told in own.items()
        if found.get(name, told) != told
    ]
    foreign = [f"the trigger {name} is none of the ledger's own" for name in found.keys() - own]
    return sorted([*missing, *other, *foreign])
