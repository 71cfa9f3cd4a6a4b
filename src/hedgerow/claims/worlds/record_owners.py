"""The owners of records: which people of a table may own which records of an earlier release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.spelling import likeness
from hedgerow.table.groups import Groups, Ints
from hedgerow.table.location import Located

Flags = NDArray[np.bool_]
Value = str | None
NOWHERE = -1
"""The place of people who are in no group."""


@dataclass(frozen=True, eq=False)
class RecordOwners:
    """Whose the records of a release are."""

    start: Ints
    """Person t may be at places[start[t]:start[t + 1]], at one of them at least."""
    places: Ints
    """Groups, or NOWHERE."""
    left: list[tuple[int, Value, int]]
    """Records that nobody of the table has: group, look, how many."""
    pool: Ints
    """Of each person, the kind of record that they may have and others may, too; else -1."""
    wanted: list[int]
    """Of each such kind, how many people may have one,"""
    records: list[int]
    """and how many there are."""


@dataclass(frozen=True, eq=False)
class SeenRecords:
    """The records of a release by group and look."""

    kinds: Ints
    """group * width + look, ascending."""
    many: Ints
    """How many there are of each."""
    looks: dict[Value, int]

    def listed(self) -> Iterator[tuple[int, Value, int]]:
        """Group, look and how many there are."""
        names = list(self.looks)
        for kind, many in zip(self.kinds.tolist(), self.many.tolist(), strict=True):
            yield kind // self.width, names[kind % self.width], many

    @property
    def width(self) -> int:
        return len(self.looks) + 1

    def dense(self) -> Ints:
        """Groups by looks: how many there are."""
        table = np.zeros((int(self.kinds.max(initial=-1)) // self.width + 1, self.width), np.int64)
        table[np.divmod(self.kinds, self.width)] = self.many
        return table[:, : len(self.looks)]

    @classmethod
    def of(cls, groups: Groups, column: str, *, several: bool) -> SeenRecords:
        """From the groups of a release; `several` columns are one text already, as it is read."""
        domain, h = groups.domains[column], groups.histograms[column]
        looks: dict[Value, int] = {}
        read = domain.values if several else [*map(likeness, domain.values)]
        into = np.array([looks.setdefault(text, len(looks)) for text in read], np.int64)
        kinds, index = np.unique(h.owner() * (len(looks) + 1) + into[h.codes], return_inverse=True)
        many = np.bincount(index.reshape(-1), weights=h.counts, minlength=len(kinds))
        return cls(kinds, many.astype(np.int64), looks)

    def owners(self, fitting: Located, looks: Sequence[Value], kind: Ints) -> RecordOwners:
        """Who of the people may own which, and what is left.

        Args:
            fitting: The groups that fit each person.
            looks: What the records of people of each kind look like.
            kind: Each person's.
        """
        people = len(kind)
        look = np.array([self.looks.get(text, len(self.looks)) for text in looks], np.int64)[kind]
        person = np.repeat(np.arange(people), fitting.count)
        wanted = fitting.groups * self.width + look[person]
        at = np.minimum(np.searchsorted(self.kinds, wanted), max(0, len(self.kinds) - 1))
        there = self.kinds[at] == wanted if len(self.kinds) else np.zeros(len(at), np.bool_)
        person, at = person[there], at[there]
        if np.bincount(person, minlength=people).max(initial=0) <= 1:
            short = np.bincount(at, minlength=len(self.kinds)) > self.many
            record = np.full(people, -1, np.int64)
            record[person] = at
        else:
            record = _matched(person, at, self.many, people)
            short = _short(person, at, record, len(self.kinds))
        unsure = np.zeros(people, np.bool_)
        unsure[person[short[at]]] = True
        record[unsure] = -1
        taken = np.bincount(record[record >= 0], minlength=len(self.kinds))
        rest = np.where(short, 0, self.many - taken)
        left = [
            (group, look, more)
            for (group, look, _), more in zip(self.listed(), rest.tolist(), strict=True)
            if more
        ]
        may = unsure[person]
        sure = np.full(people, NOWHERE, np.int64)
        sure[record >= 0] = self.kinds[record[record >= 0]] // self.width
        who = np.concatenate((np.arange(people), person[may]))
        places = np.concatenate((sure, self.kinds[at[may]] // self.width))
        order = np.argsort(who, kind="stable")
        scarce = np.flatnonzero(short)
        number = np.full(len(self.kinds), -1, np.int64)
        number[scarce] = np.arange(len(scarce))
        pool = np.full(people, -1, np.int64)
        pool[person[may]] = number[at[may]]
        return RecordOwners(
            np.searchsorted(who[order], np.arange(people + 1)), places[order], left, pool,
            np.bincount(at, minlength=len(self.kinds))[scarce].tolist(),
            self.many[scarce].tolist(),
        )  # fmt: skip


def _short(person: Ints, at: Ints, record: Ints, kinds: int) -> Flags:
    """The kinds of records of which there may be too few: by overlaps, others may lack them."""
    short = np.zeros(kinds, np.bool_)
    lacking = record[person] < 0
    short[at[lacking]] = True
    before = -1
    while before != (before := int(short.sum())):
        touched = np.zeros(int(person.max(initial=-1)) + 1, np.bool_)
        touched[person[short[at]]] = True
        short[at[touched[person]]] = True
    return short


def _matched(person: Ints, at: Ints, records: Ints, people: int) -> Ints:
    """As many people as possible get one record of a kind that they may have; -1: none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    source, sink = people + len(records), people + len(records) + 1
    begin = np.concatenate((np.full(people, source), person, people + np.arange(len(records))))
    end = np.concatenate((np.arange(people), people + at, np.full(len(records), sink)))
    room = np.concatenate((np.ones(people + len(person), np.int64), records))
    size = sink + 1
    graph = csr_array((room.astype(np.int32), (begin, end)), shape=(size, size))
    flow = maximum_flow(graph, source, sink).flow.tocoo()
    taken = (flow.data > 0) & (flow.row < people) & (flow.col < source)
    record = np.full(people, -1, np.int64)
    record[flow.row[taken]] = flow.col[taken] - people
    return record
