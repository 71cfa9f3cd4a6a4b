"""Canonical JSON: equal values have equal bytes, so that a hash stands for a value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from hedgerow.base.errors import HedgerowError


def canonical(value: Any) -> bytes:
    """The value as JSON with sorted keys and no spaces, in UTF-8.

    Keys are sorted by code point. Tuples are lists, and whole numbers and floats stay apart: 1
    and 1.0 are different values. Floats have the shortest spelling that reads back as the same
    float.

    >>> canonical({"b": [1, 2.5, None], "a": "é"}).decode()
    '{"a":"é","b":[1,2.5,null]}'

    Raises:
        HedgerowError: Something in it has no canonical form: NaN and infinities, keys that are
            no text, text that is not Unicode, or something that is no JSON at all.
    """
    try:
        _refuse_other_keys(value)
        return _ENCODER.encode(value).encode()
    except RecursionError:
        raise HedgerowError("this is nested too deeply to be written as JSON") from None
    except UnicodeEncodeError:
        raise HedgerowError("this holds text that is not Unicode, and JSON must be") from None
    except (TypeError, ValueError) as error:
        raise HedgerowError(f"this cannot be written as canonical JSON: {error}") from None


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal.

    >>> digest({"a": 1}) == digest({"a": 1.0})
    False
    >>> digest({})
    '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
    """
    return hashlib.sha256(canonical(value)).hexdigest()


_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)
_PLAIN = frozenset({str, int, float, bool, type(None)})
_TEXT = frozenset({str})


def _refuse_other_keys(value: Any) -> None:
    """Python would write the keys 1 and "1" alike."""
    items: Collection[Any] = ()
    if isinstance(value, list | tuple):
        items = value
    elif isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101 - most are a dict
        if not _TEXT.issuperset(map(type, value)):
            for key in value:
                if not isinstance(key, str):
                    raise TypeError(f"the key {key!r} is no text")
        items = value.values()
    if not _PLAIN.issuperset(map(type, items)):
        for item in items:
            if type(item) not in _PLAIN:  # most are, and a call for each takes a while
                _refuse_other_keys(item)
