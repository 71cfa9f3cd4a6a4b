"""What kinds of attackers are likely to know of people: guesses, by names and forms of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.table.column_words import words, words_in
from hedgerow.table.profile.column_facts import ColumnFacts, ColumnKind
from hedgerow.table.profile.survey_weights import survey_weight

PERSONAL = words("age alter edad sex gender geschlecht geschl sexe sexo race raceg ethnicity "
                 "ethnic marital marst married familienstand civil")  # fmt: skip
HOME = words("zip zipcode postcode postal plz city town ort stadt address street strasse county "
             "municipality region state village wohnort neighborhood district ville commune "
             "departement kreis bezirk gemeinde")  # fmt: skip
BIRTH = words("geb geburt naissance birth born dob birthdate birthday birthyear birthplace "
              "geburtsdatum bplg nationality citizen citizenship country native")  # fmt: skip
FAMILY = words("children kids household family spouse partner haushalt kinder parents famsize")
WORK = words("occupation occ job employer industry salary wage wages hours hired hire department "
             "workclass position title beruf tenure union experience education degree")  # fmt: skip
SOCIAL = words("school university hobby relationship religion politics party vote interests "
               "employer job city birthday language")  # fmt: skip
VISIBLE = words("height weight smoker smoking smoke hair eye disability pregnant bmi tattoo")
EVENTS = words("admission discharge aufnahme entlassung entree sortie admitted visit date "
               "hospital stay death accident arrest")  # fmt: skip


STEMS = ("marit", "occup", "educ", "relig", "employ", "ethnic", "national", "profess",
         "postal", "addres", "countr", "citiz", "gender", "incom", "house")  # fmt: skip
FULL = {"marit": "marital", "occup": "occupation", "educ": "education", "relig": "religion",
        "employ": "employer", "national": "nationality", "profess": "occupation",
        "addres": "address", "countr": "country", "citiz": "citizenship",
        "house": "household"}  # fmt: skip


def stems(name: str) -> frozenset[str]:
    """Words that the words of a name are short for, or begin with.

    >>> sorted(stems("AGEP")), sorted(stems("educ_years")), sorted(stems("agency"))
    (['age'], ['education'], [])
    """
    found = set()
    for word in words_in(name):
        found |= {FULL.get(stem, stem) for stem in STEMS if word.startswith(stem)}
        if word.startswith("age") and len(word) <= len("agegr") and word not in ("agent", "agenc"):
            found.add("age")
    return frozenset(found)


@dataclass(frozen=True)
class AttackerKind:
    """Somebody who could look for a person in the table."""

    name: str
    knows: frozenset[str]
    """Words in the names of columns that such a person is likely to know."""
    all_columns: bool = False
    """Whether such a person knows all that is not different in every row."""

    def columns(self, facts: Sequence[ColumnFacts]) -> tuple[str, ...]:
        """The columns that such a person is likely to know."""
        found = []
        for one in facts:
            if one.constant or one.sequence or one.kind is ColumnKind.EMPTY or one.free_text:
                continue
            named = words_in(one.name) | stems(one.name)
            lives = any(form.kind in ("street address", "coordinates") for form in one.recognised)
            direct = bool(one.identifiers) and not lives
            if direct:
                continue  # names a person outright, to anybody
            if not self.all_columns and survey_weight(one):
                continue  # nobody's body weight
            if self.all_columns or named & self.knows or (lives and self.knows >= HOME):
                found.append(one.name)
        return tuple(found)


ATTACKERS = (
    AttackerKind("a neighbour", PERSONAL | HOME | FAMILY | VISIBLE | words("car house")),
    AttackerKind("an employer or colleague", PERSONAL | WORK | BIRTH | words("city zip plz")),
    AttackerKind("somebody with a register or voter list", PERSONAL | HOME | BIRTH),
    AttackerKind("a reader of social media", PERSONAL | SOCIAL | BIRTH | WORK | EVENTS),
    AttackerKind("an earlier recipient of these data", frozenset(), all_columns=True),
)
"""Who is thought of. Who else there is, only the steward knows."""
