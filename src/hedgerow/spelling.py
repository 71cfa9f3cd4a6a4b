"""Spelling: which texts a reader of a release takes for the same value.

A file holds texts. Spreadsheets, pandas and R make numbers and missing values of them, and what
was "1" and "1.0" is one value to whoever reads it. Nor does anybody see that a text holds a
character without a form, or a ligature. A claim that counted two would be too strong.

Letters of different alphabets that look alike (a Latin and a Cyrillic a) stay apart: a program
tells them apart, and no list of them is complete.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from hedgerow.decimals import Scale, parse

_MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
     "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
"""What common readers take for a missing value when nobody tells them otherwise."""
_TRUTH = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_INFINITE = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)
_MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})[ T]00:00(?::00(?:\.0+)?)?")
"""A day written as its first moment."""
_FORMLESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Letters and marks nobody sees, besides control and format characters."""
_SHORTEST = re.compile(r"-?[1-9][0-9]*|0")
"""A whole number as nobody would write it shorter; most numbers are, and need no arithmetic."""


def reading(value: str | None) -> str | None:
    r"""The value as a reader of the file may take it: equal for texts that may be taken as one.

    >>> [reading(text) for text in ("1", "+1", "01", "1.0 ", "100e-2", "one")]
    ['1', '1', '1', '1', '1', 'one']
    >>> [reading(text) for text in ("-0.0", "0", "", "nan", None)]
    ['0', '0', None, None, None]
    >>> reading("hi\u200bv\N{NO-BREAK SPACE}") == reading("ｈｉｖ") == "hiv"
    True
    """
    if value is None or _SHORTEST.fullmatch(value):
        return value
    text = _visible(value)
    if text in _MISSING:
        return None
    if number := parse(text):
        scale = Scale.of([number])
        return scale.text(scale.units(number))
    if midnight := _MIDNIGHT.fullmatch(text):
        return midnight[1]
    if infinite := _INFINITE.fullmatch(text):
        return "-inf" if infinite[1] == "-" else "inf"
    return _TRUTH.get(text, text)


def _visible(value: str) -> str:
    """The text as it looks: one form of each character, and none that has no form."""
    if value.isascii() and value.isprintable():
        return value.strip()
    seen = "".join(
        " " if c.isspace() else c
        for c in _FORMLESS.sub("", unicodedata.normalize("NFKC", value))
        if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf")
    )
    return unicodedata.normalize("NFKC", seen).strip()


def alike(values: Iterable[str | None]) -> list[tuple[str | None, str | None]]:
    """Pairs of different texts that may be read as one value, each with the first of its kind.

    >>> alike(["flu", "1", "", "1.0", None])
    [('1', '1.0'), ('', None)]
    """
    first: dict[str | None, str | None] = {}
    pairs = []
    for value in values:
        met = first.setdefault(reading(value), value)
        if met != value:
            pairs.append((met, value))
    return pairs


def folded(values: Sequence[str | None]) -> tuple[list[str | None], list[int]]:
    """Each value once, however it is spelled; and which of these each of the values is.

    It is spelled as it is read, where it occurs so; and missing where it is missing anywhere.

    >>> folded(["HIV", "HIV ", "50.0", "flu", "50", "", None])
    (['HIV', '50', 'flu', None], [0, 0, 1, 2, 1, 3, 3])
    """
    place: dict[str | None, int] = {}
    named: list[str | None] = []
    into = []
    for value in values:
        kind = reading(value)
        text = value if value and _visible(value) else None
        code = place.setdefault(kind, len(place))
        if code == len(named):
            named.append(text)
        elif text is None or text == kind:
            named[code] = text
        into.append(code)
    return named, into
