"""One person with several rows: how likely one of their rows at least has a value.

The list has all rows, with a column that says whose each is. An attacker who knows the person knows
what their rows say that is published, and how many they are; another knows all rows, and counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.crowd_belief import MOST_MOVES, kinds_of
from hedgerow.attacks.person_belief import (
    GroupRows,
    PersonBelief,
    ValueBelief,
    fitting_rows,
    joining,
)
from hedgerow.attacks.person_mistakes import nobody_listed
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.base.errors import DataError, some
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.claims.worlds.several_rows import Between, RowsBelief, person_belief, rows_belief
from hedgerow.plan.plan import Plan
from hedgerow.table.labels import Value
from hedgerow.table.location import Located, locate, told_labels
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Flags = NDArray[np.bool_]
HOW = "Publish one row per person (`rows: one`), or attack without --person."


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
    fits = np.stack([where.count > 0 for where in places], axis=1)
    _refuse_unclear(releases, fits, mine)
    mine = mine & fits.any(axis=1)
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
    alone = _alone(seen, where, own)
    shown = tuple(
        Shown(h, look, one, one.count > 0, listed=int(fitted.sum()) == int(h.counts.sum()))
        for h, look, one, fitted in zip(seen.histograms, seen.looks, where, fits.T, strict=True)
    )
    whole = Knowledge(many, len(seen.code), shown)
    everybody = rows_belief(whole, own, of=seen.code, moves=MOST_MOVES)
    before = [_drawn(share, seen, sum(own.values())) for share in seen.before]
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
    names = some([one.name for one in releases])
    if any(one.not_people is not None for one in releases):
        raise DataError(
            f"a person may have several rows in {names}, and nothing says how many are published",
            fix=HOW,
        )
    if listed is None:
        raise DataError(
            f"a person may have several rows in {names}, and without a list nobody knows how many",
            fix="Give a list of rows: --truth or --plan.",
        )
    rows, picked = listed
    said = ", ".join(f"{column}={value}" for column, value in person.items())
    if not picked.any():
        raise nobody_listed(rows, person)
    if plan is None or plan.person is None or plan.person not in rows.columns:
        raise DataError(
            f"a person may have several rows in {names}, and nothing says whose each row of the "
            "list is",
            fix="Give the plan that names the column of the list (`person: patient_id`): --plan.",
        )
    place = rows.columns.index(plan.person)
    whose = np.unique(rows.codes[picked, place])
    if len(whose) > 1:
        raise DataError(
            f"{len(whose):,} people on the list have such a row: {said}",
            fix="Say more of the person: repeat --person.",
        )
    return rows, np.asarray(rows.codes[:, place] == whose[0])


def _refuse_unclear(releases: Sequence[Published], fits: Flags, mine: Flags) -> None:
    """Refuse where nobody knows which rows are in a release.

    Raises:
        DataError: More rows fit than a release has, or several releases may show different ones.
    """
    for release, fitted in zip(releases, fits.T, strict=True):
        records = int(release.groups.n.sum())
        if fitted.sum() > records:
            raise DataError(
                f"{int(fitted.sum()):,} rows of the list fit the {records:,} of {release.name}, so "
                "nobody knows how many rows of the person are in it",
                fix="Give a list of the rows that were published.",
            )
        if len(releases) > 1 and fitted.sum() < records:
            raise DataError(
                f"{int(fitted.sum()):,} rows of the list fit the {records:,} of {release.name}, so "
                "nobody knows whether the releases show the same rows",
                fix="Give a list of the rows that were published, or one release.",
            )


def _alone(seen: SeenColumn, where: Sequence[Located], own: Mapping[int, int]) -> RowsBelief:
    """To somebody who knows these rows and no others."""
    kinds = np.array([*own], np.int64)
    shown = [
        Shown(h, look, one.take(kinds), one.take(kinds).count > 0, listed=False)
        for h, look, one in zip(seen.histograms, seen.looks, where, strict=True)
    ]
    if len(kinds) == 1:
        many = own[int(kinds[0])]
        return person_belief(shown, len(seen.code), (many, many), same=True, of=seen.code)
    counts = np.array([*own.values()], np.int64)
    alone = Knowledge(counts, len(seen.code), tuple(shown))
    return rows_belief(alone, dict(enumerate(counts.tolist())), of=seen.code, moves=MOST_MOVES)


def _drawn(share: Fraction, seen: SeenColumn, many: int) -> float:
    """How likely one of so many rows has a value, drawn from all there are."""
    total = sum(int(h.counts.sum()) for h in seen.histograms)
    having = int(share * total)
    return float(1 - Fraction(comb(total - having, many), comb(total, many)))


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
    count = "1 row" if many == 1 else f"{many:,} rows"
    yield (
        f"The person has {count} on the list. A belief is that one of them at least has the value, "
        "so beliefs may add up to more than 100 %."
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
