"""The generalisation lattice and the frequency sets of its nodes.

A node is a level for each quasi-identifier. Its frequency set is rolled up from that of any
finer node: the groups are regrouped, never the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.base.jit import kernel
from hedgerow.recode.outcome import Outcome, Spans, Tuples
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Floats, Groups, Histogram, Ints, merge_histogram
from hedgerow.table.hierarchy import Codes
from hedgerow.table.pack import Layout, Words, hash_groups
from hedgerow.table.shown_columns import ShownColumns

if TYPE_CHECKING:
    from hedgerow.recode.metrics import CellMetric

Node = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Frequency:
    """The frequency set of one node: packed tuples and the groups of people who share them."""

    node: Node
    words: Words
    groups: Groups

    def __len__(self) -> int:
        return len(self.words)

    @property
    def nbytes(self) -> int:
        """What it takes in memory."""
        groups = self.groups
        population = groups.n[:0] if groups.population is None else groups.population
        return sum(
            (
                h.indptr.nbytes + h.codes.nbytes + h.counts.nbytes
                for h in groups.histograms.values()
            ),
            self.words.nbytes + groups.n.nbytes + population.nbytes,
        )


@dataclass(frozen=True, eq=False)
class Lattice:
    """All nodes between `bottom` and `top`."""

    cells: Cells
    bottom: Node
    top: Node

    @classmethod
    def of(cls, cells: Cells, bounds: Mapping[str, tuple[int, int]] | None = None) -> Lattice:
        """The lattice of these cells, with the plan's lowest and highest level per column."""
        bottom, top = [], []
        for h in cells.hierarchies:
            low, high = (bounds or {}).get(h.name, (0, h.height))
            if not 0 <= low <= high <= h.height:
                raise PlanError(
                    f"levels [{low}, {high}] of {h.name!r} do not exist",
                    fix=f"Its hierarchy has levels 0 to {h.height}.",
                )
            bottom.append(low)
            top.append(high)
        return cls(cells, tuple(bottom), tuple(top))

    @property
    def size(self) -> int:
        """Number of nodes."""
        return prod(b - a + 1 for a, b in zip(self.bottom, self.top, strict=True))

    def nodes(self) -> Iterator[Node]:
        """Every node; small lattices only."""
        return product(*(range(a, b + 1) for a, b in zip(self.bottom, self.top, strict=True)))

    @cached_property
    def layout(self) -> Layout:
        return Layout.of([h.size(0) for h in self.cells.hierarchies])

    @cached_property
    def original(self) -> Tuples:
        tuples, into = self.cells.tuples
        n = np.bincount(into, weights=self.cells.n, minlength=len(tuples)).astype(np.int64)
        counted = n > 0
        leaves = tuple(len(h.values) for h in self.cells.hierarchies)
        return Tuples(tuples[counted], n[counted], leaves, self.cells.absent)

    @cached_property
    def base(self) -> Frequency:
        """The frequency set of the bottom node."""
        tuples, into = self.cells.tuples
        words = self.layout.pack(tuples)
        groups = replace(self.cells.groups(into, len(tuples)), shown=self._shown(words))
        return self.roll_up(Frequency((0,) * len(self.bottom), words, groups), self.bottom)

    def _shown(self, words: Words) -> ShownColumns:
        """What groups of a node are published as."""
        return ShownColumns(self._names, lambda: self.layout.unpack(words))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(h.name for h in self.cells.hierarchies)

    @cached_property
    def _steps(self) -> tuple[NDArray[np.uint64], Ints, Ints]:
        """All tables from one level to a higher one, end to end, where each starts, and sizes.

        The sizes are the numbers of values, by column and level.
        """
        tables: list[NDArray[np.uint64]] = []
        width = max((h.height for h in self.cells.hierarchies), default=0) + 1
        start = np.zeros((len(self.cells.hierarchies), width, width), np.int64)
        sizes = np.ones((len(self.cells.hierarchies), width), np.int64)
        end = 0
        for j, h in enumerate(self.cells.hierarchies):
            for low in range(h.height + 1):
                sizes[j, low] = h.size(low)
                for high in range(low, h.height + 1):
                    start[j, low, high] = end
                    tables.append(h.step(low, high).astype(np.uint64))
                    end += len(tables[-1])
        return (np.concatenate(tables) if tables else np.zeros(0, np.uint64)), start, sizes

    def between(self, bottom: Node, top: Node) -> Lattice:
        """The part between two nodes, packed as tightly as it can be.

        Its frequency sets are its own: only nodes mean the same in both.
        """
        part = replace(self, bottom=bottom, top=top)
        low = self.roll_up(self.base, bottom)
        sizes = [h.size(level) for h, level in zip(self.cells.hierarchies, bottom, strict=True)]
        layout = Layout.of(sizes)
        if layout.words < self.layout.words:
            words = layout.pack(self.layout.unpack(low.words))
            low = Frequency(bottom, words, low.groups)
        else:
            layout = self.layout
        # What was counted once need not be counted again.
        vars(part).update(layout=layout, base=low, original=self.original, _steps=self._steps)
        return part

    def roll_up(self, low: Frequency, node: Node) -> Frequency:
        """The frequency set of `node` from that of a finer one."""
        if low.node == node:
            return low
        population = low.groups.population
        traced = population is not None or bool(low.groups.histograms)
        words, into, n = self._regroup(low, node, traced=traced)
        if population is not None:
            population = np.bincount(into, weights=population, minlength=len(n)).astype(np.int64)
        histograms = {}
        for name, h in low.groups.histograms.items():
            width = len(low.groups.domains[name].values)
            merged = merge_histogram(into, len(n), h.indptr, h.codes, h.counts, width)
            histograms[name] = Histogram(*merged)
        found = Groups(
            n, histograms, low.groups.domains, population, low.groups.left_out, self._shown(words)
        )
        return Frequency(node, words, found)

    def _regroup(
        self, low: Frequency, node: Node, *, traced: bool = True
    ) -> tuple[Words, Ints, Ints]:
        """The node's tuples, the new group of each old one, and the people in each.

        Args:
            low: A finer node.
            node: The node.
            traced: Whether the groups of the old ones are asked for.
        """
        layout = self.layout
        tables, start, sizes = self._steps
        levels = np.array(low.node), np.array(node)
        if layout.words == 1:
            word, into, n = _regroup_word(
                low.words[:, 0], low.groups.n, *levels,
                layout.shift, layout.mask, sizes, start, tables, traced,
            )  # fmt: skip
            return word[:, None], into, n
        clear = np.full(layout.words, np.uint64(0xFFFFFFFFFFFFFFFF))
        changed = np.flatnonzero(levels[0] != levels[1])
        for j in changed:
            clear[layout.word[j]] &= ~(layout.mask[j] << np.uint64(layout.shift[j]))
        mapped = changed[sizes[changed, levels[1][changed]] > 1]
        begin = start[mapped, levels[0][mapped], levels[1][mapped]]
        shift, mask = layout.shift[mapped].astype(np.uint64), layout.mask[mapped]
        wide = _generalise(low.words, clear, layout.word[mapped], shift, mask, begin, tables)
        first, into = hash_groups(wide)
        return wide[first], into, Groups(low.groups.n).merge(into, len(first)).n

    def regroup(self, low: Frequency, node: Node) -> tuple[Ints, Ints]:
        """Only which groups would become one at `node`, and how many people each would have."""
        if low.node == node:
            return np.arange(len(low), dtype=np.int64), low.groups.n
        return self._regroup(low, node)[1:]

    def position(self, frequency: Frequency, tuples: Codes) -> Ints:
        """The group of each tuple of leaf codes; every one must have a group."""
        codes = [
            h.codes[level][tuples[:, j]]
            for j, (h, level) in enumerate(zip(self.cells.hierarchies, frequency.node, strict=True))
        ]
        both = np.concatenate((frequency.words, self.layout.pack(np.stack(codes, axis=1))))
        return hash_groups(both)[1][len(frequency) :]

    def frequencies(self) -> Iterator[Frequency]:
        """Every node's frequency set, depth first, each rolled up from the one before it."""
        stack = [(self.base, 0)]
        while stack:
            frequency, first = stack.pop()
            yield frequency
            for j in range(first, len(self.top)):
                if frequency.node[j] < self.top[j]:
                    node = (*frequency.node[:j], frequency.node[j] + 1, *frequency.node[j + 1 :])
                    stack.append((self.roll_up(frequency, node), j))

    def outcome(
        self, frequency: Frequency, kept: NDArray[np.bool_] | None = None, *, rest: bool = False
    ) -> Outcome:
        """What publishing the node would give, with only the `kept` groups.

        With `rest`, the others stay as one group in which every value is `*`.
        """
        n = frequency.groups.n
        chosen = n > 0 if kept is None else kept & (n > 0)
        out = int(n.sum()) - int(n[chosen].sum())
        rest = rest and out > 0

        def spans() -> Spans:
            codes = self.layout.unpack(frequency.words[chosen])
            low, high = np.empty_like(codes), np.empty_like(codes)
            rung = np.empty(codes.shape)
            for j, h in enumerate(self.cells.hierarchies):
                first, last = h.runs(frequency.node[j])
                low[:, j], high[:, j] = first[codes[:, j]], last[codes[:, j]]
                rung[:, j] = frequency.node[j] / max(1, h.height)
            found = Spans(low, high, rung)
            return found.with_everything(self.original.leaves) if rest else found

        absent = self.original.absent
        if rest:
            return Outcome(self.original, np.append(n[chosen], out), absent, spans)
        return Outcome(self.original, n[chosen], out + absent, spans)


@dataclass(frozen=True, eq=False)
class CellCosts:
    """A cell metric laid out on a lattice: what each value of each level costs one person."""

    lattice: Lattice
    metric: CellMetric

    @cached_property
    def _table(self) -> tuple[Floats, Ints, tuple[tuple[float, ...], ...]]:
        """Costs end to end, where each column's level starts, and totals per column and level."""
        original = self.lattice.original
        hierarchies = self.lattice.cells.hierarchies
        width = max((h.height for h in hierarchies), default=0) + 1
        start = np.zeros((len(hierarchies), width), np.int64)
        tables, totals, end = [np.zeros(0)], [], 0
        even = self.metric.weighting.even
        least = np.zeros(len(hierarchies)) if even else self.metric.as_it_is(original)
        for j, h in enumerate(hierarchies):
            column = []
            for level in range(h.height + 1):
                under = np.bincount(
                    h.codes[level], weights=original.leaf_counts[j], minlength=h.size(level)
                ).astype(np.float64)
                rung = np.full(h.size(level), level / max(1, h.height))
                cost = self.metric.cell(share=h.share(level), under=under, rung=rung)
                cost = self.metric.generalised(cost, float(least[j]))
                barred = original.absent * float(self.gone[j])
                column.append(float((under * cost).sum()) + barred)
                start[j, level] = end
                tables.append(cost)
                end += len(cost)
            totals.append(tuple(column))
        return np.concatenate(tables), start, tuple(totals)

    def within(self, part: Lattice) -> CellCosts:
        """The same costs on a part of the lattice."""
        found = CellCosts(part, self.metric)
        vars(found).update(_table=self._table)
        return found

    @cached_property
    def gone(self) -> Floats:
        """What it costs one person to be suppressed, by column."""
        return self.metric.gone(self.lattice.original)

    def published(self, node: Node) -> Floats:
        """Each column's total if nobody is left out."""
        totals: Floats = self._totals[node, self._columns]
        return totals

    @cached_property
    def _totals(self) -> Floats:
        """Levels by columns: each column's total at the level, or at its highest."""
        width = max(map(len, self._table[2]), default=1)
        return np.array([[t[min(i, len(t) - 1)] for t in self._table[2]] for i in range(width)])

    @cached_property
    def _columns(self) -> Ints:
        return np.arange(len(self._table[2]))

    def parts(self, extra: Floats, room: int) -> Floats:
        """What each column adds to the score at each level, at least: by row, level and column.

        Args:
            extra: Rows of what suppressing people adds to the columns' totals.
            room: Further people who may be suppressed.
        """
        return self.metric.parts(self._floors(room) + extra[:, None, :], self.lattice.original)

    def least(self, parts: Floats, node: Node) -> Floats:
        """What no node costs less that is this one or coarser, for each row of `parts`."""
        return self.metric.from_score(parts[:, node, self._columns].sum(axis=-1))

    def coarsest(self, parts: Floats, low: Node, high: Node, limit: Floats) -> Node:
        """Of each column, the highest level with which a node may cost less than the limit.

        Args:
            parts: Of the nodes between these two.
            low: No node is finer.
            high: No node is coarser.
            limit: For each row of `parts`, what a node has to cost less than.
        """
        least = parts[:, low, self._columns]
        rest = least.sum(axis=-1, keepdims=True) - least
        cheap = self.metric.from_score(parts + rest[:, None, :]) < limit[:, None, None]
        reached = (cheap.any(axis=0) * np.arange(parts.shape[1])[:, None]).max(axis=0)
        return tuple(np.clip(reached, low, high).tolist())

    def _floors(self, room: int) -> Floats:
        """Levels by columns: what no total is below at this level or a higher one."""
        found = self._of_room.get(room)
        if found is None:
            rows = [
                self.floor(tuple(min(i, len(t) - 1) for t in self._table[2]), row, room)
                for i, row in enumerate(self._totals)
            ]
            found = self._of_room[room] = np.array(rows)
        return found

    @cached_property
    def _of_room(self) -> dict[int, Floats]:
        return {}

    def floor(self, node: Node, totals: Floats, room: int) -> Floats:
        """What no totals are below, at this node or a coarser one.

        Args:
            node: The node.
            totals: Those of it (last axis), with some people suppressed.
            room: Further people who may be suppressed.
        """
        if self.metric.suppression_costs or room <= 0:
            return totals
        saved = [self._saved(j, level, room) for j, level in enumerate(node)]
        low: Floats = totals - np.array(saved)
        return low

    def _saved(self, j: int, level: int, room: int) -> float:
        """What suppressing so many people takes off a column's total, at most."""
        found = self._savings.get((j, level, room))
        if found is None:
            original, h = self.lattice.original, self.lattice.cells.hierarchies[j]
            table, start, _ = self._table
            cost = table[start[j, level] : start[j, level] + h.size(level)]
            under = np.bincount(
                h.codes[level], weights=original.leaf_counts[j], minlength=h.size(level)
            )
            order = np.argsort(-cost)
            under, gain = under[order], np.maximum(cost[order] - self.gone[j], 0.0)
            taken = np.clip(room - (np.cumsum(under) - under), 0.0, under)
            found = self._savings[j, level, room] = float((taken * gain).sum())
        return found

    @cached_property
    def _savings(self) -> dict[tuple[int, int, int], float]:
        return {}

    def left_out(
        self, frequency: Frequency, people: Ints, rank: Ints, ranks: int
    ) -> tuple[Ints, Floats]:
        """What it adds to leave `people` out of each group, by rank of the groups.

        Groups of rank r >= ranks are kept under every requirement and not added up. Gives the
        number of people and each column's extra cost for each rank.
        """
        table, start, _ = self._table
        layout = self.lattice.layout
        return _left_out(
            frequency.words,
            people,
            rank,
            ranks,
            np.array(frequency.node, np.int64),
            layout.word,
            layout.shift,
            layout.mask,
            start,
            table,
            self.gone,
        )


@kernel
def _regroup_word(
    words: NDArray[np.uint64],
    n: Ints,
    low: Ints,
    high: Ints,
    shift: Ints,
    mask: NDArray[np.uint64],
    sizes: Ints,
    start: Ints,
    tables: NDArray[np.uint64],
    traced: bool,
) -> tuple[NDArray[np.uint64], Ints, Ints]:
    """Generalise tuples of one word each and add up equal ones.

    Args:
        words: The tuple of each group.
        n: Its people.
        low: The level of each column now,
        high: and the one it gets.
        shift: Of each column, where its code stands in the word,
        mask: and how wide it is.
        sizes: How many values each column has at each level.
        start: Where the table of a column from one level to another begins in `tables`.
        tables: Old code to new code, end to end.
        traced: Whether the new group of each old one is asked for.

    Returns:
        The new tuples, the new group of each old one, and the people of each new one.
    """
    clear = np.uint64(0xFFFFFFFFFFFFFFFF)
    shifts, masks = np.empty(len(low), np.uint64), np.empty(len(low), np.uint64)
    begin = np.empty(len(low), np.uint64)
    mapped = 0
    for j in range(len(low)):
        if low[j] != high[j]:
            clear &= ~(mask[j] << np.uint64(shift[j]))
            if sizes[j, high[j]] > 1:
                shifts[mapped], masks[mapped] = np.uint64(shift[j]), mask[j]
                begin[mapped] = np.uint64(start[j, low[j], high[j]])
                mapped += 1
    rows = len(words)
    bits = 4
    while (1 << bits) < 2 * rows:
        bits += 1
    down = np.uint64(64 - bits)
    slot_mask = np.uint64((1 << bits) - 1)
    table = np.full(1 << bits, np.int32(-1), np.int32)
    result = np.empty(rows, np.uint64)
    into = np.empty(rows if traced else 0, np.int64)
    people = np.empty(rows, np.int64)
    size = 0
    for i in range(rows):
        before = words[i]
        after = before & clear
        for c in range(mapped):
            after |= tables[begin[c] + ((before >> shifts[c]) & masks[c])] << shifts[c]
        slot = (after * np.uint64(0x9E3779B97F4A7C15)) >> down
        while True:
            g = table[slot]
            if g < 0:
                g = size
                table[slot] = g
                result[g] = after
                people[g] = n[i]
                size += 1
                break
            if result[g] == after:
                people[g] += n[i]
                break
            slot = (slot + np.uint64(1)) & slot_mask
        if traced:
            into[i] = g
    return result[:size].copy(), into, people[:size].copy()


@kernel
def _generalise(
    words: Words,
    clear: NDArray[np.uint64],
    word: Ints,
    shift: NDArray[np.uint64],
    mask: NDArray[np.uint64],
    start: Ints,
    tables: NDArray[np.uint64],
) -> Words:
    """Generalise tuples of several words each.

    Args:
        words: The tuple of each group.
        clear: Of each word, the bits that stay as they are.
        word: Of each column that is generalised, the word its code is in,
        shift: where it stands there,
        mask: and how wide it is.
        start: Where its table begins in `tables`: old code to new code.
        tables: The tables, end to end.
    """
    result = words & clear
    for i in range(len(words)):
        for c in range(len(word)):
            code = np.int64((words[i, word[c]] >> shift[c]) & mask[c])
            result[i, word[c]] |= tables[start[c] + code] << shift[c]
    return result


@kernel
def _left_out(
    words: Words,
    n: Ints,
    rank: Ints,
    ranks: int,
    node: Ints,
    word: Ints,
    shift: Ints,
    mask: Words,
    start: Ints,
    table: Floats,
    worst: Floats,
) -> tuple[Ints, Floats]:
    """What it adds to suppress people, by rank of their groups; see `CellCosts.left_out`.

    Args:
        words: The packed tuple of each group.
        n: People of each group who are suppressed.
        rank: Of each group; those of `ranks` or more are kept.
        ranks: How many ranks are added up.
        node: The level of each column.
        word: Column j's code is in the word word[j] of a tuple,
        shift: this many bits from its end,
        mask: and as wide as this.
        start: Column j's costs at a level begin at start[j, level] of the table.
        table: What each value of each level costs one person, end to end.
        worst: What it costs one person to be suppressed, by column.

    Returns:
        The number of people and each column's extra cost, for each rank.
    """
    people = np.zeros(ranks, np.int64)
    extra = np.zeros((ranks, len(node)), np.float64)
    for i in range(len(n)):
        r = rank[i]
        if r >= ranks or n[i] == 0:
            continue
        people[r] += n[i]
        for j in range(len(node)):
            code = np.int64((words[i, word[j]] >> np.uint64(shift[j])) & mask[j])
            extra[r, j] += n[i] * (worst[j] - table[start[j, node[j]] + code])
    return people, extra
