"""A ledger in a PostgreSQL database."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote

from hedgerow.base.errors import LedgerError
from hedgerow.base.extras import extra
from hedgerow.ledger import tables
from hedgerow.ledger.connection import PATIENCE, UNKNOWN, Database, Transaction, scrubbed
from hedgerow.ledger.store import Store

CREATING = 4_851_970_631_557_021_697
"""The lock that is given to one creator of a ledger at a time."""

_ERRORS = {
    "28": "Check the user and the password in the address of the ledger.",
    "42501": "The database's owner must let this user read, insert, and lock the ledger's row.",
    "25006": "The database only allows reading. Use the primary server.",
    "53": "Make room on the database server and try again. Nothing is lost.",
    "55P03": f"Somebody has been writing for more than {PATIENCE} seconds. Try again.",
}
"""What helps, by how the server's error code begins."""
_UNREACHABLE = "Check the address of the ledger, and that the database server runs."


class PostgreSQLDatabase(Database):
    """A database on a server.

    Args:
        given: What libpq is told to find it.

    Raises:
        LedgerError: Its driver is not installed.
    """

    kind: Literal["postgresql"] = "postgresql"
    file = None

    def __init__(self, given: Mapping[str, Any]) -> None:
        user, host, port = (given.get(key) for key in ("user", "host", "port"))
        self.name = f"postgresql://{f'{user}@' if user else ''}{host or ''}"
        self.name += f"{f':{port}' if port else ''}/{given.get('dbname') or ''}"
        hidden = [key for key in given if "password" in key or "secret" in key]
        self._secrets = tuple(given[key] for key in hidden if given[key])
        usual = {"connect_timeout": "10", "application_name": "hedgerow"}
        self._given = {**usual, **given, "client_encoding": "UTF8"}
        with extra("postgresql", "PostgreSQL", where=self.name, raises=LedgerError):
            import psycopg
            import psycopg.conninfo
            from psycopg.rows import dict_row
        self.error: type[Exception] = psycopg.Error
        self._psycopg, self._rows = psycopg, dict_row

    def connect(self) -> Any:
        try:
            told = self._psycopg.conninfo.make_conninfo(**self._given)
            return self._psycopg.connect(told, autocommit=False, row_factory=self._rows)
        except UnicodeError:
            raise LedgerError(f"{self._given.get('host')!r} is no name of a host") from None

    def is_alive(self, driver: Any) -> bool:
        try:
            driver.autocommit = True  # in one round trip
            driver.execute("SELECT 1")
            driver.autocommit = False
        except self.error:
            return False
        return True

    def close(self, driver: Any) -> None:
        driver.close()

    def begin(self, driver: Any, *, write: bool) -> None:
        # With the first statement, as the driver does it.
        level = self._psycopg.IsolationLevel
        driver.isolation_level = level.READ_COMMITTED if write else level.REPEATABLE_READ

    def lock(self, connection: Transaction) -> None:
        """Writers stand in line, and a server set to forget recent work does not forget this."""
        connection.do(
            f"SELECT set_config('lock_timeout', '{PATIENCE}s', true), "
            "set_config('synchronous_commit', CASE current_setting('synchronous_commit') "
            "WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)"
        )
        if not connection.rows("SELECT id FROM hedgerow_ledger FOR UPDATE"):
            raise LedgerError(
                "the ledger lacks the row that says what it is",
                fix="Restore the newest copy of it.",
            )

    def execute(self, driver: Any, sql: str, given: Mapping[str, Any]) -> Any:
        return driver.execute(_with_parameters(sql), given or None)

    def commit(self, driver: Any) -> None:
        if driver.info.transaction_status == self._psycopg.pq.TransactionStatus.INERROR:
            # The server would take the commit for a rollback, and say nothing.
            raise LedgerError("the transaction was ended by an error, and nothing was recorded")
        try:
            driver.commit()
        except self.error as error:
            what = scrubbed(str(error), self._secrets)
            raise LedgerError(f"the database went away: {what}", fix=UNKNOWN) from None

    def told(self, error: Exception) -> LedgerError:
        text = scrubbed(str(error), self._secrets)
        code = getattr(error, "sqlstate", None) or ("28" if "password" in text else "")
        for begin, fix in _ERRORS.items():
            if code.startswith(begin):
                return LedgerError(f"the database refuses: {text}", where=self.name, fix=fix)
        if not code or code.startswith(("08", "57P")):
            what = f"the database cannot be reached: {text}"
            return LedgerError(what, where=self.name, fix=_UNREACHABLE)
        return LedgerError(f"the database refuses: {text}", where=self.name)


@cache
def _with_parameters(sql: str) -> bytes:
    """:name, but not the type in ::name, as the driver writes a parameter."""
    return re.sub(r"(?<!:):([a-z]\w*)", r"%(\1)s", sql).encode()


def open_database(address: str, *, create: bool) -> Store:
    """The ledger in the database at an address.

    Raises:
        LedgerError: It is not there, or cannot be used.
    """
    database = PostgreSQLDatabase(_found(address))
    store = Store(database)
    try:
        with store.reading() as connection:
            there = _is_there(connection)
        if not there and create:
            with contextlib.closing(Store(database, lock=_lock_creation)) as creator:
                _create(creator)
        elif not there:
            raise LedgerError(
                "there is no ledger in this database",
                where=database.name,
                fix="Check the address. The first `hedgerow publish` that names a ledger makes "
                "it, and so does `hedgerow ledger budget POPULATION --set epsilon=1`.",
            )
    except BaseException:
        store.close()
        raise
    return store


_ADDRESS = re.compile(
    r"(?:(?P<user>[^:/?@]*)(?::(?P<password>[^@]*))?@)?"
    r"(?P<hosts>[^/?@]*)(?:/(?P<dbname>[^?]*))?(?:\?(?P<more>.*))?"
)
_HOST = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<host>[^:]*))(?::(?P<port>\d*))?")


def _found(address: str) -> dict[str, str]:
    """What an address says, as libpq calls it.

    Not read by libpq: of a password with a / in it, that would take the rest for a database.

    >>> _found("postgresql://steward:a/b%20c@[::1]:5433/ledgers?sslmode=require")
    {'user': 'steward', 'password': 'a/b c', 'dbname': 'ledgers', 'host': '::1', 'port': '5433', \
'sslmode': 'require'}
    """
    scheme, _, rest = address.partition("://")
    fix = "Give the path of an SQLite file, or postgresql://user@host/database."
    if scheme.lower() not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise LedgerError(f"a ledger cannot be kept at an address of {scheme.lower()}://", fix=fix)
    said = _ADDRESS.fullmatch(rest)
    hosts = [_HOST.fullmatch(one) for one in said["hosts"].split(",")] if said else [None]
    if said is None or None in hosts or "\0" in unquote(rest):
        # What is wrong with it is not repeated: there may be a password in it.
        more = f"{fix} In a password write %40 for @."
        raise LedgerError("the address of the ledger cannot be understood", fix=more)
    found = {key: unquote(said[key] or "") for key in ("user", "password", "dbname")}
    each = [one for one in hosts if one is not None]
    found["host"] = ",".join(unquote(one["six"] or one["host"] or "") for one in each)
    found["port"] = ",".join(one["port"] or "" for one in each)
    found |= dict(parse_qsl(said["more"] or "", keep_blank_values=True))
    return {key: value for key, value in found.items() if value.strip(",")}


def _is_there(connection: Transaction) -> bool:
    # Not to_regclass: it may remember, from before a lock was had, that there was no table.
    found = connection.rows(
        "SELECT relname FROM pg_catalog.pg_class "
        "WHERE relname = 'hedgerow_ledger' AND pg_catalog.pg_table_is_visible(oid)"
    )
    return bool(found)


def _create(store: Store) -> None:
    with store.writing() as connection:
        if _is_there(connection):
            return  # somebody was quicker
        (encoding,) = connection.column("server_encoding", "SHOW server_encoding")
        if encoding != "UTF8":
            raise LedgerError(
                f"the database is encoded in {encoding}, and a ledger needs UTF8",
                fix="Make another database: createdb --encoding UTF8 --template template0 NAME",
            )
        tables.create(connection)


def _lock_creation(connection: Transaction) -> None:
    connection.do(f"SELECT pg_advisory_xact_lock({CREATING})")
