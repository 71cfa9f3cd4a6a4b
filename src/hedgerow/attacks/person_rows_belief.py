"""One person with several rows: how likely one of their rows at least has a value.

The list has all rows, with a column that says whose each is. An attacker who knows the person knows
what their rows say that is published, and how many they are; another knows all rows, and counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.crowd_belief import MOST_MOVES, kinds_of
from hedgerow.attacks.crowd_rows_belief import drawn_before, known_alone
from hedgerow.attacks.person_belief import (
    GroupRows,
    PersonBelief,
    ValueBelief,
    fitting_rows,
    joining,
)
from hedgerow.attacks.person_mistakes import nobody_listed
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.attacks.row_owners import RowOwners, refuse_unclear_rows
from hedgerow.base.errors import DataError, some
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.claims.worlds.several_rows import Between, RowsBelief, rows_belief
from hedgerow.plan.plan import Plan
from hedgerow.table.labels import Value
from hedgerow.table.location import Located, locate, told_labels
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Flags = NDArray[np.bool_]


def belief_of_rows(
    releases: Sequence[Published],
    person: Mapping[str, str],
    listed: tuple[Targets, Flags] | None,
    *,
    of: str,
    plan: Plan | None,
) -> PersonBelief:
    """What attackers believe of one person whose rows are among those of the releases.

    Args:
        releases: One, or several that show the same rows.
        person: What picks the person.
        listed: All rows, and which of them are picked.
        of: The sensitive column.
        plan: Says which column tells people apart.

    Raises:
        DataError: Nobody is so, or nothing can be said of their rows.
    """
    rows, mine = _mine(releases, person, listed, plan)
    places = tuple(locate(release, rows) for release in releases)
    refuse_unclear_rows(releases, places)
    mine = mine & np.any([where.count > 0 for where in places], axis=0)
    if not mine.any():
        raise DataError(
            f"no row of the person fits a group of {some(r.name for r in releases)}",
            fix="Is somebody else meant? Suppressed rows are in no release.",
        )
    seen = SeenColumn.read(releases, of)
    kind, first = kinds_of(places)
    many = np.bincount(kind, minlength=len(first)).astype(np.int64)
    own = {int(k): int((kind[mine] == k).sum()) for k in np.unique(kind[mine])}
    where = tuple(one.take(first) for one in places)
    shown = tuple(
        Shown(h, look, at, at.count > 0, listed=int((one.count > 0).sum()) >= int(h.counts.sum()))
        for h, look, at, one in zip(seen.histograms, seen.looks, where, places, strict=True)
    )
    alone = known_alone(seen, shown, own)
    whole = Knowledge(many, len(seen.code), shown)
    everybody = rows_belief(whole, own, of=seen.code, moves=MOST_MOVES)
    before = [drawn_before(share, seen, sum(own.values())) for share in seen.before]
    order = sorted(
        range(len(seen.values)),
        key=lambda v: (-everybody.having[v][1], -alone.having[v][1], v),
    )
    truth = _truth(rows, mine, of)
    return PersonBelief(
        ", ".join(f"{column} {value}" for column, value in person.items()),
        of,
        tuple(
            ValueBelief(
                seen.values[v], before[v], float(alone.having[v][0]),
                None if everybody.contradicted else _floats(everybody.having[v]),
            )
            for v in order
        ),
        tuple(_groups(releases, places, mine, of)),
        truth[0] if len(truth) == 1 else None,
        len(rows),
        (*_told(sum(own.values()), truth, of, alone, everybody), *joining(releases, seen),
         *(line for r, one in zip(releases, places, strict=True) for line in told_labels(r, one))),
    )  # fmt: skip


def _mine(
    releases: Sequence[Published],
    person: Mapping[str, str],
    listed: tuple[Targets, Flags] | None,
    plan: Plan | None,
) -> tuple[Targets, Flags]:
    """All rows, and which are the person's."""
    owners = RowOwners.of(
        releases, None if listed is None else listed[0], None if plan is None else plan.person
    )
    assert listed is not None, "it was asked"
    rows, picked = listed
    said = ", ".join(f"{column}={value}" for column, value in person.items())
    if not picked.any():
        raise nobody_listed(rows, person)
    whose = np.unique(owners.person[picked])
    if len(whose) > 1:
        raise DataError(
            f"{len(whose):,} people on the list have such a row: {said}",
            fix="Say more of the person: repeat --person.",
        )
    return rows, np.asarray(owners.person == whose[0])


def _floats(between: Between) -> tuple[float, float]:
    return float(between[0]), float(between[1])


def _truth(rows: Targets, mine: Flags, of: str) -> tuple[Value, ...]:
    """What the list says the person has."""
    if of not in rows.columns:
        return ()
    place = rows.columns.index(of)
    return tuple(rows.values[place][int(c)] for c in np.unique(rows.codes[mine, place]))


def _groups(
    releases: Sequence[Published], places: Sequence[Located], mine: Flags, of: str
) -> Iterator[GroupRows]:
    """The groups that fit one of the rows, each once."""
    told = set[tuple[str, str]]()
    for row in np.flatnonzero(mine).tolist():
        for found in fitting_rows(releases, places, row, of):
            if (found.release, found.group) not in told:
                told.add((found.release, found.group))
                yield found


def _told(
    many: int, truth: Sequence[Value], of: str, alone: RowsBelief, everybody: RowsBelief
) -> Iterator[str]:
    yield (
        "The person has 1 row on the list."
        if many == 1
        else f"The person has {many:,} rows on the list. A belief is that one of them at least has "
        "the value, so beliefs may add up to more than 100 %."
    )
    if len(truth) > 1:
        yield f"In truth their rows have {some('missing' if v is None else v for v in truth)}."
    if everybody.contradicted:
        yield (
            "The list contradicts the releases: nobody who takes it for right can say what is "
            "likely."
        )
    elif everybody.exact:
        yield "The belief with the list is exact, by counting all ways to deal out the records."
    else:
        yield (
            "There are too many ways to deal out the records. The belief with the list is between "
            "the bounds shown, which are proven."
        )
    if not alone.exact:
        yield (
            "There are too many ways for the rows of the person alone, too: what somebody believes "
            f"of their {of} who knows no others is at least what is shown."
        )
