"""Joining clusters that do not keep a claim to their nearest neighbours until they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.cuts import Lots
from hedgerow.recode.distance import Distances
from hedgerow.recode.mdav import distances_from
from hedgerow.table.groups import Floats, Groups, Ints
from hedgerow.table.hierarchy import Codes


def modes(leaf: Codes, people: Ints, group: Ints, size: int) -> Ints:
    """The most frequent leaf of each group; the first of equals.

    >>> modes(np.array([2, 0, 1, 2]), np.array([1, 3, 2, 2]), np.array([0, 0, 1, 1]), 2).tolist()
    [0, 1]
    """
    width = int(leaf.max(initial=0)) + 1
    pairs, into = np.unique(group * width + leaf, return_inverse=True)
    counts = np.zeros(len(pairs), np.int64)
    np.add.at(counts, into, people)
    order = np.lexsort((pairs % width, -counts, pairs // width))
    first = order[np.searchsorted(pairs[order] // width, np.arange(size))]
    mode: Ints = pairs[first] % width
    return mode


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Clusters on their way to being joined: members, and where their centres are."""

    distances: Distances
    ranks: Codes
    """Of each lot."""
    people: Ints
    members: list[Ints]
    """Lots of each cluster."""
    centre: Floats
    mode: Ints

    def locate(self, cluster: int) -> None:
        """Put the centre of a cluster where its members are."""
        lots = self.members[cluster]
        people = self.people[lots]
        for j, offset in enumerate(self.distances.space.offset[:-1]):
            ranks = self.ranks[lots, j]
            if self.distances.numeric[j]:
                number = self.distances.number[offset + ranks]
                there = ~np.isnan(number)
                weight = int(people[there].sum())
                mean = number[there] @ people[there] / weight if weight else np.nan
                self.centre[cluster, j] = mean
            else:
                self.mode[cluster, j] = modes(ranks, people, np.zeros(len(lots), np.int64), 1)[0]

    def nearest(self, cluster: int, others: Ints) -> int:
        """The other cluster whose centre is nearest; the first of equals."""
        d = self.distances
        space = d.space
        row = np.empty(len(space.measure))
        distances_from(self.centre[cluster], self.mode[cluster], d.arrays, row)
        apart = np.zeros(len(others))
        for j, offset in enumerate(space.offset[:-1]):
            if d.numeric[j]:
                gap = (self.centre[others, j] - self.centre[cluster, j]) ** 2
                both = np.isnan(self.centre[others, j]) & np.isnan(self.centre[cluster, j])
                apart += np.where(both, 0.0, np.where(np.isnan(gap), d.far[j], gap))
            else:
                apart += row[offset + self.mode[others, j]]
        return int(others[np.argmin(apart)])


def join_failing(
    groups: Groups,
    distances: Distances,
    tuples: Codes,
    lots: Lots,
    models: Sequence[PrivacyModel],
) -> Ints:
    """The cluster of each lot, once those that fail are joined to their nearest."""
    tuple_, people, cluster = lots
    size = len(groups)
    failing = np.flatnonzero(~_passing(models, groups))
    if not len(failing):
        return cluster
    by_cluster = np.argsort(cluster, kind="stable")
    ends = np.searchsorted(cluster[by_cluster], np.arange(1, size))
    d = tuples.shape[1]
    clusters = _Clusters(
        distances, distances.space.ranks(tuples[tuple_]), people,
        np.split(by_cluster, ends), np.full((size, d), np.nan), np.zeros((size, d), np.int64),
    )  # fmt: skip
    for c in range(size):
        clusters.locate(c)
    # Which of MDAV's clusters each has taken in; a cluster that was taken in is empty.
    taken = [[c] for c in range(size)]
    standing = np.ones(size, np.bool_)
    for c in map(int, failing):
        while standing[c]:
            union = groups.take(np.array(taken[c])).merge(np.zeros(len(taken[c]), np.int64), 1)
            if _passing(models, union)[0]:
                break
            standing[c] = False
            others = np.flatnonzero(standing)
            # The whole table passes, so somebody is left to join.
            other = clusters.nearest(c, others)
            standing[c], standing[other] = True, False
            taken[c] += taken[other]
            clusters.members[c] = np.concatenate((clusters.members[c], clusters.members[other]))
            clusters.locate(c)
    joined = cluster.copy()
    for c in map(int, np.flatnonzero(standing)):
        joined[clusters.members[c]] = c
    return joined


def _passing(models: Sequence[PrivacyModel], groups: Groups) -> NDArray[np.bool_]:
    passing = np.ones(len(groups), np.bool_)
    for model in models:
        passing &= model.holds(groups)
    return passing
