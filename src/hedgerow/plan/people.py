"""Whether the rows of a plan's table are people, asked before anything is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hedgerow.base.errors import DataError
from hedgerow.claims.declaration import ParameterKind
from hedgerow.engines.base import Engine
from hedgerow.plan.claims import Claim
from hedgerow.table.person_keys import (
    asked,
    is_called_id,
    question,
    refuse_empty_rows,
    repeated,
    same_ids,
    shared_name,
)
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan


def require_people(
    plan: Plan,
    engine: Engine,
    *,
    names: bool = True,
    values: Mapping[str, Sequence[str]] | None = None,
    counted: bool = False,
) -> tuple[str, ...]:
    """Stop where rows may not be people, and nobody has said whether they are.

    Args:
        plan: The plan.
        engine: Its source.
        names: Whether to count names that repeat; what is counted exactly is for the steward. If
            not, columns of public values that are not called a number are not looked at.
        values: The first values of each column, where somebody has read them.
        counted: Whether empty rows are noticed when the table is counted (`read_cells`), so that
            this need not read all of it once more.

    Returns:
        What to tell of identifiers that repeat because people share them.

    Raises:
        DataError: A person ID repeats. It says what to add to the plan.
    """
    if plan.one_row_per_person:
        return ()
    roles = dict(plan.schema(engine.columns()).roles)
    if not names:
        # Nobody lists the IDs of people as public values, so these need no look.
        roles = {n: r for n, r in roles.items() if is_called_id(n) or not _is_public(plan, n)}
    said = _said(plan)
    if plan.person is not None and not plan.ids_as_written:
        several = same_ids(plan.person, engine, where=plan.where("person"))
        if several is not None:
            raise several
    elif not counted and must_have_values(plan, roles):
        refuse_empty_rows(engine)
    found = repeated(engine, roles, said, person=plan.person, names=names, values=values)
    if found.keys:
        key = found.keys[0]
        raise asked(key, person=plan.person, where=plan.where("columns", key.name))
    return tuple(map(shared_name, found.names))


def must_have_values(plan: Plan, columns: Iterable[str]) -> bool:
    """Whether a row that is empty everywhere is refused: nobody has said whose it would be."""
    said = _said(plan)
    stated = plan.one_row_per_person or plan.person is not None
    return not stated and any(said.get(name, True) for name in columns)


def _is_public(plan: Plan, name: str) -> bool:
    return name in plan.columns and plan.domain(name) is not None


def require_population(plan: Plan, population: Engine, *, where: str | None) -> None:
    """Stop where the rows of the outside population may not be people: its claims count them.

    What the plan states of the table's rows is not about this file.

    Args:
        plan: The plan.
        population: The outside population.
        where: What it is called.

    Raises:
        DataError: A person ID repeats there, or is missing.
    """
    refuse_empty_rows(population, where=where, stated=False)
    roles = {
        name: plan.columns[name].role if name in plan.columns else Role.INSENSITIVE
        for name in population.columns()
    }
    for key in repeated(population, roles, _said(plan), names=False).keys:
        raise DataError(
            question(key),
            where=where,
            fix="Give a population with one row per person. If the column does not identify "
            "people, leave it out of that file.",
        )


def _said(plan: Plan) -> dict[str, bool]:
    """Whether columns are keys, where the plan says so; wishes and survey weights are none."""
    claims = [claim for claim in plan.protect if isinstance(claim, Claim)]
    kinds = (ParameterKind.WISHES, ParameterKind.WEIGHTS)
    named = (claim.parameters.given(kind) for claim in claims for kind in kinds)
    wishes = {name: False for name in named if name is not None}
    return wishes | {name: c.key for name, c in plan.columns.items() if c.key is not None}
