"""Groups that are alike are counted once.

A claim about groups sees of each group its people, and how many have which sensitive value. All
nodes of a lattice together have millions of groups, but few that differ in this: those are the
*kinds*. A profile says how many groups of which kind each node has; then whatever a claim says
of the kinds, for any parameter, it says of every node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import HedgerowError
from hedgerow.base.jit import kernel
from hedgerow.recode.lattice import Frequency, Node
from hedgerow.recode.metrics.group_sums import GroupSums
from hedgerow.table.groups import Floats, Groups, Histogram, Ints

MOST_NUMBERS = 40_000_000
"""Numbers a profile may hold; about 320 MB."""

ROOM = 100_000
"""Entries there is room for at first."""

Marks = NDArray[np.uint64]
Codes = NDArray[np.int32]


class CrowdedError(HedgerowError):
    """The groups of the lattice differ too much to keep them all."""


@dataclass(frozen=True, eq=False)
class NodeProfile:
    """What groups each of some nodes has, by kind."""

    nodes: Codes
    """The level of each column, nodes by columns."""
    groups: Groups
    """One group of each kind."""
    start: Ints
    """Node i owns entries start[i] to stop[i]."""
    stop: Ints
    kind: Codes
    """The kind of each entry."""
    many: Codes
    """How many groups of that kind the node has."""
    weight: Floats
    """What these groups add to the cost, entries by parts (see `GroupSums`)."""
    whole: Floats
    """What is known of a node's cost from its levels alone, nodes by parts."""

    def __len__(self) -> int:
        return len(self.nodes)

    def groups_of(self, place: int) -> tuple[Groups, Ints]:
        """The groups of a node, as many as it has; and the kind of each."""
        entries = slice(self.start[place], self.stop[place])
        kind = np.repeat(self.kind[entries], self.many[entries]).astype(np.int64)
        return self.groups.take(kind), kind

    def merged(self, places: Ints, out: NDArray[np.bool_]) -> Groups:
        """For each of these nodes one group: everybody in groups of the kinds marked `out`."""
        lengths = (self.stop - self.start)[places]
        first = np.cumsum(lengths) - lengths
        entries = np.repeat(self.start[places] - first, lengths) + np.arange(lengths.sum())
        owner = np.repeat(np.arange(len(places)), lengths)
        chosen = out[self.kind[entries]]
        entries, owner = entries[chosen], owner[chosen]
        many = self.many[entries].astype(np.int64)
        part = self.groups.take(self.kind[entries].astype(np.int64))
        histograms = {
            name: Histogram(h.indptr, h.codes, h.counts * np.repeat(many, np.diff(h.indptr)))
            for name, h in part.histograms.items()
        }
        population = None if part.population is None else part.population * many
        every = Groups(part.n * many, histograms, part.domains, population)
        return every.merge(owner, len(places))


@dataclass(eq=False)
class Collector:
    """Takes nodes one after the other and finds the kinds of their groups."""

    worth: GroupSums
    most: int = field(default_factory=lambda: MOST_NUMBERS)
    size: int = 0
    """Kinds so far."""
    _table: Ints = field(default_factory=lambda: np.full(1 << 16, -1, np.int64))
    _marks: Marks = field(default_factory=lambda: np.zeros((1 << 15, 2), np.uint64))
    _stamp: Ints = field(default_factory=lambda: np.full((1 << 15, 2), -1, np.int64))
    _numbers: int = 0
    _nodes: list[Node] = field(default_factory=list)
    _groups: list[Groups] = field(default_factory=list)
    _ends: list[int] = field(default_factory=lambda: [0])
    _kinds: Codes = field(default_factory=lambda: np.zeros(0, np.int32))
    _many: Codes = field(default_factory=lambda: np.zeros(0, np.int32))
    _weights: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    _wholes: list[Floats] = field(default_factory=list)

    def add(self, frequency: Frequency) -> None:
        """Count the groups of one node.

        Raises:
            CrowdedError: There is no room for them.
        """
        groups = frequency.groups
        marks = signatures(groups)
        while self.size + len(groups) > len(self._marks):
            self._grow()
        entry, kind, many, new = _look_up(
            marks, self._table, self._marks, self._stamp, self.size, len(self._nodes)
        )
        self.size += len(new)
        weight, whole = self.worth.weigh(frequency, entry, len(kind))
        if len(new):
            fresh = groups.take(new)
            self._groups.append(fresh)
            self._numbers += sum(2 * len(h.codes) for h in fresh.histograms.values())
        self._numbers += len(kind) * (1 + weight.shape[1])
        if self._numbers > self.most:
            raise CrowdedError("the groups of the lattice differ too much to keep them all")
        self._nodes.append(frequency.node)
        self._wholes.append(whole)
        first = self._ends[-1]
        end = first + len(kind)
        if end > len(self._kinds):
            self._room(max(end, int(1.5 * len(self._kinds)), ROOM), weight.shape[1])
        self._kinds[first:end], self._many[first:end] = kind, many
        self._weights[first:end] = weight
        self._ends.append(end)

    def _room(self, size: int, parts: int) -> None:
        """Room for so many entries; in place, since two copies would be too much."""
        self._kinds.resize(size, refcheck=False)
        self._many.resize(size, refcheck=False)
        self._weights.resize((size, parts), refcheck=False)

    def _grow(self) -> None:
        self._marks = np.concatenate((self._marks, np.zeros_like(self._marks)))
        self._stamp = np.concatenate((self._stamp, np.full_like(self._stamp, -1)))
        self._table = _filled(self._marks[: self.size], 2 * len(self._table))

    def profile(self) -> NodeProfile:
        """Everything that was added, nodes in lexicographic order."""
        nodes = np.array(self._nodes, np.int32).reshape(len(self._nodes), -1)
        order = np.lexsort(nodes.T[::-1]) if nodes.size else np.arange(len(nodes))
        ends = np.array(self._ends, np.int64)
        self._room(self._ends[-1], self._weights.shape[1])
        return NodeProfile(
            nodes[order],
            _joined(self._groups),
            ends[:-1][order],
            ends[1:][order],
            self._kinds,
            self._many,
            self._weights,
            np.stack([self._wholes[i] for i in order]),
        )


def signatures(groups: Groups) -> Marks:
    """Two words for each group that are equal where claims see equal groups.

    Groups that differ have the same words with a chance of about 2^-128. That would show a wrong
    picture; what is published is measured on the groups themselves.
    """
    marks = np.empty((len(groups), 2), np.uint64)
    _begin(marks, groups.n, groups.n if groups.population is None else groups.population)
    for place, name in enumerate(sorted(groups.histograms)):
        h = groups.histograms[name]
        _stir(marks, h.indptr, h.codes, h.counts, np.uint64(2 * place + 1))
    return marks


def _joined(parts: Sequence[Groups]) -> Groups:
    """Groups one after the other."""
    first = parts[0]
    histograms = {}
    for name in first.histograms:
        several = [part.histograms[name] for part in parts]
        lengths = np.concatenate([np.diff(h.indptr) for h in several])
        histograms[name] = Histogram(
            np.concatenate(([0], np.cumsum(lengths))),
            np.concatenate([h.codes for h in several]),
            np.concatenate([h.counts for h in several]),
        )
    outside = [part.population for part in parts if part.population is not None]
    return Groups(
        np.concatenate([part.n for part in parts]),
        histograms,
        first.domains,
        np.concatenate(outside) if outside else None,
        first.left_out,
    )


@kernel
def _mixed(word: np.uint64) -> np.uint64:
    """Every bit of the word changes about half of the bits of the result (splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def _begin(marks: Marks, n: Ints, population: Ints) -> None:
    for g in range(len(n)):
        size, outside = np.uint64(n[g]), np.uint64(population[g])
        marks[g, 0] = _mixed(size * np.uint64(0x9E3779B97F4A7C15) + _mixed(outside))
        marks[g, 1] = _mixed(outside * np.uint64(0xC2B2AE3D27D4EB4F) + _mixed(~size))


@kernel
def _stir(marks: Marks, indptr: Ints, codes: Codes, counts: Ints, salt: np.uint64) -> None:
    """Mix one attribute's values into the marks, as sums: a group's values come in any order.

    Args:
        marks: Groups by two words: their signatures so far. Changed in place.
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values.
        counts: Of each of these entries, how many people of the group have the value.
        salt: An odd number, another one for each attribute.
    """
    for g in range(len(marks)):
        one, two = np.uint64(0), np.uint64(0)
        for e in range(indptr[g], indptr[g + 1]):
            word = (np.uint64(codes[e]) << np.uint64(36)) ^ np.uint64(counts[e])
            once = _mixed(word * np.uint64(0x9E3779B97F4A7C15) + salt)
            one += once
            two += _mixed(once ^ (word * np.uint64(0xC2B2AE3D27D4EB4F)))
        marks[g, 0] = _mixed(marks[g, 0] + one * salt)
        marks[g, 1] = _mixed(marks[g, 1] + two * salt)


@kernel
def _look_up(
    marks: Marks, table: Ints, known: Marks, stamp: Ints, size: int, node: int
) -> tuple[Ints, Codes, Codes, Ints]:
    """The entry of each group; kind and number of groups of each entry; a group of new kinds.

    Args:
        marks: Groups of the node by two words: their signatures.
        table: A hash table of 2^b slots: the kind in each, -1 where none is. Changed in place.
        known: Kinds by two words: their signatures, with room for new ones. Changed in place.
        stamp: Kinds by two: the last node that had it, its entry there. Changed in place.
        size: Kinds so far.
        node: How many nodes came before this one.
    """
    rows = len(marks)
    mask = np.uint64(len(table) - 1)
    entry = np.empty(rows, np.int64)
    kinds = np.empty(rows, np.int32)
    many = np.zeros(rows, np.int32)
    new = np.empty(rows, np.int64)
    entries, fresh = 0, 0
    for g in range(rows):
        slot = marks[g, 0] & mask
        while True:
            kind = table[slot]
            if kind < 0:
                kind = size + fresh
                table[slot] = kind
                known[kind, 0], known[kind, 1] = marks[g, 0], marks[g, 1]
                new[fresh] = g
                fresh += 1
                break
            if known[kind, 0] == marks[g, 0] and known[kind, 1] == marks[g, 1]:
                break
            slot = (slot + np.uint64(1)) & mask
        if stamp[kind, 0] != node:
            stamp[kind, 0], stamp[kind, 1] = node, entries
            kinds[entries] = kind
            entries += 1
        entry[g] = stamp[kind, 1]
        many[entry[g]] += 1
    return entry, kinds[:entries].copy(), many[:entries].copy(), new[:fresh].copy()


@kernel
def _filled(known: Marks, capacity: int) -> Ints:
    table = np.full(capacity, -1, np.int64)
    mask = np.uint64(capacity - 1)
    for kind in range(len(known)):
        slot = known[kind, 0] & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = kind
    return table
