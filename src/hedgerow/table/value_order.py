"""Ordering: in which order the values of a sensitive column stand, and who says so.

Numbers have an order, and dates have one. Text has the order the plan gives it. The order of the
lines of a file, or of the alphabet, is nobody's choice: high comes before low there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from hedgerow.base.decimals import Scale, numeric, parse
from hedgerow.base.errors import DataError, some
from hedgerow.base.spelling import reading

Value = str | None
Stated = str | tuple[Value, ...]
"""One of the WORDS, or all values in order; None among these is a missing value."""

NUMBERS, DATES = "numbers", "dates"
_PLACES = ("", ", missing first", ", missing last")
WORDS = tuple(f"{kind}{place}" for kind in (NUMBERS, DATES) for place in _PLACES)
"""The orders that have a name."""
MOST_SHOWN = 5
"""Values of a longer order are not all named in a claim."""
_DATE = re.compile(
    r"(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))"
    r"(?:[ T]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?))?",
    re.ASCII,
)
"""A day, or a moment without a zone: their texts are in order where they are."""
_QUOTED = re.compile(r"^$|^[\W\d]|[^\w .()/+-]|^(?i:null|true|false|yes|no|on|off)$|[ ]$")
"""What YAML would not read as this text."""


def named(order: Stated) -> str:
    """The order as a claim names it.

    >>> named("numbers"), named(("low", "medium", "high"))
    ('by number', 'low < medium < high')
    >>> named(tuple("abcdef"))
    'a < b < ... < f, 6 values'
    """
    if isinstance(order, str):
        return f"by {order.replace(NUMBERS, 'number').replace(DATES, 'date')}"
    texts = ["(missing)" if value is None else value for value in order]
    if len(texts) <= MOST_SHOWN:
        return " < ".join(texts)
    return f"{texts[0]} < {texts[1]} < ... < {texts[-1]}, {len(texts)} values"


def arranged(
    name: str, values: Sequence[Value], order: Stated, *, said: bool = False
) -> list[Value]:
    """The values in that order.

    Args:
        name: The column, for messages.
        values: Its values.
        order: In which they stand.
        said: Whether the plan has these words in the column, or nobody said otherwise.

    >>> arranged("risk", ["high", "low"], ("low", "medium", "high"))
    ['low', 'high']
    >>> arranged("bill", ["10", "9", None], "numbers, missing first")
    [None, '9', '10']

    Raises:
        DataError: A value has no place in it.
    """
    if not isinstance(order, str):
        place = {value: i for i, value in enumerate(order)}
        if None in place:
            place |= {value: place[None] for value in values if reading(value) is None}
        if lost := [value for value in values if value not in place]:
            raise DataError(
                f"{some(lost)} in {name!r} {'has' if len(lost) == 1 else 'have'} no place in the "
                "order of its values",
                fix="List every value in the column's `order`, null for missing ones.",
            )
        return sorted(values, key=lambda value: place[value])
    kind, _, missing = order.partition(", missing ")
    none: list[Value] = [value for value in values if reading(value) is None]
    present = [value for value in values if value is not None and value not in none]
    keys = _numbers(present) if kind == NUMBERS else _dates(present)
    if keys is None:
        strange = sorted(value for value in present if not _has_place(value, kind))
        if said:
            raise DataError(
                f"`order: {kind}` does not fit: {some(strange or present)} in {name!r} are not "
                f"{kind}",
                fix=f"List all values: {_example(values)}; or correct these values in the data.",
            )
        raise DataError(
            f"{some(strange or present)} in {name!r} are no {kind}, and nothing says in which "
            "order the values stand",
            fix=f"Say it in the column: {_example(values)}. Values by themselves are ordered only "
            "where all are numbers; or, with `order: dates`, all such as 2024-02-29.",
        )
    if len(present) < len(values) and not missing:
        raise DataError(
            f"some people have no value in {name!r}, and nothing says where missing stands in the "
            "order",
            fix=f"Say it in the column: `order: {{by: {kind}, missing: first}}`, or last.",
        )
    found: list[Value] = [value for _, value in sorted(zip(keys, present, strict=True))]
    return [*none, *found] if missing == "first" else [*found, *none]


def _example(values: Sequence[Value]) -> str:
    """How the plan says an order, with the column's own values; their order is for people to say.

    >>> _example(["high", "low", None])
    'put `order: [high, low, null]` into the right order'
    """
    texts = sorted(value for value in values if value is not None)
    shown = [json.dumps(text, ensure_ascii=False) if _QUOTED.search(text) else text
             for text in texts[:MOST_SHOWN]]  # fmt: skip
    shown += ["..."] * (len(texts) > MOST_SHOWN) + ["null"] * (None in values)
    return f"put `order: [{', '.join(shown)}]` into the right order"


def _has_place(value: str, kind: str) -> bool:
    return (_numbers([value]) if kind == NUMBERS else _dates([value])) is not None


def _numbers(values: Sequence[str]) -> list[Any] | None:
    """Comparable as the numbers are; None where not all are numbers."""
    if not values:
        return []
    if not numeric(values):
        return None
    parsed = [number for value in values if (number := parse(value)) is not None]
    scale = Scale.of(parsed)
    return [scale.units(number) for number in parsed]


def _dates(values: Sequence[str]) -> list[Any] | None:
    found = [_DATE.fullmatch(value) for value in values]
    if not all(found):
        return None
    return [(one[1], one[2] or "00:00") for one in found if one is not None]
