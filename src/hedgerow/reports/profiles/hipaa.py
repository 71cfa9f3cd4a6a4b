"""HIPAA Safe Harbor: eighteen kinds of identifiers, areas of 20,000, years, and ages of 90.

What has a form of its own is looked for in the published values. What has none is left to a
person: a program that found nothing would only say that it did not know what to look for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hedgerow.reports.blocks import listed
from hedgerow.reports.profiles.base import Evidence, PolicyProfile, RequirementCheck
from hedgerow.reports.recipient_view import Handed

PEOPLE = 20_000
"""Three digits of a ZIP code may be kept where more people than this live."""
OLDEST = 90
FORMS: Mapping[str, tuple[str, str]] = {
    "telephone numbers": ("D", r"(\+?1[ .-]?)?(\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}|\+\d{9,15}"),
    "e-mail addresses": ("F", r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "social security numbers": ("G", r"\d{3}-\d{2}-\d{4}"),
    "web addresses": ("N", r"(https?://|www\.)\S+"),
    "IP addresses": ("O", r"\d{1,3}(\.\d{1,3}){3}|([0-9A-Fa-f]{1,4}:){3,7}[0-9A-Fa-f:]+"),
}
"""Kinds of identifiers that have a form: where in the rule, and the form."""
BARE: Mapping[str, str] = {"telephone numbers": r"\d{7,}", "social security numbers": r"\d{9}"}
"""What may be one, written without its usual form: a person has to look."""
NAMED: Mapping[str, tuple[str, str]] = {
    "names": ("A", r"(first|last|sur|family|given|full|maiden)?_?names?"),
    "fax numbers": ("E", r"fax.*"),
    "medical record numbers": ("H", r"mrn|.*medical_?record.*|.*patient_?(id|no|number).*"),
    "health plan numbers": ("I", r".*(beneficiary|member|policy|insurance)_?(id|no|number).*"),
    "account numbers": ("J", r".*account.*|iban"),
    "certificate and licence numbers": ("K", r".*licen[cs]e.*|.*certificate_?(id|no|number).*"),
    "vehicle identifiers": ("L", r"vin|.*(plate|vehicle).*"),
    "device identifiers": ("M", r".*(device|serial)_?(id|no|number).*|imei|udi"),
    "biometric identifiers": ("P", r".*(fingerprint|voice_?print|retina|iris|biometric).*"),
    "photographs": ("Q", r".*(photo|portrait).*"),
    "other unique number, trait or code": ("R", r".*(uuid|guid)|id|.*_id"),
}
"""Kinds that have none: columns that are called so are found; the rest is for a person to see."""
AREA = r".*(address|street|city|town|county|parish|precinct|postcode|geocode|latitude|longitude).*"
ZIP = r"(.*_)?zip(_?code)?(_.*)?|zip3|zip5"
DATE = re.compile(
    r"\d{4}-\d{2}(-\d{2})?([T ].*)?|\d{4}[ -]?Q[1-4]|\d{1,2}[./]\d{1,2}[./]\d{2,4}|"
    r"\d{1,2}[./]\d{4}|[A-Z][a-z]{2,8}\.? \d{4}"
)
YEAR = re.compile(r"(1[89]|20)\d{2}")
"""Label texts that tell more than a year; and years in labels."""
YEARS = re.compile(r"\W*(1[89]|20)\d{2}s?(\W+(1[89]|20)\d{2}s?)?\W*")
CALENDAR = r".*(date|day|month|birth|dob|born|admi(t|ssion)|discharge|death|visit).*"


def findings(evidence: Evidence) -> Iterator[RequirementCheck]:
    """Requirement by requirement, in the order of the rule."""
    yield from findings_in(_texts(evidence.handed), evidence.zip3)


def findings_in(
    texts: Mapping[str, Sequence[str]], people: Mapping[str, int] | None
) -> Iterator[RequirementCheck]:
    """What is found in published values.

    Args:
        texts: The different values of each column.
        people: How many live in each area of three digits, where somebody says.
    """
    found = [
        *_named(texts),
        *_forms(texts),
        ("B", _areas(texts)),
        ("B", _zips(texts, people)),
        ("C", _dates(texts)),
        ("C", _ages(texts)),
        ("C", _births(texts)),
    ]
    yield from (finding for _, finding in sorted(found, key=lambda one: one[0]))
    yield RequirementCheck.left(
        "the publisher has no actual knowledge that somebody could be identified",
        "nobody's knowledge is in a file",
        "Confirm it, and keep a record.",
    )


def _texts(handed: Handed) -> dict[str, list[str]]:
    """What may be read in each published column."""
    if handed.kind == "randomised":
        return {
            one["column"]: [v for v in one.get("values") or one.get("bounds") if v is not None]
            for one in handed.certificate["domains"]
        }
    return {
        name: [v for v in handed.counted((name,)).values(name) if v is not None]
        for name in handed.columns
    }


def _called(texts: Mapping[str, Sequence[str]], form: str) -> list[str]:
    """Columns with such a name that show anything."""
    pattern = re.compile(form, re.IGNORECASE)
    return [
        name
        for name, values in texts.items()
        if pattern.fullmatch(name.strip().replace(" ", "_").replace("-", "_")) and _shown(values)
    ]


def _shown(values: Sequence[str]) -> list[str]:
    """Values that were not left out."""
    return [value for value in values if value.strip("*")]


def _named(texts: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, RequirementCheck]]:
    for kind, (place, form) in NAMED.items():
        asked = f"({place}) no {kind}"
        if columns := _called(texts, form):
            yield (
                place,
                RequirementCheck.of(
                    asked, False, f"a column is called {listed(columns)}", "Leave it out."
                ),
            )
        else:
            yield (
                place,
                RequirementCheck.left(
                    asked,
                    f"no column is called so; published are {listed(list(texts))}",
                    "Confirm that none of these columns holds any.",
                ),
            )


def _forms(texts: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, RequirementCheck]]:
    looked = sum(len(values) for values in texts.values())
    for kind, (place, form) in FORMS.items():
        asked = f"({place}) no {kind}"
        columns = _holding(texts, form)
        bare = _holding(texts, BARE[kind]) if kind in BARE else []
        if bare and not columns:
            yield (
                place,
                RequirementCheck.left(
                    asked,
                    f"{listed(bare)} has numbers of so many digits",
                    "Confirm that they are none.",
                ),
            )
            continue
        yield (
            place,
            RequirementCheck.of(
                asked,
                not columns,
                f"values of this form are in {listed(columns)}"
                if columns
                else f"none of {looked:,} different published values has this form",
                "Leave the column out.",
            ),
        )


def _holding(texts: Mapping[str, Sequence[str]], form: str) -> list[str]:
    """Columns with a value in which there is such a text."""
    pattern = re.compile(form)
    return [name for name, values in texts.items() if any(map(pattern.search, values))]


def _areas(texts: Mapping[str, Sequence[str]]) -> RequirementCheck:
    asked = "(B) no area smaller than a state, other than ZIP codes"
    if columns := _called(texts, AREA):
        return RequirementCheck.of(
            asked, False, f"a column is called {listed(columns)}", "Make it a state, or leave it."
        )
    return RequirementCheck.left(
        asked,
        f"no column is called so; published are {listed(list(texts))}",
        "Confirm that none of these columns says where people live or were treated.",
    )


def _zips(texts: Mapping[str, Sequence[str]], people: Mapping[str, int] | None) -> RequirementCheck:
    asked = f"(B) of ZIP codes at most three digits, of areas with more than {PEOPLE:,} people"
    columns = _called(texts, ZIP)
    kept = {value: _digits(value) for name in columns for value in _shown(texts[name])}
    if not columns:
        return RequirementCheck.left(
            asked,
            "no column is called so",
            "Confirm that no column holds ZIP codes.",
        )
    if long := [value for value, digits in kept.items() if digits is None or len(digits) > 3]:
        return RequirementCheck.of(
            asked,
            False,
            f"{len(long):,} of {len(kept):,} values of {listed(columns)} have more than three "
            "digits, or are no ZIP codes",
            "Keep at most three digits: hierarchy {prefix: 5}, levels from 2 on.",
        )
    areas = sorted({digits for digits in kept.values() if digits and len(digits) == 3} - {"000"})
    if not areas:
        return RequirementCheck.of(
            asked, True, f"{listed(columns)} has at most two digits in {len(kept):,} values"
        )
    if people is None:
        return RequirementCheck.left(
            asked,
            f"{len(areas):,} areas of three digits; nothing says how many people live there",
            "Give the census' numbers: --areas FILE with the columns zip3 and people.",
        )
    small = [area for area in areas if people.get(area, 0) <= PEOPLE]
    return RequirementCheck.of(
        asked,
        not small,
        f"{len(small):,} of {len(areas):,} areas have at most {PEOPLE:,} people, or are not in the "
        "file",
        "Replace them by 000.",
    )


def _digits(label: str) -> str | None:
    """The digits of a ZIP code that a label keeps; None where it is no such label.

    >>> _digits("130**"), _digits("13053-1204"), _digits("Gotham")
    ('130', '130531204', None)
    """
    plain = label.strip().rstrip("*xX-").replace("-", "")
    return plain if plain.isdigit() or plain == "" else None


def _dates(texts: Mapping[str, Sequence[str]]) -> RequirementCheck:
    asked = "(C) of dates only the year"
    fine = [
        name for name, values in texts.items() if any(DATE.fullmatch(v.strip()) for v in values)
    ]
    if fine:
        return RequirementCheck.of(
            asked,
            False,
            f"{listed(fine)} has dates finer than a year",
            "Bring them to years: hierarchy {dates: [year]}.",
        )
    unsure = [
        name
        for name in _called(texts, CALENDAR)
        if not all(YEARS.fullmatch(v.strip()) for v in _shown(texts[name]))
    ]
    unsure += [name for name in _holding(texts, r"\d{8,}") if name not in unsure]
    if unsure:
        return RequirementCheck.left(
            asked,
            f"{listed(unsure)} may hold dates in a form that is not known here",
            "Confirm that they tell no more than a year.",
        )
    return RequirementCheck.of(
        asked, True, "no published value has the form of a day, month or quarter"
    )


def _ages(texts: Mapping[str, Sequence[str]]) -> RequirementCheck:
    asked = f"(C) ages of {OLDEST} and more are one category"
    columns = _called(texts, r"(.*_)?age(_.*)?")
    if not columns:
        return RequirementCheck.left(
            asked, "no column is called so", "Confirm that no column holds ages."
        )
    wrong = [name for name in columns if not pooled(texts[name])]
    return RequirementCheck.of(
        asked,
        not wrong,
        f"{listed(wrong)} tells ages of {OLDEST} and more apart"
        if wrong
        else f"{listed(columns)} has at most one label of {OLDEST} and more",
        f"Pool them: one label for {OLDEST} and more.",
    )


def pooled(labels: Sequence[str]) -> bool:
    """Whether ages of 90 and more cannot be told apart.

    >>> pooled(["80-89", "90+"]), pooled(["80-89", "93"]), pooled(["90-94", "95-99"])
    (True, False, False)
    >>> pooled(["80-99", "*"]), pooled(["[90, 95)"])
    (True, True)
    """
    above = 0
    for label in labels:
        numbers = [float(text) for text in re.findall(r"\d+(?:\.\d+)?", label)]
        if not numbers or numbers[0] < OLDEST:
            continue
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", label):
            return False
        above += 1
    return above <= 1


def _births(texts: Mapping[str, Sequence[str]]) -> RequirementCheck:
    asked = f"(C) no year of birth tells an age of {OLDEST} or more"
    columns = _called(texts, r".*(birth|dob|born).*")
    years = [int(y[0]) for name in columns for v in texts[name] if (y := YEAR.search(v))]
    if not columns:
        return RequirementCheck.left(
            asked, "no column is called so", "Confirm that no column tells births."
        )
    if not years:
        return RequirementCheck.of(asked, True, f"{listed(columns)} shows no year")
    return RequirementCheck.left(
        asked,
        f"the earliest year in {listed(columns)} is {min(years)}; whoever was born then was "
        f"{OLDEST} in {min(years) + OLDEST}",
        f"If the data are of {min(years) + OLDEST} or later, this is not met: pool the years of "
        f"those who are {OLDEST} or more.",
    )


HIPAA_SAFE_HARBOR = PolicyProfile(
    name="hipaa-safe-harbor",
    title="HIPAA Safe Harbor, 45 CFR 164.514(b)(2)",
    checks="the 18 kinds: values with a form (telephone, e-mail, social security number, web and "
    "IP address), columns called like the others; ZIP codes of at most three digits, of areas "
    "with more than 20,000 people (`--areas FILE`); dates only years; ages of 90 and more in "
    "one label",
    leaves="kinds without a form; years of birth that tell an age of 90; actual knowledge",
    requirements=findings,
)
