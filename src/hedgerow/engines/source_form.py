"""Source form: how a file writes its values, where it is not as Hedgerow writes them itself.

Whatever is None is as always: UTF-8, the delimiter that splits the header most often, double
quotes that are doubled inside, a decimal point, dates as they are. Nothing here is guessed when a
table is opened: `init` and `look` detect a form and show it, and the plan says it.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

T = TypeVar("T")

ENCODINGS = (
    "utf-8", "utf-16", "latin-1", "cp1252", "utf-16-le", "utf-16-be", "iso8859-2", "iso8859-9",
    "iso8859-15", "cp1250", "cp1251", "cp1253", "cp1254", "cp437", "cp850", "mac-roman", "koi8-r",
    "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr",
)  # fmt: skip
"""Encodings by the names that messages use; Python's other names of them are understood too."""
ORDERS = ("dmy", "mdy", "ymd", "yyyymmdd")
"""How dates may be written: which of day, month and year comes first; or eight digits."""
ASK = "ask"
"""In place of an order or a decimal sign: both are possible, and a person must say which."""
DECIMALS = (".", ",")
THOUSANDS = (".", ",", " ", "'")


@dataclass(frozen=True, kw_only=True)
class SourceForm:
    """How the values of a source are written; None: as always."""

    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    """Around fields; no character at all where fields are never quoted."""
    escape: str | None = None
    """"backslash" where a backslash stands before a quote inside quotes; else it is doubled."""
    blanks: str | None = None
    """"skip" where blanks beside a delimiter are no part of the value."""
    skip: int | None = None
    """Of a CSV file or a workbook: how many lines stand above the header."""
    sheet: str | int | None = None
    """Of a workbook: its name, or its number from 1."""
    labels: bool | Mapping[str, bool] | None = None
    """Whether value labels are read, not codes."""
    declared_missing: bool | None = None
    """Whether values that the file declares missing are read as missing."""
    decimal: str | Mapping[str, str] | None = None
    """The sign before the decimals, of all columns or by column."""
    thousands: str | Mapping[str, str] | None = None
    """The sign between thousands."""
    dates: str | Mapping[str, str] | None = None
    """One of `ORDERS`."""
    missing: Mapping[str, tuple[str, ...]] | None = None
    """By column: texts that mean missing in it, and may be values in others."""
    ages: Mapping[str, tuple[str, str]] | None = None
    """Columns that are added: the age at an event, by the columns of the date of birth and of the
    date of the event."""

    @property
    def said(self) -> dict[str, Any]:
        """What differs from always, by key.

        >>> SourceForm(decimal=",", quote="").said
        {'quote': '', 'decimal': ','}
        """
        named = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in named
            if value is not None and value != {}
        }

    @property
    def written(self) -> bool:
        """Whether numbers or dates are to be read otherwise than as they stand."""
        return bool(self.decimal or self.thousands or self.dates)

    @property
    def plain(self) -> bool:
        """Whether a CSV file has the bytes that are always read, whatever its delimiter."""
        encoding = encoding_name(self.encoding or "utf-8")
        return (
            encoding == "utf-8"
            and self.quote in (None, '"')
            and self.escape in (None, "doubled")
            and self.blanks in (None, "keep")
            and self.delimiter not in (" ",)
            and not self.skip
        )


AS_ALWAYS = SourceForm()


def of_column(said: T | Mapping[str, T] | None, column: str) -> T | None:
    """What is said of a column, by its name or of all.

    >>> of_column("dmy", "born"), of_column({"born": "dmy"}, "died"), of_column(None, "born")
    ('dmy', None, None)
    """
    return said.get(column) if isinstance(said, Mapping) else said


def encoding_name(text: str) -> str | None:
    """An encoding by the name that messages use; None where it is not known.

    >>> encoding_name("Latin1"), encoding_name("UTF8"), encoding_name("windows-1252")
    ('latin-1', 'utf-8', 'cp1252')
    >>> encoding_name("rot13"), encoding_name("utf-8-sig")
    (None, 'utf-8')
    """
    known = {codecs.lookup(name).name: name for name in ENCODINGS} | {"utf-8-sig": "utf-8"}
    try:
        return known.get(codecs.lookup(text).name)
    except (LookupError, ValueError):
        return None
