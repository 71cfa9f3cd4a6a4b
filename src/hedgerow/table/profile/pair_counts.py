"""Two columns together: whom they single out, and whether one follows from the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Ints
from hedgerow.table.profile.encoded_column import Codes, EncodedColumn

NOBODY = np.empty(0, np.int32)
"""In the stead of who has each row, where every row is another person."""


@dataclass(frozen=True)
class People:
    """Whose rows these are."""

    whose: Codes
    """For each row who it is, in ascending order; empty where every row is another person."""
    number: int
    rows: int

    @property
    def pairs(self) -> int:
        """Ordered pairs of rows of two people."""
        own = self.rows if not len(self.whose) else int((np.bincount(self.whose) ** 2).sum())
        return self.rows**2 - own


@dataclass(frozen=True)
class PairCount:
    """What is counted of two columns; the dependency is of the second on the first."""

    alone: int
    """People who have a pair of values that nobody else has."""
    together: int
    """Ordered pairs of rows of two people that agree in both columns."""
    rows: int
    """Rows that have both values."""
    groups: int
    """Different pairs of values, rows that lack one left aside."""
    breaks: tuple[int, int]
    """Rows in which the second does not follow from the first, and the other way round."""
    repeats: tuple[int, int]
    """Rows whose value of the first stands in an earlier row, too; then of the second."""


def pair_count(first: EncodedColumn, second: EncodedColumn, people: People) -> PairCount:
    """Count two columns together."""
    if first.size < second.size:  # less to write to at random
        one = pair_count(second, first, people)
        a, b = one.breaks, one.repeats
        return PairCount(one.alone, one.together, one.rows, one.groups, (a[1], a[0]), (b[1], b[0]))
    found = _pairs(
        *first.partition, second.codes, second.size, people.whose, people.number
    )  # fmt: skip
    alone, together, rows, groups, kept_first, classes, kept_second, others = map(int, found)
    return PairCount(
        alone, together, rows, groups, (rows - kept_first, rows - kept_second),
        (rows - classes, rows - others),
    )  # fmt: skip


@kernel
def _pairs(
    order: Codes, start: Ints, second: Codes, size: int, whose: Codes, people: int
) -> tuple[int, int, int, int, int, int, int, int]:
    """Count the pairs of codes; `PairCount` says of what.

    Args:
        order: Rows by their code in the first column.
        start: Where each code begins in it; the last code is missing.
        second: Codes of the second column.
        size: How many codes it has; the last is missing.
        whose: Who has each row, in ascending order; empty where every row is another person.
        people: How many there are.
    """
    alone = together = rows = groups = kept = classes = 0
    several = len(whose) > 0
    lonely = np.zeros(people if several else 0, np.bool_)
    count = np.zeros(size, np.int32)
    owner = np.zeros(size if several else 0, np.int32)
    run = np.zeros(size if several else 0, np.int64)
    same = np.zeros(size if several else 0, np.int64)
    shared = np.zeros(size if several else 0, np.bool_)
    most = np.zeros(size, np.int32)
    touched = np.empty(size, np.int32)
    last = len(start) - 2
    for code in range(last + 1):
        begin, end = start[code], start[code + 1]
        if begin == end:
            continue
        if end == begin + 1:
            other = second[order[begin]]
            alone += 1
            if several and not lonely[whose[order[begin]]]:
                lonely[whose[order[begin]]] = True
            if code != last and other != size - 1:
                rows += 1
                groups += 1
                kept += 1
                classes += 1
                most[other] = max(most[other], 1)
            continue
        met = 0
        for place in range(begin, end):
            other = second[order[place]]
            if count[other] == 0:
                touched[met] = other
                met += 1
            count[other] += 1
            if several:
                who = whose[order[place]]
                if count[other] == 1:
                    owner[other], run[other], same[other], shared[other] = who, 1, 0, False
                elif owner[other] == who:
                    run[other] += 1
                else:
                    same[other] += run[other] ** 2
                    owner[other], run[other], shared[other] = who, 1, True
        best = there = 0
        for i in range(met):
            other = touched[i]
            n = int(count[other])
            count[other] = 0
            if several:
                together += n * n - int(same[other]) - int(run[other]) ** 2
                if not shared[other]:
                    lonely[owner[other]] = True
            else:
                together += n * n - n
                if n == 1:
                    alone += 1
            if other != size - 1:
                there += n
                best = max(best, n)
                if code != last:
                    groups += 1
                    most[other] = max(most[other], n)
        if code != last and there > 0:
            rows += there
            kept += best
            classes += 1
    if several:
        alone = 0
        for who in range(people):
            alone += lonely[who]
    kept_second = others = 0
    for other in range(size - 1):
        kept_second += most[other]
        others += most[other] > 0
    return alone, together, rows, groups, kept, classes, kept_second, others
