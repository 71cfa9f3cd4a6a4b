"""What publishing each node would give under some claims: decided as `publish` decides it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow._jit import kernel
from hedgerow.exploring.costs import Worth
from hedgerow.exploring.kinds import Codes, Profile
from hedgerow.groups import Floats, Ints
from hedgerow.models.base import PrivacyModel
from hedgerow.recode.constraints import Constraints
from hedgerow.recode.search import SLACK

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


def passing(profile: Profile, model: PrivacyModel) -> Flags:
    """Which kinds of groups keep a claim that decides about each group alone."""
    if model.hopeless is not None:
        nobody: Flags = profile.groups.n == 0
        return nobody
    return model.holds(profile.groups)


def survey(
    profile: Profile,
    constraints: Constraints,
    worth: Worth,
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
        kept: For each claim, the kinds that keep it; None for claims about the whole.
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
    if any(flags is None for flags in kept) or any(m.beyond_groups for m in models):
        _decide_whole(profile, constraints, some, kept, feasible, states,
                      first=first, seconds=seconds)  # fmt: skip
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
        worth.costs(profile.whole, extra, left_out),
    )


def _decide_rest(
    profile: Profile, constraints: Constraints, out: Flags, people: Ints, feasible: States
) -> None:
    """Those left out are published as one group, which has to keep the claims itself."""
    asked = np.flatnonzero((feasible == YES) & (people > 0))
    if len(asked):
        rest = profile.merged(asked, out)
        kept = np.ones(len(asked), np.bool_)
        for model in constraints.by_group:
            kept &= model.holds(rest)
        feasible[asked[~kept]] = NO


def _decide_whole(
    profile: Profile,
    constraints: Constraints,
    out: Flags,
    kept: Sequence[Flags | None],
    feasible: States,
    states: States,
    *,
    first: Sequence[int],
    seconds: float | None,
) -> None:
    """Claims about all groups together are measured node by node."""
    end = None if seconds is None else time.monotonic() + seconds
    asked = np.flatnonzero(feasible == YES)
    feasible[asked] = OPEN
    soon = [place for place in first if feasible[place] == OPEN]
    models = constraints.models
    whole = [m for m, flags in enumerate(kept) if flags is None or models[m].beyond_groups]
    # That every group keeps such a claim is not enough: what was not measured is not known.
    states[:, whole] = np.where(states[:, whole] == YES, OPEN, states[:, whole])
    for place in (*soon, *(set(asked.tolist()) - set(soon))):
        if end is not None and time.monotonic() > end:
            return
        groups, kind = profile.groups_of(place)
        remaining = ~out[kind]
        feasible[place] = constraints.remains(groups, remaining, 0)
        for m in whole:
            one = Constraints((models[m],), 0)
            states[place, m] = one.remains(groups, remaining, 0)


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
    """People in groups that fail each claim, in groups that fail some, and their weight."""
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
