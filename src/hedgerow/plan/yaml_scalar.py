"""Texts as YAML reads them back: in quotes where they need them."""

from __future__ import annotations

import re

from hedgerow.table.column_words import words

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_RESERVED = words("true false null yes no on off y n")


def scalar(text: str) -> str:
    r"""A text as a YAML scalar, in quotes where it needs them.

    >>> print(scalar("age"), scalar("no"), scalar('a "b": c'), scalar("\n"))
    age "no" "a \"b\": c" "\n"
    """
    if _PLAIN.fullmatch(text) and text.casefold() not in _RESERVED:
        return text
    return '"' + "".join(_ESCAPED.get(c) or _escape(c) for c in text) + '"'


_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _escape(character: str) -> str:
    """Characters YAML does not allow, or reads as line ends, by their number."""
    if character.isprintable():
        return character
    number = ord(character)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else (
        f"\\U{number:08x}"
    )  # fmt: skip
