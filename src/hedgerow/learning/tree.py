"""Decision trees whose splits are drawn and whose counts are noisy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.learning.inputs import PrivateClassifier
from hedgerow.learning.spaces import Codes, Feature
from hedgerow.learning.spend import Purse, Spent, together
from hedgerow.learning.tree_leaves import Node, pruned, settled
from hedgerow.learning.tree_splits import (
    MOST_ROWS,
    Counts,
    Criterion,
    SplitScores,
    TreeSplit,
    branches_of,
    choice,
    splits_of,
    sulq_counts,
)
from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.neighbours import Neighbours
from hedgerow.noise.rounding import Number, whole

LEAVES = Fraction(3, 10)
"""The leaves' part of the budget of a binary tree; the levels share the rest."""
HEADCOUNT = Fraction(1, 20)
"""What a binary tree spends on how many people there are, which information gain needs."""
MARGIN = 100
"""Rows added to a noisy count, so that it is seldom under the true one."""
DEEPEST = 16


@dataclass(frozen=True)
class _Budget:
    """What each step may cost, for one row more or less; fixed before the data are looked at.

    The nodes of one level have no rows in common, so a level costs what one node does; levels
    follow each other, so they add up. A node that becomes a leaf early spends on class counts
    what it would have spent on its choice, or less.
    """

    depth: int
    headcount: Pure | None
    """For how many people there are, once."""
    count: Pure | None
    """For the number of rows of each node, on each level and among the leaves."""
    choose: Pure
    leaves: Pure

    @classmethod
    def of(cls, row: Fraction, *, depth: int, id3: bool, headcount: bool) -> _Budget:
        if id3:
            each = Pure(epsilon=row / (2 * (depth + 1)))
            return cls(depth, None, each, each, each)
        first = row * HEADCOUNT if headcount else Fraction(0)
        leaves = (row - first) * (LEAVES if depth else 1)
        return cls(
            depth,
            Pure(epsilon=first) if headcount else None,
            None,
            Pure(epsilon=(row - first - leaves) / max(depth, 1)),
            Pure(epsilon=leaves),
        )

    def spent(self, purse: Purse) -> tuple[Spent, ...]:
        parts = []
        if self.headcount is not None:
            parts.append(purse.spent("how many people there are", self.headcount))
        if self.count is not None:
            parts.append(purse.spent("sizes of nodes", self.count.group(self.depth + 1)))
        if self.depth:
            parts.append(purse.spent("choices of splits", self.choose.group(self.depth)))
        return (*parts, purse.spent("class counts of leaves", self.leaves))


@dataclass
class _Growing:
    """The rows, and what is done at a node."""

    codes: Codes
    which: Codes
    times: Codes
    features: tuple[Feature, ...]
    classes: int
    criterion: Criterion
    budget: _Budget
    id3: bool

    def __post_init__(self) -> None:
        self.leaves: list[Codes] = []
        self.people: int | None = None
        if self.budget.headcount is not None:
            self.people = self._size(np.arange(len(self.times)), self.budget.headcount)

    def grow(self, rows: Codes, left: frozenset[int], depth: int) -> Node:
        """A node for these rows, with the columns still to be used; leaves are counted later."""
        candidates = [
            split
            for place in sorted(left)
            for split in splits_of(place, self.features[place], binary=not self.id3)
        ]
        size = self.people
        if self.budget.count is not None and depth and candidates:
            size = self._size(rows, self.budget.count)
            depth = 0 if self._small(size, candidates) else depth
        if not depth or not candidates:
            self.leaves.append(rows)
            return Node(counts=())
        split = candidates[self._choose(rows, left, size)]
        branch = split.branch(self.codes[rows])
        rest = left - {split.feature} if split.kind == "each" else left
        return Node(
            counts=(),
            split=split,
            children=tuple(
                self.grow(rows[branch == b], rest, depth - 1) for b in range(split.branches)
            ),
        )

    def leaf_counts(self) -> tuple[Counts, Fraction]:
        """Noisy counts by leaf and class, in the order of growing; and the noise's scale."""
        mechanism = _laplace(self.budget.leaves)
        exact = [self._counts(rows, self.which[rows], self.classes) for rows in self.leaves]
        return mechanism.release(np.stack(exact)), mechanism.scale

    def _size(self, rows: Codes, loss: Pure) -> int:
        return _laplace(loss).release(int(self.times[rows].sum()))

    def _small(self, size: int, candidates: list[TreeSplit]) -> bool:
        """The paper's rule to stop: a cell of the next split would hold less than its noise."""
        assert self.budget.count is not None
        widest = max(split.branches for split in candidates)
        return size / (widest * self.classes) < sqrt(2) / float(self.budget.count.epsilon)

    def _choose(self, rows: Codes, left: frozenset[int], size: int | None) -> int:
        tables = [
            self._counts(
                rows,
                self.codes[rows, place] * self.classes + self.which[rows],
                self.features[place].size * self.classes,
            ).reshape(-1, self.classes)
            for place in sorted(left)
        ]
        if self.criterion is Criterion.SULQ:
            noisy = sulq_counts(tables, self.budget.choose)
            # Made of noisy counts alone, so the best is simply taken.
            scoring = SplitScores.of(Criterion.INFORMATION_GAIN, most=MOST_ROWS)
            return int(self._scores(scoring, noisy, left).argmax())
        # A bit more than the noisy size; nothing but accuracy depends on whether it is enough.
        most = None if size is None else max(size + MARGIN, 1)
        scoring = SplitScores.of(self.criterion, most=most)
        drawn = choice(scoring, self.budget.choose, exponential=self.id3)
        return drawn.release(self._scores(scoring, tables, left))

    def _scores(self, scoring: SplitScores, tables: list[Counts], left: frozenset[int]) -> Counts:
        pairs = zip(sorted(left), tables, strict=True)
        return np.concatenate(
            [
                scoring.scores(branches_of(table, self.features[place], binary=not self.id3))
                for place, table in pairs
            ]
        )

    def _counts(self, rows: Codes, cells: Codes, size: int) -> Counts:
        # Doubles, which are exact for fewer than 2^53 rows.
        return np.bincount(cells, self.times[rows], size).astype(np.int64)


class DifferentiallyPrivateTree(PrivateClassifier):
    """A decision tree that keeps everybody's row private.

    Guarantee: `loss_`, pure differential privacy of the whole fitted object for the `neighbours`
    stated. What a tree that is not grown to its depth leaves over is not given back. Predictions
    cost nothing more. See `hedgerow.learning.tree_splits` for the proofs.
    Assumes: domains, classes and all other parameters do not come from these data. A row is one
    person's, or `neighbours` says how many there may be. How long fitting takes is not hidden.
    Fitting charges no ledger: charge it before, with `Pure(epsilon=...).amounts()`.
    Reference: Friedman and Schuster, Data mining with differential privacy (2010). With
    `growth="ID3"` this is their DiffP-ID3, and SuLQ-ID3 for `criterion="sulq"`, with numbers cut
    at public points.

    A value that is missing, not listed, or no finite number where one is expected is in a cell
    of its own, which every column has; numbers beyond the bounds are in the outermost cells. A
    row without a listed class is left out of fitting.

    Args:
        epsilon: The loss of one person, in all.
        neighbours: "add-remove", "change-one" or `Neighbours`; there is no default.
        domains: `Values`, `Bounds` or `Cuts` for each column, or one for all; by name for frames.
        classes: All classes there may be.
        criterion: "gini", "max", "information gain" or "sulq".
        depth: Splits on the longest path.
        growth: "binary": two branches each, nothing counted but the leaves, so that choices have
            more of the budget. "ID3": a branch for each listed value, nodes are counted, small
            ones not split.
        cells: Numbers are cut into at most so many even ranges.
        prune: Whether splits are taken back that gain no more than the noise.

    >>> import numpy as np
    >>> from hedgerow.table.domain import Values
    >>> sex, job = np.repeat(["m", "f"], 500), np.tile(["nurse", "spy"], 500)
    >>> tree = DifferentiallyPrivateTree(
    ...     epsilon=10, neighbours="add-remove", classes=("no", "yes"), depth=1,
    ...     domains=(Values(("f", "m")), Values(("nurse", "spy"))),
    ... ).fit(np.column_stack([sex, job]), np.where(job == "spy", "yes", "no"))
    >>> tree.predict([["f", "spy"], ["m", "nurse"]]).tolist(), print(tree.loss_)
    10-differential privacy
    (['yes', 'no'], None)
    """

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        neighbours: str | Neighbours | None = None,
        domains: Any = None,
        classes: Any = None,
        criterion: str = "gini",
        depth: int = 4,
        growth: Literal["binary", "ID3"] = "binary",
        cells: int = 64,
        prune: bool = True,
    ) -> None:
        self.epsilon = epsilon
        self.neighbours = neighbours
        self.domains = domains
        self.classes = classes
        self.criterion = criterion
        self.depth = depth
        self.growth = growth
        self.cells = cells
        self.prune = prune

    def fit(self, X: Any, y: Any) -> DifferentiallyPrivateTree:  # noqa: N803
        """Grow the tree; spends epsilon, each time anew.

        Raises:
            PlanError: A parameter is left out or wrong.
            ShapeError: These are no rows and columns with a class for each row.
        """
        criterion = Criterion.read(self.criterion)
        depth = whole("depth", self.depth, least=0)
        if depth > DEEPEST:
            raise PlanError(f"depth must be at most {DEEPEST}, not {depth}")
        if self.growth not in ("binary", "ID3"):
            raise PlanError(f"there is no growth {self.growth!r}", fix="Say binary or ID3.")
        id3 = self.growth == "ID3"
        purse, codes, which, times = self._begin(X, y)
        budget = _Budget.of(
            purse.row,
            depth=depth,
            id3=id3,
            headcount=criterion is Criterion.INFORMATION_GAIN and not id3 and depth > 0,
        )
        growing = _Growing(
            codes, which, times, self.features_, len(self.classes_), criterion, budget, id3
        )
        tree = growing.grow(np.arange(len(times)), frozenset(range(codes.shape[1])), depth)
        counts, scale = growing.leaf_counts()
        tree = _counted(tree, iter(counts.tolist()))
        # From here on nothing looks at the data.
        self.tree_ = settled(pruned(tree, scale=float(scale)) if self.prune else tree,
                             scale=float(scale))  # fmt: skip
        self.spent_ = budget.spent(purse)
        self.loss_ = together(self.spent_)
        return self

    def _shares(self, codes: Codes) -> NDArray[np.float64]:
        found = np.empty((len(codes), len(self.classes_)))
        waiting: list[tuple[Node, Codes]] = [(self.tree_, np.arange(len(codes)))]
        while waiting:
            node, rows = waiting.pop()
            if node.split is None:
                found[rows] = node.shares
            elif len(rows):
                branch = node.split.branch(codes[rows])
                waiting += [(c, rows[branch == b]) for b, c in enumerate(node.children)]
        return found


def _laplace(loss: Pure) -> DiscreteLaplace:
    """For counts of disjoint cells, of which one row changes one by one."""
    return DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=1))


def _counted(node: Node, counts: Any) -> Node:
    """Leaves with their counts, in the order of growing; a node has the sum of its children's."""
    if node.split is None:
        return replace(node, counts=tuple(next(counts)))
    children = tuple(_counted(child, counts) for child in node.children)
    sums = np.sum([child.counts for child in children], axis=0)
    return replace(node, children=children, counts=tuple(int(n) for n in sums))
