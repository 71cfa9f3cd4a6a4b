"""Numbers and dates as people write them, as SQL that gives the text in which they are counted.

`1.234,5` becomes `1234.5` and `3/4/2020` becomes `2020-04-03`: what a plan says of a column, not
what looks likely. A value that is not so written becomes NULL here; nobody passes over that, see
`source_values.py`. No two numbers and no two days become one text, and no digit is lost.
"""

from __future__ import annotations

import re

from hedgerow.engines.session import literal

_GROUPS = {".": r"\.", ",": ",", " ": "[ \u00a0\u202f]", "'": "['\u2019]"}
"""Between thousands; a blank and an apostrophe have forms of their own in print."""
MINUS = "\u2212"
"""The sign that typesetters and spreadsheets write before numbers below zero."""
_CLOCK = r"(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,6})?))?(?: ?([AaPp])\.?[Mm]\.?)?)?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "((?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?))"
)
_FIRST = {
    "dmy": (r"(\d{1,2})([./-])(\d{1,2})([./-])(\d{4})", ("d", "s", "m", "z", "y")),
    "mdy": (r"(\d{1,2})([./-])(\d{1,2})([./-])(\d{4})", ("m", "s", "d", "z", "y")),
    "ymd": (r"(\d{4})([./-])(\d{1,2})([./-])(\d{1,2})", ("y", "s", "m", "z", "d")),
    "yyyymmdd": (r"(\d{4})(\d{2})(\d{2})", ("y", "m", "d")),
}
_NAMED = (
    (rf"(\d{{1,2}})\.?([ -]?){_MONTH}\.?,?([ -]?)(\d{{4}})", ("d", "s", "m", "z", "y")),
    (rf"{_MONTH}\.? (\d{{1,2}}),? (\d{{4}})", ("m", "d", "y")),
)
"""With the month in letters: nobody can take it for the day."""
ISO = r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?.*)?"
"""What needs no reading."""
PLAIN_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
IN_WORDS = {
    "dmy": "a date with the day first, such as 03.04.2020",
    "mdy": "a date with the month first, such as 04/03/2020",
    "ymd": "a date with the year first, such as 2020/04/03",
    "yyyymmdd": "a date of eight digits, such as 20200403",
}


def number(text: str, decimal: str, thousands: str | None) -> str:
    """SQL of a number with a decimal point and nothing between thousands; NULL where it is none.

    Args:
        text: SQL of the text.
        decimal: The sign before its decimals.
        thousands: The sign between thousands, where there may be one.
    """
    point = re.escape(decimal)
    groups = r"[0-9]+"
    if thousands is not None:
        # A zero before a sign between thousands is part of a code, or the sign is a decimal one.
        groups = rf"([1-9][0-9]{{0,2}}({_GROUPS[thousands]}[0-9]{{3}})+|[0-9]+)"
    whole = rf"[+\-{MINUS}]?({groups}({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"
    bare = f"trim({text})"
    read = f"replace({bare}, '{MINUS}', '-')"
    if thousands is not None:
        read = f"regexp_replace({read}, {literal(_GROUPS[thousands])}, '', 'g')"
    if decimal != ".":
        read = f"replace({read}, {literal(decimal)}, '.')"
    # ".5" and "5." are written as other numbers are.
    read = f"regexp_replace(regexp_replace(ltrim({read}, '+'), '^(-?)\\.', '\\10.'), "
    read += "'\\.($|[eE])', '\\1')"
    return f"(CASE WHEN regexp_full_match({bare}, {literal(whole)}) THEN {read} END)"


def day(text: str, order: str) -> str:
    """SQL of a date, or date and time, as ISO has them; NULL where it is none.

    Args:
        text: SQL of the text.
        order: One of `ORDERS`.
    """
    ways = [_FIRST[order]]
    if order != "yyyymmdd":
        ways += [_FIRST["ymd"]] * (order != "ymd") + [*_NAMED]
    # No text is written in two of these ways.
    return f"coalesce({', '.join(_way(f'trim({text})', *way) for way in ways)})"


def _way(text: str, pattern: str, names: tuple[str, ...]) -> str:
    whole = f"{pattern}{_CLOCK}"
    all_names = ", ".join(map(literal, ("whole", *names, "h", "i", "c", "p")))
    parts = f"regexp_extract({text}, {literal(f'^({whole})$')}, [{all_names}])"
    month = "r.m"
    if _MONTH in pattern:
        listed = ", ".join(map(literal, _MONTHS))
        month = f"list_position([{listed}], lower(left(r.m, 3)))::VARCHAR"
    date = f"(r.y || '-' || lpad({month}, 2, '0') || '-' || lpad(r.d, 2, '0'))"
    hour = (
        "CASE WHEN r.p = '' AND TRY_CAST(r.h AS INTEGER) < 24 THEN r.h "
        "WHEN r.p <> '' AND TRY_CAST(r.h AS INTEGER) BETWEEN 1 AND 12 THEN "
        "(TRY_CAST(r.h AS INTEGER) % 12 + CASE WHEN lower(r.p) = 'p' "
        "THEN 12 ELSE 0 END)::VARCHAR END"
    )
    time = f"lpad({hour}, 2, '0') || ':' || r.i || ':' || CASE WHEN r.c = '' THEN '00' ELSE r.c END"
    alike = "r.s = r.z AND " if "s" in names else ""
    found = (
        f"CASE WHEN {alike}r.h = '' THEN TRY_CAST({date} AS DATE)::VARCHAR "
        f"WHEN {alike}r.h <> '' THEN TRY_CAST({date} || ' ' || {time} AS TIMESTAMP)::VARCHAR END"
    )
    # A list of one gives the parts a name. Written out wherever they are used they would make
    # a query of 70,000 letters, which takes longer to plan than a small file to read.
    return (
        f"CASE WHEN regexp_full_match({text}, {literal(whole)}) "
        f"THEN list_transform([{parts}], lambda r: {found})[1] END"
    )
