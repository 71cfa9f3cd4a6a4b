"""What is made of a grown tree's noisy counts, without the data: it costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from hedgerow.learning.tree_splits import TreeSplit


@dataclass(frozen=True)
class Node:
    """A node of a tree; nothing in it but draws and noisy counts."""

    counts: tuple[int, ...]
    """How many rows of each class; of an inner node, added up from its leaves."""
    split: TreeSplit | None = None
    """None: a leaf."""
    children: tuple[Node, ...] = ()
    shares: tuple[float, ...] = ()

    def leaves(self) -> Iterator[Node]:
        """From the first branch to the last."""
        if self.split is None:
            yield self
        for child in self.children:
            yield from child.leaves()


def pruned(node: Node, *, scale: float) -> Node:
    """The tree without splits that gain no more rows than the noise moves.

    What a split gains is how many more rows its leaves get right than one class for all would.
    That compares at most two counts of each leaf, so noise of a scale b moves it by 2 b sqrt(m)
    or so (the standard deviation) for m leaves.

    Reference: Friedman and Schuster (2010), section 4.3, prune with noisy counts likewise; the
    rule is ours.
    """
    if node.split is None:
        return node
    children = tuple(pruned(child, scale=scale) for child in node.children)
    node = replace(node, children=children)
    leaves = [leaf.counts for leaf in node.leaves()]
    gain = sum(max(counts) for counts in leaves) - max(node.counts)
    if gain <= 2 * scale * sqrt(len(leaves)):
        return Node(node.counts)
    return node


def settled(node: Node, *, scale: float, prior: tuple[float, ...] | None = None) -> Node:
    """Shares of the classes in every node, those of small nodes drawn towards their parent's.

    The parent's shares weigh as much as the noise of the leaf's counts; counts under 0 are 0.
    """
    held = np.maximum(np.array(node.counts, np.float64), 0.0)
    parent = np.full(len(held), 1 / len(held)) if prior is None else np.array(prior)
    weight = sqrt(2) * scale
    shares = tuple(float(p) for p in (held + weight * parent) / (held.sum() + weight))
    children = tuple(settled(child, scale=scale, prior=shares) for child in node.children)
    return replace(node, children=children, shares=shares)
