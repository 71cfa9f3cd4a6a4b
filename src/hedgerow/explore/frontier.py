"""What each further step of one lever costs, and the smallest epsilon against stubbornness."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.claims.adversary import ClassI, ClassII, ClassIII
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.claims.priors import Prior
from hedgerow.explain.adversaries import smallest
from hedgerow.explore.levers import Lever
from hedgerow.explore.nodes import Exploration
from hedgerow.explore.survey import needs_node
from hedgerow.table.groups import Groups

STEPS = 24
"""Values of a lever that are tried."""
MOST_MEASURED = 1000
"""Nodes of the largest lattice that is measured node by node at every step."""
MOST_SEARCHED = 100
"""The same where each node is rolled up anew for it."""
POWERS = range(10)
"""The stubbornness looked at, as powers of ten; infinity comes after."""


@dataclass(frozen=True)
class FrontierPoint:
    """The best node that was looked at, at one value of a lever."""

    value: float
    place: int | None
    """The node, by its place in the survey; None where no node will do."""
    cost: float
    """The metric as it is reported; not a number where there is no node."""
    left_out: int
    nodes: int
    """How many nodes would do."""


def values_of(lever: Lever, *, steps: int = STEPS) -> tuple[float, ...]:
    """Values from one end of a lever to the other, its own among them.

    >>> k = Lever("0.k", (), "", "", "", 5, 2, 8, True, True, True, (0,), "k")
    >>> values_of(k, steps=4)
    (2, 3, 5, 8)
    """
    low = max(lever.low, 1e-9) if lever.wide else lever.low
    spread = np.geomspace if lever.wide else np.linspace
    found = {float(value) for value in spread(low, lever.high, steps)}
    rounded = {round(v) if lever.whole else float(f"{v:.3g}") for v in found} | {lever.value}
    inside = (v for v in rounded if lever.low <= v <= lever.high or v == lever.value)
    return tuple(sorted(int(v) if lever.whole else v for v in inside))


def steps(
    exploration: Exploration,
    lever: Lever,
    models: Sequence[PrivacyModel] | None = None,
    *,
    suppress: float | None = None,
    values: Sequence[float] | None = None,
) -> tuple[FrontierPoint, ...]:
    """For each value of a lever, the cheapest node looked at that keeps all claims.

    Args:
        exploration: The lattice.
        lever: What is moved.
        models: The other claims as they are at the moment; the plan's if left out.
        suppress: Share of people who may be left out; the plan's if left out.
        values: Values to try; some from end to end if left out.

    Raises:
        PlanError: A claim is about all groups together, and the lattice is large: then every
            node would have to be measured for every value.
    """
    asked = exploration.models if models is None else tuple(models)
    whole = bool(exploration.constraints(asked, suppress).whole)
    most = MOST_SEARCHED if any(map(needs_node, asked)) else MOST_MEASURED if whole else None
    if most is not None and len(exploration.profile) > most:
        raise PlanError(
            "claims about all groups of a node together are measured node by node, which takes "
            "too long for every step of a lattice of this size",
            fix="Move the slider to the values you want to know.",
        )
    found = []
    for value in values_of(lever) if values is None else values:
        try:
            seen = exploration.survey(lever.moved(asked, value), suppress=suppress)
        except HedgerowError:  # a stubbornness that no attacker of this class has
            continue
        best = seen.best[0] if seen.best else None
        found.append(
            FrontierPoint(
                value,
                best,
                math.nan if best is None else exploration.metric.reported(float(seen.cost[best])),
                0 if best is None else int(seen.left_out[best]),
                int((seen.feasible == 1).sum()),
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class Stubborn:
    """The smallest epsilon that holds at one stubbornness; infinite where none does."""

    stubbornness: float
    like_prior: float | None
    """Against attackers of the claim's prior; of a uniform one where it has none."""
    any_prior: float | None
    """Against attackers of any prior formed from data, at most this stubborn."""


def epsilon_by_stubbornness(model: EpsilonPrivacy, groups: Groups) -> tuple[Stubborn, ...]:
    """The smallest epsilon at which a claim would hold in these groups, by stubbornness."""
    prior = model.adversary.believed or Prior.uniform()
    knows = model.adversary.knows
    rows = []
    for power in POWERS:
        sigma = 10**power
        like = replace(model, adversary=ClassI(prior=prior, stubbornness=sigma, knows=knows))
        anything = replace(model, adversary=ClassII(stubbornness=sigma, knows=knows))
        rows.append(Stubborn(float(sigma), _smallest(like, groups), _smallest(anything, groups)))
    endless = replace(model, adversary=ClassIII(prior=prior, knows=knows))
    rows.append(Stubborn(math.inf, _smallest(endless, groups), math.inf))
    return tuple(rows)


def epsilon_at(
    exploration: Exploration, levels: Mapping[str, int], model: EpsilonPrivacy
) -> tuple[Stubborn, ...]:
    """The same on all groups of a node of the lattice, nobody left out."""
    lattice = exploration.lattice
    groups = lattice.roll_up(lattice.base, exploration.node(levels)).groups
    return epsilon_by_stubbornness(model, groups.take(groups.n > 0))


def _smallest(model: EpsilonPrivacy, groups: Groups) -> float | None:
    try:
        return smallest(model, groups)
    except HedgerowError:  # nobody is like this: a stubbornness below the number of values
        return None
