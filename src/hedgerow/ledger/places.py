"""Where a ledger is kept: an SQLite file, or a PostgreSQL database."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import threading
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from hedgerow.ledger import tables
from hedgerow.ledger.entry import VERSION
from hedgerow.ledger.errors import LedgerError
from hedgerow.ledger.store import PATIENCE, Store

APPLICATION = int.from_bytes(b"Hdgr", "big")
"""Stands in the head of the SQLite file, so that another program's is not taken for a ledger."""
_MAGIC = b"SQLite format 3\0"
_CREATING = 4_851_970_631_557_021_697
"""The lock that PostgreSQL gives to one creator of a ledger at a time."""


def now() -> str:
    """The time in UTC, to the microsecond; later times sort after earlier ones."""
    return datetime.now(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def open_store(where: str | Path, *, create: bool) -> Store:
    """The database at a path or an address.

    Raises:
        LedgerError: It is not there, is no ledger, or cannot be used.
    """
    if isinstance(where, str) and "://" in where:
        return _postgresql(where, create=create)
    return _sqlite(Path(where), create=create)


def _sqlite(path: Path, *, create: bool) -> Store:
    name = str(path)
    try:
        place = path.resolve()
        if not place.exists():
            if not create:
                raise LedgerError(
                    "there is no ledger here",
                    where=name,
                    fix="Check the path. The first `hedgerow publish` that names a ledger makes "
                    "it, and so does `hedgerow ledger budget POPULATION --set epsilon=1`.",
                )
            _create_file(place, name)
        _refuse_other_files(place, name)
        status = place.stat()
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        why = getattr(error, "strerror", None) or error
        raise LedgerError(
            f"cannot be used as a ledger: {why}", where=name, fix="Check the path."
        ) from None

    def unmoved(connection: Connection) -> None:
        # Writing on into a file that has been moved away would be writing into nothing.
        connection.begin()
        try:
            here = place.stat()
        except OSError:
            here = None
        if here is None or (here.st_dev, here.st_ino) != (status.st_dev, status.st_ino):
            raise LedgerError(
                "the ledger was moved or replaced while it was open",
                where=name,
                fix="Put it back, or open the one that is there now.",
            )

    return Store(_sqlite_engine(place), name=name, lock=unmoved, at_end=_keep_idle)


def _refuse_other_files(place: Path, name: str) -> None:
    """Look at the head of the file only: SQLite would write beside whatever it opens."""
    if not stat.S_ISREG(place.stat().st_mode):
        what = "this is a folder" if place.is_dir() else "this is no file"
        fix = f"Name a file, such as {str(Path(name) / 'ledger.db')!r}."
        raise LedgerError(f"{what}, and a ledger is a file", where=name, fix=fix)
    with place.open("rb") as file:
        head = file.read(100)
    if head[:16] != _MAGIC or int.from_bytes(head[68:72], "big") != APPLICATION:
        what = "another program's database" if head[:16] == _MAGIC else "some other file"
        raise LedgerError(
            f"this is no ledger but {what}; it was left alone",
            where=name,
            fix="Name a ledger, or a file that does not exist yet.",
        )


def _create_file(place: Path, name: str) -> None:
    """A ledger appears whole or not at all, and never in place of something else."""
    if not place.parent.is_dir():
        raise LedgerError(
            f"there is no folder {str(place.parent)!r}", where=name, fix="Make the folder first."
        )
    folder = Path(tempfile.mkdtemp(prefix=".hedgerow-ledger-", dir=place.parent))
    try:
        staged = folder / "ledger"
        os.close(os.open(staged, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        store = Store(_sqlite_engine(staged), name=name, lock=_create_tables)
        with store.writing() as connection:
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
        with store.reading() as connection:
            # Not possible inside a transaction: straight to the driver.
            driver: Any = connection.connection.driver_connection
            driver.rollback()
            driver.execute("PRAGMA journal_mode = WAL")
        store.close()
        _sync(staged)
        try:
            os.link(staged, place)
        except FileExistsError:
            return  # somebody was quicker: theirs it is
        _sync(place.parent)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sqlite_engine(place: Path) -> Engine:
    url = URL.create("sqlite", database=str(place))
    if not (os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)):
        # A copy that nobody can write to can be read all the same. Where nobody has it open
        # there is no log beside it, and it does not change.
        still = not place.with_name(f"{place.name}-wal").exists()
        query = {"mode": "ro", "uri": "true"} | ({"immutable": "1"} if still else {})
        url = URL.create("sqlite", database=place.as_uri(), query=query)
    with _GUARD:
        idle = _IDLE.pop(url, None)
    if idle is None:
        return _new_engine(url)
    idle.dispose()  # should a thread have been late, its connection may be to another file by now
    return idle


_IDLE: dict[URL, Engine] = {}
"""Engines of ledgers that were closed. They have no connection, but know the SQL of what is asked;
whoever opens the ledger again takes the engine for itself."""
MOST_IDLE = 16
_GUARD = threading.Lock()


def _keep_idle(engine: Engine) -> None:
    with _GUARD:
        while len(_IDLE) >= MOST_IDLE:
            _IDLE.pop(next(iter(_IDLE)))
        _IDLE[engine.url] = engine


def _new_engine(url: URL) -> Engine:
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": PATIENCE})

    @event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, record: object) -> None:
        # The driver would begin transactions by itself, and too late to keep others out.
        connection.isolation_level = None
        connection.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("hedgerow_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _create_tables(connection: Connection) -> None:
    tables.create(connection)
    connection.execute(
        insert(tables.anchor).values(one=1, id=str(uuid.uuid4()), version=VERSION, created=now())
    )


def _postgresql(address: str, *, create: bool) -> Store:
    url = _url(address)
    name = f"postgresql://{url.username}@" if url.username else "postgresql://"
    name += f"{url.host or ''}{f':{url.port}' if url.port else ''}/{url.database or ''}"
    hidden = [url.password, *(v for k, v in url.query.items() if "password" in k.lower())]
    secrets = tuple(str(secret) for secret in hidden if secret)
    query = {"connect_timeout": "10", "application_name": "hedgerow"} | dict(url.query)
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg", query=query),
            hide_parameters=True,
            pool_pre_ping=True,
            connect_args={"client_encoding": "UTF8"},
        )
    except ImportError:
        raise LedgerError(
            "PostgreSQL needs the package psycopg, which is not installed",
            where=name,
            fix="Install it: pip install 'hedgerow[postgresql]'.",
        ) from None
    store = Store(engine, name=name, secrets=secrets, lock=_lock_row)
    try:
        with store.reading() as connection:
            there = _is_there(connection)
        if not there and create:
            _create_in(Store(engine, name=name, secrets=secrets, lock=_lock_creation))
        elif not there:
            raise LedgerError(
                "there is no ledger in this database",
                where=name,
                fix="Check the address. The first `hedgerow publish` that names a ledger makes "
                "it, and so does `hedgerow ledger budget POPULATION --set epsilon=1`.",
            )
    except BaseException:
        store.close()
        raise
    return store


def _url(address: str) -> URL:
    scheme = address.partition("://")[0].lower()
    fix = "Give the path of an SQLite file, or postgresql://user@host/database."
    if scheme not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise LedgerError(f"a ledger cannot be kept at an address of {scheme}://", fix=fix)
    try:
        return make_url("postgresql://" + address.partition("://")[2])
    except (ArgumentError, ValueError):
        # What is wrong with it is not repeated: there may be a password in it.
        raise LedgerError("the address of the ledger cannot be understood", fix=fix) from None


def _is_there(connection: Connection) -> bool:
    # Not to_regclass: it may remember, from before a lock was had, that there was no table.
    found = connection.execute(
        text(
            "SELECT count(*) FROM pg_catalog.pg_class "
            "WHERE relname = 'hedgerow_ledger' AND pg_catalog.pg_table_is_visible(oid)"
        )
    )
    return bool(found.scalar())


def _create_in(store: Store) -> None:
    with store.writing() as connection:
        if _is_there(connection):
            return  # somebody was quicker
        encoding = connection.execute(text("SHOW server_encoding")).scalar()
        if encoding != "UTF8":
            raise LedgerError(
                f"the database is encoded in {encoding}, and a ledger needs UTF8",
                where=store.name,
                fix="Make another database: createdb --encoding UTF8 --template template0 NAME",
            )
        _create_tables(connection)


def _lock_creation(connection: Connection) -> None:
    connection.execute(text(f"SELECT pg_advisory_xact_lock({_CREATING})"))


def _lock_row(connection: Connection) -> None:
    """Writers stand in line, and a server set to forget recent work does not forget this."""
    connection.execute(
        text(
            f"SELECT set_config('lock_timeout', '{PATIENCE}s', true), "
            "set_config('synchronous_commit', CASE current_setting('synchronous_commit') "
            "WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)"
        )
    )
    connection.execute(select(tables.anchor.c.id).with_for_update()).one()
