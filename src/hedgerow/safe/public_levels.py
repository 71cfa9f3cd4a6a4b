"""Levels from public data: those that are best for another table, about other people.

The table that is published is not looked at, so the choice costs nothing and k is that of fixed
levels. That the public table is public, and has none of these people, is stated and not checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.domain import decimal
from hedgerow.errors import DataError, PlanError, some
from hedgerow.listing import sha256
from hedgerow.recode.lattice import Lattice, Node
from hedgerow.safe.counting import cells_of, tallies_of
from hedgerow.sampling.choosing import Ramp, Scoring
from hedgerow.sampling.nodes import NodeScores

if TYPE_CHECKING:
    from hedgerow.plan import Plan
    from hedgerow.safe.request import Column
    from hedgerow.safe.terms import Terms


@dataclass(frozen=True, kw_only=True)
class PublicLevels:
    """The levels, and the file they are from."""

    node: Node
    file: str
    """Its name, without folders."""
    sha256: str
    row: Fraction
    """What a row was worth by itself."""

    def as_json(self) -> dict[str, Any]:
        """What a certificate says of it; the levels are with the columns."""
        return {"file": self.file, "sha256": self.sha256, "row": decimal(self.row)}


def best_levels(
    plan: Plan, columns: Sequence[Column], terms: Terms, *, row: Fraction
) -> PublicLevels:
    """The levels with the best score on the plan's public table; the finest of equal ones.

    The score is that of a private choice, as if the public table were the one to be published.
    So it fits best where the two have about as many people.

    Args:
        plan: Names the file, under `levels_from`.
        columns: With the levels that may be chosen.
        terms: Rate and k.
        row: What a row is worth by itself.

    Raises:
        DataError: The file has not all columns, or too few people for any levels.
        HedgerowError: It cannot be read.
    """
    from hedgerow.engines import open_engine

    file, where = plan.method.levels_from, plan.where("method", "levels_from")
    assert file is not None, "asked only where there is one"
    if not file.is_file():
        raise PlanError(f"there is no file {file.name!r}", where=where, fix="Correct its place.")
    before = sha256(file)
    with open_engine(file, null=plan.null) as engine:
        absent = [column.name for column in columns if column.name not in engine.columns()]
        if absent:
            raise DataError(
                f"{file.name} has no {some(absent)}, so no levels can be chosen on it",
                where=where,
                fix="It needs all columns that are published, under the same names.",
            )
        cells = cells_of(columns, engine.tallies(tallies_of(columns)))
    lattice = Lattice.of(cells, {column.name: column.levels for column in columns})
    scoring = Scoring(ramp=Ramp.around(k=terms.safe.k, beta=terms.beta))
    nodes, scores = NodeScores(lattice, scoring, row=row).all
    if not any(scores):
        raise DataError(
            f"{file.name} has no groups of about {int(terms.safe.k / terms.beta):,} people at any "
            "levels, so it cannot say which are best",
            where=where,
            fix="Take public data about more people, or fix the levels.",
        )
    if sha256(file) != before:
        raise DataError(f"{file.name} changed while it was read", where=where, fix="Run it again.")
    return PublicLevels(node=nodes[int(np.argmax(scores))], file=file.name, sha256=before, row=row)
