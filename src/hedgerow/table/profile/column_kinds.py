"""NumberValues, codes, dates, categories and texts: what the values of a column are.

A number and a code are written alike. What tells them apart: a zero in front, what the column is
called, and how often neighbours stand: about as often among amounts, as it happens among codes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.table.column_words import words, words_in
from hedgerow.table.profile.column_facts import ColumnKind
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.number_values import NumberValues

LOOKED_AT = 1000
"""Distinct values whose form is looked at."""
FEW = 12
"""Distinct whole numbers that may all be names of something."""
ROUGH = 4.0
"""How much more neighbours' frequencies differ than by chance, from which on they are codes."""
MOST_TURNS = 2.0
"""How often frequencies go up and down, from which on whole numbers are codes."""
FEW_TURNS = 1.25
"""The same for few values."""
LARGEST_GAP = 3
"""Between few values that are amounts."""
TWO_OR_THREE = 3
"""Distinct whole numbers that are taken for names, if nothing else is said."""
SENTENCE = 4.0
"""Words of a text, on average, from which on it is a sentence."""
LONG = 60
"""Characters of a text that is longer than a label."""
DATES = {
    "yyyy-mm-dd": r"^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$",
    "yyyy-mm-dd hh:mm:ss": r"^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[ T]\d\d:\d\d.*$",
    "yyyy-mm": r"^[12]\d{3}-(0[1-9]|1[0-2])$",
    "yyyy/mm/dd": r"^[12]\d{3}/(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])( \d.*)?$",
    "dd.mm.yyyy": r"^(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.([12]\d)?\d\d( \d.*)?$",
    "dd/mm/yyyy": r"^(0?[1-9]|[12]\d|3[01])[/-](0?[1-9]|1[0-2])[/-]([12]\d)?\d\d( \d.*)?$",
    "mm/dd/yyyy": r"^(0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])[/-]([12]\d)?\d\d( \d.*)?$",
    "yyyymmdd": r"^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$",
    "dd-mon-yyyy": r"^(?i)\d{1,2}[- ]?[a-z]{3}[- ]?([12]\d)?\d\d( \d.*)?$",
    "hh:mm": r"^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$",
}  # fmt: skip
"""How dates are written; the first that all values fit. 03/04/2020 alone fits two."""
EITHER = "dd/mm/yyyy or mm/dd/yyyy"
CODE_WORDS = words(
    "nbr pid mrn ssn patnr seqn subject participant respondent patient patientnr patientennr "
    "patientnummer patientennummer probandennummer teilnehmernummer "
    "code codes cod id ids type typ kind category cat class klass group grp sex gender race raceg "
    "ethnicity ethnic marital marst religion occupation occ job industry ind state statefip county "
    "country region district department dept ward unit site centre center hospital clinic provider "
    "payer drg icd icd9 icd10 snomed atc cpt naics nace isco soc zip zipcode plz postcode postal "
    "fips status relationship relate birthplace bplg bpl citizen citizenship puma tract block "
    "nationality language degree faculty subject kreis gemeinde ags treatment trt treat arm "
    "study cohort source method mode reason flag indicator diagnosis diag procedure sector branch"
)
"""Words in the name of a column whose numbers are names."""
AMOUNT_WORDS = words(
    "age years year count number num n size length height weight income wage salary amount price "
    "cost score rate days day hours hour months month weeks minutes time dose bmi pressure level "
    "total sum mean avg percent pct share ratio distance area temperature temp dist population pop "
    "children kids persons people visits rank grade alter anzahl betrag einkommen gewicht"
)
"""Words of one whose numbers are amounts, counts, or stand in an order."""
RANGE = re.compile(
    r"[\[(<>≤≥]?=?\s*-?[\d.,]+\s*(-|–|,|to|bis|\.\.)\s*-?[\d.,]+\s*[\])]?|[<>≤≥]=?\s*[\d.,]+"
    r"|[\d.,]+\s*\+"
)
"""10-19, [20, 30), 85+, <18."""
_TOKEN = re.compile(r"[^\W_]+([-./+#][^\W_]+)*\.?|[A-Z0-9]{1,4} [A-Z0-9]{2,4}")


@dataclass(frozen=True)
class KindGuess:
    """The kind of a column, why, and in which form its dates are written."""

    kind: ColumnKind
    because: str
    date_form: str | None = None
    free_text: bool = False


def kind_of(column: EncodedColumn, numbers: NumberValues, tokens: frozenset[str]) -> KindGuess:
    """What the values of a column are, tokens of missing ones left aside."""
    texts = [text for text in column.spread(LOOKED_AT) if text not in tokens and text.strip()]
    if not texts:
        return KindGuess(ColumnKind.EMPTY, "no row has a value")
    if form := date_form(texts, words_in(column.name)):
        both = ", day and month in either order" if form == EITHER else ""
        return KindGuess(ColumnKind.DATE, f"its values are written {form}{both}", form)
    if len(numbers.values) and len(numbers.others) <= len(tokens):
        return _number_or_code(column.name, numbers)
    return _words(column, texts)


def date_form(texts: list[str], named: frozenset[str]) -> str | None:
    """How the dates of a column are written; None where it holds none.

    >>> date_form(["2020-02-29"], frozenset()), date_form(["31.12.2020"], frozenset())
    ('yyyy-mm-dd', 'dd.mm.yyyy')
    >>> date_form(["03/04/2020"], frozenset())
    'dd/mm/yyyy or mm/dd/yyyy'
    >>> date_form(["13/04/2020", "03/04/2020"], frozenset()), date_form(["7"], frozenset())
    ('dd/mm/yyyy', None)
    """
    array = pa.array(texts)
    fits = [
        form for form, pattern in DATES.items()
        if pc.all(pc.match_substring_regex(array, pattern)).as_py()
    ]  # fmt: skip
    if not fits or (fits[0] == "yyyymmdd" and len(texts) < 3 and not named & DATE_WORDS):
        return None
    return EITHER if "dd/mm/yyyy" in fits and "mm/dd/yyyy" in fits else fits[0]


DATE_WORDS = words("date day datum dob birth born fecha data admission discharge geburtsdatum")


def _number_or_code(name: str, numbers: NumberValues) -> KindGuess:
    named = words_in(name)
    code, amount = named & CODE_WORDS, named & AMOUNT_WORDS
    if numbers.zeros and numbers.whole and not amount and numbers.values[0] >= 0:
        return KindGuess(ColumnKind.CODE, "some of its numbers begin with a zero")
    if not numbers.whole:
        return KindGuess(ColumnKind.NUMBER, "its values are numbers with decimals")
    distinct = len(np.unique(numbers.values))
    if code and not amount:
        return KindGuess(ColumnKind.CODE, f"its name says {_said(code)}")
    if amount and not code:
        return KindGuess(ColumnKind.NUMBER, f"its name says {_said(amount)}")
    if distinct <= TWO_OR_THREE:
        return KindGuess(ColumnKind.CODE, f"it has only {_count(distinct)}")
    if distinct <= FEW:
        if _unimodal(numbers):
            why = "few whole numbers, their frequencies rise and fall as those of counts do"
            return KindGuess(ColumnKind.NUMBER, why)
        why = "few whole numbers, their frequencies rise and fall as those of names do"
        return KindGuess(ColumnKind.CODE, why)
    if roughness(numbers) > ROUGH and turns(numbers) > MOST_TURNS and not _heaped(numbers):
        return KindGuess(
            ColumnKind.CODE, "whole numbers, and neighbours are not about equally frequent"
        )
    return KindGuess(ColumnKind.NUMBER, "its values are whole numbers")


def roughness(numbers: NumberValues) -> float:
    """How much the frequencies of neighbours differ, of two in the middle; by chance 0.45.

    The difference of two counts, squared, over their sum is chi-squared for a smooth distribution.
    """
    values, place = np.unique(numbers.values, return_inverse=True)
    rows = np.zeros(len(values))
    np.add.at(rows, place, numbers.rows)
    if len(values) < 2:
        return 0.0
    first, second = rows[:-1], rows[1:]
    return float(np.median((first - second) ** 2 / (first + second)))


def _heaped(numbers: NumberValues) -> bool:
    """Whether round numbers are the frequent ones, as where people estimate."""
    often = np.argsort(-numbers.rows)[: max(3, len(numbers.rows) // 10)]
    round_ones = (numbers.values[often] % 5 == 0).mean()
    return bool(round_ones >= 0.5)


def turns(numbers: NumberValues) -> float:
    """How far frequencies go up and down, compared with rising to one peak and falling from it."""
    rows = numbers.rows.astype(float)
    once = 2 * rows.max() - rows[0] - rows[-1]
    return float(np.abs(np.diff(rows)).sum() / once) if once else 1.0


def _unimodal(numbers: NumberValues) -> bool:
    """Whether frequencies rise to one peak and fall from it, small wiggles aside."""
    if (np.diff(numbers.values) > LARGEST_GAP).any():
        return False  # 1, 2, 9: the gaps are those of a code book
    return turns(numbers) <= FEW_TURNS


def _words(column: EncodedColumn, texts: list[str]) -> KindGuess:
    ranges = sum(map(is_range, texts))
    if 2 * ranges > len(texts):
        return KindGuess(ColumnKind.CATEGORY, "its values are ranges")
    average = sum(len(text.split()) for text in texts) / len(texts)
    lengths = sum(map(len, texts)) / len(texts)
    repeated = column.rows - column.missing >= 4 * column.distinct
    if not repeated and (average >= SENTENCE + 2 or (average >= SENTENCE and lengths > LONG / 2)):
        return KindGuess(ColumnKind.TEXT, "its values are sentences", free_text=True)
    if not repeated and max(map(len, texts)) > 2 * LONG and average > 2:
        return KindGuess(ColumnKind.TEXT, "some of its values are long texts", free_text=True)
    codes = sum(_is_code(text) for text in texts)
    if 5 * codes >= 4 * len(texts):
        return KindGuess(ColumnKind.CODE, "its values are letters with digits, as codes are")
    if 2 * column.distinct > column.rows - column.missing and column.distinct > FEW:
        return KindGuess(ColumnKind.TEXT, "its values are words that hardly repeat")
    return KindGuess(ColumnKind.CATEGORY, "its values are words that repeat")


def is_range(text: str) -> bool:
    """Whether it is a range of numbers.

    >>> [is_range(text) for text in ("10-19", "[70-80)", "85+", "<18", "28-01301", "2020-7")]
    [True, True, True, True, False, False]
    """
    if RANGE.fullmatch(text.strip()) is None:
        return False
    ends = re.findall(r"\d+(?:\.\d+)?", text.replace(",", ""))
    if any(len(end) > 1 and end[0] == "0" and end[1] != "." for end in ends):
        return False
    return len(ends) < 2 or float(ends[0]) <= float(ends[-1])


def _is_code(text: str) -> bool:
    return any(map(str.isdigit, text)) and _TOKEN.fullmatch(text.strip()) is not None


def _count(distinct: int) -> str:
    return "one value" if distinct == 1 else f"{distinct} values"


def _said(found: frozenset[str]) -> str:
    return " and ".join(f'"{word}"' for word in sorted(found))
