"""Texts and numbers by which people say that a value is missing.

A token says so plainly (`?`, `keine Angabe`), or it stands where it does not belong: a text among
numbers, -9 among ages. What could be a value after all is not sure, and somebody has to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from hedgerow.base.spelling import UNKNOWN, likeness, means_missing, unrecorded
from hedgerow.table.profile.column_facts import ColumnFacts, MissingToken
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.number_values import NumberValues

MOST_TEXTS = 2000
"""Distinct texts of a column that are read one by one; missing values are frequent ones."""
FEW_TEXTS = 3
"""Texts among numbers that may each mean that there is no number."""
AMONG = 5
"""Distinct numbers, at least, among which a text or a strange number stands out."""
NINES = re.compile(r"-?(9|99|999+|8|88|888+|7|77|777+|97|98|997|998|9997|9998|96|996)(\.0+)?")
SURE_BELOW = frozenset({-9.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0, -88.0, -77.0, -888.0,
                        -777.0, -8888.0, -7777.0, -98.0, -97.0, -998.0, -997.0, -9998.0,
                        -9997.0})  # fmt: skip
"""NumberValues that are written for missing values, if nothing else is below zero."""
SMALL_BELOW = frozenset(map(float, range(-9, 0)))
"""NumberValues that may be."""
A_COUNTRY = "the others are codes of two letters, and NA may be one (Namibia)"
AMONG_NUMBERS = "it stands among numbers"
FAR = 4
"""Times the spread of the others that 999 is above them, if it is surely none of them."""
NO_DATES = frozenset({"0000-00-00", "9999-12-31", "9999-99-99", "1111-11-11", "00.00.0000",
                      "31.12.9999", "00/00/0000", "0001-01-01", "99.99.9999"})  # fmt: skip
DOUBTFUL_DATES = frozenset({"1900-01-01", "1970-01-01", "01.01.1900", "01.01.1970", "1899-12-30"})
TWO_LETTERS = re.compile(r"[A-Z]{2}")


def missing_tokens(column: EncodedColumn, numbers: NumberValues) -> tuple[MissingToken, ...]:
    """What in a column seems to mean that there is no value; most frequent first."""
    below = list(_below_few(column, numbers)) if len(numbers.values) < AMONG else []
    # Where most are numbers, few words can be values.
    if len(numbers.values) == len(below):
        found = [*_plain(column), *_no_dates(column)]
    elif len(numbers.values) >= AMONG and len(numbers.others) <= len(numbers.values):
        found = [*_texts_among_numbers(column, numbers), *_strange_numbers(column, numbers)]
    elif len(numbers.values) and 0 < len(numbers.others) <= FEW_TEXTS:
        found = list(_texts_among_numbers(column, numbers))
        if len(found) < len(numbers.others):
            found = list(_plain(column))
        else:
            found += _strange_numbers(column, numbers)
    elif not len(numbers.others):
        found = list(_strange_numbers(column, numbers))
    else:
        found = [*_plain(column), *_no_dates(column)]
    return tuple(sorted([*found, *below], key=lambda one: (-one.rows, one.text)))


def agreed(facts: Mapping[str, ColumnFacts]) -> dict[str, ColumnFacts]:
    """The facts, a word that stands alone among the numbers of several columns now sure."""
    columns: dict[str, int] = {}
    for look in facts.values():
        for one in look.missing_tokens:
            if one.because == AMONG_NUMBERS:
                columns[one.text] = columns.get(one.text, 0) + 1
    return {name: _agreed(look, columns) for name, look in facts.items()}


def _agreed(look: ColumnFacts, columns: Mapping[str, int]) -> ColumnFacts:
    tokens = tuple(
        replace(one, because=f"{AMONG_NUMBERS}, in {columns[one.text]} columns", sure=True)
        if one.because == AMONG_NUMBERS and columns[one.text] > 1 else one
        for one in look.missing_tokens
    )  # fmt: skip
    return replace(look, missing_tokens=tokens)


def _plain(column: EncodedColumn) -> Iterator[MissingToken]:
    """What plainly says nothing, in a column of words."""
    texts = column.head(MOST_TEXTS)
    nothing = [one or _composed(text) for text, one in zip(texts, unrecorded(texts), strict=True)]
    two = sum(TWO_LETTERS.fullmatch(text) is not None for text in texts)
    for place, (text, says_nothing) in enumerate(zip(texts, nothing, strict=True)):
        if not says_nothing or column.distinct == 1:
            continue
        rows = int(column.counts[place])
        if text == "NA" and two >= max(3, len(texts) // 2):
            yield MissingToken(text=text, rows=rows, because=A_COUNTRY, sure=False)
        else:
            yield MissingToken(text=text, rows=rows, because=_words(text), sure=True)


def _composed(text: str) -> bool:
    """Whether it is put together of words that say nothing.

    >>> [_composed(text) for text in ("NA_NA", "unknown/missing", "NA_yes", "NA", "_-_")]
    [True, True, False, False, False]
    """
    parts = [part for part in re.split("[_/|]", text) if any(map(str.isalnum, part))]
    return len(parts) > 1 and all(map(means_missing, parts))


def _words(text: str) -> str:
    if not text.strip():
        return "it is an empty text"
    if likeness(text) == UNKNOWN and not any(c.isalnum() for c in text):
        return "it is a mark and no word"
    return "it says that nothing is known"


def _no_dates(column: EncodedColumn) -> Iterator[MissingToken]:
    for place, text in enumerate(column.head(MOST_TEXTS)):
        day = text.removesuffix(" 00:00:00")
        sure = day in NO_DATES
        if sure or day in DOUBTFUL_DATES:
            rows = int(column.counts[place])
            if not sure and rows < max(3, column.rows // 200):
                continue
            why = "it is no day" if sure else "many have it, and programs write it for no date"
            yield MissingToken(text=text, rows=rows, because=why, sure=sure)


def _texts_among_numbers(column: EncodedColumn, numbers: NumberValues) -> Iterator[MissingToken]:
    texts: list[tuple[int, str]] = [
        (place, column.texts[place].as_py()) for place in numbers.others[:MOST_TEXTS].tolist()
    ]
    # Beside + and ++ a - is a finding: negative.
    signs = any(text.strip() and not text.strip(" +") for _, text in texts)
    for place, text in texts:
        if signs and text.strip() and not text.strip(" -"):
            continue
        rows = int(column.counts[place])
        if means_missing(text):
            yield MissingToken(
                text=text,
                rows=rows,
                because=f"it stands among numbers and {_says(text)}",
                sure=True,
            )
        elif len(numbers.others) <= FEW_TEXTS and not any(map(str.isdigit, text)):
            yield MissingToken(text=text, rows=rows, because=AMONG_NUMBERS, sure=False)


def _says(text: str) -> str:
    return _words(text).removeprefix("it ")


def _strange_numbers(column: EncodedColumn, numbers: NumberValues) -> Iterator[MissingToken]:
    """NumberValues outside the body of the others that are written for missing values."""
    if len(numbers.values) < AMONG:
        return
    written = [column.texts[int(p)].as_py() for p in numbers.places[:20].tolist()]
    below = {
        i for i, text in enumerate(written)
        if numbers.values[i] < 0 and (numbers.values[i] in SURE_BELOW | SMALL_BELOW)
    }  # fmt: skip
    negative = int((numbers.values < 0).sum())
    if _a_run(numbers, below):
        below = set()  # from 0 down step by step: temperatures, balances
    if below and negative == len(below) and len(numbers.values) - negative >= AMONG - 1:
        certain = any(numbers.values[i] in SURE_BELOW for i in below)
        for i in sorted(below):
            alone = len(below) == 1 and numbers.values[i] == -1
            why = "no other number is below zero" if len(below) == 1 else (
                "nothing is below zero but such codes")  # fmt: skip
            yield _token(written[i], int(numbers.rows[i]), why, sure=certain and not alone)
    yield from _nines(column, numbers)


def _below_few(column: EncodedColumn, numbers: NumberValues) -> Iterator[MissingToken]:
    """A number such as -9 or -99 among answers and codes: yes and no, 0 and 1, letters."""
    negative = [i for i, value in enumerate(numbers.values) if value < 0]
    if len(negative) != 1 or column.distinct < 3:
        return
    value = float(numbers.values[negative[0]])
    if value in SURE_BELOW and -value not in numbers.values:
        text = column.texts[int(numbers.places[negative[0]])].as_py()
        why = "it stands among a few codes, and no other is below zero"
        yield _token(text, int(numbers.rows[negative[0]]), why, sure=True)


def _a_run(numbers: NumberValues, below: set[int]) -> bool:
    """Whether the numbers below zero are five or more side by side, about equally frequent."""
    rows = [int(numbers.rows[i]) for i in below]
    return len(rows) >= 5 and max(rows) < 3 * min(rows)


def _nines(column: EncodedColumn, numbers: NumberValues) -> Iterator[MissingToken]:
    """Nines (and 998, 88, ...) above all other numbers."""
    top = range(len(numbers.values) - 1, max(-1, len(numbers.values) - 12), -1)
    texts = {i: str(column.texts[int(numbers.places[i])].as_py()) for i in top}
    above: list[int] = []
    for i in top:
        if not NINES.fullmatch(texts[i]) or numbers.values[i] <= 0:
            break
        above.append(i)
    # Of codes side by side (97, 98, 99) the lowest decides, and one in nines must be the last.
    while above:
        rest = numbers.values[: above[-1]]
        rest = rest[rest >= 0]
        if len(rest) < AMONG - 1:
            above.pop()
            continue
        most, spread = float(rest[-1]), float(rest[-1] - rest[0])
        first = float(numbers.values[above[-1]])
        gap = first - most
        nines = set(texts[above[0]].partition(".")[0]) == {"9"}
        beside = max(2.0, spread / 20)
        if nines and gap > beside and _as_wide(first, most):
            break
        above.pop()
    for i in above:
        rows = int(numbers.rows[i])
        far = gap >= FAR * max(spread, 1.0)
        frequent = i == above[0] and rows > int(numbers.rows[: above[-1]].max())
        sure = far or frequent
        if not sure and rows < max(2, float(np.median(numbers.rows[: above[-1]]))):
            continue  # rarer than a value beside it would be
        why = f"the other numbers end at {most:g}, and nines are written for missing values"
        if far:
            why = f"it is far above all other numbers, which end at {most:g}"
        elif frequent:
            why = f"the other numbers end at {most:g}, and none is as frequent"
        yield _token(texts[i], rows, why, sure=sure)


def _as_wide(first: float, most: float) -> bool:
    """Whether nines fill the field, or more: 99 beside numbers of two digits, not of four."""
    return first > most and len(str(int(first))) >= len(str(int(most)))


def _token(text: str, rows: int, why: str, *, sure: bool) -> MissingToken:
    return MissingToken(text=text, rows=rows, because=why, sure=sure)
