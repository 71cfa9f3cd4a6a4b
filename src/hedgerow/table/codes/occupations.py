"""Work and education: ISCO, SOC, NACE, NAICS, ISCED."""

from __future__ import annotations

import re

from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem, beginnings, begun, key

_BY_STRUCTURE = "no table: by the structure of the code"
_ISCO = frozenset(
    f"{major}{sub}"
    for major, last in enumerate((3, 4, 6, 5, 4, 4, 3, 5, 3, 6))
    for sub in range(1, last + 1)
)
"""Sub-major groups of ISCO-08."""


def _read_isco(text: str) -> str | None:
    found = re.fullmatch(r"(?:ISCO[- ]?(?:08)?[- ]?)?(\d{1,4})", text.strip().upper(), re.ASCII)
    if found is None:
        return None
    code = found[1]
    return code if len(code) == 1 or code[:2] in _ISCO else None


CODE_SYSTEMS.register(
    CodeSystem(
        name="isco-08",
        title="occupations: ISCO-08",
        edition="sub-major groups of 2008",
        source="structure of the code; ILO's list of groups",
        licence="none needed",
        levels=("minor group", "sub-major group", "major group"),
        read=_read_isco,
        above=beginnings("ISCO", 3, 2, 1),
        owns=begun("ISCO"),
        words=frozenset({"isco", "isco08", "occupation", "profession", "job"}),
        examples=("2512", "0110", "ISCO 25", "9"),
        weak=lambda text: not text.strip().upper().startswith("ISCO"),
    )
)


def _read_soc(text: str) -> str | None:
    found = re.fullmatch(r"(\d\d)-(\d{4})(?:\.\d\d)?", text.strip(), re.ASCII)
    if found is None or not 11 <= int(found[1]) <= 55 or int(found[1]) % 2 == 0:
        return None
    return f"{found[1]}-{found[2]}"


CODE_SYSTEMS.register(
    CodeSystem(
        name="soc",
        title="occupations of the USA: SOC 2010 and 2018, O*NET",
        edition=_BY_STRUCTURE,
        source="structure of the code",
        licence="none needed",
        levels=("broad occupation", "minor group", "major group"),
        read=_read_soc,
        above=beginnings("SOC", 6, 4, 2),
        owns=begun("SOC"),
        words=frozenset({"soc", "onet", "occupation"}),
        examples=("15-1252", "15-1252.00", "29-1141"),
        weak=lambda text: False,
    )
)

_SECTIONS = {
    "A": (1, 3), "B": (5, 9), "C": (10, 33), "D": (35, 35), "E": (36, 39), "F": (41, 43),
    "G": (45, 47), "H": (49, 53), "I": (55, 56), "J": (58, 63), "K": (64, 66), "L": (68, 68),
    "M": (69, 75), "N": (77, 82), "O": (84, 84), "P": (85, 85), "Q": (86, 88), "R": (90, 93),
    "S": (94, 96), "T": (97, 98), "U": (99, 99),
}  # fmt: skip
"""Sections of NACE Rev. 2 and ISIC Rev. 4, and the first and last division of each."""
_NACE = re.compile(r"([A-U])?\.?(?:(\d\d)(?:\.?(\d)(?:\.?(\d))?)?)?", re.ASCII)


def _section(division: str) -> str | None:
    number = int(division)
    return next((s for s, (low, high) in _SECTIONS.items() if low <= number <= high), None)


def read_nace(text: str) -> str | None:
    """A section, or a division, group or class with its dot.

    >>> read_nace("6201"), read_nace("J62.01"), read_nace("62.0"), read_nace("j"), read_nace("44")
    ('62.01', '62.01', '62.0', 'J', None)
    """
    found = _NACE.fullmatch(text.strip().upper())
    if found is None or not found[0]:
        return None
    letter, division, group, small = found.groups()
    if division is None:
        return str(letter)
    section = _section(division)
    if section is None or letter not in (None, section):
        return None
    return division + (f".{group}{small or ''}" if group else "")


def _above_nace(code: str) -> tuple[str, ...]:
    if code.isalpha():
        return f"NACE {code} only", f"NACE {code} only", f"NACE {code}"
    group = code[:4] if len(code) > 2 else f"{code} only"
    return f"NACE {group}", f"NACE {code[:2]}", f"NACE {_section(code[:2])}"


CODE_SYSTEMS.register(
    CodeSystem(
        name="nace",
        title="industries: NACE Rev. 2 and ISIC Rev. 4",
        edition="sections of Rev. 2",
        source="Regulation (EC) 1893/2006; written for Hedgerow",
        licence="none needed",
        levels=("group", "division", "section"),
        read=read_nace,
        above=_above_nace,
        owns=begun("NACE"),
        words=frozenset({"nace", "isic", "industry", "branch", "sector"}),
        examples=("62.01", "6201", "J62.01", "62", "J", "01.1"),
        weak=lambda text: text.replace(".", "", 1).isdigit() or len(text.strip()) < 3,
    )
)

_NAICS = {
    "11": "11", "21": "21", "22": "22", "23": "23", "31": "31-33", "32": "31-33", "33": "31-33",
    "42": "42", "44": "44-45", "45": "44-45", "48": "48-49", "49": "48-49", "51": "51", "52": "52",
    "53": "53", "54": "54", "55": "55", "56": "56", "61": "61", "62": "62", "71": "71", "72": "72",
    "81": "81", "92": "92",
}  # fmt: skip
"""Sectors of NAICS."""


def _read_naics(text: str) -> str | None:
    found = text.strip()
    if found in _NAICS.values():
        return found[:2]
    fits = re.fullmatch(r"\d{2,6}", found, re.ASCII) and found[:2] in _NAICS
    return found if fits else None


def _above_naics(code: str) -> tuple[str, ...]:
    sector = _NAICS[code[:2]]
    short = f"NAICS {sector if len(code) == 2 else code} only"
    group = f"NAICS {code[:4]}" if len(code) > 3 else short
    return group, f"NAICS {code[:3]}" if len(code) > 2 else short, f"NAICS {sector}"


CODE_SYSTEMS.register(
    CodeSystem(
        name="naics",
        title="industries of North America: NAICS",
        edition="sectors of 2022",
        source="structure of the code; U.S. Census Bureau's list of sectors",
        licence="public domain (U.S. government)",
        levels=("industry group", "subsector", "sector"),
        read=_read_naics,
        above=_above_naics,
        owns=begun("NAICS"),
        words=frozenset({"naics", "industry", "sector"}),
        examples=("541511", "5415", "31-33", "33", "444"),
        weak=lambda text: text.isdigit(),
    )
)

_ISCED_NAMES = {
    "0": "early childhood education|less than primary education|pre-primary education",
    "1": "primary education|primary",
    "2": "lower secondary education|lower secondary",
    "3": "upper secondary education|upper secondary",
    "4": "post-secondary non-tertiary education|post-secondary non-tertiary",
    "5": "short-cycle tertiary education|short-cycle tertiary",
    "6": "bachelor's or equivalent|bachelor's or equivalent level",
    "7": "master's or equivalent|master's or equivalent level",
    "8": "doctoral or equivalent|doctoral or equivalent level",
}
_ISCED_KEYS = {key(n): code for code, names in _ISCED_NAMES.items() for n in names.split("|")}


def _read_isced(text: str) -> str | None:
    named = _ISCED_KEYS.get(key(text))
    if named:
        return named
    found = re.fullmatch(
        r"(?:ISCED[- ]?(?:11|2011|97)?[- ]*(?:LEVEL)?[- ]*|ED|LEVEL )?([0-8])([0-9]{0,2})",
        text.strip().upper(), re.ASCII)  # fmt: skip
    return None if found is None else found[1] + found[2]


CODE_SYSTEMS.register(
    CodeSystem(
        name="isced",
        title="education: ISCED 2011 levels and attainment codes",
        edition="levels of 2011; low, medium and high as Eurostat has them",
        source="UNESCO's levels; written for Hedgerow",
        licence="none needed",
        levels=("level", "low, medium or high"),
        read=_read_isced,
        above=lambda code: (
            f"ISCED {code[0]}",
            "ISCED " + ("low" if code < "3" else "medium" if code < "5" else "high"),
        ),
        owns=begun("ISCED"),
        words=frozenset({"isced", "education", "educ", "hatlevel"}),
        examples=("ISCED 3", "3", "ED5", "344", "Upper secondary education", "ISCED 2011 level 8"),
        weak=lambda text: text.isdigit(),
    )
)
