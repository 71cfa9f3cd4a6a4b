"""Places: countries, NUTS regions, states of the USA, postcodes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem, beginnings, begun, key
from hedgerow.table.codes.tables import table

_OTHER_NAMES = {
    "ARE": "UAE", "BOL": "Bolivia", "BRN": "Brunei", "CIV": "Ivory Coast",
    "COD": "DR Congo|Congo Kinshasa|Democratic Republic of Congo", "COG": "Congo|Congo Brazzaville",
    "CPV": "Cape Verde", "CZE": "Czech Republic", "DEU": "Deutschland",
    "FSM": "Micronesia", "GBR": "Great Britain|Britain|United Kingdom|England|Scotland|Wales|"
    "Northern Ireland|U.K.", "HKG": "Hong Kong", "IRN": "Iran", "KOR": "South Korea|Korea South",
    "LAO": "Laos", "MAC": "Macau|Macao", "MDA": "Moldova", "MKD": "Macedonia", "MMR": "Burma",
    "NLD": "Netherlands|Holland|the Netherlands", "PRK": "North Korea", "PSE": "Palestine",
    "RUS": "Russia", "SWZ": "Swaziland", "SYR": "Syria", "TLS": "East Timor",
    "TTO": "Trinidad", "TUR": "Turkey|Türkiye", "TWN": "Taiwan", "TZA": "Tanzania",
    "USA": "United States|US|U.S.|U.S.A.|America", "VAT": "Vatican|Vatican City",
    "VEN": "Venezuela", "VNM": "Vietnam", "VGB": "British Virgin Islands",
    "VIR": "US Virgin Islands|U.S. Virgin Islands",
}  # fmt: skip
"""Everyday names, written for Hedgerow."""
_FORMER = {
    "CSK": ("CS", "Eastern Europe", "Europe", "Czechoslovakia"),
    "DDR": ("DD", "Western Europe", "Europe", "East Germany|German Democratic Republic"),
    "XKX": ("XK", "Southern Europe", "Europe", "Kosovo"),
    "YUG": ("YU", "Southern Europe", "Europe", "Yugoslavia"),
}
"""What the table lacks, with the region the United Nations had or have their land in."""


@cache
def _countries() -> tuple[Mapping[str, str], Mapping[str, tuple[str, ...]]]:
    """Alpha-3 code of each spelling; subregion and region of each code."""
    codes: dict[str, str] = {}
    above: dict[str, tuple[str, ...]] = {}
    lines = [*table("countries"), *((code, a, "", s, r, n) for code, (a, s, r, n) in
                                    _FORMER.items())]  # fmt: skip
    named = [(code, [alpha2, code, number]) for code, alpha2, number, *_ in lines]
    named += [(line[0], line[5].split("|")) for line in lines]
    named += [(code, names.split("|")) for code, names in _OTHER_NAMES.items()]
    for code, _, _, subregion, region, _ in lines:
        above[code] = (subregion, region)
    for code, names in named:
        for name in names:
            plain = key(re.sub(r"\(the.*?\)|^the ", "", name))
            if plain:
                codes.setdefault(plain, code)
    return codes, above


@cache
def _regions() -> frozenset[str]:
    return frozenset(label for labels in _countries()[1].values() for label in labels)


def read_country(text: str) -> str | None:
    """The alpha-3 code of a country, by any of its names or codes.

    >>> read_country("Cote d'Ivoire"), read_country("us"), read_country("England")
    ('CIV', 'USA', 'GBR')
    """
    found = _countries()[0].get(key(text))
    return found or _countries()[0].get(key(re.sub(r"(?i)^\s*the\s", "", text)))


CODE_SYSTEMS.register(
    CodeSystem(
        name="countries",
        title="countries: ISO 3166 codes and English, French and Spanish names",
        edition="UN M49, 2026",
        source="OCHA, through hdx-python-country; everyday names by Hedgerow",
        licence="MIT",
        levels=("subregion", "region"),
        read=read_country,
        above=lambda code: _countries()[1][code],
        owns=lambda text: text in _regions(),
        words=frozenset({"country", "nation", "nationality", "birthplace", "citizenship", "land"}),
        examples=("DE", "deu", "Germany", "Côte d'Ivoire", "Ivory Coast", "United-States", "ATA"),
        weak=lambda text: text.isdigit() or len(text.strip()) < 3,
    )
)

NUTS = "AL AT BE BG CH CY CZ DE DK EE EL ES FI FR HR HU IE IS IT LI LT LU LV ME MK MT NL NO PL PT "\
       "RO RS SE SI SK TR UK XK"  # fmt: skip
_NUTS = re.compile(rf"({'|'.join(NUTS.split())})[0-9A-Z]{{0,3}}", re.ASCII)


def _read_nuts(text: str) -> str | None:
    found = text.strip().upper()
    return found if _NUTS.fullmatch(found) else None


CODE_SYSTEMS.register(
    CodeSystem(
        name="nuts",
        title="regions of Europe: NUTS",
        edition="no table: by the structure of the code",
        source="structure of the code",
        licence="none needed",
        levels=("NUTS 2", "NUTS 1", "country"),
        read=_read_nuts,
        above=beginnings("NUTS", 4, 3, 2),
        owns=begun("NUTS"),
        words=frozenset({"nuts", "region"}),
        examples=("DE212", "de21", "FRK2", "EL", "UKI31"),
        weak=lambda text: not 3 <= len(text.strip()) <= 5 or not any(c.isdigit() for c in text),
    )
)

_DIVISIONS = {
    "New England": ("Northeast", "CT 09 Connecticut|ME 23 Maine|MA 25 Massachusetts|"
                    "NH 33 New Hampshire|RI 44 Rhode Island|VT 50 Vermont"),
    "Middle Atlantic": ("Northeast", "NJ 34 New Jersey|NY 36 New York|PA 42 Pennsylvania"),
    "East North Central": ("Midwest", "IL 17 Illinois|IN 18 Indiana|MI 26 Michigan|OH 39 Ohio|"
                           "WI 55 Wisconsin"),
    "West North Central": ("Midwest", "IA 19 Iowa|KS 20 Kansas|MN 27 Minnesota|MO 29 Missouri|"
                           "NE 31 Nebraska|ND 38 North Dakota|SD 46 South Dakota"),
    "South Atlantic": ("South", "DE 10 Delaware|DC 11 District of Columbia|FL 12 Florida|"
                       "GA 13 Georgia|MD 24 Maryland|NC 37 North Carolina|SC 45 South Carolina|"
                       "VA 51 Virginia|WV 54 West Virginia"),
    "East South Central": ("South", "AL 01 Alabama|KY 21 Kentucky|MS 28 Mississippi|"
                           "TN 47 Tennessee"),
    "West South Central": ("South", "AR 05 Arkansas|LA 22 Louisiana|OK 40 Oklahoma|TX 48 Texas"),
    "Mountain": ("West", "AZ 04 Arizona|CO 08 Colorado|ID 16 Idaho|MT 30 Montana|NV 32 Nevada|"
                 "NM 35 New Mexico|UT 49 Utah|WY 56 Wyoming"),
    "Pacific": ("West", "AK 02 Alaska|CA 06 California|HI 15 Hawaii|OR 41 Oregon|"
                "WA 53 Washington"),
    "Island areas": ("Outside the states", "AS 60 American Samoa|GU 66 Guam|"
                     "MP 69 Northern Mariana Islands|PR 72 Puerto Rico|VI 78 Virgin Islands"),
}  # fmt: skip
"""Divisions of the Census Bureau: region; states with their postal and FIPS codes."""


@cache
def _states() -> tuple[Mapping[str, str], Mapping[str, tuple[str, ...]]]:
    codes: dict[str, str] = {}
    above: dict[str, tuple[str, ...]] = {}
    for division, (region, states) in _DIVISIONS.items():
        for state in states.split("|"):
            code, fips, name = state.split(" ", 2)
            above[code] = (division, region)
            codes |= dict.fromkeys((key(code), fips, fips.lstrip("0"), key(name)), code)
    return codes, above


@cache
def _areas() -> frozenset[str]:
    return frozenset(label for labels in _states()[1].values() for label in labels)


CODE_SYSTEMS.register(
    CodeSystem(
        name="us-states",
        title="states of the USA: names, postal and FIPS codes",
        edition="regions and divisions of the Census Bureau",
        source="U.S. Census Bureau; written for Hedgerow",
        licence="public domain (U.S. government)",
        levels=("division", "region"),
        read=lambda text: _states()[0].get(key(text)),
        above=lambda code: _states()[1][code],
        owns=lambda text: text in _areas(),
        words=frozenset({"state", "statefip", "statefips", "fips"}),
        examples=("California", "ca", "new-york", "06", "DC", "PR"),
        weak=lambda text: text.isdigit() or len(text.strip()) < 3,
    )
)


_ZIP = re.compile(r"(\d{3,5})(?:\.0)?|(\d{4,5})-\d{4}", re.ASCII)
SPARSE = frozenset(
    "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()  # noqa: SIM905
)
"""Areas of three digits with 20,000 people or fewer in the census of 2000, as the U.S. Department
of Health and Human Services lists them in its guidance of 2012."""


def read_zip(text: str) -> str | None:
    """Five digits; zeros that a program took away in front are put back.

    Three digits are such a code where there are areas that begin with two zeros, else they are
    the beginning of one, and no code.

    >>> read_zip("2138"), read_zip("02138-1234"), read_zip("501"), read_zip("021")
    ('02138', '02138', '00501', None)
    """
    found = _ZIP.fullmatch(text.strip())
    digits = "" if found is None else found[1] or found[2]
    if len(digits) == 3 and not (digits in ("501", "544") or digits >= "600"):
        return None
    return digits.zfill(5) if digits else None


_ZIP_WORDS = frozenset({"zip", "zipcode", "zip5", "postal", "postcode"})
_ZIP_EXAMPLES = ("02138", "2138", "02138-1234", "501", "03601")
CODE_SYSTEMS.register(
    CodeSystem(
        name="zip",
        title="ZIP codes of the USA, also ZIP+4 and without the first zeros",
        edition="no table: by the structure of the code",
        source="structure of the code",
        licence="none needed",
        levels=("five digits", "three digits", "one digit"),
        read=read_zip,
        above=beginnings("ZIP", 5, 3, 1),
        owns=begun("ZIP"),
        words=_ZIP_WORDS,
        examples=_ZIP_EXAMPLES,
        weak=lambda text: "-" not in text,
    )
)
CODE_SYSTEMS.register(
    CodeSystem(
        name="zip-hipaa",
        title="ZIP codes as HIPAA's safe harbor wants them: areas of few people become 000",
        edition="census of 2000, as in the guidance of 2012",
        source="U.S. Department of Health and Human Services",
        licence="public domain (U.S. government)",
        levels=("three digits",),
        read=read_zip,
        above=lambda code: (f"ZIP {'000' if code[:3] in SPARSE else code[:3]}",),
        owns=begun("ZIP"),
        words=_ZIP_WORDS,
        examples=_ZIP_EXAMPLES,
        weak=lambda text: "-" not in text,
    )
)

_UK = re.compile(r"([A-Z]{1,2})(\d[A-Z\d]?)(?:\s*(\d)([ABD-HJLNP-UW-Z]{2})?)?", re.ASCII)


def read_uk_postcode(text: str) -> str | None:
    """A unit, sector, district, with one blank.

    >>> read_uk_postcode("sw1a1aa"), read_uk_postcode("M1 1AE"), read_uk_postcode("EC1A 1")
    ('SW1A 1AA', 'M1 1AE', 'EC1A 1')
    """
    given = " ".join(text.upper().split())
    whole = re.fullmatch(r"([A-Z]{1,2}\d[A-Z\d]?) ?(\d[ABD-HJLNP-UW-Z]{2})", given, re.ASCII)
    if whole:
        return f"{whole[1]} {whole[2]}"
    found = _UK.fullmatch(given)
    if found is None or found[4]:
        return None
    if found[3] and " " not in given:
        return given  # M11 is a district
    return given


def _above_uk(code: str) -> tuple[str, ...]:
    district, _, inward = code.partition(" ")
    sector = f"{district} {inward[:1]}" if inward else f"{district} only"
    area = re.match("[A-Z]+", district)
    assert area is not None, "a postcode begins with letters"
    return f"UK {sector}", f"UK {district}", f"UK {area[0]}"


CODE_SYSTEMS.register(
    CodeSystem(
        name="uk-postcodes",
        title="postcodes of the United Kingdom",
        edition="no table: by the structure of the code",
        source="structure of the code",
        licence="none needed",
        levels=("sector", "district", "area"),
        read=read_uk_postcode,
        above=_above_uk,
        owns=begun("UK"),
        words=frozenset({"postcode", "postal", "pcd", "pcode"}),
        examples=("SW1A 1AA", "sw1a1aa", "M1 1AE", "EC1A 1", "M11"),
        weak=lambda text: len(text.replace(" ", "")) < 5,
    )
)


def _read_plz(text: str) -> str | None:
    found = re.fullmatch(r"(?:D-)?(\d{4,5})(?:\.0)?", text.strip().upper(), re.ASCII)
    return None if found is None else found[1].zfill(5)


CODE_SYSTEMS.register(
    CodeSystem(
        name="plz",
        title="postcodes of Germany, also without the first zero",
        edition="no table: by the structure of the code",
        source="structure of the code",
        licence="none needed",
        levels=("three digits", "region", "zone"),
        read=_read_plz,
        above=beginnings("PLZ", 3, 2, 1),
        owns=begun("PLZ"),
        words=frozenset({"plz", "postleitzahl"}),
        examples=("80331", "01067", "1067", "D-80331"),
        weak=lambda text: not text.upper().startswith("D-"),
    )
)
