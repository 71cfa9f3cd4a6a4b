"""Labels: which raw values a generalised value stands for, whoever wrote it.

Read are `*`; ranges `20-29`, `20 to 29`, `[20, 30)`, `(20, 30]`; bounds `<30`, `>=40`, `40+`;
masks `130**`, `3*`; sets `{a, "b, c", missing}`; dates `1990s`, `1990`, `1990-05`, `1990-Q2`; nodes
of a taxonomy; and plain values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import DataError, some

Value = str | None
Taxonomy = Mapping[str, Collection[Value]]
"""Node -> the values below it."""
Flags = NDArray[np.bool_]

ANY = ("*", "**", "***", "****", "*****", "any", "Any", "ANY")
MISSING = "missing"
"""How a set says that somebody in it has no value."""
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*(?:-|–|—|\.\.|to|bis)\s*({_NUMBER})\s*")
_INTERVAL = re.compile(
    rf"\s*([\[(\]])\s*({_NUMBER}|[+-]?(?:inf|∞))\s*[,;]\s*({_NUMBER}|[+-]?(?:inf|∞))\s*([\])\[])\s*"
)
_BOUND = re.compile(rf"\s*(<=|>=|<|>|≤|≥|=<|=>)\s*({_NUMBER})\s*")
_UPWARDS = re.compile(rf"\s*({_NUMBER})\s*\+\s*")
_MASK = re.compile(r"([^*{}\[\]()<>]*[^*{}\[\]()<>\s])(\*+)")
_DATE = re.compile(r"(\d{3})\ds|(\d{4})(?:-(?:Q([1-4])|(\d{2})))?")
_ISO = re.compile(r"(\d{4})-(\d{2})-\d{2}(?:[T ].*)?")
_MEMBER = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\[(\]][^\])]*[\])\[]|[^,]+?)\s*(?:,|$)')
_GENERALISED = re.compile(r"[*{}\[\]<>≤≥]")
"""What no plain value is made of, as a rule."""


class Values:
    """The raw values of a column, read as text, numbers and dates."""

    def __init__(self, values: Sequence[Value], *, taxonomy: Taxonomy | None = None) -> None:
        self.values = tuple(values)
        self.place: dict[Value, int] = {value: i for i, value in enumerate(self.values)}
        self.numbers = np.array([_number(value) for value in self.values])
        self.taxonomy = taxonomy or {}
        self._prefixes: dict[int, dict[str, list[int]]] = {}

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each value; -1 where it is missing."""
        return np.array([-1 if value is None else len(value) for value in self.values], np.int64)

    def beginning(self, start: str) -> Flags:
        """Which values begin with these characters."""
        if len(start) not in self._prefixes:
            found: dict[str, list[int]] = {}
            for i, value in enumerate(self.values):
                if value is not None:
                    found.setdefault(value[: len(start)], []).append(i)
            self._prefixes[len(start)] = found
        flags = np.zeros(len(self), np.bool_)
        flags[self._prefixes[len(start)].get(start, [])] = True
        return flags

    @cached_property
    def days(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Year and month of each value; -1 where it is no date."""
        found = [None if value is None else _ISO.fullmatch(value) for value in self.values]
        year = [-1 if match is None else int(match[1]) for match in found]
        month = [-1 if match is None else int(match[2]) for match in found]
        return np.array(year, np.int64), np.array(month, np.int64)


def covers(
    labels: Sequence[Value],
    values: Sequence[Value],
    *,
    column: str,
    taxonomy: Taxonomy | None = None,
) -> Flags:
    """Which values each published label stands for, labels by values.

    Args:
        labels: As published; None is a missing value.
        values: Raw values somebody may have.
        column: For messages.
        taxonomy: The values below each node, where labels are nodes.

    Raises:
        DataError: A label is generalised in a way nobody can read.

    >>> covers(["<30", "3*", "[40, 50)", "*"], ["28", "33", "40", "50"], column="age").astype(int)
    array([[1, 0, 0, 0],
           [0, 1, 0, 0],
           [0, 0, 1, 0],
           [1, 1, 1, 1]])
    """
    known = Values(values, taxonomy=taxonomy)
    found = np.zeros((len(labels), len(known)), np.bool_)
    unread = []
    for i, label in enumerate(labels):
        row = meaning(label, known)
        if row is None:
            unread.append(label)
        else:
            found[i] = row
    if unread:
        raise DataError(
            f"nobody can read {some(unread)} as generalised values",
            where=f"column {column!r}",
            fix="Ranges are 20-29 or [20, 30), bounds <30 or >=40, masks 130**, sets {a, b}; for "
            "nodes of a taxonomy give its file.",
        )
    return found


def meaning(label: Value, known: Values) -> Flags | None:
    """The values one label stands for; None where it cannot be read."""
    nothing = np.zeros(len(known), np.bool_)
    if label is None:
        if None in known.place:
            nothing[known.place[None]] = True
        return nothing
    text = label.strip()
    if label in known.place or text in known.place:
        nothing[known.place[label if label in known.place else text]] = True
        below = known.taxonomy.get(text)
        return nothing if below is None else nothing | _below(below, known)
    if text in ANY:
        return ~nothing
    if text in known.taxonomy:
        return _below(known.taxonomy[text], known)
    if text.startswith("{") and text.endswith("}"):
        return _set(text, known)
    for reading in (_numbers, _mask, _dates):
        row = reading(text, known)
        if row is not None:
            return row
    number = _number(text)
    if not math.isnan(number):
        same: Flags = known.numbers == number
        return same
    return None if _GENERALISED.search(text) else nothing


def _below(values: Collection[Value], known: Values) -> Flags:
    below = set(values)
    return np.array([value in below for value in known.values], np.bool_)


def _set(text: str, known: Values) -> Flags | None:
    found = np.zeros(len(known), np.bool_)
    for match in _MEMBER.finditer(text[1:-1]):
        member: Value = match[1]
        try:
            member = json.loads(match[1]) if match[1].startswith('"') else match[1]
        except json.JSONDecodeError:
            return None
        if match[1] == MISSING:
            member = None
        if member in known.place and member not in known.taxonomy:
            found[known.place[member]] = True  # as most members are, of sets of hundreds
            continue
        row = meaning(member, known)
        if row is None:
            return None
        found |= row
    return found


def _numbers(text: str, known: Values) -> Flags | None:
    """Ranges and bounds of numbers."""
    if found := _INTERVAL.fullmatch(text):
        low, high = _end(found[2]), _end(found[3])
        above = known.numbers >= low if found[1] == "[" else known.numbers > low
        below = known.numbers <= high if found[4] == "]" else known.numbers < high
        return np.asarray(above & below)
    if (found := _RANGE.fullmatch(text)) and not _DATE.fullmatch(text):
        return np.asarray((known.numbers >= float(found[1])) & (known.numbers <= float(found[2])))
    if found := _UPWARDS.fullmatch(text):
        return np.asarray(known.numbers >= float(found[1]))
    if found := _BOUND.fullmatch(text):
        bound = float(found[2])
        compare = {
            "<": known.numbers < bound,
            ">": known.numbers > bound,
        }
        if found[1] in compare:
            return np.asarray(compare[found[1]])
        at_most = found[1] in ("<=", "≤", "=<")
        return np.asarray(known.numbers <= bound if at_most else known.numbers >= bound)
    return None


def _mask(text: str, known: Values) -> Flags | None:
    """One character for each star; any ending where no value is that long."""
    found = _MASK.fullmatch(text)
    if found is None:
        return None
    begins, long = known.beginning(found[1]), known.lengths == len(text)
    return np.asarray(begins & long) if long.any() else begins


def _dates(text: str, known: Values) -> Flags | None:
    """Decades, years, quarters and months, where the values are dates."""
    found = _DATE.fullmatch(text)
    year, month = known.days
    if found is None or not (year >= 0).any():
        return None
    if found[1]:
        return np.asarray((year >= 0) & (year // 10 == int(found[1])))
    inside = year == int(found[2])
    if found[3]:
        inside &= (month + 2) // 3 == int(found[3])
    elif found[4]:
        inside &= month == int(found[4])
    return np.asarray(inside)


def _number(text: Value) -> float:
    """NaN where it is none; compares with nothing."""
    if text is None or not re.fullmatch(_NUMBER, text.strip()):
        return math.nan
    return float(text)


def _end(text: str) -> float:
    return float(text.replace("∞", "inf"))
