"""First cuts: divide a table into parts as Mondrian would, knowing its margins only.

Which cut comes next depends on how many people have each value of each axis, and each sensitive
value along with it. These margins are small where the table is large, and whoever holds the
table can count them; so it can be cut into parts that fit without being looked at as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from hedgerow.claims.base import PrivacyModel
from hedgerow.engines.splits import Split, Tree, leaves
from hedgerow.recode.axes import Space
from hedgerow.recode.cuts import by_width
from hedgerow.recode.mondrian import floor_of, sized
from hedgerow.recode.mondrian_cut import MondrianCuts, Reading
from hedgerow.recode.parts import Progress, refuse_failing, refuse_population
from hedgerow.table.groups import Ints, Sensitive
from hedgerow.table.hierarchy import Codes, Hierarchy

ALONE = -1
"""In a margin: people counted by a leaf alone, not by a sensitive value too."""


@dataclass(frozen=True, eq=False)
class Margin:
    """How many people have what, one line each. Nobody is not counted: n is at least 1."""

    part: Ints
    """Whose people."""
    axis: Ints
    """Which quasi-identifier."""
    of: Ints
    """Which sensitive attribute, or ALONE."""
    code: Ints
    """The leaf code of the quasi-identifier."""
    value: Ints
    """The code of the sensitive value, or ALONE."""
    n: Ints

    def take(self, lines: Ints) -> Margin:
        """Only these lines."""
        return Margin(
            self.part[lines], self.axis[lines], self.of[lines], self.code[lines],
            self.value[lines], self.n[lines],
        )  # fmt: skip

    def by_part(self, parts: Sequence[int]) -> dict[int, Margin]:
        """The margins of each of the parts."""
        order = np.argsort(self.part, kind="stable")
        begin = np.searchsorted(self.part[order], parts, side="left")
        end = np.searchsorted(self.part[order], parts, side="right")
        return {part: self.take(order[a:b]) for part, a, b in zip(parts, begin, end, strict=True)}


class Margins(Protocol):
    """Counts what the cuts depend on. Lines are combinations of all columns that are counted."""

    def sizes(self, tree: Tree, parts: Sequence[int]) -> Sequence[int]:
        """How many lines each of the parts has."""
        ...

    def margins(self, tree: Tree, parts: Sequence[int], *, values: bool) -> Margin:
        """The margins of the parts; by sensitive values too if `values`."""
        ...


@dataclass(frozen=True, eq=False)
class FirstCuts:
    """How a table was divided."""

    tree: Tree
    space: Space
    """The axes of the whole table."""
    lines: dict[int, int]
    """Lines of each part that was not cut."""
    people: dict[int, int]
    """People of each of them."""

    @property
    def parts(self) -> list[int]:
        """The parts, from left to right."""
        return leaves(self.tree)


def first_cuts(
    source: Margins,
    *,
    hierarchies: Sequence[Hierarchy],
    sensitive: Sequence[Sensitive],
    models: Sequence[PrivacyModel],
    most: int,
    weights: Sequence[float] = (),
    refuse: bool = True,
    progress: Progress | None = None,
) -> FirstCuts:
    """Cut a table while a part has more than `most` lines and can be cut.

    Every cut is the one Mondrian would make. So where Mondrian goes on with each part, the
    result is the same as without parts. A part that cannot be cut stays, whatever its size.

    Args:
        source: Counts margins. It holds somebody.
        hierarchies: One for each quasi-identifier; there is at least one.
        sensitive: The sensitive attributes, of the whole table.
        models: The claims; those about groups decide which cuts are allowable.
        most: Lines a part may have.
        weights: How much each quasi-identifier matters; alike where there are none.
        refuse: Whether the whole table has to keep the claims before it is cut.
        progress: Told the share of lines that are in parts that are small enough.

    Raises:
        ClaimError: The table as a whole does not keep a claim.
        PlanError: A claim about an outside population.
    """
    refuse_population(models, "parts", "only the people of the table are counted in them")
    asked = [model for model in models if model.per_group]
    values = not all(map(sized, asked))
    whole = source.margins((), [0], values=values)
    found = [np.unique(whole.code[whole.axis == j]) for j in range(len(hierarchies))]
    space = Space.over(hierarchies, found, weights)
    everybody = int(whole.n[(whole.axis == 0) & (whole.of == ALONE)].sum())
    floor, others = floor_of(asked, everybody)
    cutting = _Cutting(space, tuple(found), tuple(sensitive), floor, tuple(others))
    if refuse:
        start = _Part(cutting, whole)
        refuse_failing(start.reading.groups(start.total), asked)
    lines, people = {0: int(source.sizes((), [0])[0])}, {0: everybody}
    total, tree = lines[0], list[Split]()
    open_ = [0] if total > most else []
    margins = {0: whole}
    while open_:
        new = list[int]()
        for part in open_:
            node = _Part(cutting, margins.pop(part))
            cut = node.cut()
            if cut is None:
                continue
            axis, behind, left = cut
            first = 2 * len(tree) + 1
            tree.append(Split(part=part, axis=axis, behind=behind, left=first, right=first + 1))
            people[first], people[first + 1] = left, people.pop(part) - left
            new += (first, first + 1)
            del lines[part]
        if new:
            lines.update(zip(new, map(int, source.sizes(tuple(tree), new)), strict=True))
        open_ = [part for part in new if lines[part] > most]
        if open_:
            margins = source.margins(tuple(tree), open_, values=values).by_part(open_)
        if progress is not None:
            progress(1 - sum(lines[part] for part in open_) / total)
    return FirstCuts(tuple(tree), space, lines, people)


@dataclass(frozen=True, eq=False)
class _Cutting:
    """What is the same for every part."""

    space: Space
    leaves: tuple[Ints, ...]
    """Of each axis, the leaf codes the table has, ascending."""
    sensitive: tuple[Sensitive, ...]
    floor: int
    """People on each side, at least."""
    models: tuple[PrivacyModel, ...]
    """Claims that are about more than how many people there are."""

    def last_leaf(self, axis: int, rank: int) -> int:
        """The last leaf code that stands at a rank."""
        found = self.leaves[axis]
        ranks = self.space.axes[axis].rank[found]
        return int(found[np.searchsorted(ranks, rank, side="right") - 1])


@dataclass(frozen=True, eq=False)
class _Part:
    """The margins of one part, and where it can be cut."""

    cutting: _Cutting
    margin: Margin

    def cut(self) -> tuple[int, int, int] | None:
        """Axis, leaf code and people left of the preferred allowable cut."""
        total = int(self.total[0, 0])
        if total < 2 * self.cutting.floor:
            return None
        cut = self._cuts(total).first(self.left, self.total, self.reading)
        if cut is None:
            return None
        axis, rank = cut
        at, people = self.profiles[axis]
        return axis, self.cutting.last_leaf(axis, rank), int(people[at <= rank].sum())

    @cached_property
    def profiles(self) -> list[tuple[Ints, Ints]]:
        """Of each axis, the ranks that occur, ascending, and the people at each."""
        found = []
        for j, axis in enumerate(self.cutting.space.axes):
            mine = np.flatnonzero((self.margin.axis == j) & (self.margin.of == ALONE))
            at, into = np.unique(axis.rank[self.margin.code[mine]], return_inverse=True)
            people = np.bincount(into, weights=self.margin.n[mine], minlength=len(at))
            found.append((at.astype(np.int64), people.astype(np.int64)))
        return found

    def _cuts(self, total: int) -> MondrianCuts:
        """Every cut that leaves enough people on each side."""
        space = self.cutting.space
        low = np.array([at[0] for at, _ in self.profiles])
        high = np.array([at[-1] for at, _ in self.profiles])
        order = np.empty(len(low), np.int64)
        by_width(space.measure, space.offset, space.weight, low, high, order)
        place, behind, level, side = [], [], [], []
        for o, j in enumerate(order):
            at, people = self.profiles[j]
            left = np.cumsum(people)[:-1]
            smaller = np.minimum(left, total - left)
            enough = np.flatnonzero(smaller >= self.cutting.floor)
            behind.append(at[enough])
            side.append(smaller[enough])
            place.append(np.full(len(enough), o))
            level.append(_parting(space.axes[j].ladder, at[enough], at[enough + 1]))
        return MondrianCuts(order, *(np.concatenate(each) for each in (place, behind, level, side)))

    @cached_property
    def _by_value(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """The sensitive values there are; and of each line with one: axis, rank, place, people."""
        sizes = [len(domain.values) for domain in self.cutting.sensitive]
        base = np.cumsum([0, *sizes])
        mine = np.flatnonzero(self.margin.of != ALONE)
        axis, code = self.margin.axis[mine], self.margin.code[mine]
        rank = np.zeros(len(mine), np.int64)
        for j, measured in enumerate(self.cutting.space.axes):
            here = axis == j
            rank[here] = measured.rank[code[here]]
        numbers = base[self.margin.of[mine]] + self.margin.value[mine]
        values, place = np.unique(numbers, return_inverse=True)
        return values.astype(np.int64), axis, rank, place, self.margin.n[mine]

    @cached_property
    def reading(self) -> Reading:
        cutting = self.cutting
        return Reading(cutting.models, cutting.sensitive, self._by_value[0], outside=False)

    @cached_property
    def total(self) -> Ints:
        """The tally of everybody, which any axis gives."""
        last = self.cutting.space.axes[0].size
        return self.left(np.zeros(1, np.int64), np.array([last]))

    def left(self, axis: Ints, behind: Ints) -> Ints:
        """The tally of people left of each cut; axes ascend, and ranks within an axis."""
        values, of_axis, rank, place, n = self._by_value
        width = len(values)
        tallies = np.zeros((len(axis), 2 + width), np.int64)
        for j in np.unique(axis):
            begin, end = np.searchsorted(axis, (j, j + 1))
            size = end - begin
            at, people = self.profiles[j]
            slot = np.searchsorted(behind[begin:end], at)
            # Who is right of every cut falls into one slot more, which is dropped.
            met = np.bincount(slot, weights=people, minlength=size + 1)[:size]
            tallies[begin:end, 0] = np.cumsum(met)
            here = np.flatnonzero(of_axis == j)
            slot = np.searchsorted(behind[begin:end], rank[here])
            both = np.bincount(
                slot * width + place[here], weights=n[here], minlength=(size + 1) * width
            )
            met = both.reshape(size + 1, width)[:size]
            tallies[begin:end, 2:] = np.cumsum(met, axis=0)
        return tallies


def _parting(ladder: Sequence[Codes], low: Ints, high: Ints) -> Ints:
    """The highest level at which neighbouring ranks are on different branches."""
    level = np.zeros(len(low), np.int64)
    for height in range(1, len(ladder)):
        level[ladder[height][low] != ladder[height][high]] = height
    return level
