"""Hierarchies that a column could have, each with its loss and with where it comes from."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hedgerow.base.decimals import numeric
from hedgerow.table.codes import CODE_SYSTEMS
from hedgerow.table.column_words import words_in
from hedgerow.table.hierarchy_builders import Dates, Ranges, Suppression, is_date
from hedgerow.table.proposals import categories, codes, numbers
from hedgerow.table.proposals.proposal import Candidate, Counts, Proposal, weighable, weighed

AGES = CODE_SYSTEMS["hipaa-ages"]
USUAL = (5, 10, 20, 40)
"""Widths of ranges of ages."""

MONTHS = frozenset({"month", "monat", "mois", "mes", "mese", "maand", "miesiac"})
NUMBERS_OF_MONTHS = frozenset([*map(str, range(1, 13)), *(f"{n:02}" for n in range(1, 10))])

__all__ = ["Counts", "Proposal", "proposals"]


def proposals(
    name: str, counts: Counts, *, k: int = 5, words: Collection[str] | None = None
) -> tuple[Proposal, ...]:
    """Hierarchies that fit every value of a column, the best first, suppression last.

    Those of public code systems and of the calendar come before those that are made of the data,
    and within each the one that loses least.

    >>> [(p.text, p.origin) for p in proposals("icd", {"A09.1": 9, "E11": 9, "E11.9": 9})][:2]
    [('{codes: icd-10}', 'public'), ('{prefix: {keep: [3]}, from: data}', 'data')]

    Args:
        name: Of the column; its words speak for some code systems.
        counts: How many people have each value; None is missing. All values there are: a
            hierarchy must fit each.
        k: How many people a group should have, for the estimate of the loss.
        words: The words of the column's name, if they are not those of `name`.
    """
    said = words_in(name) if words is None else words
    some = weighable(counts)
    found = [
        proposal
        for candidate in _candidates(counts, said, k)
        if (proposal := weighed(name, candidate, counts, k=k)) is not None
    ]
    last = Candidate(Suppression(), {"suppression": True}, "public", "no coarser values are known")
    suppressed = weighed(name, last, some, k=k)
    assert suppressed is not None, "suppression fits everything"
    public = [proposal.spec for proposal in found if proposal.origin == "public"]
    better = [
        p
        for p in found
        if p.origin == "public" or (p.loss <= suppressed.loss and p.spec not in public)
    ]
    return (*sorted(better, key=lambda p: (p.origin == "data", p.loss)), suppressed)


def _candidates(counts: Counts, words: Collection[str], k: int) -> Iterator[Candidate]:
    yield from codes.of_systems(counts, words)
    there = [value for value, n in counts.items() if value is not None and n > 0]
    if there and all(map(is_date, there)):
        yield Candidate(Dates(), {"dates": list(Dates().levels)}, "public", "the calendar")
        return
    if MONTHS & set(words) and set(there) <= NUMBERS_OF_MONTHS:
        spec = Ranges(widths=(3, 6), origin=1)
        form = {"ranges": {"widths": [3, 6], "origin": 1}}
        yield Candidate(spec, form, "public", "quarters and halves of a year")
        return
    numbered = numeric(there)
    yield from codes.candidates(there, words, numbered=numbered)
    if numbered:
        if AGES.words & set(words) and all(map(AGES.read, there)):
            yield Candidate(
                Ranges(widths=USUAL), {"ranges": list(USUAL)}, "public", "the usual ranges of ages"
            )
        yield from numbers.candidates(counts)
    else:
        yield from categories.candidates(counts, k=k)
