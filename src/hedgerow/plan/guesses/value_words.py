"""What values say about their column where its name says nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from hedgerow.base.spelling import means_missing
from hedgerow.table.column_words import words
from hedgerow.table.profile.column_facts import ColumnFacts

SEXES = words(
    "m f male female man woman men women mann frau maennlich männlich weiblich w d divers homme "
    "femme masculin feminin h hombre mujer masculino femenino v uomo donna maschio femmina "
    "vrouw homem mulher mezczyzna kobieta k boy girl boys girls x other e erkek kadin kvinna "
    "kvinne kvinde mann mand mies nainen muz zena z м ж мужскои женскии мужчина женщина 男 女 "
    "男性 女性 "
)
"""How sexes are written."""
SEX_PAIRS = tuple(
    frozenset(pair.split())
    for pair in (
        "m f", "male female", "man woman", "men women", "mann frau", "m w", "maennlich weiblich",
        "mannlich weiblich", "homme femme", "masculin feminin", "h f", "hombre mujer", "h m",
        "masculino femenino", "uomo donna", "maschio femmina", "m v", "man vrouw", "homem mulher",
        "masculino feminino", "mezczyzna kobieta", "m k", "boy girl", "boys girls",
        "k e", "erkek kadin", "man kvinna", "mann kvinne", "mand kvinde", "mies nainen", "muz zena",
        "m z", "м ж", "мужскои женскии", "мужчина женщина", "男 女", "男性 女性",
    )
)  # fmt: skip
"""Two values of which each says a sex."""
FLAGS = tuple(
    frozenset(pair.split())
    for pair in (
        "0 1", "1 2", "yes no", "y n", "true false", "t f", "ja nein", "j n", "oui non", "o n",
        "si no", "s n", "sim nao", "tak nie", "present absent", "positive negative", "x",
    )
)  # fmt: skip
ETHNICITIES = words(
    "white black asian hispanic latino caucasian african afroamerican africanamerican other "
    "mixed native indian nativeamerican whites blacks nonwhite "
)
CIVIL = words(
    "married single divorced widowed separated nevermarried unmarried verheiratet ledig "
    "geschieden verwitwet marie celibataire divorce veuf casado soltero divorciado viudo "
    "sposato celibe gehuwd ongehuwd gescheiden "
)
SCHOOLS = words(
    "highschool hs college bachelor bachelors master masters phd doctorate hsgrad somecollege "
    "primary secondary tertiary university graduate advanceddegree abitur realschule "
    "hauptschule "
)
ILLNESS = words(
    "negative positive dead alive died survived death censored deceased placebo control benign "
    "malignant flu diabetes cancer asthma hypertension healthy patient relapse recovered mild "
    "moderate severe aura "
)
"""Values of results, treatments and diseases."""


def plain(value: str) -> str:
    """A value without case, accents, marks and the number before it: `1. White` is `white`.

    >>> plain("1. White"), plain("0_no"), plain(" Männlich"), plain("1")
    ('white', 'no', 'mannlich', '1')
    """
    text = unicodedata.normalize("NFKD", value.casefold())
    text = "".join(c for c in text if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "", re.sub(r"^\W*\d+\W*_?(?=[^\W\d_])", "", text))


def values_of(column: ColumnFacts) -> frozenset[str]:
    """Its values in plain form, without those that mean that there is none."""
    tokens = {token.text for token in column.missing_tokens if token.sure}
    return frozenset(
        plain(one.value)
        for one in column.values
        if one.value not in tokens and not means_missing(one.value)
    )


def is_flag(values: frozenset[str]) -> bool:
    """Whether they say yes or no."""
    return any(values <= pair for pair in FLAGS) and bool(values)


def are_sexes(values: frozenset[str]) -> bool:
    """Whether they are sexes, and nothing else."""
    return 2 <= len(values) <= 4 and values <= SEXES and any(pair <= values for pair in SEX_PAIRS)


MOST_NAMES = 0.8
FEW_NAMES = 6
"""Different values, at least, of which capitals may tell that they are names."""


def are_proper_names(texts: Sequence[str]) -> bool:
    """Whether most are words of which each begins with a capital, or has letters without case.

    People, places and firms are written so in most languages; findings and answers seldom are.

    >>> are_proper_names(["Иванов", "Смирнов", "Попов", "Новиков", "Соколов", "Орлов"])
    True
    >>> are_proper_names(["Very good", "Good", "So so", "Bad", "Very bad", "No answer"])
    False
    """
    fit = sum(
        all(len(part) > 1 and part.isalpha() and part[0] == part[0].title() for part in parts)
        for text in texts
        if (parts := re.split(r"[\s,.'’-]+", text.strip(" .")))
    )
    return len(texts) >= FEW_NAMES and fit >= MOST_NAMES * len(texts)


def mostly(values: frozenset[str], known: frozenset[str], least: int = 2) -> bool:
    """Whether at least half of a few values are among known ones."""
    there = len(values & known)
    return there >= least and 2 * there >= len(values)
