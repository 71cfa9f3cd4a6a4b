"""Count by public cells; choose levels privately; draw; leave out small groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.answers.design import AnswerTable, NoiseDescription
from hedgerow.engines.base import Table
from hedgerow.engines.tally import Tally
from hedgerow.noise.measures import Approximate
from hedgerow.noise.sampling.private_choice import Ramp, RecodingScores, choose, walk
from hedgerow.recode.lattice import Lattice, Node
from hedgerow.release.safe.counts import cells_of, rules_of, tallies_of
from hedgerow.release.safe.lattice_candidates import NodeScores
from hedgerow.release.safe.request import SafeRequest
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Codes


@dataclass(frozen=True, eq=False)
class SampledGroups:
    """What may be published: levels, and the groups of the sample that are not small."""

    node: Node
    codes: Codes
    """SampledGroups tuples, groups by columns, sorted; codes of the levels' labels."""
    counts: Ints
    """Rows of each."""


@dataclass(frozen=True)
class Sampling:
    """Groups of a sample, at levels that are public or chosen privately.

    Guarantee: the terms' loss. Every step that depends on the data is here: the tally (row by
    row, at most one row a person), the choice, the draw.
    Reference: `hedgerow.noise.sampling.pipeline`.
    """

    request: SafeRequest

    @property
    def tallies(self) -> tuple[Tally, ...]:
        return tallies_of(self.request.columns)

    @property
    def loss(self) -> Approximate:
        return self.request.terms.loss

    @property
    def noise(self) -> tuple[NoiseDescription, ...]:
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Which rows count: rules, not looked up."""
        return rules_of([column.cells for column in self.request.columns], self.request.person)

    @property
    def details(self) -> Mapping[str, Any]:
        return {}

    def read(self, counted: Sequence[Table]) -> Cells:
        """The whole table as cells of public leaves."""
        return cells_of(self.request.columns, counted)

    def noisy(self, exact: Cells) -> SampledGroups:
        lattice = Lattice.of(exact, {column.name: column.levels for column in self.request.columns})
        node = self._node(lattice)
        frequency = lattice.roll_up(lattice.base, node)
        drawn = self.request.terms.safe.release(frequency.groups.n)
        kept = drawn > 0
        codes = lattice.layout.unpack(frequency.words[kept]).astype(np.int32)
        # The order in which groups were found would tell about the rows.
        order = np.lexsort(codes.T[::-1])
        return SampledGroups(node, codes[order], drawn[kept][order])

    def best(self, exact: Cells) -> None:
        return None

    def shown(self, numbers: Any) -> tuple[AnswerTable, ...]:
        return ()

    def _node(self, lattice: Lattice) -> Node:
        """The levels: the plan's or a public table's, or by private choices on the whole table."""
        terms = self.request.terms
        safe = terms.safe
        if self.request.public is not None:
            return self.request.public.node
        if not safe.choice:
            return lattice.bottom
        scoring = RecodingScores(ramp=Ramp.around(k=safe.k, beta=safe.beta))
        scores = NodeScores(lattice, scoring, row=terms.row)
        if terms.steps is None:
            nodes, values = scores.all
            return nodes[choose(values, scoring=scoring, choice=safe.choice)]
        return walk(
            lattice.top,
            beside=scores.beside,
            score=scores.score,
            scoring=scoring,
            choice=safe.choice,
            steps=terms.steps,
        )
