"""What publishing each node would give under some claims: decided as `publish` decides it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.claims.base import PrivacyModel
from hedgerow.explore.kinds import Codes, NodeProfile
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.metrics.group_sums import GroupSums
from hedgerow.recode.search import SLACK, Search
from hedgerow.recode.suppression import fewest
from hedgerow.table.groups import Floats, Groups, Ints

Flags = NDArray[np.bool_]
States = NDArray[np.int8]

YES, NO, OPEN = 1, 0, -1
"""Whether something holds; OPEN where it has not been decided."""


@dataclass(frozen=True, eq=False)
class Survey:
    """Every node under the same claims."""

    nodes: Codes
    """The level of each column, nodes by columns, in lexicographic order."""
    claims: tuple[str, ...]
    limit: int
    """People who may be left out."""
    people: int
    """Everybody in the table."""
    left_out: Ints
    """People who would be left out, for all claims together."""
    alone: Ints
    """The same were there no other claim, nodes by claims; -1 for claims about the whole."""
    holds: States
    """Which claims hold within the limit, each taken alone; nodes by claims."""
    feasible: States
    """Whether `publish` could choose the node: all claims hold with those left out."""
    cost: Floats
    """The metric, smaller is better; also of nodes that could not be chosen."""
    floor: Floats
    """No choice of groups at a node costs less; infinite where none keeps the claims."""
    elsewhere: float = np.inf
    """No node of the lattice that is not here costs less."""

    @property
    def decided(self) -> bool:
        """Whether nothing is open."""
        return bool((self.feasible != OPEN).all())

    @cached_property
    def best(self) -> tuple[int, ...]:
        """Places of the cheapest nodes that could be chosen, least generalised first.

        There may be several of the same cost, of which `publish` takes one.
        """
        chosen = np.flatnonzero((self.feasible == YES) & ~np.isnan(self.cost))
        if not len(chosen):
            return ()
        cost = self.cost[chosen]
        least = float(cost.min())
        tied = chosen[cost <= least * (1 + SLACK) + SLACK]
        order = np.lexsort((tied, self.nodes[tied].sum(axis=1)))
        return tuple(int(place) for place in tied[order])

    @property
    def bound(self) -> float:
        """No release of the lattice costs less; infinite where there is none."""
        least = float(np.min(self.floor, initial=np.inf))
        if self.best:
            least = min(least, float(self.cost[self.best[0]]))
        return min(least, self.elsewhere)

    @property
    def proven(self) -> bool:
        """Whether the cheapest node here is optimal; see `hedgerow.recode.optimality`."""
        if not self.best:
            return False
        cost = float(self.cost[self.best[0]])
        return self.bound >= cost * (1 - SLACK) - SLACK


def needs_node(model: PrivacyModel) -> bool:
    """Whether what a claim says of a group depends on the other groups of its node.

    A kind of group says nothing then: the node is rolled up and searched like `publish` does.
    """
    return model.across_groups or (model.about_population and model.beyond_groups)


def passing(profile: NodeProfile, model: PrivacyModel) -> Flags:
    """Which kinds of groups keep a claim that decides about each group alone."""
    if model.hopeless is not None:
        nobody: Flags = profile.groups.n == 0
        return nobody
    return model.holds(profile.groups)


def survey(
    profile: NodeProfile,
    constraints: SearchConstraints,
    worth: GroupSums,
    kept: Sequence[Flags | None],
    *,
    absent: int,
    first: Sequence[int] = (),
    seconds: float | None = None,
) -> Survey:
    """Decide every node.

    Args:
        profile: The nodes.
        constraints: The claims and the limit.
        worth: The metric.
        kept: For each claim, the kinds that keep it; None for claims about the table, and for
            those that need the node.
        absent: People who are in no group.
        first: Places of nodes to decide before others, where claims are about the whole.
        seconds: How long such claims may take; nodes not reached stay open.
    """
    models = constraints.models
    by_group = [flags for flags in kept if flags is not None]
    kinds = len(profile.groups)
    fails = ~np.array(by_group, np.bool_).reshape(len(by_group), kinds)
    some: Flags = np.logical_or.reduce(fails, axis=0, initial=False)
    alone, out, extra = _tally(
        profile.start,
        profile.stop,
        profile.kind,
        profile.many,
        profile.groups.n,
        profile.weight,
        fails,
        some,
    )
    left_out = out + absent
    people = int(worth.lattice.original.people)
    within = left_out <= constraints.limit
    if not constraints.keep_suppressed:
        within &= left_out < people
    feasible = np.where(within, YES, NO).astype(np.int8)
    states = np.full((len(profile), len(models)), OPEN, np.int8)
    counted = np.full((len(profile), len(models)), -1, np.int64)
    at = 0
    for m, flags in enumerate(kept):
        if flags is not None:
            counted[:, m] = alone[:, at] + absent
            enough = counted[:, m] <= constraints.limit
            if not constraints.keep_suppressed:
                enough &= counted[:, m] < people
            states[:, m] = enough
            at += 1
    cost = worth.costs(profile.whole, extra, left_out)
    floor = np.where(feasible == YES, cost, np.inf)
    if worth.metric.weighting.favours_suppression and constraints.limit > absent:
        floor = np.where(feasible == YES, -np.inf, floor)  # whom else to suppress is not tried
    elif not worth.metric.suppression_costs:
        nobody = worth.costs(profile.whole, np.zeros_like(extra), np.full_like(left_out, absent))
        floor = np.minimum(floor, np.where(feasible == YES, nobody, np.inf))
    if any(map(needs_node, models)):
        _Nodes(profile, constraints, worth, kept, absent).decide(
            feasible, states, counted, left_out, cost, floor, first=first, seconds=seconds
        )
    elif constraints.whole:
        _Whole(profile, constraints, worth, some, kept).decide(
            feasible, states, left_out, cost, floor, first=first, seconds=seconds
        )
    elif constraints.keep_suppressed:
        _decide_rest(profile, constraints, some, left_out - absent, feasible)
    return Survey(
        profile.nodes,
        tuple(str(model) for model in models),
        constraints.limit,
        people,
        left_out,
        counted,
        states,
        feasible,
        cost,
        np.where(np.isnan(floor), -np.inf, floor),
    )


def _decide_rest(
    profile: NodeProfile, constraints: SearchConstraints, out: Flags, people: Ints, feasible: States
) -> None:
    """Those left out are published as one group, which has to keep the claims itself."""
    asked = np.flatnonzero((feasible == YES) & (people > 0))
    if len(asked):
        rest = profile.merged(asked, out)
        kept = np.ones(len(asked), np.bool_)
        for model in constraints.by_group:
            kept &= model.holds(rest)
        feasible[asked[~kept]] = NO


@dataclass(frozen=True, eq=False)
class _Whole:
    """Claims about all groups together are measured node by node."""

    profile: NodeProfile
    constraints: SearchConstraints
    worth: GroupSums
    out: Flags
    """The kinds that fail a claim about groups."""
    kept: Sequence[Flags | None]

    def decide(
        self,
        feasible: States,
        states: States,
        left_out: Ints,
        cost: Floats,
        floor: Floats,
        *,
        first: Sequence[int],
        seconds: float | None,
    ) -> None:
        """Decide the nodes that are possible so far, those in `first` before others."""
        end = None if seconds is None else time.monotonic() + seconds
        asked = np.flatnonzero(feasible == YES)
        feasible[asked] = OPEN
        soon = [place for place in first if feasible[place] == OPEN]
        models = self.constraints.models
        whole = [m for m, flags in enumerate(self.kept) if flags is None or models[m].beyond_groups]
        # That every group keeps such a claim is not enough: what was not measured is not known.
        states[:, whole] = np.where(states[:, whole] == YES, OPEN, states[:, whole])
        for place in (*soon, *(set(asked.tolist()) - set(soon))):
            if end is not None and time.monotonic() > end:
                return
            groups, kind = self.profile.groups_of(place)
            remaining = ~self.out[kind]
            for m in whole:
                one = SearchConstraints((models[m],), self.constraints.limit,
                                  self.constraints.keep_suppressed)  # fmt: skip
                states[place, m] = self._could(one, groups, remaining)
            if self.constraints.remains(groups, remaining, 0):
                feasible[place] = YES
            elif self.constraints.keep_suppressed or self.constraints.beyond:
                feasible[place] = NO  # `publish` suppresses no more there, so the floor stays
            elif not self._could(self.constraints, groups, remaining):
                feasible[place] = NO
                floor[place] = np.inf if self.constraints.relief_decides else floor[place]
            else:
                self._choose(place, feasible, left_out, cost, floor)

    def _could(self, constraints: SearchConstraints, groups: Groups, kept: Flags) -> bool:
        """Whether the claims can hold, if need be by suppressing more."""
        if constraints.remains(groups, kept, 0):
            return True
        if constraints.keep_suppressed:
            return False
        room = constraints.limit - int(self.worth.lattice.original.people)
        return fewest(constraints, groups, kept, room + int(groups.n[kept].sum())) is not None

    def _choose(
        self, place: int, feasible: States, left_out: Ints, cost: Floats, floor: Floats
    ) -> None:
        """Which groups go depends on what each of them costs, not only on their kinds."""
        lattice = self.worth.lattice
        node = tuple(int(level) for level in self.profile.nodes[place])
        search = Search(lattice, self.constraints, self.worth.metric)
        found = search.evaluate(lattice.roll_up(lattice.base, node))
        feasible[place] = YES if found.feasible[0] else NO
        left_out[place], floor[place] = found.left_out[0], found.bound[0]
        if self.worth.measured and found.feasible[0]:
            cost[place] = found.cost[0]


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Where a claim needs the node, each is searched as `publish` does."""

    profile: NodeProfile
    constraints: SearchConstraints
    worth: GroupSums
    kept: Sequence[Flags | None]
    absent: int

    def decide(
        self,
        feasible: States,
        states: States,
        counted: NDArray[np.int64],
        left_out: Ints,
        cost: Floats,
        floor: Floats,
        *,
        first: Sequence[int],
        seconds: float | None,
    ) -> None:
        """Decide the nodes that other claims do not rule out, those in `first` before others."""
        end = None if seconds is None else time.monotonic() + seconds
        asked = np.flatnonzero(feasible == YES)
        feasible[asked] = OPEN
        soon = [place for place in first if feasible[place] == OPEN]
        lattice = self.worth.lattice
        whole = Search(lattice, self.constraints, self.worth.metric)
        single = {
            m: Search(lattice, self._of(model), self.worth.metric)
            for m, model in enumerate(self.constraints.models)
            if self.kept[m] is None
        }
        for place in (*soon, *(set(asked.tolist()) - set(soon))):
            if end is not None and time.monotonic() > end:
                return
            node = tuple(int(level) for level in self.profile.nodes[place])
            frequency = lattice.roll_up(lattice.base, node)
            for m, search in single.items():
                found = search.evaluate(frequency)
                states[place, m] = YES if found.feasible[0] else NO
                if self.constraints.models[m].per_group:
                    counted[place, m] = found.left_out[0]
            found = whole.evaluate(frequency)
            feasible[place] = YES if found.feasible[0] else NO
            left_out[place], floor[place] = found.left_out[0], found.bound[0]
            if found.feasible[0] and self.worth.measured:
                cost[place] = found.cost[0]

    def _of(self, model: PrivacyModel) -> SearchConstraints:
        constraints = self.constraints
        return SearchConstraints((model,), constraints.limit, constraints.keep_suppressed)


@kernel
def _tally(
    start: Ints,
    stop: Ints,
    kind: Codes,
    many: Codes,
    n: Ints,
    weight: Floats,
    fails: Flags,
    some: Flags,
) -> tuple[Ints, Ints, Floats]:
    """People in groups that fail each claim, in groups that fail some, and their weight.

    Args:
        start: Node i owns the entries start[i]
        stop: to stop[i].
        kind: The kind of each entry's groups,
        many: and how many groups of that kind the node has.
        n: People in one group of each kind.
        weight: Entries by parts: what these groups add to the cost.
        fails: Claims by kinds: whether such a group fails the claim.
        some: Of each kind, whether it fails some claim.

    Returns:
        Nodes by claims; for each node; and nodes by parts.
    """
    claims, nodes, parts = len(fails), len(start), weight.shape[1]
    alone = np.zeros((nodes, claims), np.int64)
    out = np.zeros(nodes, np.int64)
    extra = np.zeros((nodes, parts))
    for i in range(nodes):
        for e in range(start[i], stop[i]):
            k = kind[e]
            if not some[k]:
                continue
            people = n[k] * many[e]
            out[i] += people
            for c in range(claims):
                if fails[c, k]:
                    alone[i, c] += people
            for j in range(parts):
                extra[i, j] += weight[e, j]
    return alone, out, extra
