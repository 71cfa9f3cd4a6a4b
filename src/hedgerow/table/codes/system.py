"""Code systems: public classifications whose codes say what they belong to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.base.registry import Registry


@dataclass(frozen=True, kw_only=True)
class CodeSystem:
    """A public classification: how its codes are read, and what is above each.

    Everything follows from the code alone and from tables that ship with Hedgerow, so a label is
    the same whatever else is in a table and whatever is installed.
    """

    name: str
    """As in a plan."""
    title: str
    """What it classifies, in a few words."""
    edition: str
    """Which edition its tables are, or that there are none. A new table is a new edition."""
    source: str
    """Where its tables are from."""
    licence: str
    """Under which licence they may be used."""
    levels: tuple[str, ...]
    """What the levels above a code are called, finest first; `*` is above the last."""
    read: Callable[[str], str | None]
    """The code in its usual spelling; None where the text is none."""
    above: Callable[[str], tuple[str, ...]]
    """For a code as `read` gives it, its label on each level."""
    owns: Callable[[str], bool]
    """Whether a text is, or looks like, a label that `above` gives: readers of releases ask."""
    words: frozenset[str]
    """Words in the name of a column that make it likely."""
    examples: tuple[str, ...]
    """Codes in several spellings."""
    weak: Callable[[str], bool] = str.isdigit
    """Whether a text alone says too little: plain numbers may be anything."""

    def row(self, value: str) -> tuple[str, ...] | None:
        """What a value is called on each level, the value itself first; None if it is no code."""
        code = self.read(value)
        return None if code is None else (value, *self.above(code))


CODE_SYSTEMS: Registry[CodeSystem] = Registry("code system", group="hedgerow.codes")
"""By name."""


def key(text: str) -> str:
    """A name without case, accents, blanks and marks, so that spellings compare.

    >>> key("Côte d’Ivoire") == key("cote d'ivoire"), key("El-Salvador")
    (True, 'elsalvador')
    """
    folded = unicodedata.normalize("NFKD", text.replace("&", " and ")).casefold()
    return re.sub(r"[\W_]+", "", "".join(c for c in folded if not unicodedata.combining(c)))


def shaped(pattern: str) -> Callable[[str], str | None]:
    r"""A reader of codes of one shape, whatever their case and whatever blanks are around them.

    >>> shaped(r"[A-Z]\d\d")(" j01 "), shaped(r"[A-Z]\d\d")("J1")
    ('J01', None)
    """
    compiled = re.compile(pattern, re.ASCII)

    def read(text: str) -> str | None:
        found = text.strip().upper()
        return found if compiled.fullmatch(found) else None

    return read


def begun(prefix: str) -> Callable[[str], bool]:
    """Whether a label begins with the name of its system.

    >>> begun("ATC")("ATC J01"), begun("ATC")("J01")
    (True, False)
    """
    return lambda text: text.startswith(f"{prefix} ")


def beginnings(prefix: str, *lengths: int) -> Callable[[str], tuple[str, ...]]:
    """Labels that are the beginnings of a code.

    Where a code is shorter than its level, the label says so: "J" alone is not all of J.

    >>> beginnings("ATC", 3, 1)("J01CA04"), beginnings("ATC", 3, 1)("J")
    (('ATC J01', 'ATC J'), ('ATC J only', 'ATC J'))
    """

    def above(code: str) -> tuple[str, ...]:
        return tuple(
            f"{prefix} {code} only" if len(code) < length else f"{prefix} {code[:length]}"
            for length in lengths
        )

    return above
