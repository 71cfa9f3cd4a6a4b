"""Recognition: which code systems the values of a column belong to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from heapq import nsmallest

from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem

ENOUGH = Fraction(4, 5)
"""The share of people whose values have to be codes of a system."""
COMMON = 500
"""Values, those of most people first, that are looked at before all are."""
FEW = 50
"""One in so many of these has to tell of a system."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """A code system that a column may be in."""

    system: CodeSystem
    share: Fraction
    """People whose values are codes, of those with any value."""
    unmatched: tuple[str, ...]
    """The values that are no codes, those of most people first."""
    named: bool
    """Whether the name of the column speaks for it too."""


def recognised(counts: Mapping[str | None, int], words: Collection[str] = ()) -> tuple[Match, ...]:
    """The code systems that at least four in five people's values are codes of, best first.

    Plain numbers and very short texts could be anything: they count only where the column's name
    speaks for the system, or where other values of the column do.

    >>> counts = {"A09.1": 3, "E11.9": 2, "J01CA04": 0, "unknown": 1}
    >>> [(m.system.name, m.share, m.unmatched) for m in recognised(counts)]
    [('icd-10', Fraction(5, 6), ('unknown',))]
    >>> recognised({"12": 3, "14": 2})
    ()

    Args:
        counts: How many people have each value.
        words: The words of the column's name, lower case.
    """
    there = {value: n for value, n in counts.items() if value is not None and n}
    people = sum(there.values())
    common = nsmallest(COMMON, there, key=lambda value: (-there[value], value))
    found: list[Match] = []
    for system in CODE_SYSTEMS.values():
        named = bool(system.words & {word.casefold() for word in words})
        telling = [v for v in common if (named or not system.weak(v)) and system.read(v)]
        if len(telling) * FEW < len(common) or not common:
            continue
        read = strong = 0
        unmatched: list[tuple[int, str]] = []
        for value, n in there.items():
            if system.read(value) is None:
                unmatched.append((-n, value))
                continue
            read += n
            strong += n * (not system.weak(value))
        # A tenth of telling values is enough: of ICD-9 most codes are plain numbers.
        if not people or read < ENOUGH * people or not (named or strong * 10 >= people):
            continue
        rest = tuple(value for _, value in sorted(unmatched))
        found.append(
            Match(system=system, share=Fraction(read, people), unmatched=rest, named=named)
        )
    order = list(CODE_SYSTEMS)
    return tuple(sorted(found, key=lambda m: (not m.named, -m.share, order.index(m.system.name))))
