"""Values that look like IDs whatever their column is called: e-mail addresses, hashes, long codes.

Nothing but the values says that `ref` or `household` holds a person's number. So the question is
asked of every column whose values nobody would write by hand; `key: false` is the way out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

TOKEN = 16
"""Letters and digits of a hash, a UUID or a token."""
CODE = 8
"""Letters and digits of a code that is too long for a ZIP code, an ICD code or a year."""
DIGITS = 3
"""Of them, at least so many digits: `Treatment1` is a label."""
NOT_PEOPLE = frozenset(
    re.findall(
        r"\w+",
        "zip zipcode postcode postal plz icd snomed loinc ndc atc cpt drug medication medicine "
        "diagnosis diagnoses disease procedure tract block fips geoid geohash date time "
        "datetime timestamp ts epoch created updated modified start end born birth birthdate "
        "dob price amount cost charge charges bill income salary wage wages earnings debt "
        "revenue turnover area size lat lon lng latitude longitude coordinate coordinates range",
    )
)
"""Words in the name of a column that say what its long codes or numbers are instead."""

_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_WHEN = re.compile(
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})?(?:[ T]?\d{1,2}:\d{2}.*)?"
    r"|(?:1[6-9]|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"(?:[ T]?(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d(?:\.\d+)?)?Z?)?"
    r"|\d{4}-?W\d{2}(?:-?\d)?"
    r"|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d\d"
    rf"|(?:{_DAY}[-/. ]?)?{_MONTH}[-/., ]*(?:{_DAY}[, ]+)?\d{{2,4}}(?:[ T:]\d{{1,2}}:\d{{2}}.*)?",
    re.IGNORECASE,
)
"""Days and moments in figures or with the name of a month, also 20240131 and 31JAN2024."""
_WHOLE = re.compile(r"(?<=\d)\.0*$")
_DECIMAL = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
_THOUSANDS = re.compile(r"\d{1,3}([.']\d{3})+")
_RANGE = re.compile(r"(\D*)(\d{1,30})\s*(?:-|\.\.|_?to_?)\s*(\d{1,30})(\D*)")
_PART = re.compile(r"[^\W_]+")
_HEX = frozenset("0123456789abcdef")
_STRANGE = re.compile(r"[^\w\s\-./+#:()']")
"""What IDs are not written with: `<`, `%`, a comma, brackets."""
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))


def look_like_ids(values: Iterable[str | None], named: Iterable[str] = ()) -> bool:
    """Whether the values of a column look like IDs, so that nothing but `key: false` makes it none.

    Most of them are e-mail addresses; or codes of 16 letters and digits (hashes, UUIDs); or codes
    of 8 that are all about as long, unless the column's name says what else they are.

    Args:
        values: Some of its values.
        named: The words in its name.

    >>> look_like_ids(["e3e70682c2094cac629f6fbed82c07cd"]), look_like_ids(["a@b.org"])
    (True, True)
    >>> look_like_ids(["QQ123456C", "AB 12 34 56 D"]), look_like_ids(["90210007", "90210014"])
    (True, True)
    >>> look_like_ids(["SW1A 1AA"]), look_like_ids(["S72.001A"]), look_like_ids(["20240131"])
    (False, False, False)
    >>> look_like_ids(["123456789"], ["zip"]), look_like_ids(["215646", "83311"])
    (False, False)
    """
    written = dict.fromkeys(v for v in values if v is not None)
    distinct = list(dict.fromkeys(v.strip().translate(_DASHES) for v in written))
    distinct = [value for value in distinct if value]
    if _most(_is_address(value) or _is_token(value) for value in distinct):
        return True
    if not NOT_PEOPLE.isdisjoint(named) or not _most(map(_is_long_code, distinct)):
        return False
    return _as_long(distinct) and not (_are_amounts(distinct) or _are_ranges(distinct))


def _most(found: Iterable[bool]) -> bool:
    """Whether at least half are true, of any."""
    told = list(found)
    return 2 * sum(told) >= len(told) > 0


def _is_address(value: str) -> bool:
    return re.fullmatch(r"[^\s@]+@[^\s@]+", value) is not None


def _is_token(value: str) -> bool:
    """Whether it is a hash, a UUID, or a token with letters and digits, and no words."""
    parts = _PART.findall(value)
    code = "".join(parts)
    mixed = any(c.isdigit() for c in code) and any(c.isalpha() for c in code)
    whole = len(value.split()) == 1 and not _WHEN.fullmatch(value)
    return mixed and whole and len(code) >= TOKEN and _words(parts) <= 1


def _is_long_code(value: str) -> bool:
    """Whether it has eight letters and digits, and is no date, decimal, amount or text."""
    value = _WHOLE.sub("", value)
    if value.startswith("-") or _STRANGE.search(value) or _WHEN.fullmatch(value):
        return False
    if _THOUSANDS.fullmatch(value) or all(map(_DECIMAL.fullmatch, value.split())):
        return False
    parts = _PART.findall(value)
    if len(value.split()) > 1 and _words(parts):
        return False
    code = "".join(parts)
    return len(code) >= CODE and sum(map(str.isdigit, code)) >= DIGITS and _words(parts) <= 1


def _words(parts: Sequence[str]) -> int:
    return sum(
        part.isalpha() and len(part) >= 3 and not _HEX.issuperset(part.lower()) for part in parts
    )


def _as_long(values: Sequence[str]) -> bool:
    """Whether nine in ten have as many letters and digits as the middle one, give or take one."""
    lengths = sorted(len("".join(_PART.findall(_WHOLE.sub("", value)))) for value in values)
    middle = lengths[len(lengths) // 2]
    return 10 * sum(abs(length - middle) <= 1 for length in lengths) >= 9 * len(lengths)


def _are_amounts(values: Sequence[str]) -> bool:
    """Whether most are round numbers, as incomes in a currency with many zeros are."""
    return _most(v.isdigit() and v.endswith("000") for v in (_WHOLE.sub("", v) for v in values))


def _are_ranges(values: Sequence[str]) -> bool:
    """Whether all long codes are ranges of numbers with one unit that do not overlap."""
    codes = [value for value in values if _is_long_code(value)]
    found = [one for one in map(_RANGE.fullmatch, codes) if one is not None]
    pairs = sorted((int(one[2]), int(one[3])) for one in found)
    apart = all(first[1] <= second[0] for first, second in pairwise(pairs))
    one_unit = len({(one[1], one[4]) for one in found}) == 1
    return len(found) == len(codes) and one_unit and apart and all(a <= b for a, b in pairs)
