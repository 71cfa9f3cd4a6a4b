"""Spelling: which texts a reader of a release takes for the same value.

A file holds texts. Spreadsheets, pandas and R make numbers and missing values of them, and what
was "1" and "1.0" is one value to whoever reads it. Nor does anybody see that a text holds a
character without a form, or a ligature. A claim that counted two would be too strong.

Then there is what people overlook: case, spaces, full stops, an accent. `Flu`, `FLU` and `flu.` are
one disease to whoever reads the file, and three values to whoever counts texts. `likeness` is the
one place that says which texts may be taken for one value. It never overlooks a sign (`HIV-` is not
`HIV`), a digit, or what stands between two digits (`1.5` is not `15`).

Letters of different alphabets that look alike (a Latin and a Cyrillic a) stay apart: a program
tells them apart, and no list of them is complete.

Texts that say nothing (`?`, `-`, `unknown`, `n/a`, an empty field) are one value at most: that
there is none. `means_missing` is the one place that says which they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import pairwise

from hedgerow.base.decimals import Scale, parse

_MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
     "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
"""What common readers take for a missing value when nobody tells them otherwise."""
UNKNOWN = "?"
"""The likeness of texts by which people say that nothing is known. Programs read them as texts."""
_SAY_NOTHING = frozenset(
    ["unknown", "unk", "unkn", "notknown", "missing", "notrecorded", "notreported", "notstated",
     "notspecified", "unspecified", "notavailable", "notapplicable", "nodata", "novalue",
     "noanswer", "noresponse", "noinformation", "undefined", "undetermined", "na", "nan", "null",
     "unbekannt", "nichtbekannt", "keineangabe", "keineangaben", "ohneangabe", "nichterfasst",
     "inconnu", "inconnue", "nonrenseigne", "nonrenseignee", "sansreponse", "nonreponse",
     "desconocido", "desconocida", "sindatos", "nocontesta", "sininformacion", "noespecificado",
     "sconosciuto", "sconosciuta", "nonnoto", "nondisponibile", "nonrisponde",
     "onbekend", "nietbekend", "geenantwoord", "geenopgave", "desconhecido", "desconhecida",
     "naoinformado", "naodisponivel", "semresposta", "nieznany", "nieznana", "brakdanych",
     "okand", "okant", "uppgiftsaknas", "ukendt", "uoplyst", "ukjent", "uoppgitt"]
)  # fmt: skip
"""Words for that, without case, spaces, punctuation and accents. `none` is a finding."""
_SAYS_NOTHING_IN_SHORT = re.compile(r"[ko]\. ?a\.|n\. ?v\. ?t\.", re.IGNORECASE)
"""Abbreviations for that (k. A., o. A., n.v.t.), which without their full stops may be codes."""
_TRUTH = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_INFINITE = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)
_MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})[ T]00:00(?::00(?:\.0+)?)?")
"""A day written as its first moment."""
_FORMLESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Letters and marks nobody sees, besides control and format characters."""
_DASHES = re.compile("[\u2010-\u2015\u2212\u2e3a\u2e3b\ufe58\u30a0]")
"""Hyphens, dashes and the minus sign: a sign or a joint, whichever way it is typed."""
_BLANK = re.compile("[\u2800\U0001d159]")
"""Symbols that look like a space."""
_APOSTROPHES = str.maketrans(dict.fromkeys("`\u00b4\u02b9\u02bc\u2018\u2019\u201b", "'"))
"""Whichever key somebody found for it. Unicode makes a space and an accent of one of them."""
_LETTERS = str.maketrans(
    {"\u0131": "i", "\u0153": "oe", "\u00e6": "ae", "\u00f8": "o", "\u0142": "l", "\u0111": "d"}
)
"""Latin letters that Unicode takes for no letter with an accent, and people type as one."""
_HALF = re.compile("(?<=[0-9])\u2044(?=[0-9])")
"""The stroke of a fraction that is one character."""
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])\s+-\s+(?=[^\W\d_])")
_ZEROS = re.compile(r"(?<![0-9.,])([0-9]+)(?:\.([0-9]+))?")
_AFTER = re.compile(r"[\W_]*([^\W\d_]*)")
LONGEST_CODE = 2
"""Letters before a number that make a code of it (E11.0, BE01), in which every zero counts."""
_AT_ONCE = re.compile(r"[a-z]+", re.ASCII)
_OVERLOOKED = ".,;:!?_-"
"""Marks that, if not between two digits, say nothing of the number they stand beside."""
_COUNTED = frozenset("%\u2030\u2031\u066a")
"""Punctuation by Unicode's categories that makes another quantity of a number."""
_MARKS = frozenset("|^\u00a6")
"""Symbols by Unicode's categories that are marks to whoever reads: no sign, no unit."""
_TRADE = re.compile("[\u00a9\u00ae\u2120\u2122\u2117]")
"""Marks of a trade: no part of a name. Unicode makes letters of some of them."""
_THOUSANDS = re.compile(r"(?<![0-9.,'])([0-9]{1,3})((?:,[0-9]{3})+|(?:'[0-9]{3})+)(?![0-9,'])")
_DAY = re.compile(
    r"(?P<first>[0-9]{4}|[0-9]{1,2})(?P<by>[-/.])(?P<month>[0-9]{1,2})(?P=by)"
    r"(?P<last>[0-9]{4}|[0-9]{1,2})"
)
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
    text = visible(value)
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


def visible(value: str) -> str:
    """The text as it looks: one form of each character, and none that has no form."""
    if value.isascii() and value.isprintable():
        return value.strip()
    value = _apart(_BLANK.sub(" ", value))
    seen = "".join(
        " " if c.isspace() else c
        for c in _FORMLESS.sub("", unicodedata.normalize("NFKC", value))
        if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf")
    )
    return unicodedata.normalize("NFKC", seen).strip()


def _apart(value: str) -> str:
    """With a space where a digit of another form meets one: ten squared is not 102."""
    if not any(unicodedata.category(c) == "No" for c in value):
        return value
    parts = [value[:1]]
    for before, c in pairwise(value):
        kinds = {unicodedata.category(before), unicodedata.category(c)}
        parts.append(f" {c}" if kinds in ({"No"}, {"No", "Nd"}) else c)
    return "".join(parts)


def likeness(value: str | None) -> str | None:
    """Equal for texts that may be taken for one value, by a program or by somebody who reads.

    Besides what `reading` makes one: case; spaces; punctuation; accents of Latin letters; a hyphen
    within a word, or with spaces between two words; the alphabet of digits; zeros that say nothing
    of a number. Never a sign (+ - < > = and whatever else Unicode calls a symbol, also %), another
    digit, or what stands between two digits. A hyphen is a sign where it begins or ends a text or
    stands beside a space or another mark, and between two digits.

    Texts of punctuation only, and words such as unknown, are `UNKNOWN`; None is what programs read
    as missing. See `kinds` for what they are beside other values.

    >>> [likeness(text) for text in ("?", "--", "Not known", "1,000", "2024-1-2", "flu^", "+")]
    ['?', '?', '?', '1000', '2024-01-02', 'flu', '+']
    >>> [likeness(text) for text in ("Flu", "FLU.", " f l u", "H.I.V.", "covid-19", "Covid 19")]
    ['flu', 'flu', 'flu', 'hiv', 'covid19', 'covid19']
    >>> [likeness(text) for text in ("HIV-", "HIV +", "v1.5", "v15", "10-20", "< 5", "5 %", ".5")]
    ['hiv-', 'hiv+', 'v1.5', 'v15', '10-20', '<5', '5%', '0.5']
    >>> [likeness(text) for text in ("05.0 mg", "Stage 01", "heart - failure", "Crohn`s", "A01")]
    ['5mg', 'stage1', 'heartfailure', 'crohns', 'a01']
    """
    if value is not None and _AT_ONCE.fullmatch(value) and value not in _MISSING:
        if value in _SAY_NOTHING:
            return UNKNOWN
        return "inf" if value in ("inf", "infinity") else value
    kind = reading(None if value is None else _typed(value))
    if kind is None or _SHORTEST.fullmatch(kind) or parse(kind):
        return kind
    if "," in kind or "'" in kind:
        whole = _THOUSANDS.sub(_undivided, kind)
        if whole != kind:
            return likeness(whole)
    if day := _DAY.fullmatch(kind):
        return _padded(day)
    if _SAYS_NOTHING_IN_SHORT.fullmatch(kind):
        return UNKNOWN
    text = kind.casefold()
    if not kind.isascii():
        text = unicodedata.normalize("NFKC", _bare(kind).casefold()).translate(_LETTERS)
        text = _HALF.sub("/", _DASHES.sub("-", text))
    if "-" in text:
        text = _BETWEEN_WORDS.sub(" ", text)
    if "0" in text:
        text = _ZEROS.sub(_shortest, text)
    text = _without_marks(text)
    if text != kind and parse(text):
        return reading(text)
    return UNKNOWN if not text.strip("-") or text in _SAY_NOTHING else text


def _undivided(number: re.Match[str]) -> str:
    return number[1] + number[2].replace(",", "").replace("'", "")


def _padded(day: re.Match[str]) -> str:
    """A date with two digits for day and month, if it is one; else as it is."""
    parts = day["first"], day["month"], day["last"]
    if sum(len(part) == len("2024") for part in parts) != 1:
        return day[0]
    return day["by"].join(part.zfill(2) for part in parts)


def means_missing(value: str | None) -> bool:
    """Whether a reader may take it for a missing value: a program, or somebody who reads.

    >>> [means_missing(text) for text in (None, "NA", "?", "unknown", "-", "none", "flu")]
    [True, True, True, True, True, False, False]
    >>> [means_missing(text) for text in ("k. A.", "KA", "Keine Angabe", "Non renseigné")]
    [True, False, True, True]
    """
    return likeness(value) in (None, UNKNOWN)


def kinds(values: Iterable[str | None], distinct: Collection[str | None] = ()) -> list[object]:
    """What each of the values of a column may be taken for: equal where they may be one value.

    Whatever says that nothing is known is one kind: None. But where a column has `+`, `-` is its
    opposite; and `none` is `None` in another case where it has that.

    Args:
        values: Those of a column.
        distinct: Those that differ from all others, whatever they look like.

    >>> kinds(["?", "", "n/a", "flu"]), kinds(["+", "-", "?"]), kinds(["?", "-"], ["?", "-"])
    ([None, None, None, 'flu'], ['+', '-', None], [('?',), ('-',)])
    """
    listed, differ = list(values), set(distinct)
    read = [likeness(value) for value in listed]
    signs = any(kind is not None and kind and not kind.strip("+") for kind in read)
    other_case = any(value is not None and visible(value) == "None" for value in listed)
    found: list[object] = []
    for value, kind in zip(listed, read, strict=True):
        if value in differ:
            found.append((value,))
        elif kind == UNKNOWN and signs and value is not None and _minus(value):
            found.append("-")
        elif kind == UNKNOWN or (other_case and kind == "none"):
            found.append(None)
        else:
            found.append(kind)
    return found


def unrecorded(values: Iterable[str | None]) -> list[bool]:
    """Which of the values of a column say that nothing is known of a person.

    >>> unrecorded([None, "?", "flu", "-"]), unrecorded(["+", "-"]), unrecorded(["None", "none"])
    ([True, True, False, True], [False, False], [False, False])
    """
    listed = list(values)
    return [
        kind is None and (value is None or visible(value).casefold() != "none")
        for value, kind in zip(listed, kinds(listed), strict=True)
    ]


def _minus(value: str) -> bool:
    """Whether the text is nothing but minus signs."""
    return not _DASHES.sub("-", visible(value)).strip("-")


def _typed(value: str) -> str:
    """With one apostrophe, and with the digits of one alphabet."""
    value = value.translate(_APOSTROPHES) if "`" in value or not value.isascii() else value
    if value.isascii():
        return value
    value = _TRADE.sub("", value)
    return "".join(
        str(unicodedata.decimal(c)) if unicodedata.category(c) == "Nd" else c for c in value
    )


def _shortest(number: re.Match[str]) -> str:
    """A number in a text, without the zeros that say nothing; codes, dates and ranges as they are.

    Spaces and marks around it do not matter, as they are overlooked: whoever takes `stage 01` for
    `stage01` takes both for `stage 1`.
    """
    text, whole, part = number.string, number[1], number[2]
    last = number.start()
    while last and not text[last - 1].isalnum():
        last -= 1
    first = last
    while first and text[first - 1].isalpha() and last - first <= LONGEST_CODE:
        first -= 1
    after = _AFTER.match(text, number.end())
    assert after is not None, "it matches nothing, too"
    beside = text[max(last - 1, 0) : last] + text[after.start(1) : after.start(1) + 1]
    if any(c.isdigit() for c in beside) or 0 < last - first <= LONGEST_CODE:
        return number[0]
    if len(after[1]) != 1:  # else a code, such as 01A
        whole = whole.lstrip("0") or "0"
    part = (part or "").rstrip("0")
    return f"{whole}.{part}" if part else whole


def _bare(text: str) -> str:
    """Latin letters without their accents. Elsewhere marks make another letter, or a vowel."""
    if text.isascii():
        return text
    kept: list[str] = []
    latin = False
    for c in unicodedata.normalize("NFD", text):
        if "\u0300" <= c <= "\u036f" and latin:
            continue
        latin = unicodedata.name(c, "").startswith("LATIN ")
        kept.append(c)
    return unicodedata.normalize("NFC", "".join(kept))


def _without_marks(text: str) -> str:
    """Without spaces and punctuation, but for what a number hangs on."""
    found: list[str] = []
    start = 0  # of the overlooked characters before this one
    for place, c in enumerate(text):
        if not _passed_over(c, text[place - 1 : place], text[place + 1 : place + 2]):
            found += [_kept(text[start:place], text[start - 1 : start], c), c]
            start = place + 1
    found.append(_kept(text[start:], text[start - 1 : start], ""))
    return "".join(found)


def _passed_over(c: str, before: str, after: str) -> bool:
    """Whether a character may be overlooked, as long as no two digits meet."""
    if c == "-":
        joint = before.isalnum() and after.isalnum()
        return joint and not (before.isdigit() and after.isdigit())
    mark = c in _MARKS or (unicodedata.category(c)[0] == "P" and c not in _COUNTED)
    return mark or c.isspace()


def _kept(run: str, before: str, after: str) -> str:
    """What remains of overlooked characters between two others: that on which a number hangs."""
    if not run:
        return ""
    if before.isdigit() and after.isdigit():
        return " ".join(run.split()) or " "
    kept = ""
    if before.isdigit() and not run[0].isspace() and run[0] not in _OVERLOOKED:
        kept += run[0]
    if after.isdigit() and not run[-1].isspace():
        point = run[-1] in ".," and not (len(run) == 1 and before.isalpha())
        kept += run[-1] if point or run[-1] not in _OVERLOOKED else ""
    return kept
