"""A look at any table: what `hedgerow look` and notebooks show."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.errors import DataError, PlanError
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine
from hedgerow.engines.detection import look_at_file
from hedgerow.plan.plan import Plan
from hedgerow.plan.source_form import form_of
from hedgerow.table.profile.table_profile import KnowledgeInPopulation, TableProfile
from hedgerow.table.profile.whole_table import MOST_CELLS, profile_table
from hedgerow.table.schema import Role


def look(
    source: Plan | str | os.PathLike[str] | Any,
    *,
    person: str | None = None,
    null: Sequence[str] = (),
    read: Mapping[str, Any] | None = None,
    deep: bool = True,
    fraction: float | str | None = None,
    most_cells: int = MOST_CELLS,
    progress: Callable[[str, float | None], None] | None = None,
) -> TableProfile:
    """Look at a table: what its columns hold, whose rows they are, who stands out by what.

    All of it is about people in the table: it is for its steward, not for a recipient.

    Args:
        source: A plan, the path of a plan or of a data file, or a table in memory.
        person: Column that says whose row it is; the plan's, if there is one.
        null: Texts that are read as missing values; the plan's, if there is one.
        read: How a file is written, as a plan says it under `read`; the rest is detected.
        deep: Whether to combine three columns, and to look for special uniques; takes longer.
        fraction: Share of the population that the table is a random sample of, as 0.1 or "10%".
            With it, what attackers are likely to know is judged in the population.
        most_cells: Rows times columns to look at; of larger tables the first rows are.
        progress: Called as work goes on.

    Raises:
        DataError: The table cannot be read, or has no rows.
        PlanError: The fraction is none.

    >>> import pyarrow as pa
    >>> found = look(pa.table({"age": ["31", "31", "40"], "sex": ["f", "m", "m"]}))
    >>> print(found.combinations[0])
    age and sex single out 100 % of the people (3).
    >>> found.column("age").kind
    <ColumnKind.NUMBER: 'number'>
    """
    share = None if fraction is None else share_of(fraction)
    plan = source if isinstance(source, Plan) else _plan(source, read)
    known, form = None, form_of(read or {})
    if plan is not None:
        source, person, null, form = plan.source, plan.person, plan.null, plan.form or form
        known = [name for name, one in plan.columns.items() if one.role is Role.QUASI_IDENTIFIER]
        if source is None:
            raise DataError("the plan names no source", fix="Add `source: table.csv`.")
    file = None
    if isinstance(source, str | os.PathLike):
        file = look_at_file(os.fspath(source), form=form, null=tuple(null))
        form = form if file is None else file.form
    with open_engine(source, null=tuple(null), person=person, form=form) as engine:
        found = profile_table(
            engine, file=file, known=known, deep=deep, most_cells=most_cells, progress=progress,
            source=os.fspath(source) if isinstance(source, str | os.PathLike) else None,
        )  # fmt: skip
        return found if share is None else _estimated(found, engine, share)


def share_of(fraction: float | str) -> float:
    """A sampling fraction, also in per cent.

    Raises:
        PlanError: It is no number above 0 and below 1.

    >>> share_of("10%"), share_of(0.25)
    (0.1, 0.25)
    """
    text = str(fraction).strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise PlanError(
            f"{text!r} is no sampling fraction",
            where="fraction",
            fix="Say which share of the population the table is, above 0 and below 1, such as 10%.",
        )
    return number


def _estimated(found: TableProfile, engine: Engine, fraction: float) -> TableProfile:
    """The profile with what attackers who know several columns would find in the population."""
    # SciPy is loaded where something is estimated, and nowhere else.
    from hedgerow.claims.population.overview import PopulationView

    told, notes = [], []
    for one in found.knowledge:
        try:
            counted = engine.counts(one.columns)
        except DataError as error:  # people with several rows that differ are in no one group
            notes.append(f"What {one.attacker} finds in the population is not said: {error.what}.")
            continue
        n = np.asarray(counted["n"].to_numpy(), np.int64)
        view = PopulationView.of(n, fraction=fraction)
        bound = view.shares[0]
        assert bound.upper is not None, "the bound always has an estimate"
        told.append(
            KnowledgeInPopulation(
                attacker=one.attacker, columns=one.columns, fraction=fraction, upper=bound.upper,
                right=view.right,
            )
        )  # fmt: skip
    return replace(found, population=tuple(told), notes=(*found.notes, *notes))


def _plan(source: Any, read: Mapping[str, Any] | None) -> Plan | None:
    """The plan at a path that is one."""
    if isinstance(source, str | os.PathLike) and Path(source).suffix.lower() in {".yaml", ".yml"}:
        return Plan.read(Path(source), source_form=read)
    return None
