"""Values put together whose people have similar values in another column, in a public table.

Which values are alike there says nothing of the people in the data, so it may be looked at. The
same made of the data themselves would tell about sensitive values, and is not offered.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.base.decimals import numeric, parse
from hedgerow.table.hierarchy_builders import Taxonomy
from hedgerow.table.proposals.names import free_name
from hedgerow.table.proposals.proposal import Candidate, Origin

PARTS = 10
"""Classes of numbers, with about as many people each."""
MOST = 500
"""Values of either column; a plan that lists more is not read by anybody."""

Counted = Mapping[tuple[str, str], int]
"""How many people of the public table have a value of the column, and one of the other."""


def candidate(
    counted: Counted, values: Collection[str], *, of: str, source: str
) -> Candidate | None:
    """A hierarchy of the values; None where there are too few to put together.

    Args:
        counted: The public table; nobody misses either value.
        values: Those of the data. If the public table lacks some, the plan has to list them,
            which tells of the data.
        of: The other column.
        source: What the public table is called.
    """
    known = sorted({value for value, _ in counted})
    if not 3 <= len(known) <= MOST:
        return None
    tree = nested(known, merges(known, distributions(counted, known)), {*known, *values})
    if tree is None:
        return None
    unknown = sorted(set(values) - set(known))
    reason = f"values whose people have a similar {of} in {source}"
    if unknown:
        reason += f"; {len(unknown):,} values that are not there stay alone up to *"
    tree = [*tree, *unknown]
    origin: Origin = "data" if unknown else "public"
    return Candidate(Taxonomy(tree=tree), {"taxonomy": tree}, origin, reason)


def distributions(counted: Counted, known: Sequence[str]) -> np.ndarray[Any, Any]:
    """How many people have each value, by class of the other column: a row a value."""
    others = sorted({other for _, other in counted})
    place = dict(zip(others, classes(counted, others), strict=True))
    table = np.zeros((len(known), max(place.values()) + 1))
    row = {value: i for i, value in enumerate(known)}
    for (value, other), n in counted.items():
        table[row[value], place[other]] += n
    return table


def classes(counted: Counted, others: Sequence[str]) -> list[int]:
    """The class of each value of the other column: the value itself, or a part of the numbers."""
    if len(others) <= PARTS or not numeric(others):
        return list(range(len(others)))
    people = dict.fromkeys(others, 0)
    for (_, other), n in counted.items():
        people[other] += n
    order = sorted(others, key=lambda text: parse(text) or 0)
    before = dict(zip(order, np.cumsum([0, *(people[text] for text in order[:-1])]), strict=True))
    total = sum(people.values())
    return [int(before[text] * PARTS // total) for text in others]


def merges(
    known: Sequence[str], table: np.ndarray[Any, Any]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Which groups are put together, one pair after the other, until one is left.

    Each time the pair that loses least of what a person's group says of the other column: the
    people of both, times the divergence of Jensen and Shannon between them, weighted by people.
    Of pairs that lose as much, the first.
    """
    groups: list[tuple[int, ...]] = [(i,) for i in range(len(known))]
    rows = [table[i] for i in range(len(known))]
    lost = np.full((len(known), len(known)), np.inf)
    for i in range(len(known)):
        for j in range(i + 1, len(known)):
            lost[i, j] = loss(rows[i], rows[j])
    done: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    for _ in range(len(known) - 1):
        i, j = divmod(int(np.argmin(lost)), len(known))
        done.append((groups[i], groups[j]))
        groups[i], rows[i] = (*groups[i], *groups[j]), rows[i] + rows[j]
        lost[j, :] = lost[:, j] = np.inf
        for other in range(len(known)):
            pair = (min(i, other), max(i, other))
            if other != i and np.isfinite(lost[pair]):
                lost[pair] = loss(rows[i], rows[other])
    return done


def loss(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """What is lost of the other column's information, in nats times people, if both are one.

    >>> loss(np.array([3.0, 1.0]), np.array([6.0, 2.0]))
    0.0
    >>> loss(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    1.386294361
    """
    # Rounded, so that pairs that lose as much do so whatever the order of adding.
    return max(0.0, round(_doubt(one + other) - _doubt(one) - _doubt(other), 9))


def _doubt(counts: np.ndarray[Any, Any]) -> float:
    """People times entropy."""
    some = counts[counts > 0]
    total = some.sum()
    return float(total * np.log(total) - (some * np.log(some)).sum()) if total else 0.0


def nested(
    known: Sequence[str],
    done: Sequence[tuple[tuple[int, ...], tuple[int, ...]]],
    taken: Collection[str],
) -> list[Any] | None:
    """The groups when half, a quarter, an eighth ... of as many as there are values are left.

    >>> nested(["a", "b", "c", "d"], [((0,), (2,)), ((1,), (3,)), ((0, 2), (1, 3))], ())
    [{'a and 1 more': ['a', 'c']}, {'b and 1 more': ['b', 'd']}]
    """
    trees: dict[tuple[int, ...], list[Any]] = {(i,): [known[i]] for i in range(len(known))}
    left, wanted = len(known), (len(known) + 1) // 2
    names = set(taken)
    for one, other in done:
        if wanted < 2:
            break
        trees[(*one, *other)] = [*trees.pop(one), *trees.pop(other)]
        left -= 1
        if left == wanted:
            wanted = (wanted + 1) // 2 if wanted > 2 else 0
            for group, tree in trees.items():
                if len(tree) > 1:
                    name = free_name(f"{known[min(group)]} and {len(group) - 1} more", names)
                    names.add(name)
                    trees[group] = [{name: tree}]
    found = [part for tree in trees.values() for part in tree]
    return found if any(isinstance(part, dict) for part in found) else None
