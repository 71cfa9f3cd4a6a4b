"""The cheapest groups to suppress for claims that count groups by their size.

Of groups of one size the cheapest go first, so only how many go of each size is to be chosen. With
a multiplier, what a claim needs gets a price, and each number of a size an excess over the number
that is best at this price. A choice costs the multiplier's bound, its excesses, and what it is
worth beyond what is needed. So numbers with too large an excess are in no optimal choice. The
others are combined size by size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hedgerow.table.groups import Floats, Ints

MOST_STATES = 100_000
"""Combinations that are looked at together: beyond, nothing is said."""
HALVINGS = 8
"""How much closer to the bound than to a known choice is looked first, as a power of 2."""
HAIR = 1e-9
"""What rounding may do to an excess, of a choice's price."""


class Sizes(NamedTuple):
    """Groups by size, the cheapest first."""

    size: Ints
    worth: Ints
    """Of a group, by size and claim."""
    members: list[Ints]
    """The groups."""
    price: list[Floats]
    """Of the first m of them, from m = 0."""


def cheapest(n: Ints, price: Floats, worth: Ints, needed: Ints, room: int) -> Ints | None:
    """The groups that do what the claims need, at the lowest price; None where it is not known.

    Args:
        n: Sizes of the groups; among equal ones those that come first go first.
        price: What each costs, 0 or more.
        worth: What each does for each claim; the same for groups of one size.
        needed: What each claim needs.
        room: People who may go.

    >>> sizes, price = np.array([1, 1, 2, 2]), np.array([5.0, 4.0, 1.0, 1.0])
    >>> cheapest(sizes, price, 3 - sizes[:, None], np.array([2]), 4).tolist()
    [2, 3]
    >>> cheapest(sizes, price, 3 - sizes[:, None], np.array([2]), 3).tolist()
    [1]
    """
    if (np.maximum(worth, 0).sum(axis=0) < needed).any():
        return None
    size, at = np.unique(n, return_inverse=True)
    order = np.lexsort((np.arange(len(n)), price, at))
    members = np.split(order, np.cumsum(np.bincount(at, minlength=len(size)))[:-1])
    sizes = Sizes(
        size,
        np.array([worth[some[0]] for some in members]).reshape(len(size), -1),
        members,
        [np.append(0.0, np.cumsum(price[some])) for some in members],
    )
    claim, slope, bound = _multiplier(sizes, needed)
    if claim < 0:
        return np.zeros(0, np.int64)
    excess = [
        paid - slope * value * np.arange(len(paid))
        for paid, value in zip(sizes.price, sizes.worth[:, claim].tolist(), strict=True)
    ]
    excess = [one - one.min() for one in excess]
    highest = float(price.sum())
    for halvings in range(HALVINGS, -1, -1):
        gap = (highest - bound) / 4.0**halvings + HAIR * highest
        made = _combined(sizes, excess, needed, room, claim, slope, gap)
        if made is None:
            return None  # too many
        if len(made):
            return _best(sizes, made)
    return None


def _multiplier(sizes: Sizes, needed: Ints) -> tuple[int, float, float]:
    """The claim that costs most, what a unit of what it needs costs, and the bound that makes."""
    found = -1, 0.0, -np.inf
    for claim in np.flatnonzero(needed > 0).tolist():
        value = sizes.worth[:, claim]
        each = np.concatenate(
            [np.diff(paid) for paid, v in zip(sizes.price, value, strict=True) if v > 0]
            or [np.zeros(0)]
        )
        worth = np.concatenate(
            [np.full(len(some), v) for some, v in zip(sizes.members, value, strict=True) if v > 0]
            or [np.zeros(0)]
        )
        if not len(each):
            continue
        ratio = each / worth
        order = np.argsort(ratio, kind="stable")
        place = int(np.searchsorted(np.cumsum(worth[order]), needed[claim]))
        slope = float(ratio[order[min(place, len(order) - 1)]])
        bound = slope * float(needed[claim]) + sum(
            float((paid - slope * v * np.arange(len(paid))).min())
            for paid, v in zip(sizes.price, value.tolist(), strict=True)
        )
        if bound > found[2]:
            found = claim, slope, bound
    return found


def _combined(
    sizes: Sizes,
    excess: Sequence[Floats],
    needed: Ints,
    room: int,
    claim: int,
    slope: float,
    gap: float,
) -> Ints | None:
    """Numbers of each size that do what is needed, none left out whose price is in the gap.

    Args:
        sizes: The groups.
        excess: Of each size and number, over the best number.
        needed: What each claim needs.
        room: People who may go.
        claim: The claim with the multiplier,
        slope: and the multiplier.
        gap: Above the bound.

    Returns:
        Choices by sizes, fewer numbers first; None where they are too many to look at.
    """
    numbers = [np.flatnonzero(one <= gap) for one in excess]
    # Sizes with few numbers first: the many of the last are soon too much or not enough.
    turn = sorted(range(len(numbers)), key=lambda s: len(numbers[s]))
    ends = np.array([(numbers[s].min(), numbers[s].max()) for s in turn])
    reach = sizes.worth[turn][:, None, :] * ends[:, :, None]
    after = np.cumsum(reach[::-1].max(axis=1), axis=0)[::-1]
    least = np.cumsum(reach[::-1].min(axis=1), axis=0)[::-1]
    worth, people = np.zeros((1, len(needed)), np.int64), np.zeros(1, np.int64)
    above, chosen = np.zeros(1), np.zeros((1, len(numbers)), np.int64)
    for place, s in enumerate(turn):
        if len(above) * len(numbers[s]) > MOST_STATES:
            return None
        old, m = (x.reshape(-1) for x in np.indices((len(above), len(numbers[s]))))
        m = numbers[s][m]
        worth, people = worth[old] + m[:, None] * sizes.worth[s], people[old] + m * sizes.size[s]
        above = above[old] + excess[s][m]
        further = after[place + 1] if place + 1 < len(turn) else np.zeros(len(needed), np.int64)
        fewest = least[place + 1][claim] if place + 1 < len(turn) else 0
        spare = np.maximum(worth[:, claim] + fewest - needed[claim], 0)
        good = (people <= room) & (worth + further >= needed).all(axis=1)
        good &= above + slope * spare <= gap
        worth, people, above, m, old = (x[good] for x in (worth, people, above, m, old))
        chosen = chosen[old]
        chosen[:, s] = m
        # Of those who do the same with as many people only the cheapest is of use.
        order = np.lexsort((*chosen.T, above, people, *worth.T))
        same = np.zeros(len(order), np.bool_)
        same[1:] = (worth[order[1:]] == worth[order[:-1]]).all(axis=1)
        same[1:] &= people[order[1:]] == people[order[:-1]]
        order = order[~same]
        worth, people, above, chosen = worth[order], people[order], above[order], chosen[order]
    return chosen


def _best(sizes: Sizes, chosen: Ints) -> Ints:
    """The groups of the cheapest choice; of equal ones with the fewest people."""
    paid = sum(one[chosen[:, s]] for s, one in enumerate(sizes.price))
    people = chosen @ sizes.size
    rounded = np.round(paid / max(float(np.max(paid)), 1e-300), 12)
    best = chosen[np.lexsort((*chosen.T, people, rounded))[0]]
    return np.concatenate([some[:m] for some, m in zip(sizes.members, best.tolist(), strict=True)])
