"""Forms by which values give away what they are: e-mail addresses, IBANs, national numbers, names.

A form with check digits is hardly met by chance: of random digits one number in ten has a right
one. So most values of a column must fit, and three at least.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from hedgerow.table.column_words import words, words_in
from hedgerow.table.profile.column_facts import Recognition
from hedgerow.table.profile.given_names import GIVEN_NAMES
from hedgerow.table.profile.national_numbers import NATIONAL_NUMBERS

LOOKED_AT = 300
"""Distinct values of a column that are looked at."""
MOST = 0.6
"""Share of the values that must fit where others could by chance."""
SOME = 0.02
"""Share that is enough where none fits by chance."""
LEAST = 3
"""Values that must fit, where one could by chance."""
FEW = 8
"""Under so many values all must fit where one of ten does by chance."""


@dataclass(frozen=True)
class IdentifierForm:
    """A form of values."""

    kind: str
    fits: Callable[[str], bool]
    direct: bool = True
    """Whether such a value identifies a person by itself."""
    checked: bool = False
    """Whether it has check digits."""
    share: float = MOST
    """Of the distinct values, how many must fit."""
    called: frozenset[str] = frozenset()
    """Words of which the column's name must have one; empty: any name will do."""


_MAIL = re.compile(r"(?<![\w.+-])[\w.+%-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}\b")
_URL = re.compile(r"(https?|ftp)://\S+|www\.[\w-]+\.\S+", re.IGNORECASE)
_UUID = re.compile(r"\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?", re.IGNORECASE)
_HASH = re.compile(r"(?=.*[0-9])(?=.*[a-f])([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})",
                   re.IGNORECASE)  # fmt: skip
_MAC = re.compile(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE)
_PHONE = re.compile(
    r"(\+|00)[1-9][\d\s()./-]{6,20}"
    r"|\(?0\d{1,5}\)?[\s/.-]+\d[\d\s.-]{3,14}"
    r"|(\+?1[\s.-]?)?(\(\d{3}\)\s?|\d{3}[-.\s])\d{3}[-.\s]\d{4}(\s?(x|ext\.?)\s?\d+)?"
)
_POINT = re.compile(r"\(?\s*-?\d{1,2}\.\d{3,}\s*[,;\s]\s*-?\d{1,3}\.\d{3,}\s*\)?")
_DECIMALS = re.compile(r"-?\d{1,3}\.\d{3,}")
_STREET = re.compile(
    r"\d+[a-z]?,?\s+([\w.'-]+\s+){1,5}?(street|st|avenue|ave|road|rd|lane|ln|drive|dr|court|ct|"
    r"boulevard|blvd|way|place|pl|square|sq|terrace|crescent|close|parkway|pkwy|highway|hwy)\b\.?.*"
    r"|.*\w(straße|strasse|str\.|weg|gasse|allee|platz|ring|damm|ufer|straat|laan|gatan|vägen|"
    r"vej|gate)\s+\d+\s?[a-z]?\b.*"
    r"|(\d+\s?(bis|ter)?,?\s+)?(rue|avenue|boulevard|chemin|impasse|allée|place|calle|avenida|"
    r"plaza|paseo|carrer|via|viale|piazza|corso|rua|ulica|ul\.)\s+.*\w.*",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"\b(mr|mrs|ms|miss|master|dr|prof|herr|frau|sir|rev|jr|sra?|mme|mlle|dom)\b\.?", re.IGNORECASE
)
_NAME_WORD = re.compile(r"[^\W\d_]+('[^\W\d_]+)?\.?(-[^\W\d_]+)*\.?")
TELEPHONE = words("phone tel telephone telefon mobile cell fax handy mobil telefono téléphone fon")
PLACE = words("lat latitude lon lng long longitude coord coordinates coordinate x y geo gps")
SECURITY = words("ssn social security sozialversicherung sin")


def _is_address(text: str) -> bool:
    try:
        ip_address(text.strip())
    except ValueError:
        return False
    return "." in text or ":" in text


def _is_iban(text: str) -> bool:
    from stdnum import iban

    bare = text.replace(" ", "")
    return re.fullmatch(r"[A-Za-z]{2}\d{2}[A-Za-z0-9]{11,30}", bare) is not None and bool(
        iban.is_valid(bare)
    )


def _is_card(text: str) -> bool:
    from stdnum import luhn

    bare = re.sub(r"[\s-]", "", text)
    given = r"(4\d{12}(\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(011|5\d\d)\d{12})"
    return re.fullmatch(given, bare) is not None and bool(luhn.is_valid(bare))


def _is_phone(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return 7 <= digits <= 15 and _PHONE.fullmatch(text.strip()) is not None


def _is_bare_phone(text: str) -> bool:
    return re.fullmatch(r"\d{7,15}", text.strip()) is not None


def _is_hyphened_ssn(text: str) -> bool:
    return re.fullmatch(r"\d{3}[- ]\d{2}[- ]\d{4}", text.strip()) is not None


def is_name(text: str) -> bool:
    """Whether it is a whole name of somebody: two to five words, a common given name among them.

    >>> is_name("Anna Schmidt"), is_name("Braund, Mr. Owen Harris"), is_name("MARIA LOPEZ")
    (True, True, True)
    >>> is_name("New York"), is_name("heart failure"), is_name("anna")
    (False, False, False)
    """
    parts = _name_words(text)
    return 2 <= len(parts) <= 6 and any(part.casefold() in GIVEN_NAMES for part in parts)


def is_given_name(text: str) -> bool:
    """Whether it is a common given name alone."""
    return text.strip().casefold() in GIVEN_NAMES


def _name_words(text: str) -> list[str]:
    bare = re.sub(r"[(),\"]", " ", _TITLE.sub(" ", text))
    parts = [part for part in bare.split() if part not in ("von", "van", "de", "der", "la", "di")]
    right = all(_NAME_WORD.fullmatch(part) and part[:1].isupper() for part in parts)
    return parts if right else []


FORMS = (
    IdentifierForm("e-mail address", lambda text: _MAIL.search(text) is not None, share=SOME),
    IdentifierForm("IBAN", _is_iban, checked=True, share=SOME),
    IdentifierForm("credit card number", _is_card, checked=True),
    IdentifierForm("telephone number", _is_phone),
    IdentifierForm("telephone number", _is_bare_phone, called=TELEPHONE),
    IdentifierForm("name of a person", is_name, share=0.4),
    IdentifierForm("given name", is_given_name, share=0.5),
    IdentifierForm("street address", lambda text: _STREET.fullmatch(text.strip()) is not None,
                   share=0.5),
    IdentifierForm("web address", lambda text: _URL.search(text) is not None, direct=False,
                   share=SOME),
    IdentifierForm("IP address", _is_address),
    IdentifierForm("MAC address", lambda text: _MAC.fullmatch(text.strip()) is not None),
    IdentifierForm("UUID", lambda text: _UUID.fullmatch(text.strip()) is not None),
    IdentifierForm("hash", lambda text: _HASH.fullmatch(text.strip()) is not None),
    IdentifierForm("coordinates", lambda text: _POINT.fullmatch(text.strip()) is not None),
    IdentifierForm("coordinates", lambda text: _DECIMALS.fullmatch(text.strip()) is not None,
                   called=PLACE),
    *(
        IdentifierForm(one.name, one.fits, checked=one.checked,
                       called=SECURITY if one.name == "US social security number" else frozenset())
        for one in NATIONAL_NUMBERS
    ),
    IdentifierForm("US social security number", _is_hyphened_ssn),
)  # fmt: skip
"""All that are looked for."""


def recognised(name: str, texts: Sequence[str]) -> tuple[Recognition, ...]:
    """The forms that the values of a column have.

    Args:
        name: The column.
        texts: Some of its distinct values, without tokens of missing ones.

    >>> [found.kind for found in recognised("x", ["a@b.org", "c@d.org", "e@f.org"])]
    ['e-mail address']
    """
    if not texts:
        return ()
    named = words_in(name)
    found: dict[str, Recognition] = {}
    for form in FORMS:
        if form.called and form.called.isdisjoint(named):
            continue
        share = _share(form, texts)
        if share and (form.kind not in found or share > found[form.kind].share):
            found[form.kind] = Recognition(
                kind=form.kind, share=share, direct=form.direct, check_digits=form.checked
            )
    return tuple(sorted(found.values(), key=lambda one: (-one.share, not one.check_digits)))


def _share(form: IdentifierForm, texts: Sequence[str]) -> float:
    """Of the texts, how many have the form; 0 if that may be chance."""
    first = texts[:40]
    if form.share >= 0.4 and not any(map(form.fits, first)):
        return 0.0
    fit = sum(map(form.fits, texts))
    if form.share == SOME:
        return fit / len(texts) if fit >= SOME * len(texts) else 0.0
    few = len(texts) < FEW
    enough = fit == len(texts) if few and form.checked else fit >= form.share * len(texts)
    return fit / len(texts) if enough and fit >= LEAST else 0.0
