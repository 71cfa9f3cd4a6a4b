"""Bounds on a wide lattice from some of its columns at a time.

If all columns but a few are published as `*`, groups are unions of those of every release with the
same levels of the few. Whoever fails there is suppressed in all of these releases. So what
the few columns lose at least, over all of *their* levels, no release loses less in them; and what
different sets of columns lose at least adds up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import numpy as np

from hedgerow.recode.lattice import Node
from hedgerow.recode.search import SLACK, LatticeBox, OpenBoxes, Search
from hedgerow.table.groups import Floats

MOST_HELD = 12_000_000
"""Bytes that the snapshots of one projection may take in memory."""
CHUNK = 1_000_000
"""Groups that are looked at before anybody else has a turn."""
PARTS = (3, 2)
"""Into how many sets the columns are divided at first; then into a large one and the others."""
LARGE = (2 / 3, 3 / 4)
"""Shares of the columns in the large one, in turn."""
MOST_WORK = 400_000_000
"""Groups that a projection may look at; in later divisions twice as many each time."""


class ColumnProjection(Search):
    """Searches what some columns lose at least, in units of the score of a cell metric.

    The other columns are published as `*`. A node's cost is that of the columns alone with only
    those people suppressed who are suppressed in every finer node. Best first: the bound grows
    with every step, and is as high as it gets once the first node is reached.
    """

    def __init__(self, whole: Search, columns: Sequence[int]) -> None:
        """On a lattice.

        Args:
            whole: The search of all columns, by a cell metric and under one requirement.
            columns: Those that are looked at.
        """
        assert whole.costs is not None, "a cell metric"
        assert whole.constraints.requirements == 1, "not a ladder"
        lattice, looked_at = whole.lattice, set(columns)
        low = tuple(
            a if j in looked_at else b
            for j, (a, b) in enumerate(zip(lattice.bottom, lattice.top, strict=True))
        )
        super().__init__(lattice.between(low, lattice.top), whole.constraints, whole.metric)
        self.costs = whole.costs.within(self.lattice)
        self.columns = np.array(sorted(columns), np.int64)
        self.finished = False
        """Whether the bound is as high as it gets."""
        self._begin()
        self.boxes = OpenBoxes()
        self.boxes.push(self._bounded(self.lattice.bottom, self.lattice.top))
        self.lost = self.boxes.least
        """No release loses less in these columns; infinite where there is none."""

    def advance(self) -> None:
        """Look at one more box."""
        if self.boxes.least == np.inf:
            self.lost, self.finished = np.inf, True
            return
        box = self.boxes.pop()
        if box.low == box.high:
            self.finished = True
            return
        for part in self._split(box):
            if part.bound[0] < np.inf:
                self.boxes.push(part)
        self.lost = max(self.lost, self.boxes.least)

    def _bound(self, box: LatticeBox) -> LatticeBox:
        assert self.costs is not None, "a cell metric"
        parts = box.parts[:, box.low, range(len(box.low))]
        box.bound = np.maximum(box.bound, parts[:, self.columns].sum(axis=1))
        return box

    def _cut(self, box: LatticeBox) -> Node:
        return box.high

    def _alive(self, box: LatticeBox) -> bool:
        return True


class ColumnProjections:
    """The bound from one division of the columns after the other; threads may share the work."""

    def __init__(self, whole: Search, *, seed: Sequence[int]) -> None:
        """Nothing is looked at yet.

        Args:
            whole: The search of all columns, by a cell metric and under one requirement.
            seed: Of the divisions.
        """
        assert whole.costs is not None, "a cell metric"
        self.whole = whole
        metric, lattice = whole.costs.metric, whole.lattice
        published = whole.costs.published(lattice.bottom)
        least = whole.costs.floor(lattice.bottom, published, whole.room)
        self._alone: Floats = metric.parts(least, lattice.original)
        self._lock = threading.Lock()
        self._divisions = self._divided(np.random.Generator(np.random.PCG64(list(seed))))
        self._idle: list[ColumnProjection] = []
        self._current: list[ColumnProjection] = []
        self._most = MOST_WORK
        self.bound = -np.inf
        """No release costs less."""
        self.evaluated = self.work = 0
        self._combine()

    def advance(self) -> bool:
        """Raise the bound a little; whether there is more to do."""
        with self._lock:
            if not self._idle and not self._divide():
                return False
            one = self._idle.pop(0)
        work, evaluated = one.work, one.evaluated
        while not one.finished and one.work < work + CHUNK:
            one.advance()
        with self._lock:
            self.work += one.work - work
            self.evaluated += one.evaluated - evaluated
            self._combine()
            if not one.finished and one.work < self._most:
                self._idle.append(one)
            else:
                one.boxes = OpenBoxes()  # its bound stays, its boxes go
        return True

    def _divide(self) -> bool:
        division = next(self._divisions, None)
        if division is None:
            return False
        self._current = [ColumnProjection(self.whole, columns) for columns in division]
        for one in self._current:
            self.work += one.work
            self.evaluated += one.evaluated
        self._idle = list(self._current)
        return True

    def _combine(self) -> None:
        """Sets of columns that have none in common: what they lose adds up."""
        assert self.whole.costs is not None, "a cell metric"
        score = float(self._alone.sum())
        for one in self._current:
            score += max(0.0, one.lost - float(self._alone[one.columns].sum()))
        bound = float(self.whole.costs.metric.from_score(np.array(score)))
        self.bound = max(self.bound, bound - SLACK * max(1.0, abs(bound)))

    def _divided(self, random: np.random.Generator) -> Iterator[list[list[int]]]:
        """Divisions of the columns, from small sets to large ones.

        Each set gets columns of every kind, from those that tell much of a person to those that
        tell little.
        """
        original = self.whole.lattice.original
        known = np.argsort(original.self_information, kind="stable")
        columns = [int(j) for j in known if self._free(int(j))]
        if not columns:
            return
        for parts in PARTS:
            yield [columns[part::parts] for part in range(min(parts, len(columns)))]
            columns = _shuffled(columns, random)
        turn = 0
        while True:
            large = max(1, round(LARGE[turn % len(LARGE)] * len(columns)))
            spread = np.linspace(0, len(columns) - 1, large).round().astype(int).tolist()
            rest = sorted(set(range(len(columns))) - set(spread))
            yield [[columns[i] for i in part] for part in (spread, rest) if part]
            columns = _shuffled(columns, random)
            turn += 1
            self._most = MOST_WORK * 2**turn

    def _free(self, column: int) -> bool:
        return self.whole.lattice.bottom[column] < self.whole.lattice.top[column]


def _shuffled(columns: Sequence[int], random: np.random.Generator) -> list[int]:
    """Neighbours change places."""
    place = np.arange(len(columns)) + 4 * random.random(len(columns))
    return [columns[i] for i in np.argsort(place)]
