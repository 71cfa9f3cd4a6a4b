"""Dividing people under any claims: a cut is allowable where all of them hold on both sides.

A node is measured from its own people only, and what is right of a cut is what is not left
of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.axes import Space
from hedgerow.recode.cuts import all_cuts, median, profile, tally
from hedgerow.recode.mondrian_cut import MondrianCuts, Reading
from hedgerow.recode.parts import Progress, first_of
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Codes

Mode = Literal["strict", "relaxed"]
Flags = NDArray[np.bool_]
People = tuple[Ints, Ints]
"""Entries, and how many people of each."""


class Exposed(Protocol):
    """Names groups that should be coarser, by the cell, people and group of each part.

    First those of exposed people, then these with the groups of others on whom it depends.
    """

    def __call__(self, cell: Ints, people: Ints, group: Ints) -> tuple[Flags, Flags]: ...


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

    def run(
        self, progress: Progress | None = None, exposed: Exposed | None = None
    ) -> tuple[Ints, Ints, Ints]:
        """Cell, people and group of each part, by cell.

        Args:
            progress: Told the share of people whose group is final.
            exposed: Names groups that should be coarser, where claims are about more than each
                group. The table as one group has none.
        """
        groups = self._depth_first(progress) if exposed is None else self._watched(exposed)
        return self._numbered(groups)

    def _depth_first(self, progress: Progress | None) -> list[People]:
        """The groups, one branch after another."""
        people = self.cells.n[self.chosen]
        nodes: list[People] = [(np.arange(len(self.chosen)), people)] if len(people) else []
        groups: list[People] = []
        total, done, told = int(people.sum()), 0, 0
        while nodes:
            who, weight = nodes.pop()
            cut = self._cut(who, weight)
            if cut is not None:
                nodes += reversed(cut[1])
                continue
            groups.append((who, weight))
            done += int(weight.sum())
            if progress is not None and done - told >= total / 100:
                progress(done / total)
                told = done
        return groups

    def _watched(self, exposed: Exposed) -> list[People]:
        """The groups, all branches a cut at a time.

        A cut that leaves people exposed is taken back, and its node is cut along another axis.
        """
        people = self.cells.n[self.chosen]
        groups: list[People] = []
        open_ = [_Uncut((np.arange(len(self.chosen)), people))] if len(people) else []
        while open_:
            cuts = [(node, self._cut(*node.people, node.barred)) for node in open_]
            groups += [node.people for node, cut in cuts if cut is None]
            tried = [(node, cut) for node, cut in cuts if cut is not None]
            standing = np.ones(len(tried), np.bool_)
            while standing.any():
                sides = [
                    (i, side)
                    for i, (node, (_, both)) in enumerate(tried)
                    for side in (both if standing[i] else (node.people,))
                ]
                all_of_them = [*groups, *(side for _, side in sides)]
                cut_from = np.array([-1] * len(groups) + [i for i, _ in sides])
                wrong = np.zeros(len(tried), np.bool_)
                exposed_there, beside = exposed(*self._numbered(all_of_them))
                if not beside.any():
                    break
                for named in (exposed_there, beside, np.ones_like(beside)):
                    wrong[cut_from[named & (cut_from >= 0)]] = True
                    wrong &= standing
                    if wrong.any():
                        break
                standing &= ~wrong
            open_ = []
            for (node, (axis, both)), stands in zip(tried, standing, strict=True):
                if stands:
                    open_ += map(_Uncut, both)
                else:
                    open_.append(_Uncut(node.people, node.barred | {axis}))
        return groups

    def _numbered(self, groups: Sequence[People]) -> tuple[Ints, Ints, Ints]:
        """Cell, people and group of each part, by cell."""
        none = np.empty(0, np.int64)
        cell = self.chosen[np.concatenate([none, *(who for who, _ in groups)])]
        weight = np.concatenate([none, *(weight for _, weight in groups)])
        group = np.repeat(np.arange(len(groups)), [len(who) for who, _ in groups])
        by_cell = np.lexsort((group, cell))
        return cell[by_cell], weight[by_cell], group[by_cell]

    def _cut(
        self, who: Ints, weight: Ints, barred: frozenset[int] = frozenset()
    ) -> tuple[int, tuple[People, People]] | None:
        """Axis and both sides of the preferred allowable cut."""
        space = self.space
        if not space.axes or weight.sum() < 2 * self.floor:
            return None
        cuts = MondrianCuts(
            *all_cuts(
                self.ranks, who, weight, space.measure, space.offset, space.ladder, space.rung,
                space.heights, space.weight, self.floor, self.scratch,
            )
        ).without(barred)  # fmt: skip
        node = _Node.of(self, who, weight)
        cut = cuts.first(partial(node.left, weight), node.total, node.reading)
        if cut is not None:
            axis, rank = cut
            below = node.ranks[:, axis] <= rank
            return axis, ((who[below], weight[below]), (who[~below], weight[~below]))
        return self._spread(node, cuts.order) if self.mode == "relaxed" else None

    def _spread(self, node: _Node, order: Ints) -> tuple[int, tuple[People, People]] | None:
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
                    lower, upper = (
                        (who[left > 0], left[left > 0]),
                        (who[right > 0], right[right > 0]),
                    )
                    return int(axis), (lower, upper)
        return None


@dataclass(frozen=True)
class _Uncut:
    """People who are together for now."""

    people: People
    barred: frozenset[int] = frozenset()
    """The axes along which they cannot be cut, because of people elsewhere."""


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
