"""A hierarchy for a column that is generalised: the best proposal that fits what the column is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hedgerow.plan.guesses.topics import folded_words
from hedgerow.table.column_words import words_in
from hedgerow.table.profile.column_facts import ColumnFacts, ColumnKind
from hedgerow.table.proposals import Counts, Proposal, categories, proposals
from hedgerow.table.proposals.proposal import weighed

NUMERIC = frozenset({"ranges", "bins"})
"""Forms in which larger means more."""
ROUND = 1.5
"""How much more edges at quantiles must save than round widths, which people read more easily."""
OPEN = frozenset({"ranges", "bins", "dates", "suppression"})
"""Forms that fit values nobody has looked at."""


@dataclass(frozen=True, kw_only=True)
class FirstHierarchy:
    """A hierarchy as a plan writes it, and why."""

    text: str
    because: str


def first_hierarchy(
    column: ColumnFacts, missing: Collection[str], *, k: int, sampled: bool
) -> FirstHierarchy:
    """The proposal that loses least, of those from public tables if there are any.

    Args:
        column: The facts.
        missing: Texts that the plan reads as missing.
        k: How many people a group has, at least.
        sampled: Whether there are rows that nobody has looked at.
    """
    counts: dict[str | None, int] = {
        one.value: one.rows for one in column.values if one.value not in missing
    }
    tokens = sum(one.rows for one in column.values if one.value in missing)
    if column.missing + tokens:
        counts[None] = column.missing + tokens
    whole = column.values_complete and not sampled
    found = [one for one in _proposals(column, counts, k) if whole or _fits_others(one)]

    def worse(one: Proposal) -> tuple[bool, bool, float]:
        # Numbers that are no codes of a system become one "other" there.
        odd = column.kind is ColumnKind.NUMBER and "other" in str(one.form)
        ragged = ROUND if _form(one) == "bins" else 1.0
        return _form(one) == "suppression", odd or one.origin == "data", one.loss * ragged

    best = min(found, key=worse)
    text = "suppression" if _form(best) == "suppression" else best.text
    return FirstHierarchy(text=text, because=best.reason)


def _form(proposal: Proposal) -> str:
    return next(iter(proposal.form))


def _fits_others(proposal: Proposal) -> bool:
    """Whether it fits values that were not looked at."""
    form = proposal.form
    beginnings = form.get("prefix")
    return (
        _form(proposal) in OPEN
        or "other" in form
        or (isinstance(beginnings, dict) and "keep" in beginnings)
    )


def _proposals(column: ColumnFacts, counts: Counts, k: int) -> list[Proposal]:
    """Those that fit what the values are: names that are written as numbers get no ranges."""
    words = words_in(column.name) | folded_words(column.name)
    found = list(proposals(column.name, counts, k=k, words=words))
    if column.kind in (ColumnKind.NUMBER, ColumnKind.DATE):
        return found
    named = [
        proposal
        for candidate in categories.candidates(counts, k=k)
        if (proposal := weighed(column.name, candidate, counts, k=k)) is not None
    ]
    worst = next(one for one in found if _form(one) == "suppression").loss
    return [
        *(one for one in found if _form(one) not in NUMERIC),
        *(one for one in named if one.loss <= worst),
    ]
