"""Exact search of the generalisation lattice by branch and bound over boxes of nodes.

A box holds every node between a finest one, `low`, and a coarsest one, `high`. Two facts
bound a whole box at the price of one evaluation each:

- a group that fails at `high` has parts that fail at every finer node, so some of its people
  (with k-anonymity all of them; otherwise as the models' `could_stay` says) are suppressed
  everywhere in the box: if they are too many, the box holds no solution;
- nothing in the box costs less than publishing `low` with only those people suppressed.

Both are true whichever further groups are suppressed. Which groups are suppressed at a node, and
what no other choice could beat, is decided in `suppression`. A node where that is not exact
has a bound below its cost, and the solution's bound is the least of all: optimal means over levels
and over which whole groups are suppressed.

Boxes are taken cheapest bound first and split by fixing one column at its coarsest level. Levels
so coarse that they alone cost more than the best node are cut off before a box is looked at.
Where models or metric lack such structure the bounds fall away and every node is evaluated;
the result is exact either way. The same search answers for a whole ladder of requirements at
once (the risk-utility frontier), because a group that fails a weak one fails a strict one.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.constraints import Held, SearchConstraints
from hedgerow.recode.lattice import CellCosts, Frequency, Lattice, Node
from hedgerow.recode.metrics import Metric
from hedgerow.recode.search_state import EndsSoon, SearchState, TellState
from hedgerow.recode.snapshots import Snapshots
from hedgerow.recode.suppression import Suppressor
from hedgerow.table.groups import Floats, Ints

SLACK = 1e-12
"""Relative improvements below this are rounding, not utility."""
MOST_HELD = 128_000_000
"""Bytes that frequency sets may take in memory; older ones are rolled up again when needed."""
MOST_BASES = 4
"""Of a large table, how many times the finest node may be kept instead."""
GREEDY_FROM = 50_000
"""Lattices with more nodes than this get a first solution by greedy descent."""

NO_PARTS = np.zeros((0, 0, 0))

EACH = 1000
"""Groups in the time of which a node without any is evaluated."""

Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A node under each requirement."""

    feasible: NDArray[np.bool_]
    cost: Floats
    bound: Floats
    """No choice of groups at this node costs less; infinite where none keeps the claims."""
    left_out: Ints
    """People suppressed."""
    must_leave: Ints
    """People left out at every finer node, at least."""
    extra: Floats
    """Cell metrics: what leaving those out adds, requirements by columns."""


@dataclass(frozen=True)
class Solution:
    """The best node found for one requirement."""

    node: Node
    cost: float
    bound: float
    """No node, with any choice of whole groups suppressed, costs less than this."""
    requirement: PrivacyModel | None = None

    @property
    def optimal(self) -> bool:
        """Whether no release of the lattice can be better."""
        return self.bound >= self.cost * (1 - SLACK) - SLACK


@dataclass(eq=False)
class LatticeBox:
    """All nodes between a finest and a coarsest one."""

    low: Node
    high: Node
    bound: Floats
    parts: Floats
    """Cell metrics: what each level of each column adds to the score, for each requirement."""
    best: float = np.inf
    """The sum of the best costs when it was last looked at which levels cost too much."""

    @property
    def volume(self) -> int:
        return _volume(self.low, self.high)


class OpenBoxes:
    """Boxes that are not settled, lowest bound first."""

    def __init__(self) -> None:
        """None yet."""
        self._heap: list[tuple[float, int, LatticeBox]] = []
        self._pushed = 0

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[LatticeBox]:
        return (box for _, _, box in self._heap)

    @property
    def least(self) -> float:
        """The lowest bound of all; infinite where there is no box."""
        return self._heap[0][0] if self._heap else np.inf

    @property
    def first(self) -> LatticeBox:
        """The one of the lowest bound."""
        return self._heap[0][2]

    def push(self, box: LatticeBox, bound: float | None = None) -> None:
        """Add one, by a bound other than its lowest where that is given."""
        self._pushed += 1
        first = float(box.bound.min()) if bound is None else bound
        heapq.heappush(self._heap, (first, self._pushed, box))

    def pop(self) -> LatticeBox:
        """Take the first."""
        return heapq.heappop(self._heap)[2]


@dataclass(eq=False)
class Search:
    """Finds the cheapest node of a lattice that keeps the constraints."""

    lattice: Lattice
    constraints: SearchConstraints
    metric: Metric
    evaluated: int = 0
    """Nodes whose claims were measured."""
    work: int = 0
    """Groups of these nodes, with a fixed part for each node: what the search has cost."""
    bound: Floats = field(default_factory=lambda: np.zeros(0))
    """After `run`: no release costs less, for each requirement; infinite where there is none."""
    most_held: int | None = None
    """Bytes that its snapshots may take in memory, if not MOST_HELD."""

    @cached_property
    def snapshots(self) -> Snapshots:
        """The frequency sets that it keeps."""
        most = MOST_HELD if self.most_held is None else self.most_held
        return Snapshots(self.lattice, most=max(most, MOST_BASES * self.lattice.base.nbytes))

    @cached_property
    def costs(self) -> CellCosts | None:
        metric = self.metric.by_cell
        return None if metric is None else CellCosts(self.lattice, metric)

    @cached_property
    def suppressor(self) -> Suppressor:
        return Suppressor(self.lattice, self.constraints, self.metric, self.costs)

    @cached_property
    def _plain(self) -> bool:
        """Whether exactly the groups that fail go at every node, and the cost says it all."""
        limits = self.constraints
        plain = self.costs is not None and not limits.whole and not limits.keep_suppressed
        return plain and self.metric.suppression_costs

    @cached_property
    def room(self) -> int:
        """People who may be suppressed, those barred not counted."""
        return self.constraints.limit - self.lattice.original.absent

    def kept(self, frequency: Frequency) -> NDArray[np.bool_]:
        """The groups that are published at this node, under the first requirement."""
        limits, groups = self.constraints, frequency.groups
        kept = (limits.rank(groups) > 0) & (groups.n > 0)
        if limits.whole and self._fits(self.lattice.original.people - int(groups.n[kept].sum())):
            kept = self.suppressor.decide(frequency, kept, 0).kept
        return kept

    def _fits(self, left_out: Ints | int) -> NDArray[np.bool_] | bool:
        fits = left_out <= self.constraints.limit
        if not self.constraints.keep_suppressed:
            fits &= left_out < self.lattice.original.people
        return fits

    def evaluate(self, frequency: Frequency, *, best: Floats | None = None) -> Evaluation:
        """Who is suppressed at this node, whether that is allowed, and what it costs.

        Args:
            frequency: The node.
            best: For each requirement the cost of a solution. What costs more need not be measured
                as a whole, which may take long, and is called infeasible.
        """
        self.evaluated += 1
        self.work += len(frequency) + EACH
        limits, groups = self.constraints, frequency.groups
        ranks = limits.requirements
        held = Held(groups)
        rank = limits.rank(groups, held)
        absent = self.lattice.cells.absent
        sums = np.bincount(rank, weights=groups.n, minlength=ranks)[:ranks]
        left_out = sums.cumsum().astype(np.int64) + absent
        extra, cost = np.zeros((ranks, 0)), np.full(ranks, np.inf)
        if self.costs is not None:
            extra = np.zeros((ranks, len(frequency.node)))
            # Nobody asks what it costs to suppress too many.
            few = ranks if best is None else int((left_out <= limits.limit).sum())
            if few:
                extra[:few] = self.costs.left_out(frequency, groups.n, rank, few)[1].cumsum(axis=0)
                totals = self.costs.published(frequency.node) + extra[:few]
                cost[:few] = self.costs.metric.combine(totals, self.lattice.original)
        feasible = np.asarray(self._fits(left_out))
        bound, failing = np.where(feasible, cost, np.inf), left_out
        if not self._plain:
            left_out = failing.copy()
            for r in np.flatnonzero(feasible):
                if (
                    best is not None
                    and limits.beyond
                    and self.costs is not None
                    and self.metric.suppression_costs
                    and cost[r] > best[r]
                ):
                    feasible[r] = False
                    continue
                found = self.suppressor.decide(frequency, rank > r, int(r))
                feasible[r], bound[r] = found.holds, found.bound
                if found.holds:
                    cost[r] = found.cost
                    more = (rank > r) & ~found.kept
                    left_out[r] += groups.n[more].sum()
        if not limits.relief_decides:
            bound = np.minimum(bound, self.suppressor.floor(frequency))
        if limits.settled:
            return Evaluation(feasible, cost, bound, left_out, failing, extra)
        return Evaluation(feasible, cost, bound, left_out, *self._forced(frequency, held))

    def _forced(self, frequency: Frequency, held: Held) -> tuple[Ints, Floats]:
        """Who is left out at every finer node, and what that adds, for each requirement."""
        ranks, columns = self.constraints.requirements, len(frequency.node)
        people = np.full(ranks, self.lattice.cells.absent, np.int64)
        extra = np.zeros((ranks, columns if self.costs is not None else 0))
        for r in range(ranks):
            must = self.constraints.must_leave(frequency.groups, r, held)
            people[r] += must.sum()
            if self.costs is not None and must.any():
                extra[r] = self.costs.left_out(frequency, must, np.zeros_like(must), 1)[1]
        return people, extra

    def run(
        self,
        *,
        seconds: float | None = None,
        known: Sequence[Node] = (),
        tell: TellState | None = None,
        ends: EndsSoon = lambda: False,
    ) -> tuple[Solution | None, ...]:
        """The best node for each requirement (one, if there is no ladder).

        Args:
            seconds: Stop after this long with the best so far and a bound on what is possible.
            known: Nodes to begin with.
            tell: Told now and then how far it is.
            ends: Asked now and then whether somebody wants it to end with what it has.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        self._begin()
        for node in known:
            self.take(node)
        if self.lattice.size > GREEDY_FROM and not known:
            self._descend(deadline)
        self._open()
        while self.settle():
            now = time.monotonic() if deadline is not None else 0.0
            if (deadline is not None and now > deadline) or ends():
                break
            self.advance()
            if tell is not None:
                tell(self.state(None if deadline is None else max(0.0, deadline - now)))
        return self.solutions()

    def start(self, *, below: float = np.inf) -> None:
        """Put the whole lattice into one box.

        Args:
            below: Only solutions that cost less are looked for.
        """
        self._begin()
        self._best[:] = below
        self._open()

    def _open(self) -> None:
        self.boxes = OpenBoxes()
        self._push(self._bounded(self.lattice.bottom, self.lattice.top))

    def settle(self) -> bool:
        """Forget boxes that hold nothing better; whether others are left."""
        while self.boxes and not self._alive(self.boxes.first):
            self._settled += self.boxes.pop().volume
        return bool(self.boxes)

    def advance(self) -> None:
        """Split the first box."""
        for part in self._split(self.boxes.pop()):
            self._push(part)

    def state(self, seconds: float | None) -> SearchState:
        """How far it is; of a ladder, only how much is settled."""
        if self.constraints.requirements > 1:
            return SearchState(self.share, seconds=seconds)
        return SearchState(self.share, self.best, min(self.boxes.least, self.best), seconds)

    @property
    def share(self) -> float:
        """How much of the lattice is settled."""
        return self._settled / self.lattice.size

    def solutions(self) -> tuple[Solution | None, ...]:
        """The best node so far for each requirement, and what no node costs less."""
        open_bounds = [box.bound for box in self.boxes]
        self.bound = bound = np.min([self._best, self._floor, *open_bounds], axis=0)
        ladder = self.constraints.ladder or (None,)
        return tuple(
            None if node is None else Solution(node, float(cost), float(least), step)
            for node, cost, least, step in zip(self._node, self._best, bound, ladder, strict=True)
        )

    def _push(self, box: LatticeBox) -> None:
        alive = box.bound < self._best * (1 - SLACK) - SLACK
        if box.low == box.high or not alive.any():
            self._settled += box.volume
            return
        self.boxes.push(box, float(box.bound[alive].min()))

    def _alive(self, box: LatticeBox) -> bool:
        """Whether there may be something better in it than what is known."""
        return bool((box.bound < self._best * (1 - SLACK) - SLACK).any())

    def take(self, node: Node) -> float:
        """Evaluate a node that somebody found; what it costs is what others have to beat.

        Infinite where it is no solution under the first requirement.
        """
        found = self.evaluate(self.snapshots.of(node), best=self._best)
        self._note(node, found)
        return float(found.cost[0]) if found.feasible[0] else np.inf

    @property
    def best(self) -> float:
        """What the best node so far costs, under the first requirement."""
        return float(self._best[0])

    def _begin(self) -> None:
        self._settled = 0
        self._best = np.full(self.constraints.requirements, np.inf)
        self._floor = self._best.copy()
        self._node: list[Node | None] = [None] * self.constraints.requirements

    def least(self) -> float:
        """What no release of the lattice costs less, from its two ends alone."""
        self._begin()
        whole = self._bounded(self.lattice.bottom, self.lattice.top)
        return float(whole.bound[0])

    def _note(self, node: Node, evaluation: Evaluation) -> None:
        np.minimum(self._floor, evaluation.bound, out=self._floor)
        better = evaluation.feasible & (evaluation.cost < self._best)
        if better.any():
            for r in np.flatnonzero(better):
                self._best[r], self._node[r] = evaluation.cost[r], node

    def _bounded(self, low: Node, high: Node) -> LatticeBox:
        """Evaluate `high` and bound the box with what is learned from it."""
        evaluation = self.evaluate(self.snapshots.of(high, above=low), best=self._best)
        self._note(high, evaluation)
        hopeless = evaluation.must_leave > self.constraints.limit
        if self.constraints.closed_upwards:
            hopeless |= ~evaluation.feasible
        floor = np.where(hopeless, np.inf, -np.inf)
        if hopeless.all():
            return LatticeBox(low, high, floor, NO_PARTS)
        parts = NO_PARTS if self.costs is None else self.costs.parts(evaluation.extra, self.room)
        return self._bound(LatticeBox(low, high, floor, parts))

    def _cut(self, box: LatticeBox) -> Node:
        """The coarsest node of a box that is worth a look: levels above cost too much."""
        best = float(self._best.sum())
        if self.costs is None or best == box.best:
            return box.high
        box.best, limit = best, self._best * (1 - SLACK) - SLACK
        alive = box.bound < limit
        if not np.isfinite(limit[alive]).all():
            return box.high
        return self.costs.coarsest(box.parts[alive], box.low, box.high, limit[alive])

    def _bound(self, box: LatticeBox) -> LatticeBox:
        """Raise the box's bound to the cost of its finest node."""
        if self.costs is not None:
            least = self.costs.least(box.parts, box.low)
        elif self.metric.monotone:
            outcome = self.lattice.outcome(self.snapshots.of(box.low))
            least = np.array(self.metric.floor(outcome, self.room))
        else:
            return box
        box.bound = np.maximum(box.bound, least)
        return box

    def _split(self, box: LatticeBox) -> list[LatticeBox]:
        """Fix one column at its coarsest level, or exclude that level."""
        if (cut := self._cut(box)) != box.high:
            self._settled += box.volume - _volume(box.low, cut)
            return [self._bounded(box.low, cut)]
        j = self._column(box)
        low, high = list(box.low), list(box.high)
        high[j] -= 1
        below = self._bounded(box.low, tuple(high))
        low[j] = box.high[j]
        above = self._bound(LatticeBox(tuple(low), box.high, box.bound, box.parts))
        if self._alive(above) and (cut := self._cut(above)) != box.high:
            self._settled += above.volume - _volume(above.low, cut)
            bound, above = above.bound, self._bounded(above.low, cut)
            above.bound = np.maximum(above.bound, bound)
        return [below, above]

    def _column(self, box: LatticeBox) -> int:
        """The column whose levels differ most in cost."""
        if self.costs is not None:
            gap = self.costs.published(box.high) - self.costs.published(box.low)
        else:
            gap = np.zeros(len(box.low))
        spread = np.array(box.high) - np.array(box.low)
        return int(np.lexsort((spread, np.where(spread > 0, gap, -np.inf)))[-1])

    def _descend(self, deadline: float | None) -> None:
        """A first solution: from the top, take the best step down while there is one."""
        node = self.lattice.top
        evaluation = self.evaluate(self.snapshots.of(node))
        self._note(node, evaluation)
        while True:
            if deadline is not None and time.monotonic() > deadline:
                return
            steps = []
            for j in range(len(node)):
                if deadline is not None and time.monotonic() > deadline:
                    return
                if node[j] > self.lattice.bottom[j]:
                    finer = (*node[:j], node[j] - 1, *node[j + 1 :])
                    found = self.evaluate(
                        self.snapshots.of(finer, above=self.lattice.bottom), best=self._best
                    )
                    self._note(finer, found)
                    if found.feasible.any():
                        steps.append((float(found.cost[found.feasible].min()), finer))
            if not steps:
                return
            node = min(steps)[1]

    def minimal(self, *, progress: Progress | None = None) -> tuple[Node, ...]:
        """All solutions none of whose finer nodes is a solution, in lexicographic order."""
        lattice, closed = self.lattice, self.constraints.closed_upwards
        found: list[Node] = []
        levels = np.empty((0, len(lattice.top)), np.int64)
        visited = 0
        stack = [(lattice.base, 0)]
        while stack:
            frequency, first = stack.pop()
            node = frequency.node
            solved = closed and bool((levels <= node).all(axis=1).any())
            if not solved and self.evaluate(frequency).feasible[0]:
                found.append(node)
                levels = np.array(found)
                solved = True
            visited += 1
            if progress is not None:
                progress(min(1.0, visited / lattice.size))
            if solved and closed:
                continue  # everything further up this branch is a solution too, but not minimal
            for j in range(first, len(node)):
                if node[j] < lattice.top[j]:
                    above = (*node[:j], node[j] + 1, *node[j + 1 :])
                    stack.append((lattice.roll_up(frequency, above), j))
        return tuple(sorted(_antichain(found)))


def _volume(low: Node, high: Node) -> int:
    return prod(b - a + 1 for a, b in zip(low, high, strict=True))


def _antichain(nodes: Sequence[Node]) -> list[Node]:
    """Those with no other below them."""
    levels = np.array(nodes)
    return [n for n in nodes if np.count_nonzero((levels <= n).all(axis=1)) == 1]
