"""The transport polytope of some kinds of people, and bounds that are proven on it.

A world says how many people of each kind have each value, and how many of these have a record in
each group. Without asking for whole numbers this is a transport polytope, with one table for each
release. The largest number of a kind's people who have a value is at most the largest in it.

The solver works with floating-point numbers, so its answer proves nothing. Its multipliers do
(weak duality): whatever the multipliers are, adding up the rows that they multiply bounds the
number from above. They are rounded to multiples of 1/UNIT, and the sum is taken in whole numbers.
Bad multipliers make a bound loose, and never wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.worlds.bounds import CountBounds
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

UNIT = 720_720
"""Multipliers are whole multiples of one part of this; it has all divisors up to 16."""
LARGEST = 2.0**62
"""Sums stay below it, so that whole numbers of 64 bits hold them."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RecordTotals:
    """Groups by looks of one release: what all kinds together have there."""

    least: Ints
    """Of people who are in this group for certain,"""
    most: Ints
    """and of all who may be."""

    @classmethod
    def of(cls, one: Shown, found: CountBounds) -> RecordTotals:
        table = one.dense()
        owner = np.repeat(np.arange(len(found.people)), one.fits.count)
        totals = []
        for of_values, those in (
            (found.least, (one.sure & (one.fits.count == 1))[owner]),
            (found.most, np.ones(len(owner), np.bool_)),
        ):
            looks = np.zeros((len(found.people), table.shape[1]), np.int64)
            for v in np.flatnonzero(one.looks >= 0).tolist():
                looks[:, one.looks[v]] += of_values[:, v]
            looks = np.minimum(looks, found.people[:, None])
            total = np.zeros(table.shape, np.int64)
            np.add.at(total, one.fits.groups[those], looks[owner[those]])
            totals.append(total)
        return cls(*totals)


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

    def release(self, one: Shown, totals: RecordTotals, cell: Ints, found: CountBounds) -> None:
        """What one release says of some kinds; others have at least and at most what is left."""
        takers: dict[tuple[int, int], list[int]] = {}
        own_least: dict[tuple[int, int], int] = {}
        own_most: dict[tuple[int, int], int] = {}
        records = {(g, look): many for g in set(one.fits.groups.tolist())
                   for look, many in one.records(g)}  # fmt: skip
        for k, people in enumerate(found.people.tolist()):
            groups, sure = one.fits.of(k).tolist(), bool(one.sure[k])
            alike: dict[int, list[int]] = {}
            for v in np.flatnonzero(found.most[k] > 0).tolist():
                alike.setdefault(int(one.looks[v]), []).append(v)
            for look, values in alike.items():
                if look < 0:
                    continue
                having = cell[k, values].tolist()
                largest = min(people, int(found.most[k, values].sum()))
                for g in groups:
                    own_most[g, look] = own_most.get((g, look), 0) + largest
                if sure and len(groups) == 1:
                    fewest = min(people, int(found.least[k, values].sum()))
                    own_least[groups[0], look] = own_least.get((groups[0], look), 0) + fewest
                    takers.setdefault((groups[0], look), []).extend(having)
                    continue
                placed = []
                for g in groups:
                    if (g, look) in records:
                        placed.append(self.variable(min(records[g, look], largest)))
                        takers.setdefault((g, look), []).append(placed[-1])
                self.add(placed, having, 0, equal=sure)
        for place in sorted(takers.keys() | records.keys()):
            taken = takers.get(place, [])
            others_least = max(0, int(totals.least[place]) - own_least.get(place, 0))
            others_most = max(0, int(totals.most[place]) - own_most.get(place, 0))
            if one.listed and others_most > others_least:
                taken = [*taken, self.variable(others_most - others_least)]
            self.add(taken, [], records.get(place, 0) - others_least, equal=one.listed)


@dataclass(frozen=True, eq=False)
class Polytope:
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
    def of(
        cls, knowledge: Knowledge, found: CountBounds, totals: Sequence[RecordTotals], near: Ints
    ) -> Polytope:
        """Of some kinds, from bounds that are proven.

        Of other kinds only the bounds are used, and what they have in each release is not tied
        together. So with fewer kinds the polytope is larger, and what is proven on it weaker.
        """
        from scipy.sparse import csr_array

        here = CountBounds(found.least[near], found.most[near], found.people[near])
        rows = _Rows()
        nothing = rows.variable(0)
        cell = np.full(here.most.shape, nothing, np.int64)
        for k, v in np.argwhere(here.most > 0).tolist():
            cell[k, v] = rows.variable(int(here.most[k, v]))
        for k, people in enumerate(here.people.tolist()):
            rows.add(cell[k, here.most[k] > 0].tolist(), [], people, equal=True)
        for one, total in zip(knowledge.shown, totals, strict=True):
            local = replace(one, fits=one.fits.take(near), sure=one.sure[near])
            rows.release(local, total, cell, here)
        shape = len(rows.right), len(rows.upper)
        lower = np.zeros(len(rows.upper), np.int64)
        lower[cell[here.most > 0]] = here.least[here.most > 0]
        return cls(
            cell,
            csr_array((np.array(rows.entry, np.int64), (rows.row, rows.column)), shape=shape),
            np.array(rows.right, np.int64),
            np.array(rows.equal, np.bool_),
            lower,
            np.array(rows.upper, np.int64),
        )

    def fit(self, kind: int, value: int, least: int, most: int) -> None:
        """Take over bounds that became tighter."""
        self.lower[self.cell[kind, value]] = least
        self.upper[self.cell[kind, value]] = most

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
