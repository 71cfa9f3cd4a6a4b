"""Dividing people under any claims: a cut is allowable where all of them hold on both sides.

A node is measured from its own people only, and what is right of a cut is what is not left
of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np

from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.axes import Space
from hedgerow.recode.cuts import all_cuts, median, profile, tally
from hedgerow.recode.mondrian_cut import MondrianCuts, Reading
from hedgerow.recode.parts import Progress, first_of
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Codes

Mode = Literal["strict", "relaxed"]
People = tuple[Ints, Ints]
"""Entries, and how many people of each."""

END = np.array([np.iinfo(np.int32).max])
"""A rank behind everything."""


@dataclass(frozen=True, eq=False)
class Division:
    """The recursion, and what it reads. An entry is one of the `chosen` cells."""

    cells: Cells
    chosen: Ints
    """The cells that take part, in the order of their ranks."""
    space: Space
    floor: int
    """People every group must have."""
    models: tuple[PrivacyModel, ...]
    mode: Mode
    ranks: Codes
    indptr: Ints
    codes: Ints
    """The sensitive values of each entry, all attributes numbered through."""
    outside: Ints
    """People of the outside population in each entry."""
    scratch: Ints

    @classmethod
    def of(
        cls,
        cells: Cells,
        chosen: Ints,
        space: Space,
        *,
        floor: int,
        models: Sequence[PrivacyModel],
        mode: Mode,
    ) -> Division:
        """Prepare to divide the people of the `chosen` cells."""
        ranks = space.ranks(cells.q[chosen])
        order = np.lexsort((np.arange(len(chosen)), *ranks.T[::-1]))
        chosen, ranks = chosen[order], ranks[order]
        owner, codes, base = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
        for domain, histogram in zip(cells.sensitive, cells.values, strict=True):
            mine = histogram.take(chosen)
            owner.append(mine.owner())
            codes.append(mine.codes.astype(np.int64) + base)
            base += len(domain.values)
        owners = np.concatenate(owner)
        by_entry = np.argsort(owners, kind="stable")
        outside = np.zeros(len(chosen), np.int64)
        if cells.population is not None:
            outside = cells.population[chosen]
        return cls(
            cells, chosen, space, floor, tuple(models), mode, ranks,
            np.searchsorted(owners[by_entry], np.arange(len(chosen) + 1)).astype(np.int64),
            np.concatenate(codes)[by_entry], outside,
            np.zeros(max((axis.size for axis in space.axes), default=0), np.int64),
        )  # fmt: skip

    def run(self, progress: Progress | None = None) -> tuple[Ints, Ints, Ints]:
        """Cell, people and group of each part, by cell."""
        people = self.cells.n[self.chosen]
        nodes: list[People] = [(np.arange(len(self.chosen)), people)] if len(people) else []
        groups: list[People] = []
        total, done, told = int(people.sum()), 0, 0
        while nodes:
            who, weight = nodes.pop()
            sides = self._cut(who, weight)
            if sides is not None:
                nodes += reversed(sides)
                continue
            groups.append((who, weight))
            done += int(weight.sum())
            if progress is not None and done - told >= total / 100:
                progress(done / total)
                told = done
        none = np.empty(0, np.int64)
        cell = self.chosen[np.concatenate([none, *(who for who, _ in groups)])]
        weight = np.concatenate([none, *(weight for _, weight in groups)])
        group = np.repeat(np.arange(len(groups)), [len(who) for who, _ in groups])
        by_cell = np.lexsort((group, cell))
        return cell[by_cell], weight[by_cell], group[by_cell]

    def _cut(self, who: Ints, weight: Ints) -> tuple[People, People] | None:
        """Both sides of the preferred allowable cut."""
        space = self.space
        if not space.axes or weight.sum() < 2 * self.floor:
            return None
        cuts = MondrianCuts(
            *all_cuts(
                self.ranks, who, weight, space.measure, space.offset, space.ladder, space.rung,
                space.heights, self.floor, self.scratch,
            )
        )  # fmt: skip
        node = _Node.of(self, who, weight)
        cut = cuts.first(partial(node.left, weight), node.total, node.reading)
        if cut is not None:
            axis, rank = cut
            below = node.ranks[:, axis] <= rank
            return (who[below], weight[below]), (who[~below], weight[~below])
        return self._spread(node, cuts.order) if self.mode == "relaxed" else None

    def _spread(self, node: _Node, order: Ints) -> tuple[People, People] | None:
        """A cut at the median with the people there on both sides.

        Keeping tuples whole is tried first, it loses less; where that puts too many people
        with one sensitive value on one side, every tuple gives its share to both. Claims are
        checked on the very people who go to either side.
        """
        who, weight = node.who, node.weight
        for axis in order:
            ranks = node.ranks[:, axis]
            low, high = int(ranks.min()), int(ranks.max())
            if low == high:
                continue
            at, people = profile(self.ranks, who, weight, axis, low, high, self.scratch)
            cut, ties = median(at, people)
            there = np.flatnonzero(ranks == cut)
            # Entries are in the order of their ranks, so those of a tuple stand together.
            new = (np.diff(node.ranks[there], axis=0) != 0).any(axis=1)
            tuple_of = np.concatenate((np.zeros(1, np.int64), np.cumsum(new)))
            alike = np.zeros_like(tuple_of)
            for together in (tuple_of, alike) if tuple_of[-1] else (alike,):
                left = np.where(ranks < cut, weight, 0)
                left[there] = first_of(weight[there], together, ties)
                tally_left = node.left(left, np.array([axis]), END)
                if node.reading.allowable(tally_left, node.total)[0]:
                    right = weight - left
                    return (who[left > 0], left[left > 0]), (who[right > 0], right[right > 0])
        return None


@dataclass(frozen=True, eq=False)
class _Node:
    """People who are still together, and the sensitive values they have among them."""

    division: Division
    who: Ints
    weight: Ints
    ranks: Codes
    indptr: Ints
    codes: Ints
    """The values of each entry, as positions in `values`."""
    values: Ints

    @classmethod
    def of(cls, division: Division, who: Ints, weight: Ints) -> _Node:
        begin = division.indptr[who]
        lengths = division.indptr[who + 1] - begin
        indptr = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        mine = np.repeat(begin - indptr[:-1], lengths) + np.arange(indptr[-1])
        values, codes = np.unique(division.codes[mine], return_inverse=True)
        return cls(division, who, weight, division.ranks[who], indptr, codes, values)

    def left(self, people: Ints, axis: Ints, behind: Ints) -> Ints:
        """The tally of `people` left of each cut."""
        outside = self.division.outside[self.who]
        return tally(
            self.ranks, people, outside, self.indptr, self.codes, len(self.values), axis, behind
        )

    @cached_property
    def total(self) -> Ints:
        """The tally of everybody."""
        return self.left(self.weight, np.zeros(1, np.int64), END)

    @cached_property
    def reading(self) -> Reading:
        cells = self.division.cells
        outside = cells.population is not None
        return Reading(self.division.models, cells.sensitive, self.values, outside)
