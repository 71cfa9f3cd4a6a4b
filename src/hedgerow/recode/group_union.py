"""Union: groups that fail a claim join others near them that have what they lack.

A group joins the one with which the claims come nearest to holding for what it costs. The cheapest
of all proposals are carried out at once, then failing groups are asked again, until none fails.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.base.jit import kernel
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.group_extents import (
    Extents,
    Ladders,
    Leaves,
    extents_of,
    nearest,
    numbered,
    window_of,
)
from hedgerow.table.groups import Floats, Groups, Ints

NEAR = 24
"""Groups that each failing one may join."""
AT_ONCE = 0.2
"""The share of failing groups that join others before all are asked again."""
SURELY = 1e-3
"""How far from holding a failing claim counts at least."""
FARTHEST = 1e6


def united_until_kept(
    ladders: Ladders,
    leaves: Leaves,
    people: Groups,
    group: Ints,
    models: Sequence[PrivacyModel],
) -> Ints | None:
    """The group of each tuple once all groups keep the claims; None if not even one group does.

    Args:
        ladders: The levels.
        leaves: Of each tuple.
        people: Those of each tuple, as a group.
        group: The group of each tuple, to begin with.
        models: Claims about each group.
    """
    group = numbered(group)
    while True:
        size = int(group.max(initial=-1)) + 1
        groups = people.merge(group, size)
        far = distances(models, groups)
        failing = np.flatnonzero(far > 0)
        if not len(failing):
            return group
        extents = extents_of(ladders, leaves, people.n, group, size)
        near, more = _near(ladders, extents, failing, min(NEAR, max(1, size - 1)), window_of(size))
        asked, place = np.nonzero((near >= 0) & np.isfinite(more))
        if not len(asked):
            return None
        one, other, cost = failing[asked], near[asked, place], more[asked, place]
        pairs = np.stack((one, other), axis=1).reshape(-1)
        both = groups.take(pairs).merge(np.repeat(np.arange(len(one)), 2), len(one))
        less = far[one] * groups.n[one] + far[other] * groups.n[other]
        less -= distances(models, both) * both.n
        order = np.lexsort((other, one, (cost + 1e-12) / np.maximum(less, 1e-9)))
        into, taken = np.arange(size), np.zeros(size, np.bool_)
        most = max(1, int(len(failing) * AT_ONCE))
        for a, b in zip(one[order].tolist(), other[order].tolist(), strict=True):
            if not taken[a] and not taken[b]:
                into[a], taken[a], taken[b] = b, True, True
                most -= 1
                if not most:
                    break
        group = numbered(into[group])


def distances(models: Sequence[PrivacyModel], groups: Groups) -> Floats:
    """How far each group is from keeping the claim that it is farthest from; 0 where it holds."""
    far = np.zeros(len(groups))
    for model in models:
        failed = ~model.holds(groups)
        required = max(float(model.required), 1e-9)
        off = (model.level(groups) - required) / required * (-1 if model.higher_is_safer else 1)
        off = np.clip(np.nan_to_num(off, nan=FARTHEST), SURELY, FARTHEST)
        far = np.maximum(far, np.where(failed, off, 0.0))
    return far


@kernel
def _near(
    ladders: Ladders, extents: Extents, asked: Ints, most: int, window: int
) -> tuple[Leaves, Floats]:
    """The groups that are nearest to some, -1 where there are no more, and what joining costs.

    Args:
        ladders: The levels.
        extents: All groups.
        asked: Those in question.
        most: How many for each.
        window: How far by number they may be.
    """
    found = np.full((len(asked), most), -1, np.int64)
    more = np.full((len(asked), most), np.inf)
    for i in range(len(asked)):
        nearest(ladders, extents, asked[i], window, found[i], more[i])
    return found, more
