"""Tighter bounds by linear programming, each of them proven in whole numbers.

A world says how many people of each kind have each value, and how many of these have a record in
each group. Without asking for whole numbers this is a transport polytope, with one table for each
release. The largest number of a kind's people who have a value is at most the largest in it.

The solver works with floating-point numbers, so its answer proves nothing. Its multipliers do
(weak duality): whatever the multipliers are, adding up the rows that they multiply bounds the
number from above. They are rounded to multiples of 1/UNIT, and the sum is taken in whole numbers.
Bad multipliers make a bound loose, and never wrong.

Limits: MOST_VARIABLES variables in a component, and MOST_PROGRAMS programs or fewer where these are
large (MOST_WORK). With 1,000 variables a program takes 10 ms, with 10,000 about a second. Beyond
the limits bounds stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.worlds.bounds import CountBounds, narrowed
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_VARIABLES = 10_000
"""Variables of a program: kinds by values, and records of people who may be in several groups."""
MOST_PROGRAMS = 1_000
"""Programs that are solved in one call, at most."""
MOST_WORK = 500_000_000
"""Squares of the variables, of all programs of one call together: about ten seconds."""
UNIT = 720_720
"""Multipliers are whole multiples of one part of this; it has all divisors up to 16."""
LARGEST = 2.0**62
"""Sums stay below it, so that whole numbers of 64 bits hold them."""
NEAR = 1e-6
"""Numbers of the solver that are so near count as equal; they only say what is worth a try."""

Flags = NDArray[np.bool_]


def tightened(
    knowledge: Knowledge,
    found: CountBounds,
    kinds: Sequence[int],
    *,
    above: Fraction | None = None,
) -> CountBounds:
    """Tighter bounds for some kinds; of the others, as tight or tighter.

    Args:
        knowledge: What the attacker has: one component.
        found: Its bounds so far.
        kinds: For whom programs are solved.
        above: Only the most is asked for, and only where the belief may be above this.

    Two rows show flu, each in a group of its own, and two show gout. Bob fits the second flu and
    the gouts, and nobody else fits the second flu. So it is Bob's:

    >>> from hedgerow.claims.worlds.bounds import bounds
    >>> flus = Knowledge.of_groups(
    ...     [[[1, 0], [1, 0], [0, 2]]], [[[2], [1, 2], [0, 2]]], people=[1, 1, 2])
    >>> bounds(flus).most.tolist()[1], tightened(flus, bounds(flus), [1]).most.tolist()[1]
    ([1, 1], [1, 0])
    """
    least, most, people = found.least.copy(), found.most.copy(), found.people
    polytope = _Polytope.of(knowledge, least, most)
    if polytope is None or found.contradicted:
        return found
    seen = _Seen(np.full(most.shape, inf), np.full(most.shape, -inf))
    left = min(MOST_PROGRAMS, MOST_WORK // len(polytope.upper) ** 2)
    for kind, value, sign in _asked(found, kinds, above):
        bound = most if sign > 0 else least
        if least[kind, value] == most[kind, value] or seen.idle(kind, value, sign, bound):
            continue
        if not left:
            break
        left -= 1
        solved = polytope.solved(kind, value, sign)
        if solved is None:
            continue
        at, multipliers = solved
        seen.note(at[polytope.cell])
        proven = polytope.proven(kind, value, sign, multipliers)
        if proven is not None:
            better = min if sign > 0 else max
            bound[kind, value] = better(int(bound[kind, value]), sign * proven)
            if least[kind, value] > most[kind, value]:
                return CountBounds(least, most, people)
            polytope.fit(kind, value, least, most)
    return narrowed(knowledge, CountBounds(least, most, people))


def _asked(
    found: CountBounds, kinds: Sequence[int], above: Fraction | None
) -> Iterator[tuple[int, int, int]]:
    """Kind, value, and 1 for the most or -1 for the least; what is furthest off comes first."""
    for kind in dict.fromkeys(kinds):
        most, people = found.most[kind], int(found.people[kind])
        for value in np.argsort(-most, kind="stable").tolist():
            if above is None or most[value] > above * people:
                yield kind, value, 1
        if above is None:
            for value in np.argsort(-found.least[kind], kind="stable").tolist():
                yield kind, value, -1


@dataclass
class _Seen:
    """What solutions reached: where a bound was reached no program makes it tighter."""

    low: Floats
    high: Floats

    def note(self, at: Floats) -> None:
        np.minimum(self.low, at, out=self.low)
        np.maximum(self.high, at, out=self.high)

    def idle(self, kind: int, value: int, sign: int, bound: Ints) -> bool:
        if sign > 0:
            return bool(bound[kind, value] <= np.floor(self.high[kind, value] + NEAR))
        return bool(bound[kind, value] >= np.ceil(self.low[kind, value] - NEAR))


@dataclass
class _Rows:
    """Rows of a program, as they are written down."""

    upper: list[int] = field(default_factory=list)
    """Of each variable; all begin at 0 but for bounds that are known."""
    row: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    entry: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    equal: list[bool] = field(default_factory=list)

    def variable(self, upper: int) -> int:
        self.upper.append(upper)
        return len(self.upper) - 1

    def add(self, plus: Sequence[int], minus: Sequence[int], right: int, *, equal: bool) -> None:
        """The sum of some variables less that of others is equal to a number, or at most that."""
        if not (plus or minus):
            return
        self.row += [len(self.right)] * (len(plus) + len(minus))
        self.column += [*plus, *minus]
        self.entry += [1] * len(plus) + [-1] * len(minus)
        self.right.append(right)
        self.equal.append(equal)

    def release(self, one: Shown, cell: Ints, most: Ints) -> bool:
        """What one release says; whether it is small enough to be said."""
        takers: dict[tuple[int, int], list[int]] = {}
        records = {(g, look): many for g in set(one.fits.groups.tolist())
                   for look, many in one.records(g)}  # fmt: skip
        for k in range(len(cell)):
            groups, sure = one.fits.of(k).tolist(), bool(one.sure[k])
            alike: dict[int, list[int]] = {}
            for v in np.flatnonzero(most[k] > 0).tolist():
                alike.setdefault(int(one.looks[v]), []).append(v)
            for look, values in alike.items():
                if look < 0:
                    continue
                having = cell[k, values].tolist()
                if sure and len(groups) == 1:
                    takers.setdefault((groups[0], look), []).extend(having)
                    continue
                largest, placed = int(most[k, values].sum()), []
                for g in groups:
                    if (g, look) in records:
                        placed.append(self.variable(min(records[g, look], largest)))
                        takers.setdefault((g, look), []).append(placed[-1])
                self.add(placed, having, 0, equal=sure)
                if len(self.upper) > MOST_VARIABLES:
                    return False
        for place in takers.keys() | records.keys():
            taken = takers.get(place, [])
            self.add(taken, [], records.get(place, 0), equal=one.listed)
        return True


@dataclass(frozen=True, eq=False)
class _Polytope:
    """All ways to divide people among values and records, in fractions."""

    cell: Ints
    """Kinds by values: the variable that says how many have it. Of all who can have none of it, one
    variable that is 0."""
    rows: csr_array
    """Rows by variables, in whole numbers. A row equals its right side, or is at most that."""
    right: Ints
    equal: Flags
    lower: Ints
    upper: Ints

    @classmethod
    def of(cls, knowledge: Knowledge, least: Ints, most: Ints) -> _Polytope | None:
        """From bounds that are proven; None where there would be too many variables."""
        from scipy.sparse import csr_array

        if int((most > 0).sum()) > MOST_VARIABLES:
            return None
        rows = _Rows()
        nothing = rows.variable(0)
        cell = np.full(most.shape, nothing, np.int64)
        for k, v in np.argwhere(most > 0).tolist():
            cell[k, v] = rows.variable(int(most[k, v]))
        for k, people in enumerate(knowledge.people.tolist()):
            rows.add(cell[k, most[k] > 0].tolist(), [], people, equal=True)
        for one in knowledge.shown:
            if not rows.release(one, cell, most):
                return None
        shape = len(rows.right), len(rows.upper)
        lower = np.zeros(len(rows.upper), np.int64)
        lower[cell[most > 0]] = least[most > 0]
        return cls(
            cell,
            csr_array((np.array(rows.entry, np.int64), (rows.row, rows.column)), shape=shape),
            np.array(rows.right, np.int64),
            np.array(rows.equal, np.bool_),
            lower,
            np.array(rows.upper, np.int64),
        )

    def fit(self, kind: int, value: int, least: Ints, most: Ints) -> None:
        """Take over bounds that became tighter."""
        self.lower[self.cell[kind, value]] = least[kind, value]
        self.upper[self.cell[kind, value]] = most[kind, value]

    def solved(self, kind: int, value: int, sign: int) -> tuple[Floats, Ints] | None:
        """Where about a number is largest (1) or smallest (-1); and multipliers, in UNITs."""
        from scipy.optimize import linprog

        wanted = np.zeros(len(self.upper))
        wanted[self.cell[kind, value]] = -sign
        rows, equal = self.rows.astype(np.float64), self.equal
        found = linprog(
            wanted,
            A_ub=rows[~equal], b_ub=self.right[~equal],
            A_eq=rows[equal], b_eq=self.right[equal],
            bounds=np.column_stack((self.lower, self.upper)), method="highs",
        )  # fmt: skip
        if found.status != 0:
            return None
        multipliers = np.zeros(len(self.right))
        multipliers[equal] = -found.eqlin.marginals
        multipliers[~equal] = -found.ineqlin.marginals
        if not np.abs(multipliers).max(initial=0) < LARGEST / UNIT:
            return None
        return found.x, np.rint(multipliers * UNIT).astype(np.int64)

    def proven(self, kind: int, value: int, sign: int, multipliers: Ints) -> int | None:
        """What the number (times the sign) is at most; None where sums would be too large.

        A row that is at most something is multiplied by no less than 0. What is left of each
        variable is at most what it is at its lower or at its upper bound.
        """
        used = np.where(self.equal, multipliers, np.maximum(multipliers, 0))
        wanted = np.zeros(len(self.upper), np.int64)
        wanted[self.cell[kind, value]] = sign * UNIT
        sizes = np.abs(used).astype(np.float64)
        spread = np.abs(wanted) + abs(self.rows).T @ sizes
        if sizes @ np.abs(self.right) + spread @ self.upper + spread.sum() > LARGEST:
            return None
        rest = wanted - self.rows.T @ used
        total = int(used @ self.right) + int(np.where(rest > 0, rest * self.upper,
                                                      rest * self.lower).sum())  # fmt: skip
        return total // UNIT
