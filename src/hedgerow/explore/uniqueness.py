"""Which columns together single people out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Ints

MOST_TOGETHER = 3
MOST_WORK = 60_000_000
"""Rows times combinations that are looked at; with more, fewer columns are combined."""
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Combination:
    """Columns, and the people whose values in them nobody else has."""

    columns: tuple[str, ...]
    people: int
    share: float
    """Of everybody who was looked at."""

    def __str__(self) -> str:
        """As a sentence.

        >>> str(Combination(("age", "zip", "sex"), 63, 0.63))
        'age, zip and sex single out 63 % of the people (63).'
        """
        *most, last = self.columns
        names = f"{', '.join(most)} and {last}" if most else last
        verb = "single" if most else "singles"
        return f"{names} {verb} out {in_percent(self.share)} of the people ({self.people:,})."


def in_percent(share: float) -> str:
    """A share in words, never rounded to nobody or to everybody.

    >>> in_percent(0.6312), in_percent(0.00001), in_percent(0.9999), in_percent(0)
    ('63 %', 'less than 0.1 %', 'more than 99.9 %', '0 %')
    """
    if 0 < share < 0.001:
        return "less than 0.1 %"
    if 0.999 < share < 1:
        return "more than 99.9 %"
    percent = share * 100
    return f"{percent:.0f} %" if percent >= 10 or percent == 0 else f"{percent:.1f} %"


def singled_out(
    columns: Sequence[tuple[str, Codes, int]],
    person: Ints,
    people: int,
    *,
    progress: Callable[[float], None] | None = None,
) -> tuple[tuple[Combination, ...], tuple[str, ...]]:
    """For every one, two and three of these columns, the people they single out; worst first.

    Somebody is singled out where they have a combination of values that nobody else has.

    Args:
        columns: Name, codes by row, and how many codes there are.
        person: Whose row it is.
        people: How many there are.
        progress: Called with the share that is done.

    Returns:
        The combinations; and the columns that were left alone, because there are too many to
        combine them all: those that tell people apart least.
    """
    single = {name: alone_in(codes, person, people) for name, codes, _ in columns}
    order = sorted(columns, key=lambda column: (-single[column[0]], -column[2], column[0]))
    width = len(columns)
    while width > MOST_TOGETHER and len(person) * _number(width) > MOST_WORK:
        width -= 1
    kept = {name for name, _, _ in order[:width]}
    combined = [column for column in columns if column[0] in kept]
    found = [Combination((name,), n, n / people) for name, n in single.items()]
    total, done = max(1, _number(len(combined))), 0
    for together in range(2, MOST_TOGETHER + 1):
        for chosen in combinations(combined, together):
            names = tuple(name for name, _, _ in chosen)
            codes, sizes = tuple(c for _, c, _ in chosen), tuple(size for _, _, size in chosen)
            n = _count(codes, sizes, person, people)
            found.append(Combination(names, n, n / people))
            done += 1
            if progress is not None and done % 20 == 0:
                progress(done / total)
    found.sort(key=lambda each: (-each.people, len(each.columns), each.columns))
    return tuple(found), tuple(name for name, _, _ in columns if name not in kept)


def _number(columns: int) -> int:
    return sum(comb(columns, together) for together in range(2, MOST_TOGETHER + 1))


def alone_in(codes: Codes, person: Ints, people: int) -> int:
    """People who have a value in a column that nobody else has."""
    return int(_alone(codes.astype(np.int64), person, people))


def _count(codes: Sequence[Codes], sizes: Sequence[int], person: Ints, people: int) -> int:
    """People who have values in these columns that nobody else has."""
    # A million rows have at most a million values: three columns fit into 60 bits.
    assert prod(sizes) < 2**63, "one number for each combination of codes"
    key = np.zeros(len(person), np.int64)
    for column, size in zip(codes, sizes, strict=True):
        key = key * size + column
    return int(_alone(key, person, people))


@kernel
def _alone(key: Ints, person: Ints, people: int) -> int:
    """How many people own a key that no other has (open addressing)."""
    rows = len(key)
    bits = 4
    while (1 << bits) < 2 * rows:
        bits += 1
    mask = np.uint64((1 << bits) - 1)
    down = np.uint64(64 - bits)
    table = np.full(1 << bits, -1, np.int64)
    owner = np.empty(rows, np.int64)
    place = np.empty(rows, np.int64)
    keys = np.empty(rows, np.int64)
    size = 0
    for i in range(rows):
        slot = (np.uint64(key[i]) * np.uint64(0x9E3779B97F4A7C15)) >> down
        while True:
            g = table[slot]
            if g < 0:
                table[slot] = size
                keys[size] = key[i]
                owner[size] = person[i]
                place[i] = size
                size += 1
                break
            if keys[g] == key[i]:
                place[i] = g
                if owner[g] != person[i]:
                    owner[g] = -1
                break
            slot = (slot + np.uint64(1)) & mask
    alone = np.zeros(people, np.bool_)
    count = 0
    for i in range(rows):
        if owner[place[i]] >= 0 and not alone[person[i]]:
            alone[person[i]] = True
            count += 1
    return count
