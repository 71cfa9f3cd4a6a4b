"""Which whole groups are suppressed at a node, and what no other choice of groups can beat.

Groups that fail a claim about groups go in any case. Where that leaves a claim about the table
failing, more have to go. How many is exact: a larger group never does more for such a claim than
a smaller one (see `Relief`), so if any set of groups will do, as many of the smallest will do.
Which ones are cheapest is exact for metrics of sizes; of a cell metric, it is a knapsack. It is
solved by numbers of each size where every group has a price of its own (`size_knapsack`). Where few
sets differ, all are tried; of more, two solutions, and the fractional one is the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import Relief
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import CellCosts, Frequency, Lattice
from hedgerow.recode.metrics import Metric
from hedgerow.recode.size_knapsack import cheapest
from hedgerow.table.groups import Floats, Groups, Ints

Flags = NDArray[np.bool_]
HAIR = 1e-12
"""Bounds are lowered by this, relatively: rounding must not raise one."""
MOST_TRIED = 12
"""Of so many groups every set is tried; of more as long as no more sets differ."""
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
        if not limits.relief_decides:
            floor = min(floor, self.floor(frequency))
        counted = kept & (groups.n > 0)
        people = int(groups.n[counted].sum())
        room = limits.limit - self.lattice.original.people + people
        only = not (counted & (groups.n <= room)).any()  # no other group may go
        only &= limits.relief_decides
        if limits.remains(groups, kept, requirement):
            return Decision(kept, True, cost, cost if only else floor)
        failed = Decision(kept, False, cost, np.inf if only else floor)
        if only or limits.keep_suppressed or limits.beyond:
            return failed  # with more people suppressed claims may hold; that is not tried
        enough = fewest(limits, groups, kept, room)
        if enough is None:
            return Decision(kept, False, cost, np.inf if limits.relief_decides else floor)
        room = min(room, people - 1)  # somebody has to remain
        found = self._relieved(frequency, counted, enough, room, floor)
        if found is not None and not limits.relief_decides:
            return replace(found, bound=min(found.cost, floor))
        return found or failed

    def floor(self, frequency: Frequency) -> float:
        """What no release at this node costs less, whoever is suppressed."""
        return self._bounded(frequency, frequency.groups.n > 0)[1]

    def _relieved(
        self, frequency: Frequency, kept: Flags, enough: Fewest, room: int, floor: float
    ) -> Decision | None:
        """The cheapest choice that is known; None where a claim about presence forbids it."""
        tried = self._cheapest_of_all(frequency, kept, enough.reliefs, room)
        if tried is None:
            tried = self._cheapest_by_size(frequency, kept, enough.reliefs, room)
        if tried is not None:
            return tried
        n, (size, many, reliefs) = frequency.groups.n, enough
        choices, bound = [], floor
        if self.costs is None or not self.metric.suppression_costs:
            price = np.zeros(len(n))
        else:
            knapsack = _Knapsack.of(self.costs, frequency, kept, reliefs, room)
            price, bound = knapsack.prices(len(n)), max(floor, knapsack.bound)
            if len(reliefs) == 1:
                choices.append(knapsack.chosen)
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
        Unless suppressing somebody may gain: then nothing is said here.
        """
        n, costs = frequency.groups.n, self.costs
        helpful = self._helpful(frequency, kept, reliefs, room)
        if costs is None or helpful is None:
            return None
        able, worth, extra = helpful
        # Groups that cost the same and do the same are interchangeable, if claims see sizes alone.
        alike = np.arange(len(able))
        if not any(m.per_group for m in self.constraints.whole):
            shown = np.round(extra / max(float(np.abs(extra).max()), 1e-300), DIGITS)
            both = np.column_stack((n[able], shown))
            alike = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
        first, counts = np.unique(alike, return_index=True, return_counts=True)[1:]
        if prod(int(c) + 1 for c in counts) > 1 << MOST_TRIED:
            return None
        sets = np.indices((counts + 1).tolist()).reshape(len(counts), -1).T
        needed = np.array([relief.needed for relief in reliefs])
        sets = sets[(sets @ n[able][first] <= room) & (sets @ worth[first] >= needed).all(axis=1)]
        gone = costs.left_out(frequency, n, kept.astype(np.int64), 1)[1][0]
        totals = costs.published(frequency.node) + gone + sets @ extra[first]
        order = np.argsort(costs.metric.combine(totals, self.lattice.original), kind="stable")
        members = [able[alike == one] for one in range(len(counts))]
        for chosen in sets[order[:MOST_MEASURED]]:
            out = [some[:m] for some, m in zip(members, chosen.tolist(), strict=True)]
            found = self._without(frequency, kept, np.concatenate(out))
            if found is not None:
                return found
        return None

    def _cheapest_by_size(
        self, frequency: Frequency, kept: Flags, reliefs: Sequence[Relief], room: int
    ) -> Decision | None:
        """The cheapest set of groups that will do, where each group has a price of its own.

        So it is where the metric is linear, and where a person costs the same in each group that
        would help: then those go who are fewest.
        """
        n, costs = frequency.groups.n, self.costs
        helpful = self._helpful(frequency, kept, reliefs, room)
        if costs is None or helpful is None:
            return None
        able, worth, extra = helpful
        each = extra / n[able][:, None]
        if np.ptp(each, axis=0).max(initial=0.0) <= HAIR:
            price = n[able].astype(np.float64)
        elif costs.metric.linear:
            original, before = self.lattice.original, costs.published(frequency.node)
            slope = costs.metric.parts(before + 1.0, original)
            price = extra @ (slope - costs.metric.parts(before, original))
            price = np.maximum(np.round(price / max(float(price.max()), 1e-300), DIGITS), 0.0)
        else:
            return None
        needed = np.array([relief.needed for relief in reliefs])
        out = cheapest(n[able], price, worth, needed, room)
        return None if out is None else self._without(frequency, kept, able[out])

    def _helpful(
        self, frequency: Frequency, kept: Flags, reliefs: Sequence[Relief], room: int
    ) -> tuple[Ints, Ints, Floats] | None:
        """Groups whose absence helps, what it does for each claim and adds to columns' totals."""
        n, costs = frequency.groups.n, self.costs
        if costs is None or not self.metric.suppression_costs:
            return None
        sizes, size = np.unique(n, return_inverse=True)
        worth = np.array([[relief.worth(int(one)) for relief in reliefs] for one in sizes])[size]
        able = np.flatnonzero(kept & (n <= room) & (worth > 0).any(axis=1))
        if not len(able):
            return None
        # By the tuples themselves: the order of groups differs from run to run.
        able = able[np.lexsort(frequency.words[able].T)]
        rank = np.full(len(n), len(able), np.int64)
        rank[able] = np.arange(len(able))
        return able, worth[able], costs.left_out(frequency, n, rank, len(able))[1]

    def _without(self, frequency: Frequency, kept: Flags, out: Ints) -> Decision | None:
        """What is published without these groups, which nothing beats; None if a claim fails."""
        published = kept.copy()
        published[out] = False
        if not self.constraints.remains(frequency.groups, published, 0):
            return None
        cost, _ = self._bounded(frequency, published)
        return Decision(published, True, cost, cost)

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
    price: Floats
    chosen: Ints
    """Of these, which are cheap for what they are worth."""
    bound: float

    @classmethod
    def of(
        cls,
        costs: CellCosts,
        frequency: Frequency,
        kept: Flags,
        reliefs: Sequence[Relief],
        room: int,
    ) -> _Knapsack:
        """Of the claim that costs most.

        Args:
            costs: What values cost.
            frequency: The node.
            kept: Groups that have not failed.
            reliefs: What claims need.
            room: People who may go.
        """
        made = [
            cls._one(costs, frequency, kept, relief, room)
            for relief in reliefs
            if relief.needed > 0
        ]
        return max(made, key=lambda knapsack: knapsack.bound)

    @classmethod
    def _one(
        cls, costs: CellCosts, frequency: Frequency, kept: Flags, relief: Relief, room: int
    ) -> _Knapsack:
        n, metric, original = frequency.groups.n, costs.metric, costs.lattice.original
        sizes = np.unique(n[kept])
        useful = list(takewhile(lambda s: relief.worth(int(s)) > 0, sizes))
        values = np.array([float(relief.worth(int(s))) for s in useful])
        groups = np.flatnonzero(kept & (n <= useful[-1]))
        # By the tuples themselves: the order of groups differs from run to run.
        groups = groups[np.lexsort(frequency.words[groups].T)]
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
        wide = np.maximum(high - low, 0.0)
        slope = np.divide(at_high - at_low, wide, out=np.zeros_like(wide), where=wide > 0)
        price = extra @ slope
        least = float(at_low.sum())
        sums = np.round(price / max(float(price.max()), 1e-300), DIGITS)
        whole = np.array([int(v) for v in worth])[:, None]
        out = cheapest(n[groups], np.maximum(sums, 0), whole, np.array([relief.needed]), room)
        if out is None:
            order = np.argsort(price / worth, kind="stable")
            out = order[: int(np.searchsorted(np.cumsum(worth[order]), needed)) + 1]
            filled = _fill(price, worth, needed)
        else:
            filled = float(price[out].sum())
        score = max(least, least - float(slope @ low) + filled)
        bound = float(metric.from_score(np.array(score)))
        return cls(groups, price, groups[out], bound - HAIR * max(1.0, abs(bound)))

    def prices(self, size: int) -> Floats:
        """The price of each of all groups, 1 the highest; 0 for those whose absence is no help."""
        found = np.zeros(size)
        found[self.groups] = np.round(self.price / max(float(self.price.max()), 1e-300), DIGITS)
        return found


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
