"""Joint values: what people may have in all columns that any two releases show.

A release may show some of these columns only. Then several joint values look alike in it. What a
release alone shows is joined with what the others show beside it; columns that stand beside nothing
are open, and an open column looks like no record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hedgerow.claims.worlds.table_world import UncheckedError
from hedgerow.table.groups import Ints
from hedgerow.table.records import parts

Value = str | None
Look = tuple[Value, ...]
MOST_VALUES = 200_000
"""Joint values that are told apart."""


@dataclass(frozen=True, eq=False)
class JointValues:
    """What people may have, and how it looks in each release."""

    secret: Ints
    """Of each joint value, the sensitive one in it."""
    names: tuple[Value, ...]
    """The sensitive values, as they are read."""
    looks: tuple[Ints, ...]
    """Of each release, the look of each joint value; -1 where no record looks like it."""

    @classmethod
    def of(
        cls,
        columns: tuple[str, ...],
        releases: Sequence[tuple[tuple[str, ...], Sequence[Value]]],
    ) -> JointValues:
        """From what the releases show.

        Args:
            columns: What is joined on, the sensitive column first.
            releases: Of each, which of these it shows, in this order; and its looks: the texts that
                its records have in them, a joint one where there are several columns.

        A bill is in two of three releases. Who has acne is in none of these:

        >>> from hedgerow.table.records import joined_text
        >>> shown = ("ill", "bill"), [joined_text(["flu", "1"]), joined_text(["flu", "2"])]
        >>> found = JointValues.of(("ill", "bill"), [shown, shown, (("ill",), ["flu", "acne"])])
        >>> [look.tolist() for look in found.looks], found.names
        ([[0, 1, -1], [0, 1, -1], [0, 0, 1]], ('flu', 'acne'))
        """
        seen = [
            {_parts(text, len(mine)): code for code, text in enumerate(texts)}
            for mine, texts in releases
        ]
        place = [tuple(columns.index(column) for column in mine) for mine, _ in releases]
        shown: dict[tuple[int, ...], dict[Look, None]] = {}
        for mine, looks in zip(place, seen, strict=True):
            for other in place:
                if {*other} <= {*mine}:
                    at = [mine.index(column) for column in other]
                    into = shown.setdefault(other, {})
                    into.update(dict.fromkeys(tuple(look[i] for i in at) for look in looks))
        rows = [*_joined(shown, len(columns))]
        secrets: dict[Value, int] = {}
        secret = [secrets.setdefault(row[0], len(secrets)) for _, row in rows]
        found = tuple(
            np.array(
                [
                    looks.get(tuple(row[c] for c in mine), -1) if {*mine} <= known else -1
                    for known, row in rows
                ],
                np.int64,
            )
            for mine, looks in zip(place, seen, strict=True)
        )
        return cls(np.array(secret, np.int64), tuple(secrets), found)


def _parts(text: Value, columns: int) -> Look:
    return (text,) if columns == 1 else parts(text)


def _joined(
    shown: dict[tuple[int, ...], dict[Look, None]], width: int
) -> Iterator[tuple[frozenset[int], Look]]:
    """All ways to put looks together that agree, as large as possible: the full disjunction.

    Args:
        shown: Of each set of columns, what some release shows in them.
        width: How many columns there are.

    Yields:
        The columns that are known, and what they are; what is open is None.
    """
    sets = sorted(shown, key=lambda mine: (-len(mine), mine))
    ways: dict[frozenset[int], list[tuple[tuple[int, ...], ...]]] = {}
    for size in range(len(sets), 0, -1):
        for chosen in combinations(sets, size):
            ways.setdefault(frozenset().union(*chosen), []).append(chosen)
    told: dict[frozenset[int], set[Look]] = {}
    for known in sorted(ways, key=lambda known: (-len(known), sorted(known))):
        found: dict[Look, None] = {}
        for chosen in ways[known]:
            found.update(dict.fromkeys(_together([(mine, shown[mine]) for mine in chosen], width)))
            if sum(map(len, told.values())) + len(found) > MOST_VALUES:
                raise UncheckedError(
                    "the columns that releases share have too many values together",
                    fix="Do not publish a column with so many values as it is, or give up the "
                    "claim.",
                )
        at = sorted(known)
        larger = {
            tuple(row[c] for c in at)
            for wide, rows in told.items() if known < wide for row in rows
        }  # fmt: skip
        rows = [row for row in found if tuple(row[c] for c in at) not in larger]
        told[known] = {*rows}
        for row in rows:
            yield known, row


def _together(
    releases: Sequence[tuple[tuple[int, ...], dict[Look, None]]], width: int
) -> Iterator[Look]:
    """Rows that show in each of these sets of columns something that was seen in it."""
    rows: list[tuple[Value, ...]] = [(None,) * width]
    known: set[int] = set()
    for mine, looks in releases:
        both = [i for i, column in enumerate(mine) if column in known]
        by: dict[Look, list[Look]] = {}
        for look in looks:
            by.setdefault(tuple(look[i] for i in both), []).append(look)
        more = []
        for row in rows:
            for look in by.get(tuple(row[mine[i]] for i in both), ()):
                wide = list(row)
                for column, value in zip(mine, look, strict=True):
                    wide[column] = value
                more.append(tuple(wide))
            if len(more) > MOST_VALUES:
                raise UncheckedError(
                    "the columns that releases share have too many values together",
                    fix="Do not publish a column with so many values as it is, or give up the "
                    "claim.",
                )
        rows = more
        known |= {*mine}
    yield from rows
