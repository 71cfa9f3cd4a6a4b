"""NumberValues that states give to people, and their check digits.

Most rules come from python-stdnum. What it lacks stands here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module


@dataclass(frozen=True)
class NationalNumber:
    """One country's number of people."""

    name: str
    shape: str
    """A regular expression of the bare number: without spaces, hyphens, points and slashes."""
    module: str = ""
    """Of python-stdnum; where empty, `right` says whether a bare number is one."""
    right: Callable[[str], bool] | None = None
    checked: bool = True
    """Whether it has check digits."""

    def fits(self, text: str) -> bool:
        """Whether a text is such a number, with the check digits that it must have."""
        bare = BETWEEN.sub("", text).upper()
        if not re.fullmatch(self.shape, bare):
            return False
        if self.right is not None:
            return self.right(bare)
        rules = import_module(f"stdnum.{self.module}")
        # Some rules want the mark between day and number that others must not have.
        return bool(rules.is_valid(text.strip()) or rules.is_valid(bare))


BETWEEN = re.compile(r"[\s./-]")
_NINO_NOT = ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def nino(bare: str) -> bool:
    """A British National Insurance number; it has no check digit.

    >>> nino("AB123456C"), nino("GB123456C"), nino("NT123456C")
    (True, False, False)
    """
    return bare[:2] not in _NINO_NOT


def german_insurance(bare: str) -> bool:
    """A German pension insurance number (VKVV, section 4).

    >>> german_insurance("65170839J003"), german_insurance("65170839J008")
    (True, False)
    """
    digits = f"{bare[:8]}{ord(bare[8]) - ord('A') + 1:02d}{bare[9:11]}"
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    products = (int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
    return sum(sum(divmod(product, 10)) for product in products) % 10 == int(bare[11])


def ssn(bare: str) -> bool:
    """A number that the United States may have given; it has no check digit.

    >>> ssn("536904399"), ssn("666123456"), ssn("123004567")
    (True, False, False)
    """
    return not (bare[:3] in ("000", "666") or bare[0] == "9" or bare[3:5] == "00"
                or bare[5:] == "0000")  # fmt: skip


NATIONAL_NUMBERS = (
    NationalNumber("US social security number", r"\d{9}", right=ssn, checked=False),
    NationalNumber("UK NHS number", r"\d{10}", "gb.nhs"),
    NationalNumber(
        "UK national insurance number", r"[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z]\d{6}[A-D]",
        right=nino, checked=False,
    ),
    NationalNumber("German tax ID", r"\d{11}", "de.idnr"),
    NationalNumber(
        "German social insurance number",
        r"\d{2}(0[1-9]|[12]\d|3[01]|[5-9]\d)(0[1-9]|1[0-2])\d{2}[A-Z]\d{3}",
        right=german_insurance,
    ),
    NationalNumber("Dutch BSN", r"\d{9}", "nl.bsn"),
    NationalNumber("French NIR", r"[1278]\d{4}[\dAB]{2}\d{8}|[1278]\d{4}[\dAB]{2}\d{6}", "fr.nir"),
    NationalNumber(
        "Italian codice fiscale", r"[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z]"
        r"[\dLMNP-V]{3}[A-Z]", "it.codicefiscale",
    ),
    NationalNumber("Spanish DNI", r"\d{8}[A-Z]", "es.dni"),
    NationalNumber("Spanish NIE", r"[XYZ]\d{7}[A-Z]", "es.nie"),
    NationalNumber("Polish PESEL", r"\d{11}", "pl.pesel"),
    NationalNumber("Swedish personnummer", r"(\d{2})?\d{6}\+?\d{4}", "se.personnummer"),
    NationalNumber("Finnish HETU", r"\d{6}[+A-FU-Y]?\d{3}[0-9A-Y]", "fi.hetu"),
    NationalNumber("Norwegian fødselsnummer", r"\d{11}", "no.fodselsnummer"),
    NationalNumber("Danish CPR number", r"\d{10}", "dk.cpr"),
    NationalNumber("Icelandic kennitala", r"\d{10}", "is_.kennitala"),
    NationalNumber("Belgian national number", r"\d{11}", "be.nn"),
    NationalNumber("Austrian insurance number", r"\d{10}", "at.vnr"),
    NationalNumber("Swiss AHV number", r"756\d{10}", "ch.ssn"),
    NationalNumber("Irish PPS number", r"\d{7}[A-W][A-IW]?", "ie.pps"),
    NationalNumber("Portuguese NIF", r"[1235689]\d{8}", "pt.nif"),
    NationalNumber("Greek AMKA", r"\d{11}", "gr.amka"),
    NationalNumber("Czech or Slovak birth number", r"\d{10}", "cz.rc"),
    NationalNumber("Romanian CNP", r"[1-9]\d{12}", "ro.cnp"),
    NationalNumber("Bulgarian EGN", r"\d{10}", "bg.egn"),
    NationalNumber("Croatian OIB", r"\d{11}", "hr.oib"),
    NationalNumber("Estonian or Lithuanian code", r"[1-6]\d{10}", "ee.ik"),
    NationalNumber("Turkish identity number", r"[1-9]\d{10}", "tr.tckimlik"),
    NationalNumber("Israeli identity number", r"\d{9}", "il.idnr"),
    NationalNumber("Brazilian CPF", r"\d{11}", "br.cpf"),
    NationalNumber("Chilean RUT", r"\d{7,8}[\dK]", "cl.rut"),
    NationalNumber("Mexican CURP", r"[A-Z]{4}\d{6}[A-Z]{6}[A-Z0-9]\d", "mx.curp"),
    NationalNumber("Canadian SIN", r"[1-79]\d{8}", "ca.sin"),
    NationalNumber("Indian Aadhaar", r"[2-9]\d{11}", "in_.aadhaar"),
    NationalNumber("Indian PAN", r"[A-Z]{3}[ABCFGHLJPTK][A-Z]\d{4}[A-Z]", "in_.pan", checked=False),
    NationalNumber("Chinese identity number", r"\d{17}[\dX]", "cn.ric"),
    NationalNumber("South Korean number", r"\d{13}", "kr.rrn"),
    NationalNumber("South African identity number", r"\d{13}", "za.idnr"),
    NationalNumber("Australian tax file number", r"\d{9}", "au.tfn"),
)  # fmt: skip
"""Those that are looked for. Where several fit, the one that most values fit is named first."""
