"""Recodings of a generalisation lattice as candidates: public worths, and scores of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.noise.rounding import Number, exact
from hedgerow.noise.sampling.private_choice import WORTH, RecodingScores
from hedgerow.recode.lattice import Frequency, Lattice, Node
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Hierarchy


def worths(hierarchies: Sequence[Hierarchy], *, row: Number = 0) -> list[list[Ints]]:
    """For each column, level and value, what it is worth to publish that value of one person.

    A value that hides a share s of its column's leaves, of which there are m, is worth
    (1 - s) / (1 - 1/m): 1 as it is, 0 for `*`. That is the granularity most tools report. The
    columns together are worth at most WORTH.

    Args:
        hierarchies: One for each column. They must not depend on the data.
        row: What a person of whom nothing is told but that they exist is worth, from 0 to 1.

    Raises:
        PlanError: `row` is above 1.
    """
    least = exact("row", row)
    if least > 1:
        raise PlanError(f"a row is worth at most 1, not {row}")
    each = WORTH / max(1, len(hierarchies))
    found = []
    for h in hierarchies:
        room = 1 - 1 / len(h.values)
        levels = []
        for level in range(h.height + 1):
            told = (1 - h.share(level)) / room if room else np.ones(h.size(level))
            part = float(least) + (1 - float(least)) * told
            levels.append(np.floor(each * part + 1e-9).astype(np.int64))
        found.append(levels)
    return found


class NodeScores:
    """Scores of the nodes of a lattice: each node's frequency set, rolled up, never its rows."""

    def __init__(self, lattice: Lattice, scoring: RecodingScores, *, row: Number = 0) -> None:
        self.lattice, self.scoring = lattice, scoring
        self._worth = worths(lattice.cells.hierarchies, row=row)

    def score(self, node: Node) -> int:
        """The score of one node."""
        return self.of(self.lattice.roll_up(self.lattice.base, node))

    def of(self, frequency: Frequency) -> int:
        """The score of a frequency set. Groups that count for nothing are not looked at."""
        large = frequency.groups.n > self.scoring.ramp.start
        codes = self.lattice.layout.unpack(frequency.words[large])
        worth = np.zeros(len(codes), np.int64)
        for j, level in enumerate(frequency.node):
            worth += self._worth[j][level][codes[:, j]]
        return self.scoring.score(frequency.groups.n[large], worth)

    @cached_property
    def all(self) -> tuple[tuple[Node, ...], tuple[int, ...]]:
        """Every node with its score; for lattices that can be gone through."""
        pairs = sorted((f.node, self.of(f)) for f in self.lattice.frequencies())
        return tuple(node for node, _ in pairs), tuple(score for _, score in pairs)

    def beside(self, node: Node) -> list[Node]:
        """The nodes one level away in one column, finer ones first."""
        lattice = self.lattice
        near = []
        for by in (-1, 1):
            for j, level in enumerate(node):
                if lattice.bottom[j] <= level + by <= lattice.top[j]:
                    near.append((*node[:j], level + by, *node[j + 1 :]))
        return near
