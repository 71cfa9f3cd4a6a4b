"""What an intersection found, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.attacks.bit_sets import one_left
from hedgerow.base.errors import some
from hedgerow.table.groups import PEOPLE, ROWS
from hedgerow.table.labels import Value
from hedgerow.table.location import told_labels

if TYPE_CHECKING:
    from hedgerow.attacks.intersection import Intersection, Scored

MOST_NAMED = 6
"""Values that are told one by one."""
_WHO = {PEOPLE: "who", ROWS: "that"}


def told(found: Intersection, scored: Scored | None = None, *, unit: str = PEOPLE) -> Iterator[str]:
    """What the releases together leave; with the truth, also how far that is right."""
    people = int(found.found.sum())
    if not people:
        yield "Nobody fits into a group of every release."
    elif len(found) == 1:
        yield from _about(found, scored)
    else:
        yield from _about_all(found, scored, people, unit)
    for published, located in zip(found.releases, found.located, strict=True):
        yield from told_labels(published, located)


def _about_all(found: Intersection, scored: Scored | None, people: int, unit: str) -> Iterator[str]:
    certain = int(found.named.sum())
    share = f"{certain:,} ({certain / people:.1%}) have one possible {found.of} left"
    if len(found.releases) == 1:
        yield f"Of {people:,} {unit} {_WHO[unit]} fit into the release, {share}."
    else:
        single = np.any([one_left(w, blank=found.missing) for w in found.each], axis=0)
        yield (
            f"Of {people:,} {unit} {_WHO[unit]} fit into all {len(found.releases)} releases, "
            f"{share}; a single release leaves one for {int((found.found & single).sum()):,}."
        )
    if scored is not None:
        wrong = int((found.named & ~scored.possible).sum())
        if wrong:
            yield f"For {wrong:,} of these {certain:,} it is the wrong one."
        elsewhere = int((found.found & ~scored.possible).sum())
        if elsewhere:
            yield f"For {elsewhere:,} of {people:,} the true {found.of} is not among what is left."
    if len(found.releases) > 1:
        yield f"{int(found.vulnerable.sum()):,} have fewer left than in any one release."
    if contradictory := int(found.contradictory.sum()):
        yield (
            f"For {contradictory:,} no value is in all releases: they are not the same people, or "
            "the value changed between them, or it is spelled otherwise."
        )
    if scored is not None and scored.unknown.any():
        values = dict.fromkeys(scored.truth[i] for i in np.flatnonzero(scored.unknown).tolist())
        yield (
            f"The true {found.of} of {int(scored.unknown.sum()):,} is in none of the releases "
            f"({some(values, most=3)}); it may be spelled otherwise."
        )
    if len(found.releases) > 1 and found.missing is not None:
        lenient = int((found.found & one_left(found.lenient, blank=None)).sum())
        if lenient != certain:
            yield (
                f"Whose {found.of} is missing in one release was taken to have it missing in all. "
                f"If it may be any in the others, {lenient:,} have one possible {found.of} left."
            )
    yield from _nearest(found)


def _about(found: Intersection, scored: Scored | None) -> Iterator[str]:
    """One person."""
    left = found.possible(0)
    for j, (published, located) in enumerate(zip(found.releases, found.located, strict=True)):
        records = int(published.groups.n[located.of(0)].sum())
        fit = f"{records:,} records fit" if records != 1 else "1 record fits"
        if published.located == "nearest":
            fit = f"the nearest centroid has {records:,} records"
        yield f"In {published.name} {fit}, with {_listed(found.possible(0, release=j))}."
    count = "Two releases" if len(found.releases) == 2 else f"{len(found.releases)} releases"
    if len(found.releases) == 1:
        yield f"That leaves {_listed(left)}."
    elif not left:
        yield (
            f"{count} together leave no possible value: a contradiction. This is not the same "
            "person in both, or the value changed, or it is spelled otherwise."
        )
    elif left == (None,):
        yield f"{count} together leave no value but that it is missing."
    elif len(left) == 1:
        yield f"{count} together leave one possible value: {_listed(left)}."
    else:
        many = "" if len(left) > MOST_NAMED else f"{len(left)} possible values: "
        yield f"{count} together leave {many}{_listed(left)}."
    if scored is not None and not scored.possible[0]:
        yield f"That is wrong: the person has {_listed([scored.truth[0]])}."
    if len(found.releases) > 1 and found.missing is not None:
        lenient = found.possible(0, lenient=True)
        if set(lenient) != set(left) - {None}:
            yield (
                "If what is missing in one release may be any value in the others, that leaves "
                f"{_listed(lenient)}."
            )
    yield from _nearest(found)


def _nearest(found: Intersection) -> Iterator[str]:
    guessed = [p.name for p in found.releases if p.located == "nearest"]
    if guessed:
        yield (
            f"In {' and '.join(guessed)} people were looked for at the nearest centroid: a guess, "
            "and often a wrong one. What is left is certain only where it is right."
        )


def _listed(values: Sequence[Value]) -> str:
    names = ["(missing)" if value is None else value for value in values]
    if len(names) > MOST_NAMED:
        return f"{len(names)} different values, such as {', '.join(names[:3])}"
    return ", ".join(names) if names else "nothing"
