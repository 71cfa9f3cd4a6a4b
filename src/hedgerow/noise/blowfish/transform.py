"""The policy-aware transform: where the graph is a tree, noise goes on its edges.

Cut an edge of a tree, and count the rows on the far side from the root. A row that moves along an
edge changes that edge's count, by 1, and no other. So the counts of all edges cost as much as
one, and every linear answer can be computed from them. On a line they are the counts up to each
value, of the ordered mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.ordered_mechanism import counted
from hedgerow.noise.blowfish.secret_graph import APART, Graph, Ints
from hedgerow.noise.blowfish.sensitivity import Sensitivity
from hedgerow.noise.measures import Loss, Pure, ZeroConcentrated

MOST_STRETCHED = 5000
"""Values up to which the stretch of another graph's edges is looked for."""


@dataclass(frozen=True)
class Edges:
    """Released counts of a tree's edges, and the totals of its components.

    What is computed from them is post-processing and costs nothing.
    """

    transform: TreeTransform
    noisy: Ints
    """For each edge, the rows on the far side of it."""
    totals: Ints
    """For each component its rows, **exactly**; of a connected graph, the number of rows."""

    def answer(self, matrix: ArrayLike) -> NDArray[Any]:
        """A matrix times the histogram: W x = (W P_G) x_G and what the totals add.

        A column of W P_G is the column of an edge's far end less that of its near end.
        """
        w = np.asarray(matrix)
        if w.shape[-1:] != (self.transform.tree.size,) or w.dtype.kind not in "iubf":
            raise PlanError(f"a matrix has a column for each of {self.transform.tree.size} values")
        w = w.astype(np.float64 if w.dtype.kind == "f" else np.int64)
        far, near, roots = self.transform.ends
        return np.asarray((w[..., far] - w[..., near]) @ self.noisy + w[..., roots] @ self.totals)

    def histogram(self) -> Ints:
        """The counts of all values; some may be below 0."""
        far, near, roots = self.transform.ends
        found = np.zeros(self.transform.tree.size, np.int64)
        np.add.at(found, far, self.noisy)
        np.subtract.at(found, near, self.noisy)
        found[roots] += self.totals
        return found


@dataclass(frozen=True)
class TreeTransform:
    """Noise on the edges of a tree, or of several trees without a path between them.

    For a policy whose graph is not a tree, a tree over the same values can be given: an edge of
    the policy changes as many counts as its ends are apart in the tree, and the most of these,
    the stretch, is the sensitivity.

    Guarantee: the loss, for tables that differ in one row along one edge of the policy.
    Assumes: as `Ordered`, the histogram is of all rows. **Each component's number of
    rows is published exactly**: no edge changes it, and nothing is promised about it.
    Reference: Haney, Machanavajjhala and Ding, Design of policy-aware differentially private
    algorithms (2015), Sec. 4.

    >>> from hedgerow.noise.blowfish.listed_graphs import Explicit
    >>> star = Explicit(4, ((0, 1), (0, 2), (0, 3)))
    >>> transform = TreeTransform(star, Pure(epsilon=1))
    >>> transform.counts([5, 1, 2, 3]).tolist(), transform.sensitivity.l1
    ([1, 2, 3], 1)
    """

    tree: Graph
    loss: Pure | ZeroConcentrated
    policy: Graph | None = None
    """The policy's graph, where it is another than the tree."""

    def __post_init__(self) -> None:
        pieces = int(self.tree.components.max()) + 1
        if len(self.tree.edges()) != self.tree.size - pieces:
            raise PlanError("this graph has cycles: it is no tree", fix="Give a spanning tree.")
        if not len(self.tree.edges()):
            raise PlanError("this graph has no edges: it protects nothing")
        if self.policy is None:
            return
        if self.policy.size != self.tree.size:
            raise PlanError("a tree for a policy is over the same values")
        if self.policy.size > MOST_STRETCHED:
            raise PlanError(f"a stretch is looked for among {MOST_STRETCHED} values at most")
        if self.stretch == APART:
            raise PlanError(
                "an edge of the policy joins two trees: their totals would give it away",
                fix="Give a tree that spans each component of the policy.",
            )

    @cached_property
    def ends(self) -> tuple[Ints, Ints, Ints]:
        """The far and the near end of each edge, and the roots: the first value of each tree."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import breadth_first_order

        a, b = self.tree.edges().T
        size = self.tree.size
        roots = np.unique(self.tree.components, return_index=True)[1].astype(np.int64)
        # One more vertex over all roots makes one tree of them.
        rows = np.concatenate([a, roots])
        columns = np.concatenate([b, np.full(len(roots), size)])
        joined = csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(size + 1,) * 2)
        order, parents = breadth_first_order(joined, size, directed=False)
        far = order[parents[order] < size].astype(np.int64)
        far = far[parents[far] >= 0]
        return far, parents[far].astype(np.int64), roots

    @cached_property
    def stretch(self) -> int:
        """The most edges of the tree between the ends of an edge of the policy."""
        if self.policy is None:
            return 1
        distances = self.tree.distance(*self.policy.edges().T)
        return APART if (distances == APART).any() else int(distances.max(initial=0))

    @property
    def sensitivity(self) -> Sensitivity:
        """Each of the counts between the ends changes by 1."""
        return Sensitivity(self.stretch, self.stretch)

    @property
    def spent(self) -> Loss:
        """What a release costs: the loss, or a little less, as scales are rounded up."""
        return self.sensitivity.loss(self.sensitivity.mechanism(self.loss))

    def counts(self, histogram: ArrayLike) -> Ints:
        """The true count of each edge: from the leaves to the roots, children into parents."""
        counted(self.tree, histogram)
        far, near, _ = self.ends
        sums = np.asarray(histogram).tolist()
        for child, parent in zip(far[::-1].tolist(), near[::-1].tolist(), strict=True):
            sums[parent] += sums[child]
        return np.array(sums, np.int64)[far]

    def release(self, histogram: ArrayLike) -> Edges:
        """Noisy counts of all edges, from the true counts of all values."""
        exact = self.counts(histogram)
        noisy = self.sensitivity.mechanism(self.loss).release(exact)
        totals = np.zeros(int(self.tree.components.max()) + 1, np.int64)
        np.add.at(totals, self.tree.components, np.asarray(histogram, np.int64))
        return Edges(self, noisy, totals)
