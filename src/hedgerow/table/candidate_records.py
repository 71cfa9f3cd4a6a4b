"""Fitting: which records of a release fit which people, and whose they are.

A record fits a person if each of its labels is the person's value, a coarser name of it, or
suppressed. Where labels overlap, a person fits more records than their own group has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """People by kind, records by group, and who fits what."""

    people: Ints
    """Published people of each kind: those with the same quasi-identifiers."""
    records: Ints
    """Records of each group: those with the same labels."""
    kind: Ints
    """For each pair of a kind and a group that fit, the kind,"""
    group: Ints
    """and the group."""
    own: Ints
    """How many people of the kind have their record in the group."""

    @cached_property
    def fitting_records(self) -> Ints:
        """For each kind, how many records fit one of its people."""
        return self._added(self.kind, self.records[self.group], len(self.people))

    @cached_property
    def fitting_people(self) -> Ints:
        """For each group, how many people one of its records fits."""
        return self._added(self.group, self.people[self.kind], len(self.records))

    @cached_property
    def possible_records(self) -> Ints:
        """For each kind, how many records may be one person's, all people and records matched.

        A record may be a person's if some way to give everybody a record that fits them gives the
        person that one. From the true one every other is reached by exchanges around circles: the
        person takes the record, its owner another one, and so on until the person's own is taken.
        So the person and the record are in one strongly connected component of who fits what and
        what is whose (Gionis, Mazza, Tassa 2008).
        """
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        kinds, size = len(self.people), len(self.people) + len(self.records)
        theirs = self.own > 0
        start = np.concatenate((self.kind, kinds + self.group[theirs]))
        end = np.concatenate((kinds + self.group, self.kind[theirs]))
        graph = coo_matrix((np.ones(len(start), np.int8), (start, end)), shape=(size, size))
        _, part = connected_components(graph.tocsr(), directed=True, connection="strong")
        may = theirs | (part[self.kind] == part[kinds + self.group])
        return self._added(self.kind[may], self.records[self.group[may]], kinds)

    def worst_of(self, number: Ints) -> Ints:
        """For each group, the smallest number of a kind that has people in it."""
        found = np.full(len(self.records), np.iinfo(np.int64).max, np.int64)
        theirs = self.own > 0
        np.minimum.at(found, self.group[theirs], number[self.kind[theirs]])
        return np.where(self.records > 0, found, 0)

    @staticmethod
    def _added(place: Ints, number: Ints, size: int) -> Ints:
        total = np.zeros(size, np.int64)
        np.add.at(total, place, number)
        return total


@dataclass(frozen=True, eq=False)
class Fitting:
    """Who fits what, found when a claim asks for it."""

    read: Callable[[], Pairs]

    @cached_property
    def pairs(self) -> Pairs:
        return self.read()
