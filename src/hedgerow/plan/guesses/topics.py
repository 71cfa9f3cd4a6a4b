"""What the name of a column is about: age, health, money, in several languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from hedgerow.table.column_words import words_in

_SPELLINGS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d"})


def folded_words(name: str) -> frozenset[str]:
    """The words of a name without case, accents and digits.

    >>> sorted(folded_words("Année_naissance")), sorted(folded_words("wageInc86"))
    (['annee', 'naissance'], ['inc', 'wage'])
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss")).translate(_SPELLINGS)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return words_in(re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", " ", plain))


@dataclass(frozen=True)
class Topic:
    """A thing that columns are about."""

    name: str
    phrase: str
    """As the end of a sentence: "it is about health, which nobody may learn"."""
    listed: str
    """Words, without accents. `smok*` begins a word, `*income` ends one, `*educ*` is inside."""
    known: int = 0
    """Of quasi-identifiers, who knows it: 1 anybody who knows the person, 2 some of them."""
    rank: int = 0
    """Of sensitive topics: which are asked about and claimed first."""

    @cached_property
    def _exact(self) -> frozenset[str]:
        return frozenset(word for word in self.listed.split() if "*" not in word)

    @cached_property
    def _forms(self) -> re.Pattern[str] | None:
        forms = [word.replace("*", ".*") for word in self.listed.split() if "*" in word]
        return re.compile("|".join(forms)) if forms else None

    def words(self, named: Iterable[str]) -> tuple[str, ...]:
        """Those of the words that are about it."""
        forms = self._forms
        return tuple(sorted(w for w in named if w in self._exact or (forms and forms.fullmatch(w))))


@dataclass(frozen=True)
class NamedTopic:
    """A topic that a name is about, and the words that say so."""

    topic: Topic
    words: tuple[str, ...]

    @property
    def because(self) -> str:
        said = [f'"{word}"' for word in self.words]
        return f"its name says {' and '.join(said)}"


def found(named: frozenset[str], topics: Sequence[Topic]) -> list[NamedTopic]:
    """The topics of a name, in the order of the list."""
    return [NamedTopic(topic, words) for topic in topics if (words := topic.words(named))]
