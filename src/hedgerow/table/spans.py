"""Spans: ranges and bounds of numbers and dates, in the words of whatever tool.

Read are `20-29`, `20 to 29`, `20~29`, `20,29`, `[20, 30)`, `[20-30]`, `(-5)-(-1)`; `<30`, `>=40`,
`40+`, `under 18`, `65 and over`; the same with units and thousands (`18-24 years`,
`1,000-2,000`); decades, years, quarters, months and days, `20s`, `1990s`, `1990-Q2`, `1990-05`; and
ranges of them, `1990-1995`, `1990-01-01 - 1995-12-31`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Days = tuple[int, int]
"""From the first day to the last, each as 19920501."""

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_PLAIN = re.compile(_NUMBER)
_DATE = re.compile(r"(\d{3})\ds|(\d{4})(?:-(?:Q([1-4])|(\d{2})(?:-(\d{2}))?))?")
_DECADE = re.compile(r"(\d{1,2}0)'?s")
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?")
_END = rf"(?:\d{{3}}\ds|\d{{4}}-(?:Q[1-4]|\d{{2}}(?:-\d{{2}})?)|{_NUMBER}|[+-]?(?:inf|∞))"
_TO = r"(?:-|–|—|‐|~|\.\.\.?|…|to|bis|through|until)"
_RANGE = re.compile(rf"(?:from\s+)?\(?({_END})\)?\s*{_TO}\s*\(?({_END})\)?", re.IGNORECASE)
_SIMPLE = re.compile(r"(\d{1,3}|\d{5,})-(\d+)", re.ASCII)
_BETWEEN = re.compile(rf"between\s+({_END})\s+and\s+({_END})", re.IGNORECASE)
_PAIR = re.compile(rf"({_END})\s*[,;]\s*({_END})")
_INTERVAL = re.compile(
    rf"([\[(\]])\s*({_END})\s*([,;]|{_TO})\s*({_END})\s*([\])\[])", re.IGNORECASE
)
_SIGNS = {
    "<": ("<", "under", "below", "less than", "fewer than", "younger than", "before"),
    "<=": ("<=", "=<", "≤", "up to", "at most", "no more than"),
    ">": (">", "over", "above", "more than", "greater than", "older than", "after"),
    ">=": (">=", "=>", "≥", "at least", "no less than", "from", "since"),
}
_SIGN = {word: sign for sign, words in _SIGNS.items() for word in words}
_BOUND = re.compile(
    rf"({'|'.join(sorted(map(re.escape, _SIGN), key=len, reverse=True))})\s*({_END})",
    re.IGNORECASE,
)
_UP = "over|above|older|more|up|later|after|greater|higher"
_DOWN = "under|below|younger|less|fewer|earlier|before|lower"
_OPEN = re.compile(
    rf"({_END})\s*(?:(\+|plus|(?:and|or)\s+(?:{_UP}))|(?:and|or)\s+(?:{_DOWN}))", re.IGNORECASE
)
_THOUSANDS = re.compile("(?<=\\d)[,' \u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_APART = re.compile("[,' \u00a0\u2009\u202f]")
_UNITS = re.compile(
    r"(?<=\d)\s*(?:%|(?:years?(?:\s+old)?|yrs?|yo|y|months?|weeks?|days?|hours?|kg|g|lbs?|cm|mm|m|km"
    r"|eur|usd|gbp|chf)\b\.?)|[$€£]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Span:
    """From one end to the other; no end where it is open."""

    low: str | None
    high: str | None
    without_low: bool = False
    without_high: bool = False

    def holds(self, numbers: NDArray[np.float64], days: NDArray[np.int64]) -> Flags:
        """Which of the numbers, or of the days from first to last, are in it."""
        low = -math.inf if self.low is None else _bottom(self.low)
        high = math.inf if self.high is None else _top(self.high)
        above = numbers > low if self.without_low else numbers >= low
        inside = above & (numbers < high if self.without_high else numbers <= high)
        if not len(days):
            return np.asarray(inside)
        first, last = days
        dated = first > 0
        for text, without, low_end in (
            (self.low, self.without_low, True),
            (self.high, self.without_high, False),
        ):
            if text is None:
                continue
            when = day_span(text)
            if when is None:
                dated = dated & math.isinf(_bottom(text))
            elif low_end:
                dated = dated & (first > when[1] if without else last >= when[0])
            else:
                dated = dated & (last < when[0] if without else first <= when[1])
        return np.asarray(inside | dated)


def read_span(text: str) -> Span | None:
    """The range or bound a text says; None where it is none.

    >>> read_span("[20, 30)")
    Span(low='20', high='30', without_low=False, without_high=True)
    >>> read_span("1,000-2,000 EUR")
    Span(low='1000', high='2000', without_low=False, without_high=False)
    >>> read_span("65 and over").high, read_span("about 65")
    (None, None)
    """
    text = text.replace("−", "-")
    found = _written(text)
    if found is None:
        plain = _UNITS.sub("", _THOUSANDS.sub("", text)).strip()
        found = _written(plain) if plain != text else None
    # From 30 to 20 is no range; who wrote that meant something else.
    return None if found is None or _empty(found) else found


def simple_span(text: str) -> tuple[float, float] | None:
    """Both ends of a range of whole numbers, as nearly all ranges are and no date is.

    >>> simple_span("20-29"), simple_span("1990-05")
    ((20.0, 29.0), None)
    """
    found = _SIMPLE.fullmatch(text)
    return None if found is None else (float(found[1]), float(found[2]))


def decade(text: str) -> tuple[int, int] | None:
    """Both ends of ten numbers, or of a hundred; years of four digits are dates.

    >>> decade("20s"), decade("100s"), decade("1990s")
    ((20, 29), (100, 199), None)
    """
    found = _DECADE.fullmatch(text)
    if found is None:
        return None
    low = int(found[1])
    return low, low + (99 if low and low % 100 == 0 else 9)


def _written(text: str) -> Span | None:
    if _DATE.fullmatch(text):
        # A month is no range: 1990-05 does not run from 1990 to 5.
        return None if _PLAIN.fullmatch(text) else Span(text, text)
    if found := _INTERVAL.fullmatch(text):
        left, low, to, high, right = found.groups()
        if to not in ",;" and left == "(" and right == ")":
            return Span(low, high)
        return Span(low, high, left != "[", right != "]")
    for form in (_RANGE, _BETWEEN, _PAIR):
        if found := form.fullmatch(text):
            return Span(found[1], found[2])
    if found := _BOUND.fullmatch(text):
        sign = _SIGN[found[1].lower()]
        if sign[0] == "<":
            return Span(None, found[2], without_high=sign == "<")
        return Span(found[2], None, without_low=sign == ">")
    if found := _OPEN.fullmatch(text):
        return Span(found[1], None) if found[2] else Span(None, found[1])
    return None


def number(text: str | None) -> float:
    """The number a text is, with thousands or without; NaN where it is none.

    >>> number(" 1,500 "), number("1e3"), number("1,50")
    (1500.0, 1000.0, nan)
    """
    if text is None:
        return math.nan
    text = text.strip()
    if not _PLAIN.fullmatch(text):
        if text[:1] == "0" or not _APART.search(text):
            return math.nan
        text = _THOUSANDS.sub("", text)
        if not _PLAIN.fullmatch(text):
            return math.nan
    return float(text)


def day_span(text: str) -> Days | None:
    """The days a decade, year, quarter, month or day has; None where it is no date.

    >>> day_span("1990-Q2"), day_span("1990s"), day_span("1992-05-01T10:00")
    ((19900401, 19900699), (19900101, 19991299), (19920501, 19920501))
    """
    if found := _DAY.fullmatch(text):
        day = int(found[1]) * 10_000 + int(found[2]) * 100 + int(found[3])
        return day, day
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    if found[1]:
        return int(found[1]) * 100_000 + 101, int(found[1]) * 100_000 + 91_299
    year = int(found[2]) * 10_000
    if found[3]:
        last = 3 * int(found[3])
        return year + (last - 2) * 100 + 1, year + last * 100 + 99
    if found[4]:
        return year + int(found[4]) * 100 + 1, year + int(found[4]) * 100 + 99
    return year + 101, year + 1299


def days_of(values: Sequence[str | None]) -> NDArray[np.int64]:
    """First and last day of each value, 0 where it is no date; empty where none is.

    A year by itself is a number.
    """
    found = [
        None if v is None or "-" not in v or _PLAIN.fullmatch(v) else day_span(v.strip())
        for v in values
    ]
    if not any(found):
        return np.empty((0, 0), np.int64)
    return np.array([when or (0, 0) for when in found], np.int64).T


def _empty(span: Span) -> bool:
    return span.low is not None and span.high is not None and _bottom(span.low) > _top(span.high)


def _bottom(text: str) -> float:
    return float(text[:4]) if text.endswith("s") else _float(text)


def _top(text: str) -> float:
    return float(text[:3] + "9") if text.endswith("s") else _float(text)


def _float(text: str) -> float:
    """An end as a number; a date is none, and compares with nothing."""
    try:
        return float(text.replace("∞", "inf"))
    except ValueError:
        return math.nan
