"""Codes: public systems that the values belong to, and codes cut from the right."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hedgerow.table.beginnings import Beginnings
from hedgerow.table.codes import Codes, recognised
from hedgerow.table.hierarchy_builders import Prefix
from hedgerow.table.proposals.names import free_name, look_coded
from hedgerow.table.proposals.proposal import Candidate, Counts

MOST_LEVELS = 4
CODED = frozenset({"zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "code"})
"""Words in the names of columns whose numbers are codes."""


def of_systems(counts: Counts, words: Collection[str]) -> Iterator[Candidate]:
    """The public code systems that most values belong to."""
    for match in recognised(counts, words):
        name, share = match.system.name, float(match.share)
        if not match.unmatched:
            yield Candidate(
                Codes(name), {"codes": name}, "public", f"all values are {match.system.title}"
            )
            continue
        taken = {label for value in counts if value and (row := match.system.row(value))
                 for label in row}  # fmt: skip
        other = free_name("other", {*taken, *counts})
        listed = ", ".join(match.unmatched[:5]) + ", ..." * (len(match.unmatched) > 5)
        yield Candidate(
            Codes(name, other=other), {"codes": {"system": name, "other": other}}, "public",
            f"{share:.1%} of the people have {match.system.title}; no codes: {listed}",
        )  # fmt: skip


def candidates(
    values: Collection[str], words: Collection[str], *, numbered: bool
) -> Iterator[Candidate]:
    """Codes cut from the right; none if the values do not look like codes.

    Args:
        values: Those that somebody has.
        words: Of the column's name.
        numbered: Whether all are numbers.
    """
    lengths = {len(value) for value in values}
    if numbered and not (len(lengths) == 1 and CODED & set(words)):
        return
    if not look_coded(values):
        return
    if len(lengths) == 1 and min(lengths) >= 3:
        length = min(lengths)
        yield Candidate(
            Prefix(length=length), {"prefix": length}, "public",
            f"all values have {length} characters",
        )  # fmt: skip
    elif keep := cuts(values):
        yield Candidate(
            Beginnings(keep=keep), {"prefix": {"keep": keep}}, "data",
            "codes of unequal length, cut where many become one",
        )  # fmt: skip


def cuts(values: Collection[str]) -> list[int]:
    """How many characters to keep: where the number of different beginnings falls.

    >>> cuts(["A091", "A092", "A093", "B091", "B092", "B11"])
    [3, 1]
    """
    keep: list[int] = []
    before = len(set(values))
    for length in range(max(map(len, values)) - 1, 0, -1):
        now = len({value[:length] for value in values})
        if now <= 0.75 * before and now > 1:
            keep.append(length)
            before = now
    return keep[-MOST_LEVELS:]
