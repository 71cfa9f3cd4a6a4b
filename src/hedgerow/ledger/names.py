"""Names in a ledger: of populations, and the keys of requests."""

from __future__ import annotations

import unicodedata

from hedgerow.base.errors import LedgerError

LONGEST = 200
"""Characters of a name."""


def named(text: str, *, what: str = "population") -> str:
    """A name that cannot be mistaken for another one: a budget belongs to one population.

    >>> named("gotham-inpatients")
    'gotham-inpatients'

    Raises:
        LedgerError: It is empty or too long, or another name would look the same.
    """
    fine = isinstance(text, str) and text.isprintable() and text == text.strip() != ""
    if not fine or len(text) > LONGEST or unicodedata.normalize("NFC", text) != text:
        raise LedgerError(
            f"{text!r} cannot be the name of a population"
            if what == "population"
            else f"{text!r} cannot be a {what}",
            fix=f"Use up to {LONGEST} printable characters (in Unicode's composed form), "
            "without spaces around them.",
        )
    return text
