"""Addresses of tables: `postgresql://host/db::schema.table`, and what must not stand in them."""

from __future__ import annotations

import re

from hedgerow.base.errors import DataError
from hedgerow.engines.base import TablePlace
from hedgerow.engines.kinds import scheme_of

_SECRET = re.compile(r"[?&;](password|sslpassword|token)=", re.IGNORECASE)
ENVIRONMENT = "the environment variable PGPASSWORD or the file ~/.pgpass"


def table_place(source: object) -> TablePlace | None:
    """The table an address names; None where it is no such address.

    >>> table_place("postgresql://[::1]:5433/hospital::ward.patients").table
    'ward.patients'
    >>> table_place("patients.csv") is None, table_place("hospital.duckdb::patients") is None
    (True, True)

    Raises:
        DataError: It names no table, or holds a password.
    """
    if isinstance(source, TablePlace):
        return source
    if not isinstance(source, str):
        return None
    spelled, separator, rest = source.partition("://")
    scheme = scheme_of(spelled) if separator else None
    if scheme is None:
        return None
    if has_secret(source):
        raise DataError(
            "an address must not hold a password",
            where=without_secret(source),
            fix=f"Take it out, change it if others have seen it, and give it in {ENVIRONMENT}.",
        )
    address, separator, table = rest.rpartition("::")
    if not separator or address.endswith("[") or not table.strip():  # [::1] is a host
        raise DataError(
            "names no table",
            where=f"{scheme}://{rest}",
            fix=f"Add it after two colons: {scheme}://{rest or 'host/database'}::schema.table.",
        )
    return TablePlace(address=f"{scheme}://{address}", table=table)


def has_secret(address: str) -> bool:
    """Whether an address holds a password.

    >>> has_secret("postgresql://ann:secret@db/x::t"), has_secret("postgresql://ann@db/x::t")
    (True, False)
    """
    return without_secret(address) != address


def without_secret(address: str) -> str:
    """The address with everything left out that may be a password.

    >>> without_secret("postgresql://ann:sec/r@et@db/x?password=a&b=c::t")
    'postgresql://ann:…@db/x?…'
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address
    if _SECRET.search(rest):
        rest = re.split("[?;]", rest)[0] + "?…"
    # What is before the last @ may be a user with a password, however oddly that is written.
    user, at, host = rest.rpartition("@")
    if at and ":" in user:
        rest = f"{user.partition(':')[0]}:…@{host}"
    return f"{scheme}://{rest}"
