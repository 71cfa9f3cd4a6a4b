"""Which whole groups are suppressed at a node, and what no other choice of groups can beat.

Groups that fail a claim about groups go in any case. Where that leaves a claim about the table
failing, more have to go. How many is exact: a larger group never does more for such a claim than
a smaller one (see `Relief`), so if any set of groups will do, as many of the smallest will do.
Which ones are cheapest is exact for metrics of sizes; of a cell metric, it is a knapsack. Where few
groups would help, all sets are tried; of more, two solutions, and the fractional one is the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import Relief
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import CellCosts, Frequency, Lattice
from hedgerow.recode.metrics import Metric
from hedgerow.table.groups import Floats, Groups, Ints

Flags = NDArray[np.bool_]
HAIR = 1e-12
"""Bounds are lowered by this, relatively: rounding must not raise one."""
MOST_TRIED = 12
"""Of so many groups every set is tried."""
MOST_MEASURED = 64
"""The cheapest so many sets are measured, where claims about presence may fail."""
DIGITS = 12
"""Prices that agree in so many digits are equal: which one is higher would be rounding."""


@dataclass(frozen=True, eq=False)
class Decision:
    """What is published of a node."""

    kept: Flags
    holds: bool
    """Whether every claim holds of it."""
    cost: float
    bound: float
    """No choice of groups at this node costs less; infinite where none keeps the claims."""


@dataclass(frozen=True, eq=False)
class Suppressor:
    """Decides which groups of a node are suppressed."""

    lattice: Lattice
    constraints: SearchConstraints
    metric: Metric
    costs: CellCosts | None

    def decide(self, frequency: Frequency, kept: Flags, requirement: int) -> Decision:
        """What to publish, where the groups that are not `kept` fail and are few enough."""
        limits, groups = self.constraints, frequency.groups
        cost, floor = self._bounded(frequency, kept)
        counted = kept & (groups.n > 0)
        people = int(groups.n[counted].sum())
        room = limits.limit - self.lattice.original.people + people
        only = not (counted & (groups.n <= room)).any()  # no other group may go
        if limits.remains(groups, kept, requirement):
            return Decision(kept, True, cost, cost if only else floor)
        failed = Decision(kept, False, cost, np.inf if only else floor)
        if only or limits.keep_suppressed or limits.beyond:
            return failed  # with more people suppressed claims may hold; that is not tried
        enough = fewest(limits, groups, kept, room)
        if enough is None:
            return Decision(kept, False, cost, np.inf)
        room = min(room, people - 1)  # somebody has to remain
        return self._relieved(frequency, counted, enough, room, floor) or failed

    def _relieved(
        self, frequency: Frequency, kept: Flags, enough: Fewest, room: int, floor: float
    ) -> Decision | None:
        """The cheapest choice that is known; None where a claim about presence forbids it."""
        tried = self._cheapest_of_all(frequency, kept, enough.reliefs, room)
        if tried is not None:
            return tried
        n, (size, many, reliefs) = frequency.groups.n, enough
        choices, bound = [], floor
        if self.costs is None or not self.metric.suppression_costs:
            price = np.zeros(len(n))
        else:
            knapsack = _Knapsack.of(self.costs, frequency, kept, reliefs)
            price, bound = knapsack.prices(len(n)), max(floor, knapsack.bound)
            if len(reliefs) == 1:
                choices.append(knapsack.by_ratio(frequency.words))
        # By the tuples themselves among equals: the order of groups differs from run to run.
        order = np.lexsort((*frequency.words.T, price, n))
        order = order[kept[order]]
        smaller = int(np.count_nonzero(n[order] < size))
        choices.append(order[: smaller + many])
        found = None
        for out in choices:
            if int(n[out].sum()) > room:
                continue
            published = kept.copy()
            published[out] = False
            cost, further = self._bounded(frequency, published)
            if (found is None or cost < found.cost) and self.constraints.remains(
                frequency.groups, published, 0
            ):
                forced = any(_all_forced(relief, n[kept], n[out]) for relief in reliefs)
                found = Decision(published, True, cost, further if forced else min(cost, bound))
        if found is None:
            return None
        exact = self.metric.by_size or found.bound >= found.cost - 2 * HAIR
        return replace(found, bound=found.cost) if exact else found

    def _cheapest_of_all(
        self, frequency: Frequency, kept: Flags, reliefs: Sequence[Relief], room: int
    ) -> Decision | None:
        """The cheapest of all sets of groups that will do; None where they are too many to try.

        Cell metrics only: there to suppress a group that is no help costs, and helps nobody.
        """
        n, costs = frequency.groups.n, self.costs
        if costs is None:
            return None
        sizes, size = np.unique(n, return_inverse=True)
        worth = np.array([[relief.worth(int(one)) for relief in reliefs] for one in sizes])[size]
        able = np.flatnonzero(kept & (n <= room) & (worth > 0).any(axis=1))
        if not 0 < len(able) <= MOST_TRIED:
            return None
        # By the tuples themselves: the order of groups differs from run to run.
        able = able[np.lexsort(frequency.words[able].T)]
        sets = (np.arange(1 << len(able))[:, None] >> np.arange(len(able))) & 1
        needed = np.array([relief.needed for relief in reliefs])
        sets = sets[(sets @ n[able] <= room) & (sets @ worth[able] >= needed).all(axis=1)]
        rank = np.full(len(n), len(able), np.int64)
        rank[able] = np.arange(len(able))
        extra = costs.left_out(frequency, n, rank, len(able))[1]
        gone = costs.left_out(frequency, n, kept.astype(np.int64), 1)[1][0]
        totals = costs.published(frequency.node) + gone + sets @ extra
        order = np.argsort(costs.metric.combine(totals, self.lattice.original), kind="stable")
        for chosen in sets[order[:MOST_MEASURED]]:
            published = kept.copy()
            published[able[chosen == 1]] = False
            if self.constraints.remains(frequency.groups, published, 0):
                cost, _ = self._bounded(frequency, published)
                return Decision(published, True, cost, cost)
        return None

    def _bounded(self, frequency: Frequency, kept: Flags) -> tuple[float, float]:
        """The cost, and what no release costs less that suppresses these and perhaps others."""
        if self.costs is not None:
            n = frequency.groups.n
            extra = self.costs.left_out(frequency, n, kept.astype(np.int64), 1)[1][0]
            totals = self.costs.published(frequency.node) + extra
            original, metric = self.lattice.original, self.costs.metric
            cost = float(metric.combine(totals, original))
            room = self.constraints.limit - original.people + int(n[kept].sum())
            low = self.costs.floor(frequency.node, totals, room)
            return cost, cost if low is totals else float(metric.combine(low, original))
        outcome, limits = self.lattice.outcome, self.constraints
        if not limits.keep_suppressed:
            found = outcome(frequency, kept)
            cost, floor = self.metric.bounded(found, limits.limit - found.suppressed)
        else:
            cost = self.metric.cost(outcome(frequency, kept, rest=True))
            floor = cost if self.metric.suppression_costs else -np.inf
        if floor < cost and self.metric.monotone:
            room = limits.limit - self.lattice.original.absent
            floor = max(floor, min(cost, self.metric.floor(outcome(frequency), room)))
        return cost, floor


class Fewest(NamedTuple):
    """How many groups have to go: all below a size, and so many of that size."""

    size: int
    many: int
    reliefs: Sequence[Relief]
    """What the claims about the table need."""


def fewest(limits: SearchConstraints, groups: Groups, kept: Flags, room: int) -> Fewest | None:
    """How many groups have to go so that the claims about the table hold; None: no set will do.

    Args:
        limits: The claims.
        groups: The groups of a node.
        kept: Those that keep the claims about groups; not all claims about the table hold of them.
        room: People of these who may go.
    """
    if any(m.per_group and not limits.kept_by(m, groups, kept) for m in limits.whole):
        return None  # whoever else goes, that group stays as it is
    counted = kept & (groups.n > 0)
    reliefs = [m.relief(groups.take(counted)) for m in limits.whole if not m.per_group]
    found = smallest_first(groups.n[counted], reliefs, min(room, int(groups.n[counted].sum()) - 1))
    return None if found is None else Fewest(*found, reliefs)


def smallest_first(n: Ints, reliefs: Sequence[Relief], room: int) -> tuple[int, int] | None:
    """How many groups have to go: all below a size, and so many of that size.

    Args:
        n: Sizes of groups.
        reliefs: What the claims need.
        room: People who may go.

    Returns:
        The size and the number; None where no set of groups will do.

    >>> at_most_half = Relief(needed=2, worth=lambda n: 2 - n)  # 5 groups of 8 people
    >>> smallest_first(np.array([1, 1, 1, 1, 4]), [at_most_half], 3)
    (1, 2)
    """
    sizes, counts = np.unique(n, return_counts=True)
    steps = list(zip(map(int, sizes), map(int, counts), strict=True))
    last, many = 0, 0
    for relief in reliefs:
        needed = relief.needed
        for place, (size, count) in enumerate(steps):
            if needed <= 0:
                break
            worth = relief.worth(size)
            if worth <= 0:
                return None
            taken = min(count, -(-needed // worth))
            needed -= taken * worth
            last, many = max((last, many), (place, taken))
        if needed > 0:
            return None
    out = [*steps[:last], (steps[last][0], many)]
    if sum(size * count for size, count in out) > room:
        return None
    if any(sum(r.worth(size) * count for size, count in out) < r.needed for r in reliefs):
        return None
    return steps[last][0], many


def _all_forced(relief: Relief, n: Ints, out: Ints) -> bool:
    """Whether each of the groups that go, by size, is in every set of groups that will do."""
    sizes, counts = np.unique(n, return_counts=True)
    every = sum(max(0, relief.worth(int(s))) * int(c) for s, c in zip(sizes, counts, strict=True))
    return all(every - relief.worth(int(size)) < relief.needed for size in np.unique(out))


@dataclass(frozen=True, eq=False)
class _Knapsack:
    """Groups whose absence helps, what they are worth and what they cost."""

    groups: Ints
    worth: Floats
    price: Floats
    needed: float
    bound: float

    @classmethod
    def of(
        cls, costs: CellCosts, frequency: Frequency, kept: Flags, reliefs: Sequence[Relief]
    ) -> _Knapsack:
        """Of the claim that costs most."""
        made = [cls._one(costs, frequency, kept, relief) for relief in reliefs if relief.needed > 0]
        return max(made, key=lambda knapsack: knapsack.bound)

    @classmethod
    def _one(cls, costs: CellCosts, frequency: Frequency, kept: Flags, relief: Relief) -> _Knapsack:
        n, metric, original = frequency.groups.n, costs.metric, costs.lattice.original
        sizes = np.unique(n[kept])
        useful = list(takewhile(lambda s: relief.worth(int(s)) > 0, sizes))
        values = np.array([float(relief.worth(int(s))) for s in useful])
        groups = np.flatnonzero(kept & (n <= useful[-1]))
        worth = values[np.searchsorted(useful, n[groups])]
        rank = np.full(len(n), len(groups), np.int64)
        rank[groups] = np.arange(len(groups))
        extra = costs.left_out(frequency, n, rank, len(groups))[1]
        gone = costs.left_out(frequency, n, kept.astype(np.int64), 1)[1][0]
        before = costs.published(frequency.node) + gone
        # An optimal choice has no group to spare, so it is worth less than `needed` and one more.
        needed = float(relief.needed)
        most = needed - 1 + float(worth.max())
        low = np.array([_fill(column, worth, needed) for column in extra.T])
        high = -np.array([_fill(-column, worth, most) for column in extra.T])
        at_low, at_high = (
            metric.parts(before + low, original),
            metric.parts(before + high, original),
        )
        # Concave functions lie above their chords, and a chord is linear: a price for each group.
        room = np.maximum(high - low, 0.0)
        slope = np.divide(at_high - at_low, room, out=np.zeros_like(room), where=room > 0)
        price = extra @ slope
        least = float(at_low.sum())
        score = max(least, least - float(slope @ low) + _fill(price, worth, needed))
        bound = float(metric.from_score(np.array(score)))
        return cls(groups, worth, price, needed, bound - HAIR * max(1.0, abs(bound)))

    def prices(self, size: int) -> Floats:
        """The price of each of all groups, 1 the highest; 0 for those whose absence is no help."""
        found = np.zeros(size)
        found[self.groups] = np.round(self.price / max(float(self.price.max()), 1e-300), DIGITS)
        return found

    def by_ratio(self, words: NDArray[np.uint64]) -> Ints:
        """Groups by what they cost for what they are worth, until it is enough."""
        chosen = words[self.groups]
        order = np.lexsort((*chosen.T, self.price / self.worth))
        reached = np.cumsum(self.worth[order])
        return self.groups[order[: int(np.searchsorted(reached, self.needed)) + 1]]


def _fill(price: Floats, worth: Floats, needed: float) -> float:
    """The least price of groups, or parts of them, that are worth so much.

    Where all are worth the same, no parts: it takes so many whole ones.
    """
    order = np.argsort(price / worth, kind="stable")
    price, worth = price[order], worth[order]
    if len(worth) and worth.min() == worth.max():
        taken = np.zeros(len(worth))
        taken[: int(np.ceil(needed / worth[0] * (1 - HAIR)))] = 1.0
    else:
        taken = np.clip((needed - (np.cumsum(worth) - worth)) / worth, 0.0, 1.0)
    return float((price * taken).sum())
