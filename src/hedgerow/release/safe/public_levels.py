"""Levels from public data: those that are best for another table, about other people.

The table that is published is not looked at, so the choice costs nothing and k is that of fixed
levels. That the public table is public, and has none of these people, is stated and not checked:
only that it is not the table itself, whatever it is called and however it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.base.delivery import sha256
from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.noise.sampling.private_choice import Ramp, RecodingScores
from hedgerow.recode.lattice import Lattice, Node
from hedgerow.release.safe.counts import cells_of, tallies_of
from hedgerow.release.safe.lattice_candidates import NodeScores
from hedgerow.table.domain import decimal

if TYPE_CHECKING:
    from pathlib import Path

    from hedgerow.engines.base import Engine, Table
    from hedgerow.plan.plan import Plan
    from hedgerow.release.safe.request import Column
    from hedgerow.release.safe.terms import SafeTerms


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


def refuse_itself(plan: Plan, columns: Sequence[Column], source: Engine) -> None:
    """Refuse the table that is published as its own public table, in whatever form.

    It is the same file, has the same bytes, or has as many people in every cell of the published
    columns: other orders of rows, formats and compressions are no other people.

    Args:
        plan: Names the file, under `levels_from`.
        columns: Those that are published.
        source: The table that is published, open.

    Raises:
        PlanError: It is that table.
    """
    file = plan.method.levels_from
    if file is None:
        return
    why = None
    there = [other for other in source.files if other.exists()]
    if any(file.samefile(other) for other in there):
        why = "is the table that is published"
    elif any(_same_bytes(file, other) for other in there):
        why = "has the same bytes as the table that is published"
    elif _counts(plan, columns, file).equals(_sorted(source.tallies(tallies_of(columns))[0])):
        why = "has as many people in every cell as the table that is published"
    if why is not None:
        raise PlanError(
            f"{file.name} {why}, and what is chosen on it would tell about its people",
            where=plan.where("method", "levels_from"),
            fix="Name public data about other people.",
        )


def _same_bytes(file: Path, other: Path) -> bool:
    return file.stat().st_size == other.stat().st_size and sha256(file) == sha256(other)


def _counts(plan: Plan, columns: Sequence[Column], file: Path) -> Table:
    """How many people are in each cell of the public table."""
    from hedgerow.engines import open_engine

    with open_engine(file, null=plan.null) as engine:
        alone = plan.person is None or plan.person not in engine.columns()
        if alone:
            return _sorted(engine.tallies(tallies_of(columns))[0])
    with open_engine(file, null=plan.null, person=plan.person) as engine:
        return _sorted(engine.tallies(tallies_of(columns))[0])


def _sorted(table: Table) -> Table:
    """In one order, as 64-bit numbers, whichever engine counted."""
    import pyarrow as pa

    numbers = table.cast(pa.schema([(name, pa.int64()) for name in table.column_names]))
    return numbers.sort_by([(name, "ascending") for name in table.column_names]).combine_chunks()


def best_levels(
    plan: Plan, columns: Sequence[Column], terms: SafeTerms, *, row: Fraction
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
    scoring = RecodingScores(ramp=Ramp.around(k=terms.safe.k, beta=terms.beta))
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
